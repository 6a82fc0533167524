"""A catalog copied from one kind of store to another is the same catalog."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from sqlalchemy import delete, select, update

from catalog.audit import AuditEvent, Outcome
from catalog.catalog import Catalog
from catalog.errors import IdentityRequired, InvalidConfiguration
from catalog.requests import ListRequest
from catalog.scope import ScopeKind, scope_of
from catalog.search.request import SearchRequest
from catalog.stores import schema
from catalog.stores.copying import copy_catalog
from catalog.stores.open import open_store
from catalog.stores.relational import RelationalStore
from catalog.stores.store import AnsweredProposal
from catalog.stores.vectors import VectorSpace
from tests.databases import new_database
from tests.written_skills import contents, identity, written_skill

ANN = identity(project="kiln")
BOB = identity("globex", "bob")
SPACE = VectorSpace("model", 1, 1)
FILES = {"scripts/run.py": b"print('kiln')", "empty.txt": b""}


def fill(url: str, skills: int = 12) -> None:
    """Every kind of row, of two tenants, the global scope and nobody."""
    catalog = Catalog.open(url)
    for who in (ANN, BOB):
        with catalog.pack_writer(who, ScopeKind.TENANT, "tools") as pack:
            for number in range(skills if who is ANN else 3):
                skill = written_skill(f"kiln-{number}", f"Fires kiln {number}", files=FILES)
                pack.put(skill, contents(FILES))
        with catalog.pack_writer(who, ScopeKind.TENANT, "tools") as pack:
            pack.put(written_skill("kiln-1", "Fires it slower", files=FILES), contents(FILES))
            pack.remove("tools:kiln-2")
        with catalog.store.write(who) as writer:
            stored = writer.skill(
                writer.pack_entries(scope_of(who, ScopeKind.TENANT), "tools")[0].entry_id
            )
            writer.put_vectors(stored, SPACE, [b"\0\0\0\0"])
            writer.count_uses(scope_of(who, ScopeKind.TENANT), "tools:kiln-0", 4, 3.0)
            writer.remember_proposal(who, "key", AnsweredProposal("h", "added", "n", "c"), 2.0)
    with catalog.pack_writer(ANN, ScopeKind.GLOBAL, "shared") as pack:
        pack.put(written_skill("glaze", "Mixes glaze \x00 for all", pack="shared"), {})
    with catalog.pack_writer(ANN, ScopeKind.PROJECT, "mine") as pack:
        pack.put(written_skill("glaze", "Mixes glaze", pack="mine"), {})
    catalog.audit_refusal(None, "search", IdentityRequired("no identity"))
    catalog.store.claim_vectors(SPACE)
    catalog.close()


@pytest.fixture
def urls(tmp_path: Path) -> Iterator[dict[str, str]]:
    with ExitStack() as stack:
        yield {
            "sqlite": f"sqlite:///{tmp_path / 'one.db'}",
            "other sqlite": f"sqlite:///{tmp_path / 'two.db'}",
            "postgresql": stack.enter_context(new_database()),
            "other postgresql": stack.enter_context(new_database()),
        }


def quiet(_table: str, _done: int, _total: int) -> None:
    pass


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("sqlite", "postgresql"),
        ("postgresql", "sqlite"),
        ("sqlite", "other sqlite"),
        ("postgresql", "other postgresql"),
    ],
)
def test_a_copy_answers_like_its_source_and_takes_new_writes(
    urls: dict[str, str], source: str, target: str
) -> None:
    fill(urls[source])
    report = copy_catalog(urls[source], urls[target], quiet)
    assert report.disagreements == ()
    assert report.copied == report.rows
    assert report.rows["entry"] == 11 + 2 + 2
    old, new = Catalog.open(urls[source]), Catalog.open(urls[target])
    assert isinstance(new.store, RelationalStore)
    assert new.store.check() == []
    assert new.store.embedding_progress(SPACE).embedded == 2
    assert new.store.claim_vectors(VectorSpace("another", 1, 1)) == SPACE.key
    for who in (ANN, BOB):
        for query in ("slower kiln", "glaze", "kiln-7"):
            request = SearchRequest(query)
            assert new.search(who, request) == old.search(who, request)
        assert new.list(who, ListRequest()) == old.list(who, ListRequest())
        assert new.export(who, "tools:kiln-1") == old.export(who, "tools:kiln-1")
        assert new.audit(who) == old.audit(who)
        assert new.store.verify_audit(who.tenant) is None
        with new.pack_writer(who, ScopeKind.TENANT, "tools") as pack:
            pack.put(written_skill("kiln-0", "Fires it at night"), {})
        assert new.store.verify_audit(who.tenant) is None
    assert new.store.check() == []
    old.close()
    new.close()


def test_an_interrupted_copy_goes_on_where_it_was(urls: dict[str, str]) -> None:
    fill(urls["sqlite"], skills=300)

    def interrupt(table: str, done: int, _total: int) -> None:
        if table == "entry" and done >= 256:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        copy_catalog(urls["sqlite"], urls["postgresql"], interrupt)
    report = copy_catalog(urls["sqlite"], urls["postgresql"], quiet)
    assert report.disagreements == ()
    assert report.copied["blob"] == 0
    assert 0 < report.copied["entry"] < report.rows["entry"]
    again = copy_catalog(urls["sqlite"], urls["postgresql"], quiet)
    assert again.disagreements == ()
    assert set(again.copied.values()) == {0}


def test_a_target_with_a_catalog_of_its_own_is_refused(urls: dict[str, str]) -> None:
    fill(urls["sqlite"])
    fill(urls["other sqlite"])
    with pytest.raises(InvalidConfiguration, match="no copy of the source"):
        copy_catalog(urls["sqlite"], urls["other sqlite"], quiet)
    with pytest.raises(InvalidConfiguration, match="the same store"):
        copy_catalog(urls["sqlite"], urls["sqlite"], quiet)


def test_a_store_is_not_copied_into_itself_or_to_nowhere(urls: dict[str, str]) -> None:
    fill(urls["sqlite"])
    folder, _, file = urls["sqlite"].rpartition("/")
    with pytest.raises(InvalidConfiguration, match="the same store"):
        copy_catalog(urls["sqlite"], f"{folder}/./{file}", quiet)
    with pytest.raises(InvalidConfiguration, match="in memory"):
        copy_catalog(urls["sqlite"], "memory:", quiet)


@pytest.mark.parametrize("table", ["blob", "usage", "entry"])
def test_the_check_names_what_is_not_the_same(urls: dict[str, str], table: str) -> None:
    fill(urls["sqlite"])
    copy_catalog(urls["sqlite"], urls["other sqlite"], quiet)
    spoil = {
        "blob": update(schema.blob).where(schema.blob.c.tenant == "globex").values(data=b"spoilt"),
        "usage": update(schema.usage).where(schema.usage.c.tenant == "globex").values(uses=9),
        "entry": delete(schema.entry).where(
            schema.entry.c.entry_id.in_(
                select(schema.entry.c.entry_id)
                .where(schema.entry.c.tenant == "globex")
                .order_by(schema.entry.c.entry_id)
                .limit(1)
            )
        ),
    }
    target = open_store(urls["other sqlite"])
    assert isinstance(target, RelationalStore)
    with target.maintenance() as connection:
        connection.execute(spoil[table])
    target.close()
    (line,) = copy_catalog(urls["sqlite"], urls["other sqlite"], quiet).disagreements
    assert line.startswith(f"{table} of globex")


def test_lines_written_behind_a_copy_are_copied_by_the_next_run(urls: dict[str, str]) -> None:
    fill(urls["sqlite"])
    copy_catalog(urls["sqlite"], urls["other sqlite"], quiet)
    source = open_store(urls["sqlite"])
    source.append_audit(AuditEvent.of(ANN, "search", Outcome.REFUSED, 9.0))
    source.close()
    report = copy_catalog(urls["sqlite"], urls["other sqlite"], quiet)
    assert report.copied["audit"] == 1
    assert report.disagreements == ()
