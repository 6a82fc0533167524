"""A marketplace is several packs, each with the skills that its manifest lists."""

import json
from pathlib import Path
from typing import Any

import pytest

from catalog.errors import InvalidPack
from importer.pack import open_packs


def marketplace(root: Path, plugins: list[dict[str, Any]], *skills: str) -> Path:
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
        ("[" * 100_000, "nested too deep"),
    ],
)
def test_a_bad_manifest_says_what_is_wrong(manifest: str, message: str, tmp_path: Path) -> None:
    marketplace(tmp_path, [], "skills/sheet")
    (tmp_path / ".claude-plugin/marketplace.json").write_text(manifest)

    with pytest.raises(InvalidPack, match=message):
        packs(tmp_path)
