"""What each command does with good input, and says of bad input."""

from __future__ import annotations

import io
import json
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path

import pytest

from tests.command_line.conftest import IDENTITY, Run, write_skill

READERS = ("list", "search kiln", "get kiln-log", "export kiln-log --to out", "audit", "directory")
WRITERS = ("import kilns", "propose kilns/kiln-log/SKILL.md", "delete kiln-log", "pin kiln-log")


@pytest.fixture
def imported(run: Run, settings_file: Path, pack: Path) -> Path:
    assert run("import", str(pack)).code == 0
    return pack


@pytest.mark.parametrize("line", READERS + WRITERS)
def test_without_an_identity_nothing_is_read_or_made(
    run: Run, folder: Path, pack: Path, tmp_path: Path, line: str
) -> None:
    outcome = run(*line.split(), "--format", "json")
    assert (outcome.code, outcome.error["reason"]) == (3, "IDENTITY_REQUIRED")
    assert outcome.out == ""
    assert not (tmp_path / "data").exists()
    assert [path.name for path in folder.iterdir()] == ["kilns"]


@pytest.mark.parametrize("line", WRITERS)
def test_a_reader_may_not_write(run: Run, settings_file: Path, imported: Path, line: str) -> None:
    before = run("list", "--format", "json").out
    outcome = run(*line.split(), "--format", "json", "--roles", "reader")
    assert (outcome.code, outcome.error["reason"]) == (3, "ROLE_REQUIRED")
    assert run("list", "--format", "json").out == before


def test_an_import_counts_what_it_did_and_says_so_again(
    run: Run, settings_file: Path, pack: Path
) -> None:
    first = run("import", str(pack), "--format", "json").json
    assert (first["packs"][0]["found"], first["packs"][0]["added"]) == (3, 3)
    second = run("import", str(pack), "--format", "json").json
    assert (second["packs"][0]["unchanged"], second["packs"][0]["added"]) == (3, 0)
    (pack / "clay-mix" / "SKILL.md").unlink()
    kept = run("import", str(pack), "--no-prune", "--format", "json").json
    assert kept["packs"][0]["removed"] == 0
    pruned = run("import", str(pack), "--format", "json").json
    assert pruned["packs"][0]["removed"] == 1


def test_a_dry_run_writes_nothing(run: Run, settings_file: Path, pack: Path) -> None:
    outcome = run("import", str(pack), "--dry-run")
    assert outcome.code == 0
    assert "dry run" in outcome.out
    assert run("list", "--format", "json").json["cards"] == []


def test_a_dry_run_names_what_it_would_add_update_and_remove(
    run: Run, settings_file: Path, folder: Path
) -> None:
    root = folder / "many"

    def write(name: str, text: str) -> None:
        (root / name).mkdir(parents=True, exist_ok=True)
        (root / name / "SKILL.md").write_text(f"---\nname: {name}\ndescription: {text}\n---\nDo.\n")

    write("changes", "First.")
    write("goes", "First.")
    run("import", str(root))
    (root / "goes/SKILL.md").unlink()
    write("changes", "Second.")
    for number in range(25):
        write(f"new-{number:02}", "First.")

    told = run("import", str(root), "--dry-run").out.splitlines()

    assert "updated many:changes" in told
    assert "removed many:goes" in told
    assert next(line for line in told if line.startswith("added")) == "added many:new-00"
    assert "added and 5 more (all: --format json)" in told
    assert len(told) < 30
    assert not any("many:" in line for line in run("import", str(root)).out.splitlines())


def corrupt_archive(folder: Path) -> str:
    (folder / "bad.zip").write_bytes(b"PK\x03\x04 and nothing that an archive has")
    return "bad.zip"


def empty_folder(folder: Path) -> str:
    (folder / "empty").mkdir()
    return "empty"


def absent_path(folder: Path) -> str:
    return "absent"


@pytest.mark.parametrize("make", [corrupt_archive, empty_folder, absent_path])
@pytest.mark.parametrize("command", ["import", "validate"])
def test_a_pack_that_cannot_be_read_is_refused_whole(
    run: Run, folder: Path, settings_file: Path, make: object, command: str
) -> None:
    path = make(folder)  # type: ignore[operator]
    outcome = run(command, path)
    assert outcome.code == 2
    assert outcome.err.startswith("INVALID_PACK: ")
    assert run("list", "--format", "json").json["cards"] == []


def test_one_bad_pack_stops_no_other(
    run: Run, folder: Path, settings_file: Path, pack: Path
) -> None:
    outcome = run("import", "absent", str(pack), "--format", "json")
    assert outcome.code == 1
    assert outcome.error["reason"] == "INVALID_PACK"
    assert outcome.json["packs"][0]["added"] == 3


