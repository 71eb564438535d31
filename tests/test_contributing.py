"""CONTRIBUTING.md is true: its layout is the package's, and its recipes work when they are followed to the letter.

That the recipe's judge works as an installed package too is shown in `judges/test_kinds.py`.
"""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.commands import scripted_setting as setting
from tests.commands.console import ROOT, environment
from tests.deletion import delete
from tests.recipes import PACKAGE, PAGE, TITLES, Followed, copy_of_package, follow, follow_all, patch
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
CRITERION = '{"name": "one", "criteria": [{"name": "good", "requirement": "It is good"}]}'


def markscheme(home: Path, *arguments: str, cwd: Path) -> "subprocess.CompletedProcess[str]":
    """The finished command of the package in `home`."""
    env = environment({**setting.environment(cwd), "PYTHONPATH": str(home / "src"), "COLUMNS": "120"})
    command = [sys.executable, "-m", "markscheme", *arguments]
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=300, check=False)


def test_the_layout_names_every_module_in_the_order_of_its_layers() -> None:
    table = PAGE.partition("## Layout\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`.*?`) \|", table, re.M)
    assert [name.rstrip("/") for row in rows for name in re.findall(r"`(.+?)`", row)] == LAYERS


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory) -> Followed:
    """A package in which the recipes were followed."""
    return follow_all(tmp_path_factory.mktemp("package"))


def test_a_recipe_touches_one_folder_of_features_and_their_list(followed: Followed) -> None:
    assert [*FOLDERS, OF_THE_CORE] == sorted(TITLES, key=[*FOLDERS, OF_THE_CORE].index)
    for title, folder in FOLDERS.items():
        others = [name for name in followed.touched[title] if not name.startswith(f"{FEATURES}{folder}/")]
        assert others == [LIST, LIST] * (title in NEW_FEATURES), title


def sources(home: Path) -> dict[str, str]:
    """The modules in a copy of the package."""
    return {str(path.relative_to(home)): path.read_text(encoding="utf-8") for path in home.rglob("*.py")}


def test_what_a_recipe_adds_as_a_new_feature_is_gone_with_its_folder_and_two_lines(tmp_path: Path) -> None:
    home = copy_of_package(tmp_path)
    before = sources(home)
    for title in NEW_FEATURES:
        follow(title, home)
    assert len(sources(home)) > len(before)
    for title in NEW_FEATURES:
        delete(FOLDERS[title], home)
    assert sources(home) == before


def test_an_added_judge_is_in_the_help_and_is_asked(followed: Followed, tmp_path: Path) -> None:
    here = setting.make_setting(tmp_path / "here")
    status = json.loads(markscheme(followed.home, "status", "--json", cwd=here).stdout)
    assert {"name": "always:…", "usable": False, "why": "set ALWAYS_ALLOWED"} in status["judges"]
    assert "always:" in markscheme(followed.home, "calibrate", "--help-all", cwd=here).stdout
    done = markscheme(followed.home, "calibrate", "clear", "--judge", "always:5", "--json", "-", cwd=here)
    report = json.loads(done.stdout)
    assert (report["judge"]["name"], report["counts"]["graded"]) == ("always:5", 60)


@pytest.fixture(scope="module")
def measured(followed: Followed, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What `calibrate` shows of the recipe's statistic, by format: the judge is two levels too kind to tones."""
    here = setting.make_setting(tmp_path_factory.mktemp("project") / "here")
    setting.set_judge(here, tone=3)
    files = {name: here / f"report.{name}" for name in ("json", "markdown", "html", "junit")}
    options = [option for name, path in files.items() for option in (f"--{name}", str(path))]
    done = markscheme(followed.home, "calibrate", "clear", "--judge", setting.JUDGE, *options, cwd=here)
    assert done.returncode == 1, done.stderr
    shown = {name: path.read_text(encoding="utf-8") for name, path in files.items()}
    return {**shown, "terminal": done.stdout, "json": json.loads(shown["json"])}


def test_an_added_statistic_is_in_the_json_of_each_criterion_and_of_the_whole(measured: dict[str, Any]) -> None:
    report = measured["json"]
    gross_errors = {name: figures["gross_error"] for name, figures in report["criteria"].items()}
    assert (gross_errors["tone"]["value"], gross_errors["facts"]["value"]) == (0.4, 0.0)  # of 1 to 5, 1 and 2 rise by 3
    assert gross_errors["tone"]["low"] < 0.4 < gross_errors["tone"]["high"]
    assert report["overall"]["gross_error"]["value"] == 0.0


@pytest.mark.parametrize("form", ["terminal", "markdown", "html", "junit"])
def test_an_added_statistic_is_shown(form: str, measured: dict[str, Any]) -> None:
    low, high = (round(100 * measured["json"]["criteria"]["tone"]["gross_error"][end]) for end in ("low", "high"))
    assert "gross errors" in measured[form]
    assert f"40% ({low}–{high})" in measured[form]


def test_an_added_finding_is_in_every_report_with_its_advice_and_the_command_of_its_kind(
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


def test_an_added_view_is_rendered_in_every_format(followed: Followed, tmp_path: Path) -> None:
    env = environment({"PYTHONPATH": str(followed.home / "src")})
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


def test_an_added_option_is_in_the_help_and_works(followed: Followed, tmp_path: Path) -> None:
    home = followed.home
    here = setting.make_setting(tmp_path / "here")
    assert re.search(r"--quiet +print nothing: exit status only", markscheme(home, "lint", "--help", cwd=here).stdout)
    loud, quiet = markscheme(home, "lint", "clear", cwd=here), markscheme(home, "lint", "clear", "--quiet", cwd=here)
    assert loud.stdout != ""
    assert (quiet.stdout, quiet.returncode) == ("", loud.returncode)
    assert "did you mean" in markscheme(home, "lint", "clear", "--quite", cwd=here).stderr


def choice(place: int, answer: str, *accept: str) -> dict[str, Any]:
    """A line as `prodigy db-out` writes it."""
    common = {"text": f"Answer {place}", "_input_hash": place, "_task_hash": -place, "_annotator_id": "ana"}
    return {**common, "answer": answer, "accept": list(accept)}


def test_import_reads_a_file_with_an_added_reader(followed: Followed, tmp_path: Path) -> None:
    home = followed.home
    (tmp_path / "one.json").write_text(CRITERION, encoding="utf-8")
    lines = [choice(1, "accept", "MET"), choice(2, "accept", "no"), choice(3, "ignore")]
    made = tmp_path / "choices.jsonl"
    made.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    done = markscheme(home, "import", str(made), "--rubric", "one.json", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["taken_for"], report["examples"]) == ("choices of Prodigy", 3)
    assert [(line["id"], line["rater"], line["criteria"]["good"]["level"]) for line in report["lines"]] == [
        ("1", "ana", 1.0),
        ("2", "ana", 0.0),
    ]
    assert report["lost"] == {"answers 'ignore'": 1}
    (tmp_path / "other.xml").write_text("<xml/>", encoding="utf-8")
    again = markscheme(home, "import", "other.xml", "--rubric", "one.json", cwd=tmp_path)
    assert (again.returncode, "choices of Prodigy" in again.stderr) == (2, True)


def test_no_recipe_builds_on_lines_of_another(followed: Followed) -> None:
    files = [name for touched in followed.touched.values() for name in set(touched) - {LIST}]
    assert len(set(files)) == len(files)


def test_a_recipe_whose_lines_are_no_longer_in_the_code_fails(tmp_path: Path) -> None:
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
