"""The limits of images, set on the command line, in Promptfoo, in pytest and from Python: each refuses the image."""

import asyncio
import base64
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from markscheme import Grader, Rubric, ScriptedJudge, Submission
from markscheme.assert_grade import AssertGrade, Background, pytest_source
from markscheme.calibration.api import calibrate
from markscheme.cli import main
from markscheme.errors import MarkschemeError, UsageError
from markscheme.features.media.options import MediaOptions
from markscheme.options.settings import find_settings
from markscheme.options.table import read_options
from markscheme.promptfoo.assertion import assess
from markscheme.promptfoo.engine import Engine
from markscheme.promptfoo.provider import respond
from tests.features.media.files import PNG_FILE, data_url

LIMIT: Mapping[str, Any] = {"max_image_mb": 0.0001}
TYPED = "max_image_mb=0.0001"
REFUSED = "more than 0.0001 MB, which is the limit"
WRITTEN = {"inputs": ["chart"], "criteria": [{"name": "right", "requirement": "It is right"}]}
RUBRIC = Rubric.from_dict(WRITTEN)
CHART = {"image": data_url(PNG_FILE, "image/png")}
LOADED = base64.b64encode(PNG_FILE).decode()
"""An image in a var, as Promptfoo loads it."""


def judge() -> ScriptedJudge:
    """Return a scripted judge that passes everything."""
    return ScriptedJudge([{"right": "MET"}] * 4)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder with a rubric, and with labelled examples and a response that contain images."""
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "charts.yaml").write_text(json.dumps(WRITTEN))
    label = {"rater": "ann", "kind": "human", "criteria": {"right": "MET"}}
    rows = [{"id": f"e{n}", "response": f"reply {n}", "inputs": {"chart": CHART}, "labels": [label]} for n in range(3)]
    (tmp_path / "examples.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    (tmp_path / "outputs.jsonl").write_text(json.dumps({"id": "o", "response": "Two.", "chart": CHART}) + "\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _graded(**options: Any) -> None:
    with Grader(RUBRIC, judge(), **options) as grader:
        grader.grade_sync("Two.", chart=CHART)


def _graded_rows(**options: Any) -> None:
    with Grader(RUBRIC, judge(), **options) as grader:
        grader.grade_rows([{"id": "o", "response": "Two.", "chart": CHART}])


def _awaited(**options: Any) -> None:
    async def grade() -> None:
        with Grader(RUBRIC, judge(), **options) as grader:
            await grader.grade("Two.", chart=CHART)

    asyncio.run(grade())


def _asserted(**options: Any) -> None:
    AssertGrade(Background(), [], Path.cwd(), lambda _name, _value: None)(
        "Two.", RUBRIC, judge=judge(), inputs={"chart": CHART}, calibration="off", **options
    )


def _asserted_by_pytest(**options: Any) -> None:
    source = pytest_source(None, [f"{key}={value}" for key, value in options.items()], "--markscheme-option")
    AssertGrade(Background(), [source], Path.cwd(), lambda _name, _value: None)(
        "Two.", RUBRIC, judge=judge(), inputs={"chart": CHART}, calibration="off"
    )


def _calibrated(**options: Any) -> None:
    calibrate(RUBRIC, "examples.jsonl", judge(), **options)


ROUTES: Mapping[str, Callable[..., None]] = {
    "Grader.grade_sync": _graded,
    "Grader.grade_rows": _graded_rows,
    "Grader.grade": _awaited,
    "assert_grade": _asserted,
    "pytest's command line": _asserted_by_pytest,
    "calibrate()": _calibrated,
}


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("route", ROUTES)
def test_an_image_limit_given_to_a_python_call_applies_only_to_that_call(route: str) -> None:
    ROUTES[route]()
    with pytest.raises(MarkschemeError, match=REFUSED):
        ROUTES[route](**LIMIT)
    assert Submission(CHART).response


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "words",
    [
        ["grade", "charts", "outputs.jsonl", "--judge", "replies"],
        ["calibrate", "charts", "--examples", "examples.jsonl", "--judge", "replies"],
        ["stress", "charts", "--examples", "examples.jsonl", "--judge", "replies"],
        ["label", "charts", "--pool", "outputs.jsonl", "--next", "1", "--to", "next.jsonl"],
    ],
    ids=lambda words: words[0],
)
def test_a_limit_on_images_that_the_o_option_sets_is_applied(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    main([*words[:-1], "recorded:none.jsonl", "-o", TYPED] if words[-1] == "replies" else [*words, "-o", TYPED])
    assert REFUSED in capsys.readouterr().err


@pytest.mark.parametrize("route", ["assertion", "provider"])
def test_an_image_limit_in_promptfoo_s_config_is_applied(route: str, folder: Path) -> None:
    def answer(config: Mapping[str, Any]) -> str:
        engine = Engine([])
        if route == "assertion":
            context = {"vars": {"chart": LOADED}, "config": {"rubric": "charts", **config}}
            return str(asyncio.run(assess("Two.", context, near=folder, engine=engine)))
        context = {"vars": {"output": "Two.", "rubric": "charts", "chart": LOADED}}
        return str(asyncio.run(respond("", {"config": dict(config)}, context, near=folder, engine=engine)))

    recorded = {"judge": "recorded:none"}
    assert REFUSED in answer({**recorded, **LIMIT})
    assert REFUSED not in answer(recorded)
    assert "config.max_image_mb must be a number above 0" in answer({**recorded, "max_image_mb": "many"})


@pytest.mark.parametrize(
    "written", ['"cdn.example.com img.example.com"', '["cdn.example.com", "img.example.com"]'], ids=["text", "list"]
)
def test_the_media_hosts_setting_may_be_a_list_of_hosts_or_one_text_with_all_hosts(written: str, folder: Path) -> None:
    (folder / "markscheme.toml").write_text(f"media_hosts = {written}\n", encoding="utf-8")
    settings = find_settings(folder)
    assert read_options(MediaOptions, settings.source_of(MediaOptions)).hosts == {"cdn.example.com", "img.example.com"}


def test_an_invalid_host_name_in_the_media_hosts_setting_is_refused_with_file_and_line_and_key(folder: Path) -> None:
    (folder / "markscheme.toml").write_text("\nmedia_hosts = 'cdn.example.com b!'\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"markscheme\.toml:2: `media_hosts` must be names of hosts"):
        find_settings(folder)


def test_the_media_hosts_setting_is_refused_if_it_holds_a_number(folder: Path) -> None:
    (folder / "markscheme.toml").write_text("media_hosts = [80]\n", encoding="utf-8")
    with pytest.raises(UsageError, match="must be names of hosts"):
        find_settings(folder)
