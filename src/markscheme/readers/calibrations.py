"""Reports that `calibrate --json` wrote: each judge with its ratings and the gold labels it was compared with."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from markscheme.errors import ComparisonError, MarkschemeError, RatingError
from markscheme.judges.judge import Usage
from markscheme.numerals import finite
from markscheme.plain_data import shown
from markscheme.prompts.submission import Submission
from markscheme.ratings.example_rows import DRAWN, Example, response_fingerprints
from markscheme.ratings.gold import GOLD, Gold, given_gold
from markscheme.ratings.kinds import Kind
from markscheme.ratings.rating import Rated, Rating, level_on
from markscheme.readers.imported import Columns, ImportedFile
from markscheme.readers.peek import Peek
from markscheme.readers.reported import JudgeCost, WrittenCalibration
from markscheme.rubrics.file import load_rubric
from markscheme.rubrics.rubric import YES_NO, Criterion, Level, Rubric, Scale, TableOf
from markscheme.rubrics.search import find_rubric


def is_calibration(peek: Peek) -> bool:
    """Return True if a file is the output of `calibrate --json`, for one judge or several."""
    report = peek.document
    return _is_on_one_judge(report) or ("judges" in report and "comparison" in report)


def _is_on_one_judge(report: Mapping[str, Any]) -> bool:
    return "rated" in report and "judge" in report


def reported_rubric(peek: Peek) -> str:
    """Return the name of the rubric in a report that `calibrate --json` wrote; "" if it reports on several judges."""
    if not _is_on_one_judge(peek.document):
        return ""
    rubric = peek.document.get("rubric")
    name = str(rubric.get("name", "")) if isinstance(rubric, Mapping) else ""
    return name or "RUBRIC"


def read_calibrations(files: Sequence[Peek], rubric: Rubric | None, columns: Columns) -> list[ImportedFile]:  # noqa: ARG001
    """Read the calibrations in reports of `calibrate --json`, each with the judge's ratings and the gold labels.

    If no rubric is given, the ratings are read by the rubric that the reports name, if the project has it unchanged, or
    else by the criteria that the reports have in common.

    Raises:
        RatingError: A file can't be read.
        ComparisonError: The calibrations have no criterion in common.
    """
    written = [calibration for peek in files for calibration in written_calibrations(peek)]
    return [_reading(calibration, rubric or _rubric_among(written)) for calibration in written]


def written_calibrations(peek: Peek) -> list[WrittenCalibration]:
    """Return the calibrations in one report of `calibrate --json`: one for each judge.

    Raises:
        RatingError: A calibration in the report can't be read.
    """
    report = peek.document
    return [
        _read(report_of_judge, peek.path)
        for report_of_judge in ([report] if "rated" in report else report.get("judges", ()))
    ]


def gold_between(calibrations: Sequence[WrittenCalibration], rubric: Rubric) -> tuple[Gold, int]:
    """Merge the gold of several calibrations; for an example in several, the last counts. Also count differing ones."""
    settled: dict[str, Rating] = {}
    differing = 0
    for calibration in calibrations:
        differing += sum(settled[unit] != label for unit, label in calibration.gold.items() if unit in settled)
        settled |= calibration.gold
    examples = {example.id: example for calibration in calibrations for example in calibration.examples}
    is_twice = {unit: flag for calibration in calibrations for unit, flag in calibration.labelled_twice.items()}
    in_order = [examples[unit] for unit in settled]
    kinds = calibrations[0].kinds
    truth = given_gold(rubric, in_order, settled.values(), reference=calibrations[0].reference, kinds=kinds)
    if is_twice.keys() >= settled.keys():
        truth = replace(truth, labelled_twice=np.array([is_twice[unit] for unit in settled], dtype=bool))
    return truth, differing


def _reading(calibration: WrittenCalibration, rubric: Rubric) -> ImportedFile:
    reading = ImportedFile(calibration.path, rubric, judge_cost=calibration.judge_cost, calibration=calibration)
    for example in calibration.examples:
        reading.add_example(example)
    names = {criterion.name for criterion in rubric.criteria}
    for rating in (*calibration.gold.values(), *calibration.ratings):
        criteria = {name: rated for name, rated in rating.criteria.items() if name in names}
        reading.ratings.append(replace(rating, criteria=criteria))
    return reading


def _rubric_among(calibrations: Sequence[WrittenCalibration]) -> Rubric:
    """Return the project's rubric if it is unchanged since all calibrations; else make one of their common criteria."""
    first, *others = calibrations
    try:
        rubric = load_rubric(find_rubric(first.rubric.name))
    except MarkschemeError:
        rubric = None
    if rubric is not None and {calibration.fingerprint for calibration in calibrations} == {rubric.fingerprint}:
        return rubric
    scales = [{criterion.name: criterion.scale for criterion in calibration.rubric.criteria} for calibration in others]
    common = tuple(
        criterion
        for criterion in first.rubric.criteria
        if all(of_other.get(criterion.name) == criterion.scale for of_other in scales)
    )
    if not common:
        paths = " and ".join(str(calibration.path) for calibration in calibrations)
        raise ComparisonError(f"{paths} rate no criterion on the same scale")
    return replace(first.rubric, criteria=common)


