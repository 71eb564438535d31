"""Reads responses with their times from files of any format, to add them to a stream."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, TypeAlias

from markscheme.calibration.rates.decisions import decided
from markscheme.errors import Fault, RatingError, UsageError, refuse_lines
from markscheme.features.pass_rate.tracked.mix import INPUT_LENGTH, VALUES_OF_COLUMN
from markscheme.features.pass_rate.tracked.traces import is_traces, traces_in
from markscheme.features.pass_rate.tracked.weeks import read_time
from markscheme.phrases import in_words
from markscheme.plain_data import shown
from markscheme.prompts.parts import in_cell
from markscheme.prompts.submission import NO_RESPONSE, RESPONSE_KEYS, Submission, is_missing
from markscheme.ratings.column_options import ColumnOptions
from markscheme.ratings.example_rows import Example
from markscheme.ratings.table import column_of
from markscheme.readers.file_format import FileFormat
from markscheme.readers.formats import PROMPTFOO_RESULTS, format_of
from markscheme.readers.imported import RESPONSES_ALONE
from markscheme.readers.mapped_columns import refuse_unknown_columns
from markscheme.readers.peek import Peek
from markscheme.readers.rated import RatedFile, columns_from_options, open_rated
from markscheme.readers.tabular.words import JUDGE_WORDS, PEOPLE_WORDS, decision_of, folded, name_words
from markscheme.rubrics.rubric import Rubric
from markscheme.text import folded_word

TIME_NAMES = ("time", "timestamp", "created_at", "request_time", "start_time", "starttime", "createdat", "date")
"""Names of columns and keys that may hold a time, the likeliest first, in any case."""
_ID_NAMES = ("id", "trace_id", "run_id", "span_id")
_GROUP_NAMES = ("group", "conversation", "conversation_id", "session_id", "sessionid", "thread_id")
_VERDICT_NAMES = ("pass", "passed", "verdict")
_JUDGE_NAMES = ("judge", "rater")
_LONGEST_VALUE = 40
"""Largest number of characters of a value in a column that may explain a shift by its few different values."""
_NO_INPUT = frozenset(
    (*TIME_NAMES, *_ID_NAMES, *_GROUP_NAMES, *_VERDICT_NAMES, *_JUDGE_NAMES, *RESPONSE_KEYS, "answer", "system",
     "model", "provider", "prompt", "score", "decision", "error", "criteria", "receipt", "usage", "fingerprints",
     "gold", "label", "raw_score", "llm_raw_score", "reason", "stratum", "unit", "case", "variant", "metadata", "drawn",
     "weight")
)  # fmt: skip
"""Names of columns that aren't inputs, and therefore never explain a shift."""
_NAMED_INPUTS = "inputs"


@dataclass(frozen=True)
class TimedResponse:
    """A response with its time and, if it is graded, its verdict.

    Attributes:
        submission: The response with its id and inputs.
        time: Time at which it was given, in UTC.
        passes: The judge's verdict; None if there is none, or if it leaves the response to people.
        is_graded: True if the judge graded it, or left it to people.
        group: Name of the conversation that the response belongs to; None if it belongs to none.
        judge: The judge, as the file names it; None if the file names none.
        columns: Short values known before grading, such as inputs, and the length of all inputs, by name. A change of
            their mix may explain a change of the pass rate.
        has_zone: True if its row states a time with a zone, False if without; None if the day was given for all, or
            the tool's times are known to be in UTC.
        path: The file that it is in; None if the file's rows aren't read one by one.
        line: The line of that file on which it is; None if it isn't known.
    """

    submission: Submission
    time: datetime
    passes: bool | None
    is_graded: bool
    group: str | None
    judge: str | None
    columns: Mapping[str, Any]
    has_zone: bool | None = None
    path: Path | None = None
    line: int | None = None


@dataclass(frozen=True)
class TimeOptions:
    """Options for where files state the date and time at which a response was given.

    Attributes:
        column: The column that holds the time; None for the likeliest one.
        day: The day of all responses; None if each has a time of its own.
        latest: The latest possible time.
    """

    column: str | None = None
    day: datetime | None = None
    latest: datetime = datetime.max.replace(tzinfo=UTC)


_RowOnLine: TypeAlias = "tuple[int | None, Any]"
"""The line of a row, None if it isn't known, and the row."""


