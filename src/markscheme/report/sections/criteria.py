"""Section on criteria: a table of figures per criterion, each criterion in detail, and the score as a whole."""

from collections.abc import Iterator, Sequence

import numpy as np

from markscheme.calibration.comparison.comparison import Comparison
from markscheme.calibration.comparison.measure import CriterionComparison
from markscheme.calibration.findings.evidence import STUCK, modal_level
from markscheme.calibration.findings.finding import Finding
from markscheme.phrases import number
from markscheme.report import document as doc
from markscheme.report.document import reach, share_mark, shift_mark
from markscheme.report.figures import (
    coefficient,
    share,
    share_with_interval,
    why_no_interval,
    with_interval,
    with_signed_interval,
)
from markscheme.report.sections.examples import cell_tag, criterion_tag, level_name
from markscheme.report.sections.table import CRITERION_FIGURES, CriterionFigure
from markscheme.rubrics.rubric import Rubric
from markscheme.stats import Estimate
from markscheme.stats.intervals import Flags
from markscheme.stats.severity import confusion
from markscheme.stats.shares import share as share_of

# --- the table ------------------------------------------------------------------------------------------------------


EVEN_PREFERENCE = 0.5
"""Value of a tie, if preferences are numbers from 0 to 1."""
KAPPA = CriterionFigure("kappa", lambda compared: compared.headline, coefficient)
MEAN_ERROR = CriterionFigure("MAE", lambda compared: compared.statistics["mae"], with_interval)


def _same_level(compared: CriterionComparison) -> Estimate:
    exact = compared.statistics["exact_agreement"]
    return exact.without("it has many values, and few are equal by chance") if compared.has_many_values else exact


def criterion_figures(comparison: Comparison) -> tuple[CriterionFigure, ...]:
    """Return the statistics that have a column in the table of criteria, in order; the bias is added elsewhere.

    If all criteria have many values, the first one is the mean absolute error, else the share on the same level.
    """
    first = MEAN_ERROR if _have_many_values(comparison) else CriterionFigure("same level", _same_level, share_mark)
    return (first, KAPPA, *(load() for load in CRITERION_FIGURES))


def _have_many_values(comparison: Comparison) -> bool:
    return all(compared.has_many_values for compared in comparison.criteria.values())


def criteria_blocks(
    comparison: Comparison, findings: Sequence[Finding] = (), tag_prefix: str | None = None
) -> Iterator[doc.Block]:
    """Yield the table of criteria with its notes, a line on the total score, and a section for each criterion.

    The sections on criteria whose levels have an order are shown on pages only. If only whole responses were rated,
    without levels, there is no table.

    Args:
        comparison: The judge compared with gold.
        findings: The findings on the judge.
        tag_prefix: Prefix of the tags by which a page finds a criterion's examples, if the page shows several judges;
            None for one judge.
    """
    if not all(np.isnan([*rated.gold, *rated.judge]).all() for rated in comparison.criteria.values()):
        yield _table(comparison, findings, tag_prefix)
        yield doc.Notes(tuple(_notes(comparison)))
    yield doc.Paragraph((overall_line(comparison),))
    by_criterion = [comparison.by(criterion) for criterion in comparison.rubric.criteria]
    details = [_in_detail(index, of_levels, tag_prefix) for index, of_levels in enumerate(by_criterion)]
    scales = [criterion.scale for criterion in comparison.rubric.criteria]
    yield doc.OnPages(tuple(detail for detail, scale in zip(details, scales, strict=True) if scale.ordered))
    yield from (detail for detail, scale in zip(details, scales, strict=True) if not scale.ordered)


def criteria_in_brief(comparison: Comparison, findings: Sequence[Finding] = ()) -> tuple[doc.Block, ...]:
    """Return the table of criteria and a note of one line on its figures."""
    return (_table(comparison, findings), doc.Notes((_figures_in_brief(comparison),)))


def _table(comparison: Comparison, findings: Sequence[Finding] = (), tag_prefix: str | None = None) -> doc.Table:
    headings = (criterion_or_column(comparison.rubric), *criterion_headings(comparison), "")
    return doc.Table(headings, tuple(criterion_rows(comparison, findings, tag_prefix)))


