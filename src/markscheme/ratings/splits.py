"""Held-out labels: their draw, records of commands that looked at them, and examples whose labels were used to tune."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import UnionType
from typing import Any, NamedTuple

from markscheme.errors import RatingError, refuse_lines, writing
from markscheme.files import rewrite
from markscheme.fingerprint import fingerprint
from markscheme.json_text import json_or
from markscheme.phrases import counted, few_of
from markscheme.plain_data import json_lines
from markscheme.ratings.example_rows import Example, values_of
from markscheme.ratings.examples import ExampleSet, warn
from markscheme.ratings.rating import Rating
from markscheme.ratings.row_form import takes_lines

SPLIT_SEED = 1
"""Seed of the hash that orders tasks, fixed so that equal tasks are always split in the same way."""
OPENED = "opened.jsonl"
TUNED = "tuned.jsonl"


class Opening(NamedTuple):
    """A record that a command used labels of held-out examples (kept from authors), and what it tested on them.

    Attributes:
        at: The day on which the command looked, as in 2026-11-02.
        by: The command that looked.
        labels: Digest of the labels that were looked at.
        n: Number of examples with these labels.
        alpha: Significance level of a test of new wordings; None if no wordings were tested.
        wordings: Fingerprints of the wordings that were tested.
        judge: Fingerprint of the judge that was asked; None without one.
        adopted: Fingerprint of the wording that was adopted; None without one.
        decided: False while a test is under way, or was interrupted.
        levels: Two digests of each level that was looked at: one computed with the example's id, one with the example's
            texts. By them, a later command that looks at the same levels is recognized. If there are none, every later
            look counts as a look at these levels.
        counts_apart: True if the command looked at labels that don't test wordings, such as decisions about the whole
            response; such looks are counted separately.
    """

    at: str
    by: str
    labels: str
    n: int
    alpha: float | None = None
    wordings: tuple[str, ...] = ()
    judge: str | None = None
    adopted: str | None = None
    decided: bool = True
    levels: frozenset[str] = frozenset()
    counts_apart: bool = False

    @classmethod
    def read(cls, line: Mapping[str, Any]) -> "Opening":
        """Read, from its line in a file, the record of a command that looked at held-out labels."""
        wordings = tuple(map(str, line.get("wordings") or ()))
        judge = str(line.get("judge", "")) or None
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
            levels=frozenset(map(str, line.get("levels") or ())),
            counts_apart=line.get("apart") is True,
        )

    def saw_any(self, levels: frozenset[str]) -> bool:
        """Return True if the recorded command used any of the given levels, or if the record doesn't list levels.

        Args:
            levels: Digests of the levels, as in the record.
        """
        return not self.levels or not self.levels.isdisjoint(levels)

    def to_json(self) -> dict[str, Any]:
        """Return the record as a line of its file; `adopted` is left out while a test is under way."""
        line: dict[str, Any] = {"at": self.at, "by": self.by, "labels": self.labels, "n": self.n}
        if self.wordings:
            line |= {"alpha": self.alpha, "wordings": list(self.wordings), "judge": self.judge or ""}
            line |= {"adopted": self.adopted} if self.decided else {}
        if self.counts_apart:
            line["apart"] = True
        if self.levels:
            line["levels"] = sorted(self.levels)
        return line


class Openings(NamedTuple):
    """All records of commands that used labels of one set's held-out examples (kept from authors), in order.

    Attributes:
        all: The records, one for each time that a command looked.
        labels: Digest of the labels that held-out examples have now.
        n: Number of held-out examples that have labels now.
        levels: The digest of each level in these labels. A record with one of these digests is of a look at a label
            that still exists.
    """

    all: tuple[Opening, ...]
    labels: str
    n: int
    levels: frozenset[str]

    @property
    def of_these(self) -> int:
        """Number of recorded tests of wordings on labels that test examples still have.

        Uses of these labels that test no wording, such as a fit of weights to decisions, aren't counted.
        """
        return len(self.earlier)

    @property
    def wordings(self) -> frozenset[str]:
        """Fingerprints of the wordings that were tested on labels that test examples still have."""
        return frozenset(wording for opening in self.earlier for wording in opening.wordings)

    @property
    def earlier(self) -> list[Opening]:
        """Recorded looks at labels that test examples still have, in order, except looks that don't test wordings."""
        return [opening for opening in self.all if opening.saw_any(self.levels) and not opening.counts_apart]

    @property
    def sentence(self) -> str:
        """Sentence for the report on how often the test labels were looked at."""
        of_words = [opening for opening in self.all if not opening.counts_apart]
        looks = len(of_words)
        labels = f"{counted(self.n, 'test example')} {'is' if self.n == 1 else 'are'} held out"
        them = "it" if self.n == 1 else "them"
        if not self.all:
            return f"{labels}; no change of the rubric was tested on {them} yet."
        if not looks:
            return f"{labels}; weights or pass mark were tested on {them}, other words weren't yet."
        times = "once" if looks == 1 else f"{looks} times"
        same = f", {self.of_these} of them at some of these labels" if self.of_these else ", but not at these labels"
        same = "" if self.of_these == looks else same
        span = of_words[0].at if looks == 1 else f"{of_words[0].at} to {of_words[-1].at}"
        looked = f"{labels}, and looked at {times}{same} ({span})."
        return f"{looked} An edit made after a look makes the next result too optimistic."

    def to_json(self) -> dict[str, Any]:
        """Return the uses of the test labels as a dict for JSON.

        It has the number of uses, their first and last day, the digest of today's labels, and the number of held-out
        examples with labels.
        """
        return {
            "opened": len(self.all),
            "opened_unchanged": self.of_these,
            "first": self.all[0].at if self.all else None,
            "last": self.all[-1].at if self.all else None,
            "labels": self.labels,
            "n": self.n,
        }


