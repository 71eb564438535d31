"""Are rates over time right at all looks of two years, and is what moved named rightly?

    python -m benchmarks.rates [--streams 1000] [--write benchmarks/results/rates.md]
    python -m benchmarks.rates --hanna ../shared/data/hanna/items.jsonl.gz [--streams 200] [--write …]

The first table looks at each of 104 weeks at the rate of everything so far: a stream counts as wrong if its interval
ever misses the true rate. Next to it stand weekly z intervals on the same streams. The second table lives through
still streams and streams that move in a random week from 10 to 52, with labels that come a week later, and names what
moved at the first ring and eight looks later; a rolling z test of four weeks of audits looks at the same streams.

With `--hanna`: 600 of 1,056 stories drawn each week, and 30 labelled by the median of three people. One of five real
judges passes them from .5 on the score of six criteria, and gets another prompt in a random week.
"""

import os

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import argparse
import gzip
import json
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from markscheme.calibration.earlier_runs.accepted_basis import LOOKS_ALARM
from markscheme.features.pass_rate.tracked.audits import ALL_LOOKS
from markscheme.features.pass_rate.tracked.evidence import HORIZON, evidence, growth, onset
from markscheme.features.pass_rate.tracked.naming import (
    may_be_judge,
    most_by_judge,
    name_cause,
    part_by_mix,
    shift_at_old_mix,
)
from markscheme.features.pass_rate.tracked.plan import JudgeRates
from markscheme.features.pass_rate.tracked.watched import (
    CAP,
    PEOPLE_RING,
    REFERENCE_LABELS,
    REFERENCE_WEEKS,
    SHARE_RING,
    decision_growth,
    people_floor,
    people_growth,
    share_limits,
)
from markscheme.stats.verdict_rates import rates_by_verdict

Flags = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Z, ROLLING_Z = 1.959964, 3.0
A_WEEK = 600
"""Responses of a week."""
ANCHORS = np.array([20, 80])
"""Accepted fails and accepted passes."""
STILL_FLIPS = 0.05
"""Share of accepted decisions that an unmoved judge flips at most, as steady accepted runs give it."""
OWN_FLIPS = 0.01
"""Share of accepted decisions that it flips."""
LATER = 8
"""Looks after the first ring at which it is asked again what moved."""


# --- the interval ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Traffic:
    """A judge, its traffic, and audits a week."""

    rates: JudgeRates
    audits: int


ROWS = (
    Traffic(JudgeRates(0.8, 0.95, 0.3), 20),
    Traffic(JudgeRates(0.8, 0.95, 0.3), 50),
    Traffic(JudgeRates(0.9, 0.97, 0.5), 20),
    Traffic(JudgeRates(0.6, 0.9, 0.2), 20),
    Traffic(JudgeRates(0.7, 0.85, 0.4), 30),
    Traffic(JudgeRates(0.95, 0.99, 0.3), 10),
)


def ever_wrong(traffic: Traffic, streams: int, generator: np.random.Generator) -> tuple[float, float, list[float]]:
    """Return the share of streams ever wrong, the same of weekly z, and half-widths after 1, 4, 12 and 26 weeks."""
    rates = traffic.rates
    passes = generator.binomial(traffic.audits, rates.share, (streams, HORIZON))
    labels = np.stack([traffic.audits - passes, passes], axis=-1).cumsum(axis=1)
    hits = generator.binomial(np.diff(labels, axis=1, prepend=0), [rates.of_fails, rates.of_passes]).cumsum(axis=1)
    pool_passes = generator.binomial(A_WEEK, rates.share, (streams, HORIZON)).cumsum(axis=1)
    weeks = np.arange(1, HORIZON + 1)
    pool = np.stack([A_WEEK * weeks - pool_passes, pool_passes], axis=-1)
    low, high = limits(hits, labels, pool)
    is_wrong = (rates.good < low) | (rates.good > high)
    share = np.where(labels > 0, hits / np.maximum(labels, 1), 0.5)
    weight = pool / pool.sum(axis=-1, keepdims=True)
    value = (weight * share).sum(axis=-1)
    variance = (weight**2 * share * (1 - share) / np.maximum(labels, 1)).sum(axis=-1)
    by_z = np.abs(value - rates.good) > Z * np.sqrt(variance)
    widths = [float(((high - low) / 2)[:, after - 1].mean()) for after in (1, 4, 12, 26)]
    return float(is_wrong.any(axis=1).mean()), float(by_z.any(axis=1).mean()), widths


