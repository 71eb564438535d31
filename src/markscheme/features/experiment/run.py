"""Run an experiment: model and judge fill a graded table; existing outputs are reused."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote

from markscheme.errors import BudgetError, JudgeError, NoJudge, UsageError
from markscheme.features.experiment.definition import Cell, Experiment, Output
from markscheme.features.experiment.outputs import OutputsFile, output_id
from markscheme.fingerprint import fingerprint
from markscheme.grading import (
    MOST_UNGRADED,
    Fingerprints,
    Grade,
    Grading,
    grade_many,
    questions,
    receipt_of,
    scorers_for,
)
from markscheme.grading.receipt import Receipt
from markscheme.judges.ask_many import ask_many
from markscheme.judges.family import warn_of_kinship
from markscheme.judges.judge import AskedWithout, Judge, Usage, make_room, total, ways_of
from markscheme.judges.judge_context import JudgeContext
from markscheme.judges.kinds import names_code
from markscheme.judges.options import AskOptions
from markscheme.judges.registry import open_judge
from markscheme.progress import CountStep, Watch, unwatched
from markscheme.prompts.prompt import Prompt
from markscheme.prompts.submission import Submission
from markscheme.rubrics.search import find_calibration


@dataclass(frozen=True)
class Outputs:
    """The outputs of all variants for all cases, and what they cost.

    Attributes:
        by_cell: The outputs, by variant and case.
        made: Number of outputs requested in this run.
        usage: Tokens and cost of these outputs.
        model: The model that made outputs in this run; None if it made none, since a file had all outputs.
    """

    by_cell: Mapping[Cell, Output]
    made: int = 0
    usage: Usage = Usage()
    model: str | None = None


@dataclass(frozen=True)
class ExperimentRun:
    """An experiment with its outputs and their grades.

    Attributes:
        experiment: The experiment.
        outputs: The variants' outputs for the cases.
        grades: The grades, by variant and case; a cell without an output is not graded.
        grading: The grading, with its rubric and judge.
    """

    experiment: Experiment
    outputs: Outputs
    grades: Mapping[Cell, Grade]
    grading: Grading

    @property
    def not_graded(self) -> int:
        """Number of outputs that have no grade."""
        return sum(grade.error is not None for grade in self.grades.values())

    @property
    def too_few_graded(self) -> bool:
        """True if over a tenth of the outputs could not be graded."""
        return self.not_graded > MOST_UNGRADED * len(self.grades)

    @property
    def _ways(self) -> Mapping[AskedWithout, int]:
        """For each set of parameters that requests left out, since the server refuses them, the number of grades."""
        return ways_of(grade.asked_without for grade in self.grades.values())

    @property
    def fingerprints(self) -> Fingerprints:
        """Digests of rubric, prompt and judge, the judge's without parameters that its server refused."""
        judge = self.grading.judge.identity.as_asked(self._ways)
        return replace(self.grading.fingerprints, judge=judge.fingerprint)

    @property
    def receipt(self) -> Receipt | None:
        """Summary (receipt) of the accepted calibration, checked against the judge as asked; None without one."""
        receipt = self.grading.receipt
        return None if receipt is None else receipt.asked_without(*self._ways)


async def run_experiment(
    experiment: Experiment,
    judge: Judge,
    *,
    model: Judge | None = None,
    outputs_file: OutputsFile | None = None,
    concurrency: int = 8,
    watch: Watch = unwatched,
) -> ExperimentRun:
    """Run an experiment: make or reuse every output, and grade each.

    Args:
        experiment: The experiment, with its variants, cases and rubric.
        judge: The judge that grades.
        model: The model that makes missing outputs: a judge asked for a plain text.
        outputs_file: The file of outputs of earlier runs, to which new ones are added.
        concurrency: Largest number of requests that are made at once.
        watch: Shows progress.

    Raises:
        NoJudge: Model or judge cannot be used, or outputs are missing and there is no model.

    Example:
        >>> import asyncio
        >>> from markscheme import Rubric, ScriptedJudge
        >>> from markscheme.features.experiment.definition import ExperimentCase, Variant
        >>> rubric = Rubric.from_dict([{"weight": 1, "requirement": "Names a city"}])
        >>> cases = (ExperimentCase("fr", {"query": "Capital of France?"}),)
        >>> experiment = Experiment(rubric, (Variant("plain"),), cases)
        >>> run = asyncio.run(
        ...     run_experiment(experiment, ScriptedJudge([{"c1": "MET"}]), model=ScriptedJudge(["Paris."]))
        ... )
        >>> run.grades["plain", "fr"].score
        1.0
    """
    outputs = await make_outputs(experiment, model, outputs_file=outputs_file, concurrency=concurrency, watch=watch)
    grading = Grading(experiment.rubric, judge)
    return await grade_outputs(experiment, outputs, grading, concurrency=concurrency, watch=watch)


