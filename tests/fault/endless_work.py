"""Work that never ends, each in a process of its own: what the kill tests kill.

Each says on its pipe when it begins, and then whatever it was told is done.
"""

from __future__ import annotations

from itertools import count, cycle
from multiprocessing.connection import Connection
from pathlib import Path

from catalog.catalog import Catalog
from catalog.lifecycle import ProposeRequest
from importer.importing import import_pack
from tests.semantic.hashing_embedder import HashingEmbedder
from tests.written_skills import identity, written_skill

BEGUN = "begun"


def import_packs(said: Connection, url: str, *folders: Path) -> None:
    """One version of a pack after the other."""
    catalog = Catalog.open(url)
    said.send(BEGUN)
    for folder in cycle(folders):
        import_pack(catalog, identity(), folder, pack_name="tools")


def propose(said: Connection, url: str, task: str) -> None:
    """New skills for a task, each changed once; says the number of each write that was accepted."""
    catalog = Catalog.open(url)
    said.send(BEGUN)
    present = ""
    for number in count():
        name = f"{task}-{number // 2}"
        skill = written_skill(name, f"Version {number % 2} of {name}", pack=None)
        expected = present if number % 2 else ""
        request = ProposeRequest(skill, expected_content_hash=expected)
        present = catalog.propose(identity(), request).card.content_hash
        said.send(number)


def reindex(said: Connection, url: str) -> None:
    """From one model to the other and back; says the seed of each that was switched to."""
    catalog = Catalog.open(url)
    said.send(BEGUN)
    for seed in cycle((2, 1)):
        catalog.reindex(HashingEmbedder(seed))
        said.send(seed)
