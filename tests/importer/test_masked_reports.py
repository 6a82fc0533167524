"""Reports name skills, files and what is wrong with them, and never what redaction masks."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from catalog.catalog import Catalog
from catalog.errors import AmbiguousName, InvalidPack
from catalog.identity import Role
from catalog.requests import GetRequest, ListRequest
from catalog.search.request import SearchRequest
from importer.importing import import_pack
from importer.validation import as_json, validate
from tests.imported_skills import IMPORTER

ADDRESS = "ann.bell@kilnworks.io"


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """A skill that is called after an address, in files that are."""
    folder = tmp_path / "studio" / f"ask {ADDRESS}"
    (folder / "refs").mkdir(parents=True)
    (folder / "refs" / f"{ADDRESS}.txt").write_text("notes")
    (folder / "SKILL.md").write_text(
        f"---\nname: Ask {ADDRESS}\ndescription: Asks.\nkiln: {ADDRESS}\nkiln: {ADDRESS}\n"
        f"---\n# Ask\n\nWrite a letter.\n"
    )
    return tmp_path / "studio"


@pytest.mark.parametrize("dry_run", [True, False])
def test_a_report_masks_names_paths_and_what_its_findings_quote(
    catalog: Catalog, pack: Path, dry_run: bool
) -> None:
    report = import_pack(catalog, IMPORTER, pack, dry_run=dry_run)
    said = json.dumps(report.as_json())
    assert report.total(lambda pack: pack.found) == 1
    assert ADDRESS not in said
    assert "ask [REDACTED:EMAIL]/SKILL.md" in said


def test_an_import_says_under_which_name_a_skill_is_shown(catalog: Catalog, pack: Path) -> None:
    report = import_pack(catalog, IMPORTER, pack)
    (finding,) = (found for found in report.diagnostics if found.code == "name-masked")
    assert finding.message == "the skill is shown as 'studio:Ask [REDACTED:EMAIL]'"
    assert finding.line == 2


def test_a_name_that_nothing_masks_has_no_such_finding(catalog: Catalog, tmp_path: Path) -> None:
    (tmp_path / "glaze").mkdir()
    (tmp_path / "glaze" / "SKILL.md").write_text(
        "---\nname: glaze\ndescription: Glazes.\n---\nMix.\n"
    )
    assert "name-masked" not in import_pack(catalog, IMPORTER, tmp_path).codes


def test_files_are_listed_masked_fetched_by_reference_and_exported_as_they_came(
    catalog: Catalog, pack: Path
) -> None:
    import_pack(catalog, IMPORTER, pack)
    (listed,) = catalog.list(IMPORTER, ListRequest()).cards
    name = listed.card.qualified_name
    (got,) = catalog.get(IMPORTER, GetRequest((name,))).skills
    (artifact,) = got.part.skill.artifacts
    assert artifact.path == "refs/[REDACTED:EMAIL].txt"
    assert catalog.artifact(IMPORTER, artifact.reference) == b"notes"
    assert f"refs/{ADDRESS}.txt" in [file.path for file in catalog.export(IMPORTER, name)]


def test_masked_names_keep_an_import_idempotent(catalog: Catalog, pack: Path) -> None:
    import_pack(catalog, IMPORTER, pack)
    again = import_pack(catalog, IMPORTER, pack)
    assert again.total(lambda pack: pack.unchanged) == 1
    assert not again.packs[0].changes


def test_an_address_that_names_a_pack_is_masked_before_a_folder_too(
    catalog: Catalog, tmp_path: Path
) -> None:
    for folder in ("first", "second"):
        place = tmp_path / ADDRESS / folder
        place.mkdir(parents=True)
        (place / "SKILL.md").write_text(
            f"---\nname: glaze\ndescription: Glazes {folder}.\n---\nMix {folder}.\n"
        )
    report = import_pack(catalog, IMPORTER, tmp_path / ADDRESS)
    listed = catalog.list(IMPORTER, ListRequest()).cards
    with pytest.raises(AmbiguousName) as refusal:
        catalog.get(IMPORTER, GetRequest(("glaze",)))
    answer = catalog.search(IMPORTER, SearchRequest("glaze first"))
    got = catalog.get(IMPORTER, GetRequest(("[REDACTED:EMAIL]:first/glaze",)))
    audit = catalog.audit(replace(IMPORTER, roles=frozenset({Role.ADMIN})))
    said = (json.dumps(report.as_json()), listed, str(refusal.value), refusal.value.metadata)
    assert ADDRESS not in str((*said, answer, got, audit))
    assert answer.hits[0].card.qualified_name == "[REDACTED:EMAIL]:first/glaze"
    assert not catalog.search(IMPORTER, SearchRequest(ADDRESS)).hits


def test_a_validation_quotes_nothing_that_is_masked(pack: Path) -> None:
    messages = [found["message"] for found in as_json(validate(pack))["diagnostics"]]
    assert messages
    assert ADDRESS not in repr(messages)


def test_the_error_of_a_pack_without_skills_masks_the_path_that_it_names(
    catalog: Catalog, tmp_path: Path
) -> None:
    (tmp_path / f"{ADDRESS}.txt").symlink_to("/nowhere")
    with pytest.raises(InvalidPack) as raised:
        import_pack(catalog, IMPORTER, tmp_path)
    assert "[REDACTED:EMAIL].txt: " in raised.value.message


def test_two_packs_of_one_masked_name_never_replace_each_other(
    catalog: Catalog, pack: Path
) -> None:
    first, second = pack.rename(pack.with_name(ADDRESS)), pack.parent / "other" / ADDRESS
    shutil.copytree(first, second)
    reported = {report.pack for report in import_pack(catalog, IMPORTER, first).packs}
    with pytest.raises(InvalidPack, match=r"two packs have the name '\[REDACTED:EMAIL\]'"):
        import_pack(catalog, IMPORTER, second, taken=reported)
