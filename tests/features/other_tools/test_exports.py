"""Exports of other tools: the same ratings give the same figures from each, and nothing in them is lost unseen."""

import copy
import csv
import json
import sqlite3
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from markscheme.errors import RatingError, UsageError
from markscheme.features.other_tools import archive_members
from markscheme.prompts.steps import AgentStep, trajectories
from markscheme.ratings.rating import RatingReader
from markscheme.readers.imported import Columns
from markscheme.readers.rated import RatedFile, open_rated
from markscheme.readers.submissions import holds_several, read_submissions
from markscheme.rubrics.inputs import STEPPED
from markscheme.rubrics.rubric import Criterion, Rubric
from tests.readers import exports
from tests.readers.exports import SAMPLES, Sample, written

SHARED = Path(__file__).parents[4] / "shared" / "data" / "exports"
OF_PLACE = Rubric((Criterion(1.0, "It says where the parcel is.", "place"),))
AS_IT_IS = Columns()
OTHER_TOOLS = Path(__file__).parents[3] / "docs" / "howto" / "other-tools.md"
TITLES = {"mlflow": "MLflow", "langsmith": "LangSmith", "label-studio": "Label Studio", "deepeval": "DeepEval"}


def read(paths: list[Path], columns: Columns = AS_IT_IS, rubric: Rubric | None = None, **words: str) -> RatedFile:
    content = open_rated(
        paths, rubric, expected="anything", columns=replace(columns, words=words), joined=True
    ).as_one_file
    reader = RatingReader(content.rubric)
    for rating in content.ratings:  # what is written can be read
        line = json.loads(json.dumps(rating.to_json(), allow_nan=False))
        assert reader.rating(line).to_json() == line
    return content


def levels(content: RatedFile, rater: str, name: str = "place") -> dict[str, float | None]:
    return {r.id: r.criteria[name].level for r in content.ratings if r.rater == rater and name in r.criteria}


def kinds(content: RatedFile) -> dict[str, str]:
    return {rating.rater: rating.kind for rating in content.ratings}


def agreed(content: RatedFile, judge: str, person: str) -> tuple[int, int]:
    """Return on how many responses judge and annotator agree, and how many both rated."""
    first, second = levels(content, judge), levels(content, person)
    both = [unit for unit in first if first[unit] is not None and second.get(unit) is not None]
    return sum(first[unit] == second[unit] for unit in both), len(both)


# --- a small export of each tool --------------------------------------------------------------------------------------


@pytest.mark.parametrize("tool", SAMPLES)
def test_the_same_ratings_give_the_same_figures_from_every_tool_s_export(tool: str, tmp_path: Path) -> None:
    sample = SAMPLES[tool]
    content = read(written(tmp_path, sample.files()), sample.columns)
    judge = next(name for name, kind in kinds(content).items() if kind == "model")
    expected = {"ann": (4, 6), "ben": (3, 6)}
    assert {person: agreed(content, judge, person) for person in sample.people} == {
        person: expected[person] for person in sample.people
    }
    assert {name for name, kind in kinds(content).items() if kind == "human"} == set(sample.people)
    assert judge == "judge-1"
    assert [criterion.name for criterion in content.rubric.criteria] == ["place"]
    assert {e.submission.response for e in content.examples} == {exports.reply(unit) for unit in exports.UNITS}
    assert {e.submission.inputs["query"] for e in content.examples} == {exports.ASKED}
    assert content.lost == {}
    figures = [f"{same} of {both}" for same, both in (agreed(content, judge, person) for person in sample.people)]
    row = " | ".join([TITLES.get(tool, tool.title()), *[*figures, "–"][:2]])
    assert f"\n| {row} | " in OTHER_TOOLS.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("tool", "name"),
    [
        ("mlflow", "traces.json"),
        ("inspect", "log.json"),
        ("phoenix", "spans.json"),
        ("langfuse", "traces.json"),
        ("langsmith", "runs.json"),
    ],
)
def test_unrated_responses_in_a_tool_s_export_can_be_graded(tool: str, name: str, tmp_path: Path) -> None:
    files = SAMPLES[tool].files()
    for trace in files[name]["traces"] if tool == "mlflow" else ():
        trace["info"]["assessments"] = []
    for sample in files[name]["samples"] if tool == "inspect" else ():
        sample["scores"] = {}
    (path,) = written(tmp_path, {name: files[name]})
    assert holds_several(path)
    submissions = list(read_submissions(path, {}, ()))
    assert [submission.response for submission in submissions] == [exports.reply(unit) for unit in exports.UNITS]
    assert {submission.inputs["query"] for submission in submissions} == {exports.ASKED}
    with pytest.raises(UsageError, match="`--map` is for columns of tables"):
        next(read_submissions(path, {"answer": "response"}, ()))


