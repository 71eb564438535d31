"""A stream that is remembered: what commands add to it, what they refuse, and what the files alone say again."""

import json
import random
import re
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from markscheme.commands.output import rendered
from markscheme.features.pass_rate.tracked.anchors import AnchorWatch
from markscheme.features.pass_rate.tracked.audits import ALL_LOOKS, is_audited
from markscheme.features.pass_rate.tracked.mix import MixShift
from markscheme.features.pass_rate.tracked.run import TrackedRun, look_again
from markscheme.features.pass_rate.tracked.store import StreamFiles, digest
from markscheme.features.pass_rate.tracked.view import view
from markscheme.report.document import Document
from markscheme.rubrics.file import load_rubric
from markscheme.stats.verdict_rates import rate_by_verdict
from tests.commands.console import run
from tests.commands.pasted import faults_of, printed_commands
from tests.features.pass_rate.planted_worlds import RUBRIC

MONDAY = date(2025, 10, 6)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics/reply.yaml").write_text(RUBRIC)
    return tmp_path


def lines_of(*weeks: int, a_week: int = 50, **more: Any) -> list[dict[str, Any]]:
    """Responses of some weeks, a fifth of which the judge fails."""
    return [
        {
            "id": f"w{week}-{n}",
            "time": f"{MONDAY + timedelta(weeks=week, days=n % 7)}T12:00:00Z",
            "language": "de" if n % 3 else "en",
            "response": f"Reply {week} {n}",
            "pass": n % 5 != 0,
            **more,
        }
        for week in weeks
        for n in range(a_week)
    ]


def write(folder: Path, lines: Sequence[dict[str, Any]], name: str = "traces.jsonl") -> str:
    (folder / name).write_text("".join(json.dumps(line) + "\n" for line in lines))
    return name


def tracked(folder: Path, *words: str, through: str = "2025-11-30", json_too: bool = True) -> Any:
    command = ["markscheme", "pass-rate", *words, "--rubric", "reply", "--track", "--through", through]
    return run(*command, *(["--json"] if json_too else []), cwd=folder)


def said(folder: Path, *words: str, status: int = 4, through: str = "2025-11-30") -> Any:
    done = tracked(folder, *words, through=through)
    assert done.returncode == status, done.stdout + done.stderr
    return json.loads(done.stdout)


def label(folder: Path, *, share: float = 1.0, good_before: int = 52) -> dict[str, bool]:
    """Label audits as the page saves labels: good is what the judge passes, save one in ten of its passes.

    Args:
        share: The part of them that is labelled.
        good_before: The week from which none is good.
    """
    audits = [json.loads(line)["id"] for line in audits_of(folder).read_text().splitlines()]
    numbers = {unit: [int(number) for number in unit.removeprefix("w").split("-")] for unit in audits}
    labels = {unit: week < good_before and n % 10 not in (0, 5, 7) for unit, (week, n) in numbers.items()}
    labels = dict(list(labels.items())[: round(share * len(labels))])
    path = folder / "calibration/reply/ratings/ben.jsonl"
    path.parent.mkdir(exist_ok=True)
    path.write_text(
        "".join(
            json.dumps({"id": i, "rater": "ben", "kind": "human", "criteria": {"solves": "MET" if ok else "UNMET"}})
            + "\n"
            for i, ok in labels.items()
        )
    )
    return labels


def audits_of(folder: Path) -> Path:
    return folder / "calibration/reply/rates/main/audits.jsonl"


def test_responses_of_a_tracked_stream_are_drawn_for_audit_by_hash_and_stored_without_a_verdict(folder: Path) -> None:
    lines = lines_of(0, 1, 2)
    report = said(folder, write(folder, lines), "--audits-per-week", "10")
    assert report["audits"]["pi"] == 0.2
    drawn = [json.loads(line) for line in audits_of(folder).read_text().splitlines()]
    assert {audit["id"] for audit in drawn} == {
        line["id"] for line in lines if is_audited("reply/main", line["id"], 0.2)
    }
    assert all("pass" not in audit and audit["drawn"] == "random" for audit in drawn)
    assert [audit["week"] for audit in drawn] == sorted(audit["week"] for audit in drawn)


