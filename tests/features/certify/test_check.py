"""`verify` over a certificate: thresholds are searched again among the decisions that it keeps, and these compared."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from markscheme import Grader
from markscheme.assert_grade import AssertGrade, Background
from markscheme.errors import RatingWarning
from markscheme.ratings.rating import asked_under
from markscheme.rubrics.file import load_rubric
from tests.commands.console import run
from tests.features.certify.cascade_project import (
    BETTER,
    CASCADE,
    CHEAP,
    LABELLED,
    Servers,
    judges,
    rows,
    write_project,
)

CERTIFICATE = Path("calibration", "reply", "cascade.json")
LABELS = Path("calibration", "reply", "examples.jsonl")


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    """The judges, running."""
    with judges(tmp_path_factory.mktemp("judges")) as running:
        yield running


@pytest.fixture(scope="module")
def certified(servers: Servers, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a certificate."""
    folder = write_project(tmp_path_factory.mktemp("certified"))
    certify(folder, servers, "--judge", CASCADE)
    return folder


@pytest.fixture
def project(certified: Path, tmp_path: Path) -> Path:
    """A copy of it to change."""
    return Path(shutil.copytree(certified, tmp_path / "project"))


def certify(folder: Path, servers: Servers, *options: str) -> dict[str, Any]:
    done = run("markscheme", "certify", "reply", *options, "--write", cwd=folder, env=servers.environment)
    assert done.returncode == 0, done.stdout + done.stderr
    content: dict[str, Any] = json.loads((folder / CERTIFICATE).read_text())
    return content


def verified(folder: Path, status: int, path: str = "calibration/reply") -> dict[str, Any]:
    done = run("markscheme", "verify", path, "--json", cwd=folder)
    assert done.returncode == status, done.stdout + done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def named(report: dict[str, Any]) -> list[str]:
    return [difference["what"] for difference in report["differences"]]


def edited(folder: Path, edit: Callable[[dict[str, Any]], object]) -> None:
    content = json.loads((folder / CERTIFICATE).read_text())
    edit(content)
    (folder / CERTIFICATE).write_text(json.dumps(content))


def test_a_certificate_keeps_the_decisions_and_certainties_it_was_computed_from_but_no_response_texts(
    certified: Path,
) -> None:
    content = json.loads((certified / CERTIFICATE).read_text())
    decisions = content["decisions"]
    kept = {(entry["people"], *(certainty for certainty, _ in entry["judges"])) for entry in decisions}
    said = {
        (polite, *(round(max(p, 1 - p), 9) for p in (round(cheap, 4), round(better, 4))))
        for polite, cheap, better in rows(LABELLED, 1)
    }
    assert kept == said
    assert {key for entry in decisions for key in entry} == {"id", "people", "judges"}
    assert "Reply" not in (certified / CERTIFICATE).read_text()


def test_an_unchanged_certificate_passes_verification(certified: Path) -> None:
    report = verified(certified, 0)
    assert (report["holds"], report["recomputed"], report["labels"], report["differences"]) == (True, True, 260, [])
    assert all("decisions of" in what for what in report["not_checked"])


@pytest.mark.parametrize(
    ("edit", "what"),
    [
        (lambda file: file["stages"][0].update(certain=0.5), [f"stages › 1. {CHEAP} › certain"]),
        (lambda file: file["stages"][1].update(certain=None), [f"stages › 2. {BETTER} › certain"]),
        (lambda file: file.update(errors=0), ["errors"]),
        (lambda file: file.update(upper=0.001), ["upper"]),
        (lambda file: file["decided"].reverse(), [f"decided › 1. {CHEAP}", "decided › people"]),
        (lambda file: file["automatic"].update(value=0.9), ["automatic › value"]),
        (lambda file: file["labels"].update(n=261), ["labels › n"]),
    ],
)
def test_verifying_a_certificate_names_each_entry_that_was_changed(
    project: Path, edit: Callable[[dict[str, Any]], object], what: list[str]
) -> None:
    edited(project, edit)
    assert named(verified(project, 1)) == what


def test_a_certificate_whose_promised_error_rate_was_edited_fails_verification(
    project: Path,
) -> None:
    edited(project, lambda file: file.update(error=0.02))
    report = verified(project, 1)
    assert f"stages › 1. {CHEAP} › certain" in named(report)
    assert report["recomputed"]


