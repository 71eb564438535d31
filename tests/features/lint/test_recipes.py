"""What a recipe of CONTRIBUTING.md adds to lint: an option."""

import re
from pathlib import Path

import pytest

from tests.commands import scripted_setting as setting
from tests.recipes import copy_of_package, follow, markscheme


@pytest.mark.proof
def test_an_option_added_to_lint_by_following_the_documented_recipe_is_in_the_help_and_works(tmp_path: Path) -> None:
    home = copy_of_package(tmp_path / "package")
    follow("Add an option", home)
    here = setting.make_setting(tmp_path / "here")
    assert re.search(
        r"--quiet +print nothing: exit status only", markscheme(home, "lint", "--help-all", cwd=here).stdout
    )
    loud, quiet = markscheme(home, "lint", "clear", cwd=here), markscheme(home, "lint", "clear", "--quiet", cwd=here)
    assert loud.stdout != ""
    assert (quiet.stdout, quiet.returncode) == ("", loud.returncode)
    assert "did you mean" in markscheme(home, "lint", "clear", "--quite", cwd=here).stderr
