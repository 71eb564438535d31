"""Pairs of responses: which one is better, how much the order shown affects that, and Promptfoo's `select-best`."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from markscheme.calibration.comparison.subjects import SUBJECTS, SubjectRow
from markscheme.calibration.findings.table import FINDINGS, FindingRow
from markscheme.calibration.results import RESULTS, Reporter
from markscheme.promptfoo.questions import PROVIDER_QUESTIONS, KeysCheck, QuestionAnswer, QuestionKind
from markscheme.readers.file_format import FORMATS, FileFormat
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

    class _Questions(Protocol):
        @property
        def check_select_keys(self) -> KeysCheck: ...
        @property
        def select_best(self) -> QuestionAnswer: ...
        @property
        def report_recorded(self) -> Callable[[Mapping[str, Any]], RunReport]: ...

    class _Figures(Protocol):
        def measure_of_pairs(self, rubric: Rubric, of: Measured, _: float | None) -> Measure: ...
        def rank_systems_of_pairs(
            self, rubric: Rubric, pairs: ExampleSet, judged: Sequence[Rating]
        ) -> Reported | None: ...

    class _Reports(Protocol):
        @property
        def SYSTEMS_REPORTER(self) -> Reporter: ...  # noqa: N802 - a constant of the module
        def sections_of_pairs(self, calibration: Calibration, _: Examples) -> Iterator[Section]: ...
        def pair_tiles(self, calibration: Calibration) -> Tiles: ...
        def pairs_data(self, calibration: Calibration) -> Mapping[str, Any]: ...


def _questions() -> "_Questions":
    from markscheme.features.pairs import select_best

    return select_best


def _select_best() -> tuple[KeysCheck, QuestionAnswer]:
    return _questions().check_select_keys, _questions().select_best


def _figures() -> "_Figures":
    from markscheme.features.pairs import figures

    return figures


def _findings() -> Sequence[FindingRow]:
    from markscheme.features.pairs.findings import PAIR_FINDINGS

    return PAIR_FINDINGS


def _reports() -> "_Reports":
    from markscheme.features.pairs import reports

    return reports


def _formats() -> "Sequence[FileFormat]":
    from markscheme.features.pairs.pair_tables import PAIR_TABLES

    return (PAIR_TABLES,)


PAIRS = Feature(
    "pairs",
    FORMATS(_formats),
    SUBJECTS(
        SubjectRow(
            "pairs",
            lambda rubric, of, tolerance: _figures().measure_of_pairs(rubric, of, tolerance),
            lambda rubric, pairs, ratings: _figures().rank_systems_of_pairs(rubric, pairs, ratings),
        )
    ),
    FINDINGS(_findings),
    SECTIONS(
        SectionRow(
            20,
            lambda calibration, examples: _reports().sections_of_pairs(calibration, examples),
            rated=("pairs",),
            counts=lambda calibration: _reports().pair_tiles(calibration),
            data=lambda calibration: _reports().pairs_data(calibration),
        )
    ),
    RESULTS(("PairsCompared", lambda: _reports().SYSTEMS_REPORTER)),
    PROVIDER_QUESTIONS(
        QuestionKind("select-best", frozenset({"criteria", "outputs"}), frozenset({"tie", "pairs"}), _select_best)
    ),
    AFTER_RUN((20, lambda: _questions().report_recorded)),
)
