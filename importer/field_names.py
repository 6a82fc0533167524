"""The names of the fields that an import knows."""

from __future__ import annotations

SPECIFICATION_FIELDS = (
    "name",
    "description",
    "license",
    "compatibility",
    "metadata",
    "allowed-tools",
)

# What a run must allow: nothing that an author wrote of these is ever dropped.
REQUIREMENTS = ("required_tools", "required_namespaces", "required_tags")

# The structured form, each with the other names it goes by in the wild.
STRUCTURED_FIELDS: dict[str, tuple[str, ...]] = {
    "title": (),
    "trigger": ("triggers", "when_to_use"),
    "task_type": (),
    "tags": ("keywords",),
    **dict.fromkeys(REQUIREMENTS, ()),
}
