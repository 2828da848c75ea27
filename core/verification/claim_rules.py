"""What the rules find in a claim once its quotes are located: its words, values, codes, names and conditions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.domain.evidence import Reason, ReasonCode
from core.verification.alignment import stems
from core.verification.calculation import QuotedValues
from core.verification.conditions import condition_reasons
from core.verification.differences import difference, printable
from core.verification.folded_search import find_folded
from core.verification.folding import fold
from core.verification.matching import Located
from core.verification.names import missing_codes, missing_names
from core.verification.passages import is_heading
from core.verification.tables import cells_of_row, renders_row, row_at, values_in_cells
from core.verification.ties import Tie, loose_values
from core.verification.value_forms import extract_values
from core.verification.value_places import QuotedText
from core.verification.values import Support, Value, ValueKind, supported_by
from core.verification.wording import spanish_or_english, without_accents

_LOOSE_ORDINALS = frozenset({"first", "primer", "primero", "primera", "cuarto"})
_AROUND = " \t\n\"'“”«»‘’"


@dataclass(frozen=True, slots=True)
class Finding:
    """A reason, and whether it makes the claim unsupported or only partial."""

    reason: Reason
    fatal: bool


def quote_findings(text: str, quotes: Sequence[str], located: Sequence[Located]) -> list[Finding]:
    """An extractive claim is its quotes, presentation aside, or a cited row of a table under its headings.

    `quotes` are the quotes as the generator gave them, each of which is located.
    """
    if text == " ".join(quotes):
        return []
    slices = [(one.passage, span) for one in located for span in one.slices]
    texts = [passage.document_text[slice(*span)] for passage, span in slices]
    body = [words for words, (passage, span) in zip(texts, slices, strict=True) if not is_heading(passage, span)]
    if any(_reads_as(text, joined) for joined in (" ".join(texts), " … ".join(texts), " ".join(body))):
        return []
    rendered, key = renders_row(text, slices)
    if rendered:
        return [Finding(Reason(ReasonCode.CONDITION_DROPPED, printable(key)), fatal=False)] if key else []
    detail = difference(text, " ".join(texts)) or "the claim does not read as its quotes"
    return [Finding(Reason(ReasonCode.EDITED, printable(detail)), fatal=True)]


def _reads_as(text: str, joined: str) -> bool:
    """Whether a text is another presentation of quotes, but for marks around it and the full stop at its end."""
    whole = fold(joined.strip(_AROUND).removesuffix("."))
    said = fold(text.strip(_AROUND).removesuffix("."))
    first, last = len(whole.text) - len(whole.text.lstrip()), len(whole.text.rstrip())
    return any(span == (first, last) for span in find_folded(whole, said))


def synthesis_findings(text: str, located: Sequence[Located], results: Sequence[Value] = ()) -> list[Finding]:
    """Hold a claim in other words against its quotes. `results`: values that a recomputed calculation allows."""
    language = spanish_or_english(text) or located[0].passage.passage.language
    quotes = [one.passage.document_text[slice(*span)] for one in located for span in one.slices]
    across = any(one.passage.passage.language not in (language, "", "und") for one in located)
    values = extract_values(text, language)
    given = [*results, *(value for one in located for value in _quote_values(one, one.passage.passage.language))]
    findings = _value_findings(values, given)
    findings += [
        Finding(Reason(ReasonCode.CODE_NOT_IN_QUOTE, printable(code)), fatal=True)
        for code in missing_codes(values, quotes, across)
    ]
    context = [name for one in located for name in (one.passage.passage.title, *one.passage.passage.section_path)]
    rows = [heading for one in located for heading in _headings_over(one)]
    findings += [
        Finding(Reason(ReasonCode.CODE_NOT_IN_QUOTE, printable(name)), fatal=not across)
        for name in missing_names(text, quotes, [*context, *rows], across)
    ]
    pairs = [
        (one.passage.document_text[slice(*span)], one.passage.passage.language)
        for one in located
        for span in one.slices
        if not is_heading(one.passage, span)
    ]
    findings += [
        Finding(Reason(reason.code, printable(reason.detail)), fatal=reason.code is ReasonCode.NEGATION_CHANGED)
        for reason in condition_reasons(text, language, pairs)
    ]
    findings += _loose(text, language, located, across)
    findings += _unrelated(text, values, quotes, given, across)
    if not across:
        findings += [
            Finding(Reason(ReasonCode.CONDITION_DROPPED, printable(key)), fatal=False)
            for key in _row_keys_left_out(text, located)
        ]
    return findings


def _loose(text: str, language: str, located: Sequence[Located], across: bool) -> list[Finding]:
    """Values that stand in the quotes, but not with the words that the claim ties to them."""
    quotes = [
        quoted
        for one in located
        for span in one.slices
        if not is_heading(one.passage, span)
        for quoted in _quoted(one, span)
    ]
    return [
        Finding(Reason(ReasonCode.MIXED_SOURCES, printable(value.text)), fatal=tie is Tie.MIXED)
        for value, tie in loose_values(text, language, quotes, across)
    ]


def _quoted(found: Located, span: tuple[int, int]) -> Iterator[QuotedText]:
    """A slice with what stands around it; a row as its cells, each with the row's first cell and its heading."""
    passage = found.passage
    language, document_id = passage.passage.language, passage.passage.document_id
    around = " . ".join((passage.passage.title, *passage.section_path(span[0])))
    row = row_at(passage, span)
    cells = cells_of_row(passage, row) if row is not None else ()
    if row is None or not cells:
        yield QuotedText(passage.document_text[slice(*span)], language, around, document_id)
        return
    for cell in cells:
        values = tuple(values_in_cells(passage, row, cell.span, language))
        if span[0] <= cell.span[0] and cell.span[1] <= span[1] and values:
            text = f"{cells[0].text} · {cell.heading} · {cell.text}".replace("\n", " ")
            key = cells[0].text if cell.column else ""
            yield QuotedText(
                text, language, around, document_id, key, (*extract_values(cell.heading, language), *values)
            )


