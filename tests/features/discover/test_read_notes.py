"""Notes from elsewhere: tables and lines of our own, and what people wrote in other tools."""

import json
from pathlib import Path
from typing import Any

import pytest

from markscheme.errors import RatingError
from markscheme.features.discover.modes import Codebook
from markscheme.features.discover.read_notes import NotedPassage, NotesIn, read_notes, taken_in
from markscheme.features.discover.reading import reading_of
from markscheme.readers.rated import open_rated
from tests.features.discover.written_notes import WRITTEN_NOTES
from tests.readers import exports

WRITTEN = Path(__file__).parent / "written"
"""Files that the tools' own packages wrote; its README says which and how."""
SHARED = Path(__file__).parents[4] / "shared" / "data" / "exports"


def written(folder: Path, files: dict[str, Any]) -> list[Path]:
    paths = []
    for name, data in files.items():
        path = folder / name
        text = "".join(json.dumps(row) + "\n" for row in data) if name.endswith(".jsonl") else json.dumps(data)
        path.write_text(data if isinstance(data, str) else text)
        paths.append(path)
    return paths


def notes(content: NotesIn) -> dict[tuple[str, str], list[str]]:
    """By reader and output, the words of the notes."""
    return {key: [passage.text for passage in passages] for key, passages in content.passages.items()}


def test_notes_imported_from_a_table_keep_their_passages_and_failure_modes(
    tmp_path: Path,
) -> None:
    text = (
        "id,note,quote,mode,definition,severity,rater,kind,pass\n"
        'o1,wrong price,only 49,wrong-price,"It states a wrong price.",3,ann,human,no\n'
        "o2,,,,,,ann,human,yes\n"
        "o1,and rude,,,,,ann,human,\n"
    )
    content = read_notes(written(tmp_path, {"notes.csv": text}))
    assert notes(content) == {("ann", "o1"): ["wrong price", "and rude"], ("ann", "o2"): []}
    assert content.readings["ann", "o1"].passed is False
    mode = content.modes["wrong-price"]
    assert (mode.definition, mode.severity, mode.kind) == ("It states a wrong price.", 3, "human")
    assert content.passages["ann", "o1"][0].quote == "only 49"


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({"id": "o1", "note": "x", "kind": "human"}, "--rater"),
        ({"id": "o1", "note": "x", "rater": "ann"}, "--kind"),
        ({"note": "x", "rater": "ann", "kind": "human", "id": ""}, "`id` is missing"),
        ({"id": "o1", "note": "x", "rater": "ann", "kind": "human", "severity": "9", "mode": "m"}, "severity"),
        ({"id": "o1", "note": "x", "rater": "ann", "kind": "human", "read": "half"}, "in full"),
    ],
)
def test_a_row_of_notes_without_an_author_or_with_a_wrong_value_is_refused_by_file_and_line(
    tmp_path: Path, row: dict[str, str], says: str
) -> None:
    with pytest.raises(RatingError, match=says) as fault:
        read_notes(written(tmp_path, {"notes.jsonl": [row]}))
    assert "notes.jsonl:1" in str(fault.value)


FAULTY_NOTES = {
    "notes.csv": ('id,note,rater,kind\no1,"one\ntwo\nthree",ann,human\no2,late,,human\n', "notes.csv:5: "),
    "notes.jsonl": (
        '\n{"id": "o1", "note": "one", "rater": "ann", "kind": "human"}\n\n{"id": "o2", "note": "late"}\n',
        "notes.jsonl:4: ",
    ),
    "notes.json": (
        '[\n{"id": "o1", "note": "one", "rater": "ann", "kind": "human"},\n{"id": "o2",\n"note": "late"}]',
        "notes.json: row 2: ",
    ),
    "remarks.csv": ('id,Comment\no1,"one\ntwo"\no2,late\n', "remarks.csv: row 2: "),
}
"""Files whose second row can't be a note, by name, each with how the fault in that row is located."""


@pytest.mark.parametrize("name", FAULTY_NOTES)
def test_a_faulty_note_is_located_by_its_line_or_by_its_row_number_if_the_line_is_unknown(
    tmp_path: Path, name: str
) -> None:
    text, location = FAULTY_NOTES[name]
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(RatingError) as fault:
        read_notes([path])
    assert str(fault.value).splitlines()[-1].startswith(f"{tmp_path}/{location}")


