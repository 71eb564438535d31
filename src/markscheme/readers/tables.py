"""Reader of tables and JSON lines by a rubric: one row per rating, or per pair of a judge's verdict and a label."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias, get_args

from markscheme.errors import RatingError, refuse_lines
from markscheme.fingerprint import fingerprint
from markscheme.plain_data import json_lines, mapping, read_text, shown
from markscheme.prompts.parts import PartedText, in_cell
from markscheme.prompts.submission import Submission, as_text, text_in_file
from markscheme.ratings.example_rows import Example, Split
from markscheme.ratings.kinds import KINDS, Kind
from markscheme.ratings.rating import DECLINED_KEYS, Rated, Rating, RatingReader
from markscheme.readers.imported import MOST_REMEMBERED, ImportedFile, number, plain, said_anything
from markscheme.readers.peek import Peek
from markscheme.readers.side_columns import RaterColumn, judge_columns, stated_columns
from markscheme.readers.tabular.source import is_records, json_records
from markscheme.rubrics.rubric import Criterion

ID = ("id", "exampleid", "targetid", "item", "unit")
RESPONSE_NAMES = ("response", "output", "answer", "submission")
EXPECTED_COLUMN = "expected"
"""Name of a column that holds a reference answer or a label, depending on its values."""
INPUTS = {
    "query": ("query", "input", "question", "prompt"),
    "reference": ("reference", "expectedoutput", EXPECTED_COLUMN),
}
VERDICT, OF_PEOPLE = ("verdict",), ("humanlabel", "human")
LABEL_NAMES = (*OF_PEOPLE, "label", "gold", "expectedlabel")
RATER, SAMPLE, REASON = ("rater", "annotator"), ("sample", "run"), ("reason", "explanation", "rationale", "comment")
OVERALL, DECISION = ("overall", "score", "expectedscore"), ("pass", "passed")
DAY_COLUMNS = ("at", "createdat")
NOTE, CONFIDENCE, SECONDS, BLIND = ("note", "notes"), ("confidence", "certainty"), ("seconds",), ("blind",)
SKIPPED = ("skipreason", "skippedbecause", "whyskipped")
"""Names of columns with the reason why the rater gave no level: on the row's criterion, or on all criteria without
one."""
OTHERS = ("judge", "kind", "criterion", "level", "criteria", "under", "error", "split", "group", "slice", "system")
OUTPUT_COLUMNS = ("outputa", "outputb")
JUDGE_COLUMN = "judge"
PROBABILITY = "probability"
"""Name of the field of a judge's probability of MET; `probability:LEVEL` is that of one level of several."""
FIELDS = ("id", "response", *INPUTS, "verdict", "label", "rater", "kind", "reason", "overall", "pass", "run", "at",
          "criterion", "level", "judge", PROBABILITY)  # fmt: skip
"""Names of fields that a column can be mapped to, in addition to the rubric's criteria."""


def is_table(peek: Peek) -> bool:
    """Return True if a file is a table, by its content."""
    return peek.shape in ("sheet", "table", "parquet")


def is_plain_lines(peek: Peek) -> bool:
    """Return True if a file has a JSON object on each line, or an id and a verdict as plain text."""
    return peek.is_lines or (peek.shape == "text" and (peek.path.suffix == ".txt" or _has_pairs_of_words(peek)))


def _has_pairs_of_words(peek: Peek) -> bool:
    lines = [line for line in peek.head.splitlines()[:-1] if line.strip() and not line.startswith("#")]
    return bool(lines) and all(len(line.replace(",", " ").split()) == len(("id", "verdict")) for line in lines)


def is_list(peek: Peek) -> bool:
    """Return True if a file is a JSON list, or an object with a list of objects under a key."""
    return isinstance(peek.data, list) or any(map(is_records, mapping(peek.data).values()))