def _unrelated(
    text: str, values: Sequence[Value], quotes: Sequence[str], given: Sequence[Value], across: bool
) -> list[Finding]:
    """A claim that says nothing, or that shares no word and no value with quotes in its own language."""
    said = stems(text)
    if any(supported_by(value, given) is not Support.NO for value in values):
        return []
    if said and (across or said & stems(" ".join(quotes))):
        return []
    detail = "the claim shares no word with its quotes" if said else "the claim has no words of its own"
    return [Finding(Reason(ReasonCode.NOT_ENTAILED, detail), fatal=True)]


def _value_findings(values: Sequence[Value], given: Sequence[Value]) -> list[Finding]:
    findings = []
    for value in values:
        if value.first.kind is ValueKind.CODE:
            continue
        support = supported_by(value, given)
        if support is Support.NO and not _is_idiom(value, given):
            findings.append(Finding(Reason(ReasonCode.VALUE_NOT_IN_QUOTE, printable(value.text)), fatal=True))
        elif support is Support.AMBIGUOUS:
            detail = f"{value.text} is one of several readings of the quote"
            findings.append(Finding(Reason(ReasonCode.AMBIGUOUS, printable(detail)), fatal=False))
    return findings


def _is_idiom(value: Value, given: Sequence[Value]) -> bool:
    """Whether an ordinal is a manner of speaking (`first`), or counts what the quote numbers (`floor 3`)."""
    if value.first.kind is not ValueKind.ORDINAL:
        return False
    if any(other.first.kind is ValueKind.NUMBER and other.first.amount == value.first.amount for other in given):
        return True
    return value.text.lower() in _LOOSE_ORDINALS


def _quote_values(found: Located, language: str) -> tuple[Value, ...]:
    values: list[Value] = []
    for span in found.slices:
        row = row_at(found.passage, span)
        if row is not None and row.cells:
            values += values_in_cells(found.passage, row, span, language)
        values += extract_values(found.passage.document_text[slice(*span)], language)
    return tuple(values)


def quoted_values(found: Located | None) -> QuotedValues:
    """The words and values of a quote, for the inputs of a calculation."""
    if found is None:
        return QuotedValues("", ())
    texts = [found.passage.document_text[slice(*span)] for span in found.slices]
    return QuotedValues(
        " ".join((*texts, *_headings_over(found))), _quote_values(found, found.passage.passage.language)
    )


def _headings_over(found: Located) -> list[str]:
    rows = (row_at(found.passage, span) for span in found.slices)
    return [cell.heading for row in rows if row is not None for cell in cells_of_row(found.passage, row)]


def _row_keys_left_out(text: str, located: Sequence[Located]) -> list[str]:
    """The first cells of cited rows that the claim does not name: a figure stays with what its row is about."""
    said = without_accents(text)
    keys = []
    for found in located:
        for span in found.slices:
            row = row_at(found.passage, span)
            cells = cells_of_row(found.passage, row) if row is not None else ()
            if len(cells) < 2 or not any(character.isalpha() for character in cells[0].text):
                continue
            named = [word for word in without_accents(cells[0].text).split() if len(word) > 2]
            if named and not any(word[:5] in said for word in named):
                keys.append(cells[0].text)
    return keys
