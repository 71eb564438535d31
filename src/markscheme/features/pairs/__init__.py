"""Pairs of responses: which one is better, how much the order shown affects that, and Promptfoo's `select-best`."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from markscheme.calibration.comparison.subjects import SUBJECTS, SubjectRow
from markscheme.calibration.findings.table import FINDINGS, FindingRow
from markscheme.calibration.results import RESULTS, Reporter
from markscheme.promptfoo.questions import PROVIDER_QUESTIONS, KeysCheck, QuestionAnswer, QuestionKind
from markscheme.report.after_run import AFTER_RUN, RunReport
from markscheme.report.sections.table import SECTIONS, SectionRow
from markscheme.seam import Feature

if TYPE_CHECKING:
    from markscheme.calibration.calibration import Calibration
    from markscheme.calibration.comparison.measure import Measure, Measured
    from markscheme.calibration.results import Reported
    from markscheme.ratings.examples import ExampleSet
    from markscheme.ratings.rating import Rating
    from markscheme.report.document import Examples, Section, Tiles
    from markscheme.rubrics.rubric import Rubric


def _select_best() -> tuple[KeysCheck, QuestionAnswer]:
    from markscheme.features.pairs.select_best import check_select_keys, select_best

    return check_select_keys, select_best


def _recorded_pairs() -> Callable[[Mapping[str, Any]], RunReport]:
    from markscheme.features.pairs.select_best import report_recorded

    return report_recorded


def _measure(rubric: "Rubric", of: "Measured", tolerance: float | None) -> "Measure":
    from markscheme.features.pairs.measure import measure_of_pairs

    return measure_of_pairs(rubric, of, tolerance)


def _rank_systems(rubric: "Rubric", pairs: "ExampleSet", ratings: "Sequence[Rating]") -> "Reported | None":
    from markscheme.features.pairs.run import rank_systems_of_pairs

    return rank_systems_of_pairs(rubric, pairs, ratings)


def _findings() -> Sequence[FindingRow]:
    from markscheme.features.pairs.findings import PAIR_FINDINGS

    return PAIR_FINDINGS


def _systems() -> Reporter:
    from markscheme.features.pairs.view_systems import SYSTEMS_REPORTER

    return SYSTEMS_REPORTER


def _sections(calibration: "Calibration", examples: "Examples") -> "Iterator[Section]":
    from markscheme.features.pairs.section import sections_of_pairs

    return sections_of_pairs(calibration, examples)


def _counts(calibration: "Calibration") -> "Tiles":
    from markscheme.features.pairs.section import pair_tiles

    return pair_tiles(calibration)


def _data(calibration: "Calibration") -> Mapping[str, Any]:
    from markscheme.features.pairs.section import pairs_data

    return pairs_data(calibration)


PAIRS = Feature(
    "pairs",
    SUBJECTS(SubjectRow("pairs", _measure, _rank_systems)),
    FINDINGS(_findings),
    SECTIONS(SectionRow(20, _sections, rated=("pairs",), counts=_counts, data=_data)),
    RESULTS(("PairsCompared", _systems)),
    PROVIDER_QUESTIONS(
        QuestionKind("select-best", frozenset({"criteria", "outputs"}), frozenset({"tie", "pairs"}), _select_best)
    ),
    AFTER_RUN((20, _recorded_pairs)),
)
