"""Quotes become exact slices, or a named failure."""

from dataclasses import replace

import pytest

from core.domain.document import Block, BlockKind
from core.domain.evidence import Evidence, EvidencePassage, Reason, ReasonCode
from core.text.canonical import canonicalise
from core.verification import EvidenceIndex, Located, Tier
from tests.unit.verification.evidence_samples import evidence, passage, prose, table

LEAVE = prose(
    "La plantilla dispone de 23 días hábiles de vacaciones cada año natural.",
    "El saldo pendiente caduca el 31 de marzo. Quien trabaje a turnos consulta el calendario de su centro.",
)


def find(quote: str, *passages: EvidencePassage, label: str = "p1", given: Evidence | None = None) -> Located | Reason:
    given = given or evidence(*(passages or (passage(LEAVE),)))
    return EvidenceIndex(given).locate(label, quote, lambda _: None)


def slices(found: Located | Reason) -> list[str]:
    assert isinstance(found, Located), found
    return [found.passage.document_text[start:end] for start, end in found.slices]


def code(found: Located | Reason) -> ReasonCode:
    assert isinstance(found, Reason), found
    return found.code


def test_an_exact_quote_is_found_in_the_exact_tier() -> None:
    found = find("El saldo pendiente caduca el 31 de marzo.")
    assert slices(found) == ["El saldo pendiente caduca el 31 de marzo."]
    assert isinstance(found, Located)
    assert found.tier is Tier.EXACT


def test_a_quote_in_another_presentation_yields_the_document_s_own_characters() -> None:
    found = find("El **saldo pen\u00addiente**  caduca\nel 31\u00a0de marzo")
    assert slices(found) == ["El saldo pendiente caduca el 31 de marzo"]
    assert isinstance(found, Located)
    assert found.tier is Tier.PRESENTATION


@pytest.mark.parametrize(
    "quote",
    [
        "aldo pendiente caduca el 31",
        "El saldo pendiente caduca el 3",
        "El saldo pendiente cad",
        "1 de marzo. Quien trabaje a turnos",
        "dispone de 23 días hábiles de vacacione",
    ],
)
def test_a_quote_may_not_begin_or_end_inside_a_word_or_number(quote: str) -> None:
    assert code(find(quote)) is ReasonCode.SPLIT_WORD


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("La temperatura fue de -5 grados en el almacén.", "5 grados en el almacén."),
        ("El tipo aplicado en mayo fue del 4,5 % anual.", "El tipo aplicado en mayo fue del 4,5"),
        ("Es un plazo de 3–5 días laborables desde hoy.", "5 días laborables desde hoy."),
        ("The fee is $1,500.50 for each new badge.", "1,500.50 for each new badge."),
        ("The fee is $1,500.50 for each new badge.", "The fee is $1,500"),
        ("Please use only the 5″ bracket and nothing else.", "Please use only the 5"),
        ("The whole area is 10² units in size.", "The whole area is 10"),
        ("Tickets are non-refundable after the event.", "refundable after the event."),
        ("All employees can't enter the server room.", "All employees can"),
        ("It was written in C++ by the platform team.", "It was written in C"),
        ("El coste anual es de 3 millones de euros.", "El coste anual es de 3"),
        ("La plantilla disfruta de 23 días de vacaciones.", "La plantilla disfruta de 23"),
        ("Write to ana@corp.example for a new badge.", "corp.example for a new badge."),
        ("El importe es de 1 500 euros por persona.", "500 euros por persona."),
    ],
)
def test_a_sign_a_unit_or_a_joined_part_is_never_cut_from_its_number_or_word(text: str, quote: str) -> None:
    assert code(find(quote, passage(prose(text)))) is ReasonCode.SPLIT_WORD


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("Nació “el año 1990” y sigue en vigor hoy.", "Nació “el año 1990"),
        ("El plazo —cinco días— es improrrogable.", "cinco días— es improrrogable."),
        ("Consulte (en su centro) el calendario.", "en su centro) el calendario"),
    ],
)
def test_quotation_marks_dashes_and_brackets_are_good_borders(text: str, quote: str) -> None:
    assert slices(find(quote, passage(prose(text)))) == [quote]


