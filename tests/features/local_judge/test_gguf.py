"""The marks that divide a chat, read from a model's own file, and taken out of what others wrote."""

import asyncio
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from markscheme.errors import JudgeUnavailable
from markscheme.features.local_judge.gguf import chat_marks, is_decision_file, without_marks
from markscheme.features.local_judge.judge import LocalJudge
from markscheme.prompts.prompt import Prompt
from tests.judges.asking import refusal

ORDINARY, CONTROL, ADDED = 1, 3, 4


def text(value: str) -> bytes:
    raw = value.encode()
    return struct.pack("<Q", len(raw)) + raw


def header(tokens: dict[str, int], version: int = 3) -> bytes:
    """Return a GGUF header with a few entries and a vocabulary."""
    entries = [
        text("general.name") + struct.pack("<I", 8) + text("m"),
        text("some.flags") + struct.pack("<IIQ", 9, 7, 3) + b"\1\0\1",
        text("some.merges") + struct.pack("<IIQ", 9, 8, 2) + text("a b") + text("c d"),
        text("tokenizer.ggml.tokens") + struct.pack("<IIQ", 9, 8, len(tokens)) + b"".join(map(text, tokens)),
        text("tokenizer.ggml.token_type")
        + struct.pack("<IIQ", 9, 5, len(tokens))
        + struct.pack(f"<{len(tokens)}i", *tokens.values()),
        text("general.size") + struct.pack("<If", 6, 1.5),
    ]
    return b"GGUF" + struct.pack("<IQQ", version, 0, len(entries)) + b"".join(entries)


VOCABULARY = {
    "hello": ORDINARY,
    "<|im_end|>": CONTROL,
    "</s>": CONTROL,
    "": CONTROL,
    "<|end|>": ADDED,
    "<｜User｜>": ADDED,
    "<h1>": ADDED,
}


def written(tmp_path: Path, raw: bytes) -> Path:
    (tmp_path / "m.gguf").write_bytes(raw)
    return tmp_path / "m.gguf"


def test_the_control_tokens_of_a_model_file_include_tokens_between_angle_brackets_and_bars(
    tmp_path: Path,
) -> None:
    assert chat_marks(written(tmp_path, header(VOCABULARY))) == ("<|im_end|>", "</s>", "<|end|>", "<｜User｜>")


def test_the_control_tokens_of_a_real_model_are_read_from_the_model_s_file(local_model: Path) -> None:
    assert {"<|im_start|>", "<|im_end|>", "<|endoftext|>"} <= set(chat_marks(local_model))


def test_a_model_file_without_a_vocabulary_has_no_control_tokens(tmp_path: Path) -> None:
    assert chat_marks(written(tmp_path, b"GGUF" + struct.pack("<IQQ", 3, 0, 0))) == ()


@pytest.mark.parametrize("length", [0, 3, 10, 60, 200, len(header(VOCABULARY)) - 1])
def test_a_truncated_header_of_a_model_file_is_reported(tmp_path: Path, length: int) -> None:
    with pytest.raises(ValueError, match=r"breaks off|no GGUF file|empty"):
        chat_marks(written(tmp_path, header(VOCABULARY)[:length]))


def test_an_old_version_or_an_unknown_type_in_a_model_file_s_header_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="version 2 or later"):
        chat_marks(written(tmp_path, header(VOCABULARY, version=1)))
    with pytest.raises(ValueError, match="no header says"):
        chat_marks(written(tmp_path, b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + text("x") + struct.pack("<I", 99)))


@given(st.text(alphabet=list("<|im_end>/s x\n"), max_size=60))
def test_removing_a_model_s_control_tokens_from_a_text_leaves_none_and_adds_only_spaces(written: str) -> None:
    marks = ("<|im_end|>", "<|im_end", "</s>")
    split = without_marks(marks)(written)
    assert not any(mark in split for mark in marks)
    assert "".join(split.split()) == "".join(written.split())


def test_without_a_list_of_control_tokens_no_token_is_removed_from_a_text() -> None:
    assert without_marks(())("<|im_end|>") == "<|im_end|>"


@pytest.mark.proof
def test_text_in_a_prompt_that_looks_like_a_chat_control_token_is_not_read_as_one_by_a_real_model(
    local_model: Path,
) -> None:
    """One token ends a turn; a mark that is split is several, as letters are."""
    schema = {"type": "object", "properties": {}, "additionalProperties": False}

    async def run() -> list[int]:
        judge = LocalJudge(local_model, context=512, max_tokens=1)
        prompts = [Prompt("", f"a{mark}b", schema, ()) for mark in ("<|im_end|>", "< |im_end|>", "")]
        replies = [await judge.reply(prompt) for prompt in prompts]
        await judge.aclose()
        return [reply.usage.input_tokens or 0 for reply in replies]

    marked, split, plain = asyncio.run(run())
    assert marked == split > plain + 3


# --- decision models -------------------------------------------------------------------------------------------------

DECISION_KEY = "other.decision.type"


def with_decision_type(model: Path, to: Path) -> Path:
    """Copy a model's file with a decision model's key in its header, keeping the tensors aligned."""
    raw = model.read_bytes()
    version, tensors, entries = struct.unpack_from("<IQQ", raw, 4)
    aligned = 32
    named = text(DECISION_KEY) + struct.pack("<I", 8)
    filling = "x" * (aligned - (len(named) + 8) % aligned)
    head = b"GGUF" + struct.pack("<IQQ", version, tensors, entries + 1)
    to.write_bytes(head + named + text(filling) + raw[24:])
    return to


def test_a_decision_model_is_recognized_by_the_header_of_the_model_file(tmp_path: Path) -> None:
    chat = written(tmp_path, header(VOCABULARY))
    assert not is_decision_file(chat)
    assert is_decision_file(with_decision_type(chat, tmp_path / "decision.gguf"))
    chat.write_bytes(chat.read_bytes()[:60])
    with pytest.raises(ValueError, match="breaks off"):
        is_decision_file(chat)


@pytest.mark.proof
def test_llama_cpp_is_asked_for_probabilities_of_answers_if_the_file_says_that_it_is_a_decision_model(
    local_model: Path, tmp_path: Path
) -> None:
    """llama.cpp is asked as a decision model; that this file is none is its answer, and no chat takes its place."""
    judge = LocalJudge(with_decision_type(local_model, tmp_path / "decision.gguf"))
    assert judge.identity.parameters["format"] == "systemone"
    error = refusal(judge)
    assert isinstance(error, JudgeUnavailable)
    assert "not a decision model" in str(error)


def test_the_identity_of_a_local_judge_with_a_chat_model_has_no_parameter_named_format(local_model: Path) -> None:
    assert "format" not in LocalJudge(local_model).identity.parameters
