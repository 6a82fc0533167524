"""A deleted skill: out of sight, kept until it is purged, and back when somebody wants it."""

from __future__ import annotations

from pathlib import Path

import pytest

from catalog.catalog import Catalog
from catalog.errors import (
    AmbiguousName,
    ContentHashMismatch,
    PackOverwriteRefused,
    RoleRequired,
    SkillNotFound,
)
from catalog.identity import Identity, Role
from catalog.lifecycle import DeleteRequest, ProposeRequest
from catalog.requests import GetRequest
from catalog.scope import ScopeKind
from importer.importing import import_pack
from importer.report import PackReport
from tests.written_skills import contents, identity, written_skill

AUTHOR = Identity("acme", "ann", "s1", project="kiln", roles=frozenset({Role.AUTHOR}))
ADMIN = identity(project="kiln")


def packed(
    catalog: Catalog, name: str, text: str, pack: str = "tools", kind: ScopeKind = ScopeKind.TENANT
) -> str:
    """Writes one skill of a pack with a file; returns its content hash."""
    skill = written_skill(name, text, pack=pack, files={"run.py": text.encode()})
    with catalog.pack_writer(ADMIN, kind, pack) as writing:
        writing.put(skill, contents({"run.py": text.encode()}))
    return skill.content_hash


def proposed(catalog: Catalog, name: str, text: str, expected: str = "") -> str:
    skill = written_skill(name, text, pack=None)
    request = ProposeRequest(skill, expected_content_hash=expected)
    return catalog.propose(AUTHOR, request).card.content_hash


def actions(catalog: Catalog, name: str, who: Identity = ADMIN) -> list[str]:
    return [revision.action for revision in catalog.history(who, name).revisions]


@pytest.mark.parametrize("name", ["tools:glaze", "glaze", " glaze "])
def test_a_deleted_skill_comes_back_with_its_files_and_says_so(catalog: Catalog, name: str) -> None:
    first = packed(catalog, "glaze", "First")
    last = packed(catalog, "glaze", "Second")
    catalog.delete(ADMIN, DeleteRequest("glaze"))
    back = catalog.rollback(ADMIN, name, first, "", request_id="req-7")
    assert (back.card.content_hash, back.scope) == (first, ScopeKind.TENANT)
    assert {file.path: file.data for file in catalog.export(ADMIN, "glaze")}["run.py"] == b"First"
    assert actions(catalog, "glaze") == ["rollback", "delete", "put", "put"]
    event = catalog.audit(ADMIN).events[0]
    assert (event.action, event.outcome, event.content_hash, event.request_id) == (
        "skill_rollback",
        "done",
        first,
        "req-7",
    )
    catalog.rollback(ADMIN, name, last, first)


def test_a_deleted_skill_comes_back_only_as_what_it_was_and_for_whom_it_was(
    catalog: Catalog,
) -> None:
    content_hash = packed(catalog, "glaze", "First")
    catalog.delete(ADMIN, DeleteRequest("glaze"))
    for name, wanted in (("glaze", "0" * 64), ("glaze", ""), ("absent", content_hash), ("", "")):
        with pytest.raises(SkillNotFound):
            catalog.rollback(ADMIN, name, wanted, "")
    with pytest.raises(SkillNotFound):
        catalog.rollback(identity("globex"), "tools:glaze", content_hash, "")
    with pytest.raises(RoleRequired):
        catalog.rollback(AUTHOR, "glaze", content_hash, "")
    with pytest.raises(ContentHashMismatch) as refusal:
        catalog.rollback(ADMIN, "glaze", content_hash, content_hash)
    assert refusal.value.metadata["current"] == ""


def test_a_purged_skill_does_not_come_back(catalog: Catalog) -> None:
    content_hash = packed(catalog, "glaze", "First")
    catalog.delete(ADMIN, DeleteRequest("glaze"))
    catalog.delete(ADMIN, DeleteRequest("glaze", purge=True))
    with pytest.raises(SkillNotFound):
        catalog.rollback(ADMIN, "glaze", content_hash, "")
    with pytest.raises(SkillNotFound):
        catalog.delete(ADMIN, DeleteRequest("glaze", purge=True))
    assert actions(catalog, "glaze") == ["delete", "put"]


