"""Kinds of judge: what help, status, errors and sessions say about each, and a kind that an installed package adds."""

import ast
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from markscheme import Rubric
from markscheme.judges.judge import Identity
from markscheme.judges.kinds import JudgeKind, judge_forms, kind_of, kinds, shipped_kinds
from markscheme.judges.options import AskOptions
from markscheme.judges.price import Price
from markscheme.session.client import matters
from tests.commands import scripted_setting as setting
from tests.commands.console import ROOT
from tests.judges.recipe_package import Command, block, environment_with_package, in_turn, replace_module


@pytest.fixture
def python(tmp_path: Path) -> Path:
    """Make an environment with markscheme and the recipe's package; return its interpreter."""
    return environment_with_package(tmp_path)


@pytest.mark.proof
def test_calibrate_can_use_the_judge_from_the_example_package_of_the_documentation(
    python: Path, tmp_path: Path
) -> None:
    here = setting.make_setting(tmp_path / "here")
    done, wrong, unknown = in_turn(
        python,
        here,
        Command(("calibrate", "clear", "--judge", "always:5", "--json", "-"), variables={"ALWAYS_ALLOWED": "1"}),
        Command(("calibrate", "clear", "--judge", "alway:5")),
        Command(("calibrate", "clear", "--judge", "nobody")),
    )
    report = json.loads(done.stdout)
    assert (report["judge"]["name"], report["judge"]["source"]) == ("always:5", "live")
    assert (report["counts"]["graded"], report["cost"]["calls"]) == (60, 120)
    assert report["overall"]["signed_error"]["value"] > 0
    assert wrong.returncode == 2
    assert "did you mean 'always'?" in wrong.stderr
    assert "always:…" in unknown.stderr


def test_an_installed_judge_that_says_it_is_free_works_within_a_budget(python: Path, tmp_path: Path) -> None:
    here = setting.make_setting(tmp_path / "here")
    arguments = ("calibrate", "clear", "--judge", "always:5", "--budget", "0.01", "--json", "-")
    (done,) = in_turn(python, here, Command(arguments))
    assert json.loads(done.stdout)["counts"]["graded"] == 60, done.stderr


OF_OLD = """
class Kind:
    name = "always"

    def open(self, rest, asking):
        return AlwaysJudge(rest)


KIND = Kind()
"""


def test_an_installed_judge_that_declares_only_a_name_and_an_opener_supports_neither_batches_nor_budgets(
    python: Path, tmp_path: Path
) -> None:
    here = setting.make_setting(tmp_path / "here")
    replace_module(python, block("python").partition("KIND = ")[0] + OF_OLD)
    arguments = ("grade", "clear", "-", "--judge", "always:5", "--json")
    graded, batched, budgeted = in_turn(
        python,
        here,
        *(Command((*arguments, *option), "answer 1") for option in ((), ("--batch",), ("--budget=1",))),
    )
    assert json.loads(graded.stdout)["error"] is None
    for refused, why in ((batched, "cannot be asked in batches"), (budgeted, "price")):
        assert (refused.returncode, why in refused.stderr) == (2, True), refused.stderr


def test_a_package_that_cannot_be_loaded_affects_only_its_own_kind_of_judge(python: Path, tmp_path: Path) -> None:
    here = setting.make_setting(tmp_path / "here")
    replace_module(python, "import no_such_module\n")
    (done,) = in_turn(python, here, Command(("calibrate", "clear", "--judge", "always:5")))
    assert (done.returncode, "No module named 'no_such_module'" in done.stderr) == (2, True)


def test_every_kind_of_judge_is_named_and_described_in_help() -> None:
    assert [kind.spelling for kind in shipped_kinds()] == judge_forms().replace(" or ", ", ").split(", ")
    assert all(kind.spelling.startswith(kind.name) and kind.about for kind in kinds())


CAN: dict[str, Callable[[JudgeKind], bool]] = {
    "batches": lambda kind: kind.batches,
    "rewording rubrics": lambda kind: kind.proposes,
    "probabilities": lambda kind: kind.probabilities,
    "images": lambda kind: kind.sees("image") is True,
    "free": lambda kind: kind.price(Identity(kind.name)) == Price(0.0, 0.0),
}


def test_the_page_about_judges_says_what_each_kind_can_do() -> None:
    page = (ROOT / "docs" / "howto" / "which-judge.md").read_text(encoding="utf-8")
    for kind in shipped_kinds():
        (row,) = re.findall(rf"^\|.*`{kind.name}[`:\[].*\|$", page, re.M)
        abilities = {ability.strip() for ability in row.split("|")[-2].split(",")}
        assert abilities & CAN.keys() == {name for name, can in CAN.items() if can(kind)}


