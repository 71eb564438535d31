"""CONTRIBUTING.md is true: its layout is the package's, and its recipes work when they are followed to the letter.

That the recipe's judge works as an installed package too is shown in `judges/test_kinds.py`, and what recipes change
in a feature works by the tests of that feature.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests import house
from tests.commands import scripted_setting as setting
from tests.commands.console import ROOT
from tests.deletion import delete
from tests.recipes import PACKAGE, PAGE, TITLES, Followed, copy_of_package, follow, follow_all, markscheme, patch
from tests.test_layers import LAYERS

FEATURES = f"{PACKAGE}features/"
LIST = f"{FEATURES}__init__.py"
"""The list of features, to which a new one adds its import and its row."""
OF_THE_CORE = "Add an option of how a judge is asked"
"""The recipe that changes how every judge is asked, and with it the core."""
FOLDERS = {
    "Add a judge": "always",
    "Add a statistic": "gross_errors",
    "Add a finding": "repeated_reasons",
    "Add a view": "status",
    "Add an option": "lint",
    "Add a reader of another tool's labels": "other_tools",
}
"""The feature that each recipe makes or changes."""
NEW_FEATURES = ("Add a judge", "Add a statistic", "Add a finding")


def test_the_layout_table_in_the_contributing_guide_lists_modules_in_the_order_in_which_they_may_import() -> None:
    table = PAGE.partition("## Layout\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`.*?`) \|", table, re.M)
    assert [name.rstrip("/") for row in rows for name in re.findall(r"`(.+?)`", row)] == LAYERS


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory) -> Followed:
    """A package in which the recipes were followed."""
    return follow_all(tmp_path_factory.mktemp("package"))


def test_following_a_recipe_of_the_contributing_guide_changes_one_feature_s_folder_and_the_list_of_features(
    followed: Followed,
) -> None:
    assert [*FOLDERS, OF_THE_CORE] == sorted(TITLES, key=[*FOLDERS, OF_THE_CORE].index)
    for title, folder in FOLDERS.items():
        others = [name for name in followed.touched[title] if not name.startswith(f"{FEATURES}{folder}/")]
        assert others == [LIST, LIST] * (title in NEW_FEATURES), title


def sources(home: Path) -> dict[str, str]:
    """Read the modules in a copy of the package, by path."""
    return {str(path.relative_to(home)): path.read_text(encoding="utf-8") for path in home.rglob("*.py")}


def test_a_feature_added_by_a_documented_recipe_is_removed_with_its_folder_and_two_lines(tmp_path: Path) -> None:
    home = copy_of_package(tmp_path)
    before = sources(home)
    for title in NEW_FEATURES:
        follow(title, home)
    assert len(sources(home)) > len(before)
    for title in NEW_FEATURES:
        delete(FOLDERS[title], home)
    assert sources(home) == before


@pytest.mark.proof
def test_a_judge_added_by_a_documented_recipe_is_in_the_help_and_can_be_asked(
    followed: Followed, tmp_path: Path
) -> None:
    here = setting.make_setting(tmp_path / "here")
    assert "always:" in markscheme(followed.home, "calibrate", "--help-all", cwd=here).stdout
    done = markscheme(followed.home, "calibrate", "clear", "--judge", "always:5", "--json", "-", cwd=here)
    report = json.loads(done.stdout)
    assert (report["judge"]["name"], report["counts"]["graded"]) == ("always:5", 60)


@pytest.fixture(scope="module")
def measured(followed: Followed, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Run `calibrate` with the recipe's statistic, and return its output by format."""
    here = setting.make_setting(tmp_path_factory.mktemp("project") / "here")
    setting.set_judge(here, tone=3)
    files = {name: here / f"report.{name}" for name in ("json", "markdown", "html", "junit")}
    options = [option for name, path in files.items() for option in (f"--{name}", str(path))]
    done = markscheme(followed.home, "calibrate", "clear", "--judge", setting.JUDGE, *options, cwd=here)
    assert done.returncode == 1, done.stderr
    shown = {name: path.read_text(encoding="utf-8") for name, path in files.items()}
    return {**shown, "terminal": done.stdout, "json": json.loads(shown["json"])}


