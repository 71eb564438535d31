"""Replies kept on disk: nothing answered is asked again, and no judge gets another's reply."""

import asyncio
import sqlite3
import stat
from contextlib import closing
from pathlib import Path
from threading import Timer

import pytest

from markscheme import Reply, Rubric, ScriptedJudge, Submission
from markscheme.grading import questions
from markscheme.judges.judge import Token, Usage
from markscheme.judges.remembering import FILE, Memory, Remembering, cache_folder
from markscheme.prompt import Prompt

RUBRIC = Rubric.from_dict([{"weight": 1, "requirement": "Polite"}])


def prompt(response: str = "a") -> Prompt:
    (asked,) = questions(RUBRIC, Submission(response))
    return asked


def ask(judge: Remembering, asked: Prompt, sample: int = 0) -> Reply:
    return asyncio.run(judge.reply(asked, sample))


def test_a_kept_reply_comes_back_as_it_was_at_no_cost(tmp_path: Path) -> None:
    first = Reply("né", "m", "length", Usage(1, 10, 5), tokens=(Token("né", {"né": 0.75}),))
    judge = ScriptedJudge([first])
    assert ask(Remembering(judge, Memory(tmp_path)), prompt()) == first
    kept = ask(Remembering(judge, Memory(tmp_path)), prompt())
    assert (kept.text, kept.model, kept.stop, kept.tokens) == (first.text, first.model, first.stop, first.tokens)
    assert (kept.source, kept.usage) == ("cache", Usage())
    assert len(judge.prompts) == 1


def test_another_prompt_another_sample_and_another_judge_are_asked(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    one, other = ScriptedJudge(["1", "2", "3"], name="one"), ScriptedJudge(["4"], name="other")
    texts = [
        ask(Remembering(one, memory), prompt()).text,
        ask(Remembering(one, memory), prompt("b")).text,
        ask(Remembering(one, memory), prompt(), sample=1).text,
        ask(Remembering(other, memory), prompt()).text,
    ]
    assert texts == ["1", "2", "3", "4"]


def test_an_error_is_not_kept(tmp_path: Path) -> None:
    from markscheme.errors import JudgeUnavailable

    judge = Remembering(ScriptedJudge([JudgeUnavailable("down"), "up"]), Memory(tmp_path))
    with pytest.raises(JudgeUnavailable):
        ask(judge, prompt())
    assert ask(judge, prompt()).text == "up"


def test_of_two_replies_to_one_key_the_first_stays_and_both_get_it(tmp_path: Path) -> None:
    one, other = Memory(tmp_path), Memory(tmp_path)
    assert one.recall("k") is None
    assert other.recall("k") is None
    assert one.keep("k", Reply("first")).text == "first"
    assert other.keep("k", Reply("second")).text == "first"


def test_whoever_asked_in_vain_is_told_the_cost_of_asking(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    memory.keep("k", Reply("first", usage=Usage(1, 10, 5)))
    late = memory.keep("k", Reply("second", usage=Usage(2, 30, 7)))
    assert (late.text, late.usage) == ("first", Usage(2, 30, 7))


@pytest.mark.parametrize("broken", ["", "{", "[]", "3", '{"text": "x"}', '{"text": 3, "model": "", "stop": "end"}'])
def test_a_kept_reply_that_cannot_be_read_is_asked_for_anew(tmp_path: Path, broken: str) -> None:
    judge = Remembering(ScriptedJudge(["one", "two"]), Memory(tmp_path))
    ask(judge, prompt())
    judge.memory.close()
    with sqlite3.connect(tmp_path / FILE) as connection:
        connection.execute("UPDATE replies SET reply = ?", (broken,))
    connection.close()
    assert [ask(judge, prompt()).text for _ in range(2)] == ["two", "two"]


def test_a_reply_of_several_parts_is_not_kept_without_them(tmp_path: Path) -> None:
    judge = ScriptedJudge([Reply("", parts=(Reply("1"), Reply("2"))), Reply("", parts=(Reply("3"),))])
    remembering = Remembering(judge, Memory(tmp_path))
    assert [len(ask(remembering, prompt()).parts) for _ in range(2)] == [2, 1]


def test_the_folder_is_its_owner_s_alone(tmp_path: Path) -> None:
    memory = Memory(tmp_path / "new" / "folder")
    memory.keep("k", Reply("x"))
    assert stat.S_IMODE((tmp_path / "new" / "folder").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "new" / "folder" / FILE).stat().st_mode) == 0o600


def test_a_broken_file_costs_the_memory_and_not_the_run(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"no database" * 100)
    memory = Memory(tmp_path)
    with pytest.warns(RuntimeWarning, match="replies are not kept"):
        assert ask(Remembering(ScriptedJudge(["x"]), memory), prompt()).text == "x"
    assert ask(Remembering(ScriptedJudge(["y"]), memory), prompt()).text == "y"


def test_who_opens_the_file_while_others_do_waits_for_them(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / FILE, isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")
        Timer(0.2, other.execute, ("COMMIT",)).start()
        memory = Memory(tmp_path)
        assert memory.keep("key", Reply("said")) == Reply("said")
        assert memory.recall("key") is not None
        memory.close()


def test_the_file_is_sound_after_use(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    memory.keep("k", Reply("x"))
    memory.close()
    with sqlite3.connect(tmp_path / FILE) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()
    assert Memory(tmp_path).recall("k") is not None


def test_the_cache_is_where_the_environment_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.delenv("MARKSCHEME_CACHE", raising=False)
    assert cache_folder() == tmp_path / "xdg" / "markscheme"
    monkeypatch.setenv("MARKSCHEME_CACHE", str(tmp_path / "own"))
    assert cache_folder() == tmp_path / "own"
