"""Whether a text is redacted. The operator decides; a caller can ask for more, never for less."""

from __future__ import annotations

from enum import StrEnum


class RedactionPolicy(StrEnum):
    """ALWAYS: every text. ON_REQUEST: when the caller asks. OFF: no text, whoever asks."""

    ALWAYS = "always"
    ON_REQUEST = "on_request"
    OFF = "off"


def effective(policy: RedactionPolicy, asked: bool) -> bool:
    """Whether a text is redacted for a caller who asked for it, or did not."""
    return policy is RedactionPolicy.ALWAYS or (policy is RedactionPolicy.ON_REQUEST and asked)
