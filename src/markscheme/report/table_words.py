"""Sentences on how a table of ratings was read, or why it can't be read."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from shlex import quote
from typing import Final

from markscheme.errors import UsageError, suggestion
from markscheme.phrases import counted, few_of, in_words, listed
from markscheme.plain_data import shown
from markscheme.readers.tabular.reading import TableReading
from markscheme.readers.tabular.scales import ReadValues, likely_ends

MOST_READ_ALIKE: Final = 5
"""Largest number of columns read alike that are described one by one."""

# --- line two --------------------------------------------------------------------------------------------------------


def line_two(reading: TableReading, criterion: str | None = None, even_splits: int = 0) -> str:
    """Describe in a line how a table was read: each rater's column, the id column, and how many rows count.

    Args:
        reading: The table as it was read.
        criterion: The criterion, whose columns are described; None for those of all criteria.
        even_splits: Number of rows on which annotators split evenly, which the line states if there are any.
    """
    criteria = [*reading.roles.criteria] if criterion is None else [criterion]
    sides = [(side.name, reading.values[name]) for name in criteria for side in reading.sides(name)]
    read_as = dict.fromkeys((name, _values(name, values)) for name, values in sides)
    alike = {how: [name for name, of_name in read_as if of_name == how] for _, how in read_as}
    columns = dict.fromkeys(
        f"{name if len(alike[how]) <= MOST_READ_ALIKE else listed(alike[how])}: {how}" for name, how in read_as
    )
    unit = reading.roles.single.get("id")
    stated = " (stated)" if reading.options.id is not None else ""
    where = [f"id: {unit or 'the column without a name'}{stated}"] if unit is not None else []
    compared = "with both" if reading.has_judge else "with two or more"
    split = f", {even_splits} split evenly" if even_splits else ""
    both = [reading.with_both(name) for name in criteria]
    n_both = " to ".join(str(n) for n in sorted({min(both), max(both)}))
    rows = f"{counted(len(reading.ids), 'row')}, {n_both} {compared}{split}"
    return " · ".join([*columns, *where, rows])


def _values(name: str, values: ReadValues) -> str:
    stated = " (stated)" if name in values.stated else ""
    if values.kind == "decision":
        return _decisions(name, values) + stated
    if values.ends is not None and values.kind == "levels":
        return f"levels {values.ends[0]:g} to {values.ends[1]:g}{stated or ' (seen)'}"
    if values.kind == "levels":
        passes = "" if values.pass_mark is None else f", {_passing_level(values)} and better pass"
        return f"levels {', '.join(values.scale.choices)}{passes}{stated}"
    if (ends := values.own_ends.get(name, values.ends)) is not None:
        return f"read as {ends[0]:g} to {ends[1]:g}{stated}"
    return f"{len(values.scale.choices)} categories"


def _passing_level(values: ReadValues) -> str:
    """Return the word for the lowest level that passes."""
    named = zip(values.scale.values, values.scale.choices, strict=True)
    return next(word for position, word in named if position >= (values.pass_mark or 0.0))


def _decisions(name: str, values: ReadValues) -> str:
    words = list(values.raw_words[name])
    if name in values.marked:
        return values.passes[name]
    listed = "/".join(words)
    if {word.casefold() for word in words} <= {"pass", "fail"} or not values.knows_pass:
        return listed
    passed = [word for word, level in values.raw_words[name].items() if level]
    return f"{listed} ({in_words(passed or [f'not {words[0]}'])} pass{'es' * (len(passed) < 2)})"


NOTES: Final[Mapping[str, str]] = {
    "encoding": "its text isn't UTF-8 and was read as Windows-1252; {`-o encoding=NAME`} says otherwise",
    "no-header": "what stands first is a row, not a header: columns are named by their place, such as 'column 2'",
    "counted": "column n says how many examples each row stands for",
    "copies": "a row that is equal to an earlier one in all cells counts once: {n_copies} left out",
    "short-rows": "rows with fewer cells than the header end in empty cells",
    "totals": "rows that sum up the table, and notes below it, count in no figure",
    "categories": (
        "words in no known order are compared as categories; {--levels worst,…,best} gives them one, {--pass VALUE} "
        "makes them pass and fail"
    ),
}


def notes(reading: TableReading, spell: Callable[[str], str] = str) -> Iterator[str]:
    """Yield notes on how a table was read: what was ambiguous or missing, and which columns no figure uses.

    Args:
        reading: The table as it was read.
        spell: Function that writes an option, such as `--pass VALUE`, the way the reader would; unchanged by default.
    """
    codes = [*reading.notes, *(note for values in reading.values.values() for note in values.notes)]
    yield from (filled_in(NOTES[code], spell, {"n_copies": reading.n_copies}.get) for code in dict.fromkeys(codes))
    if reading.apart:
        alone = [f"{rows} of {name}" for name, rows in reading.apart.items() if rows]
        left_out = f"; left out, since another file lacks them: {in_words(alone)}" if alone else ""
        yield f"{counted(len(reading.ids), 'row')} joined{left_out}"
    every = [side for sides in reading.roles.criteria.values() for side in sides]
    judges, people = ({"" if s.column.file else s.rater for s in every if s.is_judge is side} for side in (True, False))
    is_stated = reading.options.judge or reading.options.human
    if judges == people and all(judges) and not (is_stated or reading.is_by_criterion):
        names = in_words(sorted(map(str, judges)))
        yield f"read as names of raters, not of criteria: {names}; {filled_in(_AS_CRITERIA, spell)}"
    for criterion, sides in reading.roles.criteria.items():
        values = reading.values[criterion]
        for side in sides:
            if side.is_judge and values.missing.get(side.name):
                levels = values.levels[side.name]
                rows = [u for u, cell in zip(reading.ids, side.cells, strict=True) if cell not in levels]
                yield f"{side.name}: no value in {len(rows)} of {len(reading.ids)} rows ({few_of(rows, ROWS_LISTED)})"
    if reading.roles.aside:
        yield f"in no figure: {in_words(reading.roles.aside)}"
    if reading.roles.may_rate:
        listed = in_words([repr(name) for name in reading.roles.may_rate])
        yield f"in no figure, though it may rate too: {listed}; {spell('--judge')} names a judge's columns"
    seen = [values for values in reading.values.values() if "ends" in values.withheld.values()]
    yield from dict.fromkeys(_ends_seen(values, spell) for values in seen)
    if seen and reading.has_judge:
        option = spell(f"`{_likely_levels(seen[0], are_turned=True)}`")
        yield f"higher numbers are taken to be better; {option} says that the lowest is the best"
    for values in reading.values.values():
        why = WITHHELD.get(values.withheld.get("false_passes", ""))
        if why is not None:
            yield why.format(
                spell("`--pass COLUMN=VALUE`") if reading.is_by_criterion else _pass_options(values, spell)
            )
            break


def _likely_levels(values: ReadValues, *, are_turned: bool = False) -> str:
    """Return the option that states the likely ends of a scale, such as "--levels 1-5", or turned "--levels 5-1"."""
    seen = _levels_seen(values)
    mark = ".." if seen[0] < 0 else "-"
    ends = likely_ends(seen, mark=mark).split(mark)
    span = mark.join(reversed(ends) if are_turned else ends)
    return f"--levels={span}" if span.startswith("-") else f"--levels {span}"


def _levels_seen(values: ReadValues) -> list[float]:
    return sorted({level for of_column in values.levels.values() for level in of_column.values()})


def _ends_seen(values: ReadValues, spell: Callable[[str], str]) -> str:
    """Return a note that the ends of a scale are the extremes seen, and on the option that states other ends."""
    seen = _levels_seen(values)
    option = spell(f"`{_likely_levels(values)}`")
    ends = f"{seen[0]:g} and {seen[-1]:g}"
    return f"the levels are taken to end where they were seen to, at {ends}; {option} says the scale's"


_AS_CRITERIA: Final = "in {--judge} and {--human}, `*` matches the name of a criterion, as in {`--judge 'judge_*'`}"
ROWS_LISTED: Final = 3
"""Largest number of rows without a judge's value that are listed."""
WITHHELD: Final[Mapping[str, str]] = {
    "direction": "the column asks for a fault, so which of its values passes isn't known: {} says it",
    "pass-value": "which of the values passes isn't known: {} says it, and adds false passes and fails",
}
"""Note on each reason why false passes are withheld; the options among which the user chooses replace the braces."""


