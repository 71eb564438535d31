"""What comes back from a reading sheet is one reader's notes on its outputs, or is refused."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from markscheme.errors import RatingError
from markscheme.features.discover.intake import take_notes
from markscheme.features.discover.open_discovery import OpenedDiscovery, open_discovery
from markscheme.features.discover.reading_server import reading_sheet
from markscheme.features.discover.reading_work import open_reading
from tests.readers.every_format import lines

OUTPUTS = [{"id": f"o{n}", "query": "How much?", "response": f"Only {n} euros."} for n in range(4)]


@pytest.fixture
def opened(tmp_path: Path) -> OpenedDiscovery:
    lines(tmp_path / "pool.jsonl", OUTPUTS)
    return open_discovery("reply", tmp_path, pool=tmp_path / "pool.jsonl")


def saved(opened: OpenedDiscovery, rater: str = "mal") -> list[dict[str, Any]]:
    """The lines that a sheet saves: its head, and a reading of the first output."""
    work = open_reading(opened, rater, lambda: "2026-11-23T10:00:00Z")
    page = reading_sheet(work, timed=False)
    work.close()
    script = re.search(r'id="data">(.*)</script>', page)
    assert script is not None
    note = {"n": 1, "text": "dear", "quote": "", "modes": ["price"]}
    head = json.loads(script[1])["sheet"]["head"]
    return [head, {"id": "o0", "rater": rater, "kind": "human", "read": "noted", "for": {}, "notes": [note]}]


def taken(opened: OpenedDiscovery, content: list[dict[str, Any]], name: str = "reply-mal.jsonl") -> dict[str, str]:
    """What the discovery has of it: by note, its reader."""
    here = opened.folder.path.parent.parent
    lines(here / name, content)
    take_notes("reply", here, [here / name], rater=None, kind=None, pool=None, seed=None, is_random=False)
    return {note.text: key.partition("/")[0] for key, note in opened.outputs().notes.items()}


def test_a_saved_reading_sheet_gives_the_same_notes_however_often_it_is_imported(opened: OpenedDiscovery) -> None:
    content = saved(opened)
    assert taken(opened, content) == taken(opened, content, "any.jsonl") == {"dear": "mal"}


CHANGES: dict[str, tuple[Callable[[list[dict[str, Any]]], object], str]] = {
    "another reader": (lambda content: content[1].update(rater="ana"), "rater is 'ana'; the sheet is for 'mal'"),
    "another kind": (lambda content: content[1].update(kind="adjudicated"), "kind is 'adjudicated'"),
    "another output": (lambda content: content[1].update(id="o9"), "doesn't show the output 'o9'"),
    "another head": (lambda content: content[0].update(rater="ana"), "isn't the one that was written"),
    "no digest": (lambda content: content[0].pop("digest"), "isn't the one that was written"),
    "no head": (lambda content: content.pop(0), "not the sheet's head"),
    "a later version": (lambda content: content[0].update(sheet=2), "a later version"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_an_edited_file_of_answers_from_an_offline_reading_page_is_refused_and_none_of_its_notes_are_stored(
    change: str, opened: OpenedDiscovery
) -> None:
    content = saved(opened)
    edit, problem = CHANGES[change]
    edit(content)
    with pytest.raises(RatingError, match=problem):
        taken(opened, content)
    assert opened.folder.readings() == ()


def test_answers_of_an_offline_reading_page_are_refused_for_changed_outputs_or_another_project(
    opened: OpenedDiscovery,
) -> None:
    content = saved(opened)
    here = opened.folder.path.parent.parent
    lines(here / "pool.jsonl", [{**OUTPUTS[0], "response": "Free."}, *OUTPUTS[1:]])
    with pytest.raises(RatingError, match=r"1 of 4 outputs differ from those here: o0"):
        taken(opened, content)
    lines(here / "pool.jsonl", OUTPUTS[:-1])
    with pytest.raises(RatingError, match=r"1 of 4 outputs are not among the outputs here: o3"):
        taken(opened, content)
    (opened.folder.path / "sheet.key").unlink()
    with pytest.raises(RatingError, match=r"sheet\.key isn't here"):
        taken(opened, content)
