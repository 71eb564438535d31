"""Judges that may decide one after the other, from Python."""

import json
from pathlib import Path

import pytest

from markscheme.calibration.certificates import StagesAsked
from markscheme.errors import UsageError
from markscheme.features.certify.run import certify_stages
from tests.calibration.labelled_files import labelled, write_labels


def test_a_cascade_names_each_judge_once(tmp_path: Path) -> None:
    rubric, labels = write_labels(tmp_path, labelled())
    twice = StagesAsked(rubric=rubric, labels=labels, judges=["local:a.gguf", "local:a.gguf"])
    with pytest.raises(UsageError, match="twice"):
        certify_stages(twice)


def test_a_cascade_of_a_file_says_what_the_labels_certify(tmp_path: Path) -> None:
    rubric, labels = write_labels(tmp_path, labelled())
    ratings = [
        {
            "id": line["id"],
            "judge": "sure",
            "criteria": line["labels"][0]["criteria"],
            "score": line["labels"][0]["overall"],
        }
        for line in labelled()
    ]
    (tmp_path / "judge.jsonl").write_text("".join(json.dumps(line) + "\n" for line in ratings))
    judges = [str(tmp_path / "judge.jsonl")]
    tuned, written = certify_stages(StagesAsked(rubric=rubric, labels=labels, judges=judges))
    assert tuned.n == 120
    assert sum(tuned.decided) == 120
    assert written is None
