"""What a front end asks the pipeline."""

from __future__ import annotations

from dataclasses import dataclass

from core.domain.access import Audience, Reader
from core.settings import Mode


@dataclass(frozen=True, slots=True)
class Question:
    """A question as it was typed, with who asks and who will see the answer.

    `conversation` names the thread it belongs to (empty: none), so that a follow-up finds its topic; `place` is the
    channel and `asked_by` the Slack id of who asks, for the record.

    What the place that it was asked in asks for: `sources` confines the search to some (none named: all), `mode` is how
    sure the answer must be (None: as the settings say), and `language` the answer's (empty: the question's own).

    `earlier` is what the same person said before in the conversation, newest first, where the memory does not reach so
    far; never anybody else's words. `partial_history` says that there is more of it than could be read.
    """

    text: str
    reader: Reader
    audience: Audience
    conversation: str = ""
    place: str = ""
    asked_by: str = ""
    sources: tuple[str, ...] = ()
    mode: Mode | None = None
    language: str = ""
    earlier: tuple[str, ...] = ()
    partial_history: bool = False
