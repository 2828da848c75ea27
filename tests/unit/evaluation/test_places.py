"""Facts are found by where they stand, not by looking alike."""

from __future__ import annotations

from core.evaluation.places import holds, is_cited_at, spots
from core.evaluation.questions import Fact
from tests.unit.evaluation.made import citation, passage

IDS = {"wiki/leave": "leave", "wiki/other": "other"}
TABLE = passage("leave", "Days by country\nCountry | Days | From\nSpain | 25 | 2025\nPorto | 24 | 25", start=100)


def fact(**given: object) -> Fact:
    return Fact.model_validate({"document": "wiki/leave", **given})


def test_a_quote_is_found_whatever_its_white_space() -> None:
    split = passage("leave", "Up to 5 days\nmay be  carried over.", start=10)
    wanted = fact(quote="5 days may be carried over")
    assert holds(split, wanted, IDS)
    (spot,) = spots(wanted, [split], IDS)
    assert split.text[spot.start - 10 : spot.end - 10] == "5 days\nmay be  carried over"


def test_a_cell_is_that_of_its_row_and_column() -> None:
    wanted = fact(quote="25", row=["Spain", "25", "2025"])
    (spot,) = spots(wanted, [TABLE], IDS)
    assert TABLE.text[: spot.start - 100].endswith("Spain | ")
    assert spot.end - spot.start == 2
    assert spot.within(citation(TABLE, "Spain | 25 | 2025"))
    assert not spot.within(citation(TABLE, "Porto | 24 | 25"))


def test_the_same_words_in_another_document_or_row_are_no_hit() -> None:
    assert not holds(passage("other", "Spain | 25 | 2025"), fact(quote="25", row=["Spain", "25", "2025"]), IDS)
    assert not holds(TABLE, fact(quote="25", row=["France", "25", "2025"]), IDS)
    assert not spots(fact(quote="25 days"), [TABLE], IDS)


def test_an_alternative_is_as_good() -> None:
    other = passage("other", "Employees in Spain have 25 days.")
    wanted = fact(quote="25 days of leave", alternatives=[{"document": "wiki/other", "quote": "have 25 days"}])
    assert holds(other, wanted, IDS)
    assert not holds(TABLE, wanted, IDS)


def test_without_a_quote_the_section_decides_and_without_a_section_the_document() -> None:
    inside = passage("leave", "Ask your manager.", section_path=("Leave", "How to ask"))
    several = passage("leave", "Sick leave\n\nCall us.\n\nHow to ask\n\nAsk your manager.")
    assert holds(inside, fact(section="How to ask"), IDS)
    assert holds(several, fact(section="How to ask"), IDS)
    assert not holds(inside, fact(section="Sick leave"), IDS)
    assert holds(inside, fact(), IDS)


def test_a_citation_is_of_the_expected_place_by_document_and_section() -> None:
    inside = citation(TABLE, "Porto | 24 | 25", section_path=("Days by country",))
    assert is_cited_at(inside, fact(quote="25", section="Days by country"), IDS)
    assert not is_cited_at(inside, fact(quote="25", section="Carry-over"), IDS)
    assert not is_cited_at(inside, Fact(document="wiki/other"), IDS)


def test_a_document_that_the_index_does_not_have_is_found_nowhere() -> None:
    assert not holds(TABLE, Fact(document="wiki/gone"), IDS)
