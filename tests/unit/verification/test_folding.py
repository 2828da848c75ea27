"""One fold for both sides: presentation goes, meaning stays, and every position has its way back."""

import pytest

from core.verification.folding import fold, presentation_equal

SAME = {
    "runs of white space": ("tres días\n\n de  permiso", "tres días de permiso"),
    "no-break and thin spaces": ("10\u00a0% de\u2009descuento", "10 % de descuento"),
    "curly quotation marks": ("dijo “sí” y ‘no’", "dijo \"sí\" y 'no'"),
    "angle quotation marks": ("el «anexo»", 'el "anexo"'),
    "apostrophes": ("don’t park here", "don't park here"),
    "dashes between words": ("plan – resumen — final", "plan - resumen - final"),
    "double hyphens for a dash": ("plan -- final", "plan — final"),
    "a no-break hyphen": ("non‑refundable", "non-refundable"),
    "the dash of a range": ("de 3–5 días", "de 3-5 días"),
    "the ellipsis sign": ("y así…", "y así..."),
    "soft hyphens": ("indem\u00adnización", "indemnización"),
    "zero-width spaces": ("indem\u200bnización", "indemnización"),
    "a hyphen at a line's end": ("indemni-\nzación", "indemnización"),
    "ligatures": ("oﬃce ﬁle", "office file"),
    "full-width letters": ("ＡＢＣ", "ABC"),
    "decomposed accents": ("jornada de me\u0301dico", "jornada de médico"),
    "bold": ("es **muy** claro", "es muy claro"),
    "italics": ("es *muy* claro y _poco más_", "es muy claro y poco más"),
    "code marks": ("escriba `git pull` ahora", "escriba git pull ahora"),
    "list marks": ("- uno\n- dos", "uno dos"),
    "heading marks": ("## Permisos", "Permisos"),
    "quotation marks around a year": ("“el año 1990” fue", '"el año 1990" fue'),
}

DIFFERENT = {
    "a superscript and a digit": ("10² m", "102 m"),
    "a fraction and its digits": ("6½ días", "61/2 días"),
    "full-width digits": ("１０ días", "10 días"),
    "a minus sign and none": ("a -5 grados", "a 5 grados"),
    "a minus sign and a hyphen": ("a −5 grados", "a -5 grados"),
    "a dash that may be a sign": ("a –5 grados", "a -5 grados"),
    "a subtraction and a range": ("10−3 días", "10-3 días"),
    "inch and foot marks": ('un tubo de 5"', "un tubo de 5'"),
    "an inch mark and a prime": ('un tubo de 5"', "un tubo de 5″"),
    "percent and per mille": ("5 %", "5 ‰"),
    "currencies": ("5 €", "5 $"),
    "a space inside a number": ("1 500", "1500"),
    "a hyphen at a line's end between digits": ("10-\n20", "1020"),
    "a soft hyphen between digits": ("10\u00ad20", "1020"),
    "multiplication and emphasis": ("5*3*2", "532"),
    "a name with underscores": ("__init__", "init"),
    "a strike-through": ("~~no~~ se permite", "no se permite"),
    "letter case": ("el plan de Polish", "el plan de polish"),
    "a comparison and a quotation mark": ("> 5 días", "5 días"),
    "a link and its words": ("[aquí](https://evil.example)", "aquí"),
    "unequal and equal": ("a ≠ b", "a = b"),
    "micro and milli": ("5 µg", "5 mg"),
}


@pytest.mark.parametrize(("one", "other"), SAME.values(), ids=SAME)
def test_presentation_folds(one: str, other: str) -> None:
    assert presentation_equal(one, other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT.values(), ids=DIFFERENT)
def test_what_carries_meaning_never_folds(one: str, other: str) -> None:
    assert not presentation_equal(one, other)


@pytest.mark.parametrize("text", [one for one, _ in SAME.values()])
def test_folding_twice_changes_nothing(text: str) -> None:
    once = fold(text).text
    assert fold(once).text == once


def test_every_word_of_the_fold_leads_back_to_its_own_place() -> None:
    text = "  El **ﬁn** de la “jornada”…\n\n- es a las 15:00 (indemni-\nzación)"
    folded = fold(text)
    for word, source in {"fin": "ﬁn", "jornada": "jornada", "indemnización": "indemni-\nzación", "...": "…"}.items():
        place = folded.text.index(word)
        assert text[slice(*folded.source_span(place, place + len(word)))] == source


def test_positions_in_decomposed_text_count_its_own_code_points() -> None:
    text = "cafe\u0301 y te\u0301"
    folded = fold(text)
    assert folded.text == "café y té"
    assert text[slice(*folded.source_span(7, 9))] == "te\u0301"


def test_the_small_letter_key_is_as_long_as_the_text_even_where_a_letter_grows() -> None:
    folded = fold("İSTANBUL y Σίσυφος")
    assert len(folded.key) == len(folded.text)
