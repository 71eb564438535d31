"""`certify --ask-within`: the part that needs no person as the gray zone around the pass mark."""

import json
import math
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from markscheme.rubrics.file import load_rubric
from markscheme.rubrics.gray_zone import GrayZone
from tests.commands.console import ROOT, run
from tests.stats.weighted_scores import weighted_scores


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with a copy of the shipped rubric and no labels."""
    (tmp_path / "rubrics").mkdir()
    shutil.copy(ROOT / "rubrics" / "code-quality.yaml", tmp_path / "rubrics")
    (tmp_path / "calibration" / "code-quality").mkdir(parents=True)
    return tmp_path


def names_and_weights(project: Path) -> tuple[list[str], list[float]]:
    rubric = load_rubric(project / "rubrics" / "code-quality.yaml")
    return [criterion.name for criterion in rubric.criteria], [criterion.weight for criterion in rubric.criteria]


def label(project: Path, n: int, *, seed: int = 5, drawn: str = "random") -> None:
    """`n` examples on which people weigh levels as the author does, and a judge's ratings of them."""
    names, weights = names_and_weights(project)
    draw = np.random.default_rng(seed)
    levels = draw.integers(1, 6, (n, len(names)))
    marks = np.clip(weighted_scores((levels - 1) / 4, weights) + draw.normal(0, 0.05, n), 0, 1)
    judged = np.clip(np.rint(levels + draw.normal(0, 0.5, levels.shape)), 1, 5)
    mark = load_rubric(project / "rubrics" / "code-quality.yaml").pass_mark
    home = project / "calibration" / "code-quality"
    with (home / "examples.jsonl").open("w") as examples, (project / "judge.jsonl").open("w") as ratings:
        for i in range(n):
            given = {
                "rater": "a",
                "kind": "human",
                "criteria": dict(zip(names, levels[i].tolist(), strict=True)),
                "pass": bool(marks[i] >= mark),
            }
            line = {"id": f"e{i}", "query": "q", "response": f"r{i}", "labels": [given], "drawn": drawn}
            examples.write(json.dumps(line) + "\n")
            rated = dict(zip(names, map(int, judged[i]), strict=True))
            ratings.write(json.dumps({"id": f"e{i}", "rater": "judge", "kind": "model", "criteria": rated}) + "\n")


def certified(project: Path, *options: str, status: int = 0) -> dict[str, Any]:
    command = ("markscheme", "certify", "rubrics/code-quality.yaml", "--ratings", "judge.jsonl", "--json", *options)
    done = run(*command, cwd=project)
    assert done.returncode == status, done.stdout + done.stderr
    report: dict[str, Any] = json.loads(done.stdout)["cascade"]
    return report


def asks_of(project: Path) -> list[dict[str, Any]]:
    """The promises on record, next to the labels."""
    path = project / "calibration" / "code-quality" / "asks.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def test_certify_with_the_ask_within_option_writes_a_gray_zone_into_the_rubric_and_no_certificate_file(
    project: Path,
) -> None:
    label(project, 300)
    report = certified(project, "--ask-within")
    assert report["supported"], report["reason"]
    assert report["stages"][0]["certainty"] == "distance"
    assert report["upper"] <= 0.05
    assert 0 < report["automatic"]["value"] < 1
    assert load_rubric(project / "rubrics" / "code-quality.yaml").ask_within == report["ask_within"] > 0
    assert not (project / "calibration" / "code-quality" / "cascade.json").exists()


def test_without_the_ask_within_option_certify_shows_the_gray_zone_and_leaves_the_rubric_file_unchanged(
    project: Path,
) -> None:
    label(project, 300)
    before = (project / "rubrics" / "code-quality.yaml").read_text()
    text = run("markscheme", "certify", "rubrics/code-quality.yaml", "--ratings", "judge.jsonl", cwd=project).stdout
    assert "of the pass mark a person decides" in " ".join(text.split())
    assert (project / "rubrics" / "code-quality.yaml").read_text() == before


def test_certify_proposes_no_gray_zone_if_there_are_too_few_labels_to_certify_a_gray_zone(project: Path) -> None:
    label(project, 40)
    few = certified(project, "--ask-within", status=4)
    assert not few["supported"]
    assert few["ask_within"] is None
    assert "takes 45 decisions without an error, and there are 40" in few["reason"]
    assert load_rubric(project / "rubrics" / "code-quality.yaml").ask_within == 0


def test_labels_of_examples_chosen_by_hand_certify_nothing(project: Path) -> None:
    label(project, 60, drawn="chosen")
    report = certified(project, status=4)
    assert (report["supported"], report["labels"]["n"]) == (False, 0)
    assert asks_of(project) == [], "a promise that wasn't tested costs later ones nothing"


def test_if_certify_is_limited_to_fails_every_pass_is_left_to_a_person(project: Path) -> None:
    label(project, 300)
    report = certified(project, "--for", "fails", "--ask-within")
    assert report["ask_within"]["passes"] == "all"
    assert 0 < report["ask_within"]["fails"] < 0.5
    rubric = load_rubric(project / "rubrics" / "code-quality.yaml")
    assert rubric.gray_zone == GrayZone(math.inf, report["ask_within"]["fails"])


