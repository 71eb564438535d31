"""What Promptfoo's results carry of the calibration behind them."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.commands import scripted_setting as setting
from tests.commands.console import environment, run
from tests.commands.pasted import paste, printed_commands

ACCEPTING = f"markscheme calibrate clear --judge {setting.JUDGE} --accept"
ASSERTION = """
import json, pathlib, sys
from markscheme.promptfoo.assertion import get_assert
config = json.loads(sys.argv[1])
print(json.dumps(get_assert("answer 7: tone=3 facts=4", {"config": config}, near=pathlib.Path.cwd())))
"""


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A working directory with a rubric, labelled examples and a judge."""
    return setting.make_setting(tmp_path / "here")


def _accept(here: Path) -> None:
    command = ("calibrate", "clear", "--judge", setting.JUDGE, "--accept", "--quiet")
    assert run(*command, cwd=here, env=setting.environment(here)).returncode == 0


def _assert(here: Path, **config: Any) -> dict[str, Any]:
    config = {"rubric": "clear", "judge": setting.JUDGE, "session": "off", **config}
    done = subprocess.run(
        [sys.executable, "-c", ASSERTION, json.dumps(config)],
        cwd=here,
        env=environment({**setting.environment(here), "PYTHONPATH": f"{here}:{Path.cwd() / 'src'}"}),
        capture_output=True,
        text=True,
        check=True,
    )
    report: dict[str, Any] = json.loads(done.stdout)
    return report


@pytest.mark.proof
def test_a_promptfoo_result_s_reason_and_metadata_say_whether_the_judge_can_gate(here: Path) -> None:
    before = _assert(here)
    assert before["metadata"]["calibration"] == "no accepted run"
    assert before["reason"].endswith("Calibration: 0.62, no accepted run.")
    _accept(here)
    after = _assert(here)
    assert after["pass"]
    assert after["metadata"]["calibration"].endswith("; can gate)")
    assert after["metadata"]["receipt"]["use"] == "gate"
    assert "Calibration: 0.62 ± <0.01 (60 human labels, " in after["reason"]


@pytest.mark.proof
def test_a_pass_mark_or_wording_that_changed_since_the_calibration_is_reported(here: Path) -> None:
    _accept(here)
    other_mark = _assert(here, threshold=0.9)
    assert other_mark["metadata"]["calibration"] == "calibrated for another pass mark or way of asking"
    setting.ask_strictly(here)
    assert _assert(here)["metadata"]["calibration"] == "calibrated for an older rubric"


def test_an_assertion_whose_config_switches_calibration_off_gives_a_result_without_calibration(
    here: Path,
) -> None:
    assertion = _assert(here, calibration="off")
    assert "calibration" not in assertion["metadata"]
    assert "alibrat" not in assertion["reason"]


@pytest.mark.proof
def test_if_calibration_is_required_a_judge_that_can_t_gate_is_not_asked(here: Path) -> None:
    refused = _assert(here, calibration="require")
    assert (refused["pass"], refused["score"]) == (False, 0)
    assert refused["reason"].startswith("not graded: config.calibration is require")
    assert refused["reason"].endswith(f"no run of this rubric is accepted; accept one by `{ACCEPTING}`")
    assert "namedScores" not in refused
    assert setting.calls(here) == 0
    assert [*printed_commands(refused["reason"])] == [ACCEPTING]
    assert paste(ACCEPTING, here, {}, setting.environment(here)) == ""
    assert _assert(here, calibration="require")["pass"]
    setting.ask_strictly(here)
    reason = _assert(here, calibration="require")["reason"]
    assert reason.endswith('(60 human labels), for use "gate", was calibrated for an older rubric')


@pytest.mark.proof
def test_labels_by_a_single_annotator_are_not_enough_if_calibration_is_required(tmp_path: Path) -> None:
    here = setting.make_setting(tmp_path / "here", raters=1)
    _accept(here)
    reason = _assert(here, calibration="require")["reason"]
    assert reason.endswith('(60 human labels) is for use "trend": can show trends')


def test_an_unknown_value_of_the_configuration_key_named_calibration_is_refused(here: Path) -> None:
    assert "one of warn, require, off" in _assert(here, calibration="always")["reason"]
