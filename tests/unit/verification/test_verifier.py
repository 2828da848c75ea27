"""From a draft claim to a claim with citations, or to the name of what is wrong with it."""

import datetime as dt
from dataclasses import replace

import pytest

from core.domain.document import Block, BlockKind, DocumentStatus
from core.domain.evidence import ClaimKind, ClaimStatus, ReasonCode, text_hash
from core.text.canonical import canonicalise
from core.verification import Verifier, recheck
from tests.unit.verification.evidence_samples import (
    TODAY,
    codes,
    details,
    draft,
    evidence,
    passage,
    prose,
    table,
    verify,
    verify_quote,
)

SENTENCE = "La plantilla de Burgos dispone de 24 días hábiles de vacaciones al año, salvo los becarios."
ENGLISH = "Employees receive a meal allowance of €11.50 per day from March 3rd, 2025."
LEAVE = prose(SENTENCE, "Los días pendientes caducan el 31 de marzo.")
TABLE = table(["Sede", "Días de vacaciones", "Ayuda (€)"], ["Burgos", "24", "1.200,50"], ["Vigo", "26", "900"])

SUPPORTED, PARTIAL, UNSUPPORTED = ClaimStatus.SUPPORTED, ClaimStatus.PARTIAL, ClaimStatus.UNSUPPORTED


def test_a_citation_carries_the_exact_slice_its_hash_and_where_it_is_from() -> None:
    claim = verify_quote("Los días  pendientes caducan el 31\u00a0de marzo.", passage(LEAVE, section=("Permisos",)))
    (citation,) = claim.citations
    assert claim.status is SUPPORTED
    assert citation.quote == "Los días pendientes caducan el 31 de marzo."
    assert LEAVE.text[citation.start_offset : citation.end_offset] == citation.quote
    assert citation.text_hash == text_hash(citation.quote)
    assert (citation.document_id, citation.document_version, citation.chunk_id) == ("handbook", 1, "handbook#p1")
    assert (citation.run_id, citation.index_version, citation.visibility) == ("run-1", 7, 1)
    assert (citation.title, citation.section_path, citation.tenant_id) == ("Manual", ("Permisos",), "acme")


def test_the_same_slice_in_the_same_run_has_the_same_citation_id_and_nothing_else_has() -> None:
    claim = draft(SENTENCE, SENTENCE, kind=ClaimKind.QUOTE)
    verifier = Verifier(TODAY)
    ids = [
        verifier.verify(claim, given, lambda _: True).citations[0].citation_id
        for given in (
            evidence(passage(LEAVE)),
            evidence(passage(LEAVE)),
            evidence(passage(LEAVE), run_id="run-2"),
            evidence(passage(LEAVE, version=2)),
            evidence(passage(LEAVE, document_id="other")),
        )
    ]
    assert ids[0] == ids[1]
    assert len(set(ids)) == 4


def test_a_claim_without_quotes_is_unsupported() -> None:
    claim = verify(draft("Hay 24 días de vacaciones."), passage(LEAVE))
    assert (claim.status, codes(claim)) == (UNSUPPORTED, [ReasonCode.NO_CITATION])


@pytest.mark.parametrize("label", ["p5", "p7", "999", "[1]"])
def test_a_source_that_was_not_delivered_cannot_be_shown(label: str) -> None:
    claim = verify(draft("Los días caducan.", (label, "Los días pendientes caducan el 31 de marzo.")), passage(LEAVE))
    assert (claim.status, claim.citations, codes(claim)) == (UNSUPPORTED, (), [ReasonCode.OUT_OF_SCOPE])


@pytest.mark.parametrize(
    ("quote", "code"),
    [
        ("Se regalan entradas de cine a toda la plantilla.", ReasonCode.FABRICATED),
        ("La plantilla de Burgos dispone de 25 días hábiles", ReasonCode.EDITED),
        ("La plantilla de Burgos caducan el 31 de marzo.", ReasonCode.EDITED),
        ("Los días pend", ReasonCode.TOO_SHORT),
        ("plantilla de Bur", ReasonCode.SPLIT_WORD),
    ],
)
def test_one_bad_quote_makes_the_claim_unsupported_under_its_own_name(quote: str, code: ReasonCode) -> None:
    good = "Los días pendientes caducan el 31 de marzo."
    claim = verify(draft("Los días pendientes caducan el 31 de marzo.", good, quote), passage(LEAVE))
    assert (claim.status, claim.citations) == (UNSUPPORTED, ())
    assert code in codes(claim)


