"""Reads the answer's JSON while it is being written, without I/O.

A scanner finds where each member of the top-level object, and each claim, begins and ends; only whole values are
parsed, once, by pydantic in strict mode. So every character is looked at once, a claim is exact or absent, and what is
read does not depend on where the text was cut. (jiter's `partial_mode` would re-parse the prefix at every delta,
which is quadratic, and cannot tell a finished claim from one that merely parses.)
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto
from typing import Annotated, Any, Literal, TypeVar, cast

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from core.generation.errors import CutShort, GenerationError, MalformedAnswer

T = TypeVar("T")

_CLOSED = ConfigDict(extra="forbid")


@dataclass(frozen=True, slots=True)
class RawCitation:
    """A quote as the model wrote it, unverified."""

    __pydantic_config__ = _CLOSED
    passage: Annotated[str, Field(description="The id of the passage, such as p1.")]
    quote: Annotated[str, Field(description="Words copied exactly from that passage.")]


@dataclass(frozen=True, slots=True)
class RawInput:
    """One figure that goes into a calculation. `citation` counts the claim's citations from 0."""

    __pydantic_config__ = _CLOSED
    name: Annotated[str, Field(description="The name that stands for the value in the expression.")]
    value: Annotated[str, Field(description="The figure as it is written in the quote.")]
    unit: Annotated[str, Field(description="Its unit or currency, or an empty string.")]
    citation: Annotated[int, Field(description="Index of the claim's citation that holds the figure, from 0.")]


@dataclass(frozen=True, slots=True)
class RawCalculation:
    """A calculation as the model wrote it, to be recomputed."""

    __pydantic_config__ = _CLOSED
    inputs: tuple[RawInput, ...]
    expression: Annotated[str, Field(description="Arithmetic over the names of the inputs.")]
    result: str
    unit: Annotated[str, Field(description="The result's unit or currency, or an empty string.")]


@dataclass(frozen=True, slots=True)
class RawClaim:
    """A claim as the model wrote it, unverified: never shown to a reader."""

    __pydantic_config__ = _CLOSED
    text: str
    kind: Literal["quote", "synthesis", "calculation"]
    citations: tuple[RawCitation, ...]
    calculation: RawCalculation | None


@dataclass(frozen=True, slots=True)
class RawAnswer:
    """The whole answer. The order of the fields is the order in which the model writes them: the flag comes first."""

    __pydantic_config__ = _CLOSED
    answerable: Annotated[bool, Field(description="Whether the passages answer the question.")]
    language: Annotated[str, Field(description="ISO 639-1 code of the question's language, such as es.")]
    claims: tuple[RawClaim, ...]
    missing: Annotated[str, Field(description="What the passages do not say, or an empty string.")]


@dataclass(frozen=True, slots=True)
class AnswerableRead:
    """Whether the model finds an answer in the passages. Always the first event."""

    answerable: bool


@dataclass(frozen=True, slots=True)
class LanguageRead:
    """The language the model answers in."""

    language: str


@dataclass(frozen=True, slots=True)
class ClaimRead:
    """A claim whose closing brace has come. `index` counts from 0."""

    index: int
    claim: RawClaim


@dataclass(frozen=True, slots=True)
class MissingRead:
    """What the model says the passages lack."""

    missing: str


AnswerEvent = AnswerableRead | LanguageRead | ClaimRead | MissingRead

_ANSWER = TypeAdapter(RawAnswer)
_CLAIM = TypeAdapter(RawClaim)
_BOOL = TypeAdapter(bool)
_STR = TypeAdapter(str)


def answer_schema() -> dict[str, object]:
    """JSON Schema of the answer, in the subset that structured output takes, made from the types above."""
    return cast("dict[str, object]", _without_titles(_ANSWER.json_schema()))


class _State(Enum):
    START = auto()
    FIRST_KEY = auto()
    KEY = auto()
    IN_KEY = auto()
    COLON = auto()
    VALUE = auto()
    IN_VALUE = auto()
    AFTER_VALUE = auto()
    FIRST_CLAIM = auto()
    CLAIM = auto()
    IN_CLAIM = auto()
    AFTER_CLAIM = auto()
    DONE = auto()


