"""Receipts: what a grade says of the calibration behind it."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.noisy_judge import NoisyJudge, calibrated, rubric
from markscheme import Rubric, ScriptedJudge
from markscheme.calibration.accepted.acceptance import accept
from markscheme.errors import RatingError
from markscheme.grading import Grading, asking_fingerprint, receipt_of
from markscheme.grading.receipt import (
    USE_WORDS,
    USES,
    ExceptedPart,
    Receipt,
    calibration_text,
    find_receipt,
    load_receipt,
    receipt_json,
    score_text,
    why_no_gate,
)
from markscheme.prompts.submission import Submission
from tests.calibration.test_exceptions import calibrated as calibrated_except

RIGHT = {"name": "reply", "criteria": [{"name": "right", "requirement": "It is right."}]}
KNOWN = Receipt("gate", 0.9, 0.11, 84, "human", "2026-11-02", "rubric", "prompt", "judge")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a folder whose rubric `drift` has an accepted run."""
    start = tmp_path_factory.mktemp("calibrated")
    judge = NoisyJudge.made(seed=3)
    accept(calibrated(judge, rubric()), start / "calibration" / "drift" / "accepted.json")
    return start


def _receipt_in(folder: Path, used: Rubric, judge: Any) -> Receipt:
    receipt = receipt_of(used, judge, folder)
    assert receipt is not None
    return receipt


def test_a_score_is_printed_with_its_margin_of_error_and_what_its_calibration_allows() -> None:
    assert score_text(0.684, KNOWN) == "0.68 ± 0.11 (84 human labels, 2026-11-02; can gate)"
    assert score_text(0.684, None) == "0.68, no accepted run"
    assert score_text(0.684, replace(KNOWN, differs=("another judge",))) == "0.68, calibrated for another judge"


@pytest.mark.parametrize(
    ("use", "kind", "message"),
    [
        ("trend", "human", "± 0.11 (84 human labels, 2026-11-02; can show trends)"),
        ("explore", "constructed", "± 0.11 (84 constructed labels, 2026-11-02; explore only)"),
        ("none", "model", "± 0.11 (84 model labels, 2026-11-02; no use: adjust first)"),
    ],
)
def test_constructed_labels_and_labels_by_a_model_are_never_called_human(use: Any, kind: str, message: str) -> None:
    assert calibration_text(replace(KNOWN, use=use, kind=kind)) == message


def test_a_margin_of_error_of_zero_is_printed_as_less_than_a_hundredth() -> None:
    assert score_text(0.5, replace(KNOWN, margin=0.0)) == "0.50 ± <0.01 (84 human labels, 2026-11-02; can gate)"


def test_a_score_without_a_margin_of_error_is_printed_without_a_plus_minus_sign() -> None:
    assert score_text(0.5, replace(KNOWN, margin=None)) == "0.50 (84 human labels, 2026-11-02; can gate)"


def test_a_calibration_receipt_is_valid_for_grades_by_the_calibrated_rubric_and_prompt_and_judge(
    folder: Path,
) -> None:
    receipt = _receipt_in(folder, rubric(), NoisyJudge.made(seed=3))
    assert receipt.holds
    assert (receipt.labels, receipt.kind) == (60, "human")
    assert receipt.margin is not None
    assert 0 < receipt.margin < 0.2


@pytest.mark.parametrize(
    ("used", "message"),
    [
        (rubric(changed=["tone"]), "calibrated for an older rubric"),
        (replace(rubric(), pass_mark=0.8), "calibrated for another pass mark or way of asking"),
        (replace(rubric(), samples=3), "calibrated for another pass mark or way of asking"),
        (replace(rubric(), strategy="double_pass"), "calibrated for another pass mark or way of asking"),
        (replace(rubric(changed=["tone"]), pass_mark=0.8), "calibrated for an older rubric"),
    ],
)
def test_a_calibration_receipt_that_is_not_valid_says_what_was_calibrated_instead(
    folder: Path, used: Rubric, message: str
) -> None:
    assert calibration_text(_receipt_in(folder, used, NoisyJudge.made(seed=3))) == message


def test_a_calibration_receipt_says_that_it_is_for_another_judge_and_an_older_rubric_if_both_changed(
    folder: Path,
) -> None:
    changed = replace(NoisyJudge.made(seed=3), parameters={"temperature": 0.0})
    assert calibration_text(_receipt_in(folder, rubric(), changed)) == "calibrated for another judge"
    both = _receipt_in(folder, rubric(changed=["tone"]), changed)
    assert calibration_text(both) == "calibrated for another judge and an older rubric"
    assert not both.may_gate


def test_with_another_prompt_template_a_calibration_receipt_says_that_it_is_for_an_older_prompt(folder: Path) -> None:
    receipt = find_receipt("drift", folder)
    assert receipt is not None
    judge = NoisyJudge.made(seed=3).identity.fingerprint
    checked = receipt.checked_against(rubric(), prompt="other words", judge=judge)
    assert calibration_text(checked) == "calibrated for an older prompt"


