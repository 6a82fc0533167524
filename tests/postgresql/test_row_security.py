"""The second lock: what the database refuses when a statement forgets its predicate."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

psycopg = pytest.importorskip("psycopg")

from catalog.catalog import Catalog  # noqa: E402
from catalog.identity import Identity  # noqa: E402
from catalog.scope import ScopeKind, scope_of  # noqa: E402
from catalog.stores.migrations.row_security import SERVICE_ROLE  # noqa: E402
from catalog.stores.postgresql import PostgreSqlStore  # noqa: E402
from catalog.stores.store import AnsweredProposal  # noqa: E402
from catalog.stores.vectors import VectorSpace  # noqa: E402
from tests.databases import execute  # noqa: E402
from tests.written_skills import contents, identity, written_skill  # noqa: E402

ANN = identity("acme")
BOB = identity("globex", "bob")
TABLES_WITH_TENANTS = (
    "archived_skill",
    "audit",
    "audit_end",
    "blob",
    "embedding",
    "entry",
    "entry_artifact",
    "entry_content",
    "entry_index",
    "entry_tokens",
    "proposal_key",
    "revision",
    "scope",
    "term_frequency",
    "usage",
)


@pytest.fixture
def filled(store: PostgreSqlStore, url: str) -> str:
    """The URL of a database in which two tenants and the global scope have rows everywhere."""
    for who in (ANN, BOB):
        _fill(store, who, ScopeKind.TENANT)
    _fill(store, ANN, ScopeKind.GLOBAL)
    return url


def _fill(store: PostgreSqlStore, who: Identity, kind: ScopeKind) -> None:
    files = {"a.txt": who.tenant.encode()}
    with Catalog(store).pack_writer(who, kind, "tools") as pack:
        pack.put(written_skill("glaze", f"of {who.tenant}", files=files), contents(files))
    with store.write(who) as writer:
        scope = scope_of(who, kind)
        skill = written_skill("glaze", f"newer of {who.tenant}")
        stored = writer.skill(writer.put(scope, skill, 1, 2.0))
        writer.put_vectors(stored, VectorSpace("model", 1, 1), [b"\0\0\0\0"])
        writer.count_uses(scope, "tools:glaze", 1, 2.0)
        writer.remember_proposal(who, f"key {kind}", AnsweredProposal("h", "added", "n", "c"), 2.0)


@contextmanager
def transaction_of(url: str, tenant: str | None) -> Iterator[Any]:
    """A transaction as the service begins it, on which any statement may run."""
    with psycopg.connect(url) as connection:
        connection.execute(f"SET ROLE {SERVICE_ROLE}")
        if tenant is not None:
            connection.execute("SELECT set_config('skillcatalog.tenant', %s, true)", [tenant])
        yield connection


def tenants_seen(connection: Any, table: str) -> set[str]:
    return {row[0] for row in connection.execute(f"SELECT DISTINCT tenant FROM {table}")}


def test_every_table_has_row_security(url: str) -> None:
    without = execute(
        "SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') "
        "AND relnamespace = 'public'::regnamespace AND NOT relrowsecurity",
        url,
    )
    assert without == []


def test_every_table_with_a_tenant_is_tested_here(url: str) -> None:
    rows = execute(
        "SELECT table_name FROM information_schema.columns "
        "WHERE column_name = 'tenant' AND table_schema = 'public' ORDER BY table_name",
        url,
    )
    assert tuple(row[0] for row in rows) == TABLES_WITH_TENANTS


@pytest.fixture(scope="module")
def filled_once() -> Iterator[str]:
    from tests.databases import new_database

    with new_database() as url:
        store = PostgreSqlStore(url)
        for who in (ANN, BOB):
            _fill(store, who, ScopeKind.TENANT)
        _fill(store, ANN, ScopeKind.GLOBAL)
        store.close()
        yield url


@pytest.mark.parametrize("table", TABLES_WITH_TENANTS)
def test_a_statement_without_a_predicate_sees_its_own_tenant_only(
    filled_once: str, table: str
) -> None:
    with transaction_of(filled_once, "globex") as connection:
        seen = tenants_seen(connection, table)
    assert "globex" in seen
    assert seen <= {"globex", ""}


@pytest.mark.parametrize("table", TABLES_WITH_TENANTS)
def test_a_transaction_that_names_no_tenant_sees_no_tenant(filled_once: str, table: str) -> None:
    with transaction_of(filled_once, None) as connection:
        assert tenants_seen(connection, table) <= {""}


@pytest.mark.parametrize("table", ["audit", "audit_end"])
def test_the_trail_of_refused_identities_is_no_tenants_to_read(
    store: PostgreSqlStore, url: str, table: str
) -> None:
    from catalog.errors import IdentityRequired

    Catalog(store).audit_refusal(None, "search", IdentityRequired("no identity"))
    with transaction_of(url, "globex") as connection:
        assert tenants_seen(connection, table) == set()


@pytest.mark.parametrize("table", sorted(set(TABLES_WITH_TENANTS) - {"audit", "audit_end"}))
def test_a_statement_without_a_predicate_deletes_rows_of_its_own_tenant_only(
    filled: str, table: str
) -> None:
    before = execute(f"SELECT count(*) FROM {table} WHERE tenant <> 'globex'", filled)
    with transaction_of(filled, "globex") as connection:
        connection.execute(f"DELETE FROM {table}")
    assert execute(f"SELECT count(*) FROM {table} WHERE tenant <> 'globex'", filled) == before
    assert execute(f"SELECT count(*) FROM {table} WHERE tenant = 'globex'", filled) == [(0,)]


@pytest.mark.parametrize("tenant", ["acme", ""])
def test_a_row_of_another_tenant_or_of_the_global_scope_is_not_taken(
    filled: str, tenant: str
) -> None:
    with (
        transaction_of(filled, "globex") as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        connection.execute("INSERT INTO blob VALUES (%s, 'x', 'y')", [tenant])


def test_rows_are_not_moved_to_another_tenant(filled: str) -> None:
    with (
        transaction_of(filled, "globex") as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        connection.execute("UPDATE usage SET tenant = 'acme'")


def test_tokens_of_a_foreign_scope_match_nothing(filled: str) -> None:
    (scope_id,) = execute("SELECT scope_id FROM scope WHERE tenant = 'acme'", filled)[0]
    for tenant, found in (("acme", 1), ("globex", 0)):
        with transaction_of(filled, tenant) as connection:
            rows = connection.execute(
                "SELECT * FROM matching_entries(%s, 10)", [f"'{scope_id}·ˢglaze'"]
            ).fetchall()
        assert len(rows) == found


@pytest.mark.parametrize(
    "statement", ["UPDATE audit SET reason = 'x'", "DELETE FROM audit", "TRUNCATE audit"]
)
def test_nobody_changes_the_audit_trail_the_owner_included(filled: str, statement: str) -> None:
    with pytest.raises(psycopg.errors.RaiseException, match="append-only"):
        execute(statement, filled)
    with (
        transaction_of(filled, "acme") as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        connection.execute(statement)


def test_requests_run_as_a_role_that_owns_nothing(store: PostgreSqlStore, url: str) -> None:
    with store._snapshot("acme") as connection:
        assert connection.exec_driver_sql("SELECT current_user").scalar_one() == SERVICE_ROLE
    owned = execute(f"SELECT relname FROM pg_class WHERE relowner = '{SERVICE_ROLE}'::regrole", url)
    assert owned == []
    powers = execute(
        "SELECT rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb FROM pg_roles "
        f"WHERE rolname = '{SERVICE_ROLE}'"
    )
    assert powers == [(False,)]
