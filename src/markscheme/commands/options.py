"""Options that several commands share, each declared once."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from markscheme.errors import UsageError, no_file
from markscheme.judges.options import AskOptions
from markscheme.options.forms import FLAG, ON_SCREEN, TARGET
from markscheme.options.reading import DamageOptions
from markscheme.options.table import option
from markscheme.rubrics.search import known_rubrics

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cyclopts import Token

    from markscheme.judges.judge_context import JudgeContext
    from markscheme.rubrics.rubric import Rubric

JUDGE_NAMES = "{judges}"
"""Placeholder in help texts for the ways to name a judge."""

# --- what a value may be --------------------------------------------------------------------------------------------


def whole_number(_: type, tokens: "Sequence[Token]") -> int:
    """Read a whole number of 1 or more from the command line; refuse any other value."""
    (token,) = tokens
    if not token.value.isdecimal() or int(token.value) < 1:
        raise ValueError("must be a whole number from 1")
    return int(token.value)


def completed_rubrics(_: object) -> list[str]:
    """List the rubric names that a shell offers as completions."""

    return list(known_rubrics(Path.cwd()))


COUNT = Parameter(metavar="N", converter=whole_number)
"""Parameter for an option that takes a whole number of at least 1."""

RubricName = Annotated[str, Parameter(metavar="RUBRIC", help="a rubric's name or file", completer=completed_rubrics)]
JudgeName = Annotated[str | None, Parameter(metavar="NAME", help=f"judge to ask: {JUDGE_NAMES}")]
JudgeNames = Annotated[tuple[str, ...], Parameter(metavar="NAME", help=f"judge to ask: {JUDGE_NAMES}; may be repeated")]
RatingsFiles = Annotated[
    tuple[Path, ...],
    Parameter(metavar="FILE...", help="take the judge's ratings from files; nothing is asked", consume_multiple=1),
]
Details = Annotated[bool, Parameter(help="print the figures behind the answer too")]
JsonFlag = Annotated[bool, Parameter(name="--json", help="print JSON")]
JsonTarget = Annotated[
    str | None, Parameter(name="--json", metavar="[FILE]", help="write JSON; to standard output without FILE"), TARGET
]


# --- options that go together ---------------------------------------------------------------------------------------


def notify(sentence: str) -> None:
    """Print a sentence for the user, without delay."""
    print(sentence, file=sys.stderr, flush=True)


@dataclass(frozen=True, kw_only=True)
class AskFlags(DamageOptions, AskOptions):
    """Options of commands for how a judge is asked and within what limits."""

    def rubric(self, name: str) -> "Rubric":
        """Load a rubric by name or file, and apply the options on how a judge is asked by it."""
        return self.of(rubric_named(name))

    def context(self, notify: Callable[[str], None] | None = notify) -> "JudgeContext":
        """Make the limiter, price and cache that all judges share.

        Args:
            notify: Called with a sentence when a batch is sent, resumed or read; prints it by default.
        """
        return super().context(notify)


_target = partial(option, None, form=TARGET, value="FILE")


@dataclass(frozen=True, kw_only=True)
class ReportOptions:
    """Options on where a report is written, and how much of it is printed."""

    details: bool = option(False, "print the whole report, not only the first screen", FLAG)
    json: str | None = _target(about=f"write JSON; {ON_SCREEN}")
    markdown: str | None = _target(about=f"write Markdown; {ON_SCREEN}")
    html: str | None = _target(about="write a page to open, send or print")
    junit: str | None = _target(about="write JUnit XML, one test per criterion")
    sarif: str | None = _target(about="write the findings as SARIF, at the rubric's lines")
    annotate: bool = option(False, "print the findings as annotations of GitHub Actions, at the rubric's lines", FLAG)
    quiet: bool = option(False, "no report and no progress: files and exit status only", FLAG)

    @property
    def targets(self) -> dict[str, str | None]:
        """Map each report option, such as "json", to its file or "-" (standard output), or to None if it isn't set."""
        forms = ("json", "markdown", "html", "junit", "sarif")
        return {form: getattr(self, form) for form in forms}


def rubric_named(name: str) -> "Rubric":
    """Load a rubric by its name or its file."""
    from markscheme.readers.plain_tables import load_rubric_named

    return load_rubric_named(name)


def existing_file(path: Path) -> Path:
    """Check that a file exists, and return its path.

    Raises:
        UsageError: The file doesn't exist.
    """
    if not path.is_file():
        raise UsageError(f"{path}: {'this is a folder, not a file' if path.is_dir() else no_file(path)}", path=path)
    return path
