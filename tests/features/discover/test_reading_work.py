"""One reader's work: which output is next, what is kept of it, and how changes of the groups are made and undone."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.requests import Request

from markscheme.errors import UsageError
from markscheme.features.discover.modes import Assignment, Codebook, Mode
from markscheme.features.discover.open_discovery import OpenedDiscovery, open_discovery
from markscheme.features.discover.reading import OutputReading, reading_of
from markscheme.features.discover.reading_work import (
    ReadingWork,
    also_ids,
    grouping_state,
    open_reading,
    shown_output,
    unit_name,
)
from markscheme.pages.serving import sent_object
from markscheme.pages.share import Share
from tests.full_disk import disk_of


@pytest.fixture
def opened(tmp_path: Path) -> OpenedDiscovery:
    rows = [{"id": f"o{n}", "query": "How much?", "response": f"Only {n} euros.", "score": n / 20} for n in range(20)]
    (tmp_path / "pool.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return open_discovery("reply", tmp_path, pool=tmp_path / "pool.jsonl", seed=1)


def clock() -> str:
    return "2026-11-23T10:00:00Z"


def reader(opened: OpenedDiscovery, name: str = "ann", **options: object) -> ReadingWork:
    return open_reading(opened, name, clock, **options)  # type: ignore[arg-type]


def say(work: ReadingWork, id: str, *texts: str, modes: tuple[str, ...] = ()) -> None:
    notes = [{"n": n, "text": text, "quote": "Only", "modes": list(modes)} for n, text in enumerate(texts, start=1)]
    work.read(unit_name(id), {"read": "noted", "notes": notes, "pass": not texts})
    work.__dict__.pop("steps", None)


def test_each_reader_gets_the_outputs_in_the_same_order_without_those_that_other_readers_have_read(
    opened: OpenedDiscovery,
) -> None:
    ann = reader(opened)
    first, second, *_ = opened.order.ids
    assert [id for id, _ in ann.steps][:2] == [first, second]
    say(ann, first)
    ann.close()
    ben = reader(opened, "ben")
    assert next(id for id, _ in ben.steps) == second
    ben.close()
    again = reader(opened, "ben", is_second=True)
    assert [id for id, _ in again.steps] == [first]
    again.close()


def test_every_fourth_output_to_read_is_a_chosen_output_and_is_not_stored_as_drawn_at_random(
    opened: OpenedDiscovery,
) -> None:
    also = also_ids("low-score", opened)
    assert also[:2] == ("o0", "o1")
    work = reader(opened, also=also)
    assert [chosen for _, chosen in work.steps][:8] == [False, False, False, True, False, False, False, True]
    (early,) = [id for id, chosen in work.steps[:4] if chosen]
    say(work, early)
    assert work.own_readings()[early].is_chosen
    assert not work.outputs().random_ids
    work.close()


def test_a_note_is_stored_with_its_marked_passage_and_its_failure_mode(opened: OpenedDiscovery) -> None:
    work = reader(opened)
    say(work, "o3", "too dear", modes=("price",))
    reading = work.own_readings()["o3"]
    assert (reading.notes[0].text, reading.notes[0].quote_in, reading.passed) == ("too dear", "response", False)
    assert [mode.name for mode in opened.codebook().listed] == ["price"]
    assert opened.codebook().modes_of("ann/o3/1") == ("price",)
    work.close()


def test_changes_of_groups_of_notes_are_undone_one_by_one(opened: OpenedDiscovery) -> None:
    work = reader(opened)
    say(work, "o3", "too dear", "rude")
    before = grouping_state(work)
    work.group({"do": "name", "mode": "price", "note": "ann/o3/1"})
    work.group({"do": "define", "mode": "price", "definition": "It is wrong."})
    work.group({"do": "severity", "mode": "price", "severity": 3})
    work.group({"do": "anchor", "mode": "price", "quote": "Only"})
    assert opened.codebook().mode("price").quotes == ("Only",)
    assert opened.codebook().mode("price").severity == 3
    assert opened.codebook().mode("price").changed == f"ann {clock()}"
    for _ in range(4):
        work.group({"do": "undo"})
    assert grouping_state(work) == before
    with pytest.raises(UsageError, match="unknown change"):
        work.group({"do": "explode"})
    work.close()


def test_a_reading_stores_the_defined_failure_modes_that_the_reader_saw_and_ignores_unknown_modes(
    opened: OpenedDiscovery,
) -> None:
    work = reader(opened)
    say(work, "o3", "too dear")
    work.group({"do": "name", "mode": "price", "note": "ann/o3/1"})
    work.group({"do": "define", "mode": "price", "definition": "It is wrong."})
    listed = {mode["name"]: mode["under"] for mode in grouping_state(work)["modes"]}
    work.read(unit_name("o4"), {"read": "in full", "notes": [], "listed": listed})
    assert dict(work.own_readings()["o4"].listed) == {"price": opened.codebook().mode("price").fingerprint}
    work.read(unit_name("o5"), {"read": "in full", "notes": [], "listed": {"price": "made up", "nope": "x"}})
    assert not work.own_readings()["o5"].listed
    work.close()


def test_undoing_one_reader_s_change_keeps_the_changes_by_other_readers(opened: OpenedDiscovery) -> None:
    ann = reader(opened)
    ben = reader(opened, "ben")
    say(ann, "o3", "too dear")
    say(ben, "o4", "rude")
    ann.group({"do": "name", "mode": "price", "note": "ann/o3/1"})
    ben.group({"do": "name", "mode": "tone", "note": "ben/o4/1"})
    ann.group({"do": "undo"})
    assert [mode.name for mode in opened.codebook().listed] == ["tone"]
    assert opened.codebook().modes_of("ben/o4/1") == ("tone",)
    assert opened.codebook().modes_of("ann/o3/1") == ()
    ann.close()
    ben.close()


def test_a_second_reading_window_of_one_reader_is_refused_until_the_first_window_is_closed(
    opened: OpenedDiscovery,
) -> None:
    work = reader(opened)
    with pytest.raises(UsageError, match="another window"):
        reader(opened)
    work.close()
    reader(opened).close()


def test_a_shared_pool_gives_each_reader_a_different_part_of_the_outputs(opened: OpenedDiscovery) -> None:
    share = Share(("ann", "ben"), 1)
    parts = []
    for name in ("ann", "ben"):
        work = reader(opened, name, share=share)
        parts.append({id for id, _ in work.steps})
        work.close()
    assert not parts[0] & parts[1]
    assert parts[0] | parts[1] == set(opened.pool.examples)


def test_outputs_can_be_chosen_to_be_read_early_by_a_file_of_ids_or_by_their_dissimilarity(
    opened: OpenedDiscovery, tmp_path: Path
) -> None:
    (tmp_path / "ids.txt").write_text("o7\nnope\n")
    assert also_ids(str(tmp_path / "ids.txt"), opened)[0] == "o7"
    assert set(also_ids("unlike", opened)) == set(opened.pool.examples)
    with pytest.raises(UsageError, match="no file"):
        also_ids("nowhere", opened)


def test_script_and_image_tags_in_an_output_are_not_shown_as_tags_on_the_reading_page(tmp_path: Path) -> None:
    row = {"id": "o1", "response": "<script>alert(1)</script><img src=http://x.example/a.png onerror=alert(1)>"}
    (tmp_path / "pool.jsonl").write_text(json.dumps(row) + "\n")
    opened = open_discovery("reply", tmp_path, pool=tmp_path / "pool.jsonl")
    shown = shown_output(opened.pool.examples["o1"])
    assert "<script" not in shown
    assert "<img" not in shown


def test_the_reading_page_refuses_requests_about_unknown_outputs_or_answers_and_ignores_invalid_fields(
    opened: OpenedDiscovery,
) -> None:
    work = reader(opened)
    for refused in (
        lambda: work.read("nope", {"read": "noted"}),
        lambda: work.withdraw("nope"),
        lambda: work.answer_again("nope", "price", "there"),
        lambda: work.answer_again(unit_name("o3"), "price", "perhaps"),
    ):
        with pytest.raises(UsageError, match=r"no such output|one of there"):
            refused()
    assert not work.path.exists() or not work.path.read_text()
    notes = [{"n": n, "text": "odd"} for n in (0, -1, True, "1", None)]
    work.read(unit_name("o3"), {"read": "whatever", "notes": [*notes, "x"], "seconds": True, "pass": "no"})
    reading = work.own_readings()["o3"]
    assert (reading.read, reading.notes, reading.seconds, reading.passed) == ("open", (), None, None)
    work.close()


def test_white_space_around_and_within_a_new_failure_mode_s_name_is_normalized(opened: OpenedDiscovery) -> None:
    work = reader(opened)
    say(work, "o3", "too dear")
    work.group({"do": "name", "mode": " wrong  price ", "note": "ann/o3/1"})
    assert opened.codebook().modes_of("ann/o3/1") == ("wrong price",)
    work.close()


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        (b'{"text": "cut \\ud83d"}', {"text": "cut \ufffd"}),
        (b'{"seconds": NaN}', {}),
        (b"\xff", {}),
        (b"[1]", {}),
    ],
)
def test_characters_that_files_cannot_store_are_replaced_in_text_that_a_page_sends(
    body: bytes, kept: dict[str, str]
) -> None:
    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": body, "more_body": False}

    assert asyncio.run(sent_object(Request({"type": "http", "method": "POST"}, receive))) == kept


def test_a_change_that_refers_to_an_unknown_note_or_failure_mode_is_refused_and_nothing_is_stored(
    opened: OpenedDiscovery,
) -> None:
    ann = reader(opened)
    first, *_ = opened.order.ids
    say(ann, first, "wrong price", modes=("price",))
    state = grouping_state(ann)
    (note,) = state["notes"]
    refused: list[Callable[[], object]] = [
        lambda: ann.recode("", []),
        lambda: ann.recode("ann/nowhere/1", []),
        lambda: ann.group({"do": "assign", "note": "ann/nowhere/1", "modes": []}),
        lambda: ann.group({"do": "assign", "note": note, "modes": ["nowhere"]}),
        lambda: ann.group({"do": "name", "mode": "late", "note": "ann/nowhere/1"}),
        lambda: ann.group({"do": "name", "mode": " "}),
        lambda: ann.read(unit_name(first), {"read": "noted", "notes": [{"n": 10**400, "text": "large"}]}),
        lambda: opened.folder.save(ann.opened.codebook(), Codebook((Mode("twice"), Mode("twice")))),
        lambda: opened.folder.save(Codebook(), Codebook(suggested={"": Assignment("", (), "ann", "model")})),
        lambda: opened.folder.add_readings([OutputReading("", "ann")]),
    ]
    for change in refused:
        with pytest.raises(UsageError):
            change()
        assert grouping_state(ann) == state
    assert [path.name for path in opened.folder.path.iterdir() if path.name.startswith(".")] == []


def test_if_a_full_disk_prevents_an_undo_the_note_keeps_its_failure_mode(
    opened: OpenedDiscovery,
) -> None:
    ann = reader(opened)
    first, *_ = opened.order.ids
    say(ann, first, "wrong price")
    (note,) = ann.outputs().notes
    ann.group({"do": "name", "mode": "price", "note": note})
    with disk_of(10), pytest.raises(UsageError, match="cannot be written"):
        ann.undo()
    assert opened.codebook().modes_of(note) == ("price",)
    ann.close()


def test_a_reading_time_below_zero_is_refused() -> None:
    with pytest.raises(ValueError, match="`seconds` is a time from 0, found -5"):
        reading_of({"id": "1", "rater": "ann", "seconds": -5})
