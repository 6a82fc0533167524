"""The words that names of secrets end with, and what counts as a secret under each."""

from __future__ import annotations

from catalog.injection.redaction.linear_pattern import LinearPattern
from catalog.injection.redaction.secret_shape import (
    looks_generated,
    looks_like_password,
    looks_like_phrase,
)

_PASSWORD_WORDS = (
    r"password|passwd|passphrase|passcode|pwd|\bpw|_pw|\bpass|_pass|"
    r"contraseña|clave|mot de passe|passwort|kennwort|senha|пароль|"
    r"密码|密碼|口令|パスワード|비밀번호"
)
_KEY_WORDS = (
    r"secret|secret[_\- ]?key|secret[_\- ]?key[_\- ]?base|secret[_\- ]?access[_\- ]?key|"
    r"access[_\- ]?key|client[_\- ]?secret|token|api[_\- ]?key|api[_\- ]?secret|auth[_\- ]?key|"
    r"private[_\- ]?key|signing[_\- ]?key|encryption[_\- ]?key|master[_\- ]?key|"
    r"account[_\- ]?key|credentials?|webhook[_\- ]?secret"
)
SECRET_WORDS = f"{_PASSWORD_WORDS}|{_KEY_WORDS}"
"""Alternatives of a pattern that ignores case."""

_NAMES_PASSWORD = LinearPattern(rf"^(?:{_PASSWORD_WORDS})", ignore_case=True)
_NAMES_PHRASE = LinearPattern(
    r"^(?:password|passwd|passphrase|passcode|pwd|_pass|passwort|kennwort)", ignore_case=True
)


def looks_secret(word: str, value: str) -> bool:
    """Whether a value is a secret where it is the value of a name that ends with `word`.

    Passwords are chosen by people, all else is made by machines. A value with blanks is a
    password at most, and only where the name cannot mean anything else.
    """
    if " " in value:
        return _NAMES_PHRASE.found_in(word) and looks_like_phrase(value)
    if _NAMES_PASSWORD.found_in(word):
        return looks_like_password(value)
    return looks_generated(value)
