"""A judge that ignores images is named by a stress test, and one that looks at them isn't."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from markscheme.features.media.media import Media
from markscheme.features.stress.battery import CONTROL, ask, battery, begin_run
from markscheme.features.stress.options import StressOptions
from markscheme.features.stress.result import Stress, stress_of
from markscheme.features.stress.view import callout, json_of, view
from markscheme.judges.function import FunctionJudge
from markscheme.judges.sight import Unprobed
from markscheme.ratings.examples import load_examples
from tests.features.media.charts import RUBRIC, believes, counts, write_charts

N_ASKED = 30
SMALL_HEIGHT = 150


def counts_large(system_prompt: str, user_prompt: str, parts: Sequence[Media]) -> Mapping[str, Any]:
    """A judge that sees no square in a small chart."""
    height = int.from_bytes(parts[0].content[20:24], "big")
    is_small = height <= SMALL_HEIGHT
    return counts(system_prompt, user_prompt.replace("There are ", "There are 1") if is_small else user_prompt, parts)


@pytest.fixture(scope="module")
def charts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Charts with claims about them."""
    return write_charts(tmp_path_factory.mktemp("charts"))


def stressed(charts: Path, judge: Callable[..., Any], folder: Path) -> Stress:
    """The result of a stress run over thirty of the charts."""
    options = StressOptions(n=N_ASKED, originals=1)
    made = battery(RUBRIC, load_examples(charts, RUBRIC).examples, "m", options)
    function_judge = Unprobed(FunctionJudge(judge, f"function:{judge.__name__}"))
    run = begin_run(folder, made.key(function_judge))
    grades = asyncio.run(ask(made, function_judge, run, concurrency=8, step=lambda: None))
    return stress_of(made, grades)


def test_a_judge_that_ignores_the_image_is_named_with_what_it_overlooked(charts: Path, tmp_path: Path) -> None:
    result = stressed(charts, believes, tmp_path)
    assert result.ignored_parts == ("blank-image", "swapped-image")
    assert result.is_moved
    assert callout(result).head == "This judge doesn't look at the images."
    assert json_of(result)["ignored_parts"] == ["blank-image", "swapped-image"]
    assert [sum(result.moved(name, name)) for name in result.ignored_parts] == [0, 0]


@pytest.mark.proof
def test_a_judge_that_counts_what_it_sees_is_not_said_to_ignore_images_and_rates_half_sized_charts_as_before(
    charts: Path, tmp_path: Path
) -> None:
    result = stressed(charts, counts, tmp_path)
    assert result.ignored_parts == ()
    assert "look" not in callout(result).head
    assert not any(result.moved("blank-image", CONTROL))
    assert all(sum(result.moved(name, name)) >= 10 for name in ("blank-image", "swapped-image"))
    (cell,) = result.rows["downscaled"].values()
    assert (cell.shift.value, cell.shift.n, cell.state) == (0.0, N_ASKED, "holds")


@pytest.mark.proof
def test_a_judge_of_fine_print_is_shown_to_be_moved_by_charts_of_half_the_size(charts: Path, tmp_path: Path) -> None:
    result = stressed(charts, counts_large, tmp_path)
    assert ("downscaled", "right") in {moved[:2] for moved in result.findings}
    assert all(moved.id for moved in result.most["downscaled", "right"])
    document = view(result, "function:counts_large")
    assert "downscaled: each image at half its width and height" in str(document)
    assert "blank-image (a white image of the same size in place of each image) changes the rating of" in str(document)


def test_without_images_nothing_is_asked_in_addition(charts: Path) -> None:
    plain = load_examples(charts, RUBRIC).examples
    made = battery(RUBRIC, plain, "m", StressOptions(n=30, only=("whitespace",)))
    assert made.part_changes == ()
    assert made.submissions == {}
