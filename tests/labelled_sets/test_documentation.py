"""The labelled set for documentation: its labels are what its fault table gives, and its examples run as labelled."""

import os
import re
import subprocess
import sys
import textwrap
from collections import defaultdict
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from tests.labelled_sets.fault_table import (
    contradictions,
    level_correlation,
    level_shares,
    load_set,
    weighted_scores,
)
from tests.real.promptfoo import NODE

LABELLED = load_set("documentation")
WEIGHTS = {"accuracy": 0.4, "completeness": 0.25, "clarity": 0.2, "examples": 0.15}
PASS_MARK = 0.65
CODE_FAILS, OUTPUT_DIFFERS = "broken-example", "wrong-output"
A_DAY_IN_2020 = 1_600_000_000


def test_labels_faults_ids_and_responses_agree_with_the_data_card() -> None:
    assert contradictions(LABELLED, list(WEIGHTS)) == []


def test_every_label_is_constructed_and_names_every_criterion() -> None:
    for example in LABELLED.examples:
        (label,) = example["labels"]
        assert (label["rater"], label["kind"]) == ("construction", "constructed")
        assert label["criteria"].keys() == WEIGHTS.keys()


def test_each_task_has_one_query_one_good_text_and_others_with_one_to_four_faults() -> None:
    groups = defaultdict(list)
    for example in LABELLED.examples:
        groups[example["group"]].append(example)
    assert 9 <= len(groups) <= 11
    assert len(LABELLED.examples) >= 44
    for members in groups.values():
        assert len({member["query"] for member in members}) == 1
        assert len({member["system"] for member in members}) == len(members)
        assert sum(levels_lost(member) <= 1 for member in members) == 1
        assert all(len(member["faults"]) <= 4 for member in members)


def levels_lost(example: dict[str, Any]) -> int:
    """What the faults of `example` cost over all criteria."""
    return sum(sum(LABELLED.table[fault].values()) for fault in example["faults"])


def test_texts_have_between_8_and_45_lines() -> None:
    lengths = {example["id"]: len(example["response"].splitlines()) for example in LABELLED.examples}
    assert {key: length for key, length in lengths.items() if not 8 <= length <= 45} == {}


@pytest.mark.parametrize("criterion", WEIGHTS)
def test_levels_spread_over_the_whole_scale(criterion: str) -> None:
    shares = level_shares(LABELLED, criterion)
    assert all(0.08 <= share <= 0.45 for share in shares.values()), shares


@pytest.mark.parametrize(("one", "other"), list(combinations(WEIGHTS, 2)))
def test_criteria_do_not_rise_and_fall_together(one: str, other: str) -> None:
    assert abs(level_correlation(LABELLED, one, other)) < 0.6


def test_scores_lie_on_both_sides_of_the_pass_mark_and_none_on_it() -> None:
    scores = weighted_scores(LABELLED, WEIGHTS)
    assert min(scores) <= 0.1
    assert max(scores) == pytest.approx(1)
    assert 0.3 <= sum(score >= PASS_MARK for score in scores) / len(scores) <= 0.7
    assert min(abs(score - PASS_MARK) for score in scores) > 0.01


def of_task(group: str) -> list[Any]:
    """The examples of a task that hold an example of their own, as parameters named by id."""
    return [
        pytest.param(example, id=example["id"])
        for example in LABELLED.examples
        if example["group"] == group and "no-example" not in example["faults"]
    ]


def fenced(text: str, language: str) -> str:
    """The first block of `language` in `text`, its fence and the stars of a comment taken off."""
    plain = re.sub(r"(?m)^ \* ?", "", text)
    found = re.search(rf"```{language}\n(.*?)```", plain, re.DOTALL)
    assert found, f"no {language} block in {text[:60]!r}"
    return found[1]


def run(*command: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """What `command` gives in `folder`, where it finds Node and of our environment nothing but `environment`."""
    settings = {"PATH": f"{NODE.parent}{os.pathsep}{os.environ['PATH']}", **environment}
    return subprocess.run(command, cwd=folder, env=settings, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("example", of_task("retry-docstring"))
def test_python_examples_give_what_they_show(example: dict[str, Any], tmp_path: Path) -> None:
    package = tmp_path / "httpkit"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "retrying.py").write_text(fenced(example["query"], "python"), encoding="utf-8")
    docstring = textwrap.dedent(example["response"].strip().strip('"'))
    (tmp_path / "docstring.txt").write_text(docstring, encoding="utf-8")
    done = run(sys.executable, "-m", "doctest", "docstring.txt", folder=tmp_path, PYTHONPATH=str(tmp_path))
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize("example", of_task("map-limit-tsdoc"))
def test_typescript_examples_give_what_they_show(example: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "map-limit.ts").write_text(fenced(example["query"], "ts"), encoding="utf-8")
    snippet = fenced(example["response"], "ts")
    (tmp_path / "snippet.ts").write_text(snippet, encoding="utf-8")
    done = run("node", "--no-warnings", "snippet.ts", folder=tmp_path)
    assert (done.returncode, done.stdout.splitlines()) == (0, re.findall(r"// (.*)", snippet)), done.stderr


@pytest.mark.parametrize("example", of_task("config-readme"))
def test_commands_of_the_readme_start_the_service_unless_labelled_otherwise(
    example: dict[str, Any], tmp_path: Path
) -> None:
    config, main = fenced(example["query"], "js").split("// main.js\n")
    (tmp_path / "config.js").write_text(config, encoding="utf-8")
    (tmp_path / "main.js").write_text(main, encoding="utf-8")
    (tmp_path / "server.js").write_text("export async function startServer() {}\n", encoding="utf-8")
    (tmp_path / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    command, shown = fenced(example["response"], "console").removeprefix("$ ").split("\n", 1)
    done = run("bash", "-c", command, folder=tmp_path)
    assert (done.returncode != 0) == (CODE_FAILS in example["faults"])
    assert (done.stdout != shown) == bool({CODE_FAILS, OUTPUT_DIFFERS} & set(example["faults"]))


@pytest.mark.parametrize("example", of_task("prune-logs-help"))
def test_commands_of_the_help_text_prune_unless_labelled_otherwise(example: dict[str, Any], tmp_path: Path) -> None:
    script = tmp_path / "prune-logs"
    script.write_text(fenced(example["query"], "bash"), encoding="utf-8")
    script.chmod(0o755)
    commands = re.findall(r"^ *(?:\$ )?(prune-logs [-/]\S.*)$", example["response"], re.MULTILINE)
    assert commands
    for command in commands:
        here = re.sub(r"(?<= )/", f"{tmp_path}/", command)
        for folder in re.findall(rf"{re.escape(str(tmp_path))}\S+", here):
            Path(folder).mkdir(parents=True, exist_ok=True)
        *_, pruned = re.findall(rf"{re.escape(str(tmp_path))}\S+", here)
        log = Path(pruned, "old.log")
        log.touch()
        os.utime(log, (A_DAY_IN_2020, A_DAY_IN_2020))
        done = run("bash", "-c", f"./{here}", folder=tmp_path)
        fails = CODE_FAILS in example["faults"]
        assert (done.returncode != 0, log.exists()) == (fails, fails), done.stderr
