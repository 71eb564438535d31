"""Reading of rubric files: every dialect, every fault with its line, and no other error than RubricError."""

import contextlib
import io
import json
import math
import re
import warnings
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from markscheme import Rubric, RubricError, load_rubric
from markscheme.errors import RubricWarning, UsageError
from markscheme.judges.kinds import JudgeKind, shipped_kinds
from markscheme.rubrics.file import rubric_from_text
from markscheme.rubrics.format import json_schema
from markscheme.rubrics.gray_zone import GrayZone
from markscheme.rubrics.reading import MAX_RUBRIC_BYTES
from markscheme.rubrics.search import find_rubric, typed_name

ROOT = Path(__file__).parents[2]
SHIPPED = sorted((ROOT / "rubrics").glob("*.yaml"))


def written(folder: Path, text: str, name: str = "r.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def refusals(path: Path) -> list[tuple[int | None, str]]:
    with pytest.raises(RubricError) as refused:
        load_rubric(path)
    assert refused.value.path == path
    lines = str(refused.value).splitlines()
    for line, fault in zip(lines, refused.value.faults, strict=True):
        assert line.startswith(f"{path}:{fault.line}: " if fault.line else f"{path}: ")
    return [(fault.line, fault.problem) for fault in refused.value.faults]


# --- refusals -------------------------------------------------------------------------------------------------------

REFUSED: dict[str, tuple[str, int | None, str]] = {
    "a weight of zero": ("criteria:\n  - requirement: A\n    weight: 0\n", 3, "finite number other than 0, found 0"),
    "a weight of zero point zero": ("criteria:\n  - requirement: A\n    weight: -0.0\n", 3, "other than 0, found -0.0"),
    "a NaN weight": ("criteria:\n  - requirement: A\n    weight: .nan\n", 3, "finite number other than 0, found NaN"),
    "an infinite weight": ("criteria:\n  - requirement: A\n    weight: -.inf\n", 3, "finite number other than 0"),
    "a boolean weight": ("criteria:\n  - requirement: A\n    weight: true\n", 3, "weight must be a number, found True"),
    "a weight in quotes": ("criteria:\n  - requirement: A\n    weight: '3'\n", 3, "weight must be a number, found '3'"),
    "a weight of 10,000 digits": (f"criteria:\n  - requirement: A\n    weight: {'9' * 10_000}\n", 3, "cannot be read"),
    "no weight after the colon": ("criteria:\n  - requirement: A\n    weight:\n", 3, "must be a number, found None"),
    "an empty requirement": ("criteria:\n  - weight: 1\n    requirement: ''\n", 3, "requirement is given but empty"),
    "a description of spaces": (
        "description: '  '\ncriteria:\n  - requirement: A\n",
        1,
        "description is given but empty",
    ),
    "an empty anchor": (
        "criteria:\n  - requirement: A\n    levels:\n      - value: 1\n        description: ''\n      - value: 2\n",
        5,
        "description is given but empty",
    ),
    "an empty example": (
        "criteria:\n  - requirement: A\n    examples:\n      good: ''\n",
        4,
        "good is given but empty",
    ),
    "empty guidelines": ("guidelines: ''\ncriteria:\n  - requirement: A\n", 1, "guidelines is given but empty"),
    "a name twice": (
        "criteria:\n  - name: a\n    requirement: A\n  - name: a\n    requirement: B\n",
        4,
        "2 criteria are named 'a'; names are unique",
    ),
    "a name that another has by place": (
        "criteria:\n  - requirement: A\n  - name: c1\n    requirement: B\n",
        3,
        "2 criteria are named 'c1'",
    ),
    "an empty list of criteria": ("name: r\ncriteria: []\n", 2, "needs at least one criterion"),
    "no criteria at all": ("name: r\n", 1, "`criteria` is missing"),
    "an empty file": ("", 1, "is empty"),
    "a word instead of a rubric": ("hello\n", 1, "a rubric is a mapping or a list of criteria, found 'hello'"),
    "a criterion that is a word": ("criteria:\n  - Mentions Paris\n", 2, "must be a mapping of keys, found 'Mentions"),
    "a criterion without words": ("criteria:\n  - weight: 1\n", 2, "`description` (or `requirement`) is missing"),
    "description and requirement": (
        "criteria:\n  - description: A\n    requirement: B\n",
        3,
        "are the same key; give one of them",
    ),
    "min equal to max": ("criteria:\n  - requirement: A\n    scale: {min: 5, max: 5}\n", 3, "found min 5, max 5"),
    "min above max": ("criteria:\n  - requirement: A\n    scale_min: 6\n", 3, "found min 6, max 5"),
    "a scale of a billion levels": (
        "criteria:\n  - requirement: A\n    scale: {min: 0, max: 1000000000}\n",
        3,
        "at most 101 levels",
    ),
    "a scale that is a word": ("criteria:\n  - requirement: A\n    scale: big\n", 3, "or binary; found 'big'"),
    "a scale given twice": (
        "criteria:\n  - requirement: A\n    scale: {min: 1, max: 5}\n    binary: true\n",
        4,
        "given more than once",
    ),
    "a scale with one level": (
        "criteria:\n  - requirement: A\n    levels:\n      - value: 1\n",
        3,
        "at least two levels, found 1",
    ),
    "levels best first": (
        "criteria:\n  - requirement: A\n    levels: [{value: 2}, {value: 1}]\n",
        3,
        "levels stand worst first",
    ),
    "two levels of one label": (
        "criteria:\n  - requirement: A\n    levels: [{value: 1, label: bad}, {value: 2, label: Bad}]\n",
        3,
        "two levels have the same name: 'bad'",
    ),
    "a level labelled like another's number": (
        "criteria:\n  - requirement: A\n    levels: [{value: 1, label: '2'}, {value: 2}]\n",
        3,
        "two levels have the same name: '2'",
    ),
    "a level off its scale": (
        "criteria:\n  - requirement: A\n    scale: {min: 1, max: 3}\n    levels: [{value: 4}]\n",
        4,
        "level 4 is outside the scale 1 to 3",
    ),
    "a single option": (
        "criteria:\n  - requirement: A\n    options: [{label: a, value: 1}]\n",
        3,
        "at least two levels",
    ),
    "an option without a value": (
        "criteria:\n  - requirement: A\n    options: [{label: a}, {label: b, value: 1}]\n",
        3,
        "each option that applies has a value",
    ),
    "a pass mark above 1": ("passingThreshold: 1.5\ncriteria:\n  - requirement: A\n", 1, "at most 1, found 1.5"),
    "a pass mark below 0": ("passingThreshold: -0.1\ncriteria:\n  - requirement: A\n", 1, "at least 0, found -0.1"),
    "a NaN pass mark": ("passingThreshold: .nan\ncriteria:\n  - requirement: A\n", 1, "found NaN"),
    "a pass mark in per cent": ("passingThreshold: 70%\ncriteria:\n  - requirement: A\n", 1, "a number, found '70%'"),
    "a threshold above 1": ("criteria:\n  - requirement: A\n    threshold: 7\n", 3, "threshold is at most 1, found 7"),
    "sees of an undeclared input": (
        "inputs: [query]\ncriteria:\n  - requirement: A\n    sees: [reference]\n",
        4,
        "sees 'reference', which is not among the declared inputs: query",
    ),
    "sees where nothing is declared": (
        "criteria:\n  - requirement: A\n    sees: [reference]\n",
        3,
        "not among the declared inputs: query",
    ),
    "an input twice": ("inputs: [query, query]\ncriteria:\n  - requirement: A\n", 1, "names 'query' 2 times"),
    "an input in both lists": (
        "inputs: [query]\noptional_inputs: [query]\ncriteria:\n  - requirement: A\n",
        2,
        "names 'query', which is among the inputs that every submission has",
    ),
    "an optional input marked as elsewhere": (
        'inputs: ["tool_calls?"]\ncriteria:\n  - requirement: A\n',
        1,
        "'tool_calls?': a name has letters, digits, _, - and . alone; one that may be missing is named in optional_",
    ),
    "an optional input with a space": (
        "name: r\noptional_inputs: [the ticket]\ncriteria:\n  - requirement: A\n",
        2,
        "'the ticket': a name has letters, digits, _, - and . alone",
    ),
    "the response as an input": ("inputs: [response]\ncriteria:\n  - requirement: A\n", 1, "leave out 'response'"),
    "another strategy": ("strategy: oneshot\ncriteria:\n  - requirement: A\n", 1, "found 'oneshot'"),
    "no samples": ("samples: 0\ncriteria:\n  - requirement: A\n", 1, "samples is at least 1, found 0"),
    "a check in a holistic rubric": (
        "strategy: holistic\ncriteria:\n  - requirement: A\n    check: json_valid\n",
        1,
        "runs no check: criterion 'c1' has one",
    ),
    "a required criterion in a holistic rubric": (
        "name: r\nstrategy: holistic\ncriteria:\n  - requirement: A\n    required: true\n",
        2,
        "cannot tell whether 'c1' fails",
    ),
    "a criterion of a holistic rubric that sees less": (
        "strategy: holistic\ninputs: [query, reference]\ncriteria:\n  - requirement: A\n    sees: [query]\n",
        1,
        "'c1' is to see only some",
    ),
    "a level called as none is": (
        "criteria:\n  - requirement: A\n    levels: [{value: 1, label: Cannot_judge}, {value: 2}]\n",
        3,
        "no level can be called 'cannot_judge': it is what a rater says instead",
    ),
    "an option called as none is": (
        "criteria:\n  - requirement: A\n    options: [{label: Does not apply, value: 0}, {label: b, value: 1}]\n",
        3,
        "no level can be called 'does not apply'",
    ),
    "a requirement that is not yes/no": (
        "criteria:\n  - requirement: A\n    binary: false\n",
        3,
        "a `requirement` is yes/no where nothing else is said",
    ),
    "a function as judge": (
        "judge:\n  name: function:os:getcwd\ncriteria:\n  - requirement: A\n",
        2,
        "name can't be a judge of code, since a rubric runs none",
    ),
    "a key beside rubric and in it": (
        "passingThreshold: 0.9\nrubric:\n  passingThreshold: 0.1\n  criteria:\n    - requirement: A\n",
        1,
        "passingThreshold is given next to `rubric` and in it as well",
    ),
    "criteria beside rubric and in it": (
        "rubric:\n  - requirement: A\ncriteria:\n  - requirement: B\n",
        3,
        "criteria is given next to `rubric` and in it as well",
    ),
    "sections beside rubric and criteria in it": (
        "rubric:\n  criteria:\n    - requirement: A\nsections:\n  - criteria: []\n",
        None,
        "has both `criteria` and `sections`",
    ),
    "an unknown key near a known one": (
        "pasingThreshold: 0.5\ncriteria:\n  - requirement: A\n",
        1,
        "unknown key 'pasingThreshold' (did you mean 'passingThreshold'?)",
    ),
    "an unknown key of a criterion": (
        "criteria:\n  - requirement: A\n    wieght: 1\n",
        3,
        "unknown key 'wieght' (did you mean 'weight'?)",
    ),
    "an unknown key without a value, near a known one": (
        "criteria:\n  - requirement: A\n    wieght:\n",
        3,
        "unknown key 'wieght' (did you mean 'weight'?)",
    ),
    "an unknown key near nothing": ("zzzz: 1\ncriteria:\n  - requirement: A\n", 1, "unknown key 'zzzz'; known here: "),
    "a key for the judge": (
        "judge:\n  name: anthropic\n  api_key: sk\ncriteria:\n  - requirement: A\n",
        3,
        "unknown key 'api_key'; known here: name, model",
    ),
    "an address for the judge": (
        "judge:\n  name: openai\n  base_url: http://x\ncriteria:\n  - requirement: A\n",
        3,
        "unknown key 'base_url'",
    ),
    "a key twice": (
        "criteria:\n  - requirement: A\n    weight: 1\n    weight: 2\n",
        4,
        "the key 'weight' occurs twice in one place",
    ),
    "a text that YAML takes for a boolean": ("criteria:\n  - requirement: yes\n", 2, "found True; put it in quotes"),
    "a tag that would run something": (
        "name: r\ncriteria: !!python/object/apply:os.system ['true']\n",
        2,
        "is not plain data",
    ),
    "a tag of its own": ("name: !mine r\ncriteria:\n  - requirement: A\n", 1, "the tag '!mine' is not read"),
    "names that differ in case alone": (
        "name: r\ncriteria:\n- {name: Tone, requirement: A}\n- {name: tone, requirement: B}\n",
        4,
        "criteria 'Tone' and 'tone' differ in case alone; rename one",
    ),
    "names of other bytes and the same letters": (
        "name: r\ncriteria:\n- {name: \u00e9, requirement: A}\n- {name: e\u0301, requirement: B}\n",
        4,
        "differ in case alone",
    ),
    "an alias of itself": ("name: r\ncriteria: &a\n  - *a\n", 2, "grows too large when its aliases are followed"),
    "nesting over 50": ("criteria: " + "[" * 60 + "]" * 60 + "\n", 1, "is nested more than 50 deep"),
    "two documents": ("criteria:\n  - requirement: A\n---\ncriteria: []\n", 3, "is not readable YAML"),
    "a tab as indentation": ("criteria:\n\t- requirement: A\n", 2, "is not readable YAML"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_an_invalid_rubric_is_refused_with_the_line_of_the_fault(what: str, tmp_path: Path) -> None:
    text, line, problem = REFUSED[what]
    (fault,) = refusals(written(tmp_path, text))
    assert fault[0] == line
    assert problem in fault[1]


def test_yaml_aliases_that_would_expand_to_a_huge_document_are_refused_before_they_expand(tmp_path: Path) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    ((_, problem),) = refusals(written(tmp_path, "\n".join(lines)))
    assert "aliases" in problem


def test_rubric_files_over_a_mebibyte_are_refused(tmp_path: Path) -> None:
    ((_, problem),) = refusals(written(tmp_path, "#" * (MAX_RUBRIC_BYTES + 1)))
    assert "1,048,57" in problem
    with pytest.raises(RubricError, match="1,048,57"):
        Rubric.from_yaml("#" * (MAX_RUBRIC_BYTES + 1))


def test_all_faults_of_a_rubric_file_are_reported_at_once_in_the_order_of_the_file(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "passingThreshold: 2\n"
        "inputs: [query]\n"
        "criteria:\n"
        "  - requirement: A\n"
        "    weight: 0\n"
        "  - requirement: ''\n"
        "    sees: [context]\n"
        "  - name: q\n"
        "    requirement: B\n"
        "    scale: {min: 3, max: 1}\n"
        "  - name: q\n"
        "    requirement: C\n"
        "    colour: red\n",
    )
    faults = refusals(path)
    assert [line for line, _ in faults] == [1, 5, 6, 7, 10, 11, 13]
    words = ["at most 1", "other than 0", "empty", "'c2' sees 'context'", "min 3, max 1", "named 'q'", "'colour'"]
    assert all(word in problem for word, (_, problem) in zip(words, faults, strict=True))


def test_an_invalid_key_hides_no_other_fault_of_its_criterion_or_rubric_file(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "pass_mark: 2\n"
        "strategy: holistic\n"
        "criteria:\n"
        "  - description: A\n"
        "    requirement: B\n"
        "    weight: 0\n"
        "    scale: {min: 3, max: 1}\n"
        "    required: true\n"
        "    sees: [context]\n"
        "  - weight: .nan\n"
        "    levels: [{value: 2}, {value: 1}]\n",
    )
    faults = refusals(path)
    assert [line for line, _ in faults] == [1, 2, 2, 5, 6, 7, 9, 10, 10, 11]
    message = "\n".join(problem for _, problem in faults)
    for words in (
        "'c1' fails",
        "same key",
        "other than 0",
        "min 3, max 1",
        "sees 'context'",
        "is missing",
        "worst first",
    ):
        assert words in message


@pytest.mark.parametrize(
    "criterion",
    ["{requirment: A}", "{description: ''}", "{requirement: A, binary: false, levels: [{value: x}]}", "Mentions Paris"],
)
def test_a_key_of_a_rubric_is_not_reported_as_missing_if_an_unreadable_key_may_be_a_misspelling_of_it(
    criterion: str, tmp_path: Path
) -> None:
    assert len(refusals(written(tmp_path, f"criteria:\n  - {criterion}\n"))) == 1


def test_invalid_declared_inputs_are_reported_without_calling_other_inputs_undeclared(tmp_path: Path) -> None:
    text = "inputs: [1]\ncriteria:\n  - requirement: A\n    sees: [reference]\n"
    assert [line for line, _ in refusals(written(tmp_path, text))] == [1]


@pytest.mark.parametrize("kind", shipped_kinds(), ids=lambda kind: kind.name)
@pytest.mark.parametrize("form", ["{}", " {} ", "{}+recorded:replies.jsonl", "recorded:replies.jsonl + {}"])
def test_a_rubric_may_name_any_kind_of_judge_except_one_that_imports_code(kind: JudgeKind, form: str) -> None:
    name = form.format(f"{kind.name}:os:getcwd")
    rubric = {"judge": {"name": name}, "criteria": [{"requirement": "A"}]}
    if kind.names_code:
        with pytest.raises(RubricError, match="a rubric runs none"):
            Rubric.from_dict(rubric)
    else:
        assert Rubric.from_dict(rubric).judge["name"] == name


def test_faults_of_criteria_in_sections_inside_a_rubric_key_are_reported_with_their_own_lines(tmp_path: Path) -> None:
    text = "rubric:\n  sections:\n    - criteria:\n        - requirement: A\n          weight: 0\n      colour: red\n"
    assert [line for line, _ in refusals(written(tmp_path, text))] == [5, 6]


def test_faults_in_json_rubrics_are_reported_with_their_lines(tmp_path: Path) -> None:
    weight = '{\n "criteria": [\n  {"requirement": "A",\n   "weight": NaN}]}'
    assert refusals(written(tmp_path, weight, "r.json"))[0][0] == 4
    twice = '{\n "criteria": [\n  {"requirement": "A",\n   "requirement": "B"}]}'
    assert refusals(written(tmp_path, twice, "r.json")) == [(4, "the key 'requirement' occurs twice in one place")]
    broken = '{\n "criteria": [\n'
    assert refusals(written(tmp_path, broken, "r.json"))[0][0] == 3


def test_half_a_surrogate_pair_in_a_rubric_is_refused_in_python_data_and_replaced_in_json_text() -> None:
    with pytest.raises(RubricError, match=r"^\[0\]\.requirement: requirement holds half a character"):
        Rubric.from_dict([{"requirement": "a\ud800"}])
    assert Rubric.from_json('[{"requirement": "a\\ud800"}]').criteria[0].requirement == "a\ufffd"


def test_deeply_nested_json_is_refused() -> None:
    for depth in (60, 100_000):
        with pytest.raises(RubricError, match=r"nested (more than 50|too) deep"):
            Rubric.from_json("[" * depth + "]" * depth)


def test_a_rubric_file_that_is_missing_or_not_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RubricError, match=r"none\.yaml: there is no such file"):
        load_rubric(tmp_path / "none.yaml")
    path = tmp_path / "r.yaml"
    path.write_bytes(b"criteria:\n  - requirement: \xff\n")
    assert refusals(path) == [(2, "is not UTF-8 text")]


@pytest.mark.parametrize("name", ["code-quality", "cod-quality"])
def test_load_rubric_with_a_rubric_s_name_in_place_of_a_path_suggests_the_path_of_the_nearest_rubric(name: str) -> None:
    with pytest.raises(RubricError) as refused:
        load_rubric(name)
    assert str(refused.value).startswith(f"{name}: there is no such file; `load_rubric` takes a file's path, such as ")
    assert "rubrics/code-quality.yaml (`calibrate`" in str(refused.value)


@pytest.mark.parametrize("source", [None, 3])
def test_load_rubric_refuses_a_value_that_is_neither_a_path_nor_an_open_file(source: Any) -> None:
    with pytest.raises(UsageError, match=f"the path of its file or an open text file, got {source}"):
        load_rubric(source)


def test_a_fault_in_a_rubric_given_as_a_dict_is_reported_with_the_path_of_keys_that_leads_to_it() -> None:
    with pytest.raises(RubricError, match=r"^criteria\[1\]\.weight: weight must be a finite number other than 0"):
        Rubric.from_dict({"criteria": [{"requirement": "A"}, {"requirement": "B", "weight": 0}]})


# --- dialects -------------------------------------------------------------------------------------------------------

ONE = {"weight": 2.0, "requirement": "Mentions Paris"}


@pytest.mark.parametrize(
    "data",
    [
        [ONE],
        {"criteria": [ONE]},
        {"sections": [{"criteria": [ONE]}]},
        {"rubric": [ONE]},
        {"rubric": {"criteria": [ONE]}},
        {"rubric": {"sections": [{"criteria": [ONE]}]}},
        [{"criteria": [ONE]}],
    ],
    ids=["list", "criteria", "sections", "rubric list", "rubric criteria", "rubric sections", "list of sections"],
)
def test_a_rubric_is_the_same_whichever_key_of_a_file_holds_its_criteria(
    data: Any,
) -> None:
    rubrics = [Rubric.from_dict(data), Rubric.from_json(json.dumps(data)), Rubric.from_yaml(yaml.safe_dump(data))]
    assert [[(c.name, c.weight, c.requirement) for c in rubric.criteria] for rubric in rubrics] == [
        [("c1", 2.0, "Mentions Paris")]
    ] * 3


def test_a_criterion_with_a_requirement_is_yes_or_no_and_a_criterion_with_a_description_is_rated_1_to_5() -> None:
    rubric = Rubric.from_dict({"criteria": [{"requirement": "A"}, {"description": "B"}]})
    assert rubric.criteria[0].scale.choices == ("UNMET", "MET")
    assert rubric.criteria[1].scale.values == (1, 2, 3, 4, 5)
    assert [criterion.name for criterion in rubric.criteria] == ["c1", "c2"]


@pytest.mark.parametrize(
    ("keys", "values"),
    [
        ({"scale": {"min": 0, "max": 3}}, (0, 1, 2, 3)),
        ({"scale_min": 2}, (2, 3, 4, 5)),
        ({"scale_max": 3}, (1, 2, 3)),
        ({"scale": "binary"}, (0, 1)),
        ({"binary": True}, (0, 1)),
        ({"levels": [{"value": 0}, {"value": 2.5}, {"value": 10}]}, (0, 2.5, 10)),
        ({"scale": {"min": 1, "max": 3}, "levels": [{"value": 3, "description": "All of it."}]}, (1, 2, 3)),
    ],
)
def test_a_scale_in_a_rubric_file_may_be_written_in_each_of_the_documented_forms(
    keys: dict[str, Any], values: tuple[float, ...]
) -> None:
    assert Rubric.from_dict([{"description": "A", **keys}]).criteria[0].scale.values == values


def test_options_of_a_criterion_become_levels_in_the_order_of_their_values() -> None:
    options = [{"label": "good", "value": 0.8}, {"label": "poor", "value": 0.1}, {"label": "none", "na": True}]
    (criterion,) = Rubric.from_dict([{"requirement": "A", "options": options, "scale_type": "ordinal"}]).criteria
    assert criterion.scale.choices == ("poor", "good")
    assert [criterion.scale.position(value) for value in criterion.scale.values] == [0.1, 0.8]
    assert criterion.not_applicable


def test_numeric_levels_of_a_criterion_with_the_scale_type_nominal_are_unordered() -> None:
    (criterion,) = Rubric.from_dict(
        [{"requirement": "A", "scale": {"min": 1, "max": 3}, "scale_type": "nominal"}]
    ).criteria
    assert not criterion.scale.ordered


def test_a_scale_type_of_nominal_makes_a_criterion_s_levels_unordered() -> None:
    options = [{"label": "red", "value": 1}, {"label": "blue", "value": 1}, {"label": "grey", "value": 0}]
    (criterion,) = Rubric.from_dict([{"requirement": "A", "options": options, "scale_type": "nominal"}]).criteria
    assert not criterion.scale.ordered


def test_categories_written_as_levels_without_values_equal_those_written_as_options() -> None:
    levels = [{"label": "red", "description": "It is red.", "example": "A rose."}, {"label": "blue"}]
    kind = {"requirement": "Colour", "scale_type": "nominal", "passes": ["red"]}
    (named,) = Rubric.from_dict([{**kind, "levels": levels}]).criteria
    (optional,) = Rubric.from_dict([{**kind, "options": [{"label": "red"}, {"label": "blue"}]}]).criteria
    assert (named.scale.values, named.scale.coded, named.passing) == (optional.scale.values, True, ("red",))
    assert [(level.label, level.description, level.example) for level in named.scale.levels] == [
        ("red", "It is red.", "A rose."),
        ("blue", None, None),
    ]


@pytest.mark.parametrize(
    "criterion",
    [
        {"requirement": "A", "levels": [{"label": "low"}, {"label": "high"}]},
        {"requirement": "A", "scale_type": "nominal", "passes": ["a"], "levels": [{"label": "a"}, {"value": 1}, {}]},
        {"prefer": "The better one", "levels": [{"label": "first"}]},
    ],
)
def test_a_level_without_a_value_is_refused_unless_the_levels_are_categories(
    criterion: dict[str, Any],
) -> None:
    with pytest.raises(RubricError) as refused:
        Rubric.from_dict([criterion])
    places = [str(place) for place, level in enumerate(criterion["levels"], start=1) if "value" not in level]
    assert [fault.problem.partition("`value`")[2] for fault in refused.value.faults] == [
        f" is missing in level {', '.join(places)}; only categories may have none"
    ]


def test_every_key_of_a_rubric_file_sets_the_rubric_s_value_of_that_name(tmp_path: Path) -> None:
    text = """\
name: full
description: All of it.
passingThreshold: 0.7
inputs: [query, reference]
guidelines: Be fair.
strategy: double_pass
samples: 3
judge: {name: anthropic, model: m}
tolerance: 0.2
target: 0.9
ask_within: 0.05
criteria:
  - name: tone
    description: How it sounds.
    weight: -0.5
    levels:
      - {value: 1, label: rude, description: Insults., example: "Go away."}
      - {value: 2, label: kind}
    examples: {good: "Please.", bad: "No."}
    sees: [query]
    required: true
    threshold: 0.4
    not_applicable: true
"""
    rubric = load_rubric(written(tmp_path, text, "full.yaml"))
    (tone,) = rubric.criteria
    assert (rubric.name, rubric.description, rubric.guidelines) == ("full", "All of it.", "Be fair.")
    assert (rubric.pass_mark, rubric.inputs, rubric.strategy, rubric.samples) == (
        0.7,
        ("query", "reference"),
        "double_pass",
        3,
    )
    assert (dict(rubric.judge), rubric.tolerance, rubric.target, rubric.ask_within) == (
        {"name": "anthropic", "model": "m"},
        0.2,
        0.9,
        0.05,
    )
    assert (tone.name, tone.weight, tone.good, tone.bad, tone.sees) == ("tone", -0.5, "Please.", "No.", ("query",))
    assert (tone.required, tone.threshold, tone.not_applicable) == (True, 0.4, True)
    assert [(level.value, level.label, level.example) for level in tone.scale.levels] == [
        (1, "rude", "Go away."),
        (2, "kind", None),
    ]


def test_a_rubric_is_read_in_the_same_way_from_an_open_file_or_a_path_or_a_text(tmp_path: Path) -> None:
    path = written(tmp_path, "- requirement: A\n", "a.yml")
    with path.open(encoding="utf-8") as file:
        opened = load_rubric(file)
    assert opened == load_rubric(path) == load_rubric(str(path)) == Rubric.from_file(path)
    assert load_rubric(io.StringIO("- requirement: A\n")).criteria == opened.criteria


def test_a_byte_order_mark_at_the_start_of_a_rubric_file_is_ignored(tmp_path: Path) -> None:
    path = tmp_path / "r.yaml"
    path.write_bytes(b"\xef\xbb\xbf- requirement: A\n")
    assert load_rubric(path).criteria[0].requirement == "A"


# --- what is allowed and should be known ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("name: other\ncriteria:\n  - requirement: A\n", r"r\.yaml:1: is named 'other' but is in 'r\.yaml'"),
        ("criteria:\n  - requirement: A\n    aggregation: mean\n", r"r\.yaml:3: `aggregation` is not used here"),
        (
            "sections:\n  - title: T\n    criteria:\n      - requirement: A\n",
            r"r\.yaml:2: a section's title is not shown",
        ),
    ],
)
def test_a_rubric_file_s_key_without_any_effect_causes_a_warning(text: str, words: str, tmp_path: Path) -> None:
    with pytest.warns(RubricWarning, match=words):
        load_rubric(written(tmp_path, text))


