"""Reader of rows that bring rubrics of their own, for commands on decisions about whole responses."""

from collections.abc import Sequence
from dataclasses import replace

from markscheme.features.rows.calibration import labelled_rows_in, whole_rating
from markscheme.ratings.examples import ExampleSet
from markscheme.readers.imported import ImportedFile
from markscheme.readers.infer_rubric import rubric_of_wholes
from markscheme.readers.peek import Peek
from markscheme.rubrics.rubric import Rubric


def read_decisions(files: Sequence[Peek], rubric: Rubric | None) -> list[ImportedFile]:
    """Read labels and verdicts of rows as scores and decisions on whole responses, by each row's own rubric.

    Args:
        files: The files.
        rubric: The rubric that the result names, such as one that other files share; None for one without criteria.
            Each row's decision follows from the row's own rubric.

    Raises:
        RatingError: A row or its rubric is invalid.
        UsageError: A task has rows in dev and in test.
    """
    read = []
    for peek in files:
        examples = []
        for example, row_rubric in labelled_rows_in(peek.path):
            wholes = (whole_rating(label, row_rubric) for label in example.labels)
            examples.append(replace(example, labels=tuple(filter(None, wholes))))
        example_set = ExampleSet(tuple(examples), peek.path)
        read.append(
            ImportedFile(peek.path, rubric or rubric_of_wholes(), ratings=example_set.labels, examples_read=example_set)
        )
    return read
