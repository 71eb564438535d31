"""First screen of `certify`."""

from collections.abc import Mapping
from pathlib import Path

from tests.commands.screens import NAME, Screen

HERE = Path(__file__).parent / "golden"
SCREENS: Mapping[str, Screen] = {
    "certify": Screen(("certify", NAME, "--ratings", "careful.jsonl"), 4, folder=HERE),
}
"""By the name of its golden file."""
