"""What ranking knows of one document: which terms it holds, where, and how often.

A profile is a few kilobytes that a store keeps beside the row and hands back by entry id, so
that ranking is the same arithmetic on every engine and needs nothing of the engine's own
scores.

A term is the 64-bit key of a token of `catalog.text.analysis`. Its value packs how often it
occurs in each field: five bits for the body, three for each of the others, both saturating.
"""

from __future__ import annotations

import struct
import sys
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from catalog.errors import StoreUnavailable

PROFILE_VERSION: Final = 3


class Field(IntEnum):
    """Where a term may stand. The number is the order of the field's bits and lengths."""

    BODY = 0
    NAME = 1
    TITLE = 2
    DESCRIPTION = 3
    USE_WHEN = 4
    """Sentences that say when it is wanted, the trigger among them."""
    QUOTED = 5
    """What people would say, in quotation marks in one of the above."""
    NOT_FOR = 6
    """Sentences that say when it is not wanted."""
    TAGS = 7
    HEADINGS = 8


BODY_BITS: Final = 5
FIELD_BITS: Final = 3
MAX_BODY_COUNT: Final = (1 << BODY_BITS) - 1
MAX_FIELD_COUNT: Final = (1 << FIELD_BITS) - 1
SHIFTS: Final = (0, *(BODY_BITS + FIELD_BITS * index for index in range(len(Field) - 1)))
"""By how many bits the count of each field is shifted in a term's value."""

_HEADER: Final = struct.Struct(f"<BBHHHHH{len(Field)}H")
_MAX_LENGTH: Final = 65_535
_LISTS: Final = 3


def phrase_key(key: int) -> int:
    """The 32 bits of a term's key by which phrases name it; never 0."""
    return key & 0xFFFFFFFF or 1


def encode_profile(
    card_terms: Mapping[int, int],
    body_terms: Mapping[int, int],
    lengths: Sequence[int],
    neighbours: Iterable[int] = (),
    body_neighbours: Iterable[int] = (),
    phrases: Sequence[int] = (),
    *,
    complete: bool = True,
) -> bytes:
    """The bytes of a profile.

    Args:
        card_terms: key to packed counts of the terms that stand anywhere but in the body.
        body_terms: key to the count, at most `MAX_BODY_COUNT`, of terms of the body alone.
        neighbours, body_neighbours: 32-bit numbers of words that follow one another outside
            the body and in it.
        phrases: the words of each quoted phrase as 32-bit keys, a 0 after each phrase.
        complete: whether every term of the body is among them.
    """
    lists = [
        array("I", sorted(neighbours)[:_MAX_LENGTH]),
        array("I", sorted(body_neighbours)[:_MAX_LENGTH]),
        array("I", phrases[:_MAX_LENGTH]),
    ]
    header = _HEADER.pack(
        PROFILE_VERSION,
        complete,
        len(card_terms),
        len(body_terms),
        *map(len, lists),
        *[min(length, _MAX_LENGTH) for length in lengths],
    )
    keys = array("q", card_terms)
    keys.extend(array("q", body_terms))
    values = array("I", card_terms.values())
    if sys.byteorder == "big":
        keys.byteswap()
        values.byteswap()
        for numbers in lists:
            numbers.byteswap()
    parts = [part.tobytes() for part in (keys, values, *lists)]
    return b"".join((header, *parts, bytes(body_terms.values())))


class _Shared(dict[int, int]):
    """Gives the one object for a number, so that profiles in memory share their terms."""

    def __missing__(self, number: int) -> int:
        if len(self) >= _MAX_SHARED:
            self.clear()
        self[number] = number
        return number


_MAX_SHARED: Final = 500_000
_SHARED_KEYS: Final = _Shared()
_SHARED_VALUES: Final = _Shared()


@dataclass(frozen=True, slots=True)
class Profile:
    """Args:
    terms: a term's key to its packed counts.
    lengths: words in each field, in the order of `Field`.
    neighbours, body_neighbours: ascending 32-bit numbers of words that follow one another
        outside the body and in it.
    phrases: the words of each quoted phrase as 32-bit keys, a 0 after each phrase.
    complete: False where rare terms of a long body were left out.
    """

    terms: dict[int, int]
    lengths: tuple[int, ...]
    neighbours: array[int]
    body_neighbours: array[int]
    phrases: array[int]
    complete: bool = True

    @classmethod
    def decode(cls, blob: bytes) -> Profile:
        """Raises:
        StoreUnavailable: the bytes were written by another version of this file.
        """
        version, complete, short, body, *rest = _HEADER.unpack_from(blob)
        counts, lengths = rest[:_LISTS], rest[_LISTS:]
        if version != PROFILE_VERSION:
            raise StoreUnavailable(
                f"a search profile has version {version}, this program reads {PROFILE_VERSION}; "
                "the index has to be rebuilt",
                version=version,
            )
        start = _HEADER.size
        after_keys = start + 8 * (short + body)
        after_values = after_keys + 4 * short
        numbers, values = array("q"), array("I")
        numbers.frombytes(blob[start:after_keys])
        values.frombytes(blob[after_keys:after_values])
        lists = []
        end = after_values
        for count in counts:
            found = array("I")
            found.frombytes(blob[end : end + 4 * count])
            lists.append(found)
            end += 4 * count
        if sys.byteorder == "big":
            for swapped in (numbers, values, *lists):
                swapped.byteswap()
        packed = list(map(_SHARED_VALUES.__getitem__, values))
        packed.extend(blob[end:])
        keys = map(_SHARED_KEYS.__getitem__, numbers)
        terms = dict(zip(keys, packed, strict=True))
        neighbours, body_neighbours, phrases = lists
        return cls(terms, tuple(lengths), neighbours, body_neighbours, phrases, bool(complete))
