"""Example calibrations in typical situations, whose reports tests compare with golden files."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from markscheme.calibration.calibration import Calibration, Rater, calibration_of
from markscheme.ratings.kinds import Kind
from markscheme.ratings.rating import Rated, Rating
from tests.calibration import made

Floats = npt.NDArray[np.float64]

RUBRIC = replace(made.rubric("clarity", "facts"), name="support-reply")
RATER = Rater("anthropic:model", "", "ratings", "judge.jsonl", options="--ratings judge.jsonl")


def levels(n: int, seed: int = 1) -> Floats:
    """True levels of n examples on two criteria of five levels."""
    return np.random.default_rng(seed).integers(1, 6, (n, 2)).astype(np.float64)


def disturbed(truth: Floats, share: float, seed: int, by: int = 1) -> Floats:
    """Return levels of which a share is changed by some levels."""
    rng = np.random.default_rng(seed)
    off = (rng.random(truth.shape) < share) * rng.choice([-by, by], truth.shape)
    return np.asarray(np.clip(truth + off, 1, 5))


def judged(people: Mapping[str, Floats], judge: Floats, kind: Kind = "human") -> Calibration:
    """Calibrate a judge's levels with those of annotators."""
    labelled = made.examples(RUBRIC, people, kind=kind)
    return calibration_of(RUBRIC, labelled, made.judged(RUBRIC, judge), RATER)


def ok() -> Calibration:
    truth = levels(120)
    return judged({"ana": truth, "ben": disturbed(truth, 0.05, 2)}, disturbed(truth, 0.05, 3))


def too_few_labels() -> Calibration:
    truth = levels(20)
    return judged({"ana": truth, "ben": truth}, disturbed(truth, 0.1, 3))


def worse_than_baseline() -> Calibration:
    truth = np.full((80, 2), 4.0)
    truth[:12] = levels(12)
    return judged({"ana": truth}, disturbed(truth, 0.8, 3, by=2))


def labels_that_disagree() -> Calibration:
    """Most of every annotator's labels, and of the judge's, are the middle one; the rest is noise."""

    def labels(seed: int) -> Floats:
        middle = np.random.default_rng(seed).random((120, 1)) < 0.6
        return np.asarray(np.where(middle, 3.0, levels(120, seed)))

    people = {"ana": labels(5), "ben": labels(6), "eve": labels(7)}
    return judged(people, labels(8))


def decisions_that_disagree() -> Calibration:
    """Annotators and the judge see the same quality, and each is off by two levels on nearly every example."""
    truth = levels(120)
    return judged({"ana": disturbed(truth, 0.9, 2, 2), "ben": disturbed(truth, 0.9, 3, 2)}, disturbed(truth, 0.9, 4, 2))


def synthetic_labels() -> Calibration:
    truth = levels(100)
    return judged({"planted": truth}, disturbed(truth, 0.05, 3), kind="constructed")


def nothing_graded() -> Calibration:
    truth = levels(84)
    labelled = made.examples(RUBRIC, {"ana": truth, "ben": truth})
    half = {"clarity": Rated(3.0)}
    broken = [Rating(f"e{n}", "judge", "model", half, error="facts: the reply holds no JSON object") for n in range(84)]
    return calibration_of(RUBRIC, labelled, broken, RATER)


def decided(gold: npt.ArrayLike, judge: npt.ArrayLike, systems: Sequence[str] | None = None) -> Calibration:
    """Calibrate a judge's answers to a yes/no question with those of two annotators."""
    changed = replace(made.yes_no_rubric(), name="support-reply")
    truth = np.asarray(gold, dtype=np.float64)[:, None]
    answers = np.asarray(judge, dtype=np.float64)[:, None]
    labelled = made.examples(changed, {"ana": truth, "ben": truth}, systems=systems)
    return calibration_of(changed, labelled, made.judged(changed, answers), RATER)


def nearly_at_the_target() -> Calibration:
    """Agreement of 79.6% is printed apart from the target of 80%."""
    gold = np.arange(1000) % 2
    return decided(gold, np.where(np.arange(1000) < 204, 1 - gold, gold))


def gate_with_false_passes() -> Calibration:
    """A judge that agrees on 95%, and passes 19 of 100 fails."""
    gold = np.arange(400) < 300
    return decided(gold, np.arange(400) < 319)


def one_answer() -> Calibration:
    """A judge that says MET of every response."""
    return decided(np.arange(60) < 50, np.ones(60))


def worse_on_one_system() -> Calibration:
    """A judge that is wrong about all responses of one model; no criterion is to name that model."""
    gold = np.arange(200) % 2
    systems = ["gpt-4-turbo" if n < 40 else "ours" for n in range(200)]
    return decided(gold, np.where(np.arange(200) < 40, 1 - gold, gold), systems)


def many_examples() -> Calibration:
    """711 examples on ten criteria, each of which the judge often misses by a level: labels aren't too few."""
    rng = np.random.default_rng(0)
    of = replace(made.rubric(*(f"c{n}" for n in range(10))), name="support-reply")
    truth = rng.integers(1, 6, (711, 10)).astype(np.float64)
    judge = np.where(rng.random(truth.shape) < 0.35, np.clip(truth + rng.choice([-1, 1], truth.shape), 1, 5), truth)
    return calibration_of(of, made.examples(of, {"ana": truth, "ben": truth}), made.judged(of, judge), RATER)


SITUATIONS: Mapping[str, Callable[[], Calibration]] = {
    "ok": ok,
    "too-few-labels": too_few_labels,
    "worse-than-baseline": worse_than_baseline,
    "labels-disagree": labels_that_disagree,
    "decisions-disagree": decisions_that_disagree,
    "nothing-graded": nothing_graded,
    "synthetic-labels": synthetic_labels,
    "nearly-at-the-target": nearly_at_the_target,
    "gate-with-false-passes": gate_with_false_passes,
    "one-answer": one_answer,
    "worse-on-one-system": worse_on_one_system,
    "many-examples": many_examples,
}
