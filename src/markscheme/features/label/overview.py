"""Overview of labelling: how much each annotator has labelled, how often they agree, and who changes answers."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from shlex import quote
from statistics import median
from typing import Any

from markscheme.calibration.carried_labels import carried_labels
from markscheme.calibration.findings.commands import ANNOTATOR, SECOND_ANNOTATOR
from markscheme.calibration.next_labels import NextLabels, next_labels
from markscheme.features.label.disputes import AGREEMENT_STEP, agreement_so_far, first_labels, ratings_in
from markscheme.features.label.next_steps import commands_on_rows
from markscheme.features.label.pool import read_pool
from markscheme.features.label.relabelling import labels_to_give_again
from markscheme.features.label.rows import rows_named
from markscheme.phrases import counted, number
from markscheme.ratings.additions import DAY
from markscheme.ratings.column_options import ColumnOptions
from markscheme.ratings.examples import RATINGS_FOLDER, ExampleSet, examples_file, examples_files, load_examples
from markscheme.ratings.rating import Rating
from markscheme.ratings.second_labels import FOR_A_GATE
from markscheme.report.document import Callout, Document, Notes, Table
from markscheme.rubrics.file import load_rubric
from markscheme.rubrics.rubric import Rubric
from markscheme.rubrics.search import calibration_folder, find_rubric

_ABOUT_COLUMNS = (
    "Same twice: of the levels given when a response came back. Agrees with others: of the levels that another "
    "annotator gave too, over all criteria. –: none, or not recorded."
)
CALIBRATE_ROWS = "Calibrate a judge: it says how many more tasks decide."
STEADY_SHARE = 0.8
"""Share of answers repeated on a second look below which an annotator is unsteady: one changed answer in five."""
LEAST_REPEATED = 10
"""Fewest answers given twice for which an annotator is called unsteady; among fewer, two changed answers may be
chance."""


@dataclass(frozen=True, slots=True)
class AnnotatorProgress:
    """Progress of one annotator: number of responses labelled, and agreement with other annotators and on repeats.

    Attributes:
        rater: The annotator's name.
        labelled: Number of responses labelled, once or more.
        declined: Number of answers "can't tell", over all criteria.
        repeated: Number of answers given a second time, on responses that were shown again.
        same: Number of second answers that equal the first answer.
        shared: Number of labels by other annotators on the annotator's first 5, 10, 15, … responses. Later responses
            count once there are five more, so that nobody can infer another annotator's answer from a change.
        agreed: Number of these labels that equal the annotator's own.
        seconds: Median time per response in seconds; None if times weren't recorded.
        last: The day of the last label, as written.
    """

    rater: str
    labelled: int
    declined: int
    repeated: int
    same: int
    shared: int
    agreed: int
    seconds: float | None
    last: str

    @property
    def is_unsteady(self) -> bool:
        """True if the annotator often answers differently when a response is shown again."""
        return self.repeated >= LEAST_REPEATED and self.same < STEADY_SHARE * self.repeated


@dataclass(frozen=True)
class Overview:
    """Progress of labelling a set of responses: counts of labelled responses, and each annotator's progress.

    Attributes:
        rubric: The rubric.
        responses: Number of responses in the pool.
        labelled: Number of responses that 0, 1, 2, … annotators have labelled, by the number of annotators.
        annotators: The progress of each annotator.
        next_labels: The labels that the verdict needs.
        pool: The file of the pool; None if the pool is the rubric's own examples.
        to_relabel: Sentence on the labels to give again after a rewording; None if there are none.
        of_rows: If each response brings its own criteria, a phrase on how many criteria have labels, and in how many
            tasks; else None.
        incomplete: Number of labelled responses on which an annotator left out a criterion.
        core: Name of the rubric that rows share; None without one.
        columns: What the columns of the pool mean.
    """

    rubric: Rubric
    responses: int
    labelled: dict[int, int]
    annotators: tuple[AnnotatorProgress, ...]
    next_labels: NextLabels
    pool: str | None = None
    to_relabel: str | None = None
    of_rows: str | None = None
    incomplete: int = 0
    core: str | None = None
    columns: ColumnOptions = ColumnOptions()

    @property
    def next_step(self) -> str | None:
        """Sentence that says what to label next; None if no labels are needed."""
        return self.next_labels.of(self.labelled.get(0, 0), self.pool) or self.to_relabel


def overview_of(
    named: str, here: Path, pool: Path | None, core: str | None = None, columns: ColumnOptions = ColumnOptions()
) -> Overview:
    """Make the overview of labelling a rubric's own examples, or the responses of another file.

    Args:
        named: Name or file of the rubric; or a file whose rows have their own criteria.
        here: The working directory.
        pool: The other file; None for the rubric's own examples.
        core: Name or file of the rubric that rows share, if `named` is a file of rows; None without one.
        columns: What the columns of the other file mean.

    Raises:
        UsageError: The rubric isn't found.
        RatingError: A file can't be read, or there are no examples.
    """
    source = find_rubric(named, here)
    rows = rows_named(source, here, core, every=False)
    rubric = load_rubric(source) if rows is None else rows.rubric
    folder = calibration_folder(rubric.name, here)
    responses = read_pool(pool or examples_file(folder), rubric, columns) if rows is None else rows.pool
    of_folder = ratings_in(folder / RATINGS_FOLDER, rubric, may_be_stale=rows is not None)
    if rows is not None:
        of_folder = [rating for rating in of_folder if rating.criteria]
    ids = [example.id for example in responses.examples]
    ratings = [r for r in (*responses.labels, *of_folder) if r.kind == "human"]
    first = first_labels([rating for rating in ratings if rating.id in set(ids)], rubric)
    raters = dict.fromkeys(rating.rater for rating in first)
    counts = dict.fromkeys(ids, 0)
    for rating in first:
        counts[rating.id] += rows is None or rows.is_answered_in(rating)
    by_count = {n: list(counts.values()).count(n) for n in sorted(set(counts.values()))}
    together = rows is not None
    annotators = tuple(_annotator(rater, ratings, first, rubric, together=together) for rater in raters)
    own_examples = _own_examples(rubric, folder) if rows is None else ExampleSet(())
    is_done = rows is not None and all(counts.values())
    needed = NextLabels(None, CALIBRATE_ROWS) if is_done else next_labels(folder, rubric, own_examples)
    return Overview(
        rubric,
        len(ids),
        by_count,
        annotators,
        needed,
        pool=None if pool is None else str(pool),
        columns=columns,
        to_relabel=labels_to_give_again(carried_labels(own_examples, rubric)),
        of_rows=None if rows is None else rows.progress(first),
        core=core,
        incomplete=0 if rows is not None else _incomplete(first, rubric),
    )


def _incomplete(labels: Iterable[Rating], rubric: Rubric) -> int:
    """Count the responses with a label that has a level on some of the criteria, but not on all."""
    names = {criterion.name for criterion in rubric.criteria}
    return len({label.id for label in labels if label.criteria and not names <= label.criteria.keys()})


def next_labels_of(named: str, here: Path) -> NextLabels:
    """Return how many more labels the verdict on a rubric's judge needs, given the labels in its calibration folder.

    Args:
        named: Name or file of the rubric.
        here: The working directory.

    Raises:
        UsageError: The rubric isn't found.
        RatingError: A file can't be read.
    """
    rubric = load_rubric(find_rubric(named, here))
    folder = calibration_folder(rubric.name, here)
    return next_labels(folder, rubric, _own_examples(rubric, folder))


def _own_examples(rubric: Rubric, folder: Path) -> ExampleSet:
    """Read a rubric's examples with all labels; an empty set unless the folder has exactly one file of examples.

    Args:
        rubric: The rubric.
        folder: The rubric's calibration folder.
    """
    files = examples_files(folder)
    return load_examples(files[0], rubric, ratings=folder / RATINGS_FOLDER) if len(files) == 1 else ExampleSet(())


def _annotator(
    rater: str, ratings: Sequence[Rating], first: Sequence[Rating], rubric: Rubric, *, together: bool
) -> AnnotatorProgress:
    """Count an annotator's labels, how many the annotator gave again, and how many agree with other annotators.

    Args:
        rater: Name of the annotator.
        ratings: The labels of all annotators.
        first: The labels that each annotator gave first.
        rubric: The rubric.
        together: True to compare annotators on all criteria together, since each criterion occurs in few responses.
    """
    own_labels = {rating.id: rating for rating in first if rating.rater == rater}
    again = [rating for rating in ratings if rating.rater == rater and rating.sample == 1 and rating.id in own_labels]
    pairs = [
        ((rated.level, rated.declined), (first_rated.level, first_rated.declined))
        for rating in again
        for name, rated in rating.criteria.items()
        if (first_rated := own_labels[rating.id].criteria.get(name)) is not None
    ]
    step = 1 if together else AGREEMENT_STEP
    agreement = agreement_so_far(ratings, rubric, rater, list(own_labels), step=step)
    if sum(criterion.others for criterion in agreement) < AGREEMENT_STEP:
        agreement = []
    times = [rating.seconds for rating in own_labels.values() if rating.seconds is not None]
    return AnnotatorProgress(
        rater,
        len(own_labels),
        sum(rated.declined == "abstained" for rating in own_labels.values() for rated in rating.criteria.values()),
        len(pairs),
        sum(second == first for second, first in pairs),
        sum(criterion.others for criterion in agreement),
        sum(criterion.same for criterion in agreement),
        round(median(times), 1) if times else None,
        max((rating.at[:DAY] for rating in own_labels.values()), default=""),
    )


def view(overview: Overview) -> Document:
    """Render the progress of labelling as a document."""
    rows = tuple(
        (
            annotator.rater,
            str(annotator.labelled),
            str(annotator.declined),
            _share(annotator.same, annotator.repeated) + (" unsteady" if annotator.is_unsteady else ""),
            _share(annotator.agreed, annotator.shared),
            "–" if annotator.seconds is None else f"{annotator.seconds:g} s",
            annotator.last or "–",
        )
        for annotator in overview.annotators
    )
    headings = ("annotator", "labelled", "can't tell", "same twice", "agrees with others", "time each", "last label")
    spread = ", ".join(f"{n} by {counted(count, 'annotator')}" for count, n in overview.labelled.items() if count)
    notes = Notes((_ABOUT_COLUMNS,))
    labelled = "; ".join(filter(None, (spread or "none yet", overview.of_rows)))
    title = f"{overview.rubric.name}: {counted(overview.responses, 'response')}; labelled: {labelled}"
    left = overview.labelled.get(0, 0)
    head = "All of them are labelled."
    if left:
        head = f"{left} of {overview.responses} {'is' if left == 1 else 'are'} left to label."
    elif overview.incomplete:
        head = f"All of them are labelled, {overview.incomplete} not on every criterion."
    sentence = overview.next_step or "No more labels are needed."
    labels = overview.next_labels.labels
    sentence += f" {FOR_A_GATE}" if labels is not None and labels.more else ""
    callout = Callout("open" if overview.next_step else "good", head, sentence)
    return Document(title, "", (callout, *((Table(headings, rows), notes) if rows else ())), onward=_onward(overview))


def _onward(overview: Overview) -> tuple[str, str]:
    """Return the next step and its command: label what is left, label again, draw other outputs, or calibrate.

    If too few examples have two annotators, the next step is that a second annotator labels.
    """
    commands = commands_on_rows(overview.rubric, overview.core)
    labels = overview.next_labels.labels
    if overview.next_labels.to_second:
        return "Next", commands.label(SECOND_ANNOTATOR)
    if overview.to_relabel is not None and overview.next_step == overview.to_relabel:
        return "Next", commands.label(ANNOTATOR)
    if overview.incomplete and not overview.labelled.get(0, 0):
        return "Next, label what is left out", commands.label(ANNOTATOR)
    if labels is None or not labels.more:
        return "Next", commands.calibrate()
    pool = f"--pool {quote(overview.pool)}{overview.columns.as_import} " if overview.pool else ""
    left = overview.labelled.get(0, 0)
    return "Next", commands.label(f"{pool}{ANNOTATOR}") if left else commands.label_next(labels.more)


def json_of(overview: Overview) -> dict[str, Any]:
    """Return the overview as a dict with the keys of the JSON output."""
    annotators = [{**asdict(annotator), "unsteady": annotator.is_unsteady} for annotator in overview.annotators]
    labelled = {str(count): n for count, n in overview.labelled.items()}
    labels = overview.next_labels.labels
    return {
        "schema": 1,
        "rubric": overview.rubric.name,
        "responses": overview.responses,
        "labelled": labelled,
        "annotators": annotators,
        "labels_needed": None if labels is None else labels.more,
        "next_step": overview.next_step or "",
    }


def _share(part: int, whole: int) -> str:
    return f"{number(100 * part / whole, 0)}% of {whole}" if whole else "–"
