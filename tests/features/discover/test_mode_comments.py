"""Comments in `modes.yaml` stay when a page or a command writes it again."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from markscheme.features.discover.mode_comments import MODES_HEAD, comments_in
from markscheme.features.discover.modes import Codebook, Mode
from markscheme.features.discover.store import MODES_FILE, DiscoveryFolder

BY_HAND = """\
# Ana's modes, from the outputs of March.

# Ask ben before you merge any.
modes:
  # Prices first.
  - name: wrong-price
    severity: 3
    definition: |
      The price isn't that of the list.
      # nor a comment

  # Not our fault,
  # but customers see it.
  - name: late
    definition: The parcel came late.  # by more than a day
# Add new ones here.
"""


def saved(folder: Path, *modes: Mode) -> list[str]:
    """The lines of the file after these modes are saved in place of those in it."""
    discovery = DiscoveryFolder(folder)
    discovery.save(discovery.codebook(), Codebook(modes))
    return (folder / MODES_FILE).read_text(encoding="utf-8").splitlines()


def comments(lines: list[str]) -> list[str]:
    return [line if line.startswith("#") else line[:20] for line in lines if line.startswith(("#", "- "))]


@pytest.fixture
def edited(tmp_path: Path) -> DiscoveryFolder:
    (tmp_path / MODES_FILE).write_text(BY_HAND, encoding="utf-8")
    return DiscoveryFolder(tmp_path)


def test_saving_a_file_of_failure_modes_keeps_comments_at_the_head_and_above_modes_and_at_the_end(
    edited: DiscoveryFolder,
) -> None:
    price, late = edited.codebook().modes
    lines = saved(edited.path, price, replace(late, severity=1), Mode("rude"))
    assert lines[:4] == BY_HAND.splitlines()[:4]
    assert comments(lines)[2:] == [
        "# Prices first.",
        '- name: "wrong-price',
        "# Not our fault,",
        "# but customers see it.",
        '- name: "late"',
        '- name: "rude"',
        "# Add new ones here.",
    ]
    assert saved(edited.path, price, late, Mode("rude")) != lines  # a severity, and nothing else
    assert comments((edited.path / MODES_FILE).read_text(encoding="utf-8").splitlines()) == comments(lines)


def test_a_comment_in_a_file_of_failure_modes_stays_with_its_mode_when_the_mode_moves_or_is_renamed(
    edited: DiscoveryFolder,
) -> None:
    price, late = edited.codebook().modes
    lines = saved(edited.path, replace(late, name="delayed", was=("late",)), price)
    assert comments(lines)[2:] == [
        "# Not our fault,",
        "# but customers see it.",
        '- name: "delayed"',
        "# Prices first.",
        '- name: "wrong-price',
        "# Add new ones here.",
    ]


def test_a_new_file_of_failure_modes_begins_with_a_comment_on_its_purpose(tmp_path: Path) -> None:
    assert saved(tmp_path, Mode("late"))[:2] == [MODES_HEAD, "modes:"]
    assert saved(tmp_path) == [MODES_HEAD, "modes: []"]


@settings(deadline=None, max_examples=50)
@given(st.lists(st.text(max_size=12).map(lambda text: f"# {text}\u2028# it"), max_size=3))
@pytest.mark.proof
def test_a_marked_passage_that_looks_like_a_yaml_comment_is_not_read_as_a_comment_in_a_file_of_failure_modes(
    tmp_path_factory: pytest.TempPathFactory, quotes: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("modes")
    modes = (Mode("a", quotes=tuple(quotes)), Mode("b", fine=tuple(quotes)))
    once = saved(folder, *modes)
    assert DiscoveryFolder(folder).codebook().modes == modes
    assert not comments_in(folder / MODES_FILE).above
    saved(folder, *modes[:1])
    assert saved(folder, *modes) == once
