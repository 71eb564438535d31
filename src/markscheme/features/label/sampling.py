"""Draws the outputs to label next: doubtful, rare and neglected outputs more often, each with a known probability."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from markscheme.errors import UsageError
from markscheme.features.label.decision_table import decision_table
from markscheme.features.label.group_labels import next_group_labels
from markscheme.features.label.statistics import labels_next
from markscheme.fingerprint import fingerprint
from markscheme.grading.score import ROUNDING
from markscheme.grading.verdict import middle_of
from markscheme.phrases import counted
from markscheme.ratings.example_rows import DrawnBy, Example
from markscheme.ratings.gold import JUDGE
from markscheme.ratings.rating import Rating
from markscheme.ratings.table import RatingTable, overall_of
from markscheme.rubrics.rubric import Criterion, Rubric
from markscheme.stats.intervals import Floats, Integers
from markscheme.stats.prevalence import LEAST_LABELS
from markscheme.stats.verdict_rates import LEAST_OWN

NEAR = 1 / 3
"""Share of the judge's passes, and of its fails, that count as doubtful: those nearest to the pass mark."""
RARE = 0.05
"""Share of the pool below which a level is rare."""
THIN = 5
"""Number of labels below which a group or a system counts as neglected."""
RAISED_CHANCE = 1.5
"""Factor by which a rare level or a neglected group raises an output's probability of being drawn."""
CLEAR_ERROR, DOUBTFUL_ERROR, WORTH = 0.1, 0.3, 10
"""Expected share of wrong decisions on clear and on doubtful outputs, and the number of labels that this expectation
counts as much as."""
DRAW_DIGITS = 8
"""Digits of a draw's name: a set has only a few draws, so two with equal names aren't to be expected."""
EVERYTHING = "all"
VERDICTS = (False, True)


@dataclass(frozen=True, slots=True)
class Pick:
    """An output that was drawn to be labelled, with its probability of being drawn.

    Attributes:
        example: The output.
        stratum: The part of the pool that it was drawn from.
        chance: Probability with which it was drawn, above 0 and up to 1.
        why: Reasons that raised that probability: "near the mark", "judges disagree", "rare level", or "thin group" for
            an output whose group or system has few labels.
        drawn: "by-verdict" if all outputs of its system and verdict had the same probability, else "chosen".
    """

    example: Example
    stratum: str
    chance: float
    why: tuple[str, ...] = ()
    drawn: DrawnBy = "chosen"

    def to_json(self) -> dict[str, Any]:
        """Return the output as a line of an example file, with `drawn`, `stratum` and `weight` for how it was drawn."""
        line = replace(self.example, drawn=self.drawn, stratum=self.stratum).to_json()
        metadata = {**self.example.metadata, "why": list(self.why)}
        return {**line, "weight": round(1 / self.chance, 9), "metadata": metadata}


@dataclass(frozen=True, slots=True)
class _PoolStratum:
    """A stratum of the outputs to draw from, with the numbers of its outputs, of labels and of draws.

    Attributes:
        name: Name of the stratum.
        pool: Number of outputs in the stratum.
        labelled: Number of these outputs that were labelled before.
        taken: Number of these outputs that are drawn now.
    """

    name: str
    pool: int
    labelled: int
    taken: int


