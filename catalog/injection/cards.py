"""Fits cards into a budget, for search, list and the directory of a system prompt.

A card is one line: `- acme:deploy (812 tokens): Deploy. Use when: … Tags: …`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from catalog.card import Card
from catalog.injection.budget import allocate
from catalog.injection.markdown_structure import sentence_ends
from catalog.injection.tokens import TokenCounter


@dataclass(frozen=True, slots=True)
class FittedCards:
    """The cards as they may leave, the text they are counted by, its exact count, and the
    qualified names of those that did not fit. `kept[i]` is card `places[i]` of the request."""

    kept: tuple[Card, ...]
    places: tuple[int, ...]
    text: str
    tokens: int
    omitted: tuple[str, ...]


def fit_cards(cards: Sequence[Card], max_tokens: int | None, counter: TokenCounter) -> FittedCards:
    """The cards that the budget holds, in order, earlier ones longer.

    A card that does not fit whole loses its trigger and tags, then sentences from the end of
    its description, then the description. Below the smallest card the answer is empty.

    Raises:
        InvalidQuery: `max_tokens` is negative.
    """
    forms: list[tuple[Card, ...]] = [(card,) for card in cards]
    if max_tokens is not None and counter.count("".join(map(card_line, cards))) > max_tokens:
        forms = [(card, *_shorter(card)) for card in cards]
    lines = [[card_line(form) for form in choices] for choices in forms]
    allocation = allocate(lines, max_tokens, counter)
    places = tuple(item for item, form in enumerate(allocation.picked) if form is not None)
    return FittedCards(
        kept=tuple(
            choices[form]
            for choices, form in zip(forms, allocation.picked, strict=True)
            if form is not None
        ),
        places=places,
        text=allocation.text,
        tokens=allocation.tokens,
        omitted=tuple(
            card.qualified_name
            for card, form in zip(cards, allocation.picked, strict=True)
            if form is None
        ),
    )


def card_line(card: Card) -> str:
    """The card as it is counted and as a directory shows it: one line, ended."""
    parts = [f"- {card.qualified_name} ({card.tokens} tokens)"]
    if card.title and card.title != card.name:
        parts.append(f" {card.title}")
    if card.description:
        parts.append(f": {card.description}")
    if card.trigger and card.trigger != card.description:
        parts.append(f" Use when: {card.trigger}")
    if card.tags:
        parts.append(f" Tags: {', '.join(card.tags)}")
    return " ".join("".join(parts).split()) + "\n"


def _shorter(card: Card) -> list[Card]:
    """Ever shorter forms of a card, the last of them its name and size alone."""
    plain = replace(card, trigger="", tags=())
    sentences = [
        replace(plain, description=card.description[:end])
        for end in reversed(sentence_ends(card.description))
    ]
    return [plain, *sentences, replace(plain, title=card.name, description="")]