def read_rows(reading: ImportedFile) -> None:
    """Add to an ImportedFile the ratings in a table, in JSON lines, in lines of "id verdict" or in a JSON list.

    Raises:
        RatingError: The file has no rows, an unreadable row, or ratings without a known rater.
    """
    rows = [row for record in _rows(reading) for row in reading.columns.rows(record)]
    if not rows:
        raise RatingError("holds no rows", path=reading.path)
    _refuse_one_id(rows, reading)
    of_raters = _rater_columns(rows, reading)
    columns = {plain(name) for names in set(map(tuple, rows)) for name in names} - {plain(c.name) for c in of_raters}
    labels = [] if any(column.kind != "model" for column in of_raters) else _labels(rows, reading)
    table = _Table(reading, labels, has_labels=not columns.isdisjoint(labels), columns=columns, of_raters=of_raters)
    for row in rows:
        table.add(row)
    if table.unknown_kind:
        raters_without_kind = ", ".join(
            f"{count} by {rater}" if rater else f"{count} without a rater"
            for rater, count in table.unknown_kind.items()
        )
        raise RatingError(
            f"doesn't say who gave these ratings: {raters_without_kind}. Pass `--kind human`, or adjudicated, "
            "constructed, model or code; name judges with `--judge-names`",
            path=reading.path,
        )
    codes = reading.ratings
    added: dict[int, int] = {}
    for (unit, _, _), rating in table.ratings.items():
        alike = added.get(id(rating))
        if alike is None:
            added[id(rating)] = codes.append(replace(rating, id=unit))
        else:
            codes.append_codes(unit, *codes.codes_at(alike))


def _labels(rows: Sequence[Mapping[str, Any]], reading: ImportedFile) -> list[str]:
    """Return the names by which a column of labels is recognized, the preferred ones first.

    A name of a criterion isn't among them, since its column holds levels of the criterion.

    Args:
        rows: The table's rows, which show if a column `expected` holds labels.
        reading: The file's content so far, with the rubric's criteria.
    """
    return [name for name in (*LABEL_NAMES, *_expected(rows, reading)) if reading.criterion(name) is None]


def _rater_columns(rows: Sequence[Mapping[str, Any]], reading: ImportedFile) -> list[RaterColumn]:
    """Return the columns that each hold one rater's ratings: named by the user, or looking like a judge's.

    Columns that look like a judge's are added only if the table has labels, and neither the user nor a column such as
    `judge` says which judge rated.
    """
    stated = stated_columns(rows, reading)
    if any(column.kind == "model" for column in stated):
        return stated
    read = frozenset(name for names in set(map(tuple, rows)) for name in names if plain(name) in _COLUMNS_READ)
    names_judge = any(plain(name) in (*VERDICT, JUDGE_COLUMN) for name in read)
    has_labels = bool(stated) or any(plain(name) in LABEL_NAMES for name in read)
    return stated + (judge_columns(rows, reading, read) if has_labels and not names_judge else [])


def _refuse_one_id(rows: Sequence[Mapping[str, Any]], reading: ImportedFile) -> None:
    """Raise RatingError if all rows have the same id although their responses differ: no column holds their ids.

    Args:
        rows: The table's rows.
        reading: The file's content so far, with its path for the message.

    Raises:
        RatingError: All rows have the same id, and their responses differ.
    """
    first = _Row(rows[0]).text(ID)
    if first is None or any(_Row(row).text(ID) != first for row in rows):
        return
    responses = {_Row(row).text(RESPONSE_NAMES) for row in rows} - {None}
    if len(responses) > 1:
        problem = f"has {len(responses)} responses of one id, {shown(first)}; say which column identifies them"
        raise RatingError(f"{problem}: `--map COLUMN=id`", path=reading.path)


