"""The state of each stream at its last look, for `status`: a line, and a plot of its weeks."""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from functools import partial
from pathlib import Path
from string import ascii_lowercase
from typing import Any

from markscheme.errors import MarkschemeError
from markscheme.features.pass_rate.tracked.counts import WeekCounts, count_weeks
from markscheme.features.pass_rate.tracked.store import StreamFiles, StreamMemory
from markscheme.features.pass_rate.tracked.view import head_of, range_of
from markscheme.features.pass_rate.tracked.weeks import week_of
from markscheme.phrases import percent
from markscheme.report.document import Block, Items, Line, Paragraph, Section, Table
from markscheme.report.figures import NONE
from markscheme.report.plot import Axis, Plot, PlotLine, PlotMark, PlotPoint, PlotRule
from markscheme.report.streams import WatchedStream

MOST_WEEK_NAMES = 6
"""Largest number of weeks that are named below the plot: more don't fit on a phone."""
_HEADINGS = ("Week", "judge passes", "people would pass (95% CI)", "what happened")


def standing(rubric: str, folder: Path) -> WatchedStream:
    """Return the state of the stream of responses in a folder at its last look, or an error if a file can't be read."""
    stream = StreamFiles(folder)
    name = rubric if stream.folder.name == "main" else f"{rubric}, {stream.folder.name}"
    shown = {"rubric": rubric, "stream": stream.folder.name}
    try:
        last = stream.last_look()
    except MarkschemeError as error:
        fault = str(error).splitlines()[0]
        return WatchedStream(f"stream {name}: {fault}", shown | {"fault": fault}, partial(_unread, name, fault))
    look = {key: last.get(key) for key in ("through", "named", "rate", "low", "high", "judge_alone")}
    return WatchedStream(f"stream {name}: {_sentence(last)}", shown | look, partial(_section, name, stream))


def _sentence(last: Mapping[str, Any]) -> str:
    """Return a sentence on what had changed in the stream by its last look, and on the share that people would pass."""
    if not last:
        return "not looked at yet"
    moved = "nothing moved." if last.get("named") is None else _head(last)
    rate = "What people would pass isn't known yet."
    since = last.get("since")
    if since is not None:
        rate_since = f"{percent(since['rate'])} ({range_of(since['low'], since['high'])})"
        rate = f"People would pass {rate_since}, before {percent(last['before'])}."
    elif last.get("rate") is not None:
        rate = f"People would pass {percent(last['rate'])} (95% CI {range_of(last['low'], last['high'])})."
    return f"through {last['through']}, {moved[:1].lower()}{moved[1:]} {rate}"


def _head(look: Mapping[str, Any]) -> str:
    """Return the heading, such as "Responses got worse.", of a look at a stream in which a change was found."""
    return head_of(str(look["named"]), better=bool(look.get("better")))


# --- the picture ------------------------------------------------------------------------------------------------------


def _unread(name: str, fault: str) -> Section:
    return Section(f"Pass rate of {name}", (Paragraph((fault,)),))


def _section(name: str, stream: StreamFiles) -> Section:
    """Render a stream's weeks: the share that the judge passed in each, and people's pass rate as of each look."""
    try:
        memory = stream.read()
    except MarkschemeError as error:
        return _unread(name, str(error).splitlines()[0])
    looks = {_week_of_look(look): look for look in memory.looks}
    weeks = [
        week for week in count_weeks(memory.graded.values(), {}, date.today()) if week.week <= max(looks, default="")
    ]
    return Section(f"Pass rate of {name}", tuple(_blocks(weeks, looks, list(_events_of_stream(memory)))))


def _week_of_look(look: Mapping[str, Any]) -> str:
    """Return the last week whose responses a look counted; if none, the last that had ended when it was taken."""
    return max(look.get("counted", ()), default=None) or week_of(date.fromisoformat(str(look["through"])))


def _events_of_stream(memory: StreamMemory) -> Iterator[tuple[str, str]]:
    """Yield each event of a stream, its week and its text: a period's start, or a newly found cause of a change."""
    for period in memory.periods:
        yield week_of(date.fromisoformat(str(period.begins))), str(period.because)
    named = None
    for look in memory.looks:
        if look.get("named") not in (None, named):
            yield _week_of_look(look), _head(look)
        named = look.get("named")


def _blocks(
    weeks: Sequence[WeekCounts], looks: Mapping[str, Mapping[str, Any]], happened: Sequence[tuple[str, str]]
) -> Iterator[Block]:
    """Yield a plot of the weeks, with letters for events, and its table; for a single week only the table.

    Args:
        weeks: Counts of each week.
        looks: The record of each week's look, by the week's name.
        happened: Events, each with its week and its words.
    """
    table = Table(_HEADINGS, tuple(_rows(weeks, looks, happened)))
    if len(weeks) < 2:
        yield table
        return
    names = [week.week for week in weeks]
    lettered = list(zip(ascii_lowercase, sorted(happened), strict=False))
    step = -(-len(names) // MOST_WEEK_NAMES)
    ticks = ((float(index), names[index]) for index in range(len(names) - 1, -1, -step))
    rules = [
        PlotRule(bisect_left(names, week) - 0.5, letter, is_upright=True, role="plain")
        for letter, (week, _) in lettered
    ]
    yield Plot(
        title="What the judge passes, and what people would pass.",
        x=Axis(-0.5, len(names) - 0.5, tuple(ticks)),
        y=Axis.of_shares(),
        marks=(*rules, *_marks(weeks, looks)),
        table=table,
        caption="Points: of all weeks of the period so far, with the 95% CI for all looks of two years.",
        key=(("the judge passes", "judge"), ("people would pass", "annotators")),
    )
    if lettered:
        yield Items(tuple((f"{letter}: {week}, {words}",) for letter, (week, words) in lettered))


def _marks(weeks: Sequence[WeekCounts], looks: Mapping[str, Mapping[str, Any]]) -> Iterator[PlotMark]:
    yield PlotLine(tuple((float(index), week.share) for index, week in enumerate(weeks) if week.graded))
    for index, week in enumerate(weeks):
        look = looks.get(week.week, {})
        if look.get("rate") is not None:
            says = f"{week.week}: people would pass {_rate(look)}"
            yield PlotPoint(index, look["rate"], look["low"], look["high"], says, "annotators")


def _rows(
    weeks: Sequence[WeekCounts], looks: Mapping[str, Mapping[str, Any]], happened: Sequence[tuple[str, str]]
) -> Iterator[tuple[Line, ...]]:
    for week in weeks:
        look = looks.get(week.week, {})
        rate = NONE if look.get("rate") is None else _rate(look)
        since = "; ".join(words for of_week, words in happened if of_week == week.week)
        yield week.week, percent(week.share) if week.graded else NONE, rate, since


def _rate(look: Mapping[str, Any]) -> str:
    return f"{percent(look['rate'])} ({range_of(look['low'], look['high'])})"
