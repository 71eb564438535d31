"""Shares on one scale, drawn with characters: the same picture in a terminal and in Markdown."""

from collections.abc import Iterator

from markscheme.report.document import Bars, Mark
from markscheme.text import printable

WIDEST, NARROWEST = 51, 11
LINES, TYPED = tuple("─├┤●▲"), tuple("-[]o^")
"""Track, both ends of an interval, value and target; the second set is for terminals without line drawing."""


def drawn(bars: Bars, width: int, *, plain: bool = False) -> Iterator[str]:
    """The lines of the picture, at most `width` columns wide."""
    names = max(len(name) for name, _ in bars.rows)
    texts = max(len(mark.text) for _, mark in bars.rows)
    room = max(NARROWEST, min(WIDEST, width - names - texts - 6))
    yield " " * (names + 4) + _axis(room)
    signs = TYPED if plain else LINES
    for name, mark in bars.rows:
        yield f"  {printable(name):<{names}}  {_track(mark, room, signs)}  {mark.text}"
    _, low, high, point, target = signs
    has_target = any(mark.role == "target" for _, mark in bars.rows)
    yield " " * (names + 4) + f"{point} estimate  {low}{high} 95% CI" + (f"  {target} target" if has_target else "")


def _axis(room: int) -> str:
    """The labels above a scale from 0 to 100%."""
    cells = [" "] * (room + 4)
    for at in range(0, 101, 20 if room >= 31 else 50):
        label = "100%" if at == 100 else str(at)
        start = max(0, round((room - 1) * at / 100) - len(str(at)) // 2)
        cells[start : start + len(label)] = label
    return "".join(cells).rstrip()


def _track(mark: Mark, room: int, signs: tuple[str, ...]) -> str:
    line, low, high, point, target = signs
    is_target = mark.role == "target"
    cells = [" " if is_target else line] * room
    for limit, sign in ((mark.low, low), (mark.high, high), (mark.value, target if is_target else point)):
        if limit is not None:
            cells[round((room - 1) * mark.place(limit))] = sign
    return "".join(cells)
