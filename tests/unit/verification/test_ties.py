"""A value must stand in its quotes with the words that the claim ties to it."""

import pytest

from core.domain.evidence import Claim, ClaimStatus, ReasonCode
from tests.unit.verification.evidence_samples import codes, details, draft, passage, prose, table, verify

SUPPORTED, PARTIAL, UNSUPPORTED = ClaimStatus.SUPPORTED, ClaimStatus.PARTIAL, ClaimStatus.UNSUPPORTED

PAGE = ("La plaza de aparcamiento cuesta 35 € al mes y se descuenta de la nómina.", "Aparcamiento en Ribarroja", "es")
GUIDE = (
    "La plaza de aparcamiento en Ribarroja cuesta 42 € al mes para todo el personal.",
    "Guía de oficina de Valencia y Ribarroja",
    "es",
)


def claim_of(text: str, *quotes: str | tuple[str, str, str]) -> Claim:
    """Verify a claim against quotes (text, title, language), each of a document of its own."""
    whole = [(quote, "Manual", "es") if isinstance(quote, str) else quote for quote in quotes]
    passages = [
        passage(prose(text), f"p{number}", document_id=f"d{number}", title=title, language=language)
        for number, (text, title, language) in enumerate(whole, 1)
    ]
    return verify(draft(text, *((f"p{number}", quote[0]) for number, quote in enumerate(whole, 1))), *passages)


class TestValuesOfSeveralQuotes:
    def test_the_value_of_one_document_with_the_scope_of_another_is_unsupported(self) -> None:
        claim = claim_of("La plaza de aparcamiento en Ribarroja cuesta 35 € al mes para todo el personal.", PAGE, GUIDE)
        assert claim.status is UNSUPPORTED
        assert details(claim, ReasonCode.MIXED_SOURCES) == ["35 €"]

    def test_a_place_that_only_the_title_names_is_said_with_the_value(self) -> None:
        assert claim_of("La plaza de aparcamiento en Ribarroja cuesta 35 € al mes.", PAGE).status is SUPPORTED

    def test_the_right_value_with_its_own_scope_is_supported(self) -> None:
        assert claim_of(GUIDE[0], GUIDE).status is SUPPORTED

    @pytest.mark.parametrize(
        ("text", "status"),
        [
            ("La plaza exterior cuesta 35 € al mes y se descuenta de la nómina.", UNSUPPORTED),
            ("La plaza exterior, que se descuenta de la nómina, cuesta 35 € al mes.", PARTIAL),
            ("La plaza cuesta 35 € al mes y se descuenta de la nómina.", SUPPORTED),
            ("La plaza exterior cuesta 42 € al mes.", SUPPORTED),
        ],
    )
    def test_a_word_that_only_the_other_document_has_is_not_said_of_the_value(
        self, text: str, status: ClaimStatus
    ) -> None:
        assert claim_of(text, PAGE, ("La plaza exterior cuesta 42 € al mes.", "Guía", "es")).status is status

    def test_what_two_documents_say_of_two_things_may_stand_in_one_sentence(self) -> None:
        quotes = (
            "El aparcamiento cuesta 35 €, y se pide con 3 días.",
            "La tarjeta se da en 5 días y perderla cuesta 10 €.",
        )
        assert claim_of("El aparcamiento cuesta 35 € y la tarjeta se da en 5 días.", *quotes).status is SUPPORTED

    @pytest.mark.parametrize(
        "text",
        [
            "La plaza de aparcamiento en Ribarroja cuesta 35 € al mes.",
            "La plaza de aparcamiento en Ribarroja cuesta 42 € al mes para todo el personal.",
        ],
    )
    def test_a_claim_of_one_value_that_cites_the_contradiction_too_is_partial(self, text: str) -> None:
        claim = claim_of(text, PAGE, GUIDE)
        assert (claim.status, details(claim, ReasonCode.CONTRADICTED)) == (PARTIAL, ["35 € / 42 €"])

    def test_a_claim_that_tells_both_sides_is_supported(self) -> None:
        text = "La plaza de aparcamiento en Ribarroja cuesta 35 € al mes según una página y 42 € según la guía."
        assert ReasonCode.CONTRADICTED not in codes(claim_of(text, PAGE, GUIDE))

    @pytest.mark.parametrize(
        ("text", "status"),
        [
            ("En Burgos hay 24 días de vacaciones y en Vigo hay 26 días.", SUPPORTED),
            ("En Burgos hay 24 días de vacaciones y 26 en Vigo.", SUPPORTED),
            ("En Burgos hay 26 días de vacaciones y en Vigo hay 24 días.", UNSUPPORTED),
        ],
    )
    def test_each_place_keeps_its_value(self, text: str, status: ClaimStatus) -> None:
        claim = claim_of(text, "En Burgos hay 24 días de vacaciones.", "En Vigo hay 26 días de vacaciones.")
        assert claim.status is status

    def test_a_value_of_one_year_does_not_hold_in_another(self) -> None:
        quotes = "En 2024 la ayuda de comida es de 900 €.", "En 2025 la ayuda de comida es de 1.000 €."
        assert claim_of("En 2025 la ayuda de comida es de 900 €.", *quotes).status is UNSUPPORTED
        assert claim_of("En 2025 la ayuda de comida es de 1.000 €.", quotes[1]).status is SUPPORTED

    def test_a_group_that_no_quote_names_is_no_part_of_it(self) -> None:
        quote = "La plantilla tiene 24 días de vacaciones."
        assert claim_of("Los becarios tienen 24 días de vacaciones.", quote).status is PARTIAL
        assert claim_of("La plantilla tiene 24 días de vacaciones.", quote).status is SUPPORTED


