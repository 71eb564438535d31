"""What a labelling sheet saves: taken in whole or half done, refused where it is of other words or responses."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.commands.console import run
from tests.labelling.labelled_project import RUBRIC, make_pool


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A project with a sheet, and what the sheet's script knows."""
    project = make_pool(tmp_path_factory.mktemp("sheet"))
    asked = ["label", "manners", "--pool", "pool.jsonl", "--rater", "ana", "--sheet", "ana.html"]
    done = run("markscheme", *asked, cwd=project)
    assert done.returncode == 0, done.stderr
    assert "21 to label by ana" in done.stdout
    page = (project / "ana.html").read_text()
    found = re.search(r'id="data">(.*)</script>', page)
    assert found
    return project, json.loads(found[1])


def saved(project: Path, data: dict[str, Any], **changes: Any) -> Path:
    """The file that the sheet saves after three responses."""
    sheet = data["sheet"]
    ratings = [
        {"id": id, "rater": "ana", "kind": "human", "sample": sample, "under": sheet["under"], "seconds": 4.5,
         "criteria": {"polite": sheet["rated"][0]["2"], "waffle": sheet["rated"][1]["t"]}, "blind": True}
        for id, sample in sheet["steps"][:3]
    ]  # fmt: skip
    path = project / "manners-ana.json"
    path.write_text(json.dumps({**sheet["head"], "ratings": ratings, **changes}))
    return path


def imported(project: Path, *options: str) -> tuple[int, str, str]:
    done = run("markscheme", "import", "manners-ana.json", "--rubric", "manners", *options, cwd=project)
    return done.returncode, done.stdout, done.stderr


def test_half_a_sheet_is_taken_in_and_read_by_what_follows(written: tuple[Path, dict[str, Any]]) -> None:
    project, data = written
    saved(project, data)
    status, printed, told = imported(project, "--append", "--to", "calibration/manners/ratings/ana.jsonl")
    assert status == 0, told
    assert "answers of a labelling sheet: 0 responses and 3 ratings" in " ".join(printed.split())
    lines = [json.loads(x) for x in (project / "calibration/manners/ratings/ana.jsonl").read_text().splitlines()]
    assert [line["id"] for line in lines] == [id for id, _ in data["sheet"]["steps"][:3]]
    assert {line["criteria"]["polite"]["level"] for line in lines} == {3.0}
    assert all("abstained" in line["criteria"]["waffle"] and line["seconds"] == 4.5 for line in lines)
    found = json.loads(run("markscheme", "label", "manners", "--progress", "--json", cwd=project).stdout)
    assert [(one["rater"], one["labelled"]) for one in found["annotators"]] == [("ana", 3)]


def test_a_sheet_of_examples_in_yaml_leaves_them_as_they_are(tmp_path: Path) -> None:
    home = make_pool(tmp_path) / "calibration" / "manners"
    home.mkdir(parents=True)
    text = '- {id: e1, query: q, response: "a reply"}'
    (home / "examples.yaml").write_text(text)
    done = run("markscheme", "label", "manners", "--rater", "ana", "--sheet", "ana.html", cwd=tmp_path)
    assert (done.returncode, (home / "examples.yaml").read_text()) == (0, text)
    assert [file.name for file in sorted(home.iterdir())] == ["examples.yaml", "ratings"]


def test_the_sheet_holds_nothing_of_judges_and_one_policy_for_script_and_style(
    written: tuple[Path, dict[str, Any]],
) -> None:
    page = (written[0] / "ana.html").read_text()
    for secret in ("judge-z", "psst", "unsafe-inline"):
        assert secret not in page
    assert "default-src &#39;none&#39;" in page
    assert not re.search(r"<script>window", page)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"sheet": 2}, "a later version"),
        ({"rubric": "0" * 16, "name": "tone"}, "labelled by the rubric 'tone'; this is 'manners'"),
        ({"rubric": "0" * 16, "criteria": {"polite": "0"}}, "criteria polite, waffle differ"),
        ({"responses": {}}, "changed by hand"),
    ],
)
def test_a_sheet_that_is_not_of_this_work_is_refused(
    written: tuple[Path, dict[str, Any]], changes: dict[str, Any], told: str
) -> None:
    saved(*written, **changes)
    status, _, message = imported(written[0])
    assert status == 2
    assert told in message


def test_a_reworded_rubric_and_a_changed_response_are_named(written: tuple[Path, dict[str, Any]]) -> None:
    project, data = written
    saved(project, data)
    rubric, examples = project / "rubrics" / "manners.yaml", project / "calibration" / "manners" / "examples.jsonl"
    kept = examples.read_text()
    rubric.write_text(RUBRIC.replace("Is the reply polite?", "Is it civil?"))
    assert "criteria polite differ" in imported(project)[2]
    rubric.write_text(RUBRIC)
    examples.write_text(kept.replace("reply 7 &", "reply seven &"))
    assert "1 of 20 responses differ from those here: model-x-7" in imported(project)[2]
    examples.write_text("".join(f"{line}\n" for line in kept.splitlines() if '"model-x-7"' not in line))
    assert "1 of 20 responses are not among the examples here: model-x-7" in imported(project)[2]
    examples.write_text(kept)
    assert imported(project)[0] == 0
