"""A change is dropped, whole, when its caller waits no longer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from catalog.catalog import Catalog
from catalog.errors import DeadlineExceeded
from catalog.lifecycle import DeleteRequest, ProposeRequest
from catalog.requests import ListRequest
from catalog.scope import ScopeKind
from importer.importing import import_pack
from tests.written_skills import identity, written_skill

ANN = identity()


@dataclass
class Waiting:
    """A caller who waits so many seconds, and is asked so often before it has gone."""

    seconds_left: float | None
    questions: int = 1_000_000

    def __call__(self) -> None:
        self.questions -= 1
        if self.questions < 0:
            raise DeadlineExceeded("the deadline passed")


def put(catalog: Catalog, name: str, description: str = "") -> None:
    with catalog.pack_writer(ANN, ScopeKind.TENANT, "tools") as pack:
        pack.put(written_skill(name, description), {})


def names(catalog: Catalog) -> list[str]:
    return [card.card.qualified_name for card in catalog.list(ANN, ListRequest()).cards]


def propose(catalog: Catalog, waiting: Waiting) -> None:
    catalog.propose(ANN, ProposeRequest(written_skill("glaze", pack=None)), "", waiting)


def delete(catalog: Catalog, waiting: Waiting) -> None:
    catalog.delete(ANN, DeleteRequest("tools:kiln"), "", waiting)


def put_one(catalog: Catalog, waiting: Waiting) -> None:
    with catalog.pack_writer(ANN, ScopeKind.TENANT, "tools", checkpoint=waiting) as pack:
        pack.put(written_skill("wheel"), {})


CHANGES = [propose, delete, put_one]


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_waits_for_another_writer_no_longer_than_its_caller(
    catalog: Catalog, change: Callable[[Catalog, Waiting], None]
) -> None:
    put(catalog, "kiln")
    with (
        catalog.pack_writer(ANN, ScopeKind.TENANT, "tools"),
        pytest.raises(DeadlineExceeded, match="another writer did not end in time"),
    ):
        change(catalog, Waiting(seconds_left=0.1))
    assert names(catalog) == ["tools:kiln"]
    change(catalog, Waiting(seconds_left=None))
    assert names(catalog) != ["tools:kiln"]


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_whose_caller_has_gone_before_the_commit_did_not_happen(
    catalog: Catalog, change: Callable[[Catalog, Waiting], None]
) -> None:
    put(catalog, "kiln")
    with pytest.raises(DeadlineExceeded):
        change(catalog, Waiting(seconds_left=None, questions=0))
    assert names(catalog) == ["tools:kiln"]


def test_an_import_ends_at_the_skill_behind_which_its_caller_has_gone(
    catalog: Catalog, tmp_path: Path
) -> None:
    for number in range(4):
        folder = tmp_path / f"glaze-{number}"
        folder.mkdir()
        (folder / "SKILL.md").write_text(f"---\ndescription: Glaze {number}.\n---\n# Do it\n")
    done = []
    with pytest.raises(DeadlineExceeded):
        import_pack(
            catalog,
            ANN,
            tmp_path,
            progress=lambda skills, _of: done.append(skills),
            checkpoint=Waiting(seconds_left=None, questions=2),
        )
    assert done == [1, 2, 3]
    assert names(catalog) == []
