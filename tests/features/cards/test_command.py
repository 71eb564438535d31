"""`markscheme verify`, as a user and as CI run it; and the receipts that name a card."""

import json
from pathlib import Path

import pytest

from markscheme.features.cards.card import JudgeCard
from tests.commands import scripted_setting as setting
from tests.commands.console import run


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A project whose judge gates by an accepted run."""
    folder = setting.make_setting(tmp_path / "here")
    command = ("calibrate", "clear", "--judge", setting.JUDGE, "--accept", "--samples", "2", "--quiet")
    done = run(*command, cwd=folder, env=setting.environment(folder))
    assert done.returncode == 0, done.stderr
    return folder


def test_a_judge_card_passes_verification_also_after_the_project_s_folder_was_moved(here: Path, tmp_path: Path) -> None:
    asked_before = setting.calls(here)
    done = run("markscheme", "verify", "calibration/clear/card.json", cwd=here)
    assert (done.returncode, "The card is right." in done.stdout) == (0, True), done.stdout
    here.rename(tmp_path / "moved")
    from_elsewhere = run("markscheme", "verify", "moved/calibration/clear", cwd=tmp_path)
    assert from_elsewhere.returncode == 0, from_elsewhere.stdout
    assert setting.calls(tmp_path / "moved") == asked_before, "verifying asks nobody"


def test_a_difference_between_a_judge_card_and_its_files_is_shown_with_both_values(here: Path) -> None:
    setting.ask_strictly(here)
    done = run("markscheme", "verify", "calibration/clear", "--json", cwd=here)
    assert done.returncode == 1
    report = json.loads(done.stdout)
    assert (report["holds"], report["recomputed"], report["rubric"]) == (False, True, "clear")
    by_place = {difference["what"]: difference for difference in report["differences"]}
    assert "../../rubrics/clear.yaml" in by_place
    rubric = by_place["rubric › fingerprint"]
    assert rubric["card"] != rubric["now"]


def test_the_calibration_receipt_in_the_json_of_a_grade_has_the_id_of_the_judge_card(here: Path) -> None:
    (here / "answer.txt").write_text("answer 7: tone=3 facts=4", encoding="utf-8")
    command = ("markscheme", "grade", "clear", "answer.txt", "--judge", setting.JUDGE, "--json")
    receipt = json.loads(run(*command, cwd=here, env=setting.environment(here)).stdout)["receipt"]
    card = json.loads((here / "calibration" / "clear" / "card.json").read_text())
    assert receipt["card"] == card["id"]


@pytest.mark.parametrize(
    ("name", "answered_by", "line"),
    [
        ("recorded:claude, claude 4", ["claude 4"], "recorded:claude, claude 4, live"),
        ("openai:gpt", ["gpt-2026", "gpt"], "openai:gpt (gpt-2026), live"),
    ],
)
def test_a_judge_card_names_the_model_that_answered_only_if_the_judge_s_name_does_not_end_with_it(
    here: Path, name: str, answered_by: list[str], line: str
) -> None:
    content = json.loads((here / "calibration" / "clear" / "card.json").read_text())
    judge = {**content["judge"], "name": name, "answered_by": answered_by}
    card = JudgeCard({**content, "judge": judge}, here / "card.json")
    assert f"- Judge: {line}\n" in card.to_markdown()


def test_a_file_that_is_not_a_judge_card_is_refused(here: Path) -> None:
    for name in ("calibration/clear/accepted.json", "rubrics/clear.yaml", "missing.json"):
        assert run("markscheme", "verify", name, cwd=here).returncode == 2, name


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('"value": ', '"value": NaN, "was": ', "NaN is not a JSON number"),
        ('"accepted-', f'"accepted-{"0" * 1_000}', "is no file here"),
        ('"accepted-', '"accepted-\\u0000', "is no file here"),
    ],
)
def test_the_error_on_an_impossible_number_or_file_name_in_a_judge_card_names_the_card_s_file(
    here: Path, old: str, new: str, why: str
) -> None:
    card = here / "calibration" / "clear" / "card.json"
    card.write_text(card.read_text().replace(old, new, 1))
    done = run("markscheme", "verify", "calibration/clear", cwd=here)
    assert done.returncode == 2
    assert "calibration/clear/card.json: " in done.stderr
    assert why in done.stderr


@pytest.mark.proof
def test_the_judge_card_of_a_changed_judge_that_was_accepted_anyway_permits_no_use_and_passes_verification(
    here: Path,
) -> None:
    setting.set_judge(here, tone=2)
    command = ("calibrate", "clear", "--judge", setting.JUDGE, "--accept", "--force", "-o", "cache=off", "--quiet")
    assert run(*command, cwd=here, env=setting.environment(here)).returncode == 1
    card = json.loads((here / "calibration" / "clear" / "card.json").read_text())
    assert (card["use"], card["verdict"]) == ("none", "adjust")
    done = run("markscheme", "verify", "calibration/clear", cwd=here)
    assert done.returncode == 0, done.stdout


@pytest.mark.proof
def test_a_judge_card_is_written_next_to_the_accepted_run_in_whatever_folder_the_run_is_kept(here: Path) -> None:
    home = here / "calibration" / "clear"
    assert [path.name for path in sorted(home.glob("*card*"))] == ["card.json", "card.md"]
    command = ("calibrate", "clear", "--judge", setting.JUDGE, "--accept", "-o", "accepted=kept/mine.json", "--quiet")
    assert run(*command, cwd=here, env=setting.environment(here)).returncode == 0
    (ratings,) = (here / "kept").glob("mine-*.jsonl")
    names = {"mine.json", "mine.card.json", "mine.card.md", ratings.name}
    assert {path.name for path in (here / "kept").iterdir()} == names
    assert run("markscheme", "verify", "kept/mine.card.json", cwd=here).returncode == 0


def test_a_judge_card_counts_the_examples_with_two_annotators_if_all_other_examples_have_one_annotator(
    here: Path,
) -> None:
    home = here / "calibration" / "clear"
    of_one = json.loads((home / "card.json").read_text())
    examples = [json.loads(line) for line in (home / "examples.jsonl").read_text().splitlines()]
    for ordinal, example in enumerate(examples):
        label = example["labels"][0]
        example["labels"] = [label, {**label, "rater": "second"}] if 3 * ordinal < 2 * len(examples) else [label]
    (home / "examples.jsonl").write_text("".join(json.dumps(example) + "\n" for example in examples))
    command = ("calibrate", "clear", "--judge", setting.JUDGE, "--accept", "--force", "--quiet")
    run(*command, cwd=here, env=setting.environment(here))
    card = json.loads((home / "card.json").read_text())
    twice = card["labels"]["labelled_twice"]
    assert 0 < twice < len(examples)
    assert f"labels of one annotator, of several on {twice} examples" in (home / "card.md").read_text()
    assert run("markscheme", "verify", "calibration/clear", cwd=here).returncode == 0
    assert "labelled_twice" not in of_one["labels"]
