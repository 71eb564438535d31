"""`markscheme plan`: what to label and what a run costs, before anything is asked."""

import sys
from collections.abc import Callable, Sequence
from json import dumps as json_line
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from markscheme.commands.options import (
    AS_NEEDED,
    COUNT,
    COUNT_OR_NEEDED,
    WITHIN_1,
    AskFlags,
    ExportOptions,
    JsonTarget,
    JudgeNames,
    LabelOptions,
    RatingsFiles,
    RubricName,
    Target,
    within,
)
from markscheme.commands.progress import progress
from markscheme.errors import ComparisonError, UsageError

if TYPE_CHECKING:
    from markscheme.calibration.comparison import Comparison
    from markscheme.calibration.plans.next_labels import NextLabels
    from markscheme.calibration.plans.sampling import Draw
    from markscheme.judges.judge import Judge, Reply
    from markscheme.prompt import Prompt
    from markscheme.ratings.examples import ExampleSet
    from markscheme.ratings.gold import Gold
    from markscheme.ratings.rating import Rating
    from markscheme.readers.rated import RatedFiles
    from markscheme.rubrics.rubric import Rubric

HALF_WIDTH = 0.1
"""Half the width of the intervals that `--details` plans for, the usual width in reports of agreement."""
PROMISED_ERROR = 0.05
"""Share of wrong automatic decisions that `--details` plans a promise for, as `tune` promises."""


def plan(
    rubric: RubricName,
    /,
    *,
    next: Annotated[int | None, COUNT_OR_NEEDED] = None,
    pool: Annotated[Path | None, Parameter(metavar="FILE")] = None,
    pairs: bool = False,
    annotators: Annotated[int, COUNT] = 1,
    details: bool = False,
    width: Annotated[float | None, Parameter(metavar="H", validator=within(0.001, 1))] = None,
    error: Annotated[float | None, Parameter(metavar="E", validator=WITHIN_1)] = None,
    seed: Annotated[int, COUNT, Parameter(metavar="K")] = 1,
    judge: JudgeNames = (),
    ratings: RatingsFiles = (),
    labels: LabelOptions = LabelOptions(),
    target: Target = None,
    ask: AskFlags = AskFlags(),
    export: ExportOptions = ExportOptions(),
    json: JsonTarget = None,
    quiet: bool = False,
) -> int:
    """Say how many labels the verdict needs, and what the next run costs; or choose what to label next.
    Makes no calls. With --next the examples to label go to standard output, ready to append to a set;
    `label --next` draws them and opens the labelling page.

    Args:
        next: print the N outputs of --pool to label next, as examples (as many as the verdict needs)
        pool: outputs that can be labelled: examples, Promptfoo's results, or an export; --ratings can rate them
        pairs: print pairs of --pool's outputs to compare, --next of them: responses of two systems to the same inputs
        annotators: how many annotators label each example (1)
        details: labels needed for other goals too: intervals, a promise, coefficients
        width: labels needed for intervals of plus or minus H
        error: labels needed to promise that at most this share of automatic decisions is wrong
        seed: random seed (1)
        quiet: print no plan

    Example:
        markscheme plan code-quality --next 20 --pool outputs.jsonl
    """
    from markscheme.calibration.plans.next_labels import next_labels, planned_labels
    from markscheme.calibration.plans.plan import Goal, needs_of
    from markscheme.commands.output import write_report
    from markscheme.ratings.examples import ExampleSet
    from markscheme.ratings.from_grades import first_prompts
    from markscheme.readers.rated import judge_ratings, open_rated
    from markscheme.report.views.plan import Plan, json_of, view

    if pairs:
        return _plan_pairs(ask.rubric(rubric), pool, next, seed, export)
    if (next is None) != (pool is None):
        raise UsageError("--next [N] is how many to label and --pool FILE out of what: give both")
    if json == "-" and next is not None:
        raise UsageError("--next writes the examples to label to standard output; name a file: --json plan.json")
    loaded = ask.rubric(rubric)
    everything, folder = _examples(loaded, labels)
    examples = labels.choice.among(everything.part(labels.split))
    truth = _gold(loaded, examples, labels)
    meanings = export.hints.meanings
    outputs = None if pool is None else open_rated([pool], loaded, expected="examples", meanings=meanings)
    if outputs is not None and not any(file.has_responses for file in outputs.files):
        raise UsageError(f"{pool} contains no responses to label")
    all_examples = ExampleSet((*everything.examples, *(outputs.labelled.examples if outputs is not None else ())))
    rated = [rating for path in ratings for rating in judge_ratings(path, loaded, all_examples, meanings)]
    prompts = first_prompts(loaded, examples.labelled.examples or examples.examples)
    judges = [ask.judge_if_any(loaded, prompts, folder, name=name) for name in judge or [None]]
    pilot = _pilot(loaded, truth, examples, rated, judges, ask, of=labels.on)
    least = loaded.target if target is None else target
    is_kept = pilot is None and target is None and labels.examples is None and labels.split is None
    asked = next_labels(folder, loaded, examples) if is_kept and folder else planned_labels(truth, pilot, least)
    wanted: dict[Goal, bool] = {
        "width": details or width is not None,
        "promise": details or error is not None,
        "variety": details,
    }
    goals = [goal for goal, is_wanted in wanted.items() if is_wanted]
    drawn = _number(next, asked)
    draw = None if outputs is None or drawn is None else _draw(everything, truth, rated, outputs, drawn, seed)
    made = Plan(
        loaded.name,
        len(truth.ids),
        asked,
        needs_of(truth, pilot, loaded.criteria, half_width=width or HALF_WIDTH, error=error or PROMISED_ERROR),
        [ask.cost(judge, prompts, loaded.samples, _kept_by(judge)) for judge in judges],
        draw,
        annotators,
        goals,
        judged_by="".join(
            [*(f" --ratings {quote(str(path))}" for path in ratings), *(f" --judge {quote(j)}" for j in judge)]
        ),
    )
    write_report(
        view(made), lambda: json_of(made), {"json": json}, details=details, quiet=quiet, aside=draw is not None
    )
    for pick in draw.picks if draw is not None else ():
        print(json_line(pick.to_json(), ensure_ascii=False))
    return 0


