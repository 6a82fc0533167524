"""The table of roles holds for whoever calls the catalog itself, without a wire in between."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from catalog.access import ROLES
from catalog.catalog import Catalog
from catalog.errors import RoleRequired, SkillCatalogError
from catalog.identity import Identity, Role
from catalog.lifecycle import DeleteRequest, ProposeRequest
from catalog.requests import DirectoryRequest, GetRequest, ListRequest
from catalog.scope import ScopeKind
from catalog.search.request import SearchRequest
from tests.written_skills import identity, written_skill

Call = Callable[[Catalog, Identity], object]


def import_nothing(catalog: Catalog, who: Identity) -> None:
    with catalog.pack_writer(who, ScopeKind.TENANT, "tools"):
        pass


CALLS: dict[str, Call] = {
    "skill_search": lambda catalog, who: catalog.search(who, SearchRequest("glaze")),
    "skill_get": lambda catalog, who: catalog.get(who, GetRequest(("glaze",))),
    "skill_list": lambda catalog, who: catalog.list(who, ListRequest()),
    "skill_directory": lambda catalog, who: catalog.directory(who, DirectoryRequest()),
    "skill_export": lambda catalog, who: catalog.export(who, "glaze"),
    "skill_history": lambda catalog, who: catalog.history(who, "glaze"),
    "artifact_get": lambda catalog, who: catalog.artifact(who, "artifact://sha256/" + "0" * 64),
    "skill_propose": lambda catalog, who: catalog.propose(
        who, ProposeRequest(written_skill("mine", pack=None))
    ),
    "skill_delete": lambda catalog, who: catalog.delete(who, DeleteRequest("absent")),
    "skill_rollback": lambda catalog, who: catalog.rollback(who, "absent", "0" * 64, ""),
    "skill_purge": lambda catalog, who: catalog.delete(who, DeleteRequest("absent", purge=True)),
    "skill_promote": lambda catalog, who: catalog.promote(who, "absent", ScopeKind.TENANT),
    "skill_pin": lambda catalog, who: catalog.pin(who, "absent", True),
    "skill_unpin": lambda catalog, who: catalog.pin(who, "absent", False),
    "pack_import": import_nothing,
    "audit_list": lambda catalog, who: catalog.audit(who),
    "audit_verify": lambda catalog, who: catalog.verify_audit(who),
}


def may(catalog: Catalog, call: Call, roles: Iterable[Role]) -> bool:
    try:
        call(catalog, Identity("acme", "ann", "s1", roles=frozenset(roles)))
    except RoleRequired:
        return False
    except SkillCatalogError:
        return True
    return True


def test_every_action_of_the_table_is_tried() -> None:
    assert set(CALLS) == set(ROLES)


@pytest.mark.parametrize("action", CALLS)
def test_each_role_opens_what_the_table_says_and_no_role_nothing(
    catalog: Catalog, action: str
) -> None:
    opening = {role for role in Role if may(catalog, CALLS[action], {role})}
    assert opening == (set(Role) if Role.READER in ROLES[action] else {*ROLES[action], Role.ADMIN})
    assert not may(catalog, CALLS[action], ())
    refused = catalog.audit(identity()).events[0]
    assert (refused.action, refused.outcome, refused.reason) == (
        action,
        "refused",
        "ROLE_REQUIRED",
    )


def test_authors_and_importers_read_what_they_wrote(catalog: Catalog) -> None:
    importer = Identity("acme", "ann", "s1", roles=frozenset({Role.IMPORTER}))
    with catalog.pack_writer(importer, ScopeKind.USER, "tools") as writing:
        writing.put(written_skill("glaze"), {})
    author = Identity("acme", "ann", "s1", roles=frozenset({Role.AUTHOR}))
    catalog.propose(author, ProposeRequest(written_skill("mine", pack=None)))
    for who in (author, importer):
        for name in ("glaze", "mine"):
            assert catalog.get(who, GetRequest((name,))).text
