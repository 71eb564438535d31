"""Every function of the package that reads a file of a project, by the ending of what it reads."""

import warnings
from collections.abc import Callable, Mapping
from pathlib import Path

from markscheme.calibration.drift.accepted import load_accepted
from markscheme.errors import RatingError
from markscheme.features.cards.card import read_card
from markscheme.features.cards.verification import verify_card
from markscheme.features.discover.pool import read_outputs
from markscheme.features.discover.read_notes import Author, read_notes
from markscheme.features.discover.store import modes_in, readings_in
from markscheme.features.experiment.file import read_experiment
from markscheme.grading.graded_table import parquet_rows
from markscheme.judges.cascade_file import CascadeFile
from markscheme.judges.recorded import RecordedJudge
from markscheme.plain_data import json_lines, read_text
from markscheme.ratings.examples import load_examples
from markscheme.ratings.rating import load_ratings
from markscheme.readers.rated import open_rated
from markscheme.readers.rater_columns import open_rater_table
from markscheme.readers.submissions import read_submissions
from markscheme.receipt import load_receipt
from markscheme.rubrics.file import load_rubric
from markscheme.rubrics.rubric import Rubric

Reader = Callable[[Path], object]


def _parts(*parts: object) -> object:
    return parts


RUBRIC = Rubric.from_dict({"name": "place", "criteria": [{"name": "place", "requirement": "It says where it is."}]})
_RATED: Mapping[str, Reader] = {
    "rated files": lambda path: open_rated([path], RUBRIC),
    "rated files without a rubric": lambda path: open_rated([path]),
    "raters": open_rater_table,
    "submissions": lambda path: list(read_submissions(path, {}, ())),
    "notes": lambda path: read_notes([path], Author("ann", "human")),
    "outputs": read_outputs,
}
_EXAMPLES: Mapping[str, Reader] = {"examples": lambda path: load_examples(path, RUBRIC)}
READERS: Mapping[str, Mapping[str, Reader]] = {
    ".yaml": {
        **_EXAMPLES,
        "rubric": load_rubric,
        "experiment": lambda path: read_experiment(path, None, _parts),
        "modes": lambda path: list(modes_in(read_text(path, RatingError), path)),
    },
    ".json": {
        **_RATED,
        **_EXAMPLES,
        "rubric": load_rubric,
        "experiment": lambda path: read_experiment(path, None, _parts),
        "receipt": load_receipt,
        "accepted run": load_accepted,
        "card": read_card,
        "verified card": verify_card,
        "certificate": CascadeFile.load,
    },
    ".jsonl": {
        **_RATED,
        **_EXAMPLES,
        "ratings": lambda path: load_ratings(path, RUBRIC),
        "lines": lambda path: list(json_lines(path, RatingError)),
        "readings": readings_in,
        "replies": RecordedJudge.load,
    },
    ".csv": {**_RATED, **_EXAMPLES},
    ".parquet": {**_RATED, **_EXAMPLES, "rows": lambda path: list(parquet_rows(path))},
    ".db": _RATED,
    ".eval": _RATED,
}
"""By the ending of a file's name, and what it is read as."""


def readers_of(suffix: str) -> Mapping[str, Reader]:
    """The readers of files with such an ending, without what they warn of."""
    return {name: _silent(read) for name, read in READERS[suffix].items()}


def _silent(read: Reader) -> Reader:
    def silently(path: Path) -> object:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return read(path)

    return silently
