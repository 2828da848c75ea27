"""The subset of JSON Schema that structured output takes.

https://platform.claude.com/docs/en/build-with-claude/structured-outputs; sentences as the API writes them
("output_config.format.schema: For 'number' type, properties maximum, minimum are not supported").
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.standin.claude.rejection import Rejection

_WHERE = "output_config.format.schema"
_ANNOTATIONS = {"title", "description", "default", "examples", "$schema", "$comment", "$id"}
_ANYWHERE = _ANNOTATIONS | {"type", "enum", "const", "anyOf", "allOf", "$ref", "$defs", "definitions"}
_OWN: Mapping[str, set[str]] = {
    "object": {"properties", "required", "additionalProperties"},
    "array": {"items", "minItems"},
    "string": {"format", "pattern"},
    "integer": set(),
    "number": set(),
    "boolean": set(),
    "null": set(),
}
_FORMATS = {"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"}


def check_schema(schema: Any) -> None:
    """Reject a schema that structured output cannot follow."""
    if not isinstance(schema, dict):
        raise Rejection(f"{_WHERE}: Input should be a valid dictionary")
    _check_node(schema, schema, ())


def _check_node(node: Any, root: Mapping[str, Any], path: tuple[str, ...]) -> None:
    if not isinstance(node, dict):
        raise Rejection(f"{_WHERE}: Schemas must be objects")
    kinds = node.get("type")
    for kind in kinds if isinstance(kinds, list) else [kinds] if kinds is not None else []:
        _check_kind(node, kind)
    if "oneOf" in node:
        raise Rejection(f"{_WHERE}: Schema type 'oneOf' is not supported")
    if not node.keys() & {"type", "enum", "const", "anyOf", "allOf", "$ref"}:
        raise Rejection(f"{_WHERE}: Schema must have a 'type', 'enum', 'const', 'anyOf', 'allOf' or '$ref'")
    if "$ref" in node:
        _follow(str(node["$ref"]), root, path)
    children: list[Any] = [*node.get("anyOf", ()), *node.get("allOf", ()), *node.get("properties", {}).values()]
    if "items" in node:
        children.append(node["items"])
    for child in children:
        _check_node(child, root, path)


def _check_kind(node: Mapping[str, Any], kind: Any) -> None:
    if kind not in _OWN:
        raise Rejection(f"{_WHERE}: Unknown type {kind!r}")
    foreign = sorted(node.keys() - _ANYWHERE - set().union(*_OWN.values()) - {"oneOf"})
    if foreign:
        properties = f"property '{foreign[0]}' is" if len(foreign) == 1 else f"properties {', '.join(foreign)} are"
        raise Rejection(f"{_WHERE}: For '{kind}' type, {properties} not supported")
    if kind == "object":
        _check_closed(node)
    if kind == "array" and node.get("minItems", 0) not in (0, 1):
        raise Rejection(f"{_WHERE}: For 'array' type, 'minItems' values other than 0 or 1 are not supported")
    if kind == "string" and node.get("format", "date") not in _FORMATS:
        raise Rejection(f"{_WHERE}: For 'string' type, format {node['format']!r} is not supported")


def _check_closed(node: Mapping[str, Any]) -> None:
    if node.get("additionalProperties") is not False:
        raise Rejection(f"{_WHERE}: For 'object' type, 'additionalProperties' must be explicitly set to false")
    unknown = sorted(set(node.get("required", ())) - node.get("properties", {}).keys())
    if unknown:
        raise Rejection(f"{_WHERE}: 'required' names no property: {', '.join(unknown)}")


def _follow(reference: str, root: Mapping[str, Any], path: tuple[str, ...]) -> None:
    if reference in path:
        raise Rejection(f"{_WHERE}: Recursive schemas are not supported ({reference})")
    if not reference.startswith("#/"):
        raise Rejection(f"{_WHERE}: External references are not supported ({reference})")
    target: Any = root
    for step in reference.removeprefix("#/").split("/"):
        if not isinstance(target, dict) or step not in target:
            raise Rejection(f"{_WHERE}: Reference {reference} leads nowhere")
        target = target[step]
    _check_node(target, root, (*path, reference))
