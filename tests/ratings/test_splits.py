"""Held-out labels: their digests, the records of looks at them, and splits that are written into the examples."""

import json
import subprocess
import sys
import warnings
from dataclasses import replace
from pathlib import Path

import pytest

from markscheme.errors import RatingError, RatingWarning
from markscheme.files import rewrite
from markscheme.prompts.submission import Submission
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.rating import Rating
from markscheme.ratings.splits import (
    Opening,
    Openings,
    labelling_digest,
    levels_seen,
    openings_of,
    warn_of_split_groups,
    write_parts,
)


def example(id: str, split: str | None, mark: float = 0.5, group: str = "") -> Example:
    label = Rating(id, "a", "human", overall=mark)
    return Example(Submission("…", {}, id), (label,), group=group, split=split)  # type: ignore[arg-type]


def a_set(folder: Path, *examples: Example) -> ExampleSet:
    return ExampleSet(examples, folder / "examples.jsonl")


def test_the_digest_of_labels_does_not_depend_on_their_order(tmp_path: Path) -> None:
    first, two = example("1", "test", 0.2), example("2", "test", 0.8)
    digest = labelling_digest(a_set(tmp_path, first, two))
    assert digest == labelling_digest(a_set(tmp_path, two, first))
    assert digest == labelling_digest(a_set(tmp_path, first, replace(two, group="elsewhere")))
    assert digest != labelling_digest(a_set(tmp_path, first, example("2", "test", 0.9)))
    assert digest != labelling_digest(a_set(tmp_path, first))
    assert digest.startswith("sha256:")


def test_an_invalid_line_in_the_record_of_uses_of_held_out_labels_is_reported_with_its_number(tmp_path: Path) -> None:
    (tmp_path / "opened.jsonl").write_text('{"at": "2026-11-02"}\n')
    examples = a_set(tmp_path, example("1", "test"))
    with pytest.raises(RatingError, match=r"opened\.jsonl:1: a line of this record has at, by, labels, n"):
        openings_of(examples)
    line = {"at": "2026-11-02", "by": "a command", "labels": "sha256:0", "n": 1, "wordings": 5}
    (tmp_path / "opened.jsonl").write_text(json.dumps(line) + "\n")
    with pytest.raises(RatingError, match=r"opened\.jsonl:1: a line of this record has .*; wrong here: wordings"):
        openings_of(examples)


def test_a_group_with_examples_in_both_dev_and_test_causes_a_warning(tmp_path: Path) -> None:
    apart = a_set(tmp_path, example("1", "dev", group="x"), example("2", "test", group="y"), example("3", "test"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_split_groups(apart)
    with pytest.warns(RatingWarning, match="1 groups are in dev and in test.*: x"):
        warn_of_split_groups(a_set(tmp_path, example("1", "dev", group="x"), example("2", "test", group="x")))


def test_if_the_second_response_of_a_pair_is_replaced_the_labels_of_the_pair_count_as_unseen() -> None:
    first = replace(example("1", None), submission=Submission("a", {}, "1", second="b"))
    changed = replace(example("2", None), submission=Submission("a", {}, "2", second="c"))
    seen = [levels_seen(ExampleSet((of,), None)) for of in (first, changed)]
    assert not seen[0] & seen[1]


# --- several processes at once ----------------------------------------------------------------------------------------


def stored(folder: Path, *examples: Example) -> ExampleSet:
    """Write a set of examples, one per line and without splits."""
    path = folder / "examples.jsonl"
    path.write_text("".join(json.dumps({"id": one.id, "response": "…"}) + "\n" for one in examples))
    return ExampleSet(tuple(replace(one, line=at) for at, one in enumerate(examples, 1)), path)


def test_splits_that_two_processes_draw_at_once_for_one_file_are_written_once(tmp_path: Path) -> None:
    examples = stored(tmp_path, example("1", "dev"), example("2", "test"))
    write_parts(examples)
    text = (tmp_path / "examples.jsonl").read_text()
    write_parts(examples)
    assert (tmp_path / "examples.jsonl").read_text() == text
    assert text.count("split") == 2


def test_splits_are_not_written_if_the_file_of_examples_changed_since_it_was_read(tmp_path: Path) -> None:
    examples = stored(tmp_path, example("1", "dev"), example("2", "test"))
    path = tmp_path / "examples.jsonl"
    path.write_text('{"id": "0", "response": "new"}\n' + path.read_text())
    text = path.read_text()
    with pytest.raises(RatingError, match=r"examples\.jsonl:1: was changed while this ran"):
        write_parts(examples)
    assert path.read_text() == text
    second_set = stored(tmp_path, example("1", "test"), example("2", "test"))
    write_parts(second_set)
    with pytest.raises(RatingError, match="run the same command again"):
        write_parts(replace(second_set, examples=tuple(replace(one, split="dev") for one in second_set.examples)))


def test_examples_that_are_appended_while_splits_are_written_are_not_lost(tmp_path: Path) -> None:
    """One process appends 150 examples while another writes splits, removes them and writes them again."""
    examples = stored(tmp_path, example("1", "dev"), example("2", "test"))
    path = tmp_path / "examples.jsonl"
    code = """if True:
        import sys
        from pathlib import Path
        from markscheme.files import append_lines
        for number in range(150):
            append_lines(Path(sys.argv[1]), [{"id": f"new {number}"}])
    """
    adding = subprocess.Popen([sys.executable, "-c", code, path])
    written = 0
    while adding.poll() is None:
        part = "dev" if written % 2 else "test"
        for line in path.read_text().splitlines()[:2]:
            assert json.loads(line)["id"] in ("1", "2")
        rewrite(path, lambda text: text.replace(', "split": "dev"', "").replace(', "split": "test"', ""))
        write_parts(replace(examples, examples=tuple(replace(one, split=part) for one in examples.examples)))  # type: ignore[arg-type]
        written += 1
    assert adding.returncode == 0
    assert written > 3
    ids = [json.loads(line)["id"] for line in path.read_text().splitlines()]
    assert ids == ["1", "2", *(f"new {number}" for number in range(150))]


@pytest.mark.parametrize(
    ("looks", "words"),
    [
        ([], "9 test examples are held out; no change of the rubric was tested on them yet."),
        (
            [Opening("2026-11-02", "improve --numbers", "a", 9, counts_apart=True)],
            "9 test examples are held out; weights or pass mark were tested on them, other words weren't yet.",
        ),
        (
            [Opening("2026-11-02", "improve", "b", 9, levels=frozenset({"x"}))],
            "9 test examples are held out, and looked at once, but not at these labels (2026-11-02).",
        ),
        (
            [
                Opening("2026-11-02", "improve", "b", 9, levels=frozenset({"x"})),
                Opening("2026-11-03", "improve --numbers", "b", 9, levels=frozenset({"y"}), counts_apart=True),
                Opening("2026-11-04", "improve", "b", 9, levels=frozenset({"y"})),
            ],
            "9 test examples are held out, and looked at 2 times, 1 of them at some of these labels "
            "(2026-11-02 to 2026-11-04).",
        ),
    ],
)
def test_the_sentence_on_held_out_labels_counts_how_often_these_labels_were_used_to_test_a_wording(
    looks: list[Opening], words: str
) -> None:
    openings = Openings(tuple(looks), "c", 9, frozenset({"y"}))
    assert openings.sentence.removesuffix(" An edit made after a look makes the next result too optimistic.") == words
