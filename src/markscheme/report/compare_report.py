"""A Choice between judges on a screen, as Markdown and as JSON."""

import math
from collections.abc import Iterator
from typing import IO, Any

from markscheme.calibration.choice import Choice, CriterionPair, Differences, Flip, Pair, Standing, Switch
from markscheme.counts import counted
from markscheme.report.figures import NONE, chance, number, share, share_with_interval, signed, with_interval
from markscheme.report.json_report import estimate_json
from markscheme.report.markdown import escaped, table
from markscheme.report.screen import Screen
from markscheme.report.words import REFERENCES, legend
from markscheme.stats import Estimate
from markscheme.stats.linking import Linked

MOST_FLIPS = 8
MOST_IDS = 8
STANDING_HEADINGS = ("judge", "agreement", "points behind the best (90%)", "false passes", "not graded", "$ per 1,000")
FIGURES = {
    "agreement": "agreement with gold",
    "accuracy": "pass or fail as gold",
    "mae": "mean miss",
    "signed_error": "signed error",
}
AS_SHARE = ("agreement", "accuracy")


def print_choice(choice: Choice, file: IO[str], *, width: int | None = None) -> None:
    """Write the comparison to `file`; colours only where it is a screen."""
    screen = Screen(file, width=width)
    screen.say("")
    screen.say(head(choice), "bold")
    for line in answer_lines(choice):
        screen.say(line)
    screen.say("")
    screen.tabulate(STANDING_HEADINGS, [standing_row(standing, choice) for standing in choice.standings])
    for pair in shown_pairs(choice):
        screen.say("")
        screen.say(_pair_head(pair), "bold")
        if pair.figures:
            screen.tabulate(figure_headings(pair), figure_rows(pair))
        screen.tabulate(criterion_headings(pair), criterion_rows(pair))
        for line in pair_lines(pair):
            screen.say(line)
    for line in _legend(choice):
        screen.say(line)


def choice_markdown(choice: Choice) -> str:
    """The comparison as Markdown; text from outside is escaped."""
    lines = [f"## {escaped(head(choice))}", ""]
    lines += [f"- {escaped(line)}" for line in answer_lines(choice)]
    lines += ["", *table(STANDING_HEADINGS, [standing_row(standing, choice) for standing in choice.standings])]
    for pair in shown_pairs(choice):
        lines += ["", f"### {escaped(_pair_head(pair))}", ""]
        if pair.figures:
            lines += [*table(figure_headings(pair), list(figure_rows(pair))), ""]
        lines += table(criterion_headings(pair), list(criterion_rows(pair)))
        lines += ["", *(f"- {escaped(line)}" for line in pair_lines(pair))]
    lines += [f"\n{escaped(line)}" for line in _legend(choice)]
    return "\n".join(lines) + "\n"


def choice_json(choice: Choice) -> dict[str, Any]:
    """The comparison as plain data; never a NaN."""
    return {
        "schema": 1,
        "rubric": {"name": choice.rubric.name, "fingerprint": choice.rubric.fingerprint},
        "examples": choice.examples,
        "reference": choice.reference,
        "tolerance": choice.tolerance,
        "judges": [_standing_json(standing) for standing in choice.standings],
        "pairs": [_differences_json(pair) for pair in choice.pairs],
        "best": choice.best,
        "recommended": choice.recommended,
        "because": choice.because,
        "notes": list(choice.notes),
    }


# --- in sentences ---------------------------------------------------------------------------------------------------


def head(choice: Choice) -> str:
    names = [standing.name for standing in choice.standings]
    return f"Comparison of {', '.join(names[:-1])} and {names[-1]}"


def _pair_head(pair: Differences) -> str:
    return f"{pair.first} → {pair.second}, on {counted(pair.n, 'example')} that both graded"


def answer_lines(choice: Choice) -> Iterator[str]:
    if choice.recommended is not None:
        yield f"Choice: {choice.recommended} – {choice.because}."
    else:
        yield f"Choice: none – {choice.because}."
    yield from basis_lines(choice)


