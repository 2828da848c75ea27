"""Holding requests and the table of methods against Slack's own descriptions: a JSON schema of blocks, and `api_ref`.

Both are data beside the repository (`../shared/data/slack`), used in tests marked `shared`; jsonschema is a package
of the tests, so nothing else in the stand-in imports this module.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
from jsonschema.exceptions import best_match

from bot.standin.methods import METHODS, UNLISTED_ARGUMENTS, UNLISTED_ERRORS, Method
from bot.standin.model import Json

REQUIRED_ELSEWISE = {
    # `chunks` serves as well as `markdown_text`
    "chat.appendStream": frozenset({"markdown_text"}),
}


def block_schema_check(folder: Path) -> Callable[[str, Json], list[str]]:
    """Return a check for `WebApi.add_check` that validates the blocks of a call against `blocks.schema.json`."""
    find = block_schema_problems(folder)

    def check(method: str, arguments: Json) -> list[str]:
        return [problem for blocks in _blocks_of(arguments) for problem in find(blocks)]

    return check


def block_schema_problems(folder: Path) -> Callable[[list[Json]], list[str]]:
    """Return a function that lists what is wrong with blocks by the schema: each block by the type it says it is."""
    schema: Json = json.loads((folder / "blocks" / "blocks.schema.json").read_text())
    definitions: Json = schema["definitions"]
    names = {
        definition["properties"]["type"]["const"]: name
        for name, definition in definitions.items()
        if name.endswith("Block") and "const" in definition.get("properties", {}).get("type", {})
    }
    validators = {
        kind: jsonschema.Draft7Validator({"definitions": definitions, "$ref": f"#/definitions/{name}"})
        for kind, name in names.items()
    }

    def find(blocks: list[Json]) -> list[str]:
        problems = []
        for index, block in enumerate(blocks):
            validator = validators.get(str(block.get("type")))
            if validator is None:
                problems.append(f"/blocks/{index}: no block of type {block.get('type')!r} in the schema")
                continue
            error = best_match(validator.iter_errors(block))
            if error is not None:
                place = "/".join(str(step) for step in error.absolute_path)
                problems.append(f"/blocks/{index}/{place}: {error.message}")
        return problems

    return find


def differences_from_reference(folder: Path) -> list[str]:
    """List where the table of methods says something else than `api_ref`."""
    return [difference for method in METHODS.values() for difference in _differences(method, folder)]


def _differences(method: Method, folder: Path) -> Iterator[str]:
    family = method.name.partition(".")[0]
    reference: Json = json.loads((folder / "api_ref" / "methods" / family / f"{method.name}.json").read_text())
    documented: Json = reference["args"]
    ours = {argument.name: argument for argument in method.arguments}
    for name in sorted(ours.keys() - documented.keys() - UNLISTED_ARGUMENTS.get(method.name, frozenset())):
        yield f"{method.name} has no argument {name}"
    for name in sorted(documented.keys() & ours.keys()):
        required = bool(documented[name].get("required"))
        if required != ours[name].required and name not in REQUIRED_ELSEWISE.get(method.name, frozenset()):
            yield f"{method.name} {name}: required is {required}"
    for name in sorted(key for key, facts in documented.items() if facts.get("required") and key not in ours):
        yield f"{method.name} requires {name}"
    unlisted = UNLISTED_ERRORS["*"] | UNLISTED_ERRORS.get(method.name, frozenset())
    for error in sorted(method.errors - set(reference["errors"]) - unlisted):
        yield f"{method.name} does not answer {error}"


def _blocks_of(arguments: Json) -> Iterator[list[Json]]:
    view = _decoded(arguments.get("view"))
    chunks = _decoded(arguments.get("chunks")) or []
    candidates: list[Any] = [_decoded(arguments.get("blocks")), view.get("blocks") if isinstance(view, dict) else None]
    candidates += [chunk.get("blocks") for chunk in chunks if isinstance(chunk, dict)]
    for blocks in candidates:
        if isinstance(blocks, list):
            yield [block for block in blocks if isinstance(block, dict)]


def _decoded(value: Any) -> Any:
    return json.loads(value) if isinstance(value, str) else value
