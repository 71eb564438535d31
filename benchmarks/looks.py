"""Label, look, label more: how often a verdict is wrong when it is looked at again and again, and what it takes.

    python -m benchmarks.looks [--runs 400] [--write benchmarks/results/looks.md]

Single examples are computed exactly: the distribution of hits moves on from look to look, and what a look shows stays
shown. Labels needed are exact too: from 20 on, as many are added as the verdict asks for, until it is decided or names
no number. Whole tasks and edits are simulated. In whole tasks, `ok` takes all states together: agreement above the
target and above the best constant. In edits, every wording is exactly at the target, and the author keeps whichever is
shown above it; wordings of one judge err alike, by the correlation of normal variables behind their hits.
"""

import os

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import gzip
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import betainc, ndtri
from scipy.stats import binom

from benchmarks.page import write_page
from markscheme.calibration.comparison.policy import labels_for_target, side_confidence, verdict_states
from markscheme.stats.agreement_figures import close
from markscheme.stats.shares import GroupedShare, grouped_mean, grouped_share

Floats = npt.NDArray[np.float64]

DATA = Path(__file__).parents[2] / "shared" / "data"
CRITERIA = ("Relevance", "Coherence", "Empathy", "Surprise", "Engagement", "Complexity")
LAST = 300
TARGETS = (0.70, 0.80, 0.90, 0.95)
FALSE_OK: dict[tuple[int, int], tuple[float, ...]] = {
    (20, 300): (0.089, 0.080, 0.077, 0.055),
    (10, 300): (0.103, 0.097, 0.086, 0.065),
    (20, 1000): (0.137, 0.129, 0.126, 0.106),
}
"""To reach by looks every so many labels, up to so many, at each of the targets."""
UNDER: dict[tuple[int, int], tuple[float, ...]] = {(20, 300): (0.044, 0.025, 0.006), (10, 300): (0.056, 0.033, 0.008)}
"""The same for a judge at .79, .78 and .75, the target .80."""
COST = {0.85: (0.70, 200), 0.88: (0.98, 100), 0.90: (1.00, 80), 0.93: (1.00, 40)}
"""P(above) by 300 labels, with a look every 20, and the median labels."""
TASKS = ((1, 0.0), (5, 0.0), (5, 0.1), (5, 0.3))
BONFERRONI = {1: (0.08, 0.08), 5: (0.05, 0.11), 10: (0.05, 0.11)}
"""False ok after so many settings, least and most; 1 is the exact figure of looks every 20."""
PLAIN = {1: (0.08, 0.08), 5: (0.21, 0.26), 10: (0.28, 0.44)}
"""The same where settings aren't counted."""
ALIKE = (0.5, 0.6, 0.75, 0.9)
"""Correlations of the normal variables whose sign is a hit: how alike two wordings of one judge may err."""
PILOT = 20
"""Labels that everybody starts with."""
NEGLIGIBLE = 1e-9
"""Probability of a number of hits below which it is left out; all that is left out is below 1e-5."""
FOLLOWED = {
    0.93: (1.00, 60), 0.90: (1.00, 100), 0.88: (1.00, 180), 0.85: (0.92, 260), 0.82: (0.34, 340), 0.80: (0.14, 360),
    0.75: (0.86, 260), 0.70: (0.99, 180), 0.60: (1.00, 40),
}  # fmt: skip
"""Share decided and median labels in all, at a target of .80."""


FIXED_TARGETS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
CLOSE_TO_TARGET = 0.05
"""A judge nearer than this to the target is one that labels rarely decide; contradictions are counted apart."""


def is_above(hits: Floats, n: int, target: float, confidence: float) -> npt.NDArray[np.bool_]:
    """Where the exact lower limit lies above the target."""
    return (hits > 0) & (betainc(np.maximum(hits, 1e-300), n - hits + 1, target) < 1 - confidence)


def shown_by(truth: float, target: float, step: int, last: int, confidence: float = 0.975) -> tuple[float, int]:
    """Probability that some look shows agreement above the target, and the labels at which half of all looks have."""
    steps = binom.pmf(np.arange(step + 1), step, truth)
    open_ones = np.array([1.0])
    shown_at: list[float] = []
    looks = range(step, last + 1, step)
    for n in looks:
        open_ones = np.convolve(open_ones, steps)
        above = is_above(np.arange(n + 1.0), n, target, confidence)
        shown_at.append(float(open_ones[above].sum()))
        open_ones[above] = 0.0
    whole = sum(shown_at)
    half = int(np.searchsorted(np.cumsum(shown_at), 0.5))
    return whole, looks[half] if half < len(looks) else last


