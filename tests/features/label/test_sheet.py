"""What a labelling sheet saves: taken in whole or half done, refused where it is of other words or responses."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.commands.console import run
from tests.features.label.labelled_project import RUBRIC, make_pool

SHEET = ("label", "manners", "--pool", "pool.jsonl", "--rater", "ana", "--sheet", "ana.html")


def data_of(project: Path) -> dict[str, Any]:
    """Return the data that the project's sheet gives to its script."""
    script = re.search(r'id="data">(.*)</script>', (project / "ana.html").read_text())
    assert script
    return dict(json.loads(script[1]))


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """Write a project with a sheet, and return the project and the data of the sheet's script."""
    project = make_pool(tmp_path_factory.mktemp("sheet"))
    typed = ["label", "manners", "--pool", "pool.jsonl", "--rater", "ana", "--sheet", "ana.html"]
    done = run("markscheme", *typed, cwd=project)
    assert done.returncode == 0, done.stderr
    assert "21 to label by ana" in done.stdout
    page = (project / "ana.html").read_text()
    content = re.search(r'id="data">(.*)</script>', page)
    assert content
    return project, json.loads(content[1])


def answers(data: dict[str, Any], n: int = 3) -> list[dict[str, Any]]:
    """Return the content of the file that the sheet saves after `n` responses."""
    head, rated = data["sheet"]["head"], data["sheet"]["rated"]
    return [
        {"id": id, "rater": "ana", "kind": "human", "sample": sample, "under": head["under"], "seconds": 4.5,
         "criteria": {"polite": rated[1]["2"], "waffle": rated[2]["t"]}, "blind": True,
         "at": "2026-11-20T10:00:00.000Z"}
        for id, sample in head["steps"][:n]
    ]  # fmt: skip


def saved(project: Path, data: dict[str, Any], file_name: str = "manners-ana.json", **changes: Any) -> Path:
    """Write the file that the sheet saves after three responses."""
    path = project / file_name
    path.write_text(json.dumps({**data["sheet"]["head"], "ratings": answers(data), **changes}, indent=1))
    return path


def imported(project: Path, *options: str) -> tuple[int, str, str]:
    done = run("markscheme", "import", "manners-ana.json", "--rubric", "manners", *options, cwd=project)
    return done.returncode, done.stdout, done.stderr


def test_a_half_finished_offline_labelling_page_can_be_imported_and_later_commands_use_its_labels(
    written: tuple[Path, dict[str, Any]],
) -> None:
    project, data = written
    saved(project, data)
    status, printed, told = imported(project, "--append", "--to", "calibration/manners/ratings/ana.jsonl")
    assert status == 0, told
    assert "manners-ana.json, read as answers of a labelling sheet" in " ".join(printed.split())
    lines = [json.loads(x) for x in (project / "calibration/manners/ratings/ana.jsonl").read_text().splitlines()]
    assert [line["id"] for line in lines] == [id for id, _ in data["sheet"]["head"]["steps"][:3]]
    assert {line["criteria"]["polite"]["level"] for line in lines} == {3.0}
    assert all("abstained" in line["criteria"]["waffle"] and line["seconds"] == 4.5 for line in lines)
    content = json.loads(run("markscheme", "label", "manners", "--progress", "--json", cwd=project).stdout)
    assert [(one["rater"], one["labelled"]) for one in content["annotators"]] == [("ana", 3)]


def test_writing_an_offline_labelling_page_again_prints_how_many_responses_are_still_to_label(tmp_path: Path) -> None:
    project = make_pool(tmp_path)
    assert "ana.html: 21 to label by ana." in run("markscheme", *SHEET, cwd=project).stdout
    saved(project, data_of(project))
    assert imported(project, "--append", "--to", "calibration/manners/ratings/ana.jsonl")[0] == 0
    assert "ana.html: 18 of 21 to label by ana." in run("markscheme", *SHEET, cwd=project).stdout


