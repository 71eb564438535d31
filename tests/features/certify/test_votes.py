"""`markscheme certify` with the ratings of several judges, whose votes say how certain a decision is."""

import json
from pathlib import Path
from typing import Any

import pytest

from markscheme.grading import asking_fingerprint
from markscheme.ratings.rating import asked_under
from markscheme.rubrics.file import load_rubric
from tests.commands.console import run

RUBRIC = """\
name: reply
passingThreshold: 0.5
criteria:
- {name: right, requirement: What the reply says is right, weight: 1}
"""
VOTES = {7: (110, 1), 6: (40, 1), 5: (30, 4), 4: (20, 6), 2: (10, 4), 0: (40, 1)}
"""Responses by how many of seven judges pass them, and how many of these decisions annotators call wrong.

For the passes alone, 150 are certain enough, 2 of them wrong, with an upper limit of .0351: computed once, away from
this package."""


def project(folder: Path, *, judges: int = 7, name: str = "openai:m{}", group: bool = False) -> list[str]:
    """A rubric with annotators' decisions, and a file of ratings for each judge."""
    (folder / "rubrics").mkdir()
    (folder / "rubrics" / "reply.yaml").write_text(RUBRIC)
    home = folder / "calibration" / "reply"
    home.mkdir(parents=True)
    under = asked_under(load_rubric(folder / "rubrics" / "reply.yaml"))
    examples = []
    ratings: list[list[dict[str, Any]]] = [[] for _ in range(judges)]
    rows = [(votes, place < wrong) for votes, (size, wrong) in VOTES.items() for place in range(size)]
    for number, (votes, is_wrong) in enumerate(rows):
        label = {"rater": "ann", "kind": "human", "pass": (votes > 3) is not is_wrong}
        example = {"id": f"e{number}", "query": "q", "response": f"r{number}", "labels": [label]}
        examples.append({**example, "group": f"g{number % 10}"} if group else example)
        for judge in range(judges):
            level = int((judge + number) % 7 < votes)
            line = {"id": f"e{number}", "rater": name.format(judge), "kind": "model", "criteria": {"right": level}}
            ratings[judge].append({**line, "under": under})
    (home / "examples.jsonl").write_text("".join(json.dumps(example) + "\n" for example in examples))
    files = [f"judge{judge}.jsonl" for judge in range(judges)]
    for file, lines in zip(files, ratings, strict=True):
        (folder / file).write_text("".join(json.dumps(line) + "\n" for line in lines))
    return files


def tuned(folder: Path, files: list[str], *options: str) -> dict[str, Any]:
    done = run("markscheme", "certify", "reply", "--ratings", *files, "--json", *options, cwd=folder)
    assert done.returncode in (0, 4), done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def test_certify_lets_six_of_seven_judges_that_agree_on_a_pass_decide_without_a_person(tmp_path: Path) -> None:
    files = project(tmp_path)
    report = tuned(tmp_path, files, "--for", "passes")
    assert report["cascade"]["ask_within"] is None
    cascade = report["cascade"]
    assert cascade["supported"]
    (stage,) = cascade["stages"]
    assert stage["certainty"] == "votes"
    assert stage["certain"] == {"passes": pytest.approx(6 / 7, abs=1e-6), "fails": None}
    assert stage["judge"] == "+".join(f"openai:m{judge}" for judge in range(7))
    assert (cascade["decided"], cascade["errors"]) == ([150, 100], 2)
    assert cascade["upper"] == pytest.approx(0.0351, abs=5e-5)
    assert "At most 5% of the automatic passes are wrong" in cascade["reason"]
    assert cascade["file"] is None
    assert not (tmp_path / "calibration" / "reply" / "cascade.json").exists()


def test_the_certificate_file_records_the_promise_and_the_judges_models_and_the_labels_and_the_fingerprints(
    tmp_path: Path,
) -> None:
    files = project(tmp_path)
    report = tuned(tmp_path, files, "--for", "passes", "--write")
    path = tmp_path / "calibration" / "reply" / "cascade.json"
    written = json.loads(path.read_text())
    assert report["cascade"]["file"] == str(path)
    assert written["schema"] == 1
    assert (written["error"], written["confidence"], written["for"], written["wrong_passes"]) == (
        0.05,
        0.9,
        "passes",
        None,
    )
    assert written["stages"][0]["model"] == [f"m{judge}" for judge in range(7)]
    assert (written["labels"]["n"], written["labels"]["groups"]) == (250, None)
    rubric = load_rubric(tmp_path / "rubrics" / "reply.yaml")
    assert written["fingerprints"] == {"rubric": rubric.fingerprint, "prompt": asking_fingerprint(rubric)}
    assert written["at"]
    assert written["automatic"]["value"] == pytest.approx(150 / 250)
    assert (tmp_path / "rubrics" / "reply.yaml").read_text() == RUBRIC


def test_if_nothing_can_be_certified_no_file_is_written_and_an_older_certificate_stays(tmp_path: Path) -> None:
    files = project(tmp_path)
    path = tmp_path / "calibration" / "reply" / "cascade.json"
    path.write_text("older")
    options = ("--for", "fails", "--write")
    report = tuned(tmp_path, files, *options)
    assert not report["cascade"]["supported"]
    assert "All fails go to people: " in report["cascade"]["reason"]
    assert path.read_text() == "older"


