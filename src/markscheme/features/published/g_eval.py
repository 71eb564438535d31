"""Recognizes DeepEval's GEval metrics, each a criterion with steps and levels, and writes them with the usual keys."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from markscheme.features.published.finding import RawCriterion, is_level_list
from markscheme.features.published.vocabulary import text_in
from markscheme.plain_data import Place

_STEPS: Final = ("evaluation_steps", "evaluationSteps")
_PARAMETERS: Final = ("evaluation_params", "evaluationParams")
_OF_G_EVAL: Final = frozenset([*_STEPS, *_PARAMETERS, "strict_mode", "top_logprobs"])
"""Keys by which a GEval metric is recognized, next to its text."""
_HIGHEST: Final = 10
"""Highest score that GEval's model gives; the lowest is 0."""
_INPUTS: Final = {
    "input": "query",
    "expected_output": "reference",
    "context": "context",
    "retrieval_context": "context",
}
"""Name of the input that each parameter of a GEval metric is, by the parameter's name."""


def g_eval_metrics(data: Any, path: Place = ()) -> list[tuple[Mapping[str, Any], Place]]:
    """Return the GEval metrics in plain data, each with its path.

    The data may be a single metric, a list of metrics, or a mapping with such a list.

    >>> g_eval_metrics([{"criteria": "Is it right?", "evaluation_params": ["input"]}])[0][1]
    (0,)
    """
    if _is_metric(data):
        return [(data, path)]
    if isinstance(data, Mapping):
        lists = [key for key, value in data.items() if isinstance(value, list)]
        return g_eval_metrics(data[lists[0]], (*path, lists[0])) if len(lists) == 1 else []
    is_each = isinstance(data, list) and all(map(_has_text, data)) and any(map(_is_metric, data))
    return [(metric, (*path, index)) for index, metric in enumerate(data)] if is_each else []


def criterion_of_metric(metric: Mapping[str, Any], path: Place, *, is_alone: bool) -> RawCriterion:
    """Return a GEval metric as a criterion.

    Args:
        metric: The metric's keys and values.
        path: The keys and indices that lead to the metric in the file.
        is_alone: True if the file has no other metric, so that the metric's threshold becomes the rubric's pass mark
            and isn't stored with the criterion.
    """
    steps = next((metric[key] for key in _STEPS if key in metric), None) or ()
    numbered = "\n".join(f"{number}. {step}" for number, step in enumerate(steps, start=1))
    text = text_in(metric.get("criteria"))
    words = numbered if text is None else f"{text}\nEvaluation steps:\n{numbered}" if numbered else text
    data = {"name": metric.get("name"), "requirement": words}
    if "threshold" in metric and not is_alone:
        data["threshold"] = metric["threshold"]
    if is_level_list("rubric", metric.get("rubric")):
        data["levels"] = metric["rubric"]
    else:
        is_strict = metric.get("strict_mode") is True
        data |= {"binary": True} if is_strict else {"scale": {"min": 0, "max": _HIGHEST}}
    return RawCriterion(data, path)


def keys_besides(metrics: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return those keys of GEval metrics, with values, that can't be put into a rubric's criteria.

    If metrics need inputs, the key `inputs` is added with a list of them.
    """
    besides: dict[str, Any] = {}
    inputs: dict[str, None] = {}
    for metric in metrics:
        besides |= {
            key: value
            for key, value in metric.items()
            if key not in (*_STEPS, *_PARAMETERS, "criteria", "rubric", "strict_mode")
        }
        for written in next((metric[key] for key in _PARAMETERS if key in metric), None) or ():
            parameter = _parameter(str(written))
            if parameter in _INPUTS:
                inputs[_INPUTS[parameter]] = None
            elif parameter != "actual_output":
                besides[f"evaluation parameter {parameter}"] = True
    return besides | ({"inputs": [*inputs]} if inputs else {})


def _is_metric(data: Any) -> bool:
    return _has_text(data) and (bool(data.keys() & _OF_G_EVAL) or is_level_list("rubric", data.get("rubric")))


def _has_text(data: Any) -> bool:
    if not isinstance(data, Mapping):
        return False
    steps = next((data[key] for key in _STEPS if key in data), None)
    has_steps = isinstance(steps, list) and bool(steps) and all(text_in(step) is not None for step in steps)
    return has_steps or isinstance(data.get("criteria"), str)


def _parameter(written: str) -> str:
    """Return the name of a GEval parameter in lower case with underscores, however the file writes it.

    >>> _parameter("LLMTestCaseParams.EXPECTED_OUTPUT"), _parameter("actualOutput"), _parameter("input")
    ('expected_output', 'actual_output', 'input')
    """
    name = written.rpartition(".")[2]
    if name.isupper():
        return name.lower()
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
