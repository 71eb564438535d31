"""The table of options without effect: for each command, the calls in which an option changes nothing, and why."""

import re
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import is_dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

from markscheme.calibration.call_arguments import as_argument
from markscheme.commands.families import paths_in
from markscheme.errors import MarkschemeError, UsageError
from markscheme.features.mistaken_calls import option_names as names
from markscheme.judges.judge import Judge
from markscheme.judges.kinds import kind_of
from markscheme.readers.plain_tables import hold, names_table, rows_bring_rubrics
from markscheme.rubrics.reading import shows_rubric

_MOST_BYTES: Final = 64
"""Number of a file's first bytes that say what kind of file it is."""
_LONGEST_CHARACTER: Final = 4
"""Largest number of bytes of one character, which may be cut off."""
_SINGLE: Final = (b"PAR1", b"ARROW1")
"""First bytes of binary files that hold a single table."""
_LINES: Final = (".jsonl", ".ndjson")
_RUBRIC_FILES: Final = (".yaml", ".yml")


class _AskedCall:
    """A call of a command, with the arguments that its function gets.

    Attributes:
        command: Name of the command.
        arguments: The arguments of the command's function, without those that have their defaults.
    """

    def __init__(self, command: str, arguments: Mapping[str, Any]) -> None:
        """Store the command's name and its function's arguments."""
        self.command = command
        self.arguments = arguments

    def has(self, *names: str) -> bool:
        """Return True if the call sets at least one of the named arguments."""
        return any(_is_set(self.arguments.get(name)) for name in names)

    def value(self, family: str, key: str) -> Any:
        """Return an option of a family of options; None if the call has no such family.

        A call in Python has all families in one argument.
        """
        if family in self.arguments:
            return getattr(self.arguments[family], key, None)
        return next((getattr(options, key) for options in self._added if hasattr(options, key)), None)

    def adds(self, *keys: str) -> bool:
        """Return True if one of these options, which a feature adds to the command, has a value."""
        return any(_is_set(getattr(family, key, None)) for family in self._added for key in keys)

    @property
    def _added(self) -> tuple[object, ...]:
        return getattr(self.arguments.get("added"), "values", ())

    @property
    def is_of_stream(self) -> bool:
        """True if `pass-rate` follows a stream, or plans its audits."""
        return bool(self.value("tracking", "plan") or self.value("tracking", "track"))

    @property
    def converts_rubric(self) -> bool:
        """True if `import` writes a rubric, and no ratings."""
        to = self.arguments.get("to")
        return to is not None and Path(to).suffix in _RUBRIC_FILES

    @property
    def is_of_table(self) -> bool:
        """True if a table is named in place of a rubric."""
        return names_table([str(self.arguments.get("rubric", ""))])

    @property
    def is_of_rows(self) -> bool:
        """True if the call names a file of rows with rubrics of their own, with or without a rubric that they share."""
        return rows_bring_rubrics(Path(str(self.arguments.get("rows") or self.arguments.get("rubric", ""))))

    @property
    def is_of_rated_files(self) -> bool:
        """True if `calibrate` is given files or a table with ratings in place of a rubric.

        False for a file of rows that bring rubrics of their own.
        """
        if self.arguments.get("table") is not None:
            return True
        paths = [*paths_in(self.arguments.get("rubric", ()))]
        files = [path for path in paths if path.is_file() and not _is_rubric(path)]
        is_of_counts = self.has("counts") or self.adds("counts")
        return not self.has("ratings") and not is_of_counts and bool(files) and not any(map(rows_bring_rubrics, files))

    @property
    def is_of_results(self) -> bool:
        """True if Promptfoo's results are the call's only file."""
        return len(self.files) == 1 and hold("results", self.files)

    @property
    def has_pool_alone(self) -> bool:
        """True if a table of responses to label is the call's only table."""
        pool = self.arguments.get("pool")
        return pool is not None and names_table([str(pool)]) and not self.has("ratings") and not self.is_of_table

    @property
    def names_judge(self) -> bool:
        """True if a judge that can be asked is named, or passed in Python."""
        judges = (*self._sides, *self._texts("judge"), *(self.value("columns", "judge") or ()))
        return any(map(_is_judge, judges))

    def _texts(self, name: str) -> tuple[str, ...]:
        value = self.arguments.get(name)
        texts = value if isinstance(value, tuple | list) else () if value is None else (value,)
        return tuple(judge for text in texts for judge in str(text).split(","))

    # --- files --------------------------------------------------------------------------------------------------------

    @property
    def named(self) -> str:
        """Name of the first file of the call; "the table" if it is a table in memory."""
        return str(next(iter(self.files), "the table"))

    @cached_property
    def files(self) -> list[Path]:
        """Files of the call, apart from rubrics, settings and code."""
        return [path for path in self._paths() if path.is_file() and not _is_rubric(path)]

    @property
    def names_files(self) -> bool:
        """True if the call names a file apart from rubrics, or in Python passes rows.

        A file that is missing counts too: the command will say so.
        """
        missing = (path for path in self._paths() if not path.exists() and path.suffix not in ("", *_RUBRIC_FILES))
        return bool(self.files) or any(missing) or self._passes_rows

    @property
    def _passes_rows(self) -> bool:
        """True if a table, examples or ratings are passed in memory."""
        passed = (*(self.arguments.get(name) for name in ("table", "examples", "ratings")), *self._sides)
        return any(_is_set(value) and not isinstance(value, str | Path | Judge) for value in passed)

    @property
    def _sides(self) -> tuple[Any, ...]:
        return tuple(self.arguments.get("sides", ()))

    @property
    def compares_judges_alone(self) -> bool:
        """True if all that is compared are judges that can be asked, so that no table is read."""
        return bool(self._sides) and all(map(_is_judge, self._sides))

    def _paths(self) -> Iterator[Path]:
        """Yield what may be a path, without files of replies in judges' names, such as `recorded:replies.jsonl`."""
        for value in self.arguments.values():
            named = getattr(value, "examples", None) if is_dataclass(value) else value
            listed = named if isinstance(named, tuple | list) else (named,)
            yield from paths_in([text for text in listed if not _is_judge(text)])

    @property
    def has_single_tables(self) -> bool:
        """True if the call has files, and no file can hold several tables."""
        return bool(self.files) and not any(map(_may_hold_several, self.files))


