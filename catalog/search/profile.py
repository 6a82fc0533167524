"""What ranking knows of one document: which terms it holds, where, and how often.

A profile is a few kilobytes that a store keeps beside the row and hands back by entry id, so
that ranking is the same arithmetic on every engine and needs nothing of the engine's own
scores. It is made of lists of 32-bit little-endian numbers that are read as they are: nothing
is unpacked, so a profile that was never read before costs little more than one that was.

A term is the short key of a token of `catalog.text.analysis`. Its value packs how often it
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

PROFILE_VERSION: Final = 4


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

NUMBER_BYTES: Final = 4
_LISTS: Final = 4
_HEADER: Final = struct.Struct(f"<B{_LISTS}H")
_LENGTHS: Final = struct.Struct(f"<{len(Field)}H")
_LENGTHS_START: Final = _HEADER.size
_LISTS_START: Final = _HEADER.size + _LENGTHS.size
_MOST: Final = 65_535
_OBJECTS_BYTES: Final = 400


def short_key(key: int) -> int:
    """The 32 bits of a term's key by which profiles name it; never 0."""
    return key & 0xFFFFFFFF or 1


@dataclass(frozen=True, slots=True)
class Profile:
    """Lists are bytes: 32-bit numbers, the lowest byte first.

    Args:
        keys: the short key of each term.
        values: the packed counts of each of them.
        lengths: words in each field as 16-bit numbers, in the order of `Field`.
        neighbours, body_neighbours: numbers of words that follow one another outside the body
            and in it.
        phrases: the words of each quoted phrase as short keys, a 0 after each phrase.
    """

    keys: bytes
    values: bytes
    lengths: bytes
    neighbours: bytes
    body_neighbours: bytes
    phrases: bytes

    @classmethod
    def of(
        cls,
        terms: Mapping[int, int],
        lengths: Sequence[int],
        neighbours: Iterable[int] = (),
        body_neighbours: Iterable[int] = (),
        phrases: Sequence[int] = (),
    ) -> Profile:
        """A profile of terms by their short keys."""
        return cls(
            _numbers(terms),
            _numbers(terms.values()),
            _LENGTHS.pack(*[min(length, _MOST) for length in lengths]),
            _numbers(sorted(neighbours)[:_MOST]),
            _numbers(sorted(body_neighbours)[:_MOST]),
            _numbers(phrases[:_MOST]),
        )

    def size(self) -> int:
        """About how many bytes of memory it takes."""
        lists = (self.keys, self.values, self.neighbours, self.body_neighbours, self.phrases)
        return _OBJECTS_BYTES + sum(map(len, lists))

    def terms(self) -> frozenset[int]:
        """The short keys."""
        return frozenset(number for (number,) in struct.iter_unpack("<I", self.keys))

    def encoded(self) -> bytes:
        lists = (self.keys, self.neighbours, self.body_neighbours, self.phrases)
        counts = [len(numbers) // NUMBER_BYTES for numbers in lists]
        header = _HEADER.pack(PROFILE_VERSION, *counts)
        return b"".join((header, self.lengths, self.keys, self.values, *lists[1:]))

    @classmethod
    def decode(cls, blob: bytes) -> Profile:
        """Raises:
        StoreUnavailable: the bytes were written by another version of this file.
        """
        version, terms, *counts = _HEADER.unpack_from(blob)
        if version != PROFILE_VERSION:
            raise StoreUnavailable(
                f"a search profile has version {version}, this program reads {PROFILE_VERSION}; "
                "the index has to be rebuilt",
                version=version,
            )
        lists = []
        start = _LISTS_START
        for count in (terms, terms, *counts):
            end = start + NUMBER_BYTES * count
            lists.append(blob[start:end])
            start = end
        keys, values, neighbours, body_neighbours, phrases = lists
        lengths = blob[_LENGTHS_START:_LISTS_START]
        return cls(keys, values, lengths, neighbours, body_neighbours, phrases)


def _numbers(values: Iterable[int]) -> bytes:
    numbers = array("I", values)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()
