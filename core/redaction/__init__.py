"""Keep secrets and personal numbers out of the index: they are replaced before the canonical text is made."""

from core.redaction.redact import Redacted, redact_blocks, redact_document, redact_text

__all__ = ["Redacted", "redact_blocks", "redact_document", "redact_text"]
