"""A model file as judge: llama.cpp inside this process, through the package xllamacpp (extra `local`)."""

import asyncio
import hashlib
import secrets
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from markscheme.errors import JudgeError, JudgeUnavailable, NoJudge, UnreadableReply, UsageError
from markscheme.features.local_judge.gguf import MAGIC, chat_marks, is_decision_file, without_marks
from markscheme.judges.deciding import SYSTEM_ONE, decided_reply, refuse_unaskable
from markscheme.judges.external_words import shown
from markscheme.judges.judge import Identity, Reply
from markscheme.judges.judge_context import JudgeContext
from markscheme.judges.openai import chat_reply, schema_format
from markscheme.judges.price import Price
from markscheme.judges.provider import message_in
from markscheme.prompts.prompt import Prompt
from markscheme.shipped import install_command

CONTEXT_TOKENS = 8192
"""Default number of tokens for a prompt and its answer together, for each prompt that is answered at the same time."""
LONGEST_LOCAL_ANSWER = 2048
"""Default largest number of tokens of an answer: a quarter of the context, so that the rest is left for the prompt."""
LOCAL_ALTERNATIVES = 100
"""Number of alternatives requested for each token, to compute the expected level from their probabilities."""
BLOCKS = 64
"""Number of pieces of a model's file from which its digest is computed."""
BLOCK_BYTES = 65_536
"""Size in bytes of each of these pieces: together 4 MB, whatever the size of the model's file."""

FREE_TOKENS: Final = Price(0.0, 0.0)
"""Price of the tokens of a model that runs in this process."""


class LocalJudge:
    """A judge that runs a GGUF model in this process: a chat model held to the answer's schema, or a decision model.

    The model is loaded with the first request, which blocks the process for a moment, and freed by `aclose`; its file
    is checked beforehand. Nothing is sent anywhere. With one slot and temperature 0, a prompt always gets the same
    answer. Several slots share the threads, so they answer no faster on one core, and may change a close decision. The
    model's own chat marks in a prompt are split by a space, so that no submission can end its turn.

    Args:
        path: The model's file.
        context: Largest number of tokens of a prompt and its answer together.
        slots: Number of prompts answered at once; others wait.
        threads: Number of threads that compute. With more threads than idle cores, it is many times slower.
        expected: True to use the mean of the levels by the token probabilities instead of the most probable level.
        temperature: Sampling temperature; 0 for the most probable answer.
        seed: Random seed; the sample's number is added, so that repeated requests may differ.
        max_tokens: Largest number of tokens of an answer.
        keep_prefix: True to keep what was computed for the beginning that a prompt shares with the previous prompt.
            This is several times faster when one rubric grades many submissions. Then log-probabilities, and so close
            decisions, may depend slightly on earlier prompts.

    Raises:
        UsageError: The file doesn't exist, cannot be read, or isn't a GGUF file.
        ValueError: There is less than one slot, thread or token.
    """

    def __init__(
        self,
        path: Path | str,
        *,
        context: int = CONTEXT_TOKENS,
        slots: int = 1,
        threads: int = 1,
        expected: bool = False,
        temperature: float = 0.0,
        seed: int = 0,
        max_tokens: int = LONGEST_LOCAL_ANSWER,
        keep_prefix: bool = False,
    ) -> None:
        if min(context, slots, threads, max_tokens) < 1:
            raise ValueError("context, slots, threads and max_tokens are whole numbers from 1")
        self.path = Path(path)
        self.context, self.slots, self.threads, self.max_tokens = context, slots, threads, max_tokens
        self.expected, self.temperature, self.seed, self.keep_prefix = expected, temperature, seed, keep_prefix
        _check_file(self.path)
        self._lock = threading.Lock()
        self._server: Any = None
        self._workers: ThreadPoolExecutor | None = None

    def __repr__(self) -> str:
        return f"LocalJudge({str(self.path)!r})"

    @cached_property
    def identity(self) -> Identity:
        """Identity by a digest of the model's file and all settings that affect an answer."""
        parameters = {
            "file": digest(self.path),
            "context": self.context,
            "slots": self.slots,
            "expected": self.expected,
            "temperature": self.temperature,
            "seed": self.seed,
            "max_tokens": self.max_tokens,
            "keep_prefix": self.keep_prefix,
        }
        if self._is_decision_model:
            parameters["format"] = SYSTEM_ONE.name
        return Identity(f"local:{self.path.name}", self.path.stem, parameters)

    @cached_property
    def _is_decision_model(self) -> bool:
        """True if the file is a decision model, which answers typed questions; False if its header is damaged."""
        try:
            return is_decision_file(self.path)
        except ValueError:
            return False

    async def reply(self, prompt: Prompt, sample: int = 0) -> Reply:
        """Return the model's answer to `prompt`.

        Args:
            prompt: The prompt.
            sample: Number of the request, from 0, among those with this prompt; it is added to the seed.

        Raises:
            NoJudge: The package is not installed.
            UsageError: The file cannot be loaded.
            JudgeUnavailable: The prompt does not fit, or the model cannot process it.
        """
        if self._is_decision_model:
            refuse_unaskable(prompt)
        if self._workers is None:
            self._workers = ThreadPoolExecutor(self.slots, thread_name_prefix="local-judge")
        answer = await asyncio.get_running_loop().run_in_executor(self._workers, self._answer, prompt, sample)
        reply = self._read(answer, prompt)
        if reply is None or "error" in answer:
            raise self._fault(answer)
        return replace(reply, model=self.path.name)

    def _read(self, answer: Any, prompt: Prompt) -> Reply | None:
        if not self._is_decision_model:
            return chat_reply(answer, expected=self.expected)
        try:
            return decided_reply(answer, prompt, SYSTEM_ONE, expected=self.expected)
        except ValueError:
            return None

    async def aclose(self) -> None:
        """Free the model, once requests under way have ended."""
        workers, self._workers = self._workers, None
        if workers is not None:
            await asyncio.to_thread(workers.shutdown)
            await asyncio.to_thread(self._stop)

    # in a worker thread

    def _request(self, prompt: Prompt, sample: int) -> dict[str, Any]:
        messages = [{"role": "system", "content": self._split(prompt.system)}] if prompt.system else []
        request: dict[str, Any] = {
            "messages": [*messages, {"role": "user", "content": self._split(prompt.user)}],
            "max_tokens": self.max_tokens,
            "temperature": self.temperature,
            "seed": self.seed + sample,
            "cache_prompt": self.keep_prefix,  # a cached prefix changes the log-probabilities slightly
        }
        if prompt.schema:
            request["response_format"] = schema_format(prompt)
        return request | ({"logprobs": True, "top_logprobs": LOCAL_ALTERNATIVES} if self.expected else {})

    @cached_property
    def _split(self) -> Callable[[str], str]:
        return without_marks(chat_marks(self.path))

    def _answer(self, prompt: Prompt, sample: int) -> Any:
        server = self._started()
        try:
            if self._is_decision_model:
                if not hasattr(server, "handle_systemone"):
                    raise NoJudge(f"{self.path.name} is a decision model: pip install --upgrade xllamacpp")
                request = _each_text(self._split, SYSTEM_ONE.request(self.path.stem, prompt))
                return server.handle_systemone(request)
            return server.handle_chat_completions(self._request(prompt, sample))
        except (ValueError, RuntimeError) as error:
            raise JudgeUnavailable(f"{self.identity.name} cannot be asked this: {shown(str(error))}") from error

    def _started(self) -> Any:
        with self._lock:
            if self._server is None:
                self._server = self._start()
            return self._server

    def _start(self) -> Any:
        try:
            xllamacpp = import_module("xllamacpp")
        except ImportError as error:
            raise NoJudge(f"a local model is run by the package xllamacpp: {install_command('local')}") from error
        parameters = xllamacpp.CommonParams()
        parameters.model.path = str(self.path)
        parameters.model_alias = [self.path.name]
        parameters.n_parallel = self.slots
        parameters.n_ctx = self.context * self.slots
        parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = self.threads
        parameters.hostnames, parameters.port = ["127.0.0.1"], 0
        parameters.api_keys = [secrets.token_urlsafe()]  # it also listens on loopback, where no one else may use it
        parameters.verbosity = -1
        try:
            return xllamacpp.Server(parameters)
        except RuntimeError as error:
            raise UsageError(f"{self.path} cannot be loaded as a model: {shown(str(error))}") from error

    def _stop(self) -> None:
        with self._lock:
            self._server = None

    def _fault(self, answer: Any) -> JudgeError:
        if not isinstance(answer, Mapping) or "error" not in answer:
            return UnreadableReply(f"{self.identity.name} gave no answer")
        error = answer["error"]
        needed = error.get("n_prompt_tokens") if isinstance(error, Mapping) else None
        if needed is not None:
            return JudgeUnavailable(
                f"the prompt has {needed:,} tokens and {self.identity.name} reads at most {self.context:,}, its answer "
                "included"
            )
        return JudgeUnavailable(f"{self.identity.name} cannot be asked this: {shown(message_in(answer))}")


