"""`chat.*` but for streams: posting, updating, deleting, linking."""

from bot.standin import limits
from bot.standin.api.content import Content, read_content
from bot.standin.api.registry import Backstage, answers
from bot.standin.arguments import Arguments
from bot.standin.model import Channel, ChannelKind, Json, Message
from bot.standin.problems import ApiError


def require_may_post(backstage: Backstage, channel: Channel) -> None:
    """Raise ApiError when the bot may not write there."""
    if channel.is_archived:
        raise ApiError("is_archived")
    if channel.kind is ChannelKind.IM and not backstage.app.messages_tab:
        raise ApiError("messages_tab_disabled")
    is_open = channel.kind is ChannelKind.PUBLIC and "chat:write.public" in backstage.app.scopes
    if not backstage.is_member(channel) and not is_open:
        raise ApiError("not_in_channel")


def new_bot_message(backstage: Backstage, channel: Channel, args: Arguments, content: Content) -> Message:
    """Make a message of the bot, not yet put anywhere."""
    return Message(
        ts=backstage.workspace.new_ts(),
        channel_id=channel.id,
        user=backstage.app.bot_user_id,
        text=content.text or "",
        team_id=backstage.workspace.home_team.id,
        thread_ts=args.optional("thread_ts"),
        bot_id=backstage.app.bot_id,
        app_id=backstage.app.app_id,
        username=args.optional("username"),
        blocks=content.blocks or [],
        attachments=content.attachments or [],
        metadata=content.metadata,
        unfurl_links=args.flag("unfurl_links") if args.has("unfurl_links") else None,
        unfurl_media=args.flag("unfurl_media") if args.has("unfurl_media") else None,
        reply_broadcast=args.flag("reply_broadcast"),
    )


def clear_status(backstage: Backstage, message: Message) -> None:
    """Take away the status under the thread in which the bot has now posted."""
    thread_ts = message.thread_ts or message.ts
    if backstage.workspace.status(message.channel_id, thread_ts):
        backstage.workspace.set_status(message.channel_id, thread_ts, "")


@answers("chat.postMessage")
def post_message(backstage: Backstage, args: Arguments) -> Json:
    """Post a message that everybody in the channel sees."""
    content = read_content(backstage, args)
    channel = backstage.channel(args.text("channel"))
    require_may_post(backstage, channel)
    message = backstage.workspace.add_message(new_bot_message(backstage, channel, args, content))
    clear_status(backstage, message)
    backstage.announcer.message_posted(message)
    return {"channel": channel.id, "ts": message.ts, "message": backstage.announcer.message_json(message)}


@answers("chat.postEphemeral")
def post_ephemeral(backstage: Backstage, args: Arguments) -> Json:
    """Post a message that one person sees; there is no event for it, and no way to find it again."""
    content = read_content(backstage, args)
    channel = backstage.channel(args.text("channel"))
    require_may_post(backstage, channel)
    if args.text("user") not in channel.members:
        raise ApiError("user_not_in_channel")
    message = new_bot_message(backstage, channel, args, content)
    message.ephemeral_to = args.text("user")
    backstage.workspace.add_message(message)
    return {"message_ts": message.ts}


@answers("chat.update")
def update(backstage: Backstage, args: Arguments) -> Json:
    """Change a message of the bot; blocks that are not given stay, an empty list removes them."""
    content = read_content(backstage, args, longest=limits.UPDATE_TEXT)
    channel = backstage.channel(args.text("channel"))
    message = _own_message(backstage, channel, args.text("ts"), "cant_update_message")
    if message.is_streaming:
        raise ApiError("streaming_state_conflict")
    before = backstage.announcer.message_json(message)
    replace_content(message, content)
    message.edited = {"user": backstage.app.bot_user_id, "ts": backstage.workspace.new_ts()}
    backstage.workspace.touched()
    backstage.announcer.message_changed(message, before)
    shown = backstage.announcer.message_json(message)
    return {"channel": channel.id, "ts": message.ts, "text": shown["text"], "message": shown}


def replace_content(message: Message, content: Content) -> None:
    """Put new content into a message; what was streamed into it is gone then."""
    message.revisions.append(message.text or (message.stream.markdown if message.stream else ""))
    if message.stream is not None:
        message.stream.chunks.clear()
        message.stream.final_blocks.clear()
    if content.text is not None:
        message.text = content.text
    if content.blocks is not None:
        message.blocks = content.blocks
    if content.attachments is not None:
        message.attachments = content.attachments
    if content.metadata is not None:
        message.metadata = content.metadata


@answers("chat.delete")
def delete(backstage: Backstage, args: Arguments) -> Json:
    """Delete a message of the bot."""
    channel = backstage.channel(args.text("channel"))
    message = _own_message(backstage, channel, args.text("ts"), "cant_delete_message")
    before = backstage.announcer.message_json(message)
    message.deleted = True
    backstage.workspace.touched()
    backstage.announcer.message_deleted(message, before)
    return {"channel": channel.id, "ts": message.ts}


@answers("chat.getPermalink")
def get_permalink(backstage: Backstage, args: Arguments) -> Json:
    """Give the address of a message."""
    channel = backstage.channel(args.text("channel"))
    message = backstage.workspace.message(channel.id, args.text("message_ts"))
    if message is None:
        raise ApiError("message_not_found")
    domain = backstage.workspace.home_team.domain
    address = f"https://{domain}.slack.com/archives/{channel.id}/p{message.ts.replace('.', '')}"
    if message.in_thread:
        address += f"?thread_ts={message.thread_ts}&cid={channel.id}"
    return {"channel": channel.id, "permalink": address}


def _own_message(backstage: Backstage, channel: Channel, ts: str, refusal: str) -> Message:
    message = backstage.workspace.message(channel.id, ts)
    if message is None:
        raise ApiError("message_not_found")
    if message.bot_id != backstage.app.bot_id:
        raise ApiError(refusal)
    return message
