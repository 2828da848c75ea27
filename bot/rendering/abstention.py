"""An `Abstention` as a message: that there is no answer, why, what was searched, what is nearest, whom to ask."""

from __future__ import annotations

from collections.abc import Collection

from bot.rendering import blocks
from bot.rendering.escape import one_line
from bot.rendering.links import https_link
from bot.rendering.lists import paragraph, titled_list
from bot.rendering.message import Message, message
from bot.rendering.split import cut
from bot.words import Words
from core.domain.evidence import Abstention, AbstentionReason, NearDocument

_NEAR_SHOWN = 5
_OWNERS_SHOWN = 3
_QUESTION_SHOWN = 300
_NAME_SHOWN = 150


def render_abstention(abstention: Abstention, words: Words, hosts: Collection[str], contact: str = "") -> Message:
    """Draw an abstention. `contact` is where to ask when the nearest documents name no owner."""
    near = [document for document in abstention.near if one_line(document.title)][:_NEAR_SHOWN]
    searched, advice = what_was_searched(abstention, words), whom_to_ask(abstention, words, contact)
    drawn = [
        blocks.rich(
            blocks.section(blocks.text(headline(abstention.reason, words), bold=True)),
            blocks.section(blocks.text(why(abstention.reason, words))),
        )
    ]
    if near:
        items = [blocks.section(blocks.link(https_link(document.uri, hosts), name(document))) for document in near]
        drawn += titled_list(words.nearest(), items)
    # What comes from outside (the question, names) is rich text: in plain text clients make addresses into links.
    drawn += [*paragraph(advice), *paragraph(searched, italic=True)]
    lines = [headline(abstention.reason, words), why(abstention.reason, words)]
    if near:
        lines.append(f"{words.nearest()}: " + "; ".join(name(document) for document in near))
    return message("\n".join([*lines, advice, searched]), drawn)


def headline(reason: AbstentionReason, words: Words) -> str:
    """What an abstention begins with."""
    match reason:
        case AbstentionReason.NOTHING_CHANGED:
            return words.nothing_changed()
        case AbstentionReason.DATE_NEEDED:
            return words.since_when()
        case _:
            return words.not_found()


def why(reason: AbstentionReason, words: Words) -> str:
    """A reason as a sentence."""
    match reason:
        case AbstentionReason.NOTHING_FOUND:
            return words.why_nothing_found()
        case AbstentionReason.LOW_CONFIDENCE:
            return words.why_low_confidence()
        case AbstentionReason.NOT_IN_PASSAGES:
            return words.why_not_in_passages()
        case AbstentionReason.NOTHING_VERIFIED:
            return words.why_nothing_verified()
        case AbstentionReason.EMPTY_INDEX:
            return words.why_empty_index()
        case AbstentionReason.NOTHING_CHANGED:
            return words.why_nothing_changed()
        case AbstentionReason.NO_EARLIER_VERSION:
            return words.why_no_earlier_version()
        case AbstentionReason.DATE_NEEDED:
            return words.why_date_needed()


def what_was_searched(abstention: Abstention, words: Words) -> str:
    """The question as it was searched, and where."""
    return words.searched(
        cut(one_line(abstention.searched), _QUESTION_SHOWN),
        [cut(one_line(source), _NAME_SHOWN) for source in abstention.sources],
    )


def whom_to_ask(abstention: Abstention, words: Words, contact: str = "") -> str:
    """The owners of the nearest documents, else the place that settings name, else the team in general."""
    owners = list(dict.fromkeys(filter(None, (one_line(document.owner) for document in abstention.near))))
    if owners:
        return words.ask_owner([cut(owner, _NAME_SHOWN) for owner in owners[:_OWNERS_SHOWN]])
    return words.ask_contact(one_line(contact)) if one_line(contact) else words.ask_team()


def name(document: NearDocument) -> str:
    """A document's title, short enough for a list."""
    return cut(one_line(document.title), _NAME_SHOWN)
