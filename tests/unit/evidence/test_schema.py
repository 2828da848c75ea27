"""The published schema of an answer."""

from __future__ import annotations

import datetime as dt
import json

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator, FormatChecker, ValidationError

from bot.cli.ask import answer_json
from bot.cli.asking import Asked
from bot.cli.schema import schema
from core.domain.evidence import (
    Abstention,
    AbstentionReason,
    Answer,
    Claim,
    ClaimKind,
    ClaimStatus,
    Judgement,
    NearDocument,
    Reason,
    ReasonCode,
    TokenUse,
)
from core.schema.answer import answer_schema, schema_of_types

from .conftest import Company


def check(answer: Answer) -> None:
    printed = json.loads(json.dumps(answer_json(Asked(answer, {}, None))))
    Draft202012Validator(answer_schema(), format_checker=FormatChecker()).validate(printed)


def test_the_published_schema_is_that_of_the_types() -> None:
    assert answer_schema() == schema_of_types(), "write it anew: python -m core.schema.answer"


def test_the_command_prints_the_published_schema() -> None:
    result = CliRunner().invoke(schema)
    assert (result.exit_code, json.loads(result.output)) == (0, answer_schema())


def test_the_schema_is_a_valid_one() -> None:
    Draft202012Validator.check_schema(answer_schema())


def test_an_answer_with_every_field_fits(company: Company) -> None:
    version = company.write("leave", "Annual leave is 25 days.", valid_from=dt.date(2026, 1, 1))
    claim = Claim(
        "It is 25 days.",
        ClaimKind.CALCULATION,
        ClaimStatus.PARTIAL,
        (company.cite(version, "leave is 25 days", page=3, section_path=("Leave", "Days")),),
        (Reason(ReasonCode.CONDITION_DROPPED, "in Dublin"),),
        Judgement("nli", "entailment", 0.9),
    )
    check(
        Answer("r", "?", "en", (claim,), None, 0.9, "claude", 7, 1, ("contradiction",), TokenUse("m", 1, 2, 3, 4, 0.5))
    )


def test_an_abstention_fits() -> None:
    near = (NearDocument("leave", "Leave", "", "hr@x.com"),)
    check(Answer("r", "?", "es", (), Abstention(AbstentionReason.LOW_CONFIDENCE, "?", ("s",), near), 0.1, "", 7))


def test_what_explain_adds_fits(company: Company) -> None:
    printed = answer_json(Asked(company.answer(), {}, None)) | {"explain": {"searched": "?"}}
    Draft202012Validator(answer_schema()).validate(json.loads(json.dumps(printed)))


def test_a_field_that_the_schema_does_not_name_is_refused(company: Company) -> None:
    printed = answer_json(Asked(company.answer(), {}, None)) | {"surprise": 1}
    with pytest.raises(ValidationError):
        Draft202012Validator(answer_schema()).validate(json.loads(json.dumps(printed)))
