"""What another tool's file holds, as examples and ratings of one rubric, with all that ratings have no room for."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from markscheme.plain_data import shown
from markscheme.ratings.examples import Example
from markscheme.ratings.rating import Kind, Rated, Rating, level_on
from markscheme.rubrics.rubric import Criterion, Rubric

YES = frozenset(["pass", "passed", "true", "yes", "y", "correct", "met", "good", "1", "1.0"])
NO = frozenset(["fail", "failed", "false", "no", "n", "incorrect", "unmet", "bad", "0", "0.0"])
DIGITS = 9


@dataclass(frozen=True)
class Imported:
    """A file of another tool, read.

    Attributes:
        path: The file.
        taken_for: What kind of file it was taken for.
        examples: Submissions, as far as the file holds their responses; without labels.
        ratings: Everybody's ratings.
        lost: What the file says and neither can hold, counted.
        notes: How the file was understood, where it might have been understood otherwise.
    """

    path: Path
    taken_for: str
    examples: tuple[Example, ...]
    ratings: tuple[Rating, ...]
    lost: Mapping[str, int]
    notes: tuple[str, ...] = ()

    @property
    def raters(self) -> dict[str, dict[str, Any]]:
        """By rater, the kind of its ratings and how many there are."""
        found: dict[str, dict[str, Any]] = {}
        for rating in self.ratings:
            entry = found.setdefault(rating.rater, {"kind": rating.kind, "ratings": 0, "ungraded": 0})
            entry["ratings"] += 1
            entry["ungraded"] += rating.error is not None
        return found


@dataclass(frozen=True)
class Columns:
    """What a table's columns hold and who rated, where the file doesn't say.

    Attributes:
        fields: What a column holds, by the column's name: a field of `tables.FIELDS` or a criterion. A value within
            an object goes by its path, `outer.inner`.
        rater: Who gave ratings that don't say.
        kind: What ratings count as that don't say; None refuses them.
        judges: Raters that are judges, whatever the file says of their kind.
    """

    fields: Mapping[str, str] = field(default_factory=dict)
    rater: str | None = None
    kind: Kind | None = None
    judges: frozenset[str] = frozenset()

    def renamed(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """A row under the names its columns are mapped to."""
        by_column = {plain(column): name for column, name in self.fields.items()}
        lifted: dict[str, Any] = {}
        rest = dict(row)
        for column in self.fields:
            if "." in column and column not in rest:
                rest, value = _taken_out(rest, column.split("."))
                lifted |= {} if value is None else {column: value}
        flat = {**rest, **lifted}
        return {by_column.get(plain(str(column)), str(column)): value for column, value in flat.items()}


def _taken_out(nested: Mapping[str, Any], path: Sequence[str]) -> tuple[dict[str, Any], Any]:
    """An object without the value at a path, and that value; None where there is none."""
    key, *deeper = path
    inner = nested.get(key)
    if not deeper:
        return {other: value for other, value in nested.items() if other != key}, inner
    if not isinstance(inner, Mapping):
        return dict(nested), None
    left, value = _taken_out(inner, deeper)
    return {name: left if name == key else other for name, other in nested.items() if name != key or left}, value


@dataclass
class Reading:
    """One reading of one file for one rubric: what can't be held is counted, words are read the same everywhere.

    Attributes:
        rubric: Whose criteria and scales ratings are held to.
        words: What words of the file mean, beyond those known: from lower-case word to level or pass|fail.
        columns: What columns hold, and who rated, where the file doesn't say.
        lost: What was put aside.
        notes: How the file was understood, where it might have been understood otherwise.
    """

    rubric: Rubric
    words: Mapping[str, str] = field(default_factory=dict)
    columns: Columns = Columns()
    lost: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._by_name = {plain(criterion.name): criterion for criterion in self.rubric.criteria}

    def criterion(self, name: str) -> Criterion | None:
        """The criterion of that name, however it is spelt; None where the rubric has none."""
        return self._by_name.get(plain(name))

    @property
    def only(self) -> Criterion | None:
        """The rubric's one criterion; None where it has several."""
        return self.rubric.criteria[0] if len(self.rubric.criteria) == 1 else None

    def lose(self, what: str, times: int = 1) -> None:
        """Count something that ratings have no room for."""
        self.lost[what] += times

    def note(self, what: str) -> None:
        """Tell how the file was understood, once."""
        if what not in self.notes:
            self.notes.append(what)

    def imported(self, path: Path, taken_for: str, examples: Iterable[Example], ratings: Iterable[Rating]) -> Imported:
        """What the file holds, with all that was put aside and noted so far."""
        return Imported(path, taken_for, tuple(examples), tuple(ratings), dict(self.lost), tuple(self.notes))

    def level(self, criterion: Criterion, said: Any, *, reason: str = "") -> Rated | None:
        """A level as the file says it; None, and counted, where it is none of the scale."""
        level = _on_scale(criterion, self._meant(said))
        if level is not None:
            return Rated(level, reason)
        decision = self.decision(said)
        if decision is not None and criterion.scale.is_yes_no:
            return Rated(float(decision), reason)
        self.lose(f"levels {shown(said)} of {criterion.name!r}, which are none of {', '.join(criterion.scale.choices)}")
        return None

    def decision(self, said: Any) -> bool | None:
        """Pass or fail as the file says it; None where it says neither."""
        if isinstance(said, bool):
            return said
        word = str(self._meant(said)).strip().casefold()
        return True if word in YES else False if word in NO else None

    def whole(self, said: Any) -> tuple[dict[str, Rated], float | None, bool | None]:
        """What a verdict on the whole amounts to: levels, score and decision, as far as it is any of them.

        A rubric of one criterion takes it as that criterion's level; any other takes pass or fail as a decision and a
        number from 0 to 1 as a score.
        """
        level = self._level_of_only(said)
        if level is not None and self.only is not None:
            decided = bool(level.level) if self.only.scale.is_yes_no else None
            return {self.only.name: level}, None, decided
        decision = None if _is_fraction(said) else self.decision(said)
        if decision is not None:
            return {}, None, decision
        if self.only is not None:
            return self._no_level(self.only, said)
        score = number(self._meant(said))
        if score is not None and 0 <= score <= 1:
            return {}, score, None
        self.lose(f"verdicts {shown(said)}, which are neither pass, fail nor a score from 0 to 1")
        return {}, None, None

    def is_verdict(self, said: Any) -> bool:
        """Whether a value is a level of some criterion, or a decision."""
        if self.decision(said) is not None:
            return True
        return any(_on_scale(criterion, self._meant(said)) is not None for criterion in self.rubric.criteria)

    def _level_of_only(self, said: Any) -> Rated | None:
        """The level of the rubric's one criterion that a verdict names; None where it names none."""
        if self.only is None:
            return None
        level = _on_scale(self.only, self._meant(said))
        decision = self.decision(said)
        if level is None and decision is not None and self.only.scale.is_yes_no:
            level = float(decision)
        return None if level is None else Rated(level)

    def _no_level(self, criterion: Criterion, said: Any) -> tuple[dict[str, Rated], float | None, bool | None]:
        self.level(criterion, said)  # counts it as lost
        return {}, None, None

    def _meant(self, said: Any) -> Any:
        """A value with the caller's words replaced, numbers in text as numbers."""
        if isinstance(said, str):
            meant: Any = self.words.get(said.strip().casefold(), said.strip())
            found = number(meant)
            return meant if found is None else found
        return self.words.get(str(said).casefold(), said) if not isinstance(said, bool) else said