def basis_lines(choice: Choice) -> Iterator[str]:
    """What a choice rests on."""
    if choice.reference is not None:
        labels = f"{counted(choice.examples, 'example')} with {REFERENCES[choice.reference]}"
        yield f"{labels}; tolerance {choice.tolerance:g}. Intervals are 95%."
    else:
        yield f"{counted(choice.examples, 'example')}, no labels. Intervals are 95%."
    yield from choice.notes


def shown_pairs(choice: Choice) -> list[Differences]:
    """Each judge beside the best one; beside the first where no gold tells the best. JSON holds every pair."""
    centre = choice.best or choice.standings[0].name
    return [pair for pair in choice.pairs if centre in (pair.first, pair.second)]


def standing_row(standing: Standing, choice: Choice) -> tuple[str, ...]:
    cost = NONE if standing.usd_per_1000 is None else number(standing.usd_per_1000)
    passes = str(standing.false_passes) if choice.reference is not None else NONE
    return (
        standing.name,
        share_with_interval(standing.agreement),
        _behind(standing),
        passes,
        str(standing.not_graded),
        cost,
    )


def _behind(standing: Standing) -> str:
    if standing.agreement is None:
        return NONE
    if standing.behind_best is None:
        return "the best"
    points = _points(standing.behind_best)
    if standing.not_worse:
        return f"{points}: no worse"
    if standing.is_worse:
        return f"{points}: worse"
    labels = None if standing.labels_needed is None else counted(standing.labels_needed, "more label")
    needed = "" if labels is None else f"; about {labels} would tell"
    return f"{points}: can't tell{needed}"


def figure_headings(pair: Differences) -> tuple[str, ...]:
    return ("", pair.first, pair.second, "difference")


def figure_rows(pair: Differences) -> Iterator[tuple[str, ...]]:
    for name, words in FIGURES.items():
        found = pair.figures[name]
        spell = share_with_interval if name in AS_SHARE else _signed if name == "signed_error" else with_interval
        yield (words, spell(found.first), spell(found.second), _difference(found, name in AS_SHARE))


def _difference(pair: Pair, as_share: bool) -> str:
    return _points(pair.difference) if as_share else _signed(pair.difference)


def _signed(estimate: Estimate | None) -> str:
    return with_interval(estimate, sign=True)


def _points(estimate: Estimate) -> str:
    """A difference of shares in points of a hundred: "+8 [−2, +17]"."""
    if estimate.value is None:
        return NONE
    text = signed(100 * estimate.value, 0)
    if estimate.low is None or estimate.high is None:
        return text
    return f"{text} [{signed(100 * estimate.low, 0)}, {signed(100 * estimate.high, 0)}]"


def criterion_headings(pair: Differences) -> tuple[str, ...]:
    if any(found.exact is not None for found in pair.criteria.values()):
        return ("criterion", "exact, first", "exact, second", "difference", "same level", "shift in levels", "p")
    return ("criterion", "same level", "shift in levels", "p")


def criterion_rows(pair: Differences) -> Iterator[tuple[str, ...]]:
    for name, found in pair.criteria.items():
        last = (share_with_interval(found.between), _signed(found.shift), chance(found.p))
        if found.exact is None:
            yield (name, *last)
        else:
            each = share(found.exact.first.value), share(found.exact.second.value)
            yield (name, *each, _points(found.exact.difference), *last)


def pair_lines(pair: Differences) -> Iterator[str]:
    yield shift_line(pair)
    if pair.figures:
        for name, ids in zip((pair.first, pair.second), pair.false_passes, strict=True):
            yield f"False passes of {name}: {_ids(ids)}"
    yield flips_line(pair)
    for flip in pair.flips[:MOST_FLIPS]:
        yield f"  {flip.id}: {flip_text(flip)}"
    if len(pair.flips) > MOST_FLIPS:
        yield f"  and {len(pair.flips) - MOST_FLIPS} more"
    yield from switch_lines(pair.switch)


def shift_line(pair: Differences) -> str:
    return f"Score: {_signed(pair.shift)} from first to second (p {chance(pair.shift_p)})."


def _ids(ids: tuple[str, ...]) -> str:
    if not ids:
        return "none"
    more = f", and {len(ids) - MOST_IDS} more" if len(ids) > MOST_IDS else ""
    return f"{len(ids)} ({', '.join(ids[:MOST_IDS])}{more})"


