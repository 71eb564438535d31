"""Promptfoo's results where a rubric might stand: what was rated there, calibrated without asking anybody."""

import argparse
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from markscheme.calibration.calibration import Calibration, Options, Rater, calibration_of
from markscheme.calibration.decision import decide
from markscheme.commands.accepting import accept_run, accepted_path, since_accepted
from markscheme.commands.splits import part_of
from markscheme.errors import ComparisonError, RatingWarning, UsageError
from markscheme.judges.judge import total
from markscheme.promptfoo.results import Results, is_results, read_results, together
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.rating import Rating
from markscheme.readers.detect import of_kind
from markscheme.readers.promptfoo import (
    graders_ratings,
    import_promptfoo,
    labelled_rows,
    rubric_of,
    scored_ids,
)
from markscheme.rubrics.rubric import Rubric

GRADERS = "Promptfoo's graders"
OF_SHARED_LABELS = ("halo", "redundant")
"""Findings that one label for all criteria of an output would always give."""
ASK_NOBODY = ("judge", "ratings", "examples", "samples", "strategy", "replay", "scorers")


def results_among(named: Sequence[str]) -> list[Path]:
    """The files of results that were named; none where one rubric was.

    Raises:
        UsageError: Several things were named and not all of them are results.
    """
    paths = [Path(name) for name in named]
    are_results = [is_results(path) for path in paths]
    if all(are_results):
        return paths
    if len(paths) > 1:
        strange = next(name for name, is_one in zip(named, are_results, strict=True) if not is_one)
        raise UsageError(f"{strange} holds no results of Promptfoo; name one rubric, or one or more files of results")
    return []


def of_results(paths: Sequence[Path], arguments: argparse.Namespace) -> Calibration:
    """What the results say of the graders in them.

    Raises:
        UsageError: An option that results leave no room for.
        RatingError: A file cannot be read, holds no judgement, or nobody labelled an output.
    """
    for option in ASK_NOBODY:
        if getattr(arguments, option):
            raise UsageError(f"--{option} goes with a rubric; Promptfoo's results bring their own ratings")
    files = [read_results(path) for path in paths]
    for results in files:
        warn_aside(results)
    rows, rubric = together(files), rubric_of(files)
    examples = labelled_rows(rows, rubric)
    examples = part_of(examples, arguments)
    kept = set(examples.ids)
    rows = tuple(row for row in rows if row.id in kept)
    ratings = graders_ratings(rows, GRADERS, rubric, by_score=scored_ids(rows))
    days = " to ".join(dict.fromkeys(results.at for results in files if results.at))
    rater = Rater(GRADERS, "", "ratings", ", ".join([*(path.name for path in paths), *([days] if days else [])]))
    accepted = accepted_path(rubric, None, arguments.accepted)
    calibration = calibration_of(
        rubric,
        examples,
        ratings,
        rater,
        options=Options(arguments.gold, arguments.gold_by, arguments.tolerance, arguments.target),
        cost=total(row.usage for row in rows),
        since=since_accepted(rubric, examples, ratings, accepted, arguments) if arguments.accepted else None,
    )
    calibration = _by_row(calibration, arguments.target)
    if arguments.accept:
        accept_run(calibration, accepted, (arguments.split or "dev") if examples.has_splits else None)
    return calibration


def ratings_of_results(path: Path, rubric: Rubric, examples: ExampleSet) -> list[Rating]:
    """What the graders in one file of results gave the criteria of a rubric, on its examples.

    An output belongs to the example of its id; else to the one example with the same response.

    Raises:
        RatingError: It cannot be read.
        ComparisonError: None of its outputs is an example.
    """
    imported = import_promptfoo(path, rubric, words={})
    known = set(examples.ids)
    by_response: dict[str, set[str]] = {}
    for example in examples.examples:
        by_response.setdefault(example.submission.response, set()).add(example.id)
    found = {example.id: by_response.get(example.submission.response, set()) for example in imported.examples}
    names = {
        unit: unit if unit in known else min(same) for unit, same in found.items() if unit in known or len(same) == 1
    }
    if not names:
        raise ComparisonError(f"{path} holds none of the examples, neither by id nor by response")
    judges = of_kind(imported.ratings, "judges")
    return [replace(rating, id=names[rating.id]) for rating in judges if rating.id in names]


def _by_row(calibration: Calibration, target: float | None) -> Calibration:
    """The calibration as far as labels of whole outputs carry it.

    A thumb is held against each metric of its output. So metrics seem to be one and the same to people, which says
    nothing of them; and where there are several, the fault of one is no fault of the verdict that all make together.
    """
    findings = tuple(found for found in calibration.findings if found.code not in OF_SHARED_LABELS)
    several = len(calibration.rubric.criteria) > 1
    against = [found for found in findings if found.criterion is None or not several]
    drifted = calibration.baseline is not None and calibration.baseline.alarm
    decision = decide(calibration.comparison, target=target, findings=against, drifted=drifted)
    return replace(calibration, findings=findings, decision=decision)


def warn_aside(results: Results) -> None:
    """Warn of labels and splits that are none."""
    for what, count in results.aside.items():
        if what.startswith("metadata."):
            warnings.warn(f"{results.path}: {count} outputs with {what}", RatingWarning, stacklevel=2)
