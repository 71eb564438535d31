"""The pass rate of responses that people labelled and no judge graded."""

from collections import Counter
from typing import Any, Final

import numpy as np

from markscheme.calibration.rates.decisions import decided
from markscheme.calibration.rates.pass_rates import DrawnHow, GroupPassRate, PassRates
from markscheme.errors import UsageError
from markscheme.phrases import counted
from markscheme.ratings.example_rows import values_of
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.gold import Gold, gold_of
from markscheme.ratings.kinds import JUDGES, PEOPLE
from markscheme.readers.rated import RatedFiles
from markscheme.readers.tabular.reading import TableReading
from markscheme.readers.tabular.refusals import refusal
from markscheme.report.document import Block, Callout, Document, Name, Paragraph, Table, share_mark
from markscheme.report.figures import share_with_ci
from markscheme.report.views.pass_rate import is_wide, json_of
from markscheme.rubrics.rubric import Rubric
from markscheme.stats.estimate import Estimate
from markscheme.stats.intervals import Flags
from markscheme.stats.shares import share

_METHOD: Final = "share of labels that pass"
_NO_JUDGE: Final = "no judge graded these responses"
_UNEQUAL: Final = (
    "these labels weren't drawn at random, and without a judge's verdicts their share isn't that of all responses"
)


def refuse_several_criteria(reading: TableReading) -> None:
    """Raise an error if a table rates several criteria.

    The error lists a command for each criterion, unless the ratings of all criteria are in one column.

    Raises:
        UsageError: Several criteria are rated, so that a rubric is needed, which states their weights.
    """
    if not reading.is_by_criterion:
        return
    by_criterion = reading.roles.criteria.values()
    named = [side.column.name for sides in by_criterion for side in sides]
    if not {column.name for column in reading.columns}.issuperset(named):
        raise refusal("needs-rubric")
    choices = [
        [word for side in sides for word in ("--judge" if side.is_judge else "--human", side.column.name)]
        for sides in by_criterion
    ]
    raise refusal("rater-or-criterion", columns=named, choices=choices, criteria=tuple(reading.roles.criteria))


def refuse_unknown_pass(reading: TableReading) -> None:
    """Raise an error if a table rates several criteria, or if it isn't known which of its values pass.

    Raises:
        UsageError: Several criteria are rated, so that a rubric is needed for their weights; or no option says which
            values pass.
    """
    refuse_several_criteria(reading)
    ((criterion, sides),) = reading.roles.criteria.items()
    values = reading.values[criterion]
    if reading.rubric(criterion).table_of != "values":
        return
    counts = Counter(cell for side in sides for cell in side.cells if cell in values.levels[side.name])
    are_numbers = values.kind in ("levels", "score")
    by_value = [("--pass", value) for value in counts]
    choices = [("--pass-mark", "MARK"), ("--pass", "VALUE")] if are_numbers else by_value
    raise refusal("pass-value", columns=[side.name for side in sides], values=counts, choices=choices)


def examples_of_people(rated: RatedFiles) -> ExampleSet | None:
    """Return a file's examples that people labelled; None if a judge rated the file, or if nobody labelled it.

    Raises:
        UsageError: No rubric is named, and the labels don't say by themselves which responses pass.
    """
    (file,) = rated.files[:1]
    kinds = {rating.kind for rating in file.ratings}
    if file.calibration is not None or kinds & {*JUDGES} or not kinds & {*PEOPLE}:
        return None
    criteria = rated.rubric.criteria
    is_plain = len(criteria) == 1 and criteria[0].scale.is_yes_no
    if not rated.is_named and not is_plain and any(rating.passed is None for rating in file.ratings):
        raise UsageError("which labels pass is a rubric's to say: --rubric NAME names it")
    return file.labelled(decided(rating, named=rated.is_named) for rating in file.ratings if rating.kind in PEOPLE)


