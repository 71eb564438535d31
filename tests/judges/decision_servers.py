"""Decision models as servers: a small one that answers as the test says, and the stand-in with every fault."""

import functools
import importlib.util
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.judges.chat_server import Answer
from tests.loopback import report_error

STAND_IN = Path(__file__).parents[3] / "shared" / "tools" / "fake_decisions.py"

Given = Callable[[Mapping[str, Any]], list[float]]
"""The probabilities of a question's options, in their order; of yes or no, that of false and that of true."""


def likely(*probabilities: float) -> Given:
    """The same probabilities for every question with so many options."""
    return lambda _: list(probabilities)


def system_one(given: Given, **body: Any) -> Callable[[dict[str, Any]], Answer]:
    """A server of System One."""

    def answer(question: Mapping[str, Any]) -> dict[str, Any]:
        p = given(question)
        if question["type"] == "noul":
            return {"type": "noul", "noul": p[1]}
        keys = [*question["criteria"]] if question["type"] == "choice" else [str(place) for place in range(len(p))]
        return {"type": question["type"], "confidence": 0.5, "probabilities": dict(zip(keys, p, strict=True))}

    def decide(request: dict[str, Any]) -> Answer:
        answers = {key: answer(question) for key, question in request["questions"].items()}
        usage = {"input_tokens": 100, "output_tokens": 4}
        return Answer({"model": "jev-1.13.0", "answers": answers, "usage": usage} | body)

    return decide


def decisions(given: Given, **body: Any) -> Callable[[dict[str, Any]], Answer]:
    """A server of OpenAI's Decisions."""

    def answer(question: Mapping[str, Any]) -> dict[str, Any]:
        p = given(question)
        kind, name = question["type"], question["name"]
        if kind == "predicate":
            return {"type": kind, "name": name, "probability": p[1]}
        values = [choice["value"] for choice in question["choices"]] if kind == "choice" else range(len(p))
        entries = [{"value": value, "probability": q} for value, q in zip(values, p, strict=True)]
        return {"type": kind, "name": name, "confidence": 0.5, "probabilities": entries}

    def decide(request: dict[str, Any]) -> Answer:
        usage = {"input_tokens": 100, "output_tokens": 0, "total_tokens": 100}
        answers = [answer(question) for question in request["questions"]]
        return Answer({"model": "gpt-6-luna", "answers": answers, "usage": usage} | body)

    return decide


@functools.cache
def stand_in_module() -> ModuleType:
    """The program of the stand-in, imported; the test is skipped where it isn't."""
    if not STAND_IN.exists():
        pytest.skip(f"runs where {STAND_IN} is there")
    spec = importlib.util.spec_from_file_location(STAND_IN.stem, STAND_IN)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@contextmanager
def stand_in(*options: str) -> Iterator[str]:
    """The address of the stand-in with these options, without a path; it answers in threads of this process."""
    program = stand_in_module()
    server = program.server(program.parser().parse_args(options))
    server.handle_error = functools.partial(report_error, server)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
