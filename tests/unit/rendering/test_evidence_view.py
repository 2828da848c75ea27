"""The evidence as a modal, and the question why an answer did not help."""

from __future__ import annotations

import dataclasses
import datetime as dt
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.rendering import Message, limits
from bot.rendering.answer_buttons import Meant
from bot.rendering.blocks import View
from bot.rendering.evidence_view import (
    NEXT_ACTION,
    PREVIOUS_ACTION,
    QUOTES_A_PAGE,
    Opened,
    render_evidence,
)
from bot.rendering.feedback_view import NOTE_INPUT, REASON_INPUT, Rated, render_feedback_form
from bot.standin.model import View as ShownView
from bot.standin.rendering import view_text
from bot.words import Words
from core.domain.document import DocumentStatus, Metadata
from core.domain.evidence import ClaimKind, ClaimStatus, Reason, ReasonCode
from core.evidence.opening import CurrentVersion, OpenedClaim, OpenedEvidence, OpenedQuote, ShownQuote
from core.evidence.proof import Standing
from core.evidence.surroundings import AROUND, Paragraph
from core.store.feedback import LONGEST_NOTE, Complaint
from tests.pictures.evidence_samples import (
    OPENED,
    RATED,
    changed_en,
    changed_es,
    evidence_of,
    forbidden,
    long,
    partial,
    table,
)
from tests.pictures.samples import ANSWER_EN, ANSWER_ES, HOSTS, NOW, cite
from tests.unit.rendering.slack_checks import check_view, elements, said, urls

ES, EN = Words("es"), Words("en")


def drawn(evidence: OpenedEvidence, words: Words = ES, page: int = 1) -> View:
    view = render_evidence(evidence, OPENED, words, HOSTS, NOW.date(), page)
    check_view(view)
    return view


def text(evidence: OpenedEvidence, words: Words = ES, page: int = 1) -> str:
    return view_text(ShownView("V1", "U1", drawn(evidence, words, page), "", "V1"))


def shown(view: View) -> Message:
    return Message("", tuple(view["blocks"]))


def test_a_quote_is_bold_within_its_paragraph() -> None:
    bold = [e["text"] for e in elements(shown(drawn(evidence_of(ANSWER_ES)))) if e.get("style") == {"bold": True}]
    assert "Toda persona con jornada completa dispone de 23 días laborables de vacaciones por año natural." in bold
    assert "El año de vacaciones coincide con el año natural. Toda persona" in said(
        shown(drawn(evidence_of(ANSWER_ES)))
    )


def test_the_version_its_dates_and_its_owner_are_said() -> None:
    details = "versión 3 · cambiado el 12 mar 2026 · leído el 2 nov 2026 · responsable: Equipo de Personas"
    assert details in text(evidence_of(ANSWER_ES))


def test_how_long_a_version_holds_is_said() -> None:
    assert "vigente hasta el 31 dic 2023" in text(partial())


def test_the_numbers_are_those_of_the_message_and_link_to_the_sentence() -> None:
    assert "[3] Convenio colectivo 2026 › Capítulo IV" in text(evidence_of(ANSWER_ES))
    assert any("#:~:text=Toda%20persona" in url for url in urls(shown(drawn(evidence_of(ANSWER_ES)))))


def test_what_the_verifier_found_is_said_of_each_claim() -> None:
    found = text(evidence_of(ANSWER_ES))
    assert ES.verified_claim() in found
    assert ES.verified_calculation() in found
    assert ES.verified_own_words() in found


def test_a_claim_in_the_documents_own_words_is_not_written_twice() -> None:
    own = ANSWER_ES.claims[1].text
    assert text(evidence_of(ANSWER_ES)).count(own) == 1


def test_a_claim_that_only_resembles_its_quote_is_not_called_the_documents_own_words() -> None:
    evidence = evidence_of(ANSWER_ES)
    only = dataclasses.replace(evidence, claims=evidence.claims[:1])
    assert ES.verified_own_words() not in text(only)


def test_why_a_claim_holds_in_part_is_said_reason_by_reason() -> None:
    found = text(partial())
    assert "Vale en parte. La fuente añade: «hasta el 31 de marzo" in found
    assert ES.reason("contradicted") in found
    assert "30 de abril" not in found, "what is meant for the log is not shown"