def test_a_refused_skill_is_told_and_the_others_are_imported(
    run: Run, settings_file: Path, pack: Path
) -> None:
    (pack / "clay-mix" / "SKILL.md").write_bytes(b"---\nname: x\n---\n\xa1\xaa")
    outcome = run("import", str(pack))
    assert outcome.code == 1
    assert "skill-undecodable" in outcome.err
    assert len(run("list", "--allow-tool", "Bash", "--format", "json").json["cards"]) == 2


def test_an_archive_comes_through_standard_input(run: Run, settings_file: Path) -> None:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as entries:
        entries.writestr("wheel/SKILL.md", "---\nname: wheel\ndescription: Throw.\n---\nSlowly.")
    outcome = run("import", "-", "--pack-name", "piped", input=archive.getvalue())
    assert outcome.code == 0
    assert run("get", "piped:wheel").code == 0


def test_search_answers_with_hits_and_the_trace_of_rungs(run: Run, imported: Path) -> None:
    answer = run("search", "track my oven temperatures", "--format", "json").json
    assert answer["hits"][0]["card"]["qualified_name"] == "kilns:kiln-log"
    assert answer["rungs"][0]["rung"] == "full_text"
    table = run("search", "track my oven temperatures")
    assert "kilns:kiln-log" in table.out
    assert "full_text" in table.err


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("search", "kiln", "--limit", "0"), "INVALID_QUERY"),
        (("search", "kiln", "--limit", "10000"), "INVALID_QUERY"),
        (("search", ""), "INVALID_QUERY"),
        (("search", " \t"), "INVALID_QUERY"),
        (("search", "?!"), "INVALID_QUERY"),
        (("search", "x" * 8_193), "INVALID_QUERY"),
        (("search", "kiln", "--min-score", "2"), "INVALID_QUERY"),
        (("search", "kiln", "--page-token", "bogus"), "INVALID_PAGE_TOKEN"),
        (("list", "--limit", "0"), "INVALID_QUERY"),
        (("list", "--limit", "10000"), "INVALID_QUERY"),
        (("get", "kiln-log", "--max-tokens", "-1"), "INVALID_QUERY"),
        (("get", "kiln-log", "--section", "absent"), "INVALID_QUERY"),
        (("directory", "--max-entries", "201"), "INVALID_QUERY"),
    ],
)
def test_an_argument_out_of_range_is_refused_with_its_reason(
    run: Run, imported: Path, arguments: tuple[str, ...], reason: str
) -> None:
    outcome = run(*arguments, "--format", "json")
    assert (outcome.code, outcome.error["reason"]) == (2, reason)
    assert outcome.out == ""


def test_a_usage_error_has_the_exit_code_of_usage(run: Run) -> None:
    assert run("search").code == 2
    assert run("search", "kiln", "--mode", "psychic").code == 2
    assert run("no-such-command").code == 2


def test_an_unknown_skill_is_not_found(run: Run, imported: Path) -> None:
    for arguments in (("get",), ("export", "--to", "out"), ("delete",), ("history",)):
        outcome = run(arguments[0], "absent", *arguments[1:], "--format", "json")
        assert (outcome.code, outcome.error["reason"]) == (4, "SKILL_NOT_FOUND")


def test_a_foreign_skill_and_an_absent_one_are_the_same_answer(run: Run, imported: Path) -> None:
    foreign = run("get", "kiln-log", "--tenant", "glass")
    absent = run("get", "absent", "--tenant", "glass")
    assert foreign == absent


@pytest.mark.parametrize("command", ["get", "export"])
@pytest.mark.parametrize("form", ["table", "json"])
def test_a_skill_that_is_hidden_from_the_run_is_as_absent_and_says_how_a_run_sees_more(
    run: Run, imported: Path, command: str, form: str
) -> None:
    hidden, absent, foreign = (
        run(command, *arguments, "--format", form)
        for arguments in (("glaze-math",), ("absent",), ("kiln-log", "--tenant", "glass"))
    )
    assert hidden == absent == foreign
    assert "--allow-tool" in hidden.err


def test_of_several_names_the_one_that_failed_is_told(run: Run, imported: Path) -> None:
    outcome = run("get", "kiln-log", "absent", "clay-mix", "--format", "json")
    assert outcome.error["metadata"]["position"] == "1"
    assert "name 2 of 3" in outcome.error["message"]


