"""Alembic's entry: runs on the connection that the store hands over, in its transaction."""

from __future__ import annotations

from alembic import context

from catalog.stores import schema

connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=schema.metadata,
    transactional_ddl=True,
    render_as_batch=connection.dialect.name == "sqlite",
)
context.run_migrations()
