"""An alert as a message: what is wrong, where, and what to do."""

from __future__ import annotations

from bot.rendering import blocks
from bot.rendering.escape import one_line
from bot.rendering.help import GAPS_COMMAND
from bot.rendering.message import Message, message
from bot.words import Words
from core.alerts.alert import Alert, AlertKind, SourceFact

_SOURCES_SHOWN = 10


def render_alert(alert: Alert, words: Words) -> Message:
    """Draw an alert."""
    title, advice = _title(alert, words), _advice(alert.kind, words)
    listed = [one_line(_of_source(alert.kind, fact, words)) for fact in alert.sources[:_SOURCES_SHOWN]]
    parts = [blocks.section(blocks.text(title, bold=True))]
    if listed:
        parts.append(blocks.bullets([blocks.section(blocks.text(line)) for line in listed]))
    drawn = [blocks.rich(*parts), blocks.rich(blocks.section(blocks.text(advice)))]
    return message("\n".join([title, *(f"• {line}" for line in listed), advice]), drawn)


def _title(alert: Alert, words: Words) -> str:
    match alert.kind:
        case AlertKind.COVERAGE:
            return words.alerts_coverage(words.percent(alert.before), words.percent(alert.now))
        case AlertKind.ABSTENTIONS:
            return words.alerts_abstentions(words.percent(alert.before), words.percent(alert.now))
        case AlertKind.CHANGES:
            return words.alerts_changes()
        case AlertKind.FAILED:
            return words.alerts_failed()
        case AlertKind.LATE:
            return words.alerts_late()
        case AlertKind.HIDDEN_CITED:
            return words.alerts_hidden(alert.count, alert.total)
        case AlertKind.LINKS:
            return words.alerts_links(alert.total, alert.count)


def _advice(kind: AlertKind, words: Words) -> str:
    match kind:
        case AlertKind.COVERAGE:
            return words.alerts_coverage_do()
        case AlertKind.ABSTENTIONS:
            return words.alerts_abstentions_do(GAPS_COMMAND)
        case AlertKind.CHANGES:
            return words.alerts_changes_do()
        case AlertKind.FAILED:
            return words.alerts_failed_do()
        case AlertKind.LATE:
            return words.alerts_late_do()
        case AlertKind.HIDDEN_CITED:
            return words.alerts_hidden_do()
        case AlertKind.LINKS:
            return words.alerts_links_do()


def _of_source(kind: AlertKind, fact: SourceFact, words: Words) -> str:
    if fact.since is not None:
        return words.alerts_since(fact.source, words.moment(fact.since))
    return words.alerts_changes_source(fact.source, fact.count, fact.total)
