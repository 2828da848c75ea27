from __future__ import annotations

import codecs
import itertools
import json
import time
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from bot.standin.claude.schema_checks import check_schema
from core.generation.errors import CutShort, GenerationError, MalformedAnswer
from core.generation.partial_json import (
    AnswerableRead,
    AnswerEvent,
    AnswerReader,
    ClaimRead,
    LanguageRead,
    MissingRead,
    RawAnswer,
    RawCalculation,
    RawCitation,
    RawClaim,
    RawInput,
    answer_schema,
)

CALCULATION = {
    "inputs": [
        {"name": "dias", "value": "22", "unit": "días", "citation": 0},
        {"name": "precio", "value": "1.500,50", "unit": "€", "citation": 1},
    ],
    "expression": "dias * precio",
    "result": "33.011,00",
    "unit": "€",
}
SAMPLE: dict[str, Any] = {
    "answerable": True,
    "language": "es",
    "claims": [
        {
            "text": 'Tienes 22 días: "naturales" \\ {hábiles}\n\t😀 𝔘',
            "kind": "quote",
            "citations": [{"passage": "p1", "quote": "22 días [laborables], ﬁn }]\u2028"}],
            "calculation": None,
        },
        {
            "text": "Son 33.011,00 €.",
            "kind": "calculation",
            "citations": [{"passage": "p1", "quote": "22 días"}, {"passage": "p2", "quote": 'cuesta "1.500,50 €"'}],
            "calculation": CALCULATION,
        },
    ],
    "missing": "Nada más: ¿año?",
}
WRITINGS = {
    "compact": json.dumps(SAMPLE, ensure_ascii=False, separators=(",", ":")),
    "indented": json.dumps(SAMPLE, ensure_ascii=False, indent=1),
    "escaped": json.dumps(SAMPLE, ensure_ascii=True),
}


def read(pieces: Iterable[str]) -> tuple[list[AnswerEvent], str | None]:
    """All events, and the name of the error it ends with, if any."""
    reader = AnswerReader()
    events: list[AnswerEvent] = []
    try:
        for piece in pieces:
            events += reader.feed(piece)
        reader.close()
    except GenerationError as error:
        return events, type(error).__name__
    assert reader.finished
    return events, None


WHOLE_ANSWER = TypeAdapter(RawAnswer)


def expected(answer: dict[str, Any]) -> list[AnswerEvent]:
    whole = WHOLE_ANSWER.validate_json(json.dumps(answer), strict=True)
    return [
        AnswerableRead(whole.answerable),
        LanguageRead(whole.language),
        *(ClaimRead(index, claim) for index, claim in enumerate(whole.claims)),
        MissingRead(whole.missing),
    ]


@pytest.mark.parametrize("writing", WRITINGS)
def test_the_answer_is_the_same_wherever_its_text_is_cut(writing: str) -> None:
    text = WRITINGS[writing]
    whole = expected(SAMPLE)
    assert read([text]) == (whole, None)
    assert read(text) == (whole, None)
    for cut in range(len(text) + 1):
        assert read([text[:cut], text[cut:]]) == (whole, None)


def test_the_answer_is_the_same_cut_at_every_byte_of_its_utf8() -> None:
    data = WRITINGS["compact"].encode()
    for cut in range(len(data) + 1):
        decoder = codecs.getincrementaldecoder("utf-8")()
        assert read([decoder.decode(data[:cut]), decoder.decode(data[cut:], final=True)]) == (expected(SAMPLE), None)


def test_every_three_pieces_of_a_short_answer_give_the_same_events() -> None:
    answer = {"answerable": False, "language": "en", "claims": [], "missing": '\\"é\\'}
    text = json.dumps(answer)
    for first in range(len(text)):
        for second in range(first, len(text)):
            assert read([text[:first], text[first:second], text[second:]]) == (expected(answer), None)


def test_a_calculation_comes_with_its_inputs_typed() -> None:
    events, _ = read([WRITINGS["compact"]])
    assert events[3] == ClaimRead(
        1,
        RawClaim(
            "Son 33.011,00 €.",
            "calculation",
            (RawCitation("p1", "22 días"), RawCitation("p2", 'cuesta "1.500,50 €"')),
            RawCalculation(
                (RawInput("dias", "22", "días", 0), RawInput("precio", "1.500,50", "€", 1)),
                "dias * precio",
                "33.011,00",
                "€",
            ),
        ),
    )


