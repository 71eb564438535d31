"""Lines of decisions alone: what a judge graded, and what annotators and a judge decided on the same examples."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from markscheme.errors import Fault, RatingError, refuse_lines
from markscheme.plain_data import json_lines, shown
from markscheme.ratings.examples import Example
from markscheme.ratings.gold import GOLD, JUDGE
from markscheme.ratings.rating import Rating, RatingReader
from markscheme.readers.calibrations import drawn_as
from markscheme.readers.imported import Interpretation, Reading
from markscheme.readers.infer_rubric import rubric_of_wholes
from markscheme.readers.peek import Peek
from markscheme.rubrics.rubric import Rubric
from markscheme.submission import Submission

OF_DECISIONS = frozenset(["pass", "score", "overall", "gold"])
_SAID = OF_DECISIONS | {"error"}
NumberedLine = tuple[int | None, Any]


def is_decisions(peek: Peek) -> bool:
    """Return True if a file has lines of decisions or scores, where decisions are expected: any .jsonl without
    levels."""
    if not peek.is_lines:
        return False
    return (
        not peek.records
        or any(OF_DECISIONS & record.keys() for record in peek.records)
        or not any("criteria" in record for record in peek.records)
    )


def read_decisions(files: Sequence[Peek], rubric: Rubric | None, interpretation: Interpretation) -> list[Reading]:  # noqa: ARG001
    """The decisions and scores in each file, with what wrote a response and how it was drawn.

    A line is `{"id", "pass"}` or `{"id", "score"}` of what a judge graded, or `{"id", "gold", "judge"}` of what
    annotators and a judge decided.

    Raises:
        RatingError: All lines that can't be read.
    """
    return [_reading(peek.path, json_lines(peek.path, RatingError), rubric) for peek in files]


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
        readings.append(_reading(peek.path, ((None, row) for row in pool), rubric))
    return readings


def _reading(path: Path, lines: Iterable[NumberedLine], rubric: Rubric | None) -> Reading:
    reading = Reading(path, rubric or rubric_of_wholes())
    reader = RatingReader(reading.rubric)
    faults: list[Fault] = []
    entries = []
    for line_number, line in lines:
        try:
            example = _example(line)
            entries.append((example, _case(line, example), list(_ratings(line, example, reader, rubric is not None))))
        except ValueError as error:
            faults.append(Fault(str(error), line_number))
    if faults:
        refuse_lines(RatingError(faults, path=path))
    if not entries:
        raise RatingError("holds no graded cases", path=path)
    _add(reading, entries)
    return reading


def _example(line: Any) -> Example:
    """Return what a line says of a response: what wrote it, and how it was drawn."""
    if not isinstance(line, Mapping):
        raise ValueError(f"a response must be an object, got {shown(line)}")
    unit = _text(line, "id")
    if not unit and "case" in line:
        unit = f"{_text(line, 'case')} @ {_text(line, 'variant')}"
    if not unit:
        raise ValueError("`id` is missing")
    if _SAID.isdisjoint(line):
        raise ValueError("`pass` is missing: true, false, or null where it is not graded")
    made_by = " / ".join(_text(line, key) for key in ("prompt", "provider") if _text(line, key))
    system = _text(line, "group") or made_by or _text(line, "system") or _text(line, "variant")
    how = drawn_as(line.get("drawn"), line.get("weight"), line.get("stratum"))
    return Example(Submission("", {}, unit), system=system, **how)


def _case(line: Mapping[str, Any], example: Example) -> str:
    """The test that a response answers."""
    return _text(line, "unit") or _text(line, "case") or example.id


def _ratings(line: Mapping[str, Any], example: Example, reader: RatingReader, named: bool) -> Iterator[Rating]:
    """The judge's verdict in a line, and the annotators' decision."""
    gold = _decision(line, "gold")
    if gold is not None:
        yield Rating(example.id, GOLD, "human", passed=gold)
    judge = line.get("judge")
    if "gold" in line or isinstance(judge, bool):
        verdict = _decision(line, "judge")
        if verdict is not None:
            yield Rating(example.id, JUDGE, "model", passed=verdict)
        return
    rater = _text(line, "rater") or _text(line, "judge") or JUDGE
    if line.get("error"):
        yield Rating(example.id, rater, "model", error=str(line["error"]))
        return
    levels = line.get("criteria") if named else None
    criteria = reader.rating({"id": example.id, "criteria": levels}).criteria if levels else {}
    yield Rating(example.id, rater, "model", criteria, _score(line), _decision(line, "pass"))


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


def _add(reading: Reading, entries: Sequence[tuple[Example, str, list[Rating]]]) -> None:
    """Add the responses of some lines; those of several systems that share an id get ids of their own."""
    systems: dict[str, set[str]] = {}
    for example, _, _ in entries:
        systems.setdefault(example.id, set()).add(example.system)
    samples: Counter[tuple[str, str]] = Counter()
    for example, case, ratings in entries:
        unit = example.id
        if len(systems[unit]) > 1:
            unit = f"{example.id} @ {example.system}"
            reading.written_ids[unit] = example.id
            example = replace(example, submission=replace(example.submission, id=unit))
        reading.add_example(example)
        reading.cases.setdefault(unit, case)
        for rating in ratings:
            sample = samples[unit, rating.rater]
            is_first = unit == rating.id and not sample
            reading.ratings.append(rating if is_first else replace(rating, id=unit, sample=sample))
            samples[unit, rating.rater] = sample + 1


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
