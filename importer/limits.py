"""Every limit of an import, as numbers. Passing one is an error that names it.

Each constant is followed by its docstring; the page of limits in the docs is made of them.
"""

from __future__ import annotations

MAX_SKILL_BYTES = 1024 * 1024
"""Bytes of one skill file; a larger one is refused (`skill-too-large`)."""

MAX_FRONTMATTER_BYTES = 64 * 1024
"""Bytes between the fences of a frontmatter; a larger one is refused
(`frontmatter-too-large`)."""

MAX_FRONTMATTER_DEPTH = 20
"""Levels of nesting in a frontmatter; a deeper value is kept as text (`yaml-too-deep`)."""

MAX_NAME_CHARACTERS = 256
"""Characters of a skill's name; in place of a longer one its folder's name is used
(`name-unusable`)."""

MAX_ATTACHMENT_BYTES = 16 * 1024 * 1024
"""Bytes of one attachment; a larger one is left out (`attachment-too-large`)."""

MAX_ATTACHMENTS = 1000
"""Attachments of one skill; scripts, references and assets go first, the rest is left out
(`attachments-left-out`)."""

MAX_SKILL_ATTACHMENT_BYTES = 64 * 1024 * 1024
"""Bytes of all attachments of one skill; what is over is left out
(`attachments-left-out`)."""

MAX_PACK_FILES = 100_000
"""Files of one pack, whether they belong to a skill or not; a larger one is refused whole
(`PACK_TOO_LARGE`)."""

MAX_PATH_DEPTH = 32
"""Folders above one file inside its pack; a deeper one is left out (`path-too-deep`)."""

MAX_PATH_CHARACTERS = 1024
"""Characters of the path of one file inside its pack; a longer one is left out
(`path-refused`)."""

MAX_ARCHIVE_BYTES = 256 * 1024 * 1024
"""Bytes of an archive as it comes; a larger one is refused whole (`PACK_TOO_LARGE`)."""

MAX_ARCHIVE_DIRECTORY_BYTES = 16 * 1024 * 1024
"""Bytes of a zip's central directory; a larger one is refused whole (`PACK_TOO_LARGE`)."""

MAX_UNPACKED_BYTES = 1024 * 1024 * 1024
"""Bytes that may come out of one archive, counted while unpacking and whatever its headers
claim; more refuses it whole (`PACK_TOO_LARGE`)."""

MAX_NAME_SPEC_CHARACTERS = 64
"""Characters of a name in the Agent Skills specification (`name-too-long`)."""

MAX_DESCRIPTION_SPEC_CHARACTERS = 1024
"""Characters of a description in the Agent Skills specification (`description-too-long`)."""

MAX_COMPATIBILITY_SPEC_CHARACTERS = 500
"""Characters of a compatibility note in the specification (`compatibility-too-long`)."""
