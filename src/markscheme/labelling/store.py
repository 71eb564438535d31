"""One rater's file of labels: appended to, on disk before anything else happens, held against the same rater twice."""

import fcntl
import json
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from markscheme.errors import MarkschemeError, UsageError
from markscheme.labelling.order import Step
from markscheme.plain_data import append_lines, keep_entry
from markscheme.ratings.rating import Kind, Rating, load_ratings
from markscheme.rubrics.rubric import Rubric

RATER = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


@dataclass
class LabelFile:
    """The labels of one rater in `ratings/<rater>.jsonl`; later lines say what counts.

    Attributes:
        path: The file.
        rater: Whose it is.
        kind: What they label as.
        lock: Held open as long as this process may write.
        given: What counts, in the order it was given.
        withdrawn: What was taken back last, until something is given.
        mended: The half line that a power cut left and that was cut off; "" where there was none.
    """

    path: Path
    rater: str
    kind: Kind
    lock: TextIO = field(repr=False)
    given: dict[Step, Rating] = field(default_factory=dict)
    withdrawn: Rating | None = None
    mended: str = ""

    @classmethod
    def open(cls, folder: Path, rater: str, kind: Kind, rubric: Rubric) -> "LabelFile":
        """A rater's file, with all that was given before.

        Args:
            folder: `calibration/<rubric>/ratings`; made where it isn't there.
            rater: A name that can be a file's.
            kind: "human" or "adjudicated".
            rubric: Whose criteria and scales the labels are held to.

        Raises:
            UsageError: A name that can't be a file's or a judge's; the same rater labels elsewhere already.
            RatingError: Lines in the file that are no ratings.
        """
        if not RATER.fullmatch(rater):
            raise UsageError(
                f"--rater is a name of letters, digits, dot, dash and underscore, up to 64; found {rater!r}"
            )
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{rater}.jsonl"
        found = cls(path, rater, kind, _alone(path, rater))
        keep_entry(folder)
        found.mended = _mend(path)
        try:
            found._take(load_ratings(path, rubric, kind="human"))
        except MarkschemeError:
            found.close()
            raise
        return found

    def _take(self, ratings: list[Rating]) -> None:
        own = [rating for rating in ratings if rating.rater == self.rater]
        others = {rating.kind for rating in own} - {"human", "adjudicated"}
        if others:
            raise UsageError(f"{self.path} holds ratings of kind {', '.join(others)}; label under another --rater")
        self.given = {Step(r.id, r.sample): r for r in own if r.kind == self.kind}

    def give(self, rating: Rating) -> None:
        """Keep a label; on disk when this returns."""
        append_lines(self.path, [rating.to_json()])
        step = Step(rating.id, rating.sample)
        self.given.pop(step, None)
        self.given[step] = rating
        self.withdrawn = None

    def withdraw(self, step: Step, at: str) -> None:
        """Take a label back; on disk when this returns."""
        taken = Rating(step.id, self.rater, self.kind, sample=step.sample, at=at)
        line: dict[str, Any] = {**taken.to_json(), "withdrawn": True}
        append_lines(self.path, [line])
        self.withdrawn = self.given.pop(step)

    def close(self) -> None:
        """Let others write."""
        self.lock.close()


def _alone(path: Path, rater: str) -> TextIO:
    lock = path.open("a")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        lock.close()
        raise UsageError(
            f"{rater} is labelling already, in another window; go on there, or name another --rater"
        ) from error
    return lock


def _mend(path: Path) -> str:
    """Cut off the half line that a power cut may leave; nobody was told that it was kept."""
    raw = path.read_bytes()
    half = raw[raw.rfind(b"\n") + 1 :]
    try:
        json.loads(half or b"{}")
    except ValueError:
        os.truncate(path, len(raw) - len(half))
        return half.decode("utf-8", "replace")
    return ""
