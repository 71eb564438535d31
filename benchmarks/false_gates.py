"""How often a judge is shown to gate that must not, and what it takes to show one that may, compared with the old rule.

    python -m benchmarks.false_gates [--draws 4000] [--data ../shared/data] [--write benchmarks/results/false_gates.md]

Labels come in batches, drawn at random: fails and passes of people, and of each the decisions that the judge gets
right. At every look the product's exact limits say whether both sides are above theirs and decisions above the target;
a gate that is shown at any look counts. `gate_ruling` itself is asked of looks taken from every cell, and a difference
ends the benchmark.

The old rule asked agreement alone: above the target, and shown to beat the best constant answer.

With `--data`, the decisions of published judges are shuffled, whole tasks where several examples share one, and looked
at every 20 labels to 300. Of HANNA and LLM-Rubric each judge's level on each question, and of HANNA the mean, passes
from 2, 3 or 4 on, which is three judges, and so do those of most annotators; of REALSumm the verdict on each unit is
one decision, and a summary with its units one task; of PandaLM the decision is whether the first of two is better.
"""

import argparse
import csv
import gzip
import json
import os
import time

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from markscheme.calibration.comparison.limits import ErrorLimits, GateSide
from markscheme.calibration.comparison.policy import Ruling, gate_ruling, side_confidence, verdict_states
from markscheme.stats.decision_figures import decision_figures
from markscheme.stats.decisive_labels import is_above
from markscheme.stats.shares import grouped_mean, grouped_share

Floats: TypeAlias = npt.NDArray[np.float64]
Counts: TypeAlias = npt.NDArray[np.int64]
Flags: TypeAlias = npt.NDArray[np.bool_]

CONFIDENCE = side_confidence()
LOOKS = ((20, 300), (10, 300), (20, 1000))
FAILS = (0.05, 0.10, 0.20, 0.30, 0.50)
ELSEWHERE = 0.97
"""How often the judge is right on the side that isn't in question."""
FALSE: dict[tuple[float, float], dict[float, tuple[str, str, str]]] = {
    (0.70, ELSEWHERE): {
        0.05: (".02", ".02", ".07"), 0.10: (".04", ".04", ".09"), 0.20: (".06", ".06", ".11"),
        0.30: (".07", ".08", ".11"), 0.50: (".07", ".08", ".11"),
    },
    (ELSEWHERE, 0.70): {
        0.05: (".00", ".00", ".00"), 0.10: (".00", ".00", ".00"), 0.20: (".00", ".00", ".00"),
        0.30: (".02", ".02", ".02"), 0.50: (".07", ".08", ".13"),
    },
    (0.80, 0.80): {
        0.05: (".01", ".01", ".03"), 0.10: (".02", ".03", ".07"), 0.20: (".05", ".06", ".10"),
        0.30: (".06", ".07", ".11"), 0.50: (".07", ".08", ".13"),
    },
}  # fmt: skip
"""To reach at a target of .80, by what the judge stops and keeps, the share of fails, and the looks."""
COST: dict[tuple[float, float], tuple[str, ...]] = {
    (0.95, 0.95): ("280 (.58)", "140 (.96)", "80", "60", "40"),
    (0.90, 0.90): ("400 (.33)", "200 (.75)", "120 (.98)", "100", "80"),
    (0.85, 0.90): ("620 (.17)", "320 (.47)", "180 (.80)", "140 (.93)", "120 (.96)"),
}
"""Median labels, and how often the gate is shown by 300, to reach."""
LEAST = {0.70: (11, 17, 22, 27, 31, 36), 0.80: (17, 26, 34, 41, 48, 55), 0.90: (36, 54, 70, 85)}
"""Least examples of a side with no error, one, two, …, that show it above a limit, to reach."""
TARGETS = (0.70, 0.90, 0.95)
CHECKED = 40
"""Looks of each cell at which `gate_ruling` is asked too."""
WEAKER = ((0.0, 0.5), (0.5, 0.7), (0.7, 0.75), (0.75, 0.8), (0.8, 0.85), (0.85, 1.01))
"""Classes of published judges, by how often they are right on their weaker side."""
MARKS = (2, 3, 4)
"""Lowest levels that pass, on scales of 1 to 5 and of 1 to 4."""
QUESTIONS = ("Relevance", "Coherence", "Empathy", "Surprise", "Engagement", "Complexity")
REAL_TARGET = 0.80
FEWEST_ON_A_SIDE = 11
"""Published decisions with fewer on a side can't show a gate, whatever the judge does."""


