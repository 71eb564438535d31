"""`markscheme import` as a user runs it: into a rubric's folder, and from there into a calibration."""

import json
import shlex
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from markscheme.files import exclusive
from tests.commands.console import run
from tests.commands.pasted import printed_commands
from tests.promptfoo.rated_run import rate, rows_of, unlabelled, written
from tests.readers import exports

LONG_ENOUGH = 3.0
"""Seconds in which an import that doesn't wait is done."""
RUBRIC = "criteria:\n- {name: good, requirement: It is good}\n"
QUALITY = """
criteria:
- {name: readability, description: Easy to read}
- {name: correctness, description: Right, weight: 2}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "one.yaml").write_text(RUBRIC)
    (tmp_path / "rubrics" / "quality.yaml").write_text(QUALITY)
    rows = [
        f"e{i},question {i},answer {i},{'pass' if i % 3 else 'fail'},{'pass' if i % 2 else 'fail'}" for i in range(60)
    ]
    (tmp_path / "table.csv").write_text("\n".join(["id,input,output,verdict,label", *rows]) + "\n")
    return tmp_path


def imported(folder: Path, *arguments: str) -> dict[str, Any]:
    done = run("markscheme", "import", *arguments, "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def test_the_import_command_turns_a_table_into_labels_and_verdicts_and_examples_for_calibrate(project: Path) -> None:
    home = project / "calibration" / "one"
    ratings, examples = str(home / "ratings" / "ann.jsonl"), str(home / "examples.jsonl")
    people = ("--only", "people", "--rater", "ann")
    labels = imported(
        project, "table.csv", "--rubric", "one", "--kind", "human", *people, "--to", ratings, "--examples", examples
    )
    verdicts = imported(
        project, "table.csv", "--rubric", "one", "--kind", "human", "--only", "judges", "--to", "judge.jsonl"
    )
    assert (labels["ratings"], labels["raters"]) == (60, {"ann": {"kind": "human", "ratings": 60, "ungraded": 0}})
    assert (verdicts["raters"], verdicts["lost"]) == ({"judge": {"kind": "model", "ratings": 60, "ungraded": 0}}, {})
    done = run("calibrate", "one", "--ratings", "judge.jsonl", "--json", "-", cwd=project)
    report = json.loads(done.stdout)
    assert report["counts"]["graded"] == 60
    assert report["criteria"]["good"]["accuracy"]["value"] == pytest.approx(0.5)
    assert report["raters"]["reference"] == "one-person"


def test_the_import_command_prints_ratings_to_standard_output_and_the_report_to_standard_error(project: Path) -> None:
    done = run("markscheme", "import", "table.csv", "--rubric", "one", "--kind", "human", cwd=project)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(lines) == 120
    assert {line["kind"] for line in lines} == {"human", "model"}
    assert "✓ 120 ratings read; nothing was lost." in done.stderr
    assert "not written: 60 responses; --examples FILE.jsonl writes them\n" in done.stderr


def test_verdicts_in_a_table_without_labels_belong_to_the_rater_that_the_file_or_an_option_names(project: Path) -> None:
    (project / "v.csv").write_text("id,rater,verdict\nr1,gpt,yes\nr2,claude,no\n")
    (project / "w.csv").write_text("id,verdict\nr1,yes\n")
    for file, options, raters in (
        ("v.csv", (), {"gpt": "model", "claude": "model"}),
        ("v.csv", ("--kind", "human"), {"gpt": "human", "claude": "human"}),
        ("w.csv", (), {"judge": "model"}),
        ("w.csv", ("--rater", "gpt"), {"gpt": "model"}),
        ("w.csv", ("--rater", "anna", "--kind", "human"), {"anna": "human"}),
    ):
        report = imported(project, file, "--rubric", "one", *options)
        assert {name: count["kind"] for name, count in report["raters"].items()} == raters, (file, options)


def test_values_in_nested_objects_are_imported_only_if_their_paths_are_mapped(project: Path) -> None:
    (project / "nested.jsonl").write_text(
        '{"id": "n1", "inputs": {"question": "q"}, "output": {"text": "a"}, '
        '"scores": {"good": {"value": 1, "by": "x"}}}'
    )
    options = ("nested.jsonl", "--rubric", "one", "--kind", "human", "--to", "r.jsonl", "--examples", "e.jsonl")
    none = run("markscheme", "import", *options, cwd=project)
    assert none.returncode == 2
    assert "1 cells of column 'scores.good.value'" in none.stderr
    assert not (project / "r.jsonl").exists()
    mapped = ("scores.good.value=good", "inputs.question=query", "output.text=response")
    done = run("markscheme", "import", *options, *(x for pair in mapped for x in ("--map", pair)), cwd=project)
    assert done.returncode == 0, done.stderr
    assert "1 cells of column 'scores.good.by'" in done.stdout
    assert json.loads((project / "r.jsonl").read_text())["criteria"]["good"]["level"] == 1
    example = json.loads((project / "e.jsonl").read_text())
    assert (example["inputs"], example["response"]) == ({"query": "q"}, "a")


def test_the_import_command_reports_and_counts_contents_that_it_cannot_keep(project: Path) -> None:
    text = (project / "table.csv").read_text().replace("label", "label,mood").replace(",pass\n", ",meh,gay\n")
    (project / "table.csv").write_text(text.replace(",fail\n", ",fail,\n"))
    done = run(
        "markscheme", "import", "table.csv", "--rubric", "one", "--kind", "human", "--to", "r.jsonl", cwd=project
    )
    assert "  30 levels 'meh' of 'good', which aren't among UNMET, MET" in done.stdout
    assert "  30 cells of column 'mood'" in done.stdout
    assert "  `--levels WORD=LEVEL` says which level a word means" in done.stdout
    report = imported(project, "table.csv", "--rubric", "one", "--kind", "human", "--levels", "meh=MET")
    assert report["lost"] == {"cells of column 'mood'": 30}
    assert len(report["lines"]) == 120


APPLIES = """name: desk
criteria:
- {name: answers, requirement: Answers.}
- {name: refund, requirement: Names the day of a refund., not_applicable: true}
- {name: clear, description: How clear it is., scale: {min: 0, max: 100}}
"""


def desk_labels(project: Path, cells: str, *options: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Import one row of labels by the rubric `desk`; return what was lost, and the criteria of each rating."""
    (project / "rubrics/desk.yaml").write_text(APPLIES)
    (project / "desk.csv").write_text(f"id;answers;refund;clear\nd1;{cells}\n", encoding="utf-8")
    report = imported(project, "desk.csv", "--rubric", "desk", "--kind", "human", "--rater", "ana", *options)
    return report["lost"], [line["criteria"] for line in report["lines"]]


