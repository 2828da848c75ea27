from __future__ import annotations

import pytest

from core.retrieval.codes import codes_of, held, holding
from tests.unit.retrieval.passages import passage


@pytest.mark.parametrize(
    ("question", "codes"),
    [
        ("What does ERR-4012 mean?", {"err4012"}),
        ("¿Qué hago con el código WMS-79?", {"wms79"}),
        ("err4012 again", {"err4012"}),
        ("How many days in 2026?", set()),
        ("What is C++ or B2B or a 4x4?", set()),
        ("see page 12-14", set()),
    ],
)
def test_codes_are_letters_with_a_number(question: str, codes: set[str]) -> None:
    assert codes_of(question) == codes


def test_a_passage_about_another_code_is_left_out() -> None:
    right = passage("a#s0-p1", "ERR-4012: the spooler is blocked.")
    other = passage("b#s0-p1", "ERR-4013: the printer is out of paper.")
    assert holding(codes_of("What does err 4012 mean? ERR-4012"), [other, right]) == [right]
    assert holding(codes_of("What does ERR-4099 mean?"), [other, right]) == []
    assert holding(frozenset(), [other, right]) == [other, right]


def test_a_passage_under_the_heading_of_a_code_is_about_it_and_a_row_of_a_table_mentions_it() -> None:
    codes = codes_of("What do I run for ERR-4012?")
    assert held(codes, passage(title="ERR-4012: spooler blocked", text="Flush the spooler.")) == 1
    assert held(codes, passage(title="Runbook", text="ERR-4012 | Spooler blocked")) == 0.5
    assert held(codes, passage(title="ERR-4019: carrier down", text="Switch to offline labels.")) == 0
    assert held(codes_of("What do I run?"), passage(title="ERR-4012")) == 0
