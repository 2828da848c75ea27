from __future__ import annotations

import dataclasses
import datetime as dt
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.rendering import SHARE_ACTION, Message, SourceFacts, limits, render_answer, with_share_button
from bot.rendering.answer_buttons import EVIDENCE_ACTION, Meant, parse_verdict
from bot.words import Words
from core.domain.evidence import (
    Abstention,
    AbstentionReason,
    Answer,
    Claim,
    ClaimKind,
    ClaimStatus,
    Reason,
    ReasonCode,
)
from core.evidence.numbering import marked
from core.store.feedback import Verdict
from tests.pictures.samples import (
    ABSTENTION_ES,
    ANSWER_EN,
    ANSWER_ES,
    ANSWER_PARTIAL,
    ANSWER_ROW,
    ANSWER_TABLE,
    FACTS,
    HOSTS,
    NOW,
    answer_with,
    cite,
    claim_of,
)
from tests.unit.rendering.slack_checks import check, elements, said, texts, urls

ES, EN = Words("es"), Words("en")


def render(answer: Answer, words: Words = ES) -> tuple[Message, ...]:
    messages = render_answer(answer, words, HOSTS, NOW, FACTS)
    for message in messages:
        check(message)
    return messages


def only(answer: Answer, words: Words = ES) -> Message:
    (message,) = render(answer, words)
    return message


def test_each_claim_carries_the_numbers_of_its_quotes() -> None:
    shown = said(only(ANSWER_ES))
    assert "vacaciones por año natural. [1]" in shown
    assert "responsable.» [2]" in shown
    assert "son 25 días laborables. [1] [3]" in shown


def test_a_source_says_title_section_version_and_date() -> None:
    shown = said(only(ANSWER_EN, EN))
    assert "[1] [2] Travel policy › Hotels › Limits · version 5 · Sep 2, 2026" in shown
    assert "[3] Travel policy › Getting there · version 5 · Sep 2, 2026" in shown


def test_a_source_says_its_page() -> None:
    assert "Artículo 31. Vacaciones · página 42 · versión 1" in said(only(ANSWER_ES))


def test_the_title_is_not_repeated_as_its_first_section() -> None:
    message = only(answer_with(claim_of("Uno.", cite("Uno es uno.", title="Guía", section=("guía", "Fin")))))
    assert "Guía › Fin ·" in said(message)


def test_links_lead_to_the_quoted_words() -> None:
    assert any("#:~:text=Toda%20persona" in url for url in urls(only(ANSWER_ES)))


def test_a_source_on_no_declared_host_has_no_link() -> None:
    message = only(answer_with(claim_of("Uno.", cite("Uno es uno.", uri="https://evil.example/x"))))
    assert urls(message) == []
    assert "[1] Manual de vacaciones › Días por año" in said(message)


def test_below_a_source_stands_in_one_line_how_its_quote_begins() -> None:
    italics = [e["text"] for e in elements(only(ANSWER_ES)) if e.get("style") == {"italic": True}]
    assert "\n«Toda persona con jornada completa dispone de 23 días laborables de vacaciones…»" in italics


def test_a_claim_in_the_documents_own_words_is_quoted_and_not_repeated() -> None:
    message = only(answer_with(claim_of("Son 23 días.", cite("Son 23\ndías."))))
    assert said(message).count("Son 23 días.") == 1
    assert "«Son 23 días.»" in said(message)


def test_a_long_quote_is_cut_at_a_sentence() -> None:
    quote = "Esta frase se repite. " * 30
    shown = next(
        text for text in texts(only(answer_with(claim_of("Se repite.", cite(quote))))) if text.startswith("\n«")
    )
    assert shown.endswith("se repite. …»")
    assert len(shown.strip()) <= limits.QUOTE_HINT + 2


def test_the_rows_of_a_table_are_not_repeated_below_its_source() -> None:
    assert said(only(ANSWER_TABLE)).count("Portugal") == 1


def test_the_same_slice_has_one_number_in_all_claims() -> None:
    same = cite("Son 23 días.")
    assert "[2]" not in said(only(answer_with(claim_of("Uno.", same), claim_of("Dos.", same))))


def test_what_a_quote_proves_is_said_once_in_one_line() -> None:
    message = only(ANSWER_ES)
    assert said(message).count(ES.quote_meaning()) == 1
    assert "\n" not in ES.quote_meaning()