class _IdleRule(NamedTuple):
    """A rule on options that have no effect in some calls of a command.

    Attributes:
        commands: Names of the commands, separated by spaces; "" for all commands.
        is_so: Function that returns True for a call in which the options have no effect.
        options: The options.
        reason: Template of the reason, with what to do instead. {file} is replaced by the first file of the call,
            {typed} by that file as typed in a shell, and {--NAME} by the option as the caller writes it: `--NAME` on a
            command line, `NAME` in Python.
    """

    commands: str
    is_so: Callable[[_AskedCall], bool]
    options: Iterable[str]
    reason: str


_RULES: Final = (
    _IdleRule(
        "label",
        lambda call: call.is_of_rows,
        (*names.OF_POOLS, *names.OF_COLUMNS),
        "{file} is rubric, pool and examples in one; leave it out",
    ),
    _IdleRule(
        "label",
        lambda call: call.is_of_rows,
        names.OF_GOALS,
        "the plan of rows says how many to label before a judge is calibrated, and shows no other goal; leave it out",
    ),
    _IdleRule(
        "label",
        lambda call: call.is_of_rows,
        ("-o ask_whole",),
        "rows are labelled on the criteria that they bring, and not as a whole; leave it out",
    ),
    _IdleRule(
        "label",
        lambda call: not call.is_of_rows and not call.is_of_table,
        ("-o all_criteria",),
        "it is about rows that bring criteria of their own; leave it out",
    ),
    _IdleRule(
        "label",
        lambda call: call.has("pairs"),
        ("--plan", "--json", "--quiet", *names.OF_PLANS, *names.OF_SHARES),
        "--pairs writes pairs of --pool's outputs, and does nothing else; leave it out",
    ),
    _IdleRule(
        "label",
        lambda call: call.has("progress") and not call.has("to"),
        (*names.OF_PLANS, *names.OF_SHARES, *names.OF_SERVERS, "--rater", "--next", "--asked"),
        "--progress counts people's labels of all examples; leave it out, or type --plan in place of --progress",
    ),
    _IdleRule(
        "label",
        lambda call: call.has("same_meaning") and not call.has("to"),
        (*names.OF_PLANS, *names.OF_SHARES, *names.OF_COLUMNS, "--pool", "--rater", "--next", "--asked", "--json"),
        "--same-meaning only notes that a criterion's new words mean what its old ones meant; leave it out",
    ),
    _IdleRule(
        "label",
        lambda call: call.has("to"),
        ("--progress", "--same-meaning", "--disputed", "--audits", "--sheet"),
        "--to writes what to label next, and does nothing else; run one after the other",
    ),
    _IdleRule(
        "label",
        lambda call: call.has("sheet"),
        names.OF_SERVERS,
        "it is about a page that is served, and a sheet is a file; leave it out",
    ),
    _IdleRule(
        "label",
        lambda call: call.has("to", "plan"),
        ("--asked",),
        "it chooses what a page shows; leave it out, or label on a page",
    ),
    _IdleRule(
        "label",
        lambda call: call.has("plan") and call.is_of_table and not call.is_of_rows,
        ("--rater", *names.OF_SHARES, *names.OF_CALLS, "--ratings", "--examples", "--split", "--only"),
        "the plan of a table counts all of its rows, and asks no judge; leave it out",
    ),
    _IdleRule(
        "label",
        lambda call: call.has("plan") and call.is_of_table and not call.is_of_rows,
        (*names.OF_GOALS, "--details", *names.OF_PAGES),
        "the plan of a table says how many labels `markscheme calibrate` asks for, and opens no page; leave it out",
    ),
    _IdleRule(
        "label",
        lambda call: not call.has("to", "plan", "pairs"),
        names.OF_PLANS,
        "it is for a plan; add --plan, or leave it out",
    ),
    _IdleRule(
        "label",
        lambda call: not call.has("share"),
        ("--each",),
        "it is for annotators who share a pool; add --share A,B,C",
    ),
    _IdleRule(
        "label",
        lambda call: call.has("disputed"),
        (*names.OF_SHARES, "--next", "--asked"),
        "--disputed shows what annotators disagree on; leave it out",
    ),
    _IdleRule(
        "label",
        lambda call: not call.has("pool", "ratings") and not call.is_of_table,
        names.OF_COLUMNS,
        "it says what a file of --pool means; add --pool FILE, or leave it out",
    ),
    _IdleRule(
        "label",
        lambda call: call.has("plan", "to") and not call.has("share"),
        ("--overlap",),
        "it is for annotators who share a pool; add --share A,B,C",
    ),
    _IdleRule(
        "improve",
        lambda call: call.has("numbers") and call.has("ratings"),
        ("--judge", "--samples", "--budget", "--in-batches", *names.CALL_SETTINGS),
        "--ratings are read, and no judge is asked; leave it out",
    ),
    _IdleRule(
        "improve",
        lambda call: call.has("numbers"),
        ("--rounds", "--batch"),
        "--numbers tries weights and the pass mark, and no words; leave it out",
    ),
    _IdleRule(
        "improve",
        lambda call: call.has("plan"),
        ("--open", "--write"),
        "--plan makes no calls and tries nothing; run one after the other",
    ),
    _IdleRule(
        "improve",
        lambda call: not call.has("write"),
        ("--force",),
        "it is for --write, which is missing",
    ),
    _IdleRule(
        "certify",
        lambda call: not call.has("write", "ask_within"),
        ("--force",),
        "it is for --write or --ask-within, which is missing",
    ),
    _IdleRule(
        "export",
        lambda call: call.adds("counts_sql"),
        ("--promptfoo", "--json", "--split", "--examples"),
        "--counts-sql prints a SELECT, and does nothing else; run one after the other",
    ),
    _IdleRule(
        "export",
        lambda call: not call.has("promptfoo") and not call.adds("counts_sql", "counts"),
        ("--judge",),
        "it names a judge for --promptfoo or a column for counts; add --promptfoo FILE, or leave it out",
    ),
    _IdleRule(
        "export",
        lambda call: call.has("promptfoo"),
        ("--json",),
        "--promptfoo writes a file and prints no examples; leave one of them out",
    ),
    _IdleRule(
        "grade",
        lambda call: not call.value("columns", "human"),
        names.ON_RATINGS,
        "grading reads responses, and no ratings of them; `markscheme import` reads ratings",
    ),
    _IdleRule(
        "grade",
        lambda call: not call.has("show_prompt"),
        ("--missing",),
        "it says which prompts to print; add --show-prompt",
    ),
    _IdleRule(
        "grade",
        lambda call: call.has("show_prompt"),
        ("--out",),
        "--show-prompt grades nothing, so that no table is written; leave one of them out",
    ),
    _IdleRule(
        "grade",
        lambda call: call.has("show_prompt"),
        ("--budget", "--batch", *names.TRAFFIC_SETTINGS),
        "--show-prompt asks nothing; leave it out",
    ),
    _IdleRule(
        "grade",
        lambda call: call.has("out"),
        ("--json", "--details"),
        "--out writes a table and prints no grades; leave one of them out",
    ),
    _IdleRule(
        "calibrate",
        lambda call: call.has("ratings"),
        ("--replay", *names.OF_CALLS),
        "{--ratings} are read, and no judge is asked; name a judge by {--judge} in place of {--ratings}",
    ),
    _IdleRule(
        "calibrate",
        lambda call: call.is_of_rated_files and call.value("accepting", "accepted") is None,
        ("--replace", "--force", "--check"),
        "it is about accepted runs, which a rubric has; `markscheme init --from {typed}` makes one",
    ),
    _IdleRule(
        "calibrate",
        lambda call: call.is_of_rated_files,
        ("--budget", "--batch", "--all-texts", *names.CALL_SETTINGS),
        "{file} contains its own ratings, and no judge is asked; leave it out",
    ),
    _IdleRule(
        "certify compare",
        lambda call: not call.names_judge,
        names.OF_CALLS,
        "no judge is named that can be asked; leave it out",
    ),
    _IdleRule(
        "compare",
        lambda call: call.compares_judges_alone,
        ("--judge", *names.OF_TABLES),
        "judges rate a rubric's examples, and no table of ratings is compared; leave it out",
    ),
    _IdleRule(
        "certify compare improve init stress",
        lambda call: not call.names_files,
        names.OF_EXPORTS,
        "no file is read whose columns or raters it could mean; leave it out",
    ),
    _IdleRule(
        "calibrate",
        lambda call: not call.names_files,
        ("--map", "--judge-names"),
        "no file is read whose columns or raters it could mean; leave it out",
    ),
    _IdleRule(
        "init",
        lambda call: not call.names_files,
        ("--judge", "--human"),
        "it names columns of a table; add --from TABLE",
    ),
    _IdleRule(
        "init",
        lambda call: call.is_of_results,
        names.ON_FILES,
        "{file} has Promptfoo's results, which say themselves what was rated; leave it out",
    ),
    _IdleRule(
        "label",
        lambda call: call.has_pool_alone,
        names.OF_VALUES,
        "the responses of --pool are read, and no ratings of them; leave it out",
    ),
    _IdleRule(
        "pass-rate",
        lambda call: bool(call.value("tracking", "plan")),
        (*names.OF_LOOKS, *names.OF_RUNS, *names.OF_CALLS, "--drawn"),
        "--plan shows what numbers of audits are worth, and reads no new responses; leave one of them out",
    ),
    _IdleRule(
        "pass-rate",
        lambda call: bool(call.value("tracking", "track")),
        (*names.OF_RUNS, "--drawn"),
        "--track follows one stream, corrected by the labels of its audits; leave one of them out",
    ),
    _IdleRule(
        "pass-rate",
        lambda call: not call.is_of_stream,
        names.OF_CALLS,
        "no judge is asked; add --track, which grades what has no verdict, or leave it out",
    ),
    _IdleRule(
        "pass-rate",
        lambda call: not call.is_of_stream,
        ("--stream",),
        "it names a stream that is remembered; add --track, or leave it out",
    ),
    _IdleRule(
        "pass-rate",
        lambda call: not call.is_of_stream and call.value("tracking", "at_least") is None,
        names.OF_RUNS,
        "it is about several runs over the same cases; add --at-least T, or leave it out",
    ),
    _IdleRule(
        "import",
        lambda call: call.converts_rubric,
        (*names.OF_IMPORTS, *names.OF_COLUMNS_BUT_MAP),
        "a rubric is converted, which has no ratings; leave it out, or give --to another ending than .yaml",
    ),
    _IdleRule(
        "import",
        lambda call: not call.converts_rubric,
        names.OF_SHAPES,
        "it is about a rubric that is converted; add --to rubrics/NAME.yaml",
    ),
    _IdleRule(
        "import",
        lambda call: not call.has("to", "examples"),
        ("--append",),
        "it adds to files that exist; add --to FILE or --examples FILE.jsonl",
    ),
    _IdleRule(
        "calibrate",
        lambda call: not call.is_of_rated_files,
        names.OF_ANNOTATORS,
        "it is about a table of annotators without a judge, and a judge is calibrated; leave it out",
    ),
    _IdleRule(
        "certify compare grade import improve init label pass-rate stress",
        lambda _: True,
        names.OF_ANNOTATORS,
        "it is about a table of annotators without a judge, which `markscheme calibrate TABLE` reads; leave it out",
    ),
    _IdleRule(
        "",
        lambda call: call.value("columns", "table") is not None and call.has_single_tables,
        ("--table",),
        "{file} holds a single table, as text and Parquet files do; leave it out",
    ),
)
"""The rules, in the order in which they are tried."""


