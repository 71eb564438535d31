"""Faults in the words that follow `pass-rate`."""

import json
from pathlib import Path
from typing import Any

import pytest

from markscheme.commands.call import call
from markscheme.errors import UsageError
from markscheme.features.pass_rate.gate_of_runs import NOT_KNOWN


@pytest.mark.parametrize(
    ("graded", "way_out"),
    [
        ({"pass": True}, 'its lines are like {"id": "a", "gold": true, "judge": true}'),
        ({"pass": True, "score": 0.5, "response": "Yes."}, 'its lines are like {"id": "a", "gold": true'),
        ({"pass": True, "response": "Yes."}, "`markscheme init --from graded.jsonl --judge pass` makes a"),
        (
            {"rater": "gpt", "kind": "model", "criteria": {"polite": "MET"}},
            "`markscheme calibrate RUBRIC --ratings graded.jsonl --json FILE` writes it",
        ),
    ],
)
def test_the_pass_rate_command_on_a_judge_s_verdicts_alone_says_that_labels_are_missing_and_how_to_get_labels(
    graded: dict[str, Any], way_out: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    varied = [{"pass": index % 4 > 0, "score": index % 4 / 4, "response": f"Reply {index}."} for index in range(40)]
    lines = [
        {**graded, "id": f"r{index}", **{key: value for key, value in line.items() if key in graded}}
        for index, line in enumerate(varied)
    ]
    (tmp_path / "graded.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(UsageError, match="`--calibration FILE` is missing: what annotators and the") as refused:
        call(["pass-rate", "graded.jsonl"])
    assert way_out in str(refused.value)


def test_a_file_of_decisions_on_responses_counts_as_one_run_unless_its_human_labels_are_chosen_instead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = [{"id": f"r{i}", "pass": i % 3 > 0, "response": f"Reply {i}."} for i in range(30)]
    Path("graded.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert call(["pass-rate", "graded.jsonl", "--at-least", "0.5", "--of", "pass"]) == NOT_KNOWN
    assert "1 run of 30 cases" in capsys.readouterr().out
    labelled = [line | {"human": "pass" if i % 4 else "fail"} for i, line in enumerate(lines)]
    Path("labelled.jsonl").write_text("".join(json.dumps(line) + "\n" for line in labelled))
    with pytest.raises(UsageError) as refused:
        call(["pass-rate", "labelled.jsonl", "--at-least", "0.5"])
    assert refused.value.code == "one-run"
    assert refused.value.choices == ("markscheme pass-rate labelled.jsonl --at-least 0.5 --human human",)


def test_the_pass_rate_command_refuses_the_drawn_option_for_several_runs_without_labels(tmp_path: Path) -> None:
    for name in ("one.jsonl", "two.jsonl"):
        (tmp_path / name).write_text("".join(json.dumps({"id": f"r{i}", "pass": i > 2}) + "\n" for i in range(9)))
    runs = [str(tmp_path / name) for name in ("one.jsonl", "two.jsonl")]
    with pytest.raises(UsageError, match="--drawn random says how labels were drawn, and these runs have none"):
        call(["pass-rate", *runs, "--at-least", "0.5", "--drawn", "random"])


def test_the_pass_rate_command_reports_a_missing_file_of_graded_responses() -> None:
    with pytest.raises(UsageError, match=r"f\.jsonl: there is no such file"):
        call(["pass-rate", "f.jsonl"])


def test_the_pass_rate_command_refuses_a_judge_that_would_have_to_be_asked_and_names_the_grade_command() -> None:
    words = ["pass-rate", "f.csv", "--rubric", "code-quality", "--judge", "anthropic", "--calibration", "c.json"]
    with pytest.raises(UsageError, match=r"`markscheme grade code-quality f.csv --judge anthropic --out graded\.csv`"):
        call(words)
