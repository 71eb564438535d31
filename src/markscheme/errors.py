"""Errors that markscheme raises, one branch for each party who can fix the cause.

    MarkschemeError
    ├── UsageError              the caller: an invalid option, name or path
    │   └── SubmissionError     a response or an input that no judge can be shown
    ├── FileError               the author of any other file, such as an experiment
    │   ├── RubricError         the rubric's author: an invalid rubric
    │   └── RatingError         the owner of the examples and labels
    ├── ComparisonError         nothing in common to compare
    │   └── NothingGraded       the judge failed on every example
    ├── BudgetError             the next call would cost more than is left, or its price is not known
    └── JudgeError
        ├── NoJudge             no judge was named and none is available
        ├── JudgeUnavailable    none is recorded, or the provider failed; `transient` says whether a retry may help
        │   ├── JudgeBusy       the provider asks us to wait
        │   └── JudgeSilent     no answer came: out of reach, cut off, or too slow
        └── UnreadableReply     the model's reply is unusable

A wrong shape or type handed to a function is the caller's programming mistake: plain ValueError or TypeError.
"""

import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Self

from markscheme.seam import OpenTable

if TYPE_CHECKING:
    from inspect import BoundArguments

MOST_ALIKE = 5
"""Largest number of faults of one kind that a message lists, since one wrong scale can make a fault in every line."""
LINES_LISTED = 2
"""Largest number of further line numbers that a message lists for one fault."""
_VALUE = re.compile(r"'[^']*'|\"[^\"]*\"|-?\d+(?:\.\d+)?")
"""Pattern of quoted values and numbers, the only parts in which two faults of one kind differ."""


class MarkschemeError(Exception):
    """Base class of all errors that markscheme raises.

    Attributes:
        path: The file that the error is about; None if it is about none, or it isn't known which.
        setting: Key and value of the setting that the error is about; None if it is about none.
    """

    setting: tuple[str, str] | None = None

    def __init__(self, *message: object, path: Path | str | None = None) -> None:
        super().__init__(*message)
        self.path = path

    def of_setting(self, key: str, value: str) -> Self:
        """Return this error with the setting that it is about, so that its message can name the file that sets it."""
        self.setting = key, value
        return self


class UsageError(MarkschemeError):
    """An invalid option, name or path; the caller can fix it.

    Attributes:
        code: Code of the question that is open, if a table could be read in several ways; None for any other fault.
        columns: The columns that the question is about.
        values: Values in these columns, with the number of times each occurs.
        choices: Answers to the question, each as the options to add to the command.
        called: The command that the options are added to, as typed in a shell.
        facts: Further values for the error's message, by name.
        spell: Function that writes an option, such as `--pass VALUE`, the way the caller would; unchanged by default.
        files: The files that the question is about, to begin the message with; None if the message names them already.
    """

    code: str | None = None
    columns: tuple[str, ...] = ()
    values: Mapping[str, int] = MappingProxyType({})
    choices: tuple[str, ...] = ()
    called: str | None = None
    facts: Mapping[str, object] = MappingProxyType({})
    spell: Callable[[str], str] = str
    files: str | None = None

    @classmethod
    def coded(
        cls,
        code: str,
        *,
        columns: tuple[str, ...],
        values: Mapping[str, int],
        choices: tuple[str, ...],
        facts: Mapping[str, object],
    ) -> "UsageError":
        """Create an error from a code and facts; the message is made by the row of SENTENCES for the code.

        Args:
            code: Code of the question that is open, such as which column has the labels.
            columns: The columns that the question is about.
            values: Values in these columns, with the number of times each occurs.
            choices: Answers to the question, each as options to add to the command.
            facts: Further values for the message, by name.
        """
        error = cls()
        error.code, error.columns, error.values, error.choices, error.facts = code, columns, values, choices, facts
        return error

    @property
    def commands(self) -> tuple[str, ...]:
        """Commands that resolve the error, one for each choice; words in capitals are for the caller to replace."""
        called = "markscheme calibrate TABLE" if self.called is None else self.called
        return tuple(f"{called} {choice}".strip() for choice in self.choices)

    def __str__(self) -> str:
        """Return the message that the error was raised with, or else the message for its code."""
        if self.code is None or self.args:
            return super().__str__()
        sentence = next((say(self) for say in SENTENCES), self.code)
        return sentence if self.files is None else f"{self.files}: {sentence}"


