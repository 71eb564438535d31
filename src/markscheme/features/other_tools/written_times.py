"""Times at which the responses in other tools' exports were given."""

from collections.abc import Callable, Iterator
from typing import Any

from markscheme.features.other_tools.stored_rows import stored_rows
from markscheme.plain_data import mapping
from markscheme.ratings.rating import text_of
from markscheme.readers.peek import Peek

Times = Iterator[tuple[str, Any]]
"""Ids of responses, each with a time as written."""


def _of_records(unit: str, *times: str) -> Callable[[Peek], Times]:
    """Make a function that yields the id (key `unit`) and the time of each record that has both.

    Args:
        unit: The key of the id.
        times: Keys of the time; the first of them that has a value in a record counts.
    """

    def read(peek: Peek) -> Times:
        for _, record in peek.parts():
            of_response = mapping(record)
            moment = next((of_response[time] for time in times if of_response.get(time) not in (None, "")), None)
            if moment is not None and of_response.get(unit) not in (None, ""):
                yield str(of_response[unit]), moment

    return read


times_of_langfuse = _of_records("id", "timestamp")
times_of_langsmith = _of_records("id", "start_time")


def times_of_mlflow(peek: Peek) -> Times:
    """Yield the id of each MLflow trace and the time of its request."""
    if peek.tables:
        for row in stored_rows(peek, "trace_info", ("request_id", "timestamp_ms")):
            yield text_of(row["request_id"]), row["timestamp_ms"]
        return
    for _, record in peek.parts():
        info = mapping(mapping(record).get("info"))
        moment = info.get("request_time", info.get("timestamp_ms"))
        if info and moment is not None:
            yield str(info.get("trace_id") or ""), moment


def times_of_phoenix(peek: Peek) -> Times:
    """Yield the id of each Phoenix span and the time at which it began."""
    if peek.tables:
        for row in stored_rows(peek, "spans", ("span_id", "start_time")):
            yield text_of(row["span_id"]), row["start_time"]
        return
    for _, record in peek.parts():
        span = mapping(record)
        unit = span.get("span_id") or span.get("context.span_id") or mapping(span.get("context")).get("span_id")
        if unit and span.get("start_time"):
            yield str(unit), span["start_time"]