def limits(hits: Floats, labels: Floats, pool: Floats) -> tuple[Floats, Floats]:
    """Return both limits at every look, a slice of streams at a time."""
    sides = [
        rates_by_verdict(*(part[k : k + 50] for part in (hits, labels, pool)), level=ALL_LOOKS)[1:]
        for k in range(0, len(hits), 50)
    ]
    return np.concatenate([low for low, _ in sides]), np.concatenate([high for _, high in sides])


# --- what moved -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class World:
    """What moves, and how far.

    Attributes:
        drop: How many fewer responses people pass.
        flips: The share of what it passed that the judge fails.
        french: How much larger the share of a language is in which fewer responses are good.
        column: Whether the column of the language is known.
    """

    drop: float = 0.0
    flips: float = 0.0
    french: float = 0.0
    column: bool = True


WORLDS = {
    "still": (World(), None),
    "judge fails a fifth of what it passed": (World(flips=0.2), "judge"),
    "judge fails a twelfth": (World(flips=0.083), "judge"),
    "responses: .82 falls by .15": (World(drop=0.15), "responses"),
    "traffic: another mix, share falls by .10": (World(french=0.45), "traffic"),
}
GOOD = np.array([0.88, 0.62])
"""Good responses of each language."""
FRENCH = 0.2
OF_GOOD, OF_BAD = 0.95, 0.25
"""The judge's passes of good and of bad responses."""


@dataclass(frozen=True)
class Streams:
    """Weekly counts of many streams.

    Attributes:
        begins: The week in which each moves.
        passes: Passes by language, shape (streams, weeks, 2).
        responses: Responses by language.
        labels: Labels of what the judge fails and of what it passes.
        hits: Those of them that pass.
        flips: Flipped decisions among accepted fails and passes.
        anchors: Accepted fails and accepted passes.
        own_flips: Share of them that an unmoved judge flips.
    """

    begins: npt.NDArray[np.int64]
    passes: npt.NDArray[np.int64]
    responses: npt.NDArray[np.int64]
    labels: npt.NDArray[np.int64]
    hits: npt.NDArray[np.int64]
    flips: npt.NDArray[np.int64]
    anchors: npt.NDArray[np.int64] = field(default_factory=lambda: ANCHORS)
    own_flips: float = OWN_FLIPS


def lived(world: World, audits: int, streams: int, generator: np.random.Generator) -> Streams:
    """Simulate streams of a world."""
    begins = generator.integers(10, 53, streams)
    moved = (np.arange(1, HORIZON + 1) >= begins[:, None])[..., None]
    french = np.where(moved[..., 0], FRENCH + world.french, FRENCH)
    n_french = generator.binomial(A_WEEK, french)
    responses = np.stack([A_WEEK - n_french, n_french], axis=-1)
    mix = np.stack([1 - french, french], axis=-1)
    good = GOOD - np.where(moved, world.drop, 0.0)
    lost = np.where(moved, world.flips, 0.0)
    of_good, of_bad = OF_GOOD * (1 - lost), OF_BAD * (1 - lost)
    passes = generator.binomial(responses, good * of_good + (1 - good) * of_bad)
    passed_good = (mix * good * of_good).sum(axis=-1)
    share = passed_good + (mix * (1 - good) * of_bad).sum(axis=-1)
    all_good = (mix * good).sum(axis=-1)
    n_passes = generator.binomial(audits, share)
    labels = np.stack([audits - n_passes, n_passes], axis=-1)
    hits = generator.binomial(labels, np.stack([(all_good - passed_good) / (1 - share), passed_good / share], axis=-1))
    chance = np.stack([np.full(moved.shape[:2], OWN_FLIPS), np.where(moved[..., 0], world.flips, OWN_FLIPS)], axis=-1)
    return Streams(begins, passes, responses, labels, hits, generator.binomial(ANCHORS, np.maximum(chance, OWN_FLIPS)))