_SPACE = " \t\n\r"
_MEMBERS = ("answerable", "language", "claims", "missing")


class AnswerReader:
    """Takes the text of an answer in pieces and gives back events as soon as each is complete.

    `feed` returns what the piece completed; an error that lies behind complete events is raised by the next `feed` or
    by `close`, so that no complete claim is lost to what follows it. Claims written before the `answerable` flag are
    held until it comes.
    """

    def __init__(self) -> None:
        self._state = _State.START
        self._capture = _Capture()
        self._key = ""
        self._seen: set[str] = set()
        self._claims = 0
        self._held: list[AnswerEvent] = []
        self._error: GenerationError | None = None

    @property
    def finished(self) -> bool:
        """Whether the closing brace of the whole answer has come."""
        return self._state is _State.DONE and self._error is None

    def feed(self, text: str) -> list[AnswerEvent]:
        """The events that this piece of text completes, in order. Raises MalformedAnswer."""
        if self._error is not None:
            raise self._error
        events: list[AnswerEvent] = []
        try:
            self._scan(text, events)
        except MalformedAnswer as error:
            self._error = error
            if not events:
                raise
        return events

    def close(self) -> None:
        """Say that no more text comes. Raises the pending error, or CutShort where the answer is not whole."""
        if self._error is not None:
            raise self._error
        if self._state is not _State.DONE:
            raise CutShort("Claude's answer ends in the middle of its JSON: ask again.", retryable=True)

    def _scan(self, text: str, events: list[AnswerEvent]) -> None:
        at = 0
        while at < len(text):
            if self._state in (_State.IN_KEY, _State.IN_VALUE, _State.IN_CLAIM):
                at = self._capture.take(text, at)
                if self._capture.complete:
                    self._captured(self._capture.text(), events)
                continue
            if text[at] in _SPACE:
                at += 1
                continue
            if self._sign(text[at]):
                at += 1

    def _sign(self, sign: str) -> bool:
        """Follow one significant character between values; False where it belongs to the value that begins here."""
        match self._state, sign:
            case _State.START, "{":
                self._state = _State.FIRST_KEY
            case ((_State.FIRST_KEY | _State.KEY), '"'):
                return self._begin(_State.IN_KEY)
            case _State.COLON, ":":
                self._state = _State.VALUE
            case _State.VALUE, "[" if self._key == "claims":
                self._state = _State.FIRST_CLAIM
            case _State.VALUE, _ if self._key != "claims":
                return self._begin(_State.IN_VALUE)
            case ((_State.FIRST_CLAIM | _State.CLAIM), "{"):
                return self._begin(_State.IN_CLAIM)
            case _State.AFTER_CLAIM, ",":
                self._state = _State.CLAIM
            case ((_State.FIRST_CLAIM | _State.AFTER_CLAIM), "]"):
                self._state = _State.AFTER_VALUE
            case _State.AFTER_VALUE, ",":
                self._state = _State.KEY
            case ((_State.FIRST_KEY | _State.AFTER_VALUE), "}"):
                self._end()
            case _:
                raise MalformedAnswer(f"Claude's answer is not the JSON asked for: unexpected {sign!r}. Ask again.")
        return True

    def _begin(self, state: _State) -> bool:
        self._state = state
        self._capture = _Capture()
        return False

    def _captured(self, text: str, events: list[AnswerEvent]) -> None:
        match self._state:
            case _State.IN_KEY:
                self._key = self._member(_parsed(_STR, text, "a key"))
                self._state = _State.COLON
            case _State.IN_CLAIM:
                self._emit(ClaimRead(self._claims, _parsed(_CLAIM, text, f"claim {self._claims + 1}")), events)
                self._claims += 1
                self._state = _State.AFTER_CLAIM
            case _:
                self._emit(self._scalar(text), events)
                self._state = _State.AFTER_VALUE

    def _member(self, key: str) -> str:
        if key not in _MEMBERS:
            raise MalformedAnswer(f"Claude's answer has a member {key[:40]!r} that was not asked for. Ask again.")
        if key in self._seen:
            raise MalformedAnswer(f"Claude's answer has {key!r} twice. Ask again.")
        self._seen.add(key)
        return key

    def _scalar(self, text: str) -> AnswerEvent:
        if self._key == "answerable":
            return AnswerableRead(_parsed(_BOOL, text, "answerable"))
        if self._key == "language":
            return LanguageRead(_parsed(_STR, text, "language"))
        return MissingRead(_parsed(_STR, text, "missing"))

    def _emit(self, event: AnswerEvent, events: list[AnswerEvent]) -> None:
        if isinstance(event, AnswerableRead):
            events += [event, *self._held]
            self._held.clear()
        elif "answerable" in self._seen:
            events.append(event)
        else:
            self._held.append(event)

    def _end(self) -> None:
        absent = [member for member in _MEMBERS if member not in self._seen]
        if absent:
            raise MalformedAnswer(f"Claude's answer lacks {', '.join(absent)}. Ask again.")
        self._state = _State.DONE