def criterion_or_column(rubric: Rubric) -> str:
    """Return the heading of a first column: "Criterion" or, for a table of ratings without a rubric, "Column"."""
    return "Criterion" if rubric.table_of is None else "Column"


def criterion_headings(comparison: Comparison) -> tuple[str, ...]:
    """Return the headings of the columns that `criterion_rows` fills; rubrics for pairs have none for the bias.

    The bias column names the unit of the levels if all criteria have the same unit.
    """
    figures = tuple(figure.heading for figure in criterion_figures(comparison))
    units = {compared.criterion.scale.unit for compared in comparison.criteria.values()}
    bias = f"bias, {units.pop()}" if len(units) == 1 and not _have_many_values(comparison) else "bias"
    return figures if comparison.rubric.is_of_pairs else (*figures, bias)


def criterion_rows(
    comparison: Comparison, findings: Sequence[Finding] = (), tag_prefix: str | None = None
) -> Iterator[tuple[doc.Line, ...]]:
    """Yield for each criterion its name, its figures, bias in levels (except for pairs) and findings.

    Args:
        comparison: The judge compared with gold.
        findings: The findings on the judge.
        tag_prefix: Prefix of the tags by which a page finds a criterion's examples, if the page shows several judges;
            None for one judge.
    """
    criteria = comparison.criteria.values()
    half = reach(compared.statistics["signed_error"] for compared in criteria)
    for index, (name, compared) in enumerate(comparison.criteria.items()):
        causes = dict.fromkeys(finding.kind.short for finding in findings if finding.criterion == name)
        yield (
            doc.Name(name, criterion_tag(index, tag_prefix)),
            *(figure.cell(figure.estimate(compared)) for figure in criterion_figures(comparison)),
            *([] if compared.criterion.scale.mirrored else [shift_mark(compared.statistics["signed_error"], half)]),
            ", ".join(causes),
        )


def _figures(comparison: Comparison) -> list[tuple[str, str, Estimate]]:
    """List each figure in the table of criteria, as criterion, column heading and Estimate."""
    return [
        (name, heading, estimate)
        for name, compared in comparison.criteria.items()
        for heading, estimate in (
            *((figure.heading, figure.estimate(compared)) for figure in criterion_figures(comparison)),
            *([] if compared.criterion.scale.mirrored else [("bias", compared.statistics["signed_error"])]),
        )
    ]


def _about_figures(comparison: Comparison) -> str:
    """Explain the figures of the criteria table, for the notes below it."""
    first = "MAE: mean absolute error" if _have_many_values(comparison) else "Same level: as gold"
    weights = ", weighted by squared distance where levels have an order" if _any_ordered(comparison) else ""
    last = "Each pair counts with its mirror image" if comparison.rubric.is_of_pairs else "Bias: judge minus gold"
    return f"{first}. Kappa: agreement beyond chance{weights}. {last}. {_intervals(comparison)}"


def _figures_in_brief(comparison: Comparison) -> str:
    """Explain the figures of the criteria table in a line, for the first screen."""
    first = "MAE: mean absolute error; kappa" if _have_many_values(comparison) else "Kappa"
    near = ", near misses count little" if _has_near_misses(comparison) else ""
    last = "each pair counts with its mirror image" if comparison.rubric.is_of_pairs else "bias: judge minus gold"
    return f"{first}: beyond chance{near}; {last}; {_intervals(comparison)}"


def _intervals(comparison: Comparison) -> str:
    """Return a note on the level of the intervals and, if any is approximate, on the sign that marks it."""
    overall = [comparison.agreement, comparison.agreement_constant, *comparison.overall.values()]
    some = any(estimate.is_approximate for estimate in (*overall, *(estimate for *_, estimate in _figures(comparison))))
    return "95% CIs; ~ approximate." if some else "95% CIs."


