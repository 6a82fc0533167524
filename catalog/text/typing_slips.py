"""Slips of the keys: whether two words are the same but for one."""

from __future__ import annotations


def one_slip_apart(first: str, second: str) -> bool:
    """Equal but for one character more, less or other, or two neighbours swapped."""
    if abs(len(first) - len(second)) > 1:
        return False
    start = 0
    shorter = min(len(first), len(second))
    while start < shorter and first[start] == second[start]:
        start += 1
    rest, other = first[start:], second[start:]
    return (
        rest[1:] == other[1:]
        or rest[1:] == other
        or rest == other[1:]
        or (rest[:2] == other[1::-1] and rest[2:] == other[2:])
    )
