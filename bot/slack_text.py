"""Text as Slack carries it, and text as a person wrote it."""

from __future__ import annotations

import re

_ENTITY = re.compile(r"<([^<>]*)>")
_SPACES = re.compile(r"[ \t]+")


def mentions(text: str, user_id: str) -> bool:
    """Whether a text mentions a user."""
    return re.search(rf"<@{re.escape(user_id)}(\|[^<>]*)?>", text) is not None


def escaped(text: str) -> str:
    """Escape the three characters that Slack gives a meaning to, so that nothing is a link or a ping."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def question_text(text: str, bot_user_id: str) -> str:
    """What a person wrote, without the mention of the bot and without Slack's marks.

    `<@U1|ana>` becomes `@ana`, `<#C1|general>` `#general`, `<https://x|label>` its label; `&lt;` becomes `<`.
    """

    def readable(match: re.Match[str]) -> str:
        target, _, label = match.group(1).partition("|")
        if target == f"@{bot_user_id}":
            return " "
        if target.startswith("@"):
            return f"@{label or target[1:]}"
        if target.startswith("#"):
            return f"#{label or target[1:]}"
        if target.startswith("!"):
            return f"@{(label or target[1:].partition('^')[0]).removeprefix('@')}"
        return label or target.removeprefix("mailto:")

    plain = _ENTITY.sub(readable, text)
    plain = plain.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    return _SPACES.sub(" ", plain).strip()


def mentioned_users(text: str) -> list[str]:
    """The ids of the users that a text mentions, in order."""
    return re.findall(r"<@([UW][A-Z0-9]+)(?:\|[^<>]*)?>", text)