@dataclass(frozen=True)
class Draw:
    """Draw of outputs to label next, with the strata of the pool that they were drawn from.

    Attributes:
        picks: The outputs that were drawn, in the order of the pool.
        strata: The strata of the pool, each a part from which outputs were drawn with one chance.
        pool: A table of all outputs with the judge's decision, the system and the stratum of each.
        seed: The random seed of the draw.
    """

    picks: tuple[Pick, ...]
    strata: tuple[_PoolStratum, ...]
    pool: RatingTable
    seed: int

    @property
    def systems(self) -> dict[str, int]:
        """Number of outputs drawn from each system, if the draw is for a pass rate of each system; else empty."""
        taken = Counter(pick.example.system for pick in self.picks if pick.drawn == "by-verdict")
        systems = dict.fromkeys(example.system for example in self.pool.examples or ())
        return {name: taken[name] for name in systems} if taken else {}

    def to_json(self) -> dict[str, Any]:
        """Return the draw as a dict with the keys of the plan's JSON."""
        return {
            "n": len(self.picks),
            "seed": self.seed,
            "strata": {s.name: {"pool": s.pool, "labelled": s.labelled, "taken": s.taken} for s in self.strata},
            "picked": [
                {"id": p.example.id, "stratum": p.stratum, "weight": 1 / p.chance, "why": list(p.why)}
                for p in self.picks
            ],
            "systems": self.systems,
            "pool": [
                {"id": example.id, "pass": passed, "group": example.system, "stratum": example.stratum}
                for example, passed in zip(self.pool.examples or (), self.pool[JUDGE].passed, strict=True)
            ],
        }


def choose_next(
    rubric: Rubric,
    pool: Sequence[Example],
    ratings: Sequence[Rating],
    count: int,
    *,
    labelled: Sequence[Example] = (),
    passed: Mapping[str, bool] | None = None,
    seed: int = 1,
) -> Draw:
    """Draw outputs to label from a pool, informative ones with higher probability, which estimates correct for.

    The pool is divided into strata by the judge's decision, and by whether this decision is doubtful: near the pass
    mark, or one on which judges disagree. Each stratum gets labels by its share of the pool and by how uncertain
    annotators' decisions are there. Within a stratum, outputs with a rare level, or of a group or system with few
    labels, are more likely to be drawn. No output has probability 0.

    If the judge decided on outputs of several systems, and `count` is enough for a pass rate of each system, there are
    two strata per system: the judge's passes and its fails. Each label goes to the stratum in which it most narrows the
    widest of these rates' intervals; within a stratum, all outputs have the same probability.

    Args:
        rubric: The rubric, whose pass mark and scales are used.
        pool: The outputs that may be labelled, with unique ids.
        ratings: Judges' ratings of the pool; outputs without one count as doubtful.
        count: Number of outputs to draw.
        labelled: Examples that are labelled already. Their labels count in a stratum if the example names a stratum or
            is in the pool.
        passed: Annotators' decisions on the labelled examples, by id.
        seed: Random seed, which makes the draw repeatable.

    Raises:
        UsageError: The count is 0, or larger than the number of unlabelled outputs in the pool.
    """
    before = {example.id: example for example in labelled}
    free = [example for example in pool if example.id not in before]
    if not 1 <= count <= len(free):
        unlabelled = counted(len(free), "unlabelled output")
        raise UsageError(f"the pool holds {unlabelled}; {count} cannot be taken")
    judge_passes, why = _judge_passes_and_reasons(rubric, pool, ratings)
    decided = passed or {}
    systems = _by_system(judge_passes, pool, free, decided, count)
    cells = {e.id: _verdict(judge_passes, e.id) for e in pool} if systems else _cells(judge_passes, why, pool, count)
    names = sorted(set(cells.values()))
    stratum_of = cells | {e.id: e.stratum for e in labelled if e.stratum in names}
    labelled_strata = {id: name for id, name in stratum_of.items() if id in before}
    parts = systems or [
        (name, [e for e in free if cells[e.id] == name], n)
        for name, n in _allocation(names, cells, labelled_strata, decided, free, count).items()
    ]
    generator = np.random.default_rng(seed)
    neglected = set() if systems else _neglected(free, labelled)
    chosen_by = {} if systems else {e.id: (*why[e.id], *(("thin group",) if e.id in neglected else ())) for e in free}
    drawn: DrawnBy = "by-verdict" if systems else "chosen"
    picks = _of_one_draw([pick for part in parts for pick in _picks(*part, chosen_by, drawn, generator)])
    order = {example.id: index for index, example in enumerate(pool)}
    sizes_of = Counter(cells.values())
    labels_of = Counter(labelled_strata.values())
    taken = Counter(pick.stratum for pick in picks)
    return Draw(
        picks=tuple(sorted(picks, key=lambda pick: order[pick.example.id])),
        strata=tuple(_PoolStratum(name, sizes_of[name], labels_of[name], taken[name]) for name in names),
        pool=decision_table(
            rubric,
            [replace(example, group="", stratum=cells[example.id]) for example in pool],
            judge=[judge_passes.get(example.id) for example in pool],
        ),
        seed=seed,
    )


