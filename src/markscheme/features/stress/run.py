"""What a stress run asks, what it costs, and its result."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from markscheme.calibration.judge_runs import run_to_end
from markscheme.calibration.labelled_examples import labelled_examples
from markscheme.features.stress.battery import LEAST_EXAMPLES, Battery, StressRun, ask, battery
from markscheme.features.stress.result import Stress, stress_of
from markscheme.grading import questions
from markscheme.judges.cost import Cost
from markscheme.judges.judge import Judge, replying
from markscheme.judges.options import AskOptions
from markscheme.judges.remembering import cache_folder
from markscheme.progress import Watch, unwatched
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.from_grades import first_prompts
from markscheme.rubrics.rubric import Rubric


@dataclass(frozen=True, kw_only=True)
class StressRequest:
    """Which judge to stress, and by which changes of which examples.

    Attributes:
        rubric: The judge's.
        examples: A file of examples; None for the rubric's own. Labels aren't needed.
        judge: The judge's name; None for the one that is set, else the default.
        only: Names of changes; empty means all.
        n: Maximum number of examples.
        originals: How often each original is asked.
        repeats: How often each changed response is asked.
        ask: How the judge is asked.
        watch: Shows progress.
    """

    rubric: Rubric
    examples: Path | None = None
    judge: str | None = None
    only: Sequence[str] = ()
    n: int = 60
    originals: int = 3
    repeats: int = 1
    ask: AskOptions = field(default_factory=AskOptions)
    watch: Watch = unwatched

    @cached_property
    def opened(self) -> Judge:
        """The judge, which `run` closes.

        Raises:
            NoJudge: None was named, and there is none to ask.
            UsageError: It can't be opened, or there are no examples.
        """
        every, folder = self._labelled
        prompts = first_prompts(self.rubric, every.part(None).examples)
        return replying(self.ask.judge_for(self.rubric, prompts, folder, name=self.judge))

    @cached_property
    def battery(self) -> Battery:
        """All questions of the run, about examples that aren't held out."""
        every, _ = self._labelled
        identity = self.opened.identity
        model = identity.model or identity.name
        dev = every.part(None).examples
        return battery(
            self.rubric, dev, model, only=self.only, n=self.n, originals=self.originals, repeats=self.repeats
        )

    @property
    def lacks(self) -> str:
        """Why the examples are too few, in a sentence; "" where they aren't."""
        n = len(self.battery.examples)
        return "" if n >= LEAST_EXAMPLES else f"{n} examples; at least {LEAST_EXAMPLES} are needed"

    def cost(self) -> Cost:
        """What the run costs; nothing is asked."""
        askings = self.battery.askings("")
        prompts = [prompt for asking in askings for prompt in questions(*self.battery.question(asking))]
        return self.ask.cost(self.opened, prompts, self.rubric.samples)

    def run(self) -> Stress:
        """Ask everything, and what the answers show; a stopped run continues where it was.

        Raises:
            BudgetError: The budget doesn't cover another call; answers are kept, and the same run continues.
            NothingGraded: Over a tenth of the questions has no grade.
        """
        return run_to_end(self._run())

    async def _run(self) -> Stress:
        made = self.battery
        judge = self.opened
        run = StressRun.begin(cache_folder(), made.key(judge))
        try:
            with self.watch("asking", len(made.askings(""))) as steps:
                grades = await ask(made, judge, run, concurrency=self.ask.at_once, step=steps.step)
        finally:
            await judge.aclose()
        run.finish()
        return stress_of(made, grades)

    @cached_property
    def _labelled(self) -> tuple[ExampleSet, Path | None]:
        return labelled_examples(self.rubric, self.examples)
