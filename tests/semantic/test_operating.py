"""The command line around embedders: import, search, reindex, doctor and settings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from server.command_line.application import app
from server.command_line.exit_codes import ExitCode

RUN = CliRunner()
WHO = ["--tenant", "acme", "--user", "ann", "--session", "s1", "--roles", "admin"]


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a pack, a configuration, and an embedder of another package."""
    installed = tmp_path / "installed"
    folder = installed / "theirs-1.0.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text(
        "[skillcatalog.embedders]\nhashing = tests.semantic.test_operating:hashing\n"
    )
    monkeypatch.syspath_prepend(str(installed))
    for name, about in (("brick", "Build a masonry wall"), ("cello", "Tune music strings")):
        (tmp_path / "pack" / name).mkdir(parents=True)
        (tmp_path / "pack" / name / "SKILL.md").write_text(
            f"---\nname: {name}\ndescription: {about}\n---\n# {name}\n\nHow to.\n"
        )
    (tmp_path / "skillcatalog.toml").write_text(
        'store = "sqlite:///skills.db"\nembedder = "hashing"\nembedder_model = "1"\n'
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def hashing(settings):  # type: ignore[no-untyped-def]
    from tests.semantic.hashing_embedder import HashingEmbedder

    return HashingEmbedder(int(settings.model))


def run(*arguments: str, code: int = 0) -> dict[str, object]:
    result = RUN.invoke(app, [*arguments, "--format", "json"])
    assert result.exit_code == code, result.output
    return json.loads(result.stdout.splitlines()[-1]) if result.stdout else {}


def test_an_import_embeds_and_prints_its_rate(workplace: Path) -> None:
    result = RUN.invoke(app, ["import", "pack", *WHO])
    assert "embedded 2 skills" in result.output
    assert "texts/s" in result.output
    found = run("search", "masonry wall", "--mode", "semantic", *WHO)
    assert found["hits"][0]["card"]["name"] == "brick"  # type: ignore[index]


def test_reindexing_for_another_model_switches_searches_to_it(workplace: Path) -> None:
    run("import", "pack", *WHO)
    done = run("reindex", "--embedder-model", "2")
    assert done["skills"] == 2
    result = RUN.invoke(app, ["search", "masonry wall", "--mode", "semantic", *WHO])
    assert result.exit_code == ExitCode.PRECONDITION
    assert "EMBEDDINGS_STALE" in result.output
    checked = run("doctor")
    assert checked["embedding"] == {
        "space": "hashing-2 · 64 dimensions · texts 1",
        "embedded": 2,
        "entries": 2,
    }
    assert run("reindex", "--embedder-model", "2")["skills"] == 0


def test_a_model_that_is_missing_stops_no_import_and_no_ladder(
    workplace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SKILLCATALOG_EMBEDDER", "sentence-transformers")
    monkeypatch.setenv("SKILLCATALOG_EMBEDDER_MODEL", "./absent")
    result = RUN.invoke(app, ["import", "pack", *WHO])
    assert result.exit_code == 0
    assert "imported, but not embedded" in result.output
    assert "there is no model folder 'absent'" in result.output
    assert run("search", "masonry wall", *WHO)["hits"]
    failed = RUN.invoke(app, ["search", "masonry wall", "--mode", "hybrid", *WHO])
    assert "EMBEDDER_UNAVAILABLE" in failed.output
    assert "there is no model folder 'absent'" in failed.output


def test_doctor_says_how_far_embedding_is(workplace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("import", "pack", *WHO)
    (workplace / "pack" / "drum").mkdir()
    (workplace / "pack" / "drum" / "SKILL.md").write_text("---\nname: drum\n---\nBeat it.\n")
    with monkeypatch.context() as away:
        away.setenv("SKILLCATALOG_EMBEDDER", "sentence-transformers")
        away.setenv("SKILLCATALOG_EMBEDDER_MODEL", "./absent")
        run("import", "pack", *WHO)
    shown = RUN.invoke(app, ["doctor"])
    assert "2 of 3 skills have vectors of hashing-1" in shown.output
    run("import", "pack", *WHO)
    assert "3 of 3 skills" in RUN.invoke(app, ["doctor"]).output


def test_the_key_of_an_endpoint_is_never_printed(
    workplace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SKILLCATALOG_EMBEDDER_API_KEY", "k-very-secret")
    assert "k-very-secret" not in RUN.invoke(app, ["config"]).output
