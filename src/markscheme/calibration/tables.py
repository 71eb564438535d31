"""Calibrations from tables without a rubric: of judges with people, or of annotators with each other."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from markscheme.calibration.agreement import Agreement, ScaleName, agreement_of
from markscheme.calibration.calibration import Calibration, Rater, calibration_of
from markscheme.calibration.comparison.policy import UseQuestion
from markscheme.calibration.file_answers import FileAnswer
from markscheme.calibration.options import LabelOptions
from markscheme.calibration.table_frames import frame_of, rows_of
from markscheme.errors import ComparisonError, UsageError
from markscheme.ratings.column_options import ColumnOptions
from markscheme.readers.rated import RatedFiles, columns_from_options, has_own_ratings, open_rated
from markscheme.readers.rated_columns import annotators_in
from markscheme.readers.rater_table import RaterTable
from markscheme.readers.tabular.reading import TableReading
from markscheme.readers.tabular.refusals import refusal
from markscheme.readers.tabular.scales import ReadValues
from markscheme.stats import Estimate
from markscheme.stats.agreement_figures import pair_agreement
from markscheme.stats.coefficients import NamedWeights
from markscheme.stats.intervals import Floats
from markscheme.stats.shares import grouped_share


@dataclass(frozen=True, repr=False)
class TableCalibrations(FileAnswer):
    """The calibrations of a table's judge, one for each criterion.

    Attributes:
        reading: The table as it was read.
        criteria: The calibration on each criterion, by the criterion's name.
        apart: Criteria that can't be compared, each with the reason why.
    """

    reading: TableReading
    criteria: Mapping[str, Calibration]
    apart: Mapping[str, str]

    def __repr__(self) -> str:
        uses = ", ".join(f"{name}: {calibration.use}" for name, calibration in self.criteria.items())
        return f"<Calibrations of {self.reading.name}: {uses}>"

    @property
    def calibrations(self) -> tuple[Calibration, ...]:
        """The calibration on each criterion, in order."""
        return tuple(self.criteria.values())

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The table's rows as dicts: id and, by criterion, gold, judge, True if they agree, and both decisions."""
        return rows_of(self.reading, {name: calibrations.comparison for name, calibrations in self.criteria.items()})

    def to_frame(self) -> Any:
        """Return the table as a data frame of the caller's library, with each criterion's results in added columns."""
        return frame_of(self.reading, self.rows)

    def exit_status_for(self, required: UseQuestion | None) -> int:
        """Return 1 if the judge needs adjusting on any criterion, else the highest exit status over the criteria.

        Args:
            required: The question that decides, "gate" or "trend"; None means the verdict.
        """
        statuses = [calibration.exit_status_for(required) for calibration in self.criteria.values()]
        return 1 if 1 in statuses else max(statuses)


@dataclass(frozen=True)
class AnnotatorFigures:
    """Agreement of annotators with each other on one criterion.

    Attributes:
        annotators: The annotators' names.
        agreement_person: Mean over examples of the share of pairs of annotators who agree.
        all_agree: Share of examples on which all agree.
        measures: Every measure of agreement.
        differing: Ids of examples on which annotators differ, those with the largest difference first.
        several: Number of examples that two or more annotators rated.
        pairs: Share of examples on which each two annotators agree, by their names; empty if there are only two.
    """

    annotators: tuple[str, ...]
    agreement_person: Estimate
    all_agree: Estimate
    measures: Agreement
    differing: tuple[str, ...]
    several: int
    pairs: Mapping[tuple[str, str], Estimate] = field(default_factory=dict)

    @property
    def alpha(self) -> Estimate:
        """Krippendorff's alpha of the annotators on the criterion."""
        return self.measures.statistics["krippendorff_alpha"]


