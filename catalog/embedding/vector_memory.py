"""The vectors of the scopes that searches asked for lately, within a bound of memory."""

from __future__ import annotations

import threading
from collections import OrderedDict
from pathlib import Path
from typing import TYPE_CHECKING, Final

from catalog.embedding import stored_vectors
from catalog.embedding.scope_vectors import ScopeVectors, scope_vectors
from catalog.memo import Memo

if TYPE_CHECKING:
    from catalog.embedding.stored_vectors import StoredVectors
    from catalog.stores.near_vectors import NearVectors
    from catalog.stores.store import StoreReader
    from catalog.stores.vectors import VectorSpace

MOST_BYTES: Final = 2 * 1024**3
"""Of all scopes together; the one asked for longest ago goes first."""
_CHECKED_VERSIONS: Final = 2_000


class VectorMemory:
    """Safe to share between threads: one of them reads a scope, the others wait for it.

    `checked` remembers the versions of scopes whose vectors are known to be of this space.
    """

    def __init__(self, space: VectorSpace, folder: Path | None = None) -> None:
        self._space = space
        self._folder = folder
        self._scopes: OrderedDict[int, tuple[int, ScopeVectors]] = OrderedDict()
        self._bytes = 0
        self.checked: Memo[tuple[tuple[int, int], ...], bool] = Memo(_CHECKED_VERSIONS)
        self._sizes: Memo[tuple[int, int], NearVectors] = Memo(_CHECKED_VERSIONS)
        self._reading: dict[int, threading.Lock] = {}
        self._lock = threading.Lock()

    def of_scope(
        self, reader: StoreReader, scope_id: int, version: int
    ) -> ScopeVectors | StoredVectors:
        """The vectors of that version of the scope, which is the one that the reader sees."""
        size = self._sizes.computed(
            (scope_id, version), lambda: reader.near_vectors(scope_id, self._space)
        )
        if size.vectors > stored_vectors.MOST_VECTORS_IN_MEMORY:
            return stored_vectors.StoredVectors(reader, scope_id, self._space, size)
        return self._in_memory(reader, scope_id, version)

    def _in_memory(self, reader: StoreReader, scope_id: int, version: int) -> ScopeVectors:
        with self._lock:
            known = self._scopes.get(scope_id)
            if known is not None and known[0] == version:
                self._scopes.move_to_end(scope_id)
                return known[1]
            reading = self._reading.setdefault(scope_id, threading.Lock())
        with reading:
            known = self._scopes.get(scope_id)
            if known is not None and known[0] == version:
                return known[1]
            before = known[1] if known else None
            found = scope_vectors(reader, scope_id, self._space, before, self._folder)
            self._keep(scope_id, version, found)
            return found

    def _keep(self, scope_id: int, version: int, found: ScopeVectors) -> None:
        with self._lock:
            before = self._scopes.pop(scope_id, None)
            self._bytes += found.bytes_kept - (before[1].bytes_kept if before else 0)
            self._scopes[scope_id] = (version, found)
            while self._bytes > MOST_BYTES and len(self._scopes) > 1:
                _, (_, dropped) = self._scopes.popitem(last=False)
                self._bytes -= dropped.bytes_kept