def read_responses(
    files: Sequence[Path], rubric: Rubric, times: TimeOptions, columns: ColumnOptions, *, is_asked: bool
) -> list[TimedResponse]:
    """Read responses with their times from files.

    Args:
        files: The files; files of another tool together are one export.
        rubric: The rubric, which decides which scores pass.
        times: Options for where a response's time is found.
        columns: What the files' columns and values mean.
        is_asked: True if a judge will grade the responses that have no verdict.

    Raises:
        RatingError: A file has no times; its times can't be read or lie in the future; only some of its times state a
            time zone; or it has two verdicts on one response.
        UsageError: The files don't have columns that the caller names.
    """
    peeks = [Peek(path) for path in files]
    formats = [format_of(peek, "anything") for peek in peeks]
    if any(of_tool is not None and (of_tool.times is not None or of_tool is PROMPTFOO_RESULTS) for of_tool in formats):
        responses = _of_tool(peeks, formats, rubric, times, columns, is_asked=is_asked)
    else:
        responses = [response for peek in peeks for response in _of_rows(peek, rubric, times, columns)]
    return _with_few_values(_once(responses, files[0]))


def _once(responses: Iterable[TimedResponse], path: Path) -> list[TimedResponse]:
    """Return each response once, with its verdict if any of its occurrences has one.

    Raises:
        RatingError: A response has two different verdicts.
    """
    by_id: dict[str, TimedResponse] = {}
    faults: dict[Path, list[Fault]] = {}
    for response in responses:
        before = by_id.setdefault(response.submission.id, response)
        if before is response:
            continue
        if before.is_graded and response.is_graded and before.passes != response.passes:
            fault = Fault(f"two verdicts on the response {response.submission.id!r}", response.line)
            faults.setdefault(response.path or path, []).append(fault)
        elif response.is_graded and not before.is_graded:
            by_id[response.submission.id] = response
    if faults:
        first = next(iter(faults))
        raise RatingError(faults[first], path=first)
    return list(by_id.values())


def _with_few_values(responses: list[TimedResponse]) -> list[TimedResponse]:
    """Return responses without those of their columns that have many different values in all responses together.

    The column with the input's length is always kept.
    """
    values: dict[str, set[Any]] = {}
    for response in responses:
        for name, value in response.columns.items():
            of_name = values.setdefault(name, set())
            if len(of_name) <= VALUES_OF_COLUMN[1]:
                of_name.add(value)
    few = {name for name, of_name in values.items() if len(of_name) <= VALUES_OF_COLUMN[1]} | {INPUT_LENGTH}
    return [
        replace(response, columns={name: value for name, value in response.columns.items() if name in few})
        for response in responses
    ]


# --- rows of tables and lines -----------------------------------------------------------------------------------------


def _of_rows(peek: Peek, rubric: Rubric, times: TimeOptions, columns: ColumnOptions) -> Iterator[TimedResponse]:
    if is_traces(peek):
        rows: Iterable[_RowOnLine] = ((None, trace) for trace in traces_in(peek))
    else:
        rows = ((line, row) for line, (_, row) in peek.parts_on_lines())
    named = [(line, ordinal, row) for ordinal, (line, row) in enumerate(rows, start=1) if isinstance(row, Mapping)]
    if not named:
        raise RatingError("holds no responses", path=peek.path)
    reader = _RowReader(
        peek.path, list(dict.fromkeys(name for _, _, row in named for name in row)), rubric, times, columns
    )
    faults: list[Fault] = []
    for line, ordinal, row in named:
        try:
            yield replace(reader.response(row, ordinal), path=peek.path, line=line)
        except ValueError as error:
            faults.append(Fault(str(error), line, row=ordinal))
    if faults:
        refuse_lines(RatingError(faults, path=peek.path))


