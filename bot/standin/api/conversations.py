"""`conversations.*`: what the bot may know about channels and read in them."""

from bot.standin import shapes
from bot.standin.api.pages import page_of
from bot.standin.api.registry import Backstage, answers
from bot.standin.arguments import Arguments
from bot.standin.model import Channel, ChannelKind, Json, Message
from bot.standin.problems import ApiError

_TYPES = {
    "public_channel": ChannelKind.PUBLIC,
    "private_channel": ChannelKind.PRIVATE,
    "im": ChannelKind.IM,
    "mpim": ChannelKind.MPIM,
}


@answers("conversations.info")
def info(backstage: Backstage, args: Arguments) -> Json:
    """Describe a conversation."""
    channel = backstage.channel(args.text("channel"))
    body = shapes.channel_json(channel, bot_user_id=backstage.app.bot_user_id)
    if args.flag("include_num_members"):
        body["num_members"] = len(channel.members)
    if args.flag("include_locale"):
        body["locale"] = "en-US"
    return {"channel": body}


@answers("conversations.members")
def members(backstage: Backstage, args: Arguments) -> Json:
    """List a conversation's members, page by page."""
    channel = backstage.channel(args.text("channel"))
    page, metadata = page_of(channel.members, args, most=backstage.settings.members_page)
    return {"members": page, "response_metadata": metadata}


@answers("conversations.replies")
def replies(backstage: Backstage, args: Arguments) -> Json:
    """Read a thread, oldest first; the thread's first message opens the first page whatever `oldest` says."""
    channel = backstage.channel(args.text("channel"))
    message = backstage.workspace.message(channel.id, args.text("ts")) if args.text("ts") else None
    if message is None or not _may_read(backstage, channel):
        raise ApiError("thread_not_found")
    thread = backstage.workspace.thread(channel.id, message.thread_ts or message.ts)
    chosen = [thread[0], *_between(thread[1:], args)]
    return _messages_page(backstage, chosen, args)


@answers("conversations.history")
def history(backstage: Backstage, args: Arguments) -> Json:
    """Read a conversation, newest first."""
    channel = backstage.channel(args.text("channel"))
    if not _may_read(backstage, channel):
        raise ApiError("not_in_channel")
    return _messages_page(backstage, _between(backstage.workspace.history(channel.id), args), args)


@answers("conversations.open")
def open_conversation(backstage: Backstage, args: Arguments) -> Json:
    """Open the direct conversation with one person or several."""
    if args.has("channel"):
        return {"channel": {"id": backstage.channel(args.text("channel")).id}}
    user_ids = [name.strip() for name in args.text("users").split(",") if name.strip()]
    if not user_ids:
        raise ApiError("users_list_not_supplied", is_violation=True)
    if len(user_ids) > 8:
        raise ApiError("too_many_users", is_violation=True)
    for user_id in user_ids:
        user = backstage.workspace.users.get(user_id)
        if user is None:
            raise ApiError("user_not_found")
        if user.deleted:
            raise ApiError("user_disabled")
    channel = backstage.workspace.direct(backstage.app.bot_user_id, *user_ids)
    if args.flag("return_im"):
        return {"channel": shapes.channel_json(channel, bot_user_id=backstage.app.bot_user_id)}
    return {"channel": {"id": channel.id}}


@answers("conversations.list")
def list_conversations(backstage: Backstage, args: Arguments) -> Json:
    """List the conversations that the bot may know of."""
    names = (args.text("types") or "public_channel").split(",")
    if any(name.strip() not in _TYPES for name in names):
        raise ApiError("invalid_types", is_violation=True)
    kinds = {_TYPES[name.strip()] for name in names}
    known = [
        channel
        for channel in backstage.workspace.channels.values()
        if channel.kind in kinds
        and (not channel.is_private or backstage.is_member(channel))
        and not (channel.is_archived and args.flag("exclude_archived"))
    ]
    page, metadata = page_of(known, args)
    shown = [shapes.channel_json(channel, bot_user_id=backstage.app.bot_user_id) for channel in page]
    return {"channels": shown, "response_metadata": metadata}


def _may_read(backstage: Backstage, channel: Channel) -> bool:
    return backstage.is_member(channel)


def _between(messages: list[Message], args: Arguments) -> list[Message]:
    oldest, latest = float(args.text("oldest") or 0), float(args.text("latest") or "inf")
    if args.flag("inclusive"):
        return [message for message in messages if oldest <= float(message.ts) <= latest]
    return [message for message in messages if oldest < float(message.ts) < latest]


def _messages_page(backstage: Backstage, messages: list[Message], args: Arguments) -> Json:
    page, metadata = page_of(messages, args, most=backstage.settings.replies_page)
    with_metadata = args.flag("include_all_metadata")
    shown = [
        shapes.message_json(message, backstage.app, backstage.workspace, with_metadata=with_metadata)
        for message in page
    ]
    body: Json = {"messages": shown, "has_more": bool(metadata["next_cursor"])}
    return body | {"response_metadata": metadata} if metadata["next_cursor"] else body
