"""Run an experiment: model and judge fill a graded table; existing outputs are reused."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Protocol

from markscheme.errors import BudgetError, JudgeError, NoJudge
from markscheme.experiment.definition import Cell, Experiment, Model, Output
from markscheme.experiment.outputs import Kept, output_id
from markscheme.fingerprint import fingerprint
from markscheme.grading import MOST_UNGRADED, Grade, Grading, all_or_first_error, grade_many
from markscheme.judges.asking import Asking
from markscheme.judges.judge import Judge, Usage
from markscheme.judges.registry import open_judge
from markscheme.prompt import Prompt
from markscheme.submission import Submission


class Steps(Protocol):
    """Receives progress."""

    def step(self) -> None:
        """Count one step."""
        ...


class _Unwatched:
    def step(self) -> None:
        """Do nothing."""


Watch = Callable[[str, int], AbstractContextManager[Steps]]
"""Shows progress: takes a description and the number of steps."""


def unwatched(what: str, total: int) -> AbstractContextManager[Steps]:  # noqa: ARG001 - nobody looks
    """Progress that shows nothing."""
    return nullcontext(_Unwatched())


@dataclass(frozen=True)
class Outputs:
    """An output for every cell of an experiment.

    Attributes:
        by_cell: By variant and case.
        made: Number of outputs requested in this run.
        usage: Their tokens and cost.
        model: The model that answered; "" if all outputs were given.
    """

    by_cell: Mapping[Cell, Output]
    made: int = 0
    usage: Usage = Usage()
    model: str = ""


@dataclass(frozen=True)
class ExperimentRun:
    """An experiment with its outputs and grades.

    Attributes:
        experiment: The experiment.
        outputs: The variants' outputs for the cases.
        grades: By variant and case; a cell without an output is not graded.
        grading: The rubric and judge.
    """

    experiment: Experiment
    outputs: Outputs
    grades: Mapping[Cell, Grade]
    grading: Grading

    @property
    def not_graded(self) -> int:
        """Cells without a score."""
        return sum(grade.error is not None for grade in self.grades.values())

    @property
    def too_few_graded(self) -> bool:
        """Whether over a tenth of the cells could not be graded."""
        return self.not_graded > MOST_UNGRADED * len(self.grades)


async def run_experiment(
    experiment: Experiment,
    judge: Judge,
    *,
    model: Judge | None = None,
    kept: Kept | None = None,
    concurrency: int = 8,
    watch: Watch = unwatched,
) -> ExperimentRun:
    """Run an experiment: make or reuse every output, and grade it.

    Args:
        experiment: Variants, cases, rubric.
        judge: The judge that grades.
        model: The model that makes missing outputs: a judge asked for a plain text.
        kept: Outputs of earlier runs; new ones are added.
        concurrency: Maximum concurrent requests.
        watch: Shows progress.

    Raises:
        NoJudge: Model or judge cannot be used, or outputs are missing and there is no model.

    Example:
        >>> from markscheme import Rubric, ScriptedJudge
        >>> from markscheme.experiment.definition import ExperimentCase, Variant
        >>> rubric = Rubric.from_dict([{"weight": 1, "requirement": "Names a city"}])
        >>> cases = (ExperimentCase("fr", {"query": "Capital of France?"}),)
        >>> experiment = Experiment(rubric, (Variant("plain"),), cases)
        >>> run = asyncio.run(
        ...     run_experiment(experiment, ScriptedJudge([{"c1": "MET"}]), model=ScriptedJudge(["Paris."]))
        ... )
        >>> run.grades["plain", "fr"].score
        1.0
    """
    outputs = await make_outputs(experiment, model, kept=kept, concurrency=concurrency, watch=watch)
    grading = Grading(experiment.rubric, judge)
    return await grade_outputs(experiment, outputs, grading, concurrency=concurrency, watch=watch)


# --- outputs --------------------------------------------------------------------------------------------------------


@dataclass
class _Making:
    """The outputs of a run in progress."""

    experiment: Experiment
    model: Judge
    kept: Kept
    gate: asyncio.Semaphore
    made: int = 0
    usage: Usage = field(default_factory=Usage)
    stopped: BudgetError | None = None

    async def output(self, cell: Cell, shown: Steps) -> Output:
        variant, case = self.experiment.by_name[cell[0]], self.experiment.by_id[cell[1]]
        prompt = variant.ask(case)
        try:
            async with self.gate:
                if self.stopped is not None:
                    return Output(None, f"not asked: {self.stopped}")
                reply = await self.model.reply(prompt)
        except NoJudge:
            raise
        except BudgetError as error:
            self.stopped = error
            return Output(None, f"not asked: {error}")
        except JudgeError as error:
            return Output(None, f"no output: {error}")
        finally:
            shown.step()
        self.made += 1
        self.usage += reply.usage
        return self.kept.keep(reply, _under(prompt, self.model), variant.name, case)


def _under(prompt: Prompt, model: Judge) -> str:
    """Digest of prompt and model, the key of a stored output."""
    return fingerprint(prompt.fingerprint, model.identity.fingerprint)


def open_model(experiment: Experiment, asking: Asking | None = None, *, name: str | None = None) -> Judge | None:
    """The model that makes the experiment's outputs; None if it names none.

    Args:
        experiment: The experiment that names the model.
        asking: Limits and price shared with the judge; a price in the experiment takes precedence.
        name: Another model, with the same settings.

    Raises:
        UsageError: Unknown model, or one that takes no temperature or maximum answer length.
    """
    model = experiment.model if name is None else replace(experiment.model or Model(name), name=name)
    if model is None:
        return None
    asking = asking or Asking()
    return open_judge(
        model.name,
        asking=Asking(
            limiter=asking.limiter,
            price=model.price or asking.price,
            memory=None,  # outputs are stored separately
            temperature=model.temperature,
            max_tokens=model.max_tokens,
            list_prices=asking.list_prices,
        ),
    )


def missing(experiment: Experiment, model: Judge | None, kept: Kept) -> list[Cell]:
    """The cells whose output would have to be requested."""
    if model is None:
        return experiment.to_ask
    return [cell for cell, output in _at_hand(experiment, model, kept).items() if output is None]


def _at_hand(experiment: Experiment, model: Judge, kept: Kept) -> dict[Cell, Output | None]:
    prompts = {cell: experiment.by_name[cell[0]].ask(experiment.by_id[cell[1]]) for cell in experiment.to_ask}
    return {cell: kept.find(_under(prompt, model)) for cell, prompt in prompts.items()}


async def make_outputs(
    experiment: Experiment,
    model: Judge | None,
    *,
    kept: Kept | None = None,
    concurrency: int = 8,
    watch: Watch = unwatched,
) -> Outputs:
    """An output for every cell: the given one, one stored by an earlier run, else the model's, which is then stored.

    If the model fails, or the budget runs out, the cell has a reason instead of an output, and another run tries again.
    The model is closed.

    Raises:
        NoJudge: Outputs are missing, and there is no model to ask.
    """
    if experiment.to_ask and model is None:
        raise NoJudge("no model to ask: name one under `model:`, or by --model, or name a file of outputs")
    found: dict[Cell, Output] = {cell: experiment.given[cell] for cell in experiment.cells if cell in experiment.given}
    if model is None:
        return Outputs(found)
    making = _Making(experiment, model, kept or Kept(None), asyncio.Semaphore(concurrency))
    at_hand = _at_hand(experiment, model, making.kept)
    found |= {cell: output for cell, output in at_hand.items() if output is not None}
    to_make = [cell for cell, output in at_hand.items() if output is None]
    try:
        with watch("asking for outputs", len(to_make)) as shown:
            outputs = await all_or_first_error(making.output(cell, shown) for cell in to_make)
    finally:
        await model.aclose()
    found |= dict(zip(to_make, outputs, strict=True))
    by_cell = {cell: found[cell] for cell in experiment.cells}
    return Outputs(by_cell, making.made, making.usage, str(model.identity) if experiment.to_ask else "")


# --- grades ---------------------------------------------------------------------------------------------------------


def submissions(experiment: Experiment, outputs: Outputs) -> dict[Cell, Submission]:
    """The submission of each cell that has an output."""
    return {
        cell: experiment.by_id[cell[1]].submission(output.text, output_id(*cell, output.under))
        for cell, output in outputs.by_cell.items()
        if output.text is not None
    }


async def grade_outputs(
    experiment: Experiment, outputs: Outputs, grading: Grading, *, concurrency: int = 8, watch: Watch = unwatched
) -> ExperimentRun:
    """The graded table; if the budget runs out, the rest is not graded. The judge is closed.

    Raises:
        NoJudge: The judge cannot be used.
    """
    to_grade = submissions(experiment, outputs)
    cells = list(to_grade)
    grades: dict[Cell, Grade] = {}
    why = "not asked"
    try:
        with watch("grading", len(cells)) as shown:
            async for place, grade in grade_many(grading, to_grade.values(), concurrency=concurrency):
                grades[cells[place]] = grade
                shown.step()
    except BudgetError as error:
        why = f"not asked: {error}"
    finally:
        await grading.judge.aclose()
    for cell, output in outputs.by_cell.items():
        lacking = to_grade.get(cell) or Submission("", id=output_id(*cell, output.under))
        grades.setdefault(cell, grading.ungraded(lacking, output.why or why))
    return ExperimentRun(experiment, outputs, {cell: grades[cell] for cell in experiment.cells}, grading)