def test_a_changed_digit_is_named_with_what_differs() -> None:
    found = find("dispone de 25 días hábiles de vacaciones")
    assert code(found) is ReasonCode.EDITED
    assert isinstance(found, Reason)
    assert "[-23-] {+25+}" in found.detail


def test_invented_words_are_named_fabricated() -> None:
    assert code(find("Se regala un perro a cada visitante del museo")) is ReasonCode.FABRICATED


def test_a_quote_stitched_from_two_sentences_is_not_accepted() -> None:
    found = find("La plantilla dispone de 23 días consulta el calendario de su centro")
    assert code(found) is ReasonCode.EDITED


def test_a_true_quote_under_the_wrong_label_is_repaired_and_says_so() -> None:
    other = passage(prose("El aparcamiento abre a las siete de la mañana."), "p2", document_id="parking")
    found = find("El saldo pendiente caduca el 31 de marzo.", passage(LEAVE), other, label="p2")
    assert isinstance(found, Located)
    assert (found.passage.label, found.repaired_from) == ("p1", "p2")


def test_a_wrongly_labelled_quote_that_stands_in_two_documents_is_ambiguous() -> None:
    copy = passage(LEAVE, "p2", document_id="copy")
    wrong = passage(prose("El aparcamiento abre a las siete de la mañana."), "p3", document_id="parking")
    found = find("El saldo pendiente caduca el 31 de marzo.", passage(LEAVE), copy, wrong, label="p3")
    assert code(found) is ReasonCode.AMBIGUOUS


def test_a_quote_that_occurs_twice_is_found_in_its_own_chunk() -> None:
    sentence = "Avise a su responsable con dos días de antelación."
    document = prose(sentence, "Otro párrafo que no dice nada de ello.", sentence)
    second = document.text.rindex(sentence)
    found = find(sentence, passage(document, chunk=(second, len(document.text))))
    assert isinstance(found, Located)
    assert found.slices == ((second, second + len(sentence)),)


@pytest.mark.parametrize("copy", range(10))
def test_the_same_paragraph_ten_times_gives_each_chunk_its_own_offsets(copy: int) -> None:
    sentence = "Cierre la puerta del laboratorio al salir."
    document = prose(*[sentence] * 10)
    block = document.blocks[copy]
    found = find(sentence, passage(document, chunk=(block.start, block.end)))
    assert isinstance(found, Located)
    assert found.slices == ((block.start, block.end),)


def test_a_quote_over_two_overlapping_chunks_is_found_in_the_document() -> None:
    text = LEAVE.text
    first = passage(LEAVE, "p1", chunk=(0, text.index("caduca") + 6))
    second = passage(LEAVE, "p2", chunk=(text.index("pendiente"), len(text)))
    for quote in ("El saldo pendiente caduca el 31 de marzo.", "El saldo  pendiente caduca el 31\u00a0de marzo."):
        assert slices(find(quote, first, second)) == ["El saldo pendiente caduca el 31 de marzo."]


def test_text_of_the_document_that_was_not_delivered_is_out_of_scope() -> None:
    found = find("Quien trabaje a turnos consulta el calendario", passage(LEAVE, chunk=(0, 71)))
    assert code(found) is ReasonCode.OUT_OF_SCOPE


def test_an_ellipsis_makes_two_quotes_each_with_its_own_offsets() -> None:
    for mark in ("…", "...", "[...]", "[…]", "(...)"):
        found = find(f"La plantilla dispone de 23 días hábiles {mark} cada año natural.")
        assert slices(found) == ["La plantilla dispone de 23 días hábiles", "cada año natural."]


def test_parts_around_an_ellipsis_must_stand_in_order() -> None:
    assert code(find("de vacaciones cada año natural … La plantilla dispone de 23 días")) is ReasonCode.EDITED


def test_parts_around_an_ellipsis_must_stand_in_one_section() -> None:
    document = canonicalise(
        [
            Block(BlockKind.HEADING, "Verano", level=1),
            Block(BlockKind.PARAGRAPH, "La jornada termina a las tres de la tarde."),
            Block(BlockKind.HEADING, "Invierno", level=1),
            Block(BlockKind.PARAGRAPH, "La oficina abre también los sábados por la mañana."),
        ]
    )
    found = find("La jornada termina a las tres … los sábados por la mañana.", passage(document))
    assert code(found) is ReasonCode.EDITED


