"""First screens of `tune`."""

from collections.abc import Mapping
from pathlib import Path

from tests.commands.screens import NAME, Screen, votes

HERE = Path(__file__).parent / "golden"
SCREENS: Mapping[str, Screen] = {
    "tune": Screen(("tune", NAME, "--ratings", "careful.jsonl"), 4, folder=HERE),
    "tune-unfed": Screen(("tune", NAME), 4, folder=HERE),
    "tune-fed": Screen(("tune", NAME, "--ratings", "careful.jsonl"), 0, votes, folder=HERE),
    "tune-alone": Screen(("tune", NAME, "--ratings", "careful.jsonl"), 4, only="improve", folder=HERE),
}
"""By the name of its golden file."""
