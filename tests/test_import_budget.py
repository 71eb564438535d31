"""The modules that commands and assertions load in a fresh interpreter stay few."""

from collections.abc import Mapping
from dataclasses import is_dataclass
from importlib import import_module
from pathlib import Path

import pytest

from markscheme.commands.table import command_names
from tests.commands import scripted_setting as setting
from tests.loaded import HEAVY, loaded_by, loaded_one_by_one

ROOT = Path(__file__).parents[1]
MODULES_FOR_HELP = 124
DATACLASSES_FOR_HELP = 13
"""What `calibrate --help` may load: a declaration more is fine, a folder of modules is not."""

ON_THE_WAY: dict[str, set[str]] = {
    "import markscheme": set(),
    "from markscheme import Rubric, load_rubric": set(),
    "from markscheme import grade, ScriptedJudge": set(),
    "from markscheme import Grader": set(),
    "import markscheme.promptfoo.assertion": set(),
    "import markscheme.promptfoo.provider": set(),
    "import markscheme.promptfoo.serving": set(),
    "import markscheme.judges.registry": set(),
    "import markscheme.judges.anthropic": set(),
    "from markscheme.judges.registry import open_judge; from markscheme.judges.judge_context import JudgeContext; "
    "open_judge('anthropic', context=JudgeContext(list_prices=True))": set(),
    "import markscheme.stats": set(),
    "from markscheme.stats import Estimate": set(),
    "from markscheme.stats import agreement": {"numpy", "scipy"},
    "import markscheme.ratings.examples": set(),
    "import markscheme.ratings.examples_choice": set(),
    "from markscheme import features": set(),
    "import markscheme.scorers": set(),
    "from markscheme.cli import main; main(['--help'])": set(),
    **{f"from markscheme.cli import main; main([{command!r}, '--help'])": set() for command in command_names()},
}


@pytest.fixture(scope="module")
def light() -> Mapping[str, set[str]]:
    """Return the heavy modules that each statement loads which should load none.

    What a statement loads by itself, it or one before it loads here.
    """
    statements = [statement for statement, heavy in ON_THE_WAY.items() if not heavy]
    loaded = loaded_one_by_one(statements)
    before = [set[str](), *loaded]
    return {
        statement: (after - earlier) & HEAVY
        for statement, after, earlier in zip(statements, loaded, before, strict=False)
    }


@pytest.mark.parametrize("statement", [statement for statement, heavy in ON_THE_WAY.items() if not heavy])
def test_importing_markscheme_or_showing_help_loads_no_heavy_library(
    statement: str, light: Mapping[str, set[str]]
) -> None:
    assert light[statement] == set()


@pytest.mark.parametrize("statement", [statement for statement, heavy in ON_THE_WAY.items() if heavy])
def test_a_command_loads_exactly_the_heavy_libraries_listed_for_it(statement: str) -> None:
    heavy = loaded_by(statement) & HEAVY
    assert heavy - ON_THE_WAY[statement] == set(), "loaded before it is needed"
    assert ON_THE_WAY[statement] - heavy == set(), "no longer loaded: take it off the list, so that it stays away"


def test_help_of_calibrate_loads_few_modules_and_makes_few_dataclasses(tmp_path: Path) -> None:
    """A frozen dataclass costs help about .8 ms, a NamedTuple .1 ms, and PyYAML, `socket` and their like 5 to 10 ms."""
    loaded = loaded_by("from markscheme.cli import main; main(['calibrate', '--help'])", tmp_path)
    ours = {name for name in loaded if name.partition(".")[0] == "markscheme"}
    made = {
        f"{name}.{value.__name__}"
        for name in ours
        for value in vars(import_module(name)).values()
        if isinstance(value, type) and is_dataclass(value) and value.__module__ == name
    }
    assert "markscheme.commands.calibrate" in ours
    assert len(ours) <= MODULES_FOR_HELP
    assert len(made) <= DATACLASSES_FOR_HELP, sorted(made)
    assert not loaded & {"socket", "yaml", "rich", "asyncio", "tomllib", "importlib.metadata"}


def test_grading_by_checks_in_code_alone_loads_no_library_for_statistics(tmp_path: Path) -> None:
    (tmp_path / "r.yaml").write_text("criteria: [{name: form, requirement: It is JSON., check: json_valid}]\n")
    (tmp_path / "in.jsonl").write_text('{"id": "a", "response": "[1]"}\n')
    program = f"main(['grade', {str(tmp_path / 'r.yaml')!r}, {str(tmp_path / 'in.jsonl')!r}, '-o', 'cache=off'])"
    assert not loaded_by(f"from markscheme.cli import main; assert {program} == 0") & HEAVY


def test_a_calibration_from_recorded_replies_loads_no_modules_for_reading_tables_or_for_pages_or_prices() -> None:
    loaded = loaded_by("from markscheme.cli import main; main(['calibrate', 'rubrics/code-quality.yaml', '--quiet'])")
    assert "markscheme.calibration.calibration" in loaded
    of_scipy = loaded_by("import scipy.special")  # a later one brings importlib.metadata itself
    assert not (loaded - of_scipy) & {"pydantic", "genai_prices", "httpx2", "statistics", "importlib.metadata"}
    assert not loaded & {"scipy.optimize", "markscheme.features.improve.weights"}
    readers = {name for name in loaded if name.startswith("markscheme.readers")}
    light = {f"markscheme.readers{name}" for name in ("", ".column_changes", ".file_format", ".plain_tables")}
    assert readers <= light, "features declare theirs in a table"
    assert not {name for name in loaded if name.startswith("markscheme.report.html")}


