"""What reading outputs has shown, whole, as text, Markdown and JSON."""

import io
import json
from dataclasses import replace
from pathlib import Path

from markscheme.features.discover.figures import ReadOutputs
from markscheme.features.discover.modes import Assignment, Mode
from markscheme.features.discover.reading import Note, OutputReading
from markscheme.features.discover.result import Discovery
from markscheme.features.discover.view import json_of, view
from markscheme.report.json import dumps
from markscheme.report.markdown import render_markdown
from markscheme.report.terminal import render_terminal
from tests.features.discover.readers import read_outputs
from tests.golden_files import GoldenFiles

HERE = Path(__file__).parent / "golden"


def discovery() -> Discovery:
    """Two readers of 60 outputs: three modes, a note in none, and a suggestion that waits."""
    pattern = ("a - - b - a - - - ab - - - - c " + "- " * 5) * 3
    first = read_outputs(pattern)
    book = first.codebook
    listed = {mode.name: mode.fingerprint for mode in book.modes}
    second = tuple(
        OutputReading(reading.id, "ben", notes=reading.notes if place % 3 else (), listed=listed, line=place + 1)
        for place, reading in enumerate(first.readings[:40])
    )
    for reading in second:
        for note in reading.notes:
            names = book.modes_of(f"ann/{reading.id}/{note.n}")
            book = book.assign(Assignment(reading.key_of(note), names, "ben"))
    alone = OutputReading("o60", "ann", notes=(Note(1, "what is this?", line=60),), line=60)
    book = book.with_severity("a", 3).name_mode(Mode("rude", "It is rude.", by="model", kind="model"))
    book = book.assign(Assignment("ann/o60/1", ("rude",), "model", "model"))
    readings = (*first.readings[:-1], alone, *second)
    return Discovery("reply", replace(first, readings=readings, codebook=book), pool="outputs.jsonl")


def test_the_report_of_a_discovery_equals_its_golden_files(golden: GoldenFiles) -> None:
    text = io.StringIO()
    render_terminal(view(discovery()), text, width=100)
    golden.check("discovery.txt", text.getvalue(), HERE)
    golden.check("discovery.md", render_markdown(view(discovery())), HERE)


def test_the_json_of_discover_has_the_documented_keys() -> None:
    data = json.loads(dumps(json_of(discovery())))
    assert set(data) == {
        *("schema", "name", "pool", "read", "raters", "notes", "modes", "new_mode", "read_more", "agreement"),
        *("unsorted", "unsorted_notes", "suggestions", "next", "keep"),
    }
    assert (data["unsorted"], data["suggestions"], data["raters"]) == (1, 1, 2)
    assert set(data["modes"][0]) == {"name", "definition", "severity", "count", "read_for", "share", "again", "kappa"}
    assert set(data["new_mode"]) == {"bound", "confidence", "last_new", "tasks", "good_turing", "chao2"}
    assert data["agreement"]["finding"]["units"] == 40
    assert next(step["who"] for step in data["next"]) == "person"


def test_the_report_of_a_discovery_without_read_outputs_says_that_nothing_was_read() -> None:
    empty = Discovery("reply", ReadOutputs(()))
    assert view(empty).title == "reply: nothing read yet"
    assert json_of(empty)["new_mode"]["bound"] is None