@dataclass(frozen=True)
class LabelSequences:
    """Decisions counted at every look, each array of shape (n_sequences, n_looks).

    Attributes:
        fails: Examples that people fail.
        stopped: Of those, the ones that the judge fails.
        passes: Examples that people pass.
        kept: Of those, the ones that the judge passes.
        step: Labels between two looks.
    """

    fails: Counts
    stopped: Counts
    passes: Counts
    kept: Counts
    step: int

    def at(self, sequence: int, look: int) -> tuple[int, int, int, int]:
        """Return the four counts at one look."""
        arrays = (self.fails, self.stopped, self.passes, self.kept)
        fails, stopped, passes, kept = (int(array[sequence, look]) for array in arrays)
        return fails, stopped, passes, kept


def drawn(share_of_fails: float, stops: float, keeps: float, step: int, last: int, draws: int) -> LabelSequences:
    """Draw labels, so many at a time, of a judge that stops and keeps these shares."""
    seed = [round(1000 * share) for share in (share_of_fails, stops, keeps)]
    generator = np.random.default_rng([29, step, last, *seed])
    shape = (draws, last // step)
    fails = generator.binomial(step, share_of_fails, shape)
    stopped = generator.binomial(fails, stops)
    kept = generator.binomial(step - fails, keeps)
    sums = [np.cumsum(counts, axis=1) for counts in (fails, stopped, step - fails, kept)]
    return LabelSequences(sums[0], sums[1], sums[2], sums[3], step)


@cache
def hits_that_show(bound: float, most: int = 1000) -> Counts:
    """For each number of examples from 0 on, the least hits whose exact lower limit is above a bound."""
    least = np.full(most + 1, most + 1, dtype=np.int64)
    for n in range(1, most + 1):
        above = is_above(np.arange(n + 1.0), np.full(n + 1, float(n)), bound, CONFIDENCE)
        if above.any():
            least[n] = int(above.argmax())
    return least


def gate_shown(labels: LabelSequences, target: float) -> Flags:
    """Whether both sides are above their limits and decisions above the target, at every look."""
    limits = ErrorLimits()
    stops = labels.stopped >= hits_that_show(limits.least("stops", target))[labels.fails]
    keeps = labels.kept >= hits_that_show(limits.least("keeps", target))[labels.passes]
    same = labels.stopped + labels.kept >= hits_that_show(target)[labels.fails + labels.passes]
    shown: Flags = np.logical_and.reduce([stops, keeps, same])
    return shown


@cache
def beats_constant(better: int, worse: int, n: int) -> bool:
    """Whether a judge that is right on so many more and so many fewer examples is shown to beat the constant."""
    gain = np.zeros(n)
    gain[:better] = 1
    gain[better : better + worse] = -1
    low = grouped_mean(gain).lower(CONFIDENCE)
    return low is not None and low > 0


def old_rule(labels: LabelSequences, target: float) -> Flags:
    """Whether agreement is above the target and the best constant decision's, at every look."""
    shown: Flags = labels.stopped + labels.kept >= hits_that_show(target)[labels.fails + labels.passes]
    for sequence, look in zip(*np.nonzero(shown), strict=True):
        fails, stopped, passes, kept = labels.at(sequence, look)
        always_passes = passes >= fails
        better, worse = (stopped, passes - kept) if always_passes else (kept, fails - stopped)
        shown[sequence, look] = beats_constant(better, worse, fails + passes)
    return shown


def ruling(fails: int, stopped: int, passes: int, kept: int, target: float) -> Ruling:
    """Ask the product's own policy about these counts."""
    gold = np.repeat([0.0, 1.0], [fails, passes])
    judge = np.repeat([0.0, 1.0, 1.0, 0.0], [stopped, fails - stopped, kept, passes - kept])
    return ruling_of(gold, judge, None, target)


def ruling_of(gold: Floats, judge: Floats, groups: Counts | None, target: float) -> Ruling:
    """Ask the product's own policy about decisions."""
    figures = decision_figures(gold, judge, groups=groups)
    limits = ErrorLimits()
    sides = (
        GateSide("stops", figures.stops, limits.least("stops", target), CONFIDENCE),
        GateSide("keeps", figures.keeps, limits.least("keeps", target), CONFIDENCE),
    )
    return gate_ruling(figures, sides, target, CONFIDENCE)


def checked(labels: LabelSequences, shown: Flags, target: float) -> int:
    """Ask `gate_ruling` at some looks that show a gate and at some that don't; the number of looks asked about.

    Raises:
        RuntimeError: It answers otherwise than the limits here.
    """
    generator = np.random.default_rng([31, labels.step])
    asked = 0
    for state in (True, False):
        indices = np.argwhere(shown == state)
        chosen = generator.permutation(len(indices))[: CHECKED // 2]
        for sequence, look in indices[chosen]:
            counts = labels.at(sequence, look)
            if (ruling(*counts, target).state == "shown") != state:
                raise RuntimeError(f"gate_ruling of {counts} at {target} isn't {state}")
            asked += 1
    return asked


def dotted(share: float, digits: int = 2) -> str:
    """A share as the contract writes it: .07."""
    return f"{share:.{digits}f}".removeprefix("0")


# --- simulated ------------------------------------------------------------------------------------------------------


def false_gates(draws: int) -> Iterator[str]:
    yield "| stops | keeps | fails | looks | shown at some look | to reach | old rule |"
    yield "|---:|---:|---:|---|---:|---:|---:|"
    cells = asked = 0
    far: list[str] = []
    for (stops, keeps), by_fails in FALSE.items():
        for fails, aims in by_fails.items():
            for (step, last), aim in zip(LOOKS, aims, strict=True):
                labels = drawn(fails, stops, keeps, step, last, draws)
                shown = gate_shown(labels, 0.80)
                old = old_rule(labels, 0.80)
                asked += checked(labels, shown, 0.80)
                cells += 1
                share = float(shown.any(axis=1).mean())
                error = 2 * float(np.sqrt(2 * max(share, 1 / draws) * (1 - share) / draws)) + 0.005
                if abs(share - float(aim)) > error:
                    far.append(f"{stops:.2f}/{keeps:.2f} at {fails:.2f}, every {step} to {last}")
                yield (
                    f"| {stops:.2f} | {keeps:.2f} | {fails:.2f} | every {step} to {last:,} | {share:.3f} | {aim} | "
                    f"{old.any(axis=1).mean():.3f} |"
                )
    yield ""
    yield (
        f"{cells - len(far)} of {cells} cells are the ones to reach, within two standard errors of two such draws and "
        f"rounding{': all but ' + '; '.join(far) if far else ''}. `gate_ruling` answered alike at all {asked:,} looks."
    )


def worse_judges(draws: int) -> Iterator[str]:
    yield "| stops | fails | shown by 1,000 labels, looks every 20 | to reach | old rule |"
    yield "|---:|---:|---:|---:|---:|"
    for stops, aim in ((0.60, "at most .006"), (0.50, "at most .001")):
        for fails in FAILS:
            labels = drawn(fails, stops, ELSEWHERE, 20, 1000, draws)
            new, old = (shown.any(axis=1).mean() for shown in (gate_shown(labels, 0.80), old_rule(labels, 0.80)))
            yield f"| {stops:.2f} | {fails:.2f} | {new:.4f} | {aim} | {old:.3f} |"


def other_targets(draws: int) -> Iterator[str]:
    yield "| target | fails | stops exactly its limit, keeps all | both exactly the target | to reach |"
    yield "|---:|---:|---:|---:|---:|"
    for target in TARGETS:
        limit = ErrorLimits().least("stops", target)
        for fails in FAILS:
            one_side, both = (
                gate_shown(drawn(fails, stops, keeps, 20, 300, draws), target).any(axis=1).mean()
                for stops, keeps in ((limit, 1.0), (target, target))
            )
            yield f"| {target:.2f} | {fails:.2f} | {one_side:.3f} | {both:.3f} | .05 to .065 |"
    yield ""
    yield "The range to reach doesn't say for which share of fails."


def costs(draws: int) -> Iterator[str]:
    yield "| stops | keeps | fails | median labels | shown by 300 | to reach | old rule: median | by 300 |"
    yield "|---:|---:|---:|---:|---:|---|---:|---:|"
    for (stops, keeps), aims in COST.items():
        for fails, aim in zip(FAILS, aims, strict=True):
            labels = drawn(fails, stops, keeps, 20, 1000, draws)
            (median, by_300), (old_median, old_by_300) = (
                _cost(flags, 20) for flags in (gate_shown(labels, 0.80), old_rule(labels, 0.80))
            )
            yield (
                f"| {stops:.2f} | {keeps:.2f} | {fails:.2f} | {median} | {dotted(by_300)} | {aim} | {old_median} | "
                f"{dotted(old_by_300)} |"
            )


def _cost(shown: Flags, step: int) -> tuple[str, float]:
    """Return the labels with which half of all sequences have shown it, and the share that has by 300."""
    ever = np.logical_or.accumulate(shown, axis=1).mean(axis=0)
    half = int(np.searchsorted(ever, 0.5))
    return str((half + 1) * step) if half < len(ever) else "over 1,000", float(ever[300 // step - 1])


def least_examples() -> Iterator[str]:
    yield "| limit | least examples of a side with 0, 1, 2, … errors | to reach |"
    yield "|---:|---|---|"
    for limit, aims in LEAST.items():
        needed = hits_that_show(limit)
        errors = np.arange(len(needed)) - needed
        found = [int((errors >= wrong).argmax()) for wrong in range(len(aims))]
        yield f"| {limit:.2f} | {', '.join(map(str, found))} | {', '.join(map(str, aims))} |"


# --- published judges -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PublishedJudge:
    """A published judge's decisions on one question, with people's.

    Attributes:
        name: The set, the judge and the question.
        gold: People's decisions, 1 for pass.
        judge: The judge's.
        groups: The task of each example; None where each is its own.
    """

    name: str
    gold: Floats
    judge: Floats
    groups: Counts | None

    @property
    def right(self) -> Flags:
        """Where both decide alike."""
        return np.asarray(self.gold == self.judge)

    @property
    def weaker_side(self) -> float:
        """How often it is right on the side on which it is right less often."""
        return min(float(self.right[self.gold == side].mean()) for side in (0, 1))


def published(data: Path) -> Iterator[PublishedJudge]:
    """Each judge on each question on which people pass some and fail some."""
    for judge in (*_hanna(data), *_llm_rubric(data), *_pandalm(data), *_realsumm(data)):
        if min(judge.gold.sum(), (1 - judge.gold).sum()) >= FEWEST_ON_A_SIDE:
            yield judge


def _rows(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def _hanna(data: Path) -> Iterator[PublishedJudge]:
    rows = _rows(data / "hanna" / "items.jsonl.gz")
    groups = np.unique([row["input"] for row in rows], return_inverse=True)[1]
    people = np.array(
        [[[person[q] for q in QUESTIONS] for person in row["labels"].values()] for row in rows], np.float64
    )
    gold = np.median(people, axis=1)
    gold_means = np.median(people.mean(axis=2), axis=1)
    for name in sorted(rows[0]["judge"]):
        levels = np.array([[row["judge"][name][q] for q in QUESTIONS] for row in rows], float)
        for mark in MARKS:
            for i, question in enumerate(QUESTIONS):
                yield _passing(f"{name}/{question}", gold[:, i], levels[:, i], mark, groups)
            yield _passing(f"{name}/mean", gold_means, levels.mean(axis=1), mark, groups)


def _passing(name: str, gold: Floats, judge: Floats, mark: float, groups: Counts | None = None) -> PublishedJudge:
    passes_gold, passes_judge = ((scores >= mark).astype(np.float64) for scores in (gold, judge))
    return PublishedJudge(f"{name} from {mark} on", passes_gold, passes_judge, groups)


def _llm_rubric(data: Path) -> Iterator[PublishedJudge]:
    rows = _rows(data / "llm_rubric" / "items.jsonl.gz")
    questions = sorted({question for row in rows for label in row["labels"].values() for question in label})
    for name in sorted({name for row in rows for name in row["judge"]}):
        for question in questions:
            pairs = [
                (label[question], row["judge"][name][question])
                for row in rows
                for label in row["labels"].values()
                if label.get(question) is not None and row["judge"].get(name, {}).get(question) is not None
            ]
            gold, judge = np.array(pairs, dtype=np.float64).reshape(-1, 2).T
            yield from (_passing(f"{name}/{question}", gold, judge, mark) for mark in MARKS)


def _pandalm(data: Path) -> Iterator[PublishedJudge]:
    rows = _rows(data / "pandalm" / "items.jsonl.gz")
    for name in sorted({name for row in rows for name in row["judge"]}):
        pairs = [(row["expected"]["preference"], (row["judge"].get(name) or {}).get("preference")) for row in rows]
        gold, judge = np.array([pair for pair in pairs if pair[0] in (1, 2) and pair[1] in (1, 2)]).T
        yield PublishedJudge(name, (gold == 1) * 1.0, (judge == 1) * 1.0, None)


def _realsumm(data: Path) -> Iterator[PublishedJudge]:
    with gzip.open(data / "realsumm_units" / "verdicts.csv.gz", "rt", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    present = np.array([np.mean([int(digit) for digit in row["people"]]) for row in rows])
    tasks = np.unique([f"{row['task']} {row['system']}" for row in rows], return_inverse=True)[1]
    decided = present != 0.5
    for name in list(rows[0])[4:]:
        verdicts = np.array([float(row[name]) for row in rows])
        yield PublishedJudge(name, (present[decided] > 0.5) * 1.0, verdicts[decided], tasks[decided])


def shown_in_shuffles(judge: PublishedJudge, index: int, shuffles: int) -> tuple[float, float]:
    """Share of shuffles in which some look shows a gate, now and by the old rule."""
    generator = np.random.default_rng([37, index])
    new = old = 0
    for _ in range(shuffles):
        order = _shuffled(judge, generator)
        looks = [order[:n] for n in range(20, min(300, len(order)) + 1, 20)]
        new += any(_shows_gate(judge, look) for look in looks)
        old += any(_shows_agreement(judge, look) for look in looks)
    return new / shuffles, old / shuffles


def _shuffled(judge: PublishedJudge, generator: np.random.Generator) -> Counts:
    if judge.groups is None:
        return np.asarray(generator.permutation(len(judge.gold)))
    ranks = generator.permutation(int(judge.groups.max()) + 1)
    return np.asarray(np.argsort(ranks[judge.groups], kind="stable")[:300])


def _may_be_above(judge: PublishedJudge, look: Counts, bound: float) -> bool:
    """Whether the plain limit is above: groups only widen."""
    return bool(judge.right[look].sum() >= hits_that_show(bound)[len(look)])


def _groups(judge: PublishedJudge, look: Counts) -> Counts | None:
    return None if judge.groups is None else judge.groups[look]


def _shows_gate(judge: PublishedJudge, look: Counts) -> bool:
    least = ErrorLimits().least("stops", REAL_TARGET)
    on_sides = (look[judge.gold[look] == side] for side in (0, 1))
    if not _may_be_above(judge, look, REAL_TARGET) or not all(_may_be_above(judge, s, least) for s in on_sides):
        return False
    return ruling_of(judge.gold[look], judge.judge[look], _groups(judge, look), REAL_TARGET).state == "shown"


def _shows_agreement(judge: PublishedJudge, look: Counts) -> bool:
    return _may_be_above(judge, look, REAL_TARGET) and _is_agreement_shown(judge, look)


def _is_agreement_shown(judge: PublishedJudge, look: Counts) -> bool:
    right = judge.right[look] * 1.0
    constant = judge.gold[look] == (judge.gold[look].mean() >= 0.5)
    groups = _groups(judge, look)
    states = verdict_states(grouped_share(right, groups), grouped_mean(right - constant, groups), REAL_TARGET)
    return states.above and states.beats


def real(data: Path | None, shuffles: int) -> Iterator[str]:
    if data is None:
        yield "Left out: `--data` names the folder of published judges."
        return
    judges = list(published(data))
    by_class: dict[tuple[float, float], list[tuple[float, float]]] = {limits: [] for limits in WEAKER}
    by_state: dict[str, list[PublishedJudge]] = {"shown": [], "side": [], "below-target": [], "open": []}
    old_on_all: list[PublishedJudge] = []
    for index, judge in enumerate(judges):
        (limits,) = (limits for limits in WEAKER if limits[0] <= judge.weaker_side < limits[1])
        by_class[limits].append(shown_in_shuffles(judge, index, shuffles))
        on_all = ruling_of(judge.gold, judge.judge, judge.groups, REAL_TARGET)
        by_state[on_all.because[0] if on_all.state == "refused" else on_all.state].append(judge)
        if _is_agreement_shown(judge, np.arange(len(judge.gold))):
            old_on_all.append(judge)
    yield f"{len(judges)} judges on a question each, {shuffles} shuffles, looks every 20 to 300, target .80."
    yield ""
    yield "| right on the weaker side | judges | shown at some look | worst | old rule | worst |"
    yield "|---|---:|---:|---:|---:|---:|"
    for (low, high), shares in by_class.items():
        if not shares:
            yield f"| {low:.2f} to {min(high, 1):.2f} | 0 | – | – | – | – |"
            continue
        new, old = np.array(shares).T
        yield (
            f"| {low:.2f} to {min(high, 1):.2f} | {len(shares)} | {new.mean():.3f} | {new.max():.2f} | "
            f"{old.mean():.3f} | {old.max():.2f} |"
        )
    yield ""
    yield (
        f"On all their data: gate shown for {len(by_state['shown'])}, refused by a side for {len(by_state['side'])}, "
        f"by the same decision alone for {len(by_state['below-target'])}, open for {len(by_state['open'])}. The old "
        f"rule lets {len(old_on_all)} decide, of which {sum(judge.weaker_side < 0.7 for judge in old_on_all)} are "
        f"right on less than .70 of their weaker side, and "
        f"{sum(judge.weaker_side < 0.5 for judge in old_on_all)} on less than half."
    )


# --- the page -------------------------------------------------------------------------------------------------------


def lines(draws: int, data: Path | None, shuffles: int) -> Iterator[str]:
    """The page, line by line."""
    sections: Sequence[tuple[str, Iterator[str]]] = (
        (f"A side exactly at its limit, target .80, {draws:,} draws a cell", false_gates(draws)),
        (f"Judges well below it, {draws:,} draws", worse_judges(draws)),
        (f"Other targets, {draws:,} draws", other_targets(draws)),
        (f"What a gate costs, target .80, {draws:,} draws", costs(draws)),
        ("Least examples of a side, exactly", least_examples()),
        ("Published judges", real(data, shuffles)),
    )
    for title, section in sections:
        yield f"## {title}"
        yield ""
        yield from section
        yield ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=4000)
    parser.add_argument("--shuffles", type=int, default=10, help="of each published judge's examples")
    parser.add_argument("--data", type=Path, help="folder of published judges; without it they are left out")
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    started = time.process_time()
    text = "\n".join(lines(options.draws, options.data, options.shuffles))
    text += f"\nTook {time.process_time() - started:.0f} s of one core."
    print(text)
    if options.write:
        options.write.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
