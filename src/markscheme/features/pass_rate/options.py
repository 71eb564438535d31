"""Options for a stream of responses that `pass-rate --track` follows over time."""

from dataclasses import dataclass

from markscheme.options.forms import FLAG, SHARE, WHOLE, text_form
from markscheme.options.table import option

_DAY = text_form("a date such as 2025-11-30")
_COLUMN = text_form("a column's name")


@dataclass(frozen=True, kw_only=True)
class TrackOptions:
    """Options for a stream of responses that `pass-rate --track` follows over time."""

    track: bool = option(
        False, "remember responses of --rubric NAME, look at all weeks; --judge grades what has no verdict", FLAG
    )
    audits_per_week: int | None = option(
        None, "responses a week that people label, drawn at random (30)", WHOLE, value="N"
    )
    since: str | None = option(None, "begin a new period, after something changed on purpose", _DAY, value="DATE")
    because: str | None = option(None, "why the period begins", text_form("a reason in words"), value="TEXT")
    plan: bool = option(False, "print what numbers of audits a week are worth", FLAG)
    at_least: float | None = option(None, "the least rate, or mean of several runs, that is enough", SHARE, value="T")
    stream: str = option(
        "main", "a stream that is watched by itself (main)", text_form("the name of a stream"), value="NAME"
    )
    by: str | None = option(None, "rates of the parts of a column too; they raise no alarm", _COLUMN, value="COLUMN")
    through: str | None = option(None, "the last day that is over (yesterday)", _DAY, value="DATE")
    at: str | None = option(None, "the day of all responses", _DAY, value="DATE")
    time: str | None = option(None, "the column of times (time, timestamp, created_at, …)", _COLUMN, value="COLUMN")

    @property
    def of_stream(self) -> dict[str, object]:
        """Values of the options that take effect only with `--track`, by name."""
        return {
            "--audits-per-week": self.audits_per_week,
            "--since": self.since,
            "--because": self.because,
            "--by": self.by,
            "--through": self.through,
            "--at": self.at,
            "--time": self.time,
        }
