"""Damaged lines of ratings, which a command may skip."""

from pathlib import Path

from tests.commands.polite_project import make_project, skips_damaged_ratings


def test_the_label_command_skips_damaged_lines_of_ratings_with_the_skip_damaged_option(tmp_path: Path) -> None:
    skips_damaged_ratings(make_project(tmp_path), "markscheme", "label", "polite", "--plan", "--ratings", "judge.jsonl")
