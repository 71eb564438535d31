"""What is asked about decisions that need no person, and what labels say of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from markscheme.calibration.promised import Promised
from markscheme.judges.options import AskOptions
from markscheme.progress import Watch, unwatched
from markscheme.ratings.column_options import ColumnOptions
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.kinds import Kind
from markscheme.ratings.rating import Rating
from markscheme.rubrics.gray_zone import GrayZone
from markscheme.rubrics.rubric import Rubric

if TYPE_CHECKING:
    from markscheme.calibration.decided_labels import RatedLabels
    from markscheme.calibration.tuning_labels import TuningLabels


@dataclass(frozen=True, kw_only=True)
class CertificateEvidence:
    """What a tuned rubric shows, on which a certificate may rest.

    Attributes:
        rubric: As it is.
        labels: All of its labels.
        examples: The examples on which the promise is tested, with their labels.
        split: The part that they are.
        rated: The labels with the judge's levels; None without a judge.
        rated_on_test: The same of the test split, where the promise is tested on that.
        weights: The weights by the judge's levels, as they are or as proposed.
        mark: The pass mark, likewise.
        moves_numbers: Whether these labels move weights or pass mark.
        writes_numbers: Whether anything of the rubric is to be written.
        has_decisions: Whether annotators passed or failed anything, or marked whole responses.
        rater: Name of the judge, or of a panel; None without one.
        votes: The ratings of a panel's judges by themselves; empty for a single judge.
        gold: Only labels of this kind count; None for the strongest there are.
        promised: The promise that automatic decisions must keep.
        writes: Whether what a panel may decide is written.
        today: The day.
    """

    rubric: Rubric
    labels: "TuningLabels"
    examples: ExampleSet
    split: str
    rated: "RatedLabels | None"
    rated_on_test: "RatedLabels | None"
    weights: Sequence[float]
    mark: float
    moves_numbers: bool
    writes_numbers: bool
    has_decisions: bool
    rater: str | None
    votes: Sequence[Rating]
    gold: Kind | None
    promised: Promised
    writes: bool
    today: str


@dataclass(frozen=True, kw_only=True)
class TunedCertificate:
    """What labels say about decisions that need no person, in the words of a report.

    Attributes:
        name: What a report calls it.
        about: What that is, in a sentence.
        supports: What they support changing, in a few words; None where they support nothing.
        is_found: Whether there is something to say of it but what it needs.
        in_short: What a line of a table says.
        sentences: What a report says in full.
        gray_zone: The gray zone that they support; None without one.
        data: Its entries in the JSON of a tuned rubric.
    """

    name: str
    about: str
    supports: str | None
    is_found: bool
    in_short: str
    sentences: tuple[str, ...]
    gray_zone: float | GrayZone | None
    data: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class StagesAsked:
    """Judges that may decide one after the other, on which labels and under which promise.

    Attributes:
        rubric: The rubric.
        labels: The labels.
        judges: Judges by name, or files of a judge's ratings, cheapest first; `+` joins the names of a panel, and
            commas may still join several.
        gold: Only labels of this kind count; None for the strongest there are.
        promised: The promise that automatic decisions must keep.
        wrong_passes: Largest share of wrong ones among automatic passes; None without such a promise.
        opens: Whether the promise is tested on the test split, which is recorded.
        writes: Whether the file that says who decides what is written.
        ask: How judges are asked.
        columns: What files don't say themselves.
        watch: Shows progress.
    """

    rubric: Rubric
    labels: "TuningLabels"
    judges: Sequence[str]
    gold: Kind | None = None
    promised: Promised = Promised()
    wrong_passes: float | None = None
    opens: bool = False
    writes: bool = False
    ask: AskOptions = field(default_factory=AskOptions)
    columns: ColumnOptions = ColumnOptions()
    watch: Watch = unwatched
