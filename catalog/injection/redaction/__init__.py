"""Redaction: secrets and personal data in a text become typed placeholders.

Knows texts only, not what they are part of. Public names are the ones listed here.
"""

from catalog.injection.redaction.linear_pattern import Span
from catalog.injection.redaction.masking import RedactedSpan
from catalog.injection.redaction.memo import Redacted
from catalog.injection.redaction.path import redacted_name, redacted_path
from catalog.injection.redaction.policy import RedactionPolicy, effective
from catalog.injection.redaction.redactor import UNCONDITIONAL, Redactor, masked
from catalog.injection.redaction.registry import RULES_VERSION, default_rules
from catalog.injection.redaction.rule import RedactionRule

__all__ = [
    "RULES_VERSION",
    "UNCONDITIONAL",
    "Redacted",
    "RedactedSpan",
    "RedactionPolicy",
    "RedactionRule",
    "Redactor",
    "Span",
    "default_rules",
    "effective",
    "masked",
    "redacted_name",
    "redacted_path",
]