def test_a_change_of_any_environment_variable_that_a_kind_of_judge_reads_leads_to_another_session() -> None:
    named = [name for kind in kinds() for name in kind.environment]
    assert "ANTHROPIC_API_KEY" in named
    assert all(map(matters, named))
    assert not matters("SHLVL")


# --- what a kind says of itself, and what is looked up nowhere else ---------------------------------------------------

NO_KINDS = {
    ("features/certify/check.py", "decisions"): "a key of a certificate",
    ("judges/function.py", "decisions"): "a key of a function's answer",
    ("judges/recorded.py", "recorded"): "a key of a recorded reply: its date",
    ("readers/promptfoo.py", "decisions"): "a form of Promptfoo's expected answers",
    ("report/sections/run.py", "recorded"): "a source of ratings",
    ("features/cards/view.py", "decisions"): "a key of a card's figures",
    ("prompts/steps.py", "function"): "a role in a conversation",
    ("grading/verdict.py", "decisions"): "a key of an answer",
    ("features/certify/certificate_file.py", "decisions"): "a key of the certificate",
    ("features/media/probe.py", "decisions"): "a key of an answer",
    ("features/pass_rate/rates_of_files.py", "decisions"): "what is expected of a file",
}
"""Words that code compares with, which happen to be names of kinds."""


def compared_texts(text: str) -> set[str]:
    """Return the texts that code compares a value with, by operators, match cases or prefixes."""
    compared: list[ast.expr] = []
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Compare(left=left, comparators=comparators):
                compared += [left, *comparators]
            case ast.MatchValue(value=pattern):
                compared.append(pattern)
            case ast.Call(func=ast.Attribute(attr="startswith" | "removeprefix" | "get"), args=arguments):
                compared += arguments
    constants = (node for expression in compared for node in ast.walk(expression) if isinstance(node, ast.Constant))
    return {constant.value for constant in constants if isinstance(constant.value, str)}


def test_no_module_of_the_package_compares_judges_names_instead_of_asking_for_their_kind() -> None:
    source = ROOT / "src" / "markscheme"
    names = {kind.name for kind in shipped_kinds()}
    texts = {path.relative_to(source).as_posix(): path.read_text(encoding="utf-8") for path in source.rglob("*.py")}
    names_one = re.compile(rf"""["'](?:{"|".join(names)}):*["']""")
    naming = {module: code for module, code in texts.items() if names_one.search(code)}  # parsing all takes a second
    compared = {(module, text.rstrip(":")) for module, code in naming.items() for text in compared_texts(code)}
    assert {place for place in compared if place[1] in names} == {
        place for place in NO_KINDS if place[0] in texts and place[1] in names
    }
    assert not [module for module, code in texts.items() if re.search(r"\b[A-Z]+_KIND\b.*judges\.kinds", code)]


def test_the_search_for_code_that_compares_judges_names_finds_every_form_of_comparison() -> None:
    code = """
if name == "a" or name in ("b",) or name.startswith(("c:", "d")) or by_kind.get("e"):
    match name:
        case "f":
            print("g")
"""
    assert compared_texts(code) == {"a", "b", "c:", "d", "e", "f"}


def test_a_panel_of_judges_counts_as_the_kind_of_judge_that_its_first_member_is() -> None:
    assert kind_of("anthropic+openai:m") is kind_of("anthropic")
    assert kind_of("anthropic+ openai:m") is kind_of("anthropic")
    assert [kind_of(name) for name in ("nobody+openai:m", "anthropic+nobody:m", "anthropic+")] == [None] * 3


ARCHIVE = """
from markscheme.judges.kinds import JudgeKind
from markscheme.judges.scripted import ScriptedJudge

KIND = JudgeKind(
    "archive",
    lambda rest, asking: ScriptedJudge((), name=f"archive:{rest}"),
    asks=False,
    file_of=lambda rubric, folder: folder / f"{rubric}.zip",
)
"""


def test_an_installed_kind_of_judge_may_look_up_a_file_by_the_rubric_s_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "archived_judge.py").write_text(ARCHIVE)
    about = tmp_path / "archived_judge-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: archived-judge\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[markscheme.judges]\narchive = archived_judge:KIND\n")
    monkeypatch.syspath_prepend(tmp_path)
    rubric = Rubric.from_dict({"name": "truth", "criteria": [{"requirement": "A"}]})
    names = ("archive", "archive:elsewhere.zip")
    judges = [AskOptions(judge=name).judge_for(rubric, [], Path("here")) for name in names]
    assert [judge.identity.name for judge in judges] == ["archive:here/truth.zip", "archive:elsewhere.zip"]
