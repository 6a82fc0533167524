"""Whatever a careless or hostile author packs: every file is counted, every loss explained."""

import codecs
from pathlib import Path

import pytest

from catalog.catalog import Catalog
from importer.importing import import_pack
from tests.imported_skills import IMPORTER, present

HEAD = "---\nname: kiln\ndescription: d\n---\n"


def with_fields(*lines: str) -> bytes:
    return "\n".join(("---", *lines, "---", "Body", "")).encode()


REFUSED = {
    "UTF-16": (codecs.BOM_UTF16_LE + HEAD.encode("utf-16-le"), "skill-undecodable"),
    "Latin-1": (f"{HEAD}caf\u00e9".encode("latin-1"), "skill-undecodable"),
    "halves of a pair": (b"---\nname: k\xed\xa0\x80\n---\nBody", "skill-undecodable"),
    "over a megabyte": (HEAD.encode() + b"x" * 1024 * 1024, "skill-too-large"),
    "a huge frontmatter": (
        with_fields("name: kiln", "x: " + "x" * 70_000),
        "frontmatter-too-large",
    ),
    "nothing": (b"", "skill-empty"),
    "a name alone": (b"---\nname: kiln\n---\n", "skill-empty"),
}
IMPORTED = {
    "a line of a megabyte": (HEAD.encode() + b"x" * 1_000_000, "kiln"),
    "a tag for objects": (
        with_fields("name: !!python/object:os.system kiln", "description: d"),
        "kiln",
    ),
    "aliases of aliases": (
        with_fields("name: kiln", "description: d", "a: &a [x, x]", "b: &b [*a, *a]", "c: *b"),
        "kiln",
    ),
    "merge keys": (with_fields("name: kiln", "description: d", "<<: *b"), "kiln"),
    "a name like a truth value": (with_fields("name: no", "description: yes"), "no"),
    "a name like a number": (with_fields("name: 1.0", "description: 0o17"), "1.0"),
    "a name like a date": (with_fields("name: 2024-01-01", "description: d"), "2024-01-01"),
    "a name that is too long": (with_fields(f"name: {'k' * 300}", "description: d"), "odd"),
    "a name nobody sees": (with_fields("name: \u200b", "description: d"), "odd"),
    "a name that leads out": (with_fields("name: ../../kiln", "description: d"), "../../kiln"),
    "two documents": (b"---\nname: kiln\ndescription: d\n---\nname: bowl\n---\nBody\n", "kiln"),
    "brackets without end": (
        with_fields("name: kiln", "description: d", "x: " + "[" * 9_000),
        "kiln",
    ),
    "quotes without end": (HEAD.encode() + b">" * 20_000, "kiln"),
    "a NUL": (HEAD.encode() + b"a\0b", "kiln"),
}


@pytest.mark.parametrize("title", REFUSED)
def test_what_is_refused_is_told_and_stops_no_sibling(
    title: str, catalog: Catalog, tmp_path: Path
) -> None:
    source, code = REFUSED[title]

    report = import_pack(catalog, IMPORTER, pack_with(source, tmp_path))

    assert [(pack.found, pack.added, pack.refused) for pack in report.packs] == [(2, 1, 1)]
    assert code in report.codes
    assert present(catalog) == ["pack:sibling"]


@pytest.mark.parametrize("title", IMPORTED)
def test_what_is_odd_is_imported_once(title: str, catalog: Catalog, tmp_path: Path) -> None:
    source, name = IMPORTED[title]
    pack = pack_with(source, tmp_path)

    import_pack(catalog, IMPORTER, pack)
    (again,) = import_pack(catalog, IMPORTER, pack).packs

    assert present(catalog) == sorted([f"pack:{name}", "pack:sibling"])
    assert (again.found, again.unchanged) == (2, 2)
    (exported,) = catalog.export(IMPORTER, f"pack:{name}")
    assert exported.data == source


def pack_with(source: bytes, folder: Path) -> Path:
    for name, data in (
        ("odd", source),
        ("sibling", b"---\nname: sibling\ndescription: s\n---\nS\n"),
    ):
        (folder / "pack" / name).mkdir(parents=True)
        (folder / "pack" / name / "SKILL.md").write_bytes(data)
    return folder / "pack"