def test_a_partial_claim_shows_the_condition_it_left_out() -> None:
    assert "Vale en parte. La fuente añade: «hasta el 31 de marzo" in said(only(ANSWER_PARTIAL))


def test_a_partial_claim_without_a_known_condition_points_at_the_quote() -> None:
    claim = Claim(
        "Uno.", ClaimKind.QUOTE, ClaimStatus.PARTIAL, (cite("Uno es uno."),), (Reason(ReasonCode.NOT_ENTAILED),)
    )
    assert ES.partial() in said(only(answer_with(claim)))


def test_a_synthesis_is_marked_as_an_inference() -> None:
    assert "Inferred from [1] and [3]" in said(only(ANSWER_EN, EN))


def test_a_calculation_names_the_quotes_of_its_figures() -> None:
    assert "Calculado a partir de [1] y [3]." in said(only(ANSWER_ES))


def test_an_older_version_is_marked_where_it_is_cited() -> None:
    assert "versión 1 · 1 feb 2023 · versión anterior, ya sustituida · vigente hasta el 31 dic 2023" in said(
        only(ANSWER_PARTIAL)
    )


def test_a_draft_is_marked() -> None:
    draft = cite("Uno es uno.", document="nota-carlos", version=1)
    assert "borrador" in said(only(answer_with(claim_of("Uno.", draft))))


def test_low_confidence_is_said_before_the_claims() -> None:
    shown = said(only(ANSWER_PARTIAL))
    assert shown.startswith(ES.note("low_confidence"))


def test_the_fallback_to_the_documents_own_words_is_said() -> None:
    assert ES.note("fallback_extractive") in said(only(ANSWER_PARTIAL))


def test_sentences_that_were_left_out_are_counted() -> None:
    assert "One sentence was left out" in said(only(ANSWER_EN, EN))


def test_an_unknown_note_is_not_shown() -> None:
    check(only(answer_with(claim_of("Uno.", cite("Uno es uno.")), notes=("new_key",))))


def test_a_claim_that_failed_or_cites_nothing_is_never_shown() -> None:
    failed = Claim("Falsa.", ClaimKind.QUOTE, ClaimStatus.UNSUPPORTED, (cite("Uno es uno."),))
    uncited = Claim("Suelta.", ClaimKind.QUOTE, ClaimStatus.SUPPORTED, ())
    shown = said(only(answer_with(failed, uncited, claim_of("Buena.", cite("Uno es uno.")))))
    assert "Falsa" not in shown
    assert "Suelta" not in shown
    assert "Buena" in shown


def test_an_answer_without_a_claim_to_show_is_an_abstention() -> None:
    assert ES.not_found() in said(only(answer_with()))


def test_an_abstention_is_drawn_as_one() -> None:
    assert "«¿Hay vida en Marte?»" in said(only(answer_with(abstention=ABSTENTION_ES)))


def test_a_source_that_forbids_extracts_shows_a_reference_only() -> None:
    citation = cite("Son 23 días laborables.")
    answer = answer_with(claim_of("Son veintitrés.", citation))
    facts = {("manual-vacaciones", 3): SourceFacts(show_quotes=False)}
    (message,) = render_answer(answer, ES, HOSTS, NOW, facts)
    assert "Son 23" not in said(message)
    assert ES.extract_withheld() in said(message)
    assert all(":~:" not in url for url in urls(message))


def test_rows_of_a_table_become_a_table() -> None:
    table = only(ANSWER_TABLE).blocks[0]
    assert table["type"] == "table"
    assert len(table["rows"]) == 3


def test_a_read_row_is_a_sentence_with_the_header_and_the_row_as_its_quotes() -> None:
    shown = said(only(ANSWER_ROW))
    assert "Hotel: 120,00 € [1] [2]" in shown
    assert "«Portugal | 48,00 € | 24,00 € | 120,00 €»" in shown


def test_a_table_too_large_for_slack_becomes_text() -> None:
    rows = "\n".join(f"fila {number} | valor" for number in range(limits.TABLE_ROWS + 1))
    messages = render(answer_with(claim_of(rows, cite("fila 1 | valor"))))
    assert not any(block["type"] == "table" for message in messages for block in message.blocks)


def test_a_second_table_goes_into_a_second_message() -> None:
    messages = render(answer_with(*ANSWER_TABLE.claims, *ANSWER_TABLE.claims))
    assert len(messages) == 2


