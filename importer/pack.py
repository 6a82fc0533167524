"""A pack as its skills: opened once, named as a whole, read one skill at a time."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from catalog.errors import InvalidPack
from catalog.injection.redaction import masked, redacted_name
from catalog.pack_writing import MAX_PACK_NAME_CHARACTERS
from catalog.skill import Skill, content_hash_of
from importer.attachments import Attachments, read_attachments
from importer.diagnostics import Diagnostic, diagnostic, masked_path
from importer.layout import SkillPlace, find_skills
from importer.limits import MAX_SKILL_BYTES
from importer.marketplace import MANIFEST, Reach, read_marketplace
from importer.pack_files import OneFile, PackFiles
from importer.skill_file import read_name
from importer.skill_text import skill_too_large
from importer.source import PackSource, open_source
from importer.unread_skill import UnreadSkill


@dataclass(frozen=True, slots=True)
class PackSkill:
    """One skill of a pack as read: the skill, or None when it was refused; the bytes of its
    artifacts by SHA-256; and everything there is to say about it."""

    path: str
    skill: Skill | None
    artifacts: Mapping[str, bytes]
    diagnostics: tuple[Diagnostic, ...]


@contextmanager
def open_packs(source: PackSource, *, name: str | None = None) -> Iterator[tuple[Pack, ...]]:
    """The packs of a source: each plugin of a marketplace, else one.

    Args:
        name: of the pack, where its folder's or archive's does not do. The plugins of a
            marketplace are then called `name-plugin`.

    Raises:
        InvalidPack: the source cannot be read, has no skill file, or has no name.
        PackTooLarge: a limit on the whole pack is passed.
    """
    with open_source(source) as files:
        if isinstance(files, OneFile):
            (path,) = files.paths
            lone = (SkillPlace(path, ""),)
            yield (Pack(files, _pack_name(name, files), lone, (), is_whole=False),)
            return
        places, findings = find_skills(files.paths, files.links)
        findings = (*files.diagnostics, *findings)
        if not places:
            raise InvalidPack(_nothing_found(files, findings))
        if MANIFEST not in files.paths:
            yield (Pack(files, _pack_name(name, files), places, findings),)
            return
        marketplace = read_marketplace(files, places, name)
        yield tuple(
            Pack(
                files,
                plugin.pack,
                plugin.places,
                (*findings, *plugin.diagnostics),
                origin_reference=marketplace.origin_reference,
                reach=plugin.reach,
            )
            for plugin in marketplace.plugins
        )


def read_packs(
    source: PackSource, *, name: str | None = None, strict: bool = False
) -> Iterator[PackSkill]:
    """Every skill of a source, one at a time, with its final qualified name.

    What concerns no single skill comes first, as an item without a path. Raises as
    `open_packs`.
    """
    with open_packs(source, name=name) as packs:
        for pack in packs:
            if pack.reach is Reach.READ:
                pack.settle_names()
            if pack.diagnostics:
                yield PackSkill("", None, {}, pack.diagnostics)
            if pack.reach is Reach.REFUSED:
                yield from (PackSkill(place.path, None, {}, ()) for place in pack.places)
                continue
            for place in pack.places:
                yield pack.read(place, strict=strict)


class Pack:
    """The skills of one pack. `found` counts its skill files; `is_whole` is False for a lone
    file, which is a part of the pack that its folder is. `origin_reference` names the
    marketplace that a plugin is of, and `reach` says how much of the plugin was read.

    Names are settled before anything is read in full, so that they do not depend on the
    order of reading: where several skills of the pack have one name, each is told apart by
    its folder, and those that are the same to the byte are one. Only behind `settle_names`
    are there qualified names, and `places` without copies.
    """

    def __init__(
        self,
        files: PackFiles,
        name: str,
        places: tuple[SkillPlace, ...],
        diagnostics: tuple[Diagnostic, ...],
        *,
        is_whole: bool = True,
        origin_reference: str = "",
        reach: Reach = Reach.READ,
    ) -> None:
        self.name = name
        self.is_whole = is_whole
        self.origin_reference = origin_reference
        self.reach = reach
        self.found = len(places)
        self.places = places
        self.diagnostics = diagnostics
        self._files = files
        self._qualified: dict[str, str] = {}
        self._hashes: dict[str, str] = {}

    def settle_names(self, stored: Mapping[str, tuple[str, str]] | None = None) -> None:
        """Gives every skill its qualified name.

        Args:
            stored: qualified names and content hashes by path, of an earlier import of this
                pack. A skill that is the same is not parsed to learn its name.
        """
        names = self._names(stored or {})
        holders = Counter(names.values())
        seen: dict[tuple[str, str | None], str] = {}
        findings: dict[str, Diagnostic] = {}
        kept = []
        for place in self.places:
            name = names.get(place.path)
            if name is not None and holders[name] > 1:
                first = seen.setdefault((name, self.content_hash(place)), place.path)
                if first != place.path:
                    message = f"it is the same as '{first}'"
                    findings[place.path] = diagnostic("same-skill", message, place.path)
                    continue
            kept.append(place)
        self.places = tuple(kept)
        self._qualify(names, findings)
        self.diagnostics = (*self.diagnostics, *findings.values())

    def qualified_name(self, place: SkillPlace) -> str | None:
        """None for a skill that will be refused."""
        return self._qualified.get(place.path)

    def content_hash(self, place: SkillPlace) -> str | None:
        """The content hash that the skill has or would have; None for what cannot be read."""
        if place.path not in self._hashes:
            source = self.source(place)
            if isinstance(source, Diagnostic):
                return None
            artifacts = self.attachments(place).artifacts
            self._hashes[place.path] = content_hash_of(source, artifacts)
        return self._hashes[place.path]

    def source(self, place: SkillPlace) -> bytes | Diagnostic:
        """The bytes of a skill file, or why there are none."""
        try:
            content = self._files.read(place.path, MAX_SKILL_BYTES)
        except InvalidPack as error:
            return diagnostic("skill-unreadable", error.message, place.path)
        return skill_too_large(content, place.path) if isinstance(content, int) else content

    def attachments(self, place: SkillPlace) -> Attachments:
        return read_attachments(self._files, place)

    def read(self, place: SkillPlace, *, strict: bool = False) -> PackSkill:
        """Reads one skill with its attachments; a refusal is told, never raised."""
        unread, data = self.unread(place, strict=strict)
        ready = unread.ready(indexed=False)
        return PackSkill(place.path, ready.skill, data, ready.diagnostics)

    def unread(
        self, place: SkillPlace, *, strict: bool = False
    ) -> tuple[UnreadSkill, Mapping[str, bytes]]:
        """What is needed to read one skill, and the bytes of its artifacts by SHA-256."""
        attachments = self.attachments(place)
        skill = UnreadSkill(
            self.source(place),
            place.path,
            pack=self.name,
            folder=self._folder_name(place),
            qualified_name=self._qualified.get(place.path),
            artifacts=attachments.artifacts,
            earlier=(*place.diagnostics, *attachments.diagnostics),
            strict=strict,
        )
        return skill, attachments.data

    def _folder_name(self, place: SkillPlace) -> str:
        return place.folder.rpartition("/")[2] if place.folder else self._files.folder

    def _names(self, stored: Mapping[str, tuple[str, str]]) -> dict[str, str]:
        names: dict[str, str] = {}
        for place in self.places:
            qualified, content_hash = stored.get(place.path, ("", ""))
            inside = qualified.removeprefix(f"{self.name}:")
            # A slash may be the folder's or the name's own: only the file can tell.
            if qualified and "/" not in inside and self.content_hash(place) == content_hash:
                names[place.path] = inside
                continue
            source = self.source(place)
            if isinstance(source, Diagnostic):
                continue
            name = read_name(source, place.path, self._folder_name(place))
            if name is not None:
                names[place.path] = name
        return names

    def _qualify(self, names: dict[str, str], findings: dict[str, Diagnostic]) -> None:
        holders = Counter(names[place.path] for place in self.places if place.path in names)
        taken: set[str] = set()
        for place in self.places:
            name = names.get(place.path)
            if name is None:
                continue
            qualified = f"{self.name}:{name}"
            if holders[name] > 1:
                folder = unicodedata.normalize("NFC", place.folder) or "."
                qualified = f"{self.name}:{folder}/{name}"
                shown = redacted_name(qualified, masked)
                message = f"'{name}' is the name of {holders[name]} skills; this is '{shown}'"
                findings[place.path] = diagnostic("name-shared", message, place.path)
            while qualified in taken:
                # A name may itself hold a slash and so look like another's folder.
                qualified = f"{self.name}:./{qualified.partition(':')[2]}"
            taken.add(qualified)
            self._qualified[place.path] = qualified


def _pack_name(name: str | None, files: PackFiles) -> str:
    """The given name, or that of the folder or archive in characters that a name may have.

    Raises:
        InvalidPack: there is neither.
    """
    if name:
        return unicodedata.normalize("NFC", name.strip())
    found = unicodedata.normalize("NFC", files.name or files.folder)
    usable = "".join(
        "-" if character in ":/\\" or not character.isprintable() else character
        for character in found
    ).strip()
    if not usable:
        raise InvalidPack("the pack has no name of its own; give it one", field="pack_name")
    return usable[:MAX_PACK_NAME_CHARACTERS]


def _nothing_found(files: PackFiles, findings: tuple[Diagnostic, ...]) -> str:
    reason = f": {masked_path(findings[0].path)}: {findings[0].message}" if findings else ""
    count = len(files.paths)
    return f"no SKILL.md among the {count:,} files of the pack{reason}"