def test_a_repaired_citation_is_marked_and_never_fully_supported() -> None:
    other = passage(prose("El aparcamiento abre a las siete."), "p2", document_id="parking")
    quote = "Los días pendientes caducan el 31 de marzo."
    claim = verify(draft(quote, ("p2", quote), kind=ClaimKind.QUOTE), passage(LEAVE), other)
    assert (claim.status, codes(claim)) == (PARTIAL, [ReasonCode.MISATTRIBUTED])
    assert claim.citations[0].document_id == "handbook"


class TestAccessAndTime:
    QUOTE = "Los días pendientes caducan el 31 de marzo."

    def test_a_passage_that_the_audience_may_not_see_is_forbidden_and_says_nothing_of_its_text(self) -> None:
        claim = verify(draft("Caducan.", "caducan el 31 de mayo"), passage(LEAVE), visible=lambda _: False)
        assert codes(claim) == [ReasonCode.FORBIDDEN]
        assert "caducan" not in claim.reasons[0].detail

    def test_a_quote_is_not_looked_for_in_what_the_audience_may_not_see(self) -> None:
        hidden = passage(LEAVE, "p2", document_id="secret", rule_id=9)
        open_one = passage(prose("El aparcamiento abre a las siete."), "p1", document_id="parking")
        claim = verify(draft("Caducan.", ("p1", self.QUOTE)), open_one, hidden, visible=lambda rule: rule == 1)
        assert codes(claim) == [ReasonCode.FABRICATED]

    def test_a_passage_of_another_tenant_is_forbidden(self) -> None:
        assert codes(verify_quote(self.QUOTE, passage(LEAVE, tenant_id="other"))) == [ReasonCode.FORBIDDEN]

    @pytest.mark.parametrize("status", [DocumentStatus.DRAFT, DocumentStatus.ARCHIVED, DocumentStatus.OBSOLETE])
    def test_a_draft_archived_or_obsolete_version_is_never_cited_as_current(self, status: DocumentStatus) -> None:
        assert codes(verify_quote(self.QUOTE, passage(LEAVE, status=status))) == [ReasonCode.STALE_VERSION]

    def test_a_superseded_document_is_never_cited_as_current(self) -> None:
        assert codes(verify_quote(self.QUOTE, passage(LEAVE, superseded=True))) == [ReasonCode.STALE_VERSION]

    def test_words_that_only_an_older_version_has_are_named_stale(self) -> None:
        new = passage(prose("Los días pendientes ya no caducan nunca."), "p1")
        old = passage(LEAVE, "p2", document_id="handbook-2023", superseded=True)
        assert codes(verify_quote(self.QUOTE, new, old)) == [ReasonCode.STALE_VERSION]

    def test_a_document_counts_until_the_end_of_its_last_day(self) -> None:
        assert verify_quote(self.QUOTE, passage(LEAVE, valid_until=TODAY)).status is SUPPORTED
        over = passage(LEAVE, valid_until=TODAY - dt.timedelta(days=1))
        assert codes(verify_quote(self.QUOTE, over)) == [ReasonCode.EXPIRED]

    def test_a_document_does_not_count_before_its_first_day(self) -> None:
        assert verify_quote(self.QUOTE, passage(LEAVE, valid_from=TODAY)).status is SUPPORTED
        early = passage(LEAVE, valid_from=TODAY + dt.timedelta(days=1))
        assert codes(verify_quote(self.QUOTE, early)) == [ReasonCode.EXPIRED]


