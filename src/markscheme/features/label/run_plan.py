"""Makes a plan: the labels that a verdict needs, the cost of the next run, and what to label next."""

import warnings
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from shlex import quote

from markscheme.calibration.carried_labels import CarriedLabels, carried_labels
from markscheme.calibration.comparison.comparison import Comparison, compare
from markscheme.calibration.comparison.limits import ErrorLimits
from markscheme.calibration.comparison.trend import trend_asked
from markscheme.calibration.comparison.verdict import Decision
from markscheme.calibration.decision import decide
from markscheme.calibration.findings.commands import ANNOTATOR, Commands
from markscheme.calibration.findings.diagnosis import findings_of
from markscheme.calibration.findings.slices import slices_of
from markscheme.calibration.judge_runs import rated_by
from markscheme.calibration.label_needs import PROMISE_NEEDS, Goal, Need
from markscheme.calibration.labelled_examples import examples_with_every_label
from markscheme.calibration.next_labels import NextLabels, next_labels
from markscheme.calibration.options import LabelOptions
from markscheme.calibration.recorded_trials import after_those_on_record
from markscheme.calibration.wanted_labels import planned_labels
from markscheme.errors import ComparisonError, RatingWarning, UsageError, naming
from markscheme.features.label.number_needed import number_needed
from markscheme.features.label.options import PlanOptions
from markscheme.features.label.pair_design import PairDesign, pair_design
from markscheme.features.label.plan import needs_of
from markscheme.features.label.pool import ResponsePool
from markscheme.features.label.relabelling import labels_to_give_again
from markscheme.features.label.sampling import Draw, choose_next, parted_draw
from markscheme.judges.cost import Cost, cost_of_asking
from markscheme.judges.judge import GradingJudge, Reply
from markscheme.judges.options import AskOptions
from markscheme.judges.recorded import RecordedJudge
from markscheme.judges.remembering import Remembering
from markscheme.progress import Watch, unwatched
from markscheme.prompts.prompt import Prompt
from markscheme.ratings.column_options import ColumnOptions
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.examples_choice import examples_with
from markscheme.ratings.first_splits import parts_by_place, with_parts
from markscheme.ratings.from_grades import first_prompts
from markscheme.ratings.gold import Gold, gold_of, no_gold
from markscheme.ratings.kinds import JUDGES, Kind
from markscheme.ratings.rating import Rating
from markscheme.readers.infer_rubric import rubric_of_wholes
from markscheme.readers.mapped_columns import refuse_unknown_columns
from markscheme.readers.pair_rows import refuse_singles
from markscheme.readers.rated import columns_from_options, judge_ratings, open_rated
from markscheme.readers.table_outputs import names_responses_otherwise, outputs_in
from markscheme.rubrics.rubric import Rubric
from markscheme.rubrics.search import find_calibration, typed_name
from markscheme.stats import Estimate


@dataclass(frozen=True)
class Plan:
    """A labelling plan for a rubric: labels needed, costs, and outputs to label next.

    Attributes:
        rubric: Name of the rubric.
        labelled: Number of examples labelled so far.
        next_labels: The labels that a verdict on the judge needs.
        needs: The number of labels that each goal needs, other than that verdict.
        costs: Cost of the next run, by judge.
        annotators: Number of annotators who label each example.
        target: Share of examples on which the judge must agree, 0 to 1.
        goals: The goals that the user asked to see, other than the verdict.
        next: The draw of outputs to label next; None if not requested.
        commands: The commands that may follow, with the same ratings or judge; None for the plan of a table.
        agreement: Share of examples on which the judge agrees with gold so far, from which the number of labels needed
            is computed; None if no judge's ratings are known.
        init: If the plan is for a table, the command that makes a rubric from the table; None for the plan of a rubric.
        to_relabel: Sentence on the labels to give again after a rewording; None if there are none.
        pool: The file of outputs to draw from, for the next command; None if the user named none.
        n_left: Number of outputs in that file that are not among the rubric's examples.
        on_pool: Options on how that file is read, as typed in a shell; None if `pool` is None.
        on_pages: Options on who labels and on the labelling page, as typed in a shell; None for none.
        names_rater: True if these options name an annotator.
        rows_left: Number of rows that nobody has labelled on all criteria, if the plan is for rows with criteria of
            their own; else None.
    """

    rubric: str
    labelled: int
    next_labels: NextLabels
    needs: Sequence[Need]
    costs: Sequence[Cost]
    annotators: int
    target: float
    goals: Collection[Goal]
    next: Draw | None = None
    commands: Commands | None = None
    agreement: Estimate | None = None
    init: str | None = None
    to_relabel: str | None = None
    pool: Path | None = None
    n_left: int = 0
    on_pool: str | None = None
    on_pages: str | None = None
    names_rater: bool = False
    rows_left: int | None = None

    @property
    def next_step(self) -> str | None:
        """Sentence that says what to label next; None if no labels are needed."""
        if self.rows_left is not None:
            return self.next_labels.of(self.rows_left, self.rubric)
        return self.next_labels.in_words or self.to_relabel

    @property
    def on_pages_by_name(self) -> str:
        """Options on the labelling page that name an annotator; if the user named none, by a placeholder."""
        return " ".join(filter(None, (None if self.names_rater else ANNOTATOR, self.on_pages)))

    @property
    def asks_for_labels(self) -> bool:
        """True if the plan asks for further labels: an open verdict needs them, or outputs to label were drawn."""
        labels = self.next_labels.labels
        return self.init is None and (self.next is not None or (labels is not None and labels.more > 0))


