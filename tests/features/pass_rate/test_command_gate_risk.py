"""`markscheme pass-rate RUN RUN --at-least T` as a user runs it, on runs of ours and of the real Promptfoo."""

import json
import random
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.commands.console import run
from tests.promptfoo.answering import evaluate, rows

approx = pytest.approx
VARYING = "({pass: true, score: 0.5 + 0.4 * Math.random(), reason: 'drawn'})"


def graded(folder: Path, number: int, *, cases: int = 30, **last: Any) -> str:
    """A file of graded cases, whose scores vary from run to run; `last` replaces keys of the last case."""
    draw = random.Random(number)
    scores = [round(0.5 + n / 100 + draw.gauss(0, 0.05), 3) for n in range(cases)]
    lines: list[dict[str, Any]] = [
        {"id": f"c{n}", "score": score, "pass": score >= 0.6} for n, score in enumerate(scores)
    ]
    lines[-1] |= last
    (folder / f"run{number}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return f"run{number}.jsonl"


def scored(folder: Path, *runs: Sequence[float]) -> list[str]:
    """Files of runs over the same cases, each with the scores of one run."""
    files = [f"run{number}.jsonl" for number in range(len(runs))]
    for file, scores in zip(files, runs, strict=True):
        lines = [{"id": f"c{n}", "score": score, "pass": True} for n, score in enumerate(scores)]
        (folder / file).write_text("".join(json.dumps(line) + "\n" for line in lines))
    return files


def risk(folder: Path, *files: str, threshold: str = "0.55", more: tuple[str, ...] = (), status: int = 0) -> Any:
    done = run("markscheme", "pass-rate", *files, "--at-least", threshold, *more, "--json", cwd=folder)
    assert done.returncode == status, done.stderr + done.stdout
    return json.loads(done.stdout) if status in (0, 1, 4) and done.stdout else done.stderr


def test_the_risk_that_ci_fails_by_chance_is_computed_from_several_files_of_repeated_runs(
    tmp_path: Path,
) -> None:
    files = [graded(tmp_path, number) for number in range(3)]
    report = risk(tmp_path, *files)
    scores = [json.loads(line)["score"] for file in files for line in (tmp_path / file).read_text().splitlines()]
    assert (report["schema"], report["runs"], report["cases"], report["dropped"]) == (1, 3, 30, 0)
    assert report["center"] == approx(sum(scores) / len(scores))
    assert report["p_fail"]["value"] < 0.05
    assert report["advice"]["threshold"] == report["safe_threshold"]
    near = risk(tmp_path, *files, threshold=f"{report['center'] - 0.002:.3f}", status=1)
    assert near["p_fail"]["value"] > 0.05
    averaged = risk(tmp_path, *files, threshold="0.625", more=("--runs-in-ci", "9"))
    assert averaged["p_fail"]["value"] < risk(tmp_path, *files, threshold="0.625", status=1)["p_fail"]["value"]


def test_the_reported_risk_that_ci_fails_by_chance_allows_for_the_error_of_the_observed_mean(tmp_path: Path) -> None:
    """Three runs have a mean of 0.641. Taken for exact, the gate at 0.62 fails in under 5 of 100 runs."""
    files = [graded(tmp_path, number) for number in range(3)]
    near = risk(tmp_path, *files, threshold="0.62", status=1)
    assert near["p_fail"]["value"] < 0.05 < near["p_fail_wide"]
    assert f"fail in {near['p_fail_wide']:.0%} of runs though" in near["because"]
    assert near["p_fail"]["low"] < near["p_fail_wide"] < near["p_fail"]["high"]


def test_the_reported_risk_that_ci_fails_by_chance_is_no_smaller_than_the_number_of_repeated_runs_can_show(
    tmp_path: Path,
) -> None:
    files = [graded(tmp_path, number) for number in range(3)]
    rare = risk(tmp_path, *files, threshold="0.4")
    assert rare["p_fail_wide"] < 0.001
    assert "less than 2% of runs though" in rare["because"]
    done = run("markscheme", "pass-rate", *files, "--at-least", "0.4", "--details", cwd=tmp_path)
    words = " ".join(done.stdout.split())
    assert "3 runs can't show how much less." in words
    assert "false alarms: under 2%" in words


@pytest.mark.parametrize("suffix", [".json", ".txt", ".out", ".csv", ""])
def test_the_pass_rate_command_reads_the_output_of_grade_whatever_the_file_is_called(
    tmp_path: Path, suffix: str
) -> None:
    files = [graded(tmp_path, number) for number in range(3)]
    expected = risk(tmp_path, *files, threshold="0.5")
    others = []
    for number, file in enumerate(files):
        grades = [json.loads(line) for line in (tmp_path / file).read_text().splitlines()]
        lines = [json.dumps({**grade, "criteria": {}, "receipt": None, "error": None}) for grade in grades]
        others.append(f"grades{number}{suffix}")
        (tmp_path / others[-1]).write_text("\n".join(lines) + "\n")
    assert risk(tmp_path, *others, threshold="0.5") == expected


def test_json_lines_are_read_from_a_file_named_json_and_a_missing_key_is_reported_with_its_line(
    tmp_path: Path,
) -> None:
    (tmp_path / "odd.json").write_text('{"id": "a", "points": 1}\n{"id": "b", "points": 1}\n')
    assert "odd.json:1: `pass` is missing" in risk(tmp_path, "odd.json", graded(tmp_path, 1), status=2)


def turns(folder: Path) -> list[str]:
    """Two runs of 6 conversations with 5 turns each, which a run moves together; the groups stand in examples."""
    names = []
    for number in range(2):
        draw = random.Random(number)
        moved = [draw.gauss(0, 0.08) for _ in range(6)]
        lines = [
            {"id": f"c{n}", "score": round(0.6 + n % 7 / 100 + moved[n // 5] + draw.gauss(0, 0.02), 3)}
            for n in range(30)
        ]
        names.append(f"turns{number}.jsonl")
        (folder / names[-1]).write_text("".join(json.dumps({**line, "receipt": None}) + "\n" for line in lines))
    examples = [{"id": f"c{n}", "response": "…", "group": f"conversation {n // 5}"} for n in range(30)]
    (folder / "examples.jsonl").write_text("".join(json.dumps(example) + "\n" for example in examples))
    (folder / "place.yaml").write_text("criteria:\n- name: polite\n  description: It is polite.\n")
    return names


def test_the_risk_that_ci_fails_by_chance_allows_for_cases_of_one_group_varying_together(tmp_path: Path) -> None:
    files = turns(tmp_path)
    alone = risk(tmp_path, *files, threshold="0.55", more=("--rubric", "place.yaml"))
    grouped = ("--rubric", "place.yaml", "--examples", "examples.jsonl")
    together = risk(tmp_path, *files, threshold="0.55", more=grouped, status=1)
    assert together["p_fail_wide"] > 2 * alone["p_fail_wide"]
    done = run("markscheme", "pass-rate", *files, "--at-least", "0.55", *grouped, cwd=tmp_path)
    assert "2 runs of 30 cases in 6 groups" in done.stdout


def test_the_report_says_that_few_groups_show_little_about_the_risk_that_ci_fails_by_chance(tmp_path: Path) -> None:
    files = turns(tmp_path)
    text = (tmp_path / "examples.jsonl").read_text()
    for number in (3, 4, 5):
        text = text.replace(f"conversation {number}", "conversation 0")
    (tmp_path / "examples.jsonl").write_text(text)
    grouped = ("--rubric", "place.yaml", "--examples", "examples.jsonl")
    done = run("markscheme", "pass-rate", *files, "--at-least", "0.5", *grouped, cwd=tmp_path)
    assert "3 groups of cases can't show how much the cases of a group vary together" in " ".join(done.stdout.split())


def test_the_pass_rate_command_refuses_the_examples_option_without_the_rubric_option(tmp_path: Path) -> None:
    files = turns(tmp_path)
    assert "--examples needs --rubric" in risk(tmp_path, *files, more=("--examples", "examples.jsonl"), status=2)


def test_the_risk_that_ci_fails_by_chance_can_be_computed_for_the_pass_rate_instead_of_the_mean_score(
    tmp_path: Path,
) -> None:
    files = [graded(tmp_path, number) for number in range(3)]
    report = risk(tmp_path, *files, threshold="0.3", more=("--of", "pass"))
    passes = [json.loads(line)["pass"] for file in files for line in (tmp_path / file).read_text().splitlines()]
    assert report["center"] == approx(sum(passes) / len(passes))


def test_a_single_run_is_not_enough_to_compute_the_risk_that_ci_fails_by_chance(tmp_path: Path) -> None:
    report = risk(tmp_path, graded(tmp_path, 1), status=4)
    assert report["p_fail"]["value"] is None
    assert "repeat it without a cache" in report["because"]


@pytest.mark.parametrize("repeats", [1, 3])
def test_if_runs_are_identical_or_only_one_is_given_the_printed_command_repeats_runs_without_a_cache(
    repeats: int, tmp_path: Path
) -> None:
    done = run("markscheme", "pass-rate", *[graded(tmp_path, 1)] * repeats, "--at-least", "0.55", cwd=tmp_path)
    assert done.returncode == 4
    assert "MARKSCHEME_NO_CACHE=1 npx promptfoo eval --repeat 6 --no-cache -o results.json\n" in done.stdout


def test_no_risk_that_ci_fails_by_chance_is_estimated_from_identical_runs_since_a_cache_is_suspected(
    tmp_path: Path,
) -> None:
    file = graded(tmp_path, 1)
    report = risk(tmp_path, file, file, status=4)
    assert "cache" in report["because"]


def test_an_ungraded_case_is_counted_and_left_out_of_the_estimated_risk_that_ci_fails_by_chance(tmp_path: Path) -> None:
    files = [graded(tmp_path, 1), graded(tmp_path, 2, score=None, error="refused")]
    assert (risk(tmp_path, *files)["cases"], risk(tmp_path, *files)["dropped"]) == (29, 1)


def test_no_risk_that_ci_fails_by_chance_is_computed_if_many_cases_are_ungraded(tmp_path: Path) -> None:
    files = [graded(tmp_path, 1, cases=5), graded(tmp_path, 2, cases=5, score=None)]
    assert "1 of 5 cases are not graded" in risk(tmp_path, *files, status=5)


@pytest.mark.parametrize("score", ["NaN", "1.5", '"high"'])
def test_an_invalid_score_in_a_file_of_runs_is_refused_with_its_line(tmp_path: Path, score: str) -> None:
    (tmp_path / "odd.jsonl").write_text('{"id": "a", "score": 0.5}\n{"id": "b", "score": ' + score + "}\n")
    assert "odd.jsonl:2" in risk(tmp_path, "odd.jsonl", graded(tmp_path, 1), status=2)


def test_files_of_runs_over_different_cases_are_refused_as_repeated_runs(tmp_path: Path) -> None:
    files = [graded(tmp_path, 1), graded(tmp_path, 2)]
    text = (tmp_path / files[1]).read_text()
    (tmp_path / files[1]).write_text(text.replace('"c', '"other-'))
    assert "different cases" in risk(tmp_path, *files, status=2)


def test_a_threshold_of_80_for_ci_is_refused_with_the_suggestion_0_8(tmp_path: Path) -> None:
    assert "did you mean 0.8" in risk(tmp_path, graded(tmp_path, 1), threshold="80", status=2)


def test_the_pass_rate_command_reads_several_json_files_of_an_experiment_as_repeated_runs(tmp_path: Path) -> None:
    for number in range(2):
        draw = random.Random(number)
        outputs = [{"variant": "v", "case": f"c{n}", "score": draw.random(), "pass": True} for n in range(12)]
        (tmp_path / f"e{number}.json").write_text(json.dumps({"schema": 1, "outputs": outputs}))
    assert risk(tmp_path, "e0.json", "e1.json", threshold="0.2")["cases"] == 12


def test_the_report_of_pass_rate_states_in_words_the_risk_that_ci_fails_by_chance(tmp_path: Path) -> None:
    files = [graded(tmp_path, number) for number in range(3)]
    done = run("markscheme", "pass-rate", *files, "--at-least", "0.64", cwd=tmp_path, env={"COLUMNS": "80"})
    report = risk(tmp_path, *files, threshold="0.64", status=done.returncode)
    words = " ".join(done.stdout.split())
    assert report["because"] in words
    assert f"{report['safe_threshold'] - 0.005:.2f}" in words
    assert "evaluateOptions" in done.stdout


def test_the_report_on_two_runs_says_that_more_runs_are_needed_to_advise_how_many_runs_to_average(
    tmp_path: Path,
) -> None:
    files = scored(tmp_path, [0.90, 0.80, 0.85, 0.81, 0.86], [0.80, 0.72, 0.70, 0.78, 0.74])
    done = run("markscheme", "pass-rate", *files, "--at-least", "0.79", cwd=tmp_path)
    words = " ".join(done.stdout.split())
    assert "doesn't help" not in words
    assert "2 runs are too few to say how many to average" in words
    assert "run the cases 5 to 8 times (`npx promptfoo eval --repeat 6`) and ask again" in words
    report = risk(tmp_path, *files, threshold="0.79", status=done.returncode)
    assert isinstance(report["safe_threshold"], float)
    assert report["advice"]["runs"] is None


def test_if_two_runs_are_too_few_to_advise_a_threshold_the_report_advises_more_runs_instead(
    tmp_path: Path,
) -> None:
    files = scored(tmp_path, [0.99, 0.4, 0.95, 0.3, 0.96], [0.3, 0.9, 0.4, 0.85, 0.35])
    done = run("markscheme", "pass-rate", *files, "--at-least", "0.6", cwd=tmp_path)
    words = " ".join(done.stdout.split())
    assert "2 runs can't show a usable threshold: run the cases 5 to 8 times" in words
    assert "Use a threshold" not in words
    assert "PROMPTFOO" not in words
    assert ">= 0" not in words
    assert "MARKSCHEME_NO_CACHE=1 npx promptfoo eval --repeat 6 --no-cache -o results.json" in words


@pytest.mark.usefixtures("promptfoo")
@pytest.mark.proof
def test_results_of_promptfoo_s_repeat_option_are_read_as_repeated_runs(tmp_path: Path, runtime: Path) -> None:
    outputs = [f"answer {n}" for n in range(6)]
    made = evaluate(tmp_path, "", outputs, [{"type": "javascript", "value": VARYING}], args=("--repeat", "3"))
    scores = [row["score"] for row in rows(made)]
    assert len(scores) == 18
    (tmp_path / "results.json").write_text(json.dumps(made.results))
    report = risk(tmp_path, "results.json", threshold="0.2")
    assert (report["runs"], report["cases"]) == (3, 6)
    assert report["center"] == approx(sum(scores) / 18)
    one = [json.loads(json.dumps(made.results)) for _ in range(3)]
    for number, results in enumerate(one):
        ordered = sorted(results["results"]["results"], key=lambda row: row["testIdx"])
        results["results"]["results"] = [row for n, row in enumerate(ordered) if n % 3 == number]
        (tmp_path / f"one{number}.json").write_text(json.dumps(results))
    assert risk(tmp_path, "one0.json", "one1.json", "one2.json", threshold="0.2")["p_fail"] == report["p_fail"]


def test_the_removed_gate_risk_command_names_the_pass_rate_command_that_replaces_it(tmp_path: Path) -> None:
    done = run("markscheme", "gate-risk", "my run.json", "--threshold", "0.8", "--of", "pass", cwd=tmp_path)
    assert done.returncode == 2
    assert "markscheme pass-rate 'my run.json' --at-least 0.8 --of pass" in " ".join(done.stderr.split())


def test_how_often_ci_fails_by_chance_is_not_estimated_from_one_run_and_the_error_suggests_a_command(
    tmp_path: Path,
) -> None:
    lines = [f"t{n},{'pass' if n % 3 else 'fail'},{'pass' if n % 4 else 'fail'}" for n in range(30)]
    (tmp_path / "t.csv").write_text("\n".join(["id,verdict,human", *lines]))
    refused = run("markscheme", "pass-rate", "t.csv", "--at-least", "0.5", "--judge", "verdict", "--json", cwd=tmp_path)
    error = json.loads(refused.stdout)["error"]
    assert (refused.returncode, error["code"], error["columns"]) == (2, "one-run", ["verdict"])
    (offered,) = error["commands"]
    answered = run(*shlex.split(offered), "--json", cwd=tmp_path)
    assert (answered.returncode, json.loads(answered.stdout)["answer"]) == (0, "above")


def test_two_tables_of_different_responses_are_refused_with_the_command_that_names_one_as_the_labels(
    tmp_path: Path,
) -> None:
    (tmp_path / "production.csv").write_text("id,judge\n" + "".join(f"p{n},pass\n" for n in range(20)))
    (tmp_path / "labels.csv").write_text("id,judge,label\n" + "".join(f"l{n},pass,pass\n" for n in range(20)))
    done = run("markscheme", "pass-rate", "production.csv", "labels.csv", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.endswith(": markscheme pass-rate production.csv --calibration labels.csv\n")
