"""Report on pass rates: the judge's own, and corrected to what annotators would decide."""

from collections.abc import Iterator, Mapping
from typing import Any

from markscheme.calibration.rates.pass_rates import DrawnHow, GroupPassRate, PassRates
from markscheme.phrases import counted
from markscheme.report.document import Block, Callout, Document, Line, Name, Notes, Paragraph, Table, share_mark
from markscheme.report.figures import share_with_ci, share_with_interval, with_signed_interval
from markscheme.report.json import attributes
from markscheme.stats import Estimate
from markscheme.stats.group_rates import GroupDifference

_ASSUMED: Mapping[DrawnHow, str] = {
    "random": "the labels are a random part of what is graded here",
    "by-verdict": "labels were drawn separately from the judge's passes and fails",
    "by-stratum": "within each stratum the labels were drawn with known chances",
    "elsewhere": (
        "the labels are of other responses: this assumes that the judge makes the same errors on these responses as "
        "on the labelled ones"
    ),
}
_OTHER_SAMPLE = (
    "none of the labelled responses is graded here; they are assumed to be another sample, drawn at random from"
)
_OTHERWISE = "where prompt, model or inputs differ, use --drawn elsewhere"
_ASSUMED_OF_OTHERS: Mapping[DrawnHow, str] = {
    "random": f"{_OTHER_SAMPLE} where these came from; {_OTHERWISE}",
    "by-verdict": f"{_OTHER_SAMPLE} the judge's passes and its fails where these came from; {_OTHERWISE}",
    "by-stratum": f"{_OTHER_SAMPLE} strata like these, with known chances; {_OTHERWISE}",
}
"""Sentence on the assumption about labels of other responses, by how they were drawn."""
_WIDE = 0.2
"""Width above which an interval is called wide: plus or minus 10 points is usual in reports of agreement."""
_NOT_HUMAN = ("constructed", "model")


def view(rates: PassRates, reference: str | None = None) -> Document:
    """Build the document on pass rates, with the corrected rate first.

    Args:
        rates: The pass rates.
        reference: Source of the labels; None if it isn't known.
    """
    who = "the labels (not human)" if reference in _NOT_HUMAN else "people"
    labels = counted(rates.labels, "label")
    responses = counted(rates.raw.n + rates.not_graded, "response")
    return Document("Pass rate", f"{responses}, corrected by {labels}.", (_callout(rates, who), *blocks(rates)))


def _assumption(rates: PassRates) -> str:
    """Return the sentence on what the correction of pass rates assumes about the labels."""
    if _has_all_labels(rates):
        return "every graded response is labelled"
    if rates.how == "random" and rates.corrected.undefined:
        return "the labels were said to be a random part of what is graded here"
    return _ASSUMED[rates.how] if rates.labels_here else _ASSUMED_OF_OTHERS.get(rates.how, _ASSUMED[rates.how])


def _has_all_labels(rates: PassRates) -> bool:
    """Return True if every graded response has a label, so that nothing is corrected."""
    return rates.how != "elsewhere" and 0 < rates.labels_here == rates.raw.n


def _callout(rates: PassRates, who: str) -> Callout:
    """Build the box at the top with the corrected pass rate and the judge's own.

    Args:
        rates: The pass rates.
        who: Noun for those who labelled, such as "people".
    """
    alone = f"The judge alone passes {_share(rates.raw)}."
    if is_wide(rates.corrected):
        alone += f" The interval is wide: {'grade and ' * _has_all_labels(rates)}label more."
    if rates.corrected.undefined:
        return Callout("open", f"What share {who} would pass isn't known: {rates.corrected.undefined}.", alone)
    shown = share_with_ci(rates.corrected)
    is_plain = who == "people" and not (is_wide(rates.corrected) or rates.corrected.is_approximate)
    return Callout("good" if is_plain else "note", f"{who.capitalize()} would pass {shown}.", alone)


def is_wide(estimate: Estimate) -> bool:
    """Return True if a share's interval is too wide to rely on."""
    return estimate.low is not None and estimate.high is not None and estimate.high - estimate.low > _WIDE


def blocks(rates: PassRates) -> Iterator[Block]:
    """Yield the blocks below the callout: assumptions, pass rates by group of responses, and how groups differ."""
    assumed = _assumption(rates)
    lines = [f"{assumed[:1].upper()}{assumed[1:]}."]
    if rates.corrected.is_approximate and rates.corrected.caveat:
        lines.append(f"~ approximate: {rates.corrected.caveat.why}.")
    if rates.not_graded:
        lines.append(f"{counted(rates.not_graded, 'response')} not graded, in no rate.")
    if rates.other_verdicts:
        lines.append(
            f"On {counted(rates.other_verdicts, 'labelled response')} the judge decides otherwise here than before, "
            "and the decision here counts: is it the same judge?"
        )
    yield Paragraph(tuple(lines))
    if rates.groups:
        rows = tuple(_group(name, group) for name, group in rates.groups.items())
        yield Table(("Group", "pass rate (95% CI)", "judge alone", "own labels"), rows)
        withheld = ((name, group.corrected.undefined) for name, group in rates.groups.items())
        yield Notes(tuple(f"– {name}: {why}." for name, why in withheld if why))
    if rates.differences:
        rows = tuple(
            (Name(f"{first} − {second}"), *_difference(difference))
            for (first, second), difference in rates.differences.items()
        )
        yield Table(("Difference", "of pass rates (95% CI)", "on the tests of both"), rows)
        reasons = {difference.difference.undefined for difference in rates.differences.values()}
        yield Notes(tuple(f"– {why}." for why in sorted(filter(None, reasons))))
    if rates.shared_ids:
        yield Notes((f"{counted(rates.shared_ids, 'label')} with an id that several groups use, in no group.",))


def _group(name: str, group: GroupPassRate) -> tuple[Line, ...]:
    return Name(name), share_mark(group.corrected), share_with_interval(group.raw), str(group.own_labels)


def _difference(difference: GroupDifference) -> tuple[Line, ...]:
    shown = with_signed_interval(difference.difference)
    if difference.on_common is None:
        return shown, ""
    return shown, f"{' and '.join(_share(group.rate) for group in difference.on_common)} on {difference.common}"


def _share(estimate: Estimate) -> str:
    return f"unknown ({estimate.undefined})" if estimate.undefined else share_with_interval(estimate)


def json_of(rates: PassRates, reference: str | None = None) -> dict[str, Any]:
    """Return pass rates as a dict, with the keys of their JSON file.

    Args:
        rates: The pass rates.
        reference: The kind of labels by which rates are corrected, such as "people"; None without labels.
    """
    return {
        "schema": 1,
        **attributes(rates, "raw corrected method=corrected.method drawn=how labels labels_here"),
        "assumed": _assumption(rates),
        "reference": reference,
        **attributes(rates, "not_graded other_verdicts"),
        "groups": {name: attributes(group, "raw corrected own_labels needed") for name, group in rates.groups.items()},
        "differences": [
            {
                "first": first,
                "second": second,
                **attributes(difference, "difference common"),
                "on_common": None if difference.on_common is None else [side.rate for side in difference.on_common],
            }
            for (first, second), difference in rates.differences.items()
        ],
    }
