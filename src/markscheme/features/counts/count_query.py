"""SQL expressions that count the examples of a wide table with equal ratings, for any database.

Every expression means the same in SQLite, DuckDB and Daft, so that each of them counts by the same rules; in Daft a
condition that is null makes a whole CASE null. Gold is computed as in `ratings.gold`, scores and decisions as in
`grading.score`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeAlias

from markscheme.errors import UsageError
from markscheme.features.counts.columns_of_counts import refuse_other_column
from markscheme.grading.score import ROUNDING
from markscheme.rubrics.rubric import Criterion, Rubric

Expressions: TypeAlias = Mapping[str, str]
"""SQL expressions by the name of the column that they define."""
COUNTS_FORMAT: Final = 1
"""Version of the counts format, as the part `format:1` states it."""
SCORE_DECIMALS: Final = 9
"""Decimals to which scores and shares are rounded."""
DOES_NOT_APPLY_LEVEL: Final = -2
"""Level in a table that says that the criterion doesn't apply."""
OTHER_PARTS: Final = frozenset({"score", "decision", "people", "given", "examples", "groups"})
"""Names of the parts that aren't about a criterion; no criterion may have one of these names."""
ADJUDICATED: Final = "gold"
"""Name of the rater whose levels are final, whatever the annotators' levels are."""
MOST_IN_PLAIN_SQL: Final = 3
"""Largest number of annotators whose median is written in plain SQL; for more, a database's median function is
needed."""
_PASSING_ROUNDING: Final = 1e-12
"""Largest distance of a position below a threshold that comes from rounding, as `Criterion.passes` allows."""


@dataclass(frozen=True)
class CountedPart:
    """Definition of one part of a counts file, such as scores: the values by whose combinations it counts examples.

    Attributes:
        name: Name of the part.
        values: Gold's, the judge's, and annotators' values, as columns or expressions.
        earlier: The earlier judge's value, as a column or expression; None if no earlier judge is counted.
    """

    name: str
    values: tuple[str, ...]
    earlier: str | None = None


def refuse_uncountable(rubric: Rubric) -> None:
    """Raise an error for a rubric whose figures can't be computed from counts.

    Raises:
        UsageError: The rubric compares pairs, has categories, or has a criterion with a name that counts files use
            for other rows.
    """
    if rubric.is_of_pairs:
        raise UsageError(f"{rubric.name} compares pairs of responses, which aren't counted")
    if rubric.categories:
        raise UsageError(f"{rubric.name} has categories, which aren't counted")
    for criterion in rubric.criteria:
        if criterion.name in OTHER_PARTS:
            raise UsageError(
                f"{criterion.name} is the name of a part of counts: a criterion needs another to be counted"
            )