def test_only_a_valid_calibration_receipt_whose_use_is_gate_lets_a_judge_gate() -> None:
    assert KNOWN.may_gate
    assert not replace(KNOWN, use="trend").may_gate
    assert not replace(KNOWN, differs=("another judge",)).may_gate


def test_every_grade_of_a_run_has_the_calibration_receipt_that_the_run_was_given() -> None:
    judge = ScriptedJudge([dict.fromkeys(("clarity", "facts", "tone", "format"), 3)] * 2)
    grading = Grading(rubric(), judge, receipt=KNOWN)
    assert asyncio.run(grading.grade(Submission("answer"))).receipt is KNOWN
    assert asyncio.run(Grading(rubric(), judge).grade(Submission("answer"))).receipt is None


def test_the_json_of_an_invalid_calibration_receipt_names_no_use() -> None:
    assert receipt_json(None, 0.5) == {"holds": False, "text": "0.50, no accepted run", "use": None} | dict.fromkeys(
        ("may_gate", "may_trend"), False
    )
    assert receipt_json(KNOWN, 0.5)["use"] == "gate"
    other = receipt_json(replace(KNOWN, differs=("an older rubric",)), None)
    assert (other["use"], other["text"]) == (None, "calibrated for an older rubric")


def test_without_an_accepted_run_a_rubric_has_no_calibration_receipt(tmp_path: Path) -> None:
    assert find_receipt("drift", tmp_path) is None
    (tmp_path / "calibration" / "drift").mkdir(parents=True)
    assert find_receipt("drift", tmp_path) is None


def _without(*path: str) -> Callable[[dict[str, Any]], None]:
    def change(data: dict[str, Any]) -> None:
        for key in path[:-1]:
            data = data[key]
        del data[path[-1]]

    return change


def _with(value: Any, *path: str) -> Callable[[dict[str, Any]], None]:
    def change(data: dict[str, Any]) -> None:
        for key in path[:-1]:
            data = data[key]
        data[path[-1]] = value

    return change


@pytest.mark.parametrize(
    "change",
    [
        _with(2, "schema"),
        _without("fingerprints"),
        _without("labels", "n"),
        _with("always", "use"),
        _with("much", "measurements", "margin"),
        _with(True, "measurements", "margin"),
        _with(7, "date"),
        _with(1.5, "asked", "pass_mark"),
        _with("guess", "asked", "strategy"),
        _with(0, "asked", "samples"),
        _with("much", "asked", "core_share"),
        _with(1, "asked", "trend_on"),
    ],
)
def test_the_error_on_an_invalid_accepted_run_names_the_file(
    folder: Path, tmp_path: Path, change: Callable[[dict[str, Any]], None]
) -> None:
    data = json.loads((folder / "calibration" / "drift" / "accepted.json").read_text(encoding="utf-8"))
    change(data)
    file = tmp_path / "accepted.json"
    file.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(RatingError, match=r"accepted\.json: isn't an accepted run"):
        load_receipt(file)


@pytest.mark.parametrize("text", ["", "[]", "{", "[" * 100_000, '{"schema": NaN}'])
def test_the_error_on_an_accepted_run_that_is_not_a_json_object_names_the_file(tmp_path: Path, text: str) -> None:
    file = tmp_path / "accepted.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(RatingError, match=r"accepted\.json: is"):
        load_receipt(file)


