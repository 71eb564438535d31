"""Reader of responses to label that come with criteria of their own, in the same row of a file."""

import random
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import Any, NamedTuple

from markscheme.errors import Fault, RatingError, UsageError
from markscheme.features.label.pool import ResponsePool
from markscheme.grading.by_row import own_rubric
from markscheme.json_text import json_or
from markscheme.phrases import counted
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import examples_from
from markscheme.ratings.kinds import PEOPLE
from markscheme.ratings.rating import Rating
from markscheme.readers.plain_tables import numbered_rows, rows_bring_rubrics
from markscheme.rubrics.file import load_rubric
from markscheme.rubrics.of_rows import ROWS_ALONE, row_rubric_in, row_rule, rubric_of_all
from markscheme.rubrics.rubric import Criterion, Rubric
from markscheme.rubrics.search import find_rubric

ASKED_WHOLE = 12
"""Largest number of own criteria for which a response is labelled on all of them."""
PER_TASK = 8
"""Number of own criteria on which a response with more than `ASKED_WHOLE` is labelled; labelling another task tells
more than labelling the rest."""


class RowsToLabel(NamedTuple):
    """Responses to label, each with criteria of its own, which are in its row of the file.

    Attributes:
        rubric: A rubric with all criteria of the rows, equal ones only once.
        pool: The responses.
        criteria_by_id: The criteria on which each response is labelled, by the response's id.
        rubric_by_id: The rubric by which a judge grades each response, by the response's id.
    """

    rubric: Rubric
    pool: ResponsePool
    criteria_by_id: Mapping[str, Sequence[Criterion]]
    rubric_by_id: Mapping[str, Rubric]

    @property
    def note(self) -> str:
        """Sentence on how many labels are asked for, one for each criterion of each response, and in how many tasks."""
        n_asked = sum(map(len, self.criteria_by_id.values()))
        tasks = len({example.group or example.id for example in self.pool.examples})
        return f"{counted(n_asked, 'criterion', 'criteria')} to label in {counted(tasks, 'task')}"

    def is_answered_in(self, label: Rating) -> bool:
        """Return True if a label answers all criteria on which its response is to be labelled."""
        return all(criterion.name in label.criteria for criterion in self.criteria_by_id.get(label.id, ()))

    def progress(self, labels: Iterable[Rating]) -> str:
        """Return a phrase on how many of the criteria to label have a label, and in how many of the tasks."""
        answered = {(label.id, name) for label in labels for name in label.criteria}
        to_label = [(id, criterion.name) for id, criteria in self.criteria_by_id.items() for criterion in criteria]
        task_by_id = {example.id: example.group or example.id for example in self.pool.examples}
        begun = {task_by_id[id] for id, name in to_label if (id, name) in answered}
        n_answered = sum(answer in answered for answer in to_label)
        criteria = f"{n_answered} of {counted(len(to_label), 'criterion', 'criteria')}"
        return f"{criteria}, in {len(begun)} of {counted(len(set(task_by_id.values())), 'task')}"


def rows_named(path: Path, here: Path, core: str | None, *, every: bool) -> RowsToLabel | None:
    """Read responses to label from a file, if its rows bring their own criteria; else return None.

    Args:
        path: The file.
        here: The working directory, from which the core rubric is searched.
        core: Name or file of the rubric that all rows share; None without one.
        every: True if responses are labelled on all of their criteria, however many there are.

    Raises:
        RatingError: Rows or their rubrics are invalid; the message names each with its line.
        UsageError: There is a core rubric, and the rows bring no criteria.
    """
    if rows_bring_rubrics(path):
        return rows_to_label(path, every=every, core=None if core is None else load_rubric(find_rubric(core, here)))
    if core is not None:
        pooled = f"markscheme label {quote(core)} --pool {quote(path.name)}"
        raise UsageError(f"{path.name} holds no rows with rubrics of their own; to label them by {core}: {pooled}")
    return None


