"""Conversion of a table to the files of a project: the rubric that it implies, its examples and all ratings."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Any

import yaml

from markscheme.ratings.examples import RATINGS_FOLDER
from markscheme.ratings.kinds import JUDGES
from markscheme.ratings.parts import with_parts
from markscheme.ratings.rating import Rating
from markscheme.readers.tabular.columns import has_sentences
from markscheme.readers.tabular.reading import TableReading
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
        unread: Names of text columns that aren't shown to the judge, since the table names no query.
    """

    rubric: str
    files: Mapping[Path, str]
    judged: tuple[Path, ...]
    has_responses: bool
    unread: tuple[str, ...] = ()


def project_of_table(reading: TableReading) -> TableProject:
    """Convert a table to the files of a project: a rubric, labelled examples and ratings.

    Raises:
        UsageError: The table's name, or a column's, can't be turned into the name of a file.
    """
    name = file_name(reading.name, "the table's name")
    folder = Path("calibration") / name
    rubric = reading.whole_rubric
    ratings = reading.whole_ratings
    raters = dict.fromkeys(rating.rater for rating in ratings)
    places = {rater: folder / RATINGS_FOLDER / f"{file_name(rater, 'a column')}.jsonl" for rater in raters}
    examples = with_parts(reading.plain_examples)
    lines: dict[Path, list[str]] = {folder / "examples.jsonl": [json_line(example.to_json()) for example in examples]}
    for rating in ratings:
        lines.setdefault(places[rating.rater], []).append(json_line(_named_levels(rating, rubric)))
    files = {Path("rubrics") / f"{name}.yaml": _head(name) + rubric_yaml(rubric, name)}
    return TableProject(
        name,
        files | {place: "".join(written) for place, written in lines.items()},
        tuple(dict.fromkeys(places[rating.rater] for rating in ratings if rating.kind in JUDGES)),
        any(example.submission.response for example in reading.plain_examples),
        _unread(reading),
    )


def _unread(reading: TableReading) -> tuple[str, ...]:
    """Return the text columns that may hold the query, by name, if it isn't known which column does."""
    if "query" in reading.roles.single:
        return ()
    others = {column.name: column for column in reading.columns if column.name in reading.roles.others}
    return tuple(name for name, column in others.items() if has_sentences(column))


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


def _head(name: str) -> str:
    return (
        "# Made from a table. Say in `requirement` what your annotators look for: judges that you ask read it.\n"
        f"# `markscheme lint {quote(name)}` says what a judge might misread.\n"
    )


def _criterion(criterion: Criterion) -> dict[str, Any]:
    weight = {"weight": criterion.weight} if criterion.weight < 0 else {}
    required = {"required": True} if criterion.required else {}
    asks = {"name": criterion.name, **weight, "requirement": criterion.requirement}
    return {**asks, **required, **_scale(criterion.scale)}


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


def _named_levels(rating: Rating, rubric: Rubric) -> dict[str, Any]:
    """Convert a rating to a line of a file, with the words for levels instead of their numbers.

    A word stays valid when levels are added to the scale.
    """
    line = rating.to_json()
    scales = {criterion.name: criterion.scale for criterion in rubric.criteria}
    for name, rated in rating.criteria.items():
        if scales[name].by_label and not scales[name].is_yes_no and rated.level is not None:
            line["criteria"][name]["level"] = scales[name].level_name(rated.level)
    return line


def file_name(name: str, what: str) -> str:
    """Convert a name to a valid file name: characters that files may not have become dashes."""
    if is_path_component(name) and " " not in name:
        return name
    return path_component(_NOT_IN_NAMES.sub("-", name).strip("-."), what)


def json_line(data: dict[str, Any]) -> str:
    """Write plain data as a line of JSON."""
    return json.dumps(data, ensure_ascii=False) + "\n"
