"""Readers of the files of ratings and examples that markscheme writes, with or without a rubric."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from markscheme.errors import RatingError
from markscheme.plain_data import elements, form_of, mapping, plain_data, read_text
from markscheme.prompts.submission import has_pair_alone
from markscheme.ratings.codes import load_ratings
from markscheme.ratings.examples import RATINGS_FOLDER, load_examples, load_responses
from markscheme.ratings.row_form import form_of_rows
from markscheme.readers.imported import Columns, ImportedFile
from markscheme.readers.infer_rubric import infer_rubric, rubric_of_levels, rubric_of_wholes
from markscheme.readers.own_scales import shared_scales
from markscheme.readers.pair_rows import pair_rubric
from markscheme.readers.peek import Peek
from markscheme.readers.tables import LABEL_NAMES, VERDICT
from markscheme.rubrics.file import load_rubric
from markscheme.rubrics.rubric import Rubric
from markscheme.rubrics.search import find_rubric

OF_RATINGS = frozenset(["criteria", "overall", "pass", "error", "withdrawn"])
"""Keys by which a line of markscheme's own ratings is recognized."""
OF_OTHERS = frozenset([*VERDICT, *LABEL_NAMES, "gold", "level", "criterion"])
INFERRED = "No rubric is given: scales are inferred from the ratings, weights are equal, and the pass mark is 0.5."

# --- ratings ----------------------------------------------------------------------------------------------------------


def is_ratings(peek: Peek) -> bool:
    """Return True if a file can be read as ratings: it has JSON lines, and some line may be a rating.

    A line can't be a rating if it has a key of another kind of file, and none of the keys of ratings.
    """
    if not peek.is_lines:
        return False
    others = [record.keys() & OF_OTHERS and not record.keys() & OF_RATINGS for record in peek.records]
    return not others or not all(others)


_OWN_KEYS = OF_RATINGS | {"id", "pass", "score", "rater", "kind", "reason", "sample", "at", "under", "blind", "shown"}
_OWN_VALUES = frozenset(["criteria", "overall", "pass", "score"])


def has_own_lines(peek: Peek) -> bool:
    """Return True if a file's JSON lines are ratings or decisions in markscheme's format, not rows of a table."""
    keys = [record.keys() for record in peek.records]
    return bool(keys) and all("criteria" in names or (names <= _OWN_KEYS and names & _OWN_VALUES) for names in keys)


def read_ratings(files: Sequence[Peek], rubric: Rubric | None, columns: Columns) -> list[ImportedFile]:
    """Read the ratings in each file, which are lines in markscheme's own format.

    Without a rubric, they are read by the rubric whose calibration folder they are in, else by the scales that they
    imply.

    Raises:
        RatingError: A file has a line that can't be read, or no scale can be inferred.
        UsageError: Numbers of judges and people can't be on one scale, and no scale is named.
    """
    notes = []
    if rubric is None:
        rubric = _rubric_of_folder(files)
    scales = shared_scales(files, rubric, columns.scales)
    if rubric is None:
        rubric = infer_rubric([peek.path for peek in files], on_positions=scales.criteria)
        notes = [INFERRED]
    return [
        ImportedFile(
            peek.path,
            rubric,
            ratings=load_ratings(peek.path, rubric, keep_unread=columns.keep_unread, interpreted=scales.moved),
            notes=list(notes),
        )
        for peek in files
    ]


def _rubric_of_folder(files: Sequence[Peek]) -> Rubric | None:
    """Return the rubric of files of ratings, by their path calibration/<rubric>/ratings/<rater>.jsonl.

    Return None if the files have other paths, or are in the folders of several rubrics.
    """
    names = set()
    for peek in files:
        parents = peek.path.resolve().parents
        if len(parents) > 2 and parents[0].name == RATINGS_FOLDER and parents[2].name == "calibration":
            names.add(parents[1].name)
    return load_rubric(find_rubric(names.pop())) if len(names) == 1 else None


# --- examples ---------------------------------------------------------------------------------------------------------


def is_labelled(peek: Peek) -> bool:
    """Return True if a file holds examples with labels inside them, or with expected scores."""
    return any(isinstance(record.get("labels"), list) or "expectedScore" in record for record in _records(peek))


def may_be_examples(peek: Peek) -> bool:
    """Return True if a file can be read as examples: text of any form, or Parquet."""
    return not peek.path.is_file() or form_of_rows(peek.path) != "packed"


def read_examples(files: Sequence[Peek], rubric: Rubric | None, columns: Columns) -> list[ImportedFile]:
    """Read the examples in each file with their labels; if no rubric is given, infer one from the labels.

    If no rubric is given and the caller expects only examples, the examples are read without their labels.

    Raises:
        RatingError: A file can't be read, or no scale can be inferred.
    """
    readings = []
    for peek in files:
        for_responses = rubric is None and columns.expected == "examples"
        by = rubric or (_rubric_of_responses(peek) if for_responses else _rubric_of_labels(peek))
        examples = (
            load_responses(peek.path, by) if for_responses else load_examples(peek.path, by, with_fingerprints=True)
        )
        readings.append(ImportedFile(peek.path, by, ratings=examples.labels, examples_read=examples))
    return readings


def _are_pairs(peek: Peek) -> bool:
    return any(map(has_pair_alone, _records(peek)))


def _rubric_of_responses(peek: Peek) -> Rubric:
    return pair_rubric() if _are_pairs(peek) else rubric_of_wholes()


def _rubric_of_labels(peek: Peek) -> Rubric:
    """Infer a rubric from the labels of a file's examples; if the examples are pairs, a rubric of pairs.

    Raises:
        RatingError: No criterion is labelled, or none has a scale that can be inferred.
    """
    if not _are_pairs(peek):
        return rubric_of_levels(_levels_of_labels(peek), peek.path)
    names = dict.fromkeys(name for levels in _levels_of_labels(peek) for name in levels)
    if not names:
        raise RatingError("rates no criterion; name its rubric by --rubric", path=peek.path)
    return pair_rubric(names)


def _levels_of_labels(peek: Peek) -> Iterator[Mapping[str, Any]]:
    for record in _records(peek, whole=True):
        for label in record.get("labels") or ():
            yield mapping(mapping(label).get("criteria"))


def _records(peek: Peek, *, whole: bool = False) -> Iterator[Mapping[str, Any]]:
    """Yield the examples of a file as plain data.

    Args:
        peek: The file.
        whole: True to read a long file of lines to its end; False to yield only its first ones, for a quick look.
    """
    if peek.shape == "yaml":
        yield from map(mapping, _listed(_parsed_yaml(peek)))
    elif listed := _listed(peek.document):
        yield from map(mapping, listed)
    elif whole:
        yield from (mapping(record) for _, record in peek.parts())
    else:
        yield from peek.records


def _listed(data: Any) -> Sequence[Any]:
    """Return the examples in a YAML or JSON document: the list itself, or that under `examples`; else ()."""
    return elements(data.get("examples") if isinstance(data, Mapping) else data)


def _parsed_yaml(peek: Peek) -> Any:
    try:
        text = read_text(peek.path, RatingError)
        return plain_data(text, form_of(peek.path), RatingError, path=peek.path)[0]
    except RatingError:
        return None
