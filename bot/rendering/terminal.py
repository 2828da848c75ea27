"""The same `Answer` drawn for a terminal. Text from outside is `rich.text.Text`, never markup, and without escapes."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterator, Mapping

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.style import Style
from rich.table import Column, Table
from rich.text import Text

from bot.rendering.abstention import headline, name, what_was_searched, whom_to_ask, why
from bot.rendering.escape import one_line, plain
from bot.rendering.footnotes import (
    DocumentVersion,
    Footnotes,
    Source,
    SourceFacts,
    is_own_words,
    marks,
    notes_after,
    notes_before,
    table_rows,
)
from bot.rendering.links import https_link, sentence_link
from bot.rendering.split import cut
from bot.words import Words
from core.domain.evidence import Abstention, AbstentionReason, Answer, Claim
from core.evidence.numbering import shown_claims

_INDENT = (0, 0, 0, 4)


def draw_answer(
    answer: Answer,
    words: Words,
    hosts: Collection[str],
    now: dt.datetime,
    facts: Mapping[DocumentVersion, SourceFacts] | None = None,
    contact: str = "",
) -> RenderableType:
    """Draw an answer or abstention for `Console.print`."""
    claims = shown_claims(answer.claims)
    if answer.abstention is not None or not claims:
        abstention = answer.abstention or Abstention(AbstentionReason.NOTHING_VERIFIED, answer.question, (), ())
        return Group(*_abstention(abstention, words, hosts, contact), _run(answer, words))
    footnotes = Footnotes(claims, facts or {})
    return Group(
        *(Text(note, style="yellow") for note in notes_before(answer, words)),
        *(part for claim in claims for part in _claim(claim, footnotes, words)),
        Text(f"\n{words.sources()}", style="bold"),
        *(part for source in footnotes.sources(claims) for part in _source(source, claims, words, hosts, now.date())),
        Text(""),
        *(Text(note, style="dim") for note in notes_after(answer, words)),
        _run(answer, words),
    )


def _claim(claim: Claim, footnotes: Footnotes, words: Words) -> Iterator[RenderableType]:
    numbers = [footnote.number for footnote in footnotes.of([claim])]
    markers = Text("".join(f" [{number}]" for number in numbers), style="cyan")
    rows = table_rows(claim.text)
    if rows is not None:
        yield _table(rows)
        yield Text(markers.plain.strip(), style=markers.style)
    else:
        text = plain(claim.text).strip()
        yield Text.assemble(Text(words.quoted(text) if is_own_words(claim) else text), markers)
    for mark in marks(claim, numbers, words):
        yield Padding(Text(plain(mark.text), style="yellow" if mark.caution else "dim"), _INDENT, expand=False)


def _table(rows: tuple[tuple[str, ...], ...]) -> Table:
    head, *body = ([Text(plain(cell)) for cell in row] for row in rows)
    table = Table(*(Column(header) for header in head))
    for row in body:
        table.add_row(*row)
    return table


def _source(
    source: Source, claims: tuple[Claim, ...], words: Words, hosts: Collection[str], today: dt.date
) -> Iterator[RenderableType]:
    quoted_above = {claim.citations[0].citation_id for claim in claims if is_own_words(claim)}
    numbers = " ".join(f"[{footnote.number}]" for footnote in source.footnotes)
    url = sentence_link(source.citation, hosts, show_quotes=source.facts.show_quotes)
    line = Text.assemble(
        (numbers, "cyan"),
        " ",
        Text(plain(source.place), style=Style(bold=True, link=url)),
        (plain("".join(f" · {detail}" for detail in source.details(words))), "dim"),
    )
    for caution in source.cautions(words, today):
        line.append(f" · {caution}", style="yellow")
    yield line
    if not source.facts.show_quotes:
        yield Padding(Text(words.extract_withheld(), style="italic"), _INDENT, expand=False)
    for footnote in source.footnotes:
        if source.facts.show_quotes and footnote.citation.citation_id not in quoted_above:
            number = "" if len(source.footnotes) == 1 else f"[{footnote.number}] "
            quote = words.quoted(one_line(cut(footnote.citation.quote)))
            yield Padding(Text.assemble((number, "cyan"), (quote, "italic")), _INDENT, expand=False)
    if address := https_link(source.citation.source_uri, hosts):
        yield Padding(Text(address, style=Style(dim=True, link=url), overflow="fold"), _INDENT, expand=False)


def _abstention(abstention: Abstention, words: Words, hosts: Collection[str], contact: str) -> Iterator[RenderableType]:
    yield Text(headline(abstention.reason, words), style="bold")
    yield Text(why(abstention.reason, words))
    near = [document for document in abstention.near if one_line(document.title)]
    if near:
        yield Text(f"\n{words.nearest()}", style="bold")
    for document in near:
        yield Text.assemble("  • ", Text(name(document), style=Style(link=https_link(document.uri, hosts))))
    yield Text(f"\n{plain(whom_to_ask(abstention, words, contact))}")
    yield Text(plain(what_was_searched(abstention, words)), style="italic dim")


def _run(answer: Answer, words: Words) -> Text:
    said = f"{words.terminal_confidence(answer.confidence)} · {words.terminal_run(one_line(answer.run_id))}"
    return Text(said, style="dim")