def test_responses_drawn_for_an_audit_count_in_calibrate_only_once_they_are_labelled(folder: Path) -> None:
    lines = lines_of(0, 1)
    said(folder, write(folder, lines), "--audits-per-week", "20")
    labels = label(folder, share=0.5)
    examples = folder / "calibration/reply/examples.jsonl"
    examples.write_text(json.dumps({"id": "own", "response": "Reply", "labels": []}) + "\n")
    verdict = {line["id"]: line["pass"] for line in lines}
    write(
        folder,
        [{"id": unit, "judge": "j", "criteria": {"solves": "MET" if verdict[unit] else "UNMET"}} for unit in labels],
        "judge.jsonl",
    )
    for _ in range(2):
        done = run("markscheme", "calibrate", "reply", "--ratings", "judge.jsonl", "--json", "c.json", cwd=folder)
        assert f"{len(labels)} examples" in done.stdout, done.stderr
        assert "ignored" not in done.stderr
    added = [json.loads(line) for line in examples.read_text().splitlines()[1:]]
    assert [line["id"] for line in added] == list(labels)
    assert {line["drawn"] for line in added} == {"random"}


def test_the_pass_rate_of_a_tracked_stream_equals_that_of_the_same_responses_without_tracking(
    folder: Path,
) -> None:
    lines = lines_of(0, 1, 2)
    file = write(folder, lines)
    said(folder, file, "--audits-per-week", "20")
    labels = label(folder)
    report = said(folder, file, status=0)
    verdict = {line["id"]: line["pass"] for line in lines}
    cells = {side: [ok for unit, ok in labels.items() if verdict[unit] is side] for side in (False, True)}
    pool = [sum(v is side for v in verdict.values()) for side in (False, True)]
    rate = rate_by_verdict(
        [sum(cells[side]) for side in (False, True)],
        [len(cells[side]) for side in (False, True)],
        pool,
        level=ALL_LOOKS,
    )
    assert [report["rate"][key] for key in ("value", "low", "high")] == pytest.approx([rate.value, rate.low, rate.high])
    pairs = [{"id": i, "gold": ok, "judge": verdict[i]} for i, ok in labels.items()]
    done = run(
        *("markscheme", "pass-rate", file, "--calibration", write(folder, pairs, "labels.jsonl")),
        *("--drawn", "by-verdict", "--json"),
        cwd=folder,
    )
    once = json.loads(done.stdout)["corrected"]
    assert once["value"] == pytest.approx(report["rate"]["value"], abs=1e-6)
    assert once["high"] - once["low"] < report["rate"]["high"] - report["rate"]["low"]


def test_tracking_the_same_file_again_adds_nothing_to_the_tracked_stream(folder: Path) -> None:
    file = write(folder, lines_of(0, 1))
    said(folder, file)
    before = {path.name: path.read_text() for path in audits_of(folder).parent.iterdir()}
    again = said(folder, file)
    assert (again["added"], again["changed"]) == (0, 0)
    assert {path.name: path.read_text() for path in audits_of(folder).parent.iterdir()} == before


def test_the_order_and_repetition_of_lines_change_nothing_that_a_tracked_stream_shows(folder: Path) -> None:
    said(folder, write(folder, lines_of(0, 1, 2)), "--audits-per-week", "20")
    label(folder)
    said(folder, status=0)
    rubric = load_rubric(folder / "rubrics/reply.yaml")
    calibration = folder / "calibration/reply"
    stream = StreamFiles.of(calibration, "main")
    looks = [look_again(rubric, calibration, stream, date(2025, 11, 30))[2]]
    for path in stream.folder.iterdir():
        lines = path.read_text().splitlines() * 2
        random.Random(1).shuffle(lines)
        path.write_text("\n".join(lines) + "\n")
    looks.append(look_again(rubric, calibration, stream, date(2025, 11, 30))[2])
    assert looks[0] == looks[1]


