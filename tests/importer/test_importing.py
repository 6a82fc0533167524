"""Importing: all of a pack or none, the same however often, gone when its source is gone."""

import io
import json
import shutil
import zipfile
from pathlib import Path
from threading import Event

import pytest

from catalog.catalog import Catalog
from catalog.errors import InvalidPack, RoleRequired, SkillNotFound
from catalog.identity import Identity
from catalog.search.request import SearchRequest
from importer.export import write_export
from importer.importing import import_pack
from importer.report import ImportReport, PackReport
from importer.watch import watch_packs
from tests.imported_skills import IMPORTER, present


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    return write(tmp_path / "studio", a="Fire the kiln", b="Mix a glaze", c="Throw a bowl")


def write(root: Path, **skills: str) -> Path:
    for name, description in skills.items():
        (root / name).mkdir(parents=True, exist_ok=True)
        text = f"---\nname: {name}\ndescription: {description}\n---\n## Steps\n{description}.\n"
        (root / name / "SKILL.md").write_text(text)
    return root


def counts(report: ImportReport) -> dict[str, int]:
    (only,) = report.packs
    names = ("found", "added", "updated", "unchanged", "removed", "refused", "duplicates")
    return {name: getattr(only, name) for name in names if getattr(only, name)}


def test_an_imported_skill_is_found(catalog: Catalog, pack: Path) -> None:
    report = import_pack(catalog, IMPORTER, pack)

    assert counts(report) == {"found": 3, "added": 3}
    assert report.exit_code == 0
    hits = catalog.search(IMPORTER, SearchRequest("mix a glaze")).hits
    assert hits[0].card.qualified_name == "studio:b"


def test_importing_again_changes_nothing(catalog: Catalog, pack: Path) -> None:
    import_pack(catalog, IMPORTER, pack)

    assert counts(import_pack(catalog, IMPORTER, pack)) == {"found": 3, "unchanged": 3}
    assert present(catalog) == ["studio:a", "studio:b", "studio:c"]


def test_what_changed_is_updated_and_what_is_gone_is_removed(catalog: Catalog, pack: Path) -> None:
    import_pack(catalog, IMPORTER, pack)
    write(pack, a="Fire the kiln slowly", d="Pack a box")
    shutil.rmtree(pack / "b")
    (pack / "c").rename(pack / "e")

    report = import_pack(catalog, IMPORTER, pack)

    assert counts(report) == {"found": 3, "added": 1, "updated": 1, "unchanged": 1, "removed": 1}
    assert [(c.change, c.qualified_name) for c in report.packs[0].changes] == [
        ("updated", "studio:a"),
        ("added", "studio:d"),
        ("removed", "studio:b"),
    ]
    hits = catalog.search(IMPORTER, SearchRequest("mix a glaze")).hits
    assert "studio:b" not in [hit.card.qualified_name for hit in hits]


def test_an_attachment_that_changed_updates_its_skill(catalog: Catalog, pack: Path) -> None:
    (pack / "a/notes.txt").write_text("one")
    import_pack(catalog, IMPORTER, pack)
    (pack / "a/notes.txt").write_text("two")

    assert counts(import_pack(catalog, IMPORTER, pack))["updated"] == 1


def test_without_pruning_what_is_gone_stays(catalog: Catalog, pack: Path) -> None:
    import_pack(catalog, IMPORTER, pack)
    shutil.rmtree(pack / "b")

    import_pack(catalog, IMPORTER, pack, prune=False)

    assert "studio:b" in present(catalog)


def test_a_lone_file_is_added_to_its_pack_and_removes_nothing(catalog: Catalog, pack: Path) -> None:
    import_pack(catalog, IMPORTER, pack)
    before = present(catalog)
    (pack / "extra.md").write_text("---\nname: extra\ndescription: One more.\n---\nText.\n")
    (report,) = import_pack(catalog, IMPORTER, pack / "extra.md").packs
    assert (report.added, report.removed) == (1, 0)
    assert present(catalog) == sorted([*before, f"{pack.name}:extra"])


