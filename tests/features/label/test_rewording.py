"""A reworded criterion: what the page asks again, and what the answers mean for the labels from before."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.commands.console import run
from tests.features.label.labelled_project import Server
from tests.features.label.reworded_project import EXAMPLES, NEW_WORDS, OLD_WORDS, make_reworded, polite

OWN = ("--pool", "calibration/manners/examples.jsonl")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Make a project of 60 examples labelled by ann and ben, with the criterion `polite` reworded since."""
    return make_reworded(tmp_path)


def place_of(response: str) -> int:
    """Return the number of the reply that a page shows."""
    match = re.search(r"reply (\d+)", response)
    assert match
    return int(match[1])


def answer_all(server: Server, change: frozenset[int] = frozenset()) -> list[int]:
    """Answer all questions as before, except some differently; return the numbers of the replies asked about."""
    places: list[int] = []
    for step in server.get("").data["steps"]:
        place = place_of(server.get(f"unit/{step['unit']}").text)
        level = int(polite(place)) - 1
        answers = {"polite": str((level + 1) % 3 if len(places) in change else level)}
        assert server.post("give", {"unit": step["unit"], "answers": answers}).status == 200
        places.append(place)
    return places


def calibrated(project: Path) -> dict[str, Any]:
    """Calibrate a judge that always agrees with the old labels, and return the JSON."""
    ratings = "".join(
        json.dumps({"id": f"r{n}", "judge": "gpt", "criteria": {"polite": polite(n), "waffle": 0}}) + "\n"
        for n in range(EXAMPLES)
    )
    (project / "judge.jsonl").write_text(ratings)
    done = run("calibrate", "manners", "--ratings", "judge.jsonl", "--json", "-", cwd=project)
    assert done.stdout, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def test_after_a_rewording_annotators_are_asked_about_the_reworded_criterion_on_a_third_of_the_examples(
    project: Path,
) -> None:
    """20 labels of one criterion for each annotator, instead of 60 of all criteria; the same 20 for both."""
    asked = {}
    for rater in ("ann", "ben"):
        with Server(project, OWN, rater=rater) as server:
            data = server.get("").data
            assert len(data["steps"]) == 20
            assert [step["criteria"] for step in data["steps"]] == [[0]] * 20
            assert {step["answer"] for step in data["steps"]} == {None}
            assert [step["before"][0]["text"] for step in data["steps"]] == [OLD_WORDS] * 20
            assert NEW_WORDS in server.get("").text
            asked[rater] = set(answer_all(server))
    assert asked["ann"] == asked["ben"]


@pytest.mark.parametrize("option", [pytest.param("--progress", marks=pytest.mark.proof), "--plan"])
def test_progress_and_plan_after_a_rewording_say_how_many_examples_must_be_relabelled_for_a_gate(
    project: Path, option: str
) -> None:
    calibrated(project)
    done = run("markscheme", "label", "manners", option, cwd=project)
    shown = done.stdout
    assert "labelled again" not in done.stderr, "it is said once"
    assert "No more labels are needed" not in shown
    assert "for a gate they count once 20 more are labelled again and agree" in " ".join(shown.split())
    assert "Next: markscheme label manners --rater YOUR-NAME" in shown


def test_labels_from_before_a_rewording_count_again_once_a_third_was_relabelled_with_the_same_answers(
    project: Path,
) -> None:
    before = calibrated(project)
    assert (before["use"], before["verdict"], before["rated"]["gold"]["pass"].count(None)) == ("trend", "ok", 0)
    assert before["relabelled"]["state"] == "too few"
    assert "60 of 60 labelled examples were labelled under the old words of polite" in before["because"]
    for rater in ("ann", "ben"):
        with Server(project, OWN, rater=rater) as server:
            answer_all(server)
    after = calibrated(project)
    assert after["use"] == "gate"
    wanted = {"criteria": ["polite"], "relabelled": 20, "same": 20, "old": 40, "old_counted": 40}
    assert after["relabelled"] == {**wanted, "state": "old labels count"}
    done = run("calibrate", "manners", "--ratings", "judge.jsonl", cwd=project)
    assert "they count, since 20 relabelled, 20 the same" in " ".join(done.stdout.split())


def test_labels_from_before_a_rewording_cause_no_finding_once_relabelled_examples_confirm_the_old_labels(
    project: Path,
) -> None:
    asks = "labels on polite were given under another wording"
    calibrated(project)
    calibrate = ("calibrate", "manners", "--ratings", "judge.jsonl")
    before = run(*calibrate, cwd=project).stdout
    assert f"120 {asks}" in before
    assert "→ markscheme label manners" in before
    for rater in ("ann", "ben"):
        with Server(project, OWN, rater=rater) as server:
            answer_all(server)
    after = run(*calibrate, cwd=project).stdout
    assert "they count, since 20 relabelled, 20 the same" in " ".join(after.split())
    assert asks not in after
    assert "markscheme label" not in after
    assert "labels for another wording" not in " ".join(run(*calibrate, "--details", cwd=project).stdout.split())
    assert "stale-labels" not in [finding["code"] for finding in calibrated(project)["findings"]]


