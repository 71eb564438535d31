"""Ranking of the systems in files of pairs, by the labels and by each judge."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from markscheme.calibration.comparison.comparison import rank_systems
from markscheme.calibration.labelled_examples import labelled_examples
from markscheme.calibration.options import LabelOptions
from markscheme.calibration.results import Reported
from markscheme.errors import ComparisonError, UsageError, naming
from markscheme.ratings.column_options import ColumnOptions
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.examples_choice import chosen_examples
from markscheme.ratings.kinds import JUDGES
from markscheme.readers.mapped_columns import refuse_unknown_columns
from markscheme.readers.pair_rows import refuse_singles
from markscheme.readers.rated import RatedFiles, columns_from_options, open_rated
from markscheme.rubrics.rubric import Rubric


def compare_systems(
    files: Sequence[Path],
    rubric: Rubric | None = None,
    *,
    labels: LabelOptions,
    columns: ColumnOptions = ColumnOptions(),
) -> Reported:
    """Compare systems by the preferences in files of pairs, separately for each rater; return the report.

    Args:
        files: Files, each with pairs and preferences, with what `grade` wrote about pairs, or with ratings alone, whose
            pairs are in `labels.examples`.
        rubric: The rubric of all files; None for the one that the files imply.
        labels: Which pairs count. If `files` have ratings without the pairs, `labels.examples` is the file of the
            pairs, or None for the rubric's own pairs.
        columns: What the files' columns mean: who stated the preferences, and as which kind of rater.

    Raises:
        UsageError: There are no files, the rubric judges single responses, or no pairs are known.
        ComparisonError: No pair names the systems that wrote its responses.
    """
    if not files:
        raise UsageError("name files of pairs: markscheme compare --pairs FILE…")
    refuse_unknown_columns(files, columns)
    rated = open_rated(files, rubric, expected="anything", columns=columns_from_options(columns))
    with naming(*files):
        refuse_singles(rated.rubric)
        pairs = chosen_examples(_pairs(rated, labels.examples), labels.split, labels.only)
        judged = [rating for rating in rated.ratings if rating.kind in JUDGES]
        ranked = rank_systems(rated.rubric, pairs, judged)
        if ranked is None:
            raise ComparisonError("no rated pair says what wrote its two responses (`system` of `first` and `second`)")
        return ranked


def _pairs(rated: RatedFiles, file: Path | None) -> ExampleSet:
    """Return the pairs in files of ratings; if there are none, the rubric's own pairs with the files' labels added.

    Args:
        rated: The content of the files of ratings.
        file: The file with the rubric's own pairs, read if the files of ratings have none; None for the usual file.
    """
    in_files = rated.labelled
    if any(example.sides for example in in_files.examples):
        return in_files
    own_pairs, _ = labelled_examples(rated.rubric, file)
    labels = {example.id: example.labels for example in in_files.examples}
    return replace(
        own_pairs,
        examples=tuple(
            replace(example, labels=(*example.labels, *labels.get(example.id, ()))) for example in own_pairs.examples
        ),
    )
