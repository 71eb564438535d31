"""Lines of decisions alone: what a judge graded, and what annotators and a judge decided on the same examples."""

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from markscheme.errors import Fault, RatingError, refuse_lines
from markscheme.plain_data import id_and_rest, json_in_line, raw_lines, shown
from markscheme.ratings.codes import RATINGS_REMEMBERED, RatingCodes
from markscheme.ratings.example_rows import Example, ExampleRows
from markscheme.ratings.gold import GOLD, JUDGE
from markscheme.ratings.rating import Rating, RatingReader
from markscheme.readers.calibrations import drawn_as
from markscheme.readers.imported import Interpretation, Reading
from markscheme.readers.infer_rubric import rubric_of_wholes
from markscheme.readers.peek import Peek
from markscheme.rubrics.rubric import Rubric
from markscheme.submission import Submission

DECISION_KEYS = frozenset(["pass", "score", "overall", "gold"])
_KEYS = DECISION_KEYS | {"error"}
NumberedLine = tuple[int | None, str | None, bytes | None, Any]


def is_decisions(peek: Peek) -> bool:
    """Return True if a file has lines of decisions or scores, where decisions are expected: any .jsonl without
    levels."""
    if not peek.is_lines:
        return False
    return (
        not peek.records
        or any(DECISION_KEYS & record.keys() for record in peek.records)
        or not any("criteria" in record for record in peek.records)
    )


def read_decisions(files: Sequence[Peek], rubric: Rubric | None, interpretation: Interpretation) -> list[Reading]:  # noqa: ARG001
    """The decisions and scores in each file, with what wrote a response and how it was drawn.

    A line is `{"id", "pass"}` or `{"id", "score"}` of what a judge graded, or `{"id", "gold", "judge"}` of what
    annotators and a judge decided.

    Raises:
        RatingError: All lines that can't be read.
    """
    return [_reading(peek.path, _lines(peek.path), rubric) for peek in files]


def _lines(path: Path) -> Iterator[NumberedLine]:
    """Yield each line as its number, its id, what it says besides, and its value where nothing before said that."""
    remembered: set[bytes] = set()
    for line_number, raw in raw_lines(path, RatingError):
        unit, rest = id_and_rest(raw)
        if unit is not None and rest in remembered:
            yield line_number, unit, rest, None
            continue
        for line in json_in_line(raw, path, line_number, RatingError):
            if unit is not None and len(remembered) < RATINGS_REMEMBERED:
                remembered.add(rest)
            yield line_number, unit, rest if rest in remembered else None, line


def is_plan(peek: Peek) -> bool:
    """Return True if a file is a plan that draws the next labels."""
    return isinstance(peek.document.get("next"), Mapping)


def read_plan(files: Sequence[Peek], rubric: Rubric | None, interpretation: Interpretation) -> list[Reading]:  # noqa: ARG001
    """The pool of each plan: its responses with the judge's decisions and the strata that labels are drawn by.

    Raises:
        RatingError: A file has no pool, or a response in it can't be read.
    """
    readings = []
    for peek in files:
        pool = peek.document["next"].get("pool")
        if not isinstance(pool, list):
            problem = f"isn't a plan that `label --plan --json` wrote: its pool is a list, got {shown(pool)}"
            raise RatingError(problem, path=peek.path)
        readings.append(_reading(peek.path, ((None, None, None, row) for row in pool), rubric))
    return readings


class _Statement(NamedTuple):
    """What a line says besides its id, which many lines may say.

    Attributes:
        system: What wrote the response.
        how: How it was drawn, as the fields of an Example.
        case: The test that it answers; "" for one of its own.
        ratings: The verdicts on it, without its id.
    """

    system: str
    how: Mapping[str, Any]
    case: str
    ratings: Sequence[Rating]


