"""Ratings of several annotators in a file of any format, converted to a table with a column for each annotator."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from markscheme.ratings.column_options import ColumnOptions, Span
from markscheme.ratings.kinds import JUDGES
from markscheme.ratings.rating import Rating
from markscheme.readers.rated import RatedFiles
from markscheme.readers.rater_columns import DECISION, SCORE
from markscheme.readers.tabular.columns import SideColumn, TableColumn
from markscheme.readers.tabular.read_values import read_values
from markscheme.readers.tabular.reading import TableReading
from markscheme.readers.tabular.roles import Roles
from markscheme.readers.tabular.scales import ReadValues
from markscheme.rubrics.rubric import Scale


def annotators_in(rated: RatedFiles, paths: Sequence[Path], options: ColumnOptions) -> TableReading | None:
    """Convert ratings by annotators to a TableReading; None if judges rated too, or if there is only one rater.

    Args:
        rated: The contents of the files.
        paths: The files.
        options: The user's options on the values.
    """
    labels = [rating for file in rated.files for rating in file.ratings]
    raters = list(dict.fromkeys(label.rater for label in labels))
    if len(raters) < 2 or any(label.kind in JUDGES for label in labels):
        return None
    ids = tuple(dict.fromkeys(label.id for label in labels))
    criteria: dict[str, tuple[SideColumn, ...]] = {}
    values: dict[str, ReadValues] = {}
    for name, scale in _rated_scales(rated, labels).items():
        cells = _cells(labels, name, scale)
        if len(cells) < 2:
            continue
        criteria[name] = tuple(
            SideColumn(TableColumn(rater, tuple(cell_of.get(unit, "") for unit in ids)), False, (), rater)
            for rater, cell_of in cells.items()
        )
        stated = scale.ends if scale is not None and rated.is_named else options.span_of(name, is_judge=False)
        levels = options.levels or (() if scale is None else _levels(scale, cells, stated))
        of_scale = options if scale is None else replace(options, levels=levels, scale=())
        values[name] = read_values(criteria[name], name, of_scale)
    if not criteria:
        return None
    return TableReading(
        paths[0].stem, tuple(paths), options, (), ids, Roles(criteria), values, source=None, names_raters=True
    )


def _rated_scales(rated: RatedFiles, labels: Sequence[Rating]) -> dict[str, Scale | None]:
    """Map each rated criterion to its scale.

    If no criterion is rated, return a single entry without a scale (None): for the overall score if any label has one,
    else for the decision.
    """
    rubric = rated.rubric
    named = {
        criterion.name: criterion.scale
        for criterion in rubric.criteria
        if any(criterion.name in label.criteria for label in labels)
    }
    if named:
        return dict(named)
    return {SCORE: None} if any(label.overall is not None for label in labels) else {DECISION: None}


def _cells(labels: Sequence[Rating], name: str, scale: Scale | None) -> dict[str, dict[str, str]]:
    """Return each rater's ratings on a criterion, by example, as they would be written in a table's cells.

    Args:
        labels: The ratings.
        name: Name of the criterion; or of a value on the whole response, such as the score.
        scale: The criterion's scale; None for a value on the whole response.
    """
    cells: dict[str, dict[str, str]] = {}
    for label in labels:
        text = _text(label, name, scale)
        if text is not None:
            cells.setdefault(label.rater, {})[label.id] = text
    return cells


def _text(label: Rating, name: str, scale: Scale | None) -> str | None:
    if scale is not None:
        rated = label.criteria.get(name)
        return None if rated is None or rated.level is None else _word(scale, rated.level)
    if name == SCORE:
        return None if label.overall is None else f"{label.overall:g}"
    return None if label.passed is None else "pass" if label.passed else "fail"


def _word(scale: Scale, level: float) -> str:
    if scale.is_yes_no and not scale.mirrored:
        return "yes" if level > 0 else "no"
    return scale.level_name(level) if _has_words(scale) else f"{level:g}"


def _has_words(scale: Scale) -> bool:
    return scale.coded or scale.by_label or scale.mirrored


def _levels(scale: Scale, cells: Mapping[str, Mapping[str, str]], stated: Span | None) -> tuple[str, ...]:
    """Return the levels of a scale as words of the option `--levels`; () if a table's cells make them clear.

    Args:
        scale: The scale.
        cells: The ratings as cells, by rater and example.
        stated: Lowest and highest level as the user or the file states them; None if nothing states them. If the scale
            is wider than the ratings in `cells`, its own ends are written instead.
    """
    if scale.coded or (scale.is_yes_no and not scale.mirrored):
        return ()
    if _has_words(scale):
        return (",".join(scale.choices),)
    levels = [float(cell) for cell_of in cells.values() for cell in cell_of.values()]
    ends = stated if scale.ends == (min(levels), max(levels)) else scale.ends
    return () if ends is None else (f"{ends[0]:g}..{ends[1]:g}",)