def test_certifying_passes_and_fails_separately_halves_the_error_probability_of_each_test(
    project: Path,
) -> None:
    label(project, 50)
    report = certified(project, "--for", "each", status=4)
    assert list(report["automatic"]) == ["passes", "fails"]
    assert "with 95% confidence takes 59 decisions" in report["reason"]


def test_certify_tests_each_further_promised_error_rate_on_the_same_labels_more_strictly(
    project: Path,
) -> None:
    label(project, 60)

    def tested(*options: str) -> int:
        further: int = certified(project, *options, status=4)["further"]
        return further

    assert [tested(), tested()] == [0, 0]
    assert [tested("--for", "passes"), tested("--error", "0.06")] == [1, 2]
    assert [tested(), tested("--for", "passes")] == [0, 1], "each keeps its turn on the same labels"
    asked = [(ask["side"], ask["error"]) for ask in asks_of(project)]
    assert asked == [("both", 0.05), ("passes", 0.05), ("both", 0.06)]
    assert asks_of(project)[0].keys() >= {"at", "labels", "judge", "signal", "examples"}
    said = certified(project, "--for", "passes", status=4)["reason"]
    assert "Tested at 1/2 of the level, after 1 other promise on some of these labels" in said


def test_repeating_a_promise_counts_as_a_further_test_only_if_it_uses_examples_of_an_earlier_test(
    project: Path,
) -> None:
    label(project, 60)
    first = certified(project, status=4)
    label(project, 100)
    second = certified(project)
    assert (first["further"], second["further"]) == (0, 1)
    assert certified(project)["further"] == 1
    assert len(asks_of(project)) == 2
    home = project / "calibration" / "code-quality"
    for path in (home / "examples.jsonl", project / "judge.jsonl"):
        path.write_text(path.read_text().replace('"id": "e', '"id": "fresh'))
    assert certified(project)["further"] == 0


def test_repeating_a_promise_after_a_verdict_of_the_judge_changed_counts_as_a_further_test(
    project: Path,
) -> None:
    label(project, 100)
    assert certified(project)["further"] == 0
    examples, ratings = project / "calibration" / "code-quality" / "examples.jsonl", project / "judge.jsonl"
    examples.write_text("\n".join(reversed(examples.read_text().splitlines())) + "\n")
    assert certified(project)["further"] == 0
    before = ratings.read_text()
    first, *others = map(json.loads, before.splitlines())
    name = next(iter(first["criteria"]))
    first["criteria"][name] = 1 if first["criteria"][name] != 1 else 2
    ratings.write_text("".join(json.dumps(line) + "\n" for line in [first, *others]))
    assert certified(project, status=4)["further"] == 1
    ratings.write_text(before)
    assert certified(project)["further"] == 0


def test_a_promise_refused_for_too_few_labels_does_not_count_as_an_earlier_test(project: Path) -> None:
    label(project, 40)
    assert "takes 45 decisions without an error" in certified(project, status=4)["reason"]
    assert asks_of(project) == []
    label(project, 60)
    assert certified(project, status=4)["further"] == 0


def test_after_a_failed_promise_the_labels_needed_are_those_of_a_test_at_half_the_error_probability(
    project: Path,
) -> None:
    label(project, 60)
    assert certified(project, status=4)["needed"] >= 59, "45 labels at the first level, 59 at half of it"


def test_certify_names_the_file_and_line_of_a_damaged_line_in_its_record_of_promises(project: Path) -> None:
    label(project, 60)
    (project / "calibration" / "code-quality" / "asks.jsonl").write_text('{"at": "2026-11-02"}\n')
    done = run("markscheme", "certify", "rubrics/code-quality.yaml", "--ratings", "judge.jsonl", cwd=project)
    assert done.returncode == 2
    assert "asks.jsonl:1: a line of this record has labels, judge" in done.stderr


def test_certify_does_not_overwrite_uncommitted_changes_of_the_rubric(project: Path) -> None:
    label(project, 300)
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    for arguments in (("init", "-q"), ("add", "-A"), (*identity, "commit", "-qm", "first")):
        subprocess.run(["git", *arguments], cwd=project, check=True, capture_output=True)
    rubric = project / "rubrics" / "code-quality.yaml"
    rubric.write_text(rubric.read_text() + "# mine\n")
    command = ("markscheme", "certify", "rubrics/code-quality.yaml", "--ratings", "judge.jsonl", "--ask-within")
    refused = run(*command, cwd=project)
    assert (refused.returncode, "uncommitted changes" in refused.stderr) == (2, True)
    assert run(*command, "--force", cwd=project).returncode == 0


def test_certify_refuses_the_ask_within_option_for_a_panel(project: Path) -> None:
    label(project, 300)
    text = (project / "judge.jsonl").read_text()
    for name in ("second", "third"):
        (project / f"{name}.jsonl").write_text(text.replace('"rater": "judge"', f'"rater": "{name}"'))
    files = ("judge.jsonl", "second.jsonl", "third.jsonl")
    command = ("markscheme", "certify", "rubrics/code-quality.yaml", "--ratings", *files)
    done = run(*command, "--error", "0.3", "--ask-within", cwd=project)
    assert done.returncode == 2, done.stdout
    assert "--ask-within is for one judge" in done.stderr