# --- outputs --------------------------------------------------------------------------------------------------------


def _output_digest(prompt: Prompt, model: Judge) -> str:
    """Return the digest of prompt and model under which an output is stored."""
    return fingerprint(prompt.fingerprint, model.identity.fingerprint)


def open_model(experiment: Experiment, context: JudgeContext | None = None) -> Judge | None:
    """Open the model that makes the experiment's outputs; None if it names none.

    Args:
        experiment: The experiment that names the model.
        context: Limits and price shared with the judge; a price in the experiment takes precedence.

    Raises:
        UsageError: The model is unknown, doesn't take a temperature or maximum length that is set, or is code that the
            experiment's file names; only the user may name code.
    """
    model = experiment.model
    if model is None:
        return None
    if not model.is_typed and experiment.source is not None and names_code(model.name):
        raise UsageError(
            f"{experiment.source}: `model: {model.name}` is code, and a file can't make markscheme run code: "
            f"--model {quote(model.name)} does, if you trust it"
        )
    context = context or JudgeContext()
    return open_judge(
        model.name,
        context=JudgeContext(
            limiter=context.limiter,
            price=model.price or context.price,
            memory=None,  # outputs are stored separately
            parameters=model.parameters,
            list_prices=context.list_prices,
        ),
    )


def missing(experiment: Experiment, model: Judge | None, outputs_file: OutputsFile) -> list[Cell]:
    """List the pairs of a variant and a case for which the model would have to be asked for an output.

    Args:
        experiment: The experiment, with its variants and cases.
        model: The model; None to list all pairs for which no file gives an output.
        outputs_file: The file with the model's outputs of earlier runs.
    """
    if model is None:
        return experiment.to_ask
    return [cell for cell, output in earlier_outputs(experiment, model, outputs_file).items() if output is None]


def earlier_outputs(experiment: Experiment, model: Judge, outputs_file: OutputsFile) -> dict[Cell, Output | None]:
    """Map each variant and case for which no file gives an output to the output that an earlier run stored.

    A pair is mapped to None if no earlier run stored an output by the same prompt and model.
    """
    if not model.identity.lasting:
        return dict.fromkeys(experiment.to_ask)
    return {cell: outputs_file.find(_output_digest(_prompt(experiment, cell), model)) for cell in experiment.to_ask}


def _prompt(experiment: Experiment, cell: Cell) -> Prompt:
    """Make the prompt that asks the model for one variant's output for one case."""
    variant, case = cell
    return experiment.by_name[variant].ask(experiment.by_id[case])


async def make_outputs(
    experiment: Experiment,
    model: Judge | None,
    *,
    outputs_file: OutputsFile | None = None,
    concurrency: int = 8,
    watch: Watch = unwatched,
) -> Outputs:
    """Return an output for every variant and case: from a file, from an earlier run, else by asking the model.

    If the model fails, or the budget runs out, a reason replaces the output, and another run tries again. The model is
    closed.

    Args:
        experiment: The experiment, with its variants and cases.
        model: The model to ask; None if files have all outputs.
        outputs_file: The file of outputs of earlier runs, to which new ones are added; None without one.
        concurrency: Largest number of requests that are made at once.
        watch: Shows progress.

    Raises:
        NoJudge: Outputs are missing, and there is no model to ask.
    """
    if experiment.to_ask and model is None:
        raise NoJudge("no model to ask: name one under `model:`, or by --model, or name a file of outputs")
    outputs = {cell: experiment.ready_outputs[cell] for cell in experiment.cells if cell in experiment.ready_outputs}
    if model is None:
        return Outputs(outputs)
    outputs_file = outputs_file or OutputsFile(None)
    earlier = earlier_outputs(experiment, model, outputs_file)
    outputs |= {cell: output for cell, output in earlier.items() if output is not None}
    to_make = [cell for cell, output in earlier.items() if output is None]
    try:
        with watch("asking for outputs", len(to_make)) as count_step:
            new = await _new_outputs(experiment, model, to_make, outputs_file, concurrency, count_step)
    finally:
        await model.aclose()
    outputs |= {cell: output for cell, (output, _) in new.items()}
    made = sum(output.text is not None for output, _ in new.values())
    usage = total(usage for _, usage in new.values())
    by_cell = {cell: outputs[cell] for cell in experiment.cells}
    return Outputs(by_cell, made, usage, str(model.identity) if experiment.to_ask else None)


