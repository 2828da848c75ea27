"""The Slack app as its settings page knows it: ids, tokens, scopes, subscriptions, features."""

from dataclasses import dataclass

from bot.standin.model import Json

ALL_SCOPES = frozenset(
    [
        "app_mentions:read",
        "assistant:write",
        "channels:history",
        "channels:read",
        "chat:write",
        "chat:write.customize",
        "chat:write.public",
        "commands",
        "groups:history",
        "groups:read",
        "im:history",
        "im:read",
        "im:write",
        "mpim:history",
        "mpim:read",
        "mpim:write",
        "reactions:read",
        "reactions:write",
        "team:read",
        "usergroups:read",
        "users:read",
        "users:read.email",
    ]
)


@dataclass(frozen=True, slots=True)
class AppConfig:
    """One installed app. `events` of None means: subscribed to everything; the same for `commands`."""

    app_id: str = "A0TESTIGO"
    name: str = "testigo"
    bot_user_id: str = "U0TESTIGO"
    bot_id: str = "B0TESTIGO"
    bot_token: str = "xoxb-0-0-standin"  # noqa: S105 - a token of the stand-in, valid nowhere else
    app_token: str = "xapp-1-A0TESTIGO-0-standin"  # noqa: S105
    signing_secret: str = "standin-signing-secret"  # noqa: S105
    verification_token: str = "standin-verification-token"  # noqa: S105
    scopes: frozenset[str] = ALL_SCOPES
    app_scopes: frozenset[str] = frozenset({"connections:write"})
    events: frozenset[str] | None = None
    commands: frozenset[str] | None = None
    home_tab: bool = True
    messages_tab: bool = True
    is_agent: bool = True

    @classmethod
    def from_manifest(cls, manifest: Json) -> "AppConfig":
        """Read scopes, events, commands and features from an app manifest (parsed from YAML or JSON)."""
        features: Json = manifest.get("features") or {}
        home: Json = features.get("app_home") or {}
        settings: Json = manifest.get("settings") or {}
        subscriptions: Json = settings.get("event_subscriptions") or {}
        scopes: Json = (manifest.get("oauth_config") or {}).get("scopes") or {}
        return cls(
            name=str((features.get("bot_user") or {}).get("display_name") or "testigo"),
            scopes=frozenset(scopes.get("bot") or ()),
            events=frozenset(subscriptions.get("bot_events") or ()),
            commands=frozenset(command["command"] for command in features.get("slash_commands") or ()),
            home_tab=bool(home.get("home_tab_enabled")),
            messages_tab=bool(home.get("messages_tab_enabled")),
            is_agent="agent_view" in features or "assistant_view" in features,
        )

    def is_subscribed(self, event_name: str) -> bool:
        """Whether Slack would send this event: `app_mention`, `message.im`, `user_change`…"""
        return self.events is None or event_name in self.events
