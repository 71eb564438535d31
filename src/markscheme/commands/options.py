"""Options that several commands share: each is declared once, and travels as part of a frozen value."""

import sys
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_type_hints

from cyclopts import Parameter

from markscheme.commands.families import MORE_OPTIONS
from markscheme.errors import UsageError, no_file
from markscheme.judges.options import ASK_OPTIONS, AskOptions
from markscheme.options.forms import FLAG
from markscheme.options.table import option
from markscheme.ratings.column_options import ColumnOptions, column_list, span_in
from markscheme.ratings.kinds import KINDS, Kind
from markscheme.rubrics.search import find_rubric, known_rubrics
from markscheme.text import folded_word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cyclopts import Token

    from markscheme.calibration.requests.calibration import ToolFileHints
    from markscheme.judges.asking import Asking
    from markscheme.rubrics.rubric import Rubric

JUDGE_NAMES = "{judges}"
"""Where help lists how judges are named."""

# --- what a value may be --------------------------------------------------------------------------------------------


def _must(allowed: str, holds: Callable[[Any], bool]) -> Callable[[type, Any], None]:
    """A validator that says what is allowed of each value that is given."""

    def check(_: type, value: Any) -> None:
        for entry in value if isinstance(value, tuple) else (value,):
            if entry is not None and not holds(entry):
                raise ValueError(f"must be {allowed}")

    return check


def whole_number(_: type, tokens: "Sequence[Token]") -> int:
    """Convert a whole number from 1, and refuse 1.5 or 0."""
    (token,) = tokens
    if not token.value.isdecimal() or int(token.value) < 1:
        raise ValueError("must be a whole number from 1")
    return int(token.value)


def number_or_needed(kind: type, tokens: "Sequence[Token]") -> int:
    """Convert a whole number from 1; alone, an option asks for as many as are needed."""
    return AS_NEEDED if tokens[0].value == ALONE else whole_number(kind, tokens)


def within(least: float, most: float) -> Callable[[type, Any], None]:
    """A validator of numbers from `least` to `most`."""
    return _must(f"from {least} to {most}", lambda value: least <= value <= most)


def _is_share(value: float) -> bool:
    if 1 < value <= 100:
        raise ValueError(f"must be above 0 and at most 1; did you mean {value / 100:g}?")
    return 0 < value <= 1


def completed_rubrics(_: object) -> list[str]:
    """What a shell completes RUBRIC to."""

    return list(known_rubrics(Path.cwd()))


ALONE = "-"
"""The value of an option whose value is optional, where it stands alone."""
COUNT = Parameter(metavar="N", converter=whole_number)
"""Of an option that is a whole number from 1."""
AS_NEEDED = 0
"""How many to draw where `--next` has no number: as many as the verdict needs."""
COUNT_OR_NEEDED = Parameter(metavar="[N]", converter=number_or_needed)
"""Of an option that is a whole number from 1, or stands alone."""
PORT = within(1, 65_535)
WITHIN_1 = _must("above 0 and at most 1", _is_share)
BETWEEN_0_AND_1 = _must("above 0 and below 1", lambda value: 0 < value < 1)

RubricName = Annotated[str, Parameter(metavar="RUBRIC", help="a rubric's name or file", completer=completed_rubrics)]
RubricOption = Annotated[
    str | None, Parameter(metavar="NAME", help="the rubric of the ratings, where the files don't name it")
]
JudgeName = Annotated[str | None, Parameter(metavar="NAME", help=f"judge to ask: {JUDGE_NAMES}")]
JudgeNames = Annotated[tuple[str, ...], Parameter(metavar="NAME", help=f"judge to ask: {JUDGE_NAMES}; may be repeated")]
ExamplesFile = Annotated[
    Path | None, Parameter(metavar="FILE", help="labelled examples, instead of the rubric's own set")
]
RatingsFiles = Annotated[
    tuple[Path, ...],
    Parameter(metavar="FILE...", help="take the judge's ratings from files; nothing is asked", consume_multiple=1),
]
GoldKind = Annotated[
    Kind | None, Parameter(metavar="KIND", help=f"use only labels of this kind: {', '.join(KINDS)}", group=MORE_OPTIONS)
]
Scorers = Annotated[tuple[str, ...], Parameter(metavar="MODULE", help=ASK_OPTIONS["scorers"].about, group=MORE_OPTIONS)]
_UNREADABLE = "leave out examples, ratings and records that can't be read, with a warning each"
SplitName = Annotated[
    Literal["dev", "test", "all"] | None,
    Parameter(metavar="S", help="dev, test or all (dev, once a set has splits)"),
]
SkipDamaged = Annotated[bool, Parameter(help=_UNREADABLE, group=MORE_OPTIONS)]
"""Heeded by `commands.call`, for all that a command reads."""
Details = Annotated[bool, Parameter(help="print the figures behind the answer too")]
JsonFlag = Annotated[bool, Parameter(name="--json", help="print JSON")]
JsonTarget = Annotated[
    str | None, Parameter(name="--json", metavar="[FILE]", help="write JSON; to standard output without FILE")
]


