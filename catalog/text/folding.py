"""One folding for names: NFKC, case-folded, outer blanks off."""

from __future__ import annotations

import unicodedata


def fold(text: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).strip()