def test_verifying_a_certificate_names_decisions_in_it_that_differ_from_the_labels(project: Path) -> None:
    def turn(file: dict[str, Any]) -> None:
        wrong = next(entry for entry in file["decisions"] if (entry["judges"][0][1] is True) != entry["people"])
        wrong["people"] = not wrong["people"]

    edited(project, turn)
    assert "decisions: people decide otherwise" in named(verified(project, 1))


def test_verifying_a_certificate_names_labelled_examples_that_were_left_out_of_it(project: Path) -> None:
    edited(project, lambda file: file["decisions"].pop())
    report = verified(project, 1)
    assert {"decisions: labelled and left out", "labels › n"} <= set(named(report))


def test_verifying_a_certificate_names_changed_labels_and_a_changed_rubric(
    project: Path,
) -> None:
    labelled = (project / LABELS).read_text()
    (project / LABELS).write_text(labelled.replace('"pass": true', '"pass": false', 1))
    assert named(verified(project, 1)) == ["labels", "decisions: people decide otherwise"]
    (project / LABELS).write_text(labelled)
    rubric = project / "rubrics" / "reply.yaml"
    rubric.write_text(rubric.read_text().replace("polite", "kind"))
    assert "the prompt" in named(verified(project, 1))
    rubric.unlink()
    (project / LABELS).unlink()
    report = verified(project, 0)
    assert any(what.startswith("the labels: no rubric reply") for what in report["not_checked"])


def test_a_certificate_in_an_older_format_fails_verification_with_advice_to_certify_again(project: Path) -> None:
    edited(project, lambda file: file.pop("decisions"))
    report = verified(project, 1)
    assert (report["holds"], report["recomputed"], report["differences"]) == (False, False, [])
    assert any("certify again" in what for what in report["not_checked"])


@pytest.mark.parametrize(
    ("edit", "problem"),
    [
        (lambda file: file.update(decisions=[]), "decisions is a list of entries"),
        (lambda file: file.update(decisions={"0": 1}), "decisions is a list of entries"),
        (lambda file: file["decisions"].append({"people": True}), "decisions[260] is an object with an id"),
        (lambda file: file["decisions"].append(file["decisions"][0]), "decisions has an example twice"),
        (lambda file: file["decisions"][3].update(people="yes"), "decisions[3] has people's decision"),
        (lambda file: file["decisions"][3].update(group="g"), "a group for some examples"),
        (lambda file: file["decisions"][3]["judges"].pop(), "decisions[3] has a decision for each judge"),
        (lambda file: file["decisions"][3].update(judges=[[2, True], None]), "a certainty from 0 to 1"),
        (lambda file: file["decisions"][3].update(judges=[[10**400, True], None]), "is too large"),
        (lambda file: file.update(further=10**9), "further is a whole number from 0 to 1000"),
    ],
)
def test_verify_refuses_a_certificate_with_malformed_contents_and_names_the_file_and_what_is_wrong(
    project: Path, edit: Callable[[dict[str, Any]], object], problem: str
) -> None:
    edited(project, edit)
    done = run("markscheme", "verify", str(CERTIFICATE), cwd=project)
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: {CERTIFICATE}: isn't a cascade")
    assert problem in " ".join(done.stderr.split())


@pytest.mark.parametrize(
    "options", [("--for", "each", "--error", "0.2"), ("--wrong-passes", "0.05"), ("--confidence", "0.8")]
)
def test_certificates_of_each_kind_of_promise_pass_verification(
    servers: Servers, tmp_path: Path, options: tuple[str, ...]
) -> None:
    folder = write_project(tmp_path / "first")
    content = certify(folder, servers, "--judge", CASCADE, *options)
    assert sum(content["decided"]) == LABELLED
    assert min(content["decided"]) >= 0
    assert verified(folder, 0)["recomputed"]


@pytest.mark.proof
def test_a_certificate_for_examples_in_groups_and_with_a_second_promise_passes_verification(
    servers: Servers, tmp_path: Path
) -> None:
    folder = write_project(tmp_path, group=2)
    assert run("markscheme", "certify", "reply", "--judge", CHEAP, cwd=folder, env=servers.environment).returncode in (
        0,
        4,
    )
    content = certify(folder, servers, "--judge", BETTER)
    assert content["further"] == 1
    assert len({entry["group"] for entry in content["decisions"]}) == LABELLED / 2
    assert verified(folder, 0)["differences"] == []
    edited(folder, lambda file: file.update(further=0))
    assert named(verified(folder, 1)) != []