def _picks(
    stratum: str,
    outputs: Sequence[Example],
    take: int,
    why: Mapping[str, tuple[str, ...]],
    drawn: DrawnBy,
    generator: np.random.Generator,
) -> list[Pick]:
    """Draw outputs from a stratum, or from part of one, and return each with its probability of being drawn.

    Args:
        stratum: Name of the stratum.
        outputs: The outputs to draw from, none of them labelled yet.
        take: Number of outputs to draw.
        why: Reasons that raise an output's probability of being drawn, by its id.
        drawn: How the outputs are drawn.
        generator: Random generator for the draw.
    """
    reasons_of = [why.get(example.id, ()) for example in outputs]
    sizes = np.array(
        [RAISED_CHANCE ** sum(reason in ("rare level", "thin group") for reason in reasons) for reasons in reasons_of]
    )
    chances = inclusion_chances(sizes, take)
    return [
        Pick(outputs[index], stratum, float(chances[index]), reasons_of[index], drawn)
        for index in systematic_draw(chances, generator)
    ]


def _of_one_draw(picks: Sequence[Pick]) -> list[Pick]:
    """Return the drawn outputs, each with the name of the draw, which is a digest of the ids of all drawn outputs."""
    draw = fingerprint(sorted(pick.example.id for pick in picks))[:DRAW_DIGITS]
    return [replace(pick, example=replace(pick.example, draw=draw)) for pick in picks]


def _by_system(
    judge_passes: Mapping[str, bool],
    pool: Sequence[Example],
    free: Sequence[Example],
    passed: Mapping[str, bool],
    count: int,
) -> list[tuple[str, Sequence[Example], int]]:
    """Divide labels among strata, each the outputs of one system with one decision by the judge.

    Args:
        judge_passes: The judge's decisions by id, True for a pass.
        pool: All outputs.
        free: The outputs that aren't labelled yet.
        passed: Annotators' decisions on labelled outputs, by id.
        count: Number of labels to divide.

    Returns:
        For each stratum that gets labels, the judge's decision ("pass" or "fail"), the stratum's outputs that aren't
        labelled yet, and the number to label. The list is empty if there are fewer than two systems, if an output has
        no system, no decision or a stratum already, or if `count` is too small for each system to get enough labels.
    """
    systems = list(dict.fromkeys(example.system for example in pool))
    undecided = any(e.stratum or not e.system or e.id not in judge_passes for e in pool)
    if len(systems) < 2 or undecided:
        return []
    cell_of = {example.id: (example.system, judge_passes[example.id]) for example in pool}
    outputs = {(s, v): [e for e in free if cell_of[e.id] == (s, v)] for s in systems for v in VERDICTS}
    label_counts = np.zeros((len(systems), 2, 2), dtype=np.int64)
    for example in pool:
        if example.id in passed:
            label_counts[systems.index(example.system), int(passed[example.id]), int(judge_passes[example.id])] += 1
    room = np.array([[len(outputs[s, v]) for v in VERDICTS] for s in systems])
    if np.maximum(LEAST_OWN - label_counts.sum(axis=(1, 2)), 0).sum() > count:
        return []
    taken = _none_left_out(
        next_group_labels(label_counts, label_counts.sum(axis=1) + room, count), label_counts.sum(axis=1), room
    )
    cells = [(s, v) for s in range(len(systems)) for v in (0, 1) if taken[s, v]]
    return [("pass" if v else "fail", outputs[systems[s], VERDICTS[v]], int(taken[s, v])) for s, v in cells]


