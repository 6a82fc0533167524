#!/usr/bin/env python3
"""Sum one column by another and draw sorted bars from zero as an SVG file.

Usage: bar_chart.py FILE --label COLUMN --value COLUMN [--out chart.svg] [--title TEXT]
Numbers may have a decimal point or a decimal comma. Rows without a number are counted, not drawn.
"""

import argparse
import csv
import io
import sys
from collections import defaultdict
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

BAR_HEIGHT, GAP, LABEL_WIDTH, PLOT_WIDTH, TOP = 22, 8, 170, 460, 48


def to_number(text):
    """The number in `text`, or None. The last of point and comma is the decimal mark."""
    text = text.strip().replace(" ", "")
    if text.rfind(",") > text.rfind("."):
        text = text.replace(".", "").replace(",", ".")
    else:
        text = text.replace(",", "")
    try:
        return float(text)
    except ValueError:
        return None


def draw(totals, title, note):
    """The SVG text of a horizontal bar chart of (label, value) pairs, none negative."""
    largest = max(value for _, value in totals) or 1
    height = TOP + len(totals) * (BAR_HEIGHT + GAP) + 30
    width = LABEL_WIDTH + PLOT_WIDTH + 90
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'font-family="sans-serif" font-size="13" role="img" aria-label={quoteattr(title)}>',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        f'<text x="10" y="26" font-size="16" font-weight="bold">{escape(title)}</text>',
    ]
    for row, (label, value) in enumerate(totals):
        y = TOP + row * (BAR_HEIGHT + GAP)
        length = value / largest * PLOT_WIDTH
        middle = y + BAR_HEIGHT - 6
        lines += [
            f'<text x="{LABEL_WIDTH - 8}" y="{middle}" text-anchor="end">{escape(label)}</text>',
            f'<rect x="{LABEL_WIDTH}" y="{y}" width="{length:.1f}" height="{BAR_HEIGHT}" '
            'fill="#30638e"/>',
            f'<text x="{LABEL_WIDTH + length + 6:.1f}" y="{middle}">{value:,.2f}</text>',
        ]
    lines.append(f'<text x="10" y="{height - 10}" fill="#555555">{escape(note)}</text>')
    return "\n".join([*lines, "</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--label", required=True, help="column to group by")
    parser.add_argument("--value", required=True, help="column to add up")
    parser.add_argument("--out", type=Path, default=Path("chart.svg"))
    parser.add_argument("--title", default="")
    arguments = parser.parse_args()
    text = arguments.file.read_text(encoding="utf-8-sig")
    first_line = text.partition("\n")[0]
    delimiter = max(",;\t|", key=first_line.count)
    rows = list(csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter))
    for column in (arguments.label, arguments.value):
        if not rows or column not in rows[0]:
            sys.exit(f"no column {column!r} in {arguments.file}")
    sums = defaultdict(float)
    skipped = 0
    for row in rows:
        value = to_number(row[arguments.value] or "")
        if value is None:
            skipped += 1
            continue
        sums[(row[arguments.label] or "").strip() or "(empty)"] += value
    if not sums or min(sums.values()) < 0:
        sys.exit("nothing to draw: bars from zero need sums that are not negative")
    totals = sorted(sums.items(), key=lambda pair: (-pair[1], pair[0]))
    title = arguments.title or f"{arguments.value} by {arguments.label}"
    note = f"Source: {arguments.file.name}, {len(rows)} rows, {skipped} without a number"
    arguments.out.write_text(draw(totals, title, note), encoding="utf-8")
    print(f"{arguments.out}: {len(totals)} bars; {skipped} rows without a number")


if __name__ == "__main__":
    main()
