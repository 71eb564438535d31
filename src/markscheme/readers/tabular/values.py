"""Recognition of what judges' and people's values are: decisions, levels, scores or categories.

The rules are tried in order on all columns of a comparison together, and the first that fits decides. Values that could
mean two things are refused, with the options that say which.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

from markscheme.errors import UsageError
from markscheme.ratings.column_options import SCALE_SIDES, ColumnOptions, Span, flag_of
from markscheme.readers.tabular.cells import NumberForm, listed_in, lists_values, number_forms
from markscheme.readers.tabular.columns import SideColumn
from markscheme.readers.tabular.refusals import refusal, same_as
from markscheme.readers.tabular.scales import (
    DIRECTION_FIGURES,
    FEWEST_FOR_REPEATS,
    FEWEST_LEVELS,
    HALVES,
    MOST_WORDS,
    PERCENT,
    PERCENT_FROM,
    WIDEST_SCALE,
    ReadValues,
    are_levels,
    below_step,
    falling_levels_of,
    is_half,
    is_whole,
    levels_of,
    scales_differ,
    scores_of,
    usual_ends,
)
from markscheme.readers.tabular.words import (
    ABSTENTIONS,
    MAY_BE_MISSING,
    MISSING_OF_A_JUDGE,
    ORDERS,
    WITHOUT_DIRECTION,
    alike_values,
    decision_of,
    family,
    folded,
    is_decision,
    speaks_of_fault,
    speaks_of_pass,
)
from markscheme.rubrics.rubric import DEFAULT_TOLERANCE, Level, Scale


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
        """Compare values of columns that rate one criterion, after the replacements of `--same`; skip missing cells."""
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
                raise _unused("same", old, columns, _counts(written))
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
                raise self._missing_word(sorted(open_words), values)
            values = {name: Counter(counted) for name, counted in rest.items()}
        folds = {
            name: {cell: value for cell, value in by_cell.items() if value in values[name]}
            for name, by_cell in self.folds.items()
        }
        empty = [name for name, counted in values.items() if not counted]
        if empty:
            raise refusal("no-value", columns=empty)
        return replace(self, folds=folds, values=values)

    def _missing_word(self, words: Sequence[str], values: Mapping[str, Mapping[str, int]]) -> UsageError:
        columns = [name for name, counted in values.items() if not set(words).isdisjoint(counted)]
        counts = {self.spelling[word]: sum(counted.get(word, 0) for counted in values.values()) for word in words}
        spelt = [self.spelling[word] for word in words]
        as_missing = same_as((word, "") for word in spelt)
        as_values = same_as((word, word) for word in spelt)
        choices = [as_missing, as_values, ("--levels", "WORST,…,BEST")]
        return refusal("missing-word", columns=columns, values=counts, choices=choices)

    # what follows from all columns

    @cached_property
    def everything(self) -> dict[str, int]:
        """Number of times that each value occurs in all columns together, in the order of first occurrence."""
        return dict(_counts(self.values))

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
        """Count how often each value occurs: in a dict for judges and one for people; without judges, per annotator."""
        if not self.judges:
            return [dict(self.values[column.name]) for column in self.people]
        return [
            dict(_counts({column.name: self.values[column.name] for column in side}))
            for side in (self.judges, self.people)
            if side
        ]

    @cached_property
    def forms(self) -> Mapping[str, NumberForm]:
        """For each column of numbers, how its numbers are written, such as "4/5" or "80%"."""
        read = number_forms(self.values, self.spelling)
        return {name: form for name, form in read.items() if form is not None}

    # the rules

    def read(self) -> ReadValues:
        """Read the values as decisions, levels or numbers on a scale, by the first rule that fits."""
        options = self.options
        if options.level_words and options.level_ends is None and not options.scale:
            return self._passing_from(self._in_order([folded(word) for word in options.level_words]))
        if options.pass_ and options.level_ends is None:
            return self._passing()
        if options.scale or options.level_ends is not None:
            return self._with_mark(self._on_scales())
        if all(map(is_decision, self.values.values())):
            self._refuse_mark()
            return self._decisions()
        words = [name for name in self.values if name not in self.forms]
        graded = [name for name, form in self.forms.items() if not set(form.numbers.values()) <= {0.0, 1.0}]
        two_valued = len(set(self.everything)) < FEWEST_LEVELS
        if graded and (words or len(graded) < len(self.forms)):
            return self._marked(words, graded)
        if self.forms and not words and not two_valued:
            return self._with_mark(self._of_numbers())
        if options.pass_mark is not None:
            return self._passing()
        return self._of_words()

    # pass and fail

    def _passing(self) -> ReadValues:
        """Read values as decisions: a pass if `--pass` names the value, or `--pass-mark` is reached; else a fail."""
        by_column: dict[str, list[str]] = {name: [] for name in self.values}
        for word in self.options.pass_:
            name, sign, value = word.partition("=")
            if sign and name in self.values:
                named = {name: self._as_in_column(name, value)}
            else:
                with_value = {n: self._as_in_column(n, word) for n in self.values}
                named = {n: value for n, value in with_value.items() if value in self.values[n]}
            if not named or any(value not in self.values[name] for name, value in named.items()):
                raise _unused("pass_", word, self.columns, self.everything)
            for column, value in named.items():
                by_column[column].append(value)
        stated = {name: passing[0] for name, passing in by_column.items() if passing}
        mark = self.options.pass_mark
        is_open = [name for name in self.values if name not in stated and not is_decision(self.values[name])]
        marked = frozenset(name for name in is_open if mark is not None and name in self.forms)
        if not marked:
            self._refuse_mark()
        for name in marked:
            by_column[name] = [value for value, number in self.numbers(name).items() if number >= (mark or 0)]
            stated[name] = f"from {mark:g}"
        for name in is_open:
            if name not in stated:
                raise self._pass_value([name])
        levels = {
            name: {v: float(v in by_column[name] if name in stated else decision_of(v) is True) for v in counted}
            for name, counted in self.values.items()
        }
        return replace(self._pass_and_fail(levels, self._pass_words() | stated, frozenset(stated)), marked=marked)

    def _refuse_mark(self) -> None:
        """Refuse `--pass-mark` if it is given, since no column has numbers that it could divide."""
        if self.options.pass_mark is not None:
            raise _unused("pass_mark", f"{self.options.pass_mark:g}", self.columns, self.everything)

    def _as_in_column(self, name: str, value: str) -> str:
        """Return a value as a column spells it; a word such as yes becomes the column's word of the same meaning."""
        word = folded(value)
        counted = self.values[name]
        if word in counted or not is_decision(counted):
            return word
        return next((of_column for of_column in counted if family(of_column) == family(word)), word)

    def _decisions(self) -> ReadValues:
        levels = {name: {v: float(decision_of(v) is True) for v in counted} for name, counted in self.values.items()}
        read = self._pass_and_fail(levels, self._pass_words(), frozenset())
        of_fault = [column.name for column in self.columns if self._is_of_fault(column)]
        if not of_fault:
            return read
        if len(of_fault) < len(self.columns):
            choices = [("--pass", f"{name}={self.spelling[v]}") for name in of_fault for v in self.values[name]]
            raise refusal("direction", columns=of_fault, values=self.counts_of(of_fault), choices=choices)
        return replace(read, withheld=dict.fromkeys(DIRECTION_FIGURES, "direction"))

    def _is_of_fault(self, column: SideColumn) -> bool:
        """Return True if "yes" may mean fail: the column has only yes and no, and it or the criterion names a fault."""
        asks_for_fault = speaks_of_fault(column.name) or speaks_of_fault(self.criterion)
        return asks_for_fault and self.has_no_direction(column.name)

    def has_no_direction(self, name: str) -> bool:
        """Return True if a column has only words such as yes and no; which of them passes depends on the question."""
        return WITHOUT_DIRECTION.issuperset(self.values[name])

    def _pass_words(self) -> dict[str, str]:
        """Map each column of decisions to the word by which its cells say pass."""
        passing = {name: [value for value in counted if decision_of(value)] for name, counted in self.values.items()}
        return {name: values[0] for name, values in passing.items() if values}

    def _pass_and_fail(
        self, levels: Mapping[str, Mapping[str, float]], passes: Mapping[str, str], stated: frozenset[str]
    ) -> ReadValues:
        scale = Scale.yes_no(*self._words_of_decisions(levels))
        return ReadValues("decision", scale, DEFAULT_TOLERANCE, levels, passes, stated=stated)

    def _words_of_decisions(self, levels: Mapping[str, Mapping[str, float]]) -> tuple[str, str]:
        """Return the words that cells use for fail and for pass, in this order, as the cells spell them.

        They are "fail" and "pass" if the columns use different words, or numbers.

        Args:
            levels: The level that each value means, by column and value: 1 for pass and 0 for fail.
        """
        words = []
        for decision in (0.0, 1.0):
            written = {
                value for of_column in levels.values() for value, level in of_column.items() if level == decision
            }
            words += [self.spelling[value] for value in written] if len(written) == 1 else []
        are_plain = len(words) == len({word.casefold() for word in words}) == 2
        are_plain = are_plain and all(word.replace(" ", "").isalpha() for word in words)
        return (words[0], words[1]) if are_plain else ("fail", "pass")

    def _pass_value(self, names: Sequence[str]) -> UsageError:
        choices = [
            [("--pass", f"{name}={self.spelling[value]}") for name in names] for value in [*self.values[names[0]]]
        ]
        flat = [tuple(word for option in choice for word in option) for choice in each_with_own(self, names) or choices]
        return refusal("pass-value", columns=names, values=self.counts_of(names), choices=flat)

    def counts_of(self, names: Iterable[str]) -> dict[str, int]:
        counts = _counts({name: self.values[name] for name in names})
        return {self.spelling[value]: count for value, count in counts.items()}

    # words

    def _of_words(self) -> ReadValues:
        self._refuse_odd_values()
        for first, second in self.pairs:
            ours = self.values[first.name]
            theirs = self.values[second.name]
            are_two = max(len(ours), len(theirs)) < FEWEST_LEVELS
            share = {family(value) for value in ours} & {family(value) for value in theirs}
            if are_two and not share and not (is_decision(ours) and is_decision(theirs)):
                names = [first.name, second.name]
                raise self._pass_value([name for name in names if not is_decision(self.values[name])])
        order = next((order for order in ORDERS if set(self.everything) <= set(order)), None)
        if order is not None:
            return self._in_order(order)
        return self._categories()

    def _refuse_odd_values(self) -> None:
        """Refuse a value that is neither pass nor fail, such as "partly", if only judges or only people give it.

        All other values must be passes and fails.
        """
        owners = self.owners()
        odd = [{value: n for value, n in counted.items() if decision_of(value) is None} for counted in owners]
        have_decisions = all(is_decision(set(counted).difference(*odd)) for counted in owners)
        with_odd = [others for others in odd if others]
        has_words = all(any(decision_of(v) is not None for v in counted) for counted in self.values.values())
        if len(owners) < 2 or not have_decisions or not has_words or len(with_odd) != 1:
            return
        counts = {self.spelling[value]: n for value, n in with_odd[0].items()}
        columns = self._owners_of(counts)
        beside = [v for name in columns for v in self.values[name]]
        failing = next((v for v in beside if decision_of(v) is False), "fail")
        known = alike_values(["pass", "fail", *self.everything, *beside], with_odd[0])
        guesses = {v: "PASS-OR-FAIL" if speaks_of_pass(v) else failing for v in with_odd[0]}
        choices = [same_as((self.spelling[v], known.get(v, to.get(v, ""))) for v in guesses) for to in ({}, guesses)]
        raise refusal("odd-value", columns=columns, values=counts, choices=dict.fromkeys(choices))

    def _owners_of(self, spelt: Iterable[str]) -> list[str]:
        """Return the names of the columns that contain one of the values, which the caller spells as the table does."""
        folds = set(map(folded, spelt))
        return [name for name, counted in self.values.items() if not folds.isdisjoint(counted)]

    def _in_order(self, order: Sequence[str]) -> ReadValues:
        unknown = {self.spelling[v]: n for v, n in self.everything.items() if v not in order}
        if unknown:
            choice = same_as((value, "LEVEL") for value in unknown)
            raise refusal("no-place", columns=self._owners_of(unknown), values=unknown, choices=[choice])
        steps = max(len(order) - 1, 1)
        names = [self.spelling.get(word, word) if self.options.level_words else word for word in order]
        scale = Scale(tuple(Level(index / steps, name) for index, name in enumerate(names)), by_label=True)
        levels = {name: {v: order.index(v) / steps for v in counted} for name, counted in self.values.items()}
        stated = frozenset(self.values) if self.options.level_words else frozenset()
        read = ReadValues("levels", scale, below_step(steps), levels, stated=stated)
        return replace(read, withheld=dict.fromkeys(DIRECTION_FIGURES, "pass-mark"))

    def _passing_from(self, read: ReadValues) -> ReadValues:
        """Set the pass mark of levels that are words to the lowest level that `--pass` names."""
        self._refuse_mark()
        if not self.options.pass_:
            return read
        positions = dict(zip(map(folded, self.options.level_words), read.scale.values, strict=True))
        named = [folded(word.partition("=")[2] or word) for word in self.options.pass_]
        for word, value in zip(self.options.pass_, named, strict=True):
            if value not in positions:
                raise _unused("pass_", word, self.columns, self.everything)
        return replace(read, pass_mark=min(positions[value] for value in named), withheld={})

    def _categories(self) -> ReadValues:
        self._refuse_lists()
        self._refuse_abstentions()
        canonical = self._canonical()
        values = {name: Counter[str]() for name in self.values}
        for name, counted in self.values.items():
            for value, n in counted.items():
                values[name][canonical.get(value, value)] += n
        different = sorted(_counts(values))
        rows = max(sum(counted.values()) for counted in values.values())
        if len(different) > MOST_WORDS or (rows >= FEWEST_FOR_REPEATS and len(different) > rows / 2):
            raise refusal("text", columns=list(values), values=self.counts_of(values), choices=_other_columns(self))
        if len(different) < 2:
            raise refusal("one-value", columns=list(values), values=self.counts_of(values))
        self._refuse_words_apart(values)
        steps = len(different) - 1
        scale = Scale.of_categories([self.spelling.get(value, value) for value in different])
        levels = {
            name: {v: different.index(canonical.get(v, v)) / steps for v in counted}
            for name, counted in self.values.items()
        }
        code = "pass-value" if len(different) < FEWEST_LEVELS else "categories"
        withheld = dict.fromkeys(DIRECTION_FIGURES, code)
        notes = ("categories",) if code == "categories" else ()
        return ReadValues("categories", scale, below_step(steps), levels, withheld=withheld, notes=notes)

    def _refuse_lists(self) -> None:
        """Refuse cells such as `tone; facts` that list several values, if a value also occurs alone in a cell."""
        for name, counted in self.values.items():
            lists = {value: n for value, n in counted.items() if set(listed_in(value)) <= self.everything.keys()}
            lists = {self.spelling[value]: n for value, n in lists.items() if len(listed_in(value)) > 1}
            if lists:
                raise refusal("several-values", columns=[name], values=lists)

    def _refuse_abstentions(self) -> None:
        """Refuse words such as "unsure" that only judges or only people give, unless an option says what they mean."""
        stated = {folded(new) for new in self.options.recoded.values()}
        owners = self.owners()
        of_some = {v for counted in owners for v in counted if not all(v in of_owner for of_owner in owners)}
        words = of_some & ABSTENTIONS - stated
        if words and not self.options.no_two_are_one:
            raise self._missing_word(sorted(words), self.values)

    def _canonical(self) -> dict[str, str]:
        """Map all words for pass to one word, and all for fail to another; {} if a column has two words for either."""
        for counted in self.values.values():
            decided = [family(value) for value in counted if decision_of(value) is not None]
            if not is_decision(decided):
                return {}
        spelt = {decision: [v for v in self.everything if decision_of(v) is decision] for decision in (True, False)}
        return {value: words[0] for words in spelt.values() for value in words}

    def _refuse_words_apart(self, values: Mapping[str, Mapping[str, int]]) -> None:
        if self.options.no_two_are_one:
            return
        for first, second in self.pairs:
            ours = {v: n for v, n in values[first.name].items() if v not in values[second.name]}
            theirs = {v: n for v, n in values[second.name].items() if v not in values[first.name]}
            if ours and theirs:
                alike = alike_values(values[first.name], values[second.name])
                same = same_as((self.spelling.get(v, v), self.spelling.get(word, word)) for v, word in alike.items())
                choices = [same, ("--same", "none")] if same else [("--same", "none")]
                counts = {self.spelling.get(v, v): n for v, n in (ours | theirs).items()}
                raise refusal("words-apart", columns=[first.name, second.name], values=counts, choices=choices)

    # numbers

    def numbers(self, name: str) -> dict[str, float]:
        """Map a column's values to numbers; percentages become shares unless another column has numbers above 1."""
        form = self.forms[name]
        others = [max(f.numbers.values()) for f in self.forms.values() if not f.is_percent]
        divisor = PERCENT if form.is_percent and all(most <= 1 for most in others) else 1.0
        return {value: number / divisor for value, number in form.numbers.items()}

    def _marked(self, words: Sequence[str], graded: Sequence[str]) -> ReadValues:
        """Read numbers as decisions by `--pass-mark`, since other columns have words or 0 and 1 for pass and fail.

        Args:
            words: Names of the columns of words.
            graded: Names of the columns with numbers other than 0 and 1.
        """
        if self.options.pass_mark is None:
            apart = [*words, *(name for name in self.forms if name not in graded)]
            columns = [*graded[:1], *apart[:1]]
            choices = [("--pass-mark", "NUMBER"), *self._words_as_numbers(words, graded)]
            counts = self.counts_of(columns)
            raise refusal("pass-mark", columns=columns, values=counts, choices=choices, has_words=bool(words))
        return self._passing()

    def _words_as_numbers(self, words: Sequence[str], graded: Sequence[str]) -> list[tuple[str, ...]]:
        """Return `--same` options that give words of a known order the numbers from 1 up.

        Args:
            words: Names of the columns of words.
            graded: Names of the columns of numbers.

        Returns:
            A list with the options for all words; [] if the words have no known order, or if a column of numbers has a
            number that is no rank in that order.
        """
        used = _counts({name: self.values[name] for name in words})
        order = next((order for order in ORDERS if used and used.keys() <= set(order)), ())
        numbers = {number for name in graded for number in self.numbers(name).values()}
        if not order or not numbers <= set(map(float, range(1, len(order) + 1))):
            return []
        ranks = ((self.spelling[word], rank) for rank, word in enumerate(order, start=1) if word in used)
        return [same_as(ranks)]

    def _of_numbers(self) -> ReadValues:
        self._refuse_thousands()
        self._refuse_missing_code()
        self._refuse_clash()
        numbers = {name: self.numbers(name) for name in self.forms}
        every = [value for of_column in numbers.values() for value in of_column.values()]
        low = min(every)
        high = max(every)
        tops = {form.top for form in self.forms.values() if form.top is not None}
        if are_levels(every):
            ends = (min(low, 1.0), tops.pop()) if tops else (low, high)
            return levels_of(numbers, ends, are_stated=False)
        if low >= 0 and high <= 1:
            return scores_of(numbers, (0.0, 1.0), are_stated=False)
        if low >= 0 and PERCENT_FROM <= high <= PERCENT:
            return scores_of(numbers, (0.0, PERCENT), are_stated=False)
        choices = [("--scale", "LOW-HIGH")]
        span = f"{low:g} to {high:g}"
        raise refusal("scale", columns=list(numbers), values=self.counts_of(numbers), choices=choices, span=span)

    def _refuse_thousands(self) -> None:
        unclear = [name for name, form in self.forms.items() if form.may_be_thousands]
        if unclear:
            choices = [("--scale", "LOW-HIGH")]
            raise refusal("scale", columns=unclear, values=self.counts_of(unclear), choices=choices, thousands=True)

    def _refuse_missing_code(self) -> None:
        """Refuse a number such as -1 if all other numbers are positive and a column lacks it: it may mean "not rated".

        The number counts as a level if 0 occurs too, if every column has it, if there are few numbers in all, or if the
        user states the ends of the scale.
        """
        by_name = {name: {code: value for value, code in self.numbers(name).items()} for name in self.forms}
        every = {code for numbers in by_name.values() for code in numbers}
        negative = [code for code in every if code < 0]
        if len(negative) != 1 or 0 in every or len(every) <= FEWEST_LEVELS or self.options.level_ends is not None:
            return
        columns = [name for name, numbers in by_name.items() if negative[0] in numbers]
        if len(columns) < len(by_name):
            word = by_name[columns[0]][negative[0]]
            counts = {self.spelling[word]: sum(self.values[name].get(word, 0) for name in columns)}
            choices = [("--same", f"{self.spelling[word]}="), ("--levels", f"{min(every):g}-{max(every):g}")]
            raise refusal("missing-word", columns=columns, values=counts, choices=choices)

    def _refuse_clash(self) -> None:
        numbers = {column.name: list(self.numbers(column.name).values()) for column in self.columns}
        for first, second in self.pairs:
            tops = {self.forms[column.name].top for column in (first, second)} - {None}
            if len(tops) > 1 or scales_differ(numbers[first.name], numbers[second.name]):
                both = [first, second]
                are_sides = first.is_judge != second.is_judge
                named = {(SCALE_SIDES[not c.is_judge] if are_sides else c.name): numbers[c.name] for c in both}
                ends = {name: usual_ends(of_column) or "LOW-HIGH" for name, of_column in named.items()}
                choice = tuple(word for name, span in ends.items() for word in ("--scale", f"{name}={span}"))
                names = [column.name for column in both]
                spans = [f"{min(numbers[name]):g} to {max(numbers[name]):g}" for name in names]
                raise refusal(
                    "scales-differ", columns=names, values=self.counts_of(names), choices=[choice], spans=spans
                )

    def _on_scales(self) -> ReadValues:
        """Read the columns' numbers as values on the scales that the user gives with `--scale` or `--levels`."""
        options = self.options
        stated = {c.name: options.span_of(c.name, is_judge=c.is_judge) or options.level_ends for c in self.columns}
        spans = {name: span for name, span in stated.items() if span is not None}
        if not spans:
            raise _unused("scale", options.scale[0], self.columns, self.everything)
        for name in stated:
            if name not in spans:
                raise refusal("scale", columns=[name], choices=[("--scale", f"{name}=LOW-HIGH")])
        numbers = {name: self._within(name, spans[name]) for name in self.values}
        if len(set(spans.values())) == 1:
            (span,) = set(spans.values())
            low, high = sorted(span)
            every = [low, high, *(number for of_column in numbers.values() for number in of_column.values())]
            is_narrow = high - low <= (WIDEST_SCALE if all(map(is_whole, every)) else HALVES)
            if is_narrow and all(map(is_half, every)):
                read = (levels_of if span == (low, high) else falling_levels_of)(numbers, span, are_stated=True)
                return replace(read, stated=frozenset(self.values))
            if span == (low, high):
                return replace(scores_of(numbers, span, are_stated=True), stated=frozenset(self.values))
        positions = {
            name: {value: (number - worst) / (best - worst) for value, number in numbers[name].items()}
            for name, (worst, best) in spans.items()
        }
        read = replace(scores_of(positions, (0.0, 1.0), are_stated=True), stated=frozenset(self.values))
        (span, *others) = dict.fromkeys(spans.values())
        return replace(read, own_ends=spans) if others else replace(read, ends=span)

    def _within(self, name: str, span: Span) -> dict[str, float]:
        low, high = sorted(span)
        if name not in self.forms:
            key = "scale" if self.options.scale else "levels"
            raise refusal("option-unused", columns=[name], values=self.counts_of([name]), option=flag_of(key), key=key)
        numbers = dict(self.forms[name].numbers)
        if self.forms[name].may_be_thousands:
            in_thousands = {value: float(value.replace(",", "")) for value in numbers}
            numbers = in_thousands if max(in_thousands.values()) <= high else numbers
        if self.forms[name].is_percent and high <= 1:
            numbers = {value: number / PERCENT for value, number in numbers.items()}
        off = {self.spelling[value]: self.values[name][value] for value, n in numbers.items() if not low <= n <= high}
        if off:
            raise refusal("option-unused", columns=[name], values=off, option=f"{low:g}-{high:g}")
        return numbers

    def _with_mark(self, read: ReadValues) -> ReadValues:
        marks = [] if self.options.pass_mark is None else [self.options.pass_mark]
        for word in self.options.pass_:
            value = folded(word.partition("=")[2] or word)
            if value not in self.everything:
                raise _unused("pass_", word, self.columns, self.everything)
            marks += [form.numbers[value] for form in self.forms.values() if value in form.numbers]
        if not marks or read.ends is None:
            return read
        low, high = read.ends
        mark = min(marks, key=lambda number: (number - low) / (high - low))
        if not 0 <= (position := (mark - low) / (high - low)) <= 1:
            raise refusal("mark-off-scale", columns=list(self.values), mark=f"{mark:g}", scale=f"{low:g} to {high:g}")
        withheld = {figure: code for figure, code in read.withheld.items() if figure not in DIRECTION_FIGURES}
        return replace(read, pass_mark=position, withheld=withheld)


def each_with_own(comparison: ValueComparison, names: Sequence[str]) -> list[list[tuple[str, str]]]:
    """Return all choices of a passing value in each of two columns, every choice as two `--pass` options.

    Args:
        comparison: The values of the columns.
        names: Names of the columns, of which the first two are used; [] is returned for fewer than two.
    """
    if len(names) < 2:
        return []
    return [
        [("--pass", f"{names[0]}={comparison.spelling[ours]}"), ("--pass", f"{names[1]}={comparison.spelling[theirs]}")]
        for ours in comparison.values[names[0]]
        for theirs in comparison.values[names[1]]
    ]


def _other_columns(comparison: ValueComparison) -> list[tuple[str, ...]]:
    sides = ("--judge", "COLUMN") if comparison.judges else ()
    return [(*sides, "--human", "COLUMN")]


def _counts(columns: Mapping[str, Mapping[str, int]]) -> Counter[str]:
    counts = Counter[str]()
    for counted in columns.values():
        counts.update(counted)
    return counts


def _unused(key: str, value: str, columns: Sequence[SideColumn], values: Mapping[str, int]) -> UsageError:
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
