"""`import` reads levels that a column writes as stars, percentages or like `4/5`."""

import json
from pathlib import Path

import pytest

from tests.commands.console import run

TO_FIVE = "{min: 1, max: 5}"


def imported(folder: Path, cells: list[str], scale: str, *options: str) -> tuple[list[float], str]:
    """Import a column of levels; return the levels, and what the command prints."""
    (folder / "kind.yaml").write_text(f"criteria:\n- {{name: tone, description: How kind., scale: {scale}}}\n")
    rows = "".join(f"e{index},text {index},{cell}\n" for index, cell in enumerate(cells))
    (folder / "table.csv").write_text(f"id,response,tone\n{rows}", encoding="utf-8")
    command = "import table.csv --rubric kind.yaml --kind human --rater ann --to ratings.jsonl"
    done = run("markscheme", *command.split(), *options, cwd=folder)
    file = folder / "ratings.jsonl"
    lines = file.read_text().splitlines() if file.exists() else []
    return [json.loads(line)["criteria"]["tone"]["level"] for line in lines], done.stdout + done.stderr


@pytest.mark.parametrize(
    ("cells", "scale", "levels"),
    [
        (["★★★", "★★★★★", "★"], TO_FIVE, [3, 5, 1]),
        (["★★★☆☆", "★★★★★", "★☆☆☆☆"], TO_FIVE, [3, 5, 1]),
        (["3/5", "5/5", "1/5"], TO_FIVE, [3, 5, 1]),
        (["85%", "40 %", "100%"], "{min: 0, max: 100}", [85, 40, 100]),
        (["★★★", "4", "1/5"], TO_FIVE, [3, 4, 1]),
    ],
)
def test_a_column_of_stars_or_percentages_or_ratios_is_imported_as_levels_of_the_scale(
    tmp_path: Path, cells: list[str], scale: str, levels: list[float]
) -> None:
    read, printed = imported(tmp_path, cells, scale)
    assert read == levels
    assert "nothing was lost" in printed


@pytest.mark.parametrize(
    ("cells", "scale"),
    [
        (["★★★", "★★★★★", "★"], "{min: 0, max: 100}"),
        (["3/5", "5/5", "1/5"], "{min: 1, max: 7}"),
        (["85%", "40%", "100%"], TO_FIVE),
    ],
)
def test_stars_and_percentages_and_ratios_are_reported_as_lost_if_they_do_not_fit_the_column_or_the_scale(
    tmp_path: Path, cells: list[str], scale: str
) -> None:
    read, printed = imported(tmp_path, cells, scale)
    assert read == [float(cell) for cell in cells if cell.isdigit()]
    assert f"1 level {cells[0]!r} of 'tone'" in printed
    assert "`--levels WORD=LEVEL` says which level a word means" in printed


def test_the_levels_option_overrides_the_usual_meaning_of_stars(tmp_path: Path) -> None:
    read, _ = imported(tmp_path, ["★", "★★"], TO_FIVE, "--levels", "★=5", "--levels", "★★=4")
    assert read == [5, 4]