def test_texts_that_an_inspect_log_stores_separately_are_put_into_its_messages(tmp_path: Path) -> None:
    files = SAMPLES["inspect"].files()
    sample = files["log.json"]["samples"][0]
    sample["messages"][2]["content"], sample["attachments"] = "attachment://1", {"1": "In Hull"}
    example = read(written(tmp_path, files)).examples[0]
    assert trajectories(example.submission.inputs, STEPPED)["messages"].steps[2].text == "In Hull"


@pytest.mark.parametrize("tool", ["mlflow", "inspect"])
@pytest.mark.parametrize("declared", [None, ("query", "trace"), ("query", "messages", "trace")])
def test_an_agent_s_actions_in_an_export_are_read_as_steps(
    tool: str, declared: tuple[str, ...] | None, tmp_path: Path
) -> None:
    rubric = Rubric(OF_PLACE.criteria, inputs=declared) if declared else None
    example = read(written(tmp_path, SAMPLES[tool].files()), rubric=rubric).examples[0]
    name = "messages" if tool == "inspect" and (not declared or "messages" in declared) else "trace"
    steps = trajectories(example.submission.inputs, STEPPED)
    assert list(steps) == [name]
    call = AgentStep("tool call", "track", exports.TRACKED)
    assert steps[name].steps[1:3] == (call, AgentStep("tool result", "track", "In Leeds"))
    assert steps[name].steps[3].text == exports.reply("p1")


@pytest.mark.parametrize("store", [exports.mlflow_store, exports.phoenix_store])
def test_a_tool_s_sqlite_store_is_read_like_its_export_and_not_written_to(store: Any, tmp_path: Path) -> None:
    path = store(tmp_path / "store.db")
    before = path.read_bytes()
    path.chmod(0o400)
    content = read([path])
    assert (agreed(content, "judge-1", "ann"), agreed(content, "judge-1", "ben")) == ((4, 6), (3, 6))
    assert {e.submission.response for e in content.examples} == {exports.reply(unit) for unit in exports.UNITS}
    assert path.read_bytes() == before
    assert [other.name for other in tmp_path.iterdir()] == ["store.db"]


def test_an_archive_of_inspect_is_read_like_its_json_log(tmp_path: Path) -> None:
    log = exports.inspect()["log.json"]
    content = read([exports.eval_archive(tmp_path / "log.eval", log)], SAMPLES["inspect"].columns)
    plain = read(written(tmp_path, exports.inspect()), SAMPLES["inspect"].columns)
    assert [r.to_json() for r in content.ratings] == [r.to_json() for r in plain.ratings]


@pytest.mark.parametrize("tool", ["langfuse", "phoenix"])
def test_a_tool_s_csv_export_is_read_like_its_json_export(tool: str, tmp_path: Path) -> None:
    paths = []
    for name, rows in SAMPLES[tool].files().items():
        flat = [_flat(row) for row in rows]
        paths.append(tmp_path / f"{Path(name).stem}.csv")
        with paths[-1].open("w", encoding="utf-8", newline="") as file:
            table = csv.DictWriter(file, list(flat[0]))
            table.writeheader()
            table.writerows(flat)
    content = read(paths)
    assert (agreed(content, "judge-1", "ann"), agreed(content, "judge-1", "ben")) == ((4, 6), (3, 6))
    assert {e.submission.inputs["query"] for e in content.examples} == {exports.ASKED}


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """Flatten a row as tools' tables do: Phoenix joins names by dots, Langfuse writes JSON into cells."""
    if "traceId" in row or "metadata" in row:
        return {key: json.dumps(value) if isinstance(value, dict | list) else value for key, value in row.items()}
    content: dict[str, Any] = {}
    for key, value in row.items():
        content |= {f"{key}.{inner}": v for inner, v in value.items()} if isinstance(value, dict) else {key: value}
    return content


