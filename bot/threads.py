"""What in a conversation is meant for the bot: a person's own words, and in a thread what may be a follow-up."""

from __future__ import annotations

import re
import unicodedata

from bot.incoming import SlackMessage
from bot.slack_text import mentioned_users, mentions, question_text

SPOKEN = frozenset({"", "file_share", "thread_broadcast"})
"""Subtypes under which a person says something."""

_WORD = re.compile(r"[^\W_]+")
COURTESIES = frozenset(
    _WORD.findall("""
    gracias muchas mil muchisimas genial perfecto vale ok okay oki entendido claro bien muy estupendo de acuerdo hecho
    listo si no ya saludos hola buenas dias tardes buenos
    thanks thank you thx ty very much great perfect fine got it sure cool nice good done yes no yep nope hi hello all
    set cheers so a lot
    """)
)
"""Words that make a remark, and no question, when nothing else stands beside them."""


def is_spoken(message: SlackMessage, bot_user_id: str) -> bool:
    """Whether a message is something that a person says: no app, no notice of Slack, and never the bot itself."""
    return message.subtype in SPOKEN and message.is_by_person and message.user != bot_user_id and bool(message.ts)


def may_be_follow_up(message: SlackMessage, bot_user_id: str) -> bool:
    """Whether a message in a channel could be a question to the bot without a mention.

    It is a reply in a thread, speaks to nobody else by name, and asks something: "thanks" does not.
    """
    if message.is_direct or not is_spoken(message, bot_user_id):
        return False
    if not message.thread_ts or message.thread_ts == message.ts:
        return False
    if mentions(message.text, bot_user_id) or mentioned_users(message.text):
        return False
    return not is_remark(question_text(message.text, bot_user_id))


def is_remark(text: str) -> bool:
    """Whether a text asks nothing: it is empty, signs, or courtesies."""
    if "?" in text:
        return False
    plain = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(sign for sign in plain if not unicodedata.combining(sign))
    plain = re.sub(r":[a-z0-9_+-]+:", " ", plain)  # an emoji by its name
    return all(word in COURTESIES for word in _WORD.findall(plain))
