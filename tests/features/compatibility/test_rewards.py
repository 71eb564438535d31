"""Whole batches to raw scores, for training loops."""

import asyncio
import json
import tracemalloc
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, overload

import pytest

from markscheme import Criterion, Reply, Rubric, Scale, ScriptedJudge, reward
from markscheme.errors import BudgetError, JudgeUnavailable, RatingWarning, UsageError
from markscheme.grading import Grade, asking_fingerprint
from markscheme.grading.receipt import ACCEPTED, ACCEPTED_SCHEMA
from markscheme.judges.scripted import answer_of
from markscheme.prompts.prompt import Prompt

RUBRIC = Rubric((Criterion(2.0, "A", "a"), Criterion(-3.0, "B", "b")))


def by_words(prompt: Prompt, _: int) -> Any:
    """MET for `a` where the response says good, for `b` where it says poor."""
    marks = {"a": "good", "b": "poor"}
    return {name: "MET" if marks[name] in prompt.user else "UNMET" for name in prompt.criteria}


def rewarded(responses: Any, rubrics: Any = RUBRIC, queries: Any = None, script: Any = by_words, **keys: Any) -> Any:
    return asyncio.run(reward(responses, rubrics, queries, judge=ScriptedJudge(script), **keys))


def test_raw_scores_are_returned_in_the_order_of_the_responses() -> None:
    assert rewarded(["good", "poor", "good and poor", "neither"]) == [2, -3, -1, 0]


def test_each_response_may_have_its_own_rubric_and_query() -> None:
    five = Rubric((Criterion(10.0, "A", "a", Scale.numbered(1, 5)),), inputs=("query",))

    def script(prompt: Prompt, sample: int) -> Any:
        if "b" in prompt.criteria:
            return by_words(prompt, sample)
        return {"a": "4" if "first?" in prompt.user else "1"}

    scores = rewarded(["x", "good", "x"], [five, RUBRIC, five], ["first?", None, "second?"], script)
    assert scores == [7.5, 2, 0]


def test_a_whole_data_frame_or_a_mapping_in_place_of_a_list_or_column_is_refused() -> None:
    frame = pytest.importorskip("pandas").DataFrame({"text": ["good", "poor"]})
    with pytest.raises(ValueError, match="give a list, or one column of a data frame; got DataFrame"):
        rewarded(frame)
    with pytest.raises(ValueError, match="give a list, or one column of a data frame; got dict"):
        rewarded(["good", "poor"], RUBRIC, {"first": 1, "second": 2})


def test_responses_in_an_arrow_column_are_graded_as_texts() -> None:
    assert rewarded(pytest.importorskip("pyarrow").chunked_array([["good"], ["poor"]])) == [2, -3]


@pytest.mark.parametrize("frame", ["pandas", "polars", "numpy"])
def test_each_response_of_a_data_frame_is_graded_by_the_rubric_and_query_in_its_own_row(frame: str) -> None:
    library = pytest.importorskip(frame)
    as_column: Any = {"numpy": lambda cells: library.array(cells, dtype=object)}.get(
        frame, getattr(library, "Series", None)
    )
    rubrics = [[{"requirement": "A", "weight": 2.0}], [{"requirement": "B", "weight": 5.0}]]
    for cells in (rubrics, [json.dumps(rubric) for rubric in rubrics]):
        texts, by_row, queries = (as_column(column) for column in (["x", "y"], cells, ["first", "second"]))
        assert rewarded(texts, by_row, queries, script=lambda *_: {"c1": "MET"}) == [2, 5]


def test_columns_of_a_data_frame_without_its_first_rows_are_read_in_order() -> None:
    frame = pytest.importorskip("pandas").DataFrame({"response": ["x", "good", "poor"], "query": ["1", "2", "3"]})[1:]
    assert rewarded(frame["response"], RUBRIC, frame["query"]) == [2, -3]


