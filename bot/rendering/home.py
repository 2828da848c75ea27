"""The home tab: what the bot knows for this person, their own questions and choices; for admins how it is doing."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bot.rendering import blocks, limits
from bot.rendering.blocks import Block, Element, View
from bot.rendering.escape import one_line
from bot.rendering.footnotes import CONDITION_REASONS
from bot.rendering.help import render_help
from bot.rendering.lists import paragraph, titled_list
from bot.rendering.message import Message
from bot.rendering.split import cut
from bot.rendering.status import Machinery, SourceStatus, machinery_lines, source_list
from bot.rendering.sync_report import removals_button
from bot.words import LANGUAGES, Words
from core.domain.evidence import ClaimStatus
from core.evidence.opening import OpenedClaim
from core.gaps import Gap
from core.reviews import Review
from core.store.conversations import OwnQuestion

ASK_AGAIN_ACTION = "home_ask_again"
LANGUAGE_ACTION = "home_language"
FORGET_ACTION = "home_forget"
REINDEX_ACTION = "home_reindex"
AS_IN_SLACK = "auto"
"""The choice to go by Slack's own setting."""

_QUESTION_SHOWN = 200
_CLAIM_SHOWN = 300
_TITLE_SHOWN = 120
_CLAIMS_SHOWN = 6
_TITLES_SHOWN = 4
_GAPS_SHOWN = 5
_HELD_SHOWN = 5
_MARKS = {ClaimStatus.SUPPORTED: "✓", ClaimStatus.PARTIAL: "◐"}


@dataclass(frozen=True, slots=True)
class HeldBack:
    """A source of which a guard held documents back in its last sync, whose id this is."""

    source: str
    documents: int
    run_id: int


@dataclass(frozen=True, slots=True)
class AdminsPart:
    """What admins see besides: the syncs, the largest gaps, and answers to review."""

    sources: tuple[SourceStatus, ...]
    held: tuple[HeldBack, ...]
    machinery: Machinery | None
    gaps: tuple[Gap, ...]
    reviews: tuple[Review, ...]


@dataclass(frozen=True, slots=True)
class HomeContents:
    """What the tab of one person shows. `language` is what they chose; empty: nothing. `notice` is said at the top."""

    sources: tuple[SourceStatus, ...]
    questions: tuple[OwnQuestion, ...]
    language: str
    question_days: int
    notice: str = ""
    admin: AdminsPart | None = None


def render_home(contents: HomeContents, words: Words) -> View:
    """Draw a person's tab; what does not fit, the last of it, is left out."""
    drawn = [*_notice(contents.notice)]
    drawn += render_help(words, admin=contents.admin is not None).blocks
    drawn.append(blocks.divider())
    drawn.append(blocks.header(words.home_knows()))
    drawn += source_list("", contents.sources, words, words.status_nothing_readable())
    drawn += [blocks.divider(), *_questions(contents.questions, words)]
    drawn += [blocks.divider(), *_choices(contents, words)]
    if contents.admin is not None:
        drawn += [blocks.divider(), *_admins(contents.admin, words)]
    return home_of(drawn)


def render_home_sentence(message: Message) -> View:
    """A tab that says one thing only."""
    return home_of(message.blocks)


def home_of(drawn: Iterable[Block]) -> View:
    """Blocks as a home tab."""
    return {"type": "home", "blocks": list(drawn)[: limits.MODAL_BLOCKS]}


def _notice(said: str) -> list[Block]:
    return [blocks.rich(blocks.quote(blocks.text(said, bold=True)))] if said else []


def _questions(questions: Sequence[OwnQuestion], words: Words) -> list[Block]:
    drawn = [blocks.header(words.home_recent())]
    if not questions:
        return [*drawn, *paragraph(words.home_recent_none())]
    for asked in questions:
        when = words.date(dt.datetime.fromtimestamp(asked.asked_at, dt.UTC).date())
        said = cut(one_line(asked.question), _QUESTION_SHOWN)
        drawn.append(blocks.rich(blocks.section(blocks.text(words.quoted(said)), blocks.text(f" · {when}"))))
        drawn.append(blocks.button(words.home_ask_again(), ASK_AGAIN_ACTION, str(asked.id)))
    return drawn


