"""Ragas' annotations of its metrics: for each metric a list of samples whose outputs people accepted or edited."""

from collections.abc import Mapping, Sequence
from typing import Any

from markscheme.features.other_tools.metric_values import RawRating
from markscheme.features.other_tools.tool_content import Fields, ToolContent
from markscheme.fingerprint import fingerprint
from markscheme.plain_data import mapping
from markscheme.readers.peek import Peek

ANNOTATED = ("metric_input", "metric_output", "is_accepted")
"""Fields that each annotated sample has."""


def is_ragas(peek: Peek) -> bool:
    """Return True if a file holds annotations of Ragas' metrics."""
    return peek.has(*ANNOTATED)


def read_ragas(files: Sequence[Peek], content: ToolContent) -> None:
    """Read samples as responses, metrics' outputs as a judge's ratings, and people's decisions on these as labels.

    Samples have no id: those with equal inputs are one response, under the fingerprint of the inputs. Labels aren't
    blind, since annotators see the output that they accept or edit. A list of samples names no metric, which then has
    the file's name.
    """
    for peek in files:
        for metric, record in peek.parts():
            fields = Fields(record, content, "sample")
            if fields.is_record:
                _sample(metric or peek.path.stem, fields, content)
                fields.close()


def _sample(metric: str, fields: Fields, content: ToolContent) -> None:
    """Add one sample's response, the metric's output, and the label that people gave it to the content."""
    inputs = dict(mapping(fields.take("metric_input")))
    unit = fingerprint(inputs)
    response = inputs.pop("response", None)
    if unit not in content.responses:
        content.respond(unit, response, inputs)
    output = fields.take("metric_output")
    prompts = [mapping(prompt) for prompt in mapping(fields.take("prompts")).values()]
    reason = _reason(prompts, "prompt_output")
    content.rate(RawRating(unit, metric, output, "ragas", "model", reason))
    target = fields.take("target")
    is_accepted = fields.take("is_accepted")
    label = target if target is not None else output if is_accepted else _edited(prompts)
    if label is None:
        content.lose(f"outputs of {metric!r} that were rejected without the right value")
    else:
        content.rate(RawRating(unit, metric, label, "", "human", _reason(prompts, "edited_output"), blind=False))


def _edited(prompts: Sequence[Mapping[str, Any]]) -> Any:
    """Return the verdict that people wrote in place of a model's; None if there is none, or more than one."""
    verdicts = [mapping(prompt.get("edited_output")).get("verdict") for prompt in prompts]
    edited = [verdict for verdict in verdicts if verdict is not None]
    return edited[0] if len(edited) == 1 else None


def _reason(prompts: Sequence[Mapping[str, Any]], output: str) -> str | None:
    """Return the reasons in outputs of a metric's prompts, one on a line; None without any.

    Args:
        prompts: The prompts with their outputs.
        output: Key of the output: "prompt_output" of the model or "edited_output" of the annotator.
    """
    reasons = [mapping(prompt.get(output)).get("reason") for prompt in prompts]
    return "\n".join(str(reason) for reason in reasons if reason) or None
