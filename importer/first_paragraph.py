"""The first paragraph of a body: what a skill without a description says about itself."""

from __future__ import annotations

import re

_MOST_CHARACTERS = 1024
_BEGIN = 16 * 1024
_FENCE = re.compile(r"[ ]{0,3}(`{3,}|~{3,})")
_NO_PROSE = re.compile(
    r"[ ]{0,3}(?:#{1,6}(?:\s|$)|[-*_=](?:[ \t]*[-*_=]){2,}[ \t]*$|\||<!--|<[/a-zA-Z]|!\[|\[!\[)"
)
_MARKER = re.compile(r"[ ]{0,3}(?:>[ ]?|[-*+][ ]+|\d{1,3}[.)][ ]+)+")
_HEADING = re.compile(r"[ ]{0,3}#{1,6}[ \t]+")


def first_paragraph(body: str) -> str:
    """One line of at most 1,024 characters, cut at a word: the first prose of the body,
    else its first heading, else its first line that is not blank. Empty for a blank body.
    """
    paragraph: list[str] = []
    heading = ""
    first_line = ""
    fence = ""
    for line in body[:_BEGIN].splitlines():
        stripped = line.strip()
        first_line = first_line or stripped
        opening = _FENCE.match(line)
        if opening:
            if paragraph:
                break
            if not fence:
                fence = opening.group(1)
            elif stripped.startswith(fence):
                fence = ""
        elif fence:
            continue
        elif not stripped or _NO_PROSE.match(line):
            if paragraph:
                break
            if _HEADING.match(line):
                heading = heading or _HEADING.sub("", line).strip(" #")
        else:
            paragraph.append(_MARKER.sub("", line).strip())
    return _cut(" ".join(paragraph).strip() or heading or first_line)


def _cut(text: str) -> str:
    if len(text) <= _MOST_CHARACTERS:
        return text
    return text[:_MOST_CHARACTERS].rpartition(" ")[0] or text[:_MOST_CHARACTERS]