def test_the_reward_of_an_ungraded_response_is_none_and_a_warning_gives_the_reason() -> None:
    def script(prompt: Prompt, sample: int) -> Any:
        if "garbage" in prompt.user:
            return "no JSON"
        if "down" in prompt.user:
            return JudgeUnavailable("the server is down")
        return by_words(prompt, sample)

    seen: dict[int, Grade] = {}
    scores = rewarded(["good", "garbage", "down", "neither"], script=script, seen=seen.__setitem__)
    assert scores == [2, None, None, 0]
    assert "a: the reply isn't one JSON object alone" in str(seen[1].error)
    assert [seen[place].error for place in (0, 2, 3)] == [None, "the server is down", None]


def test_the_reward_is_none_if_a_query_that_the_rubric_declares_is_missing() -> None:
    rubric = Rubric(RUBRIC.criteria, inputs=("query",))
    assert rewarded(["good", "good"], rubric, ["q", None]) == [2, None]
    assert rewarded(["good"], rubric) == [None]


def test_a_response_s_thinking_and_output_are_graded_together() -> None:
    assert rewarded([{"thinking": "good", "output": "poor"}]) == [-1]


@pytest.mark.parametrize(
    ("rubrics", "queries", "words"),
    [
        ([RUBRIC] * 3, None, "2 responses and 3 rubrics"),
        ([], None, "2 responses and 0 rubrics"),
        (RUBRIC, ["q"], "2 responses and 1 of query"),
    ],
)
def test_rewards_are_refused_before_a_judge_is_asked_if_rubrics_or_queries_are_not_as_many_as_responses(
    rubrics: Any, queries: Any, words: str
) -> None:
    judge = ScriptedJudge(by_words)
    with pytest.raises(ValueError, match=words):
        asyncio.run(reward(["x", "y"], rubrics, queries, judge=judge))
    assert judge.prompts == []


@pytest.mark.parametrize("alone", ["good", {"output": "good"}], ids=["a text", "a mapping"])
def test_a_single_response_in_place_of_a_list_is_refused(alone: Any) -> None:
    with pytest.raises(ValueError, match=r"must be a list, got a single one: give \[response\]"):
        rewarded(alone)


def test_chat_messages_in_place_of_a_response_are_refused_with_what_to_give_instead() -> None:
    message = {"role": "assistant", "content": "good"}
    for response in ([message], message):
        with pytest.raises(ValueError, match=r"response 1 of the batch .* give the last one's content"):
            rewarded(["good", response])


def test_a_batch_with_a_response_that_is_not_a_text_is_refused_with_its_index_before_a_judge_is_asked() -> None:
    asked: list[Prompt] = []

    def script(prompt: Prompt, sample: int) -> Any:
        asked.append(prompt)
        return by_words(prompt, sample)

    with pytest.raises(ValueError, match=r"response 2 of the batch \(from 0\): .* got None"):
        rewarded(["good", "poor", None], script=script)
    assert asked == []


def test_the_responses_of_a_batch_may_come_from_a_generator() -> None:
    assert rewarded(text for text in ("good", "poor")) == [2, -3]


def test_a_reward_for_several_responses_refuses_a_single_query() -> None:
    with pytest.raises(ValueError, match="each response has a query of its own: give a list, got a single text"):
        asyncio.run(reward(["x", "y"], RUBRIC, "hi", judge=ScriptedJudge(by_words)))


def test_the_rewards_of_an_empty_batch_are_an_empty_list() -> None:
    assert rewarded([]) == rewarded([], []) == []
    with pytest.raises(ValueError, match="concurrency"):
        rewarded([], concurrency=0)


@pytest.mark.parametrize(("concurrency", "most"), [(1, 1), (7, 7), (64, 20)])
def test_no_more_requests_run_at_once_than_the_given_concurrency(concurrency: int, most: int) -> None:
    under_way, highest = 0, 0

    class Slow(ScriptedJudge):
        async def reply(self, prompt: Prompt, sample: int = 0) -> Reply:
            nonlocal under_way, highest
            under_way += 1
            highest = max(highest, under_way)
            await asyncio.sleep(0.001)
            under_way -= 1
            return Reply(answer_of(by_words(prompt, sample)))

    assert asyncio.run(reward(["good"] * 20, RUBRIC, judge=Slow([]), concurrency=concurrency)) == [2] * 20
    assert highest == most


