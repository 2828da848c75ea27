"""What is taken out and what stays, as tables. The tokens are made here: none was ever in use."""

from __future__ import annotations

import pytest

from core.domain.redaction import DEFAULT_POLICY, SensitiveKind
from core.redaction import redact_text

PLACEHOLDERS = {
    SensitiveKind.SECRET: "[redacted: secret]",
    SensitiveKind.CARD: "[redacted: card]",
    SensitiveKind.IBAN: "[redacted: IBAN]",
    SensitiveKind.NATIONAL_ID: "[redacted: national id]",
    SensitiveKind.PHONE: "[redacted: phone]",
    SensitiveKind.EMAIL: "[redacted: e-mail]",
}

# Joined here, so that no scanner of repositories takes them for real.
TOKENS = {
    "AWS": "AKIA" + "Z7QWERTYUIOP3456",
    "GitHub": "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5",
    "GitHub, fine-grained": "github_pat_" + "11AAB3D5F7_aB3dE5fG7hJ9kL1mN3",
    "GitLab": "glpat-" + "aB3dE5fG7hJ9kL1mN3pQ",
    "Atlassian": "ATATT3" + "xFfGF0aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5b=7C2D4E",
    "Slack": "xoxb-" + "123456789012-1234567890123-aB3dE5fG7hJ9kL1mN3pQ5rS7",
    "Slack webhook": "https://hooks.slack.com/services/" + "T0A1B2C3D/B0A1B2C3D/aB3dE5fG7hJ9kL1mN3pQ5rS7",
    "Anthropic": "sk-ant-" + "api03-aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5",
    "OpenAI": "sk-proj-" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5bC7dE9fG1",
    "Google": "AIza" + "SyA1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q",
    "Stripe": "sk_live_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7",
    "SendGrid": "SG." + "aB3dE5fG7hJ9kL1mN3pQ5r.aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5bC7dE9f",
    "JWT": "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
    "npm": "npm_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5",
    "Telegram": "123456789:" + "AAaB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3",
}

REDACTED = [
    (SensitiveKind.IBAN, "Ingresa en ES91 2100 0418 4502 0005 1332 antes del día 5.", "ES91 2100 0418 4502 0005 1332"),
    (SensitiveKind.IBAN, "IBAN: IE29AIBK93115212345678", "IE29AIBK93115212345678"),
    (SensitiveKind.IBAN, "iban es9121000418450200051332", "es9121000418450200051332"),
    (SensitiveKind.IBAN, "DE89-3704-0044-0532-0130-00 BIC COBADEFF", "DE89-3704-0044-0532-0130-00"),
    (SensitiveKind.CARD, "Tarjeta de empresa 4111 1111 1111 1111, caduca 09/27", "4111 1111 1111 1111"),
    (SensitiveKind.CARD, "card 5500-0055-5555-5559.", "5500-0055-5555-5559"),
    (SensitiveKind.CARD, "Amex 3782 822463 10005", "3782 822463 10005"),
    (SensitiveKind.CARD, "pagado con 4012888888881881", "4012888888881881"),
    (SensitiveKind.NATIONAL_ID, "DNI 12345678Z", "12345678Z"),
    (SensitiveKind.NATIONAL_ID, "con DNI n.º 12.345.678-Z, vecina de Valencia", "12.345.678-Z"),
    (SensitiveKind.NATIONAL_ID, "NIF: 12345678 z", "12345678 z"),
    (SensitiveKind.NATIONAL_ID, "su NIE es X-1234567-L", "X-1234567-L"),
    (SensitiveKind.NATIONAL_ID, "SSN 536-90-4399", "536-90-4399"),
    (SensitiveKind.NATIONAL_ID, "Social Security number: 536904399", "536904399"),
    (SensitiveKind.SECRET, "Password: Verano2026", "Verano2026"),
    (SensitiveKind.SECRET, "La contraseña del wifi de invitados es Alm3ndro!2026.", "Alm3ndro!2026"),
    (SensitiveKind.SECRET, "Contraseña del wifi: k7Tq-9fRx", "k7Tq-9fRx"),
    (SensitiveKind.SECRET, "Clave de acceso: T0rre!Norte", "T0rre!Norte"),
    (SensitiveKind.SECRET, 'DB_PASSWORD="s3cr3t/pass"', "s3cr3t/pass"),
    (SensitiveKind.SECRET, "spring.datasource.password=Zx81kk02", "Zx81kk02"),
    (SensitiveKind.SECRET, '{"api_key": "9f8e7d6c5b4a39281706f5e4d3c2b1a0"}', "9f8e7d6c5b4a39281706f5e4d3c2b1a0"),
    (SensitiveKind.SECRET, "client-secret: q8R~vX2.pL0sT7uW", "q8R~vX2.pL0sT7uW"),
    (SensitiveKind.SECRET, "postgres://app:Kq82hs!x@db.almendro.example:5432/app", "Kq82hs!x"),
    (
        SensitiveKind.SECRET,
        "Authorization: Bearer 8f14e45fceea167a5a36dedd4bea2543",
        "8f14e45fceea167a5a36dedd4bea2543",
    ),
    *((SensitiveKind.SECRET, f"Usa {token} en el entorno.", token) for token in TOKENS.values()),
]

