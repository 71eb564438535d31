"""Splits that examples get from the first label on: which outputs people may read, and which are held out."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from markscheme.errors import RatingWarning
from markscheme.prompts.submission import Submission
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.first_splits import (
    READ_FIRST,
    as_read,
    keep_parts_by_place,
    part_of_task,
    with_parts,
    write_as_read,
)
from markscheme.rubrics.rubric import Criterion, Rubric
from tests.stats.shared_numbers import block

DEV_AFTER_THE_FIRST = [40, 42, 46, 48, 51, 56, 58, 62, 65, 68, 69]
"""Of 70 tasks, by the rule's published case."""
RUBRIC = Rubric((Criterion(1.0, "Is it clear?", "clear"),), name="clear")


def outputs(n: int, **about: Any) -> list[Example]:
    return [replace(Example(Submission("…", {"query": f"q{place}"}, f"o{place}")), **about) for place in range(n)]


def held_out(examples: Sequence[Example]) -> list[str]:
    return [example.id for example in examples if example.split == "test"]


def test_the_first_forty_tasks_of_a_file_are_dev_examples_and_two_of_three_later_tasks_are_held_out() -> None:
    parts = [part_of_task(place) for place in range(70)]
    assert set(parts[:READ_FIRST]) == {"dev"}
    assert [place for place in range(READ_FIRST, 70) if parts[place] == "dev"] == DEV_AFTER_THE_FIRST


def test_the_tasks_that_are_held_out_equal_those_in_the_file_of_reference_values() -> None:
    case = block("authors.yaml", "parts")
    parts = [part_of_task(place) for place in range(case["tasks"])]
    later = [place for place in range(READ_FIRST, case["tasks"]) if parts[place] == "dev"]
    assert later == case["dev_after_the_first_40"] == DEV_AFTER_THE_FIRST


def test_outputs_added_one_by_one_are_held_out_like_the_same_outputs_added_all_at_once() -> None:
    every = outputs(70)
    at_once = with_parts(every)
    one_by_one: tuple[Example, ...] = ()
    for example in every:
        one_by_one += with_parts([example], one_by_one)
    assert one_by_one == at_once
    assert len(held_out(at_once)) == 70 - READ_FIRST - len(DEV_AFTER_THE_FIRST)


def test_outputs_of_one_task_get_the_task_s_split_whatever_their_ids() -> None:
    there = with_parts(outputs(60))
    again = [replace(example, submission=replace(example.submission, id=f"{example.id}b")) for example in there]
    assert [e.split for e in with_parts([replace(e, split=None) for e in again], there)] == [e.split for e in there]
    grouped = with_parts(outputs(60, group="one task"))
    assert not held_out(grouped)


def test_a_task_whose_outputs_are_dev_examples_is_never_held_out_later() -> None:
    there = with_parts(outputs(3))
    (example,) = with_parts([replace(outputs(3)[1], split="test")], there)
    assert example.split == "dev"
    (kept,) = with_parts(outputs(1, split="test"))
    assert kept.split == "test"


def written(folder: Path, examples: Sequence[Example]) -> Path:
    path = folder / "examples.jsonl"
    path.write_text("".join(json.dumps(example.to_json()) + "\n" for example in examples))
    return path


def test_a_file_with_sixty_tasks_without_splits_gets_splits_with_a_warning_that_texts_may_have_been_read(
    tmp_path: Path,
) -> None:
    path = written(tmp_path, outputs(60))
    with pytest.warns(RatingWarning, match="13 outputs are held out from now on; their texts may have been read"):
        there = keep_parts_by_place(path, RUBRIC)
    assert len(held_out(there)) == 13
    parts = [json.loads(line)["split"] for line in path.read_text().splitlines()]
    assert parts == [part_of_task(place) for place in range(60)]
    assert keep_parts_by_place(path, RUBRIC) == there


def test_a_file_of_forty_tasks_without_splits_is_left_unchanged(tmp_path: Path) -> None:
    path = written(tmp_path, outputs(READ_FIRST))
    before = path.read_bytes()
    keep_parts_by_place(path, RUBRIC)
    assert path.read_bytes() == before


def test_releasing_held_out_examples_for_reading_changes_nothing_else_in_their_file(tmp_path: Path) -> None:
    examples = with_parts(outputs(60, metadata={"split": "test"}))
    path = written(tmp_path, examples)
    before = [json.loads(line) for line in path.read_text().splitlines()]
    assert not held_out(as_read(ExampleSet(examples, path)).examples)
    assert [json.loads(line) for line in path.read_text().splitlines()] == before
    write_as_read(path)
    assert [json.loads(line) for line in path.read_text().splitlines()] == [{**line, "split": "dev"} for line in before]
