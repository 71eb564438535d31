"""What `improve` adopts, next to what choosing on the labels at hand adopts: recorded judges, and made worlds.

    python -m benchmarks.improve [--draws 1000] [--write benchmarks/results/improve.md]

HANNA has 1,056 stories rated by three people on six criteria, and 20 recorded judges: five models with four prompts
each. A draw takes n stories, one variant as the wording in use and k others as candidates: any of the 20, or the other
three prompts of the same model. Every rule sees the same labels. What is true of a variant is its figure over all
stories. The sizes, the screen and the test are those that the command calls.

"Worse": the share of draws after which the chosen wording agrees with the labels (within .1) over .005 less often than
the one in use. "Found": of the draws in which the best candidate agrees .095 more often, the share that ends with a
better wording. "Planned" is what the design was chosen by, in simulations on these and on other judges.

In the made worlds no candidate is better than the wording in use: errors of all of them are drawn alike.
"""

import os

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import gzip
import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.page import write_page
from markscheme.features.improve.drawn_parts import dev_size
from markscheme.features.improve.selection import (
    FINALISTS,
    HELD_OUT_LEVEL,
    confirmed_gain,
    first_size,
    held_out_test,
    opening_alpha,
    survivors,
)
from markscheme.features.improve.trial import difference

Floats = npt.NDArray[np.float64]
Rule = Callable[[Floats, Floats, Floats], int | None]
"""From gold, the default's scores and the candidates' (n, k): which candidate is chosen, None for the default."""

DATA = Path(__file__).parents[2] / "shared" / "data" / "hanna" / "items.jsonl.gz"
TOLERANCE, WORSE, BETTER = 0.1, 0.005, 0.095
SIZES = (40, 80, 160)
OPENINGS = 12
PLANNED = {(3, 40): ".005/.47", (3, 80): ".006/.79", (3, 160): ".006/.97"} | {
    (10, 40): ".007/.73",
    (10, 80): ".007/.90",
    (10, 160): ".004/.97",
}


def hanna() -> tuple[Floats, Floats, list[str]]:
    """Gold scores, shape (n,), the variants' scores, shape (n, 20), both 0 to 1, and the variants' names."""
    with gzip.open(DATA, "rt", encoding="utf-8") as lines:
        items = [json.loads(line) for line in lines]
    names = list(items[0]["judge"])
    gold = [np.mean([list(said.values()) for said in item["labels"].values()]) for item in items]
    given = [[_mean(item["judge"].get(name)) for name in names] for item in items]
    scores = (np.clip(np.array(given, dtype=np.float64), 1, 5) - 1) / 4
    whole = ~np.isnan(scores).any(axis=1)
    return (np.array(gold)[whole] - 1) / 4, scores[whole], names


def _mean(said: dict[str, float | None] | None) -> float:
    levels = [np.nan if level is None else level for level in (said or {}).values()]
    return float(np.mean(levels)) if levels else np.nan


# --- rules ----------------------------------------------------------------------------------------------------------


def improve(gold: Floats, yours: Floats, theirs: Floats, alpha: float = 0.05) -> int | None:
    """The command's: screen on a third, test both finalists on the rest. Examples come in random order."""
    d = np.column_stack([difference(gold, yours, column) for column in theirs.T])
    dev = dev_size(len(d))
    first = d[: first_size(dev)].mean(axis=0)
    going = np.argsort(-first, kind="stable")[: survivors(d.shape[1])]
    means = d[:dev, going].mean(axis=0)
    ranked = going[np.argsort(-means, kind="stable")][:FINALISTS]
    finalists = [place for place in ranked.tolist() if d[:dev, place].mean() > 0]
    if not finalists:
        return None
    best = held_out_test(d[dev:, finalists], alpha).best
    return None if best is None else finalists[best]


def best_agreement(gold: Floats, yours: Floats, theirs: Floats) -> int | None:
    """The highest agreement on all labels."""
    return _best(_agrees(np.column_stack([yours, theirs]), gold).mean(axis=0))


