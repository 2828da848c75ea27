"""Claude as a judge of faithfulness, over loopback."""

from __future__ import annotations

import json

import pytest

from bot.standin.claude import overloaded
from core.evaluation.faithfulness import ClaudeFaithfulness, rubric
from core.evaluation.outcome import SaidClaim, Verdict
from core.generation.errors import MalformedAnswer, Overloaded
from tests.unit.evaluation.made import found, outcome
from tests.unit.pipeline.claude import MODEL, line

TWO = outcome(facts=[found()], claims=(SaidClaim("One.", (), True), SaidClaim("Two.", (), False)))
BOTH = [{"verdict": "supported", "missing": ""}, {"verdict": "unsupported", "missing": "the date"}]


async def test_each_claim_gets_a_verdict_and_the_cost_is_known() -> None:
    async with line() as opened:
        opened.server.script({"verdicts": BOTH})
        judged = await ClaudeFaithfulness(opened.messages(), opened.clock).judge(TWO)
        (asked,) = opened.server.requests
    assert judged.verdicts == (Verdict("supported"), Verdict("unsupported", "the date"))
    assert judged.share == 0.5
    assert judged.use is not None
    assert judged.use.model == MODEL
    assert judged.use.output_tokens > 0
    assert asked.body["system"][0]["text"] == rubric()
    given = json.loads(asked.body["messages"][0]["content"][0]["text"])
    assert given == {"question": "Question a?", "passages": ["fact 0"], "claims": ["One.", "Two."]}


@pytest.mark.parametrize("said", [{"verdicts": BOTH[:1]}, {"verdicts": []}])
async def test_verdicts_that_are_not_one_for_each_claim_are_none(said: dict[str, object]) -> None:
    async with line() as opened:
        opened.server.script(said)
        with pytest.raises(MalformedAnswer):
            await ClaudeFaithfulness(opened.messages(), opened.clock).judge(TWO)


async def test_a_judge_that_cannot_be_reached_is_an_error_that_says_so() -> None:
    async with line() as opened:
        opened.server.script(overloaded())
        with pytest.raises(Overloaded):
            await ClaudeFaithfulness(opened.messages(), opened.clock).judge(TWO)
