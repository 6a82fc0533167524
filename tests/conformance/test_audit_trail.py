"""A line of the trail that is changed, gone or made up is noticed, wherever it stands."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import text

from catalog.catalog import Catalog
from catalog.errors import IdentityRequired
from catalog.stores.open import open_store
from catalog.stores.relational import RelationalStore
from tests.written_skills import identity

ACME, GLOBEX = identity(), identity("globex")
LINES = 5


@pytest.fixture
def trail(store_url: str) -> Iterator[Catalog]:
    """Five lines of a tenant, of another one, and of callers who had none."""
    store = open_store(store_url)
    catalog = Catalog(store, clock=iter(range(1_000, 2_000)).__next__)
    for _ in range(LINES):
        for who in (ACME, GLOBEX, None):
            catalog.audit_refusal(who, "skill_search", IdentityRequired("no session"))
    yield catalog
    catalog.close()


def tamper(catalog: Catalog, *statements: str) -> None:
    """As one who may do anything to the database."""
    store = catalog.store
    assert isinstance(store, RelationalStore)
    with store.maintenance() as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(text("ALTER TABLE audit DISABLE TRIGGER USER"))
        else:
            for action in ("update", "delete"):
                connection.execute(text(f"DROP TRIGGER audit_refuses_{action}"))
        for statement in statements:
            connection.execute(text(statement))


def test_a_trail_that_nobody_touched_is_whole(trail: Catalog) -> None:
    assert trail.verify_audit(ACME) is None
    assert trail.store.check() == []


@pytest.mark.parametrize(
    ("statement", "line"),
    [
        ("DELETE FROM audit WHERE tenant = 'acme' AND sequence = 1", 1),
        ("DELETE FROM audit WHERE tenant = 'acme' AND sequence = 3", 3),
        ("DELETE FROM audit WHERE tenant = 'acme' AND sequence = 5", 5),
        ("DELETE FROM audit WHERE tenant = 'acme' AND sequence > 2", 3),
        ("DELETE FROM audit WHERE tenant = 'acme'", 1),
        ("DELETE FROM audit_end WHERE tenant = 'acme'", 6),
        ("UPDATE audit SET user_name = 'eve' WHERE tenant = 'acme' AND sequence = 4", 4),
        ("UPDATE audit SET at = 7 WHERE tenant = 'acme' AND sequence = 5", 5),
        ("UPDATE audit SET tenant = 'other' WHERE tenant = 'acme' AND sequence = 5", 5),
        ("UPDATE audit SET hash = 'x' WHERE tenant = 'acme' AND sequence = 2", 2),
        ("UPDATE audit SET sequence = 9 WHERE tenant = 'acme' AND sequence = 5", 5),
    ],
)
def test_the_first_line_that_does_not_hold_is_named(
    trail: Catalog, statement: str, line: int
) -> None:
    tamper(trail, statement)
    assert trail.verify_audit(ACME) == line
    assert trail.verify_audit(GLOBEX) is None
    found = {(finding.what, finding.tenant, finding.detail) for finding in trail.store.check()}
    assert ("audit", "acme", f"the trail breaks at line {line}") in found


def test_a_line_that_is_taken_out_and_closed_over_is_noticed(trail: Catalog) -> None:
    tamper(
        trail,
        "DELETE FROM audit WHERE tenant = 'acme' AND sequence = 3",
        "UPDATE audit SET sequence = 3 WHERE tenant = 'acme' AND sequence = 4",
        "UPDATE audit SET sequence = 4 WHERE tenant = 'acme' AND sequence = 5",
        "UPDATE audit_end SET sequence = 4 WHERE tenant = 'acme'",
    )
    assert trail.verify_audit(ACME) == 3


def test_the_trail_of_callers_without_an_identity_is_verified_too(trail: Catalog) -> None:
    tamper(trail, "DELETE FROM audit WHERE tenant = '' AND sequence = 2")
    assert trail.verify_audit(ACME) is None
    assert [(finding.what, finding.tenant) for finding in trail.store.check()] == [("audit", "")]


def test_a_broken_trail_goes_on_and_stays_broken(trail: Catalog) -> None:
    tamper(trail, "DELETE FROM audit WHERE tenant = 'acme' AND sequence = 3")
    trail.audit_refusal(ACME, "skill_search", IdentityRequired("no session"))
    trail.store.repair()
    assert trail.verify_audit(ACME) == 3
    assert len(trail.audit(ACME).events) == LINES
