"""The Web API methods that Testigo may call: arguments, scopes and errors, as Slack documents them.

Arguments and errors were read off `api_ref` (slack-ruby/slack-api-ref, 2026-08; a test compares them where that folder
is present), scopes off each method's page under https://docs.slack.dev/reference/methods. Anything that Slack does but
`api_ref` does not say is in `UNLISTED_ARGUMENTS` and `UNLISTED_ERRORS`, with its source.
"""

from dataclasses import dataclass
from enum import StrEnum


class ArgumentKind(StrEnum):
    """How an argument is read; `JSON` is a list or an object, or a string that holds one."""

    TEXT = "text"
    FLAG = "flag"
    NUMBER = "number"
    JSON = "json"
    TS = "ts"


class TokenKind(StrEnum):
    """Which of the app's two tokens a method wants."""

    BOT = "bot"
    APP = "app"


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a method."""

    name: str
    kind: ArgumentKind
    required: bool


@dataclass(frozen=True, slots=True)
class Method:
    """One method.

    `scopes` are all needed. `conversation_scope` (`read`, `history`) is completed by the kind of the conversation that
    is asked about: `groups:history`.
    """

    name: str
    arguments: tuple[Argument, ...]
    errors: frozenset[str]
    scopes: frozenset[str] = frozenset()
    conversation_scope: str | None = None
    token: TokenKind = TokenKind.BOT

    def argument(self, name: str) -> Argument | None:
        """Find an argument by name."""
        return next((argument for argument in self.arguments if argument.name == name), None)


COMMON_ERRORS = frozenset(
    [
        "fatal_error",
        "internal_error",
        "invalid_auth",
        "missing_scope",
        "not_allowed_token_type",
        "not_authed",
        "ratelimited",
        "request_timeout",
        "service_unavailable",
        "token_revoked",
        "account_inactive",
        "unknown_method",
        "invalid_arg_name",
    ]
)

UNLISTED_ERRORS = {
    # measured against slack.com: a required argument that is absent (github.com/brekkylab/backlot/issues/84)
    "*": frozenset({"invalid_arguments"}),
    # the page of chat.postMessage; `api_ref` has it for chat.update and chat.postEphemeral only
    "chat.postMessage": frozenset({"msg_too_long"}),
    "chat.update": frozenset({"msg_blocks_too_long"}),
    "chat.postEphemeral": frozenset({"msg_blocks_too_long"}),
    # seen with 25,221 characters in one call (github.com/hrygo/hotplex-legacy/issues/278)
    "chat.startStream": frozenset({"msg_too_long"}),
    "chat.appendStream": frozenset({"msg_too_long"}),
    "chat.stopStream": frozenset({"msg_too_long"}),
    # an unknown user is refused by name
    "views.publish": frozenset({"user_not_found"}),
    "views.open": frozenset({"view_too_large"}),
    "views.update": frozenset({"view_too_large"}),
}

UNLISTED_ARGUMENTS = {
    # slack-sdk 3.48 sends it, and docs.slack.dev/reference/methods/chat.stopStream names it
    "chat.stopStream": frozenset({"session_status"}),
}

ANY_METHOD_TAKES = frozenset({"token", "team_id"})
"""Bolt and the SDK add `team_id` (`AsyncWebClient(team_id=…)`) to any call."""


def _method(
    name: str,
    arguments: str = "",
    *,
    scopes: str = "",
    conversation: str | None = None,
    errors: str = "",
    token: TokenKind = TokenKind.BOT,
) -> Method:
    """Read `channel! limit:number blocks:json`: `!` means required, the kind follows the colon (default: text)."""
    parsed = []
    for word in arguments.split():
        label, _, kind = word.partition(":")
        parsed.append(Argument(label.rstrip("!"), ArgumentKind(kind or "text"), label.endswith("!")))
    unlisted = UNLISTED_ERRORS["*"] | UNLISTED_ERRORS.get(name, frozenset())
    return Method(
        name, tuple(parsed), frozenset(errors.split()) | unlisted, frozenset(scopes.split()), conversation, token
    )


_CONTENT = "text blocks:json attachments:json markdown_text metadata:json parse link_names:flag as_user:flag"
_LOOKS = "icon_emoji icon_url username"
_CONTENT_ERRORS = (
    "channel_not_found no_text invalid_blocks invalid_blocks_format markdown_text_conflict too_many_attachments"
)
_STREAM_ERRORS = (
    "channel_not_found no_text invalid_blocks invalid_chunks msg_blocks_too_long msg_blocks_too_many is_archived"
)
_VIEW_ERRORS = "hash_conflict duplicate_external_id"
_TRIGGER_ERRORS = "expired_trigger_id exchanged_trigger_id invalid_trigger_id duplicate_external_id"

METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        _method("auth.test"),
        _method("apps.connections.open", token=TokenKind.APP, scopes="connections:write"),
        _method(
            "chat.postMessage",
            f"channel! {_CONTENT} {_LOOKS} mrkdwn:flag reply_broadcast:flag thread_ts:ts unfurl_links:flag"
            " unfurl_media:flag",
            scopes="chat:write",
            errors=f"{_CONTENT_ERRORS} not_in_channel is_archived cannot_reply_to_message msg_blocks_too_long"
            " invalid_metadata_format metadata_too_large messages_tab_disabled",
        ),
        _method(
            "chat.update",
            f"channel! ts!:ts {_CONTENT} reply_broadcast:flag file_ids:json",
            scopes="chat:write",
            errors=f"{_CONTENT_ERRORS} message_not_found cant_update_message msg_too_long streaming_state_conflict"
            " invalid_metadata_format metadata_too_large",
        ),
        _method(
            "chat.delete",
            "channel! ts!:ts as_user:flag",
            scopes="chat:write",
            errors="channel_not_found message_not_found cant_delete_message",
        ),
        _method(
            "chat.postEphemeral",
            f"channel! user! {_CONTENT} {_LOOKS} thread_ts:ts",
            scopes="chat:write",
            errors=f"{_CONTENT_ERRORS} not_in_channel user_not_in_channel is_archived msg_too_long"
            " cannot_reply_to_message messages_tab_disabled",
        ),
        _method("chat.getPermalink", "channel! message_ts!:ts", errors="channel_not_found message_not_found"),
        _method(
            "chat.startStream",
            f"channel! thread_ts:ts chunks:json markdown_text recipient_user_id recipient_team_id task_display_mode"
            f" {_LOOKS}",
            scopes="chat:write",
            errors=f"{_STREAM_ERRORS} missing_recipient_user_id missing_recipient_team_id not_in_channel"
            " user_not_found channel_type_not_supported messages_tab_disabled",
        ),
        _method(
            "chat.appendStream",
            # documented as required, yet `chunks` serves as well
            "channel! ts!:ts markdown_text chunks:json",
            scopes="chat:write",
            errors=f"{_STREAM_ERRORS} message_not_found message_not_in_streaming_state message_not_owned_by_app"
            " stopped_by_user",
        ),
        _method(
            "chat.stopStream",
            "channel! ts!:ts markdown_text chunks:json blocks:json metadata:json session_status",
            scopes="chat:write",
            errors=f"{_STREAM_ERRORS} message_not_found message_not_in_streaming_state message_not_owned_by_app"
            " invalid_metadata_format",
        ),
        _method(
            "conversations.info",
            "channel! include_locale:flag include_num_members:flag",
            conversation="read",
            errors="channel_not_found",
        ),
        _method(
            "conversations.members",
            "channel! cursor limit:number",
            conversation="read",
            errors="channel_not_found invalid_cursor invalid_limit",
        ),
        _method(
            "conversations.replies",
            "channel! ts!:ts cursor limit:number oldest:ts latest:ts inclusive:flag include_all_metadata:flag",
            conversation="history",
            errors="channel_not_found thread_not_found invalid_cursor invalid_ts_latest invalid_ts_oldest",
        ),
        _method(
            "conversations.history",
            "channel! cursor limit:number oldest:ts latest:ts inclusive:flag include_all_metadata:flag",
            conversation="history",
            errors="channel_not_found not_in_channel invalid_cursor invalid_ts_latest invalid_ts_oldest",
        ),
        _method(
            "conversations.open",
            "channel users return_im:flag prevent_creation:flag",
            scopes="im:write",
            errors="channel_not_found user_not_found users_list_not_supplied user_disabled too_many_users",
        ),
        _method(
            "conversations.list",
            "types cursor limit:number exclude_archived:flag",
            scopes="channels:read",
            errors="invalid_cursor invalid_limit invalid_types",
        ),
        _method("users.info", "user! include_locale:flag", scopes="users:read", errors="user_not_found"),
        _method("users.lookupByEmail", "email!", scopes="users:read.email", errors="users_not_found"),
        _method("users.list", "cursor limit:number include_locale:flag", scopes="users:read", errors="invalid_cursor"),
        _method(
            "usergroups.list",
            "include_count:flag include_disabled:flag include_users:flag",
            scopes="usergroups:read",
        ),
        _method(
            "usergroups.users.list",
            "usergroup! include_disabled:flag",
            scopes="usergroups:read",
            errors="no_such_subteam",
        ),
        _method("views.open", "trigger_id interactivity_pointer view!:json", errors=_TRIGGER_ERRORS),
        _method(
            "views.push",
            "trigger_id interactivity_pointer view!:json",
            errors=f"{_TRIGGER_ERRORS} push_limit_reached not_found view_too_large",
        ),
        _method("views.update", "view_id external_id view!:json hash", errors=f"{_VIEW_ERRORS} not_found"),
        _method(
            "views.publish",
            "user_id! view!:json hash interactivity_pointer",
            errors=f"{_VIEW_ERRORS} not_enabled view_too_large",
        ),
        _method(
            "reactions.add",
            "channel! name! timestamp!:ts",
            scopes="reactions:write",
            errors="channel_not_found message_not_found already_reacted invalid_name bad_timestamp",
        ),
        _method(
            "reactions.remove",
            "name! channel timestamp:ts file file_comment",
            scopes="reactions:write",
            errors="channel_not_found message_not_found no_reaction invalid_name no_item_specified",
        ),
        _method(
            "assistant.threads.setStatus",
            f"channel_id! thread_ts!:ts status! loading_messages:json {_LOOKS}",
            scopes="chat:write",
            errors="channel_not_found invalid_thread_ts",
        ),
        _method(
            "assistant.threads.setSuggestedPrompts",
            "channel_id! prompts!:json thread_ts:ts title",
            scopes="assistant:write",
            errors="channel_not_found invalid_thread_ts not_agent_app",
        ),
        _method(
            "assistant.threads.setTitle",
            "channel_id! thread_ts!:ts title!",
            scopes="assistant:write",
            errors="channel_not_found invalid_thread_ts",
        ),
        _method(
            "agents.sessions.setStatus",
            f"channel_id! status! thread_ts:ts title initiator_user_id {_LOOKS}",
            scopes="chat:write",
            errors="channel_not_found feature_disabled invalid_status not_authorized thread_ts_required user_not_found",
        ),
        _method(
            "agents.sessions.rename",
            "channel_id! title! thread_ts:ts",
            scopes="chat:write",
            errors="channel_not_found feature_disabled invalid_name session_not_found thread_ts_required",
        ),
        _method("team.info", "domain team", scopes="team:read", errors="team_not_found"),
        _method("bots.info", "bot", scopes="users:read", errors="bot_not_found"),
    )
}
