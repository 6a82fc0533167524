"""What every store does with rows, scopes, blobs and its index."""

from __future__ import annotations

import pytest

from catalog.errors import ArtifactNotFound, InvalidPageToken, SkillNotFound
from catalog.identity import Identity
from catalog.scope import ScopeKind, scope_of, visible_scopes
from catalog.search.document import index_document
from catalog.skill import Skill
from catalog.stores.relational import RelationalStore
from tests.written_skills import contents, identity, written_skill

ANN = identity()
BOB = identity("globex", "bob", "s2")


def put(
    store: RelationalStore,
    skill: Skill,
    kind: ScopeKind = ScopeKind.TENANT,
    who: Identity = ANN,
    files: dict[str, bytes] | None = None,
) -> int:
    with store.write(who) as writer:
        for sha256, data in contents(files).items():
            writer.put_artifact(scope_of(who, kind), sha256, data)
        return writer.put(scope_of(who, kind), skill, tokens=7, now=1_000.5)


def visible_names(store: RelationalStore, who: Identity) -> list[str]:
    with store.read(who) as reader:
        visible = reader.visible(visible_scopes(who))
        entries = reader.page(list(visible.scopes), None, 100)
    return [entry.card.qualified_name for entry in entries if entry.entry_id not in visible.hidden]


def test_a_skill_comes_back_as_it_was_put(store: RelationalStore) -> None:
    files = {"scripts/run.py": b"print('kiln')", "empty.txt": b""}
    skill = written_skill(
        "kiln-log",
        "Logs firings. Ünïcode 图表",
        "# Kiln\n\nFire it.\n",
        tags=("clay", "heat"),
        tools=("Read",),
        allowed=("Bash(git:*)",),
        files=files,
        metadata=(("author.name", "Ann"), ("version", "1.10")),
    )
    entry_id = put(store, skill, files=files)
    with store.read(ANN) as reader:
        stored = reader.skill(entry_id)
    assert stored.skill.source == skill.source
    assert sorted(stored.skill.artifacts, key=lambda a: a.path) == sorted(
        skill.artifacts, key=lambda a: a.path
    )
    assert stored.skill.content_hash == skill.content_hash
    assert stored.skill.sections == skill.sections
    assert stored.skill.metadata == skill.metadata
    assert stored.skill.requirements == skill.requirements
    assert stored.skill.allowed_tools == skill.allowed_tools
    assert stored.scope == scope_of(ANN, ScopeKind.TENANT)
    assert stored.entry.card.tokens == 7
    assert stored.created_at == stored.updated_at == 1_000.5


@pytest.mark.full_text
def test_tokens_of_a_skill_match_in_its_own_scope_only(store: RelationalStore) -> None:
    skill = written_skill("glaze", "Mixes glaze")
    tokens = index_document(skill).tokens
    ours = put(store, skill)
    put(store, skill, who=BOB)
    with store.read(ANN) as reader:
        (scope_id,) = reader.visible(visible_scopes(ANN)).scopes
        assert reader.match_any(scope_id, tokens, 10) == [ours]
        assert reader.match_all(scope_id, [[token] for token in tokens], 10) == [ours]
        assert reader.match_all(scope_id, [tokens, ["absenttoken"]], 10) == []
        assert reader.match_any(scope_id, [], 10) == []
        assert reader.match_all(scope_id, [], 10) == []


def test_a_changed_skill_gets_a_new_entry_and_leaves_no_old_token(store: RelationalStore) -> None:
    old = written_skill("glaze", "Mixes cobalt")
    new = written_skill("glaze", "Mixes iron")
    first, second = put(store, old), put(store, new)
    assert first != second
    only_old = [t for t in index_document(old).tokens if t not in index_document(new).tokens]
    with store.read(ANN) as reader:
        visible = reader.visible(visible_scopes(ANN))
        (scope_id,) = visible.scopes
        assert visible.documents == {scope_id: 1}
        assert reader.match_any(scope_id, only_old, 10) == []
        with pytest.raises(SkillNotFound):
            reader.skill(first)


def test_removing_the_last_skill_empties_the_index_and_adding_it_back_fills_it(
    store: RelationalStore,
) -> None:
    skill = written_skill("glaze", "Mixes glaze")
    entry_id = put(store, skill)
    with store.write(ANN) as writer:
        writer.remove(entry_id, 2_000.0)
    with store.read(ANN) as reader:
        assert reader.visible(visible_scopes(ANN)).scopes == {}
    assert store.check() == []
    again = put(store, skill)
    assert again != entry_id
    assert visible_names(store, ANN) == ["tools:glaze"]


def test_document_frequencies_count_the_scope_and_follow_removals(store: RelationalStore) -> None:
    first = written_skill("one", "kiln")
    second = written_skill("two", "kiln")
    shared = set(_terms(first)) & set(_terms(second))
    put(store, first)
    entry_id = put(store, second)
    with store.read(ANN) as reader:
        (scope_id,) = reader.visible(visible_scopes(ANN)).scopes
        frequencies = reader.document_frequencies(scope_id, sorted(shared))
        assert set(frequencies.values()) == {2}
    with store.write(ANN) as writer:
        writer.remove(entry_id, 2_000.0)
    with store.read(ANN) as reader:
        assert set(reader.document_frequencies(scope_id, sorted(shared)).values()) == {1}
        only_second = sorted(set(_terms(second)) - set(_terms(first)))
        assert reader.document_frequencies(scope_id, only_second) == {}