def labelling_digest(examples: ExampleSet) -> str:
    """Return a digest of all labels with their raters and examples, independent of their order."""
    lines = sorted(
        json.dumps([example.id, label.to_json()], sort_keys=True, ensure_ascii=False)
        for example in examples.examples
        for label in example.labels
    )
    return "sha256:" + hashlib.sha256("\n".join(lines).encode()).hexdigest()


def levels_seen(examples: ExampleSet) -> frozenset[str]:
    """Return two short digests of each label in a set: one with the example's id, one with the example's texts.

    Both cover the label's level. They don't depend on notes, reasons, raters, days, splits and names of criteria, so
    that correcting a typo in one of these doesn't make labels count as unseen.
    """
    return frozenset(
        fingerprint(of_example, level)[:8]
        for example in examples.examples
        for label in example.labels
        for level in _levels_of(label)
        for of_example in (["id", example.id], ["texts", dict(example.submission.inputs), *example.responses])
    )


def _levels_of(label: Rating) -> Iterator[tuple[str, float]]:
    """Yield each level, overall score and decision in a label as a pair such as ("level", 2.0)."""
    yield from (("level", rated.level) for rated in label.criteria.values() if rated.level is not None)
    if label.overall is not None:
        yield "score", label.overall
    if label.passed is not None:
        yield "decision", float(label.passed)


def openings_of(examples: ExampleSet, *, whole: bool = False) -> Openings | None:
    """Return the records of commands that used a set's held-out labels; None if no labels are held out.

    Args:
        examples: The whole set.
        whole: True for a test on all labels of the set, which then needs no test split.

    Raises:
        RatingError: The record next to the examples can't be read.
    """
    if not whole and "test" not in values_of(examples.examples, "split"):
        return None
    held_out = examples.part("all" if whole else "test")
    lines = _lines(
        examples,
        OPENED,
        {"at": str, "by": str, "labels": str, "n": int, "wordings": list | None, "levels": list | None},
    )
    looks = tuple(map(Opening.read, lines))
    return Openings(looks, labelling_digest(held_out), len(held_out.labelled.examples), levels_seen(held_out))