_IN_STRING = re.compile(r'["\\]')
_IN_COMPOUND = re.compile(r'["{}\[\]]')
_AFTER_NUMBER = re.compile(r"[,}\]\s]")
_LITERALS = {"t": 4, "f": 5, "n": 4}


class _Capture:
    """One JSON value as it comes, and where it ends. What is inside is judged later, by the parser."""

    def __init__(self) -> None:
        self.complete = False
        self._parts: list[str] = []
        self._first = ""
        self._left = 0
        self._depth = 0
        self._in_string = False
        self._escaped = False

    def text(self) -> str:
        return "".join(self._parts)

    def take(self, text: str, start: int) -> int:
        """Take what belongs to the value from `text[start:]`, and return where that stops."""
        if not self._first:
            self._first = text[start]
            self._left = _LITERALS.get(self._first, 0)
        if self._first in '"{[':
            end = self._take_nested(text, start)
        elif self._first in _LITERALS:
            end = min(len(text), start + self._left)
            self._left -= end - start
            self.complete = self._left == 0
        else:
            found = _AFTER_NUMBER.search(text, start)
            end = found.start() if found else len(text)
            self.complete = found is not None
        self._parts.append(text[start:end])
        return end

    def _take_nested(self, text: str, at: int) -> int:
        while at < len(text):
            if self._escaped:
                self._escaped = False
                at += 1
                continue
            found = (_IN_STRING if self._in_string else _IN_COMPOUND).search(text, at)
            if found is None:
                return len(text)
            at = found.end()
            match found.group():
                case "\\":
                    self._escaped = True
                case '"':
                    self._in_string = not self._in_string
                case "{" | "[":
                    self._depth += 1
                case _:
                    self._depth -= 1
            if self._depth == 0 and not self._in_string:
                self.complete = True
                return at
        return at


def _parsed(adapter: TypeAdapter[T], text: str, what: str) -> T:
    try:
        return adapter.validate_json(_utf8(text), strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(step) for step in first["loc"])
        at = f"{what} ({where})" if where else what
        raise MalformedAnswer(
            f"Claude's answer does not follow the schema, {at}: {first['msg']}. Ask again."
        ) from error
    except UnicodeError as error:
        raise MalformedAnswer(f"Claude's answer has half a character in {what}. Ask again.") from error


def _utf8(text: str) -> bytes:
    """The text in UTF-8, with pairs of surrogates joined: a delta may end between the two halves of an emoji."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le").encode()


def _without_titles(node: Any) -> Any:
    """The schema without pydantic's titles and class docstrings, which cost tokens and say nothing to the model."""
    if isinstance(node, list):
        return [_without_titles(item) for item in node]
    if not isinstance(node, dict):
        return node
    noise = ("title", "description") if node.get("type") == "object" else ("title",)
    return {key: _without_titles(value) for key, value in node.items() if not (key in noise and isinstance(value, str))}
