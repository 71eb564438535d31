"""The Estimate, which every statistic returns: a value with its interval, or the reason why there is none."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Literal, NamedTuple, Self, TypeAlias, get_args

from markscheme.stats.wording import Fact, reason_in_words, share_in_words

Hedge: TypeAlias = Literal["few", "withheld", "approximate"]
"""Kind of limitation of an interval: "few" if a share is printed as a count, "withheld" if it isn't given,
"approximate" if it covers less than its level."""


class ScaleLevel(float):
    """A level of a scale among the facts of a Reason; reports show it by its name instead of its number."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Reason why a figure has no value or a limited interval: a code, and facts for the code's sentence.

    The sentences are in `report/words.py`.

    Attributes:
        code: Code of the reason, such as "few-off".
        facts: Figures and names for the sentence; a `ScaleLevel` among them is printed by the level's name.

    Example:
        >>> stuck = Reason("stuck", {"rater": "judge", "level": ScaleLevel(1.0)})
        >>> str(stuck), stuck.with_levels({1.0: "MET"}.__getitem__)
        ('judge never leaves level 1', 'judge never leaves MET')
    """

    code: str
    facts: Mapping[str, Fact] = field(default_factory=dict, hash=False)

    def with_levels(self, name_of: Callable[[float], str]) -> str:
        """Return the reason as a sentence.

        Args:
            name_of: Function that returns the name of a level for the sentence.
        """
        facts = {name: name_of(fact) if isinstance(fact, ScaleLevel) else fact for name, fact in self.facts.items()}
        return reason_in_words(self.code, facts)

    def __str__(self) -> str:
        return self.with_levels(lambda level: f"level {level:g}")


class Caveat(NamedTuple):
    """Limitation of an interval, with its reason and any remark.

    Attributes:
        hedge: Kind of limitation of the interval, such as "withheld"; None if it isn't limited.
        reason: Reason why it is limited, which is a text if it was read from a file; None if it isn't limited.
        remark: Further remark; None if there is none.

    Example:
        >>> str(Caveat("withheld", Reason("no-examples"), "from 2 of 52 units"))
        'withheld: no examples; from 2 of 52 units'
    """

    hedge: Hedge | None = None
    reason: Reason | str | None = None
    remark: str | None = None

    @classmethod
    def read(cls, note: str) -> Self:
        """Parse a caveat from the note in an Estimate's JSON."""
        start, _, why = note.partition(": ")
        hedge: Hedge | None = next((hedge for hedge in get_args(Hedge) if hedge == start), None)
        return cls(remark=note) if hedge is None else cls(hedge, why)

    @property
    def why(self) -> str:
        """The reason and the remark as text, without the leading word that `str` adds, such as "approximate"."""
        return self.why_with_levels(None)

    def why_with_levels(self, name_of: Callable[[float], str] | None) -> str:
        """Return reason and remark as text, in which `name_of` names the levels; if it is None, levels stay numbers."""
        reason = self.reason
        if name_of is not None and isinstance(reason, Reason):
            reason = reason.with_levels(name_of)
        return "; ".join(str(part) for part in (reason, self.remark) if part)

    def __str__(self) -> str:
        return self.why if self.hedge is None else f"{self.hedge}: {self.why}"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its interval and method, or the reason why there is no value.

    Attributes:
        value: Point estimate, in the unit that the function's docstring names; None if it is undefined.
        low: Lower limit of the interval at `level`, in the unit of `value`; None if there is no interval.
        high: Upper limit of the interval; None if there is no interval.
        level: Nominal coverage of the interval, 0 to 1.
        n: Number of units (examples, or groups of them) behind the value.
        method: Method by which value and interval were computed, in a few words.
        undefined: Reason why there is no value; None if there is a value.
        caveat: Limitation of the interval; None if it has none.

    Raises:
        ValueError: The value is not finite or has a reason why there is none, or the interval has only one limit, is
            inverted or excludes the value.

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
    caveat: Caveat | None = None

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
    def without_value(cls, why: str | Reason, *, n: int, method: str, level: float = 0.95) -> Self:
        """Create an estimate without a value.

        Args:
            why: The reason why there is no value.
            n: Number of examples.
            method: Name of the quantity or of how it would be computed.
            level: Coverage that the interval would have.
        """
        return cls(None, n=n, method=method, undefined=str(why), level=level)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Read the estimate that `to_json` wrote.

        Raises:
            TypeError: An entry has an unknown name, or the value is missing.
            ValueError: The entries contradict each other.
        """
        entries = {**data}
        note = entries.pop("note", None)
        return cls(**entries, caveat=None if note is None else Caveat.read(str(note)))

    def without(self, why: str) -> Self:
        """Return the estimate with its value and interval replaced by a reason why they aren't given."""
        return replace(self, value=None, low=None, high=None, undefined=why, caveat=None)

    def above(self, bound: float) -> bool:
        """Return True if the whole interval is above a bound; False without an interval."""
        return self.low is not None and self.low > bound

    def below(self, bound: float) -> bool:
        """Return True if the whole interval is below a bound; False without an interval."""
        return self.high is not None and self.high < bound

    @property
    def hedge(self) -> Hedge | None:
        """Kind of limitation of the interval; None if it has none.

        "few" if examples are so few that a share is printed as a count, "withheld" if the interval isn't given,
        "approximate" if it covers less than its level.
        """
        return None if self.caveat is None else self.caveat.hedge

    @property
    def note(self) -> str | None:
        """The caveat as text for JSON, such as "withheld: too few fails"; None without a caveat."""
        return None if self.caveat is None else str(self.caveat)

    @property
    def is_count(self) -> bool:
        """True for a share that is printed as a count, since it has too few examples or groups for an interval."""
        return self.value is not None and self.hedge in ("few", "withheld")

    @property
    def is_approximate(self) -> bool:
        """True if the interval is marked approximate, since few examples determine it."""
        return self.hedge == "approximate"

    def as_share(self, digits: int = 0) -> str:
        """Render a share and its interval in per cent, or a count such as "3 of 4" if examples are too few.

        Args:
            digits: Number of decimals.

        Example:
            >>> Estimate(0.83, 0.71, 0.91).as_share(), Estimate(0.75, n=4, caveat=Caveat("few")).as_share()
            ('83% (71–91)', '3 of 4')
        """
        return share_in_words(self, digits)

    def to_json(self) -> dict[str, Any]:
        """Return the estimate as a dict that JSON can hold, without NaN."""
        return {
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "level": self.level,
            "n": self.n,
            "method": self.method,
            "undefined": self.undefined,
            "note": self.note,
        }


