"""The container is built from a lock alone, so nothing that the package needs may lack there."""

from __future__ import annotations

import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]


def test_the_lock_holds_every_dependency_in_a_version_that_is_allowed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["postgres"]]
    lines = (ROOT / "deploy" / "requirements.lock").read_text().splitlines()
    pinned = dict(line.split("==") for line in lines if "==" in line)
    versions = {canonicalize_name(name): version for name, version in pinned.items()}
    for requirement in map(Requirement, wanted):
        version = versions.get(canonicalize_name(requirement.name))
        assert version, f"{requirement.name} is not in the lock"
        assert requirement.specifier.contains(version), f"{requirement} against {version}"
