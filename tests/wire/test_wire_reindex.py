"""Servers of the old and of the new model on one store, while it is reindexed under them."""

from __future__ import annotations

import time
from pathlib import Path

import grpc
import pytest

from catalog.catalog import Catalog
from skillcatalog.v1 import skillcatalog_pb2 as pb
from skillcatalog.v1.skillcatalog_pb2_grpc import SkillCatalogStub
from tests.wire.conftest import Serve, archive, caller, port_of, refused, skill_text

pytest.importorskip("faiss")

ANN = caller("acme")
OLD, NEW = 1, 2
SOON_SECONDS = 30


def hashing(settings):  # type: ignore[no-untyped-def]
    """An embedder of another package, as its entry point makes it."""
    from tests.semantic.hashing_embedder import HashingEmbedder

    return HashingEmbedder(int(settings.model))


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "installed" / "theirs-1.0.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text(
        "[skillcatalog.embedders]\nhashing = tests.wire.test_wire_reindex:hashing\n"
    )
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2]))
    monkeypatch.syspath_prepend(str(folder.parent))


def imported(stub: SkillCatalogStub, pack: str, names: list[str]) -> None:
    files = {f"{name}/SKILL.md": skill_text(name, f"Weigh parcel {name}") for name in names}
    parts = [
        pb.PackImportRequest(start=pb.PackImportRequest.Start(pack_name=pack)),
        pb.PackImportRequest(chunk=archive(files)),
    ]
    assert list(stub.PackImport(iter(parts), metadata=ANN))[-1].report.added == len(names)


def nearest(stub: SkillCatalogStub, query: str) -> str:
    """The name that a search by meaning finds first, or why there was no answer."""
    request = pb.SkillSearchRequest(query=query, mode=pb.SEARCH_MODE_SEMANTIC)
    try:
        found = stub.SkillSearch(request, metadata=ANN, timeout=20)
    except grpc.RpcError as error:
        return refused(error).reason
    return found.hits[0].card.name if found.hits else ""


def soon(stub: SkillCatalogStub, name: str) -> str:
    """What is found by its name's words once the vectors of what was written are there."""
    deadline = time.monotonic() + SOON_SECONDS
    while (found := nearest(stub, f"parcel {name}")) != name and time.monotonic() < deadline:
        time.sleep(0.05)
    return found


@pytest.mark.usefixtures("installed")
def test_a_server_of_the_old_model_answers_up_to_the_switch_and_one_of_the_new_from_it_on(
    serve: Serve, tmp_path: Path
) -> None:
    from tests.semantic.hashing_embedder import HashingEmbedder

    def started(model: int) -> SkillCatalogStub:
        settings = f'embedder = "hashing"\nembedder_model = "{model}"\n'
        (tmp_path / "skillcatalog.toml").write_text(settings)
        process = serve("--port", "0")
        return SkillCatalogStub(grpc.insecure_channel(f"127.0.0.1:{port_of(process)}"))

    old = started(OLD)
    imported(old, "parcels", [f"p{number}x" for number in range(150)])
    assert soon(old, "p77x") == "p77x"
    new = started(NEW)
    assert nearest(new, "parcel p77x") == "EMBEDDINGS_STALE"

    answers = []

    def watch(_filled: object) -> None:
        number = len(answers)
        answers.append((nearest(old, f"parcel p{number}x"), nearest(new, f"parcel p{number}x")))
        if not number:
            imported(old, "late", ["p900x"])

    catalog = Catalog.open(f"sqlite:///{tmp_path / 'skills.db'}")
    filled = catalog.reindex(HashingEmbedder(NEW), watch)
    assert filled.skills == 151, "a waiting server leaves the work to the reindex"
    assert answers == [(f"p{n}x", "EMBEDDINGS_STALE") for n in range(len(answers))]
    assert len(answers) >= 3

    assert nearest(old, "parcel p100x") == "EMBEDDINGS_STALE"
    assert nearest(new, "parcel p100x") == "p100x"
    assert nearest(new, "parcel p900x") == "p900x", "written while the reindex ran"
    imported(old, "later", ["p901x"])
    assert soon(new, "p901x") == "p901x", "written behind the switch by the old server"
    assert catalog.store.check() == []
    progress = catalog.store.embedding_progress(space(OLD))
    assert progress.embedded == 0, "the old server makes no vectors that nobody reads"
    catalog.close()


def space(model: int):  # type: ignore[no-untyped-def]
    from catalog.embedding import space_of
    from tests.semantic.hashing_embedder import HashingEmbedder

    return space_of(HashingEmbedder(model))
