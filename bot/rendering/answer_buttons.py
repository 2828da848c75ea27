"""What can be pressed below an answer: its evidence, and whether it helped."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot.rendering import blocks, limits
from bot.rendering.blocks import Block
from bot.words import Words
from core.domain.evidence import Claim
from core.evidence.numbering import claim_mark
from core.store.feedback import Verdict

EVIDENCE_ACTION = "show_evidence"
FEEDBACK_ACTION = "rate_answer"
ASK_PERSON_ACTION = "ask_person"

_RUN = re.compile(r"[0-9a-f]{32}")
_MARKS = re.compile(r"[0-9a-f]{8}(?:,[0-9a-f]{8})*")


@dataclass(frozen=True, slots=True)
class Meant:
    """What a button is about: a run, and the claims of it that its message shows (none: all of them)."""

    run_id: str
    marks: tuple[str, ...] = ()

    def to_value(self) -> str:
        """As a button carries it. Marks that it has no room for are left out: then all claims are meant."""
        value = f"{self.run_id}:{','.join(self.marks)}"
        return value if len(value) <= limits.BUTTON_VALUE else f"{self.run_id}:"

    @classmethod
    def parse(cls, value: str) -> Meant | None:
        """Read what comes with a button; None when it is nothing that `to_value` wrote."""
        run_id, colon, marks = value.partition(":")
        if not _RUN.fullmatch(run_id) or not colon or (marks and not _MARKS.fullmatch(marks)):
            return None
        return cls(run_id, tuple(marks.split(",")) if marks else ())


def answer_buttons(run_id: str, claims: Sequence[Claim], words: Words, *, people: bool = False) -> list[Block]:
    """The blocks below an answer, or below an abstention (no claims, and so no evidence).

    `people` says that there is somebody whom an abstention's question can be handed to.
    """
    drawn = []
    if people and not claims:
        drawn.append(blocks.button(words.ask_person_button(), ASK_PERSON_ACTION, run_id))
    if claims:
        meant = Meant(run_id, tuple(dict.fromkeys(map(claim_mark, claims))))
        drawn.append(blocks.button(words.evidence_button(), EVIDENCE_ACTION, meant.to_value()))
    good = (words.feedback_good(), words.feedback_good_label(), verdict_value(Verdict.GOOD, run_id))
    bad = (words.feedback_bad(), words.feedback_bad_label(), verdict_value(Verdict.BAD, run_id))
    return [*drawn, blocks.feedback(FEEDBACK_ACTION, good, bad)]


def parse_run(value: str) -> str:
    """The run that a button carries; empty when it is none."""
    return value if _RUN.fullmatch(value) else ""


def verdict_value(verdict: Verdict, run_id: str) -> str:
    """What a thumb carries."""
    return f"{verdict.value}:{run_id}"


def parse_verdict(value: str) -> tuple[Verdict, str] | None:
    """The verdict and the run that a thumb carries; None when it is nothing that `verdict_value` wrote."""
    verdict, _, run_id = value.partition(":")
    if verdict not in {Verdict.GOOD, Verdict.BAD} or not _RUN.fullmatch(run_id):
        return None
    return Verdict(verdict), run_id
