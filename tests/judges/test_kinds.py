"""One entry a kind: what help, status, errors and sessions say of it, and a kind that an installed package adds."""

import json
import re
import subprocess
import sys
import tomllib
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from markscheme.judges.judge import Identity
from markscheme.judges.kinds import SHIPPED_KINDS, JudgeKind, judge_forms, kinds
from markscheme.judges.price import Price
from markscheme.session.client import matters
from tests.commands import scripted_setting as setting
from tests.commands.console import ROOT, environment

RECIPE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("### Add a judge")[2].partition("\n### ")[0]


def block(language: str) -> str:
    """The recipe's code in that language."""
    (code,) = re.findall(rf"^```{language}\n(.*?)^```$", RECIPE, re.M | re.S)
    return str(code)


def install(site: Path, code: str) -> None:
    """Unpack the recipe's package there, as an installer unpacks a wheel."""
    ((group, points),) = tomllib.loads(block("toml"))["project"]["entry-points"].items()
    (name, reference), *_ = points.items()
    (site / f"{reference.partition(':')[0]}.py").write_text(code, encoding="utf-8")
    about = site / "markscheme_always-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: markscheme-always\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[{group}]\n{name} = {reference}\n")


@pytest.fixture
def python(tmp_path: Path) -> Path:
    """The interpreter of an environment of its own, which has markscheme, and the recipe's package installed."""
    home = tmp_path / "environment"
    venv.create(home, with_pip=False, symlinks=True)
    (site,) = home.glob("lib/python*/site-packages")
    (site / "here.pth").write_text("\n".join([str(ROOT / "src"), *(path for path in sys.path if "-packages" in path)]))
    install(site, block("python"))
    return home / "bin" / "python"


def markscheme(
    python: Path, *arguments: str, cwd: Path, answer: str = "", **variables: str
) -> "subprocess.CompletedProcess[str]":
    command = [str(python), "-m", "markscheme", *arguments]
    env = environment({**setting.environment(cwd), **variables})
    return subprocess.run(
        command, cwd=cwd, env=env, input=answer, capture_output=True, text=True, timeout=300, check=False
    )


def listed(python: Path, cwd: Path, **env: str) -> dict[str, Any]:
    """What `status` says of the recipe's judge."""
    done = markscheme(python, "status", "--json", cwd=cwd, **env)
    assert done.returncode == 0, done.stderr
    judges = {judge["name"]: judge for judge in json.loads(done.stdout)["judges"]}
    return dict(judges["always:…"])


def test_the_recipe_s_package_is_listed_by_status_and_asked_by_calibrate(python: Path, tmp_path: Path) -> None:
    here = setting.make_setting(tmp_path / "here")
    assert listed(python, here) == {"name": "always:…", "usable": False, "why": "set ALWAYS_ALLOWED"}
    assert listed(python, here, ALWAYS_ALLOWED="1")["why"] == "ALWAYS_ALLOWED is set"
    done = markscheme(python, "calibrate", "clear", "--judge", "always:5", "--json", "-", cwd=here)
    report = json.loads(done.stdout)
    assert (report["judge"]["name"], report["judge"]["source"]) == ("always:5", "live")
    assert (report["counts"]["graded"], report["cost"]["calls"]) == (60, 120)
    assert report["overall"]["signed_error"]["value"] > 0
    wrong = markscheme(python, "calibrate", "clear", "--judge", "alway:5", cwd=here)
    assert wrong.returncode == 2
    assert "did you mean 'always'?" in wrong.stderr
    assert "always:…" in markscheme(python, "calibrate", "clear", "--judge", "nobody", cwd=here).stderr


def test_an_installed_judge_that_says_it_is_free_works_within_a_budget(python: Path, tmp_path: Path) -> None:
    here = setting.make_setting(tmp_path / "here")
    arguments = ("calibrate", "clear", "--judge", "always:5", "--budget", "0.01", "--json", "-")
    done = markscheme(python, *arguments, cwd=here)
    assert json.loads(done.stdout)["counts"]["graded"] == 60, done.stderr


OF_OLD = """
class Kind:
    name = "always"

    def open(self, rest, asking):
        return AlwaysJudge(rest)


KIND = Kind()
"""


def test_an_object_with_a_name_and_an_opener_is_a_kind_that_can_do_nothing_more(python: Path, tmp_path: Path) -> None:
    here = setting.make_setting(tmp_path / "here")
    (module,) = python.parents[1].glob("lib/python*/site-packages/markscheme_always.py")
    module.write_text(block("python").partition("KIND = ")[0] + OF_OLD)
    assert listed(python, here) == {"name": "always:…", "usable": True, "why": ""}
    arguments = ("grade", "clear", "-", "--judge", "always:5", "--json")
    graded = markscheme(python, *arguments, cwd=here, answer="answer 1")
    assert json.loads(graded.stdout)["error"] is None
    for option, why in (("--batch", "cannot be asked in batches"), ("--budget=1", "price")):
        refused = markscheme(python, *arguments, option, cwd=here, answer="answer 1")
        assert (refused.returncode, why in refused.stderr) == (2, True), refused.stderr


def test_a_package_that_cannot_be_loaded_spoils_nothing_but_its_own_kind(python: Path, tmp_path: Path) -> None:
    here = setting.make_setting(tmp_path / "here")
    (module,) = python.parents[1].glob("lib/python*/site-packages/markscheme_always.py")
    module.write_text("import no_such_module\n")
    always = listed(python, here)
    assert not always["usable"]
    assert "package markscheme-always cannot be loaded" in always["why"]
    done = markscheme(python, "calibrate", "clear", "--judge", "always:5", cwd=here)
    assert (done.returncode, "No module named 'no_such_module'" in done.stderr) == (2, True)


def test_every_kind_is_named_in_help_and_described() -> None:
    assert [kind.form for kind in SHIPPED_KINDS] == judge_forms().replace(" or ", ", ").split(", ")
    assert all(kind.form.startswith(kind.name) and kind.about for kind in kinds())


CAN: dict[str, Callable[[JudgeKind], bool]] = {
    "batches": lambda kind: kind.batches,
    "rewording rubrics": lambda kind: kind.proposes,
    "probabilities": lambda kind: kind.probabilities,
    "images": lambda kind: kind.sees,
    "free": lambda kind: kind.price(Identity(kind.name)) == Price(0.0, 0.0),
}


def test_the_page_about_judges_says_what_each_kind_can_do() -> None:
    page = (ROOT / "docs" / "howto" / "which-judge.md").read_text(encoding="utf-8")
    for kind in SHIPPED_KINDS:
        (row,) = re.findall(rf"^\|.*`{kind.name}[`:\[].*\|$", page, re.M)
        abilities = {ability.strip() for ability in row.split("|")[-2].split(",")}
        assert abilities & CAN.keys() == {name for name, can in CAN.items() if can(kind)}


def test_no_variable_that_a_kind_reads_is_left_out_of_a_session_s_key() -> None:
    named = [name for kind in kinds() for name in kind.environment]
    assert "ANTHROPIC_API_KEY" in named
    assert all(map(matters, named))
    assert not matters("SHLVL")
