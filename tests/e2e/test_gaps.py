"""Gaps (issue 8, item 3): who may see what was not answered, whose questions are in it, and what is named with them."""

from __future__ import annotations

import csv
import io

import pytest

from bot.rendering.answer_buttons import FEEDBACK_ACTION
from bot.standin import Channel, Person, SlackStandIn, visible_text
from tests.e2e.after import Company, company
from tests.e2e.conftest import Bot
from tests.e2e.real import SALARY_QUESTION, groups, recorded
from tests.unit.pipeline.shelf import HOLIDAY_QUESTION

CANTEEN = "How much is the lunch menu of the canteen?"
CANTEEN_AGAIN = "How much is lunch in the canteen?"
DENIED = "administrators"


@pytest.fixture
async def firm(socket_bot: Bot, ana: Person, ben: Person) -> Company:
    """Ana is an admin and in HR; Ben is neither."""
    socket_bot.overrides |= {"gaps": True, "admin_users": ("ana@brisa-logistics.example",)}
    made = company(socket_bot)
    socket_bot.groups.groups = groups(socket_bot.folder, hr=["ana"])
    await socket_bot.start()
    return made


async def listed(firm: Company, person: Person, channel: Channel, text: str = "") -> str:
    """What `/rag-gaps` shows to somebody, and nobody else sees."""
    before = {m.ts for m in firm.bot.said(channel)}
    await person.slash("/rag-gaps", text, channel)
    await firm.bot.idle()
    shown = [m for m in firm.bot.said(channel) if m.ts not in before]
    assert all(m.ephemeral_to == person.id for m in shown)
    return "\n".join(visible_text(m) for m in shown)


async def ask(firm: Company, person: Person, channel: Channel, *questions: str) -> None:
    for question in questions:
        await person.ask(channel, question)
        await firm.bot.idle()


async def test_what_was_not_answered_is_listed_by_what_it_is_about_with_counts_and_no_names(
    firm: Company, ana: Person, ben: Person, general: Channel
) -> None:
    await ask(firm, ben, general, CANTEEN, HOLIDAY_QUESTION)
    await ask(firm, ana, general, CANTEEN_AGAIN)
    text = await listed(firm, ana, general)
    assert "preguntado 2 veces por 2 personas" in text
    assert "2 veces sin respuesta" in text
    assert text.count("canteen") == 1
    assert "holiday" not in text
    assert "ben" not in text.casefold().split()
    assert ben.id not in text


async def test_only_an_admin_of_this_moment_sees_it_and_the_attempt_is_recorded(
    firm: Company, ana: Person, ben: Person, general: Channel
) -> None:
    await ask(firm, ben, general, CANTEEN)
    assert "canteen" not in await listed(firm, ben, general)
    assert [e["actor"] for e in recorded(firm.bot) if e["kind"] == "denied"] == [ben.id]
    assert "canteen" in await listed(firm, ana, general)


async def test_questions_of_private_places_are_not_in_it(
    firm: Company, slack: SlackStandIn, ana: Person, ben: Person, general: Channel
) -> None:
    secret = slack.channel("works-council", ben, private=True)
    await ask(firm, ben, secret, "Who gets a severance payment when the depot closes?")
    await ben.dm("Can I bring my iguana to work?")
    await ben.slash("/rag", "Is there a gym in the tower?", general)
    await firm.bot.idle()
    text = await listed(firm, ana, general)
    for word in ("severance", "iguana", "gym"):
        assert word not in text
    assert "No se conocen lagunas" in text


async def test_an_answer_that_was_voted_down_is_in_it(
    firm: Company, ana: Person, ben: Person, general: Channel
) -> None:
    await ask(firm, ben, general, HOLIDAY_QUESTION)
    (answer,) = (m for m in firm.bot.said(general) if "show_evidence" in str(m.all_blocks))
    await ben.click(answer, FEEDBACK_ACTION, value=next(v for v in _values(answer.all_blocks) if v.startswith("bad")))
    await firm.bot.idle()
    text = await listed(firm, ana, general)
    assert "una vez no sirvió" in text
    assert "working days of holiday" in text


async def test_the_nearest_documents_are_those_that_this_admin_may_open(
    firm: Company, slack: SlackStandIn, ana: Person, ben: Person, general: Channel, socket_bot: Bot
) -> None:
    await ask(firm, ben, general, SALARY_QUESTION)
    assert "Salary bands" in await listed(firm, ana, general)
    socket_bot.groups.groups = groups(socket_bot.folder, hr=["ben"])
    assert "Salary bands" not in await listed(firm, ana, general)


async def test_it_comes_as_csv_in_which_no_cell_is_a_formula(
    firm: Company, ana: Person, ben: Person, general: Channel
) -> None:
    await ask(firm, ben, general, '=HYPERLINK("https://evil.example","canteen price?")')
    text = await listed(firm, ana, general, "csv")
    table = list(csv.reader(io.StringIO(text[text.index("question,") :])))
    assert table[0][:2] == ["question", "times"]
    assert table[1][0].startswith("'=")


async def test_without_the_setting_nothing_is_gathered(
    socket_bot: Bot, ana: Person, ben: Person, general: Channel
) -> None:
    made = company(socket_bot)
    socket_bot.groups.groups = groups(socket_bot.folder, hr=["ana"])
    await socket_bot.start()
    await ask(made, ben, general, CANTEEN)
    assert "gaps = true" in await listed(made, ana, general)


async def test_what_was_forgotten_is_gone_from_it(firm: Company, ana: Person, ben: Person, general: Channel) -> None:
    from core.store.forgetting import Forgetting

    await ask(firm, ben, general, CANTEEN)
    Forgetting(firm.desk.evidence._engine).forget("t", ben.id, also=["ben@brisa-logistics.example"])
    assert "canteen" not in await listed(firm, ana, general)


def _values(blocks: object) -> list[str]:
    if isinstance(blocks, dict):
        own = [blocks["value"]] if isinstance(blocks.get("value"), str) else []
        return own + [v for child in blocks.values() for v in _values(child)]
    return [v for child in blocks for v in _values(child)] if isinstance(blocks, list) else []
