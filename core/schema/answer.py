"""The JSON Schema of an answer, made from the domain's types. `python -m core.schema.answer` writes it anew."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from core.domain.evidence import Answer

PUBLISHED = Path(__file__).with_name("answer.schema.json")


def answer_schema() -> dict[str, Any]:
    """The schema as it is published in the package."""
    return dict(json.loads(PUBLISHED.read_text(encoding="utf-8")))


def schema_of_types() -> dict[str, Any]:
    """The schema as the types have it now. Closed: a field that it does not name is a mistake."""
    schema = TypeAdapter(Answer).json_schema(mode="serialization")
    for part in (schema, *schema["$defs"].values()):
        if part.get("type") == "object":
            part["additionalProperties"] = False
    schema["properties"]["explain"] = {
        "type": "object",
        "description": "What each stage did; only with `--explain`, for people, and without a fixed form.",
    }
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "urn:testigo:answer:1", **schema}


if __name__ == "__main__":
    PUBLISHED.write_text(json.dumps(schema_of_types(), ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
