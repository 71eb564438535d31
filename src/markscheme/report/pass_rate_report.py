"""PassRates on a screen and as JSON."""

from collections.abc import Iterator
from typing import Any

from markscheme.calibration.pass_rates import PassRates
from markscheme.report.figures import share_with_interval, signed
from markscheme.stats import Estimate
from markscheme.stats.group_rates import GroupDifference


def pass_rate_text(rates: PassRates, reference: str | None = None) -> str:
    """The rates as text: corrected first, the judge's own beside it.

    Args:
        rates: The rates.
        reference: What the labels are worth, where the calibration says it.
    """
    return "\n".join(_lines(rates, reference))


def _lines(rates: PassRates, reference: str | None) -> Iterator[str]:
    who = f"the labels ({reference}; no person gave them)" if reference in ("constructed", "model") else "people"
    yield f"Pass rate, as {who} would decide: {_share(rates.corrected)}; the judge alone says {_share(rates.raw)}."
    yield f"By {rates.labels} labels, {rates.corrected.method}: {rates.assumed}."
    if rates.not_graded:
        yield f"{rates.not_graded} responses are not graded; they count in no rate."
    if rates.other_verdicts:
        yield (
            f"{rates.other_verdicts} labelled responses got another verdict here than when they were labelled: is it "
            "the same judge?"
        )
    width = max(map(len, rates.groups), default=0)
    for name, group in rates.groups.items():
        if group.corrected.value is None:
            yield f"  {name:<{width}}  withheld: {group.corrected.undefined}"
        else:
            labels = f"{group.own_labels} labels of its own"
            yield f"  {name:<{width}}  {_share(group.corrected)}  (judge alone {_share(group.raw)}; {labels})"
    for (first, second), found in rates.differences.items():
        yield f"  {first} minus {second}: {_difference(found)}"
    if rates.shared_ids:
        yield f"{rates.shared_ids} labels have an id that several groups use; they count for no group."


def _share(estimate: Estimate) -> str:
    return f"undefined ({estimate.undefined})" if estimate.undefined else share_with_interval(estimate)


def _difference(found: GroupDifference) -> str:
    estimate = found.difference
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return f"withheld: {estimate.undefined}"
    said = f"{signed(estimate.value)} [{signed(estimate.low)}, {signed(estimate.high)}]"
    if found.on_common is None:
        return said
    shares = " and ".join(_share(one.rate) for one in found.on_common)
    return f"{said}; on the {found.common} tests of both {shares}"


def pass_rate_json(rates: PassRates, reference: str | None = None) -> dict[str, Any]:
    """The rates by the keys of the file format."""
    return {
        "schema": 1,
        "raw": rates.raw.to_json(),
        "corrected": rates.corrected.to_json(),
        "method": rates.corrected.method,
        "drawn": rates.how,
        "labels": rates.labels,
        "labels_here": rates.labels_here,
        "assumed": rates.assumed,
        "reference": reference,
        "not_graded": rates.not_graded,
        "other_verdicts": rates.other_verdicts,
        "groups": {
            name: {
                "raw": group.raw.to_json(),
                "corrected": group.corrected.to_json(),
                "own_labels": group.own_labels,
                "needed": group.needed,
            }
            for name, group in rates.groups.items()
        },
        "differences": [
            {
                "first": first,
                "second": second,
                "difference": found.difference.to_json(),
                "common": found.common,
                "on_common": None if found.on_common is None else [one.rate.to_json() for one in found.on_common],
            }
            for (first, second), found in rates.differences.items()
        ],
    }