@pytest.mark.proof
def test_two_processes_that_add_to_a_tracked_stream_at_once_give_the_same_result_as_a_single_process(
    folder: Path,
) -> None:
    file = write(folder, lines_of(0, 1, 2))
    said(folder, file)
    alone = said(folder, file)
    command = [sys.executable, "-m", "markscheme", "pass-rate", file, "--rubric", "reply", "--track", "--json"]
    (folder / "calibration/reply/rates/main/graded.jsonl").write_text("")
    with ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(subprocess.run, command, cwd=folder, capture_output=True) for _ in range(2)]
        assert all(done.result().returncode == 4 for done in runs)
    both = said(folder, file)
    assert [week["responses"] for week in both["weeks"]] == [week["responses"] for week in alone["weeks"]]
    assert both["audits"] == alone["audits"]


def test_a_week_of_a_tracked_stream_counts_as_soon_as_nearly_all_its_audits_are_labelled(folder: Path) -> None:
    file = write(folder, lines_of(0, 1))
    said(folder, file, "--audits-per-week", "40")
    label(folder, share=0.6)
    report = said(folder, file, status=0)
    assert [week["closed"] for week in report["weeks"]] == [True, False]
    label(folder)
    assert [week["closed"] for week in said(folder, status=0)["weeks"]] == [True, True]


def test_the_current_week_of_a_tracked_stream_is_shown_but_not_counted(folder: Path) -> None:
    file = write(folder, lines_of(0, 1))
    report = said(folder, file, through="2025-10-15")
    assert [week["over"] for week in report["weeks"]] == [True, False]
    assert "1 week not over yet" in tracked(folder, through="2025-10-15", json_too=False).stdout


def test_responses_that_arrive_late_for_a_week_already_counted_do_not_alter_the_evidence_of_a_change(
    folder: Path,
) -> None:
    said(folder, write(folder, lines_of(*range(7))))
    before = said(folder)["evidence"]["share"]["now"]
    late = [{**line, "id": f"late-{line['id']}", "pass": False} for line in lines_of(5)]
    later = StreamFiles.of(folder / "calibration/reply", "main")
    said(folder, write(folder, late))
    graded = later.folder / "graded.jsonl"
    moved = [json.loads(line) for line in graded.read_text().splitlines()]
    late_ids = {digest(line["id"]) for line in late}
    graded.write_text(
        "".join(
            json.dumps({**line, "at": "2099-01-01T00:00:00+00:00"} if line["id"] in late_ids else line) + "\n"
            for line in moved
        )
    )
    report = said(folder)
    assert report["evidence"]["share"]["now"] == pytest.approx(before)
    assert sum(week["responses"] for week in report["weeks"]) == 7 * 50 + 50


def test_a_new_period_of_a_tracked_stream_needs_a_reason_and_resets_the_evidence_of_a_change(folder: Path) -> None:
    file = write(folder, lines_of(*range(7)))
    assert said(folder, file)["evidence"]["share"]["now"] is not None
    early = tracked(folder, "--since", "2025-10-06", "--because", "new prompt")
    assert early.returncode == 2
    assert "counted already" in early.stderr
    without = tracked(folder, "--since", "2025-11-24")
    assert (without.returncode, "--because" in without.stderr) == (2, True)
    future = tracked(folder, "--since", "2999-11-18", "--because", "new prompt")
    assert (future.returncode, "--since 2999-11-18 lies in the future" in future.stderr) == (2, True)
    report = said(folder, "--since", "2025-11-17", "--because", "new prompt")
    assert report["period"] == {"from": "2025-11-17", "because": "new prompt"}
    assert report["evidence"]["share"]["now"] is None


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"time": "last week"}, "isn't a time: 'last week'"),
        ({"time": "2999-01-01T00:00:00Z"}, "lies in the future"),
        ({"time": "2025-10-07T12:00:00"}, "has a zone in some rows and none in others"),
        ({"pass": "perhaps"}, "neither pass nor fail"),
    ],
)
def test_a_row_that_cannot_be_added_to_a_tracked_stream_is_reported_with_its_line(
    folder: Path, change: Any, problem: str
) -> None:
    lines = lines_of(0)
    lines[6] |= change
    done = tracked(folder, write(folder, lines))
    assert done.returncode == 2
    assert problem in done.stderr
    assert "traces.jsonl:7" in done.stderr


