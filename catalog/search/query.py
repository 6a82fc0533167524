"""A query as ranking sees it: distinct terms with what kind of word each is, never syntax."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final

from catalog.errors import InvalidQuery
from catalog.search.request import (
    MAX_LIMIT,
    MAX_QUERY_CHARACTERS,
    SearchRequest,
)
from catalog.text.analysis import (
    IN_SEQUENCE,
    Word,
    WordKind,
    chunk_words,
    chunks,
    joined,
    neighbour_key,
    normalised,
    term_keys,
)
from catalog.text.han_variants import simplified
from catalog.text.stems import DEFAULT_LANGUAGE, guessed_language
from catalog.text.surrogates import holds_half_a_pair

MAX_QUERY_TERMS: Final = 64
"""Distinct words that are looked at; of a longer query the rarest."""
MAX_DISTINCT_WORDS: Final = 1_024
"""Distinct words of a query whose frequency is asked for, the first ones."""
_MAX_NAME_CHARACTERS: Final = 128
_COMMAND: Final = re.compile(r"\s*/([\w.:-]{1,128})(?=\s|$)")


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """Args:
    tokens: what an index may hold of it: its stem first.
    key: of the stem; `exact_key` is the same number where there is no other form.
    english_key: of the stem that English gives the word, where the query is of another
        language and its own stem is another one, or of the simplified form of a lone
        character; else the same as `key`.
    is_content: may make candidates. Stop words, and single characters beside pairs, only
        score.
    words: how many words that carry meaning it counts; none for a stop word or a whole beside
        its parts, and two pairs are a word.
    """

    text: str
    tokens: tuple[str, ...]
    key: int
    english_key: int
    exact_key: int
    kind: WordKind
    is_stop_word: bool
    is_content: bool
    in_sequence: bool
    words: float

    def marked(self, marker: str) -> list[str]:
        """The tokens of its stems behind a marker of the index."""
        stems = self.tokens[: 1 + (self.english_key != self.key)]
        return [marker + stem for stem in stems]


@dataclass(frozen=True, slots=True)
class AnalysedQuery:
    """Args:
    language: whose stems its words have.
    terms: distinct, in the order of the query.
    neighbours: the keys of two terms that follow one another, with the number of the pair.
    name: letters and digits only, as a name would be written; empty where it is too long.
    command: likewise, the name of a query that begins as `/name` or `/pack:name`, or empty.
    """

    language: str
    terms: tuple[QueryTerm, ...]
    neighbours: tuple[tuple[int, int, int], ...]
    name: str
    command: str


def validated(request: SearchRequest) -> None:
    """Raises:
    InvalidQuery: the query has no letter or digit or more than 8,192 characters, the limit
        is not 1 to 100, or the lowest score not 0 to 1.
    """
    length = len(request.query)
    if holds_half_a_pair(request.query):
        raise InvalidQuery("the query holds half of a surrogate pair", field="query")
    if length > MAX_QUERY_CHARACTERS:
        raise InvalidQuery(
            f"the query has {length} characters; the limit is {MAX_QUERY_CHARACTERS}",
            field="query",
            limit=MAX_QUERY_CHARACTERS,
        )
    if not chunks(normalised(request.query).replace("_", " ")):
        raise InvalidQuery("the query is empty or holds no letter or digit", field="query")
    if not 1 <= request.limit <= MAX_LIMIT:
        raise InvalidQuery(
            f"limit is {request.limit}; it must be 1 to {MAX_LIMIT}", field="limit", limit=MAX_LIMIT
        )
    if not 0.0 <= request.min_score <= 1.0:
        raise InvalidQuery(
            f"min_score is {request.min_score}; it must be 0 to 1", field="min_score"
        )


def analysed(query: str, language: str | None = None) -> AnalysedQuery:
    """Args:
    language: whose stems to take; guessed from the query when None.
    """
    found = chunks(normalised(query))
    language = language or guessed_language(found)
    words = [word for chunk in dict.fromkeys(found) for word in chunk_words(chunk, language)]
    has_pairs = any(word.kind is WordKind.PAIR for word in words)
    distinct: dict[str, Word] = {}
    for word in words:
        distinct.setdefault(word.stem, word)
        if len(distinct) >= MAX_DISTINCT_WORDS:
            break
    terms = [_term(word, language, has_pairs) for word in distinct.values()]
    if not any(term.is_content for term in terms):
        terms = [
            _term(word, language, has_pairs, only_stop_words=True) for word in distinct.values()
        ]
    sequence = [
        word.stem
        for chunk in found[:MAX_DISTINCT_WORDS]
        for word in chunk_words(chunk, language)
        if word.kind in IN_SEQUENCE
    ]
    keys = term_keys(sequence)
    neighbours = dict.fromkeys((a, b, neighbour_key(a, b)) for a, b in pairwise(keys))
    name = joined(query) if len(query) <= _MAX_NAME_CHARACTERS else ""
    command = _COMMAND.match(query)
    return AnalysedQuery(
        language,
        tuple(terms),
        tuple(neighbours),
        name,
        joined(command[1]) if command else "",
    )


# Most words of a query have been in another one, and to look one up takes a tenth of the time.
@lru_cache(maxsize=8_192)
def _term(word: Word, language: str, has_pairs: bool, only_stop_words: bool = False) -> QueryTerm:
    english = word.stem
    if word.kind < WordKind.PAIR and language != DEFAULT_LANGUAGE:
        english = next(iter(chunk_words(word.exact, DEFAULT_LANGUAGE)), word).stem
    elif word.kind is WordKind.CHARACTER and not has_pairs:
        english = simplified(word.exact)
    stem_key, english_key, exact_key = term_keys((word.stem, english, word.exact))
    counts = only_stop_words or not word.is_stop_word
    return QueryTerm(
        text=word.exact,
        tokens=tuple(dict.fromkeys((word.stem, english, word.exact))),
        key=stem_key,
        english_key=english_key,
        exact_key=exact_key,
        kind=word.kind,
        is_stop_word=word.is_stop_word,
        is_content=counts and not (has_pairs and word.kind is WordKind.CHARACTER),
        in_sequence=word.kind in IN_SEQUENCE,
        words=0.0 if word.is_stop_word else _words_of(word.kind, has_pairs),
    )


def _words_of(kind: WordKind, has_pairs: bool) -> float:
    if kind is WordKind.WHOLE or (kind is WordKind.CHARACTER and has_pairs):
        return 0.0
    return 1.0 if kind < WordKind.PAIR else 0.5