def _reading(path: Path, lines: Iterable[NumberedLine], rubric: Rubric | None) -> Reading:
    reading = Reading(path, rubric or rubric_of_wholes())
    reader = RatingReader(reading.rubric)
    faults: list[Fault] = []
    entries: list[tuple[str, _Statement]] = []
    said_by_rest: dict[bytes, _Statement | ValueError] = {}
    for line_number, unit, rest, line in lines:
        statement = None if rest is None else said_by_rest.get(rest)
        if statement is None:
            try:
                unit = _unit(line)
                statement = _statement(line, reader, named=rubric is not None)
            except ValueError as error:
                statement = error
            if rest is not None:
                said_by_rest[rest] = statement
        if isinstance(statement, ValueError):
            faults.append(Fault(str(statement), line_number))
        elif unit is not None:
            entries.append((unit, statement))
    if faults:
        refuse_lines(RatingError(faults, path=path))
    if not entries:
        raise RatingError("holds no graded cases", path=path)
    _add(reading, entries)
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
    """Return what a line says of a response: what wrote it, how it was drawn, and the verdicts on it."""
    if _KEYS.isdisjoint(line):
        raise ValueError("`pass` is missing: true, false, or null where it is not graded")
    made_by = " / ".join(_text(line, key) for key in ("prompt", "provider") if _text(line, key))
    system = _text(line, "group") or made_by or _text(line, "system") or _text(line, "variant")
    how = drawn_as(line.get("drawn"), line.get("weight"), line.get("stratum"))
    case = _text(line, "unit") or _text(line, "case")
    return _Statement(system, how, case, list(_ratings(line, reader, named)))


def _ratings(line: Mapping[str, Any], reader: RatingReader, named: bool) -> Iterator[Rating]:
    """The judge's verdict in a line, and the annotators' decision."""
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


def _add(reading: Reading, entries: Sequence[tuple[str, _Statement]]) -> None:
    """Add the responses of some lines; those of several systems that share an id get ids of their own."""
    times = Counter([unit for unit, _ in entries])
    are_apart = len(times) == len(entries)
    systems: dict[str, set[str]] = {}
    for unit, statement in () if are_apart else entries:
        if times[unit] > 1:
            systems.setdefault(unit, set()).add(statement.system)
    samples: dict[tuple[str, str], int] = {}
    first_statements: dict[str, _Statement] = {}
    coded: dict[tuple[int, ...], list[tuple[int, array[int]]]] = {}
    codes = reading.ratings = RatingCodes(criterion.name for criterion in reading.rubric.criteria)
    for written, statement in entries:
        unit = written if are_apart or len(systems.get(written, ())) < 2 else f"{written} @ {statement.system}"
        if unit != written:
            reading.written_ids[unit] = written
        if unit not in first_statements:
            first_statements[unit] = statement
            reading.cases[unit] = statement.case or written
        of_said = () if are_apart else [samples.get((unit, rating.rater), 0) for rating in statement.ratings]
        if (alike := coded.get((id(statement), *of_said))) is not None:
            for rating_codes in alike:
                codes.append_codes(unit, *rating_codes)
        else:
            numbered = zip(statement.ratings, of_said or [0] * len(statement.ratings), strict=True)
            indices = [codes.append(replace(rating, id=unit, sample=sample)) for rating, sample in numbered]
            coded[id(statement), *of_said] = list(map(codes.codes_at, indices))
        for rating, sample in zip(statement.ratings, of_said, strict=False):
            samples[unit, rating.rater] = sample + 1
    reading.example_rows = ExampleRows.without_texts(
        list(first_statements),
        system=[statement.system for statement in first_statements.values()],
        **{
            name: [statement.how[name] for statement in first_statements.values()]
            for name in ("drawn", "weight", "stratum")
        },
    )


# --- reports without ratings ------------------------------------------------------------------------------------------


def is_short_report(peek: Peek) -> bool:
    """Return True if a file is a report of `calibrate` without its ratings: the documented figures alone."""
    return "schema" in peek.document and not peek.document.keys() & {"id", "pass", "gold", "next", "outputs"}


def read_short_report(files: Sequence[Peek], rubric: Rubric | None, interpretation: Interpretation) -> list[Reading]:  # noqa: ARG001
    """The decisions that the figures of each report count.

    Raises:
        RatingError: A file has no such figures, or they contradict each other.
    """
    readings = []
    for peek in files:
        reading = Reading(peek.path, rubric or rubric_of_wholes())
        try:
            decisions = list(_counted(peek.document))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            problem = f"isn't a calibration that `calibrate --json` wrote: {error!r}"
            raise RatingError(problem, path=peek.path) from error
        for unit, gold, judge in decisions:
            reading.add_example(Example(Submission("", {}, unit)))
            reading.ratings += [Rating(unit, GOLD, "human", passed=gold), Rating(unit, JUDGE, "model", passed=judge)]
        readings.append(reading)
    return readings


def _counted(report: Mapping[str, Any]) -> Iterator[tuple[str, bool, bool]]:
    """Examples with gold and the judge's decision, as many as a report counts."""
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
