"""What a caller asks of search and what search answers."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from catalog.card import Card
from catalog.injection.capability import Capability
from catalog.scope import ScopeKind
from catalog.shapes import check_fields
from catalog.skill import Origin

DEFAULT_LIMIT = 10
MAX_LIMIT = 100
MAX_QUERY_CHARACTERS = 8_192


class SearchMode(StrEnum):
    LADDER = "ladder"
    SEMANTIC = "semantic"
    HYBRID = "hybrid"


class Rung(StrEnum):
    FULL_TEXT = "full_text"
    REGEX = "regex"
    EXACT = "exact"
    SEMANTIC = "semantic"


@dataclass(frozen=True, slots=True)
class Filters:
    """Narrow the visible skills. An empty tuple means no restriction by that field.

    A skill passes when it carries every one of `tags` and its pack, task type, origin and
    scope are each among the listed ones.
    """

    tags: tuple[str, ...] = ()
    packs: tuple[str, ...] = ()
    task_types: tuple[str, ...] = ()
    origins: tuple[Origin, ...] = ()
    scopes: tuple[ScopeKind, ...] = ()

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """Args:
    query: 1 to 8,192 characters of text; no character of it is syntax.
    limit: hits wanted, 1 to 100.
    min_score: hits below it (0 to 1) are left out; 0 keeps all.
    max_tokens: budget of the cards as rendered; None means no budget.
    page_token: `next_page_token` of an earlier answer to the same request.
    redact: asks for redaction where the operator leaves it to the caller.
    snippets: give the line of each hit's body that says most of what was asked.
    """

    query: str
    limit: int = DEFAULT_LIMIT
    mode: SearchMode = SearchMode.LADDER
    filters: Filters = Filters()
    capability: Capability = Capability()
    min_score: float = 0.0
    max_tokens: int | None = None
    page_token: str = ""
    redact: bool = False
    snippets: bool = False

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True, slots=True)
class RungReport:
    """One line of the trace: a rung that ran or could not, and why the next was tried.

    `passes` names what the rung did in order (for full text: name, strict, any_token, prefix,
    typo, language or parts); `hits` counts what it added after visibility and capability.
    """

    rung: Rung
    available: bool
    hits: int
    passes: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A rung's result before injection: higher score is better, in (0, 1]."""

    entry_id: int
    score: float
    rung: Rung
    matched_terms: tuple[str, ...] = ()
    matched_fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Hit:
    """One ranked result: the card as it may leave, its score, and the rung that found it."""

    card: Card
    scope: ScopeKind
    origin: Origin
    score: float
    rung: Rung
    matched_terms: tuple[str, ...] = ()
    matched_fields: tuple[str, ...] = ()
    snippet: str = ""


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    hits: tuple[Hit, ...]
    rungs: tuple[RungReport, ...]
    next_page_token: str = ""
    tokens: int = 0
    omitted: tuple[str, ...] = ()
    redactions: int = 0
