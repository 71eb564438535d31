"""An option that a recipe adds to the core's table is one of an experiment's model, too."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands.console import environment
from tests.judges.echoing import ONE, RECIPE, install_echo
from tests.recipes import copy_of_package, follow

EXPERIMENT = """
rubric: one.json
model: {name: "echo:m", top_p: 0.5}
variants: [{name: plain, system: "Be brief"}]
cases: [{id: a, inputs: {query: Why?}}]
"""


@pytest.mark.proof
def test_an_option_added_to_the_code_s_table_of_options_can_be_set_in_an_experiment_s_file(tmp_path: Path) -> None:
    project, package = tmp_path / "project", copy_of_package(tmp_path / "package")
    follow(RECIPE, package)
    (project / ".git").mkdir(parents=True)
    install_echo(project)
    (project / "one.json").write_text(ONE)
    (project / "one.experiment.yaml").write_text(EXPERIMENT)
    paths = {"PYTHONPATH": f"{package / 'src'}:{project}", "MARKSCHEME_CACHE": str(tmp_path / "cache")}
    words = ("experiment", "one.experiment.yaml", "--judge", "echo:m", "--json")
    done = subprocess.run(
        [sys.executable, "-m", "markscheme", *words],
        cwd=project,
        env=environment(paths),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert '"top_p": 0.5' in json.loads(done.stdout)["outputs"][0]["output"]
