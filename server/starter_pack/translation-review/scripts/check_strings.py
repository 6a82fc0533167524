#!/usr/bin/env python3
"""Compare a translated JSON string file with its source, without knowing the languages.

Usage: check_strings.py SOURCE.json TARGET.json
Nested objects are read as dotted keys. Exit code: 0 nothing found, 1 findings, 2 unreadable input.
"""

import argparse
import json
import re
import sys
from collections import Counter
from pathlib import Path

# Printf, braces ({name}, {0}, {{name}}, ICU argument), ruby/python %(name)s, shell-like ${name}.
PLACEHOLDER = re.compile(
    r"%\([A-Za-z_]\w*\)[sdif]|%(?:\d+\$)?[-+0]?\d*(?:\.\d+)?[sdifu@](?![A-Za-z])"
    r"|\$\{[^{}]*\}|\{\{[^{}]*\}\}|\{\s*[A-Za-z_0-9.]+(?=\s*[,}])"
)
TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9-]*")
DIGITS = re.compile(r"\d+")
END_MARKS = {"。": ".", "！": "!", "？": "?", "：": ":", "…": "…", "؟": "?", "।": ".", "；": ";"}


def flatten(value, prefix=""):
    """(key, text) of every string in nested objects and lists."""
    if isinstance(value, str):
        yield prefix, value
    elif isinstance(value, dict | list):
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        for key, inner in pairs:
            yield from flatten(inner, f"{prefix}.{key}" if prefix else str(key))


def end_mark(text):
    last = text.rstrip()[-1:]
    last = END_MARKS.get(last, last)
    return last if last in ".!?:…;" else ""


def differing(pattern, source, target):
    """What one text has more of than the other, as '-missing +added', or nothing."""
    there, here = (
        Counter(re.sub(r"\s", "", hit) for hit in pattern.findall(text))
        for text in (source, target)
    )
    missing, added = there - here, here - there
    return " ".join([f"-{text}" for text in missing] + [f"+{text}" for text in added])


def compare(source, target):
    """(severity, finding) for one pair of strings."""
    if not target.strip():
        yield "major", "empty"
        return
    if marks := differing(PLACEHOLDER, source, target):
        yield "critical", f"placeholders: {marks}"
    if tags := differing(TAG, source, target):
        yield "major", f"tags: {tags}"
    without = [PLACEHOLDER.sub(" ", text) for text in (source, target)]
    digits = ["".join(sorted("".join(DIGITS.findall(text)))) for text in without]
    if digits[0] != digits[1]:
        yield "major", "numbers differ"
    if source == target and len(re.findall(r"[^\W\d_]{2,}", without[0])) > 1:
        yield "major", "same as the source"
    if source.count("\n") != target.count("\n"):
        yield "minor", "number of line breaks differs"
    if end_mark(source) != end_mark(target):
        yield "minor", f"ends with {end_mark(target)!r}, source with {end_mark(source)!r}"
    if any(source[at].isspace() != target[at].isspace() for at in (0, -1) if source):
        yield "minor", "space at the start or end differs"
    if len(source) > 3 and len(target) > 2 * len(source) + 10:
        yield "minor", f"{len(target)} characters for {len(source)}: does it fit?"


def read(path):
    try:
        return dict(flatten(json.loads(path.read_text(encoding="utf-8-sig"))))
    except (OSError, ValueError) as problem:
        print(f"{path}: {problem}", file=sys.stderr)
        sys.exit(2)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    arguments = parser.parse_args()
    source, target = read(arguments.source), read(arguments.target)
    found = [("critical", key, "key is missing") for key in source if key not in target]
    found += [("minor", key, "key is not in the source") for key in target if key not in source]
    for key in source:
        if key in target:
            found += [(severity, key, text) for severity, text in compare(source[key], target[key])]
    order = ["critical", "major", "minor"]
    for severity, key, text in sorted(found, key=lambda item: order.index(item[0])):
        print(f"{severity:<8}  {key}: {text}")
    counts = Counter(severity for severity, _, _ in found)
    print(f"{len(source)} strings: " + ", ".join(f"{counts[name]} {name}" for name in order))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