SENTENCES: "OpenTable[Callable[[UsageError], str]]" = OpenTable()
"""Functions that write the message of an error from its code; `report` adds them."""
EXPLANATIONS: "OpenTable[Callable[[MarkschemeError, str, BoundArguments], None]]" = OpenTable()
"""Functions that raise a plainer error in place of one, which they get with its command and the command's arguments."""


class SubmissionError(UsageError, ValueError):
    """Error for a response or an input that no judge can be shown: bytes, or an object that isn't JSON data.

    Attributes:
        name: "response" or the input's name, with which the message begins.
        kind: What the value is or contains, such as bytes.
    """

    def __init__(self, name: str, kind: str, *, within: bool = False) -> None:
        self.name, self.kind = name, kind
        accepted = "text, numbers, booleans, lists, mappings and traces"
        super().__init__(f"{name} {'contains' if within else 'is'} {kind}; accepted are {accepted}")


_ALIKE = 0.8
"""Similarity from which a file name is suggested for a missing one; it is high, since file endings are similar
anyway."""


def suggestion(text: str, valid_names: Iterable[str], *, mark: str | None = None) -> str:
    """Return the end of an error about an unknown name, which suggests the nearest known one; "" if none is near.

    Args:
        text: The unknown name.
        valid_names: The known names.
        mark: What is put before and after the suggested name, such as a backtick; None for nothing.

    Example:
        >>> suggestion("calibrat", ["compare", "calibrate"], mark="`")
        '; did you mean `calibrate`?'
    """
    near = nearest(text, valid_names)
    if near is None:
        return ""
    return f"; did you mean {near}?" if mark is None else f"; did you mean {mark}{near}{mark}?"


def nearest(text: str, valid_names: Iterable[str], *, least: float = 0.6) -> str | None:
    """Return the name that is most similar to a text; None if no name is similar enough.

    Args:
        text: The text.
        valid_names: The names.
        least: Similarity, 0 to 1, from which on a name counts as similar.
    """
    import difflib  # only a fault needs it

    return next(iter(difflib.get_close_matches(text, list(valid_names), n=1, cutoff=least)), None)


def no_file(path: Path) -> str:
    """Return the end of a sentence on a missing file: a similar name, a missing folder, or where a link leads."""
    if not path.parent.is_dir():
        return f"there is no folder {path.parent}"
    if path.is_symlink():
        return f"it is a link to {path.readlink()}, where there is no file"
    names: list[str] = []
    with suppress(OSError):  # a folder may be entered and not be listed
        names += (file.name for file in path.parent.iterdir())
    near = nearest(path.name, names, least=_ALIKE)
    return "there is no such file" if near is None else f"there is no such file; did you mean {near}?"


@contextmanager
def writing(path: Path | str) -> Iterator[None]:
    """Convert OSError to UsageError while a file is written.

    Raises:
        UsageError: The file cannot be written.
    """
    try:
        yield
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}") from error


def kind_of(problem: str) -> str:
    """Return the message of a fault without quoted values and numbers, which is equal for all faults of one kind.

    Example:
        >>> kind_of("`level` must be 1 to 5, got 'nine'")
        '`level` must be … to …, got …'
    """
    return _VALUE.sub("…", problem)


@dataclass(frozen=True, slots=True)
class Fault:
    """Fault in a file: what is wrong, what is allowed, and on which line.

    Attributes:
        problem: Text on what is wrong and what is allowed.
        line: Line of the fault, from 1; None if it isn't known.
        about: The parts of the file that the fault is about, each as its kind and name; the part to change comes first.
            If the check that reported the fault didn't know the line, code that knows the lines of these parts sets
            `line`.
        row: Number of the row or record, from 1, which is named if the line isn't known; None if there is none.
    """

    problem: str
    line: int | None = None
    about: tuple[tuple[str, str], ...] = ()
    row: int | None = None


