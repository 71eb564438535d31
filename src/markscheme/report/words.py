"""What a calibration says in sentences, the same in the terminal and in Markdown."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from markscheme.calibration.calibration import Calibration
from markscheme.calibration.comparison import CriterionComparison
from markscheme.counts import counted
from markscheme.ratings.rating import Rating
from markscheme.report.figures import ROUGH, number, share, share_with_interval, signed, with_interval
from markscheme.report.openings import openings_line

USES = {
    "gate": "may gate: it may let responses pass or fail by itself",
    "trend": "may show trends: compare runs with it, don't let it decide single responses",
    "explore": "explore only: nothing may rest on it yet",
    "none": "no use: adjust rubric or judge first",
}
REFERENCES = {
    "adjudicated": "adjudicated labels",
    "people": "labels of two or more people",
    "one-person": "labels of one person an example",
    "constructed": "constructed labels (true by how the examples were made; no person gave them)",
    "model": "a model's labels (no person gave them)",
}
NOTHING_FOUND = "No fault of judge, criteria or labels stands out."
MOST_IDS = 8
MOST_DIFFERENCES = 5
MOST_REASONS = 3


def judge_line(calibration: Calibration) -> str:
    """Who answered, and where from, in a line that fits."""
    match calibration.rater.source:
        case "live":
            kept = counted(calibration.counts.from_cache, "reply", "replies")
            asked = f"asked now ({counted(calibration.cost.calls, 'call')}, {kept} from the cache)"
        case "recorded":
            asked = "recorded, nobody asked"
        case _:
            asked = "ratings read, nobody asked"
    return f"Judge: {calibration.rater.name} – {asked}"


def source_lines(calibration: Calibration) -> list[str]:
    """Where recorded replies or ratings come from; nothing for a judge that was asked."""
    rater = calibration.rater
    if not rater.provenance:
        return []
    return [f"{'Replies' if rater.source == 'recorded' else 'Ratings'}: {rater.provenance}"]


def labels_line(calibration: Calibration) -> str:
    """Whose labels it was held to."""
    gold = calibration.comparison.gold
    kinds = ", ".join(f"{n} {kind} {'rater' if n == 1 else 'raters'}" for kind, n in gold.kinds.items())
    line = f"Labels: {counted(len(gold.ids), 'example')}, {REFERENCES[gold.reference]}; {kinds}"
    if gold.reference in ("constructed", "model"):
        line += ". Agreement with them is no evidence about people"
    if gold.not_blind:
        line += f"; {gold.not_blind} given with the judge's verdict in sight"
    if gold.set_aside:
        line += f"; {counted(gold.set_aside, 'example')} without people's labels set aside"
    return line


def use_line(calibration: Calibration) -> str:
    """What the judge may be used for, and why."""
    decision = calibration.decision
    if calibration.counts.nothing_graded:
        return "NOTHING WAS GRADED – these figures say nothing of the judge. Verdict: none, see why below."
    line = f"{decision.use.upper()} – {USES[decision.use]}. Verdict: {decision.verdict}, {decision.because}."
    if decision.labels_needed is not None:
        labels = counted(decision.labels_needed, "more label")
        line += f" About {labels} would settle it if the agreement stays as it is."
    return line


def parted_line(ids: Sequence[str], name: str) -> str:
    """False passes or false fails, by id."""
    if not ids:
        return f"{name}: none"
    more = f", and {len(ids) - MOST_IDS} more" if len(ids) > MOST_IDS else ""
    return f"{name}: {len(ids)} ({', '.join(ids[:MOST_IDS])}{more})"


def agreement_line(calibration: Calibration) -> str:
    """Agreement beside a constant and beside people."""
    c = calibration.comparison
    beside = [f"a constant {share_with_interval(c.agreement_constant)}"]
    if c.agreement_person is not None:
        beside.append(f"a person left out {share_with_interval(c.agreement_person)}")
    return (
        f"Agreement (score within {c.tolerance:g} of gold): {share_with_interval(c.agreement)}; beside it "
        f"{', '.join(beside)}; target {share(calibration.decision.target)}. Intervals are 95%."
    )


def overall_line(calibration: Calibration) -> str:
    """The whole score in figures."""
    o = calibration.comparison.overall
    return (
        f"Score: mean miss {with_interval(o['mae'])}, signed {with_interval(o['signed_error'], sign=True)}; pass or "
        f"fail as gold {share_with_interval(o['accuracy'])}, kappa {with_interval(o['pass_kappa'])}; "
        f"{share(o['prevalence_gold'].value)} pass by gold, {share(o['prevalence_judge'].value)} by the judge"
    )


def cut_short(text: str, length: int = 160) -> str:
    """A text from outside on one line, cut where it is long."""
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1] + "…"


def care_lines(calibration: Calibration) -> list[str]:
    """What was counted apart, and by which policy."""
    counts = calibration.counts
    lines = []
    if counts.not_graded:
        lines.append(
            f"{counts.not_graded} of {counted(counts.examples, 'example')} not graded: counted in no score, never as 0"
        )
        reasons = Counter(calibration.reasons_not_graded.values()).most_common(MOST_REASONS)
        lines += [f"  {'once' if n == 1 else f'{n} times'}: {cut_short(why)}" for why, n in reasons]
    if counts.unread:
        lines.append(f"{counted(counts.unread, 'verdict')} could not be read, even asked again: taken for no level")
    if counts.abstained:
        lines.append(f"{counted(counts.abstained, 'abstention')}: taken for no level")
    if counts.quotes_not_found:
        lines.append(f"{counts.quotes_not_found} of {counted(counts.quotes, 'quote')} not found in the response")
    if counts.stale_labels:
        lines.append(f"{counted(counts.stale_labels, 'label')} of another wording (stale), which still count")
    uneven = sum(example.weight != 1 for example in calibration.comparison.gold.examples)
    if uneven:
        lines.append(
            f"{counted(uneven, 'example')} drawn with unequal chances: these figures describe the labels as they are; "
            "for all that they were drawn from, `passrate` weighs them"
        )
    if calibration.openings is not None:
        lines.append(openings_line(calibration.openings))
    return lines


def legend(told: Iterable[str]) -> list[str]:
    """What the sign of a rough interval means, where one of these texts bears it."""
    if not any(text.endswith(ROUGH) or f"{ROUGH}," in text or f"{ROUGH};" in text for text in told):
        return []
    return [f"{ROUGH.strip()} marks a rough interval: too few examples off the commonest level carry it."]


def rough_legend(calibration: Calibration) -> list[str]:
    """The same for all figures of a calibration that are printed."""
    rows = [*criterion_rows(calibration), *slice_rows(calibration)]
    lines = [agreement_line(calibration), overall_line(calibration)]
    return legend([*lines, *(cell for row in rows for cell in row)])


CRITERION_HEADINGS = ("criterion", "exact", "kappa", "signed error", "judge / gold mean")


def criterion_rows(calibration: Calibration) -> list[tuple[str, ...]]:
    """For each criterion: exact agreement, the chance-corrected coefficient fit for its scale, signed error, means."""
    rows: list[tuple[str, ...]] = []
    for name, found in calibration.comparison.criteria.items():
        kappa = (
            found.statistics["cohen_kappa" if found.criterion.scale.is_yes_no else "weighted_kappa"]
            if (found.criterion.scale.ordered)
            else found.statistics["cohen_kappa"]
        )
        rows.append(
            (
                name,
                share_with_interval(found.statistics["exact_agreement"]),
                with_interval(kappa) if kappa.undefined is None else f"– ({kappa.undefined})",
                with_interval(found.statistics["signed_error"], sign=True),
                " / ".join(number(mean) for mean in _means(found)),
            )
        )
    return rows


SLICE_HEADINGS = ("part", "examples", "agreement", "elsewhere", "signed error")


def slice_rows(calibration: Calibration) -> list[tuple[str, ...]]:
    """The parts of the examples on which the judge does worse than on the rest, the worst first."""
    worst = sorted((part for part in calibration.slices if part.stands_out), key=lambda part: part.p)
    return [
        (
            f"{part.part.by}: {part.part.name}",
            str(part.n),
            share_with_interval(part.agreement),
            share(part.rest),
            with_interval(part.signed_error, sign=True),
        )
        for part in worst
    ]


def _means(found: CriterionComparison) -> tuple[float | None, float | None]:
    """Mean level of the judge and of gold, on the examples that both rated."""
    both = ~np.isnan(found.judge) & ~np.isnan(found.gold)
    return (float(found.judge[both].mean()), float(found.gold[both].mean())) if both.any() else (None, None)


@dataclass(frozen=True)
class Difference:
    """One example on which judge and gold part: where, by how much, and in the judge's words."""

    id: str
    line: str
    reason: str


