"""The role that serves requests on PostgreSQL: made once, put on by every connection."""

from __future__ import annotations

from typing import Any

import psycopg
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError, OperationalError

from catalog.errors import InvalidConfiguration
from catalog.stores.migrations.row_security import SERVICE_ROLE


def become_service(driver: psycopg.Connection[Any], record: object) -> None:  # noqa: ARG001
    driver.autocommit = True
    try:
        driver.execute(f"SET ROLE {SERVICE_ROLE}")
    except psycopg.Error as error:
        raise OperationalError(None, None, error) from error


def make_service_role(engine: Engine) -> None:
    with engine.connect() as connection:
        connection.execution_options(isolation_level="AUTOCOMMIT")
        known = connection.exec_driver_sql(
            "SELECT 1 FROM pg_roles WHERE rolname = %s", (SERVICE_ROLE,)
        ).one_or_none()
        try:
            if known is None:
                _ignoring_a_rival(connection, f"CREATE ROLE {SERVICE_ROLE} NOLOGIN")
            if not _may_become_service(connection):
                _ignoring_a_rival(connection, f"GRANT {SERVICE_ROLE} TO CURRENT_USER")
        except DBAPIError as error:
            if getattr(error.orig, "sqlstate", "") != "42501":
                raise
            raise InvalidConfiguration(
                f"the role of the store's URL may not make the role {SERVICE_ROLE}: let an "
                f"administrator run CREATE ROLE {SERVICE_ROLE} and GRANT it to that role",
                field="store",
            ) from error


def _ignoring_a_rival(connection: Connection, statement: str) -> None:
    """Roles belong to the whole server: another database may make the same one just now."""
    try:
        connection.exec_driver_sql(statement)
    except DBAPIError as error:
        if getattr(error.orig, "sqlstate", "") not in ("42710", "23505", "XX000"):
            raise


def _may_become_service(connection: Connection) -> bool:
    try:
        connection.exec_driver_sql(f"SET ROLE {SERVICE_ROLE}")
    except DBAPIError:
        return False
    connection.exec_driver_sql("RESET ROLE")
    return True