class FileError(MarkschemeError):
    """Faults in a file that a user wrote: all of them in one error, each with its line.

    Attributes:
        faults: The faults, in the order of the file.
    """

    def __init__(
        self, faults: Sequence[Fault] | str, *, path: Path | str | None = None, line: int | None = None
    ) -> None:
        self.faults = (Fault(faults, line),) if isinstance(faults, str) else tuple(faults)
        self.path = path
        super().__init__("\n".join(self._sentences()), path=path)

    def _sentences(self) -> Iterator[str]:
        """Yield a sentence for each fault, but only one if many lines have the same fault.

        Of faults that differ only in a value, the first few are listed, with the number of further ones.
        """
        alike: dict[str, list[Fault]] = {}
        for fault in self.faults:
            alike.setdefault(kind_of(fault.problem), []).append(fault)
        shown = {id(fault) for faults in alike.values() for fault in faults[: 1 if _is_one(faults) else MOST_ALIKE]}
        for fault in self.faults:
            if id(fault) in shown:
                faults = alike[kind_of(fault.problem)]
                yield self._sentence(_with_lines(faults) if _is_one(faults) else fault)
        for faults in alike.values():
            more = len(faults) - MOST_ALIKE
            if more > 0 and not _is_one(faults):
                like = "these" if faults[0].line is None else f"line {faults[0].line}"
                yield self._sentence(Fault(f"and {more} more {'line' if more == 1 else 'lines'} like {like}"))

    def _sentence(self, fault: Fault) -> str:
        location = ":".join(str(name) for name in (self.path, fault.line) if name is not None)
        row = None if fault.row is None or fault.line is not None else f"row {fault.row}"
        return ": ".join(filter(None, (location, row, fault.problem)))


def _is_one(faults: Sequence[Fault]) -> bool:
    """Return True if faults are many and have the same message, so that one sentence reports them."""
    return len(faults) > MOST_ALIKE and all(fault.problem == faults[0].problem for fault in faults)


def _with_lines(faults: Sequence[Fault]) -> Fault:
    """Merge equal faults on many lines into one fault that says how many more lines have it."""
    first, *others = faults
    further = dict.fromkeys(fault.line for fault in others if fault.line not in (None, first.line))
    lines = [str(line) for line in further][:LINES_LISTED]
    listed = f" (lines {', '.join(lines)}, …)" if lines else ""
    return Fault(f"{first.problem}; so in {len(others)} more{listed}", first.line, row=first.row)


_UNEXPECTED = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""Errors that Python raises if data don't have the shape that a reader expects."""


@contextmanager
def reading(path: Path, what: str) -> Iterator[None]:
    """Turn any error inside the `with` block, in which a file of another tool is read, into one that names the file.

    Args:
        path: The file.
        what: Noun for what the file is read as, for the message.

    Raises:
        RatingError: The file's data don't have the shape that such a file has.
        UsageError: The file can't be read as the options say; the message names it.
    """
    try:
        with naming(path):
            yield
    except MarkschemeError:
        raise
    except _UNEXPECTED as error:
        problem = f"cannot be read as {what}: {type(error).__name__}: {' '.join(str(error).split())[:_LONGEST]}"
        raise RatingError(problem, path=path) from error


_LONGEST = 200
"""Largest number of characters of another library's message that are passed on."""


@contextmanager
def naming(*paths: Path | str) -> Iterator[None]:
    """Add the files' names to the message of any error raised inside the `with` block, and set the error's `path`.

    A message that contains one of the names already isn't changed.
    """
    try:
        yield
    except MarkschemeError as error:
        is_named = not paths or any(Path(path).name in str(error) for path in paths)
        if isinstance(error, FileError) and error.path is None and not is_named:
            raise type(error)(error.faults, path=paths[0]) from error
        if not is_named and isinstance(error, UsageError) and error.code is not None and not error.args:
            error.files = ", ".join(map(str, paths))  # its commands are completed later
        elif not is_named and isinstance(error, UsageError | ComparisonError):
            error.args = (f"{', '.join(map(str, paths))}: {error}", *error.args[1:])
        error.path = error.path or next(iter(paths), None)
        raise


class RubricError(FileError):
    """An invalid rubric; its author can fix it."""


class RatingError(FileError):
    """Error for invalid examples or ratings, which their owner can fix."""


class ComparisonError(MarkschemeError):
    """Error of two sets of ratings that have nothing in common to compare."""


