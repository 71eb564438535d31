"""The status of each rubric in a project: what its judge can decide by its accepted run, and until when."""

import warnings
from collections.abc import Callable, Iterable, Iterator
from datetime import date
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from markscheme.calibration.next_labels import NEXT_LABELS, NextLabels, next_labels
from markscheme.errors import DamagedLine, MarkschemeError
from markscheme.features.status.labelled_rows import file_of_rows, labelled_rows
from markscheme.grading.receipt import ACCEPTED, Receipt
from markscheme.ratings.examples import RATINGS_FOLDER, ExampleSet, examples_file, examples_files, load_examples
from markscheme.ratings.kinds import JUDGES
from markscheme.readers.infer_rubric import rubric_of_wholes
from markscheme.rubrics.file import load_rubric
from markscheme.rubrics.rubric import Rubric
from markscheme.rubrics.search import RUBRIC_SUFFIXES, calibrations, find_calibration

if TYPE_CHECKING:
    from typing import Protocol

    from markscheme.calibration.accepted.accepted_history import AcceptedPoint
    from markscheme.report.document import Block

    class _AcceptedRun(Protocol):
        def accepted_rubric(self, folder: Path) -> Rubric: ...
        def of_accepted_run(
            self, rubric: Rubric, folder: Path, examples: ExampleSet | None, today: date
        ) -> dict[str, Any]: ...


JUDGE_MOVED = "the judge moved since, on the accepted examples"
"""Reason why an accepted run is stale if later looks at its examples show that the judge changed."""


class RubricStatus(NamedTuple):
    """The status of one rubric, or of one file of rows with criteria of their own, as `status` shows it.

    Attributes:
        name: Name of the rubric, or of the file of rows.
        file: The file of the rubric or of the rows; None if only its accepted run is known.
        unread: Files that lie next to the rubric's file and have its name with another ending, which no command reads.
        fault: The reason why the rubric, its examples or its accepted run cannot be read; None if they can.
        labelled: Number of examples that people labelled or, if they labelled none, that have any label; None without a
            set of examples.
        unlabelled: Number of examples that nobody labelled.
        has_people: True if people labelled any example; labels derived from how examples were made don't count.
        asks_default: True if the default judge is asked when none is named.
        receipt: Receipt of its accepted run; None without one.
        judge: Name of the accepted judge.
        false_passes: Ids of the examples that the judge passes and the labels fail; None if only counts of examples are
            known.
        usd: US dollars per thousand grades; None if unknown.
        tokens: Numbers of tokens read and written per grade; None if unknown.
        fresh_until: The day from which on the accepted run is stale; None without an accepted run, or if it is stale
            already.
        stale: The reasons why the accepted run doesn't apply to the current rubric.
        is_calibrated: True if a calibration has recorded the labels that its verdict needs.
        next_labels: Function that returns how many labels the verdict still needs. If the rubric was never calibrated,
            the function computes the number, for which it imports the packages for statistics. None if a run is
            accepted, and no calibration has recorded the number.
        labels_needed: Number of labels that the verdict still needs; 0 if none are needed, or if no number would be
            enough.
        history: The accepted runs, the earliest first.
        draw_history: Function that returns the blocks of a page that draw the history.
        are_rows: True if `file` is a file of rows that bring criteria of their own, instead of a rubric.
    """

    name: str
    file: Path | None
    unread: tuple[Path, ...] = ()
    fault: str | None = None
    labelled: int | None = None
    unlabelled: int = 0
    has_people: bool = True
    asks_default: bool = False
    receipt: Receipt | None = None
    judge: str | None = None
    false_passes: tuple[str, ...] | None = ()
    usd: float | None = None
    tokens: float | None = None
    fresh_until: date | None = None
    stale: tuple[str, ...] = ()
    is_calibrated: bool = False
    next_labels: Callable[[], NextLabels] | None = None
    labels_needed: int = 0
    history: "tuple[AcceptedPoint, ...]" = ()
    draw_history: "Callable[[], Iterable[Block]]" = tuple
    are_rows: bool = False

    @property
    def next_step(self) -> str | None:
        """Sentence on how many labels an open verdict needs; None if the verdict is decided or unknown."""
        return None if self.next_labels is None else self.next_labels().of(self.unlabelled)

    @property
    def last_calibration(self) -> NextLabels | None:
        """The verdict of the last calibration on people's labels, with the labels it needs; None if there was none."""
        return self.next_labels() if self.is_calibrated and self.next_labels is not None else None

    def after_judge_moved(self) -> "RubricStatus":
        """Return this status with the accepted run marked as stale, since the judge has changed its ratings."""
        return self._replace(stale=(*self.stale, JUDGE_MOVED), fresh_until=None)


