"""Writes what a discovery leads to: a rubric of the modes that people confirmed, labelled outputs, and labels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

from markscheme.calibration.wanted_labels import planned_labels
from markscheme.errors import UsageError, writing
from markscheme.features.discover.draft import (
    Draft,
    added_to,
    confirmed_modes,
    draft_of,
    labelled_examples,
    ratings_of,
)
from markscheme.features.discover.open_discovery import OpenedDiscovery
from markscheme.features.discover.unread import examples_to_label
from markscheme.files import append_lines, write_whole
from markscheme.options.in_force import with_reading_options
from markscheme.ratings.additions import additions_to, new_examples, responses_in
from markscheme.ratings.examples import RATINGS_FOLDER
from markscheme.ratings.gold import no_gold
from markscheme.ratings.rating import Rating
from markscheme.ratings.wordings import record_words
from markscheme.rubrics.advice import Advice, advice
from markscheme.rubrics.rubric import Rubric
from markscheme.rubrics.search import POOL


class NothingConfirmed(UsageError):  # noqa: N818 - reads as the sentence it is
    """Error raised when a rubric is to be written but no person has confirmed a failure mode."""


@dataclass(frozen=True)
class Written:
    """The files that were written at the end of a discovery, a rubric and labels.

    Attributes:
        rubric: The rubric.
        path: Path of the rubric's file.
        is_new: True if the file is new; False if failure modes were added to it, or if it had them all.
        draft: The draft of the rubric; None if the rubric had all modes already.
        advice: Advice of `lint` on the rubric.
        examples: Number of outputs added to the examples.
        held_out: Number of examples that nobody has read, which are held out to test the rubric.
        labels: Number of labels given, by rater.
        advised_labels: Number of labels to give on outputs that nobody has read, for a verdict; None if it isn't known.
    """

    rubric: Rubric
    path: Path
    is_new: bool
    draft: Draft | None
    advice: tuple[Advice, ...]
    examples: int
    held_out: int
    labels: Mapping[str, int]
    advised_labels: int | None

    @property
    def commands(self) -> tuple[str, ...]:
        """The commands that the user should run next."""
        name = quote(self.rubric.name)
        count = f" --next {self.advised_labels}" if self.advised_labels else ""
        pool = "" if self.held_out else f" --pool {POOL}{count}"
        return (
            f"markscheme lint {name}",
            with_reading_options(f"markscheme label {name}{pool}"),
            with_reading_options(f"markscheme calibrate {name} --judge JUDGE"),
        )


def write_rubric(opened: OpenedDiscovery, here: Path, day: str, *, replaces: bool = False) -> Written:
    """Write the rubric drafted from a discovery, and the files with its first examples and labels.

    Args:
        opened: The discovery.
        here: The working directory; the rubric is written to its folder `rubrics/`.
        day: Today's date, in the form that labels have.
        replaces: True to replace an existing rubric, False to add the failure modes that it lacks.

    Raises:
        NothingConfirmed: No mode is ready to become a criterion.
        RubricError: The drafted text isn't a valid rubric; nothing is written.
    """
    outputs = opened.outputs()
    if not confirmed_modes(outputs):
        raise NothingConfirmed(
            "no person has confirmed a mode yet: put notes into modes and define them, on the page or with "
            "`--assign FILE --kind human --rater NAME`"
        )
    path = here / "rubrics" / f"{opened.folder.name}.yaml"
    is_new = opened.rubric is None or replaces
    draft: Draft | None
    if opened.rubric is None or replaces:
        try:
            draft = draft_of(opened.folder.name, outputs, opened.pool.materials, opened.pool.inputs)
        except UsageError as error:
            raise NothingConfirmed(str(error)) from error
        rubric = draft.rubric
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, draft.text)
    else:
        path = opened.rubric.source or path
        draft = _added(path, opened)
        rubric = opened.rubric if draft is None else draft.rubric
        if draft is not None and draft.edit is not None:
            draft.edit.write()
    labels = ratings_of(outputs, rubric)
    n_examples = _add_examples(opened, labels, rubric)
    counts = _add_labels(opened, labels, rubric, day)
    planned = planned_labels(no_gold(rubric), None, rubric.target, has_fails=rubric.has_gate_question)
    more = planned.labels.more if planned.labels is not None else None
    held_out = len(opened.unread)
    return Written(rubric, path, is_new, draft, tuple(advice(rubric)), n_examples, held_out, counts, more)


def _added(path: Path, opened: OpenedDiscovery) -> Draft | None:
    """Return the edit that adds missing failure modes to an existing rubric as criteria; None if none is missing."""
    assert opened.rubric is not None
    try:
        return added_to(path, opened.rubric, opened.outputs(), opened.pool.materials)
    except UsageError:
        return None


def _add_examples(opened: OpenedDiscovery, labels: Sequence[Rating], rubric: Rubric) -> int:
    """Add the outputs that were read or are held out to the rubric's examples; return how many are new."""
    path = opened.folder.path / "examples.jsonl"
    examples = labelled_examples(opened.outputs(), opened.pool.examples, labels, rubric)
    examples = examples_to_label(opened.outputs(), opened.pool.examples, examples, opened.unread)
    new = new_examples(path, examples, responses_in(path), "what was read")
    if new:
        with writing(path):
            append_lines(path, [example.to_json(path.parent) for example in new], follow=False)
    return len(new)


def _add_labels(opened: OpenedDiscovery, labels: Sequence[Rating], rubric: Rubric, day: str) -> dict[str, int]:
    """Add labels to their raters' files; return how many labels are new or changed, by rater.

    Args:
        opened: The discovery.
        labels: The labels.
        rubric: The rubric of the labels.
        day: Today's date, with which the rubric's wording is recorded.
    """
    with_text = set(opened.pool.examples)
    by_rater: dict[str, list[Rating]] = {}
    for label in labels:
        if label.id in with_text:
            by_rater.setdefault(label.rater, []).append(label)
    counts = {}
    for rater, ratings in by_rater.items():
        path = opened.folder.path / RATINGS_FOLDER / f"{rater}.jsonl"
        added = additions_to(path, ratings, rubric).ratings if path.is_file() else tuple(ratings)
        if added:
            with writing(path):
                path.parent.mkdir(parents=True, exist_ok=True)
                append_lines(path, [rating.to_json() for rating in added], follow=False)
        counts[rater] = len(added)
    if labels:
        record_words(opened.folder.path, rubric, day)
    return counts
