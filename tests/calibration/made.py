"""Makes labelled examples and a judge's ratings from arrays of levels."""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from markscheme.calibration.comparison.comparison import Comparison, compare
from markscheme.calibration.findings.diagnosis import finding_kinds, findings_of
from markscheme.calibration.findings.finding import Finding
from markscheme.calibration.findings.kinds import FindingKind
from markscheme.calibration.findings.slices import slices_of
from markscheme.prompts.submission import Submission
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.gold import gold_of
from markscheme.ratings.kinds import Kind
from markscheme.ratings.rating import Rated, Rating
from markscheme.rubrics.rubric import YES_NO, Criterion, Rubric, Scale

Floats = npt.NDArray[np.float64]

NAMES = ("clarity", "facts", "tone", "order")
FIVE = Scale.numbered(1, 5)


def rubric(*names: str, scale: Scale = FIVE, weights: Sequence[float] | None = None) -> Rubric:
    """Make a rubric of criteria with the same scale."""
    named = names or NAMES
    return Rubric(
        tuple(
            Criterion(weight, f"Is the {name} good?", name=name, scale=scale)
            for name, weight in zip(named, weights or [1.0] * len(named), strict=True)
        )
    )


def yes_no_rubric(name: str = "right") -> Rubric:
    """Make a rubric with one criterion, MET or UNMET."""
    return rubric(name, scale=YES_NO)


def rating(id: str, rater: str, kind: Kind, of: Rubric, levels: Sequence[float], **more: object) -> Rating:
    """Make one rater's rating of an example; nan means no level."""
    named = zip((criterion.name for criterion in of.criteria), levels, strict=True)
    return Rating(id, rater, kind, {name: Rated(float(x)) for name, x in named if not np.isnan(x)}, **more)  # type: ignore[arg-type]


def examples(
    of: Rubric,
    labels: Mapping[str, npt.ArrayLike],
    *,
    kind: Kind = "human",
    groups: Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
    lengths: Sequence[int] | None = None,
) -> ExampleSet:
    """Make examples e0, e1, … with each rater's levels, shape (n, n_criteria)."""
    tables = {rater: np.atleast_2d(np.asarray(levels, dtype=np.float64)) for rater, levels in labels.items()}
    n = len(next(iter(tables.values())))
    return ExampleSet(
        tuple(
            Example(
                Submission(f"{i}".ljust(lengths[i] if lengths is not None else 100, "x"), {}, f"e{i}"),
                tuple(rating(f"e{i}", rater, kind, of, levels[i].tolist()) for rater, levels in tables.items()),
                group=groups[i] if groups else "",
                system=systems[i] if systems else "",
            )
            for i in range(n)
        )
    )


def judged(of: Rubric, levels: npt.ArrayLike, *, sample: int = 0) -> list[Rating]:
    """Make the judge's ratings of examples e0, e1, … from levels."""
    table = np.atleast_2d(np.asarray(levels, dtype=np.float64))
    return [rating(f"e{i}", "judge", "model", of, row, sample=sample) for i, row in enumerate(table.tolist())]


def compared(of: Rubric, labelled: ExampleSet, ratings: Sequence[Rating]) -> Comparison:
    """Compare a judge's ratings with gold labels."""
    return compare(gold_of(labelled, of).judged(of, ratings))


def diagnosed(
    of: Rubric, labelled: ExampleSet, ratings: Sequence[Rating], repeats: Sequence[Rating] = ()
) -> list[Finding]:
    """Return the findings of the diagnosis, as a calibration has them."""
    comparison = compared(of, labelled, ratings)
    return list(findings_of(comparison, (*ratings, *repeats), slices=slices_of(comparison)))


def of_code(findings: Sequence[Finding], code: str, criterion: str | None = None) -> Finding:
    """Return the only finding with a code on a criterion, or on the whole rubric; fail if there isn't exactly one."""
    matching = [finding for finding in findings if finding.code == code and finding.criterion == criterion]
    assert len(matching) == 1, [(finding.code, finding.criterion) for finding in findings]
    return matching[0]


def codes(findings: Sequence[Finding]) -> set[str]:
    """Return the codes of findings."""
    return {finding.code for finding in findings}


def rounded(levels: npt.ArrayLike) -> Floats:
    """Round numbers to whole levels from 1 to 5."""
    return np.clip(np.rint(np.asarray(levels, dtype=np.float64)), 1, 5)


class Made:
    """Simulated levels of two people and a judge on four criteria: the same truth plus independent noise."""

    def __init__(self, n: int = 100, *, seed: int = 3, person: float = 0.4, judge: float = 0.45) -> None:
        generator = np.random.default_rng(seed)
        self.truth = 3 + 0.6 * generator.normal(size=(n, 1)) + 0.9 * generator.normal(size=(n, 4))
        self.people = {p: rounded(self.truth + person * generator.normal(size=(n, 4))) for p in ("p1", "p2")}
        self.noise = judge * generator.normal(size=(n, 4))
        self.fresh = generator.normal(size=(n, 4))
        self.rubric = rubric()

    @property
    def judge(self) -> Floats:
        """Levels of a judge that is about as good as a person."""
        return rounded(self.truth + self.noise)

    def find(self, judge: Floats, **parts: Sequence[str]) -> list[Finding]:
        """Return the findings on a judge with other levels."""
        return diagnosed(self.rubric, examples(self.rubric, self.people, **parts), judged(self.rubric, judge))  # type: ignore[arg-type]


def kind_of(code: str) -> FindingKind | None:
    """Return the first kind of finding with a code; None if there is none."""
    return next((kind for kind in finding_kinds() if kind.code == code), None)
