"""The responses to label, from examples or Promptfoo's results, and the file that labelled examples are added to."""

import fcntl
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markscheme.errors import RatingError
from markscheme.files import append_lines
from markscheme.phrases import few_of
from markscheme.plain_data import json_lines
from markscheme.promptfoo.results_files import is_results
from markscheme.ratings.examples import SUFFIXES, Example, examples_file, load_examples
from markscheme.ratings.rating import JUDGES, Rating
from markscheme.readers.imported import Reading
from markscheme.readers.promptfoo import read_promptfoo
from markscheme.rubrics.rubric import Rubric


@dataclass(frozen=True)
class Pool:
    """Responses to label.

    Attributes:
        examples: Those with a text; ids are unique.
        verdicts: Judges' ratings of them, used to draw and never shown.
        labels: Annotators' ratings in the file itself.
    """

    examples: tuple[Example, ...]
    verdicts: tuple[Rating, ...]
    labels: tuple[Rating, ...]


def read_pool(path: Path, rubric: Rubric) -> Pool:
    """Read the responses in a file of examples, in any form, or in Promptfoo's results.

    Raises:
        RatingError: It is neither, or every response in it is empty.
    """
    if is_results(path):
        reading = Reading(path, rubric)
        read_promptfoo(reading)
        examples, ratings = reading.examples, tuple(reading.ratings)
    else:
        examples = load_examples(path, rubric).examples
        ratings = tuple(label for example in examples for label in example.labels)
    kept = tuple(example for example in examples if example.submission.response.strip())
    if not kept:
        raise RatingError("holds no response with a text in it", path=path)
    return Pool(
        kept,
        tuple(rating for rating in ratings if rating.kind in JUDGES),
        tuple(rating for rating in ratings if rating.kind not in JUDGES),
    )


@dataclass(frozen=True)
class SetFile:
    """The file of examples in a rubric's calibration folder, to which labelled responses are added.

    Attributes:
        path: The file.
        rubric: The rubric its labels are checked against.
    """

    path: Path
    rubric: Rubric

    @classmethod
    def within(cls, folder: Path, rubric: Rubric) -> "SetFile":
        """The file of examples in a calibration folder; examples.jsonl if there is none yet.

        Raises:
            RatingError: The folder holds several.
        """
        is_there = any((folder / f"examples{suffix}").is_file() for suffix in SUFFIXES)
        return cls(examples_file(folder) if is_there else folder / "examples.jsonl", rubric)

    def read(self) -> tuple[Example, ...]:
        """All examples in it; none if it isn't there yet."""
        if not self.path.is_file() or not self.path.stat().st_size:
            return ()
        return load_examples(self.path, self.rubric).examples

    @contextmanager
    def held(self) -> Iterator[None]:
        """Lock the file; others who label wait."""
        folder = os.open(self.path.parent, os.O_RDONLY)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            yield
        finally:
            os.close(folder)

    def check(self, pool: Sequence[Example]) -> None:
        """Refuse a pool whose ids name other responses here, or that can't be added to this file.

        Raises:
            RatingError: Names the ids, or says what to do.
        """
        there = {example.id: example.submission.response for example in self.read()}
        others = [e.id for e in pool if there.get(e.id, e.submission.response) != e.submission.response]
        if others:
            raise RatingError(
                f"holds other responses under {len(others)} ids of the pool: {few_of(others)}; rename them in the pool",
                path=self.path,
            )
        if self.path.suffix != ".jsonl" and any(example.id not in there for example in pool):
            raise RatingError(
                "cannot be added to; make it an examples.jsonl, or label it by itself with --pool", path=self.path
            )

    def add(self, lines: Sequence[dict[str, Any]]) -> None:
        """Append the examples that aren't there yet; on disk when this returns. Call it within `held`."""
        there = set(self._ids())
        new = [line for line in lines if line["id"] not in there]
        if new:
            append_lines(self.path, new)

    def _ids(self) -> Iterator[str]:
        if self.path.is_file():
            for place, (_, line) in enumerate(json_lines(self.path, RatingError), start=1):
                yield str(line.get("id") or f"ex-{place}")
