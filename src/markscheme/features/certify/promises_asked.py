"""Record of the promises tested by `certify`; each further promise on some of the same labels has half the level.

A promise that is tested again after labels were added or corrected is another promise: with a look at the full level
after every 10 labels up to 200, a promise broke in .29 of draws instead of .10. So is one about other verdicts by a
judge of the same name, such as those by another wording of the rubric.
"""

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from markscheme.calibration.recorded_trials import example_digests
from markscheme.errors import RatingError, RatingWarning
from markscheme.features.certify.candidates import StageCandidate
from markscheme.features.certify.certificate_file import CERTAINTY_ROUNDING
from markscheme.features.certify.promise import Promise
from markscheme.features.certify.ranked_decisions import RankedDecisions
from markscheme.files import append_lines, exclusive, refuse_link, set_aside_damaged_end
from markscheme.fingerprint import fingerprint
from markscheme.plain_data import json_lines
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.splits import labelling_digest
from markscheme.rubrics.rubric import Rubric
from markscheme.shipped import shipped

ASKS = "asks.jsonl"


class _PromiseTurn(NamedTuple):
    """Position of a promise (a limit on wrong decisions) among those tested on some of the same labels.

    Attributes:
        further: Number of other promises that were tested before this one.
        on_record: Number of promises on record that were tested on some of the same labels.
        record: Function that records this promise, to be called once it is tested; None if it is on record already, or
            if no promises are recorded for these labels.
    """

    further: int = 0
    on_record: int = 0
    record: Callable[[], None] | None = None


@contextmanager
def recording_promise(
    examples: ExampleSet, promise: Promise, judges: str, decisions: str, *, at: str
) -> Iterator[_PromiseTurn]:
    """Yield, under a lock, the promise's turn: how many promises were tested before it, and a function that records it.

    An earlier promise counts if it was tested on any of the same labelled examples. If a promise is tested again on the
    same decisions and labels, its turn is that of its first test. For labels that come with the package, or from no
    file, nothing is recorded.

    Args:
        examples: The examples whose labels the promise is tested on.
        promise: The promise.
        judges: The judges that decide, as they were named.
        decisions: Digest of their decisions (`digest_of_decisions`).
        at: The day of the test.

    Raises:
        RatingError: The record can't be read.

    Warns:
        RatingWarning: The record can't be written, so this promise won't count for later ones.
    """
    path = None if examples.path is None else examples.path.parent / ASKS
    if path is None or path.resolve().is_relative_to(shipped("calibration").resolve()):
        yield _PromiseTurn()
        return
    with ExitStack() as stack:
        try:
            refuse_link(path)
            if path.is_file():
                set_aside_damaged_end(path)
                stack.enter_context(exclusive(path, busy=lambda: None))
        except OSError as error:
            warnings.warn(f"{path}: promises are not recorded: {error.strerror or error}", RatingWarning, stacklevel=3)
            yield _PromiseTurn()
            return
        labelled = example_digests(example.id for example in examples.labelled.examples)
        tested = {"labels": labelling_digest(examples), "decisions": decisions, **_as_asked(promise, judges)}
        earlier = _tested_on(path, tested["labels"], labelled)

        def record() -> None:
            try:
                append_lines(path, [{"at": at, **tested, "examples": sorted(labelled)}], follow=False)
            except OSError as error:
                why = error.strerror or error
                warnings.warn(f"{path}: this promise is not recorded: {why}", RatingWarning, stacklevel=2)

        if tested in earlier:
            yield _PromiseTurn(earlier.index(tested), len(earlier))
        else:
            yield _PromiseTurn(len(earlier), len(earlier), record)


def digest_of_decisions(rubric: Rubric, candidates: Sequence[StageCandidate], examples: ExampleSet) -> str:
    """Return a digest of each judge's decisions on the labelled examples, with their certainty.

    By it, a promise that is tested again on the same decisions is recognized.

    Args:
        rubric: The rubric as it is today.
        candidates: The judges with their ratings, in the order in which they are asked.
        examples: The labelled examples, in any order.
    """
    ids = sorted(example.id for example in examples.labelled.examples)
    ranked = (RankedDecisions.of(candidate.ratings, rubric, ids) for candidate in candidates)
    return fingerprint(
        *(
            str(
                (
                    decisions.signal,
                    np.round(decisions.certainty, CERTAINTY_ROUNDING).tolist(),
                    decisions.passes.tolist(),
                )
            )
            for decisions in ranked
        )
    )


def _as_asked(promise: Promise, judges: str) -> dict[str, Any]:
    """Return the dict that identifies a promise (a limit on wrong decisions) in the record of tested promises.

    Args:
        promise: The promise.
        judges: Names of the judges whose decisions the promise is about.
    """
    return {
        "judge": judges,
        "side": promise.side,
        "signal": "cascade",
        "error": promise.error,
        "confidence": promise.confidence,
        "of": "" if promise.wrong_passes is None else f"wrong passes {promise.wrong_passes:g}",
    }


def _tested_on(path: Path, labels: str, labelled: frozenset[str]) -> list[dict[str, Any]]:
    """Return the distinct promises on record that were tested on any of the labelled examples, the earliest first.

    A promise is a dict, which includes the digest of the labels that it was tested on.

    Args:
        path: The file of the record, a line for each test; it may be missing.
        labels: Digest of all labels of today. A line that doesn't name the examples of its test counts if it has this
            digest.
        labelled: Digests of the ids of the labelled examples. A line that names one of them counts.
    """
    if not path.is_file():
        return []
    promises: list[dict[str, Any]] = []
    for line_number, line in json_lines(path, RatingError):
        if not isinstance(line, dict) or not {"labels", "judge", "side", "signal", "error"} <= line.keys():
            raise RatingError(
                "a line of this record has labels, judge, side, signal, error", path=path, line=line_number
            )
        tested = {key: line.get(key, "") for key in ("labels", "decisions", *_as_asked(Promise(), ""))}
        named = line.get("examples")
        is_shared = isinstance(named, list) and any(isinstance(id, str) and id in labelled for id in named)
        if (is_shared or line["labels"] == labels) and tested not in promises:
            promises.append(tested)
    return promises