def _pass_options(values: ReadValues, spell: Callable[[str], str]) -> str:
    """Spell the `--pass` options among which the user chooses, each in backticks."""
    words = dict.fromkeys(word for of_column in values.raw_words.values() for word in of_column)
    return in_words([spell(f"`--pass {quote(word)}`") for word in words], "or")


# --- refusals --------------------------------------------------------------------------------------------------------


def sentence(error: UsageError) -> str:
    """Explain why a table can't be read, with a command for each way to resolve it."""
    template = SENTENCES_OF_CODES.get(error.code or "", error.code or "")
    template = template if isinstance(template, str) else template(error)
    template += "; {--judge} compares {fitting judges} instead" if "fitting judges" in error.facts else ""
    text = filled_in(template, error.spell, partial(_fact, error))
    return "\n  ".join([text, *error.commands])


def filled_in(template: str, spell: Callable[[str], str], fact: Callable[[str], object] = str) -> str:
    """Fill a template: `{--human}` with the option as its reader types it, other placeholders with facts."""
    return re.sub(r"\{(`?-[^{}]+)\}|\{([^{}]+)\}", lambda gap: spell(gap[1]) if gap[1] else str(fact(gap[2])), template)


def _fact(error: UsageError, name: str) -> object:
    return _FACTS[name](error) if name in _FACTS else error.facts[name]


