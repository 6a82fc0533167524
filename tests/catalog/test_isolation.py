"""Whatever is written by whomever, an identity sees exactly what a simple model says."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from catalog.catalog import Catalog
from catalog.errors import SkillNotFound
from catalog.identity import Identity
from catalog.lifecycle import DeleteRequest
from catalog.requests import DirectoryRequest, GetRequest, ListRequest
from catalog.scope import Scope, ScopeKind, scope_of, visible_scopes
from catalog.search.request import SearchRequest
from tests.written_skills import EVERY_ROLE, identity, written_skill

# Characters that would matter if keys were joined text, or part of a pattern.
PARTS = st.sampled_from(["a", "b", "a:b", "a/b", "%", "_", "A", "ä", "12·a"])
NAMES = st.sampled_from(["kiln", "glaze", "wheel"])


@st.composite
def identities(draw: st.DrawFn) -> Identity:
    return Identity(
        draw(PARTS),
        draw(PARTS),
        draw(PARTS),
        project=draw(st.none() | PARTS),
        roles=EVERY_ROLE,
    )


@dataclass
class Model:
    """Names by scope; a narrower one hides a wider one."""

    scopes: dict[Scope, dict[str, str]] = field(default_factory=dict)

    def seen(self, who: Identity) -> dict[str, str]:
        names: dict[str, str] = {}
        for scope in reversed(visible_scopes(who)):
            names.update(self.scopes.get(scope, {}))
        return names


OPERATIONS = st.lists(
    st.tuples(identities(), st.sampled_from(ScopeKind), NAMES, st.booleans()),
    min_size=1,
    max_size=12,
)


@given(OPERATIONS, st.lists(identities(), min_size=1, max_size=4))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_an_identity_sees_its_scopes_and_nothing_else(
    operations: list[tuple[Identity, ScopeKind, str, bool]], readers: list[Identity]
) -> None:
    catalog = Catalog.open("memory:")
    model = Model()
    for number, (who, kind, name, deletes) in enumerate(operations):
        if kind is ScopeKind.PROJECT and who.project is None:
            kind = ScopeKind.USER
        scope = scope_of(who, kind)
        if deletes:
            try:
                catalog.delete(who, DeleteRequest(name, scope=kind))
                assert name in model.scopes[scope]
                del model.scopes[scope][name]
            except SkillNotFound:
                assert name not in model.scopes.get(scope, {})
        else:
            said = f"version{number} of the {name} fires clay"
            with catalog.pack_writer(who, kind, "tools") as writing:
                writing.put(written_skill(name, said), {})
            model.scopes.setdefault(scope, {})[name] = said
    for reader in (*readers, *(who for who, *_ in operations)):
        expected = model.seen(reader)
        listed = catalog.list(reader, ListRequest()).cards
        assert {card.card.name: card.card.description for card in listed} == expected
        shown = catalog.directory(reader, DirectoryRequest()).cards
        assert {card.card.name for card in shown} == set(expected)
        hits = catalog.search(reader, SearchRequest("fires clay")).hits
        assert {hit.card.name: hit.card.description for hit in hits} == expected
        for name in ("kiln", "glaze", "wheel"):
            try:
                got = catalog.get(reader, GetRequest((name,))).skills[0].card.description
            except SkillNotFound:
                got = None
            assert got == expected.get(name)
    catalog.close()


@pytest.mark.parametrize("ask", ["get", "export"])
def test_what_is_hidden_from_a_run_is_as_absent_and_told_in_no_words_of_a_command_line(
    ask: str,
) -> None:
    catalog = Catalog.open("memory:")
    with catalog.pack_writer(identity(), ScopeKind.TENANT, "tools") as writing:
        writing.put(written_skill("throw", tools=("Wheel",)), {})
    said = set()
    for who, name in (
        (identity(), "throw"),
        (identity(), "absent"),
        (identity("globex"), "throw"),
    ):
        with pytest.raises(SkillNotFound) as raised:
            catalog.get(who, GetRequest((name,))) if ask == "get" else catalog.export(who, name)
        said.add(raised.value.message)
    (message,) = said
    assert "may use more (capability)" in message
    assert "--" not in message