def looked(streams: Streams) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Return evidence on people, judge and share after each week, and the growths of people and of share."""
    so_far = streams.labels.sum(axis=-1).cumsum(axis=1)
    before = so_far - streams.labels.sum(axis=-1)
    is_reference = (np.arange(HORIZON) < REFERENCE_WEEKS) | (before < REFERENCE_LABELS)
    shares = streams.passes.sum(axis=-1) / A_WEEK
    hits, labels = ((counts * is_reference[..., None]).sum(axis=1) for counts in (streams.hits, streams.labels))
    passes = (shares * is_reference).sum(axis=1) / is_reference.sum(axis=1)
    floor = people_floor(hits, labels, np.stack([1 - passes, passes], axis=-1) * A_WEEK * 4)
    people = people_growth(
        streams.hits, streams.labels, shares, reference=np.stack([hits, labels])[:, :, None], floor=floor[:, None]
    )
    people[is_reference] = 0.0
    sides = [decision_growth(streams.flips[..., k], streams.anchors[k], still=STILL_FLIPS) for k in (0, 1)]
    judge = evidence(sides).mean(axis=0)
    first = shares[:, :REFERENCE_WEEKS]
    ends = np.array([share_limits(row, row * (1 - row) / A_WEEK) for row in first])
    counts = np.stack([streams.passes.sum(axis=-1), A_WEEK - streams.passes.sum(axis=-1)], axis=-1)
    weight = CAP / A_WEEK
    down = growth([1.0, 0.0], counts, floor=ends[:, :1], top=1.0, weight=weight)
    up = growth([0.0, 1.0], counts, floor=1 - ends[:, 1:], top=1.0, weight=weight)
    for side in (down, up):
        side[:, :REFERENCE_WEEKS] = 0.0
    share = evidence([down, up]).mean(axis=0)
    return evidence(people), judge, share, people, np.stack([down, up])


def named(streams: Streams, world: World) -> tuple[Counter[str], Counter[str], float, list[float]]:
    """Return what is named at the first ring and later, the share of false rings, and weeks until the first ring."""
    people, judge, share, people_growths, share_growths = looked(streams)
    late = np.concatenate([np.ones((len(people), 1)), people[:, :-1]], axis=1)
    rings = np.stack([late >= PEOPLE_RING, judge >= LOOKS_ALARM, share >= SHARE_RING]).cumsum(axis=2) > 0
    any_ring = np.any(rings, axis=0)
    at_first: Counter[str] = Counter()
    later: Counter[str] = Counter()
    weeks: list[float] = []
    false = 0
    for k in range(len(people)):
        found = np.flatnonzero(any_ring[k])
        if not len(found):
            at_first["nothing"] += 1
            later["nothing"] += 1
            continue
        week = int(found[0])
        is_still = world == World() or week + 1 < streams.begins[k]
        false += is_still
        if is_still:
            at_first["false ring"] += 1
            later["false ring"] += 1
            continue
        weeks.append(week + 2 - streams.begins[k])
        for counter, look in ((at_first, week), (later, min(week + LATER, HORIZON - 1))):
            counter[cause(streams, k, look, rings[:, k, look], people_growths[k], share_growths[:, k], world)] += 1
    return at_first, later, false / len(people), weeks


def cause(streams: Streams, k: int, look: int, rings: Flags, people: Floats, share: Floats, world: World) -> str:
    """Name what moved in a stream at a look."""
    larger = share[int(evidence(share[:, : look + 1])[:, -1].argmax()), : look + 1]
    begins = onset(larger if rings[2] or not rings[0] else people[:look]) - 1
    then = np.stack([counts[k, :REFERENCE_WEEKS].sum(axis=0) for counts in (streams.passes, streams.responses)], -1)
    since = np.stack([counts[k, begins : look + 1].sum(axis=0) for counts in (streams.passes, streams.responses)], -1)
    shift, at_old_mix = shift_at_old_mix(then, since)
    before = then[:, 0].sum() / then[:, 1].sum()
    flipped = streams.flips[k, begins : look + 1].mean(axis=0)
    at_most = most_by_judge(shift, before, flipped, streams.anchors, (streams.own_flips,) * 2)[1]
    return name_cause(
        judge_rang=bool(rings[1]),
        people_rang=bool(rings[0]),
        shift=shift,
        judge_may_explain=may_be_judge(shift, at_most),
        by_mix=part_by_mix(shift, at_old_mix) if world.column else None,
    )


def rolling_z(streams: Streams) -> float:
    """Return the share of streams in which four weeks of audits ever differ from the first four by z 3."""
    hits = streams.hits.sum(axis=-1).cumsum(axis=1)
    n = streams.labels.sum(axis=-1).cumsum(axis=1)
    first, n_first = hits[:, 3:4], n[:, 3:4]
    last, n_last = hits[:, 7:] - hits[:, 3:-4], n[:, 7:] - n[:, 3:-4]
    pooled = (first + last) / (n_first + n_last)
    error = np.sqrt(np.maximum(pooled * (1 - pooled), 1e-9) * (1 / n_first + 1 / n_last))
    return float((np.abs(first / n_first - last / n_last) > ROLLING_Z * error).any(axis=1).mean())


# --- real prompt changes ----------------------------------------------------------------------------------------------

PASS_MARK = 0.5
AUDITS = 30
PROMPTS = ("prompt1", "prompt2", "prompt3", "prompt4")
MODELS = ("ChatGPT", "Beluga-13B", "OrcaPlatypus", "Mistral-7B", "Llama-13B")


def _passes(levels: Mapping[str, float]) -> bool:
    return float(np.mean([(level - 1) / 4 for level in levels.values()])) >= PASS_MARK - 1e-9


def replayed(good: Flags, before: Flags, after: Flags, streams: int, generator: np.random.Generator) -> Streams:
    """Draw stories for each week of streams in which a judge gets another prompt.

    Args:
        good: Whether people pass each story.
        before: Whether the judge passes it with the first prompt.
        after: Whether it passes it with the second one.
        streams: How many streams.
        generator: Of random numbers.
    """
    begins = generator.integers(10, 53, streams)
    moved = np.arange(1, HORIZON + 1) >= begins[:, None]
    cells = list(product((0, 1), (False, True), (False, True), (False, True)))
    half = np.arange(len(good)) % 2
    shares = [float(((half == h) & (good == g) & (before == b) & (after == a)).mean()) for h, g, b, a in cells]
    drawn = generator.multinomial(A_WEEK, shares, (streams, HORIZON))
    audits = generator.multinomial(AUDITS, shares, (streams, HORIZON))
    of_half, is_good, first, second = (np.array(column) for column in zip(*cells, strict=True))
    passed = np.where(moved[..., None], second, first)
    responses = np.stack([(drawn * (of_half == h)).sum(axis=-1) for h in (0, 1)], axis=-1)
    passes = np.stack([(drawn * passed * (of_half == h)).sum(axis=-1) for h in (0, 1)], axis=-1)
    labels = np.stack([(audits * (passed == side)).sum(axis=-1) for side in (0, 1)], axis=-1)
    hits = np.stack([(audits * (passed == side) * is_good).sum(axis=-1) for side in (0, 1)], axis=-1)
    sides = [before == side for side in (False, True)]
    anchors = np.array([min(most, int(side.sum())) for most, side in zip(ANCHORS, sides, strict=True)])
    changed = [int((side & (before != after)).sum()) for side in sides]
    flipped = [
        generator.hypergeometric(n, int(side.sum()) - n, size, streams)
        for n, side, size in zip(changed, sides, anchors, strict=True)
    ]
    flips = moved[..., None] * np.stack(flipped, axis=-1)[:, None, :]
    return Streams(begins, passes, responses, labels, hits, flips, anchors, own_flips=0.0)


def hanna_report(path: Path, streams: int) -> str:
    """The table of real prompt changes."""
    begun = time.process_time()
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    medians = [
        {c: float(np.median([said[c] for said in row["labels"].values()])) for c in row["judge"]["ChatGPT/prompt1"]}
        for row in rows
    ]
    good = np.array([_passes(median) for median in medians])
    lines_of = [
        "# real prompt changes",
        "",
        f"{streams:,} streams a row, 104 weekly looks, 1,056 stories of HANNA.",
        "",
    ]
    lines_of += [
        "| judge | prompts | passes | changes | false rings | found (median weeks) | named at first | 8 looks later |"
    ]
    lines_of += ["|---|---|---|---|---|---|---|---|"]
    lines_of += list(_hanna_rows(rows, good, streams))
    return "\n".join([*lines_of, "", f"{time.process_time() - begun:.0f} CPU seconds."]) + "\n"


def _hanna_rows(rows: list[dict[str, Any]], good: Flags, streams: int) -> Iterator[str]:
    for number, (model, prompt) in enumerate(product(MODELS, PROMPTS)):
        before, after = (
            np.array([_passes(row["judge"][f"{model}/{p}"]) for row in rows]) for p in (PROMPTS[0], prompt)
        )
        drawn = replayed(good, before, after, streams, np.random.default_rng([7, number]))
        world = World() if prompt == PROMPTS[0] else World(flips=1.0, column=False)
        at_first, later, false, weeks = named(drawn, world)
        found = f"{len(weeks) / streams:.3f} ({np.median(weeks):.0f})" if weeks else "–"
        said = [", ".join(f"{what} {n / streams:.3f}" for what, n in c.most_common()) for c in (at_first, later)]
        passes = f"{before.mean():.2f}, {after.mean():.2f}"
        which = f"1 → {prompt[-1]}" if prompt != PROMPTS[0] else "1, still"
        yield (
            f"| {model} | {which} | {passes} | {(before != after).mean():.3f} | {false:.3f} | {found} | {said[0]} | "
            f"{said[1]} |"
        )


def report(streams: int) -> str:
    """The tables."""
    begun = time.process_time()
    lines = ["# rates over time", "", f"{streams:,} streams a row, 104 weekly looks.", ""]
    lines += [
        "## The interval",
        "",
        "| share, of passes, of fails; audits | ever wrong | weekly z | half-width after 1, 4, 12, 26 weeks |",
    ]
    lines += ["|---|---|---|---|"]
    for number, traffic in enumerate(ROWS):
        wrong, by_z, widths = ever_wrong(traffic, streams, np.random.default_rng(number))
        rates = traffic.rates
        row = f"{rates.share:.2f} {rates.of_passes:.2f} {rates.of_fails:.2f}; {traffic.audits}"
        lines.append(f"| {row} | {wrong:.3f} | {by_z:.3f} | {' '.join(f'{width:.3f}' for width in widths)} |")
    lines += ["", "## What moved", ""]
    lines += [
        "| world; audits | false rings | found (median weeks) | named at the first ring | 8 looks later | rolling z 3 |"
    ]
    lines += ["|---|---|---|---|---|---|"]
    for number, (name, (world, _)) in enumerate(WORLDS.items()):
        for audits in (30, 50):
            drawn = lived(world, audits, streams, np.random.default_rng(100 + number))
            at_first, later, false, weeks = named(drawn, world)
            found = f"{len(weeks) / streams:.3f} ({np.median(weeks):.0f})" if weeks else "–"
            said = [
                ", ".join(f"{what} {n / streams:.3f}" for what, n in counter.most_common())
                for counter in (at_first, later)
            ]
            lines.append(
                f"| {name}; {audits} | {false:.3f} | {found} | {said[0]} | {said[1]} | {rolling_z(drawn):.3f} |"
            )
    lines += ["", f"{time.process_time() - begun:.0f} CPU seconds."]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Print the tables, or write them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--streams", type=int)
    parser.add_argument("--hanna", type=Path, help="hanna's items, in place of the other tables")
    parser.add_argument("--write", type=Path)
    arguments = parser.parse_args()
    text = (
        hanna_report(arguments.hanna, arguments.streams or 200)
        if arguments.hanna
        else report(arguments.streams or 1000)
    )
    print(text)
    if arguments.write:
        arguments.write.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
