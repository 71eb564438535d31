"""What is printed after a run of Promptfoo: the reports that features add, in their order, and then what was saved."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from markscheme.hooks import after_all
from markscheme.report.after_run import AFTER_RUN, RunReport
from markscheme.seam import Feature, features, offer


def told(line: str) -> RunReport:
    """Return a report with a line on a run, and a line on what was saved."""
    return RunReport([line], lambda: [f"{line} is saved"])


def rows_of(context: Mapping[str, Any]) -> RunReport:
    return told(f"{len(context['results'])} rows")


def place_of(context: Mapping[str, Any]) -> RunReport:
    return told(f"of {context['evalId']}")


@pytest.fixture(autouse=True)
def only_what_a_test_offers() -> Iterator[None]:
    before = features()
    offer(tuple)
    yield
    offer(lambda: before)


def printed_after(capsys: pytest.CaptureFixture[str], folder: Path) -> list[str]:
    after_all({"results": [{}, {}], "evalId": "night"}, str(folder / "session.py"))
    return [line.removeprefix("INFO markscheme: ") for line in capsys.readouterr().err.splitlines()]


def test_lines_that_optional_features_print_after_a_run_are_ordered_by_rank_and_saved_files_are_listed_last(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    later = Feature("later", AFTER_RUN((20, lambda: place_of)))
    first = Feature("first", AFTER_RUN((10, lambda: rows_of)))
    offer(lambda: (later, first))
    assert printed_after(capsys, tmp_path) == ["2 rows", "of night", "2 rows is saved", "of night is saved"]


def test_without_optional_features_nothing_is_printed_after_a_run(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert printed_after(capsys, tmp_path) == []