def test_annotators_ratings_and_comments_are_read_from_the_columns_of_a_label_studio_table(tmp_path: Path) -> None:
    rows = [
        {"id": at + 1, "question": exports.ASKED, "reply": exports.reply(unit), "place": "pass" if level else "fail",
         "tone": [{"rating": 4}], "why": "it names a town" if level else None, "annotator": rater,
         "annotation_id": f"{at}{rater}", "created_at": "2026-11-01T09:02:00Z", "lead_time": 12.5}
        for at, unit in enumerate(exports.UNITS)
        for rater, level in (("ann", exports.ANN[at]), ("ben", exports.BEN[at]))
    ]  # fmt: skip
    content = read(written(tmp_path, {"min.json": rows}))
    assert levels(content, "ben") == {str(at + 1): float(level) for at, level in enumerate(exports.BEN)}
    assert set(levels(content, "ann", "tone").values()) == {4.0}
    assert "columns read as ratings: tone, place; as comments: why" in content.notes
    assert content.ratings[0].note == "it names a town"


# --- what else an export says -----------------------------------------------------------------------------------------


def test_comments_and_times_and_corrections_in_a_langsmith_export_are_kept(tmp_path: Path) -> None:
    files = exports.langsmith()
    files["feedback.json"][1]["correction"] = {"place": "Leeds"}
    content = read(written(tmp_path, files))
    ann = next(rating for rating in content.ratings if rating.rater == "ann")
    assert (ann.criteria["place"].reason, ann.at) == ("ann on p1", "2026-11-01T09:00:00Z")
    assert ann.note == "place corrected to {'place': 'Leeds'}"


def test_in_an_export_a_response_that_a_judge_failed_to_rate_is_ungraded_and_never_a_fail(tmp_path: Path) -> None:
    files = exports.deepeval()
    failed = files["test_run.json"]["testCases"][0]["metricsData"][0]
    failed |= {"score": None, "error": "RateLimit: too many requests", "success": False}
    rated = read(written(tmp_path, files), SAMPLES["deepeval"].columns).ratings
    judged = next(rating for rating in rated if rating.rater == "judge-1" and rating.id == "p1").criteria["place"]
    assert (judged.level, judged.declined, judged.reason) == (None, "unread", "RateLimit: too many requests")


def test_in_an_export_a_judge_s_nan_is_read_as_ungraded_and_the_words_not_applicable_as_not_applicable(
    tmp_path: Path,
) -> None:
    files = exports.inspect()
    samples = files["log.json"]["samples"]
    samples[0]["scores"]["judge-1"] = {"value": float("nan"), "reason": "grader_failed", "history": []}
    samples[1]["scores"]["judge-1"]["value"] = "not applicable"
    content = read(written(tmp_path, files), SAMPLES["inspect"].columns)
    judged = {r.id: r.criteria["place"] for r in content.ratings if r.rater == "judge-1"}
    assert (judged["p1"].declined, judged["p1"].reason) == ("unread", "grader_failed")
    assert judged["p2"].declined == "not applicable"


def test_a_response_that_is_nan_in_an_export_counts_as_missing(tmp_path: Path) -> None:
    files = exports.inspect()
    first, second, *_ = files["log.json"]["samples"]
    first["messages"][1]["tool_calls"][0]["arguments"] = {"weight": float("nan")}
    second["output"]["choices"][0]["message"]["content"] = float("nan")
    content = read(written(tmp_path, files), SAMPLES["inspect"].columns)
    (example,) = (example for example in content.examples if example.id == "p1")
    call = trajectories(example.submission.inputs, STEPPED)["messages"].steps[1]
    assert (call.title, call.text) == ("track", '{"weight": NaN}')
    assert content.lost == {"records without a response": 1}


def test_a_sample_with_the_id_0_in_an_inspect_log_is_imported_under_that_id(tmp_path: Path) -> None:
    files = exports.inspect()
    files["log.json"]["samples"][0]["id"] = 0
    content = read(written(tmp_path, files), SAMPLES["inspect"].columns)
    assert {example.id for example in content.examples} == {"0", "p2", "p3", "p4", "p5", "p6"}
    assert content.lost == {}