def test_calibrate_without_an_accepted_run_loads_no_modules_for_drift_or_plots_or_pairs() -> None:
    loaded = loaded_by("from markscheme.cli import main; main(['calibrate', 'rubrics/code-quality.yaml'])")
    assert "markscheme.report.terminal" in loaded
    unneeded = {
        "calibration.accepted.acceptance",
        "features.drift.baseline",
        "calibration.accepted.history",
        "features.pairs.preferences",
        "features.cards.card",
        "report.plot",
        "report.sections.details",
        "features.drift.statistics",
        "features.certify.statistics",
        "features.pairs.davidson",
        "features.decision_models.statistics",
        "stats.reliability",
        "features.improve.selection",
    }
    assert not loaded & {"rich.console", "rich.table", *(f"markscheme.{name}" for name in unneeded)}


def test_calibrating_a_table_loads_no_modules_for_tuning_weights_or_asking_a_judge(tmp_path: Path) -> None:
    rows = [f"e{i},{'pass' if i % 3 else 'fail'},{'pass' if i % 4 else 'fail'}" for i in range(24)]
    (tmp_path / "table.csv").write_text("\n".join(["id,verdict,label", *rows]) + "\n")
    loaded = loaded_by("from markscheme.cli import main; main(['calibrate', 'table.csv', '--quiet'])", tmp_path)
    assert "markscheme.calibration.calibration" in loaded
    assert not loaded & {"scipy.optimize", "markscheme.features.improve.weights", "pydantic", "httpx2", "asyncio"}
    assert not loaded & {f"markscheme.judges.{name}" for name in ("asking", "registry", "provider", "function")}


def test_modules_of_statistics_load_no_scipy_stats() -> None:
    assert "scipy.stats" not in loaded_by("import markscheme.stats")


@pytest.mark.parametrize("module", ["markscheme.promptfoo.entry", "markscheme.hooks"])
def test_the_entry_point_and_the_hooks_for_promptfoo_load_only_the_session_s_client_and_no_heavy_module(
    module: str,
) -> None:
    ours = {"markscheme", "markscheme.seam", "markscheme.session", "markscheme.session.client"} | {
        module,
        module.rpartition(".")[0],
    }
    loaded = loaded_by(f"import {module}")
    assert {name for name in loaded if name.startswith("markscheme")} == ours
    assert not loaded & {"asyncio", "pydantic", "yaml", "importlib.metadata", "dataclasses", "pathlib", "subprocess"}


def test_an_assertion_of_promptfoo_in_its_own_process_loads_no_modules_for_panels_or_batches_or_pairs() -> None:
    loaded = loaded_by("import markscheme.promptfoo.assertion")
    unneeded = {f"markscheme.judges.{name}" for name in ("batching", "choice", "panel", "provider")}
    unneeded.add("markscheme.grading.checks")
    assert not loaded & {*unneeded, "markscheme.features", "decimal", "difflib", "email.utils", "html", "numbers"}


def test_grading_by_a_plain_rubric_loads_no_modules_for_pairs_or_receipts_or_optional_features() -> None:
    grading = "from markscheme import ScriptedJudge, Rubric, grade; import asyncio"
    rubric = "Rubric.from_dict([{'requirement': 'A', 'name': 'a', 'weight': 1}])"
    loaded = loaded_by(
        f"{grading}; assert asyncio.run(grade({rubric}, 'x', ScriptedJudge([{{'a': 'MET'}}]))).score == 1"
    )
    assert "markscheme.grading.by_criterion" in loaded
    unneeded = ("grading.checks", "grading.receipts")
    assert not loaded & {f"markscheme.{name}" for name in (*unneeded, "grading.receipt", "features")}


def test_opening_a_built_in_judge_loads_no_optional_feature() -> None:
    opening = "from markscheme.judges.registry import open_judge; open_judge('anthropic+openai:m')"
    assert "markscheme.features" not in loaded_by(opening)
    assert "markscheme.features" in loaded_by("from markscheme.judges.kinds import kinds; list(kinds())")


def test_importing_a_built_in_scorer_loads_no_optional_feature() -> None:
    loaded = loaded_by("from markscheme.scorers import exact_match, scorer")
    assert "markscheme.grading.checks" in loaded
    assert "markscheme.features" not in loaded


def test_a_command_that_grades_with_a_built_in_judge_loads_no_optional_feature(tmp_path: Path) -> None:
    here = setting.make_setting(tmp_path / "here")
    command = ["grade", "clear", "in.jsonl", "--judge", setting.JUDGE]
    (here / "in.jsonl").write_text('{"id": "a", "response": "answer 1: tone=3 facts=4"}\n')
    loaded = loaded_by(f"from markscheme.cli import main; assert main({command!r}) == 0", here)
    assert "markscheme.grading.by_criterion" in loaded
    assert "markscheme.features" not in loaded


def test_importing_the_package_loads_no_pydantic_and_no_yaml() -> None:
    assert not loaded_by("import markscheme") & {"pydantic", "yaml", "asyncio"}
