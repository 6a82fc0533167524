"""Alembic migrations, run when a store opens. `HEAD` is the newest revision."""

HEAD = "0008"