@pytest.mark.parametrize("words", [ES, EN])
def test_every_reason_of_the_verifier_has_words(words: Words) -> None:
    assert all(words.reason(code.value) for code in ReasonCode)


def test_a_quote_that_a_later_claim_uses_too_is_shown_once() -> None:
    found = text(evidence_of(ANSWER_ES))
    assert found.count("El año de vacaciones coincide") == 1
    assert "[1]: más arriba o en una página anterior." in found


def test_what_became_of_each_quote_is_said() -> None:
    found = text(changed_es())
    assert "El documento ha cambiado desde entonces. La versión 4, del 18 nov 2026, dice ahora:" in found
    assert "dispone de 24 días laborables" in found
    assert "La versión 4, vigente ahora, lo dice en otro lugar." in found
    assert "Ahora no rige: versión anterior, ya sustituida." in found


def test_a_document_that_says_nothing_like_it_any_more_is_said_to() -> None:
    found = text(changed_en(), EN)
    assert "Version 6 of Nov 18, 2026 says nothing like it any more." in found
    assert "It does not hold now: draft." in found


def test_a_document_that_may_not_be_opened_has_no_title_and_its_claims_no_text() -> None:
    found = text(forbidden(ANSWER_EN), EN)
    assert "[1] A document that you can no longer open." in found
    assert "[3] A document that is no longer at its source; its quote is not shown." in found
    assert "140" not in found
    assert "Getting there" not in found
    assert ANSWER_EN.claims[1].text in found, "what may be seen still is"


def test_a_citation_that_does_not_fit_its_version_is_said_not_to() -> None:
    evidence = evidence_of(ANSWER_EN, q1=OpenedQuote(1, Standing.CHANGED, is_altered=True))
    assert EN.evidence_altered() in text(evidence, EN)


def test_where_extracts_are_not_allowed_the_place_is_shown_and_no_word_of_it() -> None:
    quote = evidence_of(ANSWER_EN).quotes[0].shown
    assert quote is not None
    now = CurrentVersion(6, quote.metadata, NOW)
    withheld = dataclasses.replace(quote, paragraph=None, current=now)
    evidence = evidence_of(ANSWER_EN, q1=OpenedQuote(1, Standing.CHANGED, withheld))
    found = text(evidence, EN)
    assert EN.extract_withheld() in found
    assert "does not say this any more." in found
    assert "Book hotels" not in found
    assert not any("Book" in url for url in urls(shown(drawn(evidence, EN))))


def test_rows_of_one_table_stand_below_one_source_with_their_header() -> None:
    found = text(table())
    assert found.count("Dietas y kilometraje") == 1
    assert found.count("Destino | Dieta completa") == 1
    assert found.count("Es la versión vigente.") == 1


def actions(view: View) -> list[tuple[str, str]]:
    found = elements(shown(view))
    return [(e["action_id"], e["value"]) for e in found if e.get("type") == "button"]


def test_pages_are_turned_by_buttons_that_name_the_page() -> None:
    assert actions(drawn(long(), page=1)) == [(NEXT_ACTION, "2")]
    assert actions(drawn(long(), page=2)) == [(PREVIOUS_ACTION, "1"), (NEXT_ACTION, "3")]
    assert actions(drawn(long(), page=3)) == [(PREVIOUS_ACTION, "2")]
    assert "Página 2 de 3" in text(long(), page=2)


@pytest.mark.parametrize("page", [-5, 0, 4, 999])
def test_a_page_that_is_not_there_becomes_the_nearest(page: int) -> None:
    assert drawn(long(), page=page) == drawn(long(), page=1 if page < 1 else 3)


def test_every_quote_stands_on_exactly_one_page() -> None:
    pages = [text(long(), page=page) for page in (1, 2, 3)]
    for n in range(3, 14):
        assert sum(f"El aviso es de {n} días." in page for page in pages) == 1


def test_one_page_needs_no_buttons() -> None:
    assert actions(drawn(evidence_of(ANSWER_ES))) == []


