"""Every key of the JSON that commands print is named in the reference."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.docs.json_documents import MAKERS, Document, Folder
from tests.docs.pages import DOCS, prose

HOLD_DATA = (
    *("criteria", "by_criterion", "by_tag", "ceiling", "groups", "tags", "inputs", "recall", "rated.labels"),
    *("kinds", "columns", "with_both", "not_graded_because", "not_compared", "lost", "error.values", "reworded"),
    *("log_strengths", "ranks", "strata", "next.systems", "labelled", "evidence.left_out", "weights.before"),
    *("weights.after", "cascade.passes", "wordings", "orders", "orders.NAME", "table", "control", "rows", "rows.NAME"),
    *("calibrations", "differences[].figures", "since_accepted[].figures", "since_counts", "/figures", "/labels"),
)
"""Places whose keys are names of criteria, raters, groups and the like; `/` begins a place in the whole document."""


def holds_data(place: str) -> bool:
    """Return True if the keys at a place of a document are data."""
    return any(f"/{place}".endswith(held if held[0] == "/" else f".{held}") or place == held for held in HOLD_DATA)


def keys_of(data: Any, place: str = "") -> Iterator[tuple[str, str]]:
    """Yield each key in a document that isn't data, with the place where it is, such as `pairs[].switch`."""
    if isinstance(data, list):
        for item in data:
            yield from keys_of(item, f"{place}[]")
    elif isinstance(data, dict):
        has_names = holds_data(place)
        for key, value in data.items():
            within = ".".join(filter(None, (place, "NAME" if has_names else key)))
            if not has_names:
                yield key, within
            yield from keys_of(value, within)


@pytest.fixture(scope="module")
def named() -> frozenset[str]:
    """Collect the words in backticks on the pages of the reference, each part of `pairs[].n` by itself."""
    pages = sorted((DOCS / "reference").glob("*.md"))
    spans = [span for page in pages for span in re.findall(r"`([^`]+)`", "\n".join(prose(page)))]
    return frozenset(word for span in spans for word in re.split(r"[.\[\]]+", span))


def unnamed(document: Document, named: frozenset[str]) -> set[str]:
    return {place for key, place in keys_of(document) if key not in named}


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)
def test_every_key_of_the_json_that_a_command_prints_is_named_in_the_reference(
    make: Callable[[Folder], dict[str, Document]], named: frozenset[str], tmp_path: Path
) -> None:
    places = {name: unnamed(document, named) for name, document in make(Folder(tmp_path / "project")).items()}
    assert {name: sorted(found) for name, found in places.items() if found} == {}


def test_the_check_of_json_keys_reports_undocumented_keys_and_ignores_names_of_criteria() -> None:
    document = {"criteria": {"tone": {"level": 1, "mood": 2}}, "pairs": [{"criteria": {"facts": {"blur": 1}}}]}
    named = frozenset(["criteria", "level", "pairs"])
    assert unnamed(document, named) == {"criteria.NAME.mood", "pairs[].criteria.NAME.blur"}
