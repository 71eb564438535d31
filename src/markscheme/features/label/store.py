"""One rater's file of labels: each label is appended as a line, by one process at a time."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from markscheme.errors import UsageError, writing
from markscheme.features.label.label_order import Step
from markscheme.files import set_aside_damaged_end, sync_folder, writing_lock
from markscheme.plain_data import append_readable
from markscheme.ratings.codes import load_ratings
from markscheme.ratings.kinds import Kind
from markscheme.ratings.rating import Rating, RatingReader, corrected
from markscheme.ratings.wordings import on_criteria, reworded_in, without_known_words
from markscheme.rubrics.rubric import Rubric
from markscheme.text import path_component


def load_labels(path: Path, rubric: Rubric, *, may_be_stale: bool) -> Sequence[Rating]:
    """Load the labels in a rater's file.

    Args:
        path: The file.
        rubric: The rubric that the labels are checked against.
        may_be_stale: True to leave out labels on criteria that the rubric doesn't have, as when rows of data brought
            other criteria earlier.

    Raises:
        RatingError: A line in the file isn't a rating.
    """
    if not may_be_stale:
        return load_ratings(path, rubric, kind="human")
    names = {criterion.name for criterion in rubric.criteria}
    return load_ratings(path, rubric, kind="human", interpreted=partial(on_criteria, names))


@dataclass
class LabelFile:
    """File with the labels of one rater, `ratings/<rater>.jsonl`, in which a later line replaces an earlier one.

    Attributes:
        path: The file.
        rater: Name of the rater.
        kind: Kind of the rater's ratings.
        reader: Reader of the file's lines, which also checks each line before it is written.
        lock: The lock on the file, held as long as this process may write to it.
        may_be_stale: True if the file may have labels on criteria that the rubric doesn't have, which are then left
            out.
        labels: The current labels, in the order in which they were given.
    """

    path: Path
    rater: str
    kind: Kind
    reader: RatingReader = field(repr=False)
    lock: ExitStack = field(repr=False)
    may_be_stale: bool = False
    labels: dict[Step, Rating] = field(default_factory=dict)

    @classmethod
    def open(cls, folder: Path, rater: str, kind: Kind, rubric: Rubric, *, may_be_stale: bool = False) -> "LabelFile":
        """Open a rater's file, with the labels given before.

        Args:
            folder: The folder `calibration/<rubric>/ratings`, which is made if it doesn't exist.
            rater: Name of the rater, which must be possible as a file's name.
            kind: "human" or "adjudicated".
            rubric: The rubric that the labels are checked against.
            may_be_stale: True to leave out labels on criteria that the rubric doesn't have.

        Raises:
            UsageError: The name can't be that of a file or is a judge's, the rater is labelling already, or the file
                can't be written.
            RatingError: A line in the file isn't a rating.

        Warns: RatingWarning: The file ended in an incomplete line, which was moved to another file.
        """
        path = folder / f"{path_component(rater, '--rater')}.jsonl"
        with writing(path):
            folder.mkdir(parents=True, exist_ok=True)
            file = cls(path, rater, kind, RatingReader(rubric), writing_lock(path, rater), may_be_stale)
        sync_folder(folder)
        try:
            with writing(path):
                set_aside_damaged_end(path)
            reworded = reworded_in(folder.parent, rubric.criteria)
            ratings = load_labels(path, rubric, may_be_stale=may_be_stale)
            file._take([without_known_words(rating, reworded) for rating in ratings])
        except BaseException:
            file.close()
            raise
        return file

    def _take(self, ratings: Sequence[Rating]) -> None:
        own_ratings = [rating for rating in ratings if rating.rater == self.rater]
        others = {rating.kind for rating in own_ratings} - {"human", "adjudicated"}
        if others:
            raise UsageError(f"{self.path} holds ratings of kind {', '.join(others)}; label under another --rater")
        self.labels = {Step(r.id, r.sample): r for r in own_ratings if r.kind == self.kind}

    def give(self, rating: Rating) -> None:
        """Append a label to the file; it is on disk when this returns."""
        self._append(rating.to_json())
        step = Step(rating.id, rating.sample)
        earlier = self.labels.pop(step, None)
        self.labels[step] = rating if earlier is None else corrected(earlier, rating)

    def withdraw(self, step: Step, at: str) -> None:
        """Append a line that withdraws a response's label; it is on disk when this returns.

        Args:
            step: The step at which the label was given.
            at: The time of the withdrawal.
        """
        taken = Rating(step.id, self.rater, self.kind, sample=step.sample, at=at)
        line: dict[str, Any] = {**taken.to_json(), "withdrawn": True}
        self._append(line)
        self.labels.pop(step, None)

    def _append(self, line: Mapping[str, Any]) -> None:
        append_readable(self.path, [line], self.reader.rating)

    def close(self) -> None:
        """Release the lock, so that other processes can write to the file; delete the file if it has no label."""
        if self.path.is_file() and not self.path.stat().st_size:
            self.path.unlink()
        self.lock.close()
