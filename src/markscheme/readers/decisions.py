"""Reader of lines with a judge's pass/fail decisions or scores, perhaps with annotators' decisions on the same
examples.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import repeat
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from markscheme.errors import Fault, RatingError, refuse_lines
from markscheme.json_text import id_and_rest
from markscheme.plain_data import json_in_line, raw_lines, shown
from markscheme.prompts.submission import Submission
from markscheme.ratings.codes import RATINGS_REMEMBERED, RatingCodes
from markscheme.ratings.example_rows import Example, ExampleRows, telling
from markscheme.ratings.gold import GOLD, JUDGE
from markscheme.ratings.rating import Rating, RatingReader
from markscheme.readers.calibrations import drawn_as
from markscheme.readers.imported import Columns, ImportedFile
from markscheme.readers.infer_rubric import rubric_of_wholes
from markscheme.readers.peek import Peek
from markscheme.rubrics.rubric import Rubric

DECISION_KEYS = frozenset(["pass", "score", "overall", "gold"])
_KEYS = DECISION_KEYS | {"error"}


def is_decisions(peek: Peek) -> bool:
    """Return True if a file may hold lines of decisions or scores.

    It may if one of its first lines has a decision or score, or if none of them has `criteria`.
    """
    if not peek.is_lines:
        return False
    return (
        not peek.records
        or any(DECISION_KEYS & record.keys() for record in peek.records)
        or not any("criteria" in record for record in peek.records)
    )


def read_decisions(files: Sequence[Peek], rubric: Rubric | None, columns: Columns) -> list[ImportedFile]:  # noqa: ARG001
    """Read the decisions and scores in each file, with the system that wrote each response and how it was drawn.

    A line is `{"id", "pass"}` or `{"id", "score"}` for a response that a judge graded, or `{"id", "gold", "judge"}` for
    one that annotators and a judge decided.

    Raises:
        RatingError: Lines can't be read; the error lists all of them.
    """
    return [_reading(_lines(peek.path, rubric)) for peek in files]


def _lines(path: Path, rubric: Rubric | None) -> "_Entries":
    """Read a file with one response per line; lines that are equal but for the id are parsed only once."""
    entries = _Entries(path, rubric)
    remembered: dict[bytes, _IndexOrFault] = {}
    for line_number, raw in raw_lines(path, RatingError):
        unit, rest = id_and_rest(raw)
        if unit is not None and (content := remembered.get(rest)) is not None:
            entries.add_known(unit, content, line_number)
            continue
        for line in json_in_line(raw, path, line_number, RatingError):
            content = entries.add(line, line_number)
            if unit is not None and len(remembered) < RATINGS_REMEMBERED:
                remembered[rest] = content
    return entries


def read_responses(path: Path, responses: Iterable[Any], rubric: Rubric | None) -> ImportedFile:
    """Read responses, each with the judge's decision on it, that a file lists in one JSON document.

    Args:
        path: The file.
        responses: The responses as listed, each like a line of `read_decisions`.
        rubric: The rubric of the decisions; None if they are on the whole response alone.

    Raises:
        RatingError: A response can't be read, or there is none.
    """
    entries = _Entries(path, rubric)
    for response in responses:
        entries.add(response, None)
    return _reading(entries)


class _Statement(NamedTuple):
    """What a line says about a response, except its id: system, how the response was drawn, and verdicts.

    Attributes:
        system: Name of the system that wrote the response.
        how: How the response was drawn, as keyword arguments of an Example.
        case: Id of the test case that the response answers; "" if only this response answers it.
        ratings: The verdicts on the response, without its id.
    """

    system: str
    how: Mapping[str, Any]
    case: str
    ratings: Sequence[Rating]


_IndexOrFault: TypeAlias = "int | ValueError"
"""Index of a line's statement, or the error of an invalid line."""


class _Entries:
    """The responses in a file; lines that are equal but for the id share one stored statement.

    Attributes:
        reading: The ImportedFile for the responses; it is still empty.
        units: The ids of the responses, as written.
        numbers: The index of each response's statement.
        statements: The distinct statements.
        faults: Faults of the lines that can't be read.
    """

    def __init__(self, path: Path, rubric: Rubric | None) -> None:
        self.reading = ImportedFile(path, rubric or rubric_of_wholes())
        self.units: list[str] = []
        self.numbers: list[int] = []
        self.statements: list[_Statement] = []
        self.faults: list[Fault] = []
        self._reader = RatingReader(self.reading.rubric)
        self._is_named = rubric is not None

    def add(self, line: Any, line_number: int | None) -> _IndexOrFault:
        """Read a line and add its response; for an invalid line, record a fault instead.

        Args:
            line: The line's data.
            line_number: Number of the line; None if it isn't known.

        Returns:
            The index in `statements` at which what the line says of the response is stored; for an invalid line, the
            error.
        """
        try:
            unit = _unit(line)
            self.statements.append(_statement(line, self._reader, named=self._is_named))
        except ValueError as error:
            self.faults.append(Fault(str(error), line_number))
            return error
        self.units.append(unit)
        self.numbers.append(len(self.statements) - 1)
        return self.numbers[-1]

    def add_known(self, unit: str, index: _IndexOrFault, line_number: int) -> None:
        """Add the response of a line that is equal, apart from its id, to a line read before.

        Args:
            unit: The id of the response.
            index: What `add` returned for the earlier line.
            line_number: Number of the line.
        """
        if isinstance(index, ValueError):
            self.faults.append(Fault(str(index), line_number))
            return
        self.units.append(unit)
        self.numbers.append(index)


