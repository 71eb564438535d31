"""Rounds: what is planted is what is said, and nothing but the ratings tells of it."""

import hashlib
from itertools import combinations

import numpy as np
import numpy.typing as npt
import pytest

from markscheme.features.demo.faults import FAULTS, JUDGE_SD, NO_FAULT, NOISY_JUDGE_SD, PERSON_SD, Charge
from markscheme.features.demo.planting import ACCEPTED_RUNS, CRITERIA, SYSTEMS, Round, made_round
from markscheme.ratings.rating import Rating

Floats = npt.NDArray[np.float64]
MANY = 2000
NAMES = tuple(FAULTS)


def levels(ratings: list[Rating]) -> Floats:
    """Shape (n, criteria)."""
    return np.array([[rating.criteria[name].level for name in CRITERIA] for rating in ratings], dtype=np.float64)


def misses(made: Round, *, then: bool = False) -> Floats:
    """The judge's first run, then or now, minus the mean of both people."""
    judged = [rating for rating in (made.accepted if then else made.ratings) if rating.sample == 0]
    people = [levels([example.labels[person] for example in made.examples]) for person in (0, 1)]
    return levels(judged) - (people[0] + people[1]) / 2


def planted_at(made: Round) -> int:
    return CRITERIA.index(made.planted.subject.split(" on ")[0])


def elsewhere(values: Floats, place: int) -> Floats:
    return np.delete(values, place, axis=-1)


@pytest.mark.parametrize("fault", NAMES)
def test_the_same_seed_draws_the_same_demo_round(fault: str) -> None:
    assert made_round(n=30, seed=5, fault=fault) == made_round(n=30, seed=5, fault=fault)


def test_demo_draws_every_fault_about_equally_often() -> None:
    drawn = [made_round(n=1, seed=seed).planted.fault for seed in range(1, 401)]
    assert {fault: drawn.count(fault) > 50 for fault in NAMES} == dict.fromkeys(NAMES, True)


def test_the_hash_that_commits_a_demo_round_to_its_fault_is_the_sha256_of_the_fault_and_a_random_nonce() -> None:
    rounds = [made_round(n=1, seed=seed, fault="lenient") for seed in range(1, 30)]
    for made in rounds:
        assert made.secret == f"lenient|{made.planted.subject}|{made.nonce}"
        assert made.seal == hashlib.sha256(made.secret.encode()).hexdigest()
        assert len(made.nonce) == 32
    assert len({made.seal for made in rounds}) == len(rounds)


def test_the_examples_and_rubrics_of_a_demo_round_do_not_depend_on_the_planted_fault() -> None:
    for seed in range(1, 20):
        for first, second in combinations([made_round(n=30, seed=seed, fault=fault) for fault in NAMES], 2):
            assert first.examples == second.examples
            assert (first.asked_then, first.asked_now) == (second.asked_then, second.asked_now)
            assert [rating.id for rating in first.ratings] == [rating.id for rating in second.ratings]


def test_a_demo_whose_planted_fault_is_a_rewording_also_changes_the_words_of_one_other_criterion() -> None:
    for seed in range(1, 20):
        made = made_round(n=1, seed=seed, fault="text")
        then, now = made.asked_then["criteria"], made.asked_now["criteria"]
        reworded = [new["name"] for old, new in zip(then, now, strict=True) if old != new]
        assert len(reworded) == 2
        assert made.planted.subject in reworded


def test_in_a_demo_round_without_a_fault_no_criterion_is_named_and_the_judge_has_no_bias() -> None:
    made = made_round(n=MANY, seed=2, fault=NO_FAULT)
    assert made.planted == Charge("nothing", "nowhere")
    assert np.abs(misses(made).mean(axis=0)).max() < 0.05


def test_the_planted_lenient_judge_rates_one_criterion_almost_half_a_level_too_high_in_both_runs() -> None:
    made = made_round(n=MANY, seed=2, fault="lenient")
    place = planted_at(made)
    for then in (True, False):
        shifts = misses(made, then=then).mean(axis=0)
        assert 0.38 < shifts[place] < 0.5  # the best level has none above it
        assert np.abs(elsewhere(shifts, place)).max() < 0.05


def test_a_planted_rewording_of_a_criterion_makes_the_judge_more_lenient_in_the_new_run_only() -> None:
    made = made_round(n=MANY, seed=2, fault="text")
    place = planted_at(made)
    assert 0.38 < misses(made).mean(axis=0)[place] < 0.5
    assert abs(misses(made, then=True).mean(axis=0)[place]) < 0.05


def test_a_fault_planted_in_a_slice_affects_one_criterion_on_the_responses_of_one_system() -> None:
    made = made_round(n=MANY, seed=2, fault="slice")
    place = planted_at(made)
    system = made.planted.subject.split(" on ")[1]
    on_system = np.array([example.system == system for example in made.examples])
    off = misses(made)
    assert on_system.mean() == 1 / len(SYSTEMS)
    assert 1.0 < off[on_system, place].mean() < 1.5
    assert np.abs(off[~on_system].mean(axis=0)).max() < 0.06
    assert np.abs(elsewhere(off[on_system], place).mean(axis=0)).max() < 0.07


def test_the_simulated_noisy_judge_varies_more_between_runs_only_on_the_criterion_with_the_planted_fault() -> None:
    made = made_round(n=MANY, seed=2, fault="noisy")
    place = planted_at(made)
    runs = np.stack([levels([r for r in made.accepted if r.sample == run]) for run in range(ACCEPTED_RUNS)])
    between = runs.std(axis=0, ddof=1)
    rounding = 1 / 12
    assert float(np.sqrt((elsewhere(between, place) ** 2).mean() - rounding)) == pytest.approx(JUDGE_SD, abs=0.05)
    assert (
        2 * PERSON_SD < float(np.sqrt((between[:, place] ** 2).mean() - rounding)) < NOISY_JUDGE_SD
    )  # levels end at 1 and 5
