#!/usr/bin/env python3
"""Contrast of two colours by WCAG 2.2, and the nearest shade of the text colour that passes.

Usage: contrast.py TEXT BACKGROUND      colours: #rgb, #rrggbb, rgb(1,2,3), black, white
Exit code: 0 when 4.5 : 1 is reached, else 1.
"""

import argparse
import re
import sys

NAMED = {"black": "#000000", "white": "#ffffff"}
TEXT, LARGE_TEXT, ENHANCED = 4.5, 3.0, 7.0


def parse(colour):
    """(red, green, blue), each 0 to 255."""
    colour = NAMED.get(colour.strip().lower(), colour.strip().lower())
    function = re.fullmatch(r"rgb\(\s*(\d+)\s*,\s*(\d+)\s*,\s*(\d+)\s*\)", colour)
    if function and all(int(part) < 256 for part in function.groups()):
        return tuple(map(int, function.groups()))
    digits = colour.removeprefix("#")
    if re.fullmatch(r"[0-9a-f]{3}", digits):
        digits = "".join(digit * 2 for digit in digits)
    if not re.fullmatch(r"[0-9a-f]{6}", digits):
        sys.exit(f"not a colour: {colour!r} (transparent colours must be flattened first)")
    return tuple(int(digits[start : start + 2], 16) for start in (0, 2, 4))


def luminance(colour):
    """Relative luminance as WCAG defines it, 0 for black to 1 for white."""
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (channel / 255 for channel in colour)
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first, second):
    lighter, darker = sorted((luminance(first), luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def hexadecimal(colour):
    return "#" + "".join(f"{channel:02x}" for channel in colour)


def nearest_passing(text, background):
    """The least changed mix of the text colour with black or white that reaches 4.5 : 1."""
    for percent in range(1, 101):
        for pole in ((0, 0, 0), (255, 255, 255)):
            mixed = tuple(
                round(a + (b - a) * percent / 100) for a, b in zip(text, pole, strict=True)
            )
            if contrast(mixed, background) >= TEXT:
                return mixed
    raise AssertionError("black or white reaches 4.5 : 1 on every background")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("text")
    parser.add_argument("background")
    arguments = parser.parse_args()
    text, background = parse(arguments.text), parse(arguments.background)
    ratio = contrast(text, background)
    verdicts = "  ".join(
        f"{what} {'pass' if ratio >= demand else 'FAIL'}"
        for what, demand in [("text", TEXT), ("large text", LARGE_TEXT), ("AAA", ENHANCED)]
    )
    # Cut, not rounded: 4.499 must not look like 4.50.
    shown = int(ratio * 100) / 100
    print(f"{hexadecimal(text)} on {hexadecimal(background)}  {shown:.2f} : 1  {verdicts}")
    if ratio >= TEXT:
        return 0
    better = nearest_passing(text, background)
    shown = int(contrast(better, background) * 100) / 100
    print(f"nearest passing text colour: {hexadecimal(better)} ({shown:.2f} : 1)")
    return 1


if __name__ == "__main__":
    sys.exit(main())
