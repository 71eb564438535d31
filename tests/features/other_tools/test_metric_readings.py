"""Each metric of an export has one reading, whoever rated: its numbers or its words; unnamed people are not one."""

import json
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.commands.console import run
from tests.readers import exports

UNITS = tuple(f"p{number}" for number in range(60))
MetricValue = tuple[str | None, float | None]
"""A word and a number; None where the tool keeps none."""
TOOLS = ("langfuse", "phoenix", "langsmith")


def scores_of(
    tool: str, unit: str, rater: str, given: MetricValue, *, named: bool = True, at: int = 0
) -> dict[str, Any]:
    """Return the record that a tool keeps of one rating of the metric `ok`."""
    word, number = given
    is_judge = rater == "judge"
    name = rater if named and not is_judge else ""
    time = f"2026-01-02T09:0{at}:00Z"
    if tool == "phoenix":
        return {
            "id": f"{rater}{at}{unit}", "name": "ok", "annotator_kind": "LLM" if is_judge else "HUMAN",
            "identifier": name, "span_id": unit, "updated_at": time,
            "result": {"label": word, "score": number, "explanation": ""},
        }  # fmt: skip
    if tool == "langfuse":
        return {
            "id": f"{rater}{at}{unit}", "traceId": unit, "source": "EVAL" if is_judge else "ANNOTATION", "name": "ok",
            "dataType": "CATEGORICAL", "value": number, "stringValue": word, "comment": "", "authorUserName": name,
            "timestamp": time,
        }  # fmt: skip
    source = {"type": "model" if is_judge else "app", "user_name": name}
    return {
        "id": f"{rater}{at}{unit}", "run_id": unit, "key": "ok", "comment": "", "created_at": time,
        "feedback_source": source, "score": number, "value": word,
    }  # fmt: skip


def texts_of(tool: str, unit: str) -> dict[str, Any]:
    """Return the record that a tool keeps of one response."""
    if tool == "phoenix":
        attributes = {"input.value": "q", "output.value": f"Reply {unit}"}
        return {"context": {"span_id": unit}, "span_kind": "CHAIN", "status_code": "OK", "attributes": attributes}
    if tool == "langfuse":
        return {
            "id": unit, "timestamp": "2026-01-02T09:00:00Z", "name": "a", "input": "q", "output": f"Reply {unit}",
            "metadata": {},
        }  # fmt: skip
    return {"id": unit, "run_type": "chain", "inputs": {"question": "q"}, "outputs": {"output": f"Reply {unit}"}}


def exported(folder: Path, tool: str, human: Sequence[MetricValue], judge: Sequence[MetricValue]) -> list[str]:
    """Write an export in which ann and a judge rated each of 60 responses."""
    sides = (("ann", human), ("judge", judge))
    scores = [scores_of(tool, unit, who, given[at]) for at, unit in enumerate(UNITS) for who, given in sides]
    exports.written(folder, {"scores.json": scores, "texts.json": [texts_of(tool, unit) for unit in UNITS]})
    return ["scores.json", "texts.json"]


def cycled(*given: MetricValue) -> list[MetricValue]:
    return [given[at % len(given)] for at in range(len(UNITS))]


REVERSED = (("yes", 0.0), ("no", 1.0), ("no", 1.0))
SWAPPED = (("wrong place", 0.0), ("right place", 1.0), ("right place", 1.0))
MIDDLE = (("fail", 0.0), ("partial", 1.0), ("pass", 2.0))
HALF = (("fail", 0.0), ("partial", 0.5), ("pass", 1.0))
ORDERED = (("poor", None), ("fair", None), ("excellent", None))

READINGS: dict[str, tuple[Sequence[MetricValue], Sequence[MetricValue], float]] = {
    # "is there an error?": people give word and number, the judge the number alone
    "word-against-number": (cycled(*REVERSED), cycled(*((None, number) for _, number in REVERSED)), 1.0),
    # the judge's list of categories is in another order than people's
    "numbers-of-two-lists": (cycled(*SWAPPED), cycled(*((word, 1 - number) for word, number in SWAPPED)), 1.0),
    # a category without a number of its own
    "a-number-for-nothing": (cycled(*SWAPPED), cycled(*((word, 0.0) for word, _ in SWAPPED)), 1.0),
    # the judge calls every middling reply the best
    "a-middle": (cycled(*MIDDLE), cycled(MIDDLE[0], MIDDLE[2], MIDDLE[2]), 2 / 3),
    # the judge passes every failing reply
    "a-half": (cycled(*HALF), cycled(HALF[2], HALF[1], HALF[2]), 2 / 3),
    "words-alone": (cycled(("off topic", None), ("on topic", None)), cycled(("on topic", None)) , 1 / 2),
    "words-in-order": (cycled(*ORDERED), cycled(ORDERED[0], ORDERED[0], ORDERED[2]), 2 / 3),
}  # fmt: skip


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("case", READINGS)
def test_values_of_a_metric_are_read_by_the_same_rule_for_people_and_for_the_judge(
    case: str, tool: str, tmp_path: Path
) -> None:
    human, judge, agreement = READINGS[case]
    report = calibrated(tmp_path, exported(tmp_path, tool, human, judge))
    (metric,) = report["metrics"]
    found = metric["calibration"]["agreement"]
    assert (found["value"], found["n"]) == (pytest.approx(agreement), 60)
    knows_pass = case == "word-against-number"
    assert (metric["calibration"]["false_passes"] is None) != knows_pass


