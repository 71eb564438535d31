"""`markscheme pass-rate` as a user runs it, on counts whose corrected rates are known."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.commands.console import run

COUNTS = {(True, True): 27, (True, False): 3, (False, True): 4, (False, False): 16}
"""People's and the judge's decisions on 50 labelled responses."""
STRATIFIED = (0.657046, 0.542427, 0.747537)
ROGAN_GLADEN = (0.714286, 0.576488, 0.885781)
approx = pytest.approx


def write(path: Path, lines: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def labels(path: Path, **more: Any) -> list[dict[str, Any]]:
    """The labelled responses l0 to l49, written to `path`."""
    decisions = [key for key, count in COUNTS.items() for _ in range(count)]
    lines = [{"id": f"l{i}", "gold": gold, "judge": judge, **more} for i, (gold, judge) in enumerate(decisions)]
    write(path, lines)
    return lines


def pool(path: Path, passes: int, n: int, *, among: list[dict[str, Any]] | None = None) -> None:
    """`n` graded responses, those labelled `among` them, of which `passes` pass."""
    lines = [{"id": line["id"], "pass": line["judge"]} for line in among or []]
    left = passes - sum(line["pass"] for line in lines)
    lines += [{"id": f"p{i}", "pass": i < left} for i in range(n - len(lines))]
    write(path, lines)


def rated(folder: Path, *options: str, status: int = 0) -> dict[str, Any]:
    done = run("markscheme", "pass-rate", "pool.jsonl", "--calibration", "labels.jsonl", "--json", *options, cwd=folder)
    assert done.returncode == status, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def limits(estimate: dict[str, Any]) -> tuple[float, float, float]:
    return estimate["value"], estimate["low"], estimate["high"]


def test_labels_drawn_by_the_judge_s_verdict_correct_the_pass_rate_as_two_strata(
    tmp_path: Path,
) -> None:
    labels(tmp_path / "labels.jsonl", drawn="by-verdict")
    pool(tmp_path / "pool.jsonl", 700, 1000)
    report = rated(tmp_path)
    assert limits(report["corrected"]) == approx(STRATIFIED, abs=6e-7)
    assert (report["raw"]["value"], report["drawn"], report["method"]) == (0.7, "by-verdict", "by verdict strata")


def test_by_default_labels_on_responses_of_the_graded_file_count_as_drawn_by_the_judge_s_verdict(
    tmp_path: Path,
) -> None:
    among = labels(tmp_path / "labels.jsonl")
    pool(tmp_path / "pool.jsonl", 700, 1000, among=among)
    report = rated(tmp_path)
    assert report["drawn"] == "by-verdict"
    assert limits(report["corrected"]) == approx(STRATIFIED, abs=6e-7)


@pytest.mark.parametrize("drawn", ["random", "by-verdict"])
def test_the_pass_rate_command_says_if_none_of_the_labelled_responses_is_in_the_graded_file(
    tmp_path: Path, drawn: str
) -> None:
    among = labels(tmp_path / "labels.jsonl", drawn=drawn)
    pool(tmp_path / "pool.jsonl", 640, 1000)
    report = rated(tmp_path)
    assert (report["labels"], report["labels_here"]) == (50, 0)
    assert report["assumed"].startswith("none of the labelled responses is graded here")
    assert "use --drawn elsewhere" in report["assumed"]
    done = run("markscheme", "pass-rate", "pool.jsonl", "--calibration", "labels.jsonl", cwd=tmp_path)
    assert report["assumed"][1:] in " ".join(done.stdout.split())
    pool(tmp_path / "pool.jsonl", 640, 1000, among=among)
    report = rated(tmp_path)
    assert report["labels_here"] == 50
    assert "none of the labelled" not in report["assumed"]


@pytest.mark.parametrize("more", [{}, {"drawn": "chosen"}])
def test_labels_on_responses_from_elsewhere_correct_the_pass_rate_by_the_judge_s_error_rates(
    tmp_path: Path, more: dict[str, Any]
) -> None:
    labels(tmp_path / "labels.jsonl", **more)
    pool(tmp_path / "pool.jsonl", 700, 1000)
    report = rated(tmp_path)
    assert report["drawn"] == "elsewhere"
    assert limits(report["corrected"]) == approx(ROGAN_GLADEN, abs=6e-7)


def test_a_model_s_verdicts_stored_on_examples_give_the_same_pass_rate_as_a_file_of_verdicts(
    tmp_path: Path,
) -> None:
    (tmp_path / "reply.yaml").write_text("name: reply\ncriteria: [{name: right, description: It is right.}]\n")
    labels(tmp_path / "labels.jsonl")
    pool(tmp_path / "pool.jsonl", 700, 1000)
    expected = rated(tmp_path)["corrected"]
    verdicts = [json.loads(line) for line in (tmp_path / "pool.jsonl").read_text().splitlines()]
    labelled = [
        {"id": line["id"], "response": "Hi.", "labels": [{"rater": "gpt", "kind": "model", "pass": line["pass"]}]}
        for line in verdicts
    ]
    write(tmp_path / "pool.jsonl", labelled)
    assert rated(tmp_path, "--rubric", "reply.yaml")["corrected"] == expected


def test_grouped_labels_of_other_responses_give_a_pass_rate_a_wider_interval_than_ungrouped_labels(
    tmp_path: Path,
) -> None:
    """A judge that errs on all five responses of 3 of 20 tasks: as `calibrate` of a table without responses says it."""
    rows = [(f"l{i}", f"task {i // 5}", i % 10 < 7, (i % 10 < 7) == (i >= 15)) for i in range(100)]
    words = {True: "pass", False: "fail"}
    pool(tmp_path / "pool.jsonl", 640, 1000)
    limits_of = {}
    for named in ("group", "batch_name"):
        lines = (f"{id},{task},{words[gold]},{words[judge]}\n" for id, task, gold, judge in rows)
        (tmp_path / "t.csv").write_text(f"id,{named},human,judge\n{''.join(lines)}")
        run("markscheme", "calibrate", "t.csv", "--json", "labels.jsonl", "--quiet", cwd=tmp_path)
        limits_of[named] = limits(rated(tmp_path, "--drawn", "elsewhere")["corrected"])
    (value, low, high), (same, least, most) = limits_of["batch_name"], limits_of["group"]
    assert same == approx(value)
    assert most - least > 1.3 * (high - low)


def test_with_labels_by_raters_of_unknown_kind_the_report_still_says_that_a_gate_needs_two_annotators(
    tmp_path: Path,
) -> None:
    labels(tmp_path / "labels.jsonl")
    pool(tmp_path / "pool.jsonl", 700, 1000)
    done = run("markscheme", "pass-rate", "pool.jsonl", "--calibration", "labels.jsonl", cwd=tmp_path)
    assert "For a gate, two annotators label each" in done.stdout


def test_if_no_response_is_graded_the_pass_rate_command_asks_for_no_labels(tmp_path: Path) -> None:
    labels(tmp_path / "labels.jsonl")
    (tmp_path / "pool.jsonl").write_text("")
    done = run("markscheme", "pass-rate", "pool.jsonl", "--calibration", "labels.jsonl", cwd=tmp_path)
    assert "--next 0" not in done.stdout


def test_labels_stated_as_random_are_refused_if_they_cannot_be_a_random_sample_of_the_responses(
    tmp_path: Path,
) -> None:
    among = labels(tmp_path / "labels.jsonl", drawn="random")
    pool(tmp_path / "pool.jsonl", 640, 1000, among=among)
    report = rated(tmp_path)
    assert report["drawn"] == "random"
    assert report["corrected"]["value"] == approx(0.64 * 27 / 31 + 0.36 * 3 / 19)
    pool(tmp_path / "pool.jsonl", 900, 1000, among=among)
    refused = rated(tmp_path, status=4)
    assert "a random part of the pool" in refused["corrected"]["undefined"]
    assert rated(tmp_path, "--drawn", "by-verdict")["corrected"]["value"] == approx(0.9 * 27 / 31 + 0.1 * 3 / 19)


def shown(folder: Path, *options: str) -> str:
    """What `pass-rate` prints of the pool and the labels in a folder, in one line."""
    done = run("markscheme", "pass-rate", "pool.jsonl", "--calibration", "labels.jsonl", *options, cwd=folder)
    return " ".join(done.stdout.split())


def test_a_report_that_refuses_labels_as_not_random_says_that_the_user_stated_random_labels(tmp_path: Path) -> None:
    among = labels(tmp_path / "labels.jsonl")
    pool(tmp_path / "pool.jsonl", 950, 1000, among=among)
    report = shown(tmp_path, "--drawn", "random")
    assert "the judge passed 62% of them and 97% of the rest" in report
    assert "The labels were said to be a random part of what is graded here." in report


def test_a_pass_rate_marked_approximate_is_printed_with_a_warning_sign_and_the_reason(tmp_path: Path) -> None:
    labels(tmp_path / "labels.jsonl")
    pool(tmp_path / "pool.jsonl", 999, 1000)
    report = shown(tmp_path, "--drawn", "elsewhere")
    assert "! People would pass 100% (95% CI 100–100) ~." in report
    assert "~ approximate: clipped from 1.141: the judge errs otherwise here than on the labels." in report


def test_ungraded_responses_count_as_neither_pass_nor_fail_in_a_pass_rate(tmp_path: Path) -> None:
    labels(tmp_path / "labels.jsonl", drawn="by-verdict")
    pool(tmp_path / "pool.jsonl", 700, 1000)
    with (tmp_path / "pool.jsonl").open("a") as file:
        file.write('{"id": "x", "pass": null}\n' * 7)
    report = rated(tmp_path)
    assert (report["not_graded"], report["raw"]["n"]) == (7, 1000)
    assert limits(report["corrected"]) == approx(STRATIFIED, abs=6e-7)
    pool(tmp_path / "pool.jsonl", 700, 1000)
    with (tmp_path / "pool.jsonl").open("a") as file:
        file.write('{"id": "x", "pass": null}\n')
    shown = run("markscheme", "pass-rate", "pool.jsonl", "--calibration", "labels.jsonl", cwd=tmp_path).stdout
    assert "1 response not graded, in no rate." in shown


def test_labels_of_responses_that_the_judge_left_ungraded_do_not_correct_the_pass_rate(
    tmp_path: Path,
) -> None:
    among = labels(tmp_path / "labels.jsonl")
    pool(tmp_path / "pool.jsonl", 700, 1000, among=among)
    of_all = rated(tmp_path)
    write(tmp_path / "labels.jsonl", [*among, *({"id": f"x{n}", "gold": True, "judge": True} for n in range(9))])
    with (tmp_path / "pool.jsonl").open("a") as file:
        file.writelines(json.dumps({"id": f"x{n}", "pass": None}) + "\n" for n in range(9))
    report = rated(tmp_path)
    assert (report["drawn"], report["labels"], report["labels_here"]) == ("by-verdict", 50, 50)
    assert report["corrected"] == of_all["corrected"]


@pytest.mark.parametrize(("ungraded", "status"), [(10, 0), (11, 5), (100, 5)])
@pytest.mark.parametrize("options", [(), ("--at-least", "0.1")])
def test_the_pass_rate_command_exits_5_if_over_a_tenth_of_the_responses_is_not_graded(
    options: tuple[str, ...], ungraded: int, status: int, tmp_path: Path
) -> None:
    labels(tmp_path / "labels.jsonl", drawn="by-verdict")
    pool(tmp_path / "pool.jsonl", 70 if ungraded < 100 else 0, 100 - ungraded)
    with (tmp_path / "pool.jsonl").open("a") as file:
        file.writelines(json.dumps({"id": f"x{n}", "pass": None}) + "\n" for n in range(ungraded))
    assert rated(tmp_path, *options, status=status)["not_graded"] == ungraded


def test_labels_drawn_by_strata_are_weighted_by_each_stratum_s_share_of_the_responses(tmp_path: Path) -> None:
    strata = {"clear": (36, 40, 900), "doubtful": (20, 40, 100)}
    write(
        tmp_path / "labels.jsonl",
        [
            {"id": f"{name}{i}", "gold": i < passed, "judge": True, "drawn": "chosen", "stratum": name}
            for name, (passed, n, _) in strata.items()
            for i in range(n)
        ],
    )
    write(
        tmp_path / "pool.jsonl",
        [{"id": f"{s}-{i}", "pass": True, "stratum": s} for s, (_, _, size) in strata.items() for i in range(size)],
    )
    report = rated(tmp_path)
    assert (report["drawn"], report["corrected"]["value"]) == ("by-stratum", approx(0.9 * 0.9 + 0.1 * 0.5))


def test_labels_drawn_with_unequal_probabilities_are_weighted(tmp_path: Path) -> None:
    lines = labels(tmp_path / "labels.jsonl", drawn="chosen")
    for line in lines:
        line["weight"] = 10 if line["gold"] == line["judge"] else 2
    write(tmp_path / "labels.jsonl", lines)
    pool(tmp_path / "pool.jsonl", 700, 1000)
    report = rated(tmp_path)
    assert report["drawn"] == "by-stratum"
    assert report["corrected"]["value"] == approx(0.7 * 270 / 278 + 0.3 * 6 / 166)


def test_if_labels_were_drawn_from_the_graded_file_with_known_chances_labels_of_other_responses_are_ignored(
    tmp_path: Path,
) -> None:
    lines = labels(tmp_path / "labels.jsonl", drawn="chosen", weight=20, stratum="all", draw="3f9a1c22")
    pool(tmp_path / "pool.jsonl", 700, 1000, among=lines)
    alone = rated(tmp_path)
    others = [{"id": f"other{i}", "gold": True, "judge": i % 3 > 0, "drawn": "random"} for i in range(200)]
    write(tmp_path / "labels.jsonl", lines + others)
    together = rated(tmp_path)
    assert (together["drawn"], together["labels"]) == ("by-stratum", 50)
    assert limits(together["corrected"]) == limits(alone["corrected"])


def test_if_only_passes_of_the_judge_are_labelled_the_pass_rate_command_exits_4_and_asks_for_labelled_fails(
    tmp_path: Path,
) -> None:
    write(tmp_path / "labels.jsonl", [{"id": "a", "gold": True, "judge": True, "drawn": "by-verdict"}] * 3)
    pool(tmp_path / "pool.jsonl", 700, 1000)
    report = rated(tmp_path, status=4)
    assert report["corrected"]["value"] is None
    assert "label some of the judge's fails" in report["corrected"]["undefined"]


@pytest.mark.parametrize(
    ("file", "line", "message"),
    [
        ("pool.jsonl", '{"id": "a"}', "pool.jsonl:1: `pass` is missing"),
        ("pool.jsonl", '{"pass": true}', "pool.jsonl:1: `id` is missing"),
        (
            "pool.jsonl",
            '{"next": {"count": 3}}',
            "isn't a plan that `label --plan --json` wrote: its pool is a list",
        ),
        ("pool.jsonl", '{"next": {"pool": ["a"]}}', "pool.jsonl: a response must be an object, got 'a'"),
        ("pool.jsonl", '{"next": {"pool": [{"id": "a"}]}}', "pool.jsonl: `pass` is missing"),
        ("pool.jsonl", '{"id": "a", "pass": 1}', "pool.jsonl:1: `pass` is true, false or null; found 1"),
        ("labels.jsonl", '{"id": "a", "gold": "yes", "judge": true}', "labels.jsonl:1: `gold` is true, false or null"),
        ("labels.jsonl", '{"id": "a", "gold": null, "judge": true}', "nothing that both people and the judge"),
        ("labels.jsonl", '{"id": "a", "gold": true, "judge": true, "weight": 0}', "`weight` is a number above 0"),
        ("labels.jsonl", '{"schema": 1, "rubric": {}}', "isn't a calibration that `calibrate --json` wrote"),
        ("labels.jsonl", "nonsense", "is not readable JSON"),
    ],
)
def test_the_pass_rate_command_reports_faults_by_file_and_line_and_exits_2(
    tmp_path: Path, file: str, line: str, message: str
) -> None:
    labels(tmp_path / "labels.jsonl")
    pool(tmp_path / "pool.jsonl", 700, 1000)
    (tmp_path / file).write_text(line + "\n")
    done = run("markscheme", "pass-rate", "pool.jsonl", "--calibration", "labels.jsonl", cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr


# --- groups ---------------------------------------------------------------------------------------------------------


def two_groups(folder: Path, own: int, *, status: int = 0) -> dict[str, Any]:
    """Two groups on the same tests, labels of the first `own` and the last `own` responses of each; the report."""
    verdicts = {"a": [True] * 320 + [False] * 80, "b": [True] * 280 + [False] * 120}
    rows = [
        {"id": f"{group}{i}", "unit": i, "pass": passed, "provider": group}
        for group, column in verdicts.items()
        for i, passed in enumerate(column)
    ]
    write(folder / "pool.jsonl", rows)
    labelled = [row for place, row in enumerate(rows) if place % 400 < own or place % 400 >= 400 - own]
    write(
        folder / "labels.jsonl",
        [
            {"id": row["id"], "gold": row["pass"] == (place % 5 > 0), "judge": row["pass"], "drawn": "by-verdict"}
            for place, row in enumerate(labelled)
        ],
    )
    return rated(folder, status=status)


def test_each_system_s_pass_rate_is_corrected_by_labels_of_that_system_and_the_corrected_rates_are_compared(
    tmp_path: Path,
) -> None:
    report = two_groups(tmp_path, own=20)
    assert set(report["groups"]) == {"a", "b"}
    for group, share in (("a", 0.8), ("b", 0.7)):
        assert report["groups"][group]["raw"]["value"] == approx(share)
        assert report["groups"][group]["corrected"]["value"] == approx(share * 0.8 + (1 - share) * 0.2)
        assert report["groups"][group]["own_labels"] == 40
    (difference,) = report["differences"]
    assert (difference["first"], difference["second"], difference["common"]) == ("a", "b", 400)
    assert difference["difference"]["value"] == approx(0.1 * 0.6)


def test_pass_rates_of_systems_with_too_few_labels_are_withheld_with_the_number_of_labels_still_needed(
    tmp_path: Path,
) -> None:
    report = two_groups(tmp_path, own=2, status=4)
    assert report["corrected"]["undefined"] == "8 labels, 2 more would show it"
    for group in report["groups"].values():
        assert (group["corrected"]["value"], group["own_labels"], group["needed"]) == (None, 4, 6)
        assert group["corrected"]["note"].startswith("withheld: 4 labels of its own, 6 more would show it")
    assert report["differences"][0]["difference"]["value"] is None
    text = run("markscheme", "pass-rate", "pool.jsonl", "--calibration", "labels.jsonl", cwd=tmp_path).stdout
    assert "4 labels of its own, 6 more would show it" in text


# --- calibrations and results ---------------------------------------------------------------------------------------


def calibrated(folder: Path) -> Path:
    """A calibration of a yes/no rubric on the counts, as `calibrate --json` writes it."""
    (folder / "rubrics").mkdir()
    (folder / "rubrics" / "polite.yaml").write_text("criteria:\n- {name: polite, requirement: It is polite}\n")
    (folder / "calibration" / "polite").mkdir(parents=True)
    decisions = [key for key, count in COUNTS.items() for _ in range(count)]
    word = {True: "MET", False: "UNMET"}
    write(
        folder / "calibration" / "polite" / "examples.jsonl",
        [
            {
                "id": f"l{i}",
                "response": f"r{i}",
                "drawn": "by-verdict",
                "labels": [{"rater": "a", "criteria": {"polite": word[gold]}}],
            }
            for i, (gold, _) in enumerate(decisions)
        ],
    )
    write(
        folder / "judge.jsonl",
        [{"id": f"l{i}", "judge": "j", "criteria": {"polite": word[judge]}} for i, (_, judge) in enumerate(decisions)],
    )
    run("calibrate", "polite", "--ratings", "judge.jsonl", "--json", "labels.jsonl", "--quiet", cwd=folder)
    return folder / "labels.jsonl"


@pytest.mark.proof
def test_the_pass_rate_command_takes_from_a_calibration_file_how_the_labels_were_drawn(tmp_path: Path) -> None:
    calibrated(tmp_path)
    pool(tmp_path / "pool.jsonl", 700, 1000)
    report = rated(tmp_path)
    assert report["drawn"] == "by-verdict"
    assert limits(report["corrected"]) == approx(STRATIFIED, abs=6e-7)


@pytest.mark.proof
def test_synthetic_labels_are_not_called_human(tmp_path: Path) -> None:
    path = calibrated(tmp_path)
    data = json.loads(path.read_text())
    data["raters"]["reference"] = "constructed"
    path.write_text(json.dumps(data))
    pool(tmp_path / "pool.jsonl", 700, 1000)
    done = run("markscheme", "pass-rate", "pool.jsonl", "--calibration", "labels.jsonl", cwd=tmp_path)
    assert "The labels (not human) would pass" in done.stdout
    assert rated(tmp_path)["reference"] == "constructed"


def test_a_calibration_report_reduced_to_its_documented_keys_is_enough_to_correct_a_pass_rate(tmp_path: Path) -> None:
    path = calibrated(tmp_path)
    data = json.loads(path.read_text())
    path.write_text(json.dumps({key: data[key] for key in ("schema", "overall", "false_passes", "false_fails")}))
    pool(tmp_path / "pool.jsonl", 700, 1000)
    report = rated(tmp_path)
    assert (report["drawn"], report["labels"]) == ("elsewhere", 50)
    assert limits(report["corrected"]) == approx(ROGAN_GLADEN, abs=6e-7)


def results(draw: np.random.Generator, n: int) -> dict[str, Any]:
    """Promptfoo's results of two prompts, as `promptfoo eval -o` writes them, shortened."""
    rows = []
    for test in range(n):
        for prompt in range(2):
            passed = bool(draw.random() < (0.8, 0.6)[prompt])
            verdict = {"pass": passed, "score": float(passed), "reason": "so", "assertion": {"type": "llm-rubric"}}
            rows.append(
                {
                    "testIdx": test,
                    "promptIdx": prompt,
                    "vars": {"question": f"q{test}"},
                    "prompt": {"raw": "…", "label": f"prompt {prompt}"},
                    "provider": {"id": "echo", "label": ""},
                    "response": {"output": f"{test}-{prompt}"},
                    "success": passed,
                    "score": float(passed),
                    "testCase": {"vars": {"question": f"q{test}"}},
                    "gradingResult": {**verdict, "componentResults": [verdict]},
                    "failureReason": int(not passed),
                }
            )
    return {"evalId": "eval-1", "results": {"version": 3, "timestamp": "2026-11-01T00:00:00Z", "results": rows}}


