#!/usr/bin/env python3
"""Report lines that seem to hold personal data or secrets, without printing the values.

Usage: scan_personal_data.py FILE [FILE ...]
Exit code: 0 nothing found, 1 findings, 2 a file could not be read. A clean result is no proof:
names, addresses and free text have no pattern.
"""

import argparse
import ipaddress
import re
import sys
from pathlib import Path

LONGEST_LINE = 10_000
DOCUMENTATION_DOMAIN = re.compile(
    r"(^|\.)(example\.(com|org|net)|test|invalid|example|localhost)$", re.IGNORECASE
)
PLACEHOLDER = re.compile(r"^(\*+|x+|<.*>|\$\{?.*|%.*%|your[_-].*|changeme|redacted|\.+)$", re.I)


def mask(value):
    """The first character and the last one: enough to find it, too little to use it."""
    return f"{value[0]}***{value[-1]}" if len(value) > 4 else "***"


def luhn_valid(digits):
    total = 0
    for position, digit in enumerate(reversed(digits)):
        number = int(digit) * (1 + position % 2)
        total += number - 9 if number > 9 else number
    return total % 10 == 0 and len(set(digits)) > 1


def email(match):
    local, _, domain = match[0].partition("@")
    if DOCUMENTATION_DOMAIN.search(domain):
        return None
    return f"{local[0]}***@{domain[0]}***"


def payment_card(match):
    digits = re.sub(r"\D", "", match[0])
    if not luhn_valid(digits):
        return None
    return f"{mask(digits)} ({len(digits)} digits, Luhn valid)"


def iban(match):
    compact = match[0].replace(" ", "")
    rearranged = compact[4:] + compact[:4]
    if int("".join(str(int(character, 36)) for character in rearranged)) % 97 != 1:
        return None
    return f"{compact[:2]}*** ({len(compact)} characters, checksum valid)"


def ip_address(match):
    try:
        address = ipaddress.ip_address(match[0])
    except ValueError:
        return None
    return f"{match[0].split('.')[0]}.***" if address.is_global else None


def phone(match):
    digits = re.sub(r"\D", "", match[0])
    return f"+{digits[:2]}*** ({len(digits)} digits)" if 8 <= len(digits) <= 15 else None


def credential(match):
    return None if PLACEHOLDER.match(match["value"]) else f"{match['key']}=***"


def found(match):
    return mask(match[0])


KINDS = [
    ("private-key", re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----"), found),
    ("jwt", re.compile(r"\beyJ[\w-]{5,}\.[\w-]{5,}\.[\w-]{5,}"), found),
    ("cloud-key", re.compile(r"\b(AKIA|ASIA)[A-Z0-9]{16}\b|\bAIza[\w-]{35}\b"), found),
    ("token", re.compile(r"\bgh[pousr]_[A-Za-z0-9]{36,}\b|\bxox[abpr]-[\w-]{10,}"), found),
    (
        "credential",
        re.compile(
            r"(?P<key>password|passwd|pwd|secret|api[_-]?key|token)"
            r"[\"']?\s*[:=]\s*[\"']?(?P<value>[^\s\"',;&]{4,})",
            re.IGNORECASE,
        ),
        credential,
    ),
    ("url-password", re.compile(r"\b[a-z][a-z+]{1,15}://[^\s/:@]+:[^\s/@]+@"), found),
    ("email", re.compile(r"[\w.+-]+@(?:[\w-]+\.)+[A-Za-z]{2,}(?![\w:])"), email),
    ("iban", re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b"), iban),
    ("payment-card", re.compile(r"(?<![\w.-])[3-6]\d{3}(?:[ -]?\d){9,15}(?![\w-])"), payment_card),
    ("ip-address", re.compile(r"(?<![\w.-])\d{1,3}(?:\.\d{1,3}){3}(?![\w.-])"), ip_address),
    ("phone", re.compile(r"(?<![\w+])\+\d(?:[ ()/.-]{0,2}\d){7,14}\b"), phone),
]


def findings(text):
    """(line number, kind, masked excerpt) of each finding, in the order of the lines."""
    for number, line in enumerate(text.splitlines(), 1):
        for kind, pattern, judge in KINDS:
            for match in pattern.finditer(line[:LONGEST_LINE]):
                excerpt = judge(match)
                if excerpt:
                    yield number, kind, excerpt
        if len(line) > LONGEST_LINE:
            yield number, "long-line", f"only the first {LONGEST_LINE} characters were read"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    count = 0
    for path in arguments.files:
        try:
            text = path.read_bytes().decode("utf-8", errors="replace")
        except OSError as problem:
            print(f"{path}: {problem.strerror}", file=sys.stderr)
            return 2
        for number, kind, excerpt in findings(text):
            count += 1
            print(f"{path}:{number}  {kind:<12} {excerpt}")
    files = len(arguments.files)
    print(f"{count} finding{'s' * (count != 1)} in {files} file{'s' * (files != 1)}")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
