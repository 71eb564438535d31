"""Opening of judges by name, and choice of a judge if none is named."""

import asyncio
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from markscheme import Rubric, Submission
from markscheme.errors import NoJudge, UsageError
from markscheme.grading import Grading, questions
from markscheme.judges.batching import Batching
from markscheme.judges.choice import choose_judge
from markscheme.judges.judge import Judge, replying
from markscheme.judges.judge_context import JudgeContext
from markscheme.judges.limited import Limited
from markscheme.judges.recorded import RecordedJudge
from markscheme.judges.registry import open_judge
from markscheme.judges.remembering import Memory, Remembering
from markscheme.judges.scripted import ScriptedJudge
from markscheme.seam import features, offer
from tests.judges.asking import asked

RUBRIC = Rubric.from_dict({"name": "r", "criteria": [{"requirement": "Polite"}]})
PROMPTS = questions(RUBRIC, Submission("a"))


@pytest.fixture
def context(tmp_path: Path) -> JudgeContext:
    return JudgeContext(memory=Memory(tmp_path / "cache"))


def recording(folder: Path, fingerprint: str) -> Path:
    folder.mkdir(exist_ok=True)
    line = {"fingerprint": fingerprint, "judge": "j", "model": "m", "text": "x"}
    (folder / "j.jsonl").write_text(json.dumps(line) + "\n")
    return folder


@pytest.mark.parametrize(
    ("name", "judge", "model"),
    [
        ("anthropic", "anthropic", "claude-sonnet-5-5"),
        ("anthropic:claude-haiku-5-5", "anthropic", "claude-haiku-5-5"),
        ("openai:gpt-5-mini", "openai:gpt-5-mini", "gpt-5-mini"),
    ],
)
def test_a_judge_opened_by_name_has_limits_on_calls_and_a_cache_of_replies(
    context: JudgeContext, name: str, judge: str, model: str
) -> None:
    opened = open_judge(name, context=context)
    assert isinstance(opened, Remembering)
    assert isinstance(opened.judge, Limited)
    assert (opened.identity.name, opened.identity.model) == (judge, model)