def make_plan(
    rubric: Rubric,
    labels: LabelOptions,
    labelling: PlanOptions,
    ask: AskOptions,
    *,
    seed: int,
    judges: Sequence[str] = (),
    ratings: Sequence[Path] = (),
    pool: Path | None = None,
    draws: int | None = None,
    columns: ColumnOptions = ColumnOptions(),
    watch: Watch = unwatched,
) -> Plan:
    """Make a labelling plan, and draw outputs to label next if asked to; no judge is asked.

    Args:
        rubric: The rubric.
        labels: The file of examples, which labels count, what must agree, and the target.
        labelling: How many annotators label each example, and which other goals to show.
        ask: How judges are asked.
        seed: Random seed of the draw.
        judges: Names of the judges of the next run; empty for the judge that is set, or else the default one.
        ratings: Files of a judge's ratings of the examples, and of the pool.
        pool: A file of outputs that can be labelled; None if none are to be drawn.
        draws: Number of these outputs to draw; None for as many as the verdict needs, or for all if there are fewer.
        columns: What the files' columns and values mean.
        watch: Shows progress.

    Raises:
        UsageError: A file can't be read, or it isn't known how many outputs to draw.
    """
    everything, folder, carried = _labelled(rubric, labels.examples)
    examples = examples_with(everything.part(labels.split or "all"), labels.only)
    truth = _gold(rubric, examples, labels)
    outputs = None if pool is None else _outputs(pool, rubric, columns)
    all_examples = ExampleSet((*everything.examples, *(outputs.examples if outputs is not None else ())))
    refuse_unknown_columns([*ratings, *([] if pool is None else [pool])], columns)
    by_file = [judge_ratings(path, rubric, all_examples, columns_from_options(columns)) for path in ratings]
    rated = list(chain.from_iterable(by_file))
    prompts = first_prompts(rubric, examples.labelled.examples or examples.examples)
    opened = [ask.judge_if_any(rubric, prompts, folder, name=name) for name in judges or (None,)]
    pilot = _pilot(truth, rated or _recorded(rubric, truth, examples, opened, ask, watch), rubric, labels)
    target = labels.target
    is_kept = pilot is None and target is None and labels.examples is None and labels.split is None
    least = rubric.target if target is None else target
    decision = None if pilot is None else _decided(pilot, least, labels)
    if is_kept and folder:
        needed = next_labels(folder, rubric, examples)
    else:
        needed = planned_labels(truth, decision, least, has_fails=rubric.has_gate_question)
    if needed.in_words and carried is not None and carried.state != "old labels count":
        warnings.warn(carried.sentence, RatingWarning, stacklevel=2)
    error = labelling.promised_error
    promise = None
    if "promise" in labelling.goals:
        promise = _promise(rubric, everything, list(zip(ratings, by_file, strict=True)), error, labels.gold)
    drawn = None
    if pool is not None and outputs is not None:
        with naming(pool):
            if draws is None:
                draws = min(number_needed(needed), _n_left(outputs, everything)) or number_needed(needed)
            drawn = _draw(rubric, everything, truth, rated, outputs, draws, seed)
    return Plan(
        rubric.name,
        0 if truth.reference == "model" else len(truth.ids),
        needed,
        needs_of(truth, pilot, rubric.criteria, half_width=labelling.half_width, error=error, promise=promise),
        [
            cost_of_asking(judge, prompts, ask.context(), samples=rubric.samples, at_hand=_kept_by(judge))
            for judge in opened
        ],
        labelling.annotators,
        least,
        labelling.goals,
        drawn,
        commands=replace(
            _commands(rubric, ratings, judges, labels, ask, columns), has_unlabelled=everything.n_unlabelled > 0
        ),
        agreement=None if pilot is None or not truth.has_people else pilot.agreement,
        to_relabel=labels_to_give_again(carried),
    )


