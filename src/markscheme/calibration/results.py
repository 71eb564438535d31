"""Calibration from Promptfoo's results: its graders compared with the labels given in its viewer. Makes no calls."""

import shlex
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from markscheme.calibration.calibration import Calibration, Options, Rater, calibration_of, decision_of
from markscheme.calibration.drift import Since
from markscheme.errors import ComparisonError, RatingWarning
from markscheme.judges.judge import total
from markscheme.promptfoo.results import Results, read_results, together
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.rating import Rating
from markscheme.ratings.sources import Part, part_of
from markscheme.readers.detect import of_kind
from markscheme.readers.imported import Reading
from markscheme.readers.promptfoo import (
    graders_ratings,
    labelled_rows,
    read_promptfoo,
    rubric_of,
    scored_ids,
)
from markscheme.rubrics.rubric import Rubric

GRADERS = "Promptfoo's graders"
OF_SHARED_LABELS = ("halo", "redundant")
"""Findings that one label for all criteria of an output would always give."""
FindSince = Callable[[Rubric, ExampleSet, Sequence[Rating]], Since | None]
"""Finds the accepted run to compare ratings of a rubric with."""


def calibrate_results(
    paths: Sequence[Path], *, options: Options, split: Part | None, since: FindSince
) -> tuple[Calibration, ExampleSet]:
    """The graders in the results compared with the labels in them, and the labelled examples.

    Raises:
        RatingError: A file cannot be read, contains no verdict, or no output is labelled.
    """
    files = results_in(paths)
    rows, rubric = together(files), rubric_of(files)
    examples = part_of(labelled_rows(rows, rubric), split)
    kept = set(examples.ids)
    rows = tuple(row for row in rows if row.id in kept)
    ratings = graders_ratings(rows, GRADERS, rubric, by_score=scored_ids(rows))
    days = " to ".join(dict.fromkeys(results.at for results in files if results.at))
    provenance = ", ".join([*(path.name for path in paths), *([days] if days else [])])
    rater = Rater(GRADERS, "", "ratings", provenance, named=shlex.join(map(str, paths)), has_rubric=False)
    calibration = calibration_of(
        rubric,
        examples,
        ratings,
        rater,
        options=options,
        cost=total(row.usage for row in rows),
        since=since(rubric, examples, ratings),
    )
    return _by_row(calibration, options.target), examples


def ratings_of_results(path: Path, rubric: Rubric, examples: ExampleSet) -> list[Rating]:
    """The ratings that Promptfoo's graders gave a rubric's criteria, on its examples.

    An output belongs to the example with its id, else to the one example with the same response.

    Raises:
        RatingError: It cannot be read.
        ComparisonError: None of its outputs is an example.
    """
    imported = Reading(path, rubric)
    read_promptfoo(imported)
    known = set(examples.ids)
    by_response: dict[str, set[str]] = {}
    for example in examples.examples:
        by_response.setdefault(example.submission.response, set()).add(example.id)
    found = {example.id: by_response.get(example.submission.response, set()) for example in imported.examples}
    names = {
        unit: unit if unit in known else min(same) for unit, same in found.items() if unit in known or len(same) == 1
    }
    if not names:
        raise ComparisonError(f"{path} contains none of the examples, neither by id nor by response")
    judges = of_kind(imported.ratings, "judges")
    return [replace(rating, id=names[rating.id]) for rating in judges if rating.id in names]


def _by_row(calibration: Calibration, target: float | None) -> Calibration:
    """The calibration without findings that labels of whole outputs cannot support.

    A thumb counts for each metric of its output. So metrics look identical to annotators, which shows nothing about
    them; and with several metrics, the fault of one is not a fault of the combined verdict.
    """
    findings = tuple(found for found in calibration.findings if found.code not in OF_SHARED_LABELS)
    several = len(calibration.rubric.criteria) > 1
    against = [found for found in findings if found.criterion is None or not several]
    decision = decision_of(calibration.comparison, target, against, calibration.baseline)
    return replace(calibration, findings=findings, decision=decision)


def results_in(paths: Sequence[Path]) -> list[Results]:
    """Promptfoo's results in each file, with a warning of invalid labels and splits.

    Raises:
        RatingError: A file cannot be read.
    """
    files = [read_results(path) for path in paths]
    for results in files:
        for what, count in results.aside.items():
            if what.startswith("metadata."):
                warnings.warn(f"{results.path}: {count} outputs with {what}", RatingWarning, stacklevel=2)
    return files
