"""Where outputs come from: lines, tables, Promptfoo's results, a model; and what is kept of them."""

import asyncio
import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from markscheme import Rubric, ScriptedJudge
from markscheme.errors import BudgetError, JudgeUnavailable, NoJudge, UsageError
from markscheme.features.experiment.definition import Experiment, ExperimentCase, Output, Variant
from markscheme.features.experiment.outputs import OutputsFile, read_outputs
from markscheme.features.experiment.run import make_outputs, open_model, run_experiment
from markscheme.judges.anthropic import AnthropicJudge
from markscheme.judges.function import FunctionJudge
from markscheme.judges.judge import Judge, Reply
from markscheme.judges.judge_context import JudgeContext
from markscheme.judges.openai import OpenAIJudge
from markscheme.judges.registry import open_judge
from markscheme.prompts.prompt import Prompt
from markscheme.prompts.submission import Submission
from markscheme.ratings.example_rows import Example
from markscheme.readers.file_format import EXPORTED, FORMATS, FileFormat
from markscheme.readers.imported import Columns, ImportedFile
from markscheme.readers.infer_rubric import rubric_of_wholes
from markscheme.readers.peek import Peek
from markscheme.readers.rated import open_rated
from markscheme.seam import Feature, features, offer
from tests.judges.asking import KEY, asked
from tests.judges.chat_server import ChatServer, completion
from tests.promptfoo.rated_run import unlabelled, written
from tests.real import messages_front as front
from tests.real.messages_front import MessagesFront

RUBRIC = Rubric.from_dict([{"weight": 1, "requirement": "Names a city"}])
CASES = (ExperimentCase("fr", {"query": "France?"}), ExperimentCase("de", {"query": "Germany?"}))
TWO = Experiment(RUBRIC, (Variant("plain"), Variant("polite", "Please: {{query}}")), CASES)
PLAIN = Prompt("Be brief.", "Hello?", {}, ())


def made(experiment: Experiment, model: Judge, kept: OutputsFile | None = None) -> dict[tuple[str, str], Output]:
    return dict(asyncio.run(make_outputs(experiment, model, outputs_file=kept)).by_cell)


# --- from files -----------------------------------------------------------------------------------------------------


@pytest.fixture
def a_tool() -> Iterator[None]:
    """Offer a feature that reads a tool's export, a table whose column of outputs has another name."""

    def is_export(peek: Peek) -> bool:
        return any("completion" in record for record in peek.records)

    def read(files: Sequence[Peek], rubric: Rubric | None, columns: Columns) -> list[ImportedFile]:
        reading = columns.reading(files[0], rubric or rubric_of_wholes())
        for number, record in enumerate(files[0].records):
            reading.add_example(Example(Submission(record["completion"], {"query": "Where?"}, f"p{number}")))
        return [reading]

    before = features()
    export = FileFormat("an export of Tea", is_export, read, is_of_tool=True, rank=EXPORTED)
    offer(lambda: (*before, Feature("tea", FORMATS(lambda: [export]))))
    yield
    offer(lambda: before)


@pytest.mark.usefixtures("a_tool")
def test_the_experiment_command_reads_outputs_from_an_export_in_a_tool_s_own_format(tmp_path: Path) -> None:
    (tmp_path / "tea.csv").write_text("trace,completion\n1,Leeds.\n2,York.\n", encoding="utf-8")
    outputs = read_outputs(tmp_path / "tea.csv")
    assert [(output.case, output.output.text) for output in outputs] == [("p0", "Leeds."), ("p1", "York.")]
    assert {tuple(output.inputs.items()) for output in outputs} == {(("query", "Where?"),)}


def test_a_csv_file_of_outputs_has_columns_for_variant_and_case_and_output_and_inputs(tmp_path: Path) -> None:
    (tmp_path / "out.csv").write_text('variant,case,output,query\na,x,"Two\nlines",Why?\na,y,,How?\n', encoding="utf-8")
    first, second = read_outputs(tmp_path / "out.csv")
    assert (first.variant, first.case, first.output.text, dict(first.inputs)) == (
        "a",
        "x",
        "Two\nlines",
        {"query": "Why?"},
    )
    assert second.output.text == ""


def test_an_empty_cell_of_a_parquet_file_gives_no_input_whether_it_is_null_or_nan(tmp_path: Path) -> None:
    cells = {"variant": ["a", "a"], "case": ["x", "y"], "output": ["One", "Two"], "n": pa.array([math.nan, 2.0])}
    parquet.write_table(pa.table({**cells, "query": ["Why?", None]}), tmp_path / "out.parquet")
    inputs = [dict(output.inputs) for output in read_outputs(tmp_path / "out.parquet")]
    assert inputs == [{"query": "Why?"}, {"n": "2.0"}]


