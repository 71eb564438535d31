"""The core's kinds of finding, such as a lenient judge: names, causes and remedies that all their findings share.

A rule reports a finding with its own sentence, figures and examples. What all findings of a kind share is said here
once: the name that readers see, where the fault is, what fixes it, when work on it is due, and the command to run.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, Literal, TypeAlias, get_args

from markscheme.calibration.findings.commands import ANNOTATOR, SECOND_ANNOTATOR, Commands, TypedOptions

Cause = Literal["judge", "criteria", "scale", "replies", "quotes", "runs", "labels", "change"]
"""Location of the fault: the judge's levels, criteria not kept apart, a criterion's scale, replies that can't be
read, quotes, runs that differ among themselves, the labels, or what changed since the accepted run."""
FixedBy = Literal["wording", "rubric", "labels", "more labels", "judge"]
"""Way to fix a fault: other words, which `improve` can propose; another edit of the rubric; other labels of the same
examples; labels of further examples; or another way to ask the judge, another judge, or another accepted run."""
WorkStage = Literal["replies", "labels", "judge", "more labels"]
"""When work on a finding is due: first what makes all else unreadable, then the labels and what changed since the
accepted run, then the judge and the rubric, and last what more labels might show."""
STAGES: Final[tuple[WorkStage, ...]] = get_args(WorkStage)
CommandWriter: TypeAlias = Callable[[Commands, TypedOptions], str]
"""Function that writes a command, given the options that a finding's suggestion adds to it; "" if no single command
helps."""


def _calibrate(commands: Commands, options: TypedOptions) -> str:
    """Return the `calibrate` command with further options; "" without options, or if no judge is asked."""
    return commands.calibrate(**options) if options and commands.asks else ""


def _improve(commands: Commands, _options: TypedOptions) -> str:
    return commands.improve()


def _ask_one_at_a_time(commands: Commands, options: TypedOptions) -> str:
    if commands.has_rubric and commands.asks_together:
        return commands.calibrate_one_at_a_time()
    return _calibrate(commands, options)


def _label_under_new_wording(commands: Commands, _options: TypedOptions) -> str:
    return commands.label(ANNOTATOR) if commands.is_usable else ""


LABELS_TO_ADD = 30
"""Number of labels to add for a diagnosis, however many there are, since a diagnosis needs this many in all."""


@dataclass(frozen=True, slots=True)
class FindingKind:
    """A kind of finding, such as a lenient judge: what its findings say, their cause and their remedy.

    Attributes:
        code: Name in JSON. Several kinds share a code if their difference is of no use to a reader of the JSON.
        short: Name for readers, in a few words.
        cause: Where the fault is.
        fixed_by: What fixes it.
        stage: Stage of the work in which it is due: replies, labels, judge or, last, more labels.
        command: Function that writes the command to run once the finding's suggestion was followed; by default it
            writes `calibrate`, which is due after an edit by hand.
        part_of: The code of the kind of finding that explains this one on the same criterion; None if there is none.
        names_criterion: True if its findings' sentences name the criterion by themselves.
        voids_agreement: True if a judge with such a fault is not ok, however often it agrees.
        needs_scores: True if it is reported only once an example has a score.
        compares_baseline: True if it says that always giving the same score agrees as often.
        is_of_levels: True if it is about the levels that the judge gives on a criterion, so that replacing them with
            gold's shows what fixing it changes.
    """

    code: str
    short: str
    cause: Cause
    fixed_by: FixedBy
    stage: WorkStage
    command: CommandWriter = _calibrate
    part_of: str | None = None
    names_criterion: bool = False
    voids_agreement: bool = False
    needs_scores: bool = True
    compares_baseline: bool = False
    is_of_levels: bool = False

    @property
    def step(self) -> int:
        """Number of the stage of work, from 0, in which findings of this kind are due, in the order of `STAGES`."""
        return STAGES.index(self.stage)

    @property
    def is_fixed_by_edit(self) -> bool:
        """True if an edit of the rubric fixes the finding."""
        return self.fixed_by in ("wording", "rubric")


# --- first: what makes all else unreadable --------------------------------------------------------------------------

UNREADABLE: Final = FindingKind(
    "unreadable",
    "unreadable replies",
    cause="replies",
    fixed_by="judge",
    stage="replies",
    command=_ask_one_at_a_time,
    names_criterion=True,
    needs_scores=False,
)

# --- then: the labels, and what changed since the accepted run ------------------------------------------------------

AMBIGUOUS: Final = FindingKind(
    "ambiguous",
    "annotators disagree",
    cause="labels",
    fixed_by="labels",
    stage="labels",
    command=lambda commands, _: commands.adjudicate(),
)
AMBIGUOUS_WORDS: Final = replace(AMBIGUOUS, fixed_by="rubric", command=_calibrate)
"""Kind of finding for annotators' disagreements that are all adjudicated, so that only rewording the criterion is
left."""
STALE_LABELS: Final = FindingKind(
    "stale-labels",
    "labels for another wording",
    cause="labels",
    fixed_by="labels",
    stage="labels",
    command=lambda commands, _: commands.label(ANNOTATOR),
    names_criterion=True,
)
DRIFT_BY_JUDGE: Final = FindingKind(
    "drift",
    "moved since the accepted run",
    cause="change",
    fixed_by="judge",
    stage="labels",
    names_criterion=True,
)
DRIFT_BY_EDIT: Final = replace(DRIFT_BY_JUDGE, fixed_by="labels", command=_label_under_new_wording)
"""Kind of finding for drift that the rubric's author caused by an edit."""
DRIFT_GOLD: Final = replace(DRIFT_BY_JUDGE, code="drift-gold", short="agreement fell", part_of=DRIFT_BY_JUDGE.code)
DRIFT_GOLD_BY_EDIT: Final = replace(
    DRIFT_BY_EDIT, code="drift-gold", short="agreement fell", part_of=DRIFT_BY_JUDGE.code
)