class EstimatePair(NamedTuple):
    """A figure on two sides, such as two judges or two files, and the difference between them.

    Attributes:
        first: The figure of the first side.
        second: The figure of the second side.
        difference: The figure of the second side minus that of the first.
    """

    first: Estimate
    second: Estimate
    difference: Estimate


class EstimatesOnDemand(Mapping[str, Estimate]):
    """Mapping of estimates by name, in which a family of estimates is computed when one of them is first read.

    Example:
        >>> shares = EstimatesOnDemand([(("recall",), lambda: {"recall": Estimate(0.5)})])
        >>> list(shares), shares["recall"].value
        (['recall'], 0.5)
    """

    def __init__(self, families: Iterable[tuple[Iterable[str], Callable[[], Mapping[str, Estimate]]]]) -> None:
        """Take families of estimates: for each, the names and the function that computes them on first use."""
        self._families: dict[str, Callable[[], Mapping[str, Estimate]]] = {}
        for names, compute in families:
            self._families |= dict.fromkeys(names, cache(compute))

    def __getitem__(self, name: str) -> Estimate:
        return self._families[name]()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._families)

    def __len__(self) -> int:
        return len(self._families)

    def __repr__(self) -> str:
        return repr(dict(self))

    def __reduce__(self) -> tuple[type[dict[str, Estimate]], tuple[dict[str, Estimate]]]:
        """Return a plain dict of the estimates for copying and pickling; the functions can't be pickled."""
        return dict, (dict(self),)
