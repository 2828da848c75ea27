"""What somebody typed in the page, as Slack's own client would send it."""

from __future__ import annotations

import re

from bot.standin import Workspace, escape

_NAMED = re.compile(r"(?<![\w@/])(?P<sign>[@#])(?P<name>[\w.\-]+)")
_ADDRESS = re.compile(r"https?://[^\s<>]+[^\s<>.,;:!?)\]}'\"]")
_COMMAND = re.compile(r"(?P<command>/[a-z][\w-]*)(?:\s+(?P<text>.*))?$", re.DOTALL)


def as_sent(text: str, workspace: Workspace) -> str:
    """Escape a text, and turn `@handle`, `#channel` and addresses into Slack's own marks where they name something."""
    sent = []
    end = 0
    for address in _ADDRESS.finditer(text):
        sent.append(_with_names(text[end : address.start()], workspace))
        sent.append(f"<{escape(address[0])}>")
        end = address.end()
    return "".join(sent) + _with_names(text[end:], workspace)


def as_command(text: str) -> tuple[str, str] | None:
    """Split `/rag how many days?` into the command and its text; None for what is no command."""
    match = _COMMAND.match(text.strip())
    return (match["command"], (match["text"] or "").strip()) if match else None


def _with_names(text: str, workspace: Workspace) -> str:
    handles = {user.name: user.id for user in workspace.users.values() if not user.deleted}
    channels = {
        channel.name: channel.id for channel in workspace.channels.values() if channel.kind in ("channel", "group")
    }

    def marked(match: re.Match[str]) -> str:
        sign, name = match["sign"], match["name"]
        known = handles if sign == "@" else channels
        for whole in (name, name.rstrip(".-")):
            if whole in known:
                return f"<{sign}{known[whole]}>{name[len(whole) :]}"
        return match[0]

    return _NAMED.sub(marked, escape(text))
