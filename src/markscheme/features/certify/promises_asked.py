"""Record of the promises tested by `certify`; each further promise on the same labels halves the significance level."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from markscheme.errors import RatingError, RatingWarning
from markscheme.features.certify.promise import Promise
from markscheme.files import append_lines, exclusive, refuse_link, set_aside_damaged_end
from markscheme.plain_data import json_lines
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.splits import labelling_digest
from markscheme.shipped import shipped

ASKS = "asks.jsonl"


@contextmanager
def recording_promise(
    examples: ExampleSet, promise: Promise, judges: str, *, at: str
) -> Iterator[tuple[int, Callable[[], None]]]:
    """Yield, under a lock, how many other promises were tested on these labels, and a function to record this promise.

    A promise that was tested before isn't counted as another one. For a set of labels that comes with the package, or
    that has no file, no promise is recorded.

    Args:
        examples: The examples whose labels the promise is tested on.
        promise: The promise.
        judges: The judges that decide, as they were named.
        at: The day of the test.

    Yields:
        The number of other promises, and a function that records this one, to be called once it is tested.

    Raises:
        RatingError: The record can't be read.

    Warns:
        RatingWarning: The record can't be written, so this promise won't count for later ones.
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
        line_of_promise = _as_asked(promise, judges)
        line = {"at": at, "labels": labels, **line_of_promise}

        def record() -> None:
            if line_of_promise in earlier:
                return
            try:
                append_lines(path, [line], follow=False)
            except OSError as error:
                why = error.strerror or error
                warnings.warn(f"{path}: this promise is not recorded: {why}", RatingWarning, stacklevel=2)

        yield earlier.index(line_of_promise) if line_of_promise in earlier else len(earlier), record


def _as_asked(promise: Promise, judges: str) -> dict[str, Any]:
    """Return the dict that identifies a promise in the record of tested promises."""
    return {
        "judge": judges,
        "side": promise.side,
        "signal": "cascade",
        "error": promise.error,
        "confidence": promise.confidence,
        "of": "" if promise.wrong_passes is None else f"wrong passes {promise.wrong_passes:g}",
    }


def _asked_of(path: Path, labels: str) -> list[dict[str, Any]]:
    """Return the distinct promises on record for a set of labels, in the order in which they were tested.

    Args:
        path: The file of the record; it may be missing.
        labels: Digest of the labels that the promises were tested on.
    """
    if not path.is_file():
        return []
    asks: list[dict[str, Any]] = []
    for line_number, line in json_lines(path, RatingError):
        if not isinstance(line, dict) or not {"labels", "judge", "side", "signal", "error"} <= line.keys():
            raise RatingError(
                "a line of this record has labels, judge, side, signal, error", path=path, line=line_number
            )
        ask = {key: line.get(key, "") for key in _as_asked(Promise(), "")}
        if line["labels"] == labels and ask not in asks:
            asks.append(ask)
    return asks