def flips_line(pair: Differences) -> str:
    if not pair.flips:
        return "No decision flips."
    up, n = sum(flip.passes for flip in pair.flips), len(pair.flips)
    flipping = "1 decision flips" if n == 1 else f"{n} decisions flip"
    return f"{flipping}: {up} to pass, {n - up} to fail (p {chance(pair.flips_p)})."


def flip_text(flip: Flip) -> str:
    turn = "fail → pass" if flip.passes else "pass → fail"
    scores = "" if any(map(math.isnan, flip.scores)) else f", {number(flip.scores[0])} → {number(flip.scores[1])}"
    if flip.gold is None:
        return f"{turn}{scores}"
    return f"{turn}{scores}; gold says {'pass' if flip.gold else 'fail'}"


def switch_lines(switch: Switch) -> Iterator[str]:
    if switch.link.undefined is None:
        yield (
            "On a switch an old score means: "
            + "; ".join(_linked(point) for point in switch.link.points)
            + ". In brackets where 95% of single new scores lie."
        )
    else:
        yield f"What an old score means after a switch can't be told: {switch.link.undefined}."
    yield (
        f"Of old passes {share_with_interval(switch.passed)} pass after a switch, "
        f"of old fails {share_with_interval(switch.failed)}."
    )


def _linked(point: Linked) -> str:
    return f"{number(point.old)} is now {number(point.mean.value)} [{number(point.low)}, {number(point.high)}]"


def _legend(choice: Choice) -> list[str]:
    rows = [standing_row(standing, choice) for standing in choice.standings]
    for pair in shown_pairs(choice):
        rows += [*figure_rows(pair)] if pair.figures else []
        rows += [*criterion_rows(pair), tuple(pair_lines(pair))]
    return legend(cell for row in rows for cell in row)


# --- as plain data --------------------------------------------------------------------------------------------------


def _standing_json(standing: Standing) -> dict[str, Any]:
    return {
        "name": standing.name,
        "agreement": estimate_json(standing.agreement),
        "behind_best": estimate_json(standing.behind_best),
        "not_worse": standing.not_worse,
        "labels_needed": standing.labels_needed,
        "false_passes": standing.false_passes,
        "not_graded": standing.not_graded,
        "usd_per_1000": standing.usd_per_1000,
    }


def _differences_json(pair: Differences) -> dict[str, Any]:
    return {
        "first": pair.first,
        "second": pair.second,
        "n": pair.n,
        **{name: _pair_json(found) for name, found in pair.figures.items()},
        "criteria": {name: _criterion_json(found) for name, found in pair.criteria.items()},
        "shift": {**pair.shift.to_json(), "p": pair.shift_p},
        "false_passes": {"first": list(pair.false_passes[0]), "second": list(pair.false_passes[1])},
        "flips": [_flip_json(flip) for flip in pair.flips],
        "flips_p": pair.flips_p,
        "switch": _switch_json(pair.switch),
    }


def _pair_json(pair: Pair) -> dict[str, Any]:
    return {
        "first": pair.first.to_json(),
        "second": pair.second.to_json(),
        "difference": pair.difference.to_json(),
    }


def _criterion_json(found: CriterionPair) -> dict[str, Any]:
    return {
        "exact_agreement": None if found.exact is None else _pair_json(found.exact),
        "between": found.between.to_json(),
        "shift": {**found.shift.to_json(), "p": found.p},
    }


def _flip_json(flip: Flip) -> dict[str, Any]:
    first, second = (None if math.isnan(score) else score for score in flip.scores)
    return {"id": flip.id, "pass": flip.passes, "scores": [first, second], "gold": flip.gold}


def _switch_json(switch: Switch) -> dict[str, Any]:
    link = switch.link
    known = link.undefined is None
    return {
        "intercept": link.intercept if known else None,
        "slope": link.slope if known else None,
        "spread": link.spread if known else None,
        "points": [
            {"old": point.old, "new": point.mean.to_json(), "single": {"low": point.low, "high": point.high}}
            for point in link.points
        ],
        "n": link.n,
        "undefined": link.undefined,
        "old_passes_that_pass": switch.passed.to_json(),
        "old_fails_that_pass": switch.failed.to_json(),
    }