def test_a_label_studio_task_whose_id_is_the_number_0_keeps_its_id(tmp_path: Path) -> None:
    files = exports.label_studio()
    (tasks,) = files.values()
    tasks[0]["data"]["id"] = 0
    content = read(written(tmp_path, files))
    assert {example.id for example in content.examples} == {"0", "p2", "p3", "p4", "p5", "p6"}
    assert content.lost == {}


def test_an_export_s_field_that_is_not_read_is_counted_as_lost_with_the_kind_of_its_record(
    tmp_path: Path,
) -> None:
    files = exports.mlflow()
    files["traces.json"]["traces"][0]["info"]["assessments"][0]["mood"] = "sunny"
    assert read(written(tmp_path, files)).lost == {"'mood' of an assessment": 1}


def test_a_score_that_a_person_edited_in_inspect_gives_a_rating_by_the_judge_and_one_by_the_person(
    tmp_path: Path,
) -> None:
    files = exports.inspect()
    score = files["log.json"]["samples"][5]["scores"]["judge-1"]
    edit = {"value": "C", "explanation": "UNCHANGED", "provenance": {"author": "eve", "reason": "judge wrong"}}
    score |= {"value": "C", "history": [{"value": "I", "explanation": "as it is"}, edit]}
    content = read(written(tmp_path, files), SAMPLES["inspect"].columns)
    eve = next(rating for rating in content.ratings if rating.rater == "eve")
    assert levels(content, "judge-1")["p6"] == 0.0
    assert (eve.criteria["place"].level, eve.kind, eve.blind) == (1.0, "human", False)
    assert eve.criteria["place"].reason == "as it is judge wrong"


def test_a_judge_s_assessment_that_a_person_overrode_stays_the_judge_s_rating(tmp_path: Path) -> None:
    files = exports.mlflow()
    given_ = files["traces.json"]["traces"][3]["info"]["assessments"]
    given_[0]["valid"] = False
    given_[1]["overrides"] = given_[0]["assessment_id"]
    given_[2]["valid"] = False
    given_.append({**given_[2], "assessment_id": "new", "valid": True, "overrides": given_[2]["assessment_id"],
                   "feedback": {"value": True}})  # fmt: skip
    content = read(written(tmp_path, files))
    assert (levels(content, "judge-1")["p4"], levels(content, "ben")["p4"]) == (0.0, 1.0)
    assert {r.rater: r.blind for r in content.ratings if r.id == "p4"} == {"judge-1": True, "ann": False, "ben": True}
    assert content.lost == {"assessments that their rater replaced": 1}


def test_in_an_export_a_judge_s_repeated_rating_is_a_further_sample_and_an_annotator_s_replaces_the_first(
    tmp_path: Path,
) -> None:
    files = exports.langfuse()
    judge, ann = files["scores.json"][0], files["scores.json"][1]
    files["scores.json"] += [{**judge, "value": 0}, {**ann, "value": 0, "timestamp": "2026-11-02T09:00:00.000Z"}]
    content = read(written(tmp_path, files))
    assert [r.sample for r in content.ratings if r.rater == "judge-1" and r.id == "p1"] == [0, 1]
    assert levels(content, "ann")["p1"] == 0.0
    assert content.lost == {"ratings that the same annotator replaced by a later one": 1}
    assert any("if it is several judges under one name" in note for note in content.notes)


def test_ratings_in_words_of_unknown_order_count_as_lost_and_a_note_names_the_levels_option(
    tmp_path: Path,
) -> None:
    files = exports.label_studio()
    for task in files["export.json"]:
        task["annotations"][0]["result"][0] |= {"from_name": "mood", "value": {"choices": ["warm"]}}
    content = read(written(tmp_path, files))
    assert content.lost == {"ratings of 'mood', which isn't a criterion of place": 6}
    assert "'mood' has no levels ('warm'); --levels WORD=LEVEL gives words theirs" in content.notes
    assert set(levels(read(written(tmp_path, files), warm="3"), "ann", "mood").values()) == {3.0}