def with_pool(plan: Plan, pool: Path, rubric: Rubric, examples: Path | None, columns: ColumnOptions) -> Plan:
    """Return a plan with the file from which its next command draws outputs, and the number of outputs left in it.

    Args:
        plan: The plan.
        pool: The file of outputs.
        rubric: The rubric.
        examples: The file of examples; None for the rubric's own.
        columns: What the files' columns and values mean.
    """
    everything, _, _ = _labelled(rubric, examples)
    n_left = _n_left(_outputs(pool, rubric, columns), everything)
    return replace(plan, pool=pool, n_left=n_left, on_pool=replace(columns, rater=None).as_import.strip())


def _n_left(pool: ResponsePool, everything: ExampleSet) -> int:
    ids = {example.id for example in everything.examples}
    return sum(example.id not in ids for example in pool.examples)


def _commands(
    rubric: Rubric,
    ratings: Sequence[Path],
    judges: Sequence[str],
    labels: LabelOptions,
    ask: AskOptions,
    columns: ColumnOptions,
) -> Commands:
    """Return the Commands that write the next commands to run, with the options that the user gave."""
    named = [*(f"--ratings {quote(str(path))}" for path in ratings), *(f"--judge {quote(name)}" for name in judges)]
    if ratings and columns.as_import:
        named.append(columns.as_import.strip())
    commands = Commands(quote(typed_name(rubric)), " ".join(named)) if named else Commands.on(rubric)
    return commands.after(labels.examples, None if ratings else ask, labels)


def _labelled(rubric: Rubric, named: Path | None) -> tuple[ExampleSet, Path | None, CarriedLabels | None]:
    """Return a rubric's examples with the labels that count, its calibration folder, and labels under earlier wordings.

    There are no examples if there is no file of them yet. The folder is None if there is none, and so is the last value
    if no label was given under an earlier wording.

    Args:
        rubric: The rubric.
        named: The file of examples that the user names; None for the rubric's own.
    """
    folder = find_calibration(rubric.name, Path.cwd())
    if named is None and (folder is None or not list(folder.glob("examples.*"))):
        return ExampleSet(()), folder, None
    every, folder = examples_with_every_label(rubric, named)
    carried = carried_labels(every, rubric)
    return (every if carried is None else carried.counting), folder, carried


def _gold(rubric: Rubric, examples: ExampleSet, labels: LabelOptions) -> Gold:
    try:
        return gold_of(examples, rubric, kind=labels.gold, by=labels.gold_by)
    except ComparisonError:
        return no_gold(rubric)


def _outputs(path: Path, rubric: Rubric, columns: ColumnOptions) -> ResponsePool:
    """Read the outputs from which to draw, with the ratings that their file has."""
    if names_responses_otherwise(path, columns):
        return ResponsePool(tuple(outputs_in(path, columns)), (), ())
    outputs = open_rated([path], rubric, expected="examples", columns=columns_from_options(columns))
    if not any(file.has_responses for file in outputs.files):
        raise UsageError(f"{path} contains no responses to label")
    return ResponsePool(
        tuple(example for example in outputs.labelled.examples if example.has_content),
        tuple(rating for rating in outputs.ratings if rating.kind in JUDGES),
        (),
    )


def _recorded(
    rubric: Rubric,
    truth: Gold,
    examples: ExampleSet,
    judges: Sequence[GradingJudge | None],
    ask: AskOptions,
    watch: Watch,
) -> Sequence[Rating]:
    """Return ratings from a judge's recorded replies to the examples, without asking; empty if no judge has any.

    Args:
        rubric: The rubric.
        truth: Gold; without examples in it, no ratings are returned.
        examples: The examples.
        judges: The judges, of which the first one with recorded replies answers.
        ask: How judges are asked.
        watch: Shows progress.
    """
    recorded = [judge for judge in judges if isinstance(judge, RecordedJudge)]
    if not truth.ids or not recorded:
        return ()
    ratings, _ = rated_by(recorded[0], rubric, examples.labelled.examples, ask, watch=watch)
    return ratings


