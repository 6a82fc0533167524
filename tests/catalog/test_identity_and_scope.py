"""Identities that exist are valid; scopes are columns; roles decide who writes where."""

from __future__ import annotations

import pytest

from catalog.errors import IdentityRequired
from catalog.identity import Identity
from catalog.scope import ScopeKind, scope_of, visible_scopes


@pytest.mark.parametrize("part", ["tenant", "user", "session"])
@pytest.mark.parametrize(
    "value", ["", " ", "\t\n", "\u3000", "\u200b", "\ufeff \u2060", "a\nb", "a\x00b", "x" * 129]
)
def test_a_blank_overlong_or_control_character_part_is_refused_and_named(
    part: str, value: str
) -> None:
    parts = {"tenant": "t", "user": "u", "session": "s", part: value}
    with pytest.raises(IdentityRequired) as refusal:
        Identity(**parts)
    assert refusal.value.metadata["part"] == part
    assert value.strip() == "" or value not in refusal.value.message


def test_a_missing_part_is_refused() -> None:
    with pytest.raises(IdentityRequired, match="session"):
        Identity("t", "u", None)  # type: ignore[arg-type]


def test_parts_are_nfc_and_case_sensitive() -> None:
    assert Identity("cafe\u0301", "u", "s") == Identity("café", "u", "s")
    assert Identity("Acme", "u", "s") != Identity("acme", "u", "s")
    assert Identity("x" * 128, "u", "s").tenant == "x" * 128


def test_visible_scopes_go_from_narrow_to_wide() -> None:
    kinds = [scope.kind for scope in visible_scopes(Identity("t", "u", "s", project="p"))]
    assert kinds == list(ScopeKind)
    without = [scope.kind for scope in visible_scopes(Identity("t", "u", "s"))]
    assert without == [kind for kind in ScopeKind if kind is not ScopeKind.PROJECT]


def test_a_session_scope_belongs_to_its_user_and_tenant() -> None:
    one = scope_of(Identity("t", "u1", "s"), ScopeKind.SESSION)
    other = scope_of(Identity("t", "u2", "s"), ScopeKind.SESSION)
    assert one != other
    with pytest.raises(IdentityRequired, match="project"):
        scope_of(Identity("t", "u", "s"), ScopeKind.PROJECT)