def test_each_part_around_an_ellipsis_needs_its_own_length() -> None:
    assert code(find("La plantilla … natural.")) is ReasonCode.TOO_SHORT


def test_an_ellipsis_that_the_document_itself_has_is_one_quote() -> None:
    document = prose("El saldo… caduca siempre en primavera.")
    assert slices(find("El saldo... caduca siempre", passage(document))) == ["El saldo… caduca siempre"]


def test_a_short_quote_is_refused_unless_it_is_a_whole_cell_or_a_code() -> None:
    document = table(["Sede", "Días"], ["Burgos", "24 días"], ["Vigo", "26 días"])
    assert slices(find("24 días", passage(document))) == ["24 días"]
    assert code(find("24", passage(document))) is ReasonCode.TOO_SHORT
    assert code(find("caduca el 31")) is ReasonCode.TOO_SHORT


def test_a_cell_that_two_rows_share_must_be_quoted_with_its_row() -> None:
    document = table(["Sede", "Días"], ["Burgos", "24 días"], ["Vigo", "24 días"])
    assert code(find("24 días", passage(document))) is ReasonCode.AMBIGUOUS


def test_a_code_is_evidence_in_its_own_letters_only() -> None:
    document = passage(prose("Rellene el impreso RH-22b antes de viajar."))
    assert slices(find("RH-22b", document)) == ["RH-22b"]
    assert isinstance(find("RH-22B", document), Reason)
    assert isinstance(find("RH-22", document), Reason)


def test_the_case_of_a_name_or_code_is_never_folded() -> None:
    document = passage(prose("Pida el acceso a US Payroll en el portal de Apple."))
    assert code(find("Pida el acceso a us Payroll en el portal", document)) is ReasonCode.EDITED
    assert code(find("acceso a US Payroll en el portal de apple", document)) is ReasonCode.EDITED


def test_the_first_word_of_a_sentence_may_lose_or_gain_its_capital() -> None:
    assert slices(find("la plantilla dispone de 23 días")) == ["La plantilla dispone de 23 días"]
    assert slices(find("Dispone de 23 días hábiles")) == ["dispone de 23 días hábiles"]


def test_a_line_all_in_capitals_may_be_quoted_in_small_letters() -> None:
    document = passage(prose("QUEDA PROHIBIDO FUMAR EN TODO EL EDIFICIO"))
    assert slices(find("Queda prohibido fumar en todo el edificio", document)) == [document.document_text]


def test_a_hyphen_at_a_line_s_end_may_belong_to_the_word_or_not() -> None:
    document = passage(
        "El contrato marco es de larga dura-\nción y está bien esta-\nblecido en la cláusula socio-\neconómica."
    )
    assert slices(find("es de larga duración y está bien establecido", document)) == [
        "es de larga dura-\nción y está bien esta-\nblecido"
    ]
    assert slices(find("bien establecido en la cláusula socio-económica", document)) == [
        "bien esta-\nblecido en la cláusula socio-\neconómica"
    ]


def test_quotation_marks_around_the_whole_quote_do_not_matter() -> None:
    assert slices(find("«El saldo pendiente caduca el 31 de marzo»")) == ["El saldo pendiente caduca el 31 de marzo"]


def test_a_label_that_was_not_delivered_is_out_of_scope() -> None:
    for label in ("p7", "P1", " p1", "", "999"):
        assert code(find("El saldo pendiente caduca el 31 de marzo.", label=label)) is ReasonCode.OUT_OF_SCOPE


def test_the_header_row_delivered_beside_a_chunk_can_be_quoted() -> None:
    document = table(["Sede de trabajo", "Días al año"], ["Burgos", "24"], ["Vigo", "26"])
    row = document.blocks[2]
    given = passage(document, chunk=(row.start, row.end), header=(document.blocks[0].start, document.blocks[0].end))
    assert slices(find("Sede de trabajo | Días al año", given)) == ["Sede de trabajo | Días al año"]


def test_passages_are_folded_once_for_an_evidence() -> None:
    given = passage(LEAVE)
    index = EvidenceIndex(evidence(given))
    assert index.folded(given, 0, 50) is index.folded(replace(given, label="p9"), 0, 50)
