"""What `validate` says, for people, for programs and for code review."""

import json
from pathlib import Path

import pytest

from importer.diagnostics import CODES
from importer.validation import Validation, as_json, as_sarif, as_text, validate


@pytest.fixture
def validation(tmp_path: Path) -> Validation:
    (tmp_path / "my kiln").mkdir()
    (tmp_path / "my kiln/SKILL.md").write_text("---\nname: kiln\ndescription: a: b\n---\nBody\n")
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad/SKILL.md").write_bytes(b"ok\n\xa1")
    return validate(tmp_path)


def test_text_has_one_line_a_finding_and_the_counts(validation: Validation) -> None:
    lines = list(as_text(validation))

    assert lines[0].startswith("bad/SKILL.md:2: error: byte 3 (0xA1) is not UTF-8 [")
    assert lines[1].startswith("my kiln/SKILL.md:3: warning: 'description' has a colon")
    assert lines[-1] == "2 skills, 1 refused"


def test_json_has_every_diagnostic_whole(validation: Validation) -> None:
    document = json.loads(json.dumps(as_json(validation)))

    assert (document["found"], document["refused"], document["exit_code"]) == (2, 1, 1)
    assert set(document["diagnostics"][0]) == {
        "code",
        "severity",
        "message",
        "path",
        "line",
        "action",
    }


def test_sarif_has_a_rule_for_every_code_and_a_place_for_every_result(
    validation: Validation,
) -> None:
    log = json.loads(json.dumps(as_sarif(validation, "1.2.3")))

    (run,) = log["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert log["version"] == "2.1.0"
    assert set(rules) <= set(CODES)
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in ("note", "warning", "error")
    place = run["results"][1]["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": "my%20kiln/SKILL.md"}, "region": {"startLine": 3}}


def test_a_strict_validation_refuses_what_a_strict_import_would(tmp_path: Path) -> None:
    (tmp_path / "SKILL.md").write_text("---\nname: kiln\ndescription: d\nversion: 1\n---\nBody\n")

    assert validate(tmp_path, strict=False).refused == 0
    assert validate(tmp_path, strict=True).exit_code == 2


def test_a_stream_is_validated_without_a_name() -> None:
    source = b"---\nname: kiln\ndescription: d\n---\nBody\n"

    assert validate(source, strict=True) == Validation(1, 0, ())
