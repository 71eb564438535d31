"""A rubric inside other frameworks: one module each, which needs the extra of the same name.

Every socket takes a `Grader`. What a framework knows of a response (a question, a target, columns of a dataset) becomes
an input where the rubric shows one of that name.
"""

from collections.abc import Mapping
from typing import Any

from markscheme.grading import Grade
from markscheme.rubrics.rubric import Rubric
from markscheme.trajectory import STEPPED, steps_for


def inputs_for(rubric: Rubric, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Select from the known facts of a response those that the rubric shows as an input of that name.

    A rubric that a row brings is always among them, as `rubric`. A rubric that declares one input of steps
    (`messages`, `tool_calls` or `trace`) gets those that are known.
    """
    steps = {name: facts[name] for name in STEPPED if facts.get(name) is not None}
    inputs = {name: facts.get(name) for name in rubric.known_inputs}
    inputs |= {"rubric": facts.get("rubric")}  # a row may bring its own
    inputs |= {name: steps_for(name, inputs, steps) for name in STEPPED if name in inputs and name not in steps}
    return {name: value for name, value in inputs.items() if value is not None}


def named_scores(grade: Grade, rubric: Rubric) -> dict[str, float | None]:
    """Map the rubric's name to the score, and each criterion's to how good the response is by it, 0 to 1.

    A criterion named like its rubric keeps its name; the score is then called `NAME-score`. Criteria that a row brought
    are left out: their names say something in their row alone, and their tags stand for them in all.
    """
    brought = () if grade.row_rubric is None else grade.row_rubric.brought
    criteria = {name: merit for name, merit in grade.by_criterion.items() if name not in brought}
    whole = rubric.name if rubric.name not in criteria else f"{rubric.name}-score"
    return {whole: grade.score, **criteria}


def tag_scores(grade: Grade) -> dict[str, float]:
    """Map `tag/TAG` to how good the response is by the criteria of that tag which its row brought, 0 to 1."""
    return {f"tag/{tag}": score for tag, (score, _) in grade.tags.items()}


def last_text(content: Any) -> Any:
    """Return the text of the last message in a list of messages; anything else as it is, such as a call of a tool."""
    is_messages = isinstance(content, list) and content and isinstance(content[-1], Mapping)
    return (content[-1].get("content") if is_messages else None) or content
