#!/usr/bin/env python3
"""Say what is in a CSV file, column by column, without changing anything.

Usage: profile_csv.py FILE [--delimiter ';'] [--encoding utf-8]
"""

import argparse
import csv
import io
import re
import sys
from collections import Counter
from pathlib import Path

EMPTY_MARKERS = {"", "-", "--", "?", "n/a", "na", "nan", "none", "null", "nil"}
SHAPES = [
    ("iso-date", re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d)?\S*)?")),
    ("dotted-date", re.compile(r"\d{1,2}\.\d{1,2}\.\d{2,4}")),
    ("slashed-date", re.compile(r"\d{1,2}/\d{1,2}/\d{2,4}")),
    ("leading-zero", re.compile(r"0\d+")),
    ("integer", re.compile(r"[+-]?\d+")),
    ("decimal-point", re.compile(r"[+-]?(\d+|\d{1,3}(,\d{3})+)\.\d+")),
    ("decimal-comma", re.compile(r"[+-]?(\d+|\d{1,3}(\.\d{3})+),\d+")),
    ("scientific", re.compile(r"[+-]?\d+([.,]\d+)?[eE][+-]?\d+")),
]


def decode(data, encoding):
    """(text, encoding): the one asked for, else by byte-order mark, UTF-8, or Windows-1252."""
    if encoding:
        return data.decode(encoding), encoding
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16"), "utf-16"
    try:
        return data.decode("utf-8-sig"), "utf-8-sig"
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace"), "cp1252"


def guess_delimiter(text):
    """The delimiter that cuts the first lines into the most, equally many, cells."""
    lines = text.splitlines()[:20]

    def quality(delimiter):
        widths = Counter(len(row) for row in csv.reader(lines, delimiter=delimiter) if row)
        width, rows = widths.most_common(1)[0] if widths else (1, 0)
        return (width > 1, rows, width)

    return max([",", ";", "\t", "|"], key=quality)


def shape(value):
    return next((name for name, pattern in SHAPES if pattern.fullmatch(value)), "text")


def number(value):
    """The value as a float for comparing, whichever decimal mark it has, or None."""
    kind = shape(value)
    if kind == "decimal-comma":
        value = value.replace(".", "").replace(",", ".")
    elif kind == "decimal-point":
        value = value.replace(",", "")
    elif kind not in {"integer", "leading-zero"}:
        return None
    return float(value)


def describe(values):
    """The parts of one column's line."""
    trimmed = [value.strip() for value in values]
    filled = [value for value in trimmed if value.lower() not in EMPTY_MARKERS]
    parts = [f"empty {len(values) - len(filled)}", f"distinct {len(set(filled))}"]
    if not filled:
        return parts
    shapes = Counter(map(shape, filled)).most_common()
    main, count = shapes[0]
    parts.append(f"mostly {main} ({count})")
    numbers = [(key, value) for value in filled if (key := number(value)) is not None]
    ordered = [value for _, value in sorted(numbers)] if numbers else sorted(filled)
    parts += [f"min {ordered[0][:30]}", f"max {ordered[-1][:30]}"]
    trouble = [f"also: {name} ({count})" for name, count in shapes[1:] if main != "text"]
    if any(value != value.strip() for value in values):
        trouble.append("spaces around values")
    if len({value.casefold() for value in filled}) < len(set(filled)):
        trouble.append("same value in different case")
    markers = sorted({v for v in trimmed if v and v.lower() in EMPTY_MARKERS})
    if markers:
        trouble.append(f"empty written as {', '.join(markers)}")
    if any(value[0] in "=@" for value in filled):
        trouble.append("starts like a spreadsheet formula")
    return parts + [f"! {text}" for text in trouble]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--delimiter")
    parser.add_argument("--encoding")
    arguments = parser.parse_args()
    text, encoding = decode(arguments.file.read_bytes(), arguments.encoding)
    delimiter = arguments.delimiter or guess_delimiter(text)
    rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if row]
    if len(rows) < 2:
        sys.exit(f"{arguments.file}: no rows under a header")
    header, body = rows[0], rows[1:]
    print(
        f"{arguments.file}: {encoding}, delimiter {delimiter!r}, "
        f"{len(body)} rows, {len(header)} columns"
    )
    odd = [number for number, row in enumerate(body, 2) if len(row) != len(header)]
    if odd:
        print(f"  ! {len(odd)} rows with another number of cells, first at row {odd[0]}")
    repeats = len(body) - len(set(map(tuple, body)))
    if repeats:
        print(f"  ! {repeats} exact duplicate row{'s' if repeats > 1 else ''}")
    width = max(map(len, header))
    for index, name in enumerate(header):
        column = [row[index] for row in body if index < len(row)]
        print("  ".join([name.ljust(width), *describe(column)]))


if __name__ == "__main__":
    main()