@pytest.mark.parametrize("tool", TOOLS)
def test_a_judge_s_value_such_as_not_parsable_leaves_the_example_ungraded_and_is_never_read_as_a_fail(
    tool: str, tmp_path: Path
) -> None:
    human = cycled(("bad", 0.0), ("good", 1.0), ("good", 1.0), ("bad", 0.0))
    judge = [("NOT_PARSABLE", 0.0) if at % 4 == 0 else given for at, given in enumerate(human)]
    report = calibrated(tmp_path, exported(tmp_path, tool, human, judge))
    calibration = report["metrics"][0]["calibration"]
    assert (calibration["agreement"]["value"], calibration["agreement"]["n"]) == (1.0, 45)
    assert (calibration["counts"]["not_graded"], calibration["false_fails"]) == (15, [])


@pytest.mark.parametrize(("judge", "code", "agreement"), [
    ([("on-topic", None), ("off-topic", None)], None, 1.0),
    ([("relevant", None), ("off topic", None), ("stale", None)], "words-apart", None),
    ([(None, 4.0), (None, 1.0), (None, 5.0)], "pass-value", None),
])  # fmt: skip
def test_a_metric_whose_words_can_be_read_in_two_ways_is_refused_with_commands_that_each_choose_a_reading(
    judge: list[MetricValue], code: str | None, agreement: float | None, tmp_path: Path
) -> None:
    words: list[MetricValue] = [("on topic", None), ("off topic", None), ("stale", None)][: 3 if code else 2]  # type: ignore[assignment]
    files = exported(tmp_path, "langfuse", cycled(*words), cycled(*judge))
    if code is None:
        assert calibrated(tmp_path, files)["metrics"][0]["calibration"]["agreement"]["value"] == agreement
        return
    refused = run("calibrate", *files, "--json", "error.json", cwd=tmp_path)
    assert refused.returncode == 2
    error = json.loads((tmp_path / "error.json").read_text())["error"]
    assert error["code"] in (code, "pass-mark")
    for command in filled(error["commands"]):
        again = run(*shlex.split(command), "--json", "again.json", cwd=tmp_path)
        data = json.loads((tmp_path / "again.json").read_text())
        assert again.returncode != 2 or data["error"]["code"] != error["code"], command


def filled(commands: Sequence[str]) -> Iterator[str]:
    """Yield the printed commands with the placeholders in capitals replaced by a number and a name."""
    for command in commands:
        yield command.replace("NUMBER", "3").replace("NAME", "someone")


def test_comparing_levels_with_pass_and_fail_in_an_export_is_refused_without_a_pass_mark(tmp_path: Path) -> None:
    files = exported(
        tmp_path, "phoenix", cycled((None, 1.0), (None, 0.0)), cycled((None, 4.0), (None, 2.0), (None, 5.0))
    )
    refused = run("calibrate", *files, cwd=tmp_path)
    assert refused.returncode == 2
    assert "markscheme calibrate scores.json texts.json --pass-mark NUMBER" in refused.stderr
    report = calibrated(tmp_path, [*files, "--pass-mark", "4"])
    calibration = report["metrics"][0]["calibration"]
    judged = [at % 3 != 1 for at in range(60)]
    right = sum((at % 2 == 0) == passes for at, passes in enumerate(judged))
    assert calibration["agreement"]["value"] == pytest.approx(right / 60)


@pytest.mark.parametrize("tool", TOOLS)
def test_different_ratings_by_unnamed_people_are_not_read_as_one_person_s_correction(tool: str, tmp_path: Path) -> None:
    scores = []
    for at, unit in enumerate(UNITS):
        good = at % 3 > 0
        scores.append(scores_of(tool, unit, "judge", decided(good=good)))
        scores.append(scores_of(tool, unit, "one", decided(good=good), named=False, at=1))
        scores.append(scores_of(tool, unit, "other", decided(good=not good), named=False, at=2))
    exports.written(tmp_path, {"scores.json": scores, "texts.json": [texts_of(tool, unit) for unit in UNITS]})
    refused = run("calibrate", "scores.json", "texts.json", cwd=tmp_path)
    assert refused.returncode == 2
    says = " ".join(refused.stderr.split())
    assert "people without names rated 60 responses more than once by 'ok', differently" in says
    assert "markscheme calibrate scores.json texts.json --rater NAME" in says
    report = calibrated(tmp_path, ["scores.json", "texts.json", "--rater", "ann"])
    assert report["metrics"][0]["calibration"]["agreement"]["value"] == 0.0
    assert report["lost"] == {"ratings that the same annotator replaced by a later one": 60}


def test_options_on_the_meaning_of_values_are_refused_if_calibrate_is_given_a_rubric(tmp_path: Path) -> None:
    (tmp_path / "one.yaml").write_text("criteria:\n- {name: good, requirement: It is good}\n")
    done = run("calibrate", "one.yaml", "--pass", "yes", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--pass is for tables that need no rubric; one.yaml is none" in done.stderr


def decided(*, good: bool) -> MetricValue:
    return ("pass", 1.0) if good else ("fail", 0.0)


def calibrated(folder: Path, arguments: Sequence[str]) -> dict[str, Any]:
    done = run("calibrate", *arguments, "--json", "-", cwd=folder)
    assert done.stdout, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    assert "metrics" in report, report
    return report