@dataclass(frozen=True, repr=False)
class AnnotatorAgreement(FileAnswer):
    """Agreement of the annotators in a table with each other.

    Attributes:
        reading: The table as it was read.
        criteria: The figures on each criterion, by the criterion's name; "" for one without a name.
    """

    reading: TableReading
    criteria: Mapping[str, AnnotatorFigures]

    def __repr__(self) -> str:
        return f"<Agreement of the annotators in {self.reading.name}>"

    @property
    def calibrations(self) -> tuple[Calibration, ...]:
        """Always empty: without a judge there is no calibration."""
        return ()

    def exit_status_for(self, required: UseQuestion | None) -> int:
        """Return 0, since agreement of annotators says nothing about a judge.

        Raises:
            UsageError: A judge's use is required.
        """
        if required is not None:
            raise UsageError(f"--require {required} asks about a judge; {self.reading.name} has annotators alone")
        return 0


def calibrations_of(reading: TableReading, options: LabelOptions) -> dict[str, list[Calibration]]:
    """Return the calibration of each judge in a table on each criterion.

    Raises:
        UsageError: Several judges rate by several criteria.
        ComparisonError: No example has values by both a judge and a person.
    """
    if reading.is_by_criterion:
        _refuse_several_judges(reading)
    calibrations: dict[str, list[Calibration]] = {}
    for criterion in reading.roles.criteria:
        judges = reading.raters(criterion, judges=True)
        rubric = reading.rubric(criterion)
        examples = reading.examples(criterion)
        of_criterion = []
        for judge in judges:
            rater = Rater(
                judge,
                "",
                "ratings",
                ", ".join(map(str, reading.paths)),
                named=shlex.join(map(str, reading.paths)),
                options=reading.options.as_shell.strip(),
                has_rubric=False,
                may_be_accepted=False,
                rated_table=(reading, criterion),
            )
            calibration = calibration_of(rubric, examples, reading.judged(criterion, judge), rater, options=options)
            of_criterion.append(calibration.after(len(judges) + reading.judges_aside(judge)))
        calibrations[criterion] = of_criterion
    return calibrations


def by_criterion(reading: TableReading, options: LabelOptions) -> TableCalibrations:
    """Return the calibrations of a table's only judge, one for each of several criteria.

    Raises:
        UsageError: Several judges rate by several criteria.
        ComparisonError: No criterion can be compared.
    """
    criteria: dict[str, Calibration] = {}
    apart: dict[str, str] = {}
    for criterion in reading.roles.criteria:
        reading_of_one = replace(reading, roles=replace(reading.roles, criteria={criterion: reading.sides(criterion)}))
        _refuse_several_judges(reading)
        try:
            (criteria[criterion],) = calibrations_of(reading_of_one, options)[criterion]
        except ComparisonError as problem:
            apart[criterion] = str(problem)
    if not criteria:
        raise ComparisonError("; ".join(f"{name}: {why}" for name, why in apart.items()))
    return TableCalibrations(reading, criteria, apart)


def _refuse_several_judges(reading: TableReading) -> None:
    raters = {criterion: reading.raters(criterion, judges=True) for criterion in reading.roles.criteria}
    several = next((names for names in raters.values() if len(names) > 1), None)
    if several is not None:
        raise refusal("several-judges", columns=several, choices=[("--judge", "COLUMN")])


def annotator_agreement(
    reading: TableReading, *, metric: ScaleName | None = None, weights: NamedWeights | None = None
) -> AnnotatorAgreement:
    """Compute the agreement of a table's annotators with each other, by criterion.

    Args:
        reading: A table with columns of annotators alone.
        metric: "nominal", "ordinal" or "interval"; None to infer it from the values.
        weights: Cost of a disagreement; None means quadratic if levels have an order.
    """
    figures = {name: _figures(reading, name, metric, weights) for name in reading.roles.criteria}
    return AnnotatorAgreement(reading, figures)


def agreement_in_ratings(paths: Sequence[Path], columns: ColumnOptions) -> AnnotatorAgreement | None:
    """Compute the agreement of annotators in a file of ratings or labelled examples; None for any other file.

    Args:
        paths: The file, or several. If the first has ratings or labelled examples, all are read as such.
        columns: Meaning of the file's columns and values.
    """
    if not has_own_ratings(paths[0]):
        return None
    return agreement_in(open_rated(paths, columns=columns_from_options(columns)), paths, columns)


