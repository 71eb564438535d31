"""What to plan, and the plan: the labels that a verdict needs, the cost of the next run, and what to label next."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path
from shlex import quote

from markscheme.calibration.comparison.comparison import Comparison, compare
from markscheme.calibration.judge_runs import rated_by
from markscheme.calibration.labelled_examples import labelled_examples
from markscheme.calibration.needs import PROMISE_NEEDS, Goal, Need
from markscheme.calibration.next_labels import NextLabels, next_labels
from markscheme.calibration.options import LabelOptions
from markscheme.calibration.tried_settings import after_those_on_record
from markscheme.calibration.wanted_labels import planned_labels
from markscheme.errors import ComparisonError, UsageError, naming
from markscheme.features.label.options import PlanOptions
from markscheme.features.label.pair_design import PairDesign, pair_design
from markscheme.features.label.plan import needs_of
from markscheme.features.label.sampling import Draw, choose_next, parted_draw
from markscheme.judges.cost import Cost
from markscheme.judges.judge import GradingJudge, Reply
from markscheme.judges.options import AskOptions
from markscheme.judges.recorded import RecordedJudge
from markscheme.judges.remembering import Remembering
from markscheme.progress import Watch, unwatched
from markscheme.prompt import Prompt
from markscheme.ratings.column_options import ColumnOptions
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.examples_choice import examples_with
from markscheme.ratings.from_grades import first_prompts
from markscheme.ratings.gold import Gold, gold_of, no_gold
from markscheme.ratings.kinds import JUDGES
from markscheme.ratings.parts import parts_by_place, with_parts
from markscheme.ratings.rating import Rating
from markscheme.readers.infer_rubric import rubric_of_wholes
from markscheme.readers.pair_lists import refuse_singles
from markscheme.readers.rated import RatedFiles, columns_from_options, judge_ratings, open_rated
from markscheme.rubrics.rubric import Rubric
from markscheme.rubrics.search import find_calibration
from markscheme.stats import Estimate


@dataclass(frozen=True)
class Plan:
    """A plan for one rubric.

    Attributes:
        rubric: Its name.
        labelled: Number of examples labelled so far.
        next_labels: The labels that a verdict needs.
        needs: Labels that other goals need.
        costs: Cost of the next run, by judge.
        annotators: How many label each example.
        target: Share of examples on which the judge must agree.
        goals: Which other goals to show.
        next: What to label next; None if not requested.
        judged_by: Options with which `calibrate` uses the same ratings or judge, such as "--ratings judge.jsonl".
        agreement: Of the judge whose ratings are known, on which the labels needed are based; None without them.
        table: The table without a rubric that it is for, as shell words with the options that read it; None of a
            rubric.
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
    judged_by: str | None = None
    agreement: Estimate | None = None
    table: str | None = None


