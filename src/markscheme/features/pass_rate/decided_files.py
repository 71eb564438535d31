"""Tables of a judge's decisions on a graded set, and on the examples of a file that people decided too."""

from collections.abc import Sequence
from dataclasses import replace

from markscheme.calibration.rates.decisions import decided, decided_with_gold, refuse_several_judges
from markscheme.promptfoo.results import Results
from markscheme.ratings.codes import RatingCodes
from markscheme.ratings.example_rows import ExampleRows, values_of
from markscheme.ratings.gold import JUDGE
from markscheme.ratings.kinds import JUDGES
from markscheme.ratings.table import RatingTable, row_by_row
from markscheme.readers.formats import PROMPTFOO_RESULTS
from markscheme.readers.infer_rubric import rubric_of_wholes
from markscheme.readers.promptfoo import EXPECTED, read_by_metrics, rubric_of
from markscheme.readers.rated import RatedFile, RatedFiles, rated_file


def graded_table(rated: RatedFiles) -> RatingTable:
    """Make a table with a row for each response that a judge graded, with the response's system and test.

    Raises:
        RatingError: The file has verdicts of several judges, or none that states or implies a decision.
    """
    (file,) = rated.files[:1]
    refuse_several_judges(file)
    judged = _without_undecided(file.judged, named=rated.is_named)
    tests = [file.cases.get(unit, unit) for unit in judged.ids]
    is_apart = tests == judged.ids and len(set(tests)) == len(tests)
    examples = _examples_of(file, judged.ids).under(
        [file.written_ids.get(unit, unit) for unit in judged.ids], group=[""] * len(tests) if is_apart else tests
    )
    return row_by_row(rated.rubric, JUDGE, examples, judged)


def _examples_of(file: RatedFile, units: Sequence[str]) -> ExampleRows:
    """Return an example for each id: the file's or, if the file has no example with the id, one without a response.

    Args:
        file: The file's content.
        units: The ids.
    """
    index_of = {unit: index for index, unit in enumerate(values_of(file.examples, "id"))}
    unknown = [unit for unit in dict.fromkeys(units) if unit not in index_of]
    index_of |= {unit: len(index_of) + index for index, unit in enumerate(unknown)}
    every = (*file.examples, *ExampleRows.without_texts(unknown)) if unknown else file.examples
    return ExampleRows.of(every).taken([index_of[unit] for unit in units])


def rated_results(results: Results) -> RatedFiles:
    """Convert Promptfoo's results in memory, such as those of a run that has just ended, to RatedFiles."""
    rubric = rubric_of([results]) if results.metrics else rubric_of_wholes()
    return RatedFiles(rubric, (rated_file(read_by_metrics(results, rubric), PROMPTFOO_RESULTS),), is_named=False)


def decided_by_tests(results: Results) -> RatingTable | None:
    """Return the outputs that have both a grader's verdict and the test author's expected label, with both decisions.

    None if there are no such outputs. Ratings that people give in Promptfoo's viewer don't count: they are added after
    a run, and the next run doesn't have them.
    """
    rated = rated_results(results)
    (file,) = rated.files
    expected = tuple(rating for rating in file.ratings if rating.kind in JUDGES or rating.rater == EXPECTED)
    table = decided_with_gold(replace(file, ratings=expected), rated)
    return None if table is None else table[0]


def _without_undecided(judged: RatingCodes, *, named: bool) -> RatingCodes:
    """Return the judge's ratings without the overall scores that nothing turns into pass or fail.

    Args:
        judged: The judge's ratings.
        named: True if the user names a rubric, whose pass mark turns every score into a decision; then the ratings are
            returned unchanged.
    """
    if named or all(header.overall is None or header.passed is not None for header in judged.headers):
        return judged
    return RatingCodes.of(decided(rating, named=named) for rating in judged)
