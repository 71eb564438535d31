"""Readers of the judge's decisions on a graded set, and of the examples that annotators decided too."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from markscheme.calibration.pass_rates import Judged, Labelled
from markscheme.errors import Fault, RatingError, refuse_lines
from markscheme.plain_data import json_lines, parse_json, read_text, shown
from markscheme.promptfoo.results import Row, read_results
from markscheme.promptfoo.results_files import is_results

T = TypeVar("T")


def read_judged(path: Path) -> list[Judged]:
    """Everything that was graded: Promptfoo's results, lines with an id and a pass, or the pool of a plan.

    Raises:
        RatingError: It can't be read as either.
    """
    if is_results(path):
        return [judged(row) for row in read_results(path).rows]
    plan = _document(path)
    if plan is not None and isinstance(plan.get("next"), Mapping):
        return _of_plan(plan["next"], path)
    return _read(json_lines(path, RatingError), _judged, path)


def _of_plan(sample: Mapping[str, Any], path: Path) -> list[Judged]:
    pool = sample.get("pool")
    if not isinstance(pool, list):
        raise RatingError(f"is no plan that `plan --json` wrote: its pool is a list, found {shown(pool)}", path=path)
    return _read(((None, row) for row in pool), _judged, path)


def judged(row: Row) -> Judged:
    """The decision of Promptfoo's graders on one output."""
    return Judged(row.id, row.passed, row.system, str(row.test))


def read_labelled(path: Path) -> list[Labelled]:
    """The examples that both annotators and the judge decided, from a calibration, lines, or Promptfoo's results.

    Raises:
        RatingError: It can't be read as any of them, or has no example that both decided.
    """
    if is_results(path):
        found = labelled_in(read_results(path).rows)
    else:
        data, lines = _document(path), json_lines(path, RatingError)
        found = list(_of_calibration(data, path)) if data is not None else _read(lines, _labelled, path)
    if not found:
        raise RatingError("holds nothing that both people and the judge decided on", path=path)
    return found


def labelled_in(rows: Iterable[Row], *, viewer: bool = True) -> list[Labelled]:
    """The outputs that annotators decided on as well as the graders: in the viewer if it counts, else in the test."""
    found = []
    for row in rows:
        thumb = row.manual.passed if viewer and row.manual is not None else None
        gold = row.expected if thumb is None else thumb
        if gold is not None and row.passed is not None:
            found.append(Labelled(row.id, gold, row.passed))
    return found


def reference_of(path: Path) -> str | None:
    """The kind of labels in a calibration: adjudicated, people, one-person, constructed or model."""
    data = None if is_results(path) else _document(path)
    raters = data.get("raters") if data is not None else None
    return str(raters["reference"]) if isinstance(raters, Mapping) and raters.get("reference") else None


def _read(
    lines: Iterable[tuple[int | None, Any]], read: Callable[[Mapping[str, Any]], T | None], path: Path
) -> list[T]:
    found, faults = [], []
    for number, line in lines:
        try:
            if not isinstance(line, Mapping):
                raise ValueError(f"a response must be an object, got {shown(line)}")
            one = read(line)
        except ValueError as error:
            faults.append(Fault(str(error), number))
            continue
        if one is not None:
            found.append(one)
    if faults:
        refuse_lines(RatingError(faults, path=path))
    return found


def _judged(line: Mapping[str, Any]) -> Judged:
    id = _id(line)
    if "pass" not in line:
        raise ValueError("`pass` is missing: true, false, or null where it is not graded")
    made_by = " / ".join(_text(line, key) for key in ("prompt", "provider") if _text(line, key))
    group = _text(line, "group") or made_by or _text(line, "system")
    return Judged(id, _decision(line, "pass"), group, _text(line, "unit") or id, _text(line, "stratum"))


def _labelled(line: Mapping[str, Any]) -> Labelled | None:
    gold, judge = _decision(line, "gold"), _decision(line, "judge")
    if gold is None or judge is None:
        return None
    return Labelled(_id(line), gold, judge, *_draw(line.get("drawn"), line.get("weight"), line.get("stratum")))


def _text(line: Mapping[str, Any], key: str) -> str:
    return "" if line.get(key) is None else str(line[key])


def _id(line: Mapping[str, Any]) -> str:
    if line.get("id") in (None, ""):
        raise ValueError("`id` is missing")
    return str(line["id"])


def _decision(line: Mapping[str, Any], key: str) -> bool | None:
    said = line.get(key)
    if said is None or isinstance(said, bool):
        return said
    raise ValueError(f"`{key}` is true, false or null; found {shown(said)}")


def _draw(drawn: Any, weight: Any, stratum: Any) -> tuple[str | None, float, str]:
    if drawn not in (None, "random", "by-verdict", "chosen"):
        raise ValueError(f"`drawn` is random, by-verdict or chosen; found {shown(drawn)}")
    if weight is None:
        weight = 1.0
    if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 < weight < float("inf"):
        raise ValueError(f"`weight` is a number above 0; found {shown(weight)}")
    return drawn, float(weight), "" if stratum is None else str(stratum)


# --- calibrations ---------------------------------------------------------------------------------------------------


def _document(path: Path) -> Mapping[str, Any] | None:
    """The file as one calibration; None where it has lines."""
    try:
        data = parse_json(read_text(path, RatingError))
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, Mapping) and "gold" not in data else None


def _of_calibration(data: Mapping[str, Any], path: Path) -> Iterator[Labelled]:
    """The examples in the output of `calibrate --json`, or else examples rebuilt from its counts."""
    try:
        if "rated" in data:
            yield from _of_examples(data)
        else:
            yield from _of_counts(data)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise RatingError(f"is no calibration that `calibrate --json` wrote: {error!r}", path=path) from error


def _of_examples(data: Mapping[str, Any]) -> Iterator[Labelled]:
    rated = data["rated"]
    n = len(data["examples"])
    columns = [rated.get(key) or [None] * n for key in ("drawn", "weight", "stratum")]
    rows = zip(data["examples"], rated["gold"]["pass"], rated["judge"]["pass"], *columns, strict=True)
    for id, gold, judge, *draw in rows:
        if gold is not None and judge is not None:
            yield Labelled(str(id), bool(gold), bool(judge), *_draw(*draw))


def _of_counts(data: Mapping[str, Any]) -> Iterator[Labelled]:
    prevalence = data["overall"]["prevalence_judge"]
    n, judged = int(data["overall"]["accuracy"]["n"]), round(prevalence["value"] * prevalence["n"])
    false_passes, false_fails = list(data["false_passes"]), list(data["false_fails"])
    right_passes = judged - len(false_passes)
    right_fails = n - judged - len(false_fails)
    if right_passes < 0 or right_fails < 0:
        raise ValueError("its figures contradict each other")
    yield from (Labelled(str(id), gold=False, judge=True) for id in false_passes)
    yield from (Labelled(str(id), gold=True, judge=False) for id in false_fails)
    yield from (Labelled(f"right pass {k}", gold=True, judge=True) for k in range(right_passes))
    yield from (Labelled(f"right fail {k}", gold=False, judge=False) for k in range(right_fails))
