"""ISO weeks, and times of responses as other tools export them."""

from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Any

from markscheme.readers.imported import number

WEEK = timedelta(days=7)
_PER_SECOND = ((1e17, 1e9), (1e14, 1e6), (1e11, 1e3))
"""Pairs of a number and a unit: a time since 1970 above the number is counted in that many units per second (nano-,
micro- or milliseconds)."""


def week_of(day: date) -> str:
    """Return the ISO week that a day belongs to.

    Example:
        >>> week_of(date(2025, 12, 29))
        '2026-W01'
    """
    year, week, _ = day.isocalendar()
    return f"{year}-W{week:02}"


@lru_cache
def monday_of(week: str) -> date:
    """Return the Monday with which an ISO week begins.

    Example:
        >>> monday_of("2026-W01")
        datetime.date(2025, 12, 29)
    """
    year, _, number_of_week = week.partition("-W")
    return date.fromisocalendar(int(year), int(number_of_week), 1)


def is_over(week: str, through: date) -> bool:
    """Return True if an ISO week ends on or before a given day."""
    return monday_of(week) + WEEK <= through + timedelta(days=1)


def read_time(raw: Any) -> datetime | None:
    """Read a time as exports write it: ISO 8601, or seconds, milliseconds, … since 1970; None for anything else.

    If the time has no zone, the result has none.

    Example:
        >>> read_time("2025-10-06T09:30:00+02:00").hour, read_time(1759735800000).isoformat()
        (7, '2025-10-06T07:30:00+00:00')
    """
    if isinstance(raw, datetime):
        return raw if raw.tzinfo is None else raw.astimezone(UTC)
    since_1970 = number(raw)
    try:
        if since_1970 is not None:
            per_second = next((times for least, times in _PER_SECOND if since_1970 > least), 1.0)
            return datetime.fromtimestamp(since_1970 / per_second, UTC)
        at = datetime.fromisoformat(str(raw).strip())
        return at if at.tzinfo is None else at.astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return None