def rating_file(folder: Path, *, more: dict[str, Any] | None = None) -> Path:
    """Ratings of the better judge, as a run of ours writes them."""
    rubric = load_rubric(folder / "rubrics" / "reply.yaml")
    with (folder / "better.jsonl").open("w") as file:
        for place, (_, _, p) in enumerate(rows(LABELLED, 1)):
            tone = {"probabilities": {"MET": p, "UNMET": 1 - p}}
            line = {"id": f"e{place}", "rater": BETTER, "kind": "model", "criteria": {"tone": tone}}
            file.write(json.dumps({**line, "under": asked_under(rubric), **(more or {})}) + "\n")
    return folder / "better.jsonl"


def test_verifying_a_certificate_made_from_ratings_names_decisions_that_no_longer_follow_from_their_file(
    servers: Servers, tmp_path: Path
) -> None:
    folder = write_project(tmp_path)
    ratings = rating_file(folder)
    (stage,) = certify(folder, servers, "--judge", "better.jsonl")["stages"]
    assert stage["file"] == "../../better.jsonl"
    assert verified(folder, 0)["not_checked"] == []
    first, *rest = ratings.read_text().splitlines(keepends=True)
    turned = {**json.loads(first), "criteria": {"tone": {"probabilities": {"MET": 0.5001, "UNMET": 0.4999}}}}
    ratings.write_text(json.dumps(turned) + "\n" + "".join(rest))
    report = verified(folder, 1)
    assert named(report) == [f"decisions of {BETTER}"]
    assert "1 example, as 'e0'" in report["differences"][0]["now"]
    ratings.unlink()
    assert verified(folder, 0)["not_checked"] == [f"the decisions of {BETTER}: ../../better.jsonl isn't here"]


def test_a_certificate_names_no_file_outside_the_project(servers: Servers, tmp_path: Path) -> None:
    folder = write_project(tmp_path / "inside")
    (folder / ".git").mkdir()
    rating_file(folder).rename(tmp_path / "outside.jsonl")
    (stage,) = certify(folder, servers, "--judge", "../outside.jsonl")["stages"]
    assert "file" not in stage
    edited(folder, lambda file: file["stages"][0].update(file="../../../outside.jsonl"))
    (why,) = verified(folder, 0)["not_checked"]
    assert "outside the project" in why


def test_a_certificate_made_from_ratings_has_the_fingerprint_of_the_judge_asked_with_the_recorded_parameters(
    servers: Servers, tmp_path: Path
) -> None:
    prints = []
    for name, more in (("plain", {}), ("without", {"asked_without": [["seed"]]})):
        folder = write_project(tmp_path / name)
        rating_file(folder, more=more)
        (stage,) = certify(folder, servers, "--judge", "better.jsonl")["stages"]
        prints.append(stage["fingerprint"])
    asked = write_project(tmp_path / "asked")
    (stage,) = certify(asked, servers, "--judge", BETTER)["stages"]
    assert prints[0] == stage["fingerprint"] != prints[1]


def test_a_certificate_whose_labels_changed_decides_nothing_in_a_python_grader_or_a_pytest_assertion(
    project: Path, servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    labelled = (project / LABELS).read_text()
    (project / LABELS).write_text(labelled.replace('"pass": true', '"pass": false', 1))
    monkeypatch.chdir(project)
    for name, value in servers.environment.items():
        monkeypatch.setenv(name, value)
    rubric = load_rubric(project / "rubrics" / "reply.yaml")
    sure = "Reply 1. cheap=0.9990 better=0.9990"
    with pytest.warns(RatingWarning, match="it decides nothing; certify again"), Grader(rubric, "cascade") as grader:
        grade = grader.grade_sync(sure)
    assert grade.decision == "ask"
    assert grade.decided_by is not None
    assert "changed since cascade.json was certified" in (grade.decided_by.why_ask or "")
    asserting = AssertGrade(Background(), [], project, lambda _name, _value: None)
    try:
        with pytest.warns(RatingWarning, match="certify again"), pytest.raises(AssertionError, match="ask a person"):
            asserting(sure, "reply", judge="cascade")
    finally:
        asserting.asking.close()