class TestContext:
    @pytest.mark.parametrize(
        ("text", "quote"),
        [
            ("No se permite comer en la biblioteca.", "se permite comer en la biblioteca."),
            ("Employees may never share their password.", "share their password."),
            ("Queda prohibido usar el ascensor en obras.", "usar el ascensor en obras."),
        ],
    )
    def test_a_quote_whose_negation_stands_just_before_it_is_unsupported(self, text: str, quote: str) -> None:
        claim = verify_quote(quote, passage(prose(text)))
        assert (claim.status, codes(claim)) == (UNSUPPORTED, [ReasonCode.TRUNCATED_CONTEXT])

    @pytest.mark.parametrize(
        ("text", "quote", "outside"),
        [
            ("Puede salir a las tres, salvo en cierre contable.", "Puede salir a las tres", "salvo en cierre contable"),
            ("You may fly business if the flight is long.", "You may fly business", "if the flight is long"),
            ("Se abona el taxi nocturno hasta 30 euros.", "Se abona el taxi nocturno", "hasta 30 euros"),
            ("Si trabaja de noche, tiene un plus mensual.", "tiene un plus mensual.", "Si trabaja de noche"),
            ("Se abonan como máximo 30 euros por cena.", "30 euros por cena.", "Se abonan como máximo"),
            ("Es gratis para todos, pero no en festivos.", "Es gratis para todos", "pero no en festivos"),
        ],
    )
    def test_a_condition_left_outside_the_quote_is_partial_and_is_given(
        self, text: str, quote: str, outside: str
    ) -> None:
        claim = verify_quote(quote, passage(prose(text)))
        assert claim.status is PARTIAL
        assert any(outside in detail for detail in details(claim, ReasonCode.TRUNCATED_CONTEXT))

    @pytest.mark.parametrize(
        ("text", "quote"),
        [
            ("No hay comedor. La cafetería abre a las ocho.", "La cafetería abre a las ocho."),
            ("La cafetería abre a las ocho. No hay comedor.", "La cafetería abre a las ocho."),
            ("La cafetería abre a las ocho\n\nNo hay comedor.", "La cafetería abre a las ocho"),
            ("La cafetería, que no cierra, abre a las ocho.", "La cafetería, que no cierra, abre"),
        ],
    )
    def test_other_sentences_and_what_the_quote_itself_says_are_no_left_out_context(
        self, text: str, quote: str
    ) -> None:
        assert verify_quote(quote, passage(prose(*text.split("\n\n")))).status is SUPPORTED

    def test_a_negation_skipped_by_an_ellipsis_is_left_out_context(self) -> None:
        document = passage(prose("El personal externo no puede abrir la puerta del archivo general."))
        claim = verify_quote("El personal externo … abrir la puerta del archivo general.", document)
        assert ReasonCode.TRUNCATED_CONTEXT in codes(claim)
        assert claim.status is not SUPPORTED