# --- the schema and the shipped rubrics -----------------------------------------------------------------------------


ONE_CRITERION = "criteria:\n- {name: kind, description: Is it kind?, weight: 1}\n"


@pytest.mark.parametrize(
    ("value", "zone"),
    [
        ("0.12", GrayZone(0.12, 0.12)),
        ("{passes: 0.12, fails: all}", GrayZone(0.12, math.inf)),
        ("{passes: none, fails: 0.3}", GrayZone(0.0, 0.3)),
    ],
)
def test_a_gray_zone_has_one_distance_from_the_pass_mark_or_one_distance_for_passes_and_one_for_fails(
    value: str, zone: GrayZone
) -> None:
    rubric = rubric_from_text(f"ask_within: {value}\n{ONE_CRITERION}", "yaml")
    assert rubric.gray_zone == zone
    data = {"ask_within": zone.in_file, "criteria": [{"name": "kind", "description": "Is it kind?", "weight": 1}]}
    jsonschema.validate(data, json_schema())
    assert rubric_from_text(json.dumps(data), "json").gray_zone == zone


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("{passes: 0.12}", "ask_within has a value for passes and one for fails, found passes"),
        ("{passes: 0.12, fails: all, both: 1}", "has a value for passes and one for fails"),
        ("{passes: 1.5, fails: all}", "is a distance in score from 0 to 1, 'all' or 'none'; found 1.5"),
        ("{passes: 0.1, fails: some}", "is a distance in score from 0 to 1, 'all' or 'none'; found 'some'"),
        ("{passes: true, fails: all}", "found True"),
        ("1.5", "at most 1"),
    ],
)
def test_an_invalid_gray_zone_is_refused_with_its_line(value: str, problem: str) -> None:
    with pytest.raises(RubricError, match=re.escape(problem)) as refused:
        rubric_from_text(f"ask_within: {value}\n{ONE_CRITERION}", "yaml")
    assert {fault.line for fault in refused.value.faults} == {1}


