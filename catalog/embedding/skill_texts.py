"""What of a skill is embedded: its card, each sentence of it, its headings, its body."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from catalog.embedding.chunking import pieces
from catalog.search.sentences import quotations, wanted_sentences
from catalog.skill import Skill

TEXTS_VERSION: Final = 1
"""Grows when other texts are embedded: vectors of before are then stale."""

MAX_SENTENCES: Final = 10
MAX_QUOTATIONS: Final = 16
MAX_PIECES_OF_BODY: Final = 8
LONGEST_PIECE_TOKENS: Final = 250
"""Of models that read more: a vector of too much text is near to no question."""
_SHORTEST_SENTENCE: Final = 9


def skill_texts(skill: Skill, max_tokens: int) -> list[str]:
    """Texts to embed, each once, none blank; the best of them speaks for the skill.

    A question is short, and so is the sentence of a description that it is near to: each
    sentence has a vector of its own, beside the whole. Sentences that say when not to use
    the skill have none.
    """
    most = min(max_tokens, LONGEST_PIECE_TOKENS)
    return list(dict.fromkeys(text for text in _texts(skill, most) if text.strip()))


def _texts(skill: Skill, most: int) -> Iterator[str]:
    title = skill.title.replace("-", " ").replace("_", " ")
    yield from list(pieces(f"{title}. {skill.description}", most))[:2]
    described = dict.fromkeys((skill.description, skill.trigger))
    sentences = [sentence for text in described for sentence in wanted_sentences(text)]
    long_enough = [text for text in sentences if len(text) >= _SHORTEST_SENTENCE]
    yield from dict.fromkeys(long_enough[:MAX_SENTENCES])
    quoted = [quotation for text in described for quotation in quotations(text)]
    yield from dict.fromkeys(quoted[:MAX_QUOTATIONS])
    headings = ". ".join(section.heading for section in skill.sections if section.heading)
    yield from list(pieces(f"{title}: {headings}", most))[:1]
    room = most - len(title) // 2 - 2
    for number, piece in enumerate(pieces(skill.body, max(room, most // 2))):
        if number == MAX_PIECES_OF_BODY:
            return
        yield f"{title}. {piece}"