# --- options that go together ---------------------------------------------------------------------------------------


def notify(sentence: str) -> None:
    """Print a sentence for the user, without delay."""
    print(sentence, file=sys.stderr, flush=True)


@dataclass(frozen=True, kw_only=True)
class AskFlags(AskOptions):
    """How a judge is asked, and within what limits, on the command line."""

    skip_damaged: bool = option(False, _UNREADABLE, FLAG)

    def rubric(self, name: str) -> "Rubric":
        """The rubric of a name, or in a file, with what was asked for."""
        return self.of(rubric_named(name))

    def asking(self, notify: Callable[[str], None] | None = notify) -> "Asking":
        """What the judges opened with it share; what becomes of a batch is printed."""
        return super().asking(notify)


def pairs(entries: "Sequence[str]", option: str) -> dict[str, str]:
    """What is left and right of each `=` in the values of `--map` or `--levels`.

    Raises:
        UsageError: One has no `=`, or nothing on a side of it.
    """
    sides = {}
    for entry in entries:
        left, equals, right = (part.strip() for part in entry.partition("="))
        if not equals or not left or not right:
            shape = "COLUMN=FIELD" if option == "map" else "WORD=LEVEL"
            raise UsageError(f"`--{option}` must be {shape}, got {entry!r}")
        sides[left] = right
    return sides


def spans(entries: "Sequence[str]") -> dict[str, tuple[float, float]]:
    """The ends of each side's scale in the values of `--scale`.

    Raises:
        UsageError: One isn't SIDE=LOW..HIGH.
    """
    if not entries:  # the usual case, which needs no reader
        return {}

    by_side = {}
    for entry in entries:
        side, _, ends = entry.partition("=")
        span = span_in(ends)
        if span is None:
            raise UsageError(f"`--scale` must be SIDE=LOW..HIGH, such as judge=0..1, got {entry!r}")
        by_side[side.strip()] = span
    return by_side


@Parameter(name="*", group=MORE_OPTIONS)
@dataclass(frozen=True, kw_only=True)
class ToolFileOptions:
    """What another tool's export doesn't say.

    Attributes:
        kind: who rated, where an export doesn't say
        rater: the rater's name, where an export doesn't say
        judge_names: raters of an export that are judges
        map: another name for a metric of an export; may be repeated
        levels: the level that a word of an export means; may be repeated
        scale: the ends of a side's scale where they differ, judge=0..1 or human=1..5; may be repeated
    """

    kind: Annotated[Kind | None, Parameter(metavar="KIND")] = None
    rater: Annotated[str | None, Parameter(metavar="NAME")] = None
    judge_names: Annotated[tuple[str, ...], Parameter(metavar="A,B")] = ()
    map: Annotated[tuple[str, ...], Parameter(metavar="METRIC=NAME...", consume_multiple=1)] = ()
    levels: Annotated[tuple[str, ...], Parameter(metavar="WORD=LEVEL...", consume_multiple=1)] = ()
    scale: Annotated[tuple[str, ...], Parameter(metavar="SIDE=A..B...", consume_multiple=1)] = ()

    @property
    def hints(self) -> "ToolFileHints":
        """The same, for whatever reads exports."""
        from markscheme.calibration.requests.calibration import ToolFileHints

        return ToolFileHints(
            kind=self.kind,
            rater=self.rater,
            judges=frozenset(name.strip() for names in self.judge_names for name in names.split(",")),
            fields=pairs(self.map, "map"),
            words={folded_word(word): level for word, level in pairs(self.levels, "levels").items()},
            scales=spans(self.scale),
        )