def test_a_faulty_row_of_a_table_is_reported_with_its_line_even_below_a_cell_of_several_lines(folder: Path) -> None:
    (folder / "rows.csv").write_text(
        'id,time,response,pass\na,2025-10-06T09:30:00Z,"one\ntwo",yes\nb,never,three,yes\n'
    )
    done = tracked(folder, "rows.csv")
    assert (done.returncode, "rows.csv:4: `time` isn't a time" in done.stderr) == (2, True)


def test_a_stream_of_times_without_time_zone_accepts_times_with_one_but_not_the_other_way_round(
    folder: Path,
) -> None:
    without = [{**line, "time": line["time"].removesuffix("Z")} for line in lines_of(1)]
    said(folder, write(folder, lines_of(0)))
    done = tracked(folder, write(folder, without))
    message = (
        "the time of 'w1-0' has no zone, and those of the stream so far have one: write it as 2025-10-06T09:30:00Z"
    )
    assert (done.returncode, message in " ".join(done.stderr.split())) == (2, True)
    both = tracked(folder, write(folder, lines_of(2)), write(folder, without, "more.jsonl"))
    assert (both.returncode, "'w1-0' has no zone, and others have one" in " ".join(both.stderr.split())) == (2, True)
    assert said(folder, "--stream", "other", write(folder, without))["added"] == 50
    assert said(folder, "--stream", "other", write(folder, lines_of(2)))["added"] == 50
    assert tracked(folder, "--stream", "other", write(folder, without)).returncode == 2


def test_tracking_exits_5_if_no_new_response_is_graded_even_if_most_earlier_responses_were_graded(folder: Path) -> None:
    said(folder, write(folder, lines_of(*range(6))))
    lines = [{**line, "pass": None} for line in lines_of(6, a_week=20)]
    done = tracked(folder, write(folder, lines), json_too=False)
    assert done.returncode == 5, done.stdout
    assert "20 of 20 new responses not graded: name a judge" in done.stdout
    again = said(folder, write(folder, lines), status=5)
    assert (again["added"], again["added_not_graded"], again["not_graded"]) == (20, 20, 20)
    assert said(folder, write(folder, lines_of(6, a_week=20)))["added_not_graded"] == 0
    assert said(folder)["not_graded"] == 0


def test_a_damaged_line_of_responses_is_refused_or_skipped_by_a_tracked_stream_as_the_user_chose(folder: Path) -> None:
    file = write(folder, lines_of(0))
    with (folder / file).open("a") as lines:
        lines.write("{not JSON\n")
    refused = tracked(folder, file)
    assert (refused.returncode, "traces.jsonl:51: is not readable JSON" in refused.stderr) == (2, True)
    assert said(folder, file, "-o", "skip_damaged=true")["added"] == 50


def test_overdue_audits_and_edited_records_of_a_tracked_stream_are_reported(folder: Path) -> None:
    waiting = "Audits of 2025-W41 have waited for over four weeks: no week counts yet"
    changed = "looks.jsonl no longer follows from the files"
    done = tracked(folder, write(folder, lines_of(*range(7))), json_too=False)
    assert (done.returncode, waiting in done.stdout, changed in done.stdout) == (4, True, False)
    graded = audits_of(folder).parent / "graded.jsonl"
    graded.write_text("".join(graded.read_text().splitlines(keepends=True)[:-10]))
    done = tracked(folder, json_too=False)
    assert (done.returncode, changed in done.stdout) == (4, True)


