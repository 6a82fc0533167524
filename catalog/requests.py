"""What callers ask of the catalog besides search, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass

from catalog.card import Card
from catalog.injection.capability import Capability
from catalog.scope import ScopeKind
from catalog.search.request import Filters
from catalog.skill import Origin

MAX_NAMES = 50
MAX_PAGE_SIZE = 1_000
DEFAULT_PAGE_SIZE = 100


@dataclass(frozen=True, slots=True)
class GetRequest:
    """Args:
    names: 1 to 50 bare or qualified names; skills named earlier keep more of themselves.
    sections: ids of sections to give instead of whole skills; with exactly one name.
    max_tokens: budget of the rendered block, at least 1; None means no budget.
    redact: asks for redaction where the operator leaves it to the caller.
    """

    names: tuple[str, ...]
    sections: tuple[str, ...] = ()
    max_tokens: int | None = None
    capability: Capability = Capability()
    redact: bool = False


@dataclass(frozen=True, slots=True)
class ListRequest:
    """Args:
    page_size: cards wanted, 1 to 1,000.
    max_tokens: budget of the page's cards as rendered; None means no budget.
    """

    page_size: int = DEFAULT_PAGE_SIZE
    page_token: str = ""
    filters: Filters = Filters()
    capability: Capability = Capability()
    max_tokens: int | None = None
    redact: bool = False


@dataclass(frozen=True, slots=True)
class ListedCard:
    """A card as it may leave, with where its skill belongs and comes from."""

    card: Card
    scope: ScopeKind
    origin: Origin


@dataclass(frozen=True, slots=True)
class ListAnswer:
    cards: tuple[ListedCard, ...]
    next_page_token: str = ""
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class ExportedFile:
    """A file as it was imported: `path` is relative to the skill's folder."""

    path: str
    data: bytes
