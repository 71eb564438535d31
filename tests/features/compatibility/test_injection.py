"""The graders of users of the rubric package, and a judge as scorer, fence a submission as well."""

import asyncio
from typing import Any

import pytest

from markscheme import ScriptedJudge, Submission
from markscheme.autograders import PerCriterionGrader, PerCriterionOneShotGrader, RubricAsJudgeGrader
from markscheme.errors import UnreadableReply
from markscheme.scorers import llm_judge
from tests.proofs.injections import INJECTIONS, RUBRIC, Injection
from tests.proofs.test_injection import BESIDE, HONEST, read_prompt


def asked_of_graders(injection: Injection) -> list[str]:
    """The user prompts that the graders of the `rubric` package's users and a judge as scorer make of it."""
    seen: list[str] = []

    async def generate(system_prompt: str, user_prompt: str) -> Any:
        seen.append(user_prompt)
        raise UnreadableReply("only the prompt is looked at")

    kinds: list[Any] = [PerCriterionGrader, PerCriterionOneShotGrader, RubricAsJudgeGrader]
    response, query = injection.response(HONEST[0]), injection.inputs.get("query", BESIDE["query"])
    for kind in kinds:
        asyncio.run(RUBRIC.grade(response, autograder=kind(generate), query=query))
    judge = ScriptedJudge([UnreadableReply("only the prompt is looked at")])
    llm_judge("Reward politeness.", judge=judge)(response, prompt=query)
    return [*seen, *(prompt.user for prompt in judge.prompts)]


@pytest.mark.parametrize("injection", INJECTIONS, ids=lambda injection: injection.name)
def test_graders_put_a_response_that_contains_a_prompt_injection_inside_a_fence(injection: Injection) -> None:
    response = Submission(injection.response(HONEST[0])).response
    query = injection.inputs.get("query", BESIDE["query"])
    for user in asked_of_graders(injection):
        judged, parts = read_prompt(user)
        if judged == "prediction":
            assert parts == [("prompt", query), ("prediction", response)]
        else:
            assert parts == [("query", f"<query>\n{query}\n</query>"), ("response", tagged(response))]


def tagged(response: str) -> str:
    return f"<response>\n{response}\n</response>"
