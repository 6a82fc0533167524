"""Secrets typed on a command line: `curl -u user:…`, `--password …`, `docker login -p …`."""

from __future__ import annotations

from collections.abc import Iterator

from catalog.injection.redaction.linear_pattern import LinearPattern, Span
from catalog.injection.redaction.rule import MOST_EXAMINED
from catalog.injection.redaction.secret_shape import (
    is_literal,
    looks_generated,
    looks_like_password,
)

_OPTION = LinearPattern(
    r"(?:(?:--(?:[a-z\-]*password|passwd|pass|passphrase|user)|[ \t]-u"
    r"|--(?:[a-z\-]*token|[a-z\-]*api-?key|[a-z\-]*secret|access-key))(?:[ \t]+|=)"
    r")[\"']?(?:[0-9A-Za-z_.@\-]+:)?([^\s\x1a\"'`\\|;:<>]+)"
)
_USER = LinearPattern(
    r"(?:\bcurl(?:[ \t][^\n|;&]*?)?[ \t]-[A-Za-z]*u[ \t]*"
    r"|\bhttps?(?:[ \t][^\n|;&]*?)?[ \t]-a[ \t]+)"
    r"[\"']?[0-9A-Za-z_.@\-]+:([^\s\x1a\"'`\\|;:<>]+)"
)
_NO_CREDENTIALS = LinearPattern(r"\b(?:git|docker|podman|kubectl|sudo)\b[^\n|;&]*$")
_LOGIN = LinearPattern(
    r"(?:\b(?:docker|podman|nerdctl|buildah|skopeo|helm|oras|crane|az|oc)[ \t][^\n|;&]*?\blogin\b"
    r"[^\n|;&]*?[ \t]-p[ \t=]*"
    r"|\bsshpass -p ?"
    r"|\b(?:mysql|mariadb)[a-z\-]*(?:[ \t][^\n|;&]*?)?[ \t]-p"
    r"|\bredis-cli[ \t][^\n|;&]*?-a[ \t]+"
    r"|\bmongo[a-z]*[ \t][^\n|;&]*?-p[ \t]+"
    r"|\bldap[a-z]+[ \t][^\n|;&]*?-w[ \t]+"
    r"|\bsqlcmd[ \t][^\n|;&]*?-P[ \t]*"
    r"|\bunzip[ \t][^\n|;&]*?-P[ \t]+"
    r"|\b7za?[ \t][^\n|;&]*?[ \t]-p"
    r"|\bhtpasswd[ \t]+-[a-zA-Z]*b[a-zA-Z]*[ \t]+\S+[ \t]+\S+[ \t]+"
    r"|\bConvertTo-SecureString(?:[ \t]+-String)?[ \t]+"
    r"|\baws[ \t]+configure[ \t]+set[ \t]+aws_(?:secret_access_key|session_token)[ \t]+"
    r"|\bIDENTIFIED[ \t]+BY[ \t]+[\"']"
    r"|\b(?:PGPASSWORD|MYSQL_PWD|REDISCLI_AUTH|SSHPASS|RESTIC_PASSWORD)=)"
    r"[\"']?([^\s\x1a\"'`\\|;<>]+)"
)
_LONGEST = 2_048
_LOOK_BACK = 128


class CommandLineSecretRule:
    entity = "CREDENTIAL"
    patterns = (_OPTION, _USER, _LOGIN)

    def spans(self, text: str) -> Iterator[Span]:
        for position, ((start, _), (begin, end)) in enumerate(_OPTION.matches(text)):
            if position >= MOST_EXAMINED:
                yield begin, end
                continue
            option = text[start:begin].strip()
            if "generate" in option:
                continue
            if _takes_user(option) and (
                text[begin - 1] != ":"
                or _NO_CREDENTIALS.found_in(text[max(0, start - _LOOK_BACK) : start])
            ):
                continue
            value = text[begin : min(end, begin + _LONGEST)].rstrip(".,)")
            looks_secret = looks_like_password if _takes_password(option) else looks_generated
            if looks_secret(value):
                yield begin, begin + len(value) if len(value) < _LONGEST else end
        for position, (_, (begin, end)) in enumerate(_USER.matches(text)):
            if position >= MOST_EXAMINED or looks_like_password(text[begin:end]):
                yield begin, end
        for position, (_, (begin, end)) in enumerate(_LOGIN.matches(text)):
            if position >= MOST_EXAMINED or is_literal(text[begin:end]):
                yield begin, end


def _takes_user(option: str) -> bool:
    return option.startswith(("-u", "--user"))


def _takes_password(option: str) -> bool:
    return _takes_user(option) or "pass" in option
