"""Which sentences about a chunk are indexed, and which are not."""

from __future__ import annotations

import pytest

from core.generation.chunk_sentence import LONGEST_SENTENCE, taken_sentence

DOCUMENT = """Política de viajes 2026
El hotel en Lisboa puede costar hasta 120 euros. El código ERR-4012 sale si falta el recibo. NOMINA paga el día 25.
Escriba a viajes@acme.com o mire https://acme.com/viajes. El tope anual es de 25.000 euros.
"""


@pytest.mark.parametrize(
    "said",
    [
        "Qué gastos de hotel se pagan en los viajes de trabajo.",
        "Los hoteles de Lisboa y su tope de 120 euros en la política de viajes 2026.",
        "Qué hacer si sale el código ERR-4012 al pedir el reembolso.",
        "  What the travel policy pays for hotels in Lisbon.  ",
        "When nomina pays, on day 25 of the month, back what was spent on a trip.",
    ],
)
def test_a_plain_sentence_with_nothing_new_in_it_is_taken(said: str) -> None:
    assert taken_sentence(said, DOCUMENT) == said.strip()


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("", "nothing"),
        ("  \n ", "nothing visible"),
        ("a" * (LONGEST_SENTENCE + 1), "too long"),
        ("Hotel costs. Also the code for receipts.", "two sentences"),
        ("Hotel costs\nand more of them.", "two lines"),
        ("See https://evil.example/login for hotels.", "a link"),
        ("Hotel rules, see acme.com for more.", "a host, even one of the document"),
        ("Hotel rules: write to viajes@acme.com", "an address"),
        ("Hotel rules [here](x)", "markup"),
        ("<b>Hotel</b> rules", "a tag"),
        ("**Hotel** rules", "bold"),
        ("Hotel rules of the code ERR-4013", "a code that is not there"),
        ("Hotel rules of the code WMS-4012", "a code of another family with the same number"),
        ("The hotel may cost up to 130 euros", "another figure"),
        ("The limit is 000 euros", "a part of a figure"),
        ("The limit of trips is 12 euros", "the beginning of a figure"),
        ("Use the voucher PROMOVERANO for hotels", "a code in capitals that is not there"),
    ],
)
def test_what_is_no_plain_sentence_or_brings_something_new_is_not_taken(said: str, why: str) -> None:
    assert taken_sentence(said, DOCUMENT) is None, why


def test_invisible_characters_do_not_hide_a_link() -> None:
    assert taken_sentence("See www\u200b.evil\u200b.example for hotels", DOCUMENT) is None