# --- then: the judge and the rubric ---------------------------------------------------------------------------------

_of_levels = partial(FindingKind, cause="judge", stage="judge", part_of=DRIFT_BY_JUDGE.code, is_of_levels=True)
"""Function that makes a kind of finding about the judge's levels on a criterion, explained by a drift of the judge."""
LENIENT: Final = _of_levels("lenient", "too lenient", fixed_by="wording", command=_improve)
SEVERE: Final = _of_levels("severe", "too severe", fixed_by="wording", command=_improve)
CENTRAL_TENDENCY: Final = _of_levels("central-tendency", "avoids the ends", fixed_by="wording", command=_improve)
NOISY: Final = _of_levels("noisy", "noisy", fixed_by="rubric")
NOISY_JUDGE_OR_LABELS: Final = replace(
    NOISY, short="noisy judge or labels", command=lambda commands, _: commands.label(SECOND_ANNOTATOR)
)
"""Kind of finding for noise that may come from the judge or, with a single label for each example, from the labels."""
STUCK_JUDGE: Final = _of_levels(
    "stuck-judge", "stuck on one level", fixed_by="rubric", voids_agreement=True, needs_scores=False
)
RARELY_FOUND: Final = _of_levels(
    "rarely-found", "rarely finds a category", fixed_by="wording", command=_improve, needs_scores=False
)
NO_SKILL: Final = _of_levels("no-skill", "no better than a constant", fixed_by="rubric", voids_agreement=True)
NO_GAIN: Final = replace(NO_SKILL, compares_baseline=True)
"""Kind of finding for a judge without skill in the score, as its gain over the best constant score shows."""
LENGTH: Final = FindingKind("length", "depends on length", cause="judge", fixed_by="rubric", stage="judge")
BROKEN_SLICE: Final = FindingKind(
    "broken-slice",
    "worse on part of the examples",
    cause="judge",
    fixed_by="rubric",
    stage="judge",
    names_criterion=True,
)
HALO: Final = FindingKind(
    "halo",
    "one criterion colours the others",
    cause="criteria",
    fixed_by="wording",
    command=_improve,
    stage="judge",
)
REDUNDANT: Final = FindingKind(
    "redundant",
    "two criteria measure the same",
    cause="criteria",
    fixed_by="wording",
    command=_improve,
    stage="judge",
    names_criterion=True,
)
DEAD: Final = FindingKind(
    "dead",
    "does not distinguish responses",
    cause="scale",
    fixed_by="rubric",
    stage="judge",
    is_of_levels=True,
)
UNUSED_LEVEL: Final = FindingKind(
    "unused-level", "unused levels", cause="scale", fixed_by="rubric", stage="judge", is_of_levels=True
)
LEVEL_OF_NOBODY: Final = replace(UNUSED_LEVEL, is_of_levels=False)
"""Kind of finding for a level that neither judge nor gold gives, so that labels can't show what it would change."""
INVENTED_QUOTES: Final = FindingKind(
    "invented-quotes", "quotes in nothing the judge saw", cause="quotes", fixed_by="rubric", stage="judge"
)
SOME_UNREADABLE: Final = replace(UNREADABLE, stage="judge")
"""Kind of finding for so few unreadable replies that the other replies can still be used."""
UNSTEADY_JUDGE: Final = FindingKind(
    "unsteady-judge", "runs differ from each other", cause="runs", fixed_by="judge", stage="judge"
)

# --- last: what more labels might show ------------------------------------------------------------------------------

TOO_FEW_LABELS: Final = FindingKind(
    "too-few-labels",
    "too few labels",
    cause="labels",
    fixed_by="more labels",
    stage="more labels",
    command=lambda commands, _: commands.label_next(LABELS_TO_ADD),
)
