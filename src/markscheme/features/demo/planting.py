"""Simulated examples, two annotators and a judge with one fault or none, drawn by seed, so that the truth is known."""

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from markscheme.features.demo.faults import (
    FAULTS,
    HALF_A_LEVEL,
    JUDGE_SD,
    NO_FAULT,
    NOISY_JUDGE_SD,
    PART_OFF,
    PERSON_SD,
    Charge,
    on_system,
)
from markscheme.prompts.submission import Submission
from markscheme.ratings.example_rows import Example
from markscheme.ratings.kinds import Kind
from markscheme.ratings.rating import Rated, Rating
from markscheme.stats.intervals import Floats

ROUND_NAME = "support-answers"
WORDINGS: Mapping[str, tuple[str, str]] = {
    "truth": ("Is what the answer says true?", "Is every statement of the answer true by the handbook?"),
    "completeness": ("Does it answer the whole question?", "Does it answer each part of the question?"),
    "clarity": ("Can a customer follow it?", "Can a customer follow it in one reading, without a dictionary?"),
    "tone": ("Is it polite?", "Is it polite without flattering or scolding?"),
    "brevity": ("Is it as short as it can be?", "Would the customer miss any sentence of it?"),
    "next-step": ("Does it say what to do next?", "Does it name one thing the customer can do now?"),
}
"""Each criterion's wording when the run was accepted, and the wording that it may have been given since."""
CRITERIA = tuple(WORDINGS)
SYSTEMS = ("atlas", "birch", "cedar", "delta")
LOWEST, MIDDLE, HIGHEST = 1, 3, 5
SPREAD = 1.1
"""Standard deviation of the true levels: large enough that all five occur."""
CORRELATION = 0.35
"""Correlation of the true levels between criteria: good answers are good in several ways, but not in all."""
SIMULATED_PEOPLE = ("simulated-person-1", "simulated-person-2")
JUDGE_NAME = "simulated-judge"
ACCEPTED_RUNS = 5
"""Number of accepted runs of the judge: the largest number that is kept, which finds half a level most often."""


@dataclass(frozen=True)
class Round:
    """A round of the demonstration: the fault planted in its judge, the labelled examples, and the judge's ratings.

    Attributes:
        planted: The fault of the judge, and the criterion that it affects.
        nonce: Random text in the sealed secret. Without it, the few possible faults could be tried to find the one
            behind the seal.
        seed: Random seed from which everything in the round is drawn.
        asked_then: The rubric of the accepted run, as the data of a rubric file.
        asked_now: Today's rubric, as the data of a rubric file; two criteria are reworded, whatever fault is planted.
        examples: Examples with the labels of two simulated annotators.
        accepted: The judge's ratings of the accepted runs, five of each example.
        ratings: The judge's ratings of today.
    """

    planted: Charge
    nonce: str
    seed: int
    asked_then: Mapping[str, Any]
    asked_now: Mapping[str, Any]
    examples: tuple[Example, ...]
    accepted: tuple[Rating, ...]
    ratings: tuple[Rating, ...]

    @property
    def secret(self) -> str:
        """Text that names the planted fault, the criterion that it affects, and the nonce; its SHA-256 is the seal."""
        return f"{self.planted.fault}|{self.planted.subject}|{self.nonce}"

    @cached_property
    def seal(self) -> str:
        """SHA-256 of `secret`, which names the fault; shown before the diagnosis to prove that it was chosen first."""
        return hashlib.sha256(self.secret.encode()).hexdigest()


