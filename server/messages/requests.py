"""What callers send, as requests of the catalog.

Ranges that the catalog checks itself are left to it; what only the wire can get wrong
(unknown numbers of an enumeration, endless lists) is refused here, with the field named.
"""

from __future__ import annotations

import math

from catalog.errors import InvalidPageToken, InvalidQuery, InvalidSkill
from catalog.lifecycle import DeleteRequest
from catalog.requests import (
    DEFAULT_DIRECTORY_ENTRIES,
    DEFAULT_PAGE_SIZE,
    MAX_PAGE_SIZE,
    DirectoryOrder,
    DirectoryRequest,
    GetRequest,
    ListRequest,
    checked_range,
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
        page_size=message.page_size if message.HasField("page_size") else DEFAULT_PAGE_SIZE,
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
        expected_content_hash=bounded(message.expected_content_hash, "expected_content_hash"),
        purge=message.purge,
    )


def page(message: pb.SkillHistoryRequest | pb.AuditListRequest) -> tuple[int | None, int]:
    """The position to go on from (None: the newest) and how many are wanted.

    Positions are handed to callers as they are: each counts within what its caller may see.

    Raises:
        InvalidQuery: `page_size` is not 1 to 1,000.
        InvalidPageToken: `page_token` is not one that this service gave.
    """
    size = message.page_size if message.HasField("page_size") else DEFAULT_PAGE_SIZE
    checked_range("page_size", size, MAX_PAGE_SIZE)
    token = message.page_token
    if not token:
        return None, size
    if not (token.isascii() and token.isdigit() and len(token) <= _MOST_POSITION_DIGITS):
        raise InvalidPageToken("page_token is not one that this service gave")
    return int(token), size


_MOST_POSITION_DIGITS = 18
