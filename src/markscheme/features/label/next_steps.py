"""What follows when a rater has labelled everything: another annotator, a decision on disputes, or the calibration."""

from dataclasses import dataclass
from shlex import quote

from markscheme.calibration.findings.commands import Commands
from markscheme.errors import RatingError
from markscheme.features.label.work import Work
from markscheme.phrases import counted

LEAST_DECIDED = 40
"""Responses with a decision from which weights and pass mark can be tried."""


@dataclass(frozen=True, slots=True)
class OnwardStep:
    """A step that follows: why, and the command for it."""

    why: str
    command: str


def onward_steps(work: Work) -> tuple[OnwardStep, ...]:
    """Return what to do next, the most useful first; empty while something is left to label."""
    commands = Commands.on(work.rubric.name)
    calibrate = commands.calibrate()
    if work.current is not None or not work.steps:
        return ()
    if work.is_adjudication:
        return (OnwardStep("Compare a judge with the labels:", calibrate),)
    if not _other_annotators(work):
        return (
            OnwardStep(
                "A second annotator on the same responses shows how far people agree, and what a judge can reach:",
                commands.label(" --rater SECOND"),
            ),
            OnwardStep("Or compare a judge with your labels now:", calibrate),
            *_numbers_to_improve(work),
        )
    disputed = sum(dispute.disputed for dispute in work.disputes())
    if not disputed:
        return (OnwardStep("Compare a judge with the labels:", calibrate), *_numbers_to_improve(work))
    return (
        OnwardStep(
            f"Annotators differ on {counted(disputed, 'answer')}. Decide which label counts:",
            commands.adjudicate(),
        ),
        OnwardStep("Or compare a judge with the labels now:", calibrate),
        *_numbers_to_improve(work),
    )


def _numbers_to_improve(work: Work) -> tuple[OnwardStep, ...]:
    """Point to what decisions about whole responses say of weights and pass mark, once there are enough."""
    decided = {step.id for step, label in work.file.labels.items() if label.passed is not None}
    if len(decided) < LEAST_DECIDED:
        return ()
    reason = f"{len(decided)} decisions can say whether weights and pass mark are right:"
    return (OnwardStep(reason, f"markscheme improve {quote(work.rubric.name)}"),)


def _other_annotators(work: Work) -> bool:
    """Return True if another annotator has labelled one of these responses; yes where their files can't be read."""
    ids = {step.id for step in work.steps}
    try:
        return any(rating.rater != work.file.rater and rating.id in ids for rating in work.everyone)
    except RatingError:
        return True