def test_a_statistic_added_by_a_documented_recipe_is_in_the_json_of_each_criterion_and_of_the_overall_figures(
    measured: dict[str, Any],
) -> None:
    report = measured["json"]
    gross_errors = {name: figures["gross_error"] for name, figures in report["criteria"].items()}
    assert (gross_errors["tone"]["value"], gross_errors["facts"]["value"]) == (0.4, 0.0)  # of 1 to 5, 1 and 2 rise by 3
    assert gross_errors["tone"]["low"] < 0.4 < gross_errors["tone"]["high"]
    assert report["overall"]["gross_error"]["value"] == 0.0


@pytest.mark.parametrize("form", ["terminal", "markdown", "html", "junit"])
def test_a_statistic_added_by_a_documented_recipe_is_shown_in_every_form_of_report(
    form: str, measured: dict[str, Any]
) -> None:
    low, high = (round(100 * measured["json"]["criteria"]["tone"]["gross_error"][end]) for end in ("low", "high"))
    assert "gross errors" in measured[form]
    assert f"40% ({low}–{high})" in measured[form]


@pytest.mark.proof
def test_a_finding_added_by_a_documented_recipe_is_in_every_report_with_its_advice_and_command(
    followed: Followed, tmp_path: Path
) -> None:
    here = setting.make_setting(tmp_path / "here")
    files = {name: tmp_path / f"report.{name}" for name in ("json", "markdown", "html", "junit")}
    options = [option for name, path in files.items() for option in (f"--{name}", str(path))]
    done = markscheme(followed.home, "calibrate", "clear", "--judge", setting.JUDGE, *options, cwd=here)
    assert done.returncode == 0, done.stderr
    findings = json.loads(files["json"].read_text(encoding="utf-8"))["findings"]
    assert [(finding["code"], finding["criterion"]) for finding in findings] == [
        ("repeated-reasons", "tone"),
        ("repeated-reasons", "facts"),
    ]
    assert findings[0]["message"] == "tone: 60 of 60 of the judge's reasons are “so”."
    for text in (done.stdout, *(files[name].read_text(encoding="utf-8") for name in ("markdown", "html"))):
        assert "2 criteria · the same reason again and again" in text
        assert "Say in tone that the reason names what in the response decides." in text
        assert "markscheme improve clear --proposer" in text
    assert findings[1]["message"] in files["junit"].read_text(encoding="utf-8")


def test_no_two_recipes_of_the_contributing_guide_change_the_same_file(followed: Followed) -> None:
    files = [name for touched in followed.touched.values() for name in set(touched) - {LIST}]
    assert len(set(files)) == len(files)


def test_applying_a_recipe_of_the_contributing_guide_fails_if_its_context_lines_are_not_in_the_code(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.py").write_text("x = 1\n\nz = 3\n", encoding="utf-8")
    patch(tmp_path / "a.py", " x = 1\n+y = 2\n\n-z = 3\n+z = 4\n")
    assert (tmp_path / "a.py").read_text(encoding="utf-8") == "x = 1\ny = 2\n\nz = 4\n"
    with pytest.raises(AssertionError, match="0 times"):
        patch(tmp_path / "a.py", " x = 1\n+w = 5\n z = 4\n")


def test_the_tests_that_ci_names_exist() -> None:
    script = (ROOT / ".ci/run").read_text(encoding="utf-8")
    named = set(re.findall(r"(?<![\w/])tests/[\w/*]+(?:\.py)?(?:::\w+)?", script.replace("$folder/tests", "")))
    assert len(named) > 20
    for name in named:
        pattern, _, test = name.partition("::")
        files = list(ROOT.glob(pattern))
        assert files, name
        assert not test or f"def {test}(" in files[0].read_text(encoding="utf-8"), name


@pytest.mark.proof
def test_the_package_stays_within_its_limits_on_code_after_all_documented_recipes_are_followed(
    followed: Followed,
) -> None:
    modules = house.modules_of(house.SOURCE)
    assert all(followed.touched.values())
    read = {module: module for module in modules}  # those that no recipe touched needn't be read again
    figures = house.figures_of([read.get(module, module) for module in house.modules_of(followed.home / PACKAGE)])
    assert not [(name, figure) for name, figure in figures.items() if figure.value > house.LIMITS[name].most]