def test_a_claim_is_given_at_its_closing_brace_and_not_a_character_before() -> None:
    text = WRITINGS["compact"]
    brace = text.index('null},{"text"') + len("null")
    reader = AnswerReader()
    assert [type(event) for event in reader.feed(text[:brace])] == [AnswerableRead, LanguageRead]
    assert [type(event) for event in reader.feed(text[brace])] == [ClaimRead]


def test_the_flag_is_given_at_its_last_letter() -> None:
    reader = AnswerReader()
    assert reader.feed('{"answerable": fals') == []
    assert reader.feed("e") == [AnswerableRead(False)]


def test_claims_before_the_flag_wait_for_it() -> None:
    answer = {name: SAMPLE[name] for name in ("language", "claims", "answerable", "missing")}
    events, error = read(json.dumps(answer))
    assert error is None
    assert [type(event) for event in events] == [AnswerableRead, LanguageRead, ClaimRead, ClaimRead, MissingRead]


def test_halves_of_an_emoji_in_two_pieces_are_joined() -> None:
    answer = {**SAMPLE, "missing": "a😀b"}
    before, after = json.dumps(answer, ensure_ascii=False).split("a😀b")
    assert read([before + "a\ud83d", "\ude00b" + after]) == (expected(answer), None)


CLAIM = json.dumps(SAMPLE["claims"][0])


def with_claims(claims: str) -> str:
    return f'{{"answerable": true, "language": "es", "claims": {claims}, "missing": ""}}'


def with_missing(missing: str) -> str:
    return f'{{"answerable": true, "language": "es", "claims": [], "missing": {missing}}}'


MALFORMED = {
    "no object": "[]",
    "prose before": 'Here is the answer: {"answerable": true}',
    "fenced": "```json\n{}\n```",
    "empty object": "{}",
    "a member missing": '{"answerable": true, "language": "es", "claims": []}',
    "a member twice": '{"answerable": true, "answerable": true, "language": "es", "claims": [], "missing": ""}',
    "an unknown member": with_missing('"", "score": 1'),
    "a flag that is no boolean": '{"answerable": 1, "language": "es", "claims": [], "missing": ""}',
    "a flag misspelt": '{"answerable": trux, "language": "es", "claims": [], "missing": ""}',
    "a flag run on": '{"answerable": truest, "language": "es", "claims": [], "missing": ""}',
    "a null language": '{"answerable": true, "language": null, "claims": [], "missing": ""}',
    "claims that are no list": with_claims("{}"),
    "claims that are null": with_claims("null"),
    "a claim that is no object": with_claims('["x"]'),
    "a claim with a field missing": with_claims('[{"text": "x"}]'),
    "a claim of another kind": with_claims(f"[{CLAIM.replace('quote', 'guess', 1)}]"),
    "a comma after the last claim": with_claims(f"[{CLAIM},]"),
    "a comma after the last member": with_missing('"",'),
    "no comma between claims": with_claims(f"[{CLAIM}{CLAIM}]"),
    "brackets crossed": with_claims('[{"text": [}]'),
    "half a surrogate": with_missing('"\\ud83d"'),
    "a raw line break in a string": with_missing('"a\nb"'),
    "a bad escape": with_missing('"\\x"'),
    "something after the end": '{"answerable": true, "language": "es", "claims": [], "missing": ""} {',
    "single quotes": "{'answerable': true}",
    "no colon": '{"answerable" true}',
}


@pytest.mark.parametrize("text", MALFORMED.values(), ids=MALFORMED)
def test_what_is_not_the_schema_is_a_malformed_answer_wherever_it_is_cut(text: str) -> None:
    whole = read([text])
    assert whole[1] == "MalformedAnswer"
    assert read(text) == whole
    for cut in range(len(text)):
        assert read([text[:cut], text[cut:]]) == whole


