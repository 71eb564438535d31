"""An experiment's file: what it may say, and every fault of it with its line, all at once."""

from pathlib import Path

import pytest

from markscheme import Rubric
from markscheme.errors import FileError, RatingError
from markscheme.features.experiment.definition import Experiment, ExperimentCase, Model, Output, Variant
from markscheme.features.experiment.file import read_experiment
from markscheme.judges.price import Price
from tests.features.experiment.small import EXAMPLES, FILE, write_lines
from tests.test_plain_data import exploding

RUBRIC = "inputs: [query, context]\ncriteria: [{name: tone, description: Is kind}]\n"
WHOLE = """\
rubric: rubric.yaml
model: {name: "openai:gpt-5-mini", temperature: 0.7, max_tokens: 200, price: "1:2"}
variants:
  - {name: short, system: "Be short, {{ tone }}.", prompt: "{{query}}"}
  - {name: long}
cases:
  - {id: a, inputs: {query: "Why {{tone}}?", tone: please}, expected: {context: Because.}}
"""


def experiment(folder: Path, text: str, rubric: str = RUBRIC) -> Path:
    (folder / "rubric.yaml").write_text(rubric)
    path = folder / "try.experiment.yaml"
    path.write_text(text)
    return path


def faults(folder: Path, text: str, rubric: str = RUBRIC) -> list[tuple[int | None, str]]:
    path = experiment(folder, text, rubric)
    with pytest.raises(FileError) as caught:
        Experiment.from_file(path)
    assert all(line.startswith(str(path)) for line in str(caught.value).splitlines() if line.startswith("/"))
    return [(fault.line, fault.problem) for fault in caught.value.faults]


def test_the_documented_experiment_file_defines_two_variants_and_three_cases_and_four_criteria_from_1_to_5() -> None:
    definition = Experiment.from_file(EXAMPLES / FILE)
    assert [variant.name for variant in definition.variants] == ["formal", "casual"]
    assert len(definition.cases) == 3
    assert [criterion.scale.values for criterion in definition.rubric.criteria] == [(1.0, 2.0, 3.0, 4.0, 5.0)] * 4
    assert definition.name == "support"


def test_every_key_of_an_experiment_s_file_takes_effect_in_the_experiment_that_is_loaded_from_it(
    tmp_path: Path,
) -> None:
    text = WHOLE.replace("{name: long}", '{name: long, prompt: "At length: {{query}}"}')
    definition = Experiment.from_file(experiment(tmp_path, text))
    assert definition.name == "try"
    assert definition.model == Model("openai:gpt-5-mini", {"temperature": 0.7, "max_tokens": 200}, Price(1.0, 2.0))
    prompt = definition.variants[0].ask(definition.cases[0])
    assert (prompt.system, prompt.user, prompt.schema) == ("Be short, please.", "Why {{tone}}?", {})
    graded = definition.cases[0].submission("It is.", "id")
    assert dict(graded.inputs) == {"query": "Why {{tone}}?", "tone": "please", "context": "Because."}
    assert definition.to_ask == [("short", "a"), ("long", "a")]


def test_prompts_and_cases_of_an_experiment_may_be_in_files_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "short.txt").write_text("Be short.")
    cases = [{"id": n, "inputs": {"query": f"{n}?"}, "expected": {"context": "-"}} for n in (1, 2)]
    write_lines(tmp_path / "cases.jsonl", cases)
    text = "rubric: rubric.yaml\nvariants: [{name: short, system: file://short.txt}]\ncases: cases.jsonl\n"
    definition = Experiment.from_file(experiment(tmp_path, text))
    assert [definition.variants[0].ask(case).user for case in definition.cases] == ["1?", "2?"]
    assert definition.variants[0].ask(definition.cases[0]).system == "Be short."


def test_all_faults_of_an_experiment_s_file_are_reported_at_once_with_their_lines(tmp_path: Path) -> None:
    text = """\
rubic: rubric.yaml
model: {name: "openai:m", temperature: hot, max_tokens: 0.5, price: much}
variants:
  - {name: short}
  - {system: "Be long"}
  - {name: short, prompt: "{{query}}", sistem: "…"}
cases:
  - {inputs: {query: Why?}}
  - {id: b, inputs: [query]}
"""
    problems = faults(tmp_path, text)
    assert [line for line, _ in problems] == sorted(line or 0 for line, _ in problems)
    assert {(line, problem.split(";")[0].split(",")[0]) for line, problem in problems if line} >= {
        (1, "unknown key 'rubic'"),
        (2, "temperature must be a number from 0"),
        (2, "max_tokens must be a whole number from 1"),
        (4, "a variant has a `system` text"),
        (5, "a variant needs a `name`"),
        (6, "unknown key 'sistem'"),
        (8, "`id` is missing: a name"),
    }
    assert any(problem == "unknown key 'rubic'; did you mean 'rubric'?" for _, problem in problems)
    assert any("`rubric` is missing" in problem for _, problem in problems)
    assert any("`inputs` is texts by name" in problem for _, problem in problems)
    assert any("US dollars" in problem or "dollars" in problem for _, problem in problems)