def test_an_export_s_metric_decides_if_a_response_passes_only_if_the_user_maps_the_metric_to_pass(
    tmp_path: Path,
) -> None:
    files = exports.langfuse()
    for score in files["scores.json"]:
        score |= {"name": "Place" if score["source"] == "EVAL" else "verdict"}
    paths = written(tmp_path, files)
    content = read(paths, Columns({"verdict": "pass"}), OF_PLACE)
    assert levels(content, "judge-1")["p4"] == 0.0
    assert [r.passed for r in content.ratings if r.rater == "ben"] == [bool(level) for level in exports.BEN]
    assert read(paths, rubric=OF_PLACE).lost == {"ratings of 'verdict', which isn't a criterion of place": 12}


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tool", "name", "says"),
    [
        ("langfuse", "traces.json", "mixes the scores of annotators and judges without names (place)"),
        ("langsmith", "runs.json", "averages the scores of annotators and judges in `feedback_stats` (place)"),
    ],
)
def test_a_metric_that_mixes_scores_of_people_and_of_judges_is_refused_and_the_error_names_the_metric(
    tool: str, name: str, says: str, tmp_path: Path
) -> None:
    written(tmp_path, SAMPLES[tool].files())
    with pytest.raises(RatingError) as refused:
        read([tmp_path / name])
    assert says in str(refused.value)


def test_an_export_that_does_not_say_who_rated_is_refused_without_the_kind_option(tmp_path: Path) -> None:
    files = exports.langsmith()
    for annotation in files["feedback.json"]:
        annotation["feedback_source"]["type"] = "api"
    paths = written(tmp_path, files)
    with pytest.raises(RatingError, match=r"6 of 'place' by judge-1; 6 of 'place' by ann; .*Pass `--kind human`"):
        read(paths)
    content = read(paths, Columns(kind="human", judges=frozenset(["judge-1"])))
    assert kinds(content) == {
        "judge-1": "model", "ann": "human", "ben": "human",
    }  # fmt: skip


def test_an_export_with_responses_and_no_ratings_is_read_without_a_message_about_missing_responses(
    tmp_path: Path,
) -> None:
    files = exports.phoenix()
    content = read(written(tmp_path, {"spans.json": files["spans.json"]}), rubric=OF_PLACE)
    assert content.examples
    assert not any("no responses" in note for note in content.notes)


def test_ids_that_occur_only_in_ratings_or_only_in_responses_are_counted_and_three_of_each_are_shown(
    tmp_path: Path,
) -> None:
    files = exports.phoenix()
    files["spans.json"][0]["context"]["span_id"] = "elsewhere"
    content = read(written(tmp_path, files))
    assert content.notes[:2] == ("1 rated ids without a response: p1", "1 responses without a rating: elsewhere")
    for at, span in enumerate(files["spans.json"]):
        span["context"]["span_id"] = f"other-{at}"
    with pytest.raises(RatingError) as refused:
        read(written(tmp_path, files))
    assert "6 rated ids without a response: p1, p2, p3, …" in str(refused.value)
    assert "6 responses without a rating: other-0, other-1, other-2, …" in str(refused.value)


def test_an_export_of_an_unknown_version_is_refused_with_the_expected_versions(tmp_path: Path) -> None:
    log = exports.inspect()["log.json"] | {"version": 3}
    for path in (*written(tmp_path, {"log.json": log}), exports.eval_archive(tmp_path / "log.eval", log)):
        with pytest.raises(RatingError, match="expected version 1 or 2 of Inspect's log, got 3"):
            read([path])
    store = exports.mlflow_store(tmp_path / "mlflow.db")
    with sqlite3.connect(store) as database:
        database.execute("ALTER TABLE assessments RENAME COLUMN source_type TO origin")
    database.close()
    with pytest.raises(RatingError, match=r"expected source_type in the table 'assessments', got .*origin"):
        read([store])
    cases = exports.deepeval()
    for case in cases["test_run.json"]["testCases"]:
        case["metricsMetadata"] = case.pop("metricsData")
    with pytest.raises(RatingError, match="expected `metricsData` in a test case"):
        read(written(tmp_path, cases))


def test_a_damaged_sqlite_store_or_archive_is_refused(tmp_path: Path) -> None:
    store = exports.phoenix_store(tmp_path / "phoenix.db")
    store.write_bytes(store.read_bytes()[:100] + b"\xff" * 4000)
    log = exports.eval_archive(tmp_path / "log.eval", exports.inspect()["log.json"])
    raw = log.read_bytes()
    at = raw.index(b"PK\x01\x02")
    log.write_bytes(raw[:at] + b"PK\x09\x09" + raw[at + 4 :])
    for path in (store, log):
        with pytest.raises(RatingError, match="cannot be"):
            read([path])