def _notes(comparison: Comparison) -> Iterator[doc.Line]:
    shown = _figures(comparison)
    yield _about_figures(comparison)
    silent = [name for name, compared in comparison.criteria.items() if np.isnan(compared.judge).all()]
    yield from (f"– {name}: the judge gave no level." for name in silent)
    for name, heading, estimate in shown:
        if estimate.undefined and name not in silent:
            yield f"– {name}, {heading}: {estimate.undefined}."
    for name, heading, estimate in shown:
        why = why_no_interval(estimate, comparison.criteria[name].criterion.scale.level_in_words)
        if why:
            yield f"{name}, {heading}: no interval: {why}."


def _has_near_misses(comparison: Comparison) -> bool:
    """Return True if kappa is weighted on some criterion, so that near misses count less than far ones.

    It is if there are three or more ordered levels.
    """
    scales = [criterion.scale for criterion in comparison.rubric.criteria]
    return any(scale.ordered and len(scale.levels) > 2 for scale in scales)


def _any_ordered(comparison: Comparison) -> bool:
    return any(criterion.scale.ordered for criterion in comparison.rubric.criteria)


# --- one criterion --------------------------------------------------------------------------------------------------


def _in_detail(index: int, of_levels: Comparison, tag_prefix: str | None) -> doc.Section:
    """Build the section on a criterion: confusion matrix, and the agreement of judge, annotators and baseline.

    Args:
        index: The criterion's index in the rubric.
        of_levels: The comparison of levels on this criterion.
        tag_prefix: Text before the tags of its examples, to tell comparisons on one page apart; None for none.
    """
    criterion = of_levels.rubric.criteria[index]
    compared = of_levels.criteria[criterion.name]
    is_rated = ~np.isnan(compared.gold) & ~np.isnan(compared.judge)
    apart = int((compared.gold[is_rated] != compared.judge[is_rated]).sum())
    has_between = len(compared.levels_given) > len(set(criterion.scale.values))
    between = " A level between two is the median of labels that differ." if has_between else ""
    differing = (
        "Another level than gold on ",
        doc.Count(apart, criterion_tag(index, tag_prefix)),
        f" of {int(is_rated.sum())} examples.",
    )
    caption = f"Confusion matrix: rows are gold, columns the judge.{between}{_next_to_kappa(compared)}"
    return doc.Section(
        criterion.name,
        (
            doc.Paragraph((f"{criterion.requirement} (weight {criterion.weight:g})", differing)),
            _matrix(index, compared, caption, tag_prefix),
            doc.Bars(tuple(_bars(of_levels, compared)), "Share of examples on the same level"),
        ),
        criterion_tag(index, tag_prefix),
    )


def _next_to_kappa(compared: CriterionComparison) -> str:
    """Return a sentence with AC1 if 90% of gold's labels or more are on one level, which makes kappa small; else ""."""
    ac1 = compared.statistics["gwet_ac1"]
    is_skewed = ac1.value is not None and modal_level(compared.gold)[1] >= STUCK
    return f" AC1 {coefficient(ac1)}; kappa is small where one level is common." if is_skewed else ""


def _bars(of_levels: Comparison, compared: CriterionComparison) -> Iterator[tuple[str, doc.Mark]]:
    is_rated = ~np.isnan(compared.gold) & ~np.isnan(compared.judge)
    yield "judge", share_mark(of_levels.agreement)
    if of_levels.agreement_person is not None:
        yield "annotators", share_mark(of_levels.agreement_person, "annotators")
    yield "baseline", share_mark(of_levels.agreement_constant, "baseline")
    if is_rated.any():
        by_chance = sum(
            float((compared.gold[is_rated] == level).mean() * (compared.judge[is_rated] == level).mean())
            for level in compared.levels_given
        )
        yield "chance", doc.Mark(share(by_chance), by_chance, role="chance")


