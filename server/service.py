"""The RPCs: a message in, one method of the catalog on a thread, a message out."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any, TypeVar

from catalog.catalog import Catalog
from catalog.errors import InvalidSkill
from catalog.scope import ScopeKind
from importer.importing import import_pack
from importer.report import ImportReport
from server.call import Call
from server.messages import answers, requests
from server.messages.proposals import propose_request
from server.messages.words import SCOPE_OF, capability, needed, word
from server.metrics import Metrics
from server.settings import Limits
from server.structured_logs import query_for_logs
from server.uploads import Uploads, pack_name, start_of
from server.work_lane import WorkLane
from skillcatalog.v1 import skillcatalog_pb2 as pb

T = TypeVar("T")

_SECONDS_BETWEEN_PROGRESS = 0.25


class SkillCatalogService:
    """The methods have the names of their RPCs; `server.endpoints` puts them behind the door.

    Args:
        work: the lane of everything but imports.
        imports: the lane of imports, which take long and must hold up nothing else.
    """

    def __init__(
        self,
        catalog: Catalog,
        *,
        work: WorkLane,
        imports: WorkLane,
        limits: Limits,
        metrics: Metrics,
        log_level: str,
    ) -> None:
        self._catalog = catalog
        self._work = work
        self._imports = imports
        self._limits = limits
        self._uploads = Uploads(limits)
        self._metrics = metrics
        self._log_level = log_level
        self._search_answers = answers.SearchAnswers()

    async def SkillSearch(self, message: pb.SkillSearchRequest, call: Call) -> bytes:
        call.note["query"] = query_for_logs(message.query, self._log_level)
        request = requests.search_request(message)
        answer = await self._run(
            call, lambda: self._catalog.search(call.identity, request, call.checkpoint)
        )
        self._metrics.searched(answer)
        return self._search_answers.encoded(answer, call.request_id)

    async def SkillGet(self, message: pb.SkillGetRequest, call: Call) -> pb.SkillGetResponse:
        request = requests.get_request(message)
        answer = await self._run(
            call, lambda: self._catalog.get(call.identity, request, call.checkpoint)
        )
        self._metrics.got(answer)
        return answers.get_answer(answer, call.request_id)

    async def SkillList(self, message: pb.SkillListRequest, call: Call) -> pb.SkillListResponse:
        request = requests.list_request(message)
        answer = await self._run(
            call, lambda: self._catalog.list(call.identity, request, call.checkpoint)
        )
        self._metrics.served(call.rpc, answer.tokens)
        return answers.list_answer(answer, call.request_id)

    async def SkillDirectory(
        self, message: pb.SkillDirectoryRequest, call: Call
    ) -> pb.SkillDirectoryResponse:
        request = requests.directory_request(message)
        answer = await self._run(
            call, lambda: self._catalog.directory(call.identity, request, call.checkpoint)
        )
        self._metrics.served(call.rpc, answer.tokens)
        return answers.directory_answer(answer, call.request_id)

    async def ArtifactGet(
        self, message: pb.ArtifactGetRequest, call: Call
    ) -> AsyncIterator[pb.ArtifactGetResponse]:
        allowed = capability(message.capability)
        reference = needed(message.reference, "reference")
        data = await self._run(
            call, lambda: self._catalog.artifact(call.identity, reference, allowed)
        )
        for at in range(0, max(len(data), 1), self._limits.chunk_bytes):
            yield pb.ArtifactGetResponse(
                chunk=data[at : at + self._limits.chunk_bytes],
                total_size=0 if at else len(data),
            )

    async def SkillExport(
        self, message: pb.SkillExportRequest, call: Call
    ) -> AsyncIterator[pb.SkillExportResponse]:
        allowed = capability(message.capability)
        name = needed(message.name, "name")
        files = await self._run(call, lambda: self._catalog.export(call.identity, name, allowed))
        for file in files:
            for at in range(0, max(len(file.data), 1), self._limits.chunk_bytes):
                yield pb.SkillExportResponse(
                    path="" if at else file.path,
                    chunk=file.data[at : at + self._limits.chunk_bytes],
                )

    async def PackImport(
        self, parts: AsyncIterator[pb.PackImportRequest], call: Call
    ) -> AsyncIterator[pb.PackImportResponse]:
        parts = aiter(parts)
        start = await start_of(parts, self._limits)
        scope = word(SCOPE_OF, start.scope, "scope", ScopeKind.TENANT)
        with self._uploads.file(call.identity.tenant) as file:
            async for received in self._uploads.receive(parts, file):
                yield _progress(call, bytes_received=received)
            done = [0]

            def count(skills: int, _of: int) -> None:
                done[0] = skills

            def work() -> ImportReport:
                call.checkpoint()
                return import_pack(
                    self._catalog,
                    call.identity,
                    file,
                    scope=scope,
                    pack_name=pack_name(start),
                    strict=start.strict,
                    prune=not start.keep_missing,
                    dry_run=start.dry_run,
                    progress=count,
                    request_id=call.request_id,
                    checkpoint=call.checkpoint,
                )

            importing = asyncio.ensure_future(self._imports.run(call.identity.tenant, work))
            try:
                while not importing.done():
                    await asyncio.wait({importing}, timeout=_SECONDS_BETWEEN_PROGRESS)
                    if not importing.done():
                        yield _progress(call, bytes_received=received, skills_done=done[0])
                report = importing.result()
            finally:
                # The thread reads the file to its next checkpoint, also when nobody waits.
                call.abandoned = not importing.done()
                while not importing.done():
                    await asyncio.wait({importing})
        self._metrics.imported(report)
        for pack in report.packs:
            yield pb.PackImportResponse(
                report=answers.pack_report(pack), request_id=call.request_id
            )

    async def SkillPropose(
        self, message: pb.SkillProposeRequest, call: Call
    ) -> pb.SkillProposeResponse:
        def work() -> pb.SkillProposeResponse:
            request, findings = propose_request(message)
            call.checkpoint()
            answer = self._catalog.propose(call.identity, request, call.request_id, call.checkpoint)
            return answers.propose_answer(answer, findings, call.request_id)

        return await self._run(call, work)

    async def SkillDelete(
        self, message: pb.SkillDeleteRequest, call: Call
    ) -> pb.SkillDeleteResponse:
        request = requests.delete_request(message)
        deleted = await self._run(
            call,
            lambda: self._catalog.delete(call.identity, request, call.request_id, call.checkpoint),
        )
        return pb.SkillDeleteResponse(
            qualified_name=deleted.card.qualified_name,
            content_hash=deleted.card.content_hash,
            request_id=call.request_id,
        )

    async def SkillHistory(
        self, message: pb.SkillHistoryRequest, call: Call
    ) -> pb.SkillHistoryResponse:
        name = needed(message.name, "name")
        size, token = requests.page_size(message), message.page_token
        answer = await self._run(
            call, lambda: self._catalog.history(call.identity, name, size, token)
        )
        return answers.history_answer(answer, call.request_id)

    async def SkillRollback(
        self, message: pb.SkillRollbackRequest, call: Call
    ) -> pb.SkillRollbackResponse:
        name = needed(message.name, "name", InvalidSkill)
        content_hash = needed(message.content_hash, "content_hash", InvalidSkill)
        expected = message.expected_content_hash
        changed = await self._run(
            call,
            lambda: self._catalog.rollback(
                call.identity, name, content_hash, expected, call.request_id, call.checkpoint
            ),
        )
        return pb.SkillRollbackResponse(
            card=answers.changed_card(changed), request_id=call.request_id
        )

    async def SkillPromote(
        self, message: pb.SkillPromoteRequest, call: Call
    ) -> pb.SkillPromoteResponse:
        name = needed(message.name, "name", InvalidSkill)
        scope = word(SCOPE_OF, message.scope, "scope", fault=InvalidSkill)
        expected = message.expected_content_hash
        changed = await self._run(
            call,
            lambda: self._catalog.promote(
                call.identity, name, scope, expected, call.request_id, call.checkpoint
            ),
        )
        return pb.SkillPromoteResponse(
            card=answers.changed_card(changed), request_id=call.request_id
        )

    async def AuditList(self, message: pb.AuditListRequest, call: Call) -> pb.AuditListResponse:
        size, token = requests.page_size(message), message.page_token
        answer = await self._run(call, lambda: self._catalog.audit(call.identity, size, token))
        return answers.audit_answer(answer, call.request_id)

    async def _run(self, call: Call, work: Callable[[], T]) -> T:
        """The work on a thread, unless the caller's time is up before it gets one."""

        def in_time() -> T:
            call.checkpoint()
            return work()

        return await self._work.run(call.identity.tenant, in_time)


def _progress(call: Call, **counts: Any) -> pb.PackImportResponse:
    return pb.PackImportResponse(
        progress=pb.PackImportProgress(**counts), request_id=call.request_id
    )