def test_if_the_budget_runs_out_graded_responses_keep_their_rewards_and_a_warning_counts_ungraded_responses() -> None:
    def script(prompt: Prompt, sample: int) -> Any:
        return BudgetError("the budget of 1 USD is spent") if "stop" in prompt.user else by_words(prompt, sample)

    with pytest.warns(RatingWarning, match="1 USD is spent; 3 of 5 responses are not graded"):
        scores = rewarded(["good", "poor", "stop", "good", "good"], script=script, concurrency=1)
    assert scores == [2, -3, None, None, None]


def test_an_error_in_the_caller_s_code_is_raised_unchanged_and_ends_the_computation_of_rewards() -> None:
    with pytest.raises(ZeroDivisionError):
        rewarded(["x"] * 50, script=[ZeroDivisionError()] * 50)
    unknown = Rubric((Criterion(1.0, "A", "a", check="spelling"),))
    with pytest.raises(UsageError, match="no check 'spelling'"):
        rewarded(["x"], unknown)


class Written(Sequence[str]):
    """Long responses that are only there while they are graded."""

    def __init__(self, count: int) -> None:
        self.length = count

    def __len__(self) -> int:
        return self.length

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[str]: ...
    def __getitem__(self, place: int | slice) -> str | Sequence[str]:
        if isinstance(place, slice) or place >= self.length:
            raise IndexError(place)
        return f"good {place} " * 300


class Forgetful(ScriptedJudge):
    """Keeps nothing of what it was asked, so that what is measured is ours."""

    async def reply(self, prompt: Prompt, sample: int = 0) -> Reply:
        await asyncio.sleep(0)
        return Reply(answer_of(by_words(prompt, sample)))


def peak(count: int) -> int:
    tracemalloc.start()
    try:
        scores = asyncio.run(reward(Written(count), RUBRIC, judge=Forgetful([]), concurrency=8))
        assert scores == [2] * count
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.proof
def test_computing_rewards_for_more_responses_takes_no_more_memory() -> None:
    peak(20)
    assert peak(500) < 400_000  # the responses alone are 1.8 MB


def test_no_warning_is_given_if_every_response_was_graded() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert rewarded(["good"]) == [2]


def test_rewards_that_require_calibration_are_refused_unless_the_judge_s_scores_may_be_averaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="scores of this judge cannot be averaged: no run of this rubric is accepted"):
        rewarded(["good"], calibration="require")
    with pytest.warns(RatingWarning, match="are not shown to be good for averages"):
        assert rewarded(["good"], calibration="warn") == [2]
    with pytest.raises(ValueError, match="calibration must be one of warn, require, off; got 'maybe'"):
        rewarded(["good"], calibration="maybe")


def test_rewards_that_require_calibration_refuse_rows_with_own_criteria_and_rubrics_without_an_accepted_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    judge = ScriptedJudge(by_words)
    rubrics = [[{"name": "a", "requirement": "Is good", "weight": 2}], RUBRIC]
    with pytest.raises(UsageError, match="1 response of 2 with criteria of their own, which have no accepted run"):
        asyncio.run(reward(["good", "good"], rubrics, judge=judge, calibration="require"))
    with pytest.raises(UsageError, match="no run of this rubric is accepted"):
        asyncio.run(reward(["good"], "code-quality", judge=judge, calibration="require"))
    with pytest.warns(RatingWarning, match="criteria of their own, which have no accepted run"):
        asyncio.run(reward(["good"], rubrics[:1], judge=judge, calibration="warn"))


