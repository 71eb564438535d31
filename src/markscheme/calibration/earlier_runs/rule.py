"""How a run is compared with the accepted ones, as its caller wishes."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class DriftRule:
    """How a run is compared with the accepted ones, and whether it joins them.

    Attributes:
        accept: Whether it joins them.
        replace: Whether the runs accepted before are dropped.
        accepted: The file of accepted runs; None for the rubric's own.
        run_number: Number of this comparison; None to count it.
        planned_runs: Planned comparisons, which share the false-alarm rate; None if none are planned.
        drift_margin: Share of a scale that counts as unchanged; None for the usual one.
        replay: Whether the judge is asked by the accepted rubric too, to separate judge from wording.
        check: Whether this comparison is one of those that share the false-alarm rate; another is made by the way, at
            the level of the next one, and doesn't use it up.
        anyway: Whether a run is accepted though its judge can neither gate nor be used for trends.
    """

    accept: bool = False
    replace: bool = False
    accepted: Path | None = None
    run_number: int | None = None
    planned_runs: int | None = None
    drift_margin: float | None = None
    replay: bool = False
    check: bool = False
    anyway: bool = False