def _rows(reading: ImportedFile) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of a file as a mapping of column names to non-empty cells."""
    path = reading.path
    peek = Peek(path, reading.options)
    if is_table(peek):
        yield from (row for _, row in peek.parts())
    elif peek.shape == "text":
        yield from _plain_lines(path)
    else:
        for line_number, row in _listed(reading) if peek.shape == "json" else json_lines(path, RatingError):
            if not isinstance(row, Mapping):
                refuse_lines(RatingError(f"a rating is an object, found {shown(row)}", path=path, line=line_number))
                continue
            yield {key: value for key, value in row.items() if value is not None}


def _listed(reading: ImportedFile) -> Iterator[tuple[None, Any]]:
    """Yield the items of a JSON list, or the records in an object, each after None in place of a line."""
    data = reading.data
    for row in data if isinstance(data, list) else json_records(data, reading.path, reading.options):
        yield None, row


def _plain_lines(path: Path) -> Iterator[Mapping[str, Any]]:
    for line_number, line in enumerate(read_text(path, RatingError).splitlines(), start=1):
        words = line.replace("\t", " ").replace(",", " ").split()
        if not words or words[0].startswith("#"):
            continue
        if len(words) != 2:
            refuse_lines(RatingError(f'a line reads "id verdict", found {shown(line)}', path=path, line=line_number))
            continue
        yield {"id": words[0], "label": words[1]}


def _expected(rows: Sequence[Mapping[str, Any]], reading: ImportedFile) -> tuple[str, ...]:
    """Return ("expected",) if the column `expected` holds labels; else (), as for reference answers."""
    names = {name for of_row in set(map(tuple, rows)) for name in of_row if plain(name) == EXPECTED_COLUMN}
    values = [row[name] for row in rows for name in names if row.get(name) not in (None, "")]
    if not values or not all(reading.is_verdict(value) for value in values):
        return ()
    reading.note("column 'expected' was read as labels: every value is a level or a decision")
    return (EXPECTED_COLUMN,)


@dataclass
class _Table:
    """State while a table is read; a rater's rows on single criteria of an example become one rating.

    Attributes:
        labels: Names of columns that hold labels, in order of preference.
        has_labels: True if there is a column of labels, so that `verdict` is a judge's.
        columns: Names of the columns that any row has, without case and separators.
        of_raters: Columns with the ratings of one rater each, who is named after the column.
    """

    reading: ImportedFile
    labels: Sequence[str]
    has_labels: bool
    columns: Set[str]
    of_raters: Sequence[RaterColumn] = ()
    ratings: dict[tuple[str, str, str], Rating] = field(default_factory=dict)
    runs: dict[tuple[str, str], int] = field(default_factory=dict)
    unknown_kind: Counter[str] = field(default_factory=Counter)
    free: dict[tuple[str, ...], tuple[str, ...]] = field(default_factory=dict)
    known: dict[tuple[Any, ...], list[tuple[Rating, str]]] = field(default_factory=dict)

    def add(self, raw: Mapping[str, Any]) -> None:
        """Add the ratings of a row; rows that are equal but for the id are interpreted only once."""
        unit, rest = self._id_and_rest(raw)
        if unit and rest in self.known:
            for rating, run in self.known[rest]:
                self._put(rating, unit, run)
            return
        lost = (self.reading.lost.total(), self.unknown_kind.total())
        added = self._add(_Row(raw))
        is_whole = lost == (self.reading.lost.total(), self.unknown_kind.total())
        if unit and rest and is_whole and len(self.known) < MOST_REMEMBERED:
            self.known[rest] = added

    def _id_and_rest(self, raw: Mapping[str, Any]) -> tuple[str, tuple[Any, ...]]:
        """Split a row into its id and a tuple of all else: the names of its columns, then its other cells.

        Return "" and () if there isn't exactly one column that may be the id, or if a cell isn't text.
        """
        names = tuple(raw)
        column = self._id_columns.get(names)
        if column is None:
            column = self._id_columns[names] = _id_column(names)
        if not column or not all(type(value) is str for value in raw.values()):
            return "", ()
        return raw[column].strip(), (names, *(value for name, value in raw.items() if name != column))

    @cached_property
    def _id_columns(self) -> dict[tuple[str, ...], str]:
        return {}

    def _add(self, row: "_Row") -> list[tuple[Rating, str]]:
        """Add the ratings of a row; return each with the name that the row gives to the judge's run, "" without one."""
        if any(name in row.by_name for name in OUTPUT_COLUMNS):
            self.reading.lose("pairs of responses: which of two is better doesn't rate either")
            return []
        unit = row.text(ID) or self._derived(row)
        if unit is None:
            self.reading.lose("rows without an id, an input or a response")
            return []
        self._example(row, unit)
        run, saw_verdict = row.text(SAMPLE) or "", self.reading.decision(row.value(self._free(BLIND))) is False
        ratings = [rating for rating in self._ratings(row, unit) if said_anything(rating)]
        added = [(replace(r, blind=False) if saw_verdict and r.kind != "model" else r, run) for r in ratings]
        for rating, run in added:
            self._put(rating, unit, run)
        read = {*self.probability_columns, *(column.name for column in self.of_raters)}
        for name in row.unread:
            if self.reading.criterion(name) is None and name not in read and (plain(name),) not in self.inputs.values():
                self._lose_cell(name, row.raw[name])
        return added

    @cached_property
    def inputs(self) -> Mapping[str, tuple[str, ...]]:
        """Names of the columns that each input may be read from, by the input's name.

        An input that markscheme knows, such as `query`, may be in a column of several names. Any other input that the
        rubric declares is in the column with the input's own name.
        """
        own_names = ((name, plain(name)) for name in self.reading.rubric.known_inputs if name not in INPUTS)
        return {**{name: (column,) for name, column in own_names if column not in _COLUMNS_READ}, **INPUTS}

    @cached_property
    def probability_columns(self) -> tuple[str, ...]:
        """The fields `probability` and `probability:LEVEL` that columns of the table are read as."""
        fields = dict.fromkeys(self.reading.columns.fields.values())
        return tuple(name for name in fields if name.partition(":")[0] == PROBABILITY)

    @cached_property
    def _reader(self) -> RatingReader:
        """Reader of the levels' probabilities in rows."""
        return RatingReader(self.reading.rubric)

    def _lose_cell(self, name: str, value: Any) -> None:
        """Count a cell as lost, since no rating can hold it; of an object, count each of its values."""
        if isinstance(value, Mapping) and value:
            for key, inner in value.items():
                self._lose_cell(f"{name}.{key}", inner)
        else:
            self.reading.lose(f"cells of column {name!r}")

    def _derived(self, row: "_Row") -> str | None:
        of_rubric = (names for name, names in self.inputs.items() if name not in INPUTS and names[0] in self.columns)
        of_inputs = (self.inputs["query"], *of_rubric)
        texts = tuple(row.content(names, self.reading.path.parent) for names in (RESPONSE_NAMES, *of_inputs))
        if not any(text is not None for text in texts):
            return None
        self.reading.note("rows have no id; each got a digest of its input and response")
        return fingerprint(*texts)

    def _example(self, row: "_Row", unit: str) -> None:
        folder = self.reading.path.parent
        response = row.content(RESPONSE_NAMES, folder)
        if response is None:
            return
        free = {
            name: self._free(tuple(c for c in columns if c not in self.labels)) for name, columns in self.inputs.items()
        }
        inputs = {name: text for name, columns in free.items() if (text := row.content(columns, folder)) is not None}
        split: Split | None = next((name for name in get_args(Split) if name == row.text(("split",))), None)
        group, system = row.text(("group", "slice")) or "", row.text(("system",)) or ""
        example = Example(Submission(response, inputs, unit), group=group, system=system, split=split)
        self.reading.add_example(example)

    def _free(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Return those of the names that are columns of the table and not names of criteria."""
        free = self.free.get(names)
        if free is None:
            of_table = (name for name in names if name in self.columns)
            free = self.free[names] = tuple(name for name in of_table if self.reading.criterion(name) is None)
        return free

    def _ratings(self, row: "_Row", unit: str) -> Iterator[Rating]:
        """Yield the ratings in a row: the judge's verdict, the label, and those in any other columns.

        Args:
            row: The row.
            unit: Id of the row's example.
        """
        yield from self._ratings_of_raters(row, unit)
        verdict = row.value(self._free(VERDICT))
        label_column = row.first(self.labels)
        reason = row.text(self._free(REASON)) or ""
        named = row.text(self._free(("judge",)))
        judge: _Who | None = None
        rates_elsewhere = any(self._entries(row)) or row.first((*OVERALL, *DECISION)) is not None
        if verdict is None and named and not rates_elsewhere and self.reading.is_verdict(row.value(("judge",))):
            verdict = row.value(("judge",))
            judge = (JUDGE_COLUMN, "model")
        judged = verdict is not None or named is not None or bool(self._probabilities(row))
        if verdict is not None:
            levels, overall, passed = self.reading.whole(verdict)
            levels = {**levels, **self._decided(row, levels)}
            judge = judge or self._judge(row, named)
            comment = None if levels else reason or None
            rated = {name: replace(level, reason=reason) for name, level in levels.items()}
            yield Rating(unit, *judge, rated, overall, passed, note=comment)
        if label_column is not None:
            levels, overall, passed = self.reading.whole(row.by_name[label_column])
            who = self._who(row, "human" if label_column in OF_PEOPLE else None)
            yield Rating(unit, *who, levels, overall, passed)
        rating_of_row = self._rating_in_columns(row, unit, reason if verdict is None else "")
        if said_anything(rating_of_row):
            is_judges = judged and row.text(self._free(RATER)) is None
            rater, kind = judge or self._judge(row, named) if is_judges else self._who(row, None)
            yield replace(rating_of_row, rater=rater, kind=kind)

    def _ratings_of_raters(self, row: "_Row", unit: str) -> Iterator[Rating]:
        """Yield a row's ratings from the columns that belong to one rater each: one Rating for each filled cell.

        The ratings of one rater are merged later.

        Args:
            row: The row.
            unit: Id of the response that the row is about.
        """
        for column in self.of_raters:
            value = column.value(row.raw)
            if value is None:
                continue
            if column.criterion is None:
                levels, overall, passed = self.reading.whole(value)
                yield Rating(unit, column.rater, column.kind, levels, overall, passed)
            elif (rated := self._rated(column.criterion, value, "")) is not None:
                yield Rating(unit, column.rater, column.kind, {column.criterion.name: rated})

    def _judge(self, row: "_Row", named: str | None) -> "_Who":
        """Return who gave a row's verdict: the judge, if one is named or the table has labels; else the row's rater.

        Args:
            row: The row.
            named: Name of the judge in the row; None if the row names none.
        """
        if named is not None or self.has_labels:
            return named or JUDGE_COLUMN, "model"
        rater, kind = self._who(row, "model")
        return (JUDGE_COLUMN if rater == kind == "model" else rater), kind

    def _rating_in_columns(self, row: "_Row", unit: str, reason: str) -> Rating:
        """Return the rating in a row's columns for criteria, `overall` and `pass`; who gave it is added later.

        Args:
            row: The row.
            unit: Id of the response.
            reason: The reason in the row; "" if it has none, or belongs to a verdict.
        """
        levels: dict[str, Rated] = {}
        for name, raw in self._entries(row):
            criterion = self.reading.criterion(name)
            if criterion is None:
                self.reading.lose(f"ratings of {name!r}, which isn't a criterion of the rubric")
            elif (rated := self._rated(criterion, raw, reason)) is not None:
                levels[criterion.name] = rated
        if row.value(self._free(VERDICT)) is None:
            levels |= self._decided(row, levels, reason)
        levels |= self._skipped(row, levels)
        notes = (row.text(self._free(NOTE)), "" if levels else reason)
        overall = self._score(row)
        passed = self._decision(row)
        error = row.text(("error",))
        return Rating(
            *(unit, "", "human", levels, overall, passed),
            error=error,
            at=row.text(DAY_COLUMNS) or "",
            note="\n".join(filter(None, notes)) or None,
            seconds=number(row.value(self._free(SECONDS))),
            confidence=row.text(self._free(CONFIDENCE)) or None,
            under=row.text(("under",)) or "" if mapping(row.value(("criteria",))) else "",
        )

    def _probabilities(self, row: "_Row") -> dict[str, Any]:
        """Return the probabilities in a row, by their columns, such as `probability:MET`; empty cells are left out."""
        return {name: row.raw[name] for name in self.probability_columns if row.raw.get(name) not in (None, "")}

    def _decided(self, row: "_Row", levels: Mapping[str, Rated], reason: str | None = None) -> dict[str, Rated]:
        """Return the answer with the probabilities that a row gives, by criterion; {} for a row without probabilities.

        The row's probabilities are all on one criterion. If they can't be read, they are counted as lost.

        Args:
            row: The row.
            levels: The row's levels by criterion; the answer gets the level on its criterion.
            reason: The row's reason for the answer; None without one.
        """
        written = self._probabilities(row)
        if not written:
            return {}
        named = row.text(self._free(("criterion",)))
        criterion = self.reading.criterion(named) if named else self.reading.only
        if criterion is None:
            self.reading.lose("probabilities of no known criterion: a column `criterion` would name it")
            return {}
        choices = criterion.scale.choices
        of_levels = {name.partition(":")[2] or choices[-1]: number(p) for name, p in written.items()}
        if len(choices) == 2 and len(of_levels) == 1:
            ((choice, p),) = of_levels.items()
            rest = choices[0] if criterion.scale.named(choice) is criterion.scale.levels[1] else choices[1]
            of_levels[rest] = None if p is None else 1 - p
        rated = levels.get(criterion.name)
        entry = {"probabilities": of_levels, "reason": reason, "level": None if rated is None else rated.level}
        try:
            return dict(self._reader.rating({"id": "row", "criteria": {criterion.name: entry}}).criteria)
        except ValueError as fault:
            self.reading.lose(f"probabilities that can't be read: {fault}")
            return {}

    def _skipped(self, row: "_Row", levels: Mapping[str, Rated]) -> dict[str, Rated]:
        """Map each criterion that a row leaves out for a stated reason to an abstention; {} if it states no reason.

        Args:
            row: The row, which may be about a single criterion.
            levels: The levels that the row gives, by criterion.
        """
        why = row.text(self._free(SKIPPED))
        named = row.text(self._free(("criterion",)))
        named_criterion = self.reading.criterion(named) if named else None
        open_ones = [named_criterion] if named_criterion else [c for c in self.reading.rubric.criteria if not named]
        return (
            {c.name: Rated(None, why, declined="abstained") for c in open_ones if c.name not in levels} if why else {}
        )

    def _entries(self, row: "_Row") -> Iterator[tuple[str, Any]]:
        yield from mapping(row.value(("criteria",))).items()
        yield from ((name, raw) for name, raw in row.raw.items() if self.reading.criterion(name) is not None)
        level = row.value(self._free(("level",)))
        named = row.text(self._free(("criterion",)))
        if level is not None and named is not None:
            yield named, level
        elif level is not None and self.reading.only is not None:
            yield self.reading.only.name, level

    def _rated(self, criterion: Criterion, raw: Any, reason: str) -> Rated | None:
        """Read an answer to a criterion; None if the cell has no level.

        Args:
            criterion: The criterion.
            raw: The cell: a level, or an object with `level` and perhaps `reason`, or with a key for an abstention.
            reason: The reason for an answer whose cell states none.
        """
        if not isinstance(raw, Mapping):
            return self.reading.level(criterion, raw, reason=reason)
        for key, declined in DECLINED_KEYS.items():
            if key in raw:
                return Rated(None, str(raw[key] or ""), declined=declined)
        if raw.get("level") is None:
            return None
        rated = self.reading.level(criterion, raw["level"], reason=str(raw.get("reason") or reason))
        texts = {key: raw[key] for key in ("under", "quote") if raw.get(key) and isinstance(raw[key], str)}
        return None if rated is None else replace(rated, **texts)

    def _who(self, row: "_Row", kind_of_column: Kind | None) -> "_Who":
        """Return a row's rater and the rater's kind, as the row states them or else the user.

        Args:
            row: The row.
            kind_of_column: The kind that the column of the rating implies, used if nobody names one; None if it implies
                none, and then the rater is counted as of unknown kind and treated as a person.
        """
        columns = self.reading.columns
        rater = row.text(self._free(RATER)) or columns.rater
        kind_name = row.text(self._free(("kind",)))
        if kind_name is not None and kind_name not in KINDS:
            self.reading.lose(f"kind {shown(kind_name)}, which isn't one of {', '.join(KINDS)}")
        stated: Kind | None = next((kind for kind in get_args(Kind) if kind == kind_name), None)
        kind: Kind | None = "model" if rater in columns.judges else stated or columns.kind or kind_of_column
        if kind is None:
            self.unknown_kind[rater or ""] += 1
        return rater or kind or "", kind or "human"

    def _score(self, row: "_Row") -> float | None:
        value = row.value(self._free(OVERALL))
        score = number(value)
        if value is not None and (score is None or not 0 <= score <= 1):
            self.reading.lose("overall scores that are not from 0 to 1")
            return None
        return score

    def _decision(self, row: "_Row") -> bool | None:
        value = row.value(self._free(DECISION))
        decision = None if value is None else self.reading.decision(value)
        if value is not None and decision is None:
            self.reading.lose(f"pass {shown(value)}, which is neither yes nor no")
        return decision

    def _put(self, rating: Rating, unit: str, run: str) -> None:
        """Store a rating that was read from a row of the table.

        Answers of a rater in the same run to other criteria of the example are merged into one rating; a second answer
        to a criterion in the same run counts as lost. Ratings of another run are stored as another sample.

        Args:
            rating: The rating.
            unit: Id of the example.
            run: Name of the run; "" without one.
        """
        key = (unit, rating.rater, run)
        before = self.ratings.get(key)
        if before is None:
            sample = self.runs.setdefault(key[:2], 0)
            self.runs[key[:2]] += 1
            self.ratings[key] = replace(rating, sample=sample) if sample != rating.sample else rating
        elif before.criteria.keys() & rating.criteria.keys() or (
            before.passed is not None and rating.passed is not None
        ):
            self.reading.lose("second ratings of an example by the same rater; a column `run` would tell them apart")
        else:
            self.ratings[key] = replace(
                before,
                criteria={**before.criteria, **rating.criteria},
                overall=before.overall if before.overall is not None else rating.overall,
                passed=before.passed if before.passed is not None else rating.passed,
                blind=before.blind and rating.blind,
                note=before.note or rating.note,
                confidence=before.confidence or rating.confidence,
                seconds=rating.seconds if before.seconds is None else before.seconds,
            )


def _id_column(names: Sequence[str]) -> str:
    """Return the name of the column of ids, if exactly one column is named like one; else "".

    It is also "" if another column is named like one of responses.

    Args:
        names: Names of the table's columns.
    """
    by_name = [plain(name) for name in names]
    has_response = not set(by_name).isdisjoint(RESPONSE_NAMES)
    of_ids = [name for name, of_name in zip(names, by_name, strict=True) if of_name in ID]
    return of_ids[0] if len(of_ids) == 1 and not has_response else ""


_Who: TypeAlias = tuple[str, Kind]


class _Row:
    """A table's row whose cells are found by column name, whatever the name's case and separators."""

    def __init__(self, raw: Mapping[str, Any]) -> None:
        self.raw = {str(name): value for name, value in raw.items()}
        self.by_name = {plain(str(name)): value for name, value in raw.items()}

    def first(self, names: Sequence[str]) -> str | None:
        """Return the name of the first of the given columns that has a value in the row; None if none has."""
        return next((name for name in names if self.by_name.get(name) not in (None, "")), None) if names else None

    def value(self, names: Sequence[str]) -> Any:
        """Return the row's value in the first of the named columns in which it has one; None if it has none in any."""
        name = self.first(names)
        return None if name is None else self.by_name[name]

    def text(self, names: Sequence[str]) -> str | None:
        """Return the row's value in the first of these columns that has one, as text; None if none of them has."""
        value = self.value(names)
        return None if value is None else as_text(value).strip()

    def content(self, names: Sequence[str], folder: Path) -> str | None:
        """Return the response or input in the first of the given columns that has a value; None if none has.

        If the cell names a file, the file's content is returned.
        """
        value = self.value(names)
        text = None if value is None else text_in_file(in_cell(value), folder=folder)
        return text if text is None or isinstance(text, PartedText) else text.strip()

    @property
    def unread(self) -> list[str]:
        """Names of the row's columns that aren't read as any field."""
        return [name for name in self.raw if plain(name) not in _COLUMNS_READ]


_COLUMNS_READ = frozenset(
    [*ID, *RESPONSE_NAMES, *(name for names in INPUTS.values() for name in names), *VERDICT, *LABEL_NAMES, *RATER,
     *SAMPLE, *REASON, *OVERALL, *DECISION, *DAY_COLUMNS, *NOTE, *CONFIDENCE, *SECONDS, *BLIND, *SKIPPED, *OTHERS]
)  # fmt: skip
