"""`Words`: the bot's texts in one language, each as a method that names what goes into it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from babel.dates import format_date, format_datetime
from babel.lists import format_list
from babel.numbers import format_decimal, format_percent

from bot.words.catalogue import language_of, translations

NOTES_BEFORE = ("low_confidence", "contradiction")
"""The notes of an answer that a reader should see before it."""

NOTES_AFTER = ("interrupted", "fallback_extractive", "other_language", "partial_history")
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

    def note(self, key: str) -> str:
        """The sentence of a key in `NOTES_BEFORE` or `NOTES_AFTER`.

        Raises:
            LookupError: the key is none of them.
        """
        match key:
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
        raise LookupError(f"no note is called {key}")

    def _markers(self, numbers: Sequence[int]) -> str:
        return self.join([f"[{number}]" for number in numbers])

    # Abstention

    def not_found(self) -> str:
        """There is no answer."""
        return self._say("abstention.not_found")

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

    # Terminal

    def terminal_confidence(self, share: float) -> str:
        """How sure the search is that the passages answer the question."""
        return self._say("terminal.confidence", percent=self.percent(share))

    def terminal_run(self, run_id: str) -> str:
        """The run's id, by which its evidence can be verified later."""
        return self._say("terminal.run", run_id=run_id)