def _on_scale(criterion: Criterion, meant: Any) -> float | None:
    try:
        return level_on(criterion.scale, meant, criterion.name)
    except ValueError:
        return None


def plain(name: str) -> str:
    """A name without case and what joins its words: "Code Quality", "code_quality" and "code-quality" are one."""
    return "".join(letter for letter in name.casefold() if letter.isalnum()) or name.casefold()


def number(said: Any) -> float | None:
    """A finite number, also one written as text; None for anything else."""
    if isinstance(said, bool):
        return None
    try:
        value = float(said)
    except (TypeError, ValueError):
        return None
    return value if math.isfinite(value) else None


def at_position(criterion: Criterion, merit: float) -> float:
    """The level whose merit, 0 to 1, a score is: for a fault the other way round."""
    return round(criterion.scale.at(criterion.merit(merit)), DIGITS)


def said_anything(rating: Rating) -> bool:
    """Whether a rating says anything at all."""
    return bool(rating.criteria) or rating.overall is not None or rating.passed is not None or rating.error is not None


def unique_ids(proposed: Iterable[str]) -> list[str]:
    """The ids, numbered where one comes again."""
    seen: Counter[str] = Counter()
    found = []
    for name in proposed:
        seen[name] += 1
        found.append(name if seen[name] == 1 else f"{name} #{seen[name]}")
    return found


def _is_fraction(said: Any) -> bool:
    value = number(said)
    return value is not None and not value.is_integer()
