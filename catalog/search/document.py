"""What the index keeps of one skill: engine tokens, a ranking profile and its card's text."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from catalog.search.profile import (
    MAX_BODY_COUNT,
    MAX_FIELD_COUNT,
    SHIFTS,
    Field,
    Profile,
    short_key,
)
from catalog.search.searchable import searchable
from catalog.search.sentences import headings_that_say_when, quoted, quoted_phrases, spoken
from catalog.skill import Skill
from catalog.text.analysis import (
    chunk_words,
    chunks,
    folded,
    joined,
    normalised,
    term_keys,
)
from catalog.text.chunk_terms import exact_counts, neighbour_keys, sequence_keys, stem_counts
from catalog.text.stems import DEFAULT_LANGUAGE, guessed_language

NAME_TOKEN: Final = "ⁿ"
"""First character of the token that holds a whole name, only its letters and digits."""
PREFIX_TOKEN: Final = "ᵖ"
"""First character of a token that holds the beginning of a name or of one of its words."""
TYPO_TOKEN: Final = "ᵗ"
"""First character of a token that holds a word of a name with one character left out."""
CARD_TOKEN: Final = "ᶜ"
"""First character of the token of a stem that stands outside the body."""
NAME_WORD_TOKEN: Final = "ᵐ"
"""First character of the token of a stem that stands in the name or the title."""
MIN_PREFIX_CHARACTERS: Final = 3
MAX_PREFIX_CHARACTERS: Final = 24
MIN_TYPO_CHARACTERS: Final = 4

MAX_TERMS: Final = 341
"""Terms of a profile: as many as fit the same block of memory as 200 do. Terms of the body
alone are kept by how often they occur; those left out are tokens of the engine all the same,
so a skill is found by them too."""
MIN_BODY_TERMS: Final = 64


@dataclass(frozen=True, slots=True)
class IndexedDocument:
    """Args:
    tokens: for the engine, without repeats and without the scope's prefix.
    profile: an encoded `Profile`.
    terms: the keys of its terms.
    card_text: folded text that the regex and exact rungs read, one field a line.
    """

    tokens: tuple[str, ...]
    profile: bytes
    terms: array[int]
    card_text: str


def index_document(skill: Skill) -> IndexedDocument:
    skill = searchable(skill)
    attachments = " . ".join(sorted(artifact.path for artifact in skill.artifacts))
    body_chunks = chunks(normalised(f"{skill.body} . {attachments}" if attachments else skill.body))
    described = chunks(normalised(skill.description))
    language = guessed_language(described or body_chunks)
    lengths = [0] * len(Field)
    card_terms: dict[str, int] = {}
    exact_terms: dict[str, int] = {}
    for field, text in _field_texts(skill):
        if not text:
            continue
        found = chunks(normalised(text))
        lengths[field] += len(found)
        counted = Counter(found)
        _add_counts(card_terms, stem_counts(counted, language), field)
        _add_counts(exact_terms, exact_counts(counted, language), field)
    counted_body = Counter(body_chunks)
    body_terms = stem_counts(counted_body, language)
    lengths[Field.BODY] = len(body_chunks)
    name_chunks = chunks(normalised(skill.name))
    lengths[Field.NAME] = len(sequence_keys(name_chunks, language))
    tokens = dict.fromkeys((*card_terms, *body_terms))
    if language != DEFAULT_LANGUAGE:
        tokens.update(dict.fromkeys((*exact_terms, *exact_counts(counted_body, language))))
    tokens.update(dict.fromkeys(_card_tokens(card_terms)))
    for name in dict.fromkeys((skill.name, skill.title)):
        tokens.update(dict.fromkeys(name_tokens(name)))
    tokens[NAME_TOKEN + joined(skill.qualified_name)] = None
    neighbours = neighbour_keys(name_chunks, language) | neighbour_keys(described, language)
    if skill.trigger != skill.description:
        neighbours |= neighbour_keys(chunks(normalised(skill.trigger)), language)
    only_body = _profile_terms(card_terms, exact_terms, body_terms)
    card_keys = dict(zip(term_keys(card_terms), card_terms.values(), strict=True))
    body_keys = dict(zip(term_keys(only_body), only_body.values(), strict=True))
    terms = array("q", (*card_keys, *body_keys))
    profile = Profile.of(
        dict(zip(map(short_key, terms), (*card_keys.values(), *body_keys.values()), strict=True)),
        lengths,
        neighbours,
        neighbour_keys(body_chunks, language),
        _phrases(skill, language),
    )
    return IndexedDocument(tuple(tokens), profile.encoded(), terms, _card_text(skill))


def _card_tokens(card_terms: dict[str, int]) -> Iterator[str]:
    """Tokens with shorter postings, by which a frequent word still makes candidates."""
    in_name = MAX_FIELD_COUNT << SHIFTS[Field.NAME] | MAX_FIELD_COUNT << SHIFTS[Field.TITLE]
    for token, value in card_terms.items():
        yield CARD_TOKEN + token
        if value & in_name:
            yield NAME_WORD_TOKEN + token


def _phrases(skill: Skill, language: str) -> list[int]:
    found: list[int] = []
    for text in dict.fromkeys((skill.description, skill.trigger)):
        for phrase in quoted_phrases(text):
            words = sequence_keys(chunks(normalised(phrase)), language)
            if len(words) > 1:
                found.extend(map(short_key, dict.fromkeys(words)))
                found.append(0)
    return found


def _profile_terms(
    card_terms: dict[str, int], exact_terms: dict[str, int], body_terms: dict[str, int]
) -> dict[str, int]:
    """Completes the terms of the card, and gives those of the body alone that are kept.

    Of the body only stems: its exact forms would double the profile and move few ranks.
    """
    in_body = body_terms.get
    for token in card_terms:
        card_terms[token] += min(in_body(token, 0), MAX_BODY_COUNT)
    card_terms.update(exact_terms)
    only_body = {
        token: count if count < MAX_BODY_COUNT else MAX_BODY_COUNT
        for token, count in body_terms.items()
        if token not in card_terms
    }
    room = max(MAX_TERMS - len(card_terms), MIN_BODY_TERMS)
    if len(only_body) > room:
        kept = sorted(only_body, key=only_body.__getitem__, reverse=True)[:room]
        only_body = {token: only_body[token] for token in kept}
    return only_body


def name_tokens(name: str) -> set[str]:
    """Tokens by which a name is found whole, by its beginning and with one slip of the keys."""
    whole = joined(name)
    found = {NAME_TOKEN + whole}
    pieces = {whole, *name_words(name)}
    for piece in pieces:
        for length in range(MIN_PREFIX_CHARACTERS, min(len(piece), MAX_PREFIX_CHARACTERS)):
            found.add(PREFIX_TOKEN + piece[:length])
        if MIN_TYPO_CHARACTERS <= len(piece) <= MAX_PREFIX_CHARACTERS:
            found.update(typo_tokens(piece))
    return found


def name_words(name: str) -> set[str]:
    found = chunks(normalised(name))
    return {word.exact for chunk in found for word in chunk_words(chunk, DEFAULT_LANGUAGE)}


def typo_tokens(word: str) -> set[str]:
    """The word itself and the word with each of its characters left out."""
    found = {TYPO_TOKEN + word[:at] + word[at + 1 :] for at in range(len(word))}
    found.add(TYPO_TOKEN + word)
    return found


def _field_texts(skill: Skill) -> Iterator[tuple[Field, str]]:
    yield Field.NAME, skill.name
    if skill.title != skill.name:
        yield Field.TITLE, skill.title
    for text in dict.fromkeys((skill.description, skill.trigger)):
        described = spoken(text)
        yield Field.DESCRIPTION, described.plain
        yield Field.USE_WHEN, described.use_when
        yield Field.QUOTED, described.quoted
        yield Field.NOT_FOR, described.not_for
    yield Field.TAGS, " . ".join((*skill.tags, skill.task_type))
    headings = [section.heading for section in skill.sections]
    yield Field.HEADINGS, " . ".join(headings)
    for number in headings_that_say_when(headings):
        asked = skill.sections[number].markdown
        yield Field.USE_WHEN, asked
        yield Field.QUOTED, quoted(asked)


def _add_counts(terms: dict[str, int], counts: dict[str, int], field: Field) -> None:
    shift = SHIFTS[field]
    full = MAX_FIELD_COUNT << shift
    known = terms.get
    for token, count in counts.items():
        value = known(token, 0)
        room = full - (value & full)
        step = count << shift
        terms[token] = value + (step if step < room else room)


def _card_text(skill: Skill) -> str:
    lines = [skill.qualified_name, skill.name, skill.title, skill.description]
    if skill.trigger != skill.description:
        lines.append(skill.trigger)
    lines.extend(skill.tags)
    lines.extend(section.heading for section in skill.sections if section.heading)
    lines.extend(sorted(artifact.path for artifact in skill.artifacts))
    return folded("\n".join(lines))
