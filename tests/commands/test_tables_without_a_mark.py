"""`calibrate TABLE` where nothing says what passes: what its first screen asks, and what labels between levels cost."""

from collections.abc import Iterable
from pathlib import Path

from tests.commands.console import run
from tests.commands.test_calibrate_table import calibrated, table

SPLIT = (
    "On 20 of 60 examples annotators split and gold lies between two levels, where no judge agrees with it: at most "
    "67% can be reached. Have a third annotator label them, or adjudicate them."
)


def screen(folder: Path, *options: str) -> str:
    done = run("calibrate", "table.csv", *options, cwd=folder)
    assert done.stdout, done.stderr
    return " ".join(done.stdout.split())


def two_annotators(n: int, *, split: int) -> Iterable[str]:
    """Rows of a judge that answers as the first annotator, who differs by a level from the second on some."""
    for index in range(n):
        level = index % 4 + 1
        yield f"e{index},{level},{level},{level + (index < split)}"


def test_many_examples_whose_two_labels_differ_are_named_as_the_reason_why_no_judge_can_reach_the_target(
    tmp_path: Path,
) -> None:
    table(tmp_path, "id,judge,ann,ben", two_annotators(60, split=20))
    printed = screen(tmp_path, "--judge", "judge", "--human", "ann", "--human", "ben")
    assert SPLIT in printed
    assert "Label about" not in printed
    assert "the labels are what to work on" in printed
    report = calibrated(tmp_path, "--judge", "judge", "--human", "ann", "--human", "ben")[1]
    assert report["labels_needed"] is None
    assert SPLIT in report["because"]


def test_disagreement_of_two_annotators_on_many_examples_is_printed_as_the_reason_against_trends(
    tmp_path: Path,
) -> None:
    rows = [f"e{n},{1 if n >= 40 else n % 4 + 1},{n % 4 + 1},{n % 4 + 1 + (n < 20)}" for n in range(60)]
    table(tmp_path, "id,judge,ann,ben", rows)
    printed = screen(tmp_path, "--judge", "judge", "--human", "ann", "--human", "ben", "--pass-mark", "3")
    assert f"for trends. {SPLIT}" in printed


def test_the_report_does_not_mention_gold_scores_halfway_between_two_levels_if_only_one_example_has_one(
    tmp_path: Path,
) -> None:
    rows = [f"e{n},{1 if n % 3 else n % 4 + 1},{n % 4 + 1},{n % 4 + 1 + (n == 0)}" for n in range(60)]
    table(tmp_path, "id,judge,ann,ben", rows)
    assert "between two levels" not in screen(tmp_path, "--judge", "judge", "--human", "ann", "--human", "ben")


def test_a_judge_half_a_level_from_gold_agrees_if_the_tolerance_is_wider_than_half_a_level(
    tmp_path: Path,
) -> None:
    table(tmp_path, "id,judge,ann,ben", two_annotators(60, split=20))
    printed = screen(tmp_path, "--judge", "judge", "--human", "ann", "--human", "ben", "-o", "tolerance=0.15")
    assert "Use for trends, not for single decisions. Agreement 100%" in printed
    assert "worse than the rest" not in printed
    assert "the judge's level is less than 0.6 levels from gold" in printed


def test_a_judge_that_says_yes_to_a_fault_too_rarely_is_reported_as_such_and_not_as_severe(
    tmp_path: Path,
) -> None:
    rows = [f"e{n},{'yes' if n % 3 else 'no'},{'yes' if n % 6 in (2, 4, 5) else 'no'}" for n in range(96)]
    table(tmp_path, "id,human_hallucination,judge_hallucination", rows)
    printed = screen(tmp_path)
    assert "the judge says yes too rarely; it says yes on 50% of examples" in printed
    assert "severe" not in printed
    assert "Agreement: the judge's level is gold's, the labels'. Baseline: always the best single level." in printed
    assert "the judge is too lenient; it says no on 50% of examples" in screen(tmp_path, "--pass", "no")
    codes = [calibrated(tmp_path, *stated)[1]["findings"][0]["code"] for stated in ((), ("--pass", "no"))]
    assert codes == ["lenient", "lenient"]


def test_a_report_on_levels_without_a_pass_mark_does_not_call_them_categories(tmp_path: Path) -> None:
    table(tmp_path, "id,judge,ann,ben", two_annotators(60, split=0))
    printed = screen(tmp_path, "--judge", "judge", "--human", "ann", "--human", "ben", "--details")
    assert "Categories" not in printed
    assert "Nothing says which levels pass." in printed


def test_without_a_pass_mark_the_report_on_too_few_labels_says_that_the_judge_is_not_considered_for_a_gate(
    tmp_path: Path,
) -> None:
    table(tmp_path, "id,judge,ann,ben", two_annotators(12, split=0))
    printed = screen(tmp_path, "--judge", "judge", "--human", "ann", "--human", "ben")
    assert "Not enough labels to tell how good it is." in printed
    assert "even chance to say how good the judge is" in printed
    assert printed.count("can gate") == 1
    assert "whether it can gate isn't asked" in printed


def test_a_report_on_categories_says_that_agreement_alone_decides_about_the_gate(tmp_path: Path) -> None:
    words = ["red", "blue", "green"]
    table(tmp_path, "id,judge,ann,ben", (f"e{n},{w},{w},{w}" for n, w in ((n, words[n % 3]) for n in range(90))))
    printed = screen(tmp_path, "--judge", "judge", "--human", "ann", "--human", "ben")
    assert "Can gate." in printed
    assert "isn't asked" not in printed
    assert "Nothing says which categories pass, so agreement alone decides: `--pass VALUE`" in printed


def test_a_report_on_categories_asks_whether_the_judge_can_gate_even_if_it_is_not_shown_to_beat_the_baseline(
    tmp_path: Path,
) -> None:
    words = {3: "blue", 5: "green", 9: "blue"}
    rows = [f"e{n},{word},{word},{word}" for n, word in ((n, words.get(n, "red")) for n in range(40))]
    table(tmp_path, "id,judge,ann,ben", rows)
    printed = screen(tmp_path, "--judge", "judge", "--human", "ann", "--human", "ben")
    assert "not shown to beat the baseline" in printed
    assert "isn't asked" not in printed
    assert "read its answers, but" in printed


def test_a_pass_mark_outside_the_scale_by_which_every_response_would_pass_or_fail_is_refused(
    tmp_path: Path,
) -> None:
    table(tmp_path, "id,judge,human", (f"e{n},{n % 5 + 1},{n % 5 + 1}" for n in range(60)))
    for mark in ("0.8", "70"):
        done = run("calibrate", "table.csv", "--levels", "1-5", "--pass-mark", mark, cwd=tmp_path)
        assert (done.returncode, f"`--pass-mark {mark}` isn't on the scale, 1 to 5" in done.stderr) == (2, True)
    assert "False passes 0 of 36 fails" in screen(tmp_path, "--levels", "1-5", "--pass-mark", "4")
    scales = ("--scale", "judge=0-10", "--scale", "human=1-5", "--pass-mark", "3")
    done = run("calibrate", "table.csv", *scales, cwd=tmp_path)
    assert (done.returncode, "`--pass-mark 3` isn't on the scale, 0 to 1" in done.stderr) == (2, True)
