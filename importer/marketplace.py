"""Plugin marketplaces: one manifest, and a list of skills for each plugin it names."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from catalog.errors import InvalidPack
from importer.diagnostics import Diagnostic, diagnostic
from importer.layout import SkillPlace
from importer.pack_files import PackFiles
from importer.safe_paths import normalized_path, resolved_link

MANIFEST = ".claude-plugin/marketplace.json"
_PLUGIN_MANIFEST = ".claude-plugin/plugin.json"
_MOST_MANIFEST_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Plugin:
    """A plugin as its manifest has it: its name and the skills that it lists, no others."""

    name: str
    places: tuple[SkillPlace, ...]
    diagnostics: tuple[Diagnostic, ...]


def read_plugins(files: PackFiles, places: tuple[SkillPlace, ...]) -> tuple[Plugin, ...]:
    """The plugins of a pack that has a marketplace manifest, in its order.

    Args:
        places: all skills of the pack.

    Raises:
        InvalidPack: the manifest is not JSON or has no list of plugins.
    """
    manifest = _json_object(files, MANIFEST)
    plugins = manifest.get("plugins")
    if not isinstance(plugins, list):
        raise InvalidPack(f"{MANIFEST} has no list 'plugins'", path=MANIFEST)
    metadata = manifest.get("metadata")
    root = metadata.get("pluginRoot") if isinstance(metadata, dict) else None
    return tuple(
        _plugin(files, places, plugin, root if isinstance(root, str) else "")
        for plugin in plugins
        if isinstance(plugin, dict) and _name(plugin)
    )


def _name(plugin: dict[str, Any]) -> str:
    name = plugin.get("name")
    return name.strip() if isinstance(name, str) else ""


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


def _plugin(
    files: PackFiles, places: tuple[SkillPlace, ...], plugin: dict[str, Any], root: str
) -> Plugin:
    name = _name(plugin)
    source = plugin.get("source", "./")
    if not isinstance(source, str):
        message = f"plugin '{name}' has its source elsewhere"
        return Plugin(name, (), (diagnostic("plugin-elsewhere", message, MANIFEST),))
    folder = _existing_folder(files, source, root)
    if folder is None:
        message = f"plugin '{name}': there is no folder '{source}'"
        return Plugin(name, (), (diagnostic("plugin-path-missing", message, MANIFEST),))
    listed = _listed_paths(files, plugin, folder)
    if listed is None:
        return Plugin(name, _default_places(places, folder), ())
    findings = []
    chosen: dict[str, SkillPlace] = {}
    for path in listed:
        found = _places_at(places, path, folder)
        chosen.update((place.path, place) for place in found)
        if not found:
            message = f"plugin '{name}': there is no skill at '{path}'"
            findings.append(diagnostic("plugin-path-missing", message, MANIFEST))
    return Plugin(name, tuple(chosen[path] for path in sorted(chosen)), tuple(findings))


def _existing_folder(files: PackFiles, source: str, root: str) -> str | None:
    for base in dict.fromkeys((root, "")):
        folder = resolved_link("", f"{base}/{source}" if base else source)
        if folder is not None and (
            not folder or any(path.startswith(f"{folder}/") for path in files.paths)
        ):
            return folder
    return None


def _listed_paths(files: PackFiles, plugin: dict[str, Any], folder: str) -> list[str] | None:
    """What the marketplace, or else the plugin's own manifest, lists; None for no list."""
    own = f"{folder}/{_PLUGIN_MANIFEST}" if folder else _PLUGIN_MANIFEST
    skills = plugin.get("skills")
    if skills is None and own in files.paths:
        skills = _json_object(files, own).get("skills")
    if isinstance(skills, str):
        return [skills]
    if isinstance(skills, list):
        return [path for path in skills if isinstance(path, str)]
    return None


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