@pytest.mark.parametrize(
    ("change", "line", "problem"),
    [
        (('query: "Why', 'quary: "Why'), 7, "variant 'short' asks for {{query}}, but case 'a'"),
        (("{{ tone }}", "{{ context }}"), 7, "variant 'short' asks for {{context}}, which case 'a'"),
        (("{{ tone }}", "{{ tone | upper }}"), 4, "variant 'short': only {{name}} is filled in"),
        (("name: long", "name: short, prompt: x"), 5, "variant 'short' occurs twice here"),
        (("context: Because.", "answer: Because."), 7, "case 'a' lacks 'context', which rubric 'rubric' needs"),
        (("context: Because.", "answer: Because."), 7, "case 'a' expects 'answer', which the rubric shows to no judge"),
        (("rubric.yaml", "rubrik.yaml"), 1, "there is no rubric file rubrik.yaml"),
    ],
)
def test_contradictory_entries_of_an_experiment_are_reported_at_the_line_to_change(
    tmp_path: Path, change: tuple[str, str], line: int, problem: str
) -> None:
    text = WHOLE.replace("{name: long}", '{name: long, prompt: "{{query}}"}')
    if change[0] == "name: long":
        text = text.replace("{name: long, ", "{name: short, ")
    else:
        assert change[0] in text
        text = text.replace(*change)
    assert any(at == line and message.startswith(problem) for at, message in faults(tmp_path, text))


def test_faults_of_an_experiment_s_rubric_are_reported_with_the_rubric_s_lines(tmp_path: Path) -> None:
    problems = faults(tmp_path, WHOLE, "criteria:\n  - {name: tone, weight: 0, description: x}\n")
    assert any(line == 1 and "rubric.yaml:2: weight must be a finite number" in problem for line, problem in problems)


def test_a_criterion_named_overall_is_refused_since_the_experiment_s_table_has_a_figure_of_that_name(
    tmp_path: Path,
) -> None:
    rubric = RUBRIC.replace("tone", "overall")
    assert any("'overall' needs another name" in problem for _, problem in faults(tmp_path, WHOLE, rubric))


@pytest.mark.parametrize("text", ["- a\n", "just words", "a: [1", "variants: !!python/object:os.system {}\n"])
def test_an_experiment_s_file_that_is_not_a_mapping_of_plain_data_is_refused(tmp_path: Path, text: str) -> None:
    assert faults(tmp_path, text)


def test_an_experiment_built_in_python_is_checked_like_an_experiment_in_a_file() -> None:
    rubric = Rubric.from_dict([{"weight": 1, "requirement": "Names a city"}])
    with pytest.raises(FileError, match="variant 'a' occurs twice here"):
        Experiment(rubric, (Variant("a"), Variant("a")), (ExperimentCase("x", {"query": "?"}),))
    with pytest.raises(FileError, match="at least one case"):
        Experiment(rubric, (Variant("a"),), ())
    with pytest.raises(ValueError, match="an output is a text, or there is a reason"):
        Output(None)


def test_a_variant_for_which_the_file_of_outputs_has_no_output_is_reported(tmp_path: Path) -> None:
    write_lines(tmp_path / "out.jsonl", [{"variant": "brief", "case": "a", "output": "So."}])
    problems = faults(tmp_path, WHOLE + "outputs: out.jsonl\n")
    assert (4, "there is no output of variant 'short'; there are brief") in problems


@pytest.mark.parametrize("message", ["5", "true", "{a: b}", "[]"])
def test_if_the_cases_of_an_experiment_are_not_a_list_only_that_fault_is_reported(tmp_path: Path, message: str) -> None:
    write_lines(tmp_path / "out.jsonl", [{"variant": "short", "case": "a", "output": "Hi."}])
    text = f"rubric: rubric.yaml\noutputs: out.jsonl\nvariants: [{{name: short}}]\ncases: {message}\n"
    assert faults(tmp_path, text) == [(4, "`cases` is a list of one or more")]


def test_faults_in_an_experiment_s_file_and_in_the_files_that_it_names_are_reported_together(
    tmp_path: Path,
) -> None:
    write_lines(tmp_path / "out.jsonl", [{"variant": "brief", "case": " "}])
    write_lines(tmp_path / "cases.jsonl", [{"id": "a", "inputs": {"query": "?"}}, {"inputs": {}}])
    problems = faults(
        tmp_path,
        "rubric: rubric.yaml\nmodle: x\nvariants: [{name: a, system: x}]\ncases: cases.jsonl\noutputs: out.jsonl\n",
    )
    assert [line for line, _ in problems][:2] == [2, 4]
    assert any(line == 4 and problem.startswith("cases.jsonl:2: `id` is missing") for line, problem in problems)
    assert any(line == 5 and "out.jsonl:1: `case` must be a name" in problem for line, problem in problems)


def test_a_file_of_outputs_without_variants_is_refused_if_the_experiment_s_file_names_no_variants_either(
    tmp_path: Path,
) -> None:
    write_lines(tmp_path / "out.jsonl", [{"case": "a", "output": "x", "query": "?", "context": "."}])
    problems = faults(tmp_path, "rubric: rubric.yaml\noutputs: out.jsonl\n")
    assert problems == [(2, "`variants` is missing, and the file of outputs names none")]


def test_faults_in_a_separate_file_of_outputs_are_reported_by_the_line_numbers_of_that_file(
    tmp_path: Path,
) -> None:
    write_lines(tmp_path / "out.jsonl", [{"case": "a"}, {"case": "a", "output": "x"}, {"case": "a", "output": "y"}])
    with pytest.raises(RatingError) as caught:
        Experiment.from_file(experiment(tmp_path, WHOLE), outputs=tmp_path / "out.jsonl")
    assert [fault.line for fault in caught.value.faults] == [1, 3]


def test_exploding_yaml_aliases_in_an_experiment_s_file_are_refused_with_the_file_s_name(tmp_path: Path) -> None:
    path = tmp_path / "bomb.yaml"
    path.write_text(exploding("examples"))
    with pytest.raises(FileError, match="aliases") as refusal:
        read_experiment(path, None, dict)
    assert "bomb.yaml" in str(refusal.value)