def _to_discover(error: UsageError) -> str:
    """Return the command that labels a table's rows or, if they bring no criteria, one that makes a rubric."""
    table = Path(error.path or "TABLE")
    command = f"`markscheme discover {quote(table.stem)} --pool {quote(str(table))}`"
    return _label_rows(error) or f"; {command} finds out what to rate"


def _without_labels(error: UsageError) -> str:
    """Return advice for a judge's table without labels: make a project to label in, or name the file of labels."""
    if error.facts["has_responses"]:
        table = quote(str(error.path or "TABLE"))
        return f"without labels, `markscheme init --from {table}` makes a rubric to label by"
    return "labels in another file, named next to it, are joined by id"


def _label_rows(error: UsageError) -> str:
    """Return advice on how to label rows that bring criteria in a column `rubric`; "" for other rows."""
    table = quote(str(error.path or "TABLE"))
    return f"; `markscheme label {table}` asks about each row's own criteria" if "rubric" in error.columns else ""


def _columns(error: UsageError) -> str:
    return _quoted(error.columns)


def _values_of(error: UsageError) -> str:
    return ", ".join(f"{shown(value)} ({count})" for value, count in error.values.items())


def _texts(error: UsageError, fact: str) -> list[str]:
    value = error.facts.get(fact)
    return list(map(str, value)) if isinstance(value, list | tuple) else []


def _instead(error: UsageError) -> str:
    """Return the end of the error that a table lacks a value or column that an option names: what it has instead."""
    if error.values:
        return f"; {_columns(error)} {'have' if len(error.columns) > 1 else 'has'} {_values_of(error)}"
    option, _, name = str(error.facts["option"]).partition(" ")
    ask = _label_rows(error) or "; a judge is asked by a rubric, `markscheme calibrate RUBRIC --judge NAME`"
    hint = ask if option == "--judge" else ""
    return suggestion(name, error.columns, mark="'") or f"; there are {_columns(error)}{hint}"


def _empty(error: UsageError) -> str:
    empty = _texts(error, "empty")
    has = "has" if len(empty) == 1 else "have"
    return f" ({_quoted(empty)} {has} no value)" if empty else ""


def _others(error: UsageError) -> str:
    """Return a phrase that names the other columns that the user may mean; "" if there are none.

    Args:
        error: The error about the table, with the names of columns that may hold the missing ratings.
    """
    others = _texts(error, "others")
    return f" (there {'are' if len(others) > 1 else 'is'} also {_quoted(others)})" if others else ""


def _joined(error: UsageError) -> str:
    alike = _texts(error, "alike")
    option = error.spell("--table '*'")
    return f", or join {in_words(alike)} by id, each a rater's, with {option}" if alike else ""


def _quoted(names: Sequence[str]) -> str:
    quoted = list(map(repr, names))
    return listed(quoted, MOST_IN_SENTENCE) if len(quoted) > MOST_IN_SENTENCE else in_words(quoted) if quoted else ""


MOST_IN_SENTENCE: Final = 12
"""Largest number of columns that a sentence names one by one."""


def _long_rows(error: UsageError) -> str:
    lines = _texts(error, "lines")
    several = "a row has" if len(lines) == 1 else f"{len(lines)} rows have"
    return f"{several} more cells than the header ({'line' if len(lines) == 1 else 'lines'} {', '.join(lines[:3])})"


