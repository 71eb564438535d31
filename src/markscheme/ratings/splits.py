"""Held-out labels: drawing the parts, the record of who opened the test part, and which examples were used to tune."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import UnionType
from typing import Any

from markscheme.errors import RatingError, refuse_lines
from markscheme.files import append_lines, set_aside_damaged_end, write_whole
from markscheme.phrases import few_of
from markscheme.plain_data import json_lines
from markscheme.ratings.examples import Example, ExampleSet, Split, warn
from markscheme.stats.selection import dev_size

SEED = 1
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
        alpha: Significance level of a test of new wordings; None for any other look.
        wordings: Fingerprints of the wordings it tests.
        judge: Fingerprint of the judge that it asks.
        adopted: Fingerprint of the wording it adopted; None where it adopted none.
        decided: False while a test is under way, or was interrupted.
    """

    at: str
    by: str
    labels: str
    n: int
    alpha: float | None = None
    wordings: tuple[str, ...] = ()
    judge: str = ""
    adopted: str | None = None
    decided: bool = True

    @classmethod
    def read(cls, line: Mapping[str, Any]) -> "Opening":
        """The look in a line of the record."""
        wordings, judge = tuple(map(str, line.get("wordings") or ())), str(line.get("judge", ""))
        return cls(
            at=line["at"],
            by=line["by"],
            labels=line["labels"],
            n=line["n"],
            alpha=line.get("alpha"),
            wordings=wordings,
            judge=judge,
            adopted=line.get("adopted"),
            decided="adopted" in line or not wordings,
        )

    def to_json(self) -> dict[str, Any]:
        """A line of the record; `adopted` is missing while a test is under way."""
        line: dict[str, Any] = {"at": self.at, "by": self.by, "labels": self.labels, "n": self.n}
        if self.wordings:
            line |= {"alpha": self.alpha, "wordings": list(self.wordings), "judge": self.judge}
            line |= {"adopted": self.adopted} if self.decided else {}
        return line


@dataclass(frozen=True, slots=True)
class Openings:
    """All looks at the test labels of one set, in order.

    Attributes:
        all: Every look on record.
        labels: Digest of the current labels, to recognize looks at exactly these.
        n: Examples with test labels now.
    """

    all: tuple[Opening, ...]
    labels: str
    n: int

    @property
    def of_these(self) -> int:
        """Number of looks at exactly these labels."""
        return sum(opening.labels == self.labels for opening in self.all)

    def of_test(self, wordings: tuple[str, ...], judge: str) -> tuple[int, Opening] | None:
        """The last look at exactly these labels that tests these wordings with this judge, and its number."""
        same = [opening for opening in self.all if opening.labels == self.labels]
        tests = [(number, one) for number, one in enumerate(same, 1) if (one.wordings, one.judge) == (wordings, judge)]
        return tests[-1] if tests else None

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
    """A digest of all labels with their raters and examples, independent of order: "sha256:" and 64 digits."""
    lines = sorted(
        json.dumps([example.id, label.to_json()], sort_keys=True, ensure_ascii=False)
        for example in examples.examples
        for label in example.labels
    )
    return "sha256:" + hashlib.sha256("\n".join(lines).encode()).hexdigest()


def openings_of(examples: ExampleSet) -> Openings | None:
    """How often the test labels of a set were looked at; None where none are held out.

    Args:
        examples: The whole set.

    Raises:
        RatingError: The record next to the examples can't be read.
    """
    if not any(example.split == "test" for example in examples.examples):
        return None
    test = examples.part("test")
    lines = _lines(examples, OPENED, {"at": str, "by": str, "labels": str, "n": int, "wordings": list | None})
    return Openings(tuple(map(Opening.read, lines)), labelling_digest(test), len(test.labelled.examples))


def open_test_labels(
    examples: ExampleSet,
    *,
    by: str,
    at: str,
    alpha: float | None = None,
    wordings: tuple[str, ...] = (),
    judge: str = "",
) -> tuple[ExampleSet, Openings]:
    """The test part of a set, after recording that its labels were looked at.

    Args:
        examples: The whole set.
        by: The command that looks.
        at: The day.
        alpha: Significance level of a test of new wordings; None for any other look.
        wordings: Fingerprints of the wordings that are tested.
        judge: Fingerprint of the judge that is asked about them.

    Raises:
        RatingError: No example is held out, or the record next to the examples can't be read or written.

    Warns:
        RatingWarning: Half a line at the end of the record was set aside.
    """
    _set_aside(examples, OPENED)
    before = openings_of(examples)
    if before is None:
        raise RatingError('keeps no example back: none has `"split": "test"`', path=examples.path)
    now = Opening(at, by, before.labels, before.n, alpha, wordings, judge, decided=not wordings)
    _append(examples, OPENED, now.to_json())
    return examples.part("test"), Openings((*before.all, now), before.labels, before.n)