class NothingGraded(ComparisonError):  # noqa: N818
    """Error of a run that graded no example, or too few to say anything.

    Attributes:
        reasons: The reason why each example or call is not graded.
        of: Number of examples or calls, if some are graded but too few; None if none is graded.
    """

    def __init__(self, reasons: Sequence[str], *, of: int | None = None, things: str = "examples") -> None:
        self.reasons = tuple(reasons)
        self.of = of
        commonest = max(dict.fromkeys(reasons), key=reasons.count)
        n = reasons.count(commonest)
        times = "" if n == len(reasons) else f"{n} times: " if n > 1 else "the first: "
        failed = f"nothing was graded: all {len(reasons)} {things} failed"
        if of is not None and of > len(reasons):
            failed = f"{len(reasons)} of {of} {things} are not graded; at most a tenth may be"
        super().__init__(f"{failed}; {times}{commonest}")


class BudgetError(MarkschemeError):
    """Error of a call that would exceed the budget, or whose price is unknown."""


class JudgeError(MarkschemeError):
    """Error of a judge that can't be asked, or that gave no usable reply."""


class NoJudge(JudgeError):  # noqa: N818 - reads as the sentence it is
    """Error of a run for which no judge was named, and none is available by default.

    Its arguments together are the message. Each is a text, or a function that writes a text from `option`.

    Attributes:
        option: What the user sets to name a judge: `judge=…` for a call from Python (the default), or an option or a
            configuration's key.
    """

    option = "judge=…"

    def __str__(self) -> str:
        return "".join(text(self.option) if callable(text) else str(text) for text in self.args)


class JudgeUnavailable(JudgeError):  # noqa: N818
    """Error of a judge that has no reply to a prompt, or whose provider refused, could not be reached or was too slow.

    Attributes:
        transient: True if a retry may succeed.
        status: The HTTP status of the refusal or failure; None if there was none.
    """

    def __init__(self, message: str, *, transient: bool = False, status: int | None = None) -> None:
        super().__init__(message)
        self.transient, self.status = transient, status


class JudgeBusy(JudgeUnavailable):
    """Error of a judge whose provider asks us to come back later.

    Attributes:
        retry_after: Seconds that the provider asked us to wait; None if it did not say.
    """

    def __init__(self, message: str, *, retry_after: float | None = None, status: int | None = None) -> None:
        super().__init__(message, transient=True, status=status)
        self.retry_after = retry_after


class JudgeSilent(JudgeUnavailable):
    """Error of a judge that gave no answer, though the call may be charged: unreachable, cut off, or too slow."""

    def __init__(self, message: str) -> None:
        super().__init__(message, transient=True)


class UnreadableReply(JudgeError):  # noqa: N818
    """Error of a model's reply that is unusable."""


class RubricWarning(UserWarning):
    """Warning of something in a rubric that is probably a mistake, or of another tool's setting without effect."""


class RatingWarning(UserWarning):
    """Warning of something in examples or ratings that is allowed but worth knowing."""


FROM_OTHERS_CODE = (Exception, SystemExit)
"""Errors that a user's own function or module may raise: a `sys.exit(0)` in it must not end a run as if it had
succeeded."""


class DamagedLine(RatingWarning):
    """Warning of a line of a file that cannot be read and is left out, since the user allows that."""


# --- lines that can't be read ----------------------------------------------------------------------------------------

_LEFT_OUT: ContextVar[set[str] | None] = ContextVar("lines_left_out", default=None)
"""Messages about lines that were left out so far; None if damaged lines are refused."""


@contextmanager
def leaving_out_damaged_lines(wanted: bool = True) -> Iterator[None]:
    """Leave out unreadable lines of files read inside the block, and warn of them; if not `wanted`, raise an error.

    This is how `-o skip_damaged=true` works for all files that a command reads.
    """
    before = _LEFT_OUT.set(set() if wanted else None)
    try:
        yield
    finally:
        _LEFT_OUT.reset(before)


def lines_left_out() -> int:
    """Count the damaged lines that have been left out of files so far."""
    return len(_LEFT_OUT.get() or ())


def refuse_lines(error: FileError) -> None:
    """Raise an error about damaged lines; if the user asked to leave such lines out, only warn once about each.

    Raises:
        FileError: `error` itself, unless damaged lines are to be left out.

    Warns:
        DamagedLine: A line is left out; the warning names it.
    """
    left_out = _LEFT_OUT.get()
    if left_out is None:
        raise error
    for fault in error.faults:
        message = str(FileError([fault], path=error.path))
        if message not in left_out:
            left_out.add(message)
            warnings.warn(f"{message}; left out", DamagedLine, stacklevel=3)