def test_a_skill_whose_entry_in_an_archive_cannot_be_read_any_more_stays(catalog: Catalog) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        for name in ("a", "b"):
            file.writestr(
                f"studio/{name}/SKILL.md", f"---\nname: {name}\ndescription: d\n---\n{name}\n"
            )
    readable = buffer.getvalue()
    encrypted = bytearray(readable)
    encrypted[6] |= 1
    encrypted[encrypted.index(b"PK\x01\x02") + 8] |= 1

    import_pack(catalog, IMPORTER, readable, pack_name="p")
    report = import_pack(catalog, IMPORTER, bytes(encrypted), pack_name="p")

    assert "entry-refused" in report.codes
    assert present(catalog) == ["p:a", "p:b"]


def test_two_packs_of_one_name_never_replace_each_other(catalog: Catalog, pack: Path) -> None:
    import_pack(catalog, IMPORTER, pack)
    before = present(catalog)
    other = write(pack.parent / "elsewhere" / pack.name, wheel="Throws.")
    with pytest.raises(InvalidPack, match=f"two packs have the name '{pack.name}'"):
        import_pack(catalog, IMPORTER, other, taken={pack.name})
    assert present(catalog) == before


def test_a_dry_run_tells_the_changes_and_makes_none(catalog: Catalog, pack: Path) -> None:
    import_pack(catalog, IMPORTER, pack)
    write(pack, a="Fire the kiln slowly", d="Pack a box")
    shutil.rmtree(pack / "b")

    report = import_pack(catalog, IMPORTER, pack, dry_run=True)

    assert [str(change.change) for change in report.packs[0].changes] == [
        "updated",
        "added",
        "removed",
    ]
    assert present(catalog) == ["studio:a", "studio:b", "studio:c"]


def test_a_skill_that_became_unreadable_keeps_its_last_version(
    catalog: Catalog, pack: Path
) -> None:
    import_pack(catalog, IMPORTER, pack)
    (pack / "b/SKILL.md").write_bytes(b"\xa1\xaa")

    report = import_pack(catalog, IMPORTER, pack)

    assert counts(report) == {"found": 3, "unchanged": 2, "refused": 1}
    assert report.exit_code == 1
    assert "studio:b" in present(catalog)
    write(pack, b="Mix two glazes")
    assert counts(import_pack(catalog, IMPORTER, pack))["updated"] == 1


