"""Labels kept back: who opened the test split and when, and which examples have moved the rubric's numbers already."""

import hashlib
import json
import warnings
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

from markscheme.errors import RatingError, RatingWarning, refuse_lines
from markscheme.files import append_lines, set_aside_damaged_end
from markscheme.plain_data import json_lines
from markscheme.ratings.examples import ExampleSet

OPENED = "opened.jsonl"
TUNED = "tuned.jsonl"


@dataclass(frozen=True, slots=True)
class Opening:
    """One look at test labels.

    Attributes:
        at: The day, as 2026-11-02.
        by: The command that looked.
        labels: Digest of the labels it saw.
        n: How many examples had them.
    """

    at: str
    by: str
    labels: str
    n: int


@dataclass(frozen=True, slots=True)
class Openings:
    """All looks at the test labels of one set, in order.

    Attributes:
        all: Every look on record.
        labels: Digest of the labels as they are now; looks at these very labels count as such.
        n: Examples with test labels now.
    """

    all: tuple[Opening, ...]
    labels: str
    n: int

    @property
    def of_these(self) -> int:
        """How many looks saw just these labels."""
        return sum(opening.labels == self.labels for opening in self.all)

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "opened": len(self.all),
            "opened_unchanged": self.of_these,
            "first": self.all[0].at if self.all else None,
            "last": self.all[-1].at if self.all else None,
            "labels": self.labels,
            "n": self.n,
        }


def labelling_digest(examples: ExampleSet) -> str:
    """A digest of who labelled which example how, in any order: "sha256:" and 64 digits."""
    lines = sorted(
        json.dumps([example.id, label.to_json()], sort_keys=True, ensure_ascii=False)
        for example in examples.examples
        for label in example.labels
    )
    return "sha256:" + hashlib.sha256("\n".join(lines).encode()).hexdigest()


def openings_of(examples: ExampleSet) -> Openings | None:
    """How often the test labels of a set were looked at; None where it keeps none back.

    Args:
        examples: The whole set.

    Raises:
        RatingError: The record next to the examples can't be read.
    """
    if not any(example.split == "test" for example in examples.examples):
        return None
    test = examples.part("test")
    lines = _lines(examples, OPENED, {"at": str, "by": str, "labels": str, "n": int})
    past = tuple(Opening(one["at"], one["by"], one["labels"], one["n"]) for one in lines)
    return Openings(past, labelling_digest(test), len(test.labelled.examples))


def open_test_labels(examples: ExampleSet, *, by: str, at: str) -> tuple[ExampleSet, Openings]:
    """The test part of a set, after noting on record that its labels were looked at.

    Args:
        examples: The whole set.
        by: The command that looks.
        at: The day.

    Raises:
        RatingError: No example is kept back, or the record next to the examples can't be read or written.

    Warns:
        RatingWarning: Half a line at the end of the record was set aside.
    """
    _set_aside(examples, OPENED)
    before = openings_of(examples)
    if before is None:
        raise RatingError('keeps no example back: none has `"split": "test"`', path=examples.path)
    now = Opening(at, by, before.labels, before.n)
    _append(examples, OPENED, asdict(now))
    return examples.part("test"), Openings((*before.all, now), before.labels, before.n)


def used_to_tune(examples: ExampleSet) -> frozenset[str]:
    """Ids of the examples whose labels moved numbers that were then written to the rubric.

    Args:
        examples: The whole set.

    Raises:
        RatingError: The record next to the examples can't be read.
    """
    lines = _lines(examples, TUNED, {"ids": list})
    return frozenset(str(id) for line in lines for id in line["ids"])


def record_tuning(examples: ExampleSet, ids: Iterable[str], changed: Mapping[str, Any], *, at: str) -> None:
    """Put on record that these examples' labels moved the rubric's numbers.

    Raises:
        RatingError: The record next to the examples can't be written.

    Warns:
        RatingWarning: Half a line at the end of the record was set aside.
    """
    _set_aside(examples, TUNED)
    moved = sorted(ids)
    _append(examples, TUNED, {"at": at, "labels": labelling_digest(examples), "changed": dict(changed), "ids": moved})


def warn_of_split_groups(examples: ExampleSet) -> None:
    """Warn of groups that stand on both sides of a split: what is held out of one is then known from the other."""
    parts: dict[str, set[str]] = {}
    for example in examples.examples:
        if example.group and example.split:
            parts.setdefault(example.group, set()).add(example.split)
    both = sorted(group for group, splits in parts.items() if len(splits) > 1)
    if both:
        named = ", ".join(both[:5]) + (", …" if len(both) > 5 else "")
        problem = f"{len(both)} groups stand in dev and in test, so test isn't kept back from dev: {named}"
        warnings.warn(str(RatingError(problem, path=examples.path)), RatingWarning, stacklevel=2)


def _set_aside(examples: ExampleSet, name: str) -> None:
    if examples.path is not None:
        with suppress(OSError):  # what can't be read or written is named by whoever reads or appends next
            set_aside_damaged_end(examples.path.parent / name)


def _lines(examples: ExampleSet, name: str, keys: Mapping[str, type]) -> list[dict[str, Any]]:
    if examples.path is None or not (path := examples.path.parent / name).exists():
        return []
    found = []
    for number, line in json_lines(path, RatingError):
        if isinstance(line, dict) and all(isinstance(line.get(key), kind) for key, kind in keys.items()):
            found.append(line)
        else:
            refuse_lines(RatingError(f"a line of this record has {', '.join(keys)}", path=path, line=number))
    return found


def _append(examples: ExampleSet, name: str, line: Mapping[str, Any]) -> None:
    if examples.path is None:
        raise RatingError("examples that came from no file have no place for a record of who looked at them")
    path = examples.path.parent / name
    try:
        append_lines(path, [line], follow=False)
    except OSError as error:
        raise RatingError(f"cannot be written, and a look must be on record: {error}", path=path) from error