def _matrix(index: int, compared: CriterionComparison, caption: str, tag_prefix: str | None) -> doc.Table:
    levels = compared.levels_given
    counts = confusion(compared.gold, compared.judge, levels)
    of_scale = np.isin(levels, compared.criterion.scale.values)
    rows, columns = (np.flatnonzero(of_scale | (counts.sum(axis=axis) > 0)).tolist() for axis in (1, 0))
    names = [level_name(compared.criterion, level) for level in levels]

    def cell(row: int, column: int) -> doc.Count:
        says = f"{compared.criterion.name}, gold {names[row]}, judge {names[column]}"
        return doc.Count(int(counts[row, column]), cell_tag(index, row, column, tag_prefix), row != column, says)

    body: tuple[tuple[doc.Line, ...], ...] = tuple(
        (names[row], *(cell(row, column) for column in columns)) for row in rows
    )
    return doc.Table(("gold ↓ judge →", *(names[column] for column in columns)), body, caption, is_matrix=True)


# --- the whole score ------------------------------------------------------------------------------------------------


def overall_line(comparison: Comparison) -> str:
    """Describe in a line how the judge's total scores and pass/fail decisions agree with gold's."""
    overall = comparison.overall
    if comparison.rubric.is_of_pairs:
        return _preference_line(comparison)
    if not comparison.rubric.decides:
        levels = "Nothing says which levels pass."
        return "Categories have no score, and neither pass nor fail." if comparison.rubric.categories else levels
    if comparison.agreement.value is None:
        return "Whole score: no example has both a label and a judge's score."
    mae = with_interval(overall["mae"])
    bias = with_signed_interval(overall["signed_error"])
    errors = f"mean absolute error (MAE) {mae}, bias {bias}; "
    why = _one_decision(comparison) or why_no_interval(overall["pass_kappa"])
    kappa = f"kappa {coefficient(overall['pass_kappa'])}{f' (no interval: {why})' if why else ''}"
    passing = overall["prevalence_gold"].value or 0.0
    right = _share_or_count(max(passing, 1 - passing), overall["accuracy"])
    always = f"always {'passing' if passing >= 0.5 else 'failing'} would be right on {right}"
    passes = [
        _share_or_count(overall[name].value, overall["accuracy"]) for name in ("prevalence_gold", "prevalence_judge")
    ]
    return (
        f"Whole score: {errors if _any_ordered(comparison) else ''}same pass/fail decision as gold "
        f"{share_with_interval(overall['accuracy'])}, {kappa}; {always}. "
        f"Passes: gold {passes[0]}, judge {passes[1]}."
    )


def _preference_line(comparison: Comparison) -> str:
    """Say in a line how often judge and gold prefer the same response of a pair, and how often each sees a tie.

    Pairs on which gold is a tie don't count for the first figure.
    """
    gold = comparison.gold_values
    judge = comparison.judge_values
    is_rated = np.isfinite(gold) & np.isfinite(judge)
    decided = np.where(is_rated & (gold != EVEN_PREFERENCE), comparison.hits, np.nan)
    same = share_of(decided, comparison.table.groups, of="pairs that aren't ties")
    of_gold = share(_mean_where(gold == EVEN_PREFERENCE, is_rated))
    of_judge = share(_mean_where(judge == EVEN_PREFERENCE, is_rated))
    ties = f"Ties: gold {of_gold}, judge {of_judge}."
    return f"Same preference where gold is no tie: {share_with_interval(same)}. {ties}"


def _mean_where(flags: Flags, among: Flags) -> float | None:
    return float(flags[among].mean()) if among.any() else None


def _one_decision(comparison: Comparison) -> str:
    """Explain a missing interval of kappa if gold or the judge decides the same on every example; else return ""."""
    if not why_no_interval(comparison.overall["pass_kappa"]):
        return ""
    passing = {"gold": comparison.overall["prevalence_gold"], "the judge": comparison.overall["prevalence_judge"]}
    constant = {who: share.value for who, share in passing.items() if share.value in (0.0, 1.0)}
    return "; ".join(f"{who} {'passes' if value else 'fails'} every example" for who, value in constant.items())


def _share_or_count(value: float | None, decided: Estimate) -> str:
    """Format a share of the decided examples; if these are few, as a count.

    Args:
        value: The share; None if it isn't known.
        decided: An estimate over the examples with a decision, which says how many there are.
    """
    if value is None or not decided.is_count:
        return share(value)
    return f"{number(value * decided.n, 0)} of {decided.n}"