@pytest.mark.parametrize(("least", "status", "answer"), [("0.5", 0, "above"), ("0.7", 4, "open"), ("0.95", 1, "below")])
def test_the_exit_status_of_tracking_says_if_the_pass_rate_is_above_or_below_the_least_rate(
    least: str, status: int, answer: str, folder: Path
) -> None:
    tracked(folder, write(folder, lines_of(*range(8), a_week=100)))
    label(folder)
    report = said(folder, "--at-least", least, status=status)
    assert (report["at_least"], report["answer"], report["named"]) == (float(least), answer, None)
    shown = tracked(folder, "--at-least", least, json_too=False)
    words = {"above": "✓ At least 50% would pass.", "open": "? Whether 70% would", "below": "✗ Fewer than 95% would"}
    assert (shown.returncode, words[answer] in shown.stdout) == (status, True), shown.stdout


def test_the_evidence_of_earlier_weeks_still_counts_after_a_clock_that_was_ahead_is_set_back(folder: Path) -> None:
    said(folder, write(folder, lines_of(*range(7), a_week=100)))
    label(folder)
    said(folder, status=0)
    for file in audits_of(folder).parent.iterdir():
        file.write_text(re.sub(r'"at": "\d{4}', '"at": "2990', file.read_text()))
    first = said(folder, write(folder, lines_of(7, a_week=100)), status=0)  # writes a look, older than all lines so far
    second = said(folder, status=0)
    assert first["evidence"] == second["evidence"]
    assert first["evidence"]["people"]["now"] is not None
    assert "Nothing moved" in tracked(folder, json_too=False).stdout


def test_a_week_with_enough_labelled_audits_is_not_reported_as_overdue_for_its_unlabelled_audits(folder: Path) -> None:
    tracked(folder, write(folder, lines_of(*range(8), a_week=100)))
    label(folder)
    labels = folder / "calibration/reply/ratings/ben.jsonl"
    undecided, *decided = labels.read_text().splitlines(keepends=True)
    labels.write_text("".join(decided))
    late = write(folder, [{**line, "id": f"{line['id']}9"} for line in lines_of(3, a_week=90)])
    for files in ((), (late,)):
        done = tracked(folder, *files, json_too=False)
        assert (done.returncode, "have waited" in done.stdout) == (0, False), done.stdout
    labels.write_text("".join(line for line in [undecided, *decided] if '"w7-' not in line))
    assert tracked(folder, json_too=False).returncode == 0
    labels.write_text("".join(line for line in [undecided, *decided] if '"w0-' in line))
    done = tracked(folder, json_too=False)
    assert done.returncode == 4
    overdue = "Audits of 2025-W42 have waited for over four weeks: the answer is of older weeks."
    assert overdue in " ".join(done.stdout.split())


def test_adding_a_missed_week_to_a_tracked_stream_is_not_reported_as_a_change_of_its_earlier_files(
    folder: Path,
) -> None:
    changed = "looks.jsonl no longer follows from the files"
    tracked(folder, write(folder, lines_of(0, 1, 2, 3, 4, 5, 7)))
    late = tracked(folder, write(folder, lines_of(6)), json_too=False)
    assert (late.returncode, "8 weeks, 400 responses" in late.stdout, changed in late.stdout) == (4, True, False)
    graded = audits_of(folder).parent / "graded.jsonl"
    graded.write_text("".join(graded.read_text().splitlines(keepends=True)[:-60]))
    assert changed in tracked(folder, json_too=False).stdout