def test_a_line_of_notes_in_markscheme_s_format_keeps_failure_modes_and_how_thoroughly_an_output_was_read(
    tmp_path: Path,
) -> None:
    line = {
        "id": "o1",
        "rater": "ann",
        "kind": "human",
        "read": "in full",
        "for": {"m": "f"},
        "notes": [{"n": 1, "text": "bad", "quote": "only", "modes": ["m"]}],
    }
    content = read_notes(written(tmp_path, {"ann.jsonl": [line]}))
    reading = content.readings["ann", "o1"]
    assert (reading.read, dict(reading.listed)["m"]) == ("in full", "f")
    assert notes(content)["ann", "o1"] == ["bad"]
    assert list(content.modes) == ["m"]


def test_an_imported_note_needs_no_number_and_keeps_the_failure_modes_that_it_names(tmp_path: Path) -> None:
    noted = [{"text": "bad", "modes": "wrong-price"}, {"text": "rude", "modes": ["tone", "length"]}, {"text": "odd"}]
    line = {"id": "o1", "rater": "ann", "kind": "human", "notes": noted}
    content = read_notes(written(tmp_path, {"ann.jsonl": [line, {**line, "id": "o2", "notes": None}]}))
    assert [passage.modes for passage in content.passages["ann", "o1"]] == [("wrong-price",), ("tone", "length"), ()]
    assert notes(content)["ann", "o2"] == []
    with pytest.raises(RatingError, match="`modes` of a note is a list of names"):
        read_notes(written(tmp_path, {"odd.jsonl": [{**line, "notes": [{"n": 1, "text": "bad", "modes": 1.5}]}]}))


def test_importing_comments_from_promptfoo_s_viewer_requires_the_name_of_their_writer(tmp_path: Path) -> None:
    grading = {"pass": True, "score": 1, "comment": "too long", "componentResults": []}
    row = {
        "testIdx": 0,
        "promptIdx": 0,
        "vars": {"q": "?"},
        "response": {"output": "Answer."},
        "gradingResult": grading,
    }
    results = {
        "results": {
            "results": [row, {**row, "testIdx": 1, "vars": {"q": "!"}, "gradingResult": {**grading, "comment": ""}}]
        }
    }
    paths = written(tmp_path, {"results.json": results})
    with pytest.raises(RatingError, match="--rater"):
        read_notes(paths)
    content = read_notes(paths, "ann")
    assert [text for texts in notes(content).values() for text in texts] == ["too long"]
    assert [example.submission.response for example in content.examples.values()] == ["Answer.", "Answer."]


def langfuse() -> dict[str, Any]:
    comment = {
        "id": "c1",
        "content": "quotes last year",
        "author_user_id": "u-ann",
        "created_at": "2026-11-01T10:00:00Z",
    }
    trace = {"id": "t1", "timestamp": "", "name": "answer", "input": "?", "output": "Only 49.", "metadata": {}}
    score = {
        "id": "s1",
        "traceId": "t1",
        "source": "ANNOTATION",
        "name": "open_coding",
        "dataType": "TEXT",
        "value": None,
    }
    return {
        "traces.json": [{**trace, "comments": [comment]}],
        "scores.json": [{**score, "stringValue": "wrong year", "authorUserName": "ben", "timestamp": "2026-11-02"}],
    }


def test_notes_are_imported_from_langfuse_s_comments_on_traces_and_from_its_text_scores(tmp_path: Path) -> None:
    content = read_notes(written(tmp_path, langfuse()))
    assert notes(content) == {("u-ann", "t1"): ["quotes last year"], ("ben", "t1"): ["wrong year"]}
    assert content.examples["t1"].submission.response == "Only 49."
    assert not content.lost


def test_notes_are_imported_from_langfuse_s_traces_without_any_other_file(tmp_path: Path) -> None:
    content = read_notes(written(tmp_path, {"traces.json": langfuse()["traces.json"]}))
    assert notes(content) == {("u-ann", "t1"): ["quotes last year"]}


def label_studio() -> list[dict[str, Any]]:
    region = {"start": 0, "end": 7, "text": "Only 49", "labels": ["wrong-price"]}
    result = [
        {"id": "r1", "type": "labels", "from_name": "mode", "to_name": "reply", "value": region},
        {"id": "r1", "type": "textarea", "from_name": "why", "to_name": "reply", "value": {"text": ["last year"]}},
        {"id": "r2", "type": "textarea", "from_name": "why", "to_name": "reply", "value": {"text": ["and rude"]}},
        {"id": "r3", "type": "labels", "from_name": "mode", "to_name": "reply", "value": {**region, "text": "49."}},
    ]
    annotation = {"id": 1, "completed_by": {"id": 1, "email": "ann@x"}, "result": result, "created_at": "2026-11-01"}
    return [{"id": 1, "data": {"id": "p1", "reply": "Only 49."}, "annotations": [annotation], "predictions": []}]


