"""Panels: all members are asked at once, all votes are kept, and a member that fails has no vote."""

import asyncio
from typing import Any

import pytest

from markscheme import Rubric, ScriptedJudge, grade
from markscheme.errors import BudgetError, JudgeBusy, JudgeUnavailable, NoJudge, UnreadableReply
from markscheme.grading import Grade
from markscheme.judges.function import FunctionJudge
from markscheme.judges.judge import Identity, Judge, Reply
from markscheme.judges.panel import Panel, PanelRule, Repeated
from markscheme.prompts.prompt import Prompt
from tests.judges.asking import PROMPT, RUBRIC, asked

SCALE = Rubric.from_dict({"criteria": [{"name": "clarity", "description": "Clear", "weight": 1}]})


def member(answer: Any, name: str = "member") -> ScriptedJudge:
    return ScriptedJudge([answer] * 2, name=name)


def graded(levels: list[Any], rule: PanelRule = "median", rubric: Rubric = SCALE) -> Grade:
    name = rubric.criteria[0].name
    answers = [level if isinstance(level, Exception) else {name: level} for level in levels]
    return asyncio.run(grade(rubric, "x", Panel([member(answer) for answer in answers], rule)))


def test_a_panel_s_level_is_the_median_or_the_most_common_level_of_its_votes() -> None:
    by_median, by_majority = graded([1, 1, 4, 5, 5, 5]), graded([1, 1, 4, 5, 5, 5], "majority")
    assert by_median.verdicts["clarity"].level == 4.5
    assert by_majority.verdicts["clarity"].level == 5.0
    assert by_median.verdicts["clarity"].votes == by_majority.verdicts["clarity"].votes == (1, 1, 4, 5, 5, 5)
    assert by_median.usage.calls == 6


def test_a_panel_member_that_fails_has_no_vote() -> None:
    graded_panel = graded([5, JudgeUnavailable("gone"), 3])
    assert graded_panel.verdicts["clarity"].votes == (5.0, 3.0)
    assert graded_panel.verdicts["clarity"].level == 4.0


def test_if_one_of_a_panel_s_two_members_fails_the_response_is_ungraded_with_that_member_s_error() -> None:
    graded_panel = graded([5, JudgeUnavailable("gone")])
    assert graded_panel.score is None
    assert graded_panel.error == "clarity: gone"


def test_a_panel_s_reply_lacks_the_votes_of_a_member_that_failed_and_states_the_reason() -> None:
    reply = asked(Panel([member({"c1": "MET"}), member(UnreadableReply("garbage"))]))
    assert [(part.text != "", part.stop, part.error) for part in reply.parts] == [
        (True, "end", None),
        (False, "other", "garbage"),
    ]


def test_a_panel_raises_an_error_if_one_of_its_members_cannot_be_asked_at_all() -> None:
    with pytest.raises(NoJudge, match="no key"):
        graded([5, NoJudge("no key"), 3])


def test_if_every_member_of_a_panel_fails_the_error_gives_each_member_s_reason() -> None:
    panel = Panel([member(JudgeUnavailable("gone"), "a"), member(JudgeBusy("busy"), "b")])
    with pytest.raises(JudgeUnavailable, match="a: gone; b: busy") as caught:
        asked(panel)
    assert caught.value.transient
    with pytest.raises(JudgeUnavailable) as caught:
        asked(Panel([member(JudgeUnavailable("gone")), member(UnreadableReply("garbage"))]))
    assert not caught.value.transient


def test_a_panel_with_one_member_raises_that_member_s_error() -> None:
    with pytest.raises(UnreadableReply, match=r"^garbage$"):
        asked(Panel([member(UnreadableReply("garbage"))]))


def test_an_exhausted_budget_stops_the_panel_even_if_other_members_answer() -> None:
    with pytest.raises(BudgetError):
        asked(Panel([member({"c1": "MET"}), member(BudgetError("spent"))]))


def test_an_exhausted_budget_stops_a_judge_asked_several_times_even_if_another_of_its_calls_failed_first() -> None:
    for problem in (BudgetError("spent"), NoJudge("no key")):
        with pytest.raises(type(problem)):
            asked(Repeated(ScriptedJudge([JudgeUnavailable("gone"), problem]), 2))


def test_panel_members_are_asked_at_the_same_time() -> None:
    class Meeting:
        """Judge that answers only once three of its kind are being asked."""

        def __init__(self, barrier: asyncio.Barrier) -> None:
            self.barrier, self.closed = barrier, False

        @property
        def identity(self) -> Identity:
            return Identity("meeting")

        async def reply(self, prompt: Prompt, sample: int = 0) -> Reply:
            await self.barrier.wait()
            return Reply(f"{sample}")

        async def aclose(self) -> None:
            self.closed = True

    async def run() -> None:
        barrier = asyncio.Barrier(3)
        members = [Meeting(barrier) for _ in range(3)]
        panel = Panel(members)
        async with asyncio.timeout(5):
            reply = await panel.reply(PROMPT, sample=7)
        assert [part.text for part in reply.parts] == ["7", "7", "7"]
        await panel.aclose()
        assert all(one.closed for one in members)

    asyncio.run(run())


def test_a_panel_may_be_a_member_of_a_panel() -> None:
    inner = Panel([member({"c1": "MET"}), member({"c1": "MET"}), member({"c1": "UNMET"})])
    graded_panel = asyncio.run(grade(RUBRIC, "x", Panel([inner, member({"c1": "UNMET"}), member({"c1": "MET"})])))
    assert graded_panel.verdicts["c1"].votes == (1.0, 0.0, 1.0)
    assert graded_panel.usage.calls == 5


def test_the_identity_of_a_panel_changes_with_its_members_and_with_its_rule_for_combining_votes() -> None:
    first, second = member(1, "one"), member(1, "two")
    panels: list[Judge] = [
        Panel([first]),
        Panel([first, second]),
        Panel([first, second], "majority"),
        Panel([second, second]),
    ]
    assert len({panel.identity.fingerprint for panel in panels}) == 4
    assert str(panels[1].identity) == "panel(one, two)"


def test_replies_of_a_panel_are_cached_for_other_processes_only_if_replies_of_all_members_may_be_cached() -> None:
    def undeclared(system_prompt: str, user_prompt: str) -> str:
        return system_prompt + user_prompt

    members: list[Judge] = [member(1), FunctionJudge(undeclared, "undeclared")]
    assert [Panel(members[:n]).identity.lasting for n in (1, 2)] == [True, False]


def test_a_panel_without_members_or_with_an_unknown_rule_for_combining_votes_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        Panel([])
    with pytest.raises(ValueError, match="median or majority"):
        Panel([member(1)], "mean")  # type: ignore[arg-type]