def exact() -> Iterator[str]:
    yield "| looks | target | false ok | to reach |"
    yield "|---|---:|---:|---:|"
    for (step, last), aims in FALSE_OK.items():
        for target, aim in zip(TARGETS, aims, strict=True):
            chance, _ = shown_by(target, target, step, last)
            yield f"| every {step} to {last:,} | {target:.2f} | {chance:.3f} | {aim:.3f} |"
    yield ""
    yield "| looks | truth, target .80 | false ok | to reach |"
    yield "|---|---:|---:|---:|"
    for (step, last), aims in UNDER.items():
        for truth, aim in zip((0.79, 0.78, 0.75), aims, strict=True):
            chance, _ = shown_by(truth, 0.80, step, last)
            yield f"| every {step} to {last} | {truth:.2f} | {chance:.3f} | {aim:.3f} |"
    before, _ = shown_by(0.80, 0.80, 20, LAST, confidence=0.9)
    yield ""
    yield f"A one-sided 90 % limit, looked at as often (every 20 to 300, target .80), is above in {before:.3f}."
    yield ""
    yield "| truth, target .80 | shown above by 300 labels | median labels | to reach |"
    yield "|---|---:|---:|---:|"
    for truth, (aim, labels) in COST.items():
        chance, median = shown_by(truth, 0.80, 20, LAST)
        yield f"| {truth:.2f} | {chance:.2f} | {median} | {aim:.2f} / {labels} |"


