"""Vectors for entries that have none: in batches, resumable, at once or in the background.

A batch is read, embedded outside any transaction and written in one. What was written stays:
a run that was killed goes on where it ended.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from catalog.embedding.embedder import Embedder, embedded, space_of
from catalog.embedding.skill_texts import skill_texts
from catalog.errors import EmbeddingsStale, SkillCatalogError, StoreUnavailable
from catalog.identity import Identity, Role
from catalog.stores.store import SkillStore

SKILLS_A_BATCH: Final = 64
SECONDS_BETWEEN_TRIES: Final = 5.0
_LOG = logging.getLogger(__name__)

FillingProgress = Callable[["Filled"], None]


@dataclass(frozen=True, slots=True)
class Filled:
    """What a run has done by now."""

    skills: int = 0
    texts: int = 0
    seconds: float = 0.0

    @property
    def texts_a_second(self) -> float:
        return self.texts / self.seconds if self.seconds else 0.0


def no_filling_progress(filled: Filled) -> None:
    """The progress of a run that nobody watches."""


def fill_tenant(
    store: SkillStore, embedder: Embedder, tenant: str, before: Filled, progress: FillingProgress
) -> Filled:
    """Embed what lacks vectors of one tenant and of the global scope.

    Raises:
        EmbedderUnavailable: the embedder fails; what was written stays.
        StoreUnavailable: likewise for the store.
    """
    space, actor, filled = space_of(embedder), _actor(tenant), before
    while True:
        with store.read(actor) as reader:
            batch = [
                reader.skill(entry_id) for entry_id in reader.unembedded(space, SKILLS_A_BATCH)
            ]
        if not batch:
            return filled
        began = time.perf_counter()
        texts = [skill_texts(stored.skill, embedder.max_tokens) for stored in batch]
        flat = [text for of_skill in texts for text in of_skill]
        vectors = embedded(embedder, flat).astype("<f4")
        rows = np.split(vectors, np.cumsum([len(of_skill) for of_skill in texts])[:-1])
        with store.write(actor) as writer:
            for stored, of_skill in zip(batch, rows, strict=True):
                writer.put_vectors(stored, space, [row.tobytes() for row in of_skill])
        filled = Filled(
            filled.skills + len(batch),
            filled.texts + len(flat),
            filled.seconds + time.perf_counter() - began,
        )
        progress(filled)


def fill_all(store: SkillStore, embedder: Embedder, progress: FillingProgress) -> Filled:
    """The same for every tenant."""
    filled = Filled()
    for tenant in store.tenants():
        filled = fill_tenant(store, embedder, tenant, filled, progress)
    return filled


def _actor(tenant: str) -> Identity:
    """The catalog itself. The global scope belongs to no tenant and is written by admins."""
    return Identity(tenant or "global", "skillcatalog", "embedding", roles=frozenset({Role.ADMIN}))


class BackgroundFilling:
    """A thread that embeds what writes leave behind, and at first all that lacks vectors.

    While the vectors of the store are of another model there is nothing to do: a reindex makes
    those of this one. What is written behind its switch is embedded then.

    Args:
        fill: of one tenant, or of all where it is None; `EmbeddingsStale` means to wait.
    """

    def __init__(self, fill: Callable[[str | None, FillingProgress], Filled]) -> None:
        self._fill = fill
        self._tenants: set[str] = set()
        self._whole = True
        self._said = ""
        self._changed = threading.Event()
        self._changed.set()
        self._closing = threading.Event()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="embedding", daemon=True)
        self._thread.start()

    def written(self, tenant: str) -> None:
        with self._lock:
            self._tenants.add(tenant)
        self._changed.set()

    def close(self) -> None:
        """Ends after the batch at work; the rest is embedded by the next one that opens."""
        self._closing.set()
        self._changed.set()
        self._thread.join(SECONDS_BETWEEN_TRIES)

    def _run(self) -> None:
        while not self._closing.is_set():
            self._changed.wait()
            self._changed.clear()
            with self._lock:
                tenants, self._tenants = self._tenants, set()
            try:
                for tenant in [None] if self._whole else tenants:
                    self._fill(tenant, self._unless_closing)
                self._whole, self._said = False, ""
            except SkillCatalogError as fault:
                if self._closing.is_set():
                    return
                # Other servers leave all that they write without vectors of this model.
                self._whole |= isinstance(fault, EmbeddingsStale)
                self._say(fault.message)
                with self._lock:
                    self._tenants |= tenants
                if not self._closing.wait(SECONDS_BETWEEN_TRIES):
                    self._changed.set()

    def _say(self, reason: str) -> None:
        """Once for all tries that fail alike."""
        if reason != self._said:
            _LOG.warning("embedding in the background waits: %s", reason)
        self._said = reason

    def _unless_closing(self, filled: Filled) -> None:  # noqa: ARG002
        if self._closing.is_set():
            raise StoreUnavailable("the catalog is closing")
