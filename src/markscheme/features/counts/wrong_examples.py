"""File next to a counts file with some wrong decisions, false passes and false fails, for the report to show."""

import warnings
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from markscheme.calibration.comparison.comparison import Comparison
from markscheme.errors import RatingWarning, UsageError, writing
from markscheme.features.counts.counts_columns import counts_digest
from markscheme.features.counts.counts_file import CountsFile
from markscheme.files import replacing
from markscheme.json_text import parse_json
from markscheme.report import document as doc
from markscheme.report.figures import NONE
from markscheme.report.sections.examples import finite_or_none, level_name, score_text
from markscheme.row_files import PlainRow, row_writer
from markscheme.rubrics.rubric import Criterion, Rubric
from markscheme.stats.group_sets import SETS, set_numbers
from markscheme.stats.intervals import group_numbers

SHOWN_SUFFIX: Final = ".shown.jsonl"
"""Ending of the file of wrong decisions, which replaces the counts file's ending."""
FALSE_PASS: Final = "false-pass"  # noqa: S105
FALSE_FAIL: Final = "false-fail"


def shown_path(counts: Path) -> Path:
    """Return the path of the file of wrong decisions that belongs to a counts file."""
    return counts.with_suffix(SHOWN_SUFFIX)


def wrong_examples(comparison: Comparison, most: int) -> Iterator[dict[str, Any]]:
    """Yield some false passes, then some false fails, from groups evenly spaced in the order of group names.

    Args:
        comparison: The judge compared with gold.
        most: Largest number of false passes, and of false fails.
    """
    table = comparison.table
    names = table.ids if table.groups is None else table.groups
    place, _ = group_numbers(names, len(names))
    in_order = np.lexsort((place, set_numbers(place + 1, SETS + 1)))  # as more groups than sets are scattered
    for wrong, passes in ((FALSE_PASS, 1), (FALSE_FAIL, 0)):
        is_wrong = (comparison.judge.decisions == passes) & (comparison.reference.decisions == 1 - passes)
        for index in in_order[is_wrong[in_order]][:most].tolist():
            yield {"wrong": wrong, **_row_of_example(comparison, index)}


def _row_of_example(comparison: Comparison, index: int) -> dict[str, Any]:
    """Return a row of the file of wrong decisions for one example: texts, scores and levels."""
    submission = comparison.gold.examples[index].submission
    sides = {"gold": comparison.reference, "judge": comparison.judge}
    levels = {
        criterion.name: {side: finite_or_none(column.levels[criterion.name][index]) for side, column in sides.items()}
        for criterion in comparison.rubric.criteria
    }
    return {
        "id": submission.id,
        "response": submission.response,
        "inputs": dict(submission.inputs),
        "scores": {side: finite_or_none(column.scores[index]) for side, column in sides.items()},
        "criteria": levels,
    }


def write_shown(examples: Iterable[PlainRow], counts: Path) -> None:
    """Write wrong decisions next to the file of their counts.

    Args:
        examples: The false passes and the false fails.
        counts: The counts file, which is written already; each line of wrong decisions states this file's digest.

    Raises:
        UsageError: The file can't be written.
    """
    digest = counts_digest(counts.read_bytes())
    path = shown_path(counts)
    write_rows = row_writer(path, "--shown")
    with writing(path), replacing(path) as file:
        write_rows(file, ({**example, "counts": digest} for example in examples), {})


def read_shown(counts: CountsFile, path: Path) -> tuple[dict[str, Any], ...]:
    """Read the file of wrong decisions next to a counts file; () if it is missing or belongs to other counts.

    Args:
        counts: The counts.
        path: The counts file's path.
    """
    examples_file = shown_path(path)
    if not examples_file.is_file():
        return ()
    try:
        texts = examples_file.read_text(encoding="utf-8").splitlines()
        lines = tuple(parse_json(line) for line in texts if line.strip())
        of_others = any(line["counts"] != counts.digest for line in lines)
    except (OSError, ValueError, KeyError, TypeError) as problem:
        warnings.warn(f"{examples_file} isn't shown: it can't be read ({problem})", RatingWarning, stacklevel=2)
        return ()
    if of_others:
        warnings.warn(f"{examples_file} isn't shown: its examples are of other counts", RatingWarning, stacklevel=2)
        return ()
    return lines


def refuse_undecided(rubric: Rubric) -> None:
    """Raise an error for a rubric that decides no pass or fail, so that `--shown` has no wrong decisions to show.

    Raises:
        UsageError: Nothing passes or fails by the rubric.
    """
    if not rubric.decides:
        raise UsageError(f"--shown lists wrong decisions, and nothing passes or fails by {rubric.name}")


# --- the report -------------------------------------------------------------------------------------------------------


def examples_of(shown: Sequence[dict[str, Any]], rubric: Rubric) -> doc.Examples:
    """Build the list of wrong decisions for the report."""
    cases = tuple(_case(line, rubric) for line in shown)
    filters = {FALSE_PASS: "false passes", FALSE_FAIL: "false fails"}
    return doc.Examples(cases, ("gold", "judge", "difference"), filters, len(cases))


def _case(line: dict[str, Any], rubric: Rubric) -> doc.Case:
    gold, judge = (_number(line["scores"][side]) for side in ("gold", "judge"))
    wrong = str(line["wrong"])
    passes = {"judge": wrong == FALSE_PASS, "gold": wrong != FALSE_PASS}
    scores = {"judge": judge, "gold": gold}
    head = ", ".join(f"{side} {score_text(scores[side])} {'pass' if passes[side] else 'fail'}" for side in scores)
    differs = tuple(
        f"{criterion.name}: judge {_level(criterion, levels['judge'])}, gold {_level(criterion, levels['gold'])}"
        for criterion, levels in _levels(line, rubric)
        if levels["judge"] != levels["gold"]
    )
    return doc.Case(
        id=str(line["id"]),
        head="; ".join((head, *differs)),
        reason="",
        values=tuple(map(finite_or_none, (gold, judge, judge - gold))),
        badges=(wrong.replace("-", " "),),
        tags=(wrong,),
        response=line["response"],
        inputs=tuple((str(name), str(text)) for name, text in line["inputs"].items()),
        facts=(),
        raters=("gold", "judge"),
        rows=tuple(_cells(criterion, levels) for criterion, levels in _levels(line, rubric)),
        differs=differs,
    )


def _levels(line: dict[str, Any], rubric: Rubric) -> Iterator[tuple[Criterion, dict[str, float | None]]]:
    for criterion in rubric.criteria:
        yield criterion, line["criteria"].get(criterion.name, {"gold": None, "judge": None})


def _cells(criterion: Criterion, levels: dict[str, float | None]) -> tuple[str, tuple[doc.RatingCell, ...]]:
    gold, judge = levels["gold"], levels["judge"]
    is_apart = gold is not None and judge is not None and gold != judge
    cells = doc.RatingCell(_level(criterion, gold)), doc.RatingCell(_level(criterion, judge), is_apart)
    return criterion.name, cells


def _level(criterion: Criterion, level: float | None) -> str:
    return NONE if level is None else level_name(criterion, level)


def _number(score: float | None) -> float:
    return np.nan if score is None else score
