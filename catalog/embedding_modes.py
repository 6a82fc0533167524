"""The part of the catalog that knows of an embedder: vectors for what is written, and the
meaning of what is asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from catalog.checkpoint import NO_DEADLINE, Checkpoint
from catalog.errors import EmbedderUnavailable
from catalog.identity import Identity
from catalog.search.request import SearchMode, SearchRequest
from catalog.stores.store import SkillStore, StoreWriter
from catalog.writing import CatalogWriting

if TYPE_CHECKING:
    from catalog.embedding.embedder import Embedder
    from catalog.embedding.filling import Filled, FillingProgress
    from catalog.embedding.meanings import Meanings
    from catalog.search.semantic import Meaning
    from catalog.stores.vectors import EmbeddingProgress


class CatalogEmbedding(CatalogWriting):
    """See `catalog.Catalog`. Without an embedder nothing of `catalog.embedding` is loaded."""

    def __init__(
        self,
        store: SkillStore,
        *,
        embedder: Embedder | EmbedderUnavailable | None = None,
        **settings: Any,
    ) -> None:
        super().__init__(store, **settings)
        self._meanings: Meanings | None = None
        self._no_embedder = EmbedderUnavailable("no embedder is configured")
        if isinstance(embedder, EmbedderUnavailable):
            self._no_embedder = embedder
        elif embedder is not None:
            from catalog.embedding.meanings import Meanings

            self._meanings = Meanings(store, embedder)

    def meaning(self, request: SearchRequest, checkpoint: Checkpoint) -> Meaning | None:
        """What the query of the request means; None in mode LADDER, which asks no embedder.

        Raises:
            EmbedderUnavailable: there is no embedder, or it fails or is slow.
        """
        if request.mode is SearchMode.LADDER:
            return None
        return self._embedding().of(request.query, checkpoint)

    def embed_missing(
        self, identity: Identity | None = None, progress: FillingProgress | None = None
    ) -> Filled:
        """Give vectors to all that lacks them: in the identity's tenant and the global scope
        or, for the operator, who has no identity, everywhere.

        Raises:
            EmbedderUnavailable: there is none, or it fails; what was done stays.
            EmbeddingsStale: the vectors of the store belong to another model.
        """
        from catalog.embedding.filling import no_filling_progress

        tenant = identity.tenant if identity is not None else None
        return self._embedding().fill(tenant, progress or no_filling_progress)

    def embed_in_background(self) -> None:
        """From now on whatever is written gets its vectors soon after.

        Raises:
            EmbedderUnavailable: there is no embedder.
        """
        self._embedding().fill_in_background()

    def embedding_progress(self) -> EmbeddingProgress:
        """How many entries of the whole store have vectors of this embedder.

        Raises:
            EmbedderUnavailable: there is no embedder.
        """
        return self._embedding().progress()

    def reindex(self, embedder: Embedder, progress: FillingProgress | None = None) -> Filled:
        """Build the vectors of a new embedder beside the old ones, then switch at once.

        Searches of other catalogs go on with the old ones until then, and fail with
        EMBEDDINGS_STALE after it; so do those of this one. A run that was killed is gone on
        with by the next.

        Raises:
            EmbedderUnavailable, StoreUnavailable: what was done stays; nothing is switched.
        """
        from catalog.embedding.filling import no_filling_progress
        from catalog.embedding.meanings import switch_embedder

        return switch_embedder(self.store, embedder, progress or no_filling_progress)

    @property
    def embedder_failures(self) -> Counter[str]:
        """How many texts were `slow`, `failed` or `busy`."""
        return self._meanings.failures if self._meanings is not None else Counter()

    def close_embedding(self) -> None:
        if self._meanings is not None:
            self._meanings.close()

    @contextmanager
    def _written(
        self, identity: Identity, checkpoint: Checkpoint = NO_DEADLINE
    ) -> Iterator[StoreWriter]:
        with super()._written(identity, checkpoint) as writer:
            yield writer
        if self._meanings is not None:
            self._meanings.written(identity.tenant)

    def _embedding(self) -> Meanings:
        if self._meanings is None:
            raise EmbedderUnavailable(
                f"this needs an embedder: {self._no_embedder.message}",
                **self._no_embedder.metadata,
            ) from None
        return self._meanings
