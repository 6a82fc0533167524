"""Which files of a folder are skills, under which names, and what becomes of the others."""

import os
from pathlib import Path

import pytest

from catalog.errors import InvalidPack
from importer.pack import PackSkill, open_packs, read_packs


def write(root: Path, files: dict[str, str]) -> Path:
    for path, text in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")
    return root


def skill(name: str, body: str = "Body") -> str:
    return f"---\nname: {name}\ndescription: d\n---\n{body}\n"


def names(root: Path) -> list[str]:
    return [item.skill.qualified_name for item in read_packs(root, name="p") if item.skill]


def codes(root: Path) -> list[str]:
    return [finding.code for item in read_packs(root, name="p") for finding in item.diagnostics]


def only(root: Path) -> PackSkill:
    (item,) = [item for item in read_packs(root, name="p") if item.path]
    return item


def test_skills_are_found_at_any_depth(tmp_path: Path) -> None:
    write(tmp_path, {"kiln/SKILL.md": skill("kiln"), "a/b/c/glaze/SKILL.md": skill("glaze")})

    assert names(tmp_path) == ["p:glaze", "p:kiln"]


def test_an_example_inside_a_skill_is_its_attachment(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "bakery/oven/SKILL.md": skill("kiln"),
            "bakery/oven/examples/sample/SKILL.md": skill("demo"),
        },
    )

    item = only(tmp_path)

    assert item.skill is not None
    assert [artifact.path for artifact in item.skill.artifacts] == ["examples/sample/SKILL.md"]
    assert "nested-skill" in [finding.code for finding in item.diagnostics]


def test_skills_grouped_under_another_are_skills_of_their_own(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "SKILL.md": skill("studio"),
            "README.md": "read me",
            "kiln/SKILL.md": skill("kiln"),
            "kiln/scripts/fire.py": "print(1)",
        },
    )

    found = {item.skill.name: item.skill for item in read_packs(tmp_path) if item.skill}

    assert [artifact.path for artifact in found["studio"].artifacts] == ["README.md"]
    assert [artifact.kind for artifact in found["kiln"].artifacts] == ["script"]


def test_a_lower_case_file_name_is_read_with_a_warning(tmp_path: Path) -> None:
    write(tmp_path, {"kiln/skill.md": skill("kiln")})

    assert names(tmp_path) == ["p:kiln"]
    assert codes(tmp_path) == ["file-name"]


def test_of_two_skill_files_the_exact_name_is_read_with_a_warning(tmp_path: Path) -> None:
    write(tmp_path, {"kiln/SKILL.md": skill("right"), "kiln/skill.md": skill("wrong")})

    item = only(tmp_path)

    assert item.skill is not None
    assert item.skill.name == "right"
    assert [artifact.path for artifact in item.skill.artifacts] == ["skill.md"]
    assert "several-skill-files" in codes(tmp_path)


def test_a_plural_file_name_is_a_skill_unless_it_lists_skills_beneath(tmp_path: Path) -> None:
    alone = write(tmp_path / "alone", {"kiln/Skills.md": skill("kiln")})
    above = write(tmp_path / "above", {"SKILLS.md": "a list", "kiln/SKILL.md": skill("kiln")})

    assert names(alone) == names(above) == ["p:kiln"]


def test_skills_of_one_name_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "a/SKILL.md": skill("tidy", "one"),
            "b/SKILL.md": skill("tidy", "two"),
            "c/SKILL.md": skill("mop"),
        },
    )

    assert names(tmp_path) == ["p:a/tidy", "p:b/tidy", "p:mop"]
    assert codes(tmp_path).count("name-shared") == 2


def test_skills_that_are_the_same_to_the_byte_are_one(tmp_path: Path) -> None:
    write(tmp_path, {"a/SKILL.md": skill("tidy"), "b/SKILL.md": skill("tidy")})

    assert names(tmp_path) == ["p:tidy"]
    assert "same-skill" in codes(tmp_path)


def test_names_in_other_scripts_do_not_collide(tmp_path: Path) -> None:
    write(tmp_path, {"a/SKILL.md": skill("图表"), "b/SKILL.md": skill("名单")})

    assert names(tmp_path) == ["p:图表", "p:名单"]


def test_one_bad_file_stops_none_of_its_siblings(tmp_path: Path) -> None:
    write(tmp_path, {"a/SKILL.md": skill("a"), "c/SKILL.md": skill("c"), "b/SKILL.md": ""})
    (tmp_path / "b/SKILL.md").write_bytes(b"---\nname: b\n---\n\xa1\xaa")

    assert names(tmp_path) == ["p:a", "p:c"]
    assert "skill-undecodable" in codes(tmp_path)


def test_thousands_of_stray_files_leave_the_skill_beside_them_readable(tmp_path: Path) -> None:
    write(tmp_path, {"SKILL.md": skill("kiln"), "scripts/fire.py": "print(1)"})
    for number in range(5000):
        (tmp_path / f"stray-{number:04}.txt").write_bytes(b"x")

    item = only(tmp_path)

    assert item.skill is not None
    assert len(item.skill.artifacts) == 1000
    assert "scripts/fire.py" in [artifact.path for artifact in item.skill.artifacts]
    assert [finding.code for finding in item.diagnostics if "left-out" in finding.code]


