"""The table of findings: their kinds, and the rules that find them; features add theirs."""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from markscheme.seam import OpenTable

if TYPE_CHECKING:
    from markscheme.calibration.findings.evidence import Evidence
    from markscheme.calibration.findings.finding import Finding
    from markscheme.calibration.findings.kinds import FindingKind
    from markscheme.calibration.findings.slices import Slice
    from markscheme.ratings.examples import ExampleSet
    from markscheme.ratings.gold import Gold
    from markscheme.ratings.rating import Rating
    from markscheme.rubrics.keys import SubjectKind
    from markscheme.rubrics.rubric import Rubric


class ExaminedJudge(NamedTuple):
    """The input of diagnosis rules: evidence, ratings and slices of a judge that was compared with gold.

    Attributes:
        evidence: The evidence on all examples.
        ratings: The judge's ratings; several of one example show how often the judge changes its answer.
        slices: The judge's performance on slices of the examples.
        elsewhere: True if the ratings were made outside markscheme. A rating that has nothing but an error then counts
            as a reply that couldn't be read, else as a judge that couldn't be reached.
    """

    evidence: "Evidence"
    ratings: "Sequence[Rating]" = ()
    slices: "Sequence[Slice]" = ()
    elsewhere: bool = False


FindingRule: TypeAlias = "Callable[[ExaminedJudge], Iterable[Finding]]"


class FindingRow(NamedTuple):
    """Kinds of finding, and the rule that finds them.

    Attributes:
        kinds: The kinds; a kind may be in several rows.
        rank: Position of the rule in the order in which rules are run. Findings that explain equal shares of the
            judge's error are reported in this order. Ranks of the core are multiples of ten.
        rule: Function that finds these faults; None for faults found by comparing a run with the accepted run.
        rated: What the judge must have rated, responses or pairs, for the rule to apply. It is chance which response of
            a pair is stored first, so a figure that depends on this order shows no fault of a judge of pairs.
    """

    kinds: "tuple[FindingKind, ...]"
    rank: int
    rule: "FindingRule | None" = None
    rated: "tuple[SubjectKind, ...]" = ("responses", "pairs")


LoadFindings: TypeAlias = Callable[[], Sequence[FindingRow]]
"""Function that imports the rows of a feature and returns them."""
FINDINGS: OpenTable[LoadFindings] = OpenTable()
"""Functions that load the rows of each feature; the module `findings.diagnosis` has the core's rows."""
CAN_IMPROVE: "OpenTable[Callable[[Rubric, ExampleSet, Gold | None], bool]]" = OpenTable()
"""Functions that return True if `improve`, as the command after a finding, can try other words for a rubric on a set of
labelled examples. They also get the gold of the set, or of a part of it; None if that isn't computed yet."""