def record_decision(examples: ExampleSet, opening: Opening, adopted: str | None) -> None:
    """Complete the record of a test of new wordings with its answer.

    Args:
        examples: The whole set.
        opening: The look, as it is on record.
        adopted: Fingerprint of the wording that was adopted; None where none was.

    Raises:
        RatingError: The record can't be written, or doesn't have this look.
    """
    path = _record(examples, OPENED)
    answer = json.dumps(replace(opening, adopted=adopted, decided=True).to_json(), ensure_ascii=False)
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
        at = max(place for place, line in enumerate(lines) if line.strip() and json.loads(line) == opening.to_json())
        lines[at] = answer
        write_whole(path, "\n".join(lines))
    except (OSError, ValueError) as error:
        raise RatingError(f"has no place for the answer of this test: {error}", path=path) from error


# --- drawing the parts ----------------------------------------------------------------------------------------------


def task_of(example: Example) -> str:
    """The unit of independent errors: an example's group, or itself."""
    return f"group {example.group}" if example.group else f"example {example.id}"


def in_drawn_order(tasks: Iterable[str]) -> list[str]:
    """Tasks in a pseudo-random order that is the same on every machine."""
    return sorted(set(tasks), key=lambda task: hashlib.sha256(f"{SEED}:{task}".encode()).digest())


def drawn_parts(examples: ExampleSet) -> ExampleSet:
    """A set with its labelled examples divided by task: a third dev, the rest test. Existing parts are kept."""
    if examples.has_splits:
        return examples
    order = in_drawn_order(task_of(example) for example in examples.labelled.examples)
    dev = set(order[: dev_size(len(order))])

    def part(example: Example) -> Split | None:
        return ("dev" if task_of(example) in dev else "test") if example.labels else None

    return replace(examples, examples=tuple(replace(example, split=part(example)) for example in examples.examples))


def write_parts(examples: ExampleSet) -> None:
    """Write each example's part into its line of the file; nothing else is changed.

    Raises:
        RatingError: The file is not a .jsonl file, or can't be written.
    """
    path = examples.path
    if path is None or path.suffix != ".jsonl":
        raise RatingError(
            "can't take `split` by itself, as .jsonl files can: `markscheme export RUBRIC > examples.jsonl`, or write "
            "dev or test next to each example",
            path=path,
        )
    parts = {example.line: example.split for example in examples.examples if example.split}
    try:
        lines = path.read_bytes().decode("utf-8").split("\n")
        for number, part in parts.items():
            body, brace, end = lines[(number or 0) - 1].rpartition("}")
            lines[(number or 0) - 1] = f'{body.rstrip()}, "split": "{part}"{brace}{end}'
        write_whole(path, "\n".join(lines))
    except OSError as error:
        raise RatingError(f"cannot be written: {error.strerror or error}", path=path) from error


# --- what moved numbers ---------------------------------------------------------------------------------------------


def used_to_tune(examples: ExampleSet) -> frozenset[str]:
    """Ids of the examples whose labels were used to change numbers of the rubric.

    Args:
        examples: The whole set.

    Raises:
        RatingError: The record next to the examples can't be read.
    """
    lines = _lines(examples, TUNED, {"ids": list})
    return frozenset(str(id) for line in lines for id in line["ids"])


def record_tuning(examples: ExampleSet, ids: Iterable[str], changed: Mapping[str, Any], *, at: str) -> None:
    """Record that these examples' labels were used to change the rubric's numbers.

    Raises:
        RatingError: The record next to the examples can't be written.

    Warns:
        RatingWarning: Half a line at the end of the record was set aside.
    """
    _set_aside(examples, TUNED)
    moved = sorted(ids)
    _append(examples, TUNED, {"at": at, "labels": labelling_digest(examples), "changed": dict(changed), "ids": moved})


def warn_of_split_groups(examples: ExampleSet) -> None:
    """Warn of groups with examples in both parts: what is held out of a group is then known from the rest of it."""
    parts: dict[str, set[str]] = {}
    for example in examples.examples:
        if example.group and example.split:
            parts.setdefault(example.group, set()).add(example.split)
    both = [group for group, splits in parts.items() if len(splits) > 1]
    if both:
        problem = f"{len(both)} groups are in dev and in test, so test isn't kept back from dev: {few_of(sorted(both))}"
        warn(problem, examples.path)


def _set_aside(examples: ExampleSet, name: str) -> None:
    if examples.path is not None:
        with suppress(OSError):  # the next read or append names the file that can't be read or written
            set_aside_damaged_end(examples.path.parent / name)


def _lines(examples: ExampleSet, name: str, keys: Mapping[str, type | UnionType]) -> list[dict[str, Any]]:
    if examples.path is None or not (path := examples.path.parent / name).exists():
        return []
    found = []
    for number, line in json_lines(path, RatingError):
        given = line if isinstance(line, dict) else {}
        wrong = [key for key, kind in keys.items() if not isinstance(given.get(key), kind)]
        if wrong:
            problem = f"a line of this record has {', '.join(keys)}; wrong here: {', '.join(wrong)}"
            refuse_lines(RatingError(problem, path=path, line=number))
        else:
            found.append(given)
    return found


def _record(examples: ExampleSet, name: str) -> Path:
    if examples.path is None:
        raise RatingError("examples that came from no file have no place for a record of who looked at them")
    return examples.path.parent / name


def _append(examples: ExampleSet, name: str, line: Mapping[str, Any]) -> None:
    path = _record(examples, name)
    try:
        append_lines(path, [line], follow=False)
    except OSError as error:
        raise RatingError(f"cannot be written, and a look must be on record: {error}", path=path) from error