def test_the_notification_is_the_answer_in_plain_sentences_and_then_its_sources() -> None:
    text = only(ANSWER_ES).text
    assert text.startswith("Con jornada completa son 23 días laborables de vacaciones por año natural.\n")
    assert "• Manual de vacaciones › Días por año · versión 3 · 12 mar 2026" in text
    assert not re.search(r"natural\. \[1\]|^\[1\]", text, re.MULTILINE)


def test_the_notification_of_an_unsure_answer_begins_with_the_answer_and_says_that_it_is_unsure() -> None:
    text = only(ANSWER_PARTIAL).text
    assert text.startswith("Los días no disfrutados")
    assert ES.note("low_confidence") in text


def test_a_table_in_the_notification_reads_as_sentences() -> None:
    assert "Destino: Portugal · Dieta completa: 48,00 €" in only(ANSWER_TABLE).text
    assert " | " not in only(ANSWER_TABLE).text


def buttons(message: Message) -> list[str]:
    return [block["type"] for block in message.blocks if block["type"] in {"actions", "context_actions"}]


def test_below_an_answer_stand_its_evidence_and_the_thumbs() -> None:
    message = only(ANSWER_ES)
    assert [block["type"] for block in message.blocks][-2:] == ["actions", "context_actions"]
    (show,) = (e for e in elements(message) if e.get("action_id") == EVIDENCE_ACTION)
    meant = Meant.parse(show["value"])
    assert meant is not None
    assert (meant.run_id, marked(ANSWER_ES.claims, meant.marks)) == (ANSWER_ES.run_id, ANSWER_ES.claims)
    (thumbs,) = (e for e in elements(message) if e.get("type") == "feedback_buttons")
    assert parse_verdict(thumbs["negative_button"]["value"]) == (Verdict.BAD, ANSWER_ES.run_id)


def test_an_abstention_can_be_rated_and_has_no_evidence_to_show() -> None:
    assert buttons(only(answer_with(abstention=ABSTENTION_ES))) == ["context_actions"]


def test_the_buttons_can_be_left_out() -> None:
    for answer in (ANSWER_ES, answer_with(abstention=ABSTENTION_ES)):
        (message,) = render_answer(answer, ES, HOSTS, NOW, FACTS, buttons=False)
        assert buttons(message) == []


def test_only_the_last_message_of_a_long_answer_has_buttons() -> None:
    claims = [claim_of(f"Frase {n}. " + "Sigue. " * 300, cite(f"Cita {n}.", start=n * 99)) for n in range(12)]
    *before, last = render(answer_with(*claims))
    assert before
    assert all(buttons(message) == [] for message in before)
    assert buttons(last) == ["actions", "context_actions"]


def test_share_stands_beside_the_evidence_and_not_below_it() -> None:
    *_, last = with_share_button(render(ANSWER_ES), "run::", ES)
    check(last)
    assert buttons(last) == ["actions", "context_actions"]
    (row,) = (block for block in last.blocks if block["type"] == "actions")
    assert [element["action_id"] for element in row["elements"]] == [EVIDENCE_ACTION, SHARE_ACTION]


@pytest.mark.parametrize("count", [1, 100, 1_000])
def test_a_button_names_the_claims_that_it_has_room_for_or_means_all(count: int) -> None:
    value = Meant("a" * 32, tuple(f"{n:08x}" for n in range(count))).to_value()
    assert len(value) <= limits.BUTTON_VALUE
    meant = Meant.parse(value)
    assert meant is not None
    assert len(meant.marks) == (count if count <= 100 else 0)


def paragraphs(length: int) -> str:
    paragraph = "Este párrafo dice algo que consta en el documento y se lee de un tirón. " * 6
    text = ""
    while len(text) < length:
        text += paragraph.strip() + "\n\n"
    return text[:length]


@pytest.mark.parametrize("length", [3_001, 9_000, 13_500, 40_000])
def test_d6_a_long_answer_is_delivered_whole_and_split_at_paragraphs(length: int) -> None:
    text = paragraphs(length)
    messages = render(answer_with(claim_of(text, cite("Uno es uno."))))
    shown = "".join(said(message) for message in messages)
    for paragraph in filter(None, text.split("\n\n")):
        assert paragraph.strip() in shown