def _none_left_out(taken: Integers, label_counts: Integers, room: Integers) -> Integers:
    """Move labels, one at a time, from the largest stratum to strata without any, so that every output can be drawn.

    Args:
        taken: Number of labels planned in each stratum.
        label_counts: Number of labels that each stratum has so far.
        room: Number of unlabelled outputs in each stratum.
    """
    adjusted = taken.copy()
    for cell in zip(*np.nonzero((label_counts + taken == 0) & (room > 0)), strict=True):
        adjusted[np.unravel_index(adjusted.argmax(), adjusted.shape)] -= 1
        adjusted[cell] += 1
    return adjusted


# --- chances --------------------------------------------------------------------------------------------------------


def inclusion_chances(sizes: npt.ArrayLike, count: int) -> Floats:
    """Compute probabilities proportional to sizes, none above 1, that add up to `count`.

    Args:
        sizes: Relative preference for each unit, shape (n,), above 0.
        count: Number of units to draw, up to n.

    Raises:
        ValueError: A size isn't positive, or there are fewer units than `count`, which is the caller's mistake.

    Example:
        >>> inclusion_chances([1, 1, 2, 8], 2).round(3).tolist()
        [0.25, 0.25, 0.5, 1.0]
    """
    wanted = np.asarray(sizes, dtype=np.float64)
    if not (wanted > 0).all() or not 0 <= count <= len(wanted):
        raise ValueError(f"sizes must be above 0 and the count from 0 to {len(wanted)}, not {count}")
    chances = np.zeros(len(wanted))
    sure = np.zeros(len(wanted), dtype=bool)
    while True:
        left = count - int(sure.sum())
        rest = float(wanted[~sure].sum())
        chances = np.where(sure, 1.0, wanted * left / rest if rest > 0 else 0.0)
        over = ~sure & (chances >= 1 - 1e-12)
        if left <= 0 or not over.any():
            return np.asarray(chances)
        sure |= over


def systematic_draw(chances: npt.ArrayLike, generator: np.random.Generator) -> list[int]:
    """Draw items with given probabilities, as many as these probabilities add up to, and return the items' indices.

    Source:
        Madow (1949), Annals of Mathematical Statistics 20(3), 333-354. doi:10.1214/aoms/1177729988

    Example:
        >>> systematic_draw([1.0, 0.0, 1.0], np.random.default_rng(1))
        [0, 2]
    """
    probabilities = np.asarray(chances, dtype=np.float64)
    order = generator.permutation(len(probabilities))
    ends = np.cumsum(probabilities[order])
    steps = np.arange(round(float(ends[-1])) if len(probabilities) else 0) + generator.random()
    return sorted(order[np.searchsorted(ends, steps, side="right").clip(max=len(probabilities) - 1)].tolist())


