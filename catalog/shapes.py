"""The shape of what callers of the library hand over, checked where it comes in.

The annotations say what is wanted. What has one other reading is taken by it: a list is taken for
a tuple and the word of a choice for the choice. All else is one error that names the field.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from enum import StrEnum
from functools import cache, wraps
from inspect import Parameter, signature
from types import UnionType
from typing import Any, Concatenate, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints

from catalog.errors import IdentityRequired, InvalidArgument, InvalidQuery, SkillCatalogError
from catalog.identity import Identity
from catalog.text.surrogates import holds_half_a_pair

P = ParamSpec("P")
S = TypeVar("S")
R = TypeVar("R")
E = TypeVar("E", bound=StrEnum)


def check_fields(record: Any, error: type[InvalidArgument] = InvalidQuery) -> None:
    """For `__post_init__` of a frozen dataclass: every field in the shape of its annotation.

    Raises:
        error: a value has another shape; `field` names it.
    """
    for name, wanted in _field_types(record.__class__):
        value = getattr(record, name)
        taken = _taken(name, value, wanted, error)
        if taken is not value:
            object.__setattr__(record, name, taken)


def checked_arguments(
    error: type[InvalidArgument] = InvalidQuery,
) -> Callable[[Callable[Concatenate[S, P], R]], Callable[Concatenate[S, P], R]]:
    """A public method that looks at the shape of its arguments before anything else.

    Its calls raise `error`, or IdentityRequired where an argument that should be an identity
    is none.
    """

    def decorate(method: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
        @wraps(method)
        def checked(self: S, /, *positional: P.args, **named: P.kwargs) -> R:
            wanted = _argument_types(method)
            values: list[Any] = [
                _taken(name, value, shape, error)
                for value, (name, shape) in zip(positional, wanted.items(), strict=False)
            ]
            values += positional[len(values) :]
            taken: dict[str, Any] = {
                name: _taken(name, value, wanted.get(name), error) for name, value in named.items()
            }
            return method(self, *values, **taken)

        return checked

    return decorate


@cache
def _field_types(kind: type) -> tuple[tuple[str, Any], ...]:
    hints = get_type_hints(kind)
    return tuple((field.name, hints[field.name]) for field in fields(kind))


@cache
def _argument_types(method: Callable[..., Any]) -> dict[str, Any]:
    hints = get_type_hints(method)
    return {
        name: hints.get(name)
        for name, parameter in list(signature(method).parameters.items())[1:]
        if parameter.kind is not Parameter.VAR_KEYWORD
    }


def _taken(name: str, value: Any, wanted: Any, error: type[InvalidArgument]) -> Any:
    """The value in the wanted shape. What no rule here knows of is taken as it is."""
    if get_origin(wanted) in (Union, UnionType):
        choices = [choice for choice in get_args(wanted) if choice is not type(None)]
        if value is None and len(choices) < len(get_args(wanted)):
            return None
        wanted = choices[0]
    if get_origin(wanted) is tuple:
        return _taken_tuple(name, value, get_args(wanted)[0], error)
    if not isinstance(wanted, type):
        return value
    if issubclass(wanted, StrEnum):
        return taken_choice(name, value, wanted, error)
    if wanted is float:
        # An integer is a number too; a truth value and what is not finite are none.
        known = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not known or not math.isfinite(value):
            raise _misshapen(name, value, "a number", error)
    elif wanted is int:
        if not isinstance(value, int) or isinstance(value, bool):
            raise _misshapen(name, value, "an int", error)
    elif (wanted in (str, bool) or is_dataclass(wanted)) and not isinstance(value, wanted):
        if wanted is Identity:
            raise _misshapen(name, value, "an Identity", IdentityRequired)
        raise _misshapen(name, value, f"a {wanted.__name__}", error)
    if wanted is str and holds_half_a_pair(value):
        raise error(f"{name} holds half of a surrogate pair", field=name)
    return value


def _taken_tuple(name: str, value: Any, part: Any, error: type[InvalidArgument]) -> Any:
    if not isinstance(value, (tuple, list)):
        raise _misshapen(name, value, f"a tuple of {part.__name__}", error)
    parts = tuple(_taken(f"{name}[{place}]", one, part, error) for place, one in enumerate(value))
    return value if isinstance(value, tuple) and parts == value else parts


def taken_choice(name: str, value: Any, choices: type[E], error: type[InvalidArgument]) -> E:
    """Raises:
    error: the value is neither one of the choices nor its word.
    """
    if isinstance(value, choices):
        return value
    words = ", ".join(choices)
    if not isinstance(value, str):
        raise _misshapen(name, value, f"a {choices.__name__}: {words}", error)
    if value not in list(choices):
        raise error(f"{name} is no {choices.__name__}; it takes one of: {words}", field=name)
    return choices(value)


def _misshapen(
    name: str, value: Any, wanted: str, error: type[SkillCatalogError]
) -> SkillCatalogError:
    """Names the type of the value, never the value: it may be a secret."""
    shape = "None" if value is None else f"of type {type(value).__name__}"
    if isinstance(value, float) and not math.isfinite(value):
        shape = f"{value}"
    return error(f"{name} is {shape}; it takes {wanted}", field=name)
