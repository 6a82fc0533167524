"""Names and paths: what a part of one holds is read as the text that it would be by itself."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

_LONGEST_ENDING: Final = 5
_SEPARATOR: Final = re.compile("([:/])")


def redacted_name(name: str, redact: Callable[[str], str]) -> str:
    """The name of a skill, redacted as a whole and then in every part.

    The name of a pack that is an address looks like a place to copy to before `:folder/name`.
    """
    return "".join(map(redact, _SEPARATOR.split(redact(name))))


def redacted_path(path: str, redact: Callable[[str], str]) -> str:
    """The path with every part redacted; `/` and the endings of files stay.

    Behind a slash an address looks like a part of a URL, and before `.txt` a number looks
    like a part of a version.
    """
    return "/".join(_part(part, redact) for part in path.split("/"))


def _part(part: str, redact: Callable[[str], str]) -> str:
    redacted = redact(part)
    stem, _, ending = redacted.rpartition(".")
    is_file = stem and len(ending) <= _LONGEST_ENDING and ending[:1].isalpha() and ending.isalnum()
    return f"{redact(stem)}.{ending}" if is_file else redacted
