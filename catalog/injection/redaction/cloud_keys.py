"""Keys of cloud providers that are known by their own shape."""

from __future__ import annotations

from collections.abc import Iterator

from catalog.injection.redaction.documentation_values import is_documentation_value
from catalog.injection.redaction.linear_pattern import LinearPattern, Span
from catalog.injection.redaction.rule import MOST_EXAMINED

_KEY = LinearPattern(
    r"\b(?:"
    r"(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}\b"  # AWS access key ids
    r"|AIza[0-9A-Za-z_\-]{35}"  # Google API keys
    r"|GOCSPX-[0-9A-Za-z_\-]{20,}"  # Google OAuth client secrets
    r"|ya29\.[0-9A-Za-z_\-]{20,}"  # Google OAuth access tokens
    r"|LTAI[0-9A-Za-z]{12,20}\b"  # Alibaba Cloud access key ids
    r"|AKID[0-9A-Za-z]{32}\b"  # Tencent Cloud secret ids
    r"|do[opr]_v1_[0-9a-f]{64}"  # DigitalOcean
    r"|[0-9A-Za-z_~.]{3}8Q~[0-9A-Za-z_~.\-]{31,34}"  # Microsoft Entra client secrets
    r")"
)
_ACCOUNT_KEY = LinearPattern(
    r"\b(?:AccountKey|SharedAccessKey|SharedAccessSignature)=([0-9A-Za-z+/%&=_.:\-]{20,})",
    ignore_case=True,
)


class CloudKeysRule:
    entity = "CREDENTIAL"
    patterns = (_KEY, _ACCOUNT_KEY)

    def spans(self, text: str) -> Iterator[Span]:
        for position, ((start, end),) in enumerate(_KEY.matches(text)):
            if position >= MOST_EXAMINED or not is_documentation_value(text[start:end]):
                yield start, end
        if "=" in text:
            for position, (_, (start, end)) in enumerate(_ACCOUNT_KEY.matches(text)):
                if position >= MOST_EXAMINED or not is_documentation_value(text[start:end]):
                    yield start, end
