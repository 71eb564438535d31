"""Half of a pool stays unread, and `discover --write` hands it to `label` as held out."""

import json
from pathlib import Path
from typing import Any

import pytest

from markscheme.features.discover.unread import LEAST_POOL, kept_unread, reading_plan
from tests.commands.console import run
from tests.commands.half_read_project import N, half_read_project, output
from tests.commands.judged_project import write_lines


def ids(n: int) -> list[str]:
    return [f"o{index}" for index in range(n)]


def test_discover_keeps_the_second_half_of_the_tasks_unread_to_test_the_rubric_on() -> None:
    assert kept_unread(ids(80), {}, ()) == tuple(ids(80)[40:])
    tasks = {unit: f"task {int(unit[1:]) % 20}" for unit in ids(80)}
    kept = kept_unread(ids(80), tasks, ())
    assert {int(unit[1:]) % 20 for unit in kept} == set(range(10, 20))
    assert len(kept) == 40


def test_if_a_file_of_outputs_is_small_discover_keeps_none_of_the_outputs_unread() -> None:
    assert kept_unread(ids(LEAST_POOL - 1), {}, ()) == ()
    assert reading_plan(30, 0) == "30 outputs: read all; bring 40 more before you change the rubric"


def test_once_one_output_of_a_task_was_read_no_output_of_the_task_is_kept_unread_for_testing() -> None:
    tasks = dict.fromkeys(("o70", "o71"), "both")
    assert {"o70", "o71"} & set(kept_unread(ids(80), tasks, ())) == {"o70", "o71"}
    assert not {"o70", "o71"} & set(kept_unread(ids(80), tasks, ["o71"]))


def outputs_file(folder: Path) -> None:
    write_lines(folder / "outputs.jsonl", [output(index) for index in range(N)])


@pytest.fixture
def project(tmp_path: Path) -> Path:
    outputs_file(tmp_path)
    return tmp_path


def report(project: Path, *options: str) -> dict[str, Any]:
    done = run("markscheme", "discover", "reply", *options, "--json", cwd=project)
    assert done.returncode in (0, 4), done.stderr
    data: dict[str, Any] = json.loads(done.stdout)
    return data


def read_first_half(project: Path) -> list[str]:
    """Read what isn't kept, a fault noted in every second output, as a file of notes has it."""
    kept = set(report(project, "--pool", "outputs.jsonl", "--report")["keep"]["ids"])
    read = [unit for unit in ids(N) if unit not in kept]
    notes = [
        {
            "id": unit,
            "rater": "ann",
            "kind": "human",
            "read": "in full",
            "pass": index % 2 == 1,
            "notes": [] if index % 2 else [{"n": 1, "text": "names a price"}],
        }
        for index, unit in enumerate(read)
    ]
    (project / "notes.jsonl").write_text("".join(json.dumps(note) + "\n" for note in notes))
    report(project, "--notes", "notes.jsonl")
    groups: list[dict[str, Any]] = [{"mode": "price", "definition": "The reply names a price.", "severity": 2}]
    groups += [{"note": f"ann/{unit}/1", "modes": ["price"]} for index, unit in enumerate(read) if index % 2 == 0]
    (project / "groups.jsonl").write_text("".join(json.dumps(group) + "\n" for group in groups))
    report(project, "--assign", "groups.jsonl", "--kind", "human", "--rater", "ann")
    return read


def lines_by_id(file: Path) -> dict[str, dict[str, Any]]:
    return {line["id"]: line for line in map(json.loads, file.read_text(encoding="utf-8").splitlines())}


def examples(project: Path) -> list[dict[str, Any]]:
    lines = (project / "calibration" / "reply" / "examples.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def test_forty_of_eighty_outputs_are_read_and_discover_writes_the_other_forty_as_held_out_examples(
    project: Path,
) -> None:
    read = read_first_half(project)
    assert len(read) == 40
    written = report(project, "--write")
    assert written["held_out"] == 40
    assert [step["command"] for step in written["next"]][1] == "markscheme label reply"
    parts = {example["id"]: example["split"] for example in examples(project)}
    assert len(parts) == N
    assert {unit for unit, part in parts.items() if part == "dev"} == set(read)
    assert {example["drawn"] for example in examples(project) if example["split"] == "test"} == {"random"}


def test_discover_writes_the_files_that_the_tests_of_the_label_command_start_with(
    project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    read = read_first_half(project)
    report(project, "--write")
    expected = half_read_project(tmp_path_factory.mktemp("expected"), read)
    assert (project / "rubrics/reply.yaml").read_text() == (expected / "rubrics/reply.yaml").read_text()
    for name in ("examples.jsonl", "ratings/ann.jsonl"):
        written, handed_on = (lines_by_id(folder / "calibration" / "reply" / name) for folder in (project, expected))
        assert written == handed_on, name


def test_an_output_marked_good_or_bad_becomes_a_pass_or_fail_label_of_the_whole_response(project: Path) -> None:
    read = read_first_half(project)
    report(project, "--write")
    lines = (project / "calibration" / "reply" / "ratings" / "ann.jsonl").read_text().splitlines()
    decided = {label["id"]: label["pass"] for label in map(json.loads, lines)}
    assert decided == {unit: index % 2 == 1 for index, unit in enumerate(read)}


def test_examples_stay_dev_or_test_when_discover_writes_the_rubric_again(project: Path) -> None:
    read_first_half(project)
    report(project, "--write")
    before = examples(project)
    report(project, "--write")
    assert examples(project) == before


def test_discover_says_if_the_rubric_it_is_to_write_has_all_failure_modes_already(project: Path) -> None:
    read_first_half(project)
    command = ("markscheme", "discover", "reply", "--write")
    assert run(*command, cwd=project).stdout.startswith("wrote rubrics/reply.yaml: ")
    assert run(*command, cwd=project).stdout.startswith("rubrics/reply.yaml has all modes already: ")


def test_an_output_set_aside_as_unread_becomes_a_dev_example_if_a_note_on_it_is_imported(
    project: Path,
) -> None:
    read = read_first_half(project)
    late = next(unit for unit in ids(N) if unit not in read)
    note = {"id": late, "note": "is rude", "rater": "kim", "kind": "human"}
    (project / "more.jsonl").write_text(json.dumps(note) + "\n")
    done = run("markscheme", "discover", "reply", "--notes", "more.jsonl", "--json", cwd=project)
    assert "note: 1 output that stayed unread so far count as read now" in done.stderr.replace("counts", "count")
    assert late not in report(project, "--report")["keep"]["ids"]
    report(project, "--write")
    assert {example["id"]: example["split"] for example in examples(project)}[late] == "dev"
