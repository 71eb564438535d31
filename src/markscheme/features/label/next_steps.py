"""Steps after a rater has labelled everything: find another annotator, adjudicate, or calibrate a judge."""

from dataclasses import replace
from pathlib import Path
from shlex import quote

from markscheme.calibration.findings.commands import Commands
from markscheme.calibration.judge_at_hand import judge_to_name
from markscheme.calibration.whole_labels import counting_levels
from markscheme.errors import RatingError
from markscheme.features.label.label_session import LabelSession
from markscheme.judges.kinds import YOUR_JUDGE
from markscheme.options.in_force import with_reading_options
from markscheme.phrases import counted
from markscheme.plain_data import json_lines
from markscheme.ratings.examples import RATINGS_FOLDER
from markscheme.ratings.kinds import JUDGES, PEOPLE
from markscheme.rubrics.file import from_here
from markscheme.rubrics.rubric import Rubric
from markscheme.rubrics.search import find_calibration, typed_name

LEAST_DECIDED = 40
"""Fewest tasks with a decision for which weights and pass mark can be tried, as `improve` counts them."""
FEWEST_OF_EACH_DECISION = 10
"""Fewest passes, and fewest fails, among these decisions."""


def onward_steps(work: LabelSession) -> tuple[tuple[str, str], ...]:
    """Return the next steps once a rater has labelled everything, each a reason and a command; empty until then."""
    commands = commands_on(work)
    calibrate = commands.calibrate()
    if work.results is not None:
        commands = replace(commands, rubric=quote(str(work.results)))
    if work.current is not None or not work.steps:
        return ()
    if work.is_adjudication:
        return (("Compare a judge with the labels:", calibrate),)
    if not _other_annotators(work):
        return (
            (
                "A second annotator on the same responses shows how far people agree, and what a judge can reach:",
                commands.label("--rater SECOND"),
            ),
            ("Or compare a judge with your labels now:", calibrate),
            *_numbers_to_improve(work),
        )
    disputed = sum(dispute.disputed for dispute in work.disputes())
    if not disputed:
        return (("Compare a judge with the labels:", calibrate), *_numbers_to_improve(work))
    return (
        (
            f"Annotators differ on {counted(disputed, 'answer')}. Decide which label counts:",
            commands.adjudicate(),
        ),
        ("Or compare a judge with the labels now:", calibrate),
        *_numbers_to_improve(work),
    )


def commands_on(work: LabelSession) -> Commands:
    """Return the builder of commands on what is labelled: a rubric, rows, or a rubric and rows that share it.

    For Promptfoo's results, the commands compare the verdicts in the results with the labels.
    """
    commands = commands_on_rows(work.rubric, work.core)
    return commands if work.results is None else replace(commands, judge=f"--ratings {quote(str(work.results))}")


def commands_on_rows(rubric: Rubric, core: str | None) -> Commands:
    """Return the builder of commands that name a rubric or a file of rows.

    Args:
        rubric: The rubric; for a file of rows, which has the rows' own rubrics, one that is named after the file.
        core: Name or file of the rubric that the rows share, which the commands name first; None without one.
    """
    commands = _comparing(rubric)
    return commands if core is None else replace(commands, rubric=f"{quote(core)} {commands.rubric}")


def _comparing(rubric: Rubric) -> Commands:
    """Return the builder of commands on a rubric, which name a judge or a file with a judge's ratings.

    They name the file if no judge is known by name, and exactly one of the rubric's files of ratings is a judge's.

    Args:
        rubric: The rubric.
    """
    judge = judge_to_name(typed_name(rubric))
    commands = Commands.on(rubric, judge)
    folder = find_calibration(rubric.name, Path.cwd()) if judge == YOUR_JUDGE else None
    if folder is None:
        return commands
    files = [path for path in sorted((folder / RATINGS_FOLDER).glob("*.jsonl")) if _is_judge_s(path)]
    return replace(commands, judge=f"--ratings {quote(str(from_here(files[0])))}") if len(files) == 1 else commands


def _is_judge_s(path: Path) -> bool:
    """Return True if the first line of a file of ratings is a judge's."""
    try:
        _, line = next(json_lines(path, RatingError), (0, None))
    except RatingError:
        return False
    return isinstance(line, dict) and line.get("kind") in JUDGES


def _numbers_to_improve(work: LabelSession) -> tuple[tuple[str, str], ...]:
    """Return the reason and command to run `improve`, if enough decisions on whole responses exist; else nothing."""
    decided = {
        step.id: label.passed
        for step, label in work.file.labels.items()
        if label.passed is not None
        and step.id in work.examples
        and not isinstance(counting_levels(work.rubric, work.examples[step.id], label.criteria), str)
    }
    rarer = min(list(decided.values()).count(passed) for passed in (True, False))
    if rarer < FEWEST_OF_EACH_DECISION or len({work.examples[id].group or id for id in decided}) < LEAST_DECIDED:
        return ()
    reason = f"{len(decided)} decisions can say whether weights and pass mark are right:"
    return ((reason, with_reading_options(f"markscheme improve {quote(work.rubric.name)}")),)


def _other_annotators(work: LabelSession) -> bool:
    """Return True if another annotator has labelled any of these responses, or if annotators' files can't be read."""
    ids = {step.id for step in work.steps}
    try:
        by_people = (rating for rating in work.everyone if rating.kind in PEOPLE)
        return any(rating.rater != work.file.rater and rating.id in ids for rating in by_people)
    except RatingError:
        return True
