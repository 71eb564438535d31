"""The report on two versions of a rubric."""

from collections.abc import Iterator
from shlex import quote
from typing import Any

from markscheme.features.compare.versions.comparison import CriterionAgreement, VersionComparison
from markscheme.features.compare.versions.paired_decisions import FEWEST_COMPARED, PairedDecisions
from markscheme.phrases import counted, digits_to_subtract, percent, signed
from markscheme.report import document as doc
from markscheme.report.figures import NONE
from markscheme.rubrics.search import POOL

ASKED_AGAIN = 20
"""Number of examples of a reworded criterion that the report asks to label again."""


def view(compared: VersionComparison) -> doc.Document:
    """Return the report: which version decides more as people do, what else changed, and what to do next."""
    decided = f"{counted(compared.decisions.n, 'output')} with people's decisions"
    title = f"{compared.new.rubric.name}: {compared.old.name} → {compared.new.name} · {decided}"
    return doc.Document(title, "", tuple(_blocks(compared)), onward=_next(compared))


def _blocks(compared: VersionComparison) -> Iterator[doc.Block]:
    yield _answer(compared)
    names = (compared.old.name, compared.new.name)
    changes = tuple(_changes(compared))
    if changes:
        yield doc.Table(("Changed", *names), changes)
    rows = tuple(
        (doc.Name(name), *_agreement(agreement.before, agreement.after or 0.0, agreement))
        for name, agreement in compared.criteria.items()
        if agreement.before is not None
    )
    if rows:
        yield doc.Table(("Same level as people", *names, "Difference"), rows)
    yield doc.Notes(tuple(_notes(compared)))


def _answer(compared: VersionComparison) -> doc.Callout:
    decisions = compared.decisions
    new = compared.new.name
    counts = f"{decisions.became_right} became right, {decisions.became_wrong} became wrong."
    match decisions.answer:
        case "too few":
            more = FEWEST_COMPARED - decisions.n
            return doc.Callout(
                "open",
                f"Too few decisions to compare: {decisions.n}, and {FEWEST_COMPARED} are needed.",
                f"Label {more} more that had no part in choosing a version.",
            )
        case "same decisions":
            return doc.Callout("open", f"The same decisions on all {decisions.n}.", _shares(decisions))
        case "better":
            return doc.Callout("good", f"{new} decides more as people do: {_points(decisions)}.", counts)
        case "worse":
            return doc.Callout("bad", f"{new} decides less as people do: {_points(decisions)}.", counts)
        case "not shown":
            head = f"No version is shown to decide more as people do: {_points(decisions)}."
            return doc.Callout("open", head, counts)


def _points(decisions: PairedDecisions) -> str:
    digits = digits_to_subtract(*decisions.shares)
    shares = (decisions.value, decisions.low, decisions.high)
    value, low, high = (signed(100 * (share or 0.0), digits) for share in shares)
    return f"{_shares(decisions, digits)}, {value} points ({low} to {high})"


def _shares(decisions: PairedDecisions, digits: int = 0) -> str:
    after, before = (percent(share, digits) for share in decisions.shares)
    return f"{after} against {before}"


def _changes(compared: VersionComparison) -> Iterator[tuple[doc.Line, ...]]:
    for criterion, was, is_now in _numbers(compared):
        yield doc.Name(criterion), was, is_now
    for name in compared.reworded:
        labelled = compared.criteria[name].labelled_under_new or 0
        yield doc.Name(name), "reworded", f"{labelled} of {compared.labelled} labelled under the new words"


def _numbers(compared: VersionComparison) -> Iterator[tuple[str, str, str]]:
    """Yield each weight, threshold, required criterion or pass mark that differs, as its name, old and new value."""
    old = {criterion.name: criterion for criterion in compared.old.rubric.criteria}
    new = {criterion.name: criterion for criterion in compared.new.rubric.criteria}
    for name in dict.fromkeys((*new, *old)):
        if name not in old or name not in new:
            yield name, "there" if name in old else NONE, "there" if name in new else NONE
            continue
        before = old[name]
        after = new[name]
        if before.weight != after.weight:
            yield name, f"weight {before.weight:g}", f"weight {after.weight:g}"
        if before.required != after.required:
            words = {True: "required", False: "not required"}
            yield name, words[bool(before.required)], words[bool(after.required)]
        if before.threshold != after.threshold:
            yield name, f"threshold {before.threshold:g}", f"threshold {after.threshold:g}"
    if compared.old.rubric.pass_mark != compared.new.rubric.pass_mark:
        yield "Pass mark", f"{compared.old.rubric.pass_mark:g}", f"{compared.new.rubric.pass_mark:g}"


def _agreement(before: float, after: float, agreement: CriterionAgreement) -> tuple[str, str, str]:
    """Write how often each version agrees with people on a criterion, and the difference with its interval.

    Args:
        before: The old version's share of agreement.
        after: The new version's share of agreement.
        agreement: The figures, with the limits of the difference.
    """
    digits = digits_to_subtract(after, before)
    differences = (after - before, agreement.low, agreement.high)
    shown, low, high = (signed(100 * (share or 0.0), digits) for share in differences)
    return percent(before, digits), percent(after, digits), f"{shown} ({low} to {high})"


def _notes(compared: VersionComparison) -> Iterator[doc.Line]:
    if compared.judges is None:
        yield "Both versions decide by people's own levels; no judge was asked."
    elif len(set(compared.judges)) > 1:
        yield f"Two judges rated ({' and '.join(compared.judges)}), so differences may be theirs."
    if not compared.makes_same_scores_of_levels:
        yield "Scores aren't compared: each version makes gold by its own weights."
    if compared.left_out:
        yield f"Left out: {counted(compared.left_out, 'output')} that had a part in choosing a version."
    if compared.decisions.settings > 1:
        yield f"The level is shared by {compared.decisions.settings} settings with figures on these outputs."


def _next(compared: VersionComparison) -> tuple[str, str] | None:
    name = quote(compared.new.rubric.name)
    if any((compared.criteria[name].labelled_under_new or 0) < ASKED_AGAIN for name in compared.reworded):
        return "Next, label reworded criteria under their new words", f"markscheme label {name}"
    if compared.decisions.answer in ("too few", "not shown"):
        pool = "" if compared.undecided else f" --pool {POOL}"
        return "Next, label more whole responses", f"markscheme label {name}{pool}"
    return None


def json_of(compared: VersionComparison) -> dict[str, Any]:
    """Return the comparison of two versions as a dict with the keys of its JSON output."""
    return {
        "schema": 1,
        "rubric": compared.new.rubric.name,
        "sides": [
            {"name": version.name, "fingerprint": version.rubric.fingerprint, "judge": judge}
            for version, judge in zip((compared.old, compared.new), compared.judges or (None, None), strict=True)
        ],
        "decisions": compared.decisions.to_json(),
        "criteria": {name: agreement.to_json() for name, agreement in compared.criteria.items()},
        "changes": [change.to_json() for change in compared.changes],
        "left_out": compared.left_out,
        "recommended": None,
    }
