"""The accepted run: written whole or not at all, and read back as it was."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.noisy_judge import NoisyJudge, calibrated, rubric
from markscheme import Rubric
from markscheme.calibration.accepted.acceptance import accept
from markscheme.calibration.calibration import Calibration
from markscheme.calibration.earlier_runs.load import load_accepted
from markscheme.calibration.earlier_runs.run_identity import MOST_RUNS, labels_digest, submission_digest
from markscheme.errors import RatingError, UsageError
from markscheme.prompts.submission import Submission
from markscheme.ratings.codes import RatingCodes
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import load_examples
from markscheme.ratings.rating import Rated, Rating
from tests.full_disk import disk_of

EVERYTHING = """
name: everything
description: all that a rubric can say
passingThreshold: 0.7
inputs: [query, reference]
guidelines: be fair
strategy: per_criterion
samples: 3
criteria:
  - {name: tone, description: How kind, weight: 2, scale: {min: 1, max: 3}, sees: [query], required: true,
     threshold: 0.6, not_applicable: true, examples: {good: thanks, bad: insults},
     levels: [{value: 1, label: rude, description: insults, example: you}, {value: 2}, {value: 3, label: kind}]}
  - {name: leaks, requirement: Tells a secret, weight: -1.5}
  - {name: kind, requirement: Which kind, weight: 1, scale_type: nominal,
     options: [{label: a, value: 0}, {label: b, value: 1}, {label: c, value: 1}]}
  - {name: form, description: Is JSON, weight: 1, check: json_valid}
