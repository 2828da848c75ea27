"""What is told in a random story: citations, private additions, and evidence opened, shared or reviewed later."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from core.domain.access import AudienceKind, Reader
from core.domain.events import ClaimVerified, Finished
from core.domain.evidence import Answer, Citation, Claim, ClaimKind, ClaimStatus, Evidence, text_hash
from core.domain.question import Question
from core.evidence.numbering import quote_numbers, slice_of
from core.evidence.opening import OpenedEvidence
from core.evidence.proof import Standing
from core.store.runs import RunRecord
from tests.property.access_model import BY_NAME, PAPERS, PLACE, TENANT, Paper, Story, World, address
from tests.property.access_worlds import Company, Difference, compare_search

QUESTION = "What do the shared words say about holidays?"
OLD_RUN = "old"


@dataclass(frozen=True, slots=True)
class Told:
    """A run whose evidence can be opened later."""

    run_id: str
    claims: tuple[Claim, ...]
    is_private: bool


def compare(company: Company, story: Story) -> Difference:
    """Search, answer, add, open, share and review as the program does, and compare each with the model."""
    difference = Difference(set(), set())
    company.forget()
    company.enter(story.asked)
    compare_search(company, story.asked, difference)
    told = company.loop.run(_answered(company, story, difference))
    told.append(_old_answer(company, story.asked))
    company.enter(story.later)
    for run in told:
        _compare_evidence(company, story, run, difference)
    _compare_reviews(company, story, told, difference)
    return difference


async def _answered(company: Company, story: Story, difference: Difference) -> list[Told]:
    """Answer where it was asked, while the world changes; then look for what the asker alone may know."""
    asked, meanwhile = story.asked, story.meanwhile
    question = Question(QUESTION, asked.reader(asked.asker), asked.audience(), place=PLACE)

    def before(drafted: int) -> None:
        if drafted == story.drafts:
            company.enter(meanwhile)

    company.generator.before = before
    emitted: list[Claim] = []
    answer: Answer | None = None
    async for event in company.pipeline.ask(question):
        match event:
            case ClaimVerified():
                emitted.append(event.claim)
            case Finished():
                answer = event.answer
    assert answer is not None
    company.generator.before = lambda _: None
    difference.same("shown while answering", _cited(emitted), story.emitted())
    difference.same("cited", _cited(answer.claims), story.answered())
    if answer.abstention is not None and (near := {d.document_id for d in answer.abstention.near}):
        difference.same("suggested", near, near & story.answered())
    told = [Told(answer.run_id, answer.claims, question.audience.kind is AudienceKind.PERSON)]

    company.enter(meanwhile)
    company.generator.unsaid = story.unsaid
    addition = await company.additions.find(question, QUESTION, answer)
    company.generator.unsaid = set()
    expected = meanwhile.added_for_the_asker(_cited(answer.claims) | story.unsaid)
    difference.same("added", _cited(addition.answer.claims) if addition else set(), expected)
    if addition is not None:
        alone = meanwhile.for_the_asker()
        difference.same("read for the addition", {p.document_id for p in addition.passages}, alone)
        difference.same("told to the asker", _cited(addition.whole_answer.claims), alone - story.unsaid)
        told.append(Told(addition.whole_answer.run_id, addition.whole_answer.claims, is_private=True))
    return told


def _old_answer(company: Company, asked: World) -> Told:
    """An answer of a time when everybody could read everything: it cites the first version of every document."""
    cited = [_citation(company, paper) for paper in PAPERS]
    claims = [_claim((citation,)) for citation in cited]
    claims += [_claim((one, other)) for one, other in zip(cited[::3], cited[1::3], strict=True)]
    is_private = asked.channel == "person"
    record = RunRecord(OLD_RUN, TENANT, address(asked.asker), PLACE, 0.0, 0.0, {}, is_private)
    answer = Answer(OLD_RUN, QUESTION, "en", tuple(claims), None, 1.0, "quotes", 1)
    company.runs.save(record, answer, Evidence(OLD_RUN, TENANT, 1, dt.datetime(2026, 3, 2, tzinfo=dt.UTC), ()))
    return Told(OLD_RUN, tuple(claims), is_private)


def _compare_evidence(company: Company, story: Story, run: Told, difference: Difference) -> None:
    """Open and share a run: as the asker, as somebody else, in other places, and as strangers."""
    later, asker = story.later, story.asked.asker
    for person, place in ((story.other, PLACE), (asker, PLACE), (asker, ""), (story.other, ""), (asker, "C2")):
        own = person == asker and place in {PLACE, ""}
        may_open = bool(run.claims) and (own or (place == PLACE and not run.is_private))
        opened = company.desk.opened(run.run_id, place, later.reader(person))
        what = f"{run.run_id[:3]} opened by {person} in {place or 'private'}"
        _compare_view(what, opened, may_open, run, person, later, difference)
    for person in (story.other, asker):
        shared = company.desk.shareable(run.run_id, PLACE, later.reader(person), later.audience())
        may_share = person == asker and not later.shows_nothing
        expected = {claim.text for claim in run.claims if may_share and _all_may_be_told(claim, later)}
        difference.same("shared", {claim.text for claim in shared.claims} if shared else set(), expected)
    for stranger in (Reader.nobody(TENANT), Reader("other", later.reader(asker).principals, address(asker))):
        place = PLACE if stranger.tenant_id != TENANT or run.is_private else "C2"
        if company.desk.opened(run.run_id, place, stranger) is not None:
            difference.leaks.add("opened by a stranger")


def _compare_view(
    what: str,
    opened: OpenedEvidence | None,
    may_open: bool,
    run: Told,
    person: str,
    later: World,
    difference: Difference,
) -> None:
    """One reader's view: what is shown, what has its words, and that nothing of the rest can be told from it."""
    if opened is None or not may_open:
        difference.same(what, {"anything"} if opened is not None else set(), {"anything"} if may_open else set())
        return
    cited = {c.document_id: c.document_version for claim in run.claims for c in claim.citations}
    allowed = {name for name, version in cited.items() if later.allowed(BY_NAME[name], version, [person])}
    shown = {name for name in allowed if not BY_NAME[name].is_removed}
    difference.same(what, {q.shown.citation.document_id for q in opened.quotes if q.shown}, shown)
    difference.same(f"{what}, claims", _worded(opened), {c.text for c in run.claims if _cited([c]) <= shown})
    everything = repr(opened)
    difference.same(f"{what}, named", {name for name in cited if name in everything}, shown)
    numbers = quote_numbers(run.claims)
    names = {numbers[slice_of(c)]: c.document_id for claim in run.claims for c in claim.citations}
    forbidden = {names[quote.number] for quote in opened.quotes if quote.standing is Standing.FORBIDDEN}
    difference.same(f"{what}, minimal", cited.keys() - forbidden, allowed)


