"""The files of a project that is made from a table or from results: the YAML of its rubric, and names of its files."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from markscheme.rubrics.rubric import DEFAULT_PASS_MARK, DEFAULT_TOLERANCE, Criterion, Rubric, Scale
from markscheme.text import is_path_component, path_component

PERCENT_ENDS = (0.0, 100.0)
"""Ends of a scale of percentages, on which a judge can choose from the whole numbers."""
PARTS_OF_SCORE = 10
"""Number of steps into which a continuous score is divided, so that a judge can choose more than its ends."""
_NOT_IN_NAMES = re.compile(r"[^\w.-]+")


@dataclass(frozen=True)
class TableProject:
    """The files of a new project made from a table or from Promptfoo's results, before they are written.

    Attributes:
        rubric: Name of the rubric.
        files: Text of each file by its path in the project: the rubric, examples, and each rater's ratings.
        judged: Paths of the judges' ratings.
        has_responses: True if the table contains the responses, so that a judge can be asked about them.
        unread: Names of text columns that the judge isn't shown; one may hold the query, for which no column is known.
    """

    rubric: str
    files: Mapping[Path, str]
    judged: tuple[Path, ...]
    has_responses: bool
    unread: tuple[str, ...] = ()


def rubric_yaml(rubric: Rubric, name: str) -> str:
    """Write the YAML of a rubric that was inferred from values: scales, and settings other than the defaults.

    Args:
        rubric: The rubric, whose criteria have no wording yet except their names.
        name: Name of the rubric.
    """
    usual = {"tolerance": DEFAULT_TOLERANCE, "passingThreshold": DEFAULT_PASS_MARK, "optional_inputs": ()}
    settings = dict(zip(usual, (rubric.tolerance, rubric.pass_mark, rubric.optional_inputs), strict=True))
    data = {"name": name, **{key: value for key, value in settings.items() if value != usual[key]}}
    data["criteria"] = [_criterion(criterion) for criterion in rubric.criteria]
    return yaml.safe_dump(data, allow_unicode=True, sort_keys=False, width=110)


def _criterion(criterion: Criterion) -> dict[str, Any]:
    weight = {"weight": criterion.weight} if criterion.weight < 0 else {}
    required = {"required": True} if criterion.required else {}
    optional = {"not_applicable": True} if criterion.not_applicable else {}
    asks = {"name": criterion.name, **weight, "requirement": criterion.requirement}
    return {**asks, **required, **optional, **_scale(criterion.scale)}


def _scale(scale: Scale) -> dict[str, Any]:
    if scale.is_yes_no:
        return {}
    if scale.coded:
        return {"scale_type": "nominal", "options": [{"label": choice} for choice in scale.choices]}
    if scale.by_label:
        options = [{"label": level.label or level.choice, "value": level.value} for level in scale.levels]
        return {"scale_type": "ordinal", "options": options}
    low, high = scale.ends
    is_score = len(scale.values) == 2
    are_whole = all(value.is_integer() for value in scale.values)
    if are_whole and (scale.ends == PERCENT_ENDS or high - low == len(scale.values) - 1 > 1):
        return {"scale": {"min": int(low), "max": int(high)}}
    steps = range(PARTS_OF_SCORE + 1)
    values = [low + (high - low) * step / PARTS_OF_SCORE for step in steps] if is_score else scale.values
    return {"levels": [{"value": int(value) if float(value).is_integer() else value} for value in values]}


def file_name(name: str, what: str) -> str:
    """Convert a name to a valid file name: characters that files may not have become dashes.

    Args:
        name: The name.
        what: Noun for what has the name, such as "a rater", for the error.
    """
    if is_path_component(name) and " " not in name:
        return name
    return path_component(_NOT_IN_NAMES.sub("-", name).strip("-."), what)


def json_line(data: dict[str, Any]) -> str:
    """Write plain data as a line of JSON."""
    return json.dumps(data, ensure_ascii=False) + "\n"
