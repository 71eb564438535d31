"""Files that an experiment names, as accidents and strangers leave them."""

import os
from pathlib import Path

import pytest

from tests.commands.console import run
from tests.commands.long_names import LONG
from tests.readers.every_format import make_project


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make_project(tmp_path)
    (tmp_path / ".git").mkdir()
    return tmp_path


VARIANT = 'variants: [{name: a, prompt: "{{q}}"}]'


NAMED_INSIDE = (
    f'rubric: place\nvariants: [{{name: a, prompt: "file://{LONG}"}}]\ncases: [{{id: c}}]\n',
    f"rubric: place\noutputs: {LONG}.jsonl\ncases: [{{id: c}}]\n",
    f"rubric: place\n{VARIANT}\ncases: {LONG}.jsonl\n",
    f"rubric: {LONG}\n{VARIANT}\ncases: [{{id: c}}]\n",
)


@pytest.mark.parametrize("text", NAMED_INSIDE)
def test_if_an_experiment_s_file_contains_an_impossible_file_name_the_error_names_the_experiment_s_file(
    text: str, folder: Path
) -> None:
    (folder / "place.experiment.yaml").write_text(text)
    done = run("markscheme", "experiment", "place.experiment.yaml", cwd=folder)
    assert (done.returncode, "Traceback" in done.stderr) == (2, False), done.stderr
    assert "place.experiment.yaml" in done.stderr


def test_a_device_such_as_dev_zero_that_an_experiment_names_as_its_prompt_is_refused(folder: Path) -> None:
    experiment = folder / "place.experiment.yaml"
    experiment.write_text(experiment.read_text().replace('prompt: "{{query}}"', 'prompt: "file:///dev/zero"'))
    words = ("--judge", "function:parcel_desk:judge", "--model", "function:parcel_desk:answer")
    done = run("markscheme", "experiment", "place.experiment.yaml", *words, cwd=folder)
    assert done.returncode == 2
    assert "place.experiment.yaml" in done.stderr
    assert "/dev/zero: is a device, not a file" in done.stderr


@pytest.mark.parametrize("named", ['variants: [{name: a, prompt: "file://pipe"}]', "outputs: pipe"])
def test_an_experiment_that_names_a_pipe_is_refused_without_waiting_for_the_pipe(folder: Path, named: str) -> None:
    os.mkfifo(folder / "pipe")
    (folder / "waits.experiment.yaml").write_text(f"rubric: place\n{named}\ncases: [{{id: c, inputs: {{query: q}}}}]\n")
    done = run("markscheme", "experiment", "waits.experiment.yaml", cwd=folder)
    assert done.returncode == 2
    assert "pipe: is a pipe, not a file" in done.stderr