def differences(calibration: Calibration) -> list[Difference]:
    """The examples on which judge and gold differ most in score, each with the criterion that does most of it."""
    comparison = calibration.comparison
    order = np.argsort(-np.nan_to_num(np.abs(comparison.misses), nan=-1.0), kind="stable")
    found = []
    for place in order[:MOST_DIFFERENCES].tolist():
        rating, miss = comparison.judged[place], comparison.misses[place]
        if rating is None or np.isnan(miss) or miss == 0:
            continue
        gold, judge = comparison.gold.overall[place], comparison.scores[place]
        head = f"judge {number(judge)}, gold {number(gold)} ({signed(float(miss))})"
        name, line = _parting(calibration, place)
        found.append(Difference(comparison.gold.ids[place], f"{head}{line}", _reason(rating, name)))
    return found


def _parting(calibration: Calibration, place: int) -> tuple[str | None, str]:
    """The criterion on which the two part most at one example, by weight, and its two levels in words."""
    worst, most = None, 0.0
    for name, found in calibration.comparison.criteria.items():
        criterion = found.criterion
        gold, judge = found.gold[place], found.judge[place]
        if np.isnan(gold) or np.isnan(judge):
            continue
        apart = abs(criterion.weight * (criterion.scale.position(judge) - criterion.scale.position(gold)))
        if apart > most:
            worst, most = name, apart
    if worst is None:
        return None, ""
    found = calibration.comparison.criteria[worst]
    return worst, f"; {worst}: judge {found.judge[place]:g}, gold {found.gold[place]:g}"


def _reason(rating: Rating, name: str | None) -> str:
    return rating.criteria[name].reason if name is not None and name in rating.criteria else ""