def _read(report: Any, path: Path) -> WrittenCalibration:
    if isinstance(report, Mapping) and report.get("examples", ()) is None:
        raise RatingError(
            "is a calibration from counts, which has no single examples; give one from ratings", path=path
        )
    try:
        return _calibration(report, path)
    except (ValueError, TypeError, KeyError, AttributeError, IndexError, RecursionError) as problem:
        raise RatingError(f"isn't a calibration that can be read: {shown(problem)}", path=path) from problem


def _calibration(report: Mapping[str, Any], path: Path) -> WrittenCalibration:
    ids = [str(unit) for unit in report["examples"]]
    rated = report["rated"]
    cost = report["cost"]
    judge = rated["judge"]
    gold = rated["gold"]
    name = str(report["judge"]["name"])
    criteria = tuple(_criterion(str(criterion), figures) for criterion, figures in report["criteria"].items())
    scales = {criterion.name: criterion.scale for criterion in criteria}
    from_cache = int(report["counts"]["from_cache"])
    return WrittenCalibration(
        path=path,
        judge=name,
        rubric=Rubric(
            criteria,
            name=str(report["rubric"]["name"]),
            tolerance=float(report["tolerance"]),
            table_of=_table_of(report),
        ),
        fingerprint=str(report["rubric"]["fingerprint"]),
        ratings=tuple(_rating(unit, name, judge, index, scales) for index, unit in enumerate(ids)),
        gold={unit: _rating(unit, GOLD, gold, index, scales, "adjudicated") for index, unit in enumerate(ids)},
        reference=str(report["raters"]["reference"]),
        kinds={str(kind): int(n) for kind, n in report["raters"]["kinds"].items()},
        labelled_twice=dict(zip(ids, map(bool, rated.get("labelled_twice") or ()), strict=False)),
        responses=dict(zip(ids, rated["responses"] or response_fingerprints(_examples(ids, rated)), strict=True)),
        examples=_examples(ids, rated),
        judge_cost=JudgeCost(
            Usage(int(cost["calls"]), cost["input_tokens"], cost["output_tokens"], cost["usd"]), from_cache, len(ids)
        ),
    )


def _table_of(report: Mapping[str, Any]) -> TableOf | None:
    """Return what kind of values a table had, by its report: "pass-fail" for decisions, "values" for others.

    Return None if the report is on a judge with a rubric, not on a table.
    """
    if report.get("measure") == "decision":
        return "pass-fail"
    return "values" if "table_read_as" in report["judge"] else None


def _examples(ids: Sequence[str], rated: Mapping[str, Any]) -> tuple[Example, ...]:
    """Return the examples in a report; they have no texts and, in reports of earlier versions, no groups.

    Args:
        ids: Ids of the examples.
        rated: The report's columns on the examples, by key, such as "groups" and "drawn".
    """
    unknown = [None] * len(ids)
    columns = [rated.get(key) or unknown for key in ("groups", "draw", "drawn", "weight", "stratum")]
    return tuple(
        Example(
            Submission("", {}, unit),
            group=str(group or ""),
            draw=str(draw or ""),
            **drawn_as(drawn, weight, stratum),
        )
        for unit, group, draw, drawn, weight, stratum in zip(ids, *columns, strict=True)
    )


def drawn_as(drawn: Any, weight: Any, stratum: Any) -> dict[str, Any]:
    """Convert what a report says on how an example was drawn for labelling to keyword arguments of Example.

    Args:
        drawn: "random", "by-verdict" or "chosen"; None if it isn't known.
        weight: The example's weight, a number above 0; None for 1.
        stratum: Name of the stratum that the example was drawn from; None for none.

    Raises:
        ValueError: One of the values isn't valid.
    """
    if drawn not in (None, *DRAWN):
        raise ValueError(f"`drawn` is random, by-verdict or chosen; found {shown(drawn)}")
    if weight is None:
        weight = 1.0
    converted = finite(weight)
    if converted is None or converted <= 0:
        raise ValueError(f"`weight` is a number above 0; found {shown(weight)}")
    return {"drawn": drawn, "weight": converted, "stratum": "" if stratum is None else str(stratum)}


def _criterion(name: str, figures: Mapping[str, Any]) -> Criterion:
    scale = _scale(figures["confusion"]["levels"])
    return Criterion(1.0, name, name, scale, passing=tuple(map(str, figures.get("passes", ()))))


def _scale(levels: Sequence[float | str]) -> Scale:
    """Make a scale from the levels in a report; if the levels have no values, a scale of categories."""
    if any(isinstance(level, str) for level in levels):
        return Scale.of_categories(list(map(str, levels)))
    if list(levels) == [0.0, 1.0]:
        return YES_NO
    return Scale(tuple(Level(float(value)) for value in sorted(levels)))


def _figure(value: Any) -> float | None:
    converted = finite(value)
    if converted is None and value is not None:
        raise ValueError(f"expected a number or null, got {shown(value)}")
    return converted


def _rating(
    unit: str, rater: str, column: Mapping[str, Any], index: int, scales: Mapping[str, Scale], kind: Kind = "model"
) -> Rating:
    overall = _figure(column["overall"][index])
    passed = column["pass"][index]
    if passed not in (None, True, False):
        raise ValueError(f"`pass` is true, false or null; found {shown(passed)}")
    levels = {str(name): values[index] for name, values in column["criteria"].items()}
    criteria = {
        name: Rated(level_on(scales[name], level, name) if isinstance(level, str) else _figure(level))
        for name, level in levels.items()
        if level is not None
    }
    return Rating(unit, rater, kind, criteria, overall, passed, error=None if overall is not None else "not graded")