def _pilot(truth: Gold, ratings: Sequence[Rating], rubric: Rubric, labels: LabelOptions) -> Comparison | None:
    """Compare a judge's ratings with the labels so far.

    Args:
        truth: Gold by the labels so far.
        ratings: The judge's ratings.
        rubric: The rubric.
        labels: What is compared: scores, decisions or one criterion, with the tolerance.

    Returns:
        The comparison; None if the ratings are by several judges, or if they rate no labelled example.
    """
    raters = {rating.rater for rating in ratings}
    ids = set(truth.ids)
    if len(raters) != 1 or not any(rating.id in ids for rating in ratings):
        return None
    pilot = compare(truth.judged(rubric, ratings), of=labels.of, tolerance=labels.tolerance)
    trend = trend_asked(pilot.table, (pilot.judge_name, pilot.gold_name), labels)
    return after_those_on_record(replace(pilot, trend=trend))


def _decided(pilot: Comparison, target: float, labels: LabelOptions) -> Decision:
    """Return the decision on a judge that a calibration by the labels so far would make.

    Args:
        pilot: The judge compared with the labels so far.
        target: The target agreement, 0 to 1.
        labels: Options on labels, with limits on wrong decisions.
    """
    slices = slices_of(pilot)
    findings = findings_of(pilot, pilot.judged, slices=slices)
    most_wrong = ErrorLimits.of(labels, pilot.rubric)
    return decide(pilot, target=target, findings=findings, most_wrong=most_wrong, slices=slices)


def _promise(
    rubric: Rubric,
    everything: ExampleSet,
    ratings: Sequence[tuple[Path, Sequence[Rating]]],
    error: float,
    gold: Kind | None,
) -> Need | None:
    """Return how many labels are needed to certify that automatic decisions by judges keep an error rate.

    None if no feature that is on offer computes this number.

    Args:
        rubric: The rubric.
        everything: All examples with their labels.
        ratings: Each judge's ratings, with their file.
        error: The largest share of automatic decisions that may be wrong.
        gold: The only kind of labels that counts; None for the strongest kind.
    """
    needs = (need(rubric, everything, ratings, error, gold) for need in PROMISE_NEEDS)
    return next((need for need in needs if need is not None), None)


def _draw(
    rubric: Rubric,
    everything: ExampleSet,
    truth: Gold,
    ratings: Sequence[Rating],
    pool: ResponsePool,
    n: int,
    seed: int,
) -> Draw:
    rated = [*ratings, *pool.verdicts]
    draw = choose_next(rubric, pool.examples, rated, n, labelled=everything.examples, passed=truth.decided, seed=seed)
    return parted_draw(draw, lambda new: with_parts(new, parts_by_place(everything).examples))


def _kept_by(judge: GradingJudge | None) -> Callable[[Prompt, int], Reply | None] | None:
    """Return a function that finds a judge's recorded or cached replies to a prompt; None if the judge keeps none."""
    if isinstance(judge, RecordedJudge):
        replies = judge.replies
        return lambda prompt, sample: replies.get((prompt.fingerprint, sample))
    return judge.cached_reply if isinstance(judge, Remembering) else None


def pairs_in_pool(
    rubric: Rubric, pool: Path, *, most: int | None = None, seed: int = 1, columns: ColumnOptions = ColumnOptions()
) -> PairDesign:
    """Make pairs of a file's outputs to compare: responses of two systems to the same inputs.

    Args:
        rubric: A rubric of pairs.
        pool: The file of outputs.
        most: Largest number of pairs; None for all pairs if there are two systems, and for one pair of responses to
            each of the inputs if there are more.
        seed: Random seed.
        columns: What the file's columns and values mean.

    Raises:
        UsageError: The rubric judges single responses, or no two systems responded to the same inputs.
    """
    refuse_singles(rubric)
    refuse_unknown_columns([pool], columns)
    outputs = open_rated(
        [pool], rubric_of_wholes(), expected="examples", columns=columns_from_options(columns)
    ).labelled
    return pair_design(outputs.examples, most=most, seed=seed)