_FACTS: Final[Mapping[str, Callable[[UsageError], str]]] = {
    "columns": _columns,
    "values": _values_of,
    "are": lambda e: "is" if len(e.columns) == 1 else "are",
    "have": lambda e: "has" if len(e.columns) == 1 else "have",
    "first column": lambda e: repr(e.columns[0]),
    "second column": lambda e: repr(e.columns[1]),
    "other columns": lambda e: in_words([repr(name) for name in e.columns[1:]]),
    "judges": lambda e: _quoted(_texts(e, "judges")),
    "people": lambda e: _quoted(_texts(e, "people")),
    "decided": lambda e: _quoted(_texts(e, "decided")),
    "empty": _empty,
    "others": _others,
    "instead": _instead,
    "joining": _joined,
    "without labels": _without_labels,
    "to discover": _to_discover,
    "long rows": _long_rows,
    "rows": lambda e: counted(int(str(e.facts["count"])), "row"),
    "rows of values": lambda e: few_of(list(e.values), ROWS_LISTED),
    "responses": lambda e: counted(int(str(e.facts["unnamed"])), "response"),
    "bare values": lambda e: ", ".join(e.values),
    "spans": lambda e: " against ".join(_texts(e, "spans")),
    "seen span": lambda e: f", {e.facts['span']}," if "span" in e.facts else "",
    "words or bits": lambda e: "words" if e.facts["has_words"] else "only 0 and 1",
    "idle option": lambda e: e.spell(f"`{e.facts['option']}`"),
    "stated mark": lambda e: e.spell(f"`--pass-mark {e.facts['mark']}`"),
}
"""Functions that write what a gap of a sentence names, unless it is one of the error's own facts."""


def _which_columns(error: UsageError) -> str:
    if "twice" in error.facts:
        return "column {columns} can't be a judge's and a person's: {--judge} and {--human} name different columns"
    if judges := _texts(error, "judges"):
        whose = "is a judge's" if len(judges) == 1 else "are judges'"
        return f"{{judges}} {whose}; which columns are people's? {{columns}} may be; {{--human}} names them"
    if people := _texts(error, "people"):
        whose = "is people's; what is" if len(people) == 1 else "are people's; whose are"
        return f"{{people}} {whose} {{columns}}? {{--judge}} names a judge's column, {{--human}} other people"
    return "which columns are a judge's and people's? {columns} may be; {--judge} and {--human} name them"


def _nothing_rated(error: UsageError) -> str:
    if _texts(error, "decided"):
        return "no column is known to rate anything; {decided} may, if {--judge} or {--human} names it{to discover}"
    return "no column rates anything: {columns}{to discover}"


def _rated_twice(error: UsageError) -> str:
    if "unnamed" in error.facts:
        return (
            "people without names rated {responses} more than once by {columns}, differently ({bare values}): the file "
            "doesn't say who they are; if it was one person, {--rater} names them, and their later rating counts"
        )
    if error.values:
        return (
            "one rater rated an example twice, differently: {values}; {--map COLUMN=run} says which column tells runs "
            "apart"
        )
    return "ratings without a rater's name in column {columns}: it isn't known whose they are"


def _reversed(error: UsageError) -> str:
    settle = "{--levels} says that both are on one scale, {--scale} which end is the best of each"
    settle = "{--pass} says for each column which value passes" if error.facts["by_pass"] else settle
    settle = "{--scale} says which end of the numbers is the best" if error.facts["is_marked"] else settle
    return f"{{columns}} say the opposite of each other more often than chance; {settle}"


def _scale(error: UsageError) -> str:
    if "thousands" in error.facts:
        return "a comma in {columns} ({values}) may be of decimals or of thousands; {--scale} gives the ends"
    return "the numbers of {columns}{seen span} are on no scale known here; {--scale} gives its ends"


def _rater_or_criterion(error: UsageError) -> str:
    several = "{columns} rate several criteria, which only a rubric weighs; {--human} names the columns of one"
    return several if "criteria" in error.facts else "are {columns} raters or criteria? Raters are named together"


def _pass_mark(error: UsageError) -> str:
    needed = "{--pass-mark} says from which number a response passes"
    more = ", {--same} which number a word is" if any("--same" in choice for choice in error.choices) else ""
    return f"{{first column}} has numbers, and {{second column}} {{words or bits}}; {needed}{more}"