@pytest.mark.parametrize(
    ("passes", "fails"),
    [("bestanden", "nicht bestanden"), ("ja", "nein"), ("sí", "no"), ("合格", "不合格"), ("✓", "✗"), ("1", "0")],
)
def test_the_import_command_knows_the_words_for_pass_and_fail_that_calibrate_knows_in_a_table(
    project: Path, passes: str, fails: str
) -> None:
    for cell, level in ((passes, 1), (fails, 0)):
        lost, (criteria,) = desk_labels(project, f"{cell};{cell};50")
        assert (lost, criteria["answers"]["level"], criteria["refund"]["level"]) == ({}, level, level)


@pytest.mark.parametrize("cell", ["n/a", "not applicable", "Does not apply", "trifft nicht zu"])
def test_a_cell_may_say_that_a_criterion_does_not_apply_if_the_rubric_allows_that(project: Path, cell: str) -> None:
    lost, (criteria,) = desk_labels(project, f"yes;{cell};50")
    assert (lost, criteria["refund"]) == ({}, {"not_applicable": ""})
    lost, (criteria,) = desk_labels(project, f"{cell};yes;50")
    assert lost == {f"levels '{cell}' of 'answers', which aren't among UNMET, MET": 1}
    lost, (criteria,) = desk_labels(project, "yes;egal;50", "--levels", "egal=does not apply")
    assert (lost, criteria["refund"]) == ({}, {"not_applicable": ""})


def test_in_an_import_a_comma_is_a_decimal_point_before_one_digit_but_not_before_three_digits(
    project: Path,
) -> None:
    lost, (criteria,) = desk_labels(project, "yes;no;35,5")
    assert (lost, criteria["clear"]["level"]) == ({}, 35.5)
    lost, _ = desk_labels(project, "yes;no;1,000")
    assert lost == {"levels '1,000' of 'clear', which aren't among 0, 1, …, 100": 1}


@pytest.mark.parametrize(
    ("meaning", "hint"),
    [("MTE", "did you mean `MET`?"), ("MET,nein=UNMET", "give each word a `--levels` of its own")],
)
def test_the_levels_option_is_refused_if_it_maps_a_word_to_something_that_is_no_level_of_the_rubric(
    project: Path, meaning: str, hint: str
) -> None:
    (project / "rubrics/desk.yaml").write_text(APPLIES)
    (project / "desk.csv").write_text("id,answers\nd1,yes\n")
    words = ("import", "desk.csv", "--rubric", "desk", "--kind", "human", "--levels", f"ja={meaning}")
    done = run("markscheme", *words, cwd=project)
    assert done.returncode == 2
    assert f"`--levels ja={meaning}`: no criterion of desk has a level '{meaning}'" in done.stderr
    assert hint in done.stderr


def test_the_import_command_says_which_options_name_the_column_of_ids_and_the_column_of_a_criterion(
    project: Path,
) -> None:
    (project / "rubrics/desk.yaml").write_text(APPLIES)
    (project / "desk.csv").write_text("Nr;answers;Clarity (0-100)\nd1;ja;50\n", encoding="utf-8")
    words = ("import", "desk.csv", "--rubric", "desk", "--kind", "human", "--rater", "ana")
    without = run("markscheme", *words, cwd=project)
    assert (without.returncode, "`--id COLUMN` names the column of ids" in without.stderr) == (2, True)
    read = run("markscheme", *words, "--id", "Nr", "--to", "r.jsonl", cwd=project)
    assert "no rating on refund and clear: `--map COLUMN=refund` names the column" in read.stdout
    mapped = run("markscheme", *words, "--id", "Nr", "--map", "Clarity (0-100)=clear", "--to", "m.jsonl", cwd=project)
    assert "no rating on" not in mapped.stdout


