"""A rubric as a reward function of TRL's trainers."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from markscheme.grading.grader import Grader
from markscheme.sockets import inputs_for, last_text


def rubric_reward(grader: Grader) -> Callable[..., Awaitable[list[float | None]]]:
    """Make an asynchronous reward function: the raw score of each completion, named like the rubric in the logs.

    `query` is the prompt, of a conversation its last message, and `messages` all of the conversation; other inputs
    come from the dataset's columns of the same name. A completion that is not graded gets None, which TRL leaves out of
    the reward.
    """

    async def reward(prompts: Sequence[Any], completions: Sequence[Any], **columns: Any) -> list[float | None]:
        of_rows = {name: column for name, column in columns.items() if isinstance(column, list)}

        def inputs(row: int) -> dict[str, Any]:
            prompt = prompts[row]
            completion = completions[row]
            messages = [*prompt, *completion] if isinstance(prompt, list) and isinstance(completion, list) else None
            facts = {name: column[row] for name, column in of_rows.items()}
            return inputs_for(grader.rubric, {**facts, "query": last_text(prompt), "messages": messages})

        texts = enumerate(map(last_text, completions))
        grades = await asyncio.gather(*(grader.grade(text, **inputs(row)) for row, text in texts))
        return [grade.raw_score for grade in grades]

    reward.__name__ = grader.rubric.name
    return reward
