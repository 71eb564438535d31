"""One response graded in three ways: criterion by criterion, all at once, and as a whole.

Runs as it is, with a function that only looks for words. With GEMINI_API_KEY set it asks Gemini, else with
OPENAI_API_KEY (and OPENAI_BASE_URL for a server of your own) an OpenAI-compatible model:

    python examples/three_graders.py
    OPENAI_API_KEY=… python examples/three_graders.py gpt-5-mini
"""

import asyncio
import os
import re
import sys
from collections.abc import Awaitable, Callable
from typing import TypeVar

from pydantic import BaseModel

from markscheme import (
    CriterionEvaluation,
    EvaluationReport,
    OneShotOutput,
    PerCriterionOutput,
    Rubric,
    RubricAsJudgeOutput,
    default_oneshot_generate_fn,
    default_per_criterion_generate_fn,
    default_rubric_as_judge_generate_fn,
)
from markscheme.autograders import Autograder, PerCriterionGrader, PerCriterionOneShotGrader, RubricAsJudgeGrader

Output = TypeVar("Output", bound=BaseModel)

RUBRIC = Rubric.from_dict(
    [
        {"weight": 10.0, "requirement": "The response names Paris"},
        {"weight": 5.0, "requirement": "The response is at most twenty words long"},
        {"weight": -8.0, "requirement": "The response names Lyon as the capital"},
    ]
)
QUERY = "What is the capital of France?"
RESPONSE = "Paris is the capital of France."


# --- without a key: look for words ----------------------------------------------------------------------------------


def is_met(requirement: str, user_prompt: str) -> bool:
    """Whether a requirement of this rubric holds, as far as looking for words can tell."""
    response = user_prompt.split("<response>\n")[1].split("\n</response>")[0]
    if "Paris" in requirement:
        return "Paris" in response
    if "Lyon" in requirement:
        return "Lyon is the capital" in response
    return len(response.split()) <= 20


async def one_by_words(system_prompt: str, user_prompt: str) -> PerCriterionOutput:  # noqa: ARG001
    requirement = user_prompt.split("<criterion>\n")[1].split("\n</criterion>")[0]
    met = is_met(requirement, user_prompt)
    return PerCriterionOutput(criterion_status="MET" if met else "UNMET", explanation="Found by looking for words.")


async def all_by_words(_: str, user_prompt: str) -> OneShotOutput:
    numbered = re.findall(r"^(\d+)\. \[\w+\] (.*)$", user_prompt, re.MULTILINE)
    return OneShotOutput(
        criteria_evaluations=[
            CriterionEvaluation(
                criterion_number=int(number),
                criterion_status="MET" if is_met(requirement, user_prompt) else "UNMET",
                explanation="Found by looking for words.",
            )
            for number, requirement in numbered
        ]
    )


async def whole_by_words(_: str, user_prompt: str) -> RubricAsJudgeOutput:
    return RubricAsJudgeOutput(overall_score=90.0 if "Paris" in user_prompt else 10.0, explanation="By one word.")


# --- with a key: ask a model ----------------------------------------------------------------------------------------


def openai_function(output: type[Output], model: str) -> Callable[..., Awaitable[Output]]:
    """A generate function that asks an OpenAI-compatible model and holds it to the schema of `output`."""

    async def generate(system_prompt: str, user_prompt: str) -> Output:
        from openai import AsyncOpenAI

        async with AsyncOpenAI() as client:
            completion = await client.chat.completions.create(
                model=model,
                messages=[{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}],
                response_format={
                    "type": "json_schema",
                    "json_schema": {"name": output.__name__, "schema": output.model_json_schema()},
                },
            )
        return output.model_validate_json(completion.choices[0].message.content or "{}")

    return generate


def graders(model: str) -> list[Autograder]:
    """The three graders, asking a model that can be asked."""
    if os.environ.get("GEMINI_API_KEY"):
        return [
            PerCriterionGrader(default_per_criterion_generate_fn),
            PerCriterionOneShotGrader(default_oneshot_generate_fn),
            RubricAsJudgeGrader(default_rubric_as_judge_generate_fn),
        ]
    if os.environ.get("OPENAI_API_KEY"):
        return [
            PerCriterionGrader(openai_function(PerCriterionOutput, model)),
            PerCriterionOneShotGrader(openai_function(OneShotOutput, model)),
            RubricAsJudgeGrader(openai_function(RubricAsJudgeOutput, model)),
        ]
    return [
        PerCriterionGrader(one_by_words),
        PerCriterionOneShotGrader(all_by_words),
        RubricAsJudgeGrader(whole_by_words),
    ]


def show(grader: Autograder, report: EvaluationReport) -> None:
    """A report on a few lines."""
    print(f"{type(grader).__name__}: ", end="")
    if report.score is None:
        print(f"not graded: {report.error}")
        return
    print(f"score {report.score:.2f}, raw score {report.raw_score}")
    for criterion in report.report or []:
        print(f"  [{criterion.verdict}] {criterion.requirement} ({criterion.weight:+g})")
        print(f"      {criterion.reason}")


async def main(model: str) -> None:
    for grader in graders(model):
        show(grader, await RUBRIC.grade(RESPONSE, autograder=grader, query=QUERY))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "gpt-5-mini"))
