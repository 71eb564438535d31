"""`markscheme status` as a user runs it."""

import datetime
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from markscheme import Rubric
from markscheme.calibration.carried_labels import carried_labels
from markscheme.cli import main
from markscheme.ratings.examples import load_examples
from markscheme.ratings.rating import Rated, Rating, asked_under
from markscheme.ratings.wordings import record_words
from markscheme.report.document import Paragraph, Section
from markscheme.report.streams import STREAMS, WatchedStream
from markscheme.report.under_way import UNDER_WAY
from markscheme.rubrics.file import load_rubric
from markscheme.rubrics.search import find_rubric, known_rubrics
from markscheme.seam import Feature, features, offer
from tests.commands import scripted_setting as setting
from tests.commands.console import ROOT, run


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A working directory with a rubric, labelled examples and a judge."""
    return setting.make_setting(tmp_path / "here")


def _accept(here: Path, *options: str) -> None:
    command = ("calibrate", "clear", "--judge", setting.JUDGE, "--accept", "--quiet", *options)
    assert run(*command, cwd=here, env=setting.environment(here)).returncode in (0, 1)


def _status(here: Path, **env: str) -> dict[str, Any]:
    done = run("markscheme", "status", "--json", cwd=here, env={**setting.environment(here), **env})
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def _clear(here: Path) -> dict[str, Any]:
    return next(rubric for rubric in _status(here)["rubrics"] if rubric["name"] == "clear")


def _change_accepted(here: Path, **changes: Any) -> None:
    file = here / "calibration" / "clear" / "accepted.json"
    file.write_text(json.dumps({**json.loads(file.read_text(encoding="utf-8")), **changes}), encoding="utf-8")


def test_status_says_of_a_rubric_without_an_accepted_run_that_it_has_none(here: Path) -> None:
    entry = _clear(here)
    assert (entry["use"], entry["accepted"], entry["labelled_examples"]) == (None, None, 60)
    done = run("markscheme", "status", cwd=here, env={**setting.environment(here), "COLUMNS": "200"})
    line = next(line for line in done.stdout.splitlines() if line.startswith("clear"))
    assert "no accepted run" in line
    assert "60 examples" in line


def test_status_counts_examples_as_labelled_only_if_people_labelled_them(tmp_path: Path) -> None:
    folder = tmp_path / "calibration" / "clear"
    (folder / "ratings").mkdir(parents=True)
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "clear.yaml").write_text("criteria:\n- {name: clear, description: Is it clear?}\n")
    lines = (json.dumps({"id": f"e{n}", "response": f"reply {n}"}) for n in range(90))
    (folder / "examples.jsonl").write_text("\n".join(lines) + "\n")
    for rater, kind, rated in (("judge", "model", 90), ("ann", "human", 30)):
        lines = (
            json.dumps({"id": f"e{n}", "rater": rater, "kind": kind, "criteria": {"clear": {"level": 1 + n % 5}}})
            for n in range(rated)
        )
        (folder / "ratings" / f"{rater}.jsonl").write_text("\n".join(lines) + "\n")
    done = run("markscheme", "status", "--json", cwd=tmp_path)
    assert [rubric["labelled_examples"] for rubric in json.loads(done.stdout)["rubrics"]] == [30]


def test_status_asks_for_human_labels_if_all_labels_are_synthetic(here: Path) -> None:
    file = here / "calibration" / "clear" / "examples.jsonl"
    examples = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    for example in examples:
        for label in example["labels"]:
            label.update(rater="recipe", kind="constructed")
    file.write_text("".join(json.dumps(example) + "\n" for example in examples), encoding="utf-8")
    for judge in ((), ("calibrate", "clear", "--judge", setting.JUDGE, "--quiet")):
        if judge:
            run(*judge, cwd=here, env=setting.environment(here))
        done = run("markscheme", "status", cwd=here, env={**setting.environment(here), "COLUMNS": "200"})
        assert "clear: its 60 examples have labels, but none by people. Label all 60 that are left." in done.stdout
        assert "Next: markscheme label clear --rater YOUR-NAME" in done.stdout


def test_status_asks_first_for_labels_on_examples_that_are_not_labelled_yet(tmp_path: Path) -> None:
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "clear.yaml").write_text("criteria:\n- {name: clear, requirement: It is clear.}\n")
    folder = tmp_path / "calibration" / "clear"
    folder.mkdir(parents=True)
    lines = (json.dumps({"id": f"e{n}", "response": f"reply {n}"}) for n in range(32))
    (folder / "examples.jsonl").write_text("\n".join(lines) + "\n")
    shown = run("markscheme", "status", cwd=tmp_path).stdout
    assert "clear: Label all 32 that are left." in shown
    assert shown.endswith("Next: markscheme label clear --rater YOUR-NAME\n")


def test_status_names_calibrate_for_an_accepted_run_whose_judge_is_of_no_use(here: Path) -> None:
    setting.set_judge(here, tone=-3, facts=-3)
    run("calibrate", "clear", "--judge", setting.JUDGE, "--accept", "--force", cwd=here, env=setting.environment(here))
    done = run("markscheme", "status", cwd=here, env=setting.environment(here))
    command = f"markscheme calibrate clear --judge {setting.JUDGE}"
    assert " ".join(done.stdout.split()).endswith(f"Next, see what to fix first in clear: {command}"), done.stdout


def test_status_and_calibrate_say_how_to_label_for_a_rubric_without_any_response(tmp_path: Path) -> None:
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "clear.yaml").write_text("criteria:\n- {name: clear, requirement: It is clear.}\n")
    command = "markscheme label clear --pool YOUR-OUTPUTS.jsonl"
    assert run("markscheme", "status", cwd=tmp_path).stdout.endswith(f"Next: {command}\n")
    done = run("calibrate", "clear", cwd=tmp_path)
    assert (done.returncode, f"label responses: `{command}`" in done.stderr) == (2, True)


def test_status_reports_an_accepted_run_on_one_line(here: Path) -> None:
    _accept(here)
    entry = _clear(here)
    until = datetime.date.fromisoformat(entry["accepted"]) + datetime.timedelta(days=90)
    assert (entry["use"], entry["judge"]) == ("gate", setting.JUDGE)
    assert entry["labels"] == {"n": 60, "kind": "human"}
    assert (entry["false_passes"], entry["stale"], entry["fresh_until"]) == ([], [], until.isoformat())
    done = run("markscheme", "status", cwd=here, env={**setting.environment(here), "COLUMNS": "200"})
    line = next(line for line in done.stdout.splitlines() if line.startswith("clear"))
    assert line.split() == ["clear", "can", "gate", setting.JUDGE, "60", "human", "0", "–", until.isoformat()]


def _write_labels(folder: Path, rubric: Rubric, ids: Iterable[str], *, lower: int) -> None:
    """Append labels of the examples by two annotators, under the rubric's words, with the tone lower than scripted."""
    ratings = folder / "calibration" / "clear" / "ratings"
    ratings.mkdir(exist_ok=True)
    for rater in ("r0", "r1"):
        with (ratings / f"{rater}.jsonl").open("a", encoding="utf-8") as file:
            for unit in ids:
                place = int(unit[1:])
                levels = {"tone": max(1.0, 1.0 + place % 5 - lower), "facts": 1.0 + place // 5 % 5}
                rated = {name: Rated(level, under=rubric.criterion(name).wording) for name, level in levels.items()}
                label = Rating(unit, rater, "human", rated, at="2026-11-01", under=asked_under(rubric))
                file.write(json.dumps(label.to_json()) + "\n")


def test_a_run_that_was_accepted_after_a_rewording_and_some_new_labels_is_not_called_stale(here: Path) -> None:
    file, home = here / "rubrics" / "clear.yaml", here / "calibration" / "clear"
    rows = [json.loads(line) for line in (home / "examples.jsonl").read_text(encoding="utf-8").splitlines()]
    (home / "examples.jsonl").write_text("".join(json.dumps({**row, "labels": []}) + "\n" for row in rows))
    _write_labels(here, load_rubric(file), [row["id"] for row in rows], lower=0)
    record_words(home, load_rubric(file), "2026-11-01")
    setting.ask_strictly(here)
    rubric = load_rubric(file)
    carried = carried_labels(load_examples(home / "examples.jsonl", rubric, ratings=home / "ratings"), rubric)
    assert carried is not None
    _write_labels(here, rubric, carried.check, lower=1)
    command = ("calibrate", "clear", "--judge", setting.JUDGE, "--accept", "--quiet")
    assert "1 run accepted" in run(*command, cwd=here, env=setting.environment(here)).stderr
    assert _clear(here)["stale"] == []


def test_status_calls_an_accepted_run_stale_if_it_is_old_or_the_rubric_was_reworded_or_labels_changed(
    here: Path,
) -> None:
    _accept(here)
    old = (datetime.date.today() - datetime.timedelta(days=90)).isoformat()
    _change_accepted(here, date=old)
    assert _clear(here)["stale"] == ["accepted over 90 days ago"]
    setting.ask_strictly(here)
    examples = here / "calibration" / "clear" / "examples.jsonl"
    text = examples.read_text(encoding="utf-8")
    examples.write_text(text.replace('"criteria": {"tone": 1,', '"criteria": {"tone": 2,', 2), encoding="utf-8")
    entry = _clear(here)
    assert entry["stale"] == [
        "accepted for an older rubric",
        "the labels of 1 example are others now",
        "accepted over 90 days ago",
    ]
    assert entry["fresh_until"] is None
    done = run("markscheme", "status", cwd=here, env={**setting.environment(here), "COLUMNS": "200"})
    assert "clear is stale: accepted for an older rubric; " in done.stdout
    assert "No judge here may decide or show trends: what was accepted is stale." in done.stdout
    line = next(line for line in done.stdout.splitlines() if line.startswith("clear  "))
    assert line.split()[1:4] == ["was:", "can", "gate"]


def test_the_next_commands_of_status_lead_from_a_calibration_to_an_accepted_run_and_no_further(here: Path) -> None:
    env = {**setting.environment(here), "COLUMNS": "200"}
    run("calibrate", "clear", "--judge", setting.JUDGE, "--quiet", cwd=here, env=env)
    shown = run("markscheme", "status", cwd=here, env=env).stdout
    assert f"clear: {setting.JUDGE} is good enough by the last calibration; accept its run." in shown
    accept = shown.rpartition("Next: ")[2].split()
    assert accept == ["markscheme", "calibrate", "clear", "--judge", setting.JUDGE, "--accept"]
    assert run(*accept[1:], "--quiet", cwd=here, env=env).returncode == 0
    assert "Next" not in run("markscheme", "status", cwd=here, env=env).stdout
    setting.ask_strictly(here)
    after_rewording = run("markscheme", "status", cwd=here, env=env).stdout
    assert after_rewording.endswith(f"Next: markscheme calibrate clear --judge {setting.JUDGE}\n")


def test_status_says_which_judge_is_not_good_enough_by_the_last_calibration_and_how_to_calibrate_it_again(
    here: Path,
) -> None:
    env = {**setting.environment(here), "COLUMNS": "200"}
    setting.set_judge(here, tone=3, facts=3)
    run("calibrate", "clear", "--judge", setting.JUDGE, "--quiet", cwd=here, env=env)
    shown = run("markscheme", "status", cwd=here, env=env).stdout
    assert f"clear: {setting.JUDGE} isn't good enough by the last calibration, whose report says what to fix." in shown
    assert shown.endswith(f"Next: markscheme calibrate clear --judge {setting.JUDGE}\n")


def test_status_names_the_judge_of_the_last_calibration_if_another_judge_was_accepted(here: Path) -> None:
    _accept(here)
    file = here / "calibration" / "clear" / "next_labels.json"
    record = json.loads(file.read_text(encoding="utf-8"))
    sentence = "Label about 480 more for an even chance to say whether the judge can gate."
    of_other = f"clear: the last run was of function:judges:other. {sentence}"
    for judge, shown in ((record["judge"], f"clear: {sentence}"), ("function:judges:other", of_other)):
        changes = {"judge": judge, "labels_needed": 480, "labels_chance": 0.5, "next_step": sentence}
        file.write_text(json.dumps(record | changes), encoding="utf-8")
        done = run("markscheme", "status", cwd=here, env={**setting.environment(here), "COLUMNS": "200"})
        assert shown in done.stdout


def test_status_shows_the_false_passes_and_the_cost_of_the_accepted_run(here: Path) -> None:
    setting.set_judge(here, tone=2, facts=2)
    _accept(here, "--force")
    entry = _clear(here)
    assert entry["false_passes"]
    file = here / "calibration" / "clear" / "accepted.json"
    cost = json.loads(file.read_text(encoding="utf-8"))["cost"]
    assert (cost["calls"], cost["examples"], cost["runs"], cost["from_cache"]) == (120, 60, 1, 0)
    _change_accepted(here, cost={**cost, "usd": 0.6, "input_tokens": 50_000, "output_tokens": 10_000})
    assert _clear(here)["cost"] == {"usd_per_1000": pytest.approx(10.0), "tokens_per_grade": pytest.approx(1000.0)}
    _change_accepted(here, cost={**cost, "usd": 0.3, "calls": 60, "from_cache": 60})
    assert _clear(here)["cost"]["usd_per_1000"] == pytest.approx(10.0)


def test_status_counts_no_false_passes_for_an_accepted_run_without_pass_or_fail_decisions(here: Path) -> None:
    _accept(here)
    decision = json.loads((here / "calibration" / "clear" / "accepted.json").read_text(encoding="utf-8"))["decision"]
    assert _clear(here)["false_passes"] is not None
    _change_accepted(here, decision={**decision, "gate": None})
    assert _clear(here)["false_passes"] is None


def test_status_names_at_most_ten_false_passes_of_an_accepted_run_and_counts_the_rest(here: Path) -> None:
    _accept(here)
    file = here / "calibration" / "clear" / "accepted.json"
    measurements = json.loads(file.read_text(encoding="utf-8"))["measurements"]
    _change_accepted(here, measurements={**measurements, "false_passes": [f"case-{n}" for n in range(155)]})
    done = run("markscheme", "status", cwd=here, env={**setting.environment(here), "COLUMNS": "500"})
    (remark,) = (line for line in done.stdout.splitlines() if "passes what its labels don't" in line)
    assert remark.endswith("case-8, case-9 and 145 more")
    assert len(_clear(here)["false_passes"]) == 155


@pytest.mark.parametrize("broken", ["rubrics/clear.yaml", "calibration/clear/accepted.json"])
def test_status_reports_files_that_cannot_be_read_and_shows_all_readable_files(here: Path, broken: str) -> None:
    _accept(here)
    (here / broken).write_text("{", encoding="utf-8")
    entry = _clear(here)
    assert broken.rsplit("/", 1)[1] in entry["fault"]
    (here / "rubrics" / "other.yaml").write_text(setting.RUBRIC.replace("clear", "other"), encoding="utf-8")
    assert [rubric["name"] for rubric in _status(here)["rubrics"]] == ["clear", "other"]
    done = run("markscheme", "status", cwd=here, env={**setting.environment(here), "COLUMNS": "200"})
    assert done.returncode == 0
    assert "cannot be read" in done.stdout


@pytest.mark.proof
def test_status_reports_a_fault_if_the_cost_or_the_date_in_an_accepted_run_is_invalid(here: Path) -> None:
    _accept(here)
    _change_accepted(here, cost={})
    assert "isn't an accepted run" in _clear(here)["fault"]
    _accept(here)
    _change_accepted(here, date="lately")
    assert "is dated 'lately'" in _clear(here)["fault"]


def test_status_reports_judges_without_showing_their_api_keys(here: Path) -> None:
    judges = {judge["name"]: judge for judge in _status(here)["judges"]}
    assert not judges["anthropic"]["usable"]
    assert not judges["openai:MODEL"]["usable"]
    assert judges["function:module:name"]["usable"]
    assert not judges["recorded:PATH"]["usable"]
    replies = here / "calibration" / "clear" / "replies"
    replies.mkdir()
    (replies / "mine.jsonl").write_text("", encoding="utf-8")
    secret = "a-secret-that-is-not-shown"
    done = run(
        "markscheme", "status", cwd=here, env={"ANTHROPIC_API_KEY": secret, "OPENAI_BASE_URL": "http://user:pass@here"}
    )
    assert "can ask anthropic: ANTHROPIC_API_KEY is set" in done.stdout
    assert "can ask openai:MODEL: OPENAI_BASE_URL is set" in done.stdout
    assert "can ask recorded:PATH: calibration/clear/replies/mine.jsonl" in done.stdout
    assert secret not in done.stdout
    assert "pass@" not in done.stdout


def test_status_in_a_folder_without_rubrics_says_how_to_get_a_rubric(tmp_path: Path) -> None:
    env = {"MARKSCHEME_CACHE": str(tmp_path / "cache"), "XDG_RUNTIME_DIR": str(tmp_path)}
    done = run("markscheme", "status", cwd=tmp_path, env=env)
    _, head, rest, _ = done.stdout.split("\n\n")
    message = "No rubric is here yet: `markscheme init` puts one with labelled examples into this folder"
    assert " ".join(head.split()).startswith(f"? {message}")
    assert json.loads(run("markscheme", "status", "--json", cwd=tmp_path, env=env).stdout)["rubrics"] == []
    always = ("can ask function:", "cannot ask ", "session:")
    assert [sum(line.startswith(start) for line in rest.splitlines()) for start in always] == [1, 1, 1]


def test_status_prints_the_same_whether_or_not_its_command_line_goes_through_the_argument_parser(here: Path) -> None:
    alone, parsed = (
        run("markscheme", "status", *words, cwd=here, env=setting.environment(here)) for words in ([], ["--"])
    )
    assert alone.stdout.startswith("1 rubric")
    assert (alone.returncode, alone.stdout, alone.stderr) == (parsed.returncode, parsed.stdout, parsed.stderr)


def test_status_keeps_to_the_width_of_the_terminal(here: Path) -> None:
    _accept(here)
    done = run("markscheme", "status", cwd=here, env={**setting.environment(here), "COLUMNS": "80"})
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_status_lists_a_shipped_rubric_once_the_user_has_examples_for_it(here: Path) -> None:
    assert [rubric["name"] for rubric in _status(here)["rubrics"]] == ["clear"]
    folder = here / "calibration" / "error-messages"
    folder.mkdir()
    shipped = ROOT / "calibration" / "error-messages" / "examples.jsonl"
    (folder / "examples.jsonl").write_bytes(shipped.read_bytes())
    by_name = {rubric["name"]: rubric for rubric in _status(here)["rubrics"]}
    assert by_name.keys() == {"clear", "error-messages"}
    assert by_name["error-messages"]["labelled_examples"] == 55


def test_for_a_rubric_file_outside_the_rubrics_folder_status_shows_only_the_accepted_run(here: Path) -> None:
    (here / "rubrics" / "clear.yaml").rename(here / "clear.yaml")
    command = ("calibrate", "clear.yaml", "--judge", setting.JUDGE, "--accept", "--quiet")
    assert run(*command, cwd=here, env=setting.environment(here)).returncode == 0
    entry = _clear(here)
    assert (entry["use"], entry["file"], entry["judge"]) == ("gate", None, setting.JUDGE)
    assert entry["labels"] == {"n": 60, "kind": "human"}
    done = run("markscheme", "status", cwd=here, env={**setting.environment(here), "COLUMNS": "200"})
    assert any(line.startswith("clear ") and "can gate" in line for line in done.stdout.splitlines())
    assert "clear: its file is not in rubrics/; only its accepted run is shown" in done.stdout
    (here / "calibration" / "clear" / "accepted.json").write_text("{", encoding="utf-8")
    assert "accepted.json" in _clear(here)["fault"]


def test_status_shows_whether_a_session_process_is_running_and_what_that_process_is_doing(
    here: Path, runtime: Path
) -> None:
    env = {"XDG_RUNTIME_DIR": str(runtime)}
    assert "session: none is running" in run("markscheme", "status", cwd=here, env=env).stdout
    assert _status(here, **env)["sessions"] == []
    assert run("markscheme", "session", "start", cwd=here, env=env).returncode == 0
    shown = run("markscheme", "status", cwd=here, env={**env, "COLUMNS": "500"}).stdout
    (line,) = (line for line in shown.splitlines() if line.startswith("session: pid "))
    assert "0 requests, 0 in progress, 0 calls to judges" in line
    (session,) = _status(here, **env)["sessions"]
    assert session["cwd"] == str(here)
    assert run("markscheme", "session", "stop", cwd=here, env=env).returncode == 0


def test_the_page_of_status_has_the_history_of_the_accepted_runs(here: Path) -> None:
    _accept(here)
    rubric = here / "rubrics" / "clear.yaml"
    history = here / "calibration" / "clear" / "accepted_runs.jsonl"
    earlier = {**json.loads(history.read_text()), "date": "2026-01-02", "ratings": "other", "judge": "an older judge"}
    history.write_text(json.dumps(earlier) + "\n" + history.read_text())
    assert rubric.is_file()
    assert [run["judge"] for run in _clear(here)["history"]] == ["an older judge", setting.JUDGE]
    done = run("markscheme", "status", "--html", "status.html", cwd=here, env=setting.environment(here))
    assert done.returncode == 0, done.stderr
    page = (here / "status.html").read_text()
    assert page.count('<svg class="plot"') == 1
    assert f"judge: {setting.JUDGE}" in page
    assert "2026-01-02: agreement" in page


def test_status_lists_running_work_that_a_registered_feature_reports(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(here)
    before = features()
    offer(lambda: [*before, Feature("runs", UNDER_WAY(lambda: (["run 1: half done"], {"runs": [{"id": 1}]})))])
    try:
        assert main(["status"]) == 0
        assert "run 1: half done\n" in capsys.readouterr().out
        assert main(["status", "--json"]) == 0
    finally:
        offer(lambda: before)
    assert json.loads(capsys.readouterr().out)["runs"] == [{"id": 1}]


def test_status_shows_the_streams_of_a_registered_feature_on_the_terminal_and_in_json_and_on_its_page(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def watched(start: Path) -> Iterator[WatchedStream]:
        picture = Section("Passes of clear", (Paragraph(("52% in the last week",)),))
        yield WatchedStream(f"stream clear: in {start.name}", {"stream": "main"}, lambda: picture)
        yield WatchedStream("judge of clear: unmoved", {"looks": 3}, lambda: picture, "looks")

    monkeypatch.chdir(here)
    before = features()
    offer(lambda: [*before, Feature("watching", STREAMS(watched))])
    try:
        assert main(["status", "--html", "status.html"]) == 0
        assert "stream clear: in here\njudge of clear: unmoved\n" in capsys.readouterr().out
        assert main(["status", "--json"]) == 0
    finally:
        offer(lambda: before)
    report = json.loads(capsys.readouterr().out)
    assert (report["streams"], report["looks"]) == ([{"stream": "main"}], [{"looks": 3}])
    page = (here / "status.html").read_text()
    assert page.count("52% in the last week") == 2
    assert "stream clear: in here" in page


def test_status_calls_an_accepted_run_stale_if_a_registered_feature_reports_that_its_judge_has_changed(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def watched(start: Path) -> Iterator[WatchedStream]:
        assert start == here
        seen = {"rubric": "clear", "moved": True}
        yield WatchedStream("judge of clear: moved", seen, lambda: Section("Judge of clear", ()), "looks")

    _accept(here)
    monkeypatch.chdir(here)
    before = features()
    offer(lambda: [*before, Feature("watching", STREAMS(watched))])
    try:
        assert main(["status"]) == 0
        shown = " ".join(capsys.readouterr().out.split())
        assert main(["status", "--json"]) == 0
    finally:
        offer(lambda: before)
    assert "No judge here may decide or show trends: what was accepted is stale." in shown
    assert "clear is stale: the judge moved since, on the accepted examples" in shown
    assert "Next: markscheme calibrate clear -o cache=off" in shown.replace(f" --judge {setting.JUDGE}", "")
    entry = next(rubric for rubric in json.loads(capsys.readouterr().out)["rubrics"] if rubric["name"] == "clear")
    assert (entry["stale"], entry["fresh_until"]) == (["the judge moved since, on the accepted examples"], None)


def test_status_says_which_rubric_file_a_name_means_if_several_files_have_that_name(tmp_path: Path) -> None:
    rubrics = tmp_path / "rubrics"
    rubrics.mkdir()
    text = "name: tone\ncriteria: [{name: kind, requirement: It is kind.}]\n"
    for name in ("tone.yaml", "other.yaml"):
        (rubrics / name).write_text(text)
    (rubrics / "tone.json").write_text('{"criteria": [{"requirement": "It is short."}]}')
    shown = " ".join(run("markscheme", "status", cwd=tmp_path).stdout.split())
    assert "tone (rubrics/other.yaml) no accepted run" in shown
    assert "tone (rubrics/tone.yaml) no accepted run" in shown
    assert (
        "2 rubric files have the name tone: rubrics/other.yaml and rubrics/tone.yaml. In commands, `tone` is "
        "rubrics/tone.yaml; all share the labels in calibration/tone. Give each a name of its own."
    ) in shown
    assert "rubrics/tone.json isn't read: in commands, `tone` is rubrics/tone.yaml." in shown
    assert find_rubric("tone", tmp_path) == rubrics / "tone.yaml" == known_rubrics(tmp_path)["tone"]


def test_status_reads_an_accepted_run_whose_annotators_split_on_every_level_but_decided_whole_responses(
    tmp_path: Path,
) -> None:
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "short.yaml").write_text("criteria: [{name: short, requirement: It is short}]")
    folder = tmp_path / "calibration" / "short"
    folder.mkdir(parents=True)
    labels = [
        {"rater": "ann", "kind": "human", "criteria": {"short": "MET"}, "pass": True},
        {"rater": "ben", "kind": "human", "criteria": {"short": "UNMET"}},
    ]
    examples = [{"id": f"e{number}", "response": f"reply {number}", "labels": labels} for number in range(6)]
    (folder / "examples.jsonl").write_text("\n".join(map(json.dumps, examples)))
    rated = [{"id": f"e{number}", "rater": "gpt", "kind": "model", "criteria": {"short": "MET"}} for number in range(6)]
    (tmp_path / "gpt.jsonl").write_text("\n".join(map(json.dumps, rated)))
    accept = ("calibrate", "short", "--ratings", "gpt.jsonl", "--accept", "--force", "--quiet")
    assert run(*accept, cwd=tmp_path).returncode == 4
    shown = run("markscheme", "status", cwd=tmp_path).stdout
    assert "cannot be read" not in shown
    assert run("markscheme", "status", "--html", "status.html", cwd=tmp_path).returncode == 0
    assert run(*accept, cwd=tmp_path).returncode == 4