def test_an_author_brings_a_deleted_proposal_back(catalog: Catalog) -> None:
    content_hash = proposed(catalog, "glaze-fix", "Repairs glaze")
    catalog.delete(AUTHOR, DeleteRequest("glaze-fix"))
    catalog.rollback(AUTHOR, "glaze-fix", content_hash, "")
    assert "Repairs glaze" in catalog.get(AUTHOR, GetRequest(("glaze-fix",))).text


def test_a_deleted_proposal_does_not_come_back_over_a_skill_of_a_pack(catalog: Catalog) -> None:
    content_hash = proposed(catalog, "glaze", "Repairs glaze")
    catalog.delete(AUTHOR, DeleteRequest("glaze"))
    packed(catalog, "glaze", "From the pack")
    with pytest.raises(PackOverwriteRefused):
        catalog.rollback(AUTHOR, "glaze", content_hash, "")


def test_a_deleted_skill_comes_back_where_a_wider_scope_has_one_of_its_name(
    catalog: Catalog,
) -> None:
    packed(catalog, "glaze", "For all")
    narrow = packed(catalog, "glaze", "For the project", kind=ScopeKind.PROJECT)
    catalog.delete(ADMIN, DeleteRequest("glaze", ScopeKind.PROJECT))
    assert "For all" in catalog.get(ADMIN, GetRequest(("glaze",))).text
    assert catalog.rollback(ADMIN, "glaze", narrow, "").scope is ScopeKind.PROJECT
    assert "For the project" in catalog.get(ADMIN, GetRequest(("glaze",))).text
    assert "For all" in catalog.get(identity(), GetRequest(("glaze",))).text


def test_returning_to_the_present_version_changes_nothing_and_says_so(catalog: Catalog) -> None:
    content_hash = proposed(catalog, "glaze-fix", "One")
    with pytest.raises(ContentHashMismatch):
        catalog.rollback(AUTHOR, "glaze-fix", content_hash, "")
    catalog.rollback(AUTHOR, "glaze-fix", content_hash, content_hash)
    assert actions(catalog, "glaze-fix") == ["put"]
    assert catalog.audit(ADMIN).events[0].outcome == "unchanged"


def test_the_history_of_a_deleted_skill_is_found_by_either_name(catalog: Catalog) -> None:
    packed(catalog, "glaze", "First")
    catalog.delete(ADMIN, DeleteRequest("glaze"))
    assert actions(catalog, "glaze") == actions(catalog, "tools:glaze") == ["delete", "put"]
    for wrong in ("aze", "Glaze", "tools:", "%glaze", "_laze", ":glaze", "\0glaze"):
        with pytest.raises(SkillNotFound):
            catalog.history(ADMIN, wrong)
    with pytest.raises(SkillNotFound):
        catalog.history(identity("globex"), "glaze")


def test_a_bare_name_that_two_packs_had_is_ambiguous_behind_a_delete_too(catalog: Catalog) -> None:
    hashes = {pack: packed(catalog, "glaze", pack, pack) for pack in ("kiln", "oven")}
    for pack in hashes:
        catalog.delete(ADMIN, DeleteRequest(f"{pack}:glaze"))
    for ask in (
        lambda: catalog.history(ADMIN, "glaze"),
        lambda: catalog.delete(ADMIN, DeleteRequest("glaze", purge=True)),
    ):
        with pytest.raises(AmbiguousName) as refusal:
            ask()
        assert refusal.value.candidates == ("kiln:glaze", "oven:glaze")
    # One content hash says which.
    back = catalog.rollback(ADMIN, "glaze", hashes["oven"], "")
    assert back.card.qualified_name == "oven:glaze"


