"""Metrics of Promptfoo's tests: an output is labelled on those that its own test asks for."""

from pathlib import Path

from markscheme.promptfoo.results import read_results
from markscheme.readers.rated import has_results
from markscheme.rubrics.rubric import Rubric


def inapplicable_in(path: Path, rubric: Rubric) -> dict[str, frozenset[str]]:
    """Map the id of each output in Promptfoo's results to the criteria whose metrics the output's test doesn't have.

    Only criteria that may not apply are among them. A metric that is part of an assertion's verdict isn't, since a
    judge may have left it out. For any other file, return an empty dict.

    Args:
        path: The file.
        rubric: The rubric, whose criteria may be metrics of the results.

    Raises:
        RatingError: The results can't be read.
    """
    if not has_results(path):
        return {}
    results = read_results(path)
    of_tests = {name for name, verdict in results.metrics.items() if not verdict.is_part}
    optional = {criterion.name for criterion in rubric.criteria if criterion.not_applicable} & of_tests
    return {row.id: frozenset(optional - row.graded_metrics) for row in results.rows if row.graded_metrics}
