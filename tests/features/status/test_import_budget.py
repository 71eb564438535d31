"""What status loads."""

from pathlib import Path

import pytest

from tests.commands import scripted_setting as setting
from tests.commands.console import run
from tests.loaded import loaded_by


@pytest.mark.proof
def test_status_of_an_accepted_run_imports_no_statistics(tmp_path: Path) -> None:
    here = setting.make_setting(tmp_path / "here")
    options = ("--judge", setting.JUDGE, "--accept", "--quiet")
    accepted = run("calibrate", "clear", *options, cwd=here, env=setting.environment(here))
    assert accepted.returncode == 0, accepted.stderr
    for arguments in (["status"], ["status", "--json"]):
        loaded = loaded_by(f"from markscheme.cli import main; assert main({arguments!r}) == 0", here)
        assert not loaded & {"numpy", "scipy", "anthropic", "openai", "asyncio"}


def test_status_without_options_or_rubrics_imports_neither_an_argument_parser_nor_a_reader_of_rubrics(
    tmp_path: Path,
) -> None:
    loaded = loaded_by("from markscheme.cli import main; assert main(['status']) == 0", tmp_path)
    assert "markscheme.features.status.view" in loaded
    assert not loaded & {"cyclopts", "yaml", "asyncio", "markscheme.rubrics.rubric"}


def test_status_in_a_project_without_accepted_runs_loads_no_modules_for_plots_or_sockets_or_sqlite(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = setting.make_setting(tmp_path / "here", raters=0)
    for variable in ("MARKSCHEME_CACHE", "XDG_RUNTIME_DIR", "TMPDIR"):
        monkeypatch.setenv(variable, str(tmp_path))
    loaded = loaded_by("from markscheme.cli import main; assert main(['status']) == 0", here)
    assert "markscheme.features.status.view_rubrics" in loaded
    assert not loaded & {"socket", "sqlite3", "markscheme.report.plot"}


def test_status_of_an_unlabelled_rubric_imports_no_statistics(tmp_path: Path) -> None:
    here = setting.make_setting(tmp_path / "here", raters=0)
    loaded = loaded_by("from markscheme.cli import main; assert main(['status']) == 0", here)
    assert "markscheme.calibration.next_labels" in loaded
    assert not loaded & {"numpy", "scipy"}


def test_the_settings_file_applies_to_status_without_options(tmp_path: Path) -> None:
    (tmp_path / "markscheme.toml").write_text("skip_damaged = true\n", encoding="utf-8")
    assert "cyclopts" in loaded_by("from markscheme.cli import main; assert main(['status']) == 0", tmp_path)