def refuse_idle(command: str, typed: Collection[str], arguments: Mapping[str, Any]) -> None:
    """Raise an error if one of the options that were typed has no effect, with the reason and the way out.

    Args:
        command: Name of the command.
        typed: Names of the options as they were typed, such as `--only`, `-o cache` or, as arguments in Python, `only`.
        arguments: The arguments of the command's function.

    Raises:
        UsageError: An option has no effect.
    """
    call = _AskedCall(command, arguments)
    typed_by_key = {_key(name): name for name in typed}
    for rule in _RULES:
        option = next((typed_by_key[key] for key in map(_key, rule.options) if key in typed_by_key), None)
        if option is not None and command in (rule.commands or command).split() and rule.is_so(call):
            typed_file = shlex.quote(call.named) if call.files else "YOUR-TABLE.csv"
            is_argument = option.isidentifier()
            reason = _with_options(rule.reason, as_argument if is_argument else str)
            reason = reason.format(file=call.named, typed=typed_file)
            raise UsageError(f"{f'`{option}`' if is_argument else option} has no effect here: {reason}")


def _with_options(reason: str, spell: Callable[[str], str]) -> str:
    """Write the options that a rule's reason names in braces, such as `{--judge}`, the way the caller would."""
    return re.sub(r"\{(--[^{}]*)\}", lambda option: spell(option[1]), reason)


