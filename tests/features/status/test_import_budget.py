"""What status loads."""

from pathlib import Path

import pytest

from tests.commands import scripted_setting as setting
from tests.commands.console import run
from tests.loaded import loaded_by


@pytest.mark.proof
def test_status_of_an_accepted_run_loads_no_statistics(tmp_path: Path) -> None:
    here = setting.make_setting(tmp_path / "here")
    options = ("--judge", setting.JUDGE, "--accept", "--quiet")
    accepted = run("calibrate", "clear", *options, cwd=here, env=setting.environment(here))
    assert accepted.returncode == 0, accepted.stderr
    for arguments in (["status"], ["status", "--json"]):
        loaded = loaded_by(f"from markscheme.cli import main; assert main({arguments!r}) == 0", here)
        assert not loaded & {"numpy", "scipy", "anthropic", "openai"}
