"""`calibrate` on a file of pairs that several annotators rated, without a rubric."""

import json
from pathlib import Path

from tests.commands.console import run


def write_pairs(folder: Path, *raters: str) -> None:
    """Write six pairs, with each rater's preference for the first response."""
    pairs = [
        {"id": f"p{number}", "first": f"Reply {number}.", "second": "No idea.", "winner": "first", "rater": rater}
        for rater in raters
        for number in range(6)
    ]
    (folder / "pairs.json").write_text(json.dumps(pairs))


def test_raters_of_pairs_are_compared_only_if_the_kind_option_says_that_they_are_people(tmp_path: Path) -> None:
    write_pairs(tmp_path, "ann", "bob")
    unsaid = run("calibrate", "pairs.json", cwd=tmp_path)
    assert (unsaid.returncode, "doesn't say who preferred; pass `--kind human`" in unsaid.stderr) == (2, True)
    stated = run("calibrate", "pairs.json", "--kind", "human", cwd=tmp_path)
    assert stated.returncode == 0, stated.stderr
    assert "6 rows, 2 raters" in stated.stdout


def test_calibrate_refuses_pairs_by_a_single_annotator_and_suggests_the_ratings_option(
    tmp_path: Path,
) -> None:
    write_pairs(tmp_path, "ann")
    done = run("calibrate", "pairs.json", "--kind", "human", cwd=tmp_path)
    assert done.returncode == 2
    assert "markscheme calibrate RUBRIC --ratings pairs.json" in done.stderr