def test_half_a_character_in_the_text_itself_is_a_malformed_answer() -> None:
    text = '{"answerable": true, "language": "es", "claims": [], "missing": "\ud83d"}'
    assert read([text])[1] == "MalformedAnswer"


def test_a_complete_claim_is_not_lost_to_an_error_behind_it() -> None:
    reader = AnswerReader()
    events = reader.feed('{"answerable": true, "language": "es", "claims": [' + CLAIM + ", oops")
    assert [type(event) for event in events] == [AnswerableRead, LanguageRead, ClaimRead]
    with pytest.raises(MalformedAnswer, match="Ask again"):
        reader.feed("]")
    with pytest.raises(MalformedAnswer):
        reader.close()


@pytest.mark.parametrize("writing", WRITINGS)
def test_an_answer_without_its_end_is_cut_short_and_keeps_the_claims_it_has(writing: str) -> None:
    text = WRITINGS[writing]
    whole = expected(SAMPLE)
    for cut in range(len(text)):
        events, error = read([text[:cut]])
        assert error == "CutShort"
        assert events == whole[: len(events)]


def test_an_answer_cut_short_may_be_asked_for_again() -> None:
    with pytest.raises(CutShort, match="ask again") as caught:
        AnswerReader().close()
    assert caught.value.retryable


def test_reading_letter_by_letter_takes_time_in_proportion_to_the_length() -> None:
    claims = [SAMPLE["claims"][1]] * 400
    long_quote = {**SAMPLE["claims"][0], "text": 'é\\"' * 20_000}
    text = json.dumps({**SAMPLE, "claims": [*claims, long_quote]}, ensure_ascii=False)
    assert len(text) > 250_000
    began = time.perf_counter()
    events, error = read(text)
    assert (len(events), error) == (404, None)
    assert time.perf_counter() - began < 5.0  # quadratic reading would take minutes


def test_the_published_schema_is_one_that_structured_output_takes() -> None:
    schema = answer_schema()
    check_schema(schema)
    assert schema["required"] == ["answerable", "language", "claims", "missing"]
    assert schema["properties"] is not None
    assert "title" not in json.dumps(schema)
    assert json.dumps(schema) == json.dumps(answer_schema())


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
CITATIONS = st.lists(st.fixed_dictionaries({"passage": TEXTS, "quote": TEXTS}), max_size=3)
INPUTS = st.lists(
    st.fixed_dictionaries({"name": TEXTS, "value": TEXTS, "unit": TEXTS, "citation": st.integers(0, 5)}), max_size=2
)
CALCULATIONS = st.fixed_dictionaries({"inputs": INPUTS, "expression": TEXTS, "result": TEXTS, "unit": TEXTS})
CLAIMS = st.fixed_dictionaries(
    {
        "text": TEXTS,
        "kind": st.sampled_from(["quote", "synthesis", "calculation"]),
        "citations": CITATIONS,
        "calculation": st.none() | CALCULATIONS,
    }
)
ANSWERS = st.fixed_dictionaries(
    {"answerable": st.booleans(), "language": TEXTS, "claims": st.lists(CLAIMS, max_size=4), "missing": TEXTS}
)


@given(ANSWERS, st.booleans(), st.sampled_from([None, 0, 2]), st.lists(st.integers(0, 2000), max_size=12))
@settings(deadline=None, max_examples=150)
def test_any_answer_cut_anywhere_reads_as_a_whole(
    answer: dict[str, Any], ascii_only: bool, indent: int | None, cuts: list[int]
) -> None:
    in_order = {name: answer[name] for name in SAMPLE}  # Hypothesis shuffles the members
    text = json.dumps(in_order, ensure_ascii=ascii_only, indent=indent)
    edges = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    pieces = [text[start:end] for start, end in itertools.pairwise(edges)]
    assert read(pieces) == (expected(answer), None)
    assert read(text) == (expected(answer), None)


@given(st.text('{}[]",:\\truefalsn10 answerblgui', max_size=60), st.integers(0, 60))
@settings(deadline=None, max_examples=300)
def test_no_text_makes_the_reader_fail_in_another_way(text: str, cut: int) -> None:
    whole = read([text])
    assert read([text[:cut], text[cut:]]) == whole
    assert whole[1] in ("MalformedAnswer", "CutShort")
