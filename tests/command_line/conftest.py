"""A folder, an environment and a user's data folder of their own for every test."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from server.command_line.application import app

IDENTITY = 'tenant = "pottery"\nuser = "ann"\nsession = "s1"\n'


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def error(self) -> Any:
        """The error that a program reads."""
        return json.loads(self.err)["error"]


Run = Callable[..., Outcome]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder; no settings from outside the test."""
    for name in list(os.environ):
        if name.startswith("SKILLCATALOG_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    return here


@pytest.fixture
def run() -> Run:
    """Runs the command line in this process."""

    def run_command(*arguments: str, input: str | bytes | None = None) -> Outcome:
        result = CliRunner().invoke(app, list(arguments), input=input)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Outcome(result.exit_code, result.stdout, result.stderr)

    return run_command


@pytest.fixture
def settings_file(folder: Path) -> Path:
    """A skillcatalog.toml with an importer and author on a store beside it."""
    file = folder / "skillcatalog.toml"
    file.write_text(f'store = "sqlite:///skills.db"\nroles = ["admin"]\n{IDENTITY}')
    return file


def write_skill(folder: Path, name: str, description: str, body: str = "Do it.\n") -> Path:
    file = folder / name / "SKILL.md"
    file.parent.mkdir(parents=True)
    file.write_text(f"---\nname: {name}\ndescription: {description}\n---\n{body}")
    return file


@pytest.fixture
def pack(folder: Path) -> Path:
    """Three skills; one of them needs a tool."""
    pack = folder / "kilns"
    write_skill(
        pack, "kiln-log", "Track oven temperatures with baking times.", "# Steps\n\n1. Note it.\n"
    )
    write_skill(pack, "clay-mix", "Mix clay bodies by weight.")
    glaze = write_skill(pack, "glaze-math", "Compute glaze recipes.")
    glaze.write_text(glaze.read_text().replace("\n---\nDo", "\nrequired_tools: Bash\n---\nDo"))
    return pack