def test_the_import_command_writes_to_a_target_file_that_exists_and_is_empty(project: Path) -> None:
    (project / "r.jsonl").touch()
    done = run(
        "markscheme", "import", "table.csv", "--rubric", "one", "--kind", "human", "--to", "r.jsonl", cwd=project
    )
    assert done.returncode == 0, done.stderr
    assert (project / "r.jsonl").stat().st_size


@pytest.mark.parametrize(
    ("to", "message"),
    [
        ("r.jsonl", "r.jsonl exists; --append adds to it"),
        ("table.csv/r.jsonl", "cannot be written"),
        ("e.jsonl", "must be two files"),
    ],
)
def test_the_import_command_writes_no_examples_if_the_ratings_cannot_be_written(
    project: Path, to: str, message: str
) -> None:
    (project / "r.jsonl").write_text("{}\n")
    targets = ("--examples", "e.jsonl", "--to", to)
    done = run("markscheme", "import", "table.csv", "--rubric", "one", "--kind", "human", *targets, cwd=project)
    assert done.returncode == 2
    assert message in done.stderr
    assert not (project / "e.jsonl").exists()


def test_the_import_command_refuses_an_existing_file_unless_the_append_option_is_given(project: Path) -> None:
    imported(project, "table.csv", "--rubric", "one", "--kind", "human", "--to", "r.jsonl")
    again = run(
        "markscheme", "import", "table.csv", "--rubric", "one", "--kind", "human", "--to", "r.jsonl", cwd=project
    )
    assert (again.returncode, again.stderr) == (2, "error: r.jsonl exists; --append adds to it\n")
    assert len((project / "r.jsonl").read_text().splitlines()) == 120
    imported(project, "table.csv", "--rubric", "one", "--kind", "human", "--to", "r.jsonl", "--append")
    assert len((project / "r.jsonl").read_text().splitlines()) == 120 + 60, "labels are known, a judge was asked again"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nowhere.csv", "--rubric", "one"), "nowhere.csv: there is no such file"),
        (("table.csv", "--rubric", "two"), "there is no rubric named 'two'; there are one, quality"),
        (
            ("table.csv", "--rubric", "one", "--kind", "human", "--levels", "good"),
            "`--levels` must be WORD=LEVEL, got 'good'",
        ),
        (
            ("table.csv", "--rubric", "one", "--kind", "dog"),
            "`--kind` must be one of adjudicated, human",
        ),
        (("colours.yaml", "--rubric", "one"), "Promptfoo's results, a report of `experiment` (--json)"),
        (
            ("empty.csv", "--rubric", "one", "--kind", "human"),
            "contains nothing that can be a rating; it contains 1 level 'so-so'",
        ),
    ],
)
def test_the_import_command_exits_2_for_a_file_that_cannot_be_imported_and_says_why(
    project: Path, arguments: tuple[str, ...], message: str
) -> None:
    (project / "empty.csv").write_text("id,label\ne1,so-so\n")
    (project / "colours.yaml").write_text("colour: red\n")
    done = run("markscheme", "import", *arguments, cwd=project)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr


# --- Promptfoo's results for a rubric of one's own ------------------------------------------------------------------


@pytest.fixture
def evaluation(rated_results: dict[str, Any]) -> dict[str, Any]:
    return unlabelled(rated_results, each=2)


def test_promptfoo_metrics_named_like_a_criterion_are_read_as_levels_of_that_criterion(
    project: Path, evaluation: dict[str, Any]
) -> None:
    results = json.loads(json.dumps(evaluation))
    rate(rows_of(results, "hello")[0], passes=False, comment="no")
    rate(rows_of(results, "world")[0], score=0.3)
    rows_of(results, "plain")[0]["testCase"]["metadata"] = {"expected_label": "pass", "split": "holdout"}
    written(results, project / "results.json")
    report = imported(project, "results.json", "--rubric", "quality", "--examples", "examples.jsonl")
    by_rater = {(line["id"], line["rater"]): line for line in report["lines"]}
    hello = by_rater["Row #1", "promptfoo"]
    assert {name: rated["level"] for name, rated in hello["criteria"].items()} == {
        "readability": 3.0,
        "correctness": 5.0,
    }
    assert (hello["overall"], hello["pass"], hello["kind"]) == (0.75, True, "model")
    viewed = by_rater["Row #1", "viewer"]
    assert (viewed["pass"], viewed["overall"], viewed["blind"], viewed["note"]) == (False, None, False, "no")
    assert (by_rater["Row #2", "viewer"]["overall"], "pass" in by_rater["Row #2", "viewer"]) == (0.3, False)
    assert by_rater["Row #6", "expected_label"]["pass"] is True
    assert by_rater["Row #3", "promptfoo"]["error"] == "python: nobody to ask"
    assert report["lost"]["verdicts of 'polite', which isn't a criterion of the rubric"] == 10
    assert report["lost"]["assertions of type contains, which state a fact and no judgement"] == 10
    examples = [json.loads(line) for line in (project / "examples.jsonl").read_text().splitlines()]
    assert (len(examples), examples[0]["response"], examples[5]["split"]) == (12, "hello 0", "test")
    assert examples[0]["inputs"] == {"word": "hello", "n": "0"}


