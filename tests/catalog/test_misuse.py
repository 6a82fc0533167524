"""What callers of the library hand over in the wrong shape is refused by the name of the field."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from catalog.catalog import Catalog
from catalog.errors import IdentityRequired, InvalidArgument, SkillCatalogError, StoreUnavailable
from catalog.identity import Identity, Role
from catalog.injection.capability import Capability
from catalog.lifecycle import DeleteRequest, ProposeRequest
from catalog.requests import DirectoryOrder, DirectoryRequest, GetRequest, ListRequest
from catalog.scope import ScopeKind
from catalog.search.request import Filters, SearchMode, SearchRequest
from catalog.skill import Origin

ANN = Identity("pottery", "ann", "s1", roles=frozenset({Role.ADMIN}))


@pytest.fixture(scope="module")
def catalog() -> Iterator[Catalog]:
    opened = Catalog.open("memory:")
    yield opened
    opened.close()


REQUESTS: list[tuple[Callable[..., object], dict[str, Any]]] = [
    (SearchRequest, {"query": None}),
    (SearchRequest, {"query": b"kiln"}),
    (SearchRequest, {"query": "kiln", "limit": True}),
    (SearchRequest, {"query": "kiln", "limit": 3.0}),
    (SearchRequest, {"query": "kiln", "limit": "3"}),
    (SearchRequest, {"query": "kiln", "limit": None}),
    (SearchRequest, {"query": "kiln", "mode": "psychic"}),
    (SearchRequest, {"query": "kiln", "mode": None}),
    (SearchRequest, {"query": "kiln", "mode": ["ladder"]}),
    (SearchRequest, {"query": "kiln", "filters": {"tags": ("wet",)}}),
    (SearchRequest, {"query": "kiln", "filters": None}),
    (SearchRequest, {"query": "kiln", "capability": ("Bash",)}),
    (SearchRequest, {"query": "kiln", "min_score": "0.5"}),
    (SearchRequest, {"query": "kiln", "min_score": float("nan")}),
    (SearchRequest, {"query": "kiln", "min_score": True}),
    (SearchRequest, {"query": "kiln", "max_tokens": True}),
    (SearchRequest, {"query": "kiln", "max_tokens": "500"}),
    (SearchRequest, {"query": "kiln", "page_token": None}),
    (SearchRequest, {"query": "kiln", "redact": "no"}),
    (SearchRequest, {"query": "kiln", "snippets": 1}),
    (Filters, {"tags": "wet"}),
    (Filters, {"tags": None}),
    (Filters, {"packs": ("kilns", 7)}),
    (Filters, {"task_types": {"a": "b"}}),
    (Filters, {"origins": "pack"}),
    (Filters, {"origins": ("packs",)}),
    (Filters, {"scopes": ("everywhere",)}),
    (Capability, {"tools": "Bash"}),
    (Capability, {"tools": (None,)}),
    (Capability, {"namespaces": "studio"}),
    (Capability, {"tags": 7}),
    (GetRequest, {"names": "kiln-log"}),
    (GetRequest, {"names": None}),
    (GetRequest, {"names": (7,)}),
    (GetRequest, {"names": ("half \ud800",)}),
    (GetRequest, {"names": ("a",), "sections": "0"}),
    (GetRequest, {"names": ("a",), "max_tokens": 1.5}),
    (GetRequest, {"names": ("a",), "content_hash": None}),
    (ListRequest, {"page_size": True}),
    (ListRequest, {"page_size": "10"}),
    (ListRequest, {"page_token": 7}),
    (DirectoryRequest, {"max_entries": True}),
    (DirectoryRequest, {"order": "newest"}),
    (ProposeRequest, {"skill": "# A skill"}),
    (DeleteRequest, {"name": None}),
    (DeleteRequest, {"name": "a", "scope": "everywhere"}),
    (DeleteRequest, {"name": "a", "purge": "yes"}),
]


@pytest.mark.parametrize(("make", "fields"), REQUESTS)
def test_a_field_of_another_shape_is_refused_by_its_name(
    make: Callable[..., object], fields: dict[str, Any]
) -> None:
    with pytest.raises(InvalidArgument) as refused:
        make(**fields)
    field = refused.value.metadata["field"]
    assert re.sub(r"\[\d+\]", "", field) == list(fields)[-1]
    assert field in refused.value.message


def test_the_shape_is_told_and_never_the_value() -> None:
    with pytest.raises(InvalidArgument) as refused:
        Filters(tags="s3cret")  # type: ignore[arg-type]
    assert refused.value.message == "tags is of type str; it takes a tuple of str"


def test_what_has_one_other_reading_is_taken_by_it() -> None:
    made: Any = SearchRequest(
        "kiln",
        mode="hybrid",  # type: ignore[arg-type]
        min_score=1,
        filters=Filters(tags=["wet"], origins=["pack"], scopes=["user"]),  # type: ignore[arg-type]
        capability=Capability(tools=["Bash"]),  # type: ignore[arg-type]
    )
    assert made.mode is SearchMode.HYBRID
    assert made.filters == Filters(("wet",), origins=(Origin.PACK,), scopes=(ScopeKind.USER,))
    assert made.capability == Capability(("Bash",))
    assert hash(made)
    assert GetRequest(["a", "b"]).names == ("a", "b")  # type: ignore[arg-type]
    assert DirectoryRequest(order="most_used").order is DirectoryOrder.MOST_USED  # type: ignore[arg-type]


@pytest.mark.parametrize("limit", [-1, 0, 101])
def test_a_limit_out_of_range_is_refused(catalog: Catalog, limit: int) -> None:
    with pytest.raises(InvalidArgument, match=f"limit is {limit}; it must be 1 to 100"):
        catalog.search(ANN, SearchRequest("kiln", limit=limit))


CALLS: list[tuple[str, tuple[Any, ...]]] = [
    ("search", (SearchRequest("kiln"),)),
    ("get", (GetRequest(("kiln-log",)),)),
    ("list", (ListRequest(),)),
    ("directory", (DirectoryRequest(),)),
    ("artifact", (f"artifact://sha256/{'0' * 64}",)),
    ("export", ("kiln-log",)),
    ("delete", (DeleteRequest("kiln-log"),)),
    ("history", ("kiln-log",)),
    ("rollback", ("kiln-log", "0", "0")),
    ("promote", ("kiln-log", ScopeKind.TENANT)),
    ("pin", ("kiln-log", True)),
    ("audit", ()),
    ("verify_audit", ()),
]


@pytest.mark.parametrize(("method", "arguments"), [*CALLS, ("pack_writer", (ScopeKind.USER, "p"))])
@pytest.mark.parametrize("nobody", [None, "ann", {"tenant": "pottery"}])
def test_whoever_is_no_identity_is_refused(
    catalog: Catalog, method: str, arguments: tuple[Any, ...], nobody: object
) -> None:
    with pytest.raises(IdentityRequired, match=r"identity is .*; it takes an Identity"):
        getattr(catalog, method)(nobody, *arguments)


@pytest.mark.parametrize(
    ("method", "arguments"),
    [(method, arguments) for method, arguments in CALLS if arguments]
    + [
        ("propose", (None,)),
        ("pack_writer", (ScopeKind.USER, "p")),
        ("packs_from", (ScopeKind.USER, "file:p")),
    ],
)
@pytest.mark.parametrize("wrong", [None, 7, object()])
def test_an_argument_of_another_shape_is_refused_by_its_name(
    catalog: Catalog, method: str, arguments: tuple[Any, ...], wrong: object
) -> None:
    for place in range(len(arguments)):
        given = [*arguments[:place], wrong, *arguments[place + 1 :]]
        with pytest.raises(InvalidArgument) as refused:
            getattr(catalog, method)(ANN, *given)
        assert refused.value.message.startswith(refused.value.metadata["field"])


@pytest.mark.parametrize(("method", "arguments"), CALLS)
def test_a_closed_catalog_says_so_and_may_be_closed_again(
    method: str, arguments: tuple[Any, ...]
) -> None:
    catalog = Catalog.open("memory:")
    catalog.close()
    catalog.close()
    with pytest.raises(StoreUnavailable, match="closed"):
        getattr(catalog, method)(ANN, *arguments)


@pytest.mark.parametrize("roles", ["admin", None, ("potter",), (7,)])
def test_roles_that_are_none_are_refused(roles: Any) -> None:
    with pytest.raises(IdentityRequired, match="'roles'"):
        Identity("pottery", "ann", "s1", roles=roles)


@pytest.mark.parametrize("url", [None, 7, "", "mysql://x", "skills.db"])
def test_a_store_of_no_known_form_is_refused(url: Any) -> None:
    with pytest.raises(SkillCatalogError, match="store"):
        Catalog.open(url)


@pytest.mark.parametrize(
    "settings", [{"redaction": "never"}, {"counter": "abacus"}, {"redaction": None}]
)
def test_a_setting_of_the_catalog_that_is_none_is_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(SkillCatalogError, match=next(iter(settings))):
        Catalog.open("memory:", **settings)