def _allocation(
    names: Sequence[str],
    cells: Mapping[str, str],
    labelled_strata: Mapping[str, str],
    passed: Mapping[str, bool],
    free: Sequence[Example],
    count: int,
) -> dict[str, int]:
    """Divide labels among strata by how much they narrow the pass rate's interval, with a minimum for each stratum.

    Args:
        names: Names of the strata.
        cells: Name of the stratum of each output in the pool, by id.
        labelled_strata: Name of the stratum of each example labelled before, by id.
        passed: Annotators' decisions on examples labelled before, by id.
        free: The outputs that aren't labelled yet.
        count: Number of labels to divide.

    Returns:
        The number of labels for each stratum, by name.
    """
    counts = np.zeros((len(names), 2), dtype=np.int64)
    index_of = {name: index for index, name in enumerate(names)}
    for id, name in labelled_strata.items():
        if id in passed:
            counts[index_of[name], int(passed[id])] += 1
    pool = Counter(cells.values())
    room = Counter(cells[example.id] for example in free)
    least = LEAST_LABELS if len(names) > 2 else 1
    taken = {name: min(room[name], max(0, least - int(counts[index_of[name]].sum()))) for name in names}
    while (left := count - sum(taken.values())) > 0:
        open_names = [name for name in names if room[name] > taken[name]]
        rows = [index_of[name] for name in open_names]
        so_far = counts[rows] + np.array([_as_expected(name, taken[name]) for name in open_names])
        wanted = labels_next(
            so_far, [pool[name] for name in open_names], left, expected=[_expected(name) for name in open_names]
        )
        for name, n in zip(open_names, wanted.tolist(), strict=True):
            taken[name] += min(n, room[name] - taken[name])
    return taken


def _as_expected(name: str, n: int) -> tuple[int, int]:
    """Return how many of `n` further labels in a stratum are expected to be fails, and how many passes.

    Args:
        name: Name of the stratum, which says what the judge decides there, and how clearly.
        n: Number of further labels.
    """
    fails, passes = _expected(name)
    failing = round(n * fails / (fails + passes))
    return failing, n - failing


def _expected(name: str) -> tuple[float, float]:
    """Return pseudo-counts of fails and passes for a stratum, from the judge's decision and certainty in its name."""
    error = DOUBTFUL_ERROR if "doubtful" in name else CLEAR_ERROR if "clear" in name else 0.5
    return (WORTH * error, WORTH * (1 - error)) if name.startswith("pass") else (WORTH * (1 - error), WORTH * error)


# --- what is known of the pool --------------------------------------------------------------------------------------


def _judge_passes_and_reasons(
    rubric: Rubric, pool: Sequence[Example], ratings: Sequence[Rating]
) -> tuple[dict[str, bool], dict[str, tuple[str, ...]]]:
    """Return the decision on each output that any judge decided, and the reasons to draw each output more often.

    If judges decide an output differently, the majority's decision counts; a tie is a pass.
    """
    by_id: dict[str, list[Rating]] = {example.id: [] for example in pool}
    for rating in ratings:
        by_id.setdefault(rating.id, []).append(rating)
    decided = {e.id: [d for r in by_id[e.id] if (d := _decision(r, rubric)) is not None] for e in pool}
    passed = {id: 2 * sum(decisions) >= len(decisions) for id, decisions in decided.items() if decisions}
    near = _nearest(rubric, by_id, passed)
    rare = _with_rare_level(rubric, pool, by_id)
    reasons = {
        "near the mark": near,
        "judges disagree": {id for id, decisions in decided.items() if len(set(decisions)) > 1},
        "rare level": rare,
    }
    why = {e.id: tuple(reason for reason, ids in reasons.items() if e.id in ids) for e in pool}
    return passed, why


def _decision(rating: Rating, rubric: Rubric) -> bool | None:
    if rating.passed is not None:
        return rating.passed
    score = overall_of(rating, rubric)
    return None if score is None else score >= rubric.pass_mark - ROUNDING


def _nearest(rubric: Rubric, by_id: Mapping[str, Sequence[Rating]], passed: Mapping[str, bool]) -> set[str]:
    """Find the ids of outputs with scores near the pass mark, separately among the judge's passes and fails.

    Args:
        rubric: The rubric.
        by_id: Judges' ratings of each output.
        passed: The judge's decision, True for pass, by output.
    """
    distance = {}
    for id in passed:
        scores = [score for rating in by_id[id] if (score := overall_of(rating, rubric)) is not None]
        if scores:
            distance[id] = abs(middle_of(scores) - rubric.pass_mark)
    nearest: set[str] = set()
    for side in (True, False):
        ids = [id for id in distance if passed[id] is side]
        if ids:
            near = float(np.quantile([distance[id] for id in ids], NEAR))
            reach = max(near, rubric.gray_zone.reach(passed=side))
            nearest |= {id for id in ids if distance[id] <= reach + ROUNDING}
    return nearest