def test_promptfoo_s_results_are_read_as_a_judge_s_ratings_of_a_rubric_s_examples(
    project: Path, evaluation: dict[str, Any]
) -> None:
    written(evaluation, project / "results.json")
    home = project / "calibration" / "quality"
    home.mkdir(parents=True)
    levels = {"hello": {"readability": 3, "correctness": 5}, "world": {"readability": 3, "correctness": 1}}
    lines = [
        {"id": f"{word}-{n}", "response": f"{word} {n}", "labels": [{"rater": "ann", "criteria": level}]}
        for word, level in levels.items()
        for n in range(2)
    ]
    (home / "examples.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    done = run("calibrate", "quality", "--ratings", "results.json", "--json", "-", cwd=project)
    report = json.loads(done.stdout)
    assert (report["judge"]["name"], report["counts"]["graded"]) == ("promptfoo", 4)
    assert report["criteria"]["correctness"]["confusion"]["matrix"][0][0] == 2
    assert report["criteria"]["correctness"]["exact_agreement"]["value"] == 1.0
    (home / "examples.jsonl").write_text(json.dumps({**lines[0], "response": "something else"}) + "\n")
    assert (
        "contains none of the examples" in run("calibrate", "quality", "--ratings", "results.json", cwd=project).stderr
    )


def test_a_thumb_up_or_down_is_read_as_the_level_of_a_rubric_s_only_criterion(
    project: Path, evaluation: dict[str, Any]
) -> None:
    results = json.loads(json.dumps(evaluation))
    rate(rows_of(results, "hello")[0], passes=False)
    written(results, project / "results.json")
    report = imported(project, "results.json", "--rubric", "one", "--only", "people")
    assert [line["criteria"]["good"]["level"] for line in report["lines"]] == [0.0]


# --- nothing is guessed ---------------------------------------------------------------------------------------------


def test_a_table_that_does_not_say_who_rated_is_refused_without_the_kind_option(project: Path) -> None:
    done = run("markscheme", "import", "table.csv", "--rubric", "one", cwd=project)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--kind human" in done.stderr


def test_an_import_that_finds_no_rating_is_refused_and_writes_no_examples(project: Path) -> None:
    (project / "nested.jsonl").write_text('{"id": "a", "scores": {"good": 1}}\n' * 3)
    command = ("nested.jsonl", "--rubric", "one", "--kind", "human", "--examples", "e.jsonl")
    done = run("markscheme", "import", *command, cwd=project)
    assert (done.returncode, done.stdout) == (2, "")
    assert "3 cells of column 'scores.good'" in done.stderr
    assert not (project / "e.jsonl").exists()


def test_the_import_command_maps_columns_by_name_and_words_to_levels(project: Path) -> None:
    (project / "sheet.csv").write_text("trace,Q1,who\na,hardly,ann\nb,MET,gpt\n")
    command = ("sheet.csv", "--rubric", "one", "--kind", "human", "--rater-column", "who", "--judge-names", "gpt")
    report = imported(project, *command, "--map", "trace=id", "--map", "Q1=good", "--levels", "hardly=UNMET")
    assert [(line["id"], line["rater"], line["kind"]) for line in report["lines"]] == [
        ("a", "ann", "human"),
        ("b", "gpt", "model"),
    ]
    assert report["lost"] == {}


def test_a_column_mapped_to_an_unknown_criterion_is_refused(project: Path) -> None:
    (project / "sheet.csv").write_text("trace,Q1\na,MET\n")
    command = ("sheet.csv", "--rubric", "one", "--kind", "human", "--map", "trace=id", "--map", "Q1=goood")
    done = run("markscheme", "import", *command, cwd=project)
    assert done.returncode == 2
    assert "`--map Q1=goood`: unknown field or criterion 'goood'; did you mean `good`?" in done.stderr


@pytest.mark.parametrize("command", [("import",), ("calibrate", "--examples", "table.csv", "one", "--ratings")])
def test_the_error_about_a_rubric_given_in_place_of_ratings_says_that_the_file_is_a_rubric(
    project: Path, command: tuple[str, ...]
) -> None:
    done = run("markscheme", *command, "rubrics/one.yaml", cwd=project)
    assert done.returncode == 2
    assert "one.yaml: contains a rubric, and no ratings" in done.stderr


@pytest.mark.parametrize(
    ("sheet", "column", "hint"),
    [
        ("trace,Q1\na,yes\n", "tracks=good", "`--map tracks=good`: no row has this column; did you mean `trace`?"),
        ("trace,Q1\na,yes\n", "Ergebnis=good", "`--map Ergebnis=good`: no row has this column; there are trace, Q1"),
    ],
)
def test_a_mapped_column_that_no_row_has_is_refused(project: Path, sheet: str, column: str, hint: str) -> None:
    (project / "sheet.csv").write_text(sheet)
    command = ("sheet.csv", "--rubric", "one", "--kind", "human", "--map", "trace=id", "--map", "Q1=good")
    done = run("markscheme", "import", *command, "--map", column, cwd=project)
    assert done.returncode == 2
    assert hint in done.stderr


@pytest.mark.parametrize(
    ("option", "hint"),
    [
        (("--human", "humen"), "`--human humen`: no table has this column; did you mean `human`?"),
        (("--judge", "other"), "`--judge other`: no table has this column; there are id, judge, human"),
    ],
)
def test_the_import_command_refuses_a_judge_or_annotator_that_is_named_like_no_column(
    project: Path, option: tuple[str, str], hint: str
) -> None:
    (project / "sheet.csv").write_text("id,judge,human\na,pass,fail\n")
    done = run("markscheme", "import", "sheet.csv", "--rubric", "one", *option, cwd=project)
    assert (done.returncode, hint in done.stderr) == (2, True), done.stderr


def test_after_importing_ratings_of_unknown_examples_the_suggested_command_imports_the_examples(
    project: Path,
) -> None:
    (project / "calibration" / "one").mkdir(parents=True, exist_ok=True)
    (project / "calibration" / "one" / "examples.jsonl").write_text('{"id": "other", "response": "a"}\n')
    (project / "sheet.csv").write_text("id,response,judge,human\na,x,pass,fail\nb,y,fail,fail\n")
    done = run("markscheme", "import", "sheet.csv", "--rubric", "one", "--to", "r.jsonl", cwd=project)
    command = done.stdout.partition("Next:")[2].strip()
    assert "--examples" in command
    added = run(*shlex.split(command), cwd=project)
    assert added.returncode == 0, added.stderr
    assert "Next: markscheme calibrate one" in added.stdout


def test_naming_the_columns_judge_and_human_by_option_imports_the_same_ratings_as_leaving_them_unnamed(
    project: Path,
) -> None:
    (project / "sheet.csv").write_text("id,judge,human\na,pass,fail\nb,fail,fail\n")
    plain = imported(project, "sheet.csv", "--rubric", "one")
    named = imported(project, "sheet.csv", "--rubric", "one", "--judge", "judge", "--human", "human")
    assert plain["lost"] == named["lost"]
    assert sorted(map(str, plain["lines"])) == sorted(map(str, named["lines"]))


@pytest.mark.parametrize("mapped", [(), ("--map", "good=good")])
def test_the_import_command_reads_the_ratings_in_a_json_object_of_which_only_one_key_holds_records(
    project: Path, mapped: tuple[str, ...]
) -> None:
    events = [{"id": "a", "good": "MET", "rater": "ann"}, {"id": "b", "good": "UNMET", "rater": "ann"}]
    (project / "events.json").write_text(json.dumps({"version": 1, "events": events}))
    report = imported(project, "events.json", "--rubric", "one", "--kind", "human", *mapped)
    assert [(line["id"], line["rater"]) for line in report["lines"]] == [("a", "ann"), ("b", "ann")]


def test_a_json_file_with_records_under_several_keys_is_refused_until_a_key_is_named(project: Path) -> None:
    tables = {"events": [{"id": "a", "good": "MET"}], "drafts": [{"id": "b", "good": "MET"}]}
    (project / "events.json").write_text(json.dumps(tables))
    command = ("events.json", "--rubric", "one", "--kind", "human")
    done = run("markscheme", "import", *command, cwd=project)
    assert (done.returncode, "--table events" in done.stderr) == (2, True)
    assert [line["id"] for line in imported(project, *command, "--table", "drafts")["lines"]] == ["b"]


@pytest.mark.parametrize("command", ["import", "calibrate"])
def test_a_mapped_metric_that_an_export_does_not_have_is_refused(tmp_path: Path, command: str) -> None:
    paths = [path.name for path in exports.written(tmp_path, exports.langfuse())]
    done = run("markscheme", command, *paths, "--map", "plaec=tone", cwd=tmp_path)
    assert done.returncode == 2
    assert "`--map plaec=tone`: there is no metric 'plaec'; did you mean `place`?" in done.stderr


def test_a_tool_s_export_in_two_files_is_imported_without_a_rubric_and_the_files_are_joined(tmp_path: Path) -> None:
    paths = [path.name for path in exports.written(tmp_path, exports.langfuse())]
    report = imported(tmp_path, *paths, "--to", "ratings.jsonl", "--examples", "examples.jsonl")
    assert (report["taken_for"], report["examples"], report["ratings"]) == ("scores and traces of Langfuse", 6, 18)
    assert {name: count["kind"] for name, count in report["raters"].items()} == {
        "judge-1": "model", "ann": "human", "ben": "human",
    }  # fmt: skip
    lines = [json.loads(line) for line in (tmp_path / "ratings.jsonl").read_text().splitlines()]
    assert sum(line["criteria"]["place"]["level"] for line in lines if line["rater"] == "judge-1") == 4
    alone = run("markscheme", "import", "traces.json", cwd=tmp_path)
    assert (alone.returncode, alone.stdout) == (2, "")
    assert "mixes the scores of annotators and judges without names (place)" in alone.stderr


def test_the_import_command_refuses_a_table_that_names_no_metrics_without_the_rubric_option(project: Path) -> None:
    done = run("markscheme", "import", "table.csv", "--kind", "human", cwd=project)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.endswith("names its metrics; pass `--rubric NAME`\n"), "`import` names no other command"


@pytest.mark.parametrize(
    ("name", "text", "places"),
    [
        (
            "lines.jsonl",
            '{"id":"a","kind":"human","polite":1}\n{"id":"b","pol\n5\n{"id":"c","kind":"human","polite":0}\n[1]\n',
            (":2", ":3", ":5"),
        ),
        ("table.csv", "id,kind,polite\na,human,1\nb,human\nc,human,0\n", (":3",)),
        ("lines.txt", "a yes\nb yes no perhaps\nc no\n", (":2",)),
        ("list.json", '[{"id":"a","kind":"human","polite":1}, 5, {"id":"c","kind":"human","polite":0}]', ("",)),
    ],
)
def test_the_import_command_names_and_counts_every_line_that_is_not_a_rating(
    tmp_path: Path, name: str, text: str, places: tuple[str, ...]
) -> None:
    (tmp_path / "rubric.yaml").write_text("criteria:\n- {name: polite, requirement: Is polite, weight: 1}\n")
    (tmp_path / name).write_text(text)
    command = ("markscheme", "import", name, "--rubric", "rubric.yaml", "--kind", "human", "--json")
    refused = run(*command, cwd=tmp_path)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert f"{name}{places[0]}: " in refused.stderr
    done = run(*command, "-o", "skip_damaged=true", cwd=tmp_path)
    warned = [line for line in done.stderr.splitlines() if line.startswith("warning: ")]
    assert [f"{name}{place}: " in line for place, line in zip(places, warned, strict=True)] == [True] * len(places)
    report = json.loads(done.stdout)
    assert [(line["id"], line["criteria"]["polite"]["level"]) for line in report["lines"]] == [("a", 1), ("c", 0)]
    assert report["lost"] == {"lines that can't be read": len(places)}


@pytest.mark.proof
def test_the_import_command_waits_for_other_writers_and_adds_no_rating_that_they_have_added_meanwhile(
    project: Path,
) -> None:
    ratings = project / "ratings"
    ratings.mkdir()
    target = ratings / "ann.jsonl"
    command = ("import", "table.csv", "--rubric", "one", "--only", "people", "--kind", "human", "--rater", "ann")
    labels = run("markscheme", *command, cwd=project).stdout
    target.touch()
    with ThreadPoolExecutor() as pool:
        with exclusive(ratings, is_folder=True):
            waiting = pool.submit(run, "markscheme", *command, "--append", "--to", str(target), cwd=project)
            with pytest.raises(TimeoutError):
                waiting.result(timeout=LONG_ENOUGH)
            target.write_text(labels, encoding="utf-8")
        assert "60 known, 0 new, 0 changed" in waiting.result().stdout
    assert target.read_text(encoding="utf-8") == labels


def test_a_column_of_a_table_can_be_imported_as_the_judge_s_probability(tmp_path: Path) -> None:
    (tmp_path / "one.yaml").write_text("name: one\ncriteria:\n- {name: place, requirement: It names the place.}\n")
    (tmp_path / "judge.csv").write_text("id,p_met\na,0.93\nb,0.2\nc,many\n")
    imported = run(
        "markscheme",
        "import",
        "judge.csv",
        "--rubric",
        "one.yaml",
        "--map",
        "p_met=probability",
        "--rater",
        "j",
        cwd=tmp_path,
    )
    assert imported.returncode == 0, imported.stderr
    lines = [json.loads(line) for line in imported.stdout.splitlines()]
    assert {line["id"]: line["criteria"]["place"]["level"] for line in lines} == {"a": 1.0, "b": 0.0}
    assert lines[0]["criteria"]["place"]["probabilities"] == pytest.approx({"UNMET": 0.07, "MET": 0.93})
    assert "probabilities that can't be read" in imported.stderr


def test_columns_mapped_to_probabilities_of_single_levels_become_the_probabilities_of_one_rating(
    tmp_path: Path,
) -> None:
    rubric = "name: one\ncriteria:\n- {name: clear, description: Clear., scale: {min: 1, max: 3}}\n"
    (tmp_path / "one.yaml").write_text(rubric)
    (tmp_path / "judge.csv").write_text("id,verdict,low,mid,high\na,2,0.1,0.6,0.3\n")
    maps = [word for n, name in enumerate(("low", "mid", "high"), 1) for word in ("--map", f"{name}=probability:{n}")]
    imported = run(
        "markscheme",
        "import",
        "judge.csv",
        "--rubric",
        "one.yaml",
        *maps,
        "--rater",
        "j",
        "--kind",
        "model",
        cwd=tmp_path,
    )
    assert imported.returncode == 0, imported.stderr
    (line,) = [json.loads(line) for line in imported.stdout.splitlines()]
    assert line["criteria"]["clear"]["level"] == 2
    assert line["criteria"]["clear"]["probabilities"] == pytest.approx({"1": 0.1, "2": 0.6, "3": 0.3})


# --- a judge's and people's columns of a table ------------------------------------------------------------------------


def side_table(project: Path) -> None:
    """Write a table with a judge's and two annotators' columns, whose names import doesn't know."""
    rows = [(f"q{n}", f"answer {n}", ("pass", "fail")[n % 2], ("fail", "pass")[n % 3 == 0], "pass") for n in range(6)]
    lines = ["id,output,grader_verdict,ana_label,ben_label", *(",".join(row) for row in rows)]
    (project / "sides.csv").write_text("\n".join(lines) + "\n")


def test_columns_named_by_options_are_imported_as_ratings_of_a_judge_and_of_each_annotator(project: Path) -> None:
    side_table(project)
    sides = ("--judge", "grader_verdict", "--human", "ana_label", "--human", "ben_label")
    report = imported(project, "sides.csv", "--rubric", "one", *sides)
    levels = {(line["id"], line["rater"], line["kind"]): line["criteria"]["good"]["level"] for line in report["lines"]}
    assert len(levels) == 18
    assert levels["q1", "grader_verdict", "model"] == 0.0
    assert (levels["q3", "ana_label", "human"], levels["q1", "ana_label", "human"]) == (1.0, 0.0)
    assert {level for (_, rater, _), level in levels.items() if rater == "ben_label"} == {1.0}
    assert report["lost"] == {}


def test_a_column_such_as_grader_verdict_is_imported_as_a_judge_s_if_another_column_is_named_as_labels(
    project: Path,
) -> None:
    side_table(project)
    report = imported(project, "sides.csv", "--rubric", "one", "--human", "ana_label")
    assert {(line["rater"], line["kind"]) for line in report["lines"]} == {
        ("grader_verdict", "model"),
        ("ana_label", "human"),
    }
    assert report["lost"] == {"cells of column 'ben_label'": 6}


def test_a_rater_s_columns_for_several_criteria_become_one_rating_per_row(project: Path) -> None:
    (project / "criteria.csv").write_text("id,gpt_readability,gpt_correctness,ana_readability\na,3,5,1\nb,5,,3\n")
    report = imported(project, "criteria.csv", "--rubric", "quality", "--judge", "gpt_*", "--human", "ana_*")
    read = {
        (line["id"], line["rater"]): {name: rated["level"] for name, rated in line["criteria"].items()}
        for line in report["lines"]
    }
    assert read == {
        ("a", "gpt"): {"readability": 3.0, "correctness": 5.0},
        ("a", "ana"): {"readability": 1.0},
        ("b", "gpt"): {"readability": 5.0},
        ("b", "ana"): {"readability": 3.0},
    }


def test_with_the_adjudicated_option_a_column_of_labels_is_imported_as_adjudicated(project: Path) -> None:
    side_table(project)
    report = imported(project, "sides.csv", "--rubric", "one", "--human", "ana_label", "--adjudicated")
    assert {line["kind"] for line in report["lines"] if line["rater"] == "ana_label"} == {"adjudicated"}


@pytest.mark.parametrize("keeps", [(), ("--examples", "e.jsonl"), ("--examples", "calibration/one/examples.jsonl")])
def test_the_commands_printed_after_an_import_lead_to_a_calibration(project: Path, keeps: tuple[str, ...]) -> None:
    side_table(project)
    command = ("import", "sides.csv", "--rubric", "one", "--judge", "grader_verdict", "--human", "ana_label")
    done = run("markscheme", *command, "--to", "r.jsonl", *keeps, cwd=project)
    *_, onward = printed_commands(done.stdout)
    if not keeps:
        *_, onward = printed_commands(run(*shlex.split(onward), cwd=project).stdout)
    done = run(*shlex.split(onward), cwd=project)
    assert done.stdout.startswith("one · grader_verdict · 6 examples"), done.stderr


@pytest.mark.parametrize(("word", "quoted"), [("hardly", "'hardly'"), ("isn't", '"isn\'t"')])
def test_importing_a_file_whose_only_level_is_an_unknown_word_is_refused_with_advice_on_the_levels_option(
    project: Path, word: str, quoted: str
) -> None:
    (project / "words.csv").write_text(f"id,response,good\na,x,{word}\n", encoding="utf-8")
    done = run("markscheme", "import", "words.csv", "--rubric", "one", "--kind", "human", cwd=project)
    assert done.returncode == 2
    assert (
        f"it contains 1 level {quoted} of 'good', which isn't among UNMET, MET; "
        "`--levels WORD=LEVEL` says which level a word means"
    ) in done.stderr


def test_after_an_import_of_labels_without_responses_the_next_command_imports_the_responses(
    tmp_path: Path,
) -> None:
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "desk.yaml").write_text("name: desk\ncriteria: [{name: ok, requirement: It is right.}]\n")
    (tmp_path / "ana.csv").write_text("id,ok\na,yes\nb,no\n")
    (tmp_path / "outputs.csv").write_text("id,response\na,It is.\nb,It isn't.\n")
    labels = ("import", "ana.csv", "--rubric", "desk", "--rater", "ana", "--kind", "human", "--append")
    to = ("--to", "calibration/desk/ratings/ana.jsonl")
    first = " ".join(run("markscheme", *labels, *to, cwd=tmp_path).stdout.split())
    assert "Next: markscheme import YOUR-OUTPUTS.jsonl --rubric desk --examples" in first
    store = first[first.index("import YOUR") :].replace("YOUR-OUTPUTS.jsonl", "outputs.csv").split()
    assert run("markscheme", *store, cwd=tmp_path).returncode == 0
    second = run("markscheme", *labels, *to, cwd=tmp_path).stdout
    assert "Next: markscheme calibrate desk" in second


