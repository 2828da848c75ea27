"""Reading the arguments of a Web API request in each encoding that Slack takes, and checking them by the table."""

import json
import re
from typing import Any

from aiohttp import web

from bot.standin.methods import ANY_METHOD_TAKES, Argument, ArgumentKind, Method
from bot.standin.model import Json
from bot.standin.problems import ApiError, Problem

_TS = re.compile(r"\d{1,16}(\.\d{1,6})?")
_FLAGS = {"1": True, "true": True, "0": False, "false": False, "": False}


async def read_arguments(request: web.Request) -> Json:
    """Join the query string with a form, multipart or JSON body; raise ApiError when the body cannot be read."""
    values: Json = dict(request.query)
    if request.method != "POST" or not request.can_read_body:
        return values
    if request.content_type == "application/json":
        try:
            body = json.loads(await request.text())
        except ValueError:
            raise ApiError("invalid_json", is_violation=True) from None
        if not isinstance(body, dict):
            raise ApiError("json_not_object", is_violation=True)
        return values | body
    if request.content_type in ("application/x-www-form-urlencoded", "multipart/form-data"):
        return values | {key: value for key, value in (await request.post()).items() if isinstance(value, str)}
    raise ApiError("invalid_post_type", is_violation=True)


class Arguments:
    """The arguments of one call, typed by the method's table entry."""

    def __init__(self, method: Method, raw: Json) -> None:
        self.method = method
        self.raw = {name: value for name, value in raw.items() if name not in ANY_METHOD_TAKES}

    def unknown(self) -> list[str]:
        """Arguments that the method does not have. Slack ignores most of them, so this is a record, no error."""
        return sorted(name for name in self.raw if self.method.argument(name) is None)

    def check(self) -> None:
        """Raise `invalid_arguments` when a required argument is absent or one is of a wrong kind."""
        problems = [
            Problem(f"missing required field: {argument.name}", "")
            for argument in self.method.arguments
            if argument.required and self.raw.get(argument.name) is None
        ]
        for argument in self.method.arguments:
            value = self.raw.get(argument.name)
            if value is not None and not _fits(argument, value):
                problems.append(Problem(f"must provide a valid {argument.kind}", f"/{argument.name}"))
        if problems:
            raise ApiError("invalid_arguments", problems=problems, is_violation=True)

    def has(self, name: str) -> bool:
        """Whether an argument was given."""
        return self.raw.get(name) is not None

    def text(self, name: str) -> str:
        """A string; empty when absent."""
        value = self.raw.get(name)
        return "" if value is None else str(value)

    def optional(self, name: str) -> str | None:
        """A string, or None when it is absent or empty."""
        return self.text(name) or None

    def flag(self, name: str, *, default: bool = False) -> bool:
        """A boolean, which the SDK sends as `1`, `0`, or true."""
        value = self.raw.get(name)
        if value is None:
            return default
        return value if isinstance(value, bool) else _FLAGS[str(value).lower()]

    def number(self, name: str, *, default: int) -> int:
        """A whole number."""
        return int(self.raw[name]) if self.has(name) else default

    def json(self, name: str) -> Any:
        """A list or an object, decoded when it came as a string; None when absent."""
        value = self.raw.get(name)
        return json.loads(value) if isinstance(value, str) else value


def _fits(argument: Argument, value: Any) -> bool:
    match argument.kind:
        case ArgumentKind.FLAG:
            return isinstance(value, bool) or str(value).lower() in _FLAGS
        case ArgumentKind.NUMBER:
            return not isinstance(value, bool) and str(value).isdecimal()
        case ArgumentKind.JSON:
            return _is_json(value)
        case ArgumentKind.TS:
            return value == "" or _TS.fullmatch(str(value)) is not None
        case _:
            return isinstance(value, str | int | float) and not isinstance(value, bool)


def _is_json(value: Any) -> bool:
    if not isinstance(value, str):
        return isinstance(value, dict | list)
    try:
        return isinstance(json.loads(value), dict | list)
    except ValueError:
        return False
