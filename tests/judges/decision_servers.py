"""Servers of decision models: a small one whose answers a test decides, and a stand-in that can play every fault."""

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
    """Make a function that gives every question the same probabilities of its options."""
    return lambda _: list(probabilities)


def system_one(given: Given, **body: Any) -> Callable[[dict[str, Any]], Answer]:
    """Make the answers of a server in the format of System One, with the given probabilities."""

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
    """Make the answers of a server in the format of OpenAI's Decisions, with the given probabilities."""

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
    """Import the program of the stand-in server; skip the test if it isn't there."""
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
    """Start the stand-in server with these options, in threads of this process; yield its address without a path."""
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
