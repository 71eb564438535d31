"""Discover: how far shares and the bound on unseen modes can be trusted, and what words say about people's groups.

    python -m benchmarks.discover [--runs 1000] [--write benchmarks/results/discover.md]

Planted: 120 outputs, 12 independent modes in 2% to 30% of outputs. The reader notes a mode that has no name yet with
chance .25, and always once it has one. Naive is all notes over all outputs with the usual interval; counted here starts
after the output that named the mode; again is after the earlier ones were read again. The bound on modes not yet noted
is looked at after 20, 40 … 200 outputs in eleven worlds of modes; it is exceeded when the chance that this reader would
note a new mode in the next output is above it. Notes of experts (TofuEval): which three modes are listed for an
unsorted note, by words, and by how common modes are. Groups that a model proposes, and rubrics that it writes, need a
recorded model.
"""

import gzip
import json
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.page import write_page
from markscheme.features.discover.nearest import NEAREST_MODES, nearest_modes
from markscheme.features.discover.unseen import FEWEST_READ, listed_lower, new_mode_bound, read_enough_for_all
from tests.stats.exact_limits import clopper_pearson

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

DATA = Path(__file__).parents[2] / "shared" / "data" / "tofueval"
OUTPUTS = 120
SHARES = np.array([0.02, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.10, 0.13, 0.17, 0.22, 0.30])
NOTED_UNNAMED = 0.25
LOOKS = range(20, 201, 20)
COVERAGE_BAR = 0.93
EXCEEDED_BAR = 0.10
LISTED_BAR = 0.90
LARGE = 0.05
DRAWS = 12
NOT_MEASURED = "Not measured: no model's replies are recorded."
WORLDS: dict[str, Floats] = {
    "12 modes of 2% to 30%": SHARES,
    "3 of 20%": np.full(3, 0.20),
    "10 of 10%": np.full(10, 0.10),
    "20 of 5%": np.full(20, 0.05),
    "50 of 2%": np.full(50, 0.02),
    "200 of .5%": np.full(200, 0.005),
    "2 of 30% and 40 of 1%": np.array([0.3] * 2 + [0.01] * 40),
    "geometric, halved": 0.4 * 0.5 ** np.arange(14, dtype=np.float64),
    "Zipf, 60 modes": 0.3 / np.arange(1, 61),
    "Zipf, 300 modes": 0.2 / np.arange(1, 301),
    "none": np.zeros(1),
}


@cache
def limits(hits: int, n: int) -> tuple[float, float, float]:
    """Of a share: the usual lower limit, the one of a listed mode, and the upper limit."""
    low, high = clopper_pearson(hits, n)
    return low, listed_lower(hits, n), high


def planted(runs: int) -> list[str]:
    """Shares, their intervals, and whether every large mode is listed, table lines."""
    draw = np.random.default_rng(25)
    shown = draw.random((runs, OUTPUTS, len(SHARES))) < SHARES
    noticed = shown & (draw.random(shown.shape) < NOTED_UNNAMED)
    rows = []
    for reader, first in (("overlooks three of four", first_place(noticed)), ("overlooks nothing", first_place(shown))):
        places = np.arange(OUTPUTS)[None, :, None]
        after = (shown & (places > first[:, None, :])).sum(axis=1)
        is_listed = first < OUTPUTS
        naive_hits = after + is_listed
        read_after = np.maximum(OUTPUTS - first - 1, 0)
        whole = shown.sum(axis=1)
        everything = np.full(first.shape, OUTPUTS)
        for how, hits, n, listed in (
            ("naive, usual interval", naive_hits, everything, False),
            ("counted here", after, read_after, True),
            ("after reading again", whole, everything, True),
        ):
            rows.append(f"| {reader} | {how} | {_covered(hits, n, is_listed, listed=listed)} |")
    return [
        "| reader | shares | mean of a mode in 10% | covered | to reach |",
        "|---|---|---:|---:|---:|",
        *rows,
    ]


def first_place(seen: Flags) -> npt.NDArray[np.int64]:
    """The output that names each mode, shape (runs, modes); past the end where none does."""
    return np.where(seen.any(axis=1), seen.argmax(axis=1), OUTPUTS)


def _covered(hits: Floats, n: Floats, is_listed: Flags, *, listed: bool) -> str:
    """The mean share of the mode in 10%, and how often the interval holds the share, over listed modes with one."""
    inside = []
    for mode, share in enumerate(SHARES):
        for x, of in zip(hits[is_listed[:, mode], mode], n[is_listed[:, mode], mode], strict=True):
            if of < FEWEST_READ:
                continue
            usual_low, listed_low, high = limits(int(x), int(of))
            inside.append((listed_low if listed else usual_low) <= share <= high)
    tenth = int(np.flatnonzero(SHARES == 0.10)[0])
    counts = is_listed[:, tenth] & (n[:, tenth] >= FEWEST_READ)
    mean = (hits[counts, tenth] / n[counts, tenth]).mean()
    bar = f"at least {COVERAGE_BAR:.2f}" if listed else "–"
    return f"{mean:.3f} | {np.mean(inside):.3f} | {bar}"