def _terms(skill: Skill) -> list[int]:
    return list(index_document(skill).terms)


def test_a_transaction_that_raises_writes_nothing(store: RelationalStore) -> None:
    put(store, written_skill("kept"))

    def import_that_fails() -> None:
        with store.write(ANN) as writer:
            writer.put(scope_of(ANN, ScopeKind.TENANT), written_skill("lost"), 1, 2_000.0)
            raise RuntimeError("the import failed half-way")

    with pytest.raises(RuntimeError):
        import_that_fails()
    assert visible_names(store, ANN) == ["tools:kept"]


def test_scopes_are_seen_by_their_owners_only(store: RelationalStore) -> None:
    ann = identity(project="kiln")
    put(store, written_skill("of-session"), ScopeKind.SESSION, ann)
    put(store, written_skill("of-user"), ScopeKind.USER, ann)
    put(store, written_skill("of-project"), ScopeKind.PROJECT, ann)
    put(store, written_skill("of-tenant"), ScopeKind.TENANT, ann)
    put(store, written_skill("of-all"), ScopeKind.GLOBAL, ann)
    names = {name: f"tools:{name}" for name in ("of-all", "of-tenant", "of-user", "of-session")}
    assert visible_names(store, ann) == sorted([*names.values(), "tools:of-project"])
    assert visible_names(store, identity()) == sorted(names.values())
    assert visible_names(store, identity(session="s9")) == sorted(
        [names["of-all"], names["of-tenant"], names["of-user"]]
    )
    assert visible_names(store, identity(user="eve")) == sorted(
        [names["of-all"], names["of-tenant"]]
    )
    assert visible_names(store, identity("globex", project="kiln")) == [names["of-all"]]


def test_a_narrower_scope_hides_the_same_name_of_a_wider_one(store: RelationalStore) -> None:
    put(store, written_skill("glaze", "for all"), ScopeKind.GLOBAL)
    put(store, written_skill("glaze", "for the tenant"), ScopeKind.TENANT)
    mine = put(store, written_skill("glaze", "for ann"), ScopeKind.USER)
    with store.read(ANN) as reader:
        visible = reader.visible(visible_scopes(ANN))
        shown = [
            entry.entry_id
            for entry in reader.page(list(visible.scopes), None, 10)
            if entry.entry_id not in visible.hidden
        ]
    assert shown == [mine]


def test_names_are_found_whatever_their_case_and_width(store: RelationalStore) -> None:
    put(store, written_skill("Café-Log"))
    with store.read(ANN) as reader:
        scope_ids = list(reader.visible(visible_scopes(ANN)).scopes)
        for spelling in ("Café-Log", "cafe\u0301-log", "ＣＡＦÉ-LOG", "tools:café-log"):
            (entry,) = reader.named(scope_ids, spelling)
            assert entry.card.name == "Café-Log"
        assert reader.named(scope_ids, "cafe-log") == []
        assert reader.named([], "Café-Log") == []


def test_pages_follow_qualified_names_and_end(store: RelationalStore) -> None:
    for name in ("b", "a", "d", "c"):
        put(store, written_skill(name))
    with store.read(ANN) as reader:
        scope_ids = list(reader.visible(visible_scopes(ANN)).scopes)
        first = reader.page(scope_ids, None, 3)
        rest = reader.page(scope_ids, first[-1].entry_id, 3)
    assert [entry.card.name for entry in (*first, *rest)] == ["a", "b", "c", "d"]


def test_a_page_after_a_foreign_or_absent_entry_is_the_same_refusal(
    store: RelationalStore,
) -> None:
    foreign = put(store, written_skill("glaze"), who=BOB)
    put(store, written_skill("kiln"))
    with store.read(ANN) as reader:
        scope_ids = list(reader.visible(visible_scopes(ANN)).scopes)
        refusals = []
        for after in (foreign, 999_999):
            with pytest.raises(InvalidPageToken) as refusal:
                reader.page(scope_ids, after, 3)
            refusals.append(refusal.value.message)
    assert refusals[0] == refusals[1]


def test_an_artifact_is_stored_once_and_read_by_its_owners_only(store: RelationalStore) -> None:
    files = {"a.txt": b"shared bytes"}
    (sha256,) = contents(files)
    put(store, written_skill("one", files=files), files=files)
    put(store, written_skill("two", files=files), files=files)
    with store.read(ANN) as reader:
        scope_ids = list(reader.visible(visible_scopes(ANN)).scopes)
        assert reader.artifact(scope_ids, sha256) == b"shared bytes"
        assert len(reader.artifact_owners(scope_ids, sha256)) == 2
    with store.read(BOB) as reader, pytest.raises(ArtifactNotFound):
        reader.artifact(scope_ids, sha256)


def test_a_foreign_entry_id_reads_like_an_absent_one(store: RelationalStore) -> None:
    ours = put(store, written_skill("glaze"))
    with store.read(ANN) as reader:
        assert set(reader.entries([ours])) == set(reader.profiles([ours])) == {ours}
    with store.read(BOB) as reader:
        refusals = []
        for entry_id in (ours, 999_999):
            assert reader.entries([entry_id]) == reader.profiles([entry_id]) == {}
            with pytest.raises(SkillNotFound) as refusal:
                reader.skill(entry_id)
            refusals.append(refusal.value.message)
    assert refusals[0] == refusals[1]