KEPT = [
    "Contraseña: 14 caracteres como mínimo, sin caducidad.",
    "password: 14 caracteres",
    "The password is 14 characters long and never expires.",
    "Password policy: see MP-2026-01, version 3.2.1.",
    "La contraseña es obligatoria y la clave es Personal.",
    "Passwords: minimum 12 characters; hashing: SHA-256 or bcrypt-12.",
    "Password hashing: argon2id-v1.3",
    "password: <your-password>",
    "export TOKEN=${SLACK_TOKEN}",
    'password = os.environ["DB_PASSWORD"]',
    "password = get_password(user)",
    "Password: ********",
    "Reset your password: https://almendro.example/reset/2026",
    "Token: 15 minutos de validez",
    "API key: pídela a sistemas@almendro.example",
    "Secret: confidential. Not secret: public.",
    "La contraseña es Case-Sensitive",
    "Contraseña: guia-vpn-v2.pdf",
    "Pedido 4111 1111 1111 1111",
    "Tracking number: 4012888888881881",
    "https://shop.example/orders/4012888888881881",
    "Order #4111111111111111 was sent.",
    "El pedido n.º 4012888888881881 salió ayer.",
    "EAN 8412345678905 y 4006381333931",
    "Tarjeta 4111 1111 1111 1112",  # Luhn's digit is wrong
    "Versión 12.34.5678.9012",
    "commit 9f8e7d6c5b4a39281706f5e4d3c2b1a09f8e7d6c",
    "sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "pageId=1200021&spaceKey=MAN",
    "https://almendro.example/wiki/spaces/MAN/pages/1200021",
    "550e8400-e29b-41d4-a716-446655440000",
    "Pieza 12345678Z y lote X1234567L",
    "Ref. 12345678-Z",
    "DNI 12345678A",  # the letter is wrong
    "20261231T101500",
    "Part 536-90-4399",
    "Del 2026-03-01 al 2026-12-31, de 09:00 a 18:30.",
    "ES91 2100 0418 4502 0005 1333",  # the check digits are wrong
    "AB12 the next of many words in order",
    "Presupuesto: 1.234.567,89 € (2025: 1.100.000,00 €)",
    "The file begins with -----BEGIN RSA PRIVATE KEY----- and ends with -----END RSA PRIVATE KEY-----.",
    "git clone https://user:password@git.example/repo.git",
    "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "A risk-based approach to task-management",
    "Llama al 961 234 567 o escribe a rrhh@almendro.example.",
]


@pytest.mark.parametrize(("kind", "text", "sensitive"), REDACTED, ids=[text[:40] for _, text, _ in REDACTED])
def test_sensitive_text_is_replaced_by_its_kind_and_nothing_else_is(
    kind: SensitiveKind, text: str, sensitive: str
) -> None:
    redacted, count = redact_text(text, DEFAULT_POLICY)
    assert redacted == text.replace(sensitive, PLACEHOLDERS[kind])
    assert count == {kind: 1}


@pytest.mark.parametrize("text", KEPT, ids=[text[:40] for text in KEPT])
def test_what_only_looks_sensitive_stays(text: str) -> None:
    assert redact_text(text, DEFAULT_POLICY) == (text, {})


@pytest.mark.parametrize(
    ("kind", "text", "sensitive"),
    [
        (SensitiveKind.PHONE, "Llama al 961 23 45 67.", "961 23 45 67"),
        (SensitiveKind.PHONE, "Tel. +353 1 234 5678", "+353 1 234 5678"),
        (SensitiveKind.PHONE, "móvil: 612345678", "612345678"),
        (SensitiveKind.EMAIL, "Escribe a rrhh@almendro.example.", "rrhh@almendro.example"),
    ],
)
def test_phones_and_addresses_go_only_when_asked_for(kind: SensitiveKind, text: str, sensitive: str) -> None:
    assert redact_text(text, DEFAULT_POLICY)[0] == text
    assert redact_text(text, frozenset({kind})) == (text.replace(sensitive, PLACEHOLDERS[kind]), {kind: 1})


@pytest.mark.parametrize("text", ["Pedido 961234567", "Del 01-03-2026 al 31-12-2026", "Ref. 612345678", "1.234.567 €"])
def test_other_numbers_are_no_phones(text: str) -> None:
    assert redact_text(text, frozenset({SensitiveKind.PHONE}))[0] == text


@pytest.mark.parametrize(("kind", "text", "sensitive"), REDACTED[:24:4])
def test_a_kind_that_is_kept_stays(kind: SensitiveKind, text: str, sensitive: str) -> None:
    assert redact_text(text, DEFAULT_POLICY - {kind}) == (text, {})
