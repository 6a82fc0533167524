"""The bytes that a transaction keeps: sources and artifacts, each once for a tenant."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from sqlalchemy import Connection, Table, delete, exists, or_

from catalog.stores.schema import archived_skill, blob, entry, entry_artifact

_MAX_BATCH_BYTES: Final = 16 * 1024 * 1024
_NAMING: Final = (
    entry.c.source_sha256,
    entry_artifact.c.sha256,
    archived_skill.c.source_sha256,
)


class BlobWriting:
    def __init__(self, connection: Connection, upsert: Callable[[Table], Any]) -> None:
        self._connection = connection
        self._keep = upsert(blob).on_conflict_do_nothing()
        self._kept: set[tuple[str, str]] = set()
        self._rows: list[dict[str, Any]] = []
        self._bytes = 0

    def put(self, tenant: str, sha256: str, data: bytes) -> None:
        if (tenant, sha256) in self._kept:
            return
        self._kept.add((tenant, sha256))
        self._rows.append({"tenant": tenant, "sha256": sha256, "data": data})
        self._bytes += len(data)
        if self._bytes > _MAX_BATCH_BYTES:
            self.flush()

    def flush(self) -> None:
        if self._rows:
            self._connection.execute(self._keep, self._rows)
            self._rows, self._bytes = [], 0

    def drop_unnamed(self, tenant: str, hashes: Iterable[str]) -> None:
        """Delete those that no entry, artifact or archived version names."""
        for sha256 in hashes:
            named = [
                exists().where(column.table.c.tenant == tenant, column == sha256)
                for column in _NAMING
            ]
            self._connection.execute(
                delete(blob).where(blob.c.tenant == tenant, blob.c.sha256 == sha256, ~or_(*named))
            )
            self._kept.discard((tenant, sha256))