def best_error(gold: Floats, yours: Floats, theirs: Floats) -> int | None:
    """The lowest error on all labels: what an optimiser returns that is given a training set only."""
    return _best(-np.abs(np.column_stack([yours, theirs]) - gold[:, None]).mean(axis=0))


def best_on_dev(gold: Floats, yours: Floats, theirs: Floats) -> int | None:
    """The lowest error on the dev third."""
    dev = dev_size(len(gold))
    return best_error(gold[:dev], yours[:dev], theirs[:dev])


def _best(figures: Floats) -> int | None:
    place = int(np.argmax(figures))
    return place - 1 if place else None


def _agrees(scores: Floats, gold: Floats) -> npt.NDArray[np.bool_]:
    return np.asarray(np.round(np.abs(scores - gold[:, None]), 9) < TOLERANCE)


RULES: dict[str, Rule] = {
    "improve": improve,
    "best agreement on all labels": best_agreement,
    "lowest error on all labels (training set only)": best_error,
    "lowest error on dev": best_on_dev,
}


# --- tables ---------------------------------------------------------------------------------------------------------


def recorded(draws: int) -> Iterator[str]:
    """A row for each k, n and rule."""
    gold, scores, names = hanna()
    true = _agrees(scores, gold).mean(axis=0)
    rng = np.random.default_rng(20261122)
    for k in (3, 10, 19):
        for n in SIZES:
            outcomes: dict[str, list[tuple[float, float]]] = {name: [] for name in RULES}
            for _ in range(draws):
                rows = rng.permutation(len(gold))[:n]
                yours = int(rng.integers(len(names)))
                others = [place for place in range(len(names)) if place != yours]
                if k == 3:
                    others = [place for place in others if place // 4 == yours // 4]
                chosen = rng.permutation(others)[:k]
                best = float(true[chosen].max() - true[yours])
                for name, rule in RULES.items():
                    place = rule(gold[rows], scores[rows, yours], scores[np.ix_(rows, chosen)])
                    outcomes[name].append((0.0 if place is None else float(true[chosen[place]] - true[yours]), best))
            for name, found in outcomes.items():
                change, best_there = np.array(found).T
                hopeful = best_there >= BETTER
                share = f"{(change[hopeful] > 0).mean():.2f}" if hopeful.any() else "–"
                planned = PLANNED.get((k, n), "–") if name == "improve" else "–"
                yield (
                    f"| {k} | {n} | {name} | {(change < -WORSE).mean():.3f} | {share} | "
                    f"{change.mean():+.3f} | {planned} |"
                )


def made(draws: int) -> Iterator[str]:
    """A row for each k and n: how often a wording is adopted though none is better."""
    rng = np.random.default_rng(20261123)
    for k in (3, 10, 20):
        for n in SIZES:
            adopted: dict[str, list[bool]] = {name: [] for name in RULES}
            for _ in range(draws):
                gold, yours, theirs = _alike(rng, n, k)
                for name, rule in RULES.items():
                    adopted[name].append(rule(gold, yours, theirs) is not None)
            shares = " | ".join(f"{np.mean(found):.3f}" for found in adopted.values())
            yield f"| {k} | {n} | {shares} |"


def _alike(rng: np.random.Generator, n: int, k: int) -> tuple[Floats, Floats, Floats]:
    """Gold, and scores of a default and k candidates that err alike; half of each error is shared."""
    gold = rng.beta(3, 2, n)
    errors = np.sqrt(0.5) * rng.normal(0, 0.15, (n, 1)) + np.sqrt(0.5) * rng.normal(0, 0.15, (n, k + 1))
    scores = np.clip(gold[:, None] + errors, 0, 1)
    return gold, scores[:, 0], scores[:, 1:]


def ledger(draws: int) -> Iterator[str]:
    """How often anything is adopted over so many openings of the same labels, fresh candidates each time."""
    rng = np.random.default_rng(20261124)
    once: list[bool] = []
    counts = np.zeros(OPENINGS)
    for _ in range(draws):
        gold = rng.beta(3, 2, 80)
        shared = np.sqrt(0.5) * rng.normal(0, 0.15, (80, 1))
        yours = np.clip(gold[:, None] + shared + np.sqrt(0.5) * rng.normal(0, 0.15, (80, 1)), 0, 1)[:, 0]
        found = False
        for opening in range(1, OPENINGS + 1):
            theirs = np.clip(gold[:, None] + shared + np.sqrt(0.5) * rng.normal(0, 0.15, (80, 5)), 0, 1)
            adopted = improve(gold, yours, theirs, opening_alpha(opening)) is not None
            counts[opening - 1] += adopted
            found |= adopted
        once.append(found)
    for opening in (1, 2, 3, 6, OPENINGS):
        yield f"| {opening} | {opening_alpha(opening):.5f} | {counts[opening - 1] / draws:.4f} |"
    yield f"| any of {OPENINGS} | at most 0.10 | {np.mean(once):.4f} |"


def said(draws: int) -> Iterator[str]:
    """How the shown gain compares with the true one among confirmed wordings, in standard errors of the gain."""
    rng = np.random.default_rng(20261125)
    for n in (30, 53, 107):
        for true in (0.0, 1.0, 2.0, 3.0, 4.0, 6.0):
            rows = []
            for _ in range(draws * (10 if true < 1 else 2)):
                differences = rng.normal(true / math.sqrt(n), 1.0, (n, 1))
                test = held_out_test(differences, HELD_OUT_LEVEL)
                if test.best is None:
                    continue
                gain = confirmed_gain(differences[:, 0], test.t[0], test.critical, method="gain")
                if gain.value is None or gain.low is None or gain.high is None:
                    continue
                covers = gain.low <= true / math.sqrt(n) <= gain.high
                rows.append((test.means[0] * math.sqrt(n), gain.value * math.sqrt(n), covers))
            measured, shown, covered = np.array(rows, dtype=np.float64).mean(axis=0)
            yield f"| {n} | {len(rows):,} | {true:g} | {shown:.2f} | {measured:.2f} | {covered:.3f} |"


def said_lines(runs: int) -> list[str]:
    """Said against true."""
    return [
        "Said against true, of one finalist that the held-out test confirmed, in standard errors of its gain.",
        "Measured: the mean as it was measured. Covered: how often the 95% interval that is shown holds the true gain.",
        "",
        "| held-out tasks | confirmed | true | said | measured | covered |",
        "| ---: | ---: | ---: | ---: | ---: | ---: |",
        *said(runs),
    ]


def lines(runs: int) -> list[str]:
    """The page, line by line."""
    return [
        f"{runs:,} draws a row; a share of .05 is known to ±{2 * (0.05 * 0.95 / runs) ** 0.5:.3f}.",
        "",
        "Recorded judges (HANNA). Worse: ends over .005 worse in agreement. Found: ends better where the best",
        "candidate agrees .095 more often. Change: mean change in agreement, true of all stories. Planned: worse/found",
        "as the design was chosen by.",
        "",
        "| k | n | rule | worse | found | change | planned |",
        "| ---: | ---: | --- | ---: | ---: | ---: | ---: |",
        *recorded(runs),
        "",
        "Made worlds in which no candidate is better: the share of draws in which one is adopted; .05 is allowed.",
        "",
        f"| k | n | {' | '.join(RULES)} |",
        f"| ---: | ---: |{' ---: |' * len(RULES)}",
        *made(runs),
        "",
        "The same 80 labels opened again and again, five new candidates each time, none better.",
        "",
        "| opening | may spend | adopted |",
        "| ---: | ---: | ---: |",
        *ledger(runs),
        "",
        *said_lines(runs),
    ]


if __name__ == "__main__":
    write_page(__doc__, lines, runs=1_000, option="--draws")
