"""The files of a discovery: what they may name."""

import json
import shutil
from pathlib import Path

import pytest

from markscheme.errors import RatingError
from markscheme.features.discover.open_discovery import open_discovery
from markscheme.features.discover.pool import read_outputs
from markscheme.features.discover.store import DiscoveryFolder
from tests.readers.every_format import lines
from tests.test_plain_data import exploding


def test_a_path_in_discover_json_that_leads_outside_the_project_is_refused(tmp_path: Path) -> None:
    outside, project = tmp_path / "outside.jsonl", tmp_path / "project"
    lines(outside, [{"id": "1", "response": "secret"}])
    folder = project / "calibration" / "reply"
    folder.mkdir(parents=True)
    (folder / "link.jsonl").symlink_to(outside)
    for name in (str(outside), "../../../outside.jsonl", "link.jsonl", "x" * 300, "a\x00b"):
        record = {"schema": 1, "pool": {"path": name, "fingerprint": ""}, "seed": 1, "drawn": []}
        (folder / "discover.json").write_text(json.dumps(record))
        with pytest.raises(RatingError, match=r"discover\.json: names"):
            open_discovery("reply", project)
    opened = open_discovery("reply", project, pool=outside)  # a user may read what they name
    assert opened.pool.examples.keys() == {"1"}


def test_a_pool_anywhere_in_the_repository_is_found_after_the_repository_was_moved(tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    (repository / ".git").mkdir(parents=True)
    (repository / "data").mkdir()
    package = repository / "packages" / "desk"
    package.mkdir(parents=True)
    lines(repository / "data" / "pool.jsonl", [{"id": "1", "response": "Here."}])
    open_discovery("reply", package, pool=repository / "data" / "pool.jsonl")
    shutil.move(repository, tmp_path / "moved")
    moved = tmp_path / "moved" / "packages" / "desk"
    assert open_discovery("reply", moved).pool.examples.keys() == {"1"}
    folder = DiscoveryFolder(moved / "calibration" / "reply")
    assert folder.pool_record().path == "../../../../data/pool.jsonl"


def test_yaml_outputs_whose_aliases_explode_are_refused_with_the_file_s_name(tmp_path: Path) -> None:
    path = tmp_path / "bomb.yaml"
    path.write_text(exploding("examples"))
    with pytest.raises(RatingError, match="aliases") as refusal:
        read_outputs(path)
    assert "bomb.yaml" in str(refusal.value)
