"""Images in an experiment's cases: shown to the judge, kept with the outputs, never filled into a model's prompt."""

import json
from pathlib import Path

import pytest

from markscheme import Image, Rubric
from markscheme.errors import FileError
from markscheme.features.experiment.definition import Experiment, ExperimentCase, Variant
from markscheme.features.experiment.outputs import OutputsFile, case_of, read_outputs
from markscheme.judges.judge import Reply
from markscheme.parts import parts_of
from markscheme.ratings.examples import load_examples
from tests.features.media.files import PNG_FILE

RUBRIC = Rubric.from_dict({"inputs": ["chart"], "criteria": [{"name": "right", "requirement": "It counts."}]})
MARK = Image(PNG_FILE).mark
OF_CHART = {"id": "a", "inputs": {"chart": {"image": "chart.png"}, "query": "How many?"}}


def case(folder: Path) -> ExperimentCase:
    """A case with a chart in a file."""
    (folder / "chart.png").write_bytes(PNG_FILE)
    return case_of(OF_CHART, folder)


def test_the_judge_is_shown_the_image_of_a_case_and_the_file_of_outputs_keeps_it(tmp_path: Path) -> None:
    charted = case(tmp_path)
    assert [part.mark for part in parts_of(charted.submission("Two.", "a").inputs.values())] == [MARK]
    file = tmp_path / "outputs.jsonl"
    OutputsFile(file).keep(Reply("Two.", model="m"), "under", "plain", charted)
    assert json.loads(file.read_text())["inputs"]["chart"] == {"image": "chart.png"}
    (example,) = load_examples(file, RUBRIC).examples
    assert [part.mark for part in parts_of(example.submission.inputs.values())] == [MARK]


def test_outputs_in_a_file_name_images_by_path(tmp_path: Path) -> None:
    charted = case(tmp_path)
    (tmp_path / "output.jsonl").write_text(json.dumps({**OF_CHART, "variant": "plain", "output": "Two."}))
    (output,) = read_outputs(tmp_path / "output.jsonl")
    assert output.inputs == charted.inputs
    assert parts_of(output.inputs.values()) == parts_of(charted.inputs.values())


def test_a_variant_that_fills_in_an_image_is_refused_since_its_model_is_asked_in_text(tmp_path: Path) -> None:
    charted = case(tmp_path)
    Experiment(RUBRIC, (Variant("asking", "{{query}}"),), (charted,))
    with pytest.raises(FileError, match=r"'filling' fills in \{\{chart\}\}, which is no text in case 'a'"):
        Experiment(RUBRIC, (Variant("filling", "{{chart}} {{query}}"),), (charted,))