class TestQuoteClaims:
    def test_a_quote_claim_must_read_as_its_quotes(self) -> None:
        claim = verify(draft("Los días caducan.", SENTENCE, kind=ClaimKind.QUOTE), passage(LEAVE))
        assert (claim.status, codes(claim)) == (UNSUPPORTED, [ReasonCode.EDITED])

    def test_a_quote_claim_may_differ_from_its_quote_in_presentation(self) -> None:
        text = "«los días **pendientes** caducan el 31 de marzo»"
        claim = verify(draft(text, "Los días pendientes caducan el 31 de marzo.", kind=ClaimKind.QUOTE), passage(LEAVE))
        assert claim.status is SUPPORTED

    def test_a_rendered_row_cites_its_header_and_its_row(self) -> None:
        claim = verify(
            draft(
                "Sede: Burgos · Días de vacaciones: 24",
                "Sede | Días de vacaciones | Ayuda (€)",
                "Burgos | 24 | 1.200,50",
                kind=ClaimKind.QUOTE,
            ),
            passage(TABLE),
        )
        assert claim.status is SUPPORTED
        assert [citation.quote for citation in claim.citations] == [
            "Sede | Días de vacaciones | Ayuda (€)",
            "Burgos | 24 | 1.200,50",
        ]

    @pytest.mark.parametrize(
        "text",
        [
            "Sede: Burgos · Días de vacaciones: 26",
            "Sede: Vigo · Días de vacaciones: 24",
            "Sede: Burgos · Ayuda (€): 24",
        ],
    )
    def test_a_rendered_row_may_not_mix_rows_or_columns(self, text: str) -> None:
        claim = verify(draft(text, "Burgos | 24 | 1.200,50", kind=ClaimKind.QUOTE), passage(TABLE))
        assert claim.status is UNSUPPORTED

    def test_a_rendered_row_without_its_first_cell_is_partial(self) -> None:
        claim = verify(draft("Días de vacaciones: 24", "Burgos | 24 | 1.200,50", kind=ClaimKind.QUOTE), passage(TABLE))
        assert (claim.status, details(claim, ReasonCode.CONDITION_DROPPED)) == (PARTIAL, ["Burgos"])

    def test_a_heading_alone_is_never_evidence(self) -> None:
        document = canonicalise(
            [
                Block(BlockKind.HEADING, "Veintiséis días de vacaciones", level=1),
                Block(BlockKind.PARAGRAPH, "Se piden en el portal con dos semanas de margen."),
            ]
        )
        claim = verify_quote("Veintiséis días de vacaciones", passage(document))
        assert codes(claim) == [ReasonCode.HEADING_ONLY]

    def test_the_title_alone_is_never_evidence_even_where_the_text_repeats_it(self) -> None:
        document = prose("Política de viajes de 2026", "Se viaja en tren.")
        claim = verify_quote("Política de viajes de 2026", passage(document, title="Política de viajes de 2026"))
        assert codes(claim) == [ReasonCode.HEADING_ONLY]


