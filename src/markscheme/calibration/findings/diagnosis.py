"""The diagnosis: finds the faults of judge, criteria and labels in a Comparison, each cause once.

A fault is reported where it is significant, with Holm's correction for all criteria tested, and large enough to
matter. One cause is reported once: a judge stuck on one level hides everything else on that criterion; a halo looks
like central tendency and like noise; central tendency looks like noise.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TypeAlias

import numpy as np

from markscheme.calibration.comparison.comparison import Comparison
from markscheme.calibration.findings import categories, judge, kinds, overall, rubric
from markscheme.calibration.findings.evidence import FEWEST_TO_DIAGNOSE, CriterionEvidence, Evidence
from markscheme.calibration.findings.finding import Finding
from markscheme.calibration.findings.kinds import FindingKind
from markscheme.calibration.findings.repairs import ranked
from markscheme.calibration.findings.slices import Slice
from markscheme.calibration.findings.table import FINDINGS, ExaminedJudge, FindingRow
from markscheme.ratings.rating import Rating

EvidenceByCriterion: TypeAlias = Mapping[str, CriterionEvidence]
"""What the rules of diagnosis look at, for each criterion by its name."""
CriterionRule: TypeAlias = Callable[[Evidence, EvidenceByCriterion], Iterator[Finding]]
"""Function that finds one kind of fault, at most once on each of some criteria."""


def findings_of(
    comparison: Comparison, ratings: Sequence[Rating] = (), *, slices: Sequence[Slice] = (), elsewhere: bool = False
) -> tuple[Finding, ...]:
    """Find the faults of judge, criteria and labels.

    The faults are sorted by how much they cost, the costliest first. Faults of single criteria are then sorted, among
    themselves, by the number of wrong decisions that fixing them would repair.

    Args:
        comparison: The judge compared with gold.
        ratings: The judge's ratings; several of one example show how often the judge changes its answer.
        slices: The judge's performance on slices of the examples.
        elsewhere: True if the ratings were made outside markscheme. A rating that has nothing but an error then counts
            as a reply that couldn't be read, else as a judge that couldn't be reached.
    """
    examined = ExaminedJudge(Evidence.of(comparison, ratings), ratings, slices, elsewhere)
    rules = [row.rule for row in all_findings() if row.rule is not None and comparison.rubric.compares in row.rated]
    findings = [finding for rule in rules for finding in rule(examined)]
    return ranked(findings, comparison.repairs)


# --- one cause hides another ----------------------------------------------------------------------------------------


def _faults_once_each(examined: ExaminedJudge) -> Iterator[Finding]:
    """Find the faults of a judge of single responses; of faults with the same cause, report only one.

    Where a slice is broken, the judge is diagnosed on the other examples, so that the fault of one slice doesn't count
    as a fault of the whole; the messages say so.
    """
    whole = examined.evidence
    by_length = list(overall.length_bias(whole))
    broken = [
        subset for subset in examined.slices if subset.stands_out and not (by_length and subset.part.by == "length")
    ]
    of_criteria = list(_of_criteria(_outside(whole, broken), by_length))
    yield from _without_skill(whole, of_criteria)
    yield from of_criteria
    yield from by_length
    yield from (overall.slice_finding(whole, subset, subset.figure) for subset in broken if subset.figure is not None)


def _outside(whole: Evidence, broken: Sequence[Slice]) -> Evidence:
    """Return the evidence without slices on which the judge is worse; all of it if too few examples would be left.

    Args:
        whole: The evidence on all examples.
        broken: The slices on which the judge is worse.
    """
    if not broken:
        return whole
    hidden = np.any([subset.part.inside for subset in broken], axis=0)
    enough = int((~hidden).sum()) >= max(FEWEST_TO_DIAGNOSE, len(hidden) / 2)
    return whole.without(hidden, " and ".join(subset.part.called for subset in broken)) if enough else whole


def _without_skill(whole: Evidence, of_criteria: Sequence[Finding]) -> list[Finding]:
    """Find a lack of skill in decisions, else in scores.

    With a single criterion, return [] if a finding on it already shows the lack.

    Args:
        whole: The evidence on all examples.
        of_criteria: The findings on single criteria.
    """
    if len(whole.criteria) == 1 and any(finding.kind.voids_agreement for finding in of_criteria):
        return []
    return list(overall.decisions_without_skill(whole)) or list(overall.no_better_than_constant(whole))


def _of_criteria(evidence: Evidence, by_length: Sequence[Finding]) -> Iterator[Finding]:
    """Yield faults on single criteria, without those that an earlier fault on the same criterion explains.

    A judge that rewards length moves all criteria together, which looks like noise and like a halo (one impression that
    colours all criteria). So, if `by_length` isn't empty, a halo or noise is reported only if it remains after the
    effect of length is removed.

    Args:
        evidence: The evidence, with the judge's ratings.
        by_length: The findings that the judge rewards length; empty if it doesn't.
    """
    criteria = evidence.criteria

    def faults(rule: CriterionRule, among: EvidenceByCriterion, seen: Evidence = evidence) -> dict[str, Finding]:
        return {finding.criterion or "": finding for finding in rule(seen, among)}

    flat = faults(rubric.hardly_varying, criteria)
    stuck = faults(judge.stuck_judge, _unexplained(criteria, flat))
    blind = faults(judge.no_skill, _unexplained(criteria, flat, stuck))
    untested = faults(rubric.one_level_in_gold, _unexplained(criteria, flat, stuck, blind))
    always = {name: finding for name, finding in blind.items() if finding.evidence["correlation"] is None}
    biased = faults(judge.lenient_or_severe, _unexplained(criteria, stuck, always))
    even = overall.length_adjusted(evidence) if by_length else evidence
    missed = faults(categories.rarely_found, _unexplained(criteria, flat, stuck, blind))
    colored = list(overall.halo_finding(even))
    open_still = {} if colored else _unexplained(criteria, flat, stuck, blind, untested, missed)
    narrow = faults(judge.central_tendency, open_still)
    noisy = partial(judge.noisy, biased=biased.keys())
    noise = faults(noisy, {name: even.criteria[name] for name in _unexplained(open_still, narrow)}, even)
    if by_length:
        noise = faults(noisy, {name: criteria[name] for name in noise})
    explained = {**flat, **stuck, **blind, **untested, **biased, **narrow, **missed}
    yield from colored
    yield from rubric.redundant(evidence, _unexplained(criteria, flat, untested))
    for findings in (flat, stuck, blind, untested, biased, missed, narrow, noise):
        yield from findings.values()
    yield from rubric.ambiguous(evidence, _unexplained(criteria, flat, untested))
    yield from judge.judge_or_label_noise(evidence, _unexplained(open_still, narrow, noise, biased))
    yield from rubric.unused_levels(evidence, criteria, blamed=explained.keys())


def _unexplained(criteria: EvidenceByCriterion, *explained: Mapping[str, Finding]) -> dict[str, CriterionEvidence]:
    """Return the criteria on which there is no finding yet.

    Args:
        criteria: The criteria, by name.
        explained: The findings so far, in several mappings. The key of a finding is the name of the criterion that it
            is on.
    """
    return {
        name: criterion
        for name, criterion in criteria.items()
        if not any(name in by_criterion for by_criterion in explained)
    }


# --- all findings ---------------------------------------------------------------------------------------------------

OWN_FINDINGS = (
    FindingRow(
        (
            kinds.LENIENT,
            kinds.SEVERE,
            kinds.CENTRAL_TENDENCY,
            kinds.NOISY,
            kinds.NOISY_JUDGE_OR_LABELS,
            kinds.STUCK_JUDGE,
            kinds.RARELY_FOUND,
            kinds.NO_SKILL,
            kinds.NO_GAIN,
            kinds.LENGTH,
            kinds.BROKEN_SLICE,
            kinds.HALO,
            kinds.REDUNDANT,
            kinds.DEAD,
            kinds.UNUSED_LEVEL,
            kinds.LEVEL_OF_NOBODY,
            kinds.AMBIGUOUS,
            kinds.AMBIGUOUS_WORDS,
        ),
        10,
        _faults_once_each,
        rated=("responses",),
    ),
    FindingRow(
        (kinds.UNREADABLE, kinds.SOME_UNREADABLE),
        50,
        lambda examined: overall.unreadable_replies(examined.evidence, elsewhere=examined.elsewhere),
    ),
    FindingRow((kinds.INVENTED_QUOTES,), 60, lambda examined: judge.invented_quotes(examined.evidence)),
    FindingRow(
        (kinds.AMBIGUOUS, kinds.AMBIGUOUS_WORDS),
        70,
        lambda examined: rubric.ambiguous(examined.evidence, examined.evidence.criteria),
        rated=("pairs",),
    ),
    FindingRow(
        (kinds.STALE_LABELS, kinds.TOO_FEW_LABELS), 80, lambda examined: rubric.label_findings(examined.evidence)
    ),
    FindingRow(
        (
            kinds.DRIFT_BY_JUDGE,
            kinds.DRIFT_BY_EDIT,
            kinds.DRIFT_GOLD,
            kinds.DRIFT_GOLD_BY_EDIT,
            kinds.UNSTEADY_JUDGE,
        ),
        90,
    ),
)
"""The core's rows of the table of findings."""


def all_findings() -> list[FindingRow]:
    """Return the table of findings, with those of features, in the order in which rules are run."""
    of_features = [row for load in FINDINGS for row in load()]
    return sorted([*OWN_FINDINGS, *of_features], key=lambda row: row.rank)


def finding_kinds() -> tuple[FindingKind, ...]:
    """Return all kinds of finding, each once, in the order in which a user should work on them."""
    return tuple(
        sorted(dict.fromkeys(kind for row in all_findings() for kind in row.kinds), key=lambda kind: kind.step)
    )