@pytest.mark.parametrize("line", ["list", "directory", "search zzyzx"])
def test_an_answer_without_skills_tells_how_a_run_may_see_more(
    run: Run, settings_file: Path, line: str
) -> None:
    outcome = run(*line.split())
    assert outcome.code == 0
    assert "--allow-tool" in outcome.err


@pytest.mark.parametrize("line", ["list", "directory", "search kiln"])
def test_what_only_the_budget_left_out_is_named_and_not_said_to_be_absent(
    run: Run, imported: Path, line: str
) -> None:
    outcome = run(*line.split(), "--max-tokens", "1")
    assert "left out by the budget: " in outcome.err
    assert "kiln-log" in outcome.err
    assert "no skill" not in outcome.err


def test_get_tells_the_sections_there_are(run: Run, imported: Path) -> None:
    (kept,) = run("get", "kiln-log", "--format", "json").json["skills"][0]["sections"]
    assert f"  --section {kept['id']}\n" in run("get", "kiln-log").err
    unknown = run("get", "kiln-log", "--section", kept["id"], "--section", "absent")
    assert unknown.code == 2
    assert "section id 2 of the 2 given is none of skill" in unknown.err
    assert f"it has: {kept['id']}" in unknown.err


@pytest.mark.parametrize("line", ["list", "directory", "search kiln"])
def test_an_empty_answer_says_so_on_standard_error(
    run: Run, settings_file: Path, line: str
) -> None:
    outcome = run(*line.split())
    assert (outcome.code, outcome.out) == (0, "")
    assert outcome.err.splitlines()[0].startswith("no skill ")


def test_a_budget_that_is_too_small_says_what_is_needed(run: Run, imported: Path) -> None:
    outcome = run("get", "kiln-log", "--max-tokens", "3", "--format", "json")
    assert (outcome.code, outcome.error["reason"]) == (6, "SKILL_TOO_LARGE")


def test_get_prints_the_block_alone_on_standard_output(run: Run, imported: Path) -> None:
    outcome = run("get", "kiln-log")
    assert outcome.out.strip() == run("get", "kiln-log", "--format", "json").json["text"].strip()
    assert "kilns:kiln-log: full" in outcome.err


def test_a_skill_that_needs_a_tool_shows_to_a_run_that_has_it(run: Run, imported: Path) -> None:
    assert run("get", "glaze-math").code == 4
    assert run("get", "glaze-math", "--allow-tool", "bash").code == 0


def test_lists_are_paged(run: Run, imported: Path) -> None:
    one = ("list", "--limit", "1", "--format", "json")
    first = run(*one).json
    second = run(*one, "--page-token", first["next_page_token"]).json
    names = [page["cards"][0]["card"]["qualified_name"] for page in (first, second)]
    assert names == ["kilns:clay-mix", "kilns:kiln-log"]


def test_get_as_json_tells_what_the_skill_declares(run: Run, folder: Path, imported: Path) -> None:
    declared = write_skill(folder / "more", "throw", "Throw a bowl, call ann@potters.org.")
    declared.write_text(
        declared.read_text().replace(
            "\n---\nDo",
            "\nallowed-tools: Read Bash(git:*)\nrequired_tools: Wheel\nrequired_namespaces: studio"
            "\nrequired_tags: wet\nglaze: none\n---\nDo",
        )
    )
    assert run("import", str(folder / "more")).code == 0
    allowed = ("--allow-tool", "Wheel", "--allow-namespace", "studio", "--allow-tag", "wet")
    answer = run("get", "throw", *allowed, "--format", "json").json
    (got,) = answer["skills"]
    assert answer["redactions"] == 1
    assert {name: got[name] for name in got if name.startswith(("req", "meta", "hidden"))} == {
        "metadata": {"glaze": "none"},
        "required_tools": ["Wheel"],
        "required_namespaces": ["studio"],
        "required_tags": ["wet"],
        "hidden_runs": 0,
    }
    assert got["allowed_tools_declaration"] == "declared"
    assert len(got["allowed_tools"]) == 2


def test_snippets_come_when_asked_for(run: Run, imported: Path) -> None:
    def snippets(*flags: str) -> list[str]:
        found = run("search", "note it", "--format", "json", *flags).json["hits"]
        return [hit["snippet"] for hit in found]

    assert not any(snippets())
    assert "Note it" in snippets("--snippets")[0]


def test_export_gives_the_file_back_and_changes_none_that_is_there(
    run: Run, folder: Path, imported: Path
) -> None:
    assert run("export", "kiln-log", "--to", "out").code == 0
    written = (folder / "out" / "SKILL.md").read_bytes()
    assert written == (imported / "kiln-log" / "SKILL.md").read_bytes()
    again = run("export", "kiln-log", "--to", "out")
    assert (again.code, again.err.split(":")[0]) == (2, "INVALID_PACK")