def test_d6_every_message_of_a_long_answer_carries_the_sources_it_cites() -> None:
    claims = [
        claim_of(
            f"Frase {n}. " + "Sigue y sigue. " * 100, cite(f"Cita número {n}.", start=n * 100, section=(f"Parte {n}",))
        )
        for n in range(1, 15)
    ]
    messages = render(answer_with(*claims))
    assert len(messages) > 1
    for message in messages:
        cited = {n for n in range(1, 15) if f"Frase {n}. " in said(message)}
        assert cited
        for n in range(1, 15):
            assert (f"Parte {n} ·" in said(message)) == (n in cited)
    assert ES.part(1, len(messages)) in said(messages[0])
    assert sum(said(message).count(ES.quote_meaning()) for message in messages) == 1


def test_d7_more_blocks_than_a_message_holds_are_split_before_sending() -> None:
    claims = [
        claim_of(f"Frase {n}.", cite(f"Cita {n} del documento.", start=n * 50, section=(f"S{n}",))) for n in range(90)
    ]
    messages = render(answer_with(*claims))
    assert len(messages) > 1
    assert all(f"Frase {n}." in "".join(said(m) for m in messages) for n in range(90))


nasty = (
    st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=700)
    | st.text(alphabet=st.sampled_from("<>&*_~`@!|\n .:/é😀\u202e"), max_size=4000)
    | st.integers(min_value=1, max_value=4_000).map("&".__mul__)
)
citations = st.builds(
    lambda quote, title, section, start, page, uri: cite(
        quote, title=title, section=tuple(section), start=start, page=page, uri=uri
    ),
    nasty.filter(bool),
    nasty,
    st.lists(nasty, max_size=3),
    st.integers(min_value=0, max_value=20),
    st.none() | st.integers(min_value=1, max_value=3),
    st.just("https://wiki.faroazul.example/")
    | st.builds("https://wiki.faroazul.example/{}".format, nasty)
    | st.integers(min_value=1, max_value=1_500).map(lambda size: "https://wiki.faroazul.example/?" + "&a" * size),
)
claims_ = st.builds(
    Claim,
    nasty,
    st.sampled_from(ClaimKind),
    st.sampled_from(ClaimStatus),
    st.lists(citations, max_size=8).map(tuple),
    st.lists(st.builds(Reason, st.sampled_from(ReasonCode), nasty), max_size=2).map(tuple),
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(st.lists(claims_, max_size=12), st.sampled_from(["es", "en"]), st.integers(min_value=0, max_value=3))
def test_whatever_an_answer_holds_slack_takes_every_message(claims: list[Claim], language: str, dropped: int) -> None:
    render(answer_with(*claims, dropped=dropped), Words(language))


@settings(max_examples=15, deadline=None)
@given(st.lists(st.integers(min_value=1, max_value=1400), min_size=1, max_size=40))
def test_no_word_of_any_claim_is_lost_by_splitting(sizes: list[int]) -> None:
    claims = [
        claim_of(" ".join(f"w{number}x{i}" for i in range(size)), cite(f"Cita {number}.", start=number))
        for number, size in enumerate(sizes)
    ]
    shown = " ".join(said(message) for message in render(answer_with(*claims)))
    words = set(re.findall(r"w\d+x\d+", shown))
    assert all({f"w{number}x{i}" for i in range(size)} <= words for number, size in enumerate(sizes))


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(AbstentionReason), nasty, st.lists(nasty, max_size=3))
def test_whatever_an_abstention_holds_slack_takes_it(
    reason: AbstentionReason, searched: str, sources: list[str]
) -> None:
    render(answer_with(abstention=Abstention(reason, searched, tuple(sources), ABSTENTION_ES.near)))


def test_a_citation_valid_from_the_future_says_so() -> None:
    later = dataclasses.replace(cite("Uno es uno."), valid_from=dt.date(2027, 1, 1))
    assert "en vigor desde el 1 ene 2027" in said(only(answer_with(claim_of("Uno.", later))))


def test_a_part_of_the_question_that_was_not_found_is_named_before_the_answer() -> None:
    answer = dataclasses.replace(ANSWER_EN, unanswered=("what is the weather on *Mars*?",))
    text = "".join(said(message) for message in render(answer, EN))
    assert "I did not find this part in the documents: “what is the weather on *Mars*?”" in text
    assert text.index("weather") < text.index(EN.quote_meaning())
