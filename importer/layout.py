"""Which files of a pack are skills and which are attachments: decided by paths alone.

A folder with a skill file is a skill, and everything under it belongs to that skill. A skill
file further down is an attachment too when it lies in a folder of examples, references,
templates, tests or the like. Anywhere else it is a skill of its own: authors group skills
under one that introduces them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from importer.diagnostics import Diagnostic, diagnostic

SKILL_FILE = "SKILL.md"
_SINGULAR = "skill.md"
_PLURAL = "skills.md"
# Folders that serve the skill above them, by their name or, where more folders follow, by
# one word of it.
_RESOURCE_FOLDER = re.compile(
    r"(?:assets?|demos?|docs?|evals?|examples?|fixtures?|references?|resources?|samples?|"
    r"scripts?|templates?|testdata|tests?)",
)
_WORD_BREAK = re.compile(r"[_. -]+")


@dataclass(frozen=True, slots=True)
class SkillPlace:
    """Where one skill lies. `attachments` maps paths inside the skill's folder to paths of
    the pack."""

    path: str
    folder: str
    attachments: Mapping[str, str] = field(default_factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()


def find_skills(
    paths: tuple[str, ...], links: Mapping[str, str]
) -> tuple[tuple[SkillPlace, ...], tuple[Diagnostic, ...]]:
    """The skills of a pack by path, and what there is to say about the pack's layout.

    Args:
        paths: all files, sorted.
        links: links to folders of the pack.
    """
    candidates = _skill_files_by_folder(paths)
    homes: dict[str, dict[str, str]] = {}
    findings: dict[str, list[Diagnostic]] = {}
    for folder in sorted(candidates, key=lambda folder: (folder.count("/"), folder)):
        names = candidates[folder]
        owner = _owner(folder, homes)
        if owner is not None and _is_resource(folder[len(owner) :]):
            message = f"it lies inside the skill '{owner or '.'}'"
            findings[owner].append(diagnostic("nested-skill", message, _join(folder, names[0])))
        elif names[0].casefold() == _SINGULAR or not _holds_another(folder, candidates):
            homes[folder] = {}
            findings[folder] = _findings_of_names(folder, names)
    chosen = {_join(folder, candidates[folder][0]) for folder in homes}
    for path in paths:
        owner = None if path in chosen else _owner(_parent(path), homes)
        if owner is not None:
            homes[owner][path[len(owner) + 1 :] if owner else path] = path
    of_links = _follow_links(paths, links, homes)
    places = (
        SkillPlace(_join(folder, candidates[folder][0]), folder, homes[folder], tuple(said))
        for folder, said in sorted(findings.items())
    )
    return tuple(places), of_links


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _parent(path: str) -> str:
    return path.rpartition("/")[0]


def _skill_files_by_folder(paths: Iterable[str]) -> dict[str, list[str]]:
    """Skill files of each folder, the best name first."""
    candidates: dict[str, list[str]] = {}
    for path in paths:
        folder, _, name = path.rpartition("/")
        if name.casefold() in (_SINGULAR, _PLURAL):
            candidates.setdefault(folder, []).append(name)
    for names in candidates.values():
        names.sort(key=lambda name: (name.casefold() != _SINGULAR, name != SKILL_FILE, name))
    return candidates


def _owner(folder: str, homes: Mapping[str, object]) -> str | None:
    """The skill whose folder this is or lies in; the nearest one."""
    while True:
        if folder in homes:
            return folder
        if not folder:
            return None
        folder = _parent(folder)


def _is_resource(inside: str) -> bool:
    """Whether a folder, by its path inside the skill above, serves that skill."""
    *above, last = inside.casefold().strip("/").split("/")
    words = [word for name in above for word in _WORD_BREAK.split(name)]
    return any(_RESOURCE_FOLDER.fullmatch(word) for word in (*words, last))


def _holds_another(folder: str, candidates: Iterable[str]) -> bool:
    """Whether skills lie beneath: `Skills.md` is then a list of them, no skill itself."""
    start = f"{folder}/" if folder else ""
    return any(other != folder and other.startswith(start) for other in candidates)


def _findings_of_names(folder: str, names: list[str]) -> list[Diagnostic]:
    findings = []
    path = _join(folder, names[0])
    if names[0] != SKILL_FILE:
        message = f"'{names[0]}' was read; the name that every tool finds is {SKILL_FILE}"
        findings.append(diagnostic("file-name", message, path))
    if len(names) > 1:
        message = f"beside it: {', '.join(names[1:])}"
        findings.append(diagnostic("several-skill-files", message, path))
    return findings


def _follow_links(
    paths: tuple[str, ...], links: Mapping[str, str], homes: dict[str, dict[str, str]]
) -> tuple[Diagnostic, ...]:
    """Gives skills the files of linked folders, each folder once; says where others lead."""
    findings = []
    followed: set[tuple[str, str]] = set()
    for link, target in sorted(links.items()):
        message = f"it leads to '{target or '.'}'"
        findings.append(diagnostic("link-resolved", message, link))
        owner = _owner(_parent(link), homes)
        if owner is None or (owner, target) in followed:
            continue
        followed.add((owner, target))
        start = f"{target}/" if target else ""
        inside = link[len(owner) + 1 :] if owner else link
        for path in paths:
            if path.startswith(start):
                homes[owner].setdefault(f"{inside}/{path[len(start) :]}", path)
    return tuple(findings)
