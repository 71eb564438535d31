"""Every function of the package that reads a project's file, by the ending of the file's name."""

import warnings
from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path

from markscheme.calibration.earlier_runs.load import load_accepted
from markscheme.errors import RatingError
from markscheme.grading.receipt import load_receipt
from markscheme.judges.recorded import RecordedJudge
from markscheme.plain_data import json_lines
from markscheme.ratings.codes import load_ratings
from markscheme.ratings.examples import load_examples
from markscheme.ratings.parquet_rows import parquet_rows
from markscheme.readers.rated import open_rated
from markscheme.readers.rater_columns import open_rater_table
from markscheme.readers.submissions import read_submissions
from markscheme.rubrics.file import load_rubric
from markscheme.rubrics.rubric import Rubric
from tests.commands.console import ROOT

Reader = Callable[[Path], object]


RUBRIC = Rubric.from_dict({"name": "place", "criteria": [{"name": "place", "requirement": "It says where it is."}]})
_RATED: Mapping[str, Reader] = {
    "rated files": lambda path: open_rated([path], RUBRIC),
    "rated files without a rubric": lambda path: open_rated([path]),
    "raters": open_rater_table,
    "submissions": lambda path: list(read_submissions(path, {}, ())),
}
_EXAMPLES: Mapping[str, Reader] = {"examples": lambda path: load_examples(path, RUBRIC)}
_OF_THE_CORE: Mapping[str, Mapping[str, Reader]] = {
    ".yaml": {
        **_EXAMPLES,
        "rubric": load_rubric,
    },
    ".json": {
        **_RATED,
        **_EXAMPLES,
        "rubric": load_rubric,
        "receipt": load_receipt,
        "accepted run": load_accepted,
    },
    ".jsonl": {
        **_RATED,
        **_EXAMPLES,
        "ratings": lambda path: load_ratings(path, RUBRIC),
        "lines": lambda path: list(json_lines(path, RatingError)),
        "replies": RecordedJudge.load,
    },
    ".csv": {**_RATED, **_EXAMPLES},
    ".parquet": {**_RATED, **_EXAMPLES, "rows": lambda path: list(parquet_rows(path))},
    ".db": _RATED,
    ".eval": _RATED,
}
"""By the ending of a file's name, and what it is read as."""


def _of_features() -> Iterator[Mapping[str, Mapping[str, Reader]]]:
    """Yield the readers of each feature whose tests have a module `file_readers`."""
    for path in sorted((ROOT / "tests/features").glob("*/file_readers.py")):
        yield import_module(f"tests.features.{path.parent.name}.file_readers").READERS


READERS: Mapping[str, Mapping[str, Reader]] = {
    suffix: dict(ChainMap(*(dict(readers.get(suffix, {})) for readers in (*_of_features(), _OF_THE_CORE))))
    for suffix in _OF_THE_CORE
}
"""The core's and those of features."""


def readers_of(suffix: str) -> Mapping[str, Reader]:
    """Return the readers of files with an ending, with their warnings silenced."""
    return {name: _silent(read) for name, read in READERS[suffix].items()}


def _silent(read: Reader) -> Reader:
    def silently(path: Path) -> object:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return read(path)

    return silently