@dataclass(frozen=True)
class CountQuery:
    """Query that counts the rows of a wide table, with a column `RATER__CRITERION` for each rater and criterion.

    Attributes:
        rubric: The rubric by which the examples were rated.
        raters: Names of the annotators, and `gold` if the table has final levels.
        judge: The judge's name in the table.
        fields: Columns by whose values the examples are also counted.
        earlier: Name in the table of an earlier judge whose ratings are counted too; None if there is none.

    Raises:
        UsageError: The rubric's figures can't be computed from counts, or raters are missing or repeated.
    """

    rubric: Rubric
    raters: tuple[str, ...]
    judge: str
    fields: tuple[str, ...] = ()
    earlier: str | None = None

    def __post_init__(self) -> None:
        refuse_uncountable(self.rubric)
        if not self.raters:
            raise UsageError("no rater is named: --raters p1,p2 names the annotators' columns")
        names = [*self.raters, self.judge, *([] if self.earlier is None else [self.earlier])]
        if len(set(names)) < len(names):
            raise UsageError(f"each rater has one name, got {', '.join(names)}")
        if self.earlier is not None:
            refuse_other_column(self.earlier)
        if self.fields and not self.rubric.has_score:
            raise UsageError(f"{self.rubric.name} has no score, by which slices are counted")
        for criterion in self.rubric.criteria:
            if criterion.not_applicable and DOES_NOT_APPLY_LEVEL in criterion.scale.values:
                raise UsageError(
                    f"{criterion.name} has a level {DOES_NOT_APPLY_LEVEL}, which in a table to be counted says that "
                    "the criterion does not apply"
                )

    @property
    def columns(self) -> dict[str, str]:
        """The table's columns of levels, by the aliases that expressions use for them."""
        return {
            _raw(prefix, index, criterion): f"{rater}__{criterion.name}"
            for prefix, rater in self._names.items()
            for index, criterion in self._criteria
        }

    @property
    def slices(self) -> dict[str, str]:
        """The fields by whose values examples are counted separately, by the aliases that SQL uses for them."""
        return {f"slice_{place}": field for place, field in enumerate(self.fields, start=1)}

    @property
    def annotators(self) -> list[str]:
        """Aliases that SQL expressions use for the annotators: p1, p2, …"""
        return [prefix for prefix in self._names if prefix not in ("final", *self._judges)]

    @property
    def is_labelled(self) -> str:
        """SQL condition that an example has a level from an annotator or from gold."""
        return " OR ".join(
            f"{_raw(prefix, index, criterion)} IS NOT NULL"
            for prefix in self._labellers
            for index, criterion in self._criteria
        )

    def stages(self, middle: str | None = None) -> list[Expressions]:
        """Return the columns to compute, in stages; each stage uses only columns of earlier stages.

        Args:
            middle: An expression for the median of any number of levels, with `{}` for the levels; None to write out
                the median of at most three.
        """
        stages = [
            dict(self._levels()),
            dict(self._gold_levels(middle)),
            dict(self._settled()),
            dict(self._sums()),
            dict(self._scores()),
            dict(self._gold_score()),
            dict(self._decisions()),
            dict(self._compared()),
        ]
        return [stage for stage in stages if stage]

    def parts(self) -> Iterator[CountedPart]:
        """Yield the parts that count examples with equal ratings: of scores, of decisions and of each criterion."""
        then = self.earlier is not None
        scores = rounded("gold_score"), rounded("judge_score")
        yield CountedPart("score", scores, rounded("earlier_score") if then else None)
        if self.rubric.decides:
            yield CountedPart("decision", ("gold_pass", "judge_pass"), "earlier_pass" if then else None)
        yield from self.criterion_parts()

    def criterion_parts(self) -> Iterator[CountedPart]:
        """Yield, for each criterion in order, the part that counts its levels."""
        for index, criterion in self._criteria:
            gold = f"gold_{index}"
            if self._may_split(criterion):
                low, high = criterion.scale.ends
                gold = f"CASE WHEN gold_{index} > {low!r} AND gold_{index} < {high!r} THEN NULL ELSE gold_{index} END"
            people = (f"{person}_{index}" for person in self.annotators)
            earlier = None if self.earlier is None else f"earlier_{index}"
            yield CountedPart(criterion.name, (gold, f"judge_{index}", *people), earlier)

    def rates(self) -> Iterator[tuple[str, str, str]]:
        """Yield the parts of the counts file that say in how many examples of each group a judge is right.

        A part is yielded as its name, an SQL expression that is 1 if the judge is right on an example, else 0, and an
        SQL condition for the examples that count.
        """
        yield "rate:agreement", "hit", "gold_score IS NOT NULL AND judge_score IS NOT NULL"
        if self.earlier is not None:
            yield "rate:earlier", "earlier_hit", "gold_score IS NOT NULL AND earlier_score IS NOT NULL"
        if self.rubric.decides:
            yield "rate:stops", "1 - judge_pass", "gold_pass = 0 AND judge_pass IS NOT NULL"
            yield "rate:keeps", "judge_pass", "gold_pass = 1 AND judge_pass IS NOT NULL"

    @property
    def shared(self) -> str:
        """SQL condition that an example has scores from at least two annotators and from the judge."""
        return "n_people >= 2 AND judge_score IS NOT NULL"

    def shares(self, constant: str) -> tuple[str, str, str]:
        """Return SQL for shares of agreement on an example: between annotators, with the judge and with a constant.

        They are the shares of pairs of annotators who agree, and of annotators who agree with the judge's score and
        with the best constant score.

        Args:
            constant: The column of the best constant.
        """
        by_constant = " + ".join(self._hit(f"{person}_score", constant) for person in self.annotators)
        pairs = "pair_hits * 2.0 / (n_people * (n_people - 1))"
        return rounded(pairs), rounded("judge_hits * 1.0 / n_people"), rounded(f"({by_constant}) * 1.0 / n_people")

    @property
    def shared_decision(self) -> str | None:
        """SQL condition that the judge and at least two annotators decided on an example.

        None if no example can meet it: the rubric makes no decisions, or there are fewer than two annotators.
        """
        if not self.rubric.decides or len(self.annotators) < 2:
            return None
        return "n_deciding >= 2 AND judge_pass IS NOT NULL"

    def decision_shares(self, constant: str) -> tuple[str, str, str]:
        """Return SQL for how often annotators decide like each other, like the judge, and like a constant, as shares.

        Args:
            constant: The column of the best constant decision.
        """
        passes = [f"{person}_pass" for person in self.annotators]
        pairs = " + ".join(_same(first, second) for place, first in enumerate(passes) for second in passes[place + 1 :])
        judge = " + ".join(_same(decision, "judge_pass") for decision in passes)
        by_constant = " + ".join(_same(decision, constant) for decision in passes)
        n_pairs = "(n_deciding * (n_deciding - 1))"
        return (
            rounded(f"({pairs}) * 2.0 / {n_pairs}"),
            rounded(f"({judge}) * 1.0 / n_deciding"),
            rounded(f"({by_constant}) * 1.0 / n_deciding"),
        )

    @property
    def passing_lead(self) -> str:
        """SQL expression for the share of annotators who pass an example minus the share who fail it."""
        passing = " + ".join(f"COALESCE({person}_pass, 0)" for person in self.annotators)
        return f"(2.0 * ({passing}) - n_deciding) / n_deciding"

    # --- levels -------------------------------------------------------------------------------------------------------

    @cached_property
    def _names(self) -> dict[str, str]:
        """Names of judges and annotators in the table, by the aliases that SQL expressions use for them."""
        people = [rater for rater in self.raters if rater != ADJUDICATED]
        named = {f"p{place}": rater for place, rater in enumerate(people, start=1)}
        if ADJUDICATED in self.raters:
            named["final"] = ADJUDICATED
        judges = {"judge": self.judge} if self.earlier is None else {"judge": self.judge, "earlier": self.earlier}
        return {**named, **judges}

    @cached_property
    def _criteria(self) -> list[tuple[int, Criterion]]:
        return list(enumerate(self.rubric.criteria, start=1))

    @property
    def _judges(self) -> tuple[str, ...]:
        """Aliases in SQL of the judge and, if its ratings are counted too, of the earlier judge."""
        return ("judge",) if self.earlier is None else ("judge", "earlier")

    @property
    def _labellers(self) -> list[str]:
        return [prefix for prefix in self._names if prefix not in self._judges]

    def _may_split(self, criterion: Criterion) -> bool:
        return criterion.scale.halves_decide_nothing and len(self.annotators) > 1

    @property
    def _splits(self) -> bool:
        """True if annotators can split evenly over yes and no on some criterion, so that it has no gold level."""
        return any(self._may_split(criterion) for _, criterion in self._criteria)

    def _levels(self) -> Iterator[tuple[str, str]]:
        for index, criterion in self._criteria:
            if not criterion.not_applicable:
                continue
            for prefix in self._names:
                raw = _raw(prefix, index, criterion)
                yield f"{prefix}_{index}", f"CASE WHEN {raw} = {DOES_NOT_APPLY_LEVEL} THEN NULL ELSE {raw} END"
                yield (
                    f"{prefix}_skips_{index}",
                    f"CASE WHEN {raw} IS NULL THEN 0 WHEN {raw} = {DOES_NOT_APPLY_LEVEL} THEN 1 ELSE 0 END",
                )

    def _gold_levels(self, middle: str | None) -> Iterator[tuple[str, str]]:
        for index, criterion in self._criteria:
            people = [f"{person}_{index}" for person in self.annotators]
            theirs = _middle(people, middle) if people else "NULL"
            final = f"final_{index}"
            yield (
                f"gold_{index}",
                f"COALESCE({final}, {theirs})"
                if "final" in self._names and people
                else (final if not people else theirs),
            )
            if criterion.not_applicable:
                skips = " + ".join(f"{prefix}_skips_{index}" for prefix in self._labellers)
                yield f"gold_skips_{index}", skips

    def _settled(self) -> Iterator[tuple[str, str]]:
        """Yield name and SQL expression of two columns of gold's levels for each criterion with possible even splits.

        Even splits count as the worst level in the first column, and as the best level in the second.
        """
        for index, criterion in self._criteria:
            if self._may_split(criterion):
                low, high = criterion.scale.ends
                gold = f"gold_{index}"
                worst, best = (low, high) if criterion.weight > 0 else (high, low)
                for way, level in (("worse", worst), ("better", best)):
                    is_split = f"{gold} > {low!r} AND {gold} < {high!r}"
                    yield f"{way}_{index}", f"CASE WHEN {is_split} THEN {level!r} ELSE {gold} END"

    # --- scores -------------------------------------------------------------------------------------------------------

    @property
    def _scored(self) -> list[str]:
        """The raters whose scores are computed, as the beginnings of the names of their SQL columns.

        They are the annotators, the judges and "gold". If annotators may split evenly, there are also "worse" and
        "better": gold with every even split counted as the worse, or as the better, of the two levels.
        """
        return [*self.annotators, *self._judges, "gold", *(("worse", "better") if self._splits else ())]

    def _level(self, prefix: str, index: int, criterion: Criterion) -> str:
        settled = prefix in ("worse", "better") and not self._may_split(criterion)
        return f"{'gold' if settled else prefix}_{index}"

    def _position(self, prefix: str, index: int, criterion: Criterion) -> str:
        level = self._level(prefix, index, criterion)
        scale = criterion.scale
        low = scale.ends[0]
        if scale.by_label or (low == 0 and scale.span == 1):
            return level
        return f"(({level} - {_signed(low)}) / {scale.span!r})"

    def _sums(self) -> Iterator[tuple[str, str]]:
        """Yield name and SQL of a column for each rater: the weighted sum of its levels' positions on their scales.

        If raters may answer that a criterion doesn't apply, two columns follow: the total weight of the criteria with
        a positive weight that apply, and that of the faults that apply.
        """
        for prefix in self._scored:
            terms: list[str] = []
            best: list[str] = []
            faults: list[str] = []
            for index, criterion in self._criteria:
                term = f"{_signed(criterion.weight)} * {self._position(prefix, index, criterion)}"
                weight = repr(abs(float(criterion.weight)))
                if criterion.not_applicable:
                    level = self._level(prefix, index, criterion)
                    skips = f"{'gold' if prefix in ('worse', 'better') else prefix}_skips_{index}"
                    term = f"CASE WHEN {level} IS NOT NULL THEN {term} WHEN {skips} > 0 THEN 0.0 ELSE NULL END"
                    weight = f"CASE WHEN {level} IS NOT NULL THEN {weight} ELSE 0.0 END"
                terms.append(term)
                (best if criterion.weight > 0 else faults).append(weight)
            yield f"{prefix}_sum", " + ".join(terms)
            if self._leaves_out:
                yield f"{prefix}_best", " + ".join(best) or "0.0"
                yield f"{prefix}_faults", " + ".join(faults) or "0.0"

    @property
    def _leaves_out(self) -> bool:
        return any(criterion.not_applicable for _, criterion in self._criteria)

    def _scores(self) -> Iterator[tuple[str, str]]:
        weights = [float(criterion.weight) for _, criterion in self._criteria]
        best = sum(weight for weight in weights if weight > 0)
        faults = sum(abs(weight) for weight in weights)
        for prefix in self._scored:
            name = "gold_unsplit_score" if prefix == "gold" and self._splits else f"{prefix}_score"
            if self._leaves_out:
                by_best = f"{prefix}_sum / {prefix}_best"
                by_faults = f"1.0 + {prefix}_sum / {prefix}_faults"
                share = f"CASE WHEN {prefix}_best > 0 THEN {_within(by_best)}"
                yield name, f"{share} WHEN {prefix}_faults > 0 THEN {_within(by_faults)} ELSE NULL END"
            else:
                share = f"{prefix}_sum / {best!r}" if best > 0 else f"1.0 + {prefix}_sum / {faults!r}"
                yield name, _within(share) if 0 < best < faults else share

    def _gold_score(self) -> Iterator[tuple[str, str]]:
        """Yield the column of gold's score.

        It is null if even splits leave open which of two scores is gold's, and these differ by twice the tolerance or
        more.
        """
        if self._splits:
            apart = 2 * self.rubric.tolerance - ROUNDING
            yield (
                "gold_score",
                f"CASE WHEN better_score - worse_score >= {apart!r} THEN NULL ELSE gold_unsplit_score END",
            )

    # --- decisions ----------------------------------------------------------------------------------------------------

    def _decisions(self) -> Iterator[tuple[str, str]]:
        if not self.rubric.decides:
            return
        for judge in self._judges:
            yield f"{judge}_pass", self._decision(judge)
        if self.shared_decision is not None:
            for person in self.annotators:
                yield f"{person}_pass", self._decision(person)
        if not self._splits:
            yield "gold_pass", self._decision("gold")
            return
        worse = self._decision("worse")
        better = self._decision("better")
        yield "gold_pass", f"CASE WHEN ({worse}) = ({better}) THEN ({worse}) ELSE NULL END"

    def _decision(self, prefix: str) -> str:
        mark = self.rubric.pass_mark - ROUNDING
        fails = [f"{prefix}_score < {_signed(mark)}"]
        for index, criterion in self._criteria:
            if criterion.required:
                position = self._position(prefix, index, criterion)
                merit = position if criterion.weight > 0 else f"1.0 - {position}"
                is_given = (
                    f"{self._level(prefix, index, criterion)} IS NOT NULL AND " if criterion.not_applicable else ""
                )
                fails.append(f"{is_given}{merit} < {_signed(criterion.threshold - _PASSING_ROUNDING)}")
        cases = " ".join(f"WHEN {fail} THEN 0" for fail in fails)
        return f"CASE WHEN {prefix}_score IS NULL THEN NULL {cases} ELSE 1 END"

    # --- agreement ----------------------------------------------------------------------------------------------------

    def _hit(self, first: str, second: str) -> str:
        near = f"{rounded(f'ABS({first} - {second})')} < {self.rubric.tolerance!r}"
        return f"CASE WHEN {first} IS NULL OR {second} IS NULL THEN 0 WHEN {near} THEN 1 ELSE 0 END"

    def _compared(self) -> Iterator[tuple[str, str]]:
        yield "hit", self._hit("gold_score", "judge_score")
        if self.earlier is not None:
            yield "earlier_hit", self._hit("gold_score", "earlier_score")
        scores = [f"{person}_score" for person in self.annotators]
        if not scores:
            return
        yield "n_people", " + ".join(f"CASE WHEN {score} IS NULL THEN 0 ELSE 1 END" for score in scores)
        pairs = [(first, second) for place, first in enumerate(scores) for second in scores[place + 1 :]]
        yield "pair_hits", " + ".join(self._hit(first, second) for first, second in pairs) or "0"
        yield "judge_hits", " + ".join(self._hit(score, "judge_score") for score in scores)
        if self.shared_decision is not None:
            passes = (f"{person}_pass" for person in self.annotators)
            yield "n_deciding", " + ".join(f"CASE WHEN {decision} IS NULL THEN 0 ELSE 1 END" for decision in passes)