class TestSynthesis:
    def test_a_claim_in_other_words_with_all_values_and_conditions_is_supported(self) -> None:
        text = "En Burgos tienes 24 días hábiles de vacaciones al año, excepto los becarios."
        assert verify(draft(text, SENTENCE), passage(LEAVE)).status is SUPPORTED

    def test_a_claim_in_another_language_is_compared_by_its_values(self) -> None:
        english = passage(prose(ENGLISH), language="en")
        text = "Desde el 3 de marzo de 2025 la plantilla recibe una ayuda de comida de 11,50 € al día."
        assert verify(draft(text, ENGLISH), english).status is SUPPORTED
        wrong = text.replace("11,50", "12,50")
        assert codes(verify(draft(wrong, ENGLISH), english)) == [ReasonCode.VALUE_NOT_IN_QUOTE]

    def test_a_claim_in_english_over_a_spanish_quote_is_compared_by_its_values(self) -> None:
        text = "In Burgos employees get 24 working days of vacation per year, except interns."
        assert verify(draft(text, SENTENCE), passage(LEAVE)).status is SUPPORTED

    @pytest.mark.parametrize("value", ["25 días hábiles", "24 días naturales", "24 semanas", "24 % de los días"])
    def test_a_number_or_unit_that_stands_in_no_quote_is_unsupported(self, value: str) -> None:
        text = f"En Burgos hay {value} de vacaciones al año, salvo los becarios."
        claim = verify(draft(text, SENTENCE), passage(LEAVE))
        assert claim.status is UNSUPPORTED
        assert ReasonCode.VALUE_NOT_IN_QUOTE in codes(claim)

    def test_six_percent_against_five_percent_is_rejected(self) -> None:
        document = passage(prose("El tipo de interés aplicado fue del 5 %."))
        claim = verify(draft("El tipo fue del 6 %.", "El tipo de interés aplicado fue del 5 %."), document)
        assert codes(claim) == [ReasonCode.VALUE_NOT_IN_QUOTE]

    def test_dropped_conditions_make_it_partial_and_are_given(self) -> None:
        claim = verify(draft("Tienes 24 días hábiles de vacaciones al año.", SENTENCE), passage(LEAVE))
        assert claim.status is PARTIAL
        assert details(claim, ReasonCode.CONDITION_DROPPED) == ["salvo los becarios", "plantilla de Burgos"]

    def test_a_name_or_code_must_stand_in_the_quotes_or_the_titles(self) -> None:
        quote = "El alta se pide con el impreso RH-22B en el portal."
        document = passage(prose(quote), title="Portal Atenea")
        assert verify(draft("El alta en Atenea se pide con el RH-22B.", quote), document).status is SUPPORTED
        for text in ("El alta se pide con el RH-22C.", "El alta se pide a Lucía Ferrer."):
            assert codes(verify(draft(text, quote), document)) == [ReasonCode.CODE_NOT_IN_QUOTE]

    def test_an_invented_name_across_languages_is_marked(self) -> None:
        document = passage(prose(ENGLISH), language="en")
        text = "Según Lucía Ferrer, desde el 3 de marzo de 2025 la ayuda es de 11,50 € al día."
        assert ReasonCode.CODE_NOT_IN_QUOTE in codes(verify(draft(text, ENGLISH), document))

    def test_an_ambiguous_date_that_the_claim_settles_is_partial(self) -> None:
        quote = "The new badge policy applies from 03/04/2025."
        claim = verify(
            draft("La nueva política se aplica desde el 3 de abril de 2025.", quote),
            passage(prose(quote), language="en"),
        )
        assert claim.status is PARTIAL
        assert ReasonCode.AMBIGUOUS in codes(claim)

    def test_a_number_in_a_cell_has_the_unit_of_its_column(self) -> None:
        given = passage(TABLE)
        row = "Burgos | 24 | 1.200,50"
        assert verify(draft("En Burgos hay 24 días de vacaciones.", row), given).status is SUPPORTED
        assert verify(draft("En Burgos la ayuda es de 1.200,50 €.", row), given).status is SUPPORTED
        assert verify(draft("En Burgos hay 24 semanas de vacaciones.", row), given).status is UNSUPPORTED

    def test_a_figure_stays_with_what_its_row_is_about(self) -> None:
        row = "Vigo | 26 | 900"
        assert verify(draft("En Burgos hay 26 días de vacaciones.", row), passage(TABLE)).status is UNSUPPORTED
        assert details(
            verify(draft("Hay 26 días de vacaciones.", row), passage(TABLE)), ReasonCode.CONDITION_DROPPED
        ) == ["Vigo"]

    def test_a_claim_that_shares_nothing_with_its_quote_is_not_entailed(self) -> None:
        claim = verify(draft("La cafetería sirve desayunos veganos.", LEAVE.text.split("\n\n")[1]), passage(LEAVE))
        assert (claim.status, codes(claim)) == (UNSUPPORTED, [ReasonCode.NOT_ENTAILED])

    def test_a_claim_cites_three_passages_at_most(self) -> None:
        sentences = [f"El edificio {letter} tiene una sala de reuniones propia." for letter in "ABCDE"]
        given = [
            passage(prose(text), f"p{number}", document_id=f"d{number}") for number, text in enumerate(sentences, 1)
        ]
        quotes = [(f"p{number}", text) for number, text in enumerate(sentences, 1)]
        claim = verify(draft("Cada edificio tiene una sala de reuniones.", *quotes), *given)
        assert len({citation.document_id for citation in claim.citations}) == 3


def test_the_index_of_one_evidence_never_answers_for_another() -> None:
    verifier = Verifier(TODAY)
    claim = draft(SENTENCE, SENTENCE, kind=ClaimKind.QUOTE)
    given = evidence(passage(LEAVE))
    assert verifier.verify(claim, given, lambda _: True).citations
    changed = replace(given, passages=(passage(prose("Nada de esto se dice aquí, en absoluto.")),))
    assert verifier.verify(claim, changed, lambda _: True).citations == ()


def test_recheck_holds_for_the_same_text_and_for_no_other() -> None:
    (citation,) = verify_quote(SENTENCE, passage(LEAVE)).citations
    assert recheck(citation, LEAVE.text)
    assert not recheck(citation, " " + LEAVE.text)
    assert not recheck(citation, LEAVE.text.replace("24", "25"))
    assert not recheck(citation, "")
    assert not recheck(replace(citation, end_offset=10**9), LEAVE.text)
    assert not recheck(replace(citation, quote="otra"), LEAVE.text)
