"""Images in an experiment's cases: shown to the judge, kept with the outputs, never filled into a model's prompt."""

import json
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
import yaml

from markscheme import Image, Rubric
from markscheme.prompts.parts import parts_of
from markscheme.ratings.examples import load_examples
from tests.commands.console import run
from tests.features.media.files import data_url
from tests.features.media.pictures import chart

FILE, OUTPUTS = "charts.experiment.yaml", "charts.outputs.jsonl"
RUBRIC = {"inputs": ["chart"], "criteria": [{"name": "right", "requirement": "It counts."}]}
SQUARES = {"a": 2, "b": 3}
"""By case, the squares of its chart."""
PROGRAM = """
from tests.features.media.charts import counts

def answer(system_prompt, user_prompt):
    assert user_prompt in ("How many in a?", "How many in b?")
    return "There are 2 squares."

answer.environment = counts.environment = ()
"""
"""A model that is asked in text, and a judge that counts the squares of a chart."""


def written_inputs(id: str) -> dict[str, Any]:
    """Return a case's inputs in the form of a file, with the path of its chart."""
    return {"chart": {"image": f"{id}.png"}, "query": f"How many in {id}?"}


CASES = [{"id": id, "inputs": written_inputs(id)} for id in SQUARES]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make a folder with a rubric, the charts of all cases, and the judge's program."""
    (tmp_path / "charts.yaml").write_text(yaml.safe_dump(RUBRIC))
    (tmp_path / "eyes.py").write_text(PROGRAM)
    for id, squares in SQUARES.items():
        (tmp_path / f"{id}.png").write_bytes(chart(squares))
    return tmp_path


def experiment(folder: Path, *options: str, prompt: str = "{{query}}", **keys: Any) -> CompletedProcess[str]:
    """Run an experiment with one variant and these further keys of its file."""
    written = {"rubric": "charts.yaml", "variants": [{"name": "plain", "prompt": prompt}], **keys}
    (folder / FILE).write_text(yaml.safe_dump(written))
    env = {"MARKSCHEME_CACHE": str(folder / "cache")}
    return run("markscheme", "experiment", FILE, "--judge", "function:eyes:counts", *options, cwd=folder, env=env)


def passes(done: CompletedProcess[str]) -> tuple[float, int]:
    """Return the share of outputs that pass, and the number of outputs."""
    assert done.returncode == 0, done.stderr
    rate = json.loads(done.stdout)["table"]["plain"]["pass_rate"]
    return rate["value"], rate["n"]


def marks_of(squares: int) -> list[str]:
    """Return the mark that stands for a chart in a submission's text."""
    return [Image(chart(squares)).mark]


def test_an_experiment_shows_the_judge_a_case_s_image_and_keeps_the_image_in_its_file_of_outputs(folder: Path) -> None:
    done = experiment(folder, "--model", "function:eyes:answer", "--json", "-", cases=CASES)
    assert passes(done) == (0.5, 2), "two squares are in one of the charts"
    (file,) = (path for path in folder.rglob("*.jsonl") if "cache" not in path.parts)
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    kept = {line["group"]: line["inputs"]["chart"]["image"] for line in lines}
    assert kept == {id: data_url(chart(squares), "image/png") for id, squares in SQUARES.items()}
    examples = load_examples(file, Rubric.from_dict(RUBRIC)).examples
    shown = {example.group: parts_of(example.submission.inputs.values()) for example in examples}
    assert {id: [part.mark for part in parts] for id, parts in shown.items()} == {
        id: marks_of(squares) for id, squares in SQUARES.items()
    }


def test_a_file_of_outputs_may_name_images_by_path(folder: Path) -> None:
    lines = [{**case, "variant": "plain", "output": "There are 3 squares."} for case in CASES]
    (folder / OUTPUTS).write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert passes(experiment(folder, "--json", "-", outputs=OUTPUTS)) == (0.5, 2)
    assert passes(experiment(folder, "--json", "-", outputs=OUTPUTS, cases=CASES)) == (0.5, 2)


def test_an_experiment_s_prompt_with_a_placeholder_for_an_image_is_refused(folder: Path) -> None:
    done = experiment(folder, "--model", "function:eyes:answer", prompt="{{chart}} {{query}}", cases=CASES)
    assert done.returncode == 2
    assert "'plain' fills in {{chart}}, which is no text in case 'a'" in done.stderr