def test_notes_are_imported_from_label_studio_s_texts_and_labelled_regions(tmp_path: Path) -> None:
    content = read_notes(written(tmp_path, {"export.json": label_studio()}))
    passages = content.passages["ann@x", "p1"]
    assert [(p.text, p.quote, p.modes) for p in passages] == [
        ("last year", "Only 49", ("wrong-price",)),
        ("and rude", None, ()),
        ("", "49.", ("wrong-price",)),
    ]
    assert not content.lost


@pytest.mark.parametrize("tool", ["mlflow", "langsmith", "phoenix"])
def test_rationales_by_people_are_imported_as_notes_and_rationales_by_a_judge_only_as_suggestions(
    tmp_path: Path, tool: str
) -> None:
    paths = written(tmp_path, getattr(exports, tool)())
    by_people = read_notes(paths)
    assert {rater for rater, _ in by_people.readings} == {"ann", "ben"}
    assert any("reasons of a judge" in what for what in by_people.lost)
    with_models = read_notes(paths, "", "model")
    kinds = {reading.kind for (rater, _), reading in with_models.readings.items() if rater not in ("ann", "ben")}
    assert kinds == {"model"}


@pytest.mark.parametrize(
    ("files", "raters"),
    [
        (["langfuse/scores.json", "langfuse/traces.json"], {"ann", "ben"}),
        (["mlflow/traces.json"], {"ann", "ben"}),
        (["langsmith/feedback.json", "langsmith/runs.json"], {"ann", "ben"}),
        (["phoenix/span_annotations.json", "phoenix/spans.json"], {"ann", "ben"}),
        (["labelstudio/export.json"], {"ann@example.org", "ben@example.org"}),
    ],
)
def test_notes_are_read_from_the_files_of_other_tools_with_the_readers_names(
    files: list[str], raters: set[str]
) -> None:
    if not SHARED.is_dir():
        pytest.skip(f"runs where {SHARED} is there")
    content = read_notes([SHARED / file for file in files])
    assert {rater for rater, _ in content.readings} == raters
    assert content.examples


@pytest.mark.parametrize("tool", WRITTEN_NOTES)
def test_notes_are_imported_from_the_files_that_the_python_packages_of_other_tools_write(tool: str) -> None:
    expected = WRITTEN_NOTES[tool]
    content = expected.read(WRITTEN / tool)
    expected.check(content)
    assert set(content.lost) <= {"reasons of a judge (`--kind model` takes them in as suggestions)"}


def test_a_marked_passage_in_label_studio_is_imported_and_predictions_without_content_are_reported() -> None:
    content = read_notes([WRITTEN / "labelstudio" / "export.json"])
    assert {rater for rater, _ in content.readings} == {"1"}
    assert content.passages["1", "p6"] == [NotedPassage("names no town", "Reply ", ("no-town",))]
    assert content.passages["1", "p3"] == [NotedPassage("ann on p3", "Reply", ("no-town",))]
    (lost,) = content.lost.items()
    assert lost == (
        "predictions that the file names by their ids alone (a snapshot with predictions has them whole)",
        6,
    )


def test_langfuse_comments_are_refused_as_ratings_and_are_read_as_notes_unless_they_are_on_prompts(
    tmp_path: Path,
) -> None:
    comments = json.loads((WRITTEN / "langfuse" / "comments.json").read_text())
    with pytest.raises(RatingError, match="discover NAME --notes"):
        open_rated([WRITTEN / "langfuse" / "comments.json"], expected="anything")
    on_prompt = {**comments["data"][0], "objectType": "PROMPT"}
    more = {"data": [*comments["data"], on_prompt], "meta": {**comments["meta"], "totalPages": 2}}
    content = read_notes(written(tmp_path, {"comments.json": more}))
    assert notes(content) == {("ann", "p6"): ["asks the customer to wait"]}
    assert content.lost == {"comments on sessions and prompts": 1}
    assert content.remarks == ["there are more comments than the file holds: its answer is one of several pages"]


def own_line(
    read: str, *, at: str = "", texts: tuple[str, ...] = (), passed: bool | None = None, listed: str = ""
) -> dict[str, Any]:
    """A line of a file of notes, as a sheet saves it."""
    notes = [{"n": number, "text": text} for number, text in enumerate(texts, start=1)]
    line = {"id": "o1", "rater": "ann", "kind": "human", "read": read, "at": at, "notes": notes}
    return line | ({} if passed is None else {"pass": passed}) | ({"for": {listed: "f"}} if listed else {})


