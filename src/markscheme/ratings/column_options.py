"""Options that say what the columns and values of a table mean."""

import shlex
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, Literal, TypeAlias

from markscheme.errors import UsageError
from markscheme.numerals import number_in
from markscheme.options.forms import ANY_NUMBER, COLUMN_NAMES, ENDS, FLAG, VALUE_TEXTS, one_of, text_form
from markscheme.options.settings import typed_options
from markscheme.options.table import NAMES_IN_FILES, option, options_of, setting
from markscheme.ratings.kinds import KINDS, Kind
from markscheme.rubrics.search import find_rubric

Span: TypeAlias = tuple[float, float]
"""The two ends of a scale, the worst first."""
SCALE_SIDES = ("judge", "human")
"""Names of the kinds of raters in `--scale`."""
_COLUMN: Final = text_form("a column's name")


def _spans(written: Any) -> tuple[str, ...]:
    texts: tuple[str, ...] = ENDS.read(written)
    if any(span_in(text.rpartition("=")[2]) is None for text in texts):
        raise ValueError
    return texts


_SPANS: Final = ENDS._replace(allowed="LOW-HIGH or SIDE=LOW-HIGH, such as judge=0-1", read=_spans)
_texts = partial(option, (), several=True)
_column = partial(option, None, form=_COLUMN, value="COLUMN")


