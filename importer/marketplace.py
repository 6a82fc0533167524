"""Plugin marketplaces: one manifest, and a list of skills for each plugin it names.

A plugin that cannot be used is refused by itself and stops no other.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any
from urllib.parse import quote

from catalog.errors import InvalidPack
from catalog.pack_writing import checked_pack_name
from importer.diagnostics import Diagnostic, diagnostic
from importer.layout import SkillPlace
from importer.pack_files import PackFiles
from importer.safe_paths import normalized_path, resolved_link

MANIFEST = ".claude-plugin/marketplace.json"
_PLUGIN_MANIFEST = ".claude-plugin/plugin.json"
_MOST_MANIFEST_BYTES = 1024 * 1024


class Reach(StrEnum):
    """READ: the skills of the plugin are known, and there may be none. OUT_OF_SIGHT: its
    folder is missing or in another repository. REFUSED: it cannot be used."""

    READ = "read"
    OUT_OF_SIGHT = "out_of_sight"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Plugin:
    """A plugin as its manifest has it: the skills that it lists, no others. `pack` is the
    name of its pack; that of a refused one only tells people which it is."""

    pack: str
    places: tuple[SkillPlace, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    reach: Reach = Reach.READ


@dataclass(frozen=True, slots=True)
class Marketplace:
    """`origin_reference` tells it from other marketplaces; empty where it has no name."""

    origin_reference: str
    plugins: tuple[Plugin, ...]


def read_marketplace(
    files: PackFiles, places: tuple[SkillPlace, ...], prefix: str | None
) -> Marketplace:
    """The marketplace of a pack that has a manifest, with its plugins in their order.

    Args:
        places: all skills of the pack.
        prefix: the packs are called `prefix-plugin`; None calls them as the plugins.

    Raises:
        InvalidPack: the manifest is not JSON or names no plugin.
    """
    manifest = _json_object(files, MANIFEST)
    plugins = manifest.get("plugins")
    if not isinstance(plugins, list):
        raise InvalidPack(f"{MANIFEST} has no list 'plugins'", path=MANIFEST)
    if not plugins:
        raise InvalidPack(f"{MANIFEST} names no plugin", path=MANIFEST)
    metadata = manifest.get("metadata")
    root = metadata.get("pluginRoot") if isinstance(metadata, dict) else None
    reading = _Plugins(files, places, root if isinstance(root, str) else "", prefix)
    return Marketplace(_origin_reference(manifest, prefix), tuple(reading.of(plugins)))


def _origin_reference(manifest: dict[str, Any], prefix: str | None) -> str:
    """Its name, its owner's and the prefix: where one differs, it is another marketplace."""
    owner = manifest.get("owner")
    owner_name = owner.get("name") if isinstance(owner, dict) else None
    name = manifest.get("name")
    if not isinstance(name, str) or not name.strip():
        return ""
    parts = (name, owner_name if isinstance(owner_name, str) else "", prefix or "")
    written = (quote(_writable(part.strip()), safe="") for part in parts)
    return f"marketplace:{'/'.join(written)}"


def _json_object(files: PackFiles, path: str) -> dict[str, Any]:
    content = files.read(path, _MOST_MANIFEST_BYTES)
    if isinstance(content, int):
        raise InvalidPack(
            f"{path} has {content:,} bytes; the limit is {_MOST_MANIFEST_BYTES:,}", path=path
        )
    try:
        value = json.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InvalidPack(f"{path}: byte {error.start} is not UTF-8", path=path) from error
    except json.JSONDecodeError as error:
        raise InvalidPack(
            f"{path} is not JSON: line {error.lineno}: {error.msg}", path=path, line=error.lineno
        ) from error
    except RecursionError as error:
        raise InvalidPack(f"{path} is nested too deep", path=path) from error
    if not isinstance(value, dict):
        raise InvalidPack(f"{path} is not a JSON object", path=path)
    return value


