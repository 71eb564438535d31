"""Report on a Calibration: what the judge may decide, how good it is, what is wrong, what to do next.

The page is assembled here; the content of a section is in the module of `report/sections/` that is named after it.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from typing import Any, Final

import numpy as np

from markscheme.calibration.calibration import Calibration
from markscheme.calibration.comparison.comparison import Comparison
from markscheme.calibration.comparison.measure import CriterionComparison
from markscheme.calibration.comparison.verdict import LIMIT_OF_SIDE, Decision
from markscheme.ratings.example_rows import response_fingerprints, values_of
from markscheme.report import document as doc
from markscheme.report.json import attributes
from markscheme.report.repairs import findings_json
from markscheme.report.sections.criteria import criteria_in_brief
from markscheme.report.sections.decisions import first_false_passes, scores_line
from markscheme.report.sections.examples import examples_of
from markscheme.report.sections.first_screen import agreement_with_ties, callout, caveats, figures, offer, tiles
from markscheme.report.sections.fix_first import fix_first
from markscheme.report.sections.labels import labels_in_short
from markscheme.report.sections.run import source_line
from markscheme.report.sections.table import sections_for
from markscheme.rubrics.file import text_of_rubric
from markscheme.stats import Estimate
from markscheme.stats.intervals import Floats
from markscheme.stats.severity import YES_NO_NAMES


def view(calibration: Calibration) -> doc.Document:
    """Build the document that reports on a calibration."""
    comparison = calibration.comparison
    examples = examples_of(comparison, calibration.slices)
    passed = first_false_passes(comparison)
    return doc.Document(
        title=f"{calibration.rubric.name} · {calibration.rater.name} · {labels_in_short(comparison, calibration.part)}",
        source=source_line(calibration),
        blocks=(
            callout(calibration),
            offer(calibration),
            figures(calibration),
            scores_line(comparison, calibration.decision),
            _counts(calibration),
            passed,
            doc.Notes(tuple(caveats(calibration))),
            fix_first(calibration),
        ),
        brief=(
            *(() if passed.items else _read_first(examples)),
            *criteria_in_brief(comparison, calibration.findings),
        ),
        sections=doc.OnDemand.together(lambda: _details(calibration, examples)),
        more=calibration.commands.calibrate(),
        has_page=True,
        onward=_onward(calibration),
    )


def _counts(calibration: Calibration) -> doc.Tiles:
    """Return the tiles that count wrong decisions, or tiles that a feature shows in their place."""
    counts = next((row.counts for row in sections_for(calibration) if row.counts is not None), None)
    if counts is not None:
        return counts(calibration)
    return tiles(calibration.comparison, has_shares=calibration.decision.gate_answer is None)


def _details(calibration: Calibration, examples: doc.Examples) -> Iterator[doc.Section]:
    from markscheme.report.sections.details import details

    return details(calibration, examples)


def _read_first(examples: doc.Examples) -> tuple[doc.Block, ...]:
    """Return a tuple with the section of examples to read first; () if judge and gold agree on all examples."""
    return (doc.Section("Read first", (examples,)),) if examples.differing else ()


def _onward(calibration: Calibration) -> tuple[str, str] | None:
    """Return the next step after a report, in words and as a command; None if there is none to advise."""
    commands = calibration.commands
    if calibration.rater.table is not None:
        return "Next, to go on with a rubric", commands.init_from_table()
    if not (calibration.decision.is_usable and calibration.rater.may_be_accepted) or calibration.counts.too_few_graded:
        return None
    if calibration.baseline is None:
        samples = calibration.rater.samples
        run = f"the {samples} samples as runs" if samples > 1 else "this run as it is"
        return f"Next, accept {run}, so that later ones show drift", commands.calibrate(accept="--accept")
    return calibration.baseline.next_step(calibration)


# --- JSON -----------------------------------------------------------------------------------------------------------


def json_of(calibration: Calibration) -> dict[str, Any]:
    """Return the calibration as a dict, with the keys of its JSON file."""

    comparison = calibration.comparison
    decision = calibration.decision
    ties = comparison.ties
    withheld = _withheld(calibration)
    of_levels = {name: why for name, why in withheld.items() if name not in OF_POSITIONS}
    return {
        "schema": 1,
        "rubric": {**attributes(calibration.rubric, "name fingerprint"), "text": text_of_rubric(calibration.rubric)},
        "judge": {
            **attributes(calibration.rater, "name fingerprint source provenance"),
            **({"table_read_as": source_line(calibration)} if calibration.rater.table is not None else {}),
        },
        **attributes(calibration, "counts not_graded_because=reasons_not_graded"),
        **attributes(comparison, "agreement agreement_constant agreement_person agreement_with_person gain"),
        "ties": {
            **attributes(ties, "n=count flagged"),
            "inclusive": agreement_with_ties(comparison),
            "verdict": decision.verdict_with_ties,
        },
        "measure": comparison.measure.name,
        "tolerance": comparison.tolerance,
        "target": decision.target,
        "examples": comparison.gold.ids,
        "rated": _rated(comparison),
        "drift": None if ENDS_UNKNOWN in withheld.values() else comparison.misses,
        "needs_adjustment": decision.needs_adjustment,
        "overall": {**_without_unknown(comparison.overall, withheld), "within_tolerance": comparison.agreement},
        "criteria": {
            name: {
                **_without_unknown(compared.statistics, of_levels),
                "confusion": compared.confusion,
                **_passes(compared),
            }
            for name, compared in comparison.criteria.items()
        },
        **comparison.audits,
        "may_decide": calibration.measured("may_decide"),
        **({"independent_votes": calibration.measured("independent_votes")} if calibration.rater.members > 1 else {}),
        "raters": _raters(comparison),
        **_wrong_decisions(calibration),
        "relabelled": None if calibration.carried is None else calibration.carried.to_json(),
        "baseline": calibration.baseline,
        **attributes(calibration, "test_labels=openings slices"),
        "findings": findings_json(calibration.findings),
        "repairs": comparison.repairs,
        **attributes(decision, "verdict because because_code use labels_needed"),
        "decision": {
            **attributes(decision, "level settings labels_needed labels_chance"),
            "except": [
                {"by": subset.by, "name": subset.name, "agreement": agreement}
                for subset, agreement in decision.excepted.items()
            ],
            **_rulings(comparison, decision),
            "limits": _limits(comparison, decision),
        },
        **_data_of_sections(calibration),
        "cost": calibration.cost.to_json(),
        **_read(calibration),
    }


def _data_of_sections(calibration: Calibration) -> dict[str, Any]:
    """Return what features add to a calibration's JSON, by key."""
    with_data = [row.data for row in sections_for(calibration) if row.data is not None]
    return {key: value for data in with_data for key, value in data(calibration).items()}


