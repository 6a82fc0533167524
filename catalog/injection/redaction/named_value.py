"""Secrets whose name stands in a place of its own: markup, and pairs of a name and a value.

`<password>…</password>`, `<add key="ApiKey" value="…"/>`, `<entry key="db.password">…</entry>`,
`<key>Password</key><string>…</string>`, `{"name": "DB_PASSWORD", "value": "…"}`, the same in YAML
over two lines, `ParameterKey=DbPassword,ParameterValue=…`, `define('DB_PASSWORD', '…')`, a block of
YAML (`password: |` and the next line) and `PASSWORD '…'` of SQL.
"""

from __future__ import annotations

from collections.abc import Iterator

from catalog.injection.redaction.linear_pattern import NOT_MATCHED, LinearPattern, Span
from catalog.injection.redaction.rule import MOST_EXAMINED
from catalog.injection.redaction.secret_names import SECRET_WORDS, looks_secret

# Without counted repetitions, for which the automaton would need a state per count.
_NAME = rf"[\w.:\-]*?({SECRET_WORDS})"
_TEXT = r"\s*(?:<!\[CDATA\[)?([^<>\s\x1a][^<>\n\x1a]*?)(?:\]\]>)?\s*</"
_ELEMENT = LinearPattern(
    rf"<{_NAME}(?:\s[^<>\n]*)?>{_TEXT}"
    rf"|[\"']{_NAME}[\"'](?:\s[^<>\n]*)?>(?:\s*<[\w:\-]+>)?{_TEXT}"
    rf"|>{_NAME}</[\w:\-]+>\s*<[\w:\-]+>{_TEXT}",
    ignore_case=True,
)
_VALUE = r"(?:\"([^\"\n\x1a]+)\"|'([^'\n\x1a]+)'|([^\s\"'`<>,;\x1a{}\[\]()]+))"
_PAIR = LinearPattern(
    rf"(?:(?:name|key|id|property|type)[\"']?\s?[:=]\s?[\"']?{_NAME}[\"']?[\s,;]+?"
    r"(?:[^<>\n{}]*?[\s,;])?[\"']?(?:(?:parameter)?value|content)[\"']?\s?[:=]\s?"
    rf"|<{_NAME}\s+value\s?=\s?|\bdefine\(\s*[\"']{_NAME}[\"']\s*,\s*){_VALUE}",
    ignore_case=True,
)
_WITHOUT_MARK = LinearPattern(
    rf"(?m){_NAME}[\"']?:[ ]?[|>][+\-]?\n[ \t]+([^\s\x1a]+)$"
    r"|\b(password)[ ]+'([^'\n\x1a]+)'",
    ignore_case=True,
)
_FARTHEST = 200
"""Characters between a name and its value."""


class NamedValueRule:
    entity = "CREDENTIAL"
    patterns = (_ELEMENT, _PAIR, _WITHOUT_MARK)

    def spans(self, text: str) -> Iterator[Span]:
        for pattern in self.patterns:
            for position, (_, *groups) in enumerate(pattern.matches(text)):
                word, value = (group for group in groups if group != NOT_MATCHED)
                if value[0] - word[1] <= _FARTHEST and (
                    position >= MOST_EXAMINED
                    or looks_secret(text[slice(*word)], text[slice(*value)])
                ):
                    yield value