def _choices(contents: HomeContents, words: Words) -> list[Block]:
    """The language, and what is kept of the person."""
    options = [
        blocks.option(words.home_language_slack(), AS_IN_SLACK),
        *(blocks.option(words.language_name(language), language) for language in LANGUAGES),
    ]
    menu = blocks.choice("static_select", LANGUAGE_ACTION, options, contents.language or AS_IN_SLACK)
    asked = blocks.confirmation(words.forget_title(), words.forget_text(), words.forget_yes(), words.forget_no())
    return [
        blocks.header(words.home_language()),
        blocks.note(words.home_language_hint()),
        blocks.actions(menu),
        blocks.header(words.home_privacy()),
        *paragraph(words.home_kept(contents.question_days)),
        blocks.actions(blocks.press(words.forget_button(), FORGET_ACTION, FORGET_ACTION, asked)),
    ]


def _admins(part: AdminsPart, words: Words) -> list[Block]:
    drawn = [
        blocks.header(words.home_admin()),
        *source_list(words.home_syncs(), part.sources, words, words.status_empty()),
        blocks.button(words.home_reindex(), REINDEX_ACTION, REINDEX_ACTION),
    ]
    drawn += [removals_button(held.source, held.documents, held.run_id, words) for held in part.held[:_HELD_SHOWN]]
    if part.machinery is not None:
        drawn.append(blocks.note(*machinery_lines(part.machinery, words)))
    if part.gaps:
        drawn += titled_list(words.home_gaps(), [_gap(gap, words) for gap in part.gaps[:_GAPS_SHOWN]])
    drawn += titled_list(words.home_review(), [])
    drawn.append(blocks.note(words.home_review_what()))
    for review in part.reviews:
        drawn += _review(review, words)
    return drawn if part.reviews else [*drawn, *paragraph(words.home_review_none())]


def _gap(gap: Gap, words: Words) -> Element:
    counted = f"{words.gaps_times(gap.times)} {words.gaps_people(gap.people)}"
    return blocks.section(blocks.text(f"{words.quoted(cut(one_line(gap.question), _QUESTION_SHOWN))} · {counted}"))


def _review(review: Review, words: Words) -> list[Block]:
    """An answer: its date, each claim with the verifier's mark, its documents, and what was dropped."""
    claims = [_claim(claim, words) for claim in review.claims]
    if len(claims) > _CLAIMS_SHOWN:
        more = words.and_more(len(claims) - _CLAIMS_SHOWN)
        claims = [*claims[:_CLAIMS_SHOWN], blocks.section(blocks.text(more, italic=True))]
    titles = [cut(one_line(title), _TITLE_SHOWN) for title in review.titles]
    named = titles[:_TITLES_SHOWN]
    if len(titles) > len(named):
        named.append(words.and_more(len(titles) - len(named)))
    small = [words.review_sources(named)]
    if review.dropped:
        reasons = dict.fromkeys(words.dropped_reason(code) for code in sorted(review.dropped_for))
        why = f" ({'; '.join(reasons)})" if reasons else ""
        small.append(f"{words.dropped_claims(review.dropped)}{why}")
    when = words.date(dt.datetime.fromtimestamp(review.at, dt.UTC).date())
    below = [blocks.section(blocks.text(line, italic=True)) for line in small]
    return [*titled_list(when, claims), blocks.rich(*below)]


def _claim(claim: OpenedClaim, words: Words) -> Element:
    line = [blocks.text(f"{_MARKS[claim.status]} "), blocks.text(cut(one_line(claim.text), _CLAIM_SHOWN))]
    if claim.status is ClaimStatus.PARTIAL:
        codes = [reason.code for reason in claim.reasons]
        why = dict.fromkeys(
            words.partial() if code in CONDITION_REASONS else words.reason(code.value) for code in codes
        )
        line.append(blocks.text(f" — {' '.join(why) or words.partial()}", italic=True))
    return blocks.section(*line)