@dataclass(frozen=True, kw_only=True)
class PlanRequest:
    """Request for a plan, for which no judge is asked.

    Attributes:
        rubric: The rubric.
        examples: A file of labelled examples; None for the rubric's own, of which there may be none yet.
        options: Which labels count, what agreement is of, and the target.
        judges: Names of the judges of the next run; none for the one that is set, else the default.
        ratings: Files of a judge's ratings of the examples, and of the pool.
        pool: A file of outputs that can be labelled; None where none are to be drawn.
        draws: How many of them to draw; None for as many as the verdict needs.
        seed: Random seed of the draw.
        labelling: How many annotators label each example, and which other goals to show.
        ask: How judges are asked.
        columns: What files don't say themselves.
        watch: Shows progress.
    """

    rubric: Rubric
    examples: Path | None = None
    options: LabelOptions = LabelOptions()
    judges: tuple[str, ...] = ()
    ratings: Sequence[Path] = ()
    pool: Path | None = None
    draws: int | None = None
    seed: int
    labelling: PlanOptions
    ask: AskOptions = field(default_factory=AskOptions)
    columns: ColumnOptions = ColumnOptions()
    watch: Watch = unwatched

    def plan(self) -> Plan:
        """Make the plan, with the outputs of the pool that are drawn.

        Raises:
            UsageError: A file can't be read, or nothing says how many outputs to draw.
        """
        rubric = self.rubric
        everything, folder = self._labelled
        examples = examples_with(everything.part(self.options.split), self.options.only)
        truth = self._gold(examples)
        outputs = self._outputs()
        all_examples = ExampleSet((*everything.examples, *(outputs.labelled.examples if outputs is not None else ())))
        by_file = [
            judge_ratings(path, rubric, all_examples, columns_from_options(self.columns)) for path in self.ratings
        ]
        rated = list(chain.from_iterable(by_file))
        prompts = first_prompts(rubric, examples.labelled.examples or examples.examples)
        judges = [self.ask.judge_if_any(rubric, prompts, folder, name=name) for name in self.judges or (None,)]
        pilot = self._pilot(truth, examples, rated, judges)
        target = self.options.target
        is_kept = pilot is None and target is None and self.examples is None and self.options.split is None
        least = rubric.target if target is None else target
        needed = next_labels(folder, rubric, examples) if is_kept and folder else planned_labels(truth, pilot, least)
        return Plan(
            rubric.name,
            len(truth.ids),
            needed,
            needs_of(
                truth,
                pilot,
                rubric.criteria,
                half_width=self.labelling.half_width,
                error=self.labelling.promised_error,
                promise=self._promise(by_file) if "promise" in self.labelling.goals else None,
            ),
            [self.ask.cost(judge, prompts, rubric.samples, _kept_by(judge)) for judge in judges],
            self.labelling.annotators,
            least,
            self.labelling.goals,
            None if outputs is None else self._draw(truth, rated, outputs, self._number(needed)),
            judged_by=" ".join(
                [
                    *(f"--ratings {quote(str(path))}" for path in self.ratings),
                    *(f"--judge {quote(name)}" for name in self.judges),
                ]
            )
            or None,
            agreement=None if pilot is None or not truth.has_people else pilot.agreement,
        )

    @cached_property
    def _labelled(self) -> tuple[ExampleSet, Path | None]:
        """The examples so far; none where there is no set yet."""
        folder = find_calibration(self.rubric.name, Path.cwd())
        if self.examples is None and (folder is None or not list(folder.glob("examples.*"))):
            return ExampleSet(()), folder
        return labelled_examples(self.rubric, self.examples)

    def _gold(self, examples: ExampleSet) -> Gold:
        try:
            return gold_of(examples, self.rubric, kind=self.options.gold, by=self.options.gold_by)
        except ComparisonError:
            return no_gold(self.rubric)

    def _outputs(self) -> RatedFiles | None:
        """Read the pool; None where there is none."""
        if self.pool is None:
            return None
        outputs = open_rated([self.pool], self.rubric, expected="examples", columns=columns_from_options(self.columns))
        if not any(file.has_responses for file in outputs.files):
            raise UsageError(f"{self.pool} contains no responses to label")
        return outputs

    def _pilot(
        self, truth: Gold, examples: ExampleSet, ratings: Sequence[Rating], judges: Sequence[GradingJudge | None]
    ) -> Comparison | None:
        """Compare a judge with the labels so far, from ratings or a recording; nothing is asked for it."""
        if not truth.ids:
            return None
        recorded = [judge for judge in judges if isinstance(judge, RecordedJudge)]
        if not ratings and recorded:
            labelled = examples.labelled.examples
            ratings, _ = rated_by(recorded[0], self.rubric, labelled, self.ask, watch=self.watch)
        raters = {rating.rater for rating in ratings}
        ids = set(truth.ids)
        if len(raters) != 1 or not any(rating.id in ids for rating in ratings):
            return None
        return after_those_on_record(compare(truth.judged(self.rubric, ratings), of=self.options.of))

    def _promise(self, by_file: Sequence[Sequence[Rating]]) -> Need | None:
        """Return the labels that a promise of the judges in the files of ratings needs, in the order of the files."""
        everything, _ = self._labelled
        ratings = list(zip(self.ratings, by_file, strict=True))
        error = self.labelling.promised_error
        needs = (need(self.rubric, everything, ratings, error, self.options.gold) for need in PROMISE_NEEDS)
        return next((need for need in needs if need is not None), None)

    def _number(self, needed: NextLabels) -> int:
        """Return how many to draw: as many as the verdict needs, where no number was given."""
        if self.draws is not None:
            return self.draws
        if needed.labels is None or not needed.labels.more:
            raise UsageError(needed.why_no_number)
        return needed.labels.more

    def _draw(self, truth: Gold, ratings: Sequence[Rating], pool: RatedFiles, n: int) -> Draw:
        verdicts = [rating for rating in pool.ratings if rating.kind in JUDGES]
        everything, _ = self._labelled
        with naming(*(file.path for file in pool.files)):
            draw = choose_next(
                pool.rubric,
                pool.labelled.examples,
                [*ratings, *verdicts],
                n,
                labelled=everything.examples,
                passed=truth.decided,
                seed=self.seed,
            )
        return parted_draw(draw, lambda new: with_parts(new, parts_by_place(everything).examples))


def _kept_by(judge: GradingJudge | None) -> Callable[[Prompt, int], Reply | None] | None:
    """Return a function that finds a judge's recorded or cached replies; None for a judge without any."""
    if isinstance(judge, RecordedJudge):
        replies = judge.replies
        return lambda prompt, sample: replies.get((prompt.fingerprint, sample))
    return judge.cached_reply if isinstance(judge, Remembering) else None


def pairs_in_pool(
    rubric: Rubric, pool: Path, *, most: int | None = None, seed: int = 1, columns: ColumnOptions = ColumnOptions()
) -> PairDesign:
    """Pair a file's outputs to compare: responses of two systems to the same inputs.

    Args:
        rubric: A rubric of pairs.
        pool: The file of outputs.
        most: Pairs at most, as for `pair_design`.
        seed: Random seed.
        columns: What the file doesn't say itself.

    Raises:
        UsageError: The rubric judges single responses, or no two systems responded to the same inputs.
    """
    refuse_singles(rubric)
    outputs = open_rated(
        [pool], rubric_of_wholes(), expected="examples", columns=columns_from_options(columns)
    ).labelled
    return pair_design(outputs.examples, most=most, seed=seed)
