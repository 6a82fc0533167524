"""From nothing to a served catalog: an identity, the starter pack, a server, a first answer."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path

import grpc

from catalog.catalog import Catalog
from catalog.errors import InvalidConfiguration
from catalog.identity import Identity
from importer.importing import Progress, import_pack
from importer.report import ImportReport
from server.configuration import FILE_NAME
from server.serving import serve
from server.settings import ServerSettings
from skillcatalog.v1 import skillcatalog_pb2 as pb
from skillcatalog.v1 import skillcatalog_pb2_grpc as rpc

STARTER_PACK = "starter"
FIRST_QUERY = "turn the notes of our meeting into tasks with owners"
FIRST_BUDGET = 400

_LOCAL_IDENTITY = """\
# Written by `skillcatalog quickstart`: a catalog beside this file, for whoever may read it.
# Flags and SKILLCATALOG_* variables win over it; `skillcatalog config` shows what counts.
store = "sqlite:///skillcatalog.db"
tenant = "local"
user = "local-user"
session = "local-session"
roles = ["admin"]
"""


@dataclass(frozen=True, slots=True)
class FirstAnswers:
    """What the server said to its first caller, over a real channel."""

    port: int
    found: pb.SkillSearchResponse
    got: pb.SkillGetResponse


def write_local_identity(folder: Path) -> bool:
    """Write a skillcatalog.toml, unless the folder has one. Says whether it did.

    Raises:
        InvalidConfiguration: the folder cannot be made or written to.
    """
    if (folder / FILE_NAME).exists():
        return False
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / FILE_NAME).open("x", encoding="utf-8") as file:
            file.write(_LOCAL_IDENTITY)
    except OSError as error:
        raise InvalidConfiguration(
            f"quickstart cannot write into '{folder}': {error.strerror}", field="folder"
        ) from error
    return True


def import_starter_pack(catalog: Catalog, identity: Identity, progress: Progress) -> ImportReport:
    with as_file(files("server") / "starter_pack") as folder:
        return import_pack(catalog, identity, folder, pack_name=STARTER_PACK, progress=progress)


def serve_and_show(
    catalog: Catalog,
    identity: Identity,
    port: int,
    show: Callable[[FirstAnswers], None],
    once: bool,
) -> None:
    """Serve on loopback, ask a first search and get, show them, and go on serving.

    Args:
        port: 0 takes a free one.
        show: called from a thread of its own while the server runs.
        once: stop when it has shown.

    Raises:
        InvalidConfiguration: the port is taken.
        grpc.RpcError: the server did not answer its first caller.
    """
    settings = ServerSettings(
        port=port, insecure_identity=True, log_level="warning", lame_duck_seconds=0.0
    )
    shown: list[Future[None]] = []

    def ask_and_show(port: int) -> None:
        succeeded = False
        try:
            show(_first_answers(port, identity))
            succeeded = True
        finally:
            if once or not succeeded:
                # As Ctrl-C or an operator would: the server drains and returns.
                os.kill(os.getpid(), signal.SIGTERM)

    with ThreadPoolExecutor(1) as asking:
        serve(catalog, settings, lambda port: shown.append(asking.submit(ask_and_show, port)))
    for asked in shown:
        asked.result()


def _first_answers(port: int, identity: Identity) -> FirstAnswers:
    metadata = (
        ("x-skillcatalog-tenant", identity.tenant),
        ("x-skillcatalog-user", identity.user),
        ("x-skillcatalog-session", identity.session),
    )
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        stub = rpc.SkillCatalogStub(channel)
        found = stub.SkillSearch(
            pb.SkillSearchRequest(query=FIRST_QUERY, limit=3), metadata=metadata, timeout=30
        )
        first = [hit.card.qualified_name for hit in found.hits[:1]]
        got = stub.SkillGet(
            pb.SkillGetRequest(names=first, max_tokens=FIRST_BUDGET), metadata=metadata, timeout=30
        )
    return FirstAnswers(port, found, got)
