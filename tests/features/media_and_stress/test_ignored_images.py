"""A judge that ignores images is named by a stress test, and one that looks at them isn't."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from markscheme.features.stress.battery import StressRun, ask, battery
from markscheme.features.stress.options import StressOptions
from markscheme.features.stress.result import Stress, stress_of
from markscheme.features.stress.view import callout, json_of
from markscheme.judges.function import FunctionJudge
from markscheme.judges.sight import Unprobed
from markscheme.ratings.examples import load_examples
from tests.features.media.charts import RUBRIC, believes, counts, write_charts


@pytest.fixture(scope="module")
def charts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Charts with claims about them."""
    return write_charts(tmp_path_factory.mktemp("charts"))


def stressed(charts: Path, judge: Callable[..., Any], folder: Path) -> Stress:
    """The result of a stress run over thirty of the charts."""
    options = StressOptions(n=30, originals=1)
    made = battery(RUBRIC, load_examples(charts, RUBRIC).examples, "m", options)
    function_judge = Unprobed(FunctionJudge(judge, f"function:{judge.__name__}"))
    grades = asyncio.run(
        ask(made, function_judge, StressRun.begin(folder, made.key(function_judge)), concurrency=8, step=lambda: None)
    )
    return stress_of(made, grades)


def test_a_judge_that_ignores_the_image_is_named_with_what_it_overlooked(charts: Path, tmp_path: Path) -> None:
    result = stressed(charts, believes, tmp_path)
    assert result.ignored_parts == ("blank-image", "swapped-image")
    assert result.is_moved
    assert callout(result).head == "This judge doesn't look at the images."
    assert json_of(result)["ignored_parts"] == ["blank-image", "swapped-image"]


def test_a_judge_that_counts_what_it_sees_is_not(charts: Path, tmp_path: Path) -> None:
    result = stressed(charts, counts, tmp_path)
    assert result.ignored_parts == ()
    assert "look" not in callout(result).head


def test_without_images_nothing_is_asked_in_addition(charts: Path) -> None:
    plain = load_examples(charts, RUBRIC).examples
    made = battery(RUBRIC, plain, "m", StressOptions(n=30, only=("whitespace",)))
    assert made.part_changes == ()
    assert made.submissions == {}