def test_scales_that_an_mlflow_store_declares_are_used(tmp_path: Path) -> None:
    store = exports.mlflow_store(tmp_path / "mlflow.db")
    with sqlite3.connect(store) as database:
        database.execute("UPDATE assessments SET value = '3' WHERE value = 'true'")
        database.execute("UPDATE assessments SET value = '2' WHERE value = 'false'")
        database.execute("CREATE TABLE label_schemas (name, input_config)")
        ends = [("place", '{"min_value": 1, "max_value": 5}'), ("other", '{"min_value": null, "max_value": null}')]
        database.executemany("INSERT INTO label_schemas VALUES (?, ?)", ends)
    database.close()
    content = read([store])
    assert content.rubric.criteria[0].scale.choices == ("1", "2", "3", "4", "5")
    assert agreed(content, "judge-1", "ann") == (4, 6)


def test_files_of_two_tools_are_not_read_as_one_export(tmp_path: Path) -> None:
    paths = written(tmp_path, exports.deepeval()) + written(tmp_path, exports.phoenix())
    with pytest.raises(RatingError, match=r"annotations.json: is annotations and spans of Phoenix; test_run.json is a"):
        read(paths)


def test_an_inspect_archive_that_unpacks_to_too_much_data_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = exports.inspect()["log.json"]
    log["samples"][0]["store"] = {"filler": " " * 2_000_000}
    path = exports.eval_archive(tmp_path / "log.eval", log)
    monkeypatch.setattr(archive_members, "MOST_OF_MEMBER", 1_000_000)
    with pytest.raises(RatingError, match=r"unpacks to 2,\d{3},\d{3} bytes, .* at most .* 1,000,000 are read"):
        read([path])


def test_an_archive_s_zstandard_member_never_unpacks_beyond_its_stated_size(tmp_path: Path) -> None:
    zstandard = pytest.importorskip("zstandard", reason="runs where zstandard is installed")
    data = json.dumps({"version": 2, "eval": {}, "plan": {}}).encode()
    for stated, is_whole in ((len(data), True), (len(data) - 5, False), (len(data) + 5, False)):
        path = tmp_path / f"{stated}.eval"
        with zipfile.ZipFile(path, "w") as made:
            made.writestr("header.json", zstandard.ZstdCompressor().compress(data))
            made.infolist()[0].compress_type, made.infolist()[0].file_size = archive_members.ZSTANDARD, stated
        if is_whole:
            assert list(archive_members.members(path, ["header.json"])) == [("header.json", data)]
        else:
            with pytest.raises(RatingError, match="isn't of the size that the archive states"):
                list(archive_members.members(path, ["header.json"]))


# --- nothing is lost unseen -------------------------------------------------------------------------------------------


def _places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every field in a file's data."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in entries:
        if isinstance(value, dict):
            yield (*at, key)
        yield from _places(inner, (*at, key))