PARKING = "La plaza cuesta 35 € la interior y 42 € la exterior."
SPACES = ("Indoor spaces cost €35 and outdoor spaces €42.", "Parking", "en")
CARDS = "La tarjeta azul abre a las 7:00 y la roja a las 9:00."
WEEK = "La jornada es de 8 horas de lunes a jueves y de 6 horas los viernes."
SENIORITY = "Con antigüedad de 5 años hay 24 días, y con 10 años 26 días."
PEOPLE = "Los responsables tienen 24 días y los becarios 15 días."
CITIES = ("Staff in Dublin have 26 days of leave and staff in Madrid 23 days.", "Leave", "en")


class TestValuesOfOneSentence:
    @pytest.mark.parametrize(
        ("text", "quote"),
        [
            ("La plaza cuesta 42 € la interior y 35 € la exterior.", PARKING),
            ("La plaza exterior cuesta 35 € y la interior 42 €.", PARKING),
            ("Indoor spaces cost €42 and outdoor spaces €35.", SPACES),
            ("La tarjeta roja abre a las 7:00 y la azul a las 9:00.", CARDS),
            ("La tarjeta roja, 7 €; la azul, 9 €.", "Hay dos precios: la azul, 7 €; la roja, 9 €."),
            ("De lunes a jueves se trabajan 6 horas y los viernes 8 horas.", WEEK),
            ("Con 5 años de antigüedad hay 26 días.", SENIORITY),
            ("Los becarios tienen 24 días y los responsables 15 días.", PEOPLE),
            ("Interns get 24 days and managers 15 days.", PEOPLE),
            ("En Dublín hay 23 días de permiso y en Madrid 26 días.", CITIES),
        ],
    )
    def test_swapped_values_are_unsupported(self, text: str, quote: str | tuple[str, str, str]) -> None:
        claim = claim_of(text, quote)
        assert claim.status is UNSUPPORTED
        assert ReasonCode.MIXED_SOURCES in codes(claim)

    @pytest.mark.parametrize(
        ("text", "quote"),
        [
            ("La plaza cuesta 35 € la interior y 42 € la exterior.", PARKING),
            ("La plaza exterior cuesta 42 € y la interior 35 €.", PARKING),
            ("La plaza exterior cuesta 42 €.", PARKING),
            ("Outdoor spaces cost €42 and indoor spaces €35.", SPACES),
            ("La tarjeta roja abre a las 9:00 y la azul a las 7:00.", CARDS),
            ("Los viernes se trabajan 6 horas y de lunes a jueves 8 horas.", WEEK),
            ("Con 10 años de antigüedad hay 26 días.", SENIORITY),
            ("Managers get 24 days and interns 15 days.", PEOPLE),
            ("En Dublín hay 26 días de permiso y en Madrid 23 días.", CITIES),
            ("El interés es de entre el 2 y el 4 %.", "Se aplica entre el 2 y el 4 % de interés."),
        ],
    )
    def test_the_same_values_in_another_order_or_language_are_supported(
        self, text: str, quote: str | tuple[str, str, str]
    ) -> None:
        assert claim_of(text, quote).status is SUPPORTED

    @pytest.mark.parametrize(
        ("text", "quote"),
        [
            ("La plaza exterior cuesta 35 €.", PARKING),
            (
                "La ayuda es de 24 y 26 días en Vigo y Burgos, respectivamente.",
                "La ayuda es de 24 y 26 días en Burgos y Vigo, respectivamente.",
            ),
        ],
    )
    def test_what_cannot_be_decided_is_never_supported(self, text: str, quote: str) -> None:
        claim = claim_of(text, quote)
        assert (claim.status, set(codes(claim))) == (PARTIAL, {ReasonCode.MIXED_SOURCES})

    def test_respectively_in_the_order_of_the_quote_is_supported(self) -> None:
        text = "La ayuda es de 24 y 26 días en Burgos y Vigo, respectivamente."
        assert claim_of(text, text).status is SUPPORTED

    def test_the_value_of_another_sentence_of_the_slice_is_told_apart_by_its_place(self) -> None:
        quote = "En Burgos hay 24 días de vacaciones. En Vigo hay 26 días de vacaciones."
        assert claim_of("En Burgos hay 26 días de vacaciones.", quote).status is UNSUPPORTED
        assert claim_of("En Vigo hay 26 días de vacaciones.", quote).status is SUPPORTED


class TestValuesOfRows:
    SPACES = table(["Sede", "Interior (€)", "Exterior (€)"], ["Burgos", "35", "42"], ["Vigo norte", "30", "38"])
    ROWS = ("Burgos | 35 | 42", "Vigo norte | 30 | 38")

    @pytest.mark.parametrize(
        ("text", "status"),
        [
            ("En Burgos la plaza interior cuesta 35 € y la exterior 42 €.", SUPPORTED),
            ("En Burgos la plaza interior cuesta 42 € y la exterior 35 €.", UNSUPPORTED),
            ("En Burgos la plaza interior cuesta 42 €.", PARTIAL),
        ],
    )
    def test_a_cell_keeps_its_heading(self, text: str, status: ClaimStatus) -> None:
        assert verify(draft(text, self.ROWS[0]), passage(self.SPACES)).status is status

    @pytest.mark.parametrize(
        ("text", "status"),
        [
            ("La plaza interior cuesta 35 € en Burgos y 30 € en Vigo.", SUPPORTED),
            ("La plaza interior cuesta 30 € en Burgos y 35 € en Vigo.", UNSUPPORTED),
            ("En Burgos la plaza interior cuesta 30 €.", UNSUPPORTED),
        ],
    )
    def test_a_cell_keeps_its_row(self, text: str, status: ClaimStatus) -> None:
        assert verify(draft(text, *self.ROWS), passage(self.SPACES)).status is status
