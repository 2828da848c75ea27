"""`assistant.threads.*` and `agents.sessions.*`: status, title, suggested prompts, sessions."""

from bot.standin import limits
from bot.standin.api.registry import Backstage, answers
from bot.standin.arguments import Arguments
from bot.standin.model import AgentSession, Channel, ChannelKind, Json, SuggestedPrompts
from bot.standin.problems import ApiError, Problem

SESSION_STATUSES = ("active", "processing", "suspended", "closed")


@answers("assistant.threads.setStatus")
def set_status(backstage: Backstage, args: Arguments) -> Json:
    """Show what the bot is doing, under a thread; empty text takes it away."""
    channel = _joined(backstage, args)
    messages = args.json("loading_messages") or []
    if len(messages) > limits.LOADING_MESSAGES:
        raise _too_many("loading_messages", limits.LOADING_MESSAGES)
    thread_ts = args.text("thread_ts")
    if backstage.workspace.message(channel.id, thread_ts) is None and channel.kind is not ChannelKind.IM:
        raise ApiError("invalid_thread_ts")
    backstage.workspace.set_status(channel.id, thread_ts, args.text("status"), tuple(messages))
    return {}


@answers("assistant.threads.setSuggestedPrompts")
def set_suggested_prompts(backstage: Backstage, args: Arguments) -> Json:
    """Offer up to four prompts."""
    channel = _joined(backstage, args)
    if not backstage.app.is_agent:
        raise ApiError("not_agent_app")
    prompts = args.json("prompts")
    if len(prompts) > limits.SUGGESTED_PROMPTS:
        raise _too_many("prompts", limits.SUGGESTED_PROMPTS)
    if not all(isinstance(prompt, dict) and prompt.get("title") and prompt.get("message") for prompt in prompts):
        problem = Problem("missing required field: title or message", "/prompts")
        raise ApiError("invalid_arguments", problems=[problem], is_violation=True)
    offered = tuple((str(prompt["title"]), str(prompt["message"])) for prompt in prompts)
    backstage.workspace.prompts.append(
        SuggestedPrompts(channel.id, args.optional("thread_ts"), args.text("title"), offered)
    )
    backstage.workspace.touched()
    return {}


@answers("assistant.threads.setTitle")
def set_title(backstage: Backstage, args: Arguments) -> Json:
    """Name a thread in the person's list of conversations."""
    channel = _joined(backstage, args)
    backstage.workspace.titles[channel.id, args.text("thread_ts")] = args.text("title")
    backstage.workspace.touched()
    return {}


@answers("agents.sessions.setStatus")
def set_session_status(backstage: Backstage, args: Arguments) -> Json:
    """Set a session's status; the first call creates the session."""
    channel, thread_ts = _session_place(backstage, args)
    status = args.text("status")
    if status not in SESSION_STATUSES:
        raise ApiError("invalid_status", is_violation=True)
    initiator = args.optional("initiator_user_id")
    if initiator and initiator not in channel.members:
        raise ApiError("user_not_found")
    _require_short(args.text("title"))
    sessions = backstage.workspace.sessions
    session = sessions.get((channel.id, thread_ts))
    if session is None:
        session = sessions[channel.id, thread_ts] = AgentSession(channel.id, thread_ts, status, args.text("title"))
    session.status = status
    session.history.append(status)
    backstage.workspace.touched()
    body: Json = {"status": status, "agent_status": status, "title": session.title}
    if status == "processing" and not backstage.app.is_subscribed("agent_session_stopped"):
        body["warning"] = "missing_agent_session_stopped_event_subscription"
    return body


@answers("agents.sessions.rename")
def rename_session(backstage: Backstage, args: Arguments) -> Json:
    """Rename a session that exists."""
    channel, thread_ts = _session_place(backstage, args)
    title = args.text("title")
    if not title:
        raise ApiError("invalid_name", is_violation=True)
    _require_short(title)
    session = backstage.workspace.sessions.get((channel.id, thread_ts))
    if session is None:
        raise ApiError("session_not_found")
    session.title = title
    backstage.workspace.touched()
    return {"title": title}


def _joined(backstage: Backstage, args: Arguments) -> Channel:
    channel = backstage.channel(args.text("channel_id"))
    if not backstage.is_member(channel):
        raise ApiError("channel_not_found")
    return channel


def _session_place(backstage: Backstage, args: Arguments) -> tuple[Channel, str]:
    channel = backstage.channel(args.text("channel_id"))
    if not backstage.app.is_agent:
        raise ApiError("feature_disabled")
    if not backstage.is_member(channel):
        raise ApiError("not_authorized") if args.method.name.endswith("setStatus") else ApiError("channel_not_found")
    if not args.text("thread_ts"):
        raise ApiError("thread_ts_required", is_violation=True)
    return channel, args.text("thread_ts")


def _require_short(title: str) -> None:
    if len(title) > limits.SESSION_TITLE:
        problem = Problem(f"must be less than {limits.SESSION_TITLE + 1} characters", "/title")
        raise ApiError("invalid_arguments", problems=[problem], is_violation=True)


def _too_many(name: str, most: int) -> ApiError:
    problem = Problem(f"no more than {most} items allowed", f"/{name}")
    return ApiError("invalid_arguments", problems=[problem], is_violation=True)
