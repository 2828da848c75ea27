"""What is wrong with a request: as an exception that answers it, and as a record that a test looks at afterwards."""

from dataclasses import dataclass, field

from bot.standin.model import Json


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong within blocks or a view; `pointer` is a JSON pointer such as `/blocks/0/text/text`."""

    message: str
    pointer: str

    def __str__(self) -> str:
        return f"{self.message} [json-pointer:{self.pointer}]"


class ApiError(Exception):
    """Makes the Web API answer `ok: false`.

    `is_violation` tells a request that can never be right (a limit, a missing argument) from one that the state of the
    workspace refuses (a channel that is gone, a stream that has ended).
    """

    def __init__(
        self, error: str, *, problems: list[Problem] | None = None, is_violation: bool = False, **extra: object
    ) -> None:
        details = "; ".join(str(problem) for problem in problems or ())
        super().__init__(f"{error}: {details}" if details else error)
        self.error = error
        self.problems = problems or []
        self.is_violation = is_violation
        self.extra = extra

    def answer(self) -> Json:
        """The body of the answer, with `response_metadata.messages` as Slack writes it."""
        body: Json = {"ok": False, "error": self.error, **self.extra}
        if self.problems:
            body["errors"] = [str(problem) for problem in self.problems]
            body["response_metadata"] = {"messages": [f"[ERROR] {problem}" for problem in self.problems]}
        return body


@dataclass(frozen=True, slots=True)
class Violation:
    """A request of the bot that breaks what Slack documents."""

    method: str
    error: str
    detail: str
    arguments: Json = field(default_factory=dict, repr=False)

    def __str__(self) -> str:
        return f"{self.method}: {self.error}: {self.detail}"
