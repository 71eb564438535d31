"""The first screen of `calibrate` after a run was accepted."""

from collections.abc import Mapping
from pathlib import Path

from tests.commands.screens import CAREFUL, NAME, Screen, accepted

HERE = Path(__file__).parent / "golden"
SCREENS: Mapping[str, Screen] = {
    "calibrate-accepted": Screen(("calibrate", NAME, "--judge", CAREFUL), 0, accepted, folder=HERE),
}
"""By the name of its golden file."""
