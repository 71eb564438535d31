"""The record of promises that `tune` was asked for: each further one on the same labels has half the level."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markscheme.errors import RatingError, RatingWarning
from markscheme.files import append_lines, exclusive, refuse_link, set_aside_damaged_end
from markscheme.plain_data import json_lines
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.splits import labelling_digest
from markscheme.shipped import shipped

ASKS = "asks.jsonl"


@dataclass(frozen=True, slots=True)
class PromiseAsked:
    """A promise about a judge's automatic decisions, as it was asked for.

    Attributes:
        judge: Who decides.
        side: Which decisions may be automatic: both, passes, fails, or each.
        signal: What ranks them: a distance from the pass mark, or votes.
        error: The largest share of errors.
        confidence: Confidence of the promise, for the first promise that is asked for.
        of: Which decisions the errors are counted among: automatic, all, or "" for whichever the labels allow.
    """

    judge: str
    side: str
    signal: str
    error: float
    confidence: float
    of: str = ""

    def to_json(self) -> dict[str, Any]:
        """The part of a line of the record that says which promise it is."""
        return {
            "judge": self.judge,
            "side": self.side,
            "signal": self.signal,
            "error": self.error,
            "confidence": self.confidence,
            "of": self.of,
        }


@contextmanager
def asking(examples: ExampleSet, ask: PromiseAsked, *, at: str) -> Iterator[tuple[int, Callable[[], None]]]:
    """How many other promises were asked of the same labels before, and what records this one; others wait.

    The same promise asked again isn't another. Nothing is recorded for a set that comes with the package, or that came
    from no file.

    Args:
        examples: The labels that are tested.
        ask: The promise.
        at: The day.

    Yields:
        The number, and a function that records the promise, to be called once it is tested.

    Raises:
        RatingError: The record can't be read.

    Warns:
        RatingWarning: The record can't be written, so a later promise won't know of this one.
    """
    path = None if examples.path is None else examples.path.parent / ASKS
    if path is None or path.resolve().is_relative_to(shipped("calibration").resolve()):
        yield 0, lambda: None
        return
    with ExitStack() as stack:
        try:
            refuse_link(path)
            if path.is_file():
                set_aside_damaged_end(path)
                stack.enter_context(exclusive(path, busy=lambda: None))
        except OSError as error:
            warnings.warn(f"{path}: promises are not recorded: {error.strerror or error}", RatingWarning, stacklevel=3)
            yield 0, lambda: None
            return
        labels = labelling_digest(examples)
        earlier = _asked_of(path, labels)
        line = {"at": at, "labels": labels, **ask.to_json()}

        def record() -> None:
            if ask.to_json() in earlier:
                return
            try:
                append_lines(path, [line], follow=False)
            except OSError as error:
                why = error.strerror or error
                warnings.warn(f"{path}: this promise is not recorded: {why}", RatingWarning, stacklevel=2)

        place = earlier.index(ask.to_json()) if ask.to_json() in earlier else len(earlier)
        yield place, record


def _asked_of(path: Path, labels: str) -> list[dict[str, Any]]:
    """The promises on record for these labels, each once, in order."""
    if not path.is_file():
        return []
    asks: list[dict[str, Any]] = []
    for number, line in json_lines(path, RatingError):
        if not isinstance(line, dict) or not {"labels", "judge", "side", "signal", "error"} <= line.keys():
            raise RatingError("a line of this record has labels, judge, side, signal, error", path=path, line=number)
        ask = {key: line.get(key, "") for key in PromiseAsked("", "", "", 0.0, 0.0).to_json()}
        if line["labels"] == labels and ask not in asks:
            asks.append(ask)
    return asks
