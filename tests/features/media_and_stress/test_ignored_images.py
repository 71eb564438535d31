"""A judge that ignores images is named by a stress test, and one that looks at them isn't."""

import html
import json
import re
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from tests.commands.console import run
from tests.features.media.charts import write_charts

N_ASKED = 30
CHANGES_OF_IMAGES = ("blank-image", "swapped-image")
RUBRIC = "inputs: [chart]\ncriteria: [{name: right, requirement: The number of squares is right}]\n"
JUDGES = """
from tests.features.media.charts import believes, counts

SMALL_HEIGHT = 150

def counts_large(system_prompt, user_prompt, parts):
    height = int.from_bytes(parts[0].content[20:24], "big")
    seen = user_prompt.replace("There are ", "There are 1") if height <= SMALL_HEIGHT else user_prompt
    return counts(system_prompt, seen, parts)

for judge in (believes, counts, counts_large):
    judge.environment = ()
"""
"""One never looks, one counts the squares of every chart, and one sees no square in a small chart."""


@pytest.fixture(scope="module")
def charts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a project with a rubric about charts, charts with claims about them, and judges."""
    folder = tmp_path_factory.mktemp("charts")
    examples = folder / "calibration" / "charts"
    examples.mkdir(parents=True)
    write_charts(examples)
    (folder / "rubrics").mkdir()
    (folder / "rubrics" / "charts.yaml").write_text(RUBRIC)
    (folder / "eyes.py").write_text(JUDGES)
    return folder


def stress(charts: Path, judge: str, *options: str) -> CompletedProcess[str]:
    """Run a stress test over thirty of the charts, without a sight test of the judge."""
    asking = ("--judge", f"function:eyes:{judge}", "--originals", "1", "--n", str(N_ASKED), "-o", "probe=off")
    env = {"MARKSCHEME_CACHE": str(charts / "cache")}
    return run("markscheme", "stress", "charts", *asking, *options, cwd=charts, env=env)


def stressed(charts: Path, judge: str) -> tuple[int, Any, str]:
    """Return the exit status of a stress test, its result, and the text of its page."""
    done = stress(charts, judge, "--json", "--html", f"{judge}.html")
    assert done.returncode in (0, 1), done.stderr
    page = (charts / f"{judge}.html").read_text(encoding="utf-8").partition("<main")[2]
    text = html.unescape(re.sub(r"<[^>]*>", " ", page))
    return done.returncode, json.loads(done.stdout), " ".join(text.split())


def rated_otherwise(page: str) -> dict[str, tuple[int, int]]:
    """Return how many ratings changed with each change of images, and how many changed when just asked again."""
    moved = re.findall(
        rf"([\w-]+) \([^()]*\) changes the rating of (\d+) of {N_ASKED} examples; asking again, of (\d+)\.", page
    )
    return {change: (int(changed), int(again)) for change, changed, again in moved}


def test_a_stress_test_reports_a_judge_that_ignores_images_and_names_the_changes_it_did_not_notice(
    charts: Path,
) -> None:
    status, result, page = stressed(charts, "believes")
    assert status == 1
    assert "This judge doesn't look at the images." in page
    assert result["ignored_parts"] == [*CHANGES_OF_IMAGES]
    assert rated_otherwise(page) == dict.fromkeys(CHANGES_OF_IMAGES, (0, 0))


@pytest.mark.proof
def test_a_judge_that_reads_charts_is_not_reported_to_ignore_images(
    charts: Path,
) -> None:
    status, result, page = stressed(charts, "counts")
    assert (status, result["ignored_parts"]) == (0, [])
    assert "doesn't look" not in page
    moved = rated_otherwise(page)
    assert moved.keys() == set(CHANGES_OF_IMAGES)
    assert all(changed >= 10 and again == 0 for changed, again in moved.values())
    (cell,) = result["rows"]["downscaled"].values()
    assert (cell["shift"]["value"], cell["shift"]["n"], cell["state"]) == (0.0, N_ASKED, "holds")


@pytest.mark.proof
def test_a_stress_test_reports_a_judge_whose_levels_change_if_charts_are_halved_in_size(
    charts: Path,
) -> None:
    status, result, page = stressed(charts, "counts_large")
    assert (status, result["rows"]["downscaled"]["right"]["state"]) == (1, "finding")
    assert re.search(r"downscaled · right c\d+: −1\.00 levels", page), "examples that moved are named"
    assert "downscaled: each image at half its width and height" in page
    assert "blank-image (a white image of the same size in place of each image) changes the rating of" in page


def test_a_stress_test_limited_to_a_change_of_text_asks_nothing_about_changed_images(charts: Path) -> None:
    done = stress(charts, "believes", "--only-changes", "whitespace", "--plan")
    assert done.returncode == 0, done.stderr
    assert f"{N_ASKED} examples, 1 change. {3 * N_ASKED} calls" in done.stdout, "as they are, once more, and changed"
    assert not any(change in done.stdout for change in CHANGES_OF_IMAGES)


def test_the_command_printed_after_a_stress_test_repeats_the_option_that_turns_the_test_image_off(charts: Path) -> None:
    done = stress(charts, "believes", "--only-changes", "whitespace")
    assert "Next: markscheme calibrate charts --judge function:eyes:believes -o probe=off" in done.stdout