# --- drawing the parts ----------------------------------------------------------------------------------------------


def in_drawn_order(tasks: Iterable[str]) -> list[str]:
    """Return tasks (groups of examples) in a pseudo-random order that is the same on every machine."""
    return sorted(set(tasks), key=lambda task: hashlib.sha256(f"{SPLIT_SEED}:{task}".encode()).digest())


def file_for_parts(examples: ExampleSet) -> Path:
    """Return the file of a set of examples, after checking that splits can be written into its lines.

    Raises:
        RatingError: The examples aren't from a .jsonl file.
    """
    path = examples.path
    if path is None or not takes_lines(path):
        raise RatingError(
            "can't take `split` by itself, as .jsonl files can: `markscheme export RUBRIC > examples.jsonl`, or write "
            "dev or test next to each example",
            path=path,
        )
    return path


def write_parts(examples: ExampleSet) -> None:
    """Write each example's split into its line of the file; nothing else is changed.

    Lines that another process appended meanwhile stay. A line to which another process wrote the same split stays as it
    is.

    Raises:
        RatingError: The file is not a .jsonl file, or has other examples or other splits by now.
        UsageError: The file can't be written.
    """
    path = file_for_parts(examples)
    drawn = [example for example in examples.examples if example.split and example.line is not None]

    def parted(text: str) -> str:
        lines = text.split("\n")
        for example in drawn:
            place = (example.line or 0) - 1
            lines[place] = _with_part(lines[place] if place < len(lines) else "", example, path)
        return "\n".join(lines)

    with writing(path):
        rewrite(path, parted)


def _with_part(line: str, example: Example, path: Path) -> str:
    """Return the line of an example with its split added.

    Raises:
        RatingError: The line isn't that of this example any more, or has another split.
    """
    data = json_or(line, {})
    is_same = isinstance(data, dict) and str(data.get("id", example.id)) == example.id and bool(data)
    if not is_same or data.get("split") not in (None, example.split):
        raise RatingError("was changed while this ran; run the same command again", path=path, line=example.line)
    if data.get("split") == example.split:
        return line
    body, brace, end = line.rpartition("}")
    return f'{body.rstrip()}, "split": "{example.split}"{brace}{end}'


# --- what moved numbers ---------------------------------------------------------------------------------------------


def used_to_tune(examples: ExampleSet) -> frozenset[str]:
    """Return the ids of examples whose labels were used to fit the rubric's weights or pass mark.

    Args:
        examples: The whole set.

    Raises:
        RatingError: The record next to the examples can't be read.
    """
    lines = _lines(examples, TUNED, {"ids": list})
    return frozenset(str(id) for line in lines for id in line["ids"])


def warn_of_split_groups(examples: ExampleSet) -> None:
    """Warn of groups with examples in both dev and test, since dev then gives away test answers."""
    parts: dict[str, set[str]] = {}
    for example in examples.examples:
        if example.group and example.split:
            parts.setdefault(example.group, set()).add(example.split)
    mixed = [group for group, splits in parts.items() if len(splits) > 1]
    if mixed:
        problem = (
            f"{len(mixed)} groups are in dev and in test, so test isn't kept back from dev: {few_of(sorted(mixed))}"
        )
        warn(problem, examples.path)


def _lines(examples: ExampleSet, name: str, keys: Mapping[str, type | UnionType]) -> list[dict[str, Any]]:
    if examples.path is None or not (path := examples.path.parent / name).exists():
        return []
    entries = []
    for line_number, line in json_lines(path, RatingError):
        data = line if isinstance(line, dict) else {}
        wrong = [key for key, kind in keys.items() if not isinstance(data.get(key), kind)]
        if wrong:
            problem = f"a line of this record has {', '.join(keys)}; wrong here: {', '.join(wrong)}"
            refuse_lines(RatingError(problem, path=path, line=line_number))
        else:
            entries.append(data)
    return entries
