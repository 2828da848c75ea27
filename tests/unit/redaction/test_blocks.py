"""Redaction of whole documents: before the canonical text, so that offsets are true."""

from __future__ import annotations

import pytest

from core.domain.access import OPEN_TO_TENANT
from core.domain.document import Block, BlockKind, Metadata, SourceDocument
from core.domain.redaction import DEFAULT_POLICY, SensitiveKind
from core.redaction import redact_blocks, redact_document
from core.text.canonical import canonicalise

IBAN = "ES91 2100 0418 4502 0005 1332"
KEY_LINES = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\nMzEfYyjiWA4R4/M2bS1GB4t7NXp98C3S"


def paragraph(text: str) -> Block:
    return Block(BlockKind.PARAGRAPH, text)


def row(*cells: str, kind: BlockKind = BlockKind.TABLE_ROW, table: int = 0) -> Block:
    return Block(kind, cells=cells, table=table)


def test_offsets_of_the_canonical_text_are_offsets_into_what_is_left() -> None:
    blocks, count = redact_blocks([paragraph(f"Cuenta: {IBAN}."), paragraph("Se paga el día 5.")], DEFAULT_POLICY)
    canonical = canonicalise(blocks)
    last = canonical.blocks[-1]
    assert canonical.text == "Cuenta: [redacted: IBAN].\n\nSe paga el día 5."
    assert canonical.text[last.start : last.end] == "Se paga el día 5."
    assert count == {SensitiveKind.IBAN: 1}


@pytest.mark.parametrize("between", ["\u00a0", "\u2009", "\u200b", "\u00ad", "\n", "  ", "\t"])
def test_a_number_broken_by_what_the_canonical_text_drops_is_found(between: str) -> None:
    written = IBAN.replace(" ", between)
    blocks, count = redact_blocks([paragraph(f"Cuenta {written}")], DEFAULT_POLICY)
    assert "1332" not in canonicalise(blocks).text
    assert count == {SensitiveKind.IBAN: 1}


def test_cells_and_code_are_redacted_too() -> None:
    blocks = [
        row("Proveedor", "Cuenta", kind=BlockKind.TABLE_HEADER),
        row("Hielos Turia", IBAN),
        Block(BlockKind.CODE, "export A=1\nexport DB_PASSWORD='Zx81!kk02'\n"),
    ]
    redacted, count = redact_blocks(blocks, DEFAULT_POLICY)
    assert redacted[1].cells == ("Hielos Turia", "[redacted: IBAN]")
    assert redacted[2].text == "export A=1\nexport DB_PASSWORD='[redacted: secret]'"
    assert count == {SensitiveKind.IBAN: 1, SensitiveKind.SECRET: 1}


def test_a_column_of_passwords_is_known_by_its_header() -> None:
    blocks = [
        row("Sistema", "Usuario", "Contraseña", kind=BlockKind.TABLE_HEADER),
        row("WMS", "almacen1", "Turia#4521"),
        row("Correo", "info", "(en el gestor)"),
    ]
    redacted, count = redact_blocks(blocks, DEFAULT_POLICY)
    assert [block.cells for block in redacted[1:]] == [
        ("WMS", "almacen1", "[redacted: secret]"),
        ("Correo", "info", "(en el gestor)"),
    ]
    assert count == {SensitiveKind.SECRET: 1}


def test_a_password_beside_its_name_in_a_row_is_found() -> None:
    redacted, _ = redact_blocks([row("Red", "ALM-Invitados"), row("Contraseña wifi", "Turia#4521")], DEFAULT_POLICY)
    assert redacted[0].cells == ("Red", "ALM-Invitados")
    assert redacted[1].cells == ("Contraseña wifi", "[redacted: secret]")


def test_a_table_about_passwords_stays_as_it_is() -> None:
    blocks = [
        row("Cuenta", "Longitud de la contraseña", "Caducidad", kind=BlockKind.TABLE_HEADER),
        row("Oficina", "14 caracteres", "No caduca"),
        row("Administración", "20", "90 días"),
    ]
    assert redact_blocks(blocks, DEFAULT_POLICY) == (tuple(blocks), {})


def test_a_private_key_that_was_cut_into_blocks_is_taken_out_of_all_of_them() -> None:
    blocks = [
        paragraph("-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED"),
        paragraph(KEY_LINES),
        paragraph("Qx==\n-----END RSA PRIVATE KEY-----\nGuárdala."),
    ]
    redacted, count = redact_blocks(blocks, DEFAULT_POLICY)
    assert canonicalise(redacted).text == "[redacted: secret]\n\nGuárdala."
    assert count == {SensitiveKind.SECRET: 1}


def test_a_private_key_without_its_end_goes_with_all_its_lines() -> None:
    redacted, _ = redact_blocks(
        [Block(BlockKind.CODE, f"-----BEGIN PRIVATE KEY-----\n{KEY_LINES}"), paragraph("Después.")], DEFAULT_POLICY
    )
    assert KEY_LINES[:20] not in canonicalise(redacted).text
    assert redacted[1] == paragraph("Después.")


def test_numbers_of_two_cells_are_never_read_as_one() -> None:
    blocks = [row("4111 1111", "1111 1111"), row("ES91 2100 0418", "4502 0005 1332")]
    assert redact_blocks(blocks, DEFAULT_POLICY) == (tuple(blocks), {})


def test_blocks_without_anything_sensitive_are_the_same_objects() -> None:
    blocks = (paragraph("Veintitrés  días\u00a0de vacaciones."), paragraph(IBAN))
    redacted, _ = redact_blocks(blocks, DEFAULT_POLICY)
    assert redacted[0] is blocks[0]


def test_titles_and_breadcrumbs_are_redacted_and_counted() -> None:
    document = SourceDocument(
        "s",
        "1",
        Metadata(f"Cuenta {IBAN}", breadcrumbs=("Finanzas", "DNI 12345678Z")),
        (paragraph("x"),),
        OPEN_TO_TENANT,
    )
    redacted, count = redact_document(document, DEFAULT_POLICY)
    assert redacted.metadata.title == "Cuenta [redacted: IBAN]"
    assert redacted.metadata.breadcrumbs == ("Finanzas", "DNI [redacted: national id]")
    assert count == {SensitiveKind.IBAN: 1, SensitiveKind.NATIONAL_ID: 1}


def test_a_document_without_anything_sensitive_is_itself() -> None:
    document = SourceDocument("s", "1", Metadata("Vacaciones"), (paragraph("Veintitrés días."),), OPEN_TO_TENANT)
    assert redact_document(document, DEFAULT_POLICY)[0] is document
