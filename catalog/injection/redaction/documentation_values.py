"""Values that an author wrote to be replaced: they are no leak, and masking them spoils the text.

`YOUR_API_KEY`, `${TOKEN}`, `<your-token>`, `xxxxxxxx`, `$1`, sample ids that end in EXAMPLE.
"""

from __future__ import annotations

from catalog.injection.redaction.masking import OPAQUE

_TEMPLATE_MARKS = ("${", "$(", "{{", "<", "%(", "#{", "...", "…", OPAQUE)
_TEMPLATE_STARTS = ("$", "{", "%", "[", "(")
_PLACEHOLDER_TEXTS = ("example", "your", "placeholder", "changeme", "xxxx", "****", "redacted")
_PLACEHOLDER_WORDS = frozenset(
    [
        "replace",
        "insert",
        "dummy",
        "fake",
        "mock",
        "sample",
        "todo",
        "change",
        "fixme",
        "here",
        "goes",
        "my",
        "the",
    ]
)
_FILLING = frozenset("xX*.-_0#?•·")
_PLAIN_WORDS = frozenset(
    [
        "password",
        "passwd",
        "passphrase",
        "pass",
        "pwd",
        "pw",
        "secret",
        "token",
        "key",
        "apikey",
        "credential",
        "credentials",
        "login",
        "admin",
        "administrator",
        "root",
        "user",
        "username",
        "guest",
        "test",
        "tester",
        "testing",
        "demo",
        "dev",
        "local",
        "postgres",
        "mysql",
        "redis",
        "mongo",
        "rabbitmq",
        "minioadmin",
        "changeit",
        "foobar",
        "foo",
        "bar",
        "abc",
        "letmein",
        "tiger",
        "foobared",
        "qwerty",
        "null",
        "nil",
        "none",
        "true",
        "false",
        "undefined",
        "string",
        "str",
        "text",
        "number",
        "boolean",
        "required",
        "optional",
        "hidden",
        "secure",
        "securepass",
        "securepassword",
        "mypassword",
        "strongpassword",
        "newpassword",
        "oldpassword",
        "testpassword",
        "testpass",
        "userpassword",
        "supersecret",
        "mysecret",
        "yourpassword",
        "bearer",
        "basic",
    ]
)


def is_documentation_value(value: str) -> bool:
    """Whether a value in the place of a credential is a stand-in for one."""
    if value.lstrip("'\"").startswith(_TEMPLATE_STARTS) or any(
        mark in value for mark in _TEMPLATE_MARKS
    ):
        return True
    lowered = value.lower()
    if any(text in lowered for text in _PLACEHOLDER_TEXTS):
        return True
    if _FILLING.issuperset(value):
        return True
    words = lowered.replace("-", " ").replace("_", " ").split()
    return len(words) > 1 and not _PLACEHOLDER_WORDS.isdisjoint(words)


def is_plain_word(value: str) -> bool:
    """Whether a value is a word of documentation: `postgres`, `password123`, `Secret!`."""
    return value.lower().strip("0123456789!@#$%_-.") in _PLAIN_WORDS or value == ""