def test_two_notations_of_one_gray_zone_have_the_same_fingerprint_unlike_two_different_gray_zones() -> None:
    def fingerprint_of(value: str) -> str:
        return rubric_from_text(f"ask_within: {value}\n{ONE_CRITERION}", "yaml").fingerprint

    assert fingerprint_of("0.1") == fingerprint_of("{passes: 0.1, fails: 0.1}")
    assert fingerprint_of("0.1") != fingerprint_of("{passes: 0.1, fails: all}")


def test_the_json_schema_file_next_to_the_rubrics_is_up_to_date() -> None:
    text = (ROOT / "rubrics" / "schema.json").read_text(encoding="utf-8")
    assert text == json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"


def test_the_json_schema_of_rubrics_is_a_valid_json_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(json_schema())


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_shipped_rubrics_load_without_a_warning_and_fit_the_schema(path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rubric = load_rubric(path)
    assert rubric.name == path.stem
    jsonschema.Draft202012Validator(json_schema()).validate(yaml.safe_load(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    "data",
    [
        {"criteria": []},
        {"criteria": [{"requirement": "A", "wieght": 1}]},
        {"criteria": [{"requirement": "A"}], "passingThreshold": 2},
        {"criteria": [{"requirement": "A", "weight": "3"}]},
    ],
)
def test_the_json_schema_refuses_invalid_rubrics_that_the_loader_refuses(data: dict[str, Any]) -> None:
    assert not jsonschema.Draft202012Validator(json_schema()).is_valid(data)
    with pytest.raises(RubricError):
        Rubric.from_dict(data)


# --- whatever the text ----------------------------------------------------------------------------------------------

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 6),
    st.floats(),
    st.text(max_size=5),
    st.sampled_from(["binary", "ordinal", "nominal", "MET", "query", "response", "a", "holistic"]),
    st.dates(),
)
KEYS = st.sampled_from(
    ["name", "requirement", "weight", "scale", "min", "max", "levels", "options", "value", "label", "na", "criteria"]
)
ANYTHING = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=8
)
CRITERIA = st.fixed_dictionaries(
    {"requirement": st.just("A") | SCALARS},
    optional={
        "weight": st.sampled_from([1, -2.5]) | SCALARS,
        "name": st.sampled_from(["a", "b", "c1"]) | SCALARS,
        "scale": ANYTHING,
        "levels": ANYTHING,
        "options": ANYTHING,
        "sees": ANYTHING,
        "threshold": SCALARS,
    },
)
FILES = st.one_of(
    ANYTHING,
    st.lists(CRITERIA, max_size=3),
    st.fixed_dictionaries({"criteria": st.lists(CRITERIA, max_size=3)}, optional={"inputs": ANYTHING, "name": SCALARS}),
)
PUNCTUATION = st.text(alphabet=list("{}[]:,-&*!|>'\"#?%@` \n\t\0\x85\ufeffab1.~<"), max_size=40)