@given(
    tool=st.sampled_from(sorted(SAMPLES)),
    change=st.sampled_from(["remove", "replace", "rename", "nest"]),
    data=st.data(),
)
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.proof
def test_every_field_of_a_mutated_export_is_either_read_or_listed_as_lost_or_refused(
    tool: str, change: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    sample: Sample = SAMPLES[tool]
    files = copy.deepcopy(sample.files())
    place = data.draw(st.sampled_from(sorted(_places(files), key=str)[len(files) :] or [()]), "place")
    if len(place) < 2:  # a file's name
        return
    parent: Any = files
    for key in place[:-1]:
        parent = parent[key]
    value = parent.pop(place[-1])
    if change == "rename":
        parent[f"{place[-1]}_new"] = value
    elif change == "nest":
        parent[place[-1]] = {"inner": value}
    elif change == "replace":
        parent[place[-1]] = data.draw(st.sampled_from([7, "seven", True, [7], [["seven"]], {}]), "instead")
    folder = tmp_path_factory.mktemp("changed")
    whole = read(written(folder, sample.files()), sample.columns)
    try:
        content = read(written(folder, files), sample.columns)
    except RatingError:
        return
    except UsageError as refused:
        if refused.code is None:
            raise
        return
    output = json.dumps(_in_json(content), ensure_ascii=False).replace("\\", "")  # JSON within JSON
    is_listed = bool(content.lost) or content.notes != whole.notes
    said_something = [leaf for leaf in _leaves(value) if leaf is not None]
    is_read = _in_json(content) == _in_json(whole) or all(
        isinstance(leaf, str) and leaf in output for leaf in said_something
    )
    assert is_listed or is_read or change in ("remove", "replace")
    assert is_listed or change in ("remove", "replace") or _rated(content) >= _rated(whole)


def _in_json(content: RatedFile) -> list[Any]:
    return [rating.to_json() for rating in content.ratings] + [example.to_json() for example in content.examples]


def _leaves(value: Any) -> Iterator[Any]:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    if inner is None:
        yield value
    for one in inner or ():
        yield from _leaves(one)


def _rated(content: RatedFile) -> int:
    return sum(len(rating.criteria) for rating in content.ratings)


# --- the samples that the tools' own libraries wrote ------------------------------------------------------------------

OF_SHARED = {
    "mlflow-store": (["mlflow/slim.db"], Columns(), "judge-1", {"ann": (4, 6), "ben": (4, 6)}),
    "mlflow-cli": (["mlflow/cli.json"], Columns(), "judge-1", {"ann": (4, 6), "ben": (4, 6)}),
    "mlflow-traces": (["mlflow/traces.json"], Columns(), "judge-1", {"ann": (4, 6), "ben": (4, 6)}),
    "langfuse-json": (
        ["langfuse/scores.json", "langfuse/traces.json"], Columns({"verdict": "place"}), "judge",
        {"ann": (4, 6), "ben": (3, 6)},
    ),
    "langfuse-csv": (
        ["langfuse/scores.csv", "langfuse/traces.csv"], Columns({"verdict": "place"}), "judge",
        {"ann": (4, 6), "ben": (3, 6)},
    ),
    "langfuse-api": (
        ["langfuse/api_v3_scores.json"], Columns({"verdict": "place"}), "judge",
        {"user-ann": (4, 6), "user-ben": (3, 6)},
    ),
    "label-studio": (
        ["labelstudio/export.json"], Columns(), "judge-1", {"ann@example.org": (4, 6), "ben@example.org": (2, 5)}
    ),
    "inspect-eval": (["inspect/parcels.eval"], Columns({"human": "place"}), "quality", {"ann": (4, 6), "ben": (0, 1)}),
    "inspect-json": (["inspect/parcels.json"], Columns({"human": "place"}), "quality", {"ann": (4, 6), "ben": (0, 1)}),
    "langsmith": (
        ["langsmith/feedback.json", "langsmith/runs.json"], Columns({"verdict": "place"}), "judge",
        {"ann": (4, 6), "ben": (3, 6)},
    ),
    "phoenix-store": (["phoenix/slim.db"], Columns(), "judge-1", {"ann": (4, 6), "ben": (3, 6)}),
    "phoenix-json": (
        ["phoenix/span_annotations.json", "phoenix/spans.json"], Columns(), "judge-1", {"ann": (4, 6), "ben": (3, 6)}
    ),
    "phoenix-csv": (
        ["phoenix/span_annotations.csv", "phoenix/spans.csv"], Columns(), "judge-1", {"ann": (4, 6), "ben": (3, 6)}
    ),
    "deepeval": (
        ["deepeval/runs/test_run.json"],
        Columns({"metadata.human": "place", "metadata.rater": "rater"}, kind="human"), "judge-1", {"ann": (4, 6)},
    ),
}  # fmt: skip


@pytest.mark.skipif(not SHARED.is_dir(), reason=f"runs where {SHARED} is there")
@pytest.mark.parametrize("sample", OF_SHARED)
def test_exports_written_by_the_tools_themselves_give_the_expected_agreement_of_judge_and_annotators(
    sample: str,
) -> None:
    names, columns, judge, expected = OF_SHARED[sample]
    content = read([SHARED / name for name in names], columns)
    assert {person: agreed(content, judge, person) for person in expected} == expected
    assert "place" in {criterion.name for criterion in content.rubric.criteria}
    assert len(content.examples) == (0 if sample == "langfuse-api" else 6)