def _raw(prefix: str, index: int, criterion: Criterion) -> str:
    """Return the alias under which the query selects a rater's column for a criterion, before any conversion.

    Args:
        prefix: The rater's alias.
        index: The criterion's index in the rubric.
        criterion: The criterion; if it may not apply, its column is converted, and has another alias afterwards.
    """
    return f"{'raw_' if criterion.not_applicable else ''}{prefix}_{index}"


def rounded(expression: str) -> str:
    """Return an SQL expression rounded to the decimals that counts files have.

    >>> rounded("gold_score")
    'ROUND(gold_score, 9)'
    """
    return f"ROUND({expression}, {SCORE_DECIMALS})"


def _same(first: str, second: str) -> str:
    """Return an SQL expression that is 1 if two decisions are equal, else 0."""
    return f"CASE WHEN {first} IS NULL OR {second} IS NULL THEN 0 WHEN {first} = {second} THEN 1 ELSE 0 END"


def _signed(value: float) -> str:
    """Format a number for use after an SQL operator, with a negative number in parentheses."""
    return repr(float(value)) if value >= 0 else f"({float(value)!r})"


def _within(share: str) -> str:
    """Return an SQL expression that limits a share to the range 0 to 1."""
    return f"CASE WHEN {share} < 0.0 THEN 0.0 WHEN {share} > 1.0 THEN 1.0 ELSE {share} END"


