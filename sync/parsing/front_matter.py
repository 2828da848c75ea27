"""What a file says of itself at its head, in YAML between two lines of `---`."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from typing import cast

import yaml

from core.domain.document import DocumentStatus
from sync.parsing.dates import read_date, read_moment
from sync.parsing.parsed import Hints

_FRONT_MATTER = re.compile(
    r"\A\ufeff?---[ \t]*\r?\n(?P<yaml>.*?)^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE
)

_STATUSES = {
    DocumentStatus.DRAFT: {"draft", "borrador", "wip", "unpublished"},
    DocumentStatus.OBSOLETE: {
        "obsolete",
        "obsoleto",
        "obsoleta",
        "deprecated",
        "superseded",
        "sustituido",
        "sustituida",
    }
    | {"derogado", "derogada", "expired", "caducado", "caducada", "withdrawn"},
    DocumentStatus.ARCHIVED: {"archived", "archive", "archivado", "archivada"},
    DocumentStatus.IN_FORCE: {"in_force", "in force", "current", "active", "published", "vigente", "en vigor"},
}


def split_front_matter(text: str) -> tuple[Mapping[str, object], str, tuple[str, ...]]:
    """Part a text into its front matter, the rest, and warnings. A head that is no YAML mapping is left in the text."""
    match = _FRONT_MATTER.match(text)
    if match is None:
        return {}, text, ()
    try:
        values = yaml.safe_load(match["yaml"])
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}, text[match.end() :], ("Its front matter is not valid YAML and was not read.",)
    if not isinstance(values, dict):
        return {}, text if values is not None else text[match.end() :], ()
    return {str(key).casefold().replace("-", "_"): value for key, value in values.items()}, text[match.end() :], ()


def hints_of(values: Mapping[str, object]) -> Hints:
    """Read the fields that Testigo knows, by their English and Spanish names."""
    labels = _words(_first(values, "labels", "tags", "etiquetas"))
    stated = _first(values, "status", "estado")
    status = status_of([stated] if isinstance(stated, str) else []) or status_of(labels)
    if _first(values, "draft", "borrador") is True:
        status = DocumentStatus.DRAFT
    return Hints(
        author=_text(_first(values, "author", "authors", "autor")),
        owner=_text(_first(values, "owner", "owner_slack", "responsable", "propietario")),
        modified_at=_moment(
            _first(values, "modified", "updated", "last_updated", "last_reviewed_on", "actualizado", "date")
        ),
        source_version=_text(_first(values, "version", "versión")),
        labels=labels,
        valid_from=read_date(_first(values, "valid_from", "effective", "effective_date", "vigente_desde")),
        valid_until=read_date(_first(values, "valid_until", "expires", "expiry_date", "vigente_hasta")),
        status=status,
        superseded_by=_text(_first(values, "superseded_by", "replaced_by", "sustituido_por", "sustituida_por")),
        replaces=_words(_first(values, "replaces", "supersedes", "sustituye", "sustituye_a")),
    )


def status_of(labels: list[str] | tuple[str, ...]) -> DocumentStatus | None:
    """The status that labels or a status field tell; None when they tell none."""
    folded = {label.strip().casefold() for label in labels}
    return next((status for status, names in _STATUSES.items() if folded & names), None)


def title_of(values: Mapping[str, object]) -> str:
    """The title that the front matter gives."""
    return _text(_first(values, "title", "título", "titulo"))


def _first(values: Mapping[str, object], *names: str) -> object:
    return next((values[name] for name in names if values.get(name) is not None), None)


def _text(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(str(item) for item in cast("list[object]", value))
    return "" if value is None or isinstance(value, dict) else str(value).strip()


def _words(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(word for part in value.split(",") if (word := part.strip()))
    return tuple(str(item).strip() for item in cast("list[object]", value)) if isinstance(value, list) else ()


def _moment(value: object) -> dt.datetime | None:
    match value:
        case dt.datetime():
            return value if value.tzinfo else value.replace(tzinfo=dt.UTC)
        case dt.date():
            return dt.datetime.combine(value, dt.time(), dt.UTC)
        case str():
            return read_moment(value)
    return None