def test_a_report_that_responses_got_worse_says_that_the_length_of_inputs_does_not_explain_it(folder: Path) -> None:
    lines = [
        line | {"language": "x" * (1 + n % 60), "pass": n < 200 and line["pass"]}
        for n, line in enumerate(lines_of(*range(8)))
    ]
    tracked(folder, write(folder, lines), "--audits-per-week", "50")
    label(folder, good_before=4)
    done = tracked(folder, json_too=False)
    words = " ".join(done.stdout.split())
    assert (done.returncode, "✗ Responses got worse." in words) == (1, True)
    assert "Length of input doesn't explain it" in words
    assert re.search(
        r"traffic: (still|no effect shown): largest, the [a-z ]+ fifth of inputs( by length)? \d+%, was \d+%", words
    )


def test_a_report_on_worse_responses_prints_a_working_command_that_begins_a_new_period(folder: Path) -> None:
    lines = [line | {"pass": n < 200 and line["pass"]} for n, line in enumerate(lines_of(*range(8)))]
    tracked(folder, write(folder, lines), "--audits-per-week", "50")
    label(folder, good_before=4)
    words = " ".join(tracked(folder, json_too=False).stdout.split())
    begins = "markscheme pass-rate --rubric reply --track --since 2025-11-24 --because YOUR-REASON"
    assert f"Next, say what happened, which begins a new period: {begins} Full report:" in words
    assert run(*begins.split(), "--through", "2025-11-30", cwd=folder).returncode == 0


def report_on(folder: Path, **changed: Any) -> Document:
    """The report on the stream's look, in which some values are others."""
    rubric = load_rubric(folder / "rubrics/reply.yaml")
    stream = StreamFiles.of(folder / "calibration/reply", "main")
    through = date(2025, 11, 30)
    memory, labels, look = look_again(rubric, folder / "calibration/reply", stream, through)
    changed_look = replace(look, **changed)
    tracked_run = TrackedRun(
        rubric, "main", changed_look, 0, 0, 0, not_recomputed=False, memory=memory, labels=labels, through=through
    )
    return view(tracked_run)


def shown_look(folder: Path, **changed: Any) -> str:
    """The same report as one line."""
    return " ".join("".join(rendered(report_on(folder, **changed), "markdown")).split())


def test_the_report_calls_responses_better_if_an_unchanged_judge_passes_more_and_worse_if_it_passes_fewer(
    folder: Path,
) -> None:
    said(folder, write(folder, lines_of(*range(7))), "--audits-per-week", "30")
    label(folder)
    better = shown_look(folder, named="responses", shift=0.2)
    assert "**✗ Responses got better.**" in better
    assert "responses: moved: rang in" in better
    assert "the judge's share rose" in better
    worse = shown_look(folder, named="responses", shift=-0.2)
    assert "**✗ Responses got worse.**" in worse
    assert "the judge's share fell; labels alone don't show it" in worse


def test_after_a_change_of_the_judge_the_report_prints_a_command_that_accepts_it_or_begins_a_new_period(
    folder: Path,
) -> None:
    said(folder, write(folder, lines_of(*range(7))), "--audits-per-week", "30")
    label(folder)
    judge = AnchorWatch(sizes=(20, 80), flips=((0, 30),), after=(900.0,))
    _, accept = report_on(folder, named="judge", judge=judge).onward or ("", "")
    assert accept.startswith("markscheme calibrate ")
    assert accept.endswith(" -o cache=off --accept --replace --samples 5")
    _, begin = report_on(folder, named="open", judge=None).onward or ("", "")
    assert "--track --since 2025-11-17 --because YOUR-REASON" in begin
    assert report_on(folder, named="open", judge=judge).onward is None


def test_a_report_on_changed_inputs_states_the_same_two_shares_wherever_it_mentions_the_change(
    folder: Path,
) -> None:
    said(folder, write(folder, lines_of(*range(7))), "--audits-per-week", "30")
    label(folder)
    since_onset = MixShift("language", 0.9, 0.0, "fr", 0.2, 0.6)
    since_reference = MixShift("language", 0.9, 0.0, "en", 0.8, 0.54)
    text = shown_look(folder, named="traffic", shift=-0.1, mix=since_onset, traffic=since_reference)
    assert "fr is 60%, was 20%" in text
    assert "traffic: moved: largest, `language` fr 60%, was 20%" in text.replace("\\", "")
    assert "54%" not in text
    assert "traffic: no effect shown: largest," in shown_look(folder, traffic=since_reference)