@pytest.mark.parametrize("name", ["kiln-log", "kilns:kiln-log"])
def test_export_makes_a_folder_of_the_skills_name_and_takes_none_that_is_there(
    run: Run, folder: Path, imported: Path, name: str
) -> None:
    told = run("export", name, "--format", "json")
    assert told.json == {"written": ["kiln-log/SKILL.md"]}
    written = (folder / "kiln-log" / "SKILL.md").read_bytes()
    assert written == (imported / "kiln-log" / "SKILL.md").read_bytes()
    (folder / "kiln-log" / "SKILL.md").unlink()
    again = run("export", name, "--format", "json")
    assert (again.code, again.error["reason"]) == (2, "INVALID_PACK")
    assert "--to" in again.error["message"]
    assert list((folder / "kiln-log").iterdir()) == []


def test_a_proposal_lives_through_its_revisions(
    run: Run, folder: Path, settings_file: Path
) -> None:
    file = folder / "learned.md"
    file.write_text("---\nname: cool-down\ndescription: Cool a kiln.\n---\nFirst.")
    first = run("propose", str(file), "--format", "json").json
    assert (first["change"], first["scope"]) == ("added", "user")
    assert run("propose", str(file), "--format", "json").json["change"] == "unchanged"
    file.write_text(file.read_text() + " Second.")
    refused = run("propose", str(file), "--format", "json")
    assert (refused.code, refused.error["reason"]) == (5, "CONTENT_HASH_MISMATCH")
    first_hash = first["card"]["content_hash"]
    changed = run(
        "propose", str(file), "--expected-content-hash", first_hash, "--format", "json"
    ).json
    assert changed["change"] == "updated"
    revisions = run("history", "cool-down", "--format", "json").json["revisions"]
    assert [revision["content_hash"] for revision in revisions][-1] == first_hash
    assert [revision["revision"] for revision in revisions] == list(range(len(revisions), 0, -1))
    earlier = run("get", "cool-down", "--content-hash", first_hash)
    assert ("First." in earlier.out, "Second." in earlier.out) == (True, False)
    second_hash = changed["card"]["content_hash"]
    assert (
        run("rollback", "cool-down", first_hash, "--expected-content-hash", second_hash).code == 0
    )
    assert "First." in run("get", "cool-down").out
    assert run("promote", "cool-down", "--scope", "tenant").code == 0
    assert run("delete", "cool-down", "--purge").code == 0
    assert run("get", "cool-down").code == 4


def test_a_proposal_that_is_no_skill_is_refused(
    run: Run, folder: Path, settings_file: Path
) -> None:
    (folder / "empty.md").write_text("---\nname: nothing\n---\n")
    for path in ("empty.md", "absent.md"):
        outcome = run("propose", path, "--format", "json")
        assert (outcome.code, outcome.error["reason"]) == (2, "INVALID_SKILL")


def test_pinned_skills_head_the_directory(run: Run, imported: Path) -> None:
    assert run("pin", "clay-mix").code == 0
    cards = run("directory", "--format", "json").json["cards"]
    assert cards[0]["card"]["qualified_name"] == "kilns:clay-mix"


def test_the_audit_trail_names_who_did_what_and_holds(run: Run, imported: Path) -> None:
    events = run("audit", "--format", "json").json["events"]
    assert {"ann"} == {event["user"] for event in events}
    assert "skill_put" in {event["action"] for event in events} or "pack_import" in {
        event["action"] for event in events
    }
    verified = run("audit", "--verify", "--format", "json")
    assert (verified.code, verified.json) == (0, {"whole": True, "first_broken_line": None})


def test_validate_needs_no_identity_and_writes_nothing(
    run: Run, folder: Path, tmp_path: Path
) -> None:
    write_skill(folder / "draft", "wedge", "Wedge clay: no air.")
    relaxed = run("validate", "draft", "--format", "json")
    assert (relaxed.code, relaxed.json["found"]) == (0, 1)
    assert relaxed.json["diagnostics"][0]["code"] == "yaml-repaired"
    assert run("validate", "draft", "--strict").code == 2
    sarif = json.loads(run("validate", "draft", "--format", "sarif").out)
    assert sarif["runs"][0]["results"][0]["ruleId"] == "yaml-repaired"
    assert not (tmp_path / "data").exists()


