"""diagnostics.md: everything that an import may say about a file."""

from __future__ import annotations

from importer.diagnostics import CODES
from reference_pages.markdown import table

INTRODUCTION = """\
# Diagnostics

What `import` and `validate` say about a file: a code, a message, the path, the line and what
was done. An error left something out; a warning imported it, perhaps not as its author meant;
an information asks for nothing. With `--strict`, every code marked in the last column refuses
its skill.

"""


def page() -> str:
    return INTRODUCTION + table(
        ("code", "severity", "what it means", "what is done", "strict refuses"),
        (
            (
                f"`{name}`",
                code.severity,
                code.meaning,
                code.action,
                "yes" if code.refused_when_strict else "",
            )
            for name, code in CODES.items()
        ),
    )
