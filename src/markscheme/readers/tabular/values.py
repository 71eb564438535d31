"""The values that judges and people gave on one criterion, folded and counted by column."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

from markscheme.errors import UsageError
from markscheme.ratings.column_options import ColumnOptions, Span, flag_of
from markscheme.readers.tabular.cells import NumberForm, lists_values, number_forms
from markscheme.readers.tabular.columns import SideColumn
from markscheme.readers.tabular.refusals import refusal, same_as
from markscheme.readers.tabular.scales import (
    PERCENT,
)
from markscheme.readers.tabular.words import (
    ABSTENTIONS,
    MAY_BE_MISSING,
    MISSING_OF_A_JUDGE,
    WITHOUT_DIRECTION,
    folded,
    is_decision,
)


@dataclass(frozen=True)
class ValueComparison:
    """The columns that rate one criterion, with cells folded: without case, brackets and the like.

    Attributes:
        columns: Columns of judges and people.
        criterion: Name of the criterion; "" if the table rates only one thing.
        options: The user's options.
        folds: The folded value of each cell's text, by column and text.
        values: Counts of the folded values, by column and value, without missing ones.
        spelling: The first spelling in the table, by folded value.
    """

    columns: Sequence[SideColumn]
    criterion: str
    options: ColumnOptions
    folds: Mapping[str, Mapping[str, str]]
    values: Mapping[str, Mapping[str, int]]
    spelling: Mapping[str, str]

    @classmethod
    def of(cls, columns: Sequence[SideColumn], criterion: str, options: ColumnOptions) -> "ValueComparison":
        """Fold the values of columns that rate one criterion, after the changes by `--same`, without missing cells."""
        recoded = {folded(old): new for old, new in options.recoded.items()}
        as_values = {folded(new) for new in recoded.values() if new} | set(map(folded, options.level_words))
        as_values |= {folded(word) for word in options.pass_}
        written = {column.name: Counter(column.cells) for column in columns}
        folds: dict[str, dict[str, str]] = {}
        spelling: dict[str, str] = {}
        for column in columns:
            folds[column.name] = {}
            for cell in written[column.name]:
                if lists_values(cell):
                    raise refusal("several-values", columns=[column.name], values={cell: written[column.name][cell]})
                value = folded(cell)
                folds[column.name][cell] = folded(recoded[value]) if value in recoded else value
                spelling.setdefault(folds[column.name][cell], " ".join(cell.split()))
        spelling |= {folded(new): new for new in recoded.values()}
        seen = {folded(cell) for counted in written.values() for cell in counted}
        for old in options.recoded:
            if folded(old) not in seen:
                raise unused("same", old, columns, counts_of_columns(written))
        of_people = {v for column in columns if not column.is_judge for v in folds[column.name].values()}
        for column in columns:
            if column.is_judge:
                gone = MISSING_OF_A_JUDGE - of_people - as_values
                folds[column.name] = {c: "" if v in gone else v for c, v in folds[column.name].items()}
        comparison = cls(columns, criterion, options, folds, {}, spelling)
        return comparison._without_missing(written, as_values)

    def _without_missing(self, written: Mapping[str, Counter[str]], as_values: Collection[str]) -> "ValueComparison":
        values: dict[str, Counter[str]] = {}
        for name, by_cell in self.folds.items():
            values[name] = Counter()
            for cell, value in by_cell.items():
                if value:
                    values[name][value] += written[name][cell]
        open_words = {v for counted in values.values() for v in counted} & MAY_BE_MISSING - set(as_values)
        if open_words:
            rest = {name: {v: n for v, n in counted.items() if v not in open_words} for name, counted in values.items()}
            concerned = {name: rest[name] for name, counted in values.items() if not open_words.isdisjoint(counted)}
            answers = [[value for value in counted if value not in ABSTENTIONS] for counted in concerned.values()]
            are_clear = all(map(is_decision, answers)) or None not in number_forms(concerned, self.spelling).values()
            if not are_clear and not (self.options.pass_ or self.options.level_ends or self.options.scale):
                raise self.missing_word(sorted(open_words), values)
            values = {name: Counter(counted) for name, counted in rest.items()}
        folds = {
            name: {cell: value for cell, value in by_cell.items() if value in values[name]}
            for name, by_cell in self.folds.items()
        }
        empty = [name for name, counted in values.items() if not counted]
        if empty:
            raise refusal("no-value", columns=empty)
        return replace(self, folds=folds, values=values)

    def missing_word(self, words: Sequence[str], values: Mapping[str, Mapping[str, int]]) -> UsageError:
        columns = [name for name, counted in values.items() if not set(words).isdisjoint(counted)]
        counts = {self.spelling[word]: sum(counted.get(word, 0) for counted in values.values()) for word in words}
        spelt = [self.spelling[word] for word in words]
        as_missing = same_as((word, "") for word in spelt)
        as_values = same_as((word, word) for word in spelt)
        choices = [as_missing, as_values, ("--levels", "WORST,…,BEST")]
        return refusal("missing-word", columns=columns, values=counts, choices=choices)

    @cached_property
    def everything(self) -> dict[str, int]:
        """Number of times that each value occurs in all columns together, in the order of first occurrence."""
        return dict(counts_of_columns(self.values))

    @property
    def judges(self) -> list[SideColumn]:
        return [column for column in self.columns if column.is_judge]

    @property
    def people(self) -> list[SideColumn]:
        return [column for column in self.columns if not column.is_judge]

    @property
    def pairs(self) -> list[tuple[SideColumn, SideColumn]]:
        """Pairs of columns to compare: each judge with each person, and every two annotators."""
        return [(j, p) for j in self.judges for p in self.people] + list(combinations(self.people, 2))

    def owners(self) -> list[dict[str, int]]:
        """Count each value's occurrences: for judges and for people, in a dict each; without judges, per annotator."""
        if not self.judges:
            return [dict(self.values[column.name]) for column in self.people]
        return [
            dict(counts_of_columns({column.name: self.values[column.name] for column in side}))
            for side in (self.judges, self.people)
            if side
        ]

    @cached_property
    def forms(self) -> Mapping[str, NumberForm]:
        """For each column of numbers, how its numbers are written, such as "4/5" or "80%"."""
        read = number_forms(self.values, self.spelling)
        return {name: form for name, form in read.items() if form is not None}

    def span_of(self, name: str) -> Span | None:
        """Return the ends that the user states for a column's numbers, the worst first; None if there are none."""
        (column,) = (column for column in self.columns if column.name == name)
        return self.options.span_of(name, is_judge=column.is_judge) or self.options.level_ends

    def has_no_direction(self, name: str) -> bool:
        """Return True if a column has only words such as yes and no, of which the question decides which passes."""
        return WITHOUT_DIRECTION.issuperset(self.values[name])

    def counts_of(self, names: Iterable[str]) -> dict[str, int]:
        counts = counts_of_columns({name: self.values[name] for name in names})
        return {self.spelling[value]: count for value, count in counts.items()}

    def owners_of(self, spelt: Iterable[str]) -> list[str]:
        """Return the names of the columns that contain one of the given values, in the table's spelling."""
        folds = set(map(folded, spelt))
        return [name for name, counted in self.values.items() if not folds.isdisjoint(counted)]

    def numbers(self, name: str) -> dict[str, float]:
        """Map a column's values to numbers; percentages become shares unless another column has numbers above 1."""
        form = self.forms[name]
        others = [max(f.numbers.values()) for f in self.forms.values() if not f.is_percent]
        divisor = PERCENT if form.is_percent and all(most <= 1 for most in others) else 1.0
        return {value: number / divisor for value, number in form.numbers.items()}


def counts_of_columns(columns: Mapping[str, Mapping[str, int]]) -> Counter[str]:
    """Count how often each value occurs in several columns together."""
    counts = Counter[str]()
    for counted in columns.values():
        counts.update(counted)
    return counts


def unused(key: str, value: str, columns: Sequence[SideColumn], values: Mapping[str, int]) -> UsageError:
    """Make the error for an option whose value doesn't occur in the columns.

    Args:
        key: The option's key.
        value: The option's value.
        columns: The columns.
        values: Counts of the values that do occur, by value.
    """
    names = [column.name for column in columns]
    option = f"{flag_of(key)} {value}"
    return refusal("option-unused", columns=names, values=values, option=option, key=key, value=value)
