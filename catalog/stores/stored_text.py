"""The type of every text column: any Python text comes back as it was, in the same order.

PostgreSQL refuses the character NUL, so there it is written as two characters. The pairs are
chosen so that texts keep the order of their code points, which is also that of SQLite.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Text
from sqlalchemy.types import TypeDecorator

_NUL, _ESCAPE = "\x00", "\x01"
_ESCAPED_NUL, _ESCAPED_ESCAPE = "\x01\x01", "\x01\x02"


class _PostgreSqlText(TypeDecorator[str]):
    impl = Text(collation="C")
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Any) -> str | None:  # noqa: ARG002
        return None if value is None else without_nul(value)

    def process_result_value(self, value: str | None, dialect: Any) -> str | None:  # noqa: ARG002
        return None if value is None else with_nul(value)


STORED_TEXT = Text().with_variant(_PostgreSqlText(), "postgresql")


def without_nul(text: str) -> str:
    if _NUL in text or _ESCAPE in text:
        return text.replace(_ESCAPE, _ESCAPED_ESCAPE).replace(_NUL, _ESCAPED_NUL)
    return text


def with_nul(text: str) -> str:
    """The text of which `without_nul` made this one."""
    if _ESCAPE in text:
        return text.replace(_ESCAPED_NUL, _NUL).replace(_ESCAPED_ESCAPE, _ESCAPE)
    return text