def of_tasks(size: int, icc: float, truth: float, generator: np.random.Generator) -> tuple[Floats, Floats]:
    """Hits of the judge and of the best constant (right on .4) on 300 examples in whole tasks."""
    chance = np.full(LAST // size, truth)
    if icc:
        chance = generator.beta(truth * (1 - icc) / icc, (1 - truth) * (1 - icc) / icc, LAST // size)
    hits = generator.random(LAST) < np.repeat(chance, size)
    constant = generator.random(LAST) < 0.4
    return hits.astype(float), constant.astype(float)


def ok_at_a_look(hits: Floats, constant: Floats, groups: npt.NDArray[np.int64], size: int, target: float) -> bool:
    """Whether all states together say ok at any look. Groups only widen, so plain limits rule most looks out."""
    for n in range(20, LAST + 1, 20):
        plain = is_above(np.array([hits[:n].sum()]), n, target, side_confidence())
        if not plain[0]:
            continue
        within = groups[:n] if size > 1 else None
        states = verdict_states(grouped_share(hits[:n], within), grouped_mean(hits[:n] - constant[:n], within), target)
        if states.above and states.beats:
            return True
    return False


def tasks(runs: int) -> Iterator[str]:
    yield "| group size | ICC | truth | ok at some look |"
    yield "|---:|---:|---:|---:|"
    for size, icc in TASKS:
        for truth in (0.80, 0.75):
            generator = np.random.default_rng([size, round(100 * icc), round(100 * truth)])
            groups = np.arange(LAST) // size
            oks = sum(ok_at_a_look(*of_tasks(size, icc, truth, generator), groups, size, 0.80) for _ in range(runs))
            yield f"| {size} | {icc:g} | {truth:.2f} | {oks / runs:.3f} |"


def false_ok_of_edits(settings: int, alike: float, counted: int, runs: int) -> float:
    """Share of authors with a wording shown above the target at some look, every one exactly at it."""
    generator = np.random.default_rng([settings, round(10 * alike)])
    shared = generator.standard_normal((runs, 1, LAST))
    own = generator.standard_normal((runs, settings, LAST))
    right = np.sqrt(alike) * shared + np.sqrt(1 - alike) * own < ndtri(0.80)
    hits = right.cumsum(axis=2)[:, :, 19::20].astype(float)
    above = [is_above(hits[:, :, i], n, 0.80, side_confidence(counted)) for i, n in enumerate(range(20, LAST + 1, 20))]
    return float(np.any(above, axis=0).any(axis=1).mean())


def edits(runs: int) -> Iterator[str]:
    yield "| settings | wordings err alike | counted (Bonferroni) | to reach | not counted | to reach |"
    yield "|---:|---:|---:|---|---:|---|"
    for settings in BONFERRONI:
        for alike in ALIKE:
            counted = false_ok_of_edits(settings, alike, settings, runs)
            plain = false_ok_of_edits(settings, alike, 1, runs)
            aims = ["{:.2f}–{:.2f}".format(*of[settings]) for of in (BONFERRONI, PLAIN)]
            yield f"| {settings} | {alike:g} | {counted:.3f} | {aims[0]} | {plain:.3f} | {aims[1]} |"
    yield ""
    yield (
        "The more alike wordings err, the less a setting that isn't counted misleads. The ranges to reach don't say "
        "how alike theirs err: 5 settings are in them from a correlation of about .75 on, 10 from about .6 on."
    )


@cache
def next_step(hits: int, n: int, target: float) -> int | bool | None:
    """True or False once decided, labels to add while open, None where no number is named."""
    above = bool(is_above(np.array([float(hits)]), n, target, side_confidence())[0])
    below = bool(is_above(np.array([float(n - hits)]), n, 1 - target, side_confidence())[0])
    if above or below:
        return above
    labels = labels_for_target(GroupedShare(hits / n, n, n, 1.0, 0.0, float(n)), target)
    return None if labels is None else labels.more


def steps_of(more: int, truth: float) -> Floats:
    """Chances of the hits among so many further labels."""
    return np.asarray(binom.pmf(np.arange(more + 1), more, truth))


def follow(truth: float) -> tuple[float, float, int]:
    """Probability of a decision, of a wrong one, and the median labels in all, adding what is asked for from 20 on."""
    open_at: dict[int, Floats] = {PILOT: steps_of(PILOT, truth)}
    ended_at: dict[int, float] = {}
    decided = wrong = 0.0
    while open_at:
        n = min(open_at)
        chances = open_at.pop(n)
        for hits in np.flatnonzero(chances > NEGLIGIBLE).tolist():
            chance = float(chances[hits])
            more = next_step(hits, n, 0.80)
            if more is not None and not isinstance(more, bool):
                after = open_at.setdefault(n + more, np.zeros(n + more + 1))
                after[hits : hits + more + 1] += chance * steps_of(more, truth)
                continue
            ended_at[n] = ended_at.get(n, 0.0) + chance
            decided += chance if more is not None else 0.0
            wrong += chance if more is not None and more != (truth > 0.80) else 0.0
    sizes = sorted(ended_at)
    half = int(np.searchsorted(np.cumsum([ended_at[n] for n in sizes]), 0.5))
    return decided, wrong, sizes[half]


def followed() -> Iterator[str]:
    yield "| truth, target .80 | decided | wrongly | median labels in all | to reach |"
    yield "|---|---:|---:|---:|---:|"
    for truth, (aim, labels) in FOLLOWED.items():
        decided, wrong, median = follow(truth)
        yield f"| {truth:.2f} | {decided:.3f} | {wrong:.3f} | {median} | {aim:.2f} / {labels} |"
    yield ""
    yield (
        "The figures to reach are within .02 of these except at .82, where .06 fewer are decided; the median "
        "says little there, since .43 end by 260 labels and .42 at 560 or more."
    )


def hanna() -> tuple[dict[str, Floats], npt.NDArray[np.str_]]:
    """Whether each judge of the published stories is within 0.1 of gold, by story, and the prompt of each."""
    with gzip.open(DATA / "hanna" / "items.jsonl.gz", "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]

    def score(levels: dict[str, float]) -> float:
        return float(np.mean([(levels[name] - 1) / 4 for name in CRITERIA]))

    gold = np.array(
        [score({c: float(np.median([p[c] for p in row["labels"].values()])) for c in CRITERIA}) for row in rows]
    )
    judges = {judge: np.array([score(row["judge"][judge]) for row in rows]) for judge in rows[0]["judge"]}
    hits = {judge: close(gold, scores, 0.1) for judge, scores in judges.items()}
    return hits, np.array([row["input"] for row in rows])


def contradicted(
    hits: Floats, prompts: npt.NDArray[np.str_], generator: np.random.Generator, target: float | None = None
) -> tuple[bool, bool]:
    """Whether any look at whole prompts in random order shows a judge above, or below, a target.

    None is its agreement on all of them, so that either is wrong.
    """
    truth = float(hits.mean()) if target is None else target
    order = generator.permutation(np.unique(prompts))
    places = np.concatenate([np.flatnonzero(prompts == prompt) for prompt in order])[:LAST]
    above = below = False
    for n in range(20, LAST + 1, 20):
        taken = places[:n]
        x = np.array([hits[taken].sum()], dtype=np.float64)
        confidence = side_confidence()
        may = is_above(x, n, truth, confidence)[0] or is_above(n - x, n, 1 - truth, confidence)[0]
        if not may:
            continue
        share = grouped_share(hits[taken], prompts[taken])
        low = share.lower(confidence)
        high = share.upper(confidence)
        above |= low is not None and low > truth
        below |= high is not None and high < truth
    return above, below


def other_sets() -> Iterator[tuple[str, Floats, npt.NDArray[np.str_]]]:
    """Each judge of the published dialogues and preferences: its name, hits by example, and a name for each example.

    Of dialogues the mean of nine questions counts, as one of thirteen people answered them; of preferences the choice.
    """
    for name in ("llm_rubric", "pandalm"):
        with gzip.open(DATA / name / "items.jsonl.gz", "rt", encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
        for judge in sorted({judge for row in rows for judge in row["judge"]}):
            pairs = [agreement_of(row, judge) for row in rows]
            hits = np.array([hit for hit in pairs if hit is not None], dtype=np.float64)
            yield f"{name}/{judge}", hits, np.arange(len(hits)).astype(str)


def agreement_of(row: dict[str, Any], judge: str) -> bool | None:
    """Whether a judge agrees with the people's median on one row; None where one of them gave nothing readable."""
    levels = row["judge"].get(judge) or {}
    if "preference" in levels or "preference" in next(iter(row["labels"].values())):
        choice = levels.get("preference")
        votes = [label["preference"] for label in row["labels"].values()]
        return None if choice not in (0, 1, 2) else choice == max(votes, key=votes.count)
    (label,) = row["labels"].values()
    names = [name for name, level in label.items() if level is not None and levels.get(name) is not None]
    if not names:
        return None
    people, model = (np.array([np.mean([(said[name] - 1) / 3 for name in names])]) for said in (label, levels))
    return bool(close(people, model, 0.1)[0])


def at_targets(runs: int) -> Iterator[str]:
    """Verdicts on up to 300 labels against those of the full data, at targets that users choose."""
    if not DATA.exists():
        yield f"Left out: {DATA} isn't there."
        return
    hits, prompts = hanna()
    sets = [*((f"hanna/{judge}", by_story, prompts) for judge, by_story in hits.items()), *other_sets()]
    rows: dict[str, list[tuple[float, float]]] = {"under 5 points": [], "5 points or more": []}
    for place, (_, by_example, names) in enumerate(sets):
        for target in FIXED_TARGETS:
            generator = np.random.default_rng([11, place])
            truth = float(by_example.mean())
            found = np.mean([contradicted(by_example, names, generator, target) for _ in range(runs)], axis=0)
            wrong, right = (found[0], found[1]) if truth < target else (found[1], found[0])
            distance = "under 5 points" if abs(truth - target) < CLOSE_TO_TARGET else "5 points or more"
            rows[distance].append((float(wrong), float(right)))
    yield "| from the target | judges x targets | shuffles each | contradicted | worst | decided as they are |"
    yield "|---|---:|---:|---:|---:|---:|"
    for distance, pairs in rows.items():
        wrong, right = np.array(pairs).T
        yield (f"| {distance} | {len(pairs)} | {runs} | {wrong.mean():.3f} | {wrong.max():.2f} | {right.mean():.2f} |")


def real(runs: int) -> Iterator[str]:
    if not DATA.exists():
        yield f"Left out: {DATA} isn't there."
        return
    hits, prompts = hanna()
    shares = []
    for place, (judge, by_story) in enumerate(hits.items()):
        generator = np.random.default_rng([7, place])
        found = np.mean([contradicted(by_story, prompts, generator) for _ in range(runs)], axis=0)
        shares.append((judge, *found.tolist()))
    above, below = np.array([pair for _, *pair in shares]).T
    yield "| judges | shuffles each | above its own agreement | worst | below it | worst | to reach |"
    yield "|---:|---:|---:|---:|---:|---:|---|"
    yield (
        f"| {len(shares)} | {runs} | {above.mean():.3f} | {above.max():.2f} | {below.mean():.3f} | {below.max():.2f} | "
        ".082 (worst .15), .049 |"
    )


def lines(runs: int) -> list[str]:
    """The page, line by line."""
    return [
        "## Looks, exactly",
        "",
        *exact(),
        "",
        f"## Whole tasks, looks every 20 to 300, target .80, {runs} runs",
        "",
        *tasks(runs),
        "",
        f"## Published stories, whole prompts, the target a judge's own agreement, {runs // 8} shuffles",
        "",
        *real(runs // 8),
        "",
        f"## Published judges at targets of .2 to .9, looks every 20 to {LAST}, {runs // 16} shuffles",
        "",
        *at_targets(runs // 16),
        "",
        f"## Edits on the same labels, looks every 20 to 300, {10 * runs} runs",
        "",
        *edits(10 * runs),
        "",
        f"## Labels needed, followed from {PILOT} labels on, exactly",
        "",
        *followed(),
    ]


if __name__ == "__main__":
    write_page(__doc__, lines, runs=400)