def test_validate_takes_several_packs_and_says_where_each_finding_is(
    run: Run, folder: Path
) -> None:
    write_skill(folder / "draft", "wedge", "Wedge clay: no air.")
    write_skill(folder / "draft", "fire", "Fire it: slowly.")
    file = write_skill(folder / "other", "trim", "Trim a foot: leave a ring.")
    paths = ("draft", "absent", str(file.relative_to(folder)))
    told = run("validate", *paths)
    assert told.code == 1
    assert told.err.startswith("INVALID_PACK: ")
    assert [line.partition(":")[0] for line in told.out.splitlines()] == [
        "draft/fire/SKILL.md",
        "draft/wedge/SKILL.md",
        "other/trim/SKILL.md",
        "3 skills, 0 refused",
    ]
    as_json = run("validate", *paths, "--format", "json").json
    assert (as_json["found"], len(as_json["diagnostics"])) == (3, 3)
    assert run("validate", "draft", "other").code == 0
    assert run("validate", "draft", "other", "--strict").code == 2


def test_a_skill_on_standard_input_is_validated_under_no_path(run: Run) -> None:
    text = "---\nname: wedge\ndescription: Wedge clay: no air.\n---\nDo it.\n"
    told = run("validate", "-", input=text)
    assert told.out.startswith("SKILL.md:3: ")


def test_two_lines_of_json_are_two_values(run: Run, imported: Path) -> None:
    lines = run("list", "--format", "json").out + run("search", "kiln", "--format", "json").out
    assert [sorted(json.loads(line))[0] for line in lines.splitlines()] == ["cards", "hits"]


def test_a_skill_cannot_drive_the_terminal(run: Run, folder: Path, settings_file: Path) -> None:
    write_skill(folder / "loud", "loud", '"Clear \\e[2J the \\e]0;owned\\a screen."')
    assert run("import", "loud").code == 0
    for line in ("list", "search clear", "validate loud"):
        outcome = run(*line.split())
        assert "\x1b" not in outcome.out + outcome.err


def test_a_store_of_an_unknown_kind_is_refused(run: Run, folder: Path) -> None:
    (folder / "skillcatalog.toml").write_text(f'store = "papyrus://shelf"\n{IDENTITY}')
    outcome = run("list", "--format", "json")
    assert (outcome.code, outcome.error["reason"]) == (2, "INVALID_CONFIGURATION")


def test_a_store_that_cannot_be_opened_is_unavailable(run: Run, folder: Path) -> None:
    (folder / "skillcatalog.toml").write_text(f'store = "sqlite:///no/such/a.db"\n{IDENTITY}')
    outcome = run("list", "--format", "json")
    assert (outcome.code, outcome.error["reason"]) == (7, "STORE_UNAVAILABLE")
    (folder / "text.db").write_text("this is no database, however one opens it" * 40)
    other = run("list", "--format", "json", "--store", "sqlite:///text.db")
    assert (other.code, other.error["reason"]) == (7, "STORE_UNAVAILABLE")


def test_doctor_finds_a_damaged_index_and_repairs_it(
    run: Run, folder: Path, imported: Path
) -> None:
    whole = run("doctor", "--format", "json")
    assert (whole.code, whole.json["found"]) == (0, [])
    with closing(sqlite3.connect(folder / "skills.db")) as database:
        database.execute("UPDATE scope SET documents = documents + 5 WHERE documents > 0")
        database.commit()
    damaged = run("doctor", "--format", "json")
    assert damaged.code == 1
    assert {finding["what"] for finding in damaged.json["remaining"]} == {"count"}
    repaired = run("doctor", "--repair", "--format", "json")
    assert (repaired.code, repaired.json["remaining"]) == (0, [])
    assert run("doctor").code == 0


def test_a_copy_answers_as_its_source(run: Run, imported: Path) -> None:
    outcome = run("copy", "--to", "sqlite:///copy.db", "--format", "json")
    assert (outcome.code, outcome.json["disagreements"]) == (0, [])
    search = ("search", "track oven temperatures", "--format", "json")
    assert run(*search, "--store", "sqlite:///copy.db") == run(*search)
    refused = run("copy", "--store", "memory:", "--to", "memory:", "--format", "json")
    assert (refused.code, refused.error["reason"]) == (2, "INVALID_CONFIGURATION")


def test_quickstart_refuses_a_file_where_its_folder_should_be(run: Run, folder: Path) -> None:
    (folder / "taken").write_text("")
    outcome = run("quickstart", "--folder", "taken", "--once")
    assert (outcome.code, outcome.err.split(":")[0]) == (2, "INVALID_CONFIGURATION")
