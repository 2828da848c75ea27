"""Documents in force that give different values for one thing; and what only looks like it."""

import datetime as dt

import pytest

from core.domain.document import CanonicalText, DocumentStatus
from core.verification.contradictions import Contradiction, find_contradictions
from tests.unit.verification.evidence_samples import TODAY, evidence, passage, prose, table


def found(
    one: str | CanonicalText,
    other: str | CanonicalText,
    languages: tuple[str, str] = ("es", "es"),
    same_document: bool = False,
    titles: tuple[str, str] = ("Manual", "Manual"),
    **more: object,
) -> tuple[Contradiction, ...]:
    texts = [prose(text) if isinstance(text, str) else text for text in (one, other)]
    first = passage(texts[0], "p1", document_id="a", language=languages[0], title=titles[0])
    second = passage(
        texts[1],
        "p2",
        document_id="a" if same_document else "b",
        language=languages[1],
        title=titles[1],
        **more,  # type: ignore[arg-type]  # settings of one passage, by name
    )
    return find_contradictions(evidence(first, second), TODAY, lambda _: True)


def test_two_values_for_one_thing_are_both_given_with_their_slices() -> None:
    one, other = "La plantilla tiene 23 días de vacaciones al año.", "Cada empleado dispone de 25 días de vacaciones."
    (contradiction,) = found(one, other)
    assert contradiction.attribute == "vacaciones"
    assert [(side.label, side.value.text) for side in contradiction.sides] == [("p1", "23 días"), ("p2", "25 días")]
    assert [side.span for side in contradiction.sides] == [(0, len(one)), (0, len(other))]


@pytest.mark.parametrize(
    ("one", "other", "languages"),
    [
        ("La contraseña caduca a los 90 días.", "Las contraseñas caducan cada 60 días.", ("es", "es")),
        ("The notice period is 30 days.", "The notice period is 15 days.", ("en", "en")),
        ("La dieta de comida es de 11 €.", "La dieta de comida es de 12,50 €.", ("es", "es")),
        ("Hay 23 días de vacaciones al año.", "Employees get 25 days of vacation per year.", ("es", "en")),
        ("The travel budget is €1,500.", "El presupuesto de viaje es de 1.800 €.", ("en", "es")),
        ("El comedor cierra a las 15:30.", "El comedor cierra a las 16:00.", ("es", "es")),
    ],
)
def test_contradictions_are_found_in_and_across_languages(one: str, other: str, languages: tuple[str, str]) -> None:
    assert len(found(one, other, languages)) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Hay 23 días de vacaciones.", "Hay 15 días de permiso por matrimonio."),
        ("En Burgos hay 23 días de vacaciones.", "En Vigo hay 25 días de vacaciones."),
        ("Hay 23 días de vacaciones.", "Los becarios tienen 15 días de vacaciones."),
        ("En 2024 hubo 23 días de vacaciones.", "En 2025 hubo 25 días de vacaciones."),
        ("Hay 23 días de vacaciones.", "Hay 23 días de vacaciones al año."),
        ("Hay 23 días de vacaciones.", "Hay 3 semanas de vacaciones."),
        ("Hay 23 días de vacaciones.", "Con más de 10 años hay 28 días de vacaciones."),
        ("La ayuda es de 30 euros por noche.", "La ayuda es de 900 euros por mes."),
        ("El plazo de solicitud es de 5 días.", "El plazo de solicitud es de hasta 10 días."),
        ("La tarjeta cuesta 5 euros.", "La tarjeta no cuesta 10 euros."),
        ("El formulario RH-1 tarda 5 días.", "El formulario RH-2 tarda 10 días."),
        ("La reunión empieza el 3 de mayo.", "La formación empieza el 4 de mayo."),
    ],
)
def test_other_subjects_places_groups_years_and_bounds_are_no_contradiction(one: str, other: str) -> None:
    assert found(one, other) == ()


def test_a_region_in_the_title_keeps_two_documents_apart() -> None:
    sentence = "Hay {} días de vacaciones."
    assert found(sentence.format(23), sentence.format(25), titles=("Manual Madrid", "Manual Barcelona")) == ()


FEE = "La plaza de aparcamiento cuesta 35 € al mes y se descuenta de la nómina."
OTHER_FEE = "La plaza de aparcamiento en Ribarroja cuesta 42 € al mes para todo el personal."


@pytest.mark.parametrize(
    ("one", "titles", "section"),
    [
        (FEE, ("Aparcamiento en Ribarroja", "Guía de Valencia"), ()),
        (FEE, ("Manual", "Guía de Valencia"), ("Aparcamiento en Ribarroja",)),
        (FEE + "\n\nSe pide en Ribarroja.", ("Manual", "Manual"), ()),
    ],
)
def test_a_place_in_the_title_the_section_or_the_document_stands_for_the_one_a_sentence_leaves_out(
    one: str, titles: tuple[str, str], section: tuple[str, ...]
) -> None:
    first = passage(prose(*one.split("\n\n")), "p1", document_id="a", title=titles[0], section=section)
    second = passage(prose(OTHER_FEE), "p2", document_id="b", title=titles[1])
    (contradiction,) = find_contradictions(evidence(first, second), TODAY, lambda _: True)
    assert [side.value.text for side in contradiction.sides] == ["35 €", "42 €"]


