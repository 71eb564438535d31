"""Damaged lines of ratings, which a command may skip."""

from pathlib import Path

from tests.commands.polite_project import make_project, skips_damaged_ratings


def test_improve_skips_damaged_lines_with_the_skip_damaged_option(tmp_path: Path) -> None:
    skips_damaged_ratings(
        make_project(tmp_path), "markscheme", "improve", "polite", "--numbers", "--open", "--ratings", "judge.jsonl"
    )
