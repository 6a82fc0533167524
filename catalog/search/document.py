"""What the index keeps of one skill: engine tokens, a ranking profile and its card's text."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Final

from catalog.search.profile import (
    MAX_BODY_COUNT,
    MAX_FIELD_COUNT,
    SHIFTS,
    Field,
    Profile,
)
from catalog.search.sentences import says_when_to_use, spoken
from catalog.skill import Skill
from catalog.text.analysis import (
    DEFAULT_LANGUAGE,
    chunk_words,
    chunks,
    folded,
    guessed_language,
    joined,
    normalised,
)

NAME_TOKEN: Final = "ⁿ"
"""First character of the token that holds a whole name, only its letters and digits."""
PREFIX_TOKEN: Final = "ᵖ"
"""First character of a token that holds the beginning of a name or of one of its words."""
TYPO_TOKEN: Final = "ᵗ"
"""First character of a token that holds a word of a name with one character left out."""
MIN_PREFIX_CHARACTERS: Final = 3
MAX_PREFIX_CHARACTERS: Final = 24
MIN_TYPO_CHARACTERS: Final = 4

MAX_BODY_TERMS: Final = 640
"""Terms that stand only in the body and are kept in the profile, the most frequent first.
All of them are tokens of the engine, so a skill is found by the others too."""


@dataclass(frozen=True, slots=True)
class IndexedDocument:
    """Args:
    tokens: for the engine, sorted, without repeats and without the scope's prefix.
    profile: an encoded `Profile`.
    card_text: folded text that the regex and exact rungs read, one field a line.
    """

    tokens: tuple[str, ...]
    profile: bytes
    card_text: str


def index_document(skill: Skill) -> IndexedDocument:
    fields = _field_texts(skill)
    tokens: set[str] = set()
    terms: dict[int, int] = {}
    lengths = [0] * len(Field)
    body = normalised(skill.body)
    body_chunks = chunks(body)
    language = guessed_language(chunks(normalised(skill.description)) or body_chunks)
    for field, text in fields:
        if text:
            _add_field(field, chunks(normalised(text)), language, terms, tokens, lengths)
    _add_body(body_chunks, language, terms, tokens, lengths)
    tokens.update(name_tokens(skill.name))
    tokens.add(NAME_TOKEN + joined(skill.qualified_name))
    if skill.title != skill.name:
        tokens.add(NAME_TOKEN + joined(skill.title)[: MAX_PREFIX_CHARACTERS * 4])
    profile = Profile(terms, tuple(lengths))
    return IndexedDocument(tuple(sorted(tokens)), profile.encode(), _card_text(skill))


def name_tokens(name: str) -> set[str]:
    """Tokens by which a name is found whole, by its beginning and with one slip of the keys."""
    whole = joined(name)
    found = {NAME_TOKEN + whole}
    pieces = {
        whole,
        *(
            word.exact
            for chunk in chunks(normalised(name))
            for word in chunk_words(chunk, DEFAULT_LANGUAGE)
        ),
    }
    for piece in pieces:
        for length in range(MIN_PREFIX_CHARACTERS, min(len(piece), MAX_PREFIX_CHARACTERS)):
            found.add(PREFIX_TOKEN + piece[:length])
        if MIN_TYPO_CHARACTERS <= len(piece) <= MAX_PREFIX_CHARACTERS:
            found.update(typo_tokens(piece))
    return found


def typo_tokens(word: str) -> set[str]:
    """The word itself and the word with each of its characters left out."""
    found = {TYPO_TOKEN + word[:at] + word[at + 1 :] for at in range(len(word))}
    found.add(TYPO_TOKEN + word)
    return found


def _field_texts(skill: Skill) -> list[tuple[Field, str]]:
    described = spoken(skill.description)
    fields = [
        (Field.NAME, skill.name),
        (Field.TITLE, skill.title if skill.title != skill.name else ""),
        (Field.DESCRIPTION, described.plain),
        (Field.USE_WHEN, described.use_when),
        (Field.QUOTED, described.quoted),
        (Field.NOT_FOR, described.not_for),
        (Field.TAGS, " . ".join((*skill.tags, skill.task_type))),
        (Field.HEADINGS, " . ".join(section.heading for section in skill.sections)),
    ]
    asked = [] if skill.trigger == skill.description else [skill.trigger]
    asked += [s.markdown for s in skill.sections if says_when_to_use(s.heading)]
    for text in asked:
        when = spoken(text)
        fields += [
            (Field.USE_WHEN, f"{when.plain} . {when.use_when}"),
            (Field.QUOTED, when.quoted),
            (Field.NOT_FOR, when.not_for),
        ]
    return fields


def _add_field(
    field: Field,
    found: list[str],
    language: str,
    terms: dict[int, int],
    tokens: set[str],
    lengths: list[int],
) -> None:
    shift = SHIFTS[field]
    limit = MAX_FIELD_COUNT << shift
    mask = limit
    lengths[field] += len(found)
    for chunk, count in Counter(found).items():
        for word in chunk_words(chunk, language):
            step = min(count, MAX_FIELD_COUNT) << shift
            for key in {word.exact_key, word.stem_key}:
                value = terms.get(key, 0)
                room = limit - (value & mask)
                terms[key] = value + (step if step < room else room)
            tokens.add(word.stem)
            if language != DEFAULT_LANGUAGE:
                tokens.add(word.exact)


def _add_body(
    found: list[str],
    language: str,
    terms: dict[int, int],
    tokens: set[str],
    lengths: list[int],
) -> None:
    """Only stems: the exact forms of a body would double the profile and move few ranks."""
    lengths[Field.BODY] = len(found)
    counts: dict[int, int] = {}
    for chunk, count in Counter(found).items():
        for word in chunk_words(chunk, language):
            key = word.stem_key
            counts[key] = counts.get(key, 0) + count
            tokens.add(word.stem)
            if language != DEFAULT_LANGUAGE:
                tokens.add(word.exact)
    only_body = [key for key in counts if key not in terms]
    if len(only_body) > MAX_BODY_TERMS:
        only_body.sort(key=counts.__getitem__, reverse=True)
        for key in only_body[MAX_BODY_TERMS:]:
            del counts[key]
    for key, count in counts.items():
        terms[key] = terms.get(key, 0) + min(count, MAX_BODY_COUNT)


def _card_text(skill: Skill) -> str:
    lines = [skill.qualified_name, skill.name, skill.title, skill.description]
    if skill.trigger != skill.description:
        lines.append(skill.trigger)
    lines.extend(skill.tags)
    lines.extend(section.heading for section in skill.sections if section.heading)
    return folded("\n".join(lines))