def _each_text(change: Callable[[str], str], data: Any) -> Any:
    """Return nested data with a function applied to every text in it that isn't a key."""
    if isinstance(data, str):
        return change(data)
    if isinstance(data, Mapping):
        return {key: _each_text(change, value) for key, value in data.items()}
    return [_each_text(change, value) for value in data] if isinstance(data, list) else data


def digest(path: Path) -> str:
    """Return a digest of a file by its size and 64 pieces spread evenly over it, from beginning to end.

    It distinguishes models without reading gigabytes; two files that differ only between the pieces get the same
    digest.
    """
    size = path.stat().st_size
    hashed = hashlib.sha256(size.to_bytes(8, "big"))
    last = max(0, size - BLOCK_BYTES)
    with path.open("rb") as file:
        for block in range(BLOCKS):
            file.seek(last * block // (BLOCKS - 1))
            hashed.update(file.read(BLOCK_BYTES))
    return hashed.hexdigest()[:16]


def _check_file(path: Path) -> None:
    try:
        with path.open("rb") as file:
            begun = file.read(len(MAGIC))
    except OSError as error:
        raise UsageError(f"{path} cannot be read as a model: {error.strerror or error}") from error
    if begun != MAGIC:
        raise UsageError(f"{path} isn't a GGUF model; the file of a local judge ends in .gguf and begins with GGUF")


def open_local_judge(path: str, context: JudgeContext) -> LocalJudge:
    """Open the judge for a model's file, with the settings that the judges of the run share."""
    return LocalJudge(Path(path), expected=context.expected, **context.settings("temperature", "max_tokens"))