def test_certify_refuses_to_write_a_certificate_from_ratings_that_do_not_name_the_judge_to_ask(
    tmp_path: Path,
) -> None:
    files = project(tmp_path, name="judge {}")
    command = ("markscheme", "certify", "reply", "--ratings", *files, "--for", "passes")
    shown = run(*command, cwd=tmp_path)
    assert (shown.returncode, "passes 6 of 7 votes" in " ".join(shown.stdout.split())) == (0, True)
    assert "--write" not in shown.stdout
    refused = run(*command, "--write", cwd=tmp_path)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "--write writes which judges to ask, and judge0.jsonl doesn't say which judge to ask;" in refused.stderr
    assert not (tmp_path / "calibration" / "reply" / "cascade.json").exists()


def test_the_record_of_promises_says_for_which_decisions_each_promise_was_made(tmp_path: Path) -> None:
    files = project(tmp_path)
    tuned(tmp_path, files, "--for", "passes")
    tuned(tmp_path, files, "--for", "each")
    lines = (tmp_path / "calibration" / "reply" / "asks.jsonl").read_text().splitlines()
    asks = [json.loads(line) for line in lines]
    assert [(ask["signal"], ask["side"]) for ask in asks] == [("cascade", "passes"), ("cascade", "each")]


def test_examples_in_too_few_groups_certify_nothing(tmp_path: Path) -> None:
    """Ten groups of 25 responses each: too few to show what a group has in common."""
    files = project(tmp_path, group=True)
    report = tuned(tmp_path, files, "--for", "passes")
    assert report["cascade"]["labels"]["groups"] == 10
    assert not report["cascade"]["supported"]


def test_certify_with_three_judges_recommends_at_least_five_judges(tmp_path: Path) -> None:
    files = project(tmp_path, judges=3)
    shown = " ".join(run("markscheme", "certify", "reply", "--ratings", *files, cwd=tmp_path).stdout.split())
    assert "With 5 judges or more, votes tell more decisions apart." in shown


def test_certify_refuses_one_file_with_the_ratings_of_two_judges(tmp_path: Path) -> None:
    files = project(tmp_path, judges=2)
    (tmp_path / "both.jsonl").write_text("".join((tmp_path / file).read_text() for file in files))
    done = run("markscheme", "certify", "reply", "--ratings", "both.jsonl", cwd=tmp_path)
    assert done.returncode == 2
    assert "contains 2 raters (openai:m0, openai:m1); use one file for each" in done.stderr


def by_criterion(folder: Path, value: str) -> None:
    """Put labels of a criterion in the place of the decisions, or `value` for every one."""
    home = folder / "calibration" / "reply" / "examples.jsonl"
    text = home.read_text()
    for decision, level in (("true", 1), ("false", 0)):
        text = text.replace(f'"pass": {decision}', value.replace("LEVEL", str(level)))
    home.write_text(text)


def test_if_labels_contain_no_pass_fail_decision_certify_names_the_command_that_asks_annotators_to_decide(
    tmp_path: Path,
) -> None:
    files = project(tmp_path, judges=2)
    by_criterion(tmp_path, '"criteria": {"right": {"note": "unclear"}}')
    done = run("markscheme", "certify", "reply", "--ratings", *files, cwd=tmp_path)
    shown = " ".join(done.stdout.split())
    assert "Everything goes to people: no annotator decided whether these responses pass." in shown, done.stderr
    assert "The labelling page asks them whether the whole response passes." in shown
    assert shown.endswith("Next, have people decide: markscheme label reply -o ask_whole=always")


def test_labels_on_criteria_give_the_same_certificate_as_the_decisions_that_follow_from_them(tmp_path: Path) -> None:
    files = project(tmp_path, judges=7)
    given = tuned(tmp_path, files)["cascade"]
    assert given["supported"]
    assert given["labels"]["explicit"] == given["labels"]["n"]
    (tmp_path / "calibration" / "reply" / "asks.jsonl").unlink()
    by_criterion(tmp_path, '"criteria": {"right": LEVEL}')
    followed = tuned(tmp_path, files)["cascade"]
    assert followed["labels"]["explicit"] == 0
    assert (followed["decided"], followed["upper"]) == (given["decided"], given["upper"])
    shown = " ".join(run("markscheme", "certify", "reply", "--ratings", *files, cwd=tmp_path).stdout.split())
    assert "Annotators' decisions follow from their labels: a score of 0.5 or more passes." in shown


def test_if_no_promise_holds_certify_suggests_an_improve_command_on_the_same_ratings_and_examples(
    tmp_path: Path,
) -> None:
    (file,) = project(tmp_path, judges=1)
    (tmp_path / "calibration" / "reply" / "examples.jsonl").rename(tmp_path / "more.jsonl")
    options = ("--ratings", file, "--examples", "more.jsonl")
    done = run("markscheme", "certify", "reply", *options, cwd=tmp_path, env={"COLUMNS": "200"})
    assert done.returncode == 4, done.stderr
    assert done.stdout.rstrip().endswith(f"markscheme improve reply --numbers {' '.join(options)}")