def _withheld(calibration: Calibration) -> dict[str, str]:
    """Map each statistic that can't be computed from a table to the reason.

    A reason is, for example, that the ends of the scale, or the values that pass, aren't stated.
    """
    of_mark = ("pass_kappa", *YES_NO_NAMES) if calibration.rubric.table_of == "values" else ()
    rated = calibration.rater.rated_table
    withheld = {} if rated is None else rated[0].values[rated[1]].withheld
    of_ends = OF_POSITIONS | withheld.keys() if "positions" in withheld else ()
    return dict.fromkeys(of_mark, MARK_UNKNOWN) | dict.fromkeys(of_ends, ENDS_UNKNOWN)


OF_POSITIONS: Final = frozenset(["mae", "rmse", "signed_error"])
"""Names of statistics of errors that are measured on the whole scale, from its worst to its best level."""
ENDS_UNKNOWN: Final = "the ends of the scale aren't stated"
MARK_UNKNOWN: Final = "nothing says which values pass"


def _without_unknown(figures: Mapping[str, Estimate], withheld: Mapping[str, str]) -> dict[str, Estimate]:
    return {name: figure.without(withheld[name]) if name in withheld else figure for name, figure in figures.items()}


def _wrong_decisions(calibration: Calibration) -> dict[str, Any]:
    """Return the ids of false passes and of false fails for JSON; None if nothing says which responses pass."""
    if not calibration.rubric.has_gate_question:
        return {"false_passes": None, "false_fails": None}
    return attributes(calibration.comparison, "false_passes false_fails")


def _read(calibration: Calibration) -> dict[str, Any]:
    """Return the JSON entry on how a table was read; empty without a table."""
    table = calibration.rater.table
    return {} if table is None else {"read": table.to_json()}


