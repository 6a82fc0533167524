"""Tokens of platforms that are known by the prefix that the platform gives them."""

from __future__ import annotations

from collections.abc import Iterator

from catalog.injection.redaction.documentation_values import is_documentation_value
from catalog.injection.redaction.linear_pattern import LinearPattern, Span
from catalog.injection.redaction.rule import MOST_EXAMINED

_SHAPES = (
    r"gh[opusr]_[0-9A-Za-z]{30,}",  # GitHub
    r"github_pat_[0-9A-Za-z_]{22,}",
    r"gl(?:pat|dt|rt|ft|ptt|cbt|soat|imt|agent|oas)-[0-9A-Za-z_\-]{20,}",  # GitLab
    r"xox[abceoprs]-[0-9A-Za-z\-]{10,}",  # Slack
    r"xapp-\d-[0-9A-Za-z\-]{10,}",
    r"hooks\.slack\.com\\?/(?:services|workflows|triggers)\\?/[0-9A-Za-z_/\\]{20,}",
    r"[\w\-]+\.webhook\.office\.com/webhookb2/[0-9A-Za-z@/\-]{36,}",
    r"open\.(?:feishu\.cn|larksuite\.com)/open-apis/bot/v2/hook/[0-9A-Za-z\-]{20,}",
    r"hooks\.zapier\.com/hooks/catch/\d+/[0-9a-z]{6,}",
    r"maker\.ifttt\.com/trigger/\w+/(?:json/)?with/key/[0-9A-Za-z_\-]{15,}",
    r"discord(?:app)?\.com/api/webhooks/\d+/[0-9A-Za-z_\-]{30,}",
    r"[MNO][0-9A-Za-z_\-]{23,27}\.[0-9A-Za-z_\-]{6}\.[0-9A-Za-z_\-]{27,40}",  # Discord bots
    r"(?:sk|rk)_(?:live|test)_[0-9A-Za-z]{16,}",  # Stripe
    r"whsec_[0-9A-Za-z+/=]{20,}",
    r"sk-(?:proj-|svcacct-|admin-|None-|ant-(?:api|admin|oat)\d\d-|or-v1-|lf-)[0-9A-Za-z_\-]{20,}",
    r"sk-[0-9A-Za-z]{20,}",  # OpenAI and those that took its form
    r"gsk_[0-9A-Za-z]{32,}",  # Groq
    r"xai-[0-9A-Za-z]{40,}",
    r"pplx-[0-9A-Za-z]{32,}",  # Perplexity
    r"hf_[0-9A-Za-z]{30,}",  # Hugging Face
    r"r8_[0-9A-Za-z]{32,}",  # Replicate
    r"npm_[0-9A-Za-z]{30,}",
    r"pypi-AgE[0-9A-Za-z_\-]{40,}",
    r"rubygems_[0-9a-f]{40,}",
    r"dckr_(?:pat|oat)_[0-9A-Za-z_\-]{20,}",  # Docker
    r"SG\.[0-9A-Za-z_\-]{16,32}\.[0-9A-Za-z_\-]{30,64}",  # SendGrid
    r"key-[0-9a-f]{32}",  # Mailgun
    r"xkeysib-[0-9a-f]{64}-[0-9A-Za-z]{16}",  # Brevo
    r"(?:bot)?\d{8,10}(?::|%3[Aa])A[0-9A-Za-z_\-]{34}",  # Telegram bots
    r"SK[0-9a-f]{32}",  # Twilio
    r"sq0(?:atp|csp)-[0-9A-Za-z_\-]{20,}",  # Square
    r"shp(?:at|ca|pa|ss)_[0-9A-Fa-f]{32}",  # Shopify
    r"dapi[0-9a-f]{32}",  # Databricks
    r"lin_(?:api|oauth)_[0-9A-Za-z]{30,}",  # Linear
    r"(?:ntn|secret)_[0-9A-Za-z]{40,}",  # Notion
    r"figd_[0-9A-Za-z_\-]{30,}",  # Figma
    r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}",  # Postman
    r"gl(?:sa|c)_[0-9A-Za-z_+/=]{30,}",  # Grafana
    r"NRAK-[0-9A-Z]{27}",  # New Relic
    r"sntry[su]_[0-9A-Za-z_+/=]{30,}",  # Sentry
    r"hv[sbr]\.[0-9A-Za-z_\-]{20,}",  # HashiCorp Vault
    r"[0-9A-Za-z]{14}\.atlasv1\.[0-9A-Za-z_\-=]{60,}",
    r"ATATT3[0-9A-Za-z_\-=]{40,}",  # Atlassian
    r"pat[0-9A-Za-z]{14}\.[0-9a-f]{64}",  # Airtable
    r"sb(?:p|_secret)_[0-9A-Za-z_\-]{30,}",  # Supabase
    r"pscale_(?:tkn|pw|oauth)_[0-9A-Za-z_\-.=]{30,}",  # PlanetScale
    r"tskey-(?:auth|api|client)-[0-9A-Za-z]+-[0-9A-Za-z]{20,}",  # Tailscale
    r"dp\.(?:pt|st|ct|sa)\.[0-9A-Za-z_.\-]{40,}",  # Doppler
    r"pul-[0-9a-f]{40}",  # Pulumi
    r"fo1_[0-9A-Za-z_\-]{40,}",  # Fly.io
    r"AGE-SECRET-KEY-1[0-9A-Z]{58}",
    r"EAA[0-9A-Za-z]{80,}",  # Meta
    r"tvly-[0-9A-Za-z\-]{20,}",  # Tavily
    r"phx_[0-9A-Za-z]{40,}",  # PostHog
)
_TOKEN = LinearPattern(rf"\b(?:{'|'.join(_SHAPES)})")


class PlatformTokensRule:
    entity = "CREDENTIAL"
    patterns = (_TOKEN,)

    def spans(self, text: str) -> Iterator[Span]:
        for position, ((start, end),) in enumerate(_TOKEN.matches(text)):
            if position >= MOST_EXAMINED or _is_token(text[start:end]):
                yield _after_name(text, start, end), end


def _is_token(value: str) -> bool:
    looks_mixed = any(map(str.isdigit, value)) or not (value.islower() or value.isupper())
    return looks_mixed and not is_documentation_value(value)


def _after_name(text: str, start: int, end: int) -> int:
    """A webhook's address keeps its host; the path is the secret. `/bot…` stays as well."""
    if text.startswith("bot", start):
        return start + len("bot")
    slash = text.find("/", start, end)
    return start if slash < 0 or "." not in text[start:slash] else slash + 1
