"""Half of a surrogate pair: what a string of Python may hold and no UTF-8 can say."""

from __future__ import annotations

import re

_HALF = re.compile("[\ud800-\udfff]")


def holds_half_a_pair(text: str) -> bool:
    return not text.isascii() and _HALF.search(text) is not None