@pytest.mark.proof
def test_one_changed_answer_among_20_relabelled_examples_excludes_the_old_labels_of_all_other_examples(
    project: Path,
) -> None:
    with Server(project, OWN) as server:
        checked = answer_all(server, frozenset([3]))
    report = calibrated(project)
    assert report["relabelled"]["state"] == "relabel the rest"
    assert report["agreement"]["n"] == 20
    with Server(project, OWN) as server:
        again = [step["unit"] for step in server.get("").data["steps"] if step["before"][0] is not None]
        rest = [place_of(server.get(f"unit/{unit}").text) for unit in again]
    assert len(rest) == 40
    assert not set(rest) & set(checked)


@pytest.mark.proof
def test_labels_from_before_a_rewording_can_be_adjudicated_if_they_still_count(project: Path) -> None:
    """ann and ben differ on one reply that isn't among those asked again, and agree on the others."""
    checked: set[int] = set()
    for rater in ("ann", "ben"):
        with Server(project, OWN, rater=rater) as server:
            checked.update(answer_all(server))
    elsewhere = next(place for place in range(EXAMPLES) if place not in checked)
    path = project / "calibration" / "manners" / "ratings" / "ben.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines:
        if line["id"] == f"r{elsewhere}":
            line["criteria"]["polite"]["level"] = 4 - line["criteria"]["polite"]["level"] if elsewhere % 3 != 1 else 1
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with Server(project, [*OWN, "--disputed"], rater="eve") as server:
        (step,) = server.get("").data["steps"]
        assert place_of(server.get(f"unit/{step['unit']}").text) == elsewhere
    assert "are left out" not in server.end()


@pytest.mark.proof
def test_labels_from_before_a_rewording_that_the_author_calls_equivalent_still_count_for_trends(project: Path) -> None:
    done = run("markscheme", "label", "manners", "--same-meaning", "polite", cwd=project)
    assert done.returncode == 0, done.stderr
    assert "Labels under the old words stay in trends." in done.stdout
    with Server(project, OWN) as server:
        assert len(answer_all(server, frozenset([3]))) == 20
    report = calibrated(project)
    assert (report["relabelled"]["state"], report["agreement"]["n"]) == ("relabel the rest", 60)
    assert report["use"] == "trend"
    assert "you said that they mean the same, so these count for trends, and not for a gate" in report["because"]
    with Server(project, OWN) as server:
        open_again = [step for step in server.get("").data["steps"] if any(step["before"]) and step["answer"] is None]
    assert open_again == []


@pytest.mark.parametrize(
    ("criterion", "why"),
    [("polit", "did you mean polite?"), ("waffle", "no labels were given to other words of waffle")],
)
def test_the_same_meaning_option_is_refused_for_an_unknown_or_unchanged_criterion(
    criterion: str, why: str, project: Path
) -> None:
    done = run("markscheme", "label", "manners", "--same-meaning", criterion, cwd=project)
    assert done.returncode == 2
    assert why in done.stderr


@pytest.mark.proof
def test_the_current_words_option_of_import_takes_a_table_s_labels_as_given_under_the_current_wording(
    tmp_path: Path,
) -> None:
    project = make_reworded(tmp_path)
    home = project / "calibration" / "manners"
    for rater in ("ann", "ben"):
        (home / "ratings" / f"{rater}.jsonl").unlink()
    (home / "wordings.jsonl").unlink()
    rubric = project / "rubrics" / "manners.yaml"
    new_text = rubric.read_text()
    rubric.write_text(new_text.replace(NEW_WORDS, OLD_WORDS))
    taken_in = ("--rubric", "manners", "--kind", "human", "--current-words", "--append")

    def import_for(rater: str, places: Sequence[int], columns: str, cells: str) -> str:
        rows = [f"r{n},{polite(n):g}{cells}" for n in places]
        (project / f"{rater}.csv").write_text("\n".join([columns, *rows]) + "\n")
        to = f"calibration/manners/ratings/{rater}.jsonl"
        done = run("markscheme", "import", f"{rater}.csv", "--rater", rater, *taken_in, "--to", to, cwd=project)
        assert done.returncode == 0, done.stderr
        return " ".join(done.stdout.split())

    for rater in ("ann", "ben"):
        import_for(rater, range(EXAMPLES), "id,polite,waffle", ",0")
    assert OLD_WORDS in (home / "wordings.jsonl").read_text()
    rubric.write_text(new_text)
    before = calibrated(project)
    assert (before["use"], before["relabelled"]["state"]) == ("trend", "too few")
    for rater in ("ann", "ben"):
        with Server(project, OWN, rater=rater) as server:
            steps = server.get("").data["steps"]
            assert [step["before"][0]["text"] for step in steps] == [OLD_WORDS] * 20
            asked = [place_of(server.get(f"unit/{step['unit']}").text) for step in steps]
        assert "0 known, 0 new, 20 changed" in import_for(rater, asked, "id,polite", "")
    after = calibrated(project)
    assert (after["use"], after["relabelled"]["state"], after["relabelled"]["same"]) == ("gate", "old labels count", 20)