def _with_rare_level(rubric: Rubric, pool: Sequence[Example], by_id: Mapping[str, Sequence[Rating]]) -> set[str]:
    """Find the ids of outputs that got, on any criterion, a level that the judge gave to few outputs of the pool.

    Args:
        rubric: The rubric.
        pool: The outputs that may be drawn.
        by_id: The judge's ratings of each output, by the output's id.
    """
    ids_of_level: dict[tuple[str, float], set[str]] = {}
    for example in pool:
        for rating in by_id[example.id]:
            for criterion in rubric.criteria:
                rated = rating.criteria.get(criterion.name)
                if rated is not None and rated.level is not None:
                    level = _nearest_level(criterion, rated.level)
                    ids_of_level.setdefault((criterion.name, level), set()).add(example.id)
    return {id for ids in ids_of_level.values() if len(ids) < RARE * len(pool) for id in ids}


def _nearest_level(criterion: Criterion, level: float) -> float:
    return min(criterion.scale.values, key=lambda value: abs(value - level))


def _cells(
    judge_passes: Mapping[str, bool], why: Mapping[str, tuple[str, ...]], pool: Sequence[Example], count: int
) -> dict[str, str]:
    """Map each output's id to its stratum: the recorded one if all outputs have one, else a new one.

    A new stratum is made from the judge's decision and, if `count` labels are enough for so many strata, from whether
    the decision is doubtful. Without decisions, all outputs are in one stratum.

    Args:
        judge_passes: The judge's decision, True for pass, by output.
        why: Reasons to label an output, such as "near the mark", by output.
        pool: The outputs.
        count: Number of labels to give.
    """
    if all(example.stratum for example in pool):
        return {example.id: example.stratum for example in pool}
    if not judge_passes:
        return {example.id: EVERYTHING for example in pool}
    fine = {example.id: _cell(judge_passes, why[example.id], example.id) for example in pool}
    if count >= LEAST_LABELS * len(set(fine.values())):
        return fine
    return {id: name.split(",")[0] for id, name in fine.items()}


def _verdict(judge_passes: Mapping[str, bool], id: str) -> str:
    return "pass" if judge_passes.get(id) else "fail"


def _cell(judge_passes: Mapping[str, bool], why: tuple[str, ...], id: str) -> str:
    doubtful = id not in judge_passes or {"near the mark", "judges disagree"} & set(why)
    return f"{_verdict(judge_passes, id)}, {'doubtful' if doubtful else 'clear'}"


def _neglected(free: Sequence[Example], labelled: Sequence[Example]) -> set[str]:
    """Find the ids of outputs whose group or system has few labels so far.

    Groups don't count if all of them have few labels; nor do systems if all of them have few.

    Args:
        free: The outputs that may be drawn.
        labelled: The examples with labels so far.
    """
    neglected = set()
    for key in ("group", "system"):
        names = {getattr(example, key) for example in free} - {""}
        labels = Counter(getattr(example, key) for example in labelled if example.labels)
        thin = {name for name in names if labels[name] < THIN}
        if thin and thin != names:
            neglected |= {example.id for example in free if getattr(example, key) in thin}
    return neglected


def parted_draw(draw: Draw, parted: Callable[[Iterable[Example]], Iterable[Example]]) -> Draw:
    """Return the draw with each output assigned to a part of the example set, dev or test.

    Args:
        draw: The draw.
        parted: Function that assigns examples to parts; it returns them in their order.
    """
    examples = parted(pick.example for pick in draw.picks)
    picks = (replace(pick, example=example) for pick, example in zip(draw.picks, examples, strict=True))
    return replace(draw, picks=tuple(picks))
