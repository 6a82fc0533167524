"""Words that tell a sentence about a password from a password of several words."""

from __future__ import annotations

from collections.abc import Iterable

from catalog.injection.redaction.documentation_values import is_plain_word

_FUNCTION_WORDS = """
a an the this that these those it its is are was be been has have had do does did not no and or but
if then else of for from to in on at by with without as into over under per i you we he she they my
our their his her at least most more less than only also any all must should may might can could
will would cannot please
de la el los las un una y o en con para der die das und oder ist mit für ein eine mindestens le les
des du et ou est avec pour il che per di
"""
_DESCRIPTIONS = """
enter type use using see set get reset forgot forgotten change create choose confirm repeat update
store read write send new old current previous wrong invalid incorrect weak strong expired missing
empty blank minimum maximum min max between length long short field input value values form page
line option prompt default name character characters char chars letter letters digit digits symbol
symbols number numbers uppercase lowercase special upper lower case hash hashed hashing encrypted
plain hidden shared service application account database server step section version match zeichen
caractères
"""
_PROSE = frozenset(f"{_FUNCTION_WORDS} {_DESCRIPTIONS}".split())
_PARTS = ("pass", "kennwort", "secret", "token", "credential", "log", "auth", "contrase")


def has_prose_word(words: Iterable[str]) -> bool:
    """Whether one of the words of a value shows that it speaks of a password and is none."""
    return any(_is_prose(word.lower().strip(".,:;!?()[]'\"")) for word in words)


def _is_prose(word: str) -> bool:
    if word in _PROSE or any(part in word for part in _PARTS):
        return True
    return any(map(str.isalpha, word)) and is_plain_word(word)
