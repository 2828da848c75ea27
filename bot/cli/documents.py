"""Find a document by what people write for it."""

from __future__ import annotations

from bot.cli.application import Application
from core.errors import SettingsError
from core.index.tables import VersionRecord


def find_history(application: Application, name: str) -> list[VersionRecord]:
    """All versions of a document, oldest first.

    Args:
        application: the parts.
        name: the document's id, or `source/key`.

    Raises:
        SettingsError: there is no such document.
    """
    if application.has_index:
        tables, tenant_id = application.stored, application.settings.tenant_id
        tables.refresh()
        source, _, key = name.partition("/")
        document_id = (tables.document_at(tenant_id, source, key) if key else None) or name
        if history := tables.history(tenant_id, document_id):
            return history
    raise SettingsError(
        f"There is no document {name!r}: write its id, or its source and key, as in confluence/1200011."
    )
