"""What callers send, as requests of the catalog.

Ranges that the catalog checks itself are left to it; what only the wire can get wrong
(unknown numbers of an enumeration, endless lists) is refused here, with the field named.
"""

from __future__ import annotations

import math

from catalog.errors import InvalidQuery, InvalidSkill
from catalog.lifecycle import DeleteRequest
from catalog.requests import (
    DEFAULT_DIRECTORY_ENTRIES,
    DEFAULT_PAGE_SIZE,
    DirectoryOrder,
    DirectoryRequest,
    GetRequest,
    ListRequest,
)
from catalog.search.request import DEFAULT_LIMIT, SearchMode, SearchRequest
from server.messages.words import (
    MODE_OF,
    ORDER_OF,
    bounded,
    budget,
    capability,
    filters,
    names,
    needed,
    optional_scope,
    word,
)
from skillcatalog.v1 import skillcatalog_pb2 as pb


def search_request(message: pb.SkillSearchRequest) -> SearchRequest:
    if not math.isfinite(message.min_score):
        raise InvalidQuery("min_score is not a number; it takes 0 to 1", field="min_score")
    return SearchRequest(
        query=message.query,
        limit=message.limit if message.HasField("limit") else DEFAULT_LIMIT,
        mode=word(MODE_OF, message.mode, "mode", SearchMode.LADDER),
        filters=filters(message.filters),
        capability=capability(message.capability),
        min_score=message.min_score,
        max_tokens=budget(message),
        page_token=message.page_token,
        redact=message.redact,
        snippets=message.snippets,
    )


def get_request(message: pb.SkillGetRequest) -> GetRequest:
    return GetRequest(
        names=tuple(needed(name, "names") for name in message.names),
        sections=names(message.sections, "sections"),
        content_hash=bounded(message.content_hash, "content_hash"),
        max_tokens=budget(message),
        capability=capability(message.capability),
        redact=message.redact,
    )


def list_request(message: pb.SkillListRequest) -> ListRequest:
    return ListRequest(
        page_size=page_size(message),
        page_token=message.page_token,
        filters=filters(message.filters),
        capability=capability(message.capability),
        max_tokens=budget(message),
        redact=message.redact,
    )


def directory_request(message: pb.SkillDirectoryRequest) -> DirectoryRequest:
    return DirectoryRequest(
        max_entries=(
            message.max_entries if message.HasField("max_entries") else DEFAULT_DIRECTORY_ENTRIES
        ),
        order=word(ORDER_OF, message.order, "order", DirectoryOrder.RECENT),
        max_tokens=budget(message),
        filters=filters(message.filters),
        capability=capability(message.capability),
        redact=message.redact,
    )


def delete_request(message: pb.SkillDeleteRequest) -> DeleteRequest:
    return DeleteRequest(
        name=needed(message.name, "name", InvalidSkill),
        scope=optional_scope(message.scope, InvalidSkill),
        expected_content_hash=bounded(
            message.expected_content_hash, "expected_content_hash", InvalidSkill
        ),
        purge=message.purge,
    )


def page_size(message: pb.SkillListRequest | pb.SkillHistoryRequest | pb.AuditListRequest) -> int:
    return message.page_size if message.HasField("page_size") else DEFAULT_PAGE_SIZE