def test_if_an_experiment_names_no_variants_and_cases_they_are_taken_from_its_file_of_outputs(tmp_path: Path) -> None:
    (tmp_path / "r.yaml").write_text("criteria: [{name: tone, description: Is kind}]\n")
    lines = ["variant,case,output,query", "a,x,One,Why?", "b,x,Two,Why?", "b,y,Three,How?"]
    (tmp_path / "out.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "e.yaml").write_text("rubric: r.yaml\noutputs: out.csv\n")
    experiment = Experiment.from_file(tmp_path / "e.yaml")
    assert ([v.name for v in experiment.variants], [c.id for c in experiment.cases], experiment.to_ask) == (
        ["a", "b"],
        ["x", "y"],
        [],
    )
    lacking = experiment.ready_outputs["a", "y"]
    assert (lacking.text, lacking.why) == (None, "the file holds no output of this variant for this case")


@pytest.fixture
def results(rated_results: dict[str, Any], tmp_path: Path) -> Path:
    return written(unlabelled(rated_results, each=1), tmp_path / "results.json")


def test_promptfoo_s_results_are_read_as_outputs_with_prompts_as_variants_and_tests_as_cases(results: Path) -> None:
    (results.parent / "r.yaml").write_text("inputs: [word]\ncriteria: [{name: tone, description: Is kind}]\n")
    (results.parent / "e.yaml").write_text("rubric: r.yaml\noutputs: results.json\n")
    experiment = Experiment.from_file(results.parent / "e.yaml")
    assert len(experiment.variants) == 1
    assert len(experiment.cases) == 6
    assert {case.inputs["word"] for case in experiment.cases} == {
        "hello",
        "world",
        "ungraded",
        "broken",
        "error",
        "plain",
    }
    texts = {experiment.by_id[case].inputs["word"]: output for (_, case), output in experiment.ready_outputs.items()}
    assert texts["hello"].text == "hello 0"
    assert texts["ungraded"].text == "ungraded 0"  # its graders failed, the output is there
    assert (texts["error"].text, texts["error"].why) == (None, "no answer today")
    run = asyncio.run(run_experiment(experiment, ScriptedJudge(lambda *_: {"tone": 3})))
    assert [grade.score for grade in run.grades.values()].count(0.5) == 5
    assert [grade.error for grade in run.grades.values() if grade.error] == ["no answer today"]


def test_promptfoo_s_results_without_assertions_can_be_read_as_outputs_of_an_experiment(
    results: Path, tmp_path: Path
) -> None:
    data = json.loads(results.read_text())
    rows = [row for row in data["results"]["results"] if row["vars"]["word"] in ("hello", "plain")]
    for place, label in enumerate(("formal", "casual")):
        for row in [json.loads(json.dumps(row)) for row in rows]:
            row["gradingResult"] = {"pass": True, "score": 1, "reason": "No assertions"}
            row["prompt"] = {**row["prompt"], "label": label}
            data["results"]["results"].append({**row, "promptIdx": place})
    data["results"]["results"] = data["results"]["results"][-4:]
    (tmp_path / "results.json").write_text(json.dumps(data))
    outputs = read_outputs(tmp_path / "results.json")
    assert [(entry.variant, entry.output.text) for entry in outputs] == [
        ("formal", "hello 0"),
        ("casual", "hello 0"),
        ("formal", "plain 0"),
        ("casual", "plain 0"),
    ]
    assert len({entry.case for entry in outputs}) == 2


# --- from a model ---------------------------------------------------------------------------------------------------


def test_an_experiment_asks_the_model_once_per_variant_and_case_with_the_filled_prompt() -> None:
    model = ScriptedJudge(lambda prompt, _: f"re {prompt.user}")
    outputs = made(TWO, model)
    assert [prompt.user for prompt in model.prompts] == ["France?", "Please: France?", "Germany?", "Please: Germany?"]
    assert outputs["polite", "de"].text == "re Please: Germany?"


def test_a_function_that_makes_outputs_may_be_async_or_plain() -> None:
    async def waits(system_prompt: str, user_prompt: str) -> str:
        await asyncio.sleep(0)
        return f"waited for {user_prompt}"

    def plain(system_prompt: str, user_prompt: str) -> str:
        return f"said {user_prompt}"

    assert made(TWO, FunctionJudge(waits, "function:waits"))["plain", "fr"].text == "waited for France?"
    assert made(TWO, FunctionJudge(plain, "function:plain"))["plain", "fr"].text == "said France?"


def test_the_judge_of_an_experiment_sees_neither_the_name_nor_the_prompt_of_a_variant() -> None:
    judge = ScriptedJudge(lambda *_: {"c1": "MET"})
    asyncio.run(run_experiment(TWO, judge, model=ScriptedJudge(lambda *_: "Paris.")))
    shown = " ".join(prompt.system + prompt.user for prompt in judge.prompts)
    assert "polite" not in shown
    assert "Please" not in shown


def test_if_the_model_fails_on_a_case_the_output_is_ungraded_with_the_reason() -> None:
    def answer(prompt: Prompt, _: int) -> str:
        if "Germany" in prompt.user:
            raise JudgeUnavailable("down")
        return "Paris."

    run = asyncio.run(run_experiment(TWO, ScriptedJudge(lambda *_: {"c1": "MET"}), model=ScriptedJudge(answer)))
    assert run.grades["plain", "fr"].score == 1.0
    assert (run.grades["plain", "de"].score, run.grades["plain", "de"].error) == (None, "no output: down")
    assert (run.not_graded, run.too_few_graded) == (2, True)


def test_after_the_budget_has_run_out_the_model_is_asked_for_no_more_outputs() -> None:
    model = ScriptedJudge(iter(["Paris.", BudgetError("spent")]))
    outputs = asyncio.run(make_outputs(TWO, model, concurrency=1))
    assert [output.text for output in outputs.by_cell.values()] == ["Paris.", None, None, None]
    assert [output.why for output in outputs.by_cell.values()][1:] == ["not asked: spent"] * 3
    assert len(model.prompts) == 2


def test_an_output_that_is_missing_is_an_error_if_there_is_no_model_to_ask() -> None:
    with pytest.raises(NoJudge, match="no model to ask"):
        asyncio.run(make_outputs(TWO, None))


def test_a_temperature_for_a_model_that_takes_none_is_refused() -> None:
    with pytest.raises(UsageError, match="takes no temperature"):
        open_judge("anthropic", context=JudgeContext(parameters={"temperature": 0.7}))
    assert open_model(TWO) is None


def test_the_model_of_an_experiment_is_asked_for_plain_text_and_not_for_json() -> None:
    with ChatServer(lambda _: completion("Hello.")) as chat:
        assert asked(OpenAIJudge("m", api_key=KEY, base_url=chat.url), PLAIN).text == "Hello."
        assert "response_format" not in chat.requests[0]
    with MessagesFront(lambda _: front.message("Hello.")) as server:
        assert asked(AnthropicJudge(api_key=KEY, base_url=server.url), PLAIN).text == "Hello."
        assert "output_config" not in server.requests[0].body


# --- what is kept ---------------------------------------------------------------------------------------------------


def test_stored_outputs_are_reused_until_the_prompt_or_the_case_or_the_model_changes(tmp_path: Path) -> None:
    path = tmp_path / "new" / "outputs.jsonl"
    first = made(TWO, ScriptedJudge(lambda *_: "Paris."), OutputsFile(path))
    silent = ScriptedJudge(())
    assert made(TWO, silent, OutputsFile(path)) == first
    assert silent.prompts == []
    edited = Experiment(RUBRIC, (Variant("plain"), Variant("polite", "Kindly: {{query}}")), CASES)
    model = ScriptedJudge(lambda *_: "Rome.")
    assert [output.text for output in made(edited, model, OutputsFile(path)).values()] == [
        "Paris.",
        "Rome.",
        "Paris.",
        "Rome.",
    ]
    second_judge = ScriptedJudge(lambda *_: "Bern.", name="other")
    assert {output.text for output in made(TWO, second_judge, OutputsFile(path)).values()} == {"Bern."}


def test_a_half_written_last_line_in_the_file_of_outputs_is_ignored_and_lines_added_after_it_are_read(
    tmp_path: Path,
) -> None:
    path = tmp_path / "outputs.jsonl"
    made(TWO, ScriptedJudge(lambda *_: "Paris."), OutputsFile(path))
    path.write_bytes(path.read_bytes()[:-30])
    model = ScriptedJudge(lambda *_: "Rome.")
    made(TWO, model, OutputsFile(path))
    assert len(model.prompts) == 1
    assert {output.text for output in made(TWO, ScriptedJudge(()), OutputsFile(path)).values()} == {"Paris.", "Rome."}


def test_the_outputs_file_of_an_experiment_can_be_used_as_a_pool_of_outputs_to_label(tmp_path: Path) -> None:
    run = asyncio.run(
        run_experiment(
            TWO,
            ScriptedJudge(lambda *_: {"c1": "MET"}),
            model=ScriptedJudge(lambda prompt, _: prompt.user),
            outputs_file=OutputsFile(tmp_path / "outputs.jsonl"),
        )
    )
    pool = open_rated([tmp_path / "outputs.jsonl"], RUBRIC, expected="examples").labelled.examples
    assert {example.id for example in pool if example.has_content} == {grade.id for grade in run.grades.values()}
    assert {(example.system, example.group) for example in pool} == set(TWO.cells)


def test_a_stored_output_that_was_cut_off_is_still_marked_as_cut_off(tmp_path: Path) -> None:
    model = ScriptedJudge(lambda *_: Reply("Par", stop="length"))
    made(TWO, model, OutputsFile(tmp_path / "o.jsonl"))
    assert all(output.cut_off for output in made(TWO, ScriptedJudge(()), OutputsFile(tmp_path / "o.jsonl")).values())
