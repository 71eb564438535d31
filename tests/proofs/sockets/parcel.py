"""A rubric with a judge that decides by words, for the frameworks' programs."""

from dataclasses import replace
from typing import Any

from markscheme import Criterion, Grader, Rubric, ScriptedJudge
from markscheme.errors import JudgeUnavailable
from markscheme.prompts.prompt import Prompt
from markscheme.rubrics.rubric import DOES_NOT_APPLY

RUBRIC = Rubric(
    (Criterion(2.0, "Names a town.", "place"), Criterion(-1.0, "Promises a day.", "promise", not_applicable=True)),
    name="parcel",
    inputs=("query",),
)
QUERY = "Where is my parcel?"
RESPONSES = ("It is in Leeds.", "Soon, tomorrow at the latest.", "The line is down.", "Which one? One is in Leeds.")
"""Good, bad, one on which the judge fails, and one to which `promise` doesn't apply."""


def grader(steps: str = "", shown: str = "") -> Grader:
    """Make a grader for four responses, graded 1, 0, not at all and 1; as raw scores 2, -1, None and 2.

    Args:
        steps: An input of steps that the rubric declares too.
        shown: What the judge must find in one of them.
    """

    def by_words(prompt: Prompt, _: int) -> Any:
        assert QUERY in prompt.user
        assert not steps or shown in "".join(text for name, text in prompt.material.items() if "step" in name)
        if "down" in prompt.user:
            return JudgeUnavailable("the judge is down")
        promise = DOES_NOT_APPLY if "Which one?" in prompt.user else _met("tomorrow", prompt)
        return {"place": _met("Leeds", prompt), "promise": promise}

    return Grader(replace(RUBRIC, inputs=("query", steps)) if steps else RUBRIC, ScriptedJudge(by_words))


def _met(word: str, prompt: Prompt) -> str:
    return "MET" if word in prompt.user else "UNMET"


def _by(word: str, weight: float, *tags: str) -> dict[str, Any]:
    return {"requirement": f"Says {word}", "weight": weight, "tags": [*tags]}


OWN = (
    [_by("Leeds", 2, "fact"), _by("tomorrow", -1, "tone")],
    [_by("York", 3, "fact")],
    [_by("line", 0, "fact")],
    [_by("Leeds", 1, "fact"), _by("Which", 1, "fact", "tone")],
)
"""The criteria that each response's row brings: by hand 2, 0, none for the weight of 0, and 2."""


def row_grader() -> Grader:
    """Make a grader by the criteria of rows, each of which is met if the response contains its last word."""

    def by_last_word(prompt: Prompt, _: int) -> Any:
        response_text = prompt.material["response"]
        last = {question.name: question.instructions.partition("\n")[0].split()[-1] for question in prompt.questions}
        return {name: "MET" if word in response_text else "UNMET" for name, word in last.items()}

    return Grader(None, ScriptedJudge(by_last_word))