def _reading(entries: _Entries) -> ImportedFile:
    """Convert the responses of a file to an ImportedFile; raise RatingError with the faults of all lines."""
    reading = entries.reading
    if entries.faults:
        refuse_lines(RatingError(entries.faults, path=reading.path))
    if not entries.units:
        raise RatingError("holds no graded cases", path=reading.path)
    _fill(reading, entries)
    return reading


def _unit(line: Any) -> str:
    if not isinstance(line, Mapping):
        raise ValueError(f"a response must be an object, got {shown(line)}")
    unit = _text(line, "id")
    if not unit and "case" in line:
        unit = f"{_text(line, 'case')} @ {_text(line, 'variant')}"
    if not unit:
        raise ValueError("`id` is missing")
    return unit


def _statement(line: Mapping[str, Any], reader: RatingReader, *, named: bool) -> _Statement:
    """Parse what a line says about a response: the system that wrote it, how it was drawn, and verdicts.

    Args:
        line: The line's data.
        reader: Reader of verdicts.
        named: True if the user names a rubric, so that levels on its criteria are read too.

    Raises:
        ValueError: The line lacks a verdict.
    """
    if _KEYS.isdisjoint(line):
        raise ValueError("`pass` is missing: true, false, or null where it is not graded")
    made_by = " / ".join(_text(line, key) for key in ("prompt", "provider") if _text(line, key))
    system = _text(line, "group") or made_by or _text(line, "system") or _text(line, "variant")
    how = drawn_as(line.get("drawn"), line.get("weight"), line.get("stratum"))
    case = _text(line, "unit") or _text(line, "case")
    return _Statement(system, how, case, list(_ratings(line, reader, named)))


def _ratings(line: Mapping[str, Any], reader: RatingReader, named: bool) -> Iterator[Rating]:
    """Yield up to two ratings from a line: the annotators' decision in `gold`, and a judge's verdict.

    The verdict is in `judge`, or else the line is a judge's whole rating, with `pass`, `score`, `criteria` or `error`.

    Args:
        line: The line.
        reader: Reader of the rating's levels.
        named: True if the user names the rubric; only then are the levels in `criteria` read.
    """
    gold = _decision(line, "gold")
    if gold is not None:
        yield Rating("", GOLD, "human", passed=gold)
    judge = line.get("judge")
    if "gold" in line or isinstance(judge, bool):
        verdict = _decision(line, "judge")
        if verdict is not None:
            yield Rating("", JUDGE, "model", passed=verdict)
        return
    rater = _text(line, "rater") or _text(line, "judge") or JUDGE
    if line.get("error"):
        yield Rating("", rater, "model", error=str(line["error"]))
        return
    levels = line.get("criteria") if named else None
    criteria = reader.rating({"id": "line", "criteria": levels}).criteria if levels else {}
    yield Rating("", rater, "model", criteria, _score(line), _decision(line, "pass"))


def _text(line: Mapping[str, Any], key: str) -> str:
    return "" if line.get(key) is None else str(line[key])


def _decision(line: Mapping[str, Any], key: str) -> bool | None:
    decision = line.get(key)
    if decision is None or isinstance(decision, bool):
        return decision
    raise ValueError(f"`{key}` is true, false or null; found {shown(decision)}")


def _score(line: Mapping[str, Any]) -> float | None:
    score = line.get("score", line.get("overall"))
    if score is None:
        return None
    if isinstance(score, bool) or not isinstance(score, int | float) or not 0 <= score <= 1:
        raise ValueError(f"expected a score from 0 to 1, got {shown(score)}")
    return float(score)


def _fill(reading: ImportedFile, entries: _Entries) -> None:
    """Add responses and ratings to an ImportedFile; an id that several systems' responses share is made distinct."""
    statements = entries.statements
    units = _apart(entries)
    if units is not entries.units:
        apart = zip(units, entries.units, strict=True)
        reading.written_ids = {unit: written for unit, written in apart if unit != written}
    is_once = units is entries.units or len(set(units)) == len(units)
    first = {} if is_once else {unit: index for index, unit in reversed(list(enumerate(units)))}
    firsts = range(len(units)) if is_once else sorted(first.values())
    numbers = [entries.numbers[index] for index in firsts]
    reading.ratings = _coded(reading.rubric, units, entries, repeat(()) if is_once else _samples(units, entries))
    if reading.written_ids or any(statement.case for statement in statements):
        cases = ((units[index], statements[entries.numbers[index]].case or entries.units[index]) for index in firsts)
        reading.cases = {unit: case for unit, case in cases if case != unit}
    drawn = {name: [statement.how[name] for statement in statements] for name in ("drawn", "weight", "stratum")}
    attributes = telling({"system": [statement.system for statement in statements], **drawn})
    reading.example_rows = ExampleRows.without_texts(
        [units[index] for index in firsts],
        **{name: [values[number] for number in numbers] for name, values in attributes.items()},
    )