"""


@pytest.fixture(scope="module")
def calibration() -> Calibration:
    """Make a calibration with two repeated runs."""
    return calibrated(NoisyJudge.made(seed=5), rubric(), runs=3)


def _file_of_ratings(path: Path) -> Path:
    """Return the file of ratings that an accepted.json names."""
    return path.with_name(json.loads(path.read_text(encoding="utf-8"))["ratings"]["file"])


def test_an_accepted_run_is_loaded_as_it_was_written(calibration: Calibration, tmp_path: Path) -> None:
    accept(calibration, tmp_path / "accepted.json", split="dev")
    accepted = load_accepted(tmp_path / "accepted.json")
    assert accepted.setting.rubric == calibration.rubric
    assert accepted.setting.rubric.fingerprint == calibration.rubric.fingerprint
    assert accepted.setting == calibration.rater.setting(calibration.rubric)
    assert (accepted.split, accepted.use) == ("dev", calibration.decision.use)
    assert accepted.agreement == calibration.comparison.agreement.value
    levels = [
        (r.id, r.sample, {n: rated.level for n, rated in r.criteria.items()}, r.overall) for r in accepted.ratings
    ]
    assert levels == [
        (r.id, r.sample, {n: rated.level for n, rated in r.criteria.items()}, r.overall)
        for r in (*calibration.judge_ratings, *calibration.repeats)
    ]


def test_several_samples_of_a_judge_in_one_calibration_are_kept_as_separate_accepted_runs(
    calibration: Calibration, tmp_path: Path
) -> None:
    accept(calibration, tmp_path / "accepted.json")
    accepted = load_accepted(tmp_path / "accepted.json")
    assert [len(run) for run in accepted.runs] == [60, 60, 60]
    data = json.loads((tmp_path / "accepted.json").read_text(encoding="utf-8"))
    assert data["ratings"]["samples"] == 3
    assert data["measurements"]["agreement"] == calibration.comparison.agreement.to_json()


def test_a_rubric_that_uses_every_rubric_key_is_read_back_unchanged_from_an_accepted_run(
    calibration: Calibration, tmp_path: Path
) -> None:
    everything = Rubric.from_yaml(EVERYTHING)
    accept(
        replace(calibration, rubric=everything, judge_ratings=RatingCodes.of(()), repeats=()),
        tmp_path / "accepted.json",
    )
    stored_rubric = load_accepted(tmp_path / "accepted.json").setting.rubric
    assert stored_rubric == everything
    assert stored_rubric.fingerprint == everything.fingerprint


def test_the_ratings_file_of_an_accepted_run_leaves_out_reasons_and_quotes(
    calibration: Calibration, tmp_path: Path
) -> None:
    level = Rated(3.0, reason="a passage of the response", quote="of the response", quote_found=True)
    abstained = Rated(None, reason="who knows", declined="abstained")
    rating = Rating("e000", "noisy", "model", {"tone": level, "facts": abstained}, note="a note")
    noted = replace(calibration, judge_ratings=RatingCodes.of((rating, *calibration.judge_ratings[1:])), repeats=())
    accept(noted, tmp_path / "accepted.json")
    stored = load_accepted(tmp_path / "accepted.json").ratings[0]
    assert stored.criteria == {"tone": Rated(3.0), "facts": Rated(None, declined="abstained")}
    assert stored.note is None


def test_the_ratings_of_an_accepted_run_are_never_read_as_labels(calibration: Calibration, tmp_path: Path) -> None:
    folder = tmp_path / "calibration" / "drift"
    accept(calibration, folder / "accepted.json")
    examples = folder / "examples.jsonl"
    examples.write_text('{"id": "e000", "response": "answer e000", "labels": [{"rater": "a", "overall": 1}]}\n')
    loaded = load_examples(examples, rubric(), ratings=folder / "ratings")
    assert [label.rater for label in loaded.labels] == ["a"]


def test_accepting_a_run_with_the_option_to_start_over_removes_all_earlier_accepted_runs(
    calibration: Calibration, tmp_path: Path
) -> None:
    another_file = tmp_path / "accepted-of-mine.jsonl"
    another_file.write_text("", encoding="utf-8")
    path = tmp_path / "accepted.json"
    accept(calibration, path)
    first = _file_of_ratings(path)
    assert len(load_accepted(path).runs) == 3
    assert "are dropped" not in accept(replace(calibration, repeats=()), path, start_over=True)
    second = _file_of_ratings(path)
    assert first != second
    assert sorted(tmp_path.iterdir()) == sorted([path, tmp_path / "accepted_runs.jsonl", second, another_file])
    assert len(load_accepted(path).runs) == 1


def test_no_run_is_accepted_if_the_history_of_accepted_runs_has_an_invalid_line(
    calibration: Calibration, tmp_path: Path
) -> None:
    accept(replace(calibration, repeats=()), tmp_path / "accepted.json")
    with (tmp_path / "accepted_runs.jsonl").open("a", encoding="utf-8") as history:
        history.write("{}\n")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(RatingError, match=r"accepted_runs\.jsonl:2"):
        accept(_another_run(calibration), tmp_path / "accepted.json")
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def _another_run(calibration: Calibration) -> Calibration:
    """Make a calibration with the same judge asked once more."""
    again = tuple(replace(rating, sample=0) for rating in calibration.repeats if rating.sample == 1)
    return replace(calibration, judge_ratings=RatingCodes.of(again), repeats=())


def test_a_run_is_added_to_the_accepted_runs_if_rubric_and_judge_are_unchanged(
    calibration: Calibration, tmp_path: Path
) -> None:
    path = tmp_path / "accepted.json"
    accept(replace(calibration, repeats=()), path)
    sentences = accept(_another_run(calibration), path)
    assert sentences.startswith("2 runs accepted")
    assert "are dropped" not in sentences
    accepted = load_accepted(path)
    measured, earlier = ([r.criteria for r in run] for run in accepted.runs)
    assert measured == [{n: Rated(rated.level) for n, rated in r.criteria.items()} for r in calibration.repeats[:60]]
    assert earlier == [{n: Rated(rated.level) for n, rated in r.criteria.items()} for r in calibration.judge_ratings]
    data = json.loads(path.read_text(encoding="utf-8"))
    assert (data["ratings"]["samples"], data["cost"]["runs"]) == (2, 1)
    assert sorted(tmp_path.iterdir()) == sorted([path, tmp_path / "accepted_runs.jsonl", _file_of_ratings(path)])


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda c: {"rubric": rubric(changed=["tone"])}, "the text of criterion 'tone'"),
        (lambda c: {"rater": replace(c.rater, identity=replace(c.rater.identity, model="noisy-2"))}, "noisy-2"),
    ],
)
def test_accepting_a_run_by_another_rubric_or_judge_drops_the_accepted_runs_and_says_why(
    calibration: Calibration, tmp_path: Path, change: Callable[[Calibration], dict[str, Any]], why: str
) -> None:
    accept(calibration, tmp_path / "accepted.json")
    sentences = accept(replace(calibration, **change(calibration)), tmp_path / "accepted.json")
    assert sentences.startswith("3 runs accepted")
    assert re.search(rf"The runs accepted before are dropped \(.*{why}", sentences)


def test_accepting_a_run_on_other_examples_replaces_all_accepted_runs(calibration: Calibration, tmp_path: Path) -> None:
    accept(calibrated(NoisyJudge.made(seed=6), rubric()), tmp_path / "accepted.json")
    accept(calibrated(NoisyJudge.made(seed=6, n=40), rubric()), tmp_path / "accepted.json")
    assert len(load_accepted(tmp_path / "accepted.json").runs) == 1


def test_no_more_than_five_accepted_runs_are_kept(calibration: Calibration, tmp_path: Path) -> None:
    accept(calibration, tmp_path / "accepted.json")
    accept(replace(calibration, repeats=calibration.repeats[:60]), tmp_path / "accepted.json")
    assert len(load_accepted(tmp_path / "accepted.json").runs) == MOST_RUNS
    with pytest.raises(RatingError, match=r"6 runs .* --replace"):
        accept(_another_run(calibration), tmp_path / "accepted.json")
    assert len(load_accepted(tmp_path / "accepted.json").runs) == MOST_RUNS


def test_accepting_ratings_from_a_file_a_second_time_adds_no_run(calibration: Calibration, tmp_path: Path) -> None:
    from_file = replace(calibration, rater=replace(calibration.rater, source="ratings"), repeats=())
    path = tmp_path / "accepted.json"
    for calibrated_now, runs in ((from_file, 1), (from_file, 1), (_another_run(calibration), 2)):
        accept(calibrated_now, path)
        assert len(load_accepted(path).runs) == runs


def test_the_report_says_how_many_runs_are_accepted_and_recommends_five(
    calibration: Calibration, tmp_path: Path
) -> None:
    path = tmp_path / "accepted.json"
    few = accept(calibration, path)
    assert few.startswith("3 runs accepted")
    assert "accept 2 more runs" in few
    full = accept(replace(calibration, repeats=calibration.repeats[:60]), path)
    assert full == f"5 runs accepted, with the judge's ratings in {_file_of_ratings(path).name}."


def test_the_previous_accepted_run_stays_if_the_new_one_cannot_be_written(
    calibration: Calibration, tmp_path: Path
) -> None:
    accept(calibration, tmp_path / "accepted.json")
    with disk_of(1000), pytest.raises(UsageError, match=r"accepted\.json cannot be written"):
        accept(_another_run(calibration), tmp_path / "accepted.json")
    assert len(load_accepted(tmp_path / "accepted.json").runs) == 3


def test_accepting_a_run_never_removes_a_file_outside_the_folder_of_the_accepted_run(
    calibration: Calibration, tmp_path: Path
) -> None:
    accept(calibration, tmp_path / "accepted.json")
    data = json.loads((tmp_path / "accepted.json").read_text(encoding="utf-8"))
    elsewhere = tmp_path.parent / "elsewhere.jsonl"
    elsewhere.write_text("mine", encoding="utf-8")
    data["ratings"]["file"] = "../elsewhere.jsonl"
    (tmp_path / "accepted.json").write_text(json.dumps(data), encoding="utf-8")
    accept(calibration, tmp_path / "accepted.json", start_over=True)
    assert elsewhere.read_text(encoding="utf-8") == "mine"


def _ungraded(ratings: Sequence[Rating], count: int) -> tuple[Rating, ...]:
    return (*(replace(r, error="no reply", criteria={}, overall=None) for r in ratings[:count]), *ratings[count:])


def test_a_run_with_over_a_tenth_of_the_responses_ungraded_is_not_accepted(
    calibration: Calibration, tmp_path: Path
) -> None:
    with pytest.raises(RatingError, match="run 1 grades 53 of 60 examples"):
        accept(
            replace(calibration, judge_ratings=RatingCodes.of(_ungraded(calibration.judge_ratings, 7))),
            tmp_path / "accepted.json",
        )
    second = [rating for rating in calibration.repeats if rating.sample == 1]
    with pytest.raises(RatingError, match="run 2 grades 53 of 60 examples"):
        accept(replace(calibration, repeats=_ungraded(second, 7)), tmp_path / "accepted.json")
    assert list(tmp_path.iterdir()) == []


def test_a_run_with_exactly_a_tenth_of_the_responses_ungraded_is_accepted(
    calibration: Calibration, tmp_path: Path
) -> None:
    few_ungraded = replace(
        calibration, judge_ratings=RatingCodes.of(_ungraded(calibration.judge_ratings, 6)), repeats=()
    )
    accept(few_ungraded, tmp_path / "accepted.json")
    assert len(load_accepted(tmp_path / "accepted.json").ratings) == 60


def test_an_accepted_run_is_refused_if_its_ratings_file_has_changed_or_is_missing(
    calibration: Calibration, tmp_path: Path
) -> None:
    accept(calibration, tmp_path / "accepted.json")
    ratings = _file_of_ratings(tmp_path / "accepted.json")
    text = ratings.read_bytes()
    ratings.write_bytes(text.replace(b"\n", b"\r\n"))
    assert len(load_accepted(tmp_path / "accepted.json").ratings) == 180
    ratings.write_bytes(text.replace(b'"level": 3.0', b'"level": 4.0', 1))
    with pytest.raises(RatingError, match="not the ratings that were accepted"):
        load_accepted(tmp_path / "accepted.json")
    ratings.unlink()
    with pytest.raises(RatingError, match="there is no such file"):
        load_accepted(tmp_path / "accepted.json")


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.pop("asked"),
        lambda data: data["asked"].pop("criteria"),
        lambda data: data["asked"]["criteria"][0].update(weight=0),
        lambda data: data["asked"].update(unheard_of=1),
        lambda data: data["judge"].update(identity=3),
        lambda data: data["ratings"].pop("file"),
    ],
)
def test_a_file_of_an_accepted_run_with_a_missing_or_wrong_entry_is_refused(
    calibration: Calibration, tmp_path: Path, change: Callable[[dict[str, Any]], None]
) -> None:
    accept(calibration, tmp_path / "accepted.json")
    data = json.loads((tmp_path / "accepted.json").read_text(encoding="utf-8"))
    change(data)
    (tmp_path / "accepted.json").write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(RatingError, match=r"accepted\.json: isn't an accepted run"):
        load_accepted(tmp_path / "accepted.json")


def _example(response: str = "Paris.", query: str = "Capital?", level: float = 3.0, reason: str = "") -> Example:
    label = Rating("x", "a", "human", {"tone": Rated(level, reason=reason)})
    return Example(Submission(response, {"query": query}, "x"), (label,))


def test_digests_of_submissions_and_of_labels_differ_if_a_response_or_an_input_or_a_label_differs() -> None:
    assert submission_digest(_example()) == submission_digest(_example(level=4.0))
    assert submission_digest(_example()) != submission_digest(_example(response="Rome."))
    assert submission_digest(_example()) != submission_digest(_example(query="Capital of France?"))
    pair = replace(_example(), submission=replace(_example().submission, second="Lyon."))
    changed = replace(pair, submission=replace(pair.submission, second="Nice."))
    assert len({submission_digest(of) for of in (_example(), pair, changed)}) == 3
    assert labels_digest(_example()) == labels_digest(_example(response="Rome.", reason="because"))
    assert labels_digest(_example()) != labels_digest(_example(level=4.0))
