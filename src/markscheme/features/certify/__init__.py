"""Certificates of which decisions judges may make without a person, under a promise about how many are wrong."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from markscheme.calibration.accepted.verifiable import VERIFIABLE
from markscheme.calibration.further_figures import FURTHER_FIGURES
from markscheme.calibration.label_needs import PROMISE_NEEDS, Need, RatingsByFile
from markscheme.calibration.results import RESULTS, Reporter
from markscheme.commands.table import COMMANDS, CommandFunction, CommandRow
from markscheme.features.certify.kind import CASCADE_KIND, load_verdicts
from markscheme.grading.tables import AFTER_GRADING, GRADERS, GROUP_CHECKS
from markscheme.judges.kinds import JUDGE_KINDS
from markscheme.seam import Feature

if TYPE_CHECKING:
    from typing import Protocol

    from markscheme.calibration.accepted.recomputed import Recomputed
    from markscheme.calibration.calibration import Calibration
    from markscheme.features.certify.judges import CertifiedJudges
    from markscheme.grading import GradeOptions, Grading, SubmissionGrader
    from markscheme.grading.graded_table import GradedCounts
    from markscheme.ratings.examples import ExampleSet
    from markscheme.ratings.kinds import Kind
    from markscheme.rubrics.rubric import Rubric

    class _Checks(Protocol):
        @property
        def CHECK_REPORTER(self) -> Reporter: ...  # noqa: N802 - a constant of the module
        def check_certificate_at(self, path: Path) -> Recomputed | None: ...

    class _Parts(Protocol):
        def may_decide(self, calibration: Calibration) -> float | None: ...
        def votes_of_panel(self, calibration: Calibration) -> float | None: ...


def _checks() -> "_Checks":
    from markscheme.features.certify import checks

    return checks


def _labels_needed(
    rubric: "Rubric", examples: "ExampleSet", by_file: RatingsByFile, error: float, kind: "Kind | None"
) -> Need | None:
    from markscheme.features.certify.labels_needed import labels_for_certificate

    return labels_for_certificate(rubric, examples, by_file, error, kind)


def _command() -> CommandFunction:
    from markscheme.features.certify.command import certify

    return certify


def _of_tune(words: Sequence[str]) -> list[str]:
    """Convert options of the removed `tune --cascade` to those of `certify`; drop those on costs or held-out labels."""
    typed: list[str] = []
    is_left_out = False
    for word in words:
        option, equals, value = word.partition("=")
        if option in ("--source", "--cost"):
            is_left_out = not equals
        elif is_left_out:
            is_left_out = False
        elif option != "--final":
            typed.append(f"{'--judge' if option == '--cascade' else option}{equals}{value}")
    return typed


def _may_decide(calibration: "Calibration") -> float | None:
    gate = calibration.decision.gate
    is_shown = calibration.use == "gate" if gate is None else gate.state == "shown"
    if is_shown or calibration.labels_needed is not None or calibration.rubric.is_of_pairs:
        return None  # the commonest answers come before the statistics are loaded
    return _parts().may_decide(calibration)


def _votes(calibration: "Calibration") -> float | None:
    return _parts().votes_of_panel(calibration) if calibration.rater.member_votes else None


def _parts() -> "_Parts":
    from markscheme.features.certify import parts

    return parts


def _after_grading(grading: "Grading", counts: "GradedCounts") -> None:
    from markscheme.features.certify.pass_drift import warn_of_moved_passes

    warn_of_moved_passes(grading, counts)


def _grader(rubric: "Rubric", judges: "CertifiedJudges", options: "GradeOptions") -> "SubmissionGrader":
    return load_verdicts().certified_grader(rubric, judges, options)


CERTIFY = Feature(
    "certify",
    PROMISE_NEEDS(_labels_needed),
    COMMANDS(
        CommandRow(
            "certify",
            "Improve",
            "find which part judges may decide without people, and who decides what",
            _command,
            rank=15,
            heir_of={"tune": _of_tune},
            shares={"tune": "who decides what"},
            common="judge error confidence for wrong-passes ratings examples write budget details json human",
        )
    ),
    JUDGE_KINDS(CASCADE_KIND),
    GRADERS(("cascade", _grader)),
    GROUP_CHECKS(lambda judges, rubric: load_verdicts().with_checked_labels(judges, rubric)),
    AFTER_GRADING(_after_grading),
    FURTHER_FIGURES(("may_decide", _may_decide), ("independent_votes", _votes)),
    VERIFIABLE(lambda path: _checks().check_certificate_at(path)),
    RESULTS(("CertificateCheck", lambda: _checks().CHECK_REPORTER)),
)