@dataclass(frozen=True, kw_only=True)
class ColumnOptions:
    """The user's options on what the columns of a table mean; without them, names and cells decide.

    In the names of columns of judges and annotators `*` matches the name of any criterion.
    """

    judge: tuple[str, ...] = _texts(
        about="of a table: the columns of judges; may be repeated", form=COLUMN_NAMES, value="COLUMN..."
    )
    human: tuple[str, ...] = _texts(
        about="of a table: the columns of annotators; may be repeated",
        form=COLUMN_NAMES,
        value="COLUMN...",
    )
    id: str | None = _column(about="of a table: the column of ids")
    group: str | None = _column(about="of a table: the column of groups")
    response: str | None = _column(about="of a table: the column of responses")
    adjudicated: bool = option(False, "of a table: several annotators agreed on its labels", FLAG)
    map: tuple[str, ...] = setting(
        (),
        "what a column holds: note, rater, criterion, level, reason, query, run or kind; of an export: another name "
        "for a metric; may be repeated",
        VALUE_TEXTS,
        value="COLUMN=FIELD...",
        is_named=True,
        several=True,
        written=NAMES_IN_FILES,
    )
    pass_: tuple[str, ...] = _texts(
        about="of a table: the value that passes, or COLUMN=VALUE; may be repeated",
        form=VALUE_TEXTS,
        value="VALUE...",
        name="--pass",
    )
    pass_mark: float | None = option(None, "of a table: the lowest number that passes", ANY_NUMBER, value="M")
    levels: tuple[str, ...] = _texts(
        about="the levels, worst first: 1-5, or words; of an export: WORD=LEVEL; may be repeated",
        form=ENDS,
        value="LEVELS...",
    )
    scale: tuple[str, ...] = _texts(
        about="the ends of a scale: 1-5; of a side or a column, where they differ: judge=0-1; may be repeated",
        form=_SPANS,
        value="SIDE=A-B...",
    )
    same: tuple[str, ...] = _texts(
        about="of a table: two values that are one; A= is missing, none: no two are one; may be repeated",
        form=VALUE_TEXTS,
        value="A=B...",
    )
    table: str | None = option(
        None,
        "of a file with several tables: the sheet, table or key",
        text_form("the name of a sheet, table or key"),
        value="NAME",
    )
    encoding: str | None = setting(
        None, "of a table: how its text is encoded", text_form("the name of an encoding"), value="NAME"
    )
    metric: Literal["nominal", "ordinal", "interval"] | None = setting(
        None,
        "of annotators alone: how their values differ: nominal, ordinal or interval (by the values)",
        one_of("nominal", "ordinal", "interval"),
        value="METRIC",
    )
    agreement_weights: Literal["identity", "linear", "quadratic"] | None = setting(
        None,
        "of annotators alone: cost of a disagreement: identity, linear or quadratic (quadratic where values have "
        "an order)",
        one_of("identity", "linear", "quadratic"),
        value="WEIGHTS",
    )
    kind: Kind | None = option(None, "who rated, where a file doesn't say", one_of(*KINDS), value="KIND")
    rater: str | None = option(
        None, "the rater's name, where a file doesn't say", text_form("a rater's name"), value="NAME"
    )
    judge_names: tuple[str, ...] = _texts(about="raters of an export that are judges", form=COLUMN_NAMES, value="A,B")

    def of_table(self, judges: Iterable[str] = ()) -> "ColumnOptions":
        """Check that the options are well-formed and return them; `judges`, if given, replaces the columns of judges.

        Raises:
            UsageError: A value of `--map` has no `=`.
        """
        sides_of("map", self.map)
        return replace(self, judge=COLUMN_NAMES.read(judges) or self.judge)

    def first_of_tables(self, but: Container[str] = ()) -> str | None:
        """Return the name of an option that is set here although only tables take it; None if none is.

        Args:
            but: Names of options to ignore.
        """
        return next((key for key in _OF_TABLES if key in self.stated and key not in but), None)

    def refuse(self, name: str, *, but: Container[str] = ()) -> None:
        """Raise UsageError if an option is set that only tables take, since no table is read.

        Args:
            name: What is read instead of a table, for the message.
            but: Options that are allowed nevertheless.

        Raises:
            UsageError: Such an option is set, or `name` is a file that doesn't exist.
        """
        if (key := self.first_of_tables(but)) is not None:
            if "." in name:
                find_rubric(name)  # a file that isn't there is missing, rather than no table
            raise UsageError(f"{flag_of(key)} is for tables that need no rubric; {name} is none")

    def refuse_of_ratings(self, name: str) -> None:
        """Raise UsageError if an option says what ratings mean, since a table of outputs alone has none.

        Args:
            name: Name of the table's file, for the message.

        Raises:
            UsageError: Such an option is set.
        """
        if (key := next((key for key in _OF_RATINGS if key in self.stated), None)) is not None:
            reason = f"{name} has outputs alone, and no ratings of them; leave it out"
            raise UsageError(f"{flag_of(key)} has no effect here: {reason}")

    def without(self, key: str, value: object = None) -> "ColumnOptions":
        """Return the options without one value of an option, such as `yes` of `--pass` and `5` of `--same 5=`.

        Args:
            key: The option's key.
            value: The value, or its left side; None to leave out all values of the option.
        """
        texts = getattr(self, key)
        rest = getattr(ColumnOptions, key)
        if isinstance(texts, tuple) and value is not None:
            rest = tuple(text for text in texts if value not in (text, text.partition("=")[0].strip()))
        return replace(self, **{key: rest})

    @property
    def fields(self) -> Mapping[str, str]:
        """Map each column or metric that `--map COLUMN=FIELD` names to the field that it is read as."""
        return sides_of("map", self.map)

    @property
    def column_fields(self) -> Mapping[str, str]:
        """The field that each column is read as, by column, as far as options such as `--id` and `--map` say so."""
        singly = (("id", self.id), ("response", self.response), ("group", self.group))
        sides = dict.fromkeys(self.judge, "verdict") | dict.fromkeys(self.human, "label")
        return {column: field for field, column in singly if column is not None} | sides | dict(self.fields)

    @property
    def sides(self) -> Mapping[str, Kind]:
        """Kind of rater of each column that the user names: "model", "human" or "adjudicated"."""
        of_people: Kind = "adjudicated" if self.adjudicated else "human"
        of_judges: Kind = "model"
        return dict.fromkeys(self.judge, of_judges) | dict.fromkeys(self.human, of_people)

    @property
    def stated(self) -> dict[str, Any]:
        """The options on columns that differ from their defaults, as plain data, without those of the settings file.

        What the settings file says holds for many files: a file may lack a column that the settings file maps, or be no
        table at all.
        """
        values = {key: getattr(self, key) for key in typed_options(options_of(ColumnOptions), self)}
        return {key: list(value) if isinstance(value, tuple) else value for key, value in values.items()}

    @property
    def words(self) -> tuple[str, ...]:
        """The options that are set, as words of a command line, such as ("--id", "row")."""
        mark = () if self.pass_mark is None else (f"{self.pass_mark:g}",)
        several = {"judge": self.judge, "human": self.human, "pass": self.pass_, "pass-mark": mark}
        several |= {"levels": self.levels, "scale": self.scale, "same": self.same, "map": self.stated.get("map", ())}
        several |= {name: (value,) for name in ("id", "group", "response", "table") if (value := getattr(self, name))}
        flat = as_typed(word for name, values in several.items() for value in values for word in (f"--{name}", value))
        flat += ("-o", f"encoding={self.encoding}") if "encoding" in self.stated else ()
        return flat + (("--adjudicated",) if self.adjudicated else ())

    @property
    def as_shell(self) -> str:
        """Quoted shell text, with a space before it, of the options that are set; "" if none is set."""
        return f" {shlex.join(self.words)}" if self.words else ""

    @property
    def as_import(self) -> str:
        """Shell text for `markscheme import` of the options that are set, including those on raters; "" if none is set.

        The text is quoted and has a space before it.
        """
        raters = {"kind": self.kind, "rater": self.rater, "judge-names": ",".join(self.judge_names) or None}
        words = [word for option, value in raters.items() if value for word in (f"--{option}", value)]
        return f"{self.as_shell} {shlex.join(words)}" if words else self.as_shell

    @property
    def recoded(self) -> dict[str, str]:
        """For each cell that is to be read as another value (`--same`, `--levels CELL=LEVEL`), that value."""
        return {old.strip(): new.strip() for old, sign, new in (text.partition("=") for text in self._entries) if sign}

    @property
    def no_two_are_one(self) -> bool:
        """True if `--same none` says that values written differently are always different levels."""
        return "none" in self.same

    @property
    def level_words(self) -> tuple[str, ...]:
        """Levels that `--levels` lists, worst first; empty if it isn't given or gives only a range."""
        entries = [word.strip() for listed in self.levels for word in listed.split(",")]
        if len(entries) == 1 and span_in(entries[0]) is not None:
            return ()
        return tuple(word for word in entries if "=" not in word)

    @property
    def level_ends(self) -> Span | None:
        """Lowest and highest level if `--levels` gives a range, such as 1..5; else None."""
        return span_in(self.levels[0]) if len(self.levels) == 1 else None

    @property
    def _entries(self) -> Iterator[str]:
        yield from self.same
        yield from (word for listed in self.levels for word in listed.split(",") if "=" in word)

    def span_of(self, column: str, *, is_judge: bool) -> Span | None:
        """Return the range that `--scale` gives for a column, else for the column's kind of rater; None without either.

        A range that is stated without a name holds for judges and people.
        """
        spans = spans_by_name(self.scale)
        return spans.get(column) or spans.get(SCALE_SIDES[0] if is_judge else SCALE_SIDES[1])