SENTENCES_OF_CODES: Final[Mapping[str, str | Callable[[UsageError], str]]] = {
    "which-table": "there are several tables: {columns}; name one with {--table}{joining}",
    "which-member": "{path} holds {count} files ({members}); unpack it and name one",
    "not-a-table": "{path} is {kind}, not a table",
    "long-rows": "{path}: {long rows}",
    "equal-names": "{path}: has several columns named {columns}, which differ; rename all but one",
    "encoding": (
        "{columns} has letters beyond ASCII ({values}), and the text isn't UTF-8; {-o encoding=NAME} says how it is "
        "encoded"
    ),
    "ids-apart": "only {joined} of {of} rows of {columns} have the same id; {--id} names the column of ids",
    "texts-differ": (
        "{columns} differs between the files in {rows} of the same id ({rows of values}); {--id} names a column that "
        "identifies the rows"
    ),
    "rater-or-criterion": _rater_or_criterion,
    "aggregate": "{first column} isn't what its name says of {other columns}; {--human} says which labels count",
    "which-columns": _which_columns,
    "rater-alone": "{columns} says who rated, and no column is known to say which example: {--id} names it{others}",
    "one-rater": (
        "{columns} is one annotator's, and nothing is there to compare it with; {--judge} names a judge's "
        "column{others}"
    ),
    "no-labels": (
        "{columns} {are} a judge's, and no column is people's{empty}: {--human} names one{others}; {without labels}"
    ),
    "nothing-rated": _nothing_rated,
    "none-in-common": "{columns} have a value on no row together: {values}; name columns that rate the same rows",
    "metrics-apart": "people rated {columns}, and judges {judges}; {--map} says which metrics are the same",
    "several-judges": "{columns} are judges; several criteria are compared by one: {--judge} names it",
    "rated-twice": _rated_twice,
    "ids-repeat": (
        "several rows have the same {columns} ({values}) and differ; {--id} names a column that is unique, {--group} "
        "one whose rows belong together"
    ),
    "missing-word": "is {values} in {columns} a value, or no value? {--same} says so, or its place in {--levels}",
    "mixed-form": "{columns} {have} numbers and {values}; {--same} says what number they are",
    "dates": "{columns} has dates ({values}): a spreadsheet turns 5/5 into 5 May; correct them first",
    "odd-value": (
        "{values} in {columns} can't be read as pass or fail, nor by the values of the other side; {--same VALUE=} "
        "leaves a value out, {--same VALUE=pass} or {--same VALUE=fail} decides"
    ),
    "pass-value": "which value of {columns} passes? There are {values}; {--pass} says which",
    "direction": "{columns} asks for a fault, so {values} may pass or fail; {--pass} says which value passes",
    "text": "{columns} {are} text, not verdicts ({values}); {--judge} and {--human} name other columns",
    "several-values": "{columns} lists several values in a cell ({values}): one is compared",
    "reversed": _reversed,
    "words-apart": "{columns} each have values that the other lacks: {values}; {--same} says which two are one",
    "pass-mark": _pass_mark,
    "scales-differ": "{columns} are on different scales, {spans}; {--scale} names both",
    "scale": _scale,
    "no-value": "column {columns} has no value",
    "one-value": "all values of {columns} are {values}: nothing can be compared",
    "no-place": (
        "{--levels} has no place for {values} in {columns}; name every value there, or {--same} says which level each "
        "is"
    ),
    "option-unused": "{idle option} names nothing that is there{instead}",
    "mark-off-scale": "{stated mark} isn't on the scale, {scale}",
    "drawn": "people labelled some of the rows, and it isn't said how those were drawn: {--drawn random}, or strata",
    "needs-rubric": (
        "words and weights are a rubric's, and a table has none: `markscheme init --from TABLE` makes one"
    ),
    "one-run": (
        "{columns} has one run, and a gate's risk is seen over several: a column `run`, or a file for each run; "
        "{--human} asks instead whether people would pass that many"
    ),
    "one-judge": (
        "{columns} is one judge, and a comparison needs two, each named by {--judge}; `{command}` compares one with "
        "people's labels"
    ),
    "no-judge": (
        "{columns} are annotators, and a comparison is of judges, each named by {--judge}; `{command}` says how far "
        "annotators agree"
    ),
    "no-responses": "no column holds the responses: {--response} names it, one of {columns}",
    "no-notes": "no column holds notes: {--map COLUMN=note} names it",
}
"""Sentence on why a table can't be read, by error code, or a function that chooses it; `filled_in` fills its gaps."""


def json_of(error: UsageError) -> dict[str, object]:
    """Convert an error about a table that can't be read to a dict for JSON."""
    text, *_ = str(error).split("\n  ")
    named = {"code": error.code, "message": text, "columns": error.columns, "values": dict(error.values)}
    return {"error": named | {"commands": error.commands}}
