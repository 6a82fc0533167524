"""The embedder of a catalog at work: queries, vectors, and the thread that fills gaps."""

from __future__ import annotations

import threading
from collections import Counter

from catalog.checkpoint import Checkpoint
from catalog.embedding.embedder import Embedder, space_of
from catalog.embedding.filling import (
    BackgroundFilling,
    Filled,
    FillingProgress,
    fill_all,
    fill_tenant,
)
from catalog.embedding.query_vectors import QueryVectors
from catalog.embedding.understood_scripts import (
    LATIN,
    TRIED,
    understood_scripts,
)
from catalog.embedding.vector_memory import VectorMemory
from catalog.errors import EmbedderUnavailable
from catalog.search.semantic import Meaning
from catalog.stores.store import SkillStore
from catalog.stores.vectors import EmbeddingProgress


class Meanings:
    """What the modes SEMANTIC and HYBRID stand on. Safe to share between threads.

    Opening one claims the store for the embedder's space, unless vectors of another are
    there: then searches fail with EMBEDDINGS_STALE until `switch`.
    """

    def __init__(self, store: SkillStore, embedder: Embedder) -> None:
        self._store = store
        self._embedder = embedder
        self._space = space_of(embedder)
        self._queries = QueryVectors(embedder)
        self._memory = VectorMemory(self._space, store.vector_folder)
        self._lock = threading.Lock()
        self._background: BackgroundFilling | None = None
        store.claim_vectors(self._space)
        self._scripts = self._tried_scripts()

    @property
    def failures(self) -> Counter[str]:
        return self._queries.failures

    def of(self, query: str, checkpoint: Checkpoint) -> Meaning:
        """Raises:
        EmbedderUnavailable: the embedder fails or is slow.
        """
        vector = self._queries.vector(query, checkpoint)
        return Meaning(vector, self._space, self._memory, self._scripts, self.written)

    def fill(self, tenant: str | None, progress: FillingProgress) -> Filled:
        """Embed what lacks vectors: of one tenant and the global scope, or of all.

        Raises:
            EmbeddingsStale: the vectors of the store belong to another model.
            EmbedderUnavailable, StoreUnavailable: what was written stays.
        """
        self._claim()

        def after_batch(filled: Filled) -> None:
            progress(filled)
            # A switch drops the vectors of this model: they are not to be made anew.
            self._claim()

        if tenant is None:
            return fill_all(self._store, self._embedder, after_batch)
        return fill_tenant(self._store, self._embedder, tenant, Filled(), after_batch)

    def progress(self) -> EmbeddingProgress:
        return self._store.embedding_progress(self._space)

    def fill_in_background(self) -> None:
        """From now on what is written gets its vectors soon after; first, all that lacks.
        Nothing is embedded while the vectors of the store belong to another model."""
        with self._lock:
            if self._background is None:
                self._background = BackgroundFilling(self.fill)

    def written(self, tenant: str) -> None:
        """Something of the tenant lacks vectors."""
        if self._background is not None:
            self._background.written(tenant)

    def close(self) -> None:
        if self._background is not None:
            self._background.close()
        self._queries.close()

    def _claim(self) -> None:
        self._space.check_active(self._store.claim_vectors(self._space))

    def _tried_scripts(self) -> frozenset[str]:
        """An embedder that fails now may answer later; only Latin is taken for granted."""
        try:
            return understood_scripts(self._queries.vectors(TRIED))
        except EmbedderUnavailable:
            return frozenset({LATIN})


def switch_embedder(store: SkillStore, embedder: Embedder, progress: FillingProgress) -> Filled:
    """Build the vectors of this embedder beside those that searches read, then switch at once.

    Skills that are written meanwhile are embedded too before the switch. A run that ends
    early is gone on with by the next.

    Raises:
        EmbedderUnavailable, StoreUnavailable: what was written stays; nothing is switched.
    """
    filled = fill_all(store, embedder, progress)
    while not store.switch_vectors(space_of(embedder)):
        filled = fill_all(store, embedder, progress)
    return filled
