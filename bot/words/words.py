"""`Words`: the bot's texts in one language, each as a method that names what goes into it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from babel.dates import format_date, format_datetime
from babel.lists import format_list
from babel.numbers import format_decimal, format_percent

from bot.words.catalogue import language_of, translations

NOTES_BEFORE = ("changes", "low_confidence", "contradiction")
"""The notes of an answer that a reader should see before it."""

NOTES_AFTER = (
    "more_changes",
    "explored",
    "interrupted",
    "stopped",
    "fallback_extractive",
    "other_language",
    "partial_history",
)
"""The notes that stand below an answer. With the above, all that `Answer.notes` may hold."""


class Words:
    """The texts of the bot in one language. Values that come from documents are put in as they are: the renderer of
    each surface escapes the result.
    """

    def __init__(self, tag: str | None) -> None:
        self.language = language_of(tag)
        self._translations = translations(self.language)

    def __repr__(self) -> str:
        return f"Words({self.language!r})"

    def _say(self, key: str, **values: object) -> str:
        text = self._translations.gettext(key)
        if text == key:
            raise LookupError(f"the {self.language} catalogue has no {key}")
        return text.format(**values)

    def _count(self, key: str, n: int, **values: object) -> str:
        text = self._translations.ngettext(key, key, n)
        if text == key:
            raise LookupError(f"the {self.language} catalogue has no {key}")
        return text.format(n=self.number(n), **values)

    # Numbers, dates, lists

    def number(self, value: float) -> str:
        """A number as this language writes it."""
        return format_decimal(value, locale=self.language)

    def percent(self, share: float) -> str:
        """A share of 1 as a whole percentage."""
        return format_percent(share, format="#,##0\u00a0%" if self.language == "es" else "#,##0%", locale=self.language)

    def date(self, date: dt.date) -> str:
        """A date with its month as a word, so that nobody takes 3/4 for 4/3."""
        return format_date(date, format="medium", locale=self.language)

    def moment(self, moment: dt.datetime) -> str:
        """A date and time of day, with its zone."""
        pattern = "d MMM y, H:mm z" if self.language == "es" else "MMM d, y, H:mm z"
        return format_datetime(moment, format=pattern, locale=self.language)

    def join(self, items: Sequence[str]) -> str:
        """Items as a list in a sentence: *a, b and c*."""
        return format_list(list(items), locale=self.language)

    def quoted(self, text: str) -> str:
        """A text in this language's quotation marks."""
        return self._say("quoted", text=text)

    # Answer

    def sources(self) -> str:
        """The heading of the sources."""
        return self._say("answer.sources")

    def version(self, number: int) -> str:
        """A document's version."""
        return self._say("answer.version", number=number)

    def page(self, number: int) -> str:
        """A page of a document."""
        return self._say("answer.page", number=number)

    def quote_meaning(self) -> str:
        """What a verified quote proves and what not."""
        return self._say("answer.quote_meaning")

    def part(self, number: int, total: int) -> str:
        """Which message of a long answer this is."""
        return self._say("answer.part", number=number, total=total)

    def partial(self, condition: str = "") -> str:
        """A claim holds in part; `condition` is what its source adds, where known."""
        if condition:
            return self._say("answer.partial_condition", condition=self.quoted(condition))
        return self._say("answer.partial")

    def inference(self, numbers: Sequence[int]) -> str:
        """A claim that follows from several quotes and stands in none."""
        return self._count("answer.inference", len(numbers), sources=self._markers(numbers))

    def calculated(self, numbers: Sequence[int]) -> str:
        """A claim whose figure was calculated."""
        return self._say("answer.calculated", sources=self._markers(numbers))

    def older_version(self) -> str:
        """A source that another document has replaced."""
        return self._say("source.older_version")

    def expired(self, date: dt.date) -> str:
        """A source that held until a date in the past."""
        return self._say("source.expired", date=self.date(date))

    def not_yet_in_force(self, date: dt.date) -> str:
        """A source that will hold from a date in the future."""
        return self._say("source.not_yet_in_force", date=self.date(date))

    def draft(self) -> str:
        """A source that is a draft."""
        return self._say("source.draft")

    def archived(self) -> str:
        """A source that was archived."""
        return self._say("source.archived")

    def extract_withheld(self) -> str:
        """A source whose owner does not allow extracts."""
        return self._say("source.extract_withheld")

    def dropped_claims(self, n: int) -> str:
        """How many sentences were left out because they could not be verified."""
        return self._count("answer.dropped_claims", n)

    def unanswered(self, parts: Sequence[str]) -> str:
        """The parts of a question that nothing was found for."""
        return self._say("note.unanswered", parts=self.join([self.quoted(part) for part in parts]))

    def note(self, key: str) -> str:
        """The sentence of a key in `NOTES_BEFORE` or `NOTES_AFTER`.

        Raises:
            LookupError: the key is none of them.
        """
        match key:
            case "changes":
                return self._say("note.changes")
            case "explored":
                return self._say("note.explored")
            case "more_changes":
                return self._say("note.more_changes")
            case "contradiction":
                return self._say("note.contradiction")
            case "fallback_extractive":
                return self._say("note.fallback_extractive")
            case "interrupted":
                return self._say("note.interrupted")
            case "low_confidence":
                return self._say("note.low_confidence")
            case "other_language":
                return self._say("note.other_language")
            case "partial_history":
                return self._say("note.partial_history")
            case "stopped":
                return self._say("note.stopped")
        raise LookupError(f"no note is called {key}")

    def _markers(self, numbers: Sequence[int]) -> str:
        return self.join([f"[{number}]" for number in numbers])

    # Abstention

    def not_found(self) -> str:
        """There is no answer."""
        return self._say("abstention.not_found")

    def nothing_changed(self) -> str:
        """A document is as it was."""
        return self._say("abstention.unchanged")

    def since_when(self) -> str:
        """It was asked what changed, without a day."""
        return self._say("abstention.since_when")

    def why_nothing_changed(self) -> str:
        """A document's text is what it was on the day that was named."""
        return self._say("abstention.nothing_changed")

    def why_no_earlier_version(self) -> str:
        """Only a document's version of now is known."""
        return self._say("abstention.no_earlier_version")

    def why_date_needed(self) -> str:
        """How to name a day."""
        return self._say("abstention.date_needed")

    def why_nothing_found(self) -> str:
        """No document is about the question."""
        return self._say("abstention.nothing_found")

    def why_low_confidence(self) -> str:
        """What was found is about something near, not about the question."""
        return self._say("abstention.low_confidence")

    def why_not_in_passages(self) -> str:
        """What was read does not hold the answer."""
        return self._say("abstention.not_in_passages")

    def why_nothing_verified(self) -> str:
        """No sentence of an answer could be tied to a document."""
        return self._say("abstention.nothing_verified")

    def why_empty_index(self) -> str:
        """Nothing has been read yet."""
        return self._say("abstention.empty_index")

    def searched(self, question: str, sources: Sequence[str]) -> str:
        """What was searched, and where."""
        if not sources:
            return self._say("abstention.searched", question=self.quoted(question))
        return self._say("abstention.searched_in", question=self.quoted(question), sources=self.join(sources))

    def nearest(self) -> str:
        """The heading of the nearest documents."""
        return self._say("abstention.nearest")

    def ask_owner(self, names: Sequence[str]) -> str:
        """Whom to ask: the owners of the nearest documents."""
        return self._say("abstention.ask_owner", names=self.join(names))

    def ask_contact(self, contact: str) -> str:
        """Whom to ask: the place that settings name."""
        return self._say("abstention.ask_contact", contact=contact)

    def ask_team(self) -> str:
        """Whom to ask when nothing better is known."""
        return self._say("abstention.ask_team")

    # Help

    def help_title(self) -> str:
        """The heading of the help."""
        return self._say("help.title")

    def help_what(self) -> str:
        """What the bot does."""
        return self._say("help.what")

    def help_ask(self) -> str:
        """The heading of the ways to ask."""
        return self._say("help.ask")

    def help_mention(self) -> str:
        """How to ask in a channel."""
        return self._say("help.mention")

    def help_direct(self) -> str:
        """How to ask in a direct message."""
        return self._say("help.direct")

    def help_command(self, command: str) -> str:
        """How to ask so that nobody else sees it."""
        return self._say("help.command", command=command)

    def help_reindex(self, command: str) -> str:
        """How an administrator has the documents read again."""
        return self._say("help.reindex", command=command)

    def help_examples(self) -> str:
        """The heading of the example questions."""
        return self._say("help.examples")

    def help_access(self) -> str:
        """Who sees what."""
        return self._say("help.access")

    def help_private(self) -> str:
        """Why an answer in a channel may be shorter than one in private."""
        return self._say("help.private")

    # Refusals and errors

    def error_unexpected(self) -> str:
        """Something went wrong on our side."""
        return self._say("error.unexpected")

    def error_timeout(self) -> str:
        """The answer took too long."""
        return self._say("error.timeout")

    def error_index(self) -> str:
        """The documents cannot be searched just now."""
        return self._say("error.index")

    def error_slack(self) -> str:
        """Slack did not take the answer."""
        return self._say("error.slack")

    def error_permission_check(self) -> str:
        """It could not be found out what the reader may see."""
        return self._say("error.permission_check")

    def error_question(self) -> str:
        """The question cannot be taken as it is."""
        return self._say("error.question")

    def error_question_too_long(self, limit: int) -> str:
        """The question is too long."""
        return self._say("error.question_too_long", limit=self.number(limit))

    def error_not_allowed(self) -> str:
        """The command is for administrators."""
        return self._say("error.not_allowed")

    def error_settings(self) -> str:
        """The bot's set-up is not finished."""
        return self._say("error.settings")

    def error_code(self, code: str) -> str:
        """The code by which the log knows an error."""
        return self._say("error.code", code=code)

    def refused_channel(self) -> str:
        """The bot does not answer where people of other companies read."""
        return self._say("refused.channel")

    def refused_person(self) -> str:
        """The bot does not know this person."""
        return self._say("refused.person")

    def private_addition(self) -> str:
        """The heading of what only the one who asked may read."""
        return self._say("private.addition")

    # Sharing, limits, administration

    def share(self) -> str:
        """The button that shows a private answer to the channel."""
        return self._say("share.button")

    def shared_by(self) -> str:
        """Before the name of who shared an answer."""
        return self._say("share.by")

    def share_done(self) -> str:
        """An answer was shared."""
        return self._say("share.done")

    def share_part(self) -> str:
        """A part of an answer was shared."""
        return self._say("share.part")

    def share_blocked(self) -> str:
        """Nothing of an answer may be shared."""
        return self._say("share.blocked")

    def share_unknown(self) -> str:
        """There is no such answer of this person."""
        return self._say("share.unknown")

    def again_offer(self) -> str:
        """A question was edited after it was asked."""
        return self._say("again.offer")

    def again_button(self) -> str:
        """The label of the button that has an edited question answered again."""
        return self._say("again.button")

    def again_replaced(self) -> str:
        """Stands in place of the answer to a question that was edited and answered again."""
        return self._say("again.replaced")

    def again_unknown(self) -> str:
        """There is no such edited question of this person, or it was answered."""
        return self._say("again.unknown")

    def suggest_title(self) -> str:
        """The heading of suggested questions."""
        return self._say("suggest.title")

    def suggest_about(self, title: str) -> str:
        """A question about a document; its other words are of the kind that the search looks past."""
        return self._say("suggest.about", title=title)

    def suggest_section(self, title: str, section: str) -> str:
        """A question about a section of a document."""
        return self._say("suggest.section", title=title, section=section)

    def limit_user(self) -> str:
        """A person's rate is used up."""
        return self._say("limit.user")

    def limit_workspace(self) -> str:
        """The workspace's rate is used up."""
        return self._say("limit.workspace")

    def limit_at_once(self) -> str:
        """Too many questions of one person are being answered."""
        return self._say("limit.at_once")

    def limit_tokens(self) -> str:
        """The day's tokens are used up."""
        return self._say("limit.tokens")

    def revoke_done(self, document: str) -> str:
        """A document is hidden."""
        return self._say("revoke.done", document=self.quoted(document))

    def revoke_lifted(self, document: str) -> str:
        """A document is no longer hidden."""
        return self._say("revoke.lifted", document=self.quoted(document))

    def revoke_unknown(self, document: str) -> str:
        """There is no such document, or it is not hidden."""
        return self._say("revoke.unknown", document=self.quoted(document))

    def revoke_usage(self, command: str) -> str:
        """How the command is written."""
        return self._say("revoke.usage", command=command)

    def why_usage(self, command: str) -> str:
        """How the command is written."""
        return self._say("why.usage", command=command)

    def why_may(self, person: str, document: str) -> str:
        """Somebody may read a document."""
        return self._say("why.may", person=person, document=self.quoted(document))

    def why_may_not(self, person: str, document: str) -> str:
        """Somebody may not read a document."""
        return self._say("why.may_not", person=person, document=self.quoted(document))

    def why_not_served(self) -> str:
        """A document is not served."""
        return self._say("why.not_served")

    def why_revoked(self) -> str:
        """A document is revoked."""
        return self._say("why.revoked")

    def why_no_rule(self) -> str:
        """A document's rule is not known."""
        return self._say("why.no_rule")

    def why_nobody(self) -> str:
        """An empty clause."""
        return self._say("why.nobody")

    def why_holds(self, clause: str, held: str) -> str:
        """A clause that holds."""
        return self._say("why.holds", clause=clause, held=held)

    def why_fails(self, clause: str) -> str:
        """A clause that fails."""
        return self._say("why.fails", clause=clause)

    def help_revoke(self, command: str) -> str:
        """How an administrator hides a document."""
        return self._say("help.revoke", command=command)

    def help_why(self, command: str) -> str:
        """How an administrator finds out why somebody may read a document."""
        return self._say("help.why", command=command)

    # Status and progress

    def searching(self) -> str:
        """The search has begun."""
        return self._say("status.searching")

    def reading(self, n: int, titles: Sequence[str]) -> str:
        """Passages are being read; `titles` only where everybody who sees this may see them."""
        if not titles:
            return self._count("status.reading", n)
        return self._count("status.reading_from", n, titles=self.join([self.quoted(title) for title in titles]))

    def checking(self) -> str:
        """Quotes are being verified."""
        return self._say("status.checking")

    def stopped(self) -> str:
        """The reader stopped the answer."""
        return self._say("status.stopped")

    def reindex_started(self) -> str:
        """Documents are being read again."""
        return self._say("reindex.started")

    def reindex_progress(self, source: str, done: int, total: int) -> str:
        """How far a source is."""
        share = self.percent(done / total if total else 1)
        numbers = {"done": self.number(done), "total": self.number(total)}
        return self._say("reindex.progress", source=source, share=share, **numbers)

    def reindex_counting(self, source: str, done: int) -> str:
        """How far a source is whose size is not known."""
        return self._count("reindex.counting", done, source=source)

    def reindex_running(self, since: dt.datetime | None) -> str:
        """A run is going already."""
        if since is None:
            return self._say("reindex.running")
        return self._say("reindex.running_since", since=self.moment(since))

    def reindex_done(self, seconds: float) -> str:
        """The run has ended well."""
        return self._say("reindex.done", duration=self.duration(seconds))

    def reindex_done_with_failures(self, n: int, seconds: float) -> str:
        """The run has ended, and some documents could not be read."""
        return self._count("reindex.done_with_failures", n, duration=self.duration(seconds))

    def reindex_failed(self) -> str:
        """The run has failed; what was there stays."""
        return self._say("reindex.failed")

    def reindex_unknown_source(self, source: str, known: Sequence[str]) -> str:
        """There is no source of that name."""
        return self._say("reindex.unknown_source", source=self.quoted(source), known=self.join(known))

    def documents(self, n: int) -> str:
        """So many documents."""
        return self._count("count.documents", n)

    def added(self, n: int) -> str:
        """So many new documents."""
        return self._count("count.added", n)

    def changed(self, n: int) -> str:
        """So many changed documents."""
        return self._count("count.changed", n)

    def removed(self, n: int) -> str:
        """So many removed documents."""
        return self._count("count.removed", n)

    def unchanged(self, n: int) -> str:
        """So many documents as they were."""
        return self._count("count.unchanged", n)

    def failed(self, n: int) -> str:
        """So many documents that could not be read."""
        return self._count("count.failed", n)

    def updated(self, n: int) -> str:
        """So many documents whose readers, title or dates changed, and not their text."""
        return self._count("count.updated", n)

    def more_warnings(self, n: int) -> str:
        """So many more warnings are in the log."""
        return self._count("count.more_warnings", n)

    def duration(self, seconds: float) -> str:
        """A time span in the unit that fits."""
        if seconds < 60:
            return self._count("duration.seconds", max(1, round(seconds)))
        return self._count("duration.minutes", round(seconds / 60))

    def status_title(self) -> str:
        """The heading of the status."""
        return self._say("status.title")

    def status_synced(self, moment: dt.datetime) -> str:
        """When a source was read last."""
        return self._say("status.synced", moment=self.moment(moment))

    def status_never_synced(self) -> str:
        """A source has not been read yet."""
        return self._say("status.never_synced")

    def status_empty(self) -> str:
        """There is no source."""
        return self._say("status.empty")

    def status_index_lag(self, n: int) -> str:
        """The search lags behind the documents."""
        return self._count("status.index_lag", n)

    # Evidence

    def evidence_button(self) -> str:
        """The button that opens the evidence."""
        return self._say("evidence.button")

    def evidence_title(self) -> str:
        """The title of the evidence; at most 24 characters."""
        return self._say("evidence.title")

    def evidence_loading(self) -> str:
        """The evidence is being looked up."""
        return self._say("evidence.loading")

    def evidence_close(self) -> str:
        """The button that closes the evidence; at most 24 characters."""
        return self._say("evidence.close")

    def evidence_unavailable(self) -> str:
        """There is nothing to open."""
        return self._say("evidence.unavailable")

    def evidence_not_opened(self) -> str:
        """Slack did not open the evidence."""
        return self._say("evidence.not_opened")

    def evidence_rights(self) -> str:
        """What the evidence shows, and what its links open."""
        return self._say("evidence.rights")

    def verified_own_words(self) -> str:
        """A claim is what the document says."""
        return self._say("evidence.verified_quote")

    def verified_claim(self) -> str:
        """A claim says no more than its quotes."""
        return self._say("evidence.verified_synthesis")

    def verified_calculation(self) -> str:
        """A calculation was done again."""
        return self._say("evidence.verified_calculation")

    def reason(self, code: str) -> str:
        """What the verifier found of a claim that holds in part."""
        match code:
            case "code_not_in_quote":
                return self._say("evidence.reason_name")
            case "mixed_sources":
                return self._say("evidence.reason_mixed")
            case "ambiguous":
                return self._say("evidence.reason_ambiguous")
            case "contradicted":
                return self._say("evidence.reason_contradicted")
            case "misattributed":
                return self._say("evidence.reason_moved")
            case "not_entailed":
                return self._say("evidence.reason_judge")
        return self._say("evidence.reason_other")

    def hidden_claim(self) -> str:
        """A claim whose text may not be shown to this reader."""
        return self._say("evidence.hidden_claim")

    def evidence_forbidden(self) -> str:
        """A quote that this reader may not see."""
        return self._say("evidence.forbidden")

    def evidence_removed(self) -> str:
        """A quote of a document that was removed."""
        return self._say("evidence.removed")

    def evidence_version_gone(self) -> str:
        """A quote of a version whose text was deleted."""
        return self._say("evidence.version_gone")

    def evidence_altered(self) -> str:
        """A citation that does not fit its own version."""
        return self._say("evidence.altered")

    def changed_on(self, date: dt.date) -> str:
        """When a version was written."""
        return self._say("evidence.changed_on", date=self.date(date))

    def observed_on(self, date: dt.date) -> str:
        """When a version was read."""
        return self._say("evidence.observed_on", date=self.date(date))

    def valid_from(self, date: dt.date) -> str:
        """From when a version holds."""
        return self._say("evidence.valid_from", date=self.date(date))

    def valid_until(self, date: dt.date) -> str:
        """Until when a version holds."""
        return self._say("evidence.valid_until", date=self.date(date))

    def owner(self, name: str) -> str:
        """Who answers for a document."""
        return self._say("evidence.owner", name=name)

    def stands_in_force(self) -> str:
        """A quote of the version that is in force."""
        return self._say("evidence.in_force")

    def stands_same(self, number: int) -> str:
        """A quote that a later version has as well."""
        return self._say("evidence.same", number=number)

    def stands_moved(self, number: int) -> str:
        """A quote that a later version has in another place."""
        return self._say("evidence.moved", number=number)

    def changed_to(self, number: int, date: dt.date) -> str:
        """A quote that the document does not say any more; what it says instead follows."""
        return self._say("evidence.changed", number=number, date=self.date(date))

    def changed_unlike(self, number: int, date: dt.date) -> str:
        """A quote that the document does not say any more, nor anything like it."""
        return self._say("evidence.changed_unlike", number=number, date=self.date(date))

    def changed_withheld(self, number: int, date: dt.date) -> str:
        """A quote that a document which allows no extracts does not say any more."""
        return self._say("evidence.changed_withheld", number=number, date=self.date(date))

    def not_in_force(self, why: Sequence[str]) -> str:
        """A document that does not hold now."""
        return self._say("evidence.not_in_force", why=" · ".join(why))

    def shown_before(self, numbers: Sequence[int]) -> str:
        """Quotes that an earlier claim rests on too."""
        return self._say("evidence.shown_before", sources=self._markers(numbers))

    def open_document(self) -> str:
        """The link to a document."""
        return self._say("evidence.open")

    def evidence_page(self, number: int, total: int) -> str:
        """Which page of the evidence this is."""
        return self._say("evidence.page", number=number, total=total)

    def previous(self) -> str:
        """The button to the page before."""
        return self._say("evidence.previous")

    def next(self) -> str:
        """The button to the next page."""
        return self._say("evidence.next")

    # Feedback

    def feedback_good(self) -> str:
        """The button for an answer that helped."""
        return self._say("feedback.good")

    def feedback_bad(self) -> str:
        """The button for an answer that did not."""
        return self._say("feedback.bad")

    def feedback_good_label(self) -> str:
        """What a screen reader says of the one button."""
        return self._say("feedback.good_label")

    def feedback_bad_label(self) -> str:
        """What a screen reader says of the other."""
        return self._say("feedback.bad_label")

    def feedback_thanks(self) -> str:
        """A verdict was kept."""
        return self._say("feedback.thanks")

    def feedback_unavailable(self) -> str:
        """A verdict was not kept."""
        return self._say("feedback.unavailable")

    def feedback_title(self) -> str:
        """The title of the question why; at most 24 characters."""
        return self._say("feedback.title")

    def feedback_kept(self) -> str:
        """That the verdict counts whether or not a reason is given."""
        return self._say("feedback.kept")

    def feedback_reason(self) -> str:
        """The label of the reasons."""
        return self._say("feedback.reason")

    def complaint(self, reason: str) -> str:
        """A reason that can be chosen.

        Raises:
            LookupError: there is no such reason.
        """
        match reason:
            case "wrong":
                return self._say("feedback.wrong")
            case "incomplete":
                return self._say("feedback.incomplete")
            case "outdated":
                return self._say("feedback.outdated")
            case "off_topic":
                return self._say("feedback.off_topic")
        raise LookupError(f"no reason is called {reason}")

    def feedback_note(self) -> str:
        """The label of the field for one's own words."""
        return self._say("feedback.note")

    def feedback_note_hint(self, days: int) -> str:
        """How long a person's own words are kept."""
        return self._count("feedback.note_hint", days)

    def feedback_send(self) -> str:
        """The button that sends the reason; at most 24 characters."""
        return self._say("feedback.send")

    def feedback_skip(self) -> str:
        """The button that leaves it; at most 24 characters."""
        return self._say("feedback.skip")

    # Sources that changed after an answer

    def living_answer(self) -> str:
        """What opens the news below an answer that cannot be edited."""
        return self._say("living.answer")

    def living_note(self) -> str:
        """What opens the quiet note to who asked."""
        return self._say("living.note")

    def living_changed(self, date: dt.date) -> str:
        """After a document's title: when it changed."""
        return self._say("living.changed", date=self.date(date))

    def living_changed_once(self) -> str:
        """After a document's title: that it changed, nobody knows when."""
        return self._say("living.changed_once")

    def living_says_now(self) -> str:
        """Before what a document says in the place of what was cited."""
        return self._say("living.says_now")

    def living_no_sentence(self) -> str:
        """A document says nothing like what was cited any more."""
        return self._say("living.no_sentence")

    def living_look(self) -> str:
        """A changed document of which no extracts are shown."""
        return self._say("living.look")

    def living_replaced(self) -> str:
        """After a document's title: it does not hold any more."""
        return self._say("living.replaced")

    def living_unavailable(self) -> str:
        """A source that is gone or hidden, or that not everybody here may read."""
        return self._say("living.unavailable")

    def living_untold(self) -> str:
        """A source changed, where it is not known who reads."""
        return self._say("living.untold")

    def living_more(self, n: int) -> str:
        """How many changed sources are not listed."""
        return self._count("living.more", n)

    # Reading again

    def reindex_planned(self) -> str:
        """What a sync would do."""
        return self._say("reindex.planned")

    def reindex_usage(self, command: str) -> str:
        """How the command is written."""
        return self._say("reindex.usage", command=command)

    def access_changed(self, n: int) -> str:
        """So many documents that other people may read now."""
        return self._count("count.access_changed", n)

    def held_back(self, n: int) -> str:
        """So many documents that were not removed."""
        return self._count("count.held_back", n)

    def and_more(self, n: int) -> str:
        """So many more of them."""
        return self._count("count.and_more", n)

    def removals_button(self, n: int, source: str) -> str:
        """The button that lets documents go which were held back; at most 75 characters."""
        return self._count("removals.button", n, source=source)

    def removals_title(self, n: int) -> str:
        """The title of the question before; at most 100 characters."""
        return self._count("removals.title", n)

    def removals_text(self, n: int, source: str) -> str:
        """What will happen; at most 300 characters."""
        return self._count("removals.text", n, source=source)

    def removals_yes(self) -> str:
        """The button that does it; at most 30 characters."""
        return self._say("removals.yes")

    def removals_no(self) -> str:
        """The button that leaves it; at most 30 characters."""
        return self._say("removals.no")

    def removals_over(self) -> str:
        """What was held back is not held back any more."""
        return self._say("removals.over")

    # Status

    def status_nothing_readable(self) -> str:
        """There is no document that this person may read."""
        return self._say("status.nothing_readable")

    def sync_state(self, state: str) -> str:
        """How the last sync of a source went.

        Raises:
            LookupError: there is no such state.
        """
        match state:
            case "done":
                return self._say("sync.done")
            case "failed":
                return self._say("sync.failed")
            case "held_back":
                return self._say("sync.held_back")
            case "interrupted":
                return self._say("sync.interrupted")
            case "running":
                return self._say("sync.running")
        raise LookupError(f"no state of a sync is called {state}")

    def sync_last(self, moment: dt.datetime, state: str, asked_by: str) -> str:
        """When the last sync began, how it went and who wanted it."""
        return self._say("sync.last", moment=self.moment(moment), state=self.sync_state(state), asked_by=asked_by)

    def sync_asked_by(self, who: str) -> str:
        """Who wanted a sync, where it was nobody with a name; else their name."""
        match who:
            case "timetable":
                return self._say("sync.by_timetable")
            case "terminal" | "start" | "playground":
                return self._say("sync.by_terminal")
        return who

    def sync_next(self, moment: dt.datetime, schedule: str) -> str:
        """When a source is read next, by which schedule."""
        return self._say("sync.next", moment=self.moment(moment), schedule=schedule)

    def sync_missed(self, n: int) -> str:
        """How many syncs did not take place."""
        return self._count("sync.missed", n)

    def status_index(self, documents: int, passages: int, version: int) -> str:
        """What is in the index."""
        return self._say(
            "status.index", documents=self.number(documents), passages=self.number(passages), version=version
        )

    def status_model(self, model: str, generator: str) -> str:
        """The model of the index, and who writes answers."""
        return self._say("status.model", model=model, generator=generator)

    def status_program(self, version: str) -> str:
        """The program's version."""
        return self._say("status.program", version=version)

    # Home

    def home_knows(self) -> str:
        """The heading of the sources."""
        return self._say("home.knows")

    def home_recent(self) -> str:
        """The heading of a person's own questions."""
        return self._say("home.recent")

    def home_recent_none(self) -> str:
        """There are none."""
        return self._say("home.recent_none")

    def home_ask_again(self) -> str:
        """The button that asks a question again."""
        return self._say("home.ask_again")

    def home_asked_again(self, question: str) -> str:
        """A question was asked again from the home tab."""
        return self._say("home.asked_again", question=self.quoted(question))

    def home_question_gone(self) -> str:
        """A question is kept no more."""
        return self._say("home.question_gone")

    def home_language(self) -> str:
        """The heading of the choice of a language."""
        return self._say("home.language")

    def home_language_hint(self) -> str:
        """What the choice is about."""
        return self._say("home.language_hint")

    def home_language_slack(self) -> str:
        """The choice to follow Slack."""
        return self._say("home.language_slack")

    def language_name(self, language: str) -> str:
        """The name of a language, in itself.

        Raises:
            LookupError: the bot does not speak it.
        """
        match language:
            case "en":
                return self._say("language.en")
            case "es":
                return self._say("language.es")
        raise LookupError(f"no language is called {language}")

    def home_privacy(self) -> str:
        """The heading of privacy."""
        return self._say("home.privacy")

    def home_kept(self, n: int) -> str:
        """How long questions are kept, and what stays."""
        return self._count("home.kept", n)

    def forget_button(self) -> str:
        """The button that has a person's words deleted."""
        return self._say("forget.button")

    def forget_title(self) -> str:
        """The title of the question before; at most 100 characters."""
        return self._say("forget.title")

    def forget_text(self) -> str:
        """What will happen; at most 300 characters."""
        return self._say("forget.text")

    def forget_yes(self) -> str:
        """The button that does it; at most 30 characters."""
        return self._say("forget.yes")

    def forget_no(self) -> str:
        """The button that leaves it; at most 30 characters."""
        return self._say("forget.no")

    def forget_done(self, questions: int, verdicts: int, runs: int) -> str:
        """What was deleted."""
        return self._say(
            "forget.done",
            questions=self._count("count.questions", questions),
            verdicts=self._count("count.verdicts", verdicts),
            runs=self._count("count.runs", runs),
        )

    def home_admin(self) -> str:
        """The heading of what admins see."""
        return self._say("home.admin")

    def home_syncs(self) -> str:
        """The heading of the sources' syncs."""
        return self._say("home.syncs")

    def home_reindex(self) -> str:
        """The button that has all sources read again."""
        return self._say("home.reindex")

    def home_reindexing(self) -> str:
        """What becomes of a press on it."""
        return self._say("home.reindexing")

    def home_gaps(self) -> str:
        """The heading of questions without a good answer."""
        return self._say("home.gaps")

    def home_review(self) -> str:
        """The heading of answers to look at."""
        return self._say("home.review")

    def home_review_what(self) -> str:
        """Which answers these are."""
        return self._say("home.review_what")

    def home_review_none(self) -> str:
        """There are none."""
        return self._say("home.review_none")

    def review_sources(self, titles: Sequence[str]) -> str:
        """The documents of an answer."""
        return self._say("review.sources", titles=self.join(titles))

    def dropped_reason(self, code: str) -> str:
        """Why claims were dropped: the verifier's word for it."""
        match code:
            case "fabricated" | "edited" | "misattributed" | "split_word" | "no_citation" | "ambiguous":
                return self._say("review.no_quote")
            case "value_not_in_quote" | "code_not_in_quote" | "calculation_wrong" | "calculation_input":
                return self._say("review.value")
            case "negation_changed" | "condition_dropped" | "not_entailed" | "mixed_sources" | "contradicted":
                return self._say("review.meaning")
            case "stale_version" | "expired" | "forbidden" | "out_of_scope" | "extract_withheld":
                return self._say("review.not_citable")
        return self._say("review.other")

    # Settings of a place

    def settings_title(self) -> str:
        """The title; at most 24 characters."""
        return self._say("settings.title")

    def settings_loading(self) -> str:
        """The settings are being looked up."""
        return self._say("settings.loading")

    def settings_save(self) -> str:
        """The button that keeps them; at most 24 characters."""
        return self._say("settings.save")

    def settings_cancel(self) -> str:
        """The button that leaves them; at most 24 characters."""
        return self._say("settings.cancel")

    def settings_for_channel(self) -> str:
        """What they are about: a channel."""
        return self._say("settings.for_channel")

    def settings_for_direct(self) -> str:
        """What they are about: direct messages."""
        return self._say("settings.for_direct")

    def settings_set(self, moment: dt.datetime) -> str:
        """When they were set."""
        return self._say("settings.set", moment=self.moment(moment))

    def settings_default(self) -> str:
        """Nothing was set."""
        return self._say("settings.default")

    def settings_sources(self) -> str:
        """The label of the sources."""
        return self._say("settings.sources")

    def settings_sources_hint(self) -> str:
        """What none chosen means."""
        return self._say("settings.sources_hint")

    def settings_mode(self) -> str:
        """The label of the mode."""
        return self._say("settings.mode")

    def settings_mode_name(self, mode: str) -> str:
        """A mode and what it means.

        Raises:
            LookupError: there is no such mode.
        """
        match mode:
            case "strict":
                return self._say("settings.strict")
            case "balanced":
                return self._say("settings.balanced")
            case "open":
                return self._say("settings.open")
        raise LookupError(f"no mode is called {mode}")

    def settings_answers(self) -> str:
        """The label of where answers are given."""
        return self._say("settings.answers")

    def settings_in_thread(self) -> str:
        """To everybody."""
        return self._say("settings.in_thread")

    def settings_in_private(self) -> str:
        """To the asker."""
        return self._say("settings.in_private")

    def settings_follow_ups(self) -> str:
        """The label of follow-ups."""
        return self._say("settings.follow_ups")

    def settings_follow_ups_on(self) -> str:
        """What they are."""
        return self._say("settings.follow_ups_on")

    def settings_language(self) -> str:
        """The label of the language."""
        return self._say("settings.language")

    def settings_language_auto(self) -> str:
        """The question's."""
        return self._say("settings.language_auto")

    def settings_reset(self) -> str:
        """The button that goes back to the defaults."""
        return self._say("settings.reset")

    def settings_saved(self) -> str:
        """They were kept."""
        return self._say("settings.saved")

    def settings_was_reset(self) -> str:
        """They are the defaults again."""
        return self._say("settings.was_reset")

    def settings_denied(self) -> str:
        """This person may not."""
        return self._say("settings.denied")

    def settings_denied_creator(self) -> str:
        """This person may not, the creator may."""
        return self._say("settings.denied_creator")

    def settings_stale(self) -> str:
        """The form is not this person's, or too old."""
        return self._say("settings.stale")

    def settings_wrong_source(self) -> str:
        """A source that is not there (any more)."""
        return self._say("settings.wrong_source")

    def settings_wrong_choice(self) -> str:
        """A choice that does not exist."""
        return self._say("settings.wrong_choice")

    def settings_not_opened(self) -> str:
        """Slack did not open the form."""
        return self._say("settings.not_opened")

    # Help

    def help_status(self, command: str) -> str:
        """How to see what is known and how fresh it is."""
        return self._say("help.status", command=command)

    def help_settings_own(self, command: str) -> str:
        """How anybody sets their direct messages."""
        return self._say("help.settings_own", command=command)

    def help_settings(self, command: str) -> str:
        """How an administrator sets a channel."""
        return self._say("help.settings", command=command)

    # Gaps in the documents

    def gaps_title(self, days: int) -> str:
        """The heading of the list of gaps, over so many days."""
        return self._say("gaps.title", days=days)

    def gaps_none(self) -> str:
        """There are none."""
        return self._say("gaps.none")

    def gaps_off(self) -> str:
        """They are not gathered."""
        return self._say("gaps.off")

    def gaps_times(self, n: int) -> str:
        """How often it was asked."""
        return self._count("gaps.times", n)

    def gaps_people(self, n: int) -> str:
        """By how many people."""
        return self._count("gaps.people", n)

    def gaps_abstained(self, n: int) -> str:
        """How often there was no answer."""
        return self._count("gaps.abstained", n)

    def gaps_disliked(self, n: int) -> str:
        """How often the answer was said not to help."""
        return self._count("gaps.disliked", n)

    def gaps_last(self, date: dt.date) -> str:
        """When it was asked last."""
        return self._say("gaps.last", date=self.date(date))

    def gaps_nearest(self) -> str:
        """Before the nearest documents."""
        return self._say("gaps.nearest")

    def gaps_owners(self, names: str) -> str:
        """The owners of these."""
        return self._say("gaps.owners", names=names)

    def gaps_suggested(self) -> str:
        """Before an answer that a person has offered."""
        return self._say("gaps.suggested")

    def gaps_more(self, n: int) -> str:
        """How many are not listed."""
        return self._count("gaps.more", n)

    def gaps_csv_hint(self, command: str) -> str:
        """How to get all of them as CSV."""
        return self._say("gaps.csv_hint", command=command)

    def gaps_counted(self) -> str:
        """What the list is made of."""
        return self._say("gaps.counted")

    def help_gaps(self, command: str) -> str:
        """The command that lists gaps, for admins."""
        return self._say("help.gaps", command=command)

    # Alerts

    def alerts_coverage(self, before: str, now: str) -> str:
        """Fewer claims are proved than before."""
        return self._say("alerts.coverage", before=before, now=now)

    def alerts_coverage_do(self) -> str:
        """What to do then."""
        return self._say("alerts.coverage_do")

    def alerts_abstentions(self, before: str, now: str) -> str:
        """More questions have no answer than before."""
        return self._say("alerts.abstentions", before=before, now=now)

    def alerts_abstentions_do(self, command: str) -> str:
        """What to do then."""
        return self._say("alerts.abstentions_do", command=command)

    def alerts_changes(self) -> str:
        """Very many documents changed at once."""
        return self._say("alerts.changes")

    def alerts_changes_source(self, source: str, count: int, total: int) -> str:
        """A source and how many changed."""
        return self._say("alerts.changes_source", source=source, count=self.number(count), total=self.number(total))

    def alerts_changes_do(self) -> str:
        """What to do then."""
        return self._say("alerts.changes_do")

    def alerts_failed(self) -> str:
        """A source could not be read."""
        return self._say("alerts.failed")

    def alerts_late(self) -> str:
        """A source was not read in time."""
        return self._say("alerts.late")

    def alerts_since(self, source: str, moment: str) -> str:
        """A source and since when."""
        return self._say("alerts.since", source=source, moment=moment)

    def alerts_failed_do(self) -> str:
        """What to do then."""
        return self._say("alerts.failed_do")

    def alerts_late_do(self) -> str:
        """What to do then."""
        return self._say("alerts.late_do")

    def alerts_hidden(self, documents: int, n: int) -> str:
        """Answers cite hidden documents."""
        return self._count("alerts.hidden", n, documents=self.number(documents))

    def alerts_hidden_do(self) -> str:
        """What to do then."""
        return self._say("alerts.hidden_do")

    def alerts_links(self, total: int, n: int) -> str:
        """Links do not answer."""
        return self._count("alerts.links", n, total=self.number(total))

    def alerts_links_do(self) -> str:
        """What to do then."""
        return self._say("alerts.links_do")

    # Handing a question to people

    def ask_person_button(self) -> str:
        """The button below an abstention; at most 75 characters."""
        return self._say("ask_person.button")

    def ask_person_title(self) -> str:
        """The title of the form; at most 24 characters."""
        return self._say("ask_person.title")

    def ask_person_send(self) -> str:
        """The button that sends it; at most 24 characters."""
        return self._say("ask_person.send")

    def ask_person_cancel(self) -> str:
        """The button that leaves it; at most 24 characters."""
        return self._say("ask_person.cancel")

    def ask_person_looking(self) -> str:
        """While it is looked up whom to ask."""
        return self._say("ask_person.looking")

    def ask_person_goes_to(self) -> str:
        """Before the channel or person that it goes to."""
        return self._say("ask_person.goes_to")

    def ask_person_public(self) -> str:
        """Who reads a public channel."""
        return self._say("ask_person.public")

    def ask_person_closed(self) -> str:
        """Who reads a private channel."""
        return self._say("ask_person.closed")

    def ask_person_direct(self) -> str:
        """Who reads a direct message."""
        return self._say("ask_person.direct")

    def ask_person_posted(self) -> str:
        """What is posted besides the question."""
        return self._say("ask_person.posted")

    def ask_person_linked(self) -> str:
        """That the thread is linked."""
        return self._say("ask_person.linked")

    def ask_person_question(self) -> str:
        """The label of the field with the question."""
        return self._say("ask_person.question")

    def ask_person_not_yours(self) -> str:
        """Somebody else pressed the button."""
        return self._say("ask_person.not_yours")

    def ask_person_nobody(self) -> str:
        """There is nobody to ask."""
        return self._say("ask_person.nobody")

    def ask_person_empty(self) -> str:
        """The question is empty."""
        return self._say("ask_person.empty")

    def ask_person_changed(self) -> str:
        """It would go elsewhere than was shown."""
        return self._say("ask_person.changed")

    def ask_person_already(self) -> str:
        """It was handed on before."""
        return self._say("ask_person.already")

    def ask_person_uncertain(self) -> str:
        """It is not known whether it was posted."""
        return self._say("ask_person.uncertain")

    def ask_person_failed(self) -> str:
        """It could not be posted."""
        return self._say("ask_person.failed")

    def ask_person_done(self) -> str:
        """It was posted."""
        return self._say("ask_person.done")

    def ask_person_asks(self) -> str:
        """In the post, after who asks."""
        return self._say("ask_person.asks")

    def ask_person_link_back(self) -> str:
        """The label of the link to where it was asked."""
        return self._say("ask_person.link_back")

    def ask_person_how(self) -> str:
        """How to answer."""
        return self._say("ask_person.how")

    def suggest_offer(self) -> str:
        """To who replied in the thread."""
        return self._say("suggest.offer")

    def suggest_button(self) -> str:
        """The button that sends the reply; at most 75 characters."""
        return self._say("suggest.button")

    def suggest_done(self) -> str:
        """It was sent."""
        return self._say("suggest.done")

    def suggest_unavailable(self) -> str:
        """It cannot be kept."""
        return self._say("suggest.unavailable")

    def suggest_answered(self) -> str:
        """To the asker, after who answered."""
        return self._say("suggest.answered")

    def suggest_unverified(self) -> str:
        """That nothing was verified."""
        return self._say("suggest.unverified")

    # Suggested answers

    def suggest_link(self) -> str:
        """The label of the link to the reply."""
        return self._say("suggest.link")

    # Terminal

    def terminal_confidence(self, share: float) -> str:
        """How sure the search is that the passages answer the question."""
        return self._say("terminal.confidence", percent=self.percent(share))

    def terminal_run(self, run_id: str) -> str:
        """The run's id, by which its evidence can be verified later."""
        return self._say("terminal.run", run_id=run_id)
