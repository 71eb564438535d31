"""Records of each use of held-out test labels and of examples used to tune, which are written next to the examples."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from markscheme.errors import RatingError
from markscheme.files import append_lines, exclusive, refuse_link, rewrite, set_aside_damaged_end
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.splits import OPENED, TUNED, Opening, Openings, labelling_digest, openings_of


def open_test_labels(
    examples: ExampleSet,
    *,
    by: str,
    at: str,
    alpha: Callable[[int], float] | None = None,
    wordings: tuple[str, ...] = (),
    judge: str | None = None,
    whole: bool = False,
    counts_apart: bool = False,
) -> tuple[ExampleSet, Openings]:
    """Record a use of the held-out (test) labels; return the held-out examples and all uses on record.

    Uses are counted and recorded one at a time, so that two processes never get the same number.

    Args:
        examples: All of the rubric's examples.
        by: The command that uses the labels.
        at: The day.
        alpha: Function that returns the significance level of a test of new wordings, given the number of the use;
            None for any other use.
        wordings: Fingerprints of the wordings that are tested.
        judge: Fingerprint of the judge that is asked by these wordings; None without one.
        whole: True to use all labels and return all examples.
        counts_apart: True for a use of other labels than those that test wordings, such as decisions on whole
            responses, so that it isn't counted with the tests.

    Raises:
        RatingError: No example is held out, or the record next to the examples can't be read or written.

    Warns: RatingWarning: The record ended in an incomplete line, which was moved to another file.
    """
    _set_aside(examples, OPENED)
    if openings_of(examples, whole=whole) is None:
        raise RatingError('keeps no example back: none has `"split": "test"`', path=examples.path)
    with _alone(examples, OPENED):
        before = openings_of(examples, whole=whole)
        assert before is not None  # the set is the one that was checked
        level = None if alpha is None else alpha(before.of_these + 1)
        is_decided = not wordings
        opening = Opening(
            at,
            by,
            before.labels,
            before.n,
            level,
            wordings,
            judge,
            decided=is_decided,
            levels=before.levels,
            counts_apart=counts_apart,
        )
        _append(examples, OPENED, opening.to_json())
    return examples.part("all" if whole else "test"), before._replace(all=(*before.all, opening))


def record_decision(examples: ExampleSet, opening: Opening, adopted: str | None) -> None:
    """Complete the record of a test of new wordings with its result: the wording that was adopted, if any.

    Args:
        examples: All of the rubric's examples.
        opening: The recorded use of the labels for this test.
        adopted: Fingerprint of the wording that was adopted; None if none was.

    Raises:
        RatingError: The record can't be written, or doesn't have this use of the labels.
    """
    path = _record(examples, OPENED)
    begun = opening.to_json()
    answer = opening._replace(adopted=adopted, decided=True).to_json()

    def answered(text: str) -> str:
        lines = text.split("\n")
        entries = [json.loads(line) if line.strip() else None for line in lines]
        if begun not in entries:
            if answer in entries:  # another process has run the same test to its end
                return text
            raise ValueError("its look isn't on record")
        at = len(entries) - 1 - entries[::-1].index(begun)
        return "\n".join([*lines[:at], json.dumps(answer, ensure_ascii=False), *lines[at + 1 :]])

    try:
        with _alone(examples, OPENED):  # who counts looks holds the file itself, so it may not be replaced meanwhile
            rewrite(path, answered, follow=False)
    except (OSError, ValueError) as error:
        raise RatingError(f"has no place for the answer of this test: {error}", path=path) from error


def record_tuning(examples: ExampleSet, ids: Iterable[str], changed: Mapping[str, Any], *, at: str) -> None:
    """Record that the labels of these examples were used to tune the rubric's weights or pass mark.

    Args:
        examples: The rubric's examples.
        ids: Ids of the examples whose labels were used.
        changed: The new weights or pass mark, by key.
        at: The day.

    Raises:
        RatingError: The record next to the examples can't be written.

    Warns: RatingWarning: The record ended in an incomplete line, which was moved to another file.
    """
    _set_aside(examples, TUNED)
    moved = sorted(ids)
    _append(examples, TUNED, {"at": at, "labels": labelling_digest(examples), "changed": dict(changed), "ids": moved})


def _set_aside(examples: ExampleSet, name: str) -> None:
    if examples.path is not None:
        with suppress(OSError):  # the next read or append names the file that can't be read or written
            set_aside_damaged_end(examples.path.parent / name)


def _record(examples: ExampleSet, name: str) -> Path:
    if examples.path is None:
        raise RatingError("examples that came from no file have no place for a record of who looked at them")
    return examples.path.parent / name


@contextmanager
def _alone(examples: ExampleSet, name: str) -> Iterator[None]:
    """Lock a record (of uses of test labels, or of examples used to tune), so that no other process appends meanwhile.

    Args:
        examples: The examples, next to whose file the record is.
        name: Name of the record's file.

    Raises:
        RatingError: The record can't be opened.
    """
    path = _record(examples, name)
    with ExitStack() as stack:
        try:
            refuse_link(path)
            stack.enter_context(exclusive(path, busy=lambda: None))
        except OSError as error:
            raise RatingError(f"cannot be written, and a look must be on record: {error}", path=path) from error
        yield


def _append(examples: ExampleSet, name: str, line: Mapping[str, Any]) -> None:
    path = _record(examples, name)
    try:
        append_lines(path, [line], follow=False)
    except OSError as error:
        raise RatingError(f"cannot be written, and a look must be on record: {error}", path=path) from error
