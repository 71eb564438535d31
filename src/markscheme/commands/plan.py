"""`markscheme plan`: what to label and what a run costs, before anything is asked."""

from collections.abc import Callable, Sequence
from json import dumps as json_line
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from markscheme.commands.options import (
    COUNT,
    AskOptions,
    JsonTarget,
    JudgeNames,
    LabelOptions,
    RatingsFiles,
    RubricName,
    Target,
    within,
)
from markscheme.errors import ComparisonError, UsageError

if TYPE_CHECKING:
    from markscheme.calibration.comparison import Comparison
    from markscheme.calibration.sampling import Draw
    from markscheme.judges.judge import Judge, Reply
    from markscheme.prompt import Prompt
    from markscheme.ratings.examples import ExampleSet
    from markscheme.ratings.gold import Gold
    from markscheme.ratings.rating import Rating
    from markscheme.rubrics.rubric import Rubric


def plan(
    rubric: RubricName,
    /,
    *,
    next: Annotated[int | None, COUNT] = None,
    pool: Annotated[Path | None, Parameter(metavar="FILE")] = None,
    annotators: Annotated[int, COUNT] = 1,
    width: Annotated[float, Parameter(metavar="D", validator=within(0.001, 1))] = 0.1,
    seed: Annotated[int, COUNT, Parameter(metavar="K")] = 1,
    judge: JudgeNames = (),
    ratings: RatingsFiles = (),
    labels: LabelOptions = LabelOptions(),
    target: Target = None,
    ask: AskOptions = AskOptions(),
    json: JsonTarget = None,
    quiet: bool = False,
) -> int:
    """Count the labels needed, and estimate calls, tokens and cost of the next run; or choose what to label next.
    Makes no calls. With --next the examples to label go to standard output, ready to append to a set;
    `label --next` draws them and opens the labelling page.

    Args:
        next: print the N outputs of --pool to label next, as examples
        pool: outputs that can be labelled, as examples; --ratings can rate them
        annotators: how many annotators label each example (1)
        width: half the width of an interval (0.1)
        seed: random seed (1)
        quiet: print no plan

    Example:
        markscheme plan code-quality --next 20 --pool outputs.jsonl
    """
    from markscheme.calibration.collect import first_prompts
    from markscheme.calibration.plan import needs_of
    from markscheme.commands.output import write_report
    from markscheme.ratings.rating import load_ratings
    from markscheme.report.views.plan import Plan, json_of, view

    if (next is None) != (pool is None):
        raise UsageError("--next N is how many to label and --pool FILE out of what: give both")
    if json == "-" and next is not None:
        raise UsageError("--next writes the examples to label to standard output; name a file: --json plan.json")
    loaded = ask.rubric(rubric)
    everything, folder = _examples(loaded, labels)
    examples = labels.chosen(everything.part(labels.split))
    truth = _gold(loaded, examples, labels)
    rated = [rating for path in ratings for rating in load_ratings(path, loaded, keep_unread=True)]
    prompts = first_prompts(loaded, examples.labelled.examples or examples.examples)
    judges = [ask.judge_if_any(name, loaded, prompts, folder) for name in judge or [None]]
    pilot = _pilot(loaded, truth, examples, rated, judges, ask)
    least = loaded.target if target is None else target
    draw = None if pool is None or next is None else _draw(loaded, everything, truth, rated, pool, next, seed)
    made = Plan(
        loaded.name,
        len(truth.ids),
        needs_of(truth, pilot, loaded.criteria, target=least, half_width=width),
        [ask.cost(judge, prompts, loaded.samples, _kept_by(judge)) for judge in judges],
        draw,
        annotators,
    )
    write_report(view(made), lambda: json_of(made), {"json": json}, quiet=quiet, aside=draw is not None)
    for pick in draw.picks if draw is not None else ():
        print(json_line(pick.to_json(), ensure_ascii=False))
    return 0


def _examples(rubric: "Rubric", labels: LabelOptions) -> tuple["ExampleSet", Path | None]:
    """The examples so far; none where there is no set yet."""
    from markscheme.ratings.examples import ExampleSet
    from markscheme.ratings.sources import labelled_examples
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
    ask: AskOptions,
) -> "Comparison | None":
    """A judge compared with the labels so far, from ratings or a recording; nothing is asked for it."""
    from markscheme.calibration.comparison import compare
    from markscheme.commands.runs import rated_by
    from markscheme.judges.recorded import RecordedJudge

    if not truth.ids:
        return None
    recorded = [judge for judge in judges if isinstance(judge, RecordedJudge)]
    if not ratings and recorded:
        ratings, _ = rated_by(recorded[0], rubric, examples.labelled.examples, ask)
    raters, ids = {rating.rater for rating in ratings}, set(truth.ids)
    if len(raters) != 1 or not any(rating.id in ids for rating in ratings):
        return None
    return compare(truth.judged(rubric, ratings))


def _kept_by(judge: "Judge | None") -> "Callable[[Prompt, int], Reply | None] | None":
    from markscheme.judges.recorded import RecordedJudge
    from markscheme.judges.remembering import Remembering

    if isinstance(judge, RecordedJudge):
        replies = judge.replies
        return lambda prompt, sample: replies.get((prompt.fingerprint, sample))
    return judge.kept if isinstance(judge, Remembering) else None


def _draw(
    rubric: "Rubric",
    everything: "ExampleSet",
    truth: "Gold",
    ratings: Sequence["Rating"],
    file: Path,
    n: int,
    seed: int,
) -> "Draw":
    from markscheme.calibration.sampling import choose_next, with_split
    from markscheme.ratings.examples import load_examples
    from markscheme.ratings.rating import JUDGES

    pool = load_examples(file, rubric).examples
    verdicts = [label for example in pool for label in example.labels if label.kind in JUDGES]
    draw = choose_next(
        rubric, pool, [*ratings, *verdicts], n, labelled=everything.examples, passed=truth.decided, seed=seed
    )
    return with_split(draw, "dev" if everything.has_splits else None)