def test_the_command_printed_after_an_import_adds_responses_to_examples_that_exist(project: Path) -> None:
    home = project / "calibration" / "one"
    home.mkdir(parents=True)
    (home / "examples.jsonl").write_text('{"id": "old", "response": "Old."}\n', encoding="utf-8")
    (project / "labels.csv").write_text("id,good\na,yes\n", encoding="utf-8")
    (project / "outputs.csv").write_text("id,response\na,It is.\n", encoding="utf-8")
    labels = ("--rubric", "one", "--rater", "ana", "--kind", "human", "--to", str(home / "ratings" / "ana.jsonl"))
    done = run("markscheme", "import", "labels.csv", *labels, cwd=project)
    (store,) = printed_commands(done.stdout)
    stored = run(*shlex.split(store.replace("YOUR-OUTPUTS.jsonl", "outputs.csv")), cwd=project)
    assert stored.returncode == 0, stored.stderr
    lines = (home / "examples.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["id"] for line in lines] == ["old", "a"]


def test_imported_labels_stay_marked_as_not_blind_if_their_file_says_so(project: Path) -> None:
    lines = [
        {"id": "a", "rater": "ana", "kind": "human", "blind": False, "criteria": {"good": "MET"}},
        {"id": "b", "rater": "ana", "kind": "human", "blind": True, "criteria": {"good": "MET"}},
        {"id": "c", "rater": "ana", "kind": "human", "criteria": {"good": "MET"}},
    ]
    (project / "ana.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    (project / "ben.csv").write_text("id,rater,good,blind\na,ben,yes,no\nb,ben,yes,yes\nc,ben,yes,\n", encoding="utf-8")
    for name in ("ana.jsonl", "ben.csv"):
        report = imported(project, name, "--rubric", "one", "--kind", "human")
        assert ([line["blind"] for line in report["lines"]], report["lost"]) == ([False, True, True], {})


def test_imported_ratings_keep_the_digest_of_the_criterion_s_wording_and_the_judge_s_quote(project: Path) -> None:
    level = {"level": "MET", "reason": "so", "quote": "good", "under": "0123456789abcdef"}
    line = {"id": "a", "rater": "ana", "kind": "human", "under": "fedcba9876543210", "criteria": {"good": level}}
    (project / "ana.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    report = imported(project, "ana.jsonl", "--rubric", "one")
    (kept,) = report["lines"]
    assert (kept["under"], report["lost"]) == ("fedcba9876543210", {})
    assert [kept["criteria"]["good"][key] for key in ("reason", "quote", "under")] == ["so", "good", "0123456789abcdef"]


@pytest.mark.parametrize("words", [("--group", "task"), ("--map", "task=group")])
def test_the_import_command_takes_the_groups_of_examples_from_a_column_that_the_user_names(
    words: tuple[str, ...], project: Path
) -> None:
    (project / "t.csv").write_text("id,response,task,good\na,A.,t1,yes\nb,B.,t1,no\n", encoding="utf-8")
    imported(project, "t.csv", "--rubric", "one", "--kind", "human", "--rater", "ann", *words, "--examples", "e.jsonl")
    examples = [json.loads(line) for line in (project / "e.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [(example["id"], example["group"]) for example in examples] == [("a", "t1"), ("b", "t1")]


def test_the_labels_of_a_table_that_the_user_calls_adjudicated_are_imported_as_adjudicated(project: Path) -> None:
    (project / "t.csv").write_text("id,good\na,yes\nb,no\n", encoding="utf-8")
    arguments = ("t.csv", "--rubric", "one", "--rater", "ann", "--adjudicated")
    assert imported(project, *arguments)["raters"]["ann"]["kind"] == "adjudicated"
    done = run("markscheme", "import", *arguments, "--kind", "human", cwd=project)
    assert (done.returncode, "--kind human and --adjudicated" in done.stderr) == (2, True)