def test_showing_a_tracked_stream_up_to_an_earlier_week_does_not_report_later_lines_as_missing(folder: Path) -> None:
    said(folder, write(folder, lines_of(*range(7))), "--audits-per-week", "30")
    label(folder)
    said(folder, status=0)
    assert "no longer follows" not in tracked(folder, through="2025-11-09", json_too=False).stdout


def test_tracking_refuses_responses_without_a_time_or_graded_by_a_new_judge_or_with_two_verdicts(folder: Path) -> None:
    lines = lines_of(0, judge="gpt-5")
    timeless = [{key: value for key, value in line.items() if key != "time"} for line in lines]
    done = tracked(folder, write(folder, timeless))
    assert (done.returncode, "--time COLUMN" in done.stderr, "--at DATE" in done.stderr) == (2, True, True)
    said(folder, write(folder, timeless), "--at", "2025-10-08")
    said(folder, write(folder, lines_of(1, judge="gpt-5")))
    other = tracked(folder, write(folder, lines_of(2, judge="gpt-6")))
    assert (other.returncode, "another judge" in other.stderr) == (2, True)
    two = [*lines_of(3), {**lines_of(3)[0], "pass": True}]
    done = tracked(folder, write(folder, two))
    assert (done.returncode, "two verdicts on the response" in done.stderr) == (2, True)
    command = ("markscheme", "pass-rate", "traces.jsonl", "--track")
    assert "--track needs --rubric" in run(*command, cwd=folder).stderr


def test_tracking_names_file_and_line_of_a_second_verdict_and_of_a_missing_time(folder: Path) -> None:
    first, second = lines_of(0)[:2]
    write(folder, [first], "first.jsonl")
    write(folder, [second, {**first, "pass": not first["pass"]}], "second.jsonl")
    done = tracked(folder, "first.jsonl", "second.jsonl")
    assert (done.returncode, f"second.jsonl:2: two verdicts on the response '{first['id']}'" in done.stderr) == (
        2,
        True,
    )
    done = tracked(folder, write(folder, [first, {**second, "time": None}]))
    assert (done.returncode, "traces.jsonl:2: has no `time`" in done.stderr) == (2, True)


def test_a_stream_with_a_partly_graded_week_is_not_reported_as_having_nothing_graded(folder: Path) -> None:
    lines = lines_of(0)
    for line in lines[25:]:
        del line["pass"]
    done = tracked(folder, write(folder, lines), json_too=False)
    assert "No week is nine tenths graded yet." in done.stdout
    assert "Nothing is graded yet" not in done.stdout


def test_the_first_line_of_a_tracked_file_may_lack_a_verdict_but_not_a_time(
    folder: Path,
) -> None:
    lines = lines_of(0)
    del lines[0]["pass"]
    stream = said(folder, write(folder, lines))
    assert stream["not_graded"] == 1
    assert stream["last_week"] == pytest.approx(sum(line["pass"] for line in lines[1:]) / 49)
    del lines[0]["time"]
    done = tracked(folder, write(folder, lines))
    assert (done.returncode, "traces.jsonl:1: has no `time`" in done.stderr) == (2, True)


def test_the_share_that_the_judge_passes_of_a_last_week_with_fewer_than_five_responses_is_given_as_counts(
    folder: Path,
) -> None:
    n_passed = sum(line["pass"] for line in lines_of(1)[:3])
    done = tracked(folder, write(folder, lines_of(0) + lines_of(1)[:3]), json_too=False)
    assert f"The judge passes {n_passed} of last week's 3" in done.stdout


