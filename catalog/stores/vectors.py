"""Rows of vectors: which entries have them, which lack them, and which model is asked.

Vectors of several models lie beside each other; searches read those of the active one. An
entry's vectors go with the entry. Everything here runs in the transaction of its caller.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Table, delete, exists, func, or_, select, update

from catalog.errors import EmbeddingsStale
from catalog.stores import schema

ACTIVE_SETTING = "embeddings"

_table = schema.embedding
_setting = schema.setting


@dataclass(frozen=True, slots=True)
class VectorSpace:
    """What two vectors must share to be compared: the model, its dimension, and the version
    of what of a skill is embedded."""

    model_id: str
    dimension: int
    texts: int

    @property
    def key(self) -> str:
        return f"{self.model_id} · {self.dimension} dimensions · texts {self.texts}"

    def check_active(self, active: str | None) -> None:
        """Raises:
        EmbeddingsStale: the space that searches read is another one.
        """
        if active != self.key:
            raise EmbeddingsStale(
                f"the vectors of the store are of '{active}', and this embedder is "
                f"'{self.key}': run skillcatalog reindex",
                stored=str(active),
                embedder=self.key,
            )


@dataclass(frozen=True, slots=True)
class EmbeddingProgress:
    """How many entries of the store have vectors of a space, of how many there are."""

    space: str
    embedded: int
    entries: int


def active_space(connection: Connection) -> str | None:
    """The key of the vector space that searches read, None before the first embedder."""
    value: str | None = connection.scalar(
        select(_setting.c.value).where(_setting.c.name == ACTIVE_SETTING)
    )
    return value


def claimed_space(connection: Connection, space: str) -> str | None:
    """The key of the active one, where it is this one or has vectors that are in its way."""
    active = active_space(connection)
    is_held = exists().where(_table.c.model == active)
    if active is None or (active != space and not connection.scalar(select(is_held))):
        return None
    return active


def claim_space(connection: Connection, upsert: Callable[[Table], Any], space: str) -> str:
    """Make it the active one where no vectors of another are in the way; return the active."""
    active = claimed_space(connection, space)
    if active is not None:
        return active
    _activate(connection, upsert, space)
    return space


def switch_space(connection: Connection, upsert: Callable[[Table], Any], space: str) -> bool:
    """Make a space the active one and drop all others, unless an entry lacks its vectors."""
    entry = schema.entry
    if connection.scalar(select(exists().where(_lacks(space)).select_from(entry))):
        return False
    connection.execute(delete(_table).where(_table.c.model != space))
    _activate(connection, upsert, space)
    return True


def _activate(connection: Connection, upsert: Callable[[Table], Any], space: str) -> None:
    statement = upsert(_setting).values(name=ACTIVE_SETTING, value=space)
    connection.execute(
        statement.on_conflict_do_update(index_elements=["name"], set_={"value": space})
    )
    # Answers are remembered under the versions of their scopes.
    connection.execute(update(schema.scope).values(version=schema.scope.c.version + 1))


def unembedded(connection: Connection, tenants: Sequence[str], space: str, limit: int) -> list[int]:
    """Entries of those tenants that lack vectors of the space, by id."""
    entry = schema.entry
    return list(
        connection.scalars(
            select(entry.c.entry_id)
            .where(entry.c.tenant.in_(tenants), _lacks(space))
            .order_by(entry.c.entry_id)
            .limit(limit)
        )
    )


def embedding_progress(connection: Connection, space: str) -> EmbeddingProgress:
    entry = schema.entry
    entries = connection.scalar(select(func.count()).select_from(entry)) or 0
    lacking = connection.scalar(select(func.count()).select_from(entry).where(_lacks(space)))
    return EmbeddingProgress(space, entries - (lacking or 0), entries)


def _lacks(space: str) -> Any:
    entry = schema.entry
    return ~exists().where(
        _table.c.tenant == entry.c.tenant,
        _table.c.scope_id == entry.c.scope_id,
        _table.c.model == space,
        _table.c.entry_id == entry.c.entry_id,
    )


def drop_untrue_vectors(connection: Connection) -> None:
    """Delete vectors that no present entry has, and those that are damaged."""
    connection.execute(delete(_table).where(_untrue()))


def untrue_vectors(connection: Connection, tenant: str) -> list[int]:
    """Entry ids of vectors that no present entry of the tenant has, or that are damaged."""
    return list(
        connection.scalars(
            select(_table.c.entry_id)
            .distinct()
            .where(_table.c.tenant == tenant, _untrue())
            .order_by(_table.c.entry_id)
        )
    )


def _untrue() -> Any:
    entry = schema.entry
    return or_(
        func.length(_table.c.vector) != _table.c.dimension * 4,
        ~exists().where(
            entry.c.tenant == _table.c.tenant,
            entry.c.entry_id == _table.c.entry_id,
            entry.c.scope_id == _table.c.scope_id,
            entry.c.content_hash == _table.c.content_hash,
        ),
    )