def test_in_markscheme_s_own_format_a_later_line_on_an_output_replaces_the_earlier_line_completely(
    tmp_path: Path,
) -> None:
    first = own_line("in full", texts=("bad", "rude"), passed=False, listed="m")
    content = read_notes(written(tmp_path, {"ann.jsonl": [first, own_line("noted", texts=("bad",))]}))
    reading = content.readings["ann", "o1"]
    assert (reading.read, reading.passed, dict(reading.listed)) == ("noted", None, {})
    assert notes(content)["ann", "o1"] == ["bad"]


def test_a_line_that_withdraws_the_reading_of_an_output_removes_the_notes_on_that_output(tmp_path: Path) -> None:
    lines = [own_line("in full"), {**own_line("noted", texts=("bad",)), "id": "o2"}]
    gone = {"id": "o1", "rater": "ann", "withdrawn": True}
    content = read_notes(written(tmp_path, {"ann.jsonl": [*lines, gone]}))
    assert list(content.readings) == [("ann", "o2")]


@pytest.mark.parametrize(
    ("reads", "state", "n_listed"),
    [
        (["in full", "noted"], "noted", 0),
        (["in full", ""], "in full", 1),
        (["", "in full"], "in full", 1),
        (["in full", "unclear"], "unclear", 0),
        (["noted", "in full"], "in full", 1),
    ],
)
def test_if_imported_rows_differ_on_how_thoroughly_an_output_was_read_the_last_statement_counts(
    tmp_path: Path, reads: list[str], state: str, n_listed: int
) -> None:
    rows = [
        {"id": "o1", "note": f"n{number}", "mode": "m", "rater": "ann", "kind": "human", "read": read}
        for number, read in enumerate(reads)
    ]
    content = read_notes(written(tmp_path, {"notes.jsonl": rows}))
    reading = content.readings["ann", "o1"]
    assert (reading.read, len(reading.listed)) == (state, n_listed)
    assert notes(content)["ann", "o1"] == ["n0", "n1"]


def test_if_two_rows_of_notes_disagree_on_whether_an_output_passes_the_later_row_counts(tmp_path: Path) -> None:
    text = "id,note,pass,rater,kind\no1,fine,yes,ann,human\no1,no it is not,no,ann,human\no1,rude,,ann,human\n"
    content = read_notes(written(tmp_path, {"notes.csv": text}))
    assert content.readings["ann", "o1"].passed is False


@pytest.mark.parametrize(
    ("line", "read", "texts"),
    [
        (own_line("noted", at="2026-11-03", texts=("bad",)), "noted", ["bad"]),
        (own_line("noted", at="2026-11-01", texts=("bad",)), "in full", ["bad", "rude"]),
        (own_line("noted", at="2026-11-02", texts=("bad",)), "noted", ["bad", "rude"]),
    ],
    ids=["later", "earlier", "the same moment"],
)
def test_an_imported_line_replaces_the_notes_stored_on_an_output_unless_the_line_is_older(
    tmp_path: Path, line: dict[str, Any], read: str, texts: list[str]
) -> None:
    before = reading_of(own_line("in full", at="2026-11-02", texts=("bad", "rude")))
    content = read_notes(written(tmp_path, {"ann.jsonl": [line]}))
    added, codebook = taken_in(content, [before], Codebook(), is_random=True, materials={})
    after = next(iter(added), before)
    assert (after.read, [note.text for note in after.notes]) == (read, texts)
    again, _ = taken_in(content, [after], codebook, is_random=True, materials={})
    assert again == ()


def test_importing_notes_that_say_nothing_on_how_fully_an_output_was_read_keeps_the_stored_full_reading(
    tmp_path: Path,
) -> None:
    before = reading_of(own_line("in full", passed=True, listed="m"))
    row = {"id": "o1", "note": "rude", "rater": "ann", "kind": "human", "pass": ""}
    added, _ = taken_in(
        read_notes(written(tmp_path, {"notes.jsonl": [row]})), [before], Codebook(), is_random=True, materials={}
    )
    (after,) = added
    assert (after.read, after.passed, dict(after.listed)) == ("in full", True, {"m": "f"})
    assert [note.text for note in after.notes] == ["rude"]


def test_an_imported_row_that_states_only_a_partial_reading_replaces_the_reader_s_stored_full_reading(
    tmp_path: Path,
) -> None:
    before = reading_of(own_line("in full", passed=True, listed="m"))
    row = {"id": "o1", "note": "rude", "rater": "ann", "kind": "human", "pass": "no", "read": "noted"}
    added, _ = taken_in(
        read_notes(written(tmp_path, {"notes.jsonl": [row]})), [before], Codebook(), is_random=True, materials={}
    )
    (after,) = added
    assert (after.read, after.passed, dict(after.listed)) == ("noted", False, {})