nasty = (
    st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=600)
    | st.text(alphabet=st.sampled_from("<>&*_~`@!|\n .:/é😀\u202e"), max_size=3_000)
    | st.integers(min_value=1, max_value=4_000).map("&".__mul__)
)
dates = st.none() | st.dates(dt.date(2000, 1, 1), dt.date(2100, 1, 1))
metadata = st.builds(
    Metadata,
    title=nasty,
    owner=nasty,
    modified_at=st.none() | st.just(NOW),
    valid_from=dates,
    valid_until=dates,
    status=st.sampled_from(DocumentStatus),
    superseded_by=nasty,
)
quotes_shown = st.builds(
    ShownQuote,
    st.builds(
        lambda quote, title, section, uri: cite(quote, title=title, section=tuple(section), uri=uri),
        nasty.filter(bool),
        nasty,
        st.lists(nasty, max_size=2),
        st.just("") | st.integers(1, 2_000).map(lambda size: "https://wiki.faroazul.example/?" + "&a" * size),
    ),
    metadata,
    st.just(NOW),
    st.none() | st.builds(Paragraph, nasty.map(lambda t: t[:AROUND]), nasty, nasty.map(lambda t: t[:AROUND]), nasty),
    st.none() | st.builds(CurrentVersion, st.integers(1, 9), metadata, st.just(NOW), nasty),
)


@st.composite
def evidences(draw: st.DrawFn) -> OpenedEvidence:
    count = draw(st.integers(1, 6))
    quotes = tuple(
        OpenedQuote(n, draw(st.sampled_from(Standing)), draw(st.none() | quotes_shown)) for n in range(1, count + 1)
    )
    numbers = st.lists(st.integers(1, count), min_size=1, unique=True).map(lambda found: tuple(sorted(found)))
    reasons = st.lists(st.builds(Reason, st.sampled_from(ReasonCode), nasty), max_size=3).map(tuple)
    claims = st.builds(OpenedClaim, nasty, st.sampled_from(ClaimKind), st.sampled_from(ClaimStatus), reasons, numbers)
    return OpenedEvidence("a" * 32, tuple(draw(st.lists(claims, min_size=1, max_size=5))), quotes)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(evidences(), st.sampled_from([ES, EN]), st.integers(-1, 9))
def test_whatever_the_evidence_holds_slack_takes_every_page(evidence: OpenedEvidence, words: Words, page: int) -> None:
    view = drawn(evidence, words, page)
    assert len(view["blocks"]) <= limits.MODAL_BLOCKS
    assert sum(block["type"] == "divider" for block in view["blocks"]) <= QUOTES_A_PAGE + 5


@pytest.mark.parametrize("marks", [0, 1, 50, 5_000])
def test_what_a_modal_carries_is_read_back_and_fits(marks: int) -> None:
    opened = Opened(Meant("a" * 32, tuple(f"{n:08x}" for n in range(marks))), "C1", "U1")
    written = opened.to_metadata()
    assert len(written) <= limits.MODAL_METADATA
    read = Opened.parse(written)
    assert read is not None
    assert (read.meant.run_id, read.place, read.user_id) == ("a" * 32, "C1", "U1")
    assert read.meant.marks == (opened.meant.marks if marks <= 50 else ())


@pytest.mark.parametrize(
    "metadata",
    [
        "",
        "x",
        "[]",
        "{}",
        json.dumps({"run": "a" * 31, "marks": [], "place": "", "user": "U1"}),
        json.dumps({"run": "a" * 32, "marks": ["zz"], "place": "", "user": "U1"}),
        json.dumps({"run": "a" * 32, "marks": [], "place": "x" * 65, "user": "U1"}),
        json.dumps({"run": "a" * 32, "marks": [], "place": "", "user": "U1", "page": 2}),
    ],
)
def test_what_we_did_not_write_into_a_modal_is_nothing(metadata: str) -> None:
    assert Opened.parse(metadata) is None
    assert Rated.parse(metadata) is None


@pytest.mark.parametrize("words", [ES, EN])
def test_the_question_why_offers_every_reason_and_room_for_words(words: Words) -> None:
    view = render_feedback_form(RATED, 30, words)
    check_view(view)
    inputs = {block["element"]["action_id"]: block for block in view["blocks"] if block["type"] == "input"}
    options = inputs[REASON_INPUT]["element"]["options"]
    assert [option["value"] for option in options] == [complaint.value for complaint in Complaint]
    assert inputs[NOTE_INPUT]["element"]["max_length"] == LONGEST_NOTE
    assert "30" in inputs[NOTE_INPUT]["hint"]["text"]
    assert all(block["optional"] for block in inputs.values())
    assert Rated.parse(view["private_metadata"]) == RATED