def test_pass_rates_of_promptfoo_s_results_are_given_for_each_prompt_and_provider(tmp_path: Path) -> None:
    labels(tmp_path / "labels.jsonl", drawn="by-verdict")
    (tmp_path / "results.json").write_text(json.dumps(results(np.random.default_rng(2), 200)))
    command = ["markscheme", "pass-rate", "results.json", "--calibration", "labels.jsonl"]
    report = json.loads(run(*command, "--json", cwd=tmp_path).stdout)
    assert report["raw"]["n"] == 400
    assert set(report["groups"]) == {"prompt 0 / echo", "prompt 1 / echo"}
    assert report["differences"][0]["common"] == 200
    text = run(*command, cwd=tmp_path).stdout
    assert text.startswith("Pass rate\n")
    assert "The judge alone passes" in text
    assert "prompt 0 / echo − prompt 1 / echo" in text


@pytest.mark.parametrize(("least", "status"), [(None, 0), (0.3, 0), (0.5, 4), (0.9, 1)])
def test_without_a_file_of_labels_the_expected_labels_of_promptfoo_s_tests_correct_a_pass_rate(
    least: float | None, status: int, tmp_path: Path
) -> None:
    of_judge = results(np.random.default_rng(2), 50)
    rows = of_judge["results"]["results"] = of_judge["results"]["results"][::2]
    for row in rows:
        row["testCase"]["metadata"] = {"expected_label": "pass" if row["testIdx"] < 26 else "fail"}
    (tmp_path / "results.json").write_text(json.dumps(of_judge))
    asked = [] if least is None else ["--at-least", str(least)]
    done = run("markscheme", "pass-rate", "results.json", *asked, "--json", cwd=tmp_path)
    report = json.loads(done.stdout)
    assert (done.returncode, report["labels"]) == (status, 50)
    assert report["corrected"]["value"] == approx(26 / 50)
    assert report["assumed"] == "every graded response is labelled"


