"""Exports of other tools, given to `init --from`."""

import json
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.commands.console import run
from tests.readers import exports
from tests.readers.every_format import make_project

MAKERS = (exports.argilla, exports.ragas, exports.braintrust, exports.prodigy, exports.label_studio)


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)
def test_init_refuses_an_export_with_people_s_labels_and_names_the_commands_that_read_the_export(
    make: Callable[[], exports.Files], tmp_path: Path
) -> None:
    (name, content), *_ = make().items()
    (tmp_path / name).write_text(json.dumps(content))
    refused = run("markscheme", "init", "new", "--from", name, cwd=tmp_path)
    assert (refused.returncode, (tmp_path / "new").exists()) == (2, False)
    assert f"is an export with people's ratings, not a table: `markscheme calibrate {name}`" in refused.stderr


def test_the_commands_that_init_suggests_for_an_export_can_read_the_export(tmp_path: Path) -> None:
    make_project(tmp_path)
    (tmp_path / "records.json").write_text(json.dumps(exports.argilla()["records.json"]))
    refused = run("markscheme", "init", "--from", "records.json", cwd=tmp_path).stderr
    _, calibrate, _, import_it, _ = refused.split("`")
    assert "records of Argilla" in run(*shlex.split(calibrate), cwd=tmp_path).stdout
    (tmp_path / "ratings.jsonl").unlink()
    done = run(*shlex.split(import_it.replace("RUBRIC", "place")), cwd=tmp_path)
    assert (done.returncode, (tmp_path / "ratings.jsonl").is_file()) == (0, True), done.stderr


def test_init_makes_a_project_without_labels_from_an_export_with_ratings_by_judges_only(tmp_path: Path) -> None:
    (tmp_path / "test_run.json").write_text(json.dumps(exports.deepeval()["test_run.json"]))
    assert run("markscheme", "init", "new", "--from", "test_run.json", cwd=tmp_path).returncode == 0
    assert (tmp_path / "new/calibration/test_run/examples.jsonl").is_file()