def test_a_place_in_the_title_stands_for_a_sentence_in_another_language() -> None:
    other = "The parking space in Ribarroja costs €42 a month."
    assert len(found(FEE, other, ("es", "en"), titles=("Aparcamiento en Ribarroja", "Office guide"))) == 1
    assert found(FEE, other, ("es", "en"), titles=("Aparcamiento en Getafe", "Office guide")) == ()


@pytest.mark.parametrize("title", ["Aparcamiento en Getafe", "Aparcamiento", "Aparcamiento en Madrid"])
def test_a_place_that_neither_sentence_nor_title_names_keeps_two_statements_apart(title: str) -> None:
    assert found(FEE, OTHER_FEE, titles=(title, "Guía de Valencia")) == ()


def test_a_group_or_name_in_the_title_stands_for_the_one_a_sentence_leaves_out() -> None:
    one, other = "Interns get 15 days of vacation.", "You get 18 days of vacation."
    assert len(found(one, other, ("en", "en"), titles=("Handbook", "Welcome, interns"))) == 1
    assert found(one, other, ("en", "en"), titles=("Handbook", "Welcome")) == ()
    one, other = "La contraseña de Atlas caduca a los 90 días.", "La contraseña caduca a los 60 días."
    assert len(found(one, other, titles=("Manual", "Acceso a Atlas"))) == 1
    assert found(one, other, titles=("Manual", "Acceso a Zafiro")) == ()


@pytest.mark.parametrize(
    ("one", "other", "languages"),
    [
        ("EN VIGOR desde el 9 de febrero de 2026.", "EN VIGOR desde el 1 de mayo de 2026.", ("es", "es")),
        ("Updated on 3 May 2026.", "Updated on 4 June 2026.", ("en", "en")),
        ("We answer within 30 days.", "You get an answer within 7 working days.", ("en", "en")),
        ("Contestamos en 30 días.", "El proveedor contesta en 7 días.", ("es", "es")),
        ("You can request 104 advanced sick leave hours.", "You can request 56 advanced leave hours.", ("en", "en")),
        ("8. Login to DocuSign.", "1. Login to DocuSign.", ("en", "en")),
        ("3) Pulsa Guardar.", "4) Pulsa Guardar.", ("es", "es")),
        ("Great Lakes is in Region 5.", "Great Lakes is in Region 9.", ("en", "en")),
    ],
)
def test_dates_of_validity_labels_and_who_does_it_for_whom_are_no_contradiction(
    one: str, other: str, languages: tuple[str, str]
) -> None:
    assert found(one, other, languages, titles=("Data Requests", "Certification")) == ()


def test_the_date_from_which_a_thing_holds_can_contradict() -> None:
    one, other = (
        "La nueva tarifa entra en vigor el 1 de mayo de 2026.",
        "La nueva tarifa entra en vigor el 1 de junio de 2026.",
    )
    assert len(found(one, other)) == 1


def test_words_that_say_little_need_the_same_section() -> None:
    one, other = "El límite es de 50 euros.", "El límite es de 80 euros."
    assert found(one, other, titles=("Gastos de taxi", "Regalos de Navidad")) == ()
    assert len(found(one, other, titles=("Gastos de taxi", "Taxi"))) == 1


def test_rows_of_different_keys_are_no_contradiction_and_rows_of_one_key_are() -> None:
    head = ["Sede", "Días de vacaciones"]
    one = table(head, ["Burgos", "24"], ["Vigo", "26"])
    assert found(one, table(head, ["Lugo", "25"])) == ()
    (contradiction,) = found(one, table(head, ["Burgos", "25"], ["Vigo", "26"]))
    assert contradiction.attribute == "Burgos · Días de vacaciones"


OLD = "Hay 22 días de vacaciones al año."
NEW = "Hay 25 días de vacaciones al año."


@pytest.mark.parametrize(
    "setting",
    [
        {"superseded": True},
        {"status": DocumentStatus.DRAFT},
        {"status": DocumentStatus.ARCHIVED},
        {"valid_until": TODAY - dt.timedelta(days=1)},
        {"valid_from": TODAY + dt.timedelta(days=1)},
    ],
)
def test_a_document_that_is_not_in_force_loses_without_a_contradiction(setting: dict[str, object]) -> None:
    assert len(found(OLD, NEW)) == 1
    assert found(NEW, OLD, **setting) == ()  # type: ignore[arg-type]  # settings by name


def test_one_document_does_not_contradict_itself_here() -> None:
    assert found(OLD, NEW, same_document=True) == ()


def test_what_the_audience_may_not_see_contradicts_nothing() -> None:
    first = passage(prose(OLD), "p1", document_id="a")
    hidden = passage(prose(NEW), "p2", document_id="b", rule_id=9)
    assert find_contradictions(evidence(first, hidden), TODAY, lambda rule: rule == 1) == ()


def test_overlapping_chunks_name_a_contradiction_once() -> None:
    first = passage(prose(OLD), "p1", document_id="a")
    again = passage(prose(OLD), "p2", document_id="a")
    other = passage(prose(NEW), "p3", document_id="b")
    assert len(find_contradictions(evidence(first, again, other), TODAY, lambda _: True)) == 1
