"""The rules that every text passes. Adding one is its file and its line here."""

from __future__ import annotations

from catalog.injection.redaction.assigned_secret import AssignedSecretRule
from catalog.injection.redaction.bearer import BearerRule
from catalog.injection.redaction.cloud_keys import CloudKeysRule
from catalog.injection.redaction.command_line_secret import CommandLineSecretRule
from catalog.injection.redaction.credential_file import CredentialFileRule
from catalog.injection.redaction.email import EmailRule
from catalog.injection.redaction.iban import IbanRule
from catalog.injection.redaction.ip_address import IpAddressRule
from catalog.injection.redaction.jwt import JwtRule
from catalog.injection.redaction.named_value import NamedValueRule
from catalog.injection.redaction.national_id import NationalIdRule
from catalog.injection.redaction.payment_card import PaymentCardRule
from catalog.injection.redaction.phone import PhoneRule
from catalog.injection.redaction.platform_tokens import PlatformTokensRule
from catalog.injection.redaction.private_key import PrivateKeyRule
from catalog.injection.redaction.rule import RedactionRule
from catalog.injection.redaction.session_header import SessionHeaderRule
from catalog.injection.redaction.url_credentials import UrlCredentialsRule

RULES_VERSION = "8"
"""Changes with every change of what any rule masks: an index of another version is made anew."""


def default_rules() -> tuple[RedactionRule, ...]:
    return (
        EmailRule(),
        PhoneRule(),
        PaymentCardRule(),
        IbanRule(),
        NationalIdRule(),
        IpAddressRule(),
        CloudKeysRule(),
        PlatformTokensRule(),
        JwtRule(),
        PrivateKeyRule(),
        BearerRule(),
        UrlCredentialsRule(),
        AssignedSecretRule(),
        NamedValueRule(),
        CommandLineSecretRule(),
        CredentialFileRule(),
        SessionHeaderRule(),
    )
