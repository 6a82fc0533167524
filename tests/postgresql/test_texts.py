"""Texts that PostgreSQL takes another way than Python: none of it shows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("psycopg")

from catalog.identity import Identity
from catalog.scope import ScopeKind, scope_of
from catalog.search.document import index_document
from catalog.stores.postgresql import PostgreSqlStore
from catalog.stores.stored_text import with_nul, without_nul
from tests.written_skills import EVERY_ROLE, identity, written_skill

ANN = identity()
TENANT = scope_of(ANN, ScopeKind.TENANT)

texts = st.text(st.sampled_from("\x00\x01\x02ab\x7fé図"))


@given(texts)
def test_any_text_comes_back_and_is_stored_without_nul(text: str) -> None:
    assert "\x00" not in without_nul(text)
    assert with_nul(without_nul(text)) == text


@given(texts, texts)
def test_stored_texts_keep_their_order(one: str, two: str) -> None:
    assert (without_nul(one) < without_nul(two)) == (one < two)


def test_a_skill_with_nul_in_every_text_comes_back_as_it_was(store: PostgreSqlStore) -> None:
    odd = "ki\x00ln \x01 \x01\x02 'quoted' \\ back"
    skill = written_skill("kiln", odd, f"# {odd}\n", trigger=odd, tags=(odd,), task_type=odd)
    with store.write(ANN) as writer:
        entry_id = writer.put(TENANT, skill, 1, 1.0)
    with store.read(ANN) as reader:
        assert reader.skill(entry_id).skill == skill
        (scope_id,) = reader.scope_ids([TENANT])
        assert reader.named([scope_id], "no\x00name") == []
    assert store.check() == []


def test_names_are_paged_in_the_order_of_code_points(store: PostgreSqlStore) -> None:
    names = ["a-b", "a b", "aB", "ab", "B", "é", "z", "Ω", "図", "\U0001f600"]
    with store.write(ANN) as writer:
        for name in names:
            writer.put(TENANT, written_skill(name, pack=None), 1, 1.0)
    with store.read(ANN) as reader:
        page = reader.page(reader.scope_ids([TENANT]), None, 100)
    assert [entry.card.name for entry in page] == sorted(names)


def test_a_token_longer_than_a_lexeme_may_be_is_found(store: PostgreSqlStore) -> None:
    skill = written_skill("図" * 3_000)
    with store.write(ANN) as writer:
        entry_id = writer.put(TENANT, skill, 1, 1.0)
    longest = max(index_document(skill).tokens, key=len)
    assert len(longest) >= 3_000
    with store.read(ANN) as reader:
        (scope_id,) = reader.scope_ids([TENANT])
        assert reader.match_any(scope_id, [longest], 10) == [entry_id]
    assert store.check() == []


def test_a_body_of_more_tokens_than_a_tsvector_holds_is_indexed_by_the_shorter_ones(
    store: PostgreSqlStore,
) -> None:
    body = " ".join(f"w{number:07d}x" for number in range(100_000))
    with store.write(ANN) as writer:
        entry_id = writer.put(TENANT, written_skill("kiln", body=body), 1, 1.0)
    with store.read(ANN) as reader:
        (scope_id,) = reader.scope_ids([TENANT])
        assert reader.match_any(scope_id, ["ˢkiln"], 10) == [entry_id]
    assert store.check() == []


@pytest.mark.parametrize("tenant", ["o'hare", "back\\slash", 'q"uote', "a;b--c", "$1 %s", "租户"])
def test_a_tenant_may_have_any_name(store: PostgreSqlStore, tenant: str) -> None:
    who = Identity(tenant, "ann", "s1", roles=EVERY_ROLE)
    with store.write(who) as writer:
        writer.put(scope_of(who, ScopeKind.TENANT), written_skill("kiln"), 1, 1.0)
    with store.read(who) as reader:
        assert len(reader.scope_ids([scope_of(who, ScopeKind.TENANT)])) == 1
    with store.read(ANN) as reader:
        assert reader.scope_ids([scope_of(who, ScopeKind.TENANT)]) == []