class _RowReader:
    """Reader of a table's rows as responses; the columns' names say which column holds times, ids and so on.

    A row may lack cells: a response without a verdict has none in the column of verdicts.
    """

    def __init__(
        self, path: Path, names: Sequence[str], rubric: Rubric, times: TimeOptions, columns: ColumnOptions
    ) -> None:
        self._rubric = rubric
        self._times = times
        self._folder = path.parent
        by_name = {name.casefold(): name for name in names}
        self._time = _column(by_name, (times.column,) if times.column else TIME_NAMES)
        if self._time is None and times.day is None:
            raise _no_time(path, list(names), times.column)
        self._id = columns.id or _column(by_name, _ID_NAMES)
        self._group = columns.group or _column(by_name, _GROUP_NAMES)
        self._response = columns.response or _column(by_name, (*RESPONSE_KEYS, "answer"))
        verdicts = columns.judge or tuple(filter(None, (_column(by_name, _VERDICT_NAMES),)))
        self._verdict = verdicts[0] if verdicts else None
        for name in (columns.id, columns.group, columns.response, *columns.judge):
            if name is not None and name not in names:
                raise UsageError(f"{path}: there is no column {name!r}; it has {', '.join(names)}")
        self._passes = {folded_word(value.rpartition("=")[2]) for value in columns.pass_}
        self._judge = _column(by_name, _JUDGE_NAMES)
        self._raters = frozenset((*columns.judge, *columns.human))
        self._has_zone: bool | None = None

    def response(self, row: Mapping[str, Any], ordinal: int) -> TimedResponse:
        """Build a response from a row.

        Args:
            row: The row.
            ordinal: Number of the row, which is the response's id if the row has none.

        Raises:
            ValueError: The row can't be read; the message says why.
        """
        named = row.get(_NAMED_INPUTS)
        inputs = {**self._inputs(row), **(named if isinstance(named, Mapping) else {})}
        text = row.get(self._response) if self._response else None
        unit = row.get(self._id) if self._id else None
        passes, is_graded = self._decided(row)
        submission = Submission(
            "" if text is None or is_missing(text) else in_cell(text),
            {name: in_cell(value) for name, value in inputs.items() if value is not None},
            str(ordinal if unit is None or unit == "" else unit),
            NO_RESPONSE if is_missing(text) else "",
            folder=self._folder,
        )
        group = row.get(self._group) if self._group else None
        judge = row.get(self._judge) if self._judge and self._verdict_column(row) != self._judge else None
        return TimedResponse(
            submission,
            self._time_of(row),
            passes,
            is_graded,
            None if group in (None, "") else str(group),
            judge if isinstance(judge, str) and judge else None,
            _mix_of(inputs),
            self._has_zone,
        )

    def _time_of(self, row: Mapping[str, Any]) -> datetime:
        if self._times.day is not None:
            return self._times.day
        raw = None if self._time is None else row.get(self._time)
        time = read_time(raw)
        if raw is None or raw == "":
            raise ValueError(f"has no `{self._time}`; write it as 2025-10-06T09:30:00Z")
        if time is None:
            raise ValueError(f"`{self._time}` isn't a time: {shown(raw)}; write it as 2025-10-06T09:30:00Z")
        has_zone = time.tzinfo is not None
        if self._has_zone is not None and has_zone is not self._has_zone:
            raise ValueError(f"`{self._time}` has a zone in some rows and none in others: {shown(raw)}")
        self._has_zone = has_zone
        time = time if has_zone else time.replace(tzinfo=UTC)
        if time > self._times.latest:
            raise ValueError(f"`{self._time}` lies in the future: {shown(raw)}")
        return time

    def _inputs(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return a row's inputs: the columns that hold no ratings and have no other known meaning."""
        of_raters = (name for name in row if name not in self._rubric.known_inputs and _is_rating(name))
        others = {_NAMED_INPUTS, *self._raters, *of_raters}
        return {name: value for name, value in row.items() if name.casefold() not in _NO_INPUT and name not in others}

    def _verdict_column(self, row: Mapping[str, Any]) -> str | None:
        """Return the column with a row's verdict; None if there is none.

        It is the column that the user names. If none is named, it is `judge`, if the row has a word such as pass or no
        there.

        Args:
            row: The row.
        """
        if self._verdict is None and self._judge and decision_of(folded(str(row.get(self._judge)))) is not None:
            return self._judge
        return self._verdict

    def _decided(self, row: Mapping[str, Any]) -> tuple[bool | None, bool]:
        """Return a row's verdict (pass, fail or None), and True if the row was graded.

        A row whose decision the judge left to people is graded and has no verdict (None).

        Raises:
            ValueError: The verdict is neither pass nor fail.
        """
        if row.get("decision") == "ask":
            return None, True
        column = self._verdict_column(row)
        raw = row.get(column) if column else None
        if isinstance(raw, bool):
            return raw, True
        word = "" if raw is None else folded_word(str(raw))
        if word and self._passes:
            return word in self._passes, True
        decision = decision_of(folded(word))
        if decision is not None:
            return decision, True
        if word:
            raise ValueError(f"`{column}` is neither pass nor fail: {shown(raw)}; `--pass VALUE` says what passes")
        score = row.get("score")
        if isinstance(score, int | float) and not isinstance(score, bool):
            return float(score) >= self._rubric.pass_mark, True
        return None, False


def _is_rating(name: str) -> bool:
    """Return True if a column's name says that it holds ratings by a judge or people: "human", "judge_gpt", …

    >>> _is_rating("human_label"), _is_rating("language")
    (True, False)
    """
    return not (JUDGE_WORDS | PEOPLE_WORDS).isdisjoint(name_words(name))


def _column(by_name: Mapping[str, str], names: Iterable[str]) -> str | None:
    return next((by_name[name.casefold()] for name in names if name.casefold() in by_name), None)


def _mix_of(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Return a response's values whose frequencies are compared over time: short inputs, and the inputs' length."""
    few = {
        name: str(value)
        for name, value in inputs.items()
        if isinstance(value, str | int | bool) and len(str(value)) <= _LONGEST_VALUE
    }
    length = sum(len(str(value)) for value in inputs.values())
    return {**few, INPUT_LENGTH: length} if length else few


def _no_time(path: Path, columns: Sequence[str], wanted: str | None) -> RatingError:
    problem = f"has no column {wanted!r}" if wanted else "has no time"
    return RatingError(
        f"{problem}: it has {in_words(columns)}; name the column of times with --time COLUMN, or give one date for all "
        "with --at DATE",
        path=path,
    )


# --- exports of tools -------------------------------------------------------------------------------------------------


def _of_tool(
    peeks: Sequence[Peek],
    formats: Sequence[FileFormat | None],
    rubric: Rubric,
    times: TimeOptions,
    columns: ColumnOptions,
    *,
    is_asked: bool,
) -> list[TimedResponse]:
    """Return the responses in another tool's export with times; its verdicts are left out if a judge is asked."""
    paths = [peek.path for peek in peeks]
    joined = len(paths) > 1
    if is_asked:
        rated = open_rated(paths, expected="examples", columns=RESPONSES_ALONE, joined=joined)
    else:
        refuse_unknown_columns(paths, columns)
        rated = open_rated(paths, rubric, expected="decisions", columns=columns_from_options(columns), joined=joined)
    written_times = {
        unit: raw
        for peek, file_format in zip(peeks, formats, strict=True)
        if file_format is not None and file_format.times is not None
        for unit, raw in file_format.times(peek)
    }
    return [
        response
        for file in rated.files
        for response in _of_rated(file, rated.rubric, written_times, times, is_named=rated.is_named, is_asked=is_asked)
    ]


def _of_rated(
    file: RatedFile,
    rubric: Rubric,
    written_times: Mapping[str, Any],
    times: TimeOptions,
    *,
    is_named: bool,
    is_asked: bool,
) -> Iterator[TimedResponse]:
    verdicts = {} if is_asked else _verdicts(file, rubric, is_named=is_named)
    ids = dict.fromkeys([*(example.id for example in file.examples), *verdicts])
    examples = {example.id: example for example in file.examples}
    if times.day is None and not written_times and not file.day:
        raise RatingError(f"is {file.format} without times; give one date for all with --at DATE", path=file.path)
    for unit in ids:
        raw = written_times.get(unit, written_times.get(file.written_ids.get(unit, unit), file.day or None))
        when = times.day or _tool_time(raw, unit, file, times.latest)
        example = examples.get(unit)
        submission = Submission("", {}, unit, NO_RESPONSE) if example is None else example.submission
        judge, passes = verdicts.get(unit, (None, None))
        group = None if example is None or not example.group else example.group
        yield TimedResponse(
            submission, when, passes, unit in verdicts, group, judge, _mix_of(_before_grading(submission, example))
        )


def _before_grading(submission: Submission, example: Example | None) -> dict[str, Any]:
    """Return what is known of a response before it is graded, by name: its example's metadata, and its inputs.

    Args:
        submission: The response with its inputs.
        example: The example made from the response; None if there is none.
    """
    return {**({} if example is None else example.metadata), **submission.inputs}


def _tool_time(raw: Any, unit: str, file: RatedFile, latest: datetime) -> datetime:
    time = read_time(raw)
    if time is None:
        raise RatingError(f"has no time for the response {unit!r}, got {shown(raw)}", path=file.path)
    time = time if time.tzinfo is not None else time.replace(tzinfo=UTC)
    if time > latest:
        raise RatingError(f"has a time in the future for the response {unit!r}: {shown(raw)}", path=file.path)
    return time


def _verdicts(file: RatedFile, rubric: Rubric, *, is_named: bool) -> dict[str, tuple[str | None, bool | None]]:
    """Map each response that the judge decided on to a pair: the judge's name, if the file has one, and the decision.

    Args:
        file: The file's ratings.
        rubric: The rubric.
        is_named: True if the user named the rubric. Its pass mark then turns a score without a decision into one.
    """
    ids = list(dict.fromkeys(rating.id for rating in file.judged))
    raters = {rating.rater for rating in file.judged}
    if len(raters) > 1:
        named = ", ".join(sorted(raters))
        raise RatingError(f"has verdicts of {len(raters)} judges ({named}); a stream has one", path=file.path)
    ratings = [decided(rating, named=is_named) for rating in file.judged]
    column = column_of("judge", ratings, rubric, ids)
    judge = next(iter(raters), None) if file.names_judges else None
    return {
        unit: (judge, passed == 1)
        for unit, passed in zip(ids, column.decisions.tolist(), strict=True)
        if passed == passed
    }


def day_of(text: str, option: str) -> date:
    """Read the date that is the value of an option.

    Raises:
        UsageError: The value isn't a date.
    """
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise UsageError(f"`{option}` must be a date such as 2025-11-30, got {text!r}") from error
