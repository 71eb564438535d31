"""Files as accidents and strangers leave them, given to `gate-risk`."""

import json
from pathlib import Path

import pytest

from tests.commands.console import run
from tests.commands.test_mutated_files import refuses_values
from tests.readers.every_format import high_scores, make_project


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make_project(tmp_path)
    (tmp_path / ".git").mkdir()
    return tmp_path


def test_the_pass_rate_command_refuses_an_experiment_s_json_in_which_an_output_lacks_a_variant_or_a_case(
    folder: Path,
) -> None:
    outputs = [{"variant": "a", "case": "b", "output": "c"}, {"variant": "a"}]
    (folder / "experiment.json").write_text(json.dumps({"schema": 1, "outputs": outputs}))
    command = ("pass-rate", "experiment.json", "experiment.json", "--at-least", "0.5")
    refuses_values(folder, "experiment.json", "output 2 has no `variant` or no `case`", *command)


def test_the_pass_rate_command_with_a_threshold_gives_no_traceback_on_promptfoo_scores_outside_0_to_1(
    folder: Path,
) -> None:
    (folder / "high.json").write_text(json.dumps(high_scores()))
    done = run("markscheme", "pass-rate", "high.json", "high.json", "--at-least", "0.5", cwd=folder)
    assert done.returncode in (2, 4, 5)
    assert "Traceback" not in done.stderr