def test_the_import_command_refuses_the_current_words_option_without_the_rubric_option(project: Path) -> None:
    (project / "again.csv").write_text("id,rater,polite\nr1,ann,1\n")
    done = run("markscheme", "import", "again.csv", "--kind", "human", "--current-words", cwd=project)
    assert (done.returncode, "--current-words needs --rubric" in done.stderr) == (2, True)


def test_undoing_an_answer_to_a_reworded_criterion_restores_the_label_given_before_the_rewording(project: Path) -> None:
    with Server(project, OWN) as server:
        step = server.get("").data["steps"][0]
        assert server.post("give", {"unit": step["unit"], "answers": {"polite": "0"}}).status == 200
        assert server.post("undo", {"unit": step["unit"]}).status == 200
    report = calibrated(project)
    assert (report["agreement"]["n"], report["relabelled"]["relabelled"]) == (60, 0)


def test_changed_punctuation_or_case_of_a_criterion_is_not_a_new_wording(project: Path) -> None:
    rubric = project / "rubrics" / "manners.yaml"
    rubric.write_text(rubric.read_text().replace(NEW_WORDS, "is the  reply POLITE"))
    with Server(project, OWN) as server:
        assert server.announced["given"] == 60
        assert {json.dumps(step["before"]) for step in server.get("").data["steps"]} == {"[null, null]"}
    assert calibrated(project)["relabelled"] is None


def test_after_a_rewording_an_offline_labelling_page_asks_only_about_the_reworded_criterion(
    project: Path,
) -> None:
    done = run("markscheme", "label", "manners", "--rater", "ann", "--sheet", "ann.html", cwd=project)
    assert done.returncode == 0
    assert "20 of 60 labelled examples are asked again, on polite alone" in done.stderr
    text = (project / "ann.html").read_text(encoding="utf-8")
    data = json.loads(re.search(r'id="data">(.*?)</script>', text)[1])  # type: ignore[index]
    head = data["sheet"]["head"]
    assert list(head["asks"].values()) == [["polite"]] * 20

    def answered(**criteria: Any) -> list[dict[str, Any]]:
        return [
            {
                "id": unit,
                "rater": "ann",
                "kind": "human",
                "sample": 0,
                "at": "2026-11-22T09:00:00Z",
                "under": head["under"],
                "criteria": {
                    name: {"level": polite(int(unit[1:])) if level is None else level, "under": head["criteria"][name]}
                    for name, level in criteria.items()
                },
            }
            for unit, _ in head["steps"]
        ]

    to = "calibration/manners/ratings/ann.jsonl"
    taken_in = ("markscheme", "import", "saved.json", "--rubric", "manners", "--append", "--to", to)
    (project / "saved.json").write_text(json.dumps({**head, "ratings": answered(polite=None, waffle=1.0)}))
    assert "the sheet doesn't ask for waffle" in run(*taken_in, cwd=project).stderr
    (project / "saved.json").write_text(json.dumps({**head, "ratings": answered(polite=None)}))
    done = run(*taken_in, cwd=project)
    assert done.returncode == 0, done.stderr
    report = calibrated(project)
    assert report["relabelled"]["state"] == "old labels count"
    assert report["use"] == "gate"


def test_after_a_rewording_the_label_command_warns_that_it_leaves_out_examples_labelled_under_the_old_words(
    project: Path,
) -> None:
    pool = project / "more.jsonl"
    lines = ({"id": f"new{n}", "query": "?", "response": f"another reply {n}"} for n in range(5))
    pool.write_text("".join(json.dumps(line) + "\n" for line in lines))
    done = run(
        "markscheme",
        "label",
        "manners",
        "--rater",
        "ann",
        "--next",
        "3",
        "--pool",
        "more.jsonl",
        "--sheet",
        "x.html",
        cwd=project,
    )
    assert "60 of 60 labelled examples are left out: they were labelled under the old words of polite" in done.stderr
    done = run("markscheme", "label", "manners", "--disputed", "--rater", "eve", cwd=project)
    assert "60 of 60 labelled examples are left out: their labels of polite are under its old words" in done.stderr