def test_for_results_of_promptfoo_without_any_label_the_pass_rate_command_names_the_command_that_labels_them(
    tmp_path: Path,
) -> None:
    (tmp_path / "results.json").write_text(json.dumps(results(np.random.default_rng(2), 50)))
    done = run("markscheme", "pass-rate", "results.json", cwd=tmp_path)
    assert (done.returncode, "`markscheme label results.json`" in done.stderr) == (2, True)


def test_in_a_partly_labelled_file_labels_are_assumed_to_be_drawn_by_the_judge_s_verdict(
    tmp_path: Path,
) -> None:
    of_judge = results(np.random.default_rng(2), 50)
    for row in of_judge["results"]["results"][:60]:
        row["testCase"]["metadata"] = {"expected_label": "pass" if row["testIdx"] % 3 else "fail"}
    (tmp_path / "results.json").write_text(json.dumps(of_judge))
    report = json.loads(run("markscheme", "pass-rate", "results.json", "--json", cwd=tmp_path).stdout)
    assert (report["labels"], report["assumed"][:20]) == (60, "labels were drawn se")


@pytest.mark.parametrize("asked", [("--of", "pass"), ("--runs-in-ci", "2")])
def test_an_option_adds_the_risk_that_ci_fails_by_chance_to_the_pass_rate_report_on_labelled_runs(
    asked: tuple[str, str], tmp_path: Path
) -> None:
    of_judge = results(np.random.default_rng(2), 50)
    rows = of_judge["results"]["results"]
    for row in rows:
        row["testCase"]["metadata"] = {"expected_label": "pass"}
    of_judge["results"]["results"] = rows * 3
    (tmp_path / "results.json").write_text(json.dumps(of_judge))
    done = run("markscheme", "pass-rate", "results.json", "--at-least", "0.3", *asked, "--json", cwd=tmp_path)
    report = json.loads(done.stdout)
    assert ("p_fail" in report, "corrected" in report) == (True, False)
    assert report["runs"] == 3