class _Plugins:
    """The plugins of one marketplace, read one by one."""

    def __init__(
        self, files: PackFiles, places: tuple[SkillPlace, ...], root: str, prefix: str | None
    ) -> None:
        self._files = files
        self._places = places
        self._root = root
        self._prefix = prefix
        self._taken: set[str] = set()

    def of(self, listed: list[Any]) -> Iterator[Plugin]:
        for number, entry in enumerate(listed, start=1):
            plugin = entry if isinstance(entry, dict) else {}
            called = _called(plugin, number)
            if not plugin:
                yield _refused(Plugin(called), InvalidPack("it is no object with a name"))
                continue
            try:
                found = self._found(plugin, called)
            except InvalidPack as error:
                found = _refused(Plugin(called), error)
            try:
                yield replace(found, pack=self._pack_name(plugin))
            except InvalidPack as error:
                yield _refused(found, error)

    def _pack_name(self, plugin: dict[str, Any]) -> str:
        """Raises InvalidPack where it can be no pack's, or is another plugin's already."""
        name = _name(plugin)
        if not name:
            raise InvalidPack("it has no name")
        pack = checked_pack_name(f"{self._prefix}-{name}" if self._prefix else name)
        if pack in self._taken:
            raise InvalidPack("an earlier plugin of the marketplace has its name")
        self._taken.add(pack)
        return pack

    def _found(self, plugin: dict[str, Any], called: str) -> Plugin:
        source = plugin.get("source", "./")
        if not isinstance(source, str):
            message = f"plugin '{called}' has its source elsewhere"
            finding = diagnostic("plugin-elsewhere", message, MANIFEST)
            return Plugin(called, (), (finding,), Reach.OUT_OF_SIGHT)
        folder = _existing_folder(self._files, source, self._root)
        if folder is None:
            message = f"plugin '{called}': there is no folder '{_shown(source)}'"
            finding = diagnostic("plugin-path-missing", message, MANIFEST)
            return Plugin(called, (), (finding,), Reach.OUT_OF_SIGHT)
        listed = _listed_paths(self._files, plugin, folder)
        if listed is None:
            return Plugin(called, _default_places(self._places, folder))
        findings = []
        chosen: dict[str, SkillPlace] = {}
        for path in listed:
            found = _places_at(self._places, path, folder) if isinstance(path, str) else ()
            chosen.update((place.path, place) for place in found)
            if not found:
                message = f"plugin '{called}': there is no skill at '{_shown(str(path))}'"
                findings.append(diagnostic("plugin-path-missing", message, MANIFEST))
        return Plugin(called, tuple(chosen[path] for path in sorted(chosen)), tuple(findings))


def _called(plugin: dict[str, Any], number: int) -> str:
    """What people can tell the plugin by, whatever its name is."""
    return _shown(_name(plugin)) or f"plugin {number}"


def _shown(text: str) -> str:
    return _writable(text)[:_MOST_SHOWN_CHARACTERS]


_MOST_SHOWN_CHARACTERS = 100


def _writable(text: str) -> str:
    """JSON may write halves of pairs, which no file and no database takes."""
    return text.encode("utf-8", "replace").decode()


def _name(plugin: dict[str, Any]) -> str:
    name = plugin.get("name")
    return name.strip() if isinstance(name, str) else ""


def _refused(plugin: Plugin, error: InvalidPack) -> Plugin:
    message = f"plugin '{plugin.pack}' is refused: {error.message}"
    finding = diagnostic("plugin-refused", message, MANIFEST)
    return replace(plugin, diagnostics=(*plugin.diagnostics, finding), reach=Reach.REFUSED)


def _existing_folder(files: PackFiles, source: str, root: str) -> str | None:
    for base in dict.fromkeys((root, "")):
        folder = resolved_link("", f"{base}/{source}" if base else source)
        if folder is not None and (
            not folder or any(path.startswith(f"{folder}/") for path in files.paths)
        ):
            return folder
    return None


def _listed_paths(files: PackFiles, plugin: dict[str, Any], folder: str) -> list[Any] | None:
    """What the marketplace, or else the plugin's own manifest, lists; None for no list."""
    own = f"{folder}/{_PLUGIN_MANIFEST}" if folder else _PLUGIN_MANIFEST
    skills = plugin.get("skills")
    if skills is None and own in files.paths:
        skills = _json_object(files, own).get("skills")
    if skills is None:
        return None
    return skills if isinstance(skills, list) else [skills]


def _under(places: tuple[SkillPlace, ...], folder: str) -> tuple[SkillPlace, ...]:
    return tuple(
        place
        for place in places
        if not folder or place.folder == folder or place.folder.startswith(f"{folder}/")
    )


def _default_places(places: tuple[SkillPlace, ...], folder: str) -> tuple[SkillPlace, ...]:
    home = f"{folder}/skills" if folder else "skills"
    return _under(places, home) or _under(places, folder)


def _places_at(places: tuple[SkillPlace, ...], path: str, folder: str) -> tuple[SkillPlace, ...]:
    """Skills at a path that names a skill file, a skill's folder or a folder of skills; it
    counts from the plugin's folder, or from the marketplace's where authors repeat that."""
    for base in dict.fromkeys((folder, "")):
        written = normalized_path(f"{base}/{path}" if base else path)
        target = resolved_link("", written) if written else ""
        if target is None:
            continue
        exact = tuple(place for place in places if place.path == target)
        found = exact or _under(places, target)
        if found:
            return found
    return ()
