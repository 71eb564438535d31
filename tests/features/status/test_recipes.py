"""What recipes of CONTRIBUTING.md add to the status: a kind of judge, and a view."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands import scripted_setting as setting
from tests.commands.console import environment
from tests.recipes import copy_of_package, follow, markscheme


@pytest.mark.proof
def test_status_shows_a_kind_of_judge_that_was_added_by_following_the_documented_recipe(tmp_path: Path) -> None:
    home = copy_of_package(tmp_path / "package")
    follow("Add a judge", home)
    here = setting.make_setting(tmp_path / "here")
    status = json.loads(markscheme(home, "status", "--json", cwd=here).stdout)
    assert {"name": "always:…", "usable": False, "why": "set ALWAYS_ALLOWED"} in status["judges"]


SHOW_LOOKS = """
import sys
from markscheme.ratings.splits import Opening, Openings
from markscheme.report.html import render_html
from markscheme.report.markdown import render_markdown
from markscheme.report.terminal import render_terminal
from markscheme.features.status.view_openings import view

looks = (Opening("2026-11-02", "calibrate", "a", 40), Opening("2026-11-09", "tune", "a", 41))
document = view(Openings(looks, "a", 41, frozenset()))
render_terminal(document, sys.stdout)
print(render_markdown(document))
print(render_html(document))
"""


@pytest.mark.proof
def test_a_view_that_was_added_by_following_the_documented_recipe_is_rendered_in_every_format(tmp_path: Path) -> None:
    home = copy_of_package(tmp_path / "package")
    follow("Add a view", home)
    env = environment({"PYTHONPATH": str(home / "src")})
    shown = subprocess.run(
        [sys.executable, "-c", SHOW_LOOKS],
        cwd=tmp_path,
        env=env,
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    sentence = "41 test examples are held out, and looked at 2 times (2026-11-02 to 2026-11-09)."
    assert " ".join(shown.stdout.split()).count(sentence) == 3
    assert "| 2026-11-09 | tune | 41 |" in shown.stdout
    assert re.search(r"^2026-11-09 +tune +41", shown.stdout, re.M)
