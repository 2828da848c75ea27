import pytest

from core.domain.document import Block, BlockKind
from core.text.canonical import canonicalise
from core.text.sentences import LONGEST_UNIT, sentence_spans, split_sentences


@pytest.mark.parametrize(
    "sentences",
    [
        ["Quedan 23 días.", "Se piden con 15 días de antelación."],
        ["¿Cuánto se paga?", "¡Hasta 120 €!", "Sin excepción."],
        ["El Sr. Pérez lo aprueba.", "La Dra. Ruiz no."],
        ["Cuesta 3.500,50 € al mes.", "IVA aparte."],
        ["Véase el art. 5 y la pág. 12 del manual.", "Nada más."],
        ["Abre de 9 a. m. a 5 p. m. los lunes.", "El resto no."],
        ["La oficina de EE. UU. cierra.", "Todos a casa."],
        ["Ask J. Smith at the U.S. Office.", "He knows."],
        ["See No. 5 on Sept. 26.", "It is free."],
        ['She said "No."', "Then she left."],
        ["Use tools, e.g. Jira.", "Or not (really).", "Fine."],
        ["Version v2.0.1 is out.", "Update now!"],
        ["Wait... and see.", "Done…", "Yes."],
        ["You pay up to 30 %.", "5 days are left."],
        ["No se paga.", "“Nunca” es nunca."],
        ["第一条。", "第二条。"],
    ],
    ids=lambda sentences: sentences[0],
)
def test_sentences_are_found(sentences: list[str]) -> None:
    text = " ".join(sentences) if sentences[0].isascii() or sentences[0][0] != "第" else "".join(sentences)
    assert [text[start:end] for start, end in split_sentences(text)] == sentences


def test_a_line_break_ends_a_sentence() -> None:
    text = "Calle Mayor 1\n28001 Madrid"
    assert [text[start:end] for start, end in split_sentences(text)] == ["Calle Mayor 1", "28001 Madrid"]


def test_the_number_of_a_step_is_not_a_sentence() -> None:
    text = "3. Firma la hoja. Envíala."
    assert [text[start:end] for start, end in split_sentences(text)] == ["3. Firma la hoja.", "Envíala."]


def test_items_rows_headings_and_code_are_one_unit_each() -> None:
    canonical = canonicalise(
        [
            Block(BlockKind.HEADING, "Viajes. Gastos.", level=1),
            Block(BlockKind.LIST_ITEM, "Hotel. Hasta 120 €."),
            Block(BlockKind.TABLE_ROW, cells=("Oro. Plan.", "90 €"), table=1),
            Block(BlockKind.CODE, "a = 1. \nb = 2"),
            Block(BlockKind.PARAGRAPH, "Uno. Dos."),
        ]
    )
    assert [canonical.text[start:end] for start, end in sentence_spans(canonical)] == [
        "Viajes. Gastos.",
        "Hotel. Hasta 120 €.",
        "Oro. Plan. | 90 €",
        "a = 1. \nb = 2",
        "Uno.",
        "Dos.",
    ]


def test_a_long_item_row_or_piece_of_code_is_split() -> None:
    long = "Esta frase se repite muchas veces. " * 30
    canonical = canonicalise(
        [
            Block(BlockKind.LIST_ITEM, long),
            Block(BlockKind.TABLE_ROW, cells=("x", long), table=1),
            Block(BlockKind.CODE, "call(1)\n" * 100),
        ]
    )
    spans = sentence_spans(canonical)
    assert len(spans) > 9
    assert all(end - start <= LONGEST_UNIT for start, end in spans)
