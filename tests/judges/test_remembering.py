"""The cache of replies on disk: no answered prompt is asked again, and no judge gets another's reply."""

import asyncio
import json
import sqlite3
import stat
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from threading import Timer

import platformdirs
import pytest

from markscheme import Reply, Rubric, ScriptedJudge, Submission
from markscheme.errors import JudgeUnavailable
from markscheme.fingerprint import fingerprint
from markscheme.grading import Grade, Grading, questions
from markscheme.judges import REPLIES_FILE, cache_folder
from markscheme.judges.judge import Token, Usage
from markscheme.judges.panel import Panel
from markscheme.judges.remembering import Memory, Remembering
from markscheme.prompts.prompt import Prompt

RUBRIC = Rubric.from_dict([{"weight": 1, "requirement": "Polite"}])


def prompt(response: str = "a") -> Prompt:
    (only,) = questions(RUBRIC, Submission(response))
    return only


def ask(judge: Remembering, asked: Prompt, sample: int = 0) -> Reply:
    return asyncio.run(judge.reply(asked, sample))


def test_a_cached_reply_is_returned_unchanged_and_at_no_cost(tmp_path: Path) -> None:
    first = Reply("né", "m", "length", Usage(1, 10, 5), tokens=(Token("né", {"né": 0.75}),))
    judge = ScriptedJudge([first])
    assert ask(Remembering(judge, Memory(tmp_path)), prompt()) == first
    reply = ask(Remembering(judge, Memory(tmp_path)), prompt())
    assert (reply.text, reply.model, reply.stop, reply.tokens) == (first.text, first.model, first.stop, first.tokens)
    assert (reply.source, reply.usage) == ("cache", Usage())
    assert len(judge.prompts) == 1


def test_a_cached_reply_is_used_only_for_the_same_prompt_and_sample_and_judge(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    first, second = ScriptedJudge(["1", "2", "3"], name="one"), ScriptedJudge(["4"], name="other")
    texts = [
        ask(Remembering(first, memory), prompt()).text,
        ask(Remembering(first, memory), prompt("b")).text,
        ask(Remembering(first, memory), prompt(), sample=1).text,
        ask(Remembering(second, memory), prompt()).text,
    ]
    assert texts == ["1", "2", "3", "4"]


def test_an_error_of_a_judge_is_not_cached(tmp_path: Path) -> None:
    judge = Remembering(ScriptedJudge([JudgeUnavailable("down"), "up"]), Memory(tmp_path))
    with pytest.raises(JudgeUnavailable):
        ask(judge, prompt())
    assert ask(judge, prompt()).text == "up"


def test_of_two_replies_to_one_cache_key_the_first_is_kept_and_returned_to_both_callers(tmp_path: Path) -> None:
    first, second = Memory(tmp_path), Memory(tmp_path)
    assert first.recall("k") is None
    assert second.recall("k") is None
    assert first.keep("k", Reply("first")).text == "first"
    assert second.keep("k", Reply("second")).text == "first"


def test_the_second_of_two_replies_to_one_prompt_gets_the_text_of_the_first_and_keeps_its_own_usage(
    tmp_path: Path,
) -> None:
    memory = Memory(tmp_path)
    memory.keep("k", Reply("first", usage=Usage(1, 10, 5)))
    late = memory.keep("k", Reply("second", usage=Usage(2, 30, 7)))
    assert (late.text, late.usage) == ("first", Usage(2, 30, 7))


@pytest.mark.parametrize(
    "broken",
    [
        *("", "{", "[]", "3", "[" * 100_000, '{"text": "x"}', '{"text": 3, "model": "", "stop": "end"}'),
        *(f'{{"text": "x", "model": "", "stop": "end", "without": {without}}}' for without in ("3", "[3]", "null")),
        f'{{"text": "x", "model": "", "stop": "end", "tokens": [["a", {{"b": {10**400}}}]]}}',
        *('{"text": "x", "model": 3, "stop": "end"}', '{"text": "x", "model": "", "stop": "never"}'),
        *(
            f'{{"text": "x", "model": "", "stop": "end", "tokens": {tokens}}}'
            for tokens in ("3", "[3]", '[["a", 3]]', '[["a", {"b": "c"}]]', '[[1, {"b": 0.5}]]', '[["a", null]]')
        ),
    ],
)
def test_a_cached_record_that_cannot_be_decoded_is_requested_again(tmp_path: Path, broken: str) -> None:
    judge = Remembering(ScriptedJudge(["one", "two"]), Memory(tmp_path))
    ask(judge, prompt())
    judge.memory.close()
    with sqlite3.connect(tmp_path / REPLIES_FILE) as connection:
        connection.execute("UPDATE replies SET reply = ?", (broken,))
    connection.close()
    assert [ask(judge, prompt()).text for _ in range(2)] == ["two", "two"]


def test_a_cached_token_count_of_400_digits_does_not_make_the_reply_unreadable(tmp_path: Path) -> None:
    judge = Remembering(ScriptedJudge(["one"]), Memory(tmp_path))
    ask(judge, prompt())
    judge.memory.close()
    with sqlite3.connect(tmp_path / REPLIES_FILE) as connection:
        for taken in (10**400, "1e999"):
            record = f'{{"text": "one", "model": "", "stop": "end", "taken": {taken}}}'
            connection.execute("UPDATE replies SET reply = ?", (record,))
            connection.commit()
            assert ask(judge, prompt()).spared == 0
            judge.memory.close()
    connection.close()


def test_a_reply_that_combines_the_replies_of_several_calls_is_not_cached(tmp_path: Path) -> None:
    judge = ScriptedJudge([Reply("", parts=(Reply("1"), Reply("2"))), Reply("", parts=(Reply("3"),))])
    remembering = Remembering(judge, Memory(tmp_path))
    assert [len(ask(remembering, prompt()).parts) for _ in range(2)] == [2, 1]


def test_the_cache_folder_is_closed_to_other_users(tmp_path: Path) -> None:
    memory = Memory(tmp_path / "new" / "folder")
    memory.keep("k", Reply("x"))
    assert stat.S_IMODE((tmp_path / "new" / "folder").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "new" / "folder" / REPLIES_FILE).stat().st_mode) == 0o600


