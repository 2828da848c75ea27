"""Streamed messages, driven by the SDK's own `chat_stream`."""

from typing import Any

import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.standin import ManualClock, SlackStandIn, StreamState, links, visible_text

FINAL = [{"type": "section", "text": {"type": "mrkdwn", "text": "*Sources*"}}]


async def error_of(call: object) -> str:
    with pytest.raises(SlackApiError) as caught:
        await call  # type: ignore[misc]  # any awaitable of the SDK
    return str(caught.value.response["error"])


async def test_a_stream_reads_as_all_its_chunks_and_then_its_blocks(
    slack: SlackStandIn, client: AsyncWebClient
) -> None:
    ana = slack.person("ana")
    general = slack.channel("general", ana)
    question = await ana.ask(general, "how?")
    stream = await client.chat_stream(
        channel=general.id,
        thread_ts=question.ts,
        recipient_user_id=ana.id,
        recipient_team_id=ana.user.team_id,
        buffer_size=4,
    )
    await stream.append(markdown_text="**23 days** [1](https://x.example/a)")
    half = await slack.wait_for_message(general, "23 days", finished=False)
    assert half.is_streaming
    await stream.append(chunks=[{"type": "task_update", "id": "1", "title": "Reading", "status": "complete"}])
    await stream.append(markdown_text=", _carried_ over")
    await stream.stop(blocks=FINAL)
    message = await slack.wait_for_message(general, thread_ts=question.ts)
    assert message.stream is not None and message.stream.state is StreamState.COMPLETED
    assert visible_text(message) == "Reading\n23 days 1, carried over\nSources"
    assert links(message) == [("https://x.example/a", "1")]
    assert [call.method for call in slack.calls] == [
        "chat.startStream", "chat.appendStream", "chat.appendStream", "chat.stopStream"
    ]  # fmt: skip
    assert not slack.violations


async def test_a_channel_wants_to_know_the_recipient_and_a_direct_message_does_not(
    slack: SlackStandIn, client: AsyncWebClient
) -> None:
    ana = slack.person("ana")
    general = slack.channel("general", ana)
    question = await ana.post(general, "x")
    start = client.chat_startStream(channel=general.id, thread_ts=question.ts)
    assert await error_of(start) == "missing_recipient_user_id"
    start = client.chat_startStream(channel=general.id, thread_ts=question.ts, recipient_user_id=ana.id)
    assert await error_of(start) == "missing_recipient_team_id"
    direct = await ana.dm("x")
    await client.chat_startStream(channel=direct.channel_id, thread_ts=direct.ts)
    assert len(slack.violations) == 2


async def test_nothing_is_appended_after_the_end(slack: SlackStandIn, client: AsyncWebClient) -> None:
    question = await slack.person("ana").dm("x")
    place: dict[str, Any] = {"channel": question.channel_id}
    ts = (await client.chat_startStream(**place, thread_ts=question.ts, markdown_text="a"))["ts"]
    assert await error_of(client.chat_appendStream(**place, ts=ts)) == "no_text"
    assert await error_of(client.chat_update(**place, ts=ts, text="b")) == "streaming_state_conflict"
    await client.chat_stopStream(**place, ts=ts)
    late = client.chat_appendStream(**place, ts=ts, markdown_text="b")
    assert await error_of(late) == "message_not_in_streaming_state"
    assert await error_of(client.chat_stopStream(**place, ts=ts)) == "message_not_in_streaming_state"
    await client.chat_update(**place, ts=ts, text="whole")
    [message] = slack.bot_messages(slack.workspace.channels[question.channel_id])
    assert visible_text(message) == "whole"
    assert message.revisions == ["a"]


async def test_slack_ends_a_stream_after_five_minutes(
    still_slack: SlackStandIn, still_client: AsyncWebClient, clock: ManualClock
) -> None:
    question = await still_slack.person("ana").dm("x")
    place: dict[str, Any] = {"channel": question.channel_id}
    ts = (await still_client.chat_startStream(**place, thread_ts=question.ts, markdown_text="a"))["ts"]
    await clock.advance(299)
    await still_client.chat_appendStream(**place, ts=ts, markdown_text="b")
    await clock.advance(2)
    late = still_client.chat_appendStream(**place, ts=ts, markdown_text="c")
    assert await error_of(late) == "message_not_in_streaming_state"


