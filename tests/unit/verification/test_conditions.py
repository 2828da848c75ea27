"""A claim keeps what turns and limits its quotes, in one language and across two."""

import pytest

from core.domain.evidence import ReasonCode
from core.verification.conditions import condition_reasons
from core.verification.wording import spanish_or_english

CHANGED, DROPPED = ReasonCode.NEGATION_CHANGED, ReasonCode.CONDITION_DROPPED


def reasons(quote: str, claim: str) -> list[tuple[ReasonCode, str]]:
    found = condition_reasons(claim, spanish_or_english(claim), [(quote, spanish_or_english(quote))])
    return [(reason.code, reason.detail) for reason in found]


def found_codes(quote: str, claim: str) -> set[ReasonCode]:
    return {code for code, _ in reasons(quote, claim)}


KEPT = [
    ("No se permite fumar en la oficina.", "Está prohibido fumar en la oficina."),
    ("No se permite fumar en la oficina.", "Smoking in the office is not allowed."),
    ("Smoking in the office is forbidden.", "No se puede fumar en la oficina."),
    ("Puede teletrabajar hasta tres días.", "You may work remotely up to three days."),
    ("The badge costs at most 12 euros.", "La tarjeta cuesta como máximo 12 euros."),
    ("El preaviso es de al menos 15 días.", "The notice is at least 15 days."),
    ("Todos reciben la ayuda, salvo los becarios.", "Everybody receives it, except interns."),
    ("You may travel first class only with approval.", "Solo se puede viajar en primera clase con autorización."),
    ("No se puede entrar salvo con tarjeta.", "Solo se puede entrar con tarjeta."),
    ("Sin embargo, el plazo es de 10 días.", "El plazo es de 10 días."),
    ("The plan covers not only staff but families.", "The plan covers staff and families."),
    ("El plazo es de 10 días. No se abona el taxi.", "El plazo es de 10 días."),
    ("Trabaja desde casa 2 días por semana.", "Se trabaja 2 días por semana en casa."),
    ("Se conceden 3 días y hasta 2 días por mudanza.", "Se conceden 3 días."),
    ("Nunca se abona ningún taxi.", "El taxi no se abona."),
    ("Tiene 22 días al año.", "You have 22 days per year."),
]

TURNED = {
    "a negation lost": ("No se permite fumar en la oficina.", "Se permite fumar en la oficina."),
    "a negation lost across languages": ("No se permite fumar en la oficina.", "Smoking is allowed in the office."),
    "a negation added": ("Overtime is paid in full.", "Overtime is not paid in full."),
    "a negation added across languages": ("Overtime is paid in full.", "Las horas extra no se pagan."),
    "never lost": ("Contractors never receive a badge.", "Contractors receive a badge."),
    "a refusal lost": ("Queda prohibido comer en el laboratorio.", "Se puede comer en el laboratorio."),
    "the other clause negated": ("Taxi rides are paid but parking is not paid.", "Parking is paid, taxi is not."),
    "without became with": ("Se accede sin acreditación previa.", "Se accede con acreditación previa."),
    "only added": ("Managers approve travel.", "Only managers approve travel."),
    "at least added": ("El preaviso es de 15 días.", "El preaviso es de al menos 15 días."),
    "up to added across languages": ("You get 3 days.", "Tienes hasta 3 días."),
    "at least became up to": ("The fee is at least 30 euros.", "The fee is up to 30 euros."),
    "until became from": ("Válido hasta el 3 de mayo de 2026.", "Válido a partir del 3 de mayo de 2026."),
    "some became all": ("Some employees get a car.", "All employees get a car."),
    "may became must": ("Puede pedir un anticipo.", "Debe pedir un anticipo."),
    "must became may": ("Visitors must sign in.", "Los visitantes pueden firmar."),
    "an exception added": ("Las salas son gratuitas.", "Las salas son gratuitas excepto la grande."),
}

LIMITED = {
    "a region": ("En Sevilla la jornada es de 35 horas.", "La jornada es de 35 horas.", "Sevilla"),
    "a region across languages": ("In Germany you have 30 days.", "Tienes 30 días.", "Germany"),
    "a group": ("Los becarios cobran 600 euros.", "Se cobran 600 euros.", "becarios"),
    "a group across languages": ("Contractors get 10 days.", "Se tienen 10 días.", "Contractors"),
    "a year": ("En 2025 la ayuda es de 90 euros.", "La ayuda es de 90 euros.", "En 2025"),
    "a month": ("En agosto la oficina cierra a las 15:00.", "La oficina cierra a las 15:00.", "En agosto"),
    "a weekday": ("El comedor abre los viernes.", "El comedor abre.", "viernes"),
    "an exception": ("Es gratis, salvo en festivos.", "Es gratis.", "salvo en festivos"),
    "unless": ("You may leave at 3 unless you are on call.", "You may leave at 3.", "unless you are on call"),
    "only": ("Solo los lunes se entregan equipos.", "Se entregan equipos los lunes.", "Solo"),
    "if": ("If you work nights you get 5 days.", "You get 5 days.", "If you work nights you get 5 days"),
    "up to": ("Se abonan hasta 40 euros.", "Se abonan 40 euros.", "hasta 40 euros"),
    "up to across languages": ("You may claim up to 40 euros.", "Puede reclamar 40 euros.", "up to 40 euros"),
    "until a date": ("Open until 31 May 2026.", "It is open.", "until 31 May 2026"),
    "from a date": ("A partir del 1 de junio se paga en línea.", "Se paga en línea.", "A partir del 1 de junio"),
    "more than some years": ("Con más de 5 años se tienen 26 días.", "Se tienen 26 días.", "más de 5 años"),
    "how days are counted": ("Tiene 22 días hábiles.", "Tiene 22 días.", "22 días hábiles"),
    "a rate": ("Se abonan 30 euros por noche.", "Se abonan 30 euros.", "por noche"),
    "about": ("Se tarda aproximadamente 10 días.", "Se tarda 10 días.", "aproximadamente 10 días"),
    "approval": ("Se viaja en tren con autorización.", "Se viaja en tren.", "con autorización"),
    "without": ("El permiso es de 5 días sin sueldo.", "El permiso es de 5 días.", "sin sueldo"),
}


@pytest.mark.parametrize(("quote", "claim"), KEPT)
def test_what_is_kept_in_other_words_or_another_language_is_no_reason(quote: str, claim: str) -> None:
    assert reasons(quote, claim) == []


@pytest.mark.parametrize(("quote", "claim"), TURNED.values(), ids=TURNED)
def test_a_changed_negation_or_quantity_word_is_named(quote: str, claim: str) -> None:
    assert CHANGED in found_codes(quote, claim)


@pytest.mark.parametrize(("quote", "claim", "condition"), LIMITED.values(), ids=LIMITED)
def test_a_dropped_condition_is_named_with_its_words(quote: str, claim: str, condition: str) -> None:
    found = reasons(quote, claim)
    assert {code for code, _ in found} == {DROPPED}
    assert any(condition.lower() in detail.lower() for _, detail in found), found


def test_a_condition_inside_a_longer_one_is_named_once() -> None:
    assert reasons("Es gratis, salvo en agosto.", "Es gratis.") == [(DROPPED, "salvo en agosto")]


def test_conditions_of_sentences_the_claim_does_not_draw_on_do_not_matter() -> None:
    quote = "El comedor abre a las 13:00. El aparcamiento es gratis, salvo en festivos."
    assert reasons(quote, "El comedor abre a las 13:00.") == []
