"""Estimate, the result of every statistic: a value with its uncertainty, or the reason there is none."""

import math
from dataclasses import asdict, dataclass
from typing import Any, Self

from markscheme.phrases import number, percent


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its interval and method, or the reason there is no value.

    Attributes:
        value: The point estimate, in the unit that the function's docstring names; None where `undefined` says why.
        low: Lower limit of the interval at `level`, in the unit of `value`; None where no interval is given.
        high: Upper limit likewise. `low` and `high` are both present or both None.
        level: Nominal coverage of the interval, 0 to 1.
        n: Units (examples, or groups of them) behind the value.
        method: How value and interval were computed, in a few words.
        undefined: Why there is no value; None where there is one.
        note: "rough: …" where the interval is known to cover less than `level`, "withheld: …" where no interval is
            given for that reason; None otherwise.

    Raises:
        ValueError: A value that is not finite, a value together with a reason for having none, half an interval, an
            inverted interval or one that excludes its value.

    Example:
        >>> estimate = Estimate(0.8, 0.7, 0.88, n=60, method="jackknife t, logit")
        >>> estimate.value, estimate.low, estimate.high, estimate.level
        (0.8, 0.7, 0.88, 0.95)
        >>> Estimate.without_value("one level only", n=12, method="cohen_kappa").undefined
        'one level only'
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    level: float = 0.95
    n: int = 0
    method: str = ""
    undefined: str | None = None
    note: str | None = None

    def __post_init__(self) -> None:
        if (self.value is None) == (self.undefined is None):
            raise ValueError(f"an estimate has either a value or a reason: {self.value!r}, {self.undefined!r}")
        numbers = [x for x in (self.value, self.low, self.high) if x is not None]
        if not all(math.isfinite(x) for x in numbers):
            raise ValueError(f"an estimate holds finite numbers only: {numbers}")
        if (self.low is None) != (self.high is None):
            raise ValueError("an interval has two limits or none")
        if self.low is not None and self.high is not None:
            if self.value is None:
                raise ValueError("an interval needs a value")
            if not self.low - 1e-12 <= self.value <= self.high + 1e-12:
                raise ValueError(f"value {self.value} lies outside its interval {self.low} to {self.high}")

    @classmethod
    def without_value(cls, why: str, *, n: int, method: str, level: float = 0.95) -> Self:
        """An estimate without a value, with the reason."""
        return cls(None, n=n, method=method, undefined=why, level=level)

    def above(self, bound: float) -> bool:
        """Whether the whole interval is above a bound; False without an interval."""
        return self.low is not None and self.low > bound

    def below(self, bound: float) -> bool:
        """Whether the whole interval is below a bound; False without an interval."""
        return self.high is not None and self.high < bound

    @property
    def is_count(self) -> bool:
        """Whether a share is printed as a count: it has too few examples, or groups of them, for an interval."""
        return self.value is not None and self.note is not None and self.note.startswith(("few: ", "withheld: "))

    @property
    def is_approximate(self) -> bool:
        """Whether few examples carry the interval."""
        return self.note is not None and self.note.startswith(("approximate", "rough"))

    def as_share(self, digits: int = 0) -> str:
        """A share and its interval in per cent; a count where there are too few examples for an interval.

        Example:
            >>> Estimate(0.83, 0.71, 0.91).as_share(), Estimate(0.75, n=4, note="few: 3 of 4").as_share()
            ('83% (71–91)', '3 of 4')
        """
        if self.value is None:
            return number(None)
        if self.is_count:
            return f"{number(self.value * self.n, 2).removesuffix('.00')} of {self.n}"
        if self.low is None or self.high is None:
            return percent(self.value, digits)
        limits = f"{number(100 * self.low, digits)}–{number(100 * self.high, digits)}"
        return f"{percent(self.value, digits)} ({limits}){' ~' if self.is_approximate else ''}"

    def to_json(self) -> dict[str, Any]:
        """The estimate as plain data for JSON; never a NaN."""
        return asdict(self)