async def test_a_stream_is_ended_on_demand(slack: SlackStandIn, client: AsyncWebClient) -> None:
    question = await slack.person("ana").dm("x")
    stream = await client.chat_stream(channel=question.channel_id, thread_ts=question.ts, buffer_size=1)
    await stream.append(markdown_text="first")
    [message] = slack.bot_messages(slack.workspace.channels[question.channel_id])
    slack.happens.expire_stream(message)
    assert await error_of(stream.append(markdown_text="second")) == "message_not_in_streaming_state"
    assert await error_of(stream.stop()) == "message_not_in_streaming_state"
    assert visible_text(message) == "first"


async def test_the_stop_button_ends_the_streams_of_its_thread_and_tells_the_bot(
    slack: SlackStandIn, client: AsyncWebClient
) -> None:
    ana = slack.person("ana")
    question = await ana.dm("x")
    place: dict[str, Any] = {"channel": question.channel_id}
    await client.agents_sessions_setStatus(channel_id=question.channel_id, thread_ts=question.ts, status="processing")
    ts = (await client.chat_startStream(**place, thread_ts=question.ts, markdown_text="a"))["ts"]
    delivery = await ana.stop_session(question.channel_id, question.ts)
    assert delivery is not None
    assert delivery.event["streaming_message_ts"] == [ts]
    assert await error_of(client.chat_appendStream(**place, ts=ts, markdown_text="b")) == "stopped_by_user"
    await client.chat_stopStream(**place, ts=ts, session_status="active")
    session = ana.session(question.channel_id, question.ts)
    assert session is not None and session.history == ["processing", "active"]
    assert not slack.violations


async def test_a_call_takes_twelve_thousand_characters(slack: SlackStandIn, client: AsyncWebClient) -> None:
    question = await slack.person("ana").dm("x")
    place: dict[str, Any] = {"channel": question.channel_id}
    ts = (await client.chat_startStream(**place, thread_ts=question.ts))["ts"]
    await client.chat_appendStream(**place, ts=ts, markdown_text="x" * 12_000)
    assert await error_of(client.chat_appendStream(**place, ts=ts, markdown_text="x" * 12_001)) == "msg_too_long"


async def test_statuses_titles_prompts_and_sessions_are_kept(
    still_slack: SlackStandIn, still_client: AsyncWebClient, clock: ManualClock
) -> None:
    slack, client, ana = still_slack, still_client, still_slack.person("ana")
    question = await ana.dm("x")
    place: dict[str, Any] = {"channel_id": question.channel_id, "thread_ts": question.ts}
    await client.assistant_threads_setStatus(**place, status="is reading", loading_messages=["one", "two"])
    assert slack.workspace.status(question.channel_id, question.ts) == "is reading"
    await clock.advance(121)
    assert slack.workspace.status(question.channel_id, question.ts) == ""
    await client.assistant_threads_setStatus(**place, status="is writing")
    await client.chat_postMessage(channel=question.channel_id, thread_ts=question.ts, text="done")
    assert slack.workspace.status(question.channel_id, question.ts) == ""
    await client.assistant_threads_setTitle(**place, title="Holidays")
    prompts = [{"title": "Holidays", "message": "How many days?"}]
    await client.assistant_threads_setSuggestedPrompts(channel_id=question.channel_id, prompts=prompts)
    assert slack.workspace.prompts[0].prompts == (("Holidays", "How many days?"),)
    five = client.assistant_threads_setSuggestedPrompts(channel_id=question.channel_id, prompts=prompts * 5)
    assert await error_of(five) == "invalid_arguments"


async def test_a_session_is_created_renamed_and_has_four_statuses(slack: SlackStandIn, client: AsyncWebClient) -> None:
    question = await slack.person("ana").dm("x")
    place: dict[str, Any] = {"channel_id": question.channel_id, "thread_ts": question.ts}
    assert await error_of(client.agents_sessions_rename(**place, title="x")) == "session_not_found"
    created = await client.agents_sessions_setStatus(**place, status="processing", title="Trip")
    assert (created["status"], created["title"]) == ("processing", "Trip")
    await client.agents_sessions_rename(**place, title="Holidays")
    assert (await client.agents_sessions_setStatus(**place, status="active"))["title"] == "Holidays"
    assert await error_of(client.agents_sessions_setStatus(**place, status="done")) == "invalid_status"
    no_thread = client.agents_sessions_setStatus(channel_id=question.channel_id, status="active")
    assert await error_of(no_thread) == "thread_ts_required"
    long = client.agents_sessions_rename(**place, title="x" * 201)
    assert await error_of(long) == "invalid_arguments"
