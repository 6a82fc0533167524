"""IP addresses of the public internet.

Loopback, private, link-local, shared, documentation and reserved ranges survive, and so do
network masks, whole ranges in CIDR notation and the stand-ins 1.2.3.4, 4.3.2.1 and 5.6.7.8.
Four numbers with
dots are no address where they are a version or a section: after such a word, a comparison,
a `v`, or a name and a slash. An IPv6 address is one of 2000::/3, written in full or short.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from catalog.injection.redaction.boundary import continues_word
from catalog.injection.redaction.linear_pattern import LinearPattern, Span
from catalog.injection.redaction.rule import MOST_EXAMINED

_DOTTED = LinearPattern(r"\d+(?:\.\d+){3,}")
_COLONS = LinearPattern(r"[23][0-9a-fA-F]{3}:[0-9a-fA-F:]*(?:\d+(?:\.\d+){3})?")
_NUMBERING = LinearPattern(
    r"(?:\b(?:v|ver|versions?|versión|versione|versão|release|rev|revision|build|firmware|"
    r"driver|sdk|runtime|"
    r"assembly|sections?|sect?|chapter|clause|appendix|article|paragraph|step|rule|figure|fig|"
    r"table|oid|tag|requirement|req|control|item)s?|"
    r"version|§|版本|バージョン|버전|版|节|第|версия)"
    r"""["'`]?\s{0,3}(?:[:=]|is|to|from|von|de|no\.?)?\s{0,3}["'`v=^~<>(*]{0,3}$""",
    ignore_case=True,
)
_LOOK_BACK = 40
_PLACEHOLDERS = frozenset(("1.2.3.4", "4.3.2.1", "5.6.7.8"))
_LOCAL_4 = tuple(
    (int(network.network_address), int(network.netmask))
    for network in map(
        ipaddress.IPv4Network,
        [
            "0.0.0.0/8",
            "10.0.0.0/8",
            "100.64.0.0/10",
            "127.0.0.0/8",
            "169.254.0.0/16",
            "172.16.0.0/12",
            "192.0.0.0/24",
            "192.0.2.0/24",
            "192.168.0.0/16",
            "198.18.0.0/15",
            "198.51.100.0/24",
            "203.0.113.0/24",
            "224.0.0.0/3",
        ],
    )
)
_GLOBAL_6 = ipaddress.IPv6Network("2000::/3")
_DOCUMENTATION_6 = (ipaddress.IPv6Network("2001:db8::/32"), ipaddress.IPv6Network("3fff::/20"))


class IpAddressRule:
    entity = "IP_ADDRESS"
    patterns = (_DOTTED, _COLONS)

    def spans(self, text: str) -> Iterator[Span]:
        for position, ((start, end),) in enumerate(_DOTTED.matches(text)):
            if position < MOST_EXAMINED:
                is_public = 7 <= end - start <= 15 and _is_public_4(text, start, end)
            else:
                is_public = text.count(".", start, end) == 3
            if is_public:
                yield start, end
        if ":" in text:
            for position, ((start, end),) in enumerate(_COLONS.matches(text)):
                stop = start + len(text[start:end].rstrip(":"))
                if position >= MOST_EXAMINED or (
                    stop - start <= 45 and _is_public_6(text, start, stop)
                ):
                    yield start, stop


def _is_public_4(text: str, start: int, end: int) -> bool:
    written = text[start:end]
    octets = written.split(".")
    if len(octets) != 4 or written in _PLACEHOLDERS:
        return False
    if any(len(octet) > 3 or int(octet) > 255 or (octet[0] == "0" != octet) for octet in octets):
        return False
    value = 0
    for octet in octets:
        value = value * 256 + int(octet)
    if any(value & netmask == network for network, netmask in _LOCAL_4):
        return False
    return not (
        _is_joined(text, start, end)
        or _is_range(text, end, value)
        or _NUMBERING.found_in(_line_before(text, start))
    )


def _is_joined(text: str, start: int, end: int) -> bool:
    """Whether letters, a path or a comparison make the four numbers part of something else."""
    before, after = text[max(0, start - 2) : start], text[end : end + 2]
    last = before[-1:]
    if continues_word(last) or (last and last in "._-~^+§"):
        return True
    if last == "/" and before != "//":
        return True
    if last == "=" and before[0] in "=<>~!^":
        return True
    following = after[:1]
    return (
        continues_word(following)
        or following in ("_", "+")
        or (following in ("-", ".") and continues_word(after[1:]))
    )


def _is_range(text: str, end: int, value: int) -> bool:
    if text[end : end + 1] != "/":
        return False
    prefix = text[end + 1 : end + 3]
    prefix = prefix if prefix.isdigit() else prefix[:1]
    if not prefix.isdigit() or int(prefix) >= 32:
        return False
    return value & ((1 << (32 - int(prefix))) - 1) == 0


def _line_before(text: str, start: int) -> str:
    head = text[max(0, start - _LOOK_BACK) : start]
    return head[head.rfind("\n") + 1 :]


def _is_public_6(text: str, start: int, end: int) -> bool:
    before, after = text[start - 1 : start], text[end : end + 1]
    if (
        (start and (continues_word(before) or before in ":_.-"))
        or continues_word(after)
        or after == "_"
    ):
        return False
    try:
        address = ipaddress.IPv6Address(text[start:end])
    except ValueError:
        return False
    return address in _GLOBAL_6 and not any(address in network for network in _DOCUMENTATION_6)
