"""The refusal to calibrate Promptfoo's results without labels, with the commands that work on them."""

import shlex
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from operator import itemgetter
from pathlib import Path

from markscheme.calibration.labelled_examples import examples_with_every_label
from markscheme.calibration.results_commands import RESULTS_USES
from markscheme.errors import MarkschemeError, RatingError
from markscheme.options.in_force import with_reading_options
from markscheme.phrases import counted, filled, in_words
from markscheme.readers.rated import RatedFiles
from markscheme.readers.table_project import file_name
from markscheme.rubrics.file import load_rubric
from markscheme.rubrics.search import find_rubric


def nothing_labelled(paths: Sequence[Path], rated: RatedFiles) -> RatingError:
    """Return the error that Promptfoo's results have no labels, with commands that need no labels or that add some.

    If the project has labels from markscheme's labelling page, the first command compares the results with these
    labels.

    Args:
        paths: The files of results.
        rated: Their content.
    """
    (first, *_) = rated.files
    cases = Counter(first.cases.get(rating.id, rating.id) for rating in first.judged)
    files = shlex.join(map(str, paths))
    rubric = file_name(paths[0].stem, "the name of the results")
    name = shlex.quote(rubric)
    first_verdict = f"markscheme calibrate {name} --ratings {files} --json verdict.json"
    runs = max(cases.values(), default=0)
    uses = [
        (filled(command, {"FILES": files, "NAME": name}), gives)
        for _, fewest_runs, command, gives in sorted(RESULTS_USES, key=itemgetter(0))
        if runs >= fewest_runs
    ]
    n_labelled = _labelled_on_page(rubric)
    verdict_use = (first_verdict, "a verdict on each grader" if n_labelled else "then: a verdict on each grader")
    uses.insert(0 if n_labelled else 1, verdict_use)
    uses = [(with_reading_options(command), gives) for command, gives in uses]
    width = max((len(command) for command, _ in uses), default=0)
    metrics = in_words([criterion.name for criterion in rated.rubric.criteria])
    outputs = counted(len(rated.labelled.examples), "output")
    headline = (
        f"no label is in the results, but calibration/{rubric} has labels of {counted(n_labelled, 'output')}. Compare "
        f"{metrics} with them:"
        if n_labelled
        else "no output in the results is labelled, so nothing says how far its graders can be trusted: "
        f"{outputs}, graded by {metrics}. Label them:"
    )
    return RatingError(
        "\n".join(
            [
                headline,
                *(f"  {command:<{width}}  {gives}" for command, gives in uses),
                "  or rate some in `promptfoo view`, or give tests `metadata: {expected_label: pass|fail}`, by metric "
                "`{expected_label: {METRIC: pass|fail}}`",
            ]
        )
    )


def _labelled_on_page(rubric: str) -> int:
    """Count the examples that people labelled by a rubric that `label` made of Promptfoo's results.

    0 if there is no such rubric, or if it or its examples can't be read.

    Args:
        rubric: Name of the rubric.
    """
    with suppress(MarkschemeError):
        examples, _ = examples_with_every_label(load_rubric(find_rubric(rubric)), None)
        return examples.by_people
    return 0