def _plan_pairs(rubric: "Rubric", pool: Path | None, most: int | None, seed: int, export: ExportOptions) -> int:
    """Print pairs of a pool's outputs as examples, and how they are balanced."""
    from markscheme.calibration.plans.pair_design import pair_design
    from markscheme.phrases import counted
    from markscheme.readers.infer_rubric import rubric_of_wholes
    from markscheme.readers.pair_lists import refuse_singles
    from markscheme.readers.rated import open_rated

    refuse_singles(rubric)
    if pool is None:
        raise UsageError("--pairs makes pairs of a file of outputs: add --pool FILE")
    outputs = open_rated([pool], rubric_of_wholes(), expected="examples", meanings=export.hints.meanings).labelled
    design = pair_design(outputs.examples, most=None if most == AS_NEEDED else most, seed=seed)
    for pair in design.pairs:
        print(json_line(pair.to_json(), ensure_ascii=False))
    times = ", ".join(f"{system} in {n}" for system, n in design.systems.items())
    of = f"{counted(len(design.pairs), 'pair')} of {design.possible} over {counted(design.prompts, 'prompt')}"
    print(f"{of}: {times}. Label them: markscheme label {rubric.name} --pool FILE", file=sys.stderr)
    return 0


def _number(next: int | None, asked: "NextLabels") -> int | None:
    """How many to draw: as many as the verdict needs, where no number was given."""
    if next != AS_NEEDED:
        return next
    if asked.labels is None or not asked.labels.more:
        raise UsageError(f"the verdict asks for no number of labels: say how many, --next N. {asked.in_words}".rstrip())
    return asked.labels.more


def _examples(rubric: "Rubric", labels: LabelOptions) -> tuple["ExampleSet", Path | None]:
    """The examples so far; none where there is no set yet."""
    from markscheme.calibration.labelled_examples import labelled_examples
    from markscheme.ratings.examples import ExampleSet
    from markscheme.rubrics.search import find_calibration

    folder = find_calibration(rubric.name, Path.cwd())
    if labels.examples is None and (folder is None or not list(folder.glob("examples.*"))):
        return ExampleSet(()), folder
    return labelled_examples(rubric, labels.examples)


def _gold(rubric: "Rubric", examples: "ExampleSet", labels: LabelOptions) -> "Gold":
    from markscheme.ratings.gold import gold_of, no_gold

    try:
        return gold_of(examples, rubric, kind=labels.gold, by=labels.gold_by)
    except ComparisonError:
        return no_gold(rubric)


def _pilot(
    rubric: "Rubric",
    truth: "Gold",
    examples: "ExampleSet",
    ratings: Sequence["Rating"],
    judges: Sequence["Judge | None"],
    ask: AskFlags,
    *,
    of: str | None,
) -> "Comparison | None":
    """A judge compared with the labels so far, from ratings or a recording; nothing is asked for it."""
    from markscheme.calibration.comparison import compare
    from markscheme.calibration.judge_runs import rated_by
    from markscheme.calibration.tried_settings import after_those_on_record
    from markscheme.judges.recorded import RecordedJudge

    if not truth.ids:
        return None
    recorded = [judge for judge in judges if isinstance(judge, RecordedJudge)]
    if not ratings and recorded:
        ratings, _ = rated_by(recorded[0], rubric, examples.labelled.examples, ask, watch=progress)
    raters = {rating.rater for rating in ratings}
    ids = set(truth.ids)
    if len(raters) != 1 or not any(rating.id in ids for rating in ratings):
        return None
    return after_those_on_record(compare(truth.judged(rubric, ratings), of=of))


def _kept_by(judge: "Judge | None") -> "Callable[[Prompt, int], Reply | None] | None":
    from markscheme.judges.recorded import RecordedJudge
    from markscheme.judges.remembering import Remembering

    if isinstance(judge, RecordedJudge):
        replies = judge.replies
        return lambda prompt, sample: replies.get((prompt.fingerprint, sample))
    return judge.kept if isinstance(judge, Remembering) else None


def _draw(
    everything: "ExampleSet",
    truth: "Gold",
    ratings: Sequence["Rating"],
    pool: "RatedFiles",
    n: int,
    seed: int,
) -> "Draw":
    from markscheme.calibration.plans.sampling import choose_next, with_split
    from markscheme.ratings.kinds import JUDGES

    verdicts = [rating for rating in pool.ratings if rating.kind in JUDGES]
    draw = choose_next(
        pool.rubric,
        pool.labelled.examples,
        [*ratings, *verdicts],
        n,
        labelled=everything.examples,
        passed=truth.decided,
        seed=seed,
    )
    return with_split(draw, "dev" if everything.has_splits else None)