def made_round(*, n: int, seed: int, fault: str | None = None) -> Round:
    """Draw a round of the demo by a random seed: its fault, its examples with labels, and its judge's ratings.

    Args:
        n: Number of examples.
        seed: Random seed; rounds with one seed are equal.
        fault: The fault to plant; None to draw it too.
    """
    drawn = np.random.default_rng(seed)
    by_lot = tuple(FAULTS)[drawn.integers(len(FAULTS))]
    reworded = drawn.permutation(len(CRITERIA))[:2].tolist()
    anywhere = int(drawn.integers(len(CRITERIA)))
    system = int(drawn.integers(len(SYSTEMS)))
    nonce = drawn.bytes(16).hex()
    fault = by_lot if fault is None else fault
    criterion = reworded[0] if fault == "text" else anywhere
    truth = _true_levels(n, drawn)
    systems = np.arange(n) % len(SYSTEMS)
    people = _levels(truth[:, None, :] + PERSON_SD * drawn.normal(size=(n, len(SIMULATED_PEOPLE), len(CRITERIA))))
    here = np.arange(len(CRITERIA)) == criterion
    # where the judge centres, then and now, and how far single ratings stray from there
    always = {"lenient": HALF_A_LEVEL * here, "slice": PART_OFF * ((systems == system)[:, None] & here)}
    then = truth + always.get(fault, 0.0)
    scores = then + HALF_A_LEVEL * here if fault == "text" else then
    noise = np.where(here, NOISY_JUDGE_SD, JUDGE_SD) if fault == "noisy" else JUDGE_SD
    ids = [f"made-{index:04}" for index in range(1, n + 1)]

    def judged_around(centre: Floats, sample: int = 0) -> list[Rating]:
        seen = _levels(centre + noise * drawn.normal(size=centre.shape))
        return [_rating(id, JUDGE_NAME, "model", row, sample) for id, row in zip(ids, seen, strict=True)]

    return Round(
        planted=_charge(fault, CRITERIA[criterion], SYSTEMS[system]),
        nonce=nonce,
        seed=seed,
        asked_then=rubric_data(()),
        asked_now=rubric_data([CRITERIA[of_criterion] for of_criterion in reworded]),
        examples=tuple(
            Example(
                withheld(id),
                tuple(_rating(id, who, "human", row) for who, row in zip(SIMULATED_PEOPLE, people[index], strict=True)),
                system=SYSTEMS[systems[index]],
            )
            for index, id in enumerate(ids)
        ),
        accepted=tuple(rating for run in range(ACCEPTED_RUNS) for rating in judged_around(then, run)),
        ratings=tuple(judged_around(scores)),
    )


def withheld(id: str) -> Submission:
    """Make a placeholder for a simulated response, which says that its text is withheld."""
    return Submission(f"(response {id} is withheld)", {}, id)


def rubric_data(reworded: Sequence[str]) -> dict[str, Any]:
    """Return the demonstration's rubric as the data of a rubric's file.

    Each criterion is asked in a question of its own, so that rewording one criterion doesn't affect the answers on
    other criteria.

    Args:
        reworded: Names of the criteria that get their second wording; all others get the first.
    """
    return {
        "name": ROUND_NAME,
        "description": "Answers of a support desk; made up for a demonstration",
        "strategy": "per_criterion",
        "criteria": [
            {
                "name": name,
                "description": wordings[name in reworded],
                "weight": 1,
                "scale": {"min": LOWEST, "max": HIGHEST},
            }
            for name, wordings in WORDINGS.items()
        ],
    }


def _true_levels(n: int, drawn: np.random.Generator) -> Floats:
    shared = drawn.normal(size=(n, 1))
    unshared = drawn.normal(size=(n, len(CRITERIA)))
    return MIDDLE + SPREAD * (math.sqrt(CORRELATION) * shared + math.sqrt(1 - CORRELATION) * unshared)


def _charge(fault: str, criterion: str, system: str) -> Charge:
    if fault == NO_FAULT:
        return Charge(fault)
    return Charge(fault, on_system(criterion, system) if fault == "slice" else criterion)


def _levels(seen: Floats) -> Any:
    """Round the values that simulated raters perceive to the nearest levels; return nested lists."""
    return np.clip(np.rint(seen), LOWEST, HIGHEST).tolist()


def _rating(id: str, rater: str, kind: Kind, levels: Sequence[float], sample: int = 0) -> Rating:
    return Rating(
        id, rater, kind, {name: Rated(level) for name, level in zip(CRITERIA, levels, strict=True)}, sample=sample
    )