def rows_to_label(path: Path, *, every: bool, core: Rubric | None = None, run: Rubric = ROWS_ALONE) -> RowsToLabel:
    """Read responses to label from a file whose rows bring their own criteria.

    Args:
        path: The file.
        every: True if responses are labelled on all of their criteria, however many there are.
        core: The rubric that all rows share, on whose criteria each response is labelled too; None without one.
        run: The rubric that says how a judge is asked about rows, if they share none.

    Raises:
        RatingError: Rows or their rubrics are invalid; the message names each with its line.
    """
    faults: list[Fault] = []
    examples: list[Example] = []
    rubrics: dict[str, Rubric] = {}
    labels: list[tuple[Rating, Rubric]] = []
    for line, data in numbered_rows(path):
        try:
            example, rubric = _row(data, line, core, run)
        except (RatingError, ValueError) as error:
            faults.append(Fault(error.faults[0].problem if isinstance(error, RatingError) else str(error), line))
            continue
        if example.id in rubrics:
            faults.append(Fault(f"id {example.id!r} is there already; ids are unique", line))
        examples.append(replace(example, labels=()))
        labels += [(label, rubric) for label in example.labels if label.kind in PEOPLE]
        rubrics[example.id] = rubric
    if faults or not examples:
        raise RatingError(faults or "holds no row", path=path)
    of_all, names = rubric_of_all(rubrics.values(), path.name)
    of_all = replace(of_all, source=path)  # by which printed commands name the file
    criteria_by_id = {
        id: [of_all.criterion(names[criterion.wording]) for criterion in _criteria_to_ask(rubric, id, every=every)]
        for id, rubric in rubrics.items()
    }
    in_file = tuple(
        replace(
            label,
            criteria={names[rubric.criterion(name).wording]: rated for name, rated in label.criteria.items()},
        )
        for label, rubric in labels
    )
    return RowsToLabel(of_all, ResponsePool(tuple(examples), (), in_file), criteria_by_id, rubrics)


def _row(data: Any, line: int, core: Rubric | None, run: Rubric) -> tuple[Example, Rubric]:
    if not isinstance(data, Mapping):
        raise ValueError("a row is an object")
    data = {"id": f"ex-{line}", **data}
    (example,) = examples_from([{**data, "labels": []}], ROWS_ALONE).examples
    row_rubric = own_rubric(row_rubric_in(example.submission.inputs, core), core, row_rule(None, core), run)
    if isinstance(row_rubric, str):
        raise ValueError(row_rubric)
    rubric = row_rubric.rubric if row_rubric is not None else core
    assert rubric is not None
    names = {criterion.name for criterion in rubric.criteria}
    labels = list(_labels_on(data.get("labels"), names))
    (example,) = examples_from([{**data, "labels": labels}], rubric).examples
    return example, rubric


def _labels_on(labels: Any, names: Collection[str]) -> Iterator[Mapping[str, Any]]:
    """Yield the labels in a row's cell, as plain data, with only the criteria that the row has.

    Args:
        labels: The cell: a list of labels, or the JSON text of such a list, as a table holds it. Any other cell holds
            no labels.
        names: Names of the row's criteria.
    """
    listed = json_or(labels, None) if isinstance(labels, str) else labels
    for label in listed if isinstance(listed, list) else ():
        if isinstance(label, Mapping):
            criteria = label.get("criteria")
            levels = criteria if isinstance(criteria, Mapping) else {}
            yield {**label, "criteria": {name: rated for name, rated in levels.items() if name in names}}


def _criteria_to_ask(rubric: Rubric, id: str, *, every: bool) -> Sequence[Criterion]:
    """Return the criteria of a response's own rubric on which it is labelled: all, or a few drawn at random.

    Args:
        rubric: The response's own rubric.
        id: Id of the response, from which the random draw follows, so that later sessions draw the same criteria.
        every: True to return all criteria, however many there are.
    """
    if every or len(rubric.criteria) <= ASKED_WHOLE:
        return rubric.criteria
    indices = sorted(random.Random(id).sample(range(len(rubric.criteria)), PER_TASK))  # noqa: S311 - which are asked
    return [rubric.criteria[index] for index in indices]
