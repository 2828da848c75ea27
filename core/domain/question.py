"""What a front end asks the pipeline."""

from __future__ import annotations

from dataclasses import dataclass

from core.domain.access import Audience, Reader


@dataclass(frozen=True, slots=True)
class Question:
    """A question as it was typed, with who asks and who will see the answer.

    `conversation` names the thread it belongs to (empty: none), so that a follow-up finds its topic; `place` is the
    channel and `asked_by` the Slack id of who asks, for the record.
    """

    text: str
    reader: Reader
    audience: Audience
    conversation: str = ""
    place: str = ""
    asked_by: str = ""
