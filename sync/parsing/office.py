"""What Office files say about themselves."""

from __future__ import annotations

import datetime as dt
from typing import Any

from sync.parsing.front_matter import status_of
from sync.parsing.parsed import Hints


def hints_from_properties(properties: Any) -> Hints:
    """Read the core properties of a document, as openpyxl, python-docx and python-pptx give them."""
    author = getattr(properties, "author", None) or getattr(properties, "creator", None) or ""
    modified = properties.modified
    if isinstance(modified, dt.datetime) and modified.tzinfo is None:
        modified = modified.replace(tzinfo=dt.UTC)
    keywords = tuple(word for part in str(properties.keywords or "").split(",") if (word := part.strip()))
    stated = str(getattr(properties, "content_status", None) or getattr(properties, "contentStatus", None) or "")
    return Hints(
        author="" if author in {"openpyxl", "python-docx", "python-pptx"} else str(author),
        modified_at=modified if isinstance(modified, dt.datetime) else None,
        source_version=str(properties.version or ""),
        labels=keywords,
        status=status_of([stated, *keywords]),
    )
