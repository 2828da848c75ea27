"""Every error that a person may meet, as one small tree.

    TestigoError
    ├── SettingsError      a setting is missing or wrong
    ├── ModelError         the embedding model cannot be had or does not fit the table
    ├── StorageError       the index or the database cannot be read or written
    ├── SourceError        an export as a whole cannot be read
    │   └── ParsingError   one document of it cannot be read
    ├── AccessError        somebody may not do this
    ├── QuestionError      the question cannot be taken as it is
    ├── BusyError          what was asked for is being done already
    ├── EvaluationError    a question set or a baseline cannot be used
    └── SlackError         Slack refused, or cannot be reached

Each carries one sentence that says what to do about it.
"""

import datetime as dt


class TestigoError(Exception):
    """Base of all errors whose text is meant for a person."""

    __test__ = False  # pytest takes names that begin with Test for test classes


class SettingsError(TestigoError, ValueError):
    """A setting is missing or wrong."""


class ModelError(TestigoError, RuntimeError):
    """The embedding model cannot be had, yields nonsense, or does not fit the table."""


class StorageError(TestigoError, OSError):
    """The index or the database cannot be read or written."""


class SourceError(TestigoError, ValueError):
    """An export as a whole cannot be read."""


class ParsingError(SourceError):
    """One document of an export cannot be read; the rest goes on."""


class AccessError(TestigoError, PermissionError):
    """Somebody asked for what they may not do."""


class QuestionError(TestigoError, ValueError):
    """The question cannot be taken as it is (empty, too long)."""


class BusyError(TestigoError, RuntimeError):
    """A run is going already. `asked_by` started it at `since`."""

    def __init__(self, asked_by: str, since: dt.datetime) -> None:
        who = asked_by or "the timetable"
        super().__init__(f"A run is going since {since:%Y-%m-%d %H:%M %Z}, started by {who}: wait for its end.")
        self.asked_by = asked_by
        self.since = since


class EvaluationError(TestigoError, ValueError):
    """A question set or a baseline cannot be used as it is."""


class SlackError(TestigoError, ConnectionError):
    """Slack refused a call, or cannot be reached."""
