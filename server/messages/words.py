"""The enumerations of the wire and of the catalog, both ways, and the checks they share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, TypeVar

from catalog.errors import InvalidArgument, InvalidQuery
from catalog.injection.capability import Capability
from catalog.injection.tiers import Tier
from catalog.lifecycle import Change
from catalog.requests import DirectoryOrder
from catalog.scope import ScopeKind
from catalog.search.request import Filters, Rung, SearchMode
from catalog.skill import Origin
from skillcatalog.v1 import skillcatalog_pb2 as pb

MAX_NAMES_IN_A_LIST = 1_000
MAX_NAME_CHARACTERS = 1_024

Word = TypeVar("Word", bound=StrEnum)


def _both_ways(
    wire: object, prefix: str, words: type[Word]
) -> tuple[dict[int, Word], dict[Word, Any]]:
    # The generated enumerations have a type of their own for each number.
    values = {word: getattr(wire, f"{prefix}_{word.name}") for word in words}
    return {value: word for word, value in values.items()}, values


MODE_OF, _MODE = _both_ways(pb, "SEARCH_MODE", SearchMode)
SCOPE_OF, SCOPE = _both_ways(pb, "SCOPE_KIND", ScopeKind)
ORIGIN_OF, ORIGIN = _both_ways(pb, "ORIGIN", Origin)
ORDER_OF, _ORDER = _both_ways(pb, "DIRECTORY_ORDER", DirectoryOrder)
_RUNG_OF, RUNG = _both_ways(pb, "RUNG", Rung)
_TIER_OF, TIER = _both_ways(pb, "TIER", Tier)
CHANGE = {
    Change.ADDED: pb.SkillProposeResponse.CHANGE_ADDED,
    Change.UPDATED: pb.SkillProposeResponse.CHANGE_UPDATED,
    Change.UNCHANGED: pb.SkillProposeResponse.CHANGE_UNCHANGED,
}


def word(
    words: Mapping[int, Word],
    value: int,
    field: str,
    unset: Word | None = None,
    fault: type[InvalidArgument] = InvalidQuery,
) -> Word:
    """The catalog's word for an enumeration's value; `unset` for its 0.

    Raises:
        InvalidArgument: the value is not in the enumeration, or is 0 where one must be named.
    """
    if value == 0 and unset is not None:
        return unset
    if value not in words:
        raise fault(
            f"{field} is {value}; it takes {', '.join(f'{n} ({w})' for n, w in words.items())}",
            field=field,
        )
    return words[value]


def optional_scope(value: int, fault: type[InvalidArgument] = InvalidQuery) -> ScopeKind | None:
    """None where the scope is left to the catalog."""
    return None if value == 0 else word(SCOPE_OF, value, "scope", fault=fault)


def names(values: Iterable[str], field: str) -> tuple[str, ...]:
    """A repeated field of names.

    Raises:
        InvalidQuery: there are more than 1,000, or one has more than 1,024 characters.
    """
    found = tuple(values)
    if len(found) > MAX_NAMES_IN_A_LIST:
        raise InvalidQuery(
            f"{field} has {len(found)} names; it takes at most {MAX_NAMES_IN_A_LIST}",
            field=field,
            limit=MAX_NAMES_IN_A_LIST,
        )
    for name in found:
        bounded(name, field)
    return found


def bounded(text: str, field: str, fault: type[InvalidArgument] = InvalidQuery) -> str:
    """The text itself.

    Raises:
        InvalidArgument: it has more than 1,024 characters.
    """
    if len(text) > MAX_NAME_CHARACTERS:
        raise fault(
            f"{field} has {len(text)} characters; it takes at most {MAX_NAME_CHARACTERS}",
            field=field,
            limit=MAX_NAME_CHARACTERS,
        )
    return text


def needed(text: str, field: str, fault: type[InvalidArgument] = InvalidQuery) -> str:
    """The text itself.

    Raises:
        InvalidArgument: it is blank or too long.
    """
    if not text.strip():
        raise fault(f"{field} is empty", field=field)
    return bounded(text, field, fault)


_NOTHING_SAID = Capability()
_EVERYTHING = Filters()


def capability(message: pb.Capability) -> Capability:
    """An unset list says nothing; an empty one allows nothing."""
    if not message.ByteSize():
        return _NOTHING_SAID
    return Capability(
        tools=_name_list(message, "tools"),
        namespaces=_name_list(message, "namespaces"),
        tags=_name_list(message, "tags"),
    )


def _name_list(message: pb.Capability, field: str) -> tuple[str, ...] | None:
    if not message.HasField(field):  # type: ignore[arg-type]
        return None
    return names(getattr(message, field).names, f"capability.{field}")


def filters(message: pb.Filters) -> Filters:
    if not message.ByteSize():
        return _EVERYTHING
    return Filters(
        tags=names(message.tags, "filters.tags"),
        packs=names(message.packs, "filters.packs"),
        task_types=names(message.task_types, "filters.task_types"),
        origins=tuple(word(ORIGIN_OF, value, "filters.origins") for value in message.origins),
        scopes=tuple(word(SCOPE_OF, value, "filters.scopes") for value in message.scopes),
    )


def budget(message: object) -> int | None:
    """`max_tokens` of a request.

    Raises:
        InvalidQuery: it is negative.
    """
    if not message.HasField("max_tokens"):  # type: ignore[attr-defined]
        return None
    value: int = message.max_tokens  # type: ignore[attr-defined]
    if value < 0:
        raise InvalidQuery(f"max_tokens is {value}; the least is 0", field="max_tokens", limit=0)
    return value
