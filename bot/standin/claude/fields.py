"""Fields of request objects, checked against the SDK's own parameter types, in the words of the API."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Required, get_origin, get_type_hints

from bot.standin.claude.rejection import Rejection


@lru_cache(maxsize=64)
def fields_of(shape: Any) -> Mapping[str, bool]:
    """The names of a TypedDict of the SDK, each with whether it is required."""
    hints = get_type_hints(shape, include_extras=True)
    return MappingProxyType({name: get_origin(hint) is Required for name, hint in hints.items()})


def check_object(value: Any, shape: Any, where: str) -> None:
    """Reject what is no object, lacks a required field or has an unknown one."""
    if not isinstance(value, dict):
        raise Rejection(f"{where}: Input should be a valid dictionary")
    known = fields_of(shape)
    for name, required in known.items():
        if required and name not in value:
            raise Rejection(f"{where}.{name}: Field required")
    for name in value:
        if name not in known:
            raise Rejection(f"{where}.{name}: Extra inputs are not permitted")


def check_choice(value: Any, choices: tuple[str, ...], where: str) -> None:
    """Reject a value that is none of the choices."""
    if value not in choices:
        quoted = [f"'{choice}'" for choice in choices]
        listed = f"{', '.join(quoted[:-1])} or {quoted[-1]}" if len(quoted) > 1 else quoted[0]
        raise Rejection(f"{where}: Input should be {listed}")


def check_string(value: Any, where: str) -> None:
    """Reject what is no string."""
    if not isinstance(value, str):
        raise Rejection(f"{where}: Input should be a valid string")
