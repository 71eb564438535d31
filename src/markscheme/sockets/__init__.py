"""Adapters that use a rubric inside other frameworks: one module for each, which needs the extra of the same name.

Every adapter takes a `Grader`. A framework's facts about a response (a question, a target, columns of a dataset) become
inputs if the rubric has inputs of these names.
"""

from collections.abc import Mapping
from typing import Any

from markscheme.grading.grades import Grade
from markscheme.grading.grades import tag_scores as tag_scores
from markscheme.prompts.steps import steps_for
from markscheme.rubrics.inputs import STEPPED
from markscheme.rubrics.rubric import Rubric


def inputs_for(rubric: Rubric, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Select those known facts about a response that have the name of an input of the rubric.

    A row's own rubric is added as `rubric` if it is known. If the rubric declares only one of `messages`, `tool_calls`
    and `trace`, and that one isn't known, its value is made from the steps of a known one.
    """
    steps = {name: facts[name] for name in STEPPED if facts.get(name) is not None}
    inputs = {name: facts.get(name) for name in rubric.known_inputs}
    inputs |= {"rubric": facts.get("rubric")}  # a row may bring its own
    inputs |= {name: steps_for(name, inputs, steps) for name in STEPPED if name in inputs and name not in steps}
    return {name: value for name, value in inputs.items() if value is not None}


def named_scores(grade: Grade, rubric: Rubric) -> dict[str, float | None]:
    """Return a grade's scores by name: the score under the rubric's name, and each criterion's, 0 to 1, under its own.

    A criterion named like its rubric keeps its name; the score is then called `NAME-score`. Criteria of a row's own
    rubric are left out, since their names mean something in that row only; `tag_scores` has them by tag.
    """
    brought = () if grade.row_rubric is None else grade.row_rubric.brought
    criteria = {name: merit for name, merit in grade.by_criterion.items() if name not in brought}
    whole = rubric.name if rubric.name not in criteria else f"{rubric.name}-score"
    return {whole: grade.score, **criteria}


def last_text(content: Any) -> Any:
    """Return the text of the last message in a list; any other value, such as a tool call, is returned unchanged."""
    is_messages = isinstance(content, list) and content and isinstance(content[-1], Mapping)
    return (content[-1].get("content") if is_messages else None) or content
