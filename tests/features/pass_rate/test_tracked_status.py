"""What is said of the streams here, and looks at the accepted examples that `calibrate` adds to the record."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from markscheme.calibration.earlier_runs.load import load_accepted
from markscheme.commands.output import rendered
from markscheme.features.pass_rate.tracked.anchors import AnchorLook, judge_moved, read_anchors
from markscheme.report.document import Document
from markscheme.report.json import dumps
from markscheme.report.streams import STREAMS, WatchedStream
from tests.commands.console import run
from tests.features.pass_rate.planted_worlds import RUBRIC, begin
from tests.features.pass_rate.test_tracked import audits_of, label, lines_of, said, tracked, write

CALIBRATE = ("calibrate", "reply", "--judge", "function:stand_in:judge", "--quiet")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics/reply.yaml").write_text(RUBRIC)
    return tmp_path


def watched_in(folder: Path, key: str) -> list[WatchedStream]:
    """What is watched in a folder and listed under a key of `status --json`."""
    return [stream for find in STREAMS for stream in find(folder) if stream.key == key]


def page_of(*streams: WatchedStream) -> str:
    """The pictures of streams as a page has them."""
    document = Document("Streams", "", (), [stream.section() for stream in streams])
    return "".join(rendered(document, "html"))


def watched(folder: Path) -> dict[str, Any]:
    """A stream of seven weeks, labelled, with a period since the sixth; its look."""
    said(folder, write(folder, lines_of(*range(7))), "--audits-per-week", "30")
    label(folder)
    said(folder, status=0)
    report: dict[str, Any] = said(folder, "--since", "2025-11-17", "--because", "new <prompt>", status=0)
    return report


def test_status_shows_the_pass_rate_of_a_tracked_stream_with_its_interval_in_a_sentence_and_with_a_plot(
    folder: Path,
) -> None:
    assert watched_in(folder, "streams") == watched_in(folder, "looks") == []
    look = watched(folder)
    (shown,) = watched_in(folder, "streams")
    stream = json.loads(dumps(shown.data))
    assert (stream["rubric"], stream["stream"], stream["named"]) == ("reply", "main", None)
    assert [stream[key] for key in ("rate", "low", "high")] == pytest.approx(
        [look["rate"][key] for key in ("value", "low", "high")]
    )
    rate, low, high = (round(100 * stream[key]) for key in ("rate", "low", "high"))
    expected = f"nothing moved. People would pass {rate}% (95% CI {low}–{high})."
    assert shown.line == f"stream reply: through 2025-11-30, {expected}"
    page = page_of(shown)
    assert page.count('<svg class="plot"') == 1
    assert "Pass rate of reply" in page
    assert "a: 2025-W47, new &lt;prompt&gt;" in page
    assert f"people would pass {rate}% ({low}–{high})" in page


def test_status_and_the_report_print_the_same_pass_rates_from_before_and_after_responses_got_worse(
    folder: Path,
) -> None:
    lines = [line | {"pass": n < 200 and line["pass"]} for n, line in enumerate(lines_of(*range(8)))]
    tracked(folder, write(folder, lines), "--audits-per-week", "50")
    label(folder, good_before=4)
    said(folder, status=1)
    report = " ".join(tracked(folder, json_too=False).stdout.split())
    sentence = re.search(r"People would pass \d+% \(\d+–\d+\), before \d+%\.", report)
    assert sentence is not None
    (shown,) = watched_in(folder, "streams")
    assert shown.line.endswith(f"responses got worse. {sentence[0]}")


def test_status_reports_a_tracked_stream_that_cannot_be_read_and_shows_all_other_streams(folder: Path) -> None:
    watched(folder)
    rates = audits_of(folder).parent.parent
    shutil.copytree(rates / "main", rates / "search")
    with (rates / "search/looks.jsonl").open("a") as looks:
        looks.write("{not JSON\n")
    damaged, whole = sorted(watched_in(folder, "streams"), key=lambda stream: stream.data["stream"] == "main")
    assert "looks.jsonl" in damaged.data["fault"]
    assert whole.data["rate"] is not None
    assert page_of(damaged, whole).count('<svg class="plot"') == 1


def test_the_report_on_a_tracked_stream_needs_neither_the_cache_nor_the_file_of_audits(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    watched(folder)
    checkout = tmp_path_factory.mktemp("checkout")
    for name in ("rubrics", "calibration"):
        shutil.copytree(folder / name, checkout / name)
    (checkout / "calibration/reply/rates/main/audits.jsonl").unlink()
    assert said(checkout, status=0) == said(folder, status=0)


def looks(folder: Path) -> list[AnchorLook]:
    return read_anchors(folder / "calibration/reply")


@pytest.mark.proof
def test_calibrating_the_accepted_examples_again_is_recorded_as_evidence_on_whether_the_judge_changed(
    folder: Path,
) -> None:
    (folder / "rubrics/reply.yaml").unlink()
    (folder / "rubrics").rmdir()
    begin(folder)
    assert looks(folder) == []
    for _ in range(3):
        run(*CALIBRATE, "-o", "cache=off", cwd=folder)
    look = looks(folder)[0]
    accepted = load_accepted(folder / "calibration/reply/accepted.json")
    assert look.passes == AnchorLook.of_ratings(accepted, accepted.ratings, at="", day="", setting="").passes
    (folder / "strict").touch()
    run(*CALIBRATE, "-o", "cache=off", cwd=folder)
    assert not judge_moved(accepted, looks(folder)[:3]).has_rung
    assert judge_moved(accepted, looks(folder)).has_rung
    (shown,) = watched_in(folder, "looks")
    judge = json.loads(dumps(shown.data))
    assert (judge["rubric"], judge["looks"], judge["moved"], judge["alarm_at"]) == ("reply", 4, True, 80)
    assert shown.line.startswith(f"judge of reply: over 4 looks since the accepted run of {accepted.date}, moved: ")
    assert shown.line.count("over 4 looks") == 1
    assert "accepted passes changed" in page_of(shown)
    with (folder / "calibration/reply/anchors.jsonl").open("a") as record:
        record.write("{not JSON\n")
    assert "anchors.jsonl" in watched_in(folder, "looks")[0].data["fault"]
    lines = (folder / "calibration/reply/anchors.jsonl").read_text().splitlines()[:-1]
    (folder / "calibration/reply/anchors.jsonl").write_text("".join(f"{line}\n" for line in lines))
    rubric = folder / "rubrics/reply.yaml"
    rubric.write_text(RUBRIC.replace("solves the", "settles the"))
    run(*CALIBRATE, "-o", "cache=off", cwd=folder)
    assert len(looks(folder)) == 4


def test_five_samples_of_a_judge_are_recorded_as_five_checks_of_accepted_examples_and_of_no_new_example(
    folder: Path,
) -> None:
    (folder / "rubrics/reply.yaml").unlink()
    (folder / "rubrics").rmdir()
    begin(folder)
    examples = folder / "calibration/reply/examples.jsonl"
    further = json.dumps({"id": "w1", "response": "It works again. Yours, ticket 0.5", "labels": []})
    examples.write_text(examples.read_text() + further + "\n")
    run(*CALIBRATE, "-o", "cache=off", "--samples", "5", cwd=folder)
    assert len(looks(folder)) == 5
    assert "w1" not in looks(folder)[0].passes
    assert (folder / "calibration/reply/.gitattributes").read_text() == "anchors.jsonl merge=union\n"
