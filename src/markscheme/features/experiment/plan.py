"""What a run of an experiment would ask, and what its grading would cost, without asking."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from markscheme.errors import NoJudge
from markscheme.features.experiment.definition import Experiment
from markscheme.features.experiment.outputs import OutputsFile, output_id
from markscheme.features.experiment.run import earlier_outputs, open_model
from markscheme.grading import questions
from markscheme.judges.cost import cost_of_asking
from markscheme.judges.options import AskOptions
from markscheme.phrases import counted, estimated, listed, thousands
from markscheme.report import document as doc
from markscheme.report.figures import dollars
from markscheme.rubrics.search import find_calibration


async def plan_experiment(experiment: Experiment, ask: AskOptions, outputs_file: OutputsFile) -> dict[str, Any]:
    """Count the outputs to make and the judge's calls, and estimate what grading costs; nothing is asked.

    The cost of grading all outputs is extrapolated from the outputs that exist already.

    Args:
        experiment: The experiment; its rubric has the settings of the run.
        ask: How model and judge are asked, with the judge's name; without one, the default judge's cost is estimated.
        outputs_file: The file of outputs of earlier runs.

    Returns:
        The plan, with the keys of the JSON output.

    Raises:
        UsageError: A model or judge can't be opened.
    """
    outputs = {cell: experiment.ready_outputs[cell] for cell in experiment.cells if cell in experiment.ready_outputs}
    n_from_files = len(outputs)
    try:
        opened_model = open_model(experiment, ask.context()) if experiment.to_ask else None
    except NoJudge:
        opened_model = None
    if opened_model is not None:
        outputs |= {
            cell: output for cell, output in earlier_outputs(experiment, opened_model, outputs_file).items() if output
        }
        await opened_model.aclose()
    submissions = [
        experiment.by_id[case].submission(output.text, output_id(variant, case, output.under))
        for (variant, case), output in outputs.items()
        if output.text is not None
    ]
    to_count = submissions or [case.submission("", case.id) for case in experiment.cases]
    prompts = [prompt for submission in to_count for prompt in questions(experiment.rubric, submission)]
    folder = find_calibration(experiment.rubric.name, Path.cwd())
    opened = ask.judge_if_any(experiment.rubric, prompts, folder)
    cost = cost_of_asking(opened, prompts, ask.context(), samples=experiment.rubric.samples)
    if opened is not None:
        await opened.aclose()
    scale = len(experiment.cells) / len(to_count)
    return {
        "schema": 1,
        "experiment": experiment.name,
        "variants": [variant.name for variant in experiment.variants],
        "cases": len(experiment.cases),
        "outputs": {
            "from_files": n_from_files,
            "kept": len(outputs) - n_from_files,
            "to_make": len(experiment.cells) - len(outputs),
        },
        "model": None if len(outputs) == len(experiment.cells) or not experiment.model else experiment.model.name,
        "grading": {
            "judge": cost.judge,
            "calls": round(cost.calls * scale),
            "input_tokens": round(cost.input_tokens * scale),
            "output_tokens": round(cost.output_tokens * scale),
            "usd": None if cost.usd is None else cost.usd * scale,
            "without_outputs": not submissions,
        },
    }


def plan_view(plan: Mapping[str, Any]) -> doc.Document:
    """Render a plan: what a run would ask, and its cost."""
    outputs, grading = plan["outputs"], plan["grading"]
    names = {"from_files": "from files", "kept": "kept from earlier runs", "to_make": "to make"}
    sources = [f"{thousands(outputs[key])} {source}" for key, source in names.items() if outputs[key]]
    tokens = f"about {estimated(grading['input_tokens'])} tokens read, {estimated(grading['output_tokens'])} written"
    rows = [("Outputs", f"{thousands(sum(outputs.values()))}: {listed(sources)}")]
    if outputs["to_make"]:
        rows.append(("Model", plan["model"] or "none is named: name one under `model:`, or by --model"))
    rows += [
        ("Judge", grading["judge"] or "none is available: --judge names one"),
        ("Grading", f"at most {counted(grading['calls'], 'call')}; a reply in the cache takes none"),
        ("Cost of grading", f"{tokens}, {dollars(grading['usd'])}"),
    ]
    unknown = "No output is known yet, so the length of outputs isn't in these tokens."
    blocks = (doc.Facts(tuple(rows)), doc.Notes((unknown,) if grading["without_outputs"] else ()))
    size = f"{counted(len(plan['variants']), 'variant')}, {counted(plan['cases'], 'case')}"
    return doc.Document(f"{plan['experiment']} · {size}", "A plan: no calls were made.", blocks)
