"""All that markscheme raises on purpose, one branch for each party who can mend the fault.

    MarkschemeError
    ├── UsageError              whoever called: an option, a name or a path that cannot be
    ├── RubricError             the rubric's author: a file asks for what a rubric cannot be
    ├── RatingError             whoever keeps examples and labels
    ├── ExperimentError         the experiment's author: a file asks for what an experiment cannot be
    ├── ComparisonError         nothing in common to compare
    │   └── NothingGraded       the judge failed on every example
    ├── BudgetError             the next call would cost more than is left, or its price is not known
    └── JudgeError
        ├── NoJudge             nobody was named and nobody can be asked
        ├── JudgeUnavailable    the provider: refused, failed; its `transient` tells whether asking again may help
        │   ├── JudgeBusy       the provider asks us to wait
        │   ├── JudgeSilent     no answer came: out of reach, cut off, or too slow
        │   └── MissingReply    a recording has no reply to this prompt
        └── UnreadableReply     the model: what came back is no reply

A wrong shape or type handed to a function is the caller's programming mistake: plain ValueError or TypeError.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path


class MarkschemeError(Exception):
    """The root of all errors raised on purpose."""


class UsageError(MarkschemeError):
    """An option, a name or a path that cannot be; whoever called can mend it."""


def suggestion(text: str, known: Iterable[str], *, mark: str = "") -> str:
    """The end of a sentence about an unknown name: the nearest known one, or nothing where none is near.

    Example:
        >>> suggestion("calibrat", ["compare", "calibrate"], mark="`")
        '; did you mean `calibrate`?'
    """
    import difflib  # only a fault needs it

    near = difflib.get_close_matches(text, list(known), n=1)
    return f"; did you mean {mark}{near[0]}{mark}?" if near else ""


@contextmanager
def writing(path: Path | str) -> Iterator[None]:
    """What keeps a file from being written in here is told as the caller's to mend.

    Raises:
        UsageError: The disk refused it.
    """
    try:
        yield
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}") from error


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong in a file: what was found and what is allowed, and the line it stands on (from 1)."""

    problem: str
    line: int | None = None


class FileError(MarkschemeError):
    """Faults in something a person wrote, all of them at once, each with its place.

    Attributes:
        faults: What is wrong, in the order of the file.
        path: The file, or None for data that came from no file.
    """

    def __init__(
        self, faults: Sequence[Fault] | str, *, path: Path | str | None = None, line: int | None = None
    ) -> None:
        self.faults = (Fault(faults, line),) if isinstance(faults, str) else tuple(faults)
        self.path = path
        super().__init__("\n".join(self._sentence(fault) for fault in self.faults))

    def _sentence(self, fault: Fault) -> str:
        place = ":".join(str(part) for part in (self.path, fault.line) if part is not None)
        return f"{place}: {fault.problem}" if place else fault.problem


class RubricError(FileError):
    """A rubric asks for what a rubric cannot be; its author can mend it."""


class RatingError(FileError):
    """Examples or ratings that cannot be read as such; whoever keeps them can mend it."""


class ExperimentError(FileError):
    """An experiment asks for what it cannot be; its author can mend it."""


class ComparisonError(MarkschemeError):
    """Two sets of ratings have nothing in common to compare."""


class NothingGraded(ComparisonError):  # noqa: N818
    """The judge failed on every example, so that nothing is known of it; the reasons say who can fix that.

    Attributes:
        reasons: Why each of the examples is not graded.
    """

    def __init__(self, reasons: Sequence[str]) -> None:
        self.reasons = tuple(reasons)
        commonest = max(dict.fromkeys(reasons), key=reasons.count)
        times = "" if len(set(reasons)) == 1 else f"{reasons.count(commonest)} times: "
        super().__init__(f"nothing was graded: all {len(reasons)} examples failed; {times}{commonest}")


class BudgetError(MarkschemeError):
    """The next call would cost more than the budget leaves, or nobody knows what it costs."""


class JudgeError(MarkschemeError):
    """A judge gave nothing to grade with."""


class NoJudge(JudgeError):  # noqa: N818 - reads as the sentence it is
    """Nobody was named as judge and nobody can be asked without being named."""


class JudgeUnavailable(JudgeError):  # noqa: N818
    """A judge's provider refused, could not be reached, or took longer than the deadline.

    Attributes:
        transient: Whether the same question may be answered a little later.
        status: The HTTP status of the refusal or failure; None where there was none.
    """

    def __init__(self, message: str, *, transient: bool = False, status: int | None = None) -> None:
        super().__init__(message)
        self.transient, self.status = transient, status


class JudgeBusy(JudgeUnavailable):
    """A judge's provider asks us to come back later.

    Attributes:
        retry_after: Seconds the provider asked us to wait; None where it did not say.
    """

    def __init__(self, message: str, *, retry_after: float | None = None, status: int | None = None) -> None:
        super().__init__(message, transient=True, status=status)
        self.retry_after = retry_after


class JudgeSilent(JudgeUnavailable):
    """No answer came, though one may have been made and charged: out of reach, cut off, or past the deadline."""

    def __init__(self, message: str) -> None:
        super().__init__(message, transient=True)


class MissingReply(JudgeUnavailable):
    """A recording holds no reply to this prompt."""


class UnreadableReply(JudgeError):  # noqa: N818
    """What came back from a model is no reply."""


class RubricWarning(UserWarning):
    """Something in a rubric that is allowed and probably not meant, or that a foreign file says in vain."""


class RatingWarning(UserWarning):
    """Something in examples or ratings that is allowed and should be known."""