def test_importing_an_offline_labelling_page_leaves_examples_in_yaml_unchanged(tmp_path: Path) -> None:
    home = make_pool(tmp_path) / "calibration" / "manners"
    home.mkdir(parents=True)
    text = '- {id: e1, query: q, response: "a reply"}'
    (home / "examples.yaml").write_text(text)
    done = run("markscheme", "label", "manners", "--rater", "ana", "--sheet", "ana.html", cwd=tmp_path)
    assert (done.returncode, (home / "examples.yaml").read_text()) == (0, text)
    assert [file.name for file in sorted(home.iterdir())] == ["examples.yaml", "ratings", "sheet.key", "wordings.jsonl"]


def test_an_offline_labelling_page_contains_nothing_that_judges_said_and_has_a_content_security_policy(
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
        ({"rater": "ben"}, "changed by hand"),
        ({"kind": "adjudicated"}, "changed by hand"),
        ({"asks": {}}, "changed by hand"),
        ({"digest": None}, "changed by hand"),
    ],
)
def test_answers_of_an_offline_page_for_another_rubric_or_project_are_refused(
    written: tuple[Path, dict[str, Any]], changes: dict[str, Any], told: str
) -> None:
    saved(*written, **changes)
    status, _, message = imported(written[0])
    assert status == 2
    assert told in message


def test_importing_answers_of_an_offline_page_fails_if_the_rubric_was_reworded_or_a_response_changed(
    written: tuple[Path, dict[str, Any]],
) -> None:
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


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"kind": "adjudicated"}, "kind is 'adjudicated'; the sheet is for 'human'"),
        ({"rater": "ben"}, "rater is 'ben'; the sheet is for 'ana'"),
        ({"id": "model-x-99"}, "the sheet doesn't ask for it as sample 0"),
        ({"sample": 5}, "the sheet doesn't ask for it as sample 5"),
        ({"overall": 1.0}, "the sheet doesn't ask for overall"),
        ({"pass": True}, "the whole response is decided under another question than the sheet's"),
        ({"blind": False}, "the sheet doesn't ask for answers that are not blind"),
        ({"under": "0" * 16}, "polite is answered under other words than the sheet's"),
        ({"at": "2999-01-01T00:00:00Z"}, "it was given in the future, 2999-01-01T00:00:00Z"),
    ],
)
def test_an_answer_to_a_question_that_the_offline_page_did_not_ask_is_refused_with_its_line(
    written: tuple[Path, dict[str, Any]], changes: dict[str, Any], reason: str
) -> None:
    project, data = written
    first, second, third = answers(data)
    path = saved(project, data, ratings=[first, {**second, **changes}, {**third, **changes}])
    lines = [number for number, line in enumerate(path.read_text().splitlines(), start=1) if line == "  {"]
    status, printed, message = imported(project)
    assert (status, printed) == (2, "")
    for line in lines[1:]:
        assert f"manners-ana.json:{line}: the answer to " in message
    assert message.count(reason) == 2
    assert f":{lines[0]}: " not in message


def test_an_offline_page_s_file_is_refused_if_a_level_was_not_offered_or_a_response_was_answered_twice(
    written: tuple[Path, dict[str, Any]],
) -> None:
    project, data = written
    first, second, _ = answers(data)
    between = {**second["criteria"], "polite": {**second["criteria"]["polite"], "level": 2.5}}
    saved(project, data, ratings=[first, {**second, "criteria": between}, first])
    message = imported(project)[2]
    assert "polite is 2.5, which is no level to choose on the sheet" in message
    assert "is answered twice" in message


