"""Records of looks at held-out labels and of labels used to tune the rubric: every one is written, and none twice."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from markscheme.errors import RatingError, RatingWarning, leaving_out_damaged_lines
from markscheme.features.improve.look_records import open_test_labels, record_decision, record_tuning
from markscheme.prompts.submission import Submission
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.rating import Rated, Rating
from markscheme.ratings.splits import openings_of, used_to_tune
from tests.ratings.test_splits import a_set, example


def test_each_use_of_held_out_labels_is_recorded_with_its_command_and_day(tmp_path: Path) -> None:
    examples = a_set(tmp_path, example("1", "dev"), example("2", "test"), example("3", "test"))
    before = openings_of(examples)
    assert before is not None
    assert (len(before.all), before.n) == (0, 2)
    test, openings = open_test_labels(examples, by="a command", at="2026-11-02")
    assert test.ids == ("2", "3")
    assert (len(openings.all), openings.of_these) == (1, 1)
    open_test_labels(examples, by="another", at="2026-11-03")
    changed = a_set(tmp_path, example("1", "dev"), example("2", "test", 0.9), example("3", "test"))
    after = openings_of(changed)
    assert after is not None
    assert (len(after.all), after.of_these) == (2, 2), "example 3 has the level that was looked at"
    fresh = openings_of(a_set(tmp_path, example("2", "test", 0.9), example("3", "test", 0.1)))
    assert fresh is not None
    assert (len(fresh.all), fresh.of_these) == (2, 0)
    assert after.to_json()["first"] == "2026-11-02"
    lines = [json.loads(line) for line in (tmp_path / "opened.jsonl").read_text().splitlines()]
    assert [line["by"] for line in lines] == ["a command", "another"]


def test_held_out_labels_cannot_be_used_if_no_example_of_the_set_is_held_out(tmp_path: Path) -> None:
    examples = a_set(tmp_path, example("1", "dev"), example("2", None))
    assert openings_of(examples) is None
    with pytest.raises(RatingError, match="keeps no example back"):
        open_test_labels(examples, by="a command", at="2026-11-02")


def test_held_out_labels_are_not_returned_if_their_use_cannot_be_recorded(tmp_path: Path) -> None:
    (tmp_path / "opened.jsonl").mkdir()
    with pytest.raises(RatingError, match=r"opened\.jsonl"):
        open_test_labels(a_set(tmp_path, example("1", "test")), by="a command", at="2026-11-02")


def test_examples_that_were_used_to_tune_the_rubric_are_recorded_by_id(tmp_path: Path) -> None:
    examples = a_set(tmp_path, example("1", "dev"), example("2", "dev"))
    assert used_to_tune(examples) == frozenset()
    record_tuning(examples, ["1"], {"pass_mark": 0.6}, at="2026-11-02")
    record_tuning(examples, ["2"], {"pass_mark": 0.7}, at="2026-11-03")
    assert used_to_tune(examples) == {"1", "2"}
    assert used_to_tune(ExampleSet(examples.examples)) == frozenset()


def test_an_unfinished_last_line_in_the_record_of_used_labels_is_moved_to_another_file_before_the_next_line(
    tmp_path: Path,
) -> None:
    examples = a_set(tmp_path, example("1", "test"))
    open_test_labels(examples, by="a command", at="2026-11-02")
    record_tuning(examples, ["1"], {}, at="2026-11-02")
    for name in ("opened.jsonl", "tuned.jsonl"):
        with (tmp_path / name).open("a") as file:
            file.write('{"at": "2026-11-03", "by')
    with pytest.warns(RatingWarning, match=r"opened\.jsonl:2: is not readable JSON; moved to"):
        _, openings = open_test_labels(examples, by="a command", at="2026-11-04")
    with pytest.warns(RatingWarning, match=r"tuned\.jsonl:2: is not readable JSON; moved to"):
        record_tuning(examples, ["2"], {}, at="2026-11-04")
    assert len(openings.all) == 2
    assert used_to_tune(examples) == {"1", "2"}
    for name in ("opened.jsonl", "tuned.jsonl"):
        assert (tmp_path / f"{name}.damaged").read_text() == '{"at": "2026-11-03", "by\n'


def test_a_damaged_line_in_the_record_of_used_held_out_labels_is_reported_and_may_be_skipped(tmp_path: Path) -> None:
    examples = a_set(tmp_path, example("1", "test"))
    open_test_labels(examples, by="a command", at="2026-11-02")
    with (tmp_path / "opened.jsonl").open("a") as file:
        file.write('{"at": \n')
    with pytest.raises(RatingError, match=r"opened\.jsonl:2: is not readable JSON"):
        open_test_labels(examples, by="a command", at="2026-11-04")
    with pytest.warns(RatingWarning, match=r"opened\.jsonl:2: .*left out"), leaving_out_damaged_lines():
        openings = openings_of(examples)
    assert openings is not None
    assert len(openings.all) == 1


@pytest.mark.parametrize("line", ['{"ids": ', '{"ids": 5}', '{"at": "2026-11-03"}', "[]", "5"])
def test_a_damaged_line_in_the_record_of_tuning_on_labels_is_reported_and_may_be_skipped(
    tmp_path: Path, line: str
) -> None:
    examples = a_set(tmp_path, example("1", "test"))
    record_tuning(examples, ["1"], {}, at="2026-11-02")
    with (tmp_path / "tuned.jsonl").open("a") as file:
        file.write(f"{line}\n")
    record_tuning(examples, ["2"], {}, at="2026-11-04")
    with pytest.raises(RatingError, match=r"tuned\.jsonl:2: "):
        used_to_tune(examples)
    with pytest.warns(RatingWarning, match=r"tuned\.jsonl:2: .*left out"), leaving_out_damaged_lines():
        assert used_to_tune(examples) == {"1", "2"}


def test_the_records_of_used_held_out_labels_and_tuned_examples_are_never_written_through_a_symlink(
    tmp_path: Path,
) -> None:
    victim = tmp_path / "victim.jsonl"
    victim.write_text("")
    examples = a_set(tmp_path, example("1", "test"))
    for name in ("opened.jsonl", "tuned.jsonl"):
        (tmp_path / name).symlink_to(victim)
    with pytest.raises(RatingError, match="is not followed"):
        open_test_labels(examples, by="a command", at="2026-11-02")
    with pytest.raises(RatingError, match="is not followed"):
        record_tuning(examples, ["1"], {}, at="2026-11-02")
    assert victim.read_text() == ""


def test_held_out_labels_count_as_used_before_even_if_their_rater_or_note_was_changed_since(
    tmp_path: Path,
) -> None:
    before = a_set(tmp_path, example("1", "test", 0.2), example("2", "test", 0.8))
    open_test_labels(before, by="improve --open", at="2026-11-02", wordings=("w",), judge="j")
    (first, second) = before.examples
    label = second.labels[0]
    for changed in (
        replace(second, labels=(replace(label, note="a typo, corrected", at="2026-11-05", rater="b"),)),
        replace(second, labels=(label, replace(label, rater="c", overall=0.1))),
        replace(second, group="elsewhere", system="prompt-b"),
    ):
        openings = openings_of(a_set(tmp_path, first, changed))
        assert openings is not None
        assert openings.of_these == 1
    renamed = Submission("…", {}, "renamed")
    openings = openings_of(a_set(tmp_path, replace(second, submission=renamed)))
    assert openings is not None
    assert openings.of_these == 1, "the same texts under another id"


@pytest.mark.parametrize("label", [{"criteria": {"polite": Rated(1.0)}}, {"passed": True}], ids=["level", "decision"])
def test_renaming_a_criterion_does_not_make_its_test_labels_count_as_unseen(
    tmp_path: Path, label: dict[str, Any]
) -> None:
    of = replace(example("1", "test", 0.2), labels=(Rating("1", "a", "human", **label),))
    before = a_set(tmp_path, of)
    open_test_labels(before, by="improve --open", at="2026-11-02", wordings=("w",), judge="j")
    renamed = {f"very {name}": rated for name, rated in of.labels[0].criteria.items()}
    now = replace(of, labels=(replace(of.labels[0], criteria=renamed),))
    openings = openings_of(a_set(tmp_path, now))
    assert openings is not None
    assert openings.of_these == 1


def test_labels_used_before_their_examples_were_held_out_count_as_used_held_out_labels(tmp_path: Path) -> None:
    whole = a_set(tmp_path, example("1", None, 0.2), example("2", None, 0.8))
    _, looks = open_test_labels(whole, by="improve --outside", at="2026-11-02", whole=True)
    assert (looks.of_these, looks.n) == (1, 2)
    parted = openings_of(a_set(tmp_path, example("1", "dev", 0.2), example("2", "test", 0.8)))
    assert parted is not None
    assert parted.of_these == 1, "a part held out afterwards was looked at then"


def test_each_use_of_held_out_labels_by_several_processes_at_once_gets_its_own_significance_level(
    tmp_path: Path,
) -> None:
    """Four processes look at the same labels five times each, and record a result each time: 20 looks at 20 levels."""
    code = """if True:
        import sys
        from pathlib import Path
        from markscheme.ratings.example_rows import Example
        from markscheme.ratings.examples import ExampleSet
        from markscheme.ratings.rating import Rating
        from markscheme.features.improve.look_records import open_test_labels, record_decision
        from markscheme.prompts.submission import Submission
        one = Example(Submission("…", {}, "1"), (Rating("1", "a", "human", overall=0.5),), split="test")
        examples = ExampleSet((one,), Path(sys.argv[1]) / "examples.jsonl")
        for number in range(5):
            looks = open_test_labels(
                examples, by="improve", at="2026-11-02", alpha=lambda place: 1 / place,
                wordings=(f"{sys.argv[2]} {number}",), judge="j",
            )[1]
            record_decision(examples, looks.all[-1], None)
    """
    running = [subprocess.Popen([sys.executable, "-c", code, tmp_path, str(who)]) for who in range(4)]
    assert [process.wait(timeout=300) for process in running] == [0] * 4
    looks = openings_of(a_set(tmp_path, example("1", "test")))
    assert looks is not None
    assert [look.alpha for look in looks.all] == [1 / place for place in range(1, 21)]
    assert all(look.decided for look in looks.all)


def test_recording_the_same_result_of_a_held_out_test_twice_leaves_its_record_unchanged(tmp_path: Path) -> None:
    examples = a_set(tmp_path, example("1", "test"))
    looks = open_test_labels(examples, by="improve", at="2026-11-02", wordings=("w",), judge="j")[1]
    record_decision(examples, looks.all[-1], None)
    text = (tmp_path / "opened.jsonl").read_text()
    record_decision(examples, looks.all[-1], None)
    assert (tmp_path / "opened.jsonl").read_text() == text
    with pytest.raises(RatingError, match="has no place for the answer"):
        record_decision(examples, looks.all[-1], "w")