def test_a_judge_that_is_opened_without_a_cache_keeps_no_reply() -> None:
    assert isinstance(open_judge("anthropic", context=JudgeContext(memory=None)), Limited)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("oracle", r"unknown judge 'oracle'; expected anthropic\[:MODEL\], openai:MODEL, "),
        ("antropic:m", "unknown judge 'antropic:m'; did you mean 'anthropic'?"),
        ("anthropic+claude-haiku-4-5", r"unknown judge 'anthropic\+claude-haiku-4-5'"),
        ("anthropic+opnai:m", r"unknown judge 'anthropic\+opnai:m'"),
        ("anthropic+", r"unknown judge 'anthropic\+'"),
        ("openai", "doesn't name the model; expected openai:MODEL"),
        ("recorded", "doesn't name the file; expected recorded:PATH"),
        ("function:json", "doesn't name module and function"),
        ("function:json:nothing", "cannot import function 'nothing' of module 'json'"),
        ("function:no_such_module:f", "cannot import function 'f' of module 'no_such_module'"),
    ],
)
def test_an_unknown_kind_of_judge_is_refused(context: JudgeContext, name: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        open_judge(name, context=context)


Opening: TypeAlias = Callable[[str, str | None], Judge]


@pytest.fixture
def opening(context: JudgeContext, monkeypatch: pytest.MonkeyPatch) -> Opening:
    """Return a function that opens a judge by name, with no API key set."""
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    return lambda name, model: open_judge(name, model=model, context=context)


def test_the_judge_that_the_rubric_names_is_preferred_to_the_default_judge(
    opening: Opening, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    rubric = Rubric.from_dict({"judge": {"name": "openai", "model": "m"}, "criteria": [{"requirement": "Polite"}]})
    judge = choose_judge(rubric, PROMPTS, None, opening)
    assert (judge.identity.name, judge.identity.model) == ("openai:m", "m")


def test_if_code_decides_every_criterion_no_judge_is_opened(opening: Opening) -> None:
    checks = Rubric.from_dict(
        {"judge": {"name": "anthropic"}, "criteria": [{"requirement": "A", "check": "json_valid"}]}
    )
    judge = choose_judge(checks, [], None, opening)
    assert judge.identity.name == "code"
    graded = asyncio.run(Grading(checks, judge).grade(Submission("[1]")))
    assert (graded.score, graded.usage.calls) == (1.0, 0)


def test_the_anthropic_judge_is_chosen_if_its_api_key_is_set_even_if_recorded_replies_cover_all_prompts(
    opening: Opening, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    folder = recording(tmp_path / "replies", PROMPTS[0].fingerprint)
    judge = choose_judge(RUBRIC, PROMPTS, folder, opening)
    assert judge.identity.name == "anthropic"


def test_the_error_for_a_refused_api_key_names_recorded_replies_that_need_no_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    refusing = ScriptedJudge([NoJudge("refused the key"), NoJudge("refused the key")])
    covering = recording(tmp_path / "replies", PROMPTS[0].fingerprint)
    path = covering / "j.jsonl"
    with pytest.raises(NoJudge, match=re.escape(f"refused the key; `judge=… recorded:{path}` needs no key and")):
        asked(replying(choose_judge(RUBRIC, PROMPTS, covering, lambda name, model: refusing)), PROMPTS[0])
    lacking = recording(tmp_path / "others", "another")
    with pytest.raises(NoJudge, match=r"refused the key$"):
        asked(replying(choose_judge(RUBRIC, PROMPTS, lacking, lambda name, model: refusing)), PROMPTS[0])


def test_without_an_api_key_a_recording_that_covers_all_prompts_is_chosen(opening: Opening, tmp_path: Path) -> None:
    folder = recording(tmp_path / "replies", PROMPTS[0].fingerprint)
    assert isinstance(choose_judge(RUBRIC, PROMPTS, folder, opening), RecordedJudge)


def test_if_no_judge_can_be_asked_a_one_sentence_error_lists_three_things_to_do(
    opening: Opening,
) -> None:
    with pytest.raises(NoJudge) as refused:
        choose_judge(RUBRIC, PROMPTS, None, opening)
    assert str(refused.value).splitlines() == [
        "no judge to ask: ANTHROPIC_API_KEY is not set, and there are no recorded replies.",
        "  Set ANTHROPIC_API_KEY.",
        "  Name a judge with judge=…: openai:MODEL (any OpenAI-compatible server, by OPENAI_BASE_URL) or "
        "recorded:PATH (replies recorded earlier).",
        "  See all judges, and what each needs: `markscheme status`.",
    ]


def test_an_incomplete_recording_is_not_used_as_judge_and_the_error_says_how_many_replies_it_lacks(
    opening: Opening, tmp_path: Path
) -> None:
    folder = recording(tmp_path / "replies", "another")
    with pytest.raises(
        NoJudge, match=r"recorded replies in j\.jsonl lack 1 of 1 prompts\.\n  Set ANTHROPIC_API_KEY\.\n"
    ):
        choose_judge(RUBRIC, PROMPTS, folder, opening)
    with pytest.raises(NoJudge, match="there are no recorded replies"):
        choose_judge(RUBRIC, PROMPTS, None, opening)


def test_built_in_judges_can_be_opened_but_not_asked_in_batches_if_all_optional_features_are_missing(
    context: JudgeContext,
) -> None:
    before = features()
    offer(tuple)
    try:
        assert open_judge("anthropic:m", context=context).identity.name == "anthropic"
        with pytest.raises(UsageError, match="judges can't be asked in batches here: leave out --batch"):
            open_judge("anthropic:m", context=replace(context, batch=Batching()))
        with pytest.raises(UsageError, match=r"unknown judge 'local:m\.gguf'; expected anthropic"):
            open_judge("local:m.gguf", context=context)
    finally:
        offer(lambda: before)


@pytest.mark.parametrize("value", [asked, None, 3, ScriptedJudge([])])
def test_the_function_open_judge_refuses_a_value_that_is_not_a_name_and_says_how_to_wrap_a_function(
    value: Any,
) -> None:
    with pytest.raises(UsageError, match=r"by its name, such as 'anthropic', got .*FunctionJudge\(fn, NAME\)"):
        open_judge(value)