def test_answers_of_an_offline_page_may_be_imported_repeatedly_and_the_latest_answers_count(tmp_path: Path) -> None:
    project = make_pool(tmp_path)
    assert run("markscheme", *SHEET, cwd=project).returncode == 0
    data = data_of(project)
    to = ("--append", "--to", "calibration/manners/ratings/ana.jsonl")
    file = project / "calibration" / "manners" / "ratings" / "ana.jsonl"
    saved(project, data)
    imported(project, *to)
    once = file.read_text()
    status, printed, _ = imported(project, *to)
    assert (status, "ana.jsonl: 3 known, 0 new, 0 changed" in printed, file.read_text()) == (0, True, once)
    first, second, third = answers(data)
    changed = {"polite": data["sheet"]["rated"][1]["0"], "waffle": data["sheet"]["rated"][2]["1"]}
    later = {**second, "criteria": changed, "at": "2026-11-20T10:00:01.000Z"}
    saved(project, data, ratings=[first, later, third, *answers(data, 4)[3:]])
    assert "ana.jsonl: 2 known, 1 new, 1 changed" in imported(project, *to)[1]
    saved(project, data)
    report = json.loads(imported(project, *to, "--json")[1])
    assert report["added"] == {"known": 2, "new": 0, "changed": 0, "older": 1}
    latest = {
        line["id"]: line["criteria"]["polite"]["level"] for line in map(json.loads, file.read_text().splitlines())
    }
    assert latest[second["id"]] == 1.0


def test_offline_answers_that_may_be_another_rater_s_are_refused_unless_the_as_option_names_the_rater(
    written: tuple[Path, dict[str, Any]],
) -> None:
    project, data = written
    for name in ("manners-ana.json", "manners-ben (2).json", "manners-ana (1).json"):
        saved(project, data, name)
    for name, to in (
        ("manners-ben (2).json", "new.jsonl"),
        ("manners-ana.json", "calibration/manners/ratings/ben.jsonl"),
    ):
        command = ("markscheme", "import", name, "--rubric", "manners", "--to", to)
        refused = run(*command, cwd=project)
        assert refused.returncode == 2
        assert "who answered? The sheet is for ana, and " in refused.stderr
        assert "say `--as ana` or `--as ben`" in refused.stderr
        assert run(*command, "--as", "ben", cwd=project).returncode == 0
        assert {json.loads(line)["rater"] for line in (project / to).read_text().splitlines()} == {"ben"}
        (project / to).unlink()
    assert run("markscheme", "import", "manners-ana (1).json", "--rubric", "manners", cwd=project).returncode == 0


def test_answers_of_an_offline_page_are_verified_with_the_secret_file_of_the_project_that_wrote_the_page(
    tmp_path: Path,
) -> None:
    project = make_pool(tmp_path)
    assert run("markscheme", *SHEET, cwd=project).returncode == 0
    key = project / "calibration" / "manners" / "sheet.key"
    assert key.read_text().strip() not in (project / "ana.html").read_text()
    assert key.stat().st_mode & 0o077 == 0
    saved(project, data_of(project))
    mine = key.read_text()
    key.unlink()
    assert "sheet.key isn't here; import it where it was written" in imported(project)[2]
    key.write_text("0" * 64)
    refused = imported(project)[2]
    assert "its head isn't the one that was written" in refused
    assert "sheet.key is of another copy" in refused
    key.write_bytes(b"\xff" * 64)
    assert "sheet.key:1: is not UTF-8 text" in imported(project)[2]
    assert "sheet.key:1: is not UTF-8 text" in run("markscheme", *SHEET, cwd=project).stderr
    key.write_text(mine)
    assert imported(project)[0] == 0


@pytest.mark.parametrize("file_name", ["manners-ana.json", "manners-ana (2).json", "manners-ana(1).json"])
def test_answers_of_an_offline_page_are_refused_if_the_page_s_header_was_removed_from_the_file(
    written: tuple[Path, dict[str, Any]], file_name: str
) -> None:
    project, data = written
    path = project / file_name
    path.write_text(json.dumps([{**answer, "kind": "adjudicated"} for answer in answers(data)]))
    labels = project / "calibration" / "manners" / "ratings" / "ana.jsonl"
    before = labels.read_text()
    done = run("markscheme", "import", file_name, "--rubric", "manners", "--append", "--to", str(labels), cwd=project)
    assert done.returncode == 2
    assert f"{file_name}: has the name of ana's answers on a labelling sheet, and not the sheet's head" in done.stderr
    assert labels.read_text() == before


