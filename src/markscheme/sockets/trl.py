"""A rubric as a reward function of TRL's trainers."""

import asyncio
import json
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from statistics import fmean
from typing import Any

from markscheme.grading import Grade
from markscheme.grading.grader import Grader
from markscheme.grading.grades import row_verdicts
from markscheme.sockets import inputs_for, last_text, tag_scores

MOST_TAGS = 20
"""Largest number of criteria's tags that are logged; those of the most completions are chosen."""


def rubric_reward(grader: Grader) -> Callable[..., Awaitable[list[float | None]]]:
    """Make an asynchronous reward function that returns each completion's raw score, None if it can't be graded.

    The function has the name of the rubric.

    `query` is the prompt, or a conversation's last message, and `messages` is the whole conversation; other inputs come
    from the dataset's columns of the same name, a row's own criteria from the column `rubric`. A completion that can't
    be graded gets None, which TRL leaves out of the reward since its version 1.6.

    The share of completions that can't be graded is logged as `NAME/ungraded`. If rows bring their own criteria, the
    verdicts on these criteria are logged next to the completions. For each of the most frequent tags of such criteria,
    the mean score on the criteria with that tag is logged as `NAME/tag/TAG`.
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
        if "log_metric" in columns:
            for name, value in _metrics(grades).items():
                columns["log_metric"](f"{grader.rubric.name}/{name}", value)
        if "log_extra" in columns and any(grade.row_rubric for grade in grades):
            columns["log_extra"]("verdicts", [json.dumps(row_verdicts(grade)) for grade in grades])
        return [grade.raw_score for grade in grades]

    reward.__name__ = grader.rubric.name
    return reward


def _metrics(grades: Sequence[Grade]) -> dict[str, float]:
    scores = defaultdict(list)
    for grade in grades:
        for name, score in tag_scores(grade).items():
            scores[name].append(score)
    most = sorted(scores, key=lambda name: (-len(scores[name]), name))[:MOST_TAGS]
    return {"ungraded": fmean(grade.score is None for grade in grades), **{name: fmean(scores[name]) for name in most}}
