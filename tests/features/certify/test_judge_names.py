"""Certificates as judges: their names on a command line and in a file."""

import json
from pathlib import Path

import pytest

from markscheme.errors import UsageError
from markscheme.judges.kinds import in_full
from markscheme.judges.registry import open_judge


def test_for_a_rubric_without_a_certificate_the_error_names_the_command_that_makes_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="truth has no cascade: `markscheme certify truth --judge"):
        in_full("cascade", "truth", None)


def test_a_certificate_s_file_may_not_name_a_certificate_as_one_of_its_judges(tmp_path: Path) -> None:
    stage = {"judge": "cascade:inner.json", "model": "m", "fingerprint": "f", "certainty": "votes", "certain": 1}
    certificate = {
        "schema": 1,
        "for": "both",
        "error": 0.05,
        "confidence": 0.9,
        "fingerprints": {"rubric": "r", "prompt": "p"},
        "stages": [stage],
    }
    path = tmp_path / "cascade.json"
    path.write_text(json.dumps(certificate))
    with pytest.raises(UsageError, match=r"'cascade:inner\.json', and no file may name such a judge"):
        open_judge(f"cascade:{path}")