def test_loading_a_calibration_receipt_loads_no_numerical_library(folder: Path) -> None:
    file = folder / "calibration" / "drift" / "accepted.json"
    code = (
        "import sys; from pathlib import Path; from markscheme.grading.receipt import load_receipt; "
        f"print(load_receipt(Path({str(file)!r})).labels, sorted({{'numpy', 'scipy', 'pydantic'}} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "60 []"


def test_the_prompt_s_fingerprint_in_a_calibration_receipt_depends_on_the_way_in_which_the_rubric_is_asked(
    folder: Path,
) -> None:
    receipt = find_receipt("drift", folder)
    assert receipt is not None
    assert receipt.prompt == asking_fingerprint(rubric())


EXCEPT_X = replace(KNOWN, excepted=(ExceptedPart("system", "X", frozenset({"Y", "prompt-b / gpt"})),))


def test_a_calibration_receipt_allows_no_gate_on_an_excepted_slice_or_on_an_example_of_unknown_slice() -> None:
    assert EXCEPT_X.for_example({"system": "Y"}).may_gate
    assert EXCEPT_X.for_example({"system": "gpt"}).may_gate
    for known in ({"system": "X"}, {"system": "Z"}, {"system": ""}, {}):
        receipt = EXCEPT_X.for_example(known)
        assert not receipt.may_gate
        assert receipt_json(receipt, 0.5)["use"] is None
    assert EXCEPT_X.for_example({"system": "X"}).why_excepted == "system X is excepted"
    assert EXCEPT_X.for_example({}).why_excepted == "system X is excepted, and which system this is isn't known"


def test_an_example_that_names_only_its_model_is_not_gated_if_one_of_the_model_s_prompts_is_excepted() -> None:
    part = ExceptedPart("system", "prompt-a / gpt", frozenset({"prompt-b / gpt", "prompt-a / claude"}))
    receipt = replace(KNOWN, excepted=(part,))
    assert receipt.for_example({"system": "gpt"}).why_excepted == "system prompt-a / gpt is excepted"
    assert receipt.for_example({"system": "claude"}).may_gate
    assert receipt.for_example({"system": "prompt-b / gpt"}).may_gate


def test_the_text_of_a_calibration_receipt_names_the_slices_that_the_judge_may_not_gate() -> None:
    assert calibration_text(EXCEPT_X).endswith("; can gate, except system X)")
    assert calibration_text(EXCEPT_X.for_example({"system": "X"})).endswith(
        "; let a person decide: system X is excepted)"
    )
    assert calibration_text(replace(KNOWN, settings=None)).endswith("; can gate; settings not recorded)")
    assert receipt_json(EXCEPT_X, 0.5)["except"] == ["system X"]
    assert why_no_gate(EXCEPT_X.for_example({"system": "X"})).endswith("doesn't hold here: system X is excepted")


def test_a_calibration_receipt_states_the_measure_and_the_tried_settings_and_the_excepted_slices(
    tmp_path: Path,
) -> None:
    made = calibrated_except((14, 40), (144, 160), settings=3)
    path = tmp_path / "accepted.json"
    accept(made, path)
    receipt = load_receipt(path)
    assert (receipt.use, receipt.measure, receipt.settings) == ("gate", "score", 3)
    assert receipt.excepted == (ExceptedPart("system", "X", frozenset({"Y", "Z"})),)
    accept(made.after(1, on_record=False), path, start_over=True)
    assert load_receipt(path).settings is None


def test_responses_of_an_excepted_slice_stay_ungraded_if_a_gate_is_required() -> None:
    answers = ScriptedJudge(lambda prompt, sample: {"right": "MET"})
    receipt = replace(EXCEPT_X, excepted=(ExceptedPart("system", "X", frozenset({"Y"})),))

    def graded(system: str | None, **options: Any) -> Any:
        inputs = {} if system is None else {"system": system}
        grading = Grading(Rubric.from_dict(RIGHT), answers, receipt=receipt, **options)
        return asyncio.run(grading.grade(Submission("It is.", inputs)))

    assert graded("Y", only_gates=True).error is None
    assert graded("X", only_gates=True).error == "the judge can't gate this: system X is excepted"
    assert "isn't known" in graded(None, only_gates=True).error
    assert graded(None, only_gates=True, facts={"system": "Y"}).error is None
    assert graded("X").error is None
    assert not graded("X").receipt.may_gate


def test_a_row_s_metadata_say_whether_it_is_in_an_excepted_slice() -> None:
    answers = ScriptedJudge(lambda prompt, sample: {"right": "MET"})
    receipt = replace(KNOWN, excepted=(ExceptedPart("language", "de", frozenset({"en"})),))
    grading = Grading(Rubric.from_dict(RIGHT), answers, receipt=receipt, only_gates=True)

    def error_of(**inputs: Any) -> str | None:
        return asyncio.run(grading.grade(Submission("It is.", inputs))).error

    assert error_of(metadata={"language": "en"}) is None
    assert error_of(language="en") is None
    assert error_of(metadata={"language": "de"}) == "the judge can't gate this: language de is excepted"
    assert "isn't known" in str(error_of(metadata="no object"))


def test_a_calibration_receipt_of_a_judge_that_can_gate_may_still_refuse_trends() -> None:
    assert KNOWN.may_trend
    assert replace(KNOWN, use="trend").may_trend
    gates_alone = replace(KNOWN, averages=False)
    assert (gates_alone.may_gate, gates_alone.may_trend) == (True, False)
    assert calibration_text(gates_alone) == "± 0.11 (84 human labels, 2026-11-02; can gate, not show trends)"
    assert not replace(KNOWN, use="explore").may_trend
    assert not replace(KNOWN, differs=("another judge",)).may_trend


def test_a_calibration_receipt_has_the_permitted_use_and_the_answer_on_trends_of_the_accepted_run(
    folder: Path, tmp_path: Path
) -> None:
    accepted = json.loads((folder / "calibration" / "drift" / "accepted.json").read_text())
    decision = accepted["decision"]
    assert (decision["gate"]["state"], decision["trend"]["state"], decision["may_trend"]) == ("open", "open", False)
    for use, may_trend in (("explore", False), ("trend", True), ("gate", False), ("gate", True)):
        path = tmp_path / "accepted.json"
        path.write_text(json.dumps({**accepted, "use": use, "decision": {**decision, "may_trend": may_trend}}))
        receipt = load_receipt(path)
        assert (receipt.may_gate, receipt.may_trend) == (use == "gate", may_trend)


def test_a_judge_counts_as_refused_only_if_its_permitted_use_is_explore_or_none() -> None:
    assert tuple(USE_WORDS) == USES
    assert {use for use, words in USE_WORDS.items() if words.refused} == {"explore", "none"}
