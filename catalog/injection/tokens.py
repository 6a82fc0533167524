"""How long a text is for a model: one counter, that packs and reports alike.

`o200k_base` and `cl100k_base` are real byte-pair tokenizers whose tables lie inside the
installed package; nothing is downloaded, and the table is loaded when the counter is made,
not at the first call. `chars/4` is an estimate, used only where an operator names it: it
counts a quarter of the characters, which is far too few for Chinese or dense code.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import cache
from typing import Protocol

from catalog.errors import InvalidConfiguration
from catalog.injection.native_tokenizer import native_tokenizer
from catalog.memo import Memo

DEFAULT_COUNTER = "o200k_base"
_REMEMBERED_COUNTS = 65_536


class TokenCounter(Protocol):
    """Counts the tokens of a text.

    A counter is deterministic and thread-safe, takes any `str`, counts 0 for the empty text,
    and is nearly additive at line ends: where `a` ends with a line feed and `b` starts
    with `<` or `-`, `count(a) + count(b)` is `count(a + b)` or one more. Fitting relies on
    that to try few combinations; what it answers is always counted as a whole.
    """

    @property
    def name(self) -> str: ...

    def count(self, text: str) -> int: ...

    def count_lines(self, lines: Sequence[str]) -> int:
        """The count of the lines as one text; each ends with a line feed, and each but the
        first starts with `<` or `-`."""


@cache
def token_counter(name: str = DEFAULT_COUNTER) -> TokenCounter:
    """The counter of that name, loaded and ready.

    Raises:
        InvalidConfiguration: no counter has that name.
    """
    make = _COUNTERS.get(name)
    if make is None:
        known = ", ".join(_COUNTERS)
        raise InvalidConfiguration(
            f"token counter '{name}' is unknown; known are {known}", setting="token_counter"
        )
    return _RememberedCounts(make(name))


class _BytePairCounter:
    # Its pieces end at a line feed that `<` or `-` follows, so counts add up exactly there.
    adds_up = True

    def __init__(self, name: str) -> None:
        self.name = name
        self._tokenizer = native_tokenizer(name)

    def count(self, text: str) -> int:
        try:
            return int(self._tokenizer.count(text))
        except UnicodeEncodeError:
            # A lone surrogate has no UTF-8; the wire writes a replacement character for it.
            return int(self._tokenizer.count(_without_surrogates(text)))


class _QuarterOfCharacters:
    adds_up = False

    def __init__(self, name: str) -> None:
        self.name = name

    def count(self, text: str) -> int:
        return -(-len(text) // 4)


# A new counter is one line here.
_COUNTERS: dict[str, Callable[[str], _BytePairCounter | _QuarterOfCharacters]] = {
    "o200k_base": _BytePairCounter,
    "cl100k_base": _BytePairCounter,
    "chars/4": _QuarterOfCharacters,
}


class _RememberedCounts:
    """A counter that does not count the same text twice."""

    def __init__(self, counter: _BytePairCounter | _QuarterOfCharacters) -> None:
        self.name = counter.name
        self._counter = counter
        # Keyed by digest, so that a long text is not kept alive for its count.
        self._counts: Memo[bytes, int] = Memo(_REMEMBERED_COUNTS)

    def count(self, text: str) -> int:
        if not text:
            return 0
        encoded = text.encode("utf-8", "surrogatepass")
        return self._counts.computed(
            hashlib.blake2b(encoded, digest_size=16).digest(), lambda: self._counter.count(text)
        )

    def count_lines(self, lines: Sequence[str]) -> int:
        # Lines come again in other answers, whole answers seldom do.
        return sum(map(self.count, lines)) if self._counter.adds_up else self.count("".join(lines))


def _without_surrogates(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