async def _new_outputs(
    experiment: Experiment,
    model: Judge,
    cells: Sequence[Cell],
    outputs_file: OutputsFile,
    concurrency: int,
    count_step: CountStep,
) -> dict[Cell, tuple[Output, Usage]]:
    """Ask the model for outputs, store each as soon as it arrives, and return them with their usage.

    Args:
        experiment: The experiment.
        model: The model.
        cells: The pairs of a variant and a case for which an output is asked.
        outputs_file: The file in which outputs are stored.
        concurrency: Largest number of requests that are made at once.
        count_step: Called after each output, to show progress.
    """

    async def output(cell: Cell) -> tuple[Output, Usage]:
        prompt = _prompt(experiment, cell)
        try:
            reply = await model.reply(prompt)
        except NoJudge:
            raise
        except JudgeError as error:
            return Output(None, f"no output: {error}"), Usage()
        variant, case = cell
        under = _output_digest(prompt, model)
        if not model.identity.lasting:  # the same prompt may come to another output, which is not this one
            under = fingerprint(under, reply.text)
        return outputs_file.keep(reply, under, variant, experiment.by_id[case]), reply.usage

    make_room(model, concurrency)
    outputs: dict[Cell, tuple[Output, Usage]] = {}
    not_asked = ""
    try:
        async for index, made in ask_many(output, cells, concurrency=concurrency):
            outputs[cells[index]] = made
            count_step()
    except BudgetError as error:
        not_asked = f"not asked: {error}"
    for cell in cells:
        if cell not in outputs:
            outputs[cell] = Output(None, not_asked), Usage()
            count_step()
    return outputs


# --- grades ---------------------------------------------------------------------------------------------------------


def submissions(experiment: Experiment, outputs: Outputs) -> dict[Cell, Submission]:
    """Return what a judge is to grade: a submission for each variant and case with an output."""
    return {
        cell: experiment.by_id[cell[1]].submission(output.text, output_id(*cell, output.under))
        for cell, output in outputs.by_cell.items()
        if output.text is not None
    }


async def grade_outputs(
    experiment: Experiment, outputs: Outputs, grading: Grading, *, concurrency: int = 8, watch: Watch = unwatched
) -> ExperimentRun:
    """Grade all outputs, then close the judge; if the budget runs out, the remaining outputs stay ungraded.

    Args:
        experiment: The experiment.
        outputs: The outputs.
        grading: The rubric and the judge.
        concurrency: Number of outputs that are graded at once.
        watch: Shows progress.

    Raises:
        NoJudge: The judge cannot be used.
    """
    to_grade = submissions(experiment, outputs)
    cells = list(to_grade)
    grades: dict[Cell, Grade] = {}
    why = "not asked"
    try:
        with watch("grading", len(cells)) as count_step:
            async for index, grade in grade_many(grading, to_grade.values(), concurrency=concurrency):
                grades[cells[index]] = grade
                count_step()
    except BudgetError as error:
        why = f"not asked: {error}"
    finally:
        await grading.judge.aclose()
    for cell, output in outputs.by_cell.items():
        lacking = to_grade.get(cell) or Submission("", id=output_id(*cell, output.under))
        grades.setdefault(cell, grading.ungraded(lacking, output.why or why))
    return ExperimentRun(experiment, outputs, {cell: grades[cell] for cell in experiment.cells}, grading)


async def outputs_and_grading(
    experiment: Experiment,
    ask: AskOptions,
    outputs_file: OutputsFile,
    *,
    watch: Watch = unwatched,
) -> tuple[Outputs, Grading]:
    """Make all outputs, and open the judge that is to grade them.

    If outputs have to be made, the judge is opened first, so that no model is paid in vain. Else it is opened once the
    prompts about the outputs are known, so that recorded replies to them can be used.

    Args:
        experiment: The experiment; its rubric has the settings of the run.
        ask: How model and judge are asked, with the judge's name; without one, the default judge grades.
        outputs_file: The file of outputs of earlier runs.
        watch: Shows progress.

    Raises:
        UsageError: A model or judge can't be opened.
        NoJudge: No judge is named, and none is available.
        BudgetError: The budget ended before an output was made.
    """
    rubric = experiment.rubric
    context = ask.context()
    scorers = scorers_for(rubric, ask.scorers)
    opened_model = open_model(experiment, context) if experiment.to_ask else None
    calibration = find_calibration(rubric.name, Path.cwd())
    opened = None
    if missing(experiment, opened_model, outputs_file):
        opened = ask.judge_for(rubric, [], calibration, context=context)
    outputs = await make_outputs(
        experiment, opened_model, outputs_file=outputs_file, concurrency=ask.concurrency, watch=watch
    )
    if opened is None:
        to_grade = submissions(experiment, outputs).values()
        prompts = [prompt for submission in to_grade for prompt in questions(rubric, submission)]
        opened = ask.judge_for(rubric, prompts, calibration, context=context)
    makers = [] if outputs.model is None else [outputs.model] * len(experiment.to_ask)
    warn_of_kinship(opened.identity.model or opened.identity.name, makers)
    return outputs, Grading(rubric, opened, scorers=scorers, receipt=receipt_of(rubric, opened, Path.cwd()))
