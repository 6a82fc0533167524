"""An import that is killed leaves the catalog as it was before; the next one completes it."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from catalog.catalog import Catalog
from catalog.identity import Identity, Role
from catalog.requests import ListRequest
from importer.importing import import_pack

SKILLS = 60
IDENTITY = Identity("acme", "ada", "s1", roles=frozenset({Role.IMPORTER, Role.READER}))
PROGRAM = """
import pathlib, sys
from catalog.catalog import Catalog
from catalog.identity import Identity, Role
from importer.importing import import_pack
identity = Identity("acme", "ada", "s1", roles=frozenset({Role.IMPORTER}))
catalog = Catalog.open(sys.argv[1])
def progress(done, total):
    print(done, flush=True)
import_pack(catalog, identity, pathlib.Path(sys.argv[2]), progress=progress)
"""


def write_version(pack: Path, version: int) -> None:
    for number in range(SKILLS):
        folder = pack / f"skill-{number:02}"
        folder.mkdir(parents=True, exist_ok=True)
        text = f"---\nname: skill-{number:02}\ndescription: Version {version}\n---\n# Steps\nGo.\n"
        (folder / "SKILL.md").write_text(text)


def descriptions(url: str) -> list[str]:
    catalog = Catalog.open(url)
    cards = catalog.list(IDENTITY, ListRequest()).cards
    catalog.close()
    return [listed.card.description for listed in cards]


@pytest.mark.parametrize("done", [1, SKILLS // 2, SKILLS])
def test_a_killed_import_is_not_seen_and_can_be_repeated(done: int, tmp_path: Path) -> None:
    url, pack = f"sqlite:///{tmp_path / 'catalog.db'}", tmp_path / "pack"
    catalog = Catalog.open(url)
    write_version(pack, 1)
    import_pack(catalog, IDENTITY, pack)
    catalog.close()
    write_version(pack, 2)

    child = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, url, str(pack)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        text=True,
    )
    assert child.stdout is not None
    for line in child.stdout:
        if int(line) == done:
            child.send_signal(signal.SIGKILL)
            break
    child.wait()
    child.stdout.close()

    assert len(set(descriptions(url))) == 1
    catalog = Catalog.open(url)
    import_pack(catalog, IDENTITY, pack)
    catalog.close()
    assert descriptions(url) == ["Version 2"] * SKILLS