def test_pages_of_a_history_go_on_behind_a_delete_but_not_into_another_skill(
    catalog: Catalog,
) -> None:
    content_hash = ""
    for text in ("One", "Two", "Three"):
        content_hash = proposed(catalog, "glaze-fix", text, content_hash)
    first = catalog.history(AUTHOR, "glaze-fix", page_size=2)
    catalog.delete(AUTHOR, DeleteRequest("glaze-fix"))
    rest = catalog.history(AUTHOR, "glaze-fix", 2, first.next_page_token)
    numbers = [revision.number for revision in first.revisions + rest.revisions]
    assert (numbers, rest.next_page_token) == ([3, 2, 1], "")


def imported(catalog: Catalog, folder: Path, **options: bool) -> PackReport:
    (report,) = import_pack(catalog, ADMIN, folder, **options).packs  # type: ignore[arg-type]
    return report


def write(folder: Path, name: str, text: str) -> None:
    place = folder / name
    place.mkdir(parents=True, exist_ok=True)
    source = f"---\nname: {name}\ndescription: About {name}\n---\n# {name}\n\n{text}\n"
    (place / "SKILL.md").write_text(source)


def test_an_import_leaves_a_deleted_skill_deleted_until_its_source_changes(
    catalog: Catalog, tmp_path: Path
) -> None:
    pack = tmp_path / "pots"
    write(pack, "glaze", "First")
    write(pack, "kiln", "Fire it")
    imported(catalog, pack)
    catalog.delete(ADMIN, DeleteRequest("glaze"))
    for dry_run in (True, False, False):
        report = imported(catalog, pack, dry_run=dry_run)
        assert (report.added, report.unchanged, report.deleted_here) == (0, 1, 1)
        assert report.changes == ()
        assert [finding.code for finding in report.diagnostics] == ["deleted-here"]
        assert report.diagnostics[0].path == "glaze/SKILL.md"
    with pytest.raises(SkillNotFound):
        catalog.get(ADMIN, GetRequest(("glaze",)))
    write(pack, "glaze", "Second")
    report = imported(catalog, pack)
    assert (report.added, report.deleted_here) == (1, 0)
    assert [finding.code for finding in report.diagnostics] == ["brought-back"]
    assert imported(catalog, pack).diagnostics == ()
    assert actions(catalog, "glaze") == ["put", "delete", "put"]


def test_what_is_rolled_back_is_the_packs_again(catalog: Catalog, tmp_path: Path) -> None:
    pack = tmp_path / "pots"
    write(pack, "glaze", "First")
    imported(catalog, pack)
    gone = catalog.delete(ADMIN, DeleteRequest("glaze"))
    catalog.rollback(ADMIN, "glaze", gone.card.content_hash, "")
    report = imported(catalog, pack)
    assert (report.unchanged, report.deleted_here, report.diagnostics) == (1, 0, ())


def test_a_purged_skill_is_not_imported_again_either(catalog: Catalog, tmp_path: Path) -> None:
    pack = tmp_path / "pots"
    write(pack, "glaze", "First")
    imported(catalog, pack)
    catalog.delete(ADMIN, DeleteRequest("glaze", purge=True))
    assert imported(catalog, pack).deleted_here == 1


def test_what_a_pack_itself_dropped_comes_back_with_it(catalog: Catalog, tmp_path: Path) -> None:
    pack = tmp_path / "pots"
    write(pack, "glaze", "First")
    write(pack, "kiln", "Fire it")
    imported(catalog, pack)
    (pack / "glaze" / "SKILL.md").rename(tmp_path / "aside.md")
    assert imported(catalog, pack).removed == 1
    (tmp_path / "aside.md").rename(pack / "glaze" / "SKILL.md")
    report = imported(catalog, pack)
    assert (report.added, report.deleted_here, report.diagnostics) == (1, 0, ())


def test_a_delete_holds_in_its_own_scope_and_pack_only(catalog: Catalog, tmp_path: Path) -> None:
    write(tmp_path / "pots", "glaze", "First")
    write(tmp_path / "pots2", "glaze", "First")
    imported(catalog, tmp_path / "pots")
    catalog.delete(ADMIN, DeleteRequest("glaze"))
    assert imported(catalog, tmp_path / "pots2").added == 1
    (report,) = import_pack(catalog, ADMIN, tmp_path / "pots", scope=ScopeKind.PROJECT).packs
    assert (report.added, report.deleted_here) == (1, 0)
