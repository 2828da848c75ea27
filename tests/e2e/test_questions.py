"""Questions from every surface, over both transports."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

from bot.standin import Channel, Person, SlackStandIn, links, pings, view_text, visible_text
from core.domain.access import AudienceKind
from tests.e2e.conftest import Bot
from tests.e2e.scripted import QUOTE, abstention_to, answer_to


async def test_a_mention_is_answered_in_a_thread_under_it(
    bot: Bot, slack: SlackStandIn, ana: Person, general: Channel
) -> None:
    question = await ana.ask(general, "¿cuántas vacaciones tengo?")
    answer = await slack.wait_for_message(general, QUOTE, thread_ts=question.ts)
    await bot.idle()
    assert answer.metadata is not None and answer.metadata["event_type"] == "testigo_answer"
    assert (answer.unfurl_links, answer.unfurl_media) == (False, False)
    assert [message.ts for message in bot.said(general)] == [answer.ts]
    asked = bot.asker.questions[0]
    assert asked.text == "¿cuántas vacaciones tengo?"
    assert asked.audience.kind is AudienceKind.TENANT
    assert asked.conversation == f"{slack.workspace.home_team.id}:{general.id}:{question.ts}"
    assert any(address.startswith("https://wiki.acme.example/manual") for address, _ in links(answer))


async def test_a_mention_in_a_thread_is_answered_in_that_thread(
    bot: Bot, slack: SlackStandIn, ana: Person, ben: Person, general: Channel
) -> None:
    first = await ben.post(general, "who knows about holidays?")
    await ana.ask(general, "¿cuántas vacaciones tengo?", thread_ts=first.ts)
    await slack.wait_for_message(general, QUOTE, thread_ts=first.ts)
    await bot.idle()
    assert bot.asker.questions[0].conversation.endswith(f":{first.ts}")


async def test_a_direct_message_is_answered_in_a_thread_and_only_for_its_author(
    bot: Bot, slack: SlackStandIn, ana: Person
) -> None:
    question = await ana.dm("¿cuántas vacaciones tengo?")
    await slack.wait_for_message(ana.direct_channel(), QUOTE, thread_ts=question.ts)
    await bot.idle()
    audience = bot.asker.questions[0].audience
    assert audience.kind is AudienceKind.PERSON
    assert audience.readers[0].email == "ana@brisa-logistics.example"


async def test_a_command_is_answered_so_that_only_its_author_sees_it(
    bot: Bot, slack: SlackStandIn, ana: Person, ben: Person, general: Channel
) -> None:
    command = await ana.slash("/rag", "¿cuántas vacaciones tengo?", general)
    assert command.error is None
    answer = await slack.wait_for_message(general, QUOTE, seen_by=ana)
    await bot.idle()
    assert answer.ephemeral_to == ana.id
    assert not [message for message in ben.sees(general) if message.bot_id]
    assert bot.asker.questions[0].audience.kind is AudienceKind.PERSON


async def test_a_command_works_where_the_bot_is_not(bot: Bot, slack: SlackStandIn, ana: Person) -> None:
    secret = slack.channel("secret", ana, private=True, with_bot=False)
    await ana.slash("/rag", "¿cuántas vacaciones tengo?", secret)
    await slack.wait_for_message(secret, QUOTE, seen_by=ana)
    await bot.idle()


async def test_an_empty_question_is_answered_with_help_everywhere(
    bot: Bot, slack: SlackStandIn, ana: Person, ben: Person, general: Channel
) -> None:
    await ana.ask(general, "")
    await slack.wait_for_message(general, "Pregúntame")
    await ben.dm("   ")
    await slack.wait_for_message(ben.direct_channel(), "Ask me about")
    await ben.slash("/rag", "  ", general)
    await slack.wait_for_message(general, "Ask me about", seen_by=ben)
    await bot.idle()
    assert bot.asker.questions == []


async def test_a_question_that_is_too_long_is_refused_with_the_limit(
    bot: Bot, slack: SlackStandIn, ben: Person
) -> None:
    await ben.dm("why? " * 900)
    await slack.wait_for_message(ben.direct_channel(), "4,000")
    await bot.idle()
    assert bot.asker.questions == []


async def test_an_abstention_is_an_answer(bot: Bot, slack: SlackStandIn, ana: Person, general: Channel) -> None:
    bot.asker.script = abstention_to
    question = await ana.ask(general, "¿hay vida en Marte?")
    await slack.wait_for_message(general, "¿hay vida en Marte?", thread_ts=question.ts)
    await bot.idle()
    assert len(bot.said(general)) == 1


async def test_where_there_is_no_status_a_message_says_what_is_done_and_then_becomes_the_answer(
    bot: Bot, slack: SlackStandIn, ben: Person, general: Channel
) -> None:
    bot.post_and_edit()
    bot.asker.go_on.clear()
    question = await ben.ask(general, "how many holidays?")
    placeholder = await slack.wait_for_message(general, "passage", thread_ts=question.ts)
    bot.asker.go_on.set()
    answer = await slack.wait_for_message(general, QUOTE, thread_ts=question.ts)
    await bot.idle()
    assert placeholder.ts == answer.ts
    assert "reading" in answer.revisions[-1]


async def test_what_a_document_says_pings_nobody(bot: Bot, slack: SlackStandIn, ana: Person, general: Channel) -> None:
    """D9."""
    nasty = f"Llama a <!channel>, <!here>, {ana.mention} y <!subteam^S1> @here @channel <https://evil.example|pulsa>."
    bot.asker.script = lambda question: answer_to(question, nasty)
    await ana.ask(general, "¿a quién llamo?")
    answer = await slack.wait_for_message(general, "<!channel>")
    await bot.idle()
    assert pings(answer) == []
    assert {urlsplit(address).netloc for address, _ in links(answer)} == {"wiki.acme.example"}
    assert "link_names" not in slack.calls_of("chat.postMessage")[0].arguments


async def test_a_long_answer_arrives_whole_in_several_messages_in_order(
    bot: Bot, slack: SlackStandIn, ana: Person, general: Channel
) -> None:
    sentences = [f"Frase número {number}: " + f"palabra{number} " * 180 for number in range(12)]
    bot.asker.script = lambda question: answer_to(question, *sentences)
    question = await ana.ask(general, "¿todo?")
    await slack.wait_for_message(general, "Frase número 11", thread_ts=question.ts)
    await bot.idle()
    shown = [visible_text(message) for message in bot.said(general)]
    assert len(shown) > 1
    places = ["\n".join(shown).index(f"Frase número {number}:") for number in range(12)]
    assert places == sorted(places)


async def test_a_long_private_answer_arrives_whole_though_a_response_url_takes_five_messages(
    bot: Bot, slack: SlackStandIn, ana: Person, general: Channel
) -> None:
    sentences = [f"Frase número {number}: " + f"palabra{number} " * 250 for number in range(40)]
    bot.asker.script = lambda question: answer_to(question, *sentences)
    await ana.slash("/rag", "¿todo?", general)
    await slack.wait_for_message(general, "Frase número 39", seen_by=ana)
    await bot.idle()
    assert slack.calls_of("chat.postEphemeral")
    assert all(message.ephemeral_to == ana.id for message in bot.said(general))


async def test_a_group_conversation_is_answered_for_all_in_it(
    bot: Bot, slack: SlackStandIn, ana: Person, ben: Person
) -> None:
    together = slack.group_dm(ana, ben)
    await ana.ask(together, "¿cuántas vacaciones tengo?")
    await slack.wait_for_message(together, QUOTE)
    await bot.idle()
    audience = bot.asker.questions[0].audience
    assert audience.kind is AudienceKind.MEMBERS
    assert len(audience.readers) == 2


async def test_talk_without_the_bot_is_left_alone(
    bot: Bot, slack: SlackStandIn, ana: Person, ben: Person, general: Channel
) -> None:
    first = await ana.post(general, "¿comemos?")
    await ben.post(general, f"sí, {ana.mention}", thread_ts=first.ts)
    await slack.other_bot("deploys").post(general, f"{slack.mention} deployed")
    await bot.idle()
    assert bot.said(general) == []
    assert slack.calls_of("users.info") == []


async def test_the_home_tab_says_what_the_bot_is(bot: Bot, slack: SlackStandIn, ben: Person) -> None:
    await ben.open_home()
    await slack.wait_for_call("views.publish")
    home = await slack.wait_until(lambda: slack.workspace.homes.get(ben.id))
    assert "Ask me about" in view_text(home)
    await ben.open_home("messages")
    await bot.idle()
    assert len(slack.calls_of("views.publish")) == 1


async def test_every_kind_of_noise_is_acknowledged(
    bot: Bot, slack: SlackStandIn, ana: Person, general: Channel
) -> None:
    message = await ana.post(general, "hola")
    await slack.happens.unfurl(message)
    await ana.delete(message)
    await ana.join(general)
    await ana.leave(general)
    await ana.look_at(general)
    await ana.post(general, "Ana has set the topic", subtype="channel_topic")
    await bot.idle()
    assert all(delivery.acknowledged and len(delivery.attempts) == 1 for delivery in slack.deliveries)
    assert bot.said(general) == []


async def test_events_that_nobody_asked_for_are_acknowledged_too(tmp_path: Path) -> None:
    async with SlackStandIn() as slack:
        bot = Bot(slack, "socket", tmp_path)
        await bot.start()
        ana = slack.person("ana")
        general = slack.channel("general", ana)
        for kind in ("user_huddle_changed", "agent_session_stopped", "assistant_thread_started", "something_new"):
            await slack.happens.send_event({"type": kind, "user": ana.id, "channel": general.id})
        await slack.happens.create_usergroup("hr", [ana.user])
        await ana.react(await ana.post(general, "hola"), "tada")
        assert (await ana.slash("/unknown", "", general)).error is None
        await bot.idle()
        assert all(delivery.acknowledged and len(delivery.attempts) == 1 for delivery in slack.deliveries)
        assert len(slack.deliveries) == 8
        await bot.stop()
