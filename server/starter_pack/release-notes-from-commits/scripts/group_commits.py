#!/usr/bin/env python3
"""Group the commits of a range by Conventional Commit type and propose the next version.

Usage: group_commits.py [FROM] [TO]     FROM: the last tag by default, TO: HEAD
"""

import argparse
import re
import subprocess
import sys

HEADINGS = {
    "breaking": "Breaking changes",
    "feat": "Added",
    "fix": "Fixed",
    "perf": "Faster",
    "revert": "Reverted",
    "deprecate": "Deprecated",
    "other": "Internal (build, chore, ci, docs, refactor, style, test)",
    "unsorted": "Unsorted: read these one by one",
}
INTERNAL_TYPES = {"build", "chore", "ci", "docs", "refactor", "style", "test"}
SUBJECT = re.compile(r"^(?P<type>[A-Za-z]+)(?:\((?P<area>[^)]*)\))?(?P<bang>!)?: (?P<text>.+)$")
BREAKING_FOOTER = re.compile(r"^BREAKING[ -]CHANGE: (.+)$", re.MULTILINE)
VERSION = re.compile(r"^(?P<prefix>\D*)(\d+)\.(\d+)\.(\d+)$")


def git(*arguments):
    """The output of a git command; ends the program with git's own message on failure."""
    done = subprocess.run(["git", *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"git {arguments[0]}: {done.stderr.strip()}")
    return done.stdout


def classify(subject, body):
    """(group, line) of one commit."""
    match = SUBJECT.match(subject)
    footer = BREAKING_FOOTER.search(body)
    if match is None:
        return ("breaking", f"{subject}: {footer[1]}") if footer else ("unsorted", subject)
    area = f"{match['area']}: " if match["area"] else ""
    line = area + match["text"]
    kind = match["type"].lower()
    if match["bang"] or footer:
        return "breaking", f"{line}: {footer[1]}" if footer else line
    if kind in HEADINGS and kind not in {"breaking", "other", "unsorted"}:
        return kind, line
    return ("other", line) if kind in INTERNAL_TYPES else ("unsorted", subject)


def next_version(last, groups):
    """The next semantic version after `last`, or None when `last` is not one."""
    match = VERSION.match(last)
    if match is None:
        return None
    major, minor, patch = (int(match[number]) for number in (2, 3, 4))
    if groups["breaking"]:
        major, minor, patch = (major + 1, 0, 0) if major else (0, minor + 1, 0)
    elif groups["feat"] or groups["deprecate"]:
        minor, patch = minor + 1, 0
    else:
        patch += 1
    return f"{match['prefix']}{major}.{minor}.{patch}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("start", nargs="?", metavar="FROM", help="default: the last tag")
    parser.add_argument("end", nargs="?", default="HEAD", metavar="TO")
    arguments = parser.parse_args()
    start = arguments.start or git("describe", "--tags", "--abbrev=0").strip()
    log = git("log", "--no-merges", "--format=%h%x1f%s%x1f%b%x1e", f"{start}..{arguments.end}")
    groups = {key: [] for key in HEADINGS}
    for record in filter(None, (record.strip("\n") for record in log.split("\x1e"))):
        short_hash, subject, body = record.split("\x1f")
        group, line = classify(subject, body)
        groups[group].append(f"{line} ({short_hash})")
    count = sum(map(len, groups.values()))
    print(f"{count} commits in {start}..{arguments.end}")
    proposed = next_version(start, groups)
    if proposed and count:
        print(f"Proposed version: {proposed}")
    for key, heading in HEADINGS.items():
        if groups[key]:
            print(f"\n## {heading}")
            print("\n".join(f"- {line}" for line in groups[key]))


if __name__ == "__main__":
    main()