def test_a_damaged_cache_file_is_not_used_and_the_run_continues(tmp_path: Path) -> None:
    (tmp_path / REPLIES_FILE).write_bytes(b"no database" * 100)
    memory = Memory(tmp_path)
    with pytest.warns(RuntimeWarning, match="replies are not kept"):
        assert ask(Remembering(ScriptedJudge(["x"]), memory), prompt()).text == "x"
    assert ask(Remembering(ScriptedJudge(["y"]), memory), prompt()).text == "y"


def test_a_process_that_opens_the_cache_while_another_process_opens_it_waits(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / REPLIES_FILE, isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")
        Timer(0.2, other.execute, ("COMMIT",)).start()
        memory = Memory(tmp_path)
        assert memory.keep("key", Reply("said")) == Reply("said")
        assert memory.recall("key") is not None
        memory.close()


def test_the_cache_file_passes_the_integrity_check_of_sqlite_after_use(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    memory.keep("k", Reply("x"))
    memory.close()
    with sqlite3.connect(tmp_path / REPLIES_FILE) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()
    assert Memory(tmp_path).recall("k") is not None


def test_environment_variables_decide_in_which_folder_the_cache_is(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.delenv("MARKSCHEME_CACHE", raising=False)
    assert cache_folder() == tmp_path / "xdg" / "markscheme"
    monkeypatch.setenv("MARKSCHEME_CACHE", str(tmp_path / "own"))
    assert cache_folder() == tmp_path / "own"


def test_without_environment_variables_the_cache_is_in_the_user_s_usual_cache_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("MARKSCHEME_CACHE", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == platformdirs.user_cache_path("markscheme", appauthor=False)


# --- what could not be read ------------------------------------------------------------------------------------------

GOOD = json.dumps({"verdicts": {"c1": {"quote": "nothing to quote", "reason": "So.", "level": "MET"}}})
CUT_OFF, REFUSED, EMPTY = Reply(GOOD[:20], stop="length"), Reply("I won't.", stop="refusal"), Reply("")


def run_over(judge: ScriptedJudge, folder: Path, rubric: Rubric = RUBRIC, responses: str = "abc") -> list[Grade]:
    """Run a grading of these responses; return the grades."""

    async def run() -> list[Grade]:
        remembering = Remembering(judge, Memory(folder))
        try:
            return [await Grading(rubric, remembering).grade(Submission(response)) for response in responses]
        finally:
            await remembering.aclose()

    return asyncio.run(run())


def kept_texts(folder: Path) -> list[str]:
    with closing(sqlite3.connect(folder / REPLIES_FILE)) as connection:
        return [json.loads(record)["text"] for (record,) in connection.execute("SELECT reply FROM replies")]


@pytest.mark.parametrize("sick", [CUT_OFF, REFUSED, EMPTY], ids=["cut off", "refused", "empty"])
@pytest.mark.parametrize("strategy", ["one_shot", "holistic"])
def test_unreadable_replies_are_not_cached_for_the_next_run(tmp_path: Path, sick: Reply, strategy: str) -> None:
    rubric = Rubric.from_dict({"strategy": strategy, "criteria": [{"weight": 1, "requirement": "Polite"}]})
    good = GOOD if strategy == "one_shot" else '{"quote": "nothing to quote", "reason": "So.", "score": 100}'
    assert [grade.score for grade in run_over(ScriptedJudge([sick] * 6), tmp_path, rubric)] == [None] * 3
    assert kept_texts(tmp_path) == []
    healed = ScriptedJudge([good] * 3)
    with pytest.warns(RuntimeWarning, match="3 replies that could not be read in an earlier run were asked for again"):
        assert [grade.score for grade in run_over(healed, tmp_path, rubric)] == [1.0] * 3
    assert len(healed.prompts) == 3
    assert [grade.score for grade in run_over(ScriptedJudge([]), tmp_path, rubric)] == [1.0] * 3, "now they are kept"


def test_a_reply_that_was_readable_at_the_second_attempt_is_cached_for_the_next_run(tmp_path: Path) -> None:
    first = run_over(ScriptedJudge([CUT_OFF, GOOD]), tmp_path, responses="a")
    assert kept_texts(tmp_path) == [GOOD]
    second = run_over(ScriptedJudge([]), tmp_path, responses="a")
    assert [grade.score for grade in (*first, *second)] == [1.0, 1.0]


def test_of_several_samples_of_a_judge_only_readable_samples_are_cached(tmp_path: Path) -> None:
    rubric = replace(RUBRIC, samples=3)
    (grade,) = run_over(ScriptedJudge([GOOD, EMPTY, GOOD]), tmp_path, rubric, "a")
    assert grade.score == 1.0
    assert kept_texts(tmp_path) == [GOOD, GOOD]


def test_the_cache_counts_how_often_a_reply_to_one_prompt_could_not_be_read(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    for n in (1, 2, 3):
        memory.forget(memory.keep("k", Reply("")), settled=False)
        assert (memory.recall("k"), memory.tries("k")) == (None, n)


def test_dropping_an_unreadable_reply_never_drops_a_newer_reply_from_the_cache(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    first = memory.keep("k", Reply("unreadable"))
    memory.forget(first, settled=False)
    memory.keep("k", Reply("readable"))
    memory.forget(first, settled=False)
    memory.forget(Reply("never cached"), settled=False)
    later = memory.recall("k")
    assert later is not None
    assert (later.text, memory.tries("k")) == ("readable", 1)


def test_of_a_panel_s_reply_only_the_unreadable_member_s_part_is_dropped_from_the_cache(tmp_path: Path) -> None:
    def members(*scripts: list[str]) -> Panel:
        judges = [ScriptedJudge(script, name=f"m{n}") for n, script in enumerate(scripts)]
        return Panel([Remembering(judge, Memory(tmp_path / judge.identity.name)) for judge in judges])

    panel = members([GOOD], ["", ""], [GOOD])
    asyncio.run(Grading(RUBRIC, panel).grade(Submission("a")))
    assert [kept_texts(tmp_path / name) for name in ("m0", "m1", "m2")] == [[GOOD], [], [GOOD]]


# --- many askers -----------------------------------------------------------------------------------------------------


class Slow(ScriptedJudge):
    """Judge that answers after a moment."""

    async def reply(self, prompt: Prompt, sample: int = 0) -> Reply:
        await asyncio.sleep(0.1)
        return await super().reply(prompt, sample)


def ask_at_once(*judges: Remembering) -> list[Reply | BaseException]:
    async def run() -> list[Reply | BaseException]:
        return await asyncio.gather(*(judge.reply(prompt()) for judge in judges), return_exceptions=True)

    return asyncio.run(run())


def test_a_prompt_that_one_process_is_sending_is_not_sent_by_another_process(tmp_path: Path) -> None:
    judge = Slow(["one", "two", "three"])
    replies = ask_at_once(*(Remembering(judge, Memory(tmp_path)) for _ in range(3)))
    assert [reply.text for reply in replies if isinstance(reply, Reply)] == ["one"] * 3
    assert len(judge.prompts) == 1


def test_callers_of_one_judge_who_send_the_same_prompt_at_once_are_charged_once(tmp_path: Path) -> None:
    judge = Slow([Reply("one", usage=Usage(1, 10, 5)), "two", "three"])
    remembering = Remembering(judge, Memory(tmp_path))
    replies = [reply for reply in ask_at_once(remembering, remembering, remembering) if isinstance(reply, Reply)]
    assert [reply.text for reply in replies] == ["one"] * 3
    assert [reply.usage.calls for reply in replies] == [1, 0, 0]
    assert [reply.source for reply in replies] == ["live", "cache", "cache"]


def test_cancelling_one_caller_does_not_cancel_the_same_request_by_another_caller(tmp_path: Path) -> None:
    async def story() -> None:
        remembering = Remembering(Slow(["one"]), Memory(tmp_path))
        first, second = (asyncio.ensure_future(remembering.reply(prompt())) for _ in range(2))
        await asyncio.sleep(0.03)
        first.cancel()
        assert (await second).text == "one"

    asyncio.run(story())


def test_a_process_that_gives_up_a_request_does_not_block_other_processes(tmp_path: Path) -> None:
    judge = Slow([JudgeUnavailable("down"), "two", "three"])
    first, *others = ask_at_once(*(Remembering(judge, Memory(tmp_path)) for _ in range(3)))
    assert isinstance(first, JudgeUnavailable)
    assert {reply.text for reply in others if isinstance(reply, Reply)} == {"two"}


def test_a_process_that_is_killed_while_it_asks_a_judge_does_not_block_other_processes(tmp_path: Path) -> None:
    code = "import os, sys; from markscheme.judges.remembering import *; from pathlib import Path"
    claim = f"{code}; Memory(Path(sys.argv[1])).claim(sys.argv[2]); os.kill(os.getpid(), 9)"
    judge = ScriptedJudge(["answer"])
    memory = Memory(tmp_path)
    key = fingerprint(prompt().fingerprint, judge.identity.fingerprint, 0)
    subprocess.run([sys.executable, "-c", claim, str(tmp_path), key], check=False)
    assert memory.claim(key) == ""
    with pytest.raises(StopIteration) as ended:  # at its first step: to wait, it would need an event loop
        Remembering(judge, memory).reply(prompt()).send(None)
    assert ended.value.value.text == "answer"


def test_a_prompt_claimed_by_another_computer_may_be_sent_here_once_the_claim_has_expired(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    assert memory.claim("k")
    with closing(sqlite3.connect(tmp_path / REPLIES_FILE, isolation_level=None)) as connection:
        connection.execute("UPDATE claims SET owner = 'elsewhere:1:0'")
        assert memory.is_claimed("k")
        connection.execute("UPDATE claims SET until = ?", (time.time() - 1,))
    assert not memory.is_claimed("k")
    assert memory.claim("k")


@pytest.mark.parametrize("planted", ["folder", REPLIES_FILE])
def test_a_cache_that_another_user_may_have_written_to_is_not_used(tmp_path: Path, planted: str) -> None:
    memory = Memory(tmp_path / "folder")
    memory.keep("key", Reply("planted"))
    memory.close()
    path = tmp_path / "folder" / ("" if planted == "folder" else planted)
    path.chmod(0o777)
    with pytest.warns(RuntimeWarning, match="every user may write to"):
        assert Memory(tmp_path / "folder").recall("key") is None
    path.chmod(0o700)
    kept = Memory(tmp_path / "folder").recall("key")
    assert kept is not None
    assert kept.text == "planted"