def test_ratings_that_a_file_calls_adjudicated_are_imported_only_if_the_kind_option_says_adjudicated(
    written: tuple[Path, dict[str, Any]],
) -> None:
    project, data = written
    (project / "theirs.jsonl").write_text(json.dumps({**answers(data, 1)[0], "kind": "adjudicated"}))
    typed = ("markscheme", "import", "theirs.jsonl", "--rubric", "manners", "--to", "gold.jsonl")
    refused = run(*typed, cwd=project)
    assert (refused.returncode, (project / "gold.jsonl").exists()) == (2, False)
    assert "1 rating would be gold before all others, since the file calls it adjudicated" in refused.stderr
    assert run(*typed, "--kind", "adjudicated", cwd=project).returncode == 0


def test_writing_an_offline_labelling_page_creates_no_file_of_ratings(tmp_path: Path) -> None:
    project = make_pool(tmp_path)
    typed = ["label", "manners", "--pool", "pool.jsonl", "--rater", "zoe", "--sheet", "zoe.html"]
    assert run("markscheme", *typed, cwd=project).returncode == 0
    assert not list(project.rglob("zoe.jsonl"))


def test_a_warning_about_a_set_that_a_command_reads_several_times_is_printed_once(tmp_path: Path) -> None:
    project = make_pool(tmp_path)
    folder = project / "calibration/manners"
    folder.mkdir(parents=True, exist_ok=True)
    lines = (f'{{"id": "{unit}", "response": "It is in Leeds."}}\n' for unit in ("one", "two"))
    (folder / "examples.jsonl").write_text("".join(lines))
    done = run("markscheme", "label", "manners", "--rater", "ana", "--sheet", "ana.html", cwd=project)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("hold the same response; it counts twice") == 1


def test_annotators_are_asked_again_about_examples_whose_labels_do_not_state_the_criterion_s_wording(
    tmp_path: Path,
) -> None:
    project = make_pool(tmp_path)
    ratings = project / "calibration/manners/ratings/ana.jsonl"
    ratings.parent.mkdir(parents=True)
    pool = [json.loads(line) for line in (project / "pool.jsonl").read_text().splitlines()]
    criteria = {"polite": 2, "waffle": "UNMET"}
    lines = (json.dumps({"id": row["id"], "rater": "ana", "kind": "human", "criteria": criteria}) for row in pool[:3])
    ratings.write_text("".join(f"{line}\n" for line in lines))
    done = run("markscheme", *SHEET, cwd=project)
    assert done.returncode == 0, done.stderr
    assert "3 labelled examples of ana will be asked again: the labels don't say which words" in done.stderr
    assert "21 to label by ana" in done.stdout


def test_the_progress_of_labelling_says_how_many_responses_lack_a_label_on_a_criterion_and_what_to_do_next(
    tmp_path: Path,
) -> None:
    project = make_pool(tmp_path)
    folder = project / "calibration/manners"
    (folder / "ratings").mkdir(parents=True)
    rows = [(f"r{n}", {"polite": 2} if n < 3 else {"polite": 2, "waffle": "UNMET"}) for n in range(5)]
    examples = (json.dumps({"id": unit, "query": "q", "response": f"reply {unit}"}) for unit, _ in rows)
    (folder / "examples.jsonl").write_text("".join(f"{line}\n" for line in examples))
    labels = (json.dumps({"id": u, "rater": "ana", "kind": "human", "criteria": criteria}) for u, criteria in rows)
    (folder / "ratings/ana.jsonl").write_text("".join(f"{line}\n" for line in labels))
    done = run("markscheme", "label", "manners", "--progress", cwd=project)
    assert "All of them are labelled, 3 not on every criterion." in done.stdout
    assert "Next, label what is left out: markscheme label manners --rater YOUR-NAME" in " ".join(done.stdout.split())
