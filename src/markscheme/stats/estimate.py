"""What every statistic comes back as: a value with its uncertainty, or the reason there is none."""

import math
from dataclasses import asdict, dataclass
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number, how sure it is, and how it was made; or why it has no value.

    Attributes:
        value: The point figure, in the unit its maker's docstring names; None where `undefined` says why.
        low: Lower limit of the interval at `level`, in the unit of `value`; None where no interval is given.
        high: Upper limit likewise. `low` and `high` are both there or both None.
        level: Coverage the interval promises, 0 to 1.
        n: Units (examples, or groups of them) the value rests on.
        method: How value and interval were made, in a few words.
        undefined: Why there is no value; None where there is one.
        note: "rough: …" where the interval is known to cover less than it says, "withheld: …" where one was
            not given for that reason; None otherwise.

    Raises:
        ValueError: A value that is not finite, a value and a reason for having none, half an interval, an
            interval upside down or one that leaves its value outside.

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
                raise ValueError("an interval stands around a value")
            if not self.low - 1e-12 <= self.value <= self.high + 1e-12:
                raise ValueError(f"value {self.value} lies outside its interval {self.low} to {self.high}")

    @classmethod
    def without_value(cls, why: str, *, n: int, method: str, level: float = 0.95) -> Self:
        """An estimate of something that has no value here, with the reason."""
        return cls(None, n=n, method=method, undefined=why, level=level)

    def above(self, bound: float) -> bool:
        """Whether the whole interval is above a bound; False where there is none."""
        return self.low is not None and self.low > bound

    def below(self, bound: float) -> bool:
        """Whether the whole interval is below a bound; False where there is none."""
        return self.high is not None and self.high < bound

    def to_json(self) -> dict[str, Any]:
        """The estimate as plain data for a JSON file; never a NaN."""
        return asdict(self)