def listed_large(runs: int) -> list[str]:
    """Whether every mode of 5% and more is listed once as much is read as `read k more` for all says."""
    draw = np.random.default_rng(26)
    read = min(OUTPUTS, read_enough_for_all(LARGE))
    large = SHARES[SHARES >= LARGE]
    all_listed = np.any(draw.random((runs, read, len(large))) < large, axis=1).all(axis=1)
    return [
        f"Of a reader who overlooks nothing, {read} outputs read: every mode of 5% and more is listed in "
        f"{all_listed.mean():.3f} of runs (to reach: at least {LISTED_BAR:.2f})."
    ]


def exceeded(runs: int) -> list[str]:
    """How often the bound on modes not yet noted is ever too low, table lines."""
    lines = ["| world | reader | ever exceeded | to reach | median outputs until 15% |", "|---|---|---:|---:|---:|"]
    for name, shares in WORLDS.items():
        for reader, noted in (("overlooks nothing", 1.0), ("overlooks three of four", NOTED_UNNAMED)):
            too_low, needed = _followed(shares * noted, runs)
            median = np.quantile(needed, 0.5, method="higher")
            reached = f"{int(median)}" if median <= LOOKS[-1] else f"over {LOOKS[-1]}"
            lines.append(f"| {name} | {reader} | {too_low:.3f} | at most {EXCEEDED_BAR:.2f} | {reached} |")
    return lines


def _followed(chances: Floats, runs: int) -> tuple[float, Floats]:
    """How often the bound is exceeded at any look, and the first look at which it is 15% or less."""
    draw = np.random.default_rng(27)
    too_low = 0
    needed = np.full(runs, LOOKS[-1] + 1.0)
    for run in range(runs):
        noted = draw.random((LOOKS[-1], len(chances))) < chances
        first = np.where(noted.any(axis=0), noted.argmax(axis=0), LOOKS[-1])
        is_new = np.isin(np.arange(LOOKS[-1]), first[first < LOOKS[-1]])
        is_exceeded = False
        for look in LOOKS:
            bound = new_mode_bound(is_new[:look])
            would_note = 1 - np.prod(1 - chances[first >= look])
            is_exceeded |= bool(would_note > bound)
            if bound <= 0.15:
                needed[run] = min(needed[run], look)
        too_low += is_exceeded
    return too_low / runs, needed


def nearest(draws: int) -> list[str]:
    """How often the three modes listed for a note hold its expert's code, table lines."""
    if not DATA.is_dir():
        return [f"Not measured: {DATA.name} isn't there."]
    with gzip.open(DATA / "notes.jsonl.gz", "rt", encoding="utf-8") as file:
        notes = [json.loads(line) for line in file]
    lines = ["| sorted notes | nearest three hold the code | three most frequent do |", "|---:|---:|---:|"]
    for size in (20, 60, 160):
        by_words = []
        by_count = []
        for number in range(draws):
            order = np.random.default_rng(number).permutation(len(notes))
            hits = _listed_hits([notes[place] for place in order[: size + 100]], size)
            by_words.append(hits[0])
            by_count.append(hits[1])
        lines.append(f"| {size} | {_range(by_words)} | {_range(by_count)} |")
    return lines


def _listed_hits(notes: list[dict[str, list[str]]], size: int) -> tuple[float, float]:
    texts = {str(place): f"{note['note']} {note['quote']}" for place, note in enumerate(notes)}
    modes: dict[str, list[str]] = {}
    for place, note in enumerate(notes[:size]):
        for code in note["codes"]:
            modes.setdefault(code, []).append(str(place))
    frequent = sorted(modes, key=lambda code: -len(modes[code]))[:NEAREST_MODES]
    listed = nearest_modes(texts, modes)
    unsorted = range(size, len(notes))
    by_words = [not set(listed[str(place)]).isdisjoint(notes[place]["codes"]) for place in unsorted]
    by_count = [not set(frequent).isdisjoint(notes[place]["codes"]) for place in unsorted]
    return float(np.mean(by_words)), float(np.mean(by_count))


def _range(shares: list[float]) -> str:
    return f"{np.mean(shares):.2f} ({min(shares):.2f} to {max(shares):.2f})"


def lines(runs: int) -> list[str]:
    """The page, line by line."""
    return [
        f"## Shares of planted modes, {runs} runs",
        "",
        *planted(runs),
        "",
        *listed_large(runs),
        "",
        f"## The bound on modes not yet noted, {runs // 5} runs a row",
        "",
        *exceeded(runs // 5),
        "",
        f"## The modes listed for an unsorted note (TofuEval, seven codes), {DRAWS} draws of 100 notes",
        "",
        *nearest(DRAWS),
        "",
        "## Groups that a model proposes against experts' codes",
        "",
        NOT_MEASURED,
        "",
        "## A rubric from notes against a rubric from the task alone, same model and judge",
        "",
        NOT_MEASURED,
    ]


if __name__ == "__main__":
    write_page(__doc__, lines, runs=1000)
