"""Look up what is stored of cited documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from core.domain.access import Reader
from core.domain.document import Version
from core.domain.evidence import Citation
from core.evidence.proof import UNKNOWN, Known
from core.index.tables import Tables

DocumentVersion = tuple[str, int]


def known_of(tables: Tables, tenant_id: str, citations: Iterable[Citation]) -> dict[DocumentVersion, Known]:
    """What is stored of each cited (document id, version), as the index is now."""
    tables.refresh()
    wanted = {(c.document_id, c.document_version) for c in citations if c.tenant_id == tenant_id}
    if not wanted:
        return {}
    served = tables.current_versions(tenant_id, {document_id for document_id, _ in wanted})
    now = {(document_id, served[document_id]) for document_id, _ in wanted if document_id in served}
    read = tables.versions((tenant_id, *key) for key in wanted | now)
    stored = {key: version for key, version in read.items() if not is_forgotten(version)}
    known = {}
    for document_id, number in wanted:
        current = stored.get((document_id, served.get(document_id, 0)))
        rule = current.rule_id if current is not None else _last_rule(tables, tenant_id, document_id)
        known[document_id, number] = Known(stored.get((document_id, number)), current, rule)
    return known


def known(citation: Citation, looked_up: Mapping[DocumentVersion, Known]) -> Known:
    """What was looked up for a citation."""
    return looked_up.get((citation.document_id, citation.document_version), UNKNOWN)


def visible_to(tables: Tables, reader: Reader) -> Callable[[int], bool]:
    """Whether a reader satisfies a rule, by the rules and groups of now."""
    return tables.rulebook(reader.tenant_id).visible_to(reader).__contains__


def is_forgotten(version: Version) -> bool:
    """Whether the text of a version was deleted when nothing pointed at it any more."""
    return not version.content_hash


def _last_rule(tables: Tables, tenant_id: str, document_id: str) -> int | None:
    history = tables.history(tenant_id, document_id)
    return history[-1].rule_id if history else None
