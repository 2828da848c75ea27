"""Every kind of message and modal against the JSON Schema of Block Kit."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest
from jsonschema import Draft7Validator

from tests.pictures.evidence_samples import views
from tests.pictures.samples import messages
from tests.unit.rendering.slack_checks import check, check_view


@cache
def validator(shared_data: Path) -> Draft7Validator:
    schema = json.loads((shared_data / "slack" / "blocks" / "blocks.schema.json").read_text())
    return Draft7Validator({**schema, "$ref": "#/definitions/KnownBlock"})


@pytest.mark.shared
@pytest.mark.parametrize("name", messages())
def test_every_block_fits_the_schema(name: str, shared_data: Path) -> None:
    for message in messages()[name]:
        for block in message.blocks:
            validator(shared_data).validate(block)


@pytest.mark.parametrize("name", messages())
def test_every_sample_is_a_message_that_slack_takes(name: str) -> None:
    for message in messages()[name]:
        check(message)


@pytest.mark.shared
@pytest.mark.parametrize("name", views())
def test_every_block_of_a_modal_fits_the_schema(name: str, shared_data: Path) -> None:
    for block in views()[name]["blocks"]:
        validator(shared_data).validate(block)


@pytest.mark.parametrize("name", views())
def test_every_sample_is_a_modal_that_slack_takes(name: str) -> None:
    check_view(views()[name])