def _rulings(comparison: Comparison, decision: Decision) -> dict[str, Any]:
    """Return for JSON if the judge may gate and show trends; None for the gate if nothing says which responses pass."""
    answer = decision.gate_answer
    gate = None if answer is None else {**answer.ruling.to_json(), "figures": answer.figures_json()}
    of_scores: Any = attributes(comparison, "agreement agreement_constant gain agreement_person agreement_with_person")
    if comparison.trend is not None:
        of_scores = comparison.trend.to_json(comparison.level)["figures"]
    return {"gate": gate, "trend": {**decision.trend.to_json(), "figures": of_scores}}


def _limits(comparison: Comparison, decision: Decision) -> dict[str, Any]:
    """Return the limits on false passes and false fails for JSON, each with rate and state; None for one not set."""
    rates: dict[str, Estimate] = {"stops": comparison.false_pass_rate, "keeps": comparison.false_fail_rate}
    set_limits = asdict(decision.most_wrong)
    limits: dict[str, Any] = {"false_pass": None, "false_fail": None}
    for side in () if decision.gate_answer is None else decision.gate_answer.sides:
        name = LIMIT_OF_SIDE[side.name].removeprefix("max_")
        if set_limits[name] is not None:
            limits[name] = {"limit": set_limits[name], "state": side.state, "rate": rates[side.name]}
    return limits if comparison.trend is None else limits | comparison.trend.to_json(comparison.level)["limits"]


class _EntriesOnDemand(Mapping[str, Any]):
    """Entries of JSON that are made when they are read, so that long lists needn't all be in memory at once."""

    def __init__(self, **entries: Callable[[], Any]) -> None:
        """Store the functions that make the entries, by key."""
        self._entries = entries

    def __getitem__(self, key: str) -> Any:
        return self._entries[key]()

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


def _rated(comparison: Comparison) -> Mapping[str, Any]:
    """Return, for JSON, gold's and the judge's ratings and how examples were drawn, each as a list by example."""
    gold = comparison.gold
    compared = comparison.criteria

    def values(name: str) -> list[Any]:
        """Return, for each example, the value of its attribute `name`, such as "system"; None if it is empty."""
        return [value or None for value in values_of(gold.examples, name)]

    def responses() -> list[str] | None:
        """Return the fingerprint of each response; None if no response has a text, as in a table without responses."""
        return response_fingerprints(gold.examples) if any(values_of(gold.examples, "response_length")) else None

    return _EntriesOnDemand(
        responses=responses,
        groups=lambda: values("group"),
        gold=lambda: _ratings(gold.scores, gold.decisions, {name: _levels(c, c.gold) for name, c in compared.items()}),
        judge=lambda: _ratings(
            comparison.scores, comparison.passes, {name: _levels(c, c.judge) for name, c in compared.items()}
        ),
        drawn=lambda: values("drawn"),
        weight=lambda: list(values_of(gold.examples, "weight")),
        stratum=lambda: values("stratum"),
        draw=lambda: values("draw"),
        labelled_twice=lambda: gold.labelled_twice,
    )


def _passes(compared: CriterionComparison) -> dict[str, list[str]]:
    """Return the JSON entry with the categories of a criterion that pass; {} if the rubric names none."""
    passing = compared.criterion.passing
    return {"passes": list(passing)} if passing else {}


def _levels(compared: CriterionComparison, levels: Floats) -> Floats | list[str | None]:
    """Return a rater's levels on a criterion for JSON: as numbers, or as names for categories without values."""
    scale = compared.criterion.scale
    if not scale.coded:
        return levels
    return [None if math.isnan(level) else scale.level_name(level) for level in levels.tolist()]


_DECISIONS: Final = np.array([False, True, None], dtype=object)
"""The decisions of JSON: fail, pass and, last, no decision."""


def _ratings(scores: Floats, passes: Floats, levels: Mapping[str, Floats | list[str | None]]) -> dict[str, Any]:
    decisions = _DECISIONS[np.where(np.isnan(passes), -1, passes).astype(np.int64)]
    return {"overall": scores, "pass": decisions.tolist(), "criteria": levels}


def _raters(comparison: Comparison) -> dict[str, Any]:
    ceilings = {name: compared.ceiling for name, compared in comparison.criteria.items()}
    keys = "people judge gap as_good_as_a_person=as_good"
    return {
        **attributes(comparison.gold, "kinds reference not_blind"),
        "ceiling": {name: attributes(ceiling, keys) for name, ceiling in ceilings.items() if ceiling is not None}
        or None,
    }
