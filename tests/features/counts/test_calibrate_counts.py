"""`calibrate RUBRIC --counts FILE`: what it reads, what it writes, and what it refuses."""

import csv
import json
import random
import re
from collections.abc import Callable, Iterator
from contextlib import chdir
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from markscheme import calibrate
from markscheme.errors import UsageError
from markscheme.features.counts.counting import counts_of
from markscheme.features.counts.first_line import has_counts
from markscheme.rubrics.file import load_rubric
from tests.commands.console import run
from tests.features.counts.made import differing, random_examples

RUBRIC = """pass_mark: 0.5
criteria:
- {name: clear, description: Is it clear?, scale: {min: 1, max: 5}}
- {name: right, description: Is it right?, scale: {min: 1, max: 5}}
"""
COLUMNS = ("part", "set_no", "gold", "judge", "p1", "p2", "n")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with a rubric, its labelled examples and a judge's ratings, and the counts of both: where one works."""
    folder = tmp_path_factory.mktemp("counts")
    with chdir(folder):
        yield _filled(folder)


def _filled(folder: Path) -> Path:
    (folder / "answers.yaml").write_text(RUBRIC)
    (folder / "other.yaml").write_text(RUBRIC.replace("max: 5", "max: 4"))
    rubric = replace(load_rubric(folder / "answers.yaml"), source=None)  # no setting is recorded
    examples, ratings = random_examples(rubric, random.Random(1), n=90, groups=12, people=2)
    for name, lines in (("examples", examples), ("ratings", ratings)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    write_csv(folder / "counts.csv", counts_of(calibrate(rubric, examples, ratings=ratings).comparison))
    return folder


def write_csv(path: Path, rows: list[dict[str, Any]]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)


def read_csv(path: Path) -> list[dict[str, Any]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_a_calibration_from_a_counts_file_has_the_figures_of_a_calibration_from_the_ratings(
    project: Path,
) -> None:
    of_rows = run(
        *("markscheme", "calibrate", "answers.yaml", "--examples", "examples.jsonl"),
        *("--ratings", "ratings.jsonl", "--json", "-"),
        cwd=project,
    )
    of_counts = run(
        *("markscheme", "calibrate", "answers.yaml", "--counts", "counts.csv", "--judge", "mini", "--json", "-"),
        cwd=project,
    )
    rows, counts = json.loads(of_rows.stdout), json.loads(of_counts.stdout)
    assert of_counts.returncode == of_rows.returncode
    for name in ("agreement", "gain", "overall"):
        assert counts[name] == rows[name]
    assert rows.keys() <= counts.keys()
    assert (counts["judge"]["name"], counts["examples"], counts["counts"]["stale_labels"]) == ("mini", None, None)
    assert counts["counts_file"]["examples"] == 90
    shown = run("markscheme", "calibrate", "answers.yaml", "--counts", "counts.csv", "--details", cwd=project)
    assert "From counts: no examples, reasons, lengths." in shown.stdout
    assert f"{rows['decision']['gate']['figures']['stops']['n']} fails" in shown.stdout


def test_the_next_command_printed_for_a_counts_file_repeats_the_file_and_the_judge_and_the_labels(
    project: Path,
) -> None:
    command = ("calibrate", "answers.yaml", "--counts", "counts.csv", "--judge", "mini", "--labels", "a set")
    shown = run("markscheme", *command, cwd=project)
    assert "markscheme calibrate answers.yaml --counts counts.csv --judge mini --labels 'a set' " in shown.stdout


def test_counts_made_with_another_rubric_are_refused(
    project: Path,
) -> None:
    refused = run("markscheme", "calibrate", "other.yaml", "--counts", "counts.csv", cwd=project)
    assert refused.returncode == 2
    assert "another rubric was counted" in refused.stderr
    assert "part clear, row" in refused.stderr
    assert "isn't on its scale 1 to 4" in refused.stderr


def test_calibrate_shows_its_counts_option_only_in_the_full_help(project: Path) -> None:
    assert "--counts" not in run("markscheme", "calibrate", "--help", cwd=project).stdout
    assert "--counts FILE" in run("markscheme", "calibrate", "--help-all", cwd=project).stdout


def test_the_same_counts_in_any_file_format_or_data_frame_or_memory_give_the_same_calibration(
    project: Path,
) -> None:
    pandas = pytest.importorskip("pandas", reason="runs where pandas is installed")
    rows = read_csv(project / "counts.csv")
    lines = [{name: _plain(cell) for name, cell in row.items()} for row in rows]
    (project / "counts.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    pandas.DataFrame(lines).to_parquet(project / "counts.parquet")
    rubric = project / "answers.yaml"
    by_csv = calibrate(rubric, counts=project / "counts.csv")
    by_columns = {name: [line[name] for line in lines] for name in COLUMNS}
    forms = (project / "counts.jsonl", project / "counts.parquet", pandas.DataFrame(lines), lines, by_columns)
    for form in forms:
        assert differing(by_csv, calibrate(rubric, counts=form)) == []


def _plain(cell: str) -> Any:
    if cell == "":
        return None
    return float(cell) if cell.lstrip("-")[0].isdigit() else cell


def _changed(part: str, column: str, value: Any) -> Callable[[list[dict[str, Any]]], None]:
    def change(rows: list[dict[str, Any]]) -> None:
        next(row for row in rows if row["part"] == part)[column] = value

    return change


def _without_annotator(rows: list[dict[str, Any]]) -> None:
    rows[:] = [
        {name: cell for name, cell in row.items() if name != "p2"}
        for row in rows
        if not row["part"].startswith("repair:")
    ]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_changed("format:1", "part", "format:2"), "part format:2, and only format 1 is known"),
        (_changed("clear", "judge", 9), "column judge of part clear must be a level of its scale, 1 to 5, got 9"),
        (_changed("right", "p2", 0), "column p2 of part right must be a level of its scale, 1 to 5, got 0"),
        (_changed("clear", "n", 1.5), "column n must be a whole number from 0, got 1.5"),
        (_changed("clear", "n", "many"), "column n must be a number, or empty, got 'many'"),
        (_changed("clear", "n", 500), "all parts count the same examples"),
        (_changed("score", "gold", 1.5), "column gold of part score must be 0 to 1, got 1.5"),
        (_changed("decision", "gold", 0.5), "column gold of part decision must be 0 or 1, got 0.5"),
        (
            _changed("rate:stops", "gold", 99),
            "column gold of part rate:stops must be the hits among a group's examples",
        ),
        (_changed("repair:clear", "p1", 0.5), "column p1 of part repair:clear must be 0 or 1, got 0.5"),
        (_changed("repair:right", "p2", 2), "column p2 of part repair:right must be -1, 0 or 1, got 2"),
        (lambda rows: [row.pop("n") for row in rows], "it has no column n"),
        (lambda rows: [row.pop("gold") for row in rows], "it has no column gold; there: part, set_no"),
        (lambda rows: [row.pop("set_no") for row in rows], "has no column set_no, by which part groups says"),
        (_without_annotator, "has no columns p1 and p2, of the two annotators whom part people counts"),
        (lambda rows: rows.clear(), "it has no columns part, gold, judge, n; there: none"),
        (lambda rows: rows.__setitem__(slice(None), [r for r in rows if r["part"] != "right"]), "has no part right"),
    ],
)
def test_a_table_of_counts_with_a_wrong_cell_or_column_is_refused_with_the_row_or_column(
    project: Path, change: Callable[[list[dict[str, Any]]], Any], said: str
) -> None:
    rows = read_csv(project / "counts.csv")
    change(rows)
    with pytest.raises(UsageError) as refusal:
        calibrate(project / "answers.yaml", counts=rows)
    assert said in str(refusal.value)
    assert "row " in str(refusal.value) or "has no" in str(refusal.value)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"tolerance": 0.2}, "counts what is closer than 0.1"),
        ({"only": ("group=g1",)}, "--only doesn't go with --counts"),
        ({"split": "dev"}, "--split doesn't go with --counts"),
        ({"samples": 3}, "--samples doesn't go with --counts"),
    ],
)
def test_options_that_choose_examples_are_refused_when_counts_are_calibrated(
    project: Path, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        calibrate(project / "answers.yaml", counts=project / "counts.csv", **options)


def test_counts_in_memory_cannot_be_kept_as_an_accepted_run(project: Path) -> None:
    with pytest.raises(UsageError, match="--accept keeps a file of counts; these are none"):
        calibrate(project / "answers.yaml", counts=read_csv(project / "counts.csv"), accept=True)


def test_calibration_from_counts_states_how_many_decisions_each_criterion_s_errors_change(
    project: Path,
) -> None:
    counts = project / "counts.csv"
    repairs = calibrate(project / "answers.yaml", counts=counts).to_json()["repairs"]
    assert repairs["criteria"]["clear"]["decided"] > 50
    assert repairs["criteria"]["clear"]["false_passes"] > 0
    assert repairs["criteria"]["clear"]["examples"] is repairs["mark_or_weights"] is repairs["pair"] is None
    uncounted = [row for row in read_csv(counts) if not row["part"].startswith("repair:")]
    assert calibrate(project / "answers.yaml", counts=uncounted).to_json()["repairs"] is None
    narrow = [{name: cell for name, cell in row.items() if name != "p2"} for row in read_csv(counts)]
    with pytest.raises(UsageError, match="part repair:clear has no columns p1 and p2"):
        calibrate(project / "answers.yaml", counts=narrow)


def test_a_counts_file_without_rows_or_in_another_format_is_refused_with_the_command_that_makes_counts_files(
    project: Path,
) -> None:
    header = (project / "counts.csv").read_text().partition("\n")[0]
    texts = {"header.csv": f"{header}\n", "table.csv": "id,answer\na,yes\n", "pretty.json": '{\n"part": "score"\n}\n'}
    for name, why in (
        ("header.csv", "header.csv has no rows of counts"),
        (
            "table.csv",
            "table.csv can't be read as counts: it has no columns part, gold, judge, n; there: id, answer",
        ),
        ("pretty.json", "pretty.json, row 1 must be a JSON object with part and n"),
    ):
        (project / name).write_text(texts[name])
        with pytest.raises(
            UsageError, match=f"{re.escape(why)}.*`markscheme export RUBRIC --counts FILE --from FILES`"
        ):
            calibrate(project / "answers.yaml", counts=project / name)
    with pytest.raises(UsageError, match=r"count.csv: there is no such file; did you mean counts\.csv\?"):
        calibrate(project / "answers.yaml", counts=project / "count.csv")


def test_a_counts_file_that_a_spreadsheet_saved_with_semicolons_or_tabs_is_read_like_a_file_with_commas(
    project: Path,
) -> None:
    text = (project / "counts.csv").read_text()
    expected = calibrate(project / "answers.yaml", counts=project / "counts.csv").comparison.agreement
    for delimiter, encoding in ((";", "utf-8-sig"), ("\t", "utf-16")):
        file = project / "saved.csv"
        file.write_bytes(text.replace(",", delimiter).encode(encoding))
        assert calibrate(project / "answers.yaml", counts=file).comparison.agreement == expected
    (project / "saved.csv").write_text(text.replace(",", ";"))
    assert has_counts(project / "saved.csv")


def test_a_file_with_json_nested_too_deep_to_read_is_not_taken_for_a_counts_file(project: Path) -> None:
    deep = '{"part":' * 3000 + "1" + "}" * 3000
    (project / "deep.csv").write_text(deep + "\n")
    assert not has_counts(project / "deep.csv")
    with pytest.raises(UsageError, match="must be a JSON object with part and n"):
        calibrate(project / "answers.yaml", counts=project / "deep.csv")


def test_the_labels_option_is_refused_without_the_counts_option(project: Path) -> None:
    with pytest.raises(UsageError, match="--labels names the labels of --counts FILE"):
        calibrate(project / "answers.yaml", labels="spring")


def test_counts_rows_with_an_unknown_value_in_the_part_column_are_ignored_and_reported(
    project: Path,
) -> None:
    said: list[str] = []
    rows = [*read_csv(project / "counts.csv"), {"part": "weather", "n": 3}]
    calibrate(project / "answers.yaml", counts=rows, notify=said.append)
    assert said == ["the table of counts: nothing reads weather"]


def test_tried_settings_on_counts_are_recorded_separately_for_each_value_of_the_labels_option(
    project: Path, tmp_path: Path
) -> None:
    (tmp_path / "answers.yaml").write_text(RUBRIC)
    (tmp_path / "calibration" / "answers").mkdir(parents=True)
    counts = project / "counts.csv"

    def tried(*options: str) -> int:
        command = ("markscheme", "calibrate", "answers.yaml", "--counts", str(counts), "--json", "-", *options)
        settings: int = json.loads(run(*command, cwd=tmp_path).stdout)["decision"]["settings"]
        return settings

    assert [tried("--judge", "a"), tried("--judge", "a"), tried("--judge", "b")] == [1, 1, 2]
    assert tried("--judge", "c", "--labels", "spring") == 1
    assert tried("--judge", "d", "--labels", "spring") == 2
    assert tried("--judge", "a") == 2
    lines = [json.loads(line) for line in (tmp_path / "calibration/answers/settings.jsonl").read_text().splitlines()]
    assert [line["labels"] for line in lines] == ["answers", "answers", "spring", "spring"]
    assert all("examples" not in line for line in lines)


def test_a_report_never_replaces_the_counts_file_that_it_is_made_from(project: Path) -> None:
    before = (project / "counts.csv").read_text()
    done = run("calibrate", "answers.yaml", "--counts", "counts.csv", "--json", "counts.csv", cwd=project)
    assert (done.returncode, "counts.csv cannot be written: it is read" in done.stderr) == (2, True)
    assert (project / "counts.csv").read_text() == before


def test_ungraded_examples_of_a_counts_file_are_counted_in_a_sentence_without_an_empty_reason(project: Path) -> None:
    rows = read_csv(project / "counts.csv")
    row = next(row for row in rows if row["part"] == "clear" and row["judge"])
    row["judge"] = ""
    write_csv(project / "ungraded.csv", rows)
    shown = run("markscheme", "calibrate", "answers.yaml", "--counts", "ungraded.csv", "--judge", "mini", cwd=project)
    (line,) = [line for line in shown.stdout.splitlines() if "in no score" in line]
    assert line.endswith(" of 90 examples not graded, in no score.")


def test_the_json_of_a_calibration_from_counts_is_refused_where_single_examples_are_needed(project: Path) -> None:
    calibrated = ("calibrate", "answers.yaml", "--counts", "counts.csv", "--judge", "mini", "--json", "of_counts.json")
    run("markscheme", *calibrated, cwd=project)
    (project / "lines.jsonl").write_text('{"id": "a", "pass": true}\n')
    for command in (
        ("compare", "of_counts.json", "lines.jsonl"),
        ("pass-rate", "lines.jsonl", "--calibration", "of_counts.json"),
    ):
        done = run("markscheme", *command, cwd=project)
        assert done.returncode == 2
        assert "of_counts.json: is a calibration from counts, which has no single examples" in done.stderr