def _is_set(value: Any) -> bool:
    """Return True unless an argument's value is None, False or an empty tuple."""
    return value is not None and value is not False and not (isinstance(value, tuple) and not value)


def _is_judge(value: object) -> bool:
    """Return True for a judge, and for the name of one that can be asked."""
    return kind_of(str(value)) is not None if isinstance(value, str | Path) else isinstance(value, Judge)


def _key(name: str) -> str:
    """Return an option's name as an argument in Python: `only` for `--only`, and `cache` for `-o cache`."""
    return name.removeprefix("-o ").removeprefix("--").replace("-", "_").rstrip("_")


def _is_rubric(path: Path) -> bool:
    """Return True if a file contains a rubric, or can't be read, which the command itself will say."""
    try:
        return shows_rubric(path)
    except (MarkschemeError, OSError):
        return True


def _may_hold_several(path: Path) -> bool:
    """Return True if a file may hold several tables, as a database or a JSON object may.

    Other text, and Parquet and Arrow files, hold one table at most.
    """
    with path.open("rb") as file:
        start = file.read(_MOST_BYTES)
    if start.startswith(_SINGLE):
        return False
    try:
        text = start.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        if problem.start < len(start) - _LONGEST_CHARACTER:
            return True
        text = start[: problem.start].decode("utf-8-sig")
    return "\0" in text or (text.lstrip().startswith("{") and not path.name.casefold().endswith(_LINES))