_TABLE_FLAGS: dict[str, Parameter] = {
    "human": Parameter(
        metavar="COLUMN...", consume_multiple=1, help="of a table: the columns of annotators; may be repeated"
    ),
    "pass_": Parameter(
        name="--pass",
        metavar="VALUE...",
        consume_multiple=1,
        help="of a table: the value that passes, or COLUMN=VALUE; may be repeated",
        group=MORE_OPTIONS,
    ),
    "pass_mark": Parameter(metavar="M", help="of a table: the lowest number that passes", group=MORE_OPTIONS),
    "same": Parameter(
        metavar="A=B...",
        consume_multiple=1,
        help="of a table: two values that are one; A= is missing, none: no two are one; may be repeated",
        group=MORE_OPTIONS,
    ),
    "id": Parameter(metavar="COLUMN", help="of a table: the column of ids", group=MORE_OPTIONS),
    "response": Parameter(metavar="COLUMN", help="of a table: the column of responses", group=MORE_OPTIONS),
    "group": Parameter(metavar="COLUMN", help="of a table: the column of groups", group=MORE_OPTIONS),
    "table": Parameter(
        metavar="NAME", help="of a file with several tables: the sheet, table or key", group=MORE_OPTIONS
    ),
    "encoding": Parameter(metavar="NAME", help="of a table: how its text is encoded", group=MORE_OPTIONS),
    "adjudicated": Parameter(help="of a table: several annotators agreed on its labels", group=MORE_OPTIONS),
}
"""By field of `ColumnOptions`, what the command line shows of it; its other fields are those of `ToolFileOptions`."""


def _with_table_flags(options: type[ColumnOptions]) -> type[ColumnOptions]:
    """Declare each option of a table as cyclopts reads it, with its name, type and default."""
    types = get_type_hints(ColumnOptions)
    for declared in fields(ColumnOptions):
        flag = _TABLE_FLAGS.get(declared.name, Parameter(parse=False, show=False))
        options.__annotations__[declared.name] = Annotated[types[declared.name], flag]
        setattr(options, declared.name, declared)
    return options


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
@_with_table_flags
class TableOptions(ColumnOptions):
    """What a table without a rubric doesn't say; columns of the judge are named by --judge."""

    def columns(self, judges: "Sequence[str]", tool_files: ToolFileOptions) -> ColumnOptions:
        """Return the same with what other options say of tables.

        Raises:
            UsageError: A value of `--scale` or `--map` is neither LOW-HIGH nor has what is left and right of a `=`.
        """
        scales = replace(self, scale=tool_files.scale).unreadable_scales()
        if scales:
            raise UsageError(f"`--scale` must be LOW-HIGH or SIDE=LOW-HIGH, such as judge=0-1, got {scales[0]!r}")
        return replace(
            self,
            judge=column_list(judges),
            human=column_list(self.human),
            map=pairs(tool_files.map, "map"),
            levels=tool_files.levels,
            scale=tool_files.scale,
        )

    def refuse(self, name: str) -> None:
        """Refuse options of tables for anything else.

        Raises:
            UsageError: One is given.
        """
        for key in _TABLE_FLAGS:
            if getattr(self, key) not in ((), None, False):
                flag = key.strip("_").replace("_", "-")
                raise UsageError(f"--{flag} is for tables that need no rubric; {name} is none")


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class ReportOptions:
    """Where a calibration's report is written.

    Attributes:
        details: print the whole report, not only the first screen
        json: write JSON; - for standard output
        markdown: write Markdown; - for standard output
        html: write a page to open, send or print
        junit: write JUnit XML, one test per criterion
        sarif: write the findings as SARIF, at the rubric's lines
        annotate: print the findings as annotations of GitHub Actions, at the rubric's lines
        quiet: no report and no progress: files and exit status only
    """

    details: bool = False
    json: Annotated[str | None, Parameter(metavar="FILE")] = None
    markdown: Annotated[str | None, Parameter(metavar="FILE")] = None
    html: Annotated[str | None, Parameter(metavar="FILE")] = None
    junit: Annotated[str | None, Parameter(metavar="FILE", group=MORE_OPTIONS)] = None
    sarif: Annotated[str | None, Parameter(metavar="FILE", group=MORE_OPTIONS)] = None
    annotate: Annotated[bool, Parameter(group=MORE_OPTIONS)] = False
    quiet: bool = False

    @property
    def targets(self) -> dict[str, str | None]:
        """By option, where it writes."""
        forms = ("json", "markdown", "html", "junit", "sarif")
        return {form: getattr(self, form) for form in forms}


def rubric_named(name: str) -> "Rubric":
    """The rubric of a name, or in a file."""
    from markscheme.rubrics.file import load_rubric

    return load_rubric(find_rubric(name))


def existing_file(path: Path) -> Path:
    """The path of a file that exists.

    Raises:
        UsageError: It doesn't.
    """
    if not path.is_file():
        raise UsageError(f"{path}: {'this is a folder, not a file' if path.is_dir() else no_file(path)}")
    return path
