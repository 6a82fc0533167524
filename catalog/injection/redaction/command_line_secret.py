"""Secrets typed on a command line: `curl -u user:…`, `--password …`, `mysql -p…`."""

from __future__ import annotations

from collections.abc import Iterator

from catalog.injection.redaction.linear_pattern import LinearPattern
from catalog.injection.redaction.rule import MOST_EXAMINED, Span
from catalog.injection.redaction.secret_shape import looks_generated, looks_like_password

_OPTION = LinearPattern(
    r"(?:(?:--(?:[a-z\-]*password|passwd|pass|passphrase|user)|[ \t]-u"
    r"|--(?:[a-z\-]*token|[a-z\-]*api-?key|[a-z\-]*secret|access-key))(?:[ \t]+|=)"
    r"|\bsshpass -p ?|\b(?:mysql|mariadb)[a-z\-]*[ \t][^\n|;&]{0,200}?[ \t]?-p)"
    r"[\"']?(?:[0-9A-Za-z_.@\-]+:)?([^\s\x1a\"'`\\|;:<>]+)"
)
_LONGEST = 2_048


class CommandLineSecretRule:
    name = "command_line_secret"
    entity = "CREDENTIAL"
    patterns = (_OPTION,)

    def spans(self, text: str) -> Iterator[Span]:
        for position, ((start, _), (begin, end)) in enumerate(_OPTION.matches(text)):
            if position >= MOST_EXAMINED:
                yield begin, end
                continue
            option = text[start:begin].strip()
            if "generate" in option:
                continue
            if option.startswith(("-u", "--user")) and text[begin - 1] != ":":
                continue
            value = text[begin : min(end, begin + _LONGEST)].rstrip(".,)")
            looks_secret = looks_like_password if _takes_password(option) else looks_generated
            if looks_secret(value):
                yield begin, begin + len(value) if len(value) < _LONGEST else end


def _takes_password(option: str) -> bool:
    return option.startswith(("-u", "--user", "sshpass", "mysql", "mariadb")) or "pass" in option
