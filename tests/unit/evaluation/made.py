"""Outcomes and reports that tests write by hand."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any

from core.domain.document import DocumentStatus
from core.domain.evidence import Citation, Passage, Scores, text_hash
from core.evaluation.measured import measure
from core.evaluation.outcome import Context, FactFound, Outcome, SaidCitation, SaidClaim, Stage
from core.evaluation.questions import SetQuestion
from core.evaluation.report import Report, Setting

NOW = dt.datetime(2026, 11, 29, 12, 0, tzinfo=dt.UTC)


def passage(document_id: str, text: str, *, start: int = 0, number: int = 1, **more: Any) -> Passage:
    return Passage(
        chunk_id=f"{document_id}#s{number}-p1",
        tenant_id="t",
        document_id=document_id,
        document_version=1,
        rule_id=1,
        source="wiki",
        uri="",
        title=document_id.title(),
        section_path=more.pop("section_path", ()),
        page=None,
        language="en",
        start=start,
        end=start + len(text),
        text=text,
        context="",
        sentences=((start, start + len(text)),),
        header=None,
        modified_at=None,
        valid_from=None,
        valid_until=None,
        status=DocumentStatus.IN_FORCE,
        owner="",
        show_quotes=True,
        content_hash=text_hash(text),
        scores=more.pop("scores", Scores()),
        **more,
    )


def citation(source: Passage, quote: str, section_path: tuple[str, ...] = ()) -> Citation:
    start = source.start + source.text.index(quote)
    return Citation(
        citation_id=f"{source.chunk_id}:{start}",
        tenant_id="t",
        document_id=source.document_id,
        document_version=source.document_version,
        chunk_id=source.chunk_id,
        source_uri="",
        title=source.title,
        section_path=section_path,
        page=None,
        start_offset=start,
        end_offset=start + len(quote),
        quote=quote,
        text_hash=text_hash(quote),
        retrieved_at=NOW,
        visibility=1,
        index_version=1,
        run_id="run",
    )


def question(name: str = "a", *, facts: int = 1, **more: Any) -> SetQuestion:
    expected = [{"document": "wiki/1", "quote": f"fact {n}"} for n in range(facts)]
    given = {"id": name, "question": f"Question {name}?", "language": "en", "expected": expected, **more}
    if more.get("unanswerable"):
        given["expected"] = []
    return SetQuestion.model_validate(given)


def found(rank: int | None = 1, *, read: bool = True, quoted: bool = True, cited: bool = True) -> FactFound:
    ranks: Mapping[Stage, int] = dict.fromkeys(Stage, rank) if rank is not None else {}
    return FactFound(ranks, read, quoted, cited)


def outcome(
    asked: SetQuestion | None = None,
    facts: Sequence[FactFound] = (),
    *,
    answered: bool = True,
    confidence: float = 0.9,
    text: str = "fact 0",
    **more: Any,
) -> Outcome:
    asked = asked or question()
    cited = SaidCitation("Title", "Section", text, expected_place=True)
    claims = (SaidClaim(text, (cited,), holds_fact=any(f.quoted for f in facts)),) if answered else ()
    given: dict[str, Any] = {
        "question": asked,
        "answered": answered,
        "confidence": confidence,
        "facts": tuple(facts),
        "claims": claims,
        "contexts": (Context("doc#s1-p1", "Title", text),),
        "forbidden": (),
        "timings": {"embed": 10.0, "whole answer": 50.0},
        "searched": asked.question,
        "refusal": "" if answered else "low_confidence",
    }
    return Outcome(**{**given, **more})


def report(outcomes: Sequence[Outcome]) -> Report:
    setting = Setting("set.jsonl", NOW, "extractive", "model", "balanced", 7)
    return Report(setting, tuple(outcomes), measure(outcomes))
