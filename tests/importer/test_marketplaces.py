"""A marketplace is several packs, each with the skills that its manifest lists.

What an import of it brought leaves with its plugin; what others brought never does.
"""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from catalog.catalog import Catalog
from catalog.errors import InvalidPack
from catalog.scope import ScopeKind
from importer.importing import import_pack
from importer.pack import open_packs
from importer.report import ImportReport
from importer.validation import validate
from tests.imported_skills import IMPORTER, present


def plugin(name: str, **others: Any) -> dict[str, Any]:
    return {"name": name, "source": f"./plugins/{name}", **others}


def studio(root: Path, *names: str, owner: str = "Ada", called: str = "studio") -> Path:
    """A marketplace of plugins with one skill each, named alike."""
    shutil.rmtree(root, ignore_errors=True)
    skills = [f"plugins/{name}/skills/{name}-skill" for name in names]
    marketplace(root, [plugin(name) for name in names], *skills)
    manifest = root / ".claude-plugin/marketplace.json"
    described = {**json.loads(manifest.read_text()), "name": called, "owner": {"name": owner}}
    manifest.write_text(json.dumps(described))
    return root


def removed(report: ImportReport) -> list[str]:
    return [
        change.qualified_name
        for pack in report.packs
        for change in pack.changes
        if change.change == "removed"
    ]


def marketplace(root: Path, plugins: list[Any], *skills: str) -> Path:
    for skill in skills:
        (root / skill).mkdir(parents=True, exist_ok=True)
        name = skill.rpartition("/")[2]
        (root / skill / "SKILL.md").write_text(f"---\nname: {name}\ndescription: d\n---\nBody\n")
    manifest = root / ".claude-plugin/marketplace.json"
    manifest.parent.mkdir(parents=True, exist_ok=True)
    manifest.write_text(json.dumps({"name": "studio", "plugins": plugins}))
    return root


def packs(root: Path, name: str | None = None) -> dict[str, list[str | None]]:
    with open_packs(root, name=name) as opened:
        for pack in opened:
            pack.settle_names()
        return {pack.name: [pack.qualified_name(place) for place in pack.places] for pack in opened}


def said(root: Path) -> list[str]:
    with open_packs(root) as opened:
        return [
            finding.message
            for pack in opened
            for finding in pack.diagnostics
            if finding.code == "plugin-path-missing"
        ]


def test_plugins_of_one_source_folder_have_only_the_skills_they_list(tmp_path: Path) -> None:
    marketplace(
        tmp_path,
        [
            {"name": "office", "source": "./", "skills": ["./skills/sheet"]},
            {"name": "paint", "source": "./", "skills": ["./skills/brush"]},
        ],
        "skills/sheet",
        "skills/brush",
        "skills/unlisted",
    )

    assert packs(tmp_path) == {"office": ["office:sheet"], "paint": ["paint:brush"]}
    assert list(packs(tmp_path, "studio")) == ["studio-office", "studio-paint"]


@pytest.mark.parametrize(
    "path",
    [
        "./skills/sheet/SKILL.md",
        "skills/sheet",
        "./skills/",
        "./plugins/office/skills/sheet",
        "plugins/office/skills/sheet/SKILL.md",
    ],
)
def test_a_path_may_be_written_in_every_usual_way(path: str, tmp_path: Path) -> None:
    plugin = {"name": "office", "source": "./plugins/office", "skills": [path]}
    marketplace(tmp_path, [plugin], "plugins/office/skills/sheet")

    assert packs(tmp_path) == {"office": ["office:sheet"]}


def test_a_missing_path_is_told_with_the_path_and_the_rest_is_read(tmp_path: Path) -> None:
    plugin = {"name": "office", "source": "./", "skills": ["./missing", "./skills/sheet"]}
    marketplace(tmp_path, [plugin], "skills/sheet")

    assert packs(tmp_path) == {"office": ["office:sheet"]}
    assert said(tmp_path) == ["plugin 'office': there is no skill at './missing'"]


def test_a_missing_or_foreign_source_is_told(tmp_path: Path) -> None:
    plugins: list[dict[str, Any]] = [
        {"name": "gone", "source": "./gone"},
        {"name": "far", "source": {"source": "github", "repo": "a/b"}},
        {"name": "near", "source": "./near"},
    ]
    marketplace(tmp_path, plugins, "near/skills/brush")

    assert packs(tmp_path) == {"gone": [], "far": [], "near": ["near:brush"]}
    assert said(tmp_path) == ["plugin 'gone': there is no folder './gone'"]