def reads_or_refuses(text: str, form: str) -> None:
    with warnings.catch_warnings(), contextlib.suppress(RubricError):
        warnings.simplefilter("ignore", RubricWarning)
        rubric = Rubric.from_json(text) if form == "json" else Rubric.from_yaml(text)
        assert rubric.fingerprint


@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=FILES)
@pytest.mark.proof
def test_data_of_any_shape_are_read_as_a_rubric_or_refused_without_a_crash(data: Any) -> None:
    reads_or_refuses(yaml.safe_dump(data, allow_unicode=True), "yaml")
    reads_or_refuses(json.dumps(data, default=str), "json")


@settings(max_examples=250, deadline=None)
@given(text=PUNCTUATION | st.text(max_size=40), form=st.sampled_from(["yaml", "json"]))
def test_any_text_is_read_as_a_rubric_or_refused_without_a_crash(text: str, form: str) -> None:
    reads_or_refuses(text, form)


def test_a_printed_command_names_a_rubric_by_its_name_or_by_its_file_if_the_name_is_not_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = "name: tone\ncriteria: [{name: polite, requirement: Polite}]\n"
    paths = [Path("rubrics", "tone.yaml"), Path("rubrics", "other.yaml"), Path("tone.yaml"), Path("deep", "x.yaml")]
    for path in paths:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        typed = [typed_name(load_rubric(path)) for path in paths]

    assert typed == ["tone", "rubrics/other.yaml", "tone.yaml", "deep/x.yaml"]
    assert [find_rubric(name).resolve() for name in typed] == [path.resolve() for path in paths]


def test_a_link_in_the_folder_of_rubrics_that_leads_nowhere_is_named_with_its_target(tmp_path: Path) -> None:
    rubrics = tmp_path / "rubrics"
    rubrics.mkdir()
    (rubrics / "tone.yaml").symlink_to(tmp_path / "gone.yaml")
    message = re.escape(f"{rubrics / 'tone.yaml'}: it is a link to {tmp_path / 'gone.yaml'}, where there is no file")
    with pytest.raises(UsageError, match=message):
        find_rubric("tone", tmp_path)
    with pytest.raises(RubricError, match=f"{message}$"):
        load_rubric(rubrics / "tone.yaml")