def flag_of(key: str) -> str:
    """Return the name by which an option on columns is typed.

    >>> flag_of("pass_"), flag_of("pass_mark")
    ('--pass', '--pass-mark')
    """
    return f"--{key.strip('_').replace('_', '-')}"


def sides_of(option: str, texts: Iterable[str]) -> dict[str, str]:
    """Parse values LEFT=RIGHT of `--map` or `--levels` into a dict from LEFT to RIGHT.

    Args:
        option: Name of the option without dashes, "map" or "levels", for the error.
        texts: The values.

    Raises:
        UsageError: A value has no `=`, or an empty side.
    """
    sides = {}
    for text in texts:
        left, equals, right = (side.strip() for side in text.partition("="))
        if not equals or not left or not right:
            shape = "COLUMN=FIELD" if option == "map" else "WORD=LEVEL"
            raise UsageError(f"`--{option}` must be {shape}, got {text!r}")
        sides[left] = right
    return sides


def spans_by_name(texts: Iterable[str]) -> dict[str, Span]:
    """Parse the values of `--scale`, such as judge=0..1, into a dict from "judge", "human" or a column to a range.

    A range without a name is that of "judge" and "human", unless they have their own.
    """
    split = (text.rpartition("=") for text in texts)
    spans = {name.strip(): span for name, _, ends in split if (span := span_in(ends)) is not None}
    return dict.fromkeys(SCALE_SIDES, spans[""]) | spans if "" in spans else spans


def as_typed(words: Iterable[str]) -> tuple[str, ...]:
    """Join a value that begins with a dash to the option before it by `=`, so that it isn't taken for an option.

    >>> as_typed(["--same", "-=", "--same", "n/a="])
    ('--same=-=', '--same', 'n/a=')
    """
    typed: list[str] = []
    for word in words:
        if word.startswith("-") and not word.startswith("--") and typed and typed[-1].startswith("--"):
            typed[-1] += f"={word}"
        else:
            typed.append(word)
    return tuple(typed)


def span_in(text: str) -> Span | None:
    """Parse a range `LOW..HIGH` or `LOW-HIGH` into its two ends, worst first; None for any other text.

    >>> span_in("1..5"), span_in("-1..1"), span_in("5-1"), span_in("good,bad")
    ((1.0, 5.0), (-1.0, 1.0), (5.0, 1.0), None)
    """
    left, dots, right = text.partition("..")
    if not dots:
        left, _, right = text.rpartition("-")
    low = number_in(left.strip())
    high = number_in(right.strip())
    return (low, high) if low is not None and high is not None and low != high else None


_OF_EXPORTS: Final = ("judge", "map", "levels", "scale", "kind", "rater", "judge_names")
"""Options of tables that also apply to exports, where `--judge` names a judge."""
VALUES_OF_EXPORTS: Final = ("pass_", "pass_mark", "same")
"""Options on the meaning of a table's values that also apply to exports."""
_OF_RATINGS: Final = ("adjudicated", *VALUES_OF_EXPORTS, "levels", "scale", "kind", "rater", "judge_names")
"""Options on what ratings mean, in a table or in an export."""
_OF_TABLES: Final = tuple(
    key for key, row in options_of(ColumnOptions).items() if row.is_named and key not in _OF_EXPORTS
)
"""Options that say of one table what it holds; settings hold wherever a table is read, and do no harm elsewhere."""