def test_a_plugin_without_a_list_has_the_skills_of_its_folder(tmp_path: Path) -> None:
    marketplace(
        tmp_path,
        [{"name": "office", "source": "office"}],
        "office/skills/sheet",
        "paint/skills/brush",
    )

    assert packs(tmp_path) == {"office": ["office:sheet"]}


def test_a_plugin_may_list_its_skills_itself(tmp_path: Path) -> None:
    marketplace(
        tmp_path,
        [{"name": "office", "source": "office"}],
        "office/own/sheet",
        "office/skills/brush",
    )
    (tmp_path / "office/.claude-plugin").mkdir()
    (tmp_path / "office/.claude-plugin/plugin.json").write_text('{"skills": "./own"}')

    assert packs(tmp_path) == {"office": ["office:sheet"]}


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        ('{"plugins": [', "is not JSON: line 1"),
        ("[]", "is not a JSON object"),
        ("{}", "has no list 'plugins'"),
        ('{"plugins": []}', "names no plugin"),
        ("[" * 100_000, "nested too deep"),
    ],
)
def test_a_bad_manifest_says_what_is_wrong(manifest: str, message: str, tmp_path: Path) -> None:
    marketplace(tmp_path, [], "skills/sheet")
    (tmp_path / ".claude-plugin/marketplace.json").write_text(manifest)

    with pytest.raises(InvalidPack, match=message):
        packs(tmp_path)


@pytest.mark.parametrize(
    ("unusable", "reason"),
    [
        (plugin("paint:brush"), "holds a colon"),
        (plugin("p" * 129), "129 characters"),
        (plugin("a\u0007b"), "control character"),
        (plugin("\ud800"), "lone surrogate"),
        (plugin("  "), "has no name"),
        ({"source": "./plugins/paint"}, "has no name"),
        ("./plugins/paint", "no object"),
        (plugin("office", source="./plugins/paint"), "an earlier plugin"),
    ],
)
def test_an_unusable_plugin_is_refused_with_its_reason_and_stops_no_other(
    unusable: Any, reason: str, catalog: Catalog, tmp_path: Path
) -> None:
    plugins = [plugin("office"), unusable, plugin("wheel")]
    skills = [f"plugins/{name}/skills/{name}-skill" for name in ("office", "paint", "wheel")]
    marketplace(tmp_path, plugins, *skills)

    report = import_pack(catalog, IMPORTER, tmp_path)

    assert present(catalog) == ["office:office-skill", "wheel:wheel-skill"]
    (finding,) = [found for found in report.diagnostics if found.code == "plugin-refused"]
    assert reason in finding.message
    assert report.exit_code == 1
    assert validate(tmp_path).exit_code == 1


def test_the_skills_of_a_refused_plugin_are_counted_as_refused(tmp_path: Path) -> None:
    marketplace(
        tmp_path, [plugin("a"), plugin("b:c", source="./plugins/b")], "plugins/a", "plugins/b"
    )

    checked = validate(tmp_path)

    assert (checked.found, checked.refused) == (2, 1)


def test_a_plugin_whose_own_manifest_is_broken_is_refused_alone_and_keeps_what_is_stored(
    catalog: Catalog, tmp_path: Path
) -> None:
    import_pack(catalog, IMPORTER, studio(tmp_path, "office", "paint"))
    (tmp_path / "plugins/paint/.claude-plugin").mkdir()
    (tmp_path / "plugins/paint/.claude-plugin/plugin.json").write_text("{")

    report = import_pack(catalog, IMPORTER, tmp_path)

    assert "plugin-refused" in report.codes
    assert present(catalog) == ["office:office-skill", "paint:paint-skill"]


