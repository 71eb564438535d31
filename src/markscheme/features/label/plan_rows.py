"""The labelling plan for rows that bring criteria of their own: labels for a first verdict, and the cost of a run."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from shlex import quote

from markscheme.calibration.decision import labels_to_begin
from markscheme.calibration.next_labels import NextLabels, asked_first
from markscheme.calibration.options import LabelOptions
from markscheme.features.label.disputes import ratings_in
from markscheme.features.label.next_steps import commands_on_rows
from markscheme.features.label.options import PlanOptions
from markscheme.features.label.overview import CALIBRATE_ROWS, overview_of
from markscheme.features.label.rows import rows_to_label
from markscheme.features.label.run_plan import Plan
from markscheme.grading.strategies import questions
from markscheme.judges.cost import cost_of_asking
from markscheme.judges.options import AskOptions
from markscheme.ratings.examples import RATINGS_FOLDER
from markscheme.ratings.gold import no_gold
from markscheme.ratings.kinds import PEOPLE
from markscheme.readers.infer_rubric import rubric_of_wholes
from markscheme.rubrics.file import rubric_given
from markscheme.rubrics.of_rows import ROWS_ALONE
from markscheme.rubrics.search import calibration_folder


def plan_of_rows(
    path: Path,
    core: str | None,
    labels: LabelOptions,
    labelling: PlanOptions,
    ask: AskOptions,
    *,
    judges: Sequence[str] = (),
) -> Plan:
    """Return the labelling plan for rows that bring criteria of their own; no judge is asked.

    Args:
        path: The file of rows.
        core: Name or file of the rubric that all rows share; None without one.
        labels: The target.
        labelling: How many annotators label each response.
        ask: How judges are asked.
        judges: Names of the judges of the next run; empty for the judge that is set, or else the default one.

    Raises:
        UsageError: The rows bring no criteria.
        RatingError: Rows or their rubrics are invalid.
    """
    overview = overview_of(str(path), Path.cwd(), None, core)
    run = ask.of(ROWS_ALONE if core is None else rubric_given(core))
    rows = rows_to_label(path, every=False, core=None if core is None else run, run=run)
    folder = calibration_folder(path.name, Path.cwd())
    stored = ratings_in(folder / RATINGS_FOLDER, rows.rubric, may_be_stale=True)
    by_people = {label.id for label in (*rows.pool.labels, *stored) if label.kind in PEOPLE and label.criteria}
    to_grade = [example for example in rows.pool.examples if example.id in by_people] or rows.pool.examples
    prompts = [
        prompt for example in to_grade for prompt in questions(rows.rubric_by_id[example.id], example.submission)
    ]
    n_left = overview.labelled.get(0, 0)
    n_labelled = overview.responses - n_left
    target = run.target if labels.target is None else labels.target
    opened = [ask.judge_if_any(run, prompts, folder, name=name) for name in judges or (None,)]
    named = [f"--judge {quote(name)}" for name in judges]
    commands = commands_on_rows(overview.rubric, core)
    return Plan(
        path.name,
        n_labelled,
        _needed(n_labelled, n_left, target),
        (),
        [cost_of_asking(judge, prompts, ask.context(), samples=run.samples) for judge in opened],
        labelling.annotators,
        target,
        (),
        commands=replace(commands, judge=" ".join(named) or commands.judge).after(None, ask, labels),
        rows_left=n_left,
    )


def _needed(n_labelled: int, n_left: int, target: float) -> NextLabels:
    """Return how many labels to add for a first verdict, with a sentence for the user.

    If enough rows are labelled, or no row is left to label, there is only a sentence that a judge can be calibrated.

    Args:
        n_labelled: Number of rows that are labelled.
        n_left: Number of rows that aren't.
        target: Share of responses on which the judge must agree, 0 to 1.
    """
    first = labels_to_begin(no_gold(rubric_of_wholes()), target)
    more = None if first is None else first._replace(more=max(0, first.more - n_labelled))
    if not n_left or (more is not None and not more.more):
        return NextLabels(None, CALIBRATE_ROWS)
    return asked_first(more, by_people=n_labelled > 0, has_fails=True)