def _compare_reviews(company: Company, story: Story, told: list[Told], difference: Difference) -> None:
    """The answers that an admin is given to review: public ones of which they may read everything."""
    expected = {
        run.run_id
        for run in told
        if run.claims
        and not run.is_private
        and all(
            story.later.allowed(BY_NAME[c.document_id], c.document_version, [story.other])
            and not BY_NAME[c.document_id].is_removed
            for claim in run.claims
            for c in claim.citations
        )
    }
    sample = company.reviews.sample(story.later.reader(story.other), len(told))
    difference.same("reviewed", {review.run_id for review in sample}, expected)


def _all_may_be_told(claim: Claim, later: World) -> bool:
    """Whether everybody where it was asked may read every quote of a claim, and it is still said."""
    return all(
        later.allowed(paper, citation.document_version, later.readers())
        and not paper.is_removed
        and not (paper.is_reworded and citation.document_version < paper.versions)
        for citation in claim.citations
        for paper in [BY_NAME[citation.document_id]]
    )


def _worded(opened: OpenedEvidence) -> set[str]:
    return {claim.text for claim in opened.claims if claim.text}


def _cited(claims: list[Claim] | tuple[Claim, ...]) -> set[str]:
    return {citation.document_id for claim in claims for citation in claim.citations}


def _claim(citations: tuple[Citation, ...]) -> Claim:
    text = " ".join(citation.quote for citation in citations)
    return Claim(text, ClaimKind.SYNTHESIS, ClaimStatus.SUPPORTED, citations)


def _citation(company: Company, paper: Paper) -> Citation:
    """A true citation of all that a document's first version said."""
    version = company.versions[paper.name, 1]
    return Citation(
        citation_id=paper.name,
        tenant_id=TENANT,
        document_id=paper.name,
        document_version=1,
        chunk_id=version.chunk_ids[0],
        source_uri=version.metadata.uri,
        title=version.metadata.title,
        section_path=(),
        page=None,
        start_offset=0,
        end_offset=len(version.text),
        quote=version.text,
        text_hash=text_hash(version.text),
        retrieved_at=dt.datetime(2026, 3, 2, tzinfo=dt.UTC),
        visibility=version.rule_id,
        index_version=1,
        run_id=OLD_RUN,
    )