def test_a_plugin_taken_out_of_the_manifest_leaves_the_catalog(
    catalog: Catalog, tmp_path: Path
) -> None:
    import_pack(catalog, IMPORTER, studio(tmp_path, "office", "paint"))
    studio(tmp_path, "office", "sketch")

    planned = import_pack(catalog, IMPORTER, tmp_path, dry_run=True)
    assert removed(planned) == ["paint:paint-skill"]
    assert present(catalog) == ["office:office-skill", "paint:paint-skill"]

    kept = import_pack(catalog, IMPORTER, tmp_path, prune=False)
    assert removed(kept) == []
    assert "paint:paint-skill" in present(catalog)

    report = import_pack(catalog, IMPORTER, tmp_path, request_id="r1")
    assert removed(report) == ["paint:paint-skill"]
    assert present(catalog) == ["office:office-skill", "sketch:sketch-skill"]
    with catalog.store.read(IMPORTER) as reader:
        events = reader.audit("acme", None, 100).events
    assert ("skill_remove", "paint:paint-skill", "r1") in [
        (event.action, event.subject, event.request_id) for event in events
    ]
    assert removed(import_pack(catalog, IMPORTER, tmp_path)) == []

    import_pack(catalog, IMPORTER, studio(tmp_path, "office", "paint"))
    assert present(catalog) == ["office:office-skill", "paint:paint-skill"]


def test_a_plugin_without_skills_has_none_in_the_catalog(catalog: Catalog, tmp_path: Path) -> None:
    import_pack(catalog, IMPORTER, studio(tmp_path, "office", "paint"))
    shutil.rmtree(tmp_path / "plugins/paint/skills")
    (tmp_path / "plugins/paint/README.md").write_text("Soon.\n")

    assert removed(import_pack(catalog, IMPORTER, tmp_path)) == ["paint:paint-skill"]


def test_a_plugin_that_is_out_of_sight_keeps_its_skills(catalog: Catalog, tmp_path: Path) -> None:
    import_pack(catalog, IMPORTER, studio(tmp_path, "office", "paint"))
    shutil.rmtree(tmp_path / "plugins/paint")

    assert removed(import_pack(catalog, IMPORTER, tmp_path)) == []
    assert "paint:paint-skill" in present(catalog)


@pytest.mark.parametrize(
    ("called", "owner", "prefix"),
    [("atelier", "Ada", None), ("studio", "Bo", None), ("studio", "Ada", "other")],
)
def test_packs_of_another_marketplace_are_never_pruned(
    called: str, owner: str, prefix: str | None, catalog: Catalog, tmp_path: Path
) -> None:
    import_pack(catalog, IMPORTER, studio(tmp_path / "one", "paint"))
    other = studio(tmp_path / "two", "wheel", owner=owner, called=called)

    assert removed(import_pack(catalog, IMPORTER, other, pack_name=prefix)) == []
    assert "paint:paint-skill" in present(catalog)


def test_a_marketplace_prunes_its_own_scope_alone(catalog: Catalog, tmp_path: Path) -> None:
    import_pack(catalog, IMPORTER, studio(tmp_path, "office", "paint"), scope=ScopeKind.USER)
    studio(tmp_path, "office")

    assert removed(import_pack(catalog, IMPORTER, tmp_path, scope=ScopeKind.TENANT)) == []
    assert "paint:paint-skill" in present(catalog)


def test_a_pack_that_another_source_has_brought_since_is_never_pruned(
    catalog: Catalog, tmp_path: Path
) -> None:
    import_pack(catalog, IMPORTER, studio(tmp_path, "office", "paint"))
    folder = tmp_path / "plugins/paint"
    report = import_pack(catalog, IMPORTER, folder, pack_name="paint")
    assert report.packs[0].found == 1
    studio(tmp_path, "office")

    assert removed(import_pack(catalog, IMPORTER, tmp_path)) == []
    assert "paint:paint-skill" in present(catalog)


def test_a_lone_skill_added_to_the_pack_of_a_plugin_stays_when_the_plugin_goes(
    catalog: Catalog, tmp_path: Path
) -> None:
    import_pack(catalog, IMPORTER, studio(tmp_path, "office", "paint"))
    (tmp_path / "lone.md").write_text("---\nname: lone\ndescription: Alone.\n---\nText.\n")
    import_pack(catalog, IMPORTER, tmp_path / "lone.md", pack_name="paint")
    studio(tmp_path, "office")

    assert removed(import_pack(catalog, IMPORTER, tmp_path)) == ["paint:paint-skill"]
    assert present(catalog) == ["office:office-skill", "paint:lone"]


def test_a_marketplace_without_a_name_prunes_no_plugin(catalog: Catalog, tmp_path: Path) -> None:
    import_pack(catalog, IMPORTER, studio(tmp_path, "office", "paint", called=" "))

    assert removed(import_pack(catalog, IMPORTER, studio(tmp_path, "office", called=" "))) == []
    assert "paint:paint-skill" in present(catalog)
