"""A rubric's labelled examples, from its calibration folder or a file of any format."""

import warnings
from contextlib import suppress
from pathlib import Path

from markscheme.calibration.carried_labels import carried_labels
from markscheme.errors import RatingWarning
from markscheme.ratings.audits import keep_labelled_audits
from markscheme.ratings.examples import RATES_FOLDER, RATINGS_FOLDER, ExampleSet, load_examples
from markscheme.ratings.examples_choice import examples_of
from markscheme.rubrics.rubric import Rubric


def labelled_examples(rubric: Rubric, named: Path | None) -> tuple[ExampleSet, Path | None]:
    """Read a rubric's examples with the labels that count, and find its calibration folder.

    After a criterion is reworded, some examples are labelled again. On these, only the new label counts. On all other
    examples, the old label counts until relabelling has shown that labels change; then no old label counts.

    Args:
        rubric: The rubric.
        named: A file of examples, or one of another tool that contains responses and people's labels; None for the
            rubric's own.

    Raises:
        UsageError: There are no examples.
        RatingError: The examples, or their labels, cannot be read.

    Warns:
        RatingWarning: Labels are from before a rewording, and don't count for a gate yet.
    """
    every, folder = examples_with_every_label(rubric, named)
    carried = carried_labels(every, rubric)
    if carried is None:
        return every, folder
    if carried.state != "old labels count":
        warnings.warn(carried.sentence, RatingWarning, stacklevel=2)
    return carried.counting, folder


def examples_with_every_label(rubric: Rubric, named: Path | None) -> tuple[ExampleSet, Path | None]:
    """Read a rubric's examples with all labels, whichever wording they were given to, and find its calibration folder.

    Labels in the folder's `ratings/` are read for the rubric's own examples, also if the user names their file, but not
    for another file of examples.

    Args:
        rubric: The rubric.
        named: A file of examples, or one of another tool that contains responses and people's labels; None for the
            rubric's own.

    Raises:
        UsageError: There are no examples.
        RatingError: The examples, or their labels, cannot be read.
    """
    file, folder = examples_of(rubric, named)
    is_own = folder is not None and file.resolve().parent == folder.resolve()
    if named is not None and not is_own:
        return _examples_in(file, rubric), folder
    if folder is not None and is_own and (folder / RATES_FOLDER).is_dir():
        with suppress(OSError):
            keep_labelled_audits(file, rubric)
    ratings = folder / RATINGS_FOLDER if folder is not None and is_own else None
    return load_examples(file, rubric, ratings=ratings, with_fingerprints=True), folder


def _examples_in(file: Path, rubric: Rubric) -> ExampleSet:
    from markscheme.readers.rated import open_rated  # slow to load, and a rubric's own examples need no reader

    return open_rated([file], rubric, expected="examples").example_set