def test_tracking_reports_responses_whose_ids_are_known_but_whose_texts_changed(folder: Path) -> None:
    said(folder, write(folder, lines_of(0)))
    report = said(folder, write(folder, [{**line, "response": "Another"} for line in lines_of(0)]))
    assert (report["added"], report["changed"]) == (0, 50)


def test_each_value_of_a_named_column_in_a_tracked_stream_gets_a_separate_pass_rate(folder: Path) -> None:
    file = write(folder, lines_of(0, 1))
    said(folder, file, "--audits-per-week", "50")
    label(folder)
    parts = said(folder, "--by", "language", status=0)["parts"]
    assert set(parts) == {"de", "en"}
    assert all(part["value"] is not None for part in parts.values())
    done = tracked(folder, "--by", "country")
    assert (done.returncode, "no response has a column 'country'" in done.stderr) == (2, True)


def test_dividing_a_tracked_stream_by_a_column_gives_no_pass_rates_before_a_week_is_closed(
    folder: Path,
) -> None:
    assert said(folder, write(folder, lines_of(0, 1)), "--by", "language")["parts"] == {}


def test_tracking_a_stream_with_over_a_tenth_of_its_responses_without_a_verdict_exits_5(folder: Path) -> None:
    lines = [{**line, "pass": None} if n % 4 == 0 else line for n, line in enumerate(lines_of(0, 1))]
    report = said(folder, write(folder, lines), status=5)
    assert report["not_graded"] == 25


def test_responses_without_a_verdict_in_a_tracked_stream_are_reported_even_if_they_are_few(folder: Path) -> None:
    lines = [line | {"pass": None if n < 3 else line["pass"]} for n, line in enumerate(lines_of(0, 1))]
    shown = tracked(folder, write(folder, lines), json_too=False)
    assert "3 responses not graded yet; --judge with the same file asks about them." in " ".join(shown.stdout.split())


@pytest.mark.proof
def test_a_plan_of_audits_is_refused_until_the_judge_s_passes_and_fails_are_labelled(folder: Path) -> None:
    file = write(folder, lines_of(0, 1))
    said(folder, file, "--audits-per-week", "50")
    done = run("markscheme", "pass-rate", "--rubric", "reply", "--plan", cwd=folder)
    assert (done.returncode, "label the audits" in done.stderr) == (2, True)
    pairs = [{"id": f"e{n}", "gold": n % 5 > 0, "judge": n % 4 > 0} for n in range(40)]
    labels = write(folder, pairs, "labels.jsonl")
    planned = run("markscheme", "pass-rate", "--calibration", labels, "--plan", "--json", cwd=folder)
    plans = json.loads(planned.stdout)["plans"]
    assert [plan["audits"] for plan in plans] == [10, 20, 30, 50, 100]
    widths = [plan["half_widths"][0] for plan in plans]
    assert widths == sorted(widths, reverse=True)


def test_each_command_printed_after_tracking_a_stream_of_responses_works(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    summary = folder / "summary.md"
    write(folder, lines_of(0, 1, 2))
    look = "pass-rate traces.jsonl --rubric reply --track --audits-per-week 10 --through 2025-11-30 --details"
    done = run("markscheme", *look.split(), cwd=folder, env={"GITHUB_STEP_SUMMARY": str(summary), "COLUMNS": "1000"})
    assert done.returncode == 4, done.stderr
    in_summary = [*printed_commands(summary.read_text())]
    assert in_summary == [*printed_commands(done.stdout)] == ["markscheme label reply --audits"]
    label(folder)
    told = run("markscheme", *look.split(), cwd=folder, env={"GITHUB_STEP_SUMMARY": str(summary), "COLUMNS": "1000"})
    assert told.returncode == 0, told.stderr
    commands = dict.fromkeys([*in_summary, *printed_commands(summary.read_text()), *printed_commands(told.stdout)])
    assert faults_of(commands, folder, tmp_path_factory.mktemp("copies"), {}, {}) == {}