def _apart(entries: _Entries) -> list[str]:
    """Return an id for each response: the written one, or the written one and the system if several systems share it.

    Args:
        entries: The responses, each with its written id and the system that wrote it.
    """
    times = Counter(entries.units)
    if len(times) == len(entries.units):
        return entries.units
    made_by = [entries.statements[number].system for number in entries.numbers]
    written = list(zip(entries.units, made_by, strict=True))
    systems: dict[str, set[str]] = {}
    for unit, system in written:
        if times[unit] > 1:
            systems.setdefault(unit, set()).add(system)
    return [f"{unit} @ {system}" if len(systems.get(unit, ())) > 1 else unit for unit, system in written]


def _samples(units: Sequence[str], entries: _Entries) -> Iterator[tuple[int, ...]]:
    """Yield the sample number of each rating, by line: in how many earlier lines the rater rated the response.

    Args:
        units: The id of each line's response.
        entries: The lines with their ratings.
    """
    times = Counter[tuple[str, str]]()
    for unit, number in zip(units, entries.numbers, strict=True):
        rated = [(unit, rating.rater) for rating in entries.statements[number].ratings]
        yield tuple(times[key] for key in rated)
        times.update(rated)


def _coded(rubric: Rubric, units: Sequence[str], entries: _Entries, samples: Iterable[tuple[int, ...]]) -> RatingCodes:
    """Return the ratings of all responses as RatingCodes, converting equal ratings only once.

    Args:
        rubric: The rubric of the ratings.
        units: The id of each response, in the order of `entries`.
        entries: The responses as read, with their ratings.
        samples: For each response, the sample number of each of its ratings; () if all its numbers are 0.
    """
    codes = RatingCodes(criterion.name for criterion in rubric.criteria)
    keys = list(zip(entries.numbers, samples, strict=False))
    coded = {}
    for number, sample_numbers in dict.fromkeys(keys):
        numbered = zip(entries.statements[number].ratings, sample_numbers or repeat(0), strict=False)
        coded[number, sample_numbers] = [codes.coded(replace(rating, sample=sample)) for rating, sample in numbered]
    rated = [unit for unit, key in zip(units, keys, strict=True) for _ in coded[key]]
    codes.extend_coded(rated, [rating for key in keys for rating in coded[key]])
    return codes


# --- reports without ratings ------------------------------------------------------------------------------------------


def is_short_report(peek: Peek) -> bool:
    """Return True if a file is a report of `calibrate` that holds only figures, without ratings."""
    return "schema" in peek.document and not peek.document.keys() & {"id", "pass", "gold", "next", "outputs"}


def read_short_report(files: Sequence[Peek], rubric: Rubric | None, columns: Columns) -> list[ImportedFile]:  # noqa: ARG001
    """Rebuild each example's decisions by gold and judge from the counts in reports without single ratings.

    Raises:
        RatingError: A file has no such figures, or they contradict each other.
    """
    readings = []
    for peek in files:
        reading = ImportedFile(peek.path, rubric or rubric_of_wholes())
        try:
            decisions = list(_counted_decisions(peek.document))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            problem = f"isn't a calibration that `calibrate --json` wrote: {error!r}"
            raise RatingError(problem, path=peek.path) from error
        for unit, gold, judge in decisions:
            reading.add_example(Example(Submission("", {}, unit)))
            reading.ratings += [Rating(unit, GOLD, "human", passed=gold), Rating(unit, JUDGE, "model", passed=judge)]
        readings.append(reading)
    return readings


def _counted_decisions(report: Mapping[str, Any]) -> Iterator[tuple[str, bool, bool]]:
    """Yield gold's and the judge's decision, with an id, for each example in a report's counts."""
    prevalence = report["overall"]["prevalence_judge"]
    n = int(report["overall"]["accuracy"]["n"])
    false_passes = list(report["false_passes"])
    false_fails = list(report["false_fails"])
    passes = round(prevalence["value"] * prevalence["n"])
    right_passes = passes - len(false_passes)
    right_fails = n - passes - len(false_fails)
    if right_passes < 0 or right_fails < 0:
        raise ValueError("its figures contradict each other")
    yield from ((str(unit), False, True) for unit in false_passes)
    yield from ((str(unit), True, False) for unit in false_fails)
    yield from ((f"right pass {index}", True, True) for index in range(right_passes))
    yield from ((f"right fail {index}", False, False) for index in range(right_fails))