def agreement_in(rated: RatedFiles, paths: Sequence[Path], columns: ColumnOptions) -> AnnotatorAgreement | None:
    """Compute the agreement of annotators in files; None if a judge rated as well, or only one annotator did.

    Args:
        rated: The content of the files.
        paths: The files.
        columns: What the files' columns and values mean.
    """
    table = annotators_in(rated, paths, columns)
    if table is None:
        return None
    return annotator_agreement(table, metric=columns.metric, weights=columns.agreement_weights)


def _figures(
    reading: TableReading, criterion: str, metric: ScaleName | None, weights: NamedWeights | None
) -> AnnotatorFigures:
    values = reading.values[criterion]
    sides = reading.sides(criterion)
    names = tuple(side.name for side in sides)
    table = np.array(
        [
            [values.levels[name].get(cell, np.nan) for cell in side.cells]
            for name, side in zip(names, sides, strict=True)
        ],
        dtype=np.float64,
    ).T
    low, high = values.scale.ends
    positions = (table - low) / ((high - low) or 1.0)
    pairs = pair_agreement(positions, values.tolerance)
    several = np.isfinite(table).sum(axis=1) >= 2
    complete = np.where(np.isfinite(pairs), (pairs == 1).astype(np.float64), np.nan)
    groups = _groups(reading)
    order = sorted((pair, row) for row, pair in enumerate(pairs.tolist()) if pair < 1)
    return AnnotatorFigures(
        names,
        grouped_share(pairs, groups).estimate(method="share of pairs of annotators; mean over examples"),
        grouped_share(complete, groups).estimate(method="share of examples on which all agree"),
        _measures(table, values, names, metric, weights),
        tuple(reading.ids[row] for _, row in order),
        int(several.sum()),
        _pairs(positions, values.tolerance, names, groups) if len(names) > 2 else {},
    )


def _pairs(
    positions: Floats, tolerance: float, names: Sequence[str], groups: list[str] | None
) -> dict[tuple[str, str], Estimate]:
    """Compute the agreement of each pair of annotators with each other.

    Args:
        positions: Each annotator's position on the scale, shape (n, n_people), nan if missing.
        tolerance: Difference below which two positions agree.
        names: Names of the annotators.
        groups: Name of each example's group; None without groups.
    """
    pairs = {}
    for first, second in combinations(range(len(names)), 2):
        agreed = pair_agreement(positions[:, (first, second)], tolerance)
        share = grouped_share(agreed, groups).estimate(method="share of examples on which the two agree")
        pairs[names[first], names[second]] = share
    return pairs


def _measures(
    table: Floats, values: ReadValues, names: Sequence[str], metric: ScaleName | None, weights: NamedWeights | None
) -> Agreement:
    words = values.scale.coded or values.scale.by_label
    levels = tuple(values.scale.choices) if words else tuple(values.scale.values)
    if values.kind == "score":
        levels = tuple(sorted({float(v) for v in table[np.isfinite(table)].tolist()}))
    codes = [float(code) for code in range(len(levels))] if words else list(map(float, levels))
    by_value = dict(zip(values.scale.values, codes, strict=True)) if words else None
    coded = table if by_value is None else np.vectorize(lambda v: by_value.get(v, np.nan), otypes=[float])(table)
    rated = RaterTable(tuple(names), levels, coded)
    usual: ScaleName = "nominal" if values.scale.coded or values.kind == "decision" else "ordinal"
    measures = agreement_of(rated, metric or usual, are_ordered=not values.scale.coded, weights=weights)
    of_known_ends = {
        name: figure.without("the ends of the scale aren't stated") if name in values.withheld else figure
        for name, figure in measures.statistics.items()
    }
    chance = {name: corrected for name, corrected in measures.chance.items() if name not in values.withheld}
    return replace(measures, statistics=of_known_ends, chance=chance)


def _groups(reading: TableReading) -> list[str] | None:
    name = reading.roles.single.get("group")
    column = next((column for column in reading.columns if column.name == name), None)
    return None if column is None else list(column.cells)
