"""What callers ask of the catalog besides search, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from catalog.audit import AuditEvent
from catalog.card import Card
from catalog.errors import InvalidQuery
from catalog.injection.block import InjectedSkill
from catalog.injection.capability import Capability
from catalog.scope import ScopeKind
from catalog.search.request import Filters
from catalog.shapes import check_fields
from catalog.skill import Origin
from catalog.stores.store import Revision

MAX_NAMES = 50
MAX_PAGE_SIZE = 1_000
DEFAULT_PAGE_SIZE = 100
MAX_DIRECTORY_ENTRIES = 200
DEFAULT_DIRECTORY_ENTRIES = 30


@dataclass(frozen=True, slots=True)
class GetRequest:
    """Args:
    names: 1 to 50 bare or qualified names; skills named earlier grow first in the budget.
    sections: ids of sections to give instead of whole skills; with exactly one name.
    max_tokens: budget of the rendered block; None means no budget.
    redact: asks for redaction where the operator leaves it to the caller.
    content_hash: of the version wanted; empty for the present one; with exactly one name.
    """

    names: tuple[str, ...]
    sections: tuple[str, ...] = ()
    max_tokens: int | None = None
    capability: Capability = Capability()
    redact: bool = False
    content_hash: str = ""

    def __post_init__(self) -> None:
        check_fields(self)

    def validated(self) -> None:
        """Raises:
        InvalidQuery: a field is out of its range.
        """
        checked_range("names", len(self.names), MAX_NAMES, "names")
        if self.sections and len(self.names) != 1:
            raise InvalidQuery(
                f"sections go with exactly one name; {len(self.names)} were given",
                field="sections",
            )
        if self.content_hash and len(self.names) != 1:
            raise InvalidQuery(
                f"content_hash goes with exactly one name; {len(self.names)} were given",
                field="content_hash",
            )


@dataclass(frozen=True, slots=True)
class GotSkill:
    """One skill of the answer: its card, where it belongs, and what the budget kept."""

    card: Card
    scope: ScopeKind
    origin: Origin
    part: InjectedSkill


@dataclass(frozen=True, slots=True)
class GetAnswer:
    """The block for a prompt, its size in tokens, and the skills in the order asked for.

    `omitted` are qualified names of skills of which nothing fitted.
    """

    skills: tuple[GotSkill, ...]
    text: str
    tokens: int
    omitted: tuple[str, ...]
    redactions: int = 0


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

    def __post_init__(self) -> None:
        check_fields(self)


class DirectoryOrder(StrEnum):
    RECENT = "recent"
    MOST_USED = "most_used"


@dataclass(frozen=True, slots=True)
class DirectoryRequest:
    """Args:
    max_entries: cards wanted, 1 to 200.
    max_tokens: budget of the text; None means no budget.
    """

    max_entries: int = DEFAULT_DIRECTORY_ENTRIES
    order: DirectoryOrder = DirectoryOrder.RECENT
    max_tokens: int | None = None
    filters: Filters = Filters()
    capability: Capability = Capability()
    redact: bool = False

    def __post_init__(self) -> None:
        check_fields(self)


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
    omitted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DirectoryAnswer:
    """`text` holds one line a card, for a system prompt; `tokens` is its size."""

    cards: tuple[ListedCard, ...]
    text: str
    tokens: int
    omitted: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HistoryAnswer:
    """Newest first."""

    revisions: tuple[Revision, ...]
    next_page_token: str = ""


@dataclass(frozen=True, slots=True)
class AuditAnswer:
    """Newest first."""

    events: tuple[AuditEvent, ...]
    next_page_token: str = ""


@dataclass(frozen=True, slots=True)
class ExportedFile:
    """A file as it was imported: `path` is relative to the skill's folder."""

    path: str
    data: bytes


def checked_range(field: str, value: int, most: int, unit: str = "") -> None:
    """Raises:
    InvalidQuery: `value` is not 1 to `most`.
    """
    if not 1 <= value <= most:
        what = f"{value} {unit}".strip()
        raise InvalidQuery(f"{field} is {what}; it takes 1 to {most}", field=field, limit=most)