def test_links_inside_the_pack_are_resolved_once_and_others_refused(tmp_path: Path) -> None:
    root = write(
        tmp_path / "pack", {"real/kiln/SKILL.md": skill("kiln"), "links/readme.txt": "hello"}
    )
    write(tmp_path, {"outside/SKILL.md": skill("outside")})
    (root / "links/ok").symlink_to("../real/kiln")
    (root / "links/trap").symlink_to("/")
    (root / "links/peer").symlink_to("../../outside")
    (root / "links/loop").symlink_to(".")
    (root / "links/gone").symlink_to("nowhere")

    with open_packs(root) as (pack,):
        said = {finding.path: finding.code for finding in pack.diagnostics}

    assert names(root) == ["p:kiln"]
    assert said == {
        "links/ok": "link-resolved",
        "links/trap": "link-refused",
        "links/peer": "link-refused",
        "links/loop": "link-refused",
        "links/gone": "link-refused",
    }


def test_a_linked_folder_inside_a_skill_gives_it_the_files(tmp_path: Path) -> None:
    write(tmp_path, {"kiln/SKILL.md": skill("kiln"), "shared/cones.csv": "6,1222"})
    (tmp_path / "kiln/assets").symlink_to("../shared")

    item = only(tmp_path)

    assert item.skill is not None
    assert [artifact.path for artifact in item.skill.artifacts] == ["assets/cones.csv"]


def test_a_single_file_is_a_skill_whatever_it_is_called(tmp_path: Path) -> None:
    write(tmp_path, {"kiln/notes.md": "# Fire\n\nSlowly."})

    item = only(tmp_path / "kiln/notes.md")

    assert item.skill is not None
    assert (item.skill.name, item.skill.description) == ("kiln", "Slowly.")


@pytest.mark.parametrize(
    ("file_name", "text"),
    [
        ("passwd", "root:x:0:0:root:/root:/bin/bash\n"),
        ("workflow.yml", "name: Build\non: push\n"),
        ("page.txt", "---\nA rule and text.\n---\n"),
        ("SKILL", "Fire slowly.\n"),
    ],
)
def test_a_lone_file_that_is_like_no_skill_is_refused(
    file_name: str, text: str, tmp_path: Path
) -> None:
    (tmp_path / file_name).write_text(text)

    with pytest.raises(InvalidPack, match=f"'{file_name}' is neither an archive nor a skill"):
        list(read_packs(tmp_path / file_name))


def test_a_lone_file_with_frontmatter_may_have_any_name(tmp_path: Path) -> None:
    (tmp_path / "kiln.txt").write_text(skill("kiln"))

    assert names(tmp_path / "kiln.txt") == ["p:kiln"]


def test_folders_that_differ_in_normal_form_alone_give_two_names_that_can_be_asked_for(
    tmp_path: Path,
) -> None:
    write(tmp_path, {"e\u0301/SKILL.md": skill("a", "1"), "\u00e9/SKILL.md": skill("a", "2")})

    assert names(tmp_path) == ["p:\u00e9/a", "p:./\u00e9/a"]


def test_a_pipe_inside_a_folder_is_told(tmp_path: Path) -> None:
    write(tmp_path, {"kiln/SKILL.md": skill("kiln")})
    (tmp_path / "bowl").mkdir()
    os.mkfifo(tmp_path / "bowl/SKILL.md")

    assert names(tmp_path) == ["p:kiln"]
    assert "entry-refused" in codes(tmp_path)


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "SKILL.md")

    with pytest.raises(InvalidPack, match="is no file and no folder"):
        list(read_packs(tmp_path / "SKILL.md"))


def test_a_folder_without_skills_says_so(tmp_path: Path) -> None:
    write(tmp_path, {"README.md": "hello"})

    with pytest.raises(InvalidPack, match=r"no SKILL\.md among the 1 files"):
        list(read_packs(tmp_path))


def test_a_path_that_is_not_there_says_so(tmp_path: Path) -> None:
    with pytest.raises(InvalidPack, match="No such file"):
        list(read_packs(tmp_path / "nowhere"))


def test_attachments_are_described_by_their_folder_and_ending(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "kiln/SKILL.md": skill("kiln"),
            "kiln/scripts/fire.sh": "x",
            "kiln/references/cones.md": "x",
            "kiln/assets/kiln.png": "x",
            "kiln/memory.yml": "x",
        },
    )

    item = only(tmp_path)

    assert item.skill is not None
    assert [(a.path, a.kind, a.media_type) for a in item.skill.artifacts] == [
        ("assets/kiln.png", "asset", "image/png"),
        ("memory.yml", "other", "application/yaml"),
        ("references/cones.md", "reference", "text/markdown"),
        ("scripts/fire.sh", "script", "text/x-shellscript"),
    ]
