"""First screens of `tune`, without what another feature says of decisions that need no person."""

from collections.abc import Mapping
from pathlib import Path

from tests.commands.screens import NAME, Screen

HERE = Path(__file__).parent / "golden"
SCREENS: Mapping[str, Screen] = {
    "tune-alone": Screen(("tune", NAME, "--ratings", "careful.jsonl"), 4, only="improve", folder=HERE),
}
"""By the name of its golden file."""
