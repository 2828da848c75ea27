"""`chat.startStream`, `appendStream`, `stopStream`: messages that grow while the person reads."""

from bot.standin import limits
from bot.standin.api.chat import clear_status, new_bot_message, require_may_post
from bot.standin.api.content import Content, read_blocks, read_metadata
from bot.standin.api.registry import Backstage, answers
from bot.standin.arguments import Arguments
from bot.standin.chunk_checks import require_valid_chunks
from bot.standin.model import Channel, ChannelKind, Json, Message, Stream, StreamState
from bot.standin.problems import ApiError


@answers("chat.startStream")
def start(backstage: Backstage, args: Arguments) -> Json:
    """Start a streamed message, with or without first content."""
    chunks = _read_chunks(args)
    channel = backstage.channel(args.text("channel"))
    require_may_post(backstage, channel)
    _require_recipient(backstage, channel, args)
    message = new_bot_message(backstage, channel, args, Content("", None, None, None))
    message.stream = Stream(
        StreamState.IN_PROGRESS,
        backstage.clock.now(),
        chunks,
        recipient_user_id=args.optional("recipient_user_id"),
        task_display_mode=args.optional("task_display_mode") or "timeline",
    )
    backstage.workspace.add_message(message)
    clear_status(backstage, message)
    backstage.announcer.message_posted(message)
    return {"channel": channel.id, "ts": message.ts}


@answers("chat.appendStream")
def append(backstage: Backstage, args: Arguments) -> Json:
    """Append to a streamed message."""
    chunks = _read_chunks(args)
    if not chunks:
        raise ApiError("no_text", is_violation=True)
    channel = backstage.channel(args.text("channel"))
    message, stream = _streamed(backstage, channel, args.text("ts"))
    if stream.state is StreamState.STOPPED:
        raise ApiError("stopped_by_user")
    if stream.state is not StreamState.IN_PROGRESS:
        raise ApiError("message_not_in_streaming_state")
    stream.chunks += chunks
    _require_block_budget(stream)
    backstage.workspace.touched()
    return {"channel": channel.id, "ts": message.ts}


@answers("chat.stopStream")
def stop(backstage: Backstage, args: Arguments) -> Json:
    """End a streamed message, with last content and blocks below it."""
    chunks = _read_chunks(args)
    blocks = read_blocks(backstage, args.json("blocks")) or []
    metadata = read_metadata(args.json("metadata"))
    channel = backstage.channel(args.text("channel"))
    message, stream = _streamed(backstage, channel, args.text("ts"))
    if stream.state not in (StreamState.IN_PROGRESS, StreamState.STOPPED):
        raise ApiError("message_not_in_streaming_state")
    before = backstage.announcer.message_json(message)
    stream.chunks += chunks
    _require_block_budget(stream)
    stream.final_blocks = blocks
    stream.state = StreamState.COMPLETED
    message.metadata = metadata
    _set_session_status(backstage, message, args.text("session_status") or "active")
    backstage.workspace.touched()
    backstage.announcer.message_changed(message, before)
    return {"channel": channel.id, "ts": message.ts, "message": backstage.announcer.message_json(message)}


def _read_chunks(args: Arguments) -> list[Json]:
    markdown = args.text("markdown_text")
    if len(markdown) > limits.MARKDOWN_TEXT:
        raise ApiError("msg_too_long", is_violation=True)
    first: list[Json] = [{"type": "markdown_text", "text": markdown}] if markdown else []
    return first + require_valid_chunks(args.json("chunks") or [])


def _require_recipient(backstage: Backstage, channel: Channel, args: Arguments) -> None:
    if channel.kind is ChannelKind.IM:
        return
    for name in ("recipient_user_id", "recipient_team_id"):
        if not args.text(name):
            raise ApiError(f"missing_{name}", is_violation=True)
    if args.text("recipient_user_id") not in backstage.workspace.users:
        raise ApiError("user_not_found")


def _require_block_budget(stream: Stream) -> None:
    if len(stream.streamed_blocks) > limits.BLOCKS_IN_MESSAGE:
        raise ApiError("msg_blocks_too_many", is_violation=True)


def _streamed(backstage: Backstage, channel: Channel, ts: str) -> tuple[Message, Stream]:
    message = backstage.workspace.message(channel.id, ts)
    if message is None:
        raise ApiError("message_not_found")
    if message.bot_id != backstage.app.bot_id:
        raise ApiError("message_not_owned_by_app")
    if message.stream is None:
        raise ApiError("message_not_in_streaming_state")
    age = backstage.clock.now() - message.stream.started_at
    if message.is_streaming and age > backstage.settings.stream_seconds:
        message.stream.state = StreamState.EXPIRED
    return message, message.stream


def _set_session_status(backstage: Backstage, message: Message, status: str) -> None:
    session = backstage.workspace.sessions.get((message.channel_id, message.thread_ts or message.ts))
    if session is not None:
        session.status = status
        session.history.append(status)
