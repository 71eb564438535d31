"""Judges that may decide one after the other, from Python."""

import json
from pathlib import Path

import pytest

from markscheme.errors import NothingGraded, UsageError
from markscheme.features.certify.promise import Promise
from markscheme.features.certify.run import certify
from markscheme.judges.options import AskOptions
from tests.calibration.labelled_files import labelled, write_labels


def test_certify_refuses_a_judge_that_is_named_twice(tmp_path: Path) -> None:
    rubric = write_labels(tmp_path, labelled())
    with pytest.raises(UsageError, match="twice"):
        certify(rubric, "local:a.gguf,local:a.gguf", Promise(), examples=tmp_path / "examples.jsonl", ask=AskOptions())


def test_certify_ends_with_the_reason_if_a_judge_graded_none_of_the_examples(tmp_path: Path) -> None:
    rubric = write_labels(tmp_path, labelled())
    file = tmp_path / "judge.jsonl"
    failed = [{"id": line["id"], "judge": "mute", "error": "the reply isn't JSON"} for line in labelled()]
    file.write_text("".join(json.dumps(line) + "\n" for line in failed))
    with pytest.raises(NothingGraded, match="all 120 examples failed; mute: the reply isn't JSON"):
        certify(rubric, str(file), Promise(), examples=tmp_path / "examples.jsonl", ask=AskOptions())


def test_certify_takes_a_file_of_ratings_as_its_judge_or_in_its_ratings_argument(tmp_path: Path) -> None:
    rubric = write_labels(tmp_path, labelled())
    ratings = [
        {
            "id": line["id"],
            "judge": "sure",
            "criteria": line["labels"][0]["criteria"],
            "score": line["labels"][0]["overall"],
        }
        for line in labelled()
    ]
    file = tmp_path / "judge.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in ratings))
    examples = tmp_path / "examples.jsonl"
    for judges, ratings_files in ((str(file), ()), (None, (file,))):
        run = certify(rubric, judges, Promise(), ratings=ratings_files, examples=examples, ask=AskOptions())
        assert run.certificate.n == 120
        assert sum(run.certificate.decided) == 120
        assert run.written is None
