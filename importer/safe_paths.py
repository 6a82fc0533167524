"""Paths inside a pack: relative, portable, and never out of it."""

from __future__ import annotations

import posixpath
import re

from importer.limits import MAX_PATH_CHARACTERS, MAX_PATH_DEPTH

# Control characters, and the halves of pairs that stand for bytes which are not UTF-8.
_UNWRITABLE = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")
_DRIVE = re.compile(r"[A-Za-z]:")


def fault_of_path(path: str) -> str | None:
    """Why a path as an archive writes it may not be used, or None when it may.

    Dots inside a name are a name: `notes/v1..2.md` is fine.
    """
    if not path or len(path) > MAX_PATH_CHARACTERS:
        return f"it has {len(path)} characters; 1 to {MAX_PATH_CHARACTERS} are possible"
    if "\\" in path:
        return "it holds a backslash"
    if path.startswith("/"):
        return "it is absolute"
    if _DRIVE.match(path):
        return "it names a drive"
    bad = _UNWRITABLE.search(path)
    if bad:
        return "it is not UTF-8" if bad.group() >= "\ud800" else "it holds a control character"
    if ".." in path.split("/"):
        return "it leads out of its folder"
    return None


def printable_path(path: str) -> str:
    """A path that was refused, in a form that can be written anywhere."""
    return path.encode("utf-8", "backslashreplace").decode()[:200]


def is_too_deep(path: str) -> bool:
    return path.count("/") > MAX_PATH_DEPTH


def normalized_path(path: str) -> str:
    """The path without `./` and repeated slashes; empty for the top."""
    normal = posixpath.normpath(path)
    return "" if normal == "." else normal


def resolved_link(link: str, target: str) -> str | None:
    """The path inside the pack that a link at `link` leads to; None when it leads out."""
    if target.startswith("/") or "\\" in target or _DRIVE.match(target):
        return None
    resolved = posixpath.normpath(posixpath.join(posixpath.dirname(link), target))
    if resolved == ".." or resolved.startswith("../"):
        return None
    return "" if resolved == "." else resolved


_LEFT_BY_TOOLS = frozenset(
    {".git", ".hg", ".svn", "node_modules", "__pycache__", "__MACOSX", ".DS_Store", "Thumbs.db"}
)


def is_left_by_tools(name: str) -> bool:
    """Whether a file or folder of that name is what tools keep beside skills, and no part
    of one."""
    return name in _LEFT_BY_TOOLS
