"""Text of documents, people and models made harmless for where it is shown.

Blocks of ours carry such text in `rich_text` elements only, which Slack shows as they are: no markup, mention or
address in them is interpreted. `mrkdwn` is for the places that have no other form (a message's `text`).
"""

from __future__ import annotations

import re

_LINE_ENDS = re.compile("\r\n?|[\x85\u2028\u2029\v\f]")

_UNSEEN = re.compile(
    "["
    "\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f"  # control characters, escape among them
    "\xad"  # soft hyphen
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # direction marks, embeddings, overrides, isolates
    "\u200b\u2060-\u2064\u206a-\u206f\ufeff"  # zero width, invisible operators
    "\ufff9-\ufffb"  # interlinear annotation
    "\U000e0000-\U000e007f"  # tags: text that only a model reads
    "]"
)
_SURROGATES = re.compile("[\ud800-\udfff]")

# Slack has no escape for its own formatting. A sign that could open or close it is replaced by one that looks the
# same; inside a word (`SAP_2024_X`) it formats nothing and stays.
_LOOKALIKES = {"*": "∗", "_": "ˍ", "~": "∼"}
_FORMATTING = re.compile(r"(?<![^\W_])[*_~]+(?=[^\s])|(?<=[^\s])[*_~]+(?![^\W_])")
_QUOTE_LINE = re.compile(r"^([ \t]*)>", re.MULTILINE)
_EMOJI = re.compile(r":(?=[\w+'-]*[a-zA-Z+][\w+'-]*:)")
_BROADCAST = re.compile(r"@(?=\w)")
_SCHEME = re.compile(r"(?<=\w):(?=//)|(?<=mailto):", re.IGNORECASE)
_DOMAIN = re.compile(r"(?<=[\w-])\.(?=[^\W\d_]{2,})")
_JOINER = "\u2060"


def plain(text: str) -> str:
    """The text without what is not seen: control and direction characters, zero-width signs, lone surrogates.

    Line breaks (all kinds, as `\\n`) and tabs stay, as do the joiners that emoji and Persian need.
    """
    return _SURROGATES.sub("\ufffd", _UNSEEN.sub("", _LINE_ENDS.sub("\n", text)))


def one_line(text: str) -> str:
    """`plain`, with every run of white space as one space: for titles and names."""
    return " ".join(plain(text).split())


def mrkdwn(text: str) -> str:
    """The text as Slack's mrkdwn that shows exactly it: no mention, link, formatting, quote or emoji comes to be.

    Signs that Slack offers no escape for are replaced by lookalikes or parted by a word joiner, where they would act.
    """
    text = plain(text)
    text = _QUOTE_LINE.sub(r"\1›", text)
    text = text.replace("`", "ˋ")
    text = _FORMATTING.sub(lambda match: "".join(_LOOKALIKES[sign] for sign in match.group()), text)
    text = _SCHEME.sub(":" + _JOINER, text)
    text = _EMOJI.sub("꞉", text)
    text = _BROADCAST.sub("@" + _JOINER, text)
    text = _DOMAIN.sub("." + _JOINER, text)
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