def test_the_pass_rate_command_gives_the_same_figures_for_verdicts_and_labels_in_two_tables_as_in_one(
    tmp_path: Path,
) -> None:
    rows = [(f"t{row}", row % 3 > 0, row % 3 > 0 or row % 10 == 0) for row in range(90)]
    (tmp_path / "judge.csv").write_text("id,verdict\n" + "".join(f"{id},{int(judge)}\n" for id, judge, _ in rows))
    (tmp_path / "ann.csv").write_text("id,label\n" + "".join(f"{id},{int(human)}\n" for id, _, human in rows[:80]))
    both = "".join(f"{id},{int(judge)},{int(human)}\n" for id, judge, human in rows[:80])
    (tmp_path / "both.csv").write_text(f"id,verdict,label\n{both}")
    joined = run("markscheme", "pass-rate", "judge.csv", "ann.csv", "--json", cwd=tmp_path)
    alone = run("markscheme", "pass-rate", "both.csv", "--json", cwd=tmp_path)
    assert (joined.returncode, json.loads(joined.stdout)) == (0, json.loads(alone.stdout))
    assert "80 rows joined; left out, since another file lacks them: 10 of judge" in joined.stderr
    runs = run("markscheme", "pass-rate", "judge.csv", "both.csv", "judge.csv", cwd=tmp_path)
    assert runs.returncode == 2
    (tmp_path / "again.csv").write_text((tmp_path / "judge.csv").read_text())
    runs = run("markscheme", "pass-rate", "judge.csv", "again.csv", cwd=tmp_path)
    assert (runs.returncode, "several files are runs over the same cases" in runs.stderr) == (2, True)