@pytest.mark.parametrize("averages", [True, False])
def test_rewards_that_require_calibration_accept_a_judge_for_trends_and_refuse_a_judge_that_may_only_gate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, averages: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    judge = ScriptedJudge(by_words)
    accepted = accepted_run(RUBRIC, judge, averages=averages)
    (tmp_path / "calibration" / RUBRIC.name).mkdir(parents=True)
    (tmp_path / "calibration" / RUBRIC.name / ACCEPTED).write_text(json.dumps(accepted))
    if averages:
        assert asyncio.run(reward(["good"], RUBRIC, judge=judge, calibration="require")) == [2]
    else:
        with pytest.raises(UsageError, match='is for use "gate": can gate, not show trends'):
            asyncio.run(reward(["good"], RUBRIC, judge=judge, calibration="require"))


def accepted_run(rubric: Rubric, judge: ScriptedJudge, *, averages: bool) -> dict[str, Any]:
    """What a receipt reads of an accepted run by which the judge can gate."""
    return {
        "schema": ACCEPTED_SCHEMA,
        "use": "gate",
        "judge": {"identity": None},
        "decision": {"may_trend": averages},
        "measurements": {"agreement": {"value": 0.9}, "margin": None},
        "labels": {"n": 84, "kind": "human"},
        "date": "2026-11-02",
        "fingerprints": {
            "rubric": rubric.fingerprint,
            "prompt": asking_fingerprint(rubric),
            "judge": judge.identity.fingerprint,
        },
        "asked": {"pass_mark": rubric.pass_mark, "strategy": rubric.strategy, "samples": rubric.samples},
    }


def test_a_function_in_place_of_a_judge_is_refused_with_the_name_of_the_class_that_wraps_it() -> None:
    def judge(system_prompt: str, user_prompt: str) -> str:
        return ""

    with pytest.raises(UsageError, match=r"got a function: .*FunctionJudge\(fn, NAME\)"):
        asyncio.run(reward(["x"], RUBRIC, judge=judge))  # type: ignore[arg-type]


def test_a_batch_without_any_graded_response_gives_a_warning_with_the_reason() -> None:
    asks = Rubric((Criterion(1.0, "A", "a"),), inputs=("query",))
    with pytest.warns(RatingWarning, match=r"none of 3 responses could be graded.*3 by this reason: .*'query'"):
        assert rewarded(["one", "two", "three"], asks) == [None, None, None]


OWN = [{"name": "a", "requirement": "A", "weight": 10}, {"name": "b", "requirement": "B", "weight": -15}]
CORE = Rubric.from_dict([{"name": "core", "requirement": "C", "weight": 5}])


@pytest.mark.parametrize(
    ("of", "alone", "with_core"),
    [("raw", [10, -15], [15, -10]), ("unclipped", [1, -1.5], [1, -2 / 3]), ("score", [1, 0], [1, 0])],
)
def test_the_reward_of_a_response_can_be_its_raw_or_unclipped_or_clipped_score(
    of: str, alone: list[float], with_core: list[float]
) -> None:
    def script(prompt: Prompt, _: int) -> Any:
        return {name: "MET" if name == "core" else by_word(name, prompt) for name in prompt.criteria}

    def by_word(name: str, prompt: Prompt) -> str:
        return "MET" if {"a": "good", "b": "poor"}[name] in prompt.user else "UNMET"

    for own in (OWN, Rubric.from_dict(OWN), [OWN, Rubric.from_dict(OWN)]):
        assert rewarded(["good", "poor"], own, script=script, of=of) == pytest.approx(alone)
        assert rewarded(["good", "poor"], own, script=script, of=of, core=CORE) == pytest.approx(with_core)


def test_a_response_without_a_rubric_of_its_own_is_rewarded_by_the_core_rubric_alone() -> None:
    script = {"core": "MET"}
    assert rewarded(["good", "poor"], None, script=[script] * 2, core=CORE) == [5, 5]
    with pytest.raises(UsageError, match="is graded by `core`, and there is none"):
        rewarded(["good"], None)


def test_a_reward_of_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="of must be one of raw, unclipped, score; got 'mean'"):
        rewarded(["good"], of="mean")