def people_rates(examples: ExampleSet, rubric: Rubric, how: DrawnHow | None) -> tuple[PassRates, Gold]:
    """Estimate the share of labelled responses that people pass, as a whole and of each system; return gold too.

    Args:
        examples: The examples, with people's labels of all or some.
        rubric: The rubric by which a label passes.
        how: How the labelled responses were drawn; None if the user doesn't say it.

    Raises:
        UsageError: `how` only says how to correct a judge's verdicts, and there are none here.
    """
    if how not in (None, "random"):
        raise UsageError(
            f"--drawn {how} says how a judge's rate is corrected, and no judge graded these responses; leave it out"
        )
    gold = gold_of(examples, rubric)
    are_decided = ~np.isnan(gold.decisions)
    labels = int(are_decided.sum())
    systems = np.array(values_of(gold.examples, "system"))
    no_verdict = Estimate.without_value(_NO_JUDGE, n=0, method="share of passes")
    groups = {}
    if len(set(systems[are_decided].tolist())) > 1:
        for name in dict.fromkeys(systems[are_decided].tolist()):
            rate = _rate(gold, are_decided & (systems == name), how)
            groups[name] = GroupPassRate(no_verdict, rate, rate.n)
    rates = PassRates(
        raw=no_verdict,
        corrected=_rate(gold, are_decided, how),
        how=how or "random",
        labels=labels,
        labels_here=labels,
        not_graded=len(examples.examples),
        groups=groups,
        differences={},
        other_verdicts=0,
    )
    return rates, gold


def _rate(gold: Gold, chosen: Flags, how: DrawnHow | None) -> Estimate:
    """Estimate the share of the chosen examples that pass by gold; responses to the same test count as one group.

    The share has no value if the file says that the examples weren't drawn at random, unless the user says that they
    were.
    """
    of_chosen = gold.rows(chosen)
    if not of_chosen.n:
        return Estimate.without_value("no label passes or fails", n=0, method=_METHOD)
    ways = {*values_of(of_chosen.examples, "drawn")} - {None, "random"}
    if how is None and (ways or {*values_of(of_chosen.examples, "weight")} - {1}):
        return Estimate.without_value(_UNEQUAL, n=of_chosen.n, method=_METHOD)
    return share(of_chosen.decisions == 1, of_chosen.groups, method=_METHOD)


def people_view(rates: PassRates, gold: Gold, how: DrawnHow | None) -> Document:
    """Build the report on the pass rate by people's labels alone, without a judge.

    Args:
        rates: The pass rates.
        gold: The labels.
        how: How the labelled responses were drawn; None if the user doesn't say it.
    """
    assumed = _assumption(rates, how)
    lines = [f"{assumed[:1].upper()}{assumed[1:]}."]
    if unlabelled := rates.not_graded - gold.n:
        lines.append(f"{counted(unlabelled, 'response')} not labelled, in no rate.")
    if undecided := gold.n - rates.labels:
        why = "on which annotators split evenly" if len(gold.even_splits) == undecided else "whose labels don't decide"
        lines.append(f"{counted(undecided, 'response')} {why}, in no rate.")
    blocks: list[Block] = [_callout(rates.corrected), Paragraph(tuple(lines))]
    if rates.groups:
        rows = tuple(
            (Name(name), share_mark(group.corrected), str(group.own_labels)) for name, group in rates.groups.items()
        )
        blocks.append(Table(("Group", "pass rate (95% CI)", "labels"), rows))
    by = counted(sum(gold.kinds.values()), "annotator")
    return Document("Pass rate", f"{counted(rates.not_graded, 'response')}, labelled by {by}.", tuple(blocks))


def _callout(rate: Estimate) -> Callout:
    alone = "These are people's own labels: no judge graded here, so nothing is corrected."
    if is_wide(rate):
        alone += " The interval is wide: label more."
    if rate.undefined:
        return Callout("open", f"What share people pass isn't known: {rate.undefined}.", alone)
    return Callout(
        "note" if is_wide(rate) or rate.is_approximate else "good", f"People pass {share_with_ci(rate)}.", alone
    )


def _assumption(rates: PassRates, how: DrawnHow | None) -> str:
    """Return a phrase that says of which responses a pass rate by people is the rate.

    They are the labelled responses, or all responses, of which all or a random sample are labelled.

    Args:
        rates: The pass rate, with the numbers of responses and of labels.
        how: How the labelled responses were drawn; None if the user doesn't say it.
    """
    if rates.not_graded == rates.labels:
        return "every response is labelled"
    if how is None:
        return "the rate is of the labelled responses"
    return "the labels were said to be a random part of these responses"


def people_json(rates: PassRates, gold: Gold, how: DrawnHow | None) -> dict[str, Any]:
    """Return a pass rate that comes from people's labels alone as a dict, with the keys of the JSON of pass rates.

    Args:
        rates: The pass rate.
        gold: The labels that it is computed from.
        how: How the labelled responses were drawn; None if the user doesn't say it.
    """
    return {**json_of(rates, gold.reference), "drawn": how, "assumed": _assumption(rates, how)}