def _middle(levels: Sequence[str], median: str | None) -> str:
    """Return an SQL expression for the median of annotators' levels, which ignores missing levels.

    Args:
        levels: An expression for each annotator's level.
        median: An expression for the median of any number of levels, with `{}` for the levels; None to write out the
            median of at most three.

    Raises:
        UsageError: There are more than three levels, and `median` is None.
    """
    if len(levels) == 1:
        return levels[0]
    if len(levels) > MOST_IN_PLAIN_SQL:
        if median is None:
            raise UsageError(
                f"the middle of more than {MOST_IN_PLAIN_SQL} annotators isn't plain SQL: --dialect duckdb, or a "
                f"column of final levels for each criterion, named gold__CRITERION, with `--raters {ADJUDICATED}`"
            )
        return median.format(", ".join(levels))
    if len(levels) == 2:
        return _middle_of_two(*levels)
    a, b, c = levels
    return (
        f"CASE WHEN {a} IS NULL THEN {_middle_of_two(b, c)} WHEN {b} IS NULL THEN {_middle_of_two(a, c)} "
        f"WHEN {c} IS NULL THEN ({a} + {b}) / 2.0 "
        f"WHEN ({a} <= {b} AND {b} <= {c}) OR ({c} <= {b} AND {b} <= {a}) THEN {b} "
        f"WHEN ({b} <= {a} AND {a} <= {c}) OR ({c} <= {a} AND {a} <= {b}) THEN {a} ELSE {c} END"
    )


def _middle_of_two(a: str, b: str) -> str:
    return f"CASE WHEN {a} IS NULL THEN {b} WHEN {b} IS NULL THEN {a} ELSE ({a} + {b}) / 2.0 END"