def rubrics_here(files: Iterable[Path], start: Path, today: date) -> Iterator[RubricStatus]:
    """Yield the status of each rubric in the project, then of files of rows and of accepted runs without a rubric file.

    A file of rows with criteria of their own is among them once it has a calibration folder.

    Args:
        files: The project's rubric files.
        start: The working directory.
        today: Today's date, by which runs and labels are stale or not.
    """
    names = set[str]()
    for file in files:
        others = (file.with_suffix(suffix) for suffix in RUBRIC_SUFFIXES if suffix != file.suffix)
        rubric_status = _or_fault(file.stem, file, partial(_of_file, file, start, today))
        rubric_status = rubric_status._replace(unread=tuple(other for other in others if other.is_file()))
        names.add(rubric_status.name)
        yield rubric_status
    for name, folder in calibrations(start).items():
        if name in names:
            continue
        rows = file_of_rows(name, folder)
        if rows is not None:
            yield _or_fault(name, rows, partial(_of_rows, name, rows, folder, today))
        elif (folder / ACCEPTED).is_file():
            yield _or_fault(name, None, partial(_of_accepted_run, name, folder, today))


def _or_fault(name: str, file: Path | None, read_status: Callable[[], RubricStatus]) -> RubricStatus:
    """Call a function that reads a status and return it; if that fails, return a status with the reason.

    Args:
        name: Name of the rubric.
        file: The rubric's file; None if it isn't known.
        read_status: Function that reads the status.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("always", DamagedLine)
            return read_status()
    except MarkschemeError as error:
        return RubricStatus(name, file, fault=str(error).splitlines()[0])


def _of_file(file: Path, start: Path, today: date) -> RubricStatus:
    rubric = load_rubric(file)
    folder = find_calibration(rubric.name, start, file.parent)
    return RubricStatus(rubric.name, file) if folder is None else _with_calibration(rubric, file, folder, today)


def _of_rows(name: str, rows: Path, folder: Path, today: date) -> RubricStatus:
    """Return the status of a file of rows that bring criteria of their own.

    Args:
        name: Name of the file.
        rows: The file.
        folder: Its calibration folder.
        today: Today's date, by which runs and labels are stale or not.
    """
    examples = labelled_rows(rows, folder)
    is_accepted = (folder / ACCEPTED).is_file()
    is_calibrated = (folder / NEXT_LABELS).is_file()
    status = _of_accepted_run(name, folder, today) if is_accepted else RubricStatus(name, rows)
    to_label = cache(partial(next_labels, folder, rubric_of_wholes(), examples))
    asks_for_labels = is_calibrated or not (is_accepted or examples.by_people)
    return status._replace(
        file=rows,
        labelled=examples.by_people,
        unlabelled=len(examples.examples) - examples.by_people,
        has_people=examples.by_people > 0,
        asks_default=not len(examples.labels.of_kinds(JUDGES)),
        is_calibrated=is_calibrated,
        next_labels=to_label if asks_for_labels else None,
        labels_needed=_needed(to_label()) if asks_for_labels else 0,
        are_rows=True,
    )


def _of_accepted_run(name: str, folder: Path, today: date) -> RubricStatus:
    rubric = _accepted_run().accepted_rubric(folder)
    return _with_calibration(rubric, None, folder, today)._replace(name=name)


def _with_calibration(rubric: Rubric, file: Path | None, folder: Path, today: date) -> RubricStatus:
    if (folder / ACCEPTED).is_file() and not examples_files(folder):
        return _with_run(RubricStatus(rubric.name, file), rubric, folder, None, today)  # of counts, or kept elsewhere
    examples = load_examples(examples_file(folder), rubric, ratings=folder / RATINGS_FOLDER)
    labelled = examples.labelled.examples
    is_calibrated = (folder / NEXT_LABELS).is_file()
    to_label = cache(partial(next_labels, folder, rubric, examples))
    if not (folder / ACCEPTED).is_file():
        return RubricStatus(
            rubric.name,
            file,
            labelled=examples.by_people or len(labelled),
            unlabelled=len(examples.examples) - examples.by_people,
            has_people=examples.by_people > 0,
            asks_default=not rubric.judge.get("name") and any(c.check is None for c in rubric.criteria),
            is_calibrated=is_calibrated,
            next_labels=to_label,
            labels_needed=_needed(to_label()) if is_calibrated or not examples.by_people else 0,
        )
    of_labels = RubricStatus(
        name=rubric.name,
        file=file,
        labelled=examples.by_people or len(labelled),
        unlabelled=len(examples.examples) - examples.by_people,
        is_calibrated=is_calibrated,
        next_labels=to_label if is_calibrated else None,
        labels_needed=_needed(to_label()) if is_calibrated else 0,
    )
    return _with_run(of_labels, rubric, folder, examples, today)


def _with_run(
    status: RubricStatus, rubric: Rubric, folder: Path, examples: ExampleSet | None, today: date
) -> RubricStatus:
    """Return a rubric's status with the fields that come from its accepted run.

    Args:
        status: The status so far.
        rubric: The rubric.
        folder: The rubric's calibration folder.
        examples: The rubric's examples; None if they can't be read.
        today: Today's date, from which the run's age is counted.
    """
    return status._replace(**_accepted_run().of_accepted_run(rubric, folder, examples, today))


def _accepted_run() -> "_AcceptedRun":
    from markscheme.features.status import accepted_run

    return accepted_run


def _needed(to_label: NextLabels) -> int:
    return 0 if to_label.labels is None else to_label.labels.more