def test_an_import_that_fails_half_way_leaves_nothing(catalog: Catalog, pack: Path) -> None:
    def fails_at_the_second(done: int, total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        import_pack(catalog, IMPORTER, pack, progress=fails_at_the_second)

    assert present(catalog) == []
    assert counts(import_pack(catalog, IMPORTER, pack)) == {"found": 3, "added": 3}


@pytest.mark.parametrize("order", [("x", "y"), ("y", "x")])
def test_packs_with_a_skill_of_one_name_keep_both_in_either_order(
    catalog: Catalog, tmp_path: Path, order: tuple[str, str]
) -> None:
    write(tmp_path / "x", tidy="Tidy the desk")
    write(tmp_path / "y", tidy="Tidy the code")
    for name in order:
        import_pack(catalog, IMPORTER, tmp_path / name)

    assert present(catalog) == ["x:tidy", "y:tidy"]


def test_a_second_skill_of_a_name_renames_the_first(catalog: Catalog, pack: Path) -> None:
    import_pack(catalog, IMPORTER, pack)
    write(pack / "more", a="Another a")

    import_pack(catalog, IMPORTER, pack)

    assert present(catalog) == ["studio:a/a", "studio:b", "studio:c", "studio:more/a/a"]


def test_a_strict_import_refuses_what_has_a_warning(catalog: Catalog, pack: Path) -> None:
    (pack / "b/SKILL.md").write_text("No frontmatter at all")

    report = import_pack(catalog, IMPORTER, pack, strict=True)

    assert counts(report) == {"found": 3, "added": 2, "refused": 1}
    assert report.codes["strict-refusal"] == 1


def test_nothing_that_can_be_read_is_exit_code_two(catalog: Catalog, tmp_path: Path) -> None:
    (tmp_path / "SKILL.md").write_bytes(b"\xa1\xaa")

    assert import_pack(catalog, IMPORTER, tmp_path).exit_code == 2


def test_an_empty_folder_is_an_error_and_nothing_is_removed(catalog: Catalog, pack: Path) -> None:
    import_pack(catalog, IMPORTER, pack)
    for name in ("a", "b", "c"):
        shutil.rmtree(pack / name)

    with pytest.raises(InvalidPack):
        import_pack(catalog, IMPORTER, pack)

    assert len(present(catalog)) == 3


def test_a_reader_may_not_import(catalog: Catalog, pack: Path) -> None:
    with pytest.raises(RoleRequired):
        import_pack(catalog, Identity("acme", "bob", "s2"), pack)


def test_a_report_is_written_as_json(catalog: Catalog, pack: Path) -> None:
    (pack / "b/SKILL.md").write_bytes(b"\xa1\xaa")

    report = json.loads(json.dumps(import_pack(catalog, IMPORTER, pack).as_json()))

    assert report["exit_code"] == 1
    assert report["codes"] == {"skill-undecodable": 1}
    assert report["packs"][0]["diagnostics"][0]["path"] == "b/SKILL.md"


def test_the_sum_of_several_packs_is_their_total() -> None:
    report = ImportReport((PackReport("x", 2, added=2), PackReport("y", 3, refused=3)))

    assert report.total(lambda pack: pack.found) == 5
    assert report.exit_code == 1


def test_export_gives_the_files_back_to_the_byte(catalog: Catalog, tmp_path: Path) -> None:
    source = (
        b"\xef\xbb\xbf---\r\nname: kiln\r\ndescription: a: b\r\nodd_key: [1,  2]\r\n---\r\nBody"
    )
    (tmp_path / "kiln/scripts").mkdir(parents=True)
    (tmp_path / "kiln/skill.md").write_bytes(source)
    (tmp_path / "kiln/scripts/fire.bin").write_bytes(bytes(range(256)))
    import_pack(catalog, IMPORTER, tmp_path / "kiln")

    written = write_export(catalog.export(IMPORTER, "kiln:kiln"), tmp_path / "out")

    assert {path.relative_to(tmp_path / "out").as_posix() for path in written} == {
        "skill.md",
        "scripts/fire.bin",
    }
    assert (tmp_path / "out/skill.md").read_bytes() == source
    assert (tmp_path / "out/scripts/fire.bin").read_bytes() == bytes(range(256))
    with pytest.raises(InvalidPack, match="is there already"):
        write_export(catalog.export(IMPORTER, "kiln:kiln"), tmp_path / "out")


def test_export_of_a_removed_skill_finds_nothing(catalog: Catalog, pack: Path) -> None:
    import_pack(catalog, IMPORTER, pack)
    shutil.rmtree(pack / "b")
    import_pack(catalog, IMPORTER, pack)

    with pytest.raises(SkillNotFound):
        catalog.export(IMPORTER, "studio:b")


def test_a_watched_pack_is_imported_again_when_it_changes(catalog: Catalog, pack: Path) -> None:
    stop = Event()
    outcomes = watch_packs((pack,), lambda path: import_pack(catalog, IMPORTER, path), stop)

    path, first = next(outcomes)
    write(pack, d="Pack a box")
    _, second = next(outcomes)
    stop.set()

    assert path == pack
    assert isinstance(first, ImportReport)
    assert isinstance(second, ImportReport)
    assert "studio:d" in present(catalog)


def test_a_watched_pack_that_cannot_be_read_is_told_and_stays(catalog: Catalog, pack: Path) -> None:
    stop = Event()
    outcomes = watch_packs((pack,), lambda path: import_pack(catalog, IMPORTER, path), stop)
    next(outcomes)
    for name in ("a", "b", "c"):
        (pack / name / "SKILL.md").unlink()

    outcome = next(outcome for _, outcome in outcomes if not isinstance(outcome, ImportReport))
    stop.set()

    assert isinstance(outcome, InvalidPack)
    assert present(catalog)


def test_what_is_not_there_cannot_be_watched(catalog: Catalog, tmp_path: Path) -> None:
    outcomes = watch_packs(
        (tmp_path / "nowhere/pack",),
        lambda path: import_pack(catalog, IMPORTER, path),
        Event(),
    )

    with pytest.raises(InvalidPack, match="cannot watch"):
        next(outcomes)
