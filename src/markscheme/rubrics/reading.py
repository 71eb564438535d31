"""Reading of YAML, JSON or plain data as a rubric, in every supported dialect; all faults are reported together."""

import re
import unicodedata
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from pathlib import Path
from typing import IO, Any, Final, TypeVar

from markscheme.errors import Fault, RubricError, RubricWarning, UsageError
from markscheme.json_text import parse_json
from markscheme.plain_data import Form, Place, elements, form_of, line_at, plain_data, read_text, shown
from markscheme.rubrics.criterion import YES_NO, Criterion, Level, Scale
from markscheme.rubrics.format import CRITERION, RUBRIC, Keys, Problems, as_shown
from markscheme.rubrics.keys import OF_KEY
from markscheme.rubrics.preference import LEVEL_OF, preference_scale
from markscheme.rubrics.shape_hints import NOTHING_SAID, ShapeOptions
from markscheme.rubrics.shapes import RUBRIC_SHAPES, PublishedRubric

MAX_RUBRIC_BYTES = 1 << 20
"""Largest size of a rubric's file in bytes: rubrics are written by hand, and the largest known ones have less than a
tenth of this."""
MISSPELT = 3
"""Largest number of unknown keys in a file that may be a rubric with misspelt keys; with more, and fewer known keys, it
isn't one."""
MAX_STEPS = 101
"""Largest number of levels of a scale given by its ends."""

_Value = TypeVar("_Value")
_Rubric = TypeVar("_Rubric")
CriterionValues = Mapping[str, Any]
"""Values of a mapping in a file, by canonical key names and with defaults for missing keys."""


# --- texts and files ------------------------------------------------------------------------------------------------


_OTHER_FORMS: Final = (".md", ".txt", ".csv", ".tsv", ".xlsx", ".ods", ".docx", ".pdf", ".html")
"""Endings of files in which people keep rubrics that aren't read."""
RUBRIC_MAKERS: Final = "Rubric.from_dict reads a dict or list, Rubric.from_yaml a text, load_rubric a file"
"""End of the error about a value that isn't a rubric: what makes one of it."""
_WRITE_IT: Final = "; a rubric is YAML or JSON: a list of criteria, each with `requirement` and `weight`"


def read_file(source: str | Path | IO[str]) -> "RubricReading":
    """Read a file as a rubric.

    Args:
        source: Path of a .yaml, .yml or .json file, or an open text file.

    Raises:
        RubricError: The file cannot be read.
        UsageError: `source` is neither a path nor a file.
    """
    if isinstance(source, str | Path):
        path = Path(source)
        try:
            return read_rubric_text(read_text(path, RubricError, most_bytes=MAX_RUBRIC_BYTES), form_of(path), path)
        except RubricError as error:
            if path.suffix.casefold() not in _OTHER_FORMS:
                raise
            raise RubricError(
                [replace(f, problem=f"{f.problem}{_WRITE_IT}") for f in error.faults], path=path
            ) from None
    if not hasattr(source, "read"):
        raise UsageError(
            f"a rubric is read from the path of its file or an open text file, got {shown(source)}; {RUBRIC_MAKERS}"
        )
    name = getattr(source, "name", None)
    named = Path(name) if isinstance(name, str) else None
    return read_rubric_text(source.read(), form_of(named), named)


def read_rubric_text(text: str, form: Form, path: Path | None = None) -> "RubricReading":
    """Read a YAML or JSON text as a rubric.

    Args:
        text: The text.
        form: The format of the text, "yaml" or "json".
        path: The file that the text came from, for messages; None if there is none.

    Raises:
        UsageError: `text` isn't a text.
        RubricError: The text can't be read as a rubric; the error has line numbers.
    """
    if not isinstance(text, str):
        raise UsageError(f"a rubric's text is a str, got {shown(text)}; {RUBRIC_MAKERS}")
    if len(text.encode("utf-8", "replace")) > MAX_RUBRIC_BYTES:
        raise RubricError(f"has more than {MAX_RUBRIC_BYTES:,} bytes", path=path)
    data, lines = plain_data(text, form, RubricError, path=path)
    if data is None:
        raise RubricError("is empty; a rubric needs at least `criteria:`", path=path, line=1)
    return RubricReading(data, lines, path)


def published_rubric(data: Any, options: ShapeOptions = NOTHING_SAID) -> PublishedRubric | None:
    """Read plain data as a rubric in the format of another tool or data set; None for markscheme's own format.

    Raises:
        RubricError: The data are such a rubric, but can't be read whole; the message says which option helps.
    """
    if _is_plain(data) and options == NOTHING_SAID:
        return None
    published = (shape.read(data, options) for shape in RUBRIC_SHAPES)
    return next((rubric for rubric in published if rubric is not None), None)


def _is_plain(data: Any) -> bool:
    """Return True if data have only keys of markscheme's own format, so that no reader of other formats is needed.

    >>> _is_plain({"criteria": [{"requirement": "A"}]}), _is_plain([{"criterion": "A"}])
    (True, False)
    """
    while isinstance(data, Mapping) and "rubric" in data:
        if not data.keys() <= _TOP_KEYS:
            return False
        data = data["rubric"]
    if isinstance(data, Mapping):
        if not data.keys() <= _TOP_KEYS:
            return False
        data = data.get("sections", data.get("criteria"))
    return isinstance(data, list) and all(map(_is_plain_criterion, data))


def _is_plain_criterion(raw: Any) -> bool:
    if isinstance(raw, Mapping) and isinstance(raw.get("criteria"), list):
        return all(map(_is_plain_criterion, raw["criteria"]))
    return isinstance(raw, Mapping) and raw.keys() <= CRITERION.keys.keys()


_TOP_KEYS = {*RUBRIC.keys, *RUBRIC.foreign, "passingThreshold"}


def may_be_rubric(data: Any) -> bool:
    """Return True if plain data seem to be a rubric, even a faulty one, and not another kind of file.

    >>> may_be_rubric({"criterias": 3}), may_be_rubric([{"requirement": "A"}]), may_be_rubric(dict.fromkeys("abcde"))
    (True, True, False)
    """
    return _is_native_rubric(data) or _is_published(data)


def _is_published(data: Any) -> bool:
    return any(shape.shows(data) for shape in RUBRIC_SHAPES)


def _is_native_rubric(data: Any) -> bool:
    if isinstance(data, list):
        return not data or any(_is_meant_as(CRITERION, raw) for raw in data)
    holds_criteria = isinstance(data, Mapping) and not data.keys().isdisjoint(("rubric", "criteria", "sections"))
    return holds_criteria or _is_meant_as(RUBRIC, data)


_YAML = re.compile(r"(?:---|%YAML|- |(?:[\"'][\w .-]+[\"']\s*|[\w .-]+):(?:\s|$))")
_HEAD = 65_536
"""Number of bytes that are read to see whether a file is a rubric."""


def _head(path: Path) -> str:
    """Return the beginning of a file's text; "" if the file can't be read."""
    try:
        with path.open("rb") as file:
            return file.read(_HEAD).decode("utf-8-sig", "replace")
    except OSError:
        return ""


def _first_line(text: str) -> str:
    written = (line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#"))
    return next(written, "").strip()


def shows_yaml(path: Path) -> bool:
    """Return True if the first line of a file looks like YAML, whatever the file's name; False for tables and JSON."""
    text = _head(path)
    first = _first_line(text)
    return "\0" not in text and not first.startswith(("{", "[")) and _YAML.match(first) is not None


def shows_rubric(path: Path) -> bool:
    """Return True if a file, whatever its name, contains a rubric: YAML, or JSON with criteria.

    Raises:
        RubricError: The file is JSON that can't be read whole.
    """
    text = _head(path)
    if not _first_line(text).startswith(("{", "[")):
        return shows_yaml(path)
    return any(f'"{key}"' in text for key in _KEYS_OF_RUBRICS) and _holds_criteria(path)


_RESULTS_IN_YAML = re.compile(r"^evalId:", re.M)
"""Pattern of a key of Promptfoo's results, which need not be first in files that a program has sorted."""


def may_be_results(path: Path) -> bool:
    """Return True if a YAML file has a key of Promptfoo's results, which no rubric has, near its beginning."""
    return shows_yaml(path) and _RESULTS_IN_YAML.search(_head(path)) is not None


_KEYS_OF_RUBRICS = (
    "criteria", "sections", "rubric", "requirement", "criterion", "criterion_description", "rubrics", "rubricContent",
    "dimensions", "axes", "sub_tasks", "title",
)  # fmt: skip
"""Keys of which each rubric in JSON has at least one, in any format, so that tables needn't be parsed."""


def _holds_criteria(path: Path) -> bool:
    try:
        data = parse_json(read_text(path, RubricError))
    except (ValueError, RubricError):
        return False
    if isinstance(data, Mapping) and ("response" in data or "output" in data):  # a row that brings a rubric
        return False
    if isinstance(data, list):
        is_own = bool(data) and all(isinstance(raw, Mapping) and "requirement" in raw for raw in data)
    else:
        is_own = isinstance(data, Mapping) and any(
            isinstance(data.get(key), list | Mapping) for key in ("criteria", "sections", "rubric")
        )
    return is_own or _is_published(data)


def _is_meant_as(keys: Keys, data: Any) -> bool:
    """Return True if data are probably a mapping with the given keys, even if some of its keys are misspelt.

    It is True if at most `MISSPELT` keys are unknown, or no more keys than are known. It is also True if data are no
    mapping.
    """
    if not isinstance(data, Mapping):
        return True
    keys_known = data.keys() & {*keys.keys, *keys.foreign}
    return len(data) - len(keys_known) <= max(len(keys_known), MISSPELT)


def places_of(data: Any) -> tuple[Place, list[Place]]:
    """Return where the rubric is in plain data, as a path of keys, and where each of its criteria is.

    >>> places_of({"rubric": {"criteria": [{"requirement": "A"}, {"requirement": "B"}]}})
    (('rubric',), [('rubric', 'criteria', 0), ('rubric', 'criteria', 1)])

    Raises:
        RubricError: The data are a rubric in another format, whose keys are not markscheme's.
    """
    if published_rubric(data) is not None:
        raise RubricError("is in another shape than markscheme's; convert it: markscheme import FILE --to NAME.yaml")
    _, top, criteria = RubricReading(data)._canonical()
    return top, criteria


# --- plain data to Rubric -------------------------------------------------------------------------------------------


@dataclass
class RubricReading:
    """State while a rubric is read from plain data: the faults so far, and where each value is in the data."""

    data: Any
    lines: Mapping[Place, int] = field(default_factory=dict)
    path: Path | None = None

    def __post_init__(self) -> None:
        self.faults: list[Fault] = []
        self.sections: list[tuple[Place, str]] = []
        self.notes: tuple[str, ...] = ()
        self.states_pass_mark = False

    def rubric(self, make: Callable[..., _Rubric]) -> _Rubric:
        """Make the rubric that the data describe; raise all faults together.

        Args:
            make: Function that makes a rubric from its attributes by name, and raises RubricError for attributes that a
                rubric can't have.

        Raises:
            RubricError: The data are faulty; the message has all faults, each with its line.
        """
        top, self.top_path, self.criterion_paths = self._canonical()
        self.states_pass_mark = not top.keys().isdisjoint(("passingThreshold", "pass_mark"))
        problems: Problems = []
        values = RUBRIC.read(top, (), problems)
        for path, problem in problems:
            self._fault(problem, self._source(path))
        self.entries = elements(top.get("criteria"))
        entries = [_readable(raw) for raw in self.entries]
        criteria = [self._criterion(*entry, index) for index, entry in enumerate(entries)]
        if any(path[0] in ("inputs", "optional_inputs") for path, _ in problems):
            criteria = [replace(criterion, sees=None) for criterion in criteria]
        rubric = self._built(make, values, criteria)
        if rubric is None:
            faults = sorted(dict.fromkeys(self.faults), key=lambda fault: fault.line or 0)
            raise RubricError(faults, path=self.path)
        self._warn(top, [of_criterion for of_criterion, _ in entries])
        return rubric

    # every dialect is reduced to {…, criteria: [...]}

    def _published(self) -> PublishedRubric | None:
        try:
            published = published_rubric(self.data)
        except RubricError as error:
            option = "`markscheme import FILE --to rubrics/NAME.yaml` takes such options, and converts it"
            has_option = any("option" in dict(fault.about) for fault in error.faults)
            problems = [f"{fault.problem}" for fault in error.faults]
            raise RubricError(f"{'; '.join(problems)}{f' ({option})' if has_option else ''}", path=self.path) from None
        self.notes = () if published is None else published.notes
        return published

    def _canonical(self) -> tuple[dict[str, Any], Place, list[Place]]:
        data = self.data
        published = self._published()
        if published is not None:
            return dict(published.data), (), [*published.criteria_at]
        if not _is_native_rubric(data):
            raise RubricError("isn't a rubric: it has no `criteria`, and most of its keys are unknown", path=self.path)
        path = Place()
        top: dict[str, Any] = {}
        while isinstance(data, Mapping) and "rubric" in data:
            top |= {key: value for key, value in data.items() if key != "rubric"}
            self._refuse_said_twice(top, data["rubric"], path)
            data = data["rubric"]
            path = (*path, "rubric")
        if isinstance(data, Mapping):
            top |= data
        elif isinstance(data, list):
            top["criteria"] = data
        else:
            raise RubricError(
                f"a rubric is a mapping or a list of criteria, found {as_shown(data)}", path=self.path, line=1
            )
        criteria_at = path if isinstance(data, list) else (*path, "criteria")
        if "sections" in top:
            if "criteria" in top:
                raise RubricError("has both `criteria` and `sections`; one of them holds the criteria", path=self.path)
            criteria_at = (*path, "sections")
            top["criteria"] = top.pop("sections")
        flattened = list(self._flattened(top.get("criteria"), criteria_at))
        if isinstance(top.get("criteria"), list):
            top["criteria"] = [criterion for _, criterion in flattened]
        return top, path, [where for where, _ in flattened]

    def _refuse_said_twice(self, outer: Mapping[str, Any], inner: Any, path: Place) -> None:
        """Add a fault for keys given both next to `rubric` and inside it, since one would be ignored.

        Args:
            outer: The mapping that has the key `rubric`.
            inner: The value of the key `rubric`: a mapping, or a list of criteria.
            path: Path of `outer` in the file.
        """
        keys = set(inner) if isinstance(inner, Mapping) else {"criteria"}
        for key in sorted(outer.keys() & keys, key=str):
            self._fault(f"{key} is given next to `rubric` and in it as well; give it once", (*path, key))

    def _flattened(self, entries: Any, path: Place) -> Iterator[tuple[Place, Any]]:
        if not isinstance(entries, list):
            return
        for index, raw in enumerate(entries):
            where = (*path, index)
            if isinstance(raw, Mapping) and isinstance(raw.get("criteria"), list):
                for key in raw.keys() - {"criteria", "name", "title", "description"}:
                    self._fault(f"a section has no key {key!r}; put it with the criteria", (*where, key))
                unused = [key for key in ("name", "title", "description") if raw.get(key)]
                if unused:
                    self.sections.append(((*where, unused[0]), " and ".join(unused)))
                yield from self._flattened(raw["criteria"], (*where, "criteria"))
            else:
                yield where, raw

    def _criterion(self, values: CriterionValues, unread: frozenset[str], index: int) -> Criterion:
        """Make a criterion; placeholders replace faulty values, so that all faults are found in one reading.

        Args:
            values: The values of the criterion's keys.
            unread: The criterion's keys that couldn't be read.
            index: Index of the criterion.
        """
        scale = self._or_fault(_scale, values, unread, index)
        return Criterion(
            weight=values["weight"],
            requirement=self._or_fault(_words, values, unread, index) or "stands in",
            name=self._name(index),
            scale=scale or YES_NO,
            good=(values["examples"] or {}).get("good"),
            bad=(values["examples"] or {}).get("bad"),
            sees=tuple(values["sees"]) if values["sees"] is not None else None,
            required=values["required"],
            threshold=values["threshold"],
            not_applicable=values["not_applicable"] or any(option["na"] for option in values["options"] or ()),
            check=values["check"][0] if values["check"] else None,
            check_value=values["check"][1] if values["check"] else "",
            passing=tuple(values["passes"] or ()) if scale and not unread else (),
            preserves=tuple(values["preserves"] or ()),
            steps=tuple(values["steps"] or ()),
            tags=tuple(values["tags"] or ()),
        )

    def _or_fault(
        self, part: Callable[[CriterionValues], _Value], values: CriterionValues, unread: frozenset[str], index: int
    ) -> _Value | None:
        """Make a part of a criterion, such as its scale; if its keys are faulty, add a fault and return None.

        Args:
            part: Function that makes the value.
            values: The values of the criterion's keys.
            unread: The criterion's keys that couldn't be read, each with a fault of its own. If one of them may be the
                reason why a value is missing, no further fault is added.
            index: Index of the criterion.
        """
        try:
            return part(values)
        except _KeyedFault as fault:
            may_say_it = (key in fault.unless_said_by or key not in CRITERION.keys for key in unread)
            if not fault.unless_said_by or not any(may_say_it):
                self._fault(str(fault), (*self.criterion_paths[index], fault.key))
            return None

    def _name(self, index: int) -> str:
        values = self.entries[index]
        name = values.get("name") if isinstance(values, Mapping) else None
        return name if isinstance(name, str) and name.strip() else f"c{index + 1}"

    def _built(
        self, make: Callable[..., _Rubric], values: CriterionValues, criteria: list[Criterion]
    ) -> _Rubric | None:
        """Make the rubric from its keys' values; if it is invalid, record the faults and return None."""
        if not criteria:
            return None
        self._refuse_same_words([criterion.name for criterion in criteria])
        try:
            rubric = make(
                criteria=tuple(criteria),
                name=values["name"] or (self.path.stem if self.path else "rubric"),
                description=values["description"] or "",
                pass_mark=float(values["pass_mark"]),
                inputs=tuple(values["inputs"]) if values["inputs"] is not None else None,
                optional_inputs=tuple(values["optional_inputs"] or ()),
                guidelines=values["guidelines"] or "",
                strategy=values["strategy"],
                samples=values["samples"],
                criteria_per_call=values["criteria_per_call"],
                judge={key: value for key, value in (values["judge"] or {}).items() if value is not None},
                tolerance=values["tolerance"],
                target=values["target"],
                max_false_pass=values["max_false_pass"],
                max_false_fail=values["max_false_fail"],
                trend_on=values["trend_on"],
                max_false_credit=values["max_false_credit"],
                max_missed_credit=values["max_missed_credit"],
                rows=values["rows"],
                core_share=values["core_share"],
                ask_within=values["ask_within"],
                compares=values["compare"],
                tie_within=values["tie_within"],
                source=self.path,
            )
        except RubricError as error:
            self.faults += [replace(fault, line=self._line_of(fault.about)) for fault in error.faults]
            return None
        return None if self.faults else rubric

    def _refuse_same_words(self, names: Sequence[str]) -> None:
        """Add a fault for each criterion whose name differs from another's only in case or Unicode form."""
        for index, earlier, name in _same_but_for_case(names):
            path = self.criterion_paths[index] if len(names) == len(self.criterion_paths) else ()
            self._fault(f"criteria {earlier!r} and {name!r} differ in case alone; rename one", (*path, "name"))

    def _line_of(self, about: Sequence[tuple[str, str]]) -> int | None:
        """Return the line to report for a fault that concerns several keys or criteria; None if lines are unknown.

        It is the line of the first key or criterion concerned that is in the file, else of the rubric.

        Args:
            about: What the fault concerns: each a pair of `OF_KEY` and a key of the rubric, or of a criterion's key and
                the criterion's name.
        """
        for kind, name in about:
            if kind == OF_KEY and (*self.top_path, name) in self.lines:
                return self.lines[*self.top_path, name]
            for index, path in reversed(list(enumerate(self.criterion_paths))):
                if kind != OF_KEY and name == self._name(index):
                    return line_at(self.lines, (*path, kind))
        return line_at(self.lines, self.top_path)

    def _warn(self, top: Mapping[str, Any], criteria: Sequence[CriterionValues]) -> None:
        for note in self.notes:
            self._warning(note, ())
        name = top.get("name")
        if self.path is not None and name is not None and name != self.path.stem:
            self._warning(f"is named {name!r} but is in {self.path.name!r}: it is found by the file's name", ("name",))
        for path, unused in self.sections:
            self._warning(f"a section's {unused} is not shown to the judge; put it with the criteria", path)
        for index, values in enumerate(criteria):
            if values["aggregation"] is not None:
                path = (*self.criterion_paths[index], "aggregation")
                self._warning("`aggregation` is not used here: several verdicts are combined by their median", path)

    def _warning(self, problem: str, path: Place) -> None:
        warnings.warn(
            str(RubricError(problem, path=self.path, line=line_at(self.lines, path))), RubricWarning, stacklevel=2
        )

    # places

    def _fault(self, problem: str, path: Place) -> None:
        line = line_at(self.lines, path)
        self.faults.append(Fault(problem if line is not None else f"{_spelled(path)}{problem}", line))

    def _source(self, path: Place) -> Place:
        """Return a value's path in the file, given its path in markscheme's own form of the rubric."""
        if path[:1] == ("criteria",) and len(path) > 1 and isinstance(path[1], int):
            return (*self.criterion_paths[path[1]], *path[2:])
        return (*self.top_path, *path)

    def line_of(self, path: Place) -> int:
        """Return the line of the value at a path, or of the mapping or list around it; 1 if neither line is known."""
        return line_at(self.lines, path) or 1


class _KeyedFault(Exception):  # noqa: N818
    """Exception for a fault in the value of one of a criterion's keys.

    Attributes:
        key: Name of the key.
        unless_said_by: Names of other keys of the criterion from which the value may follow. If one of these keys can't
            be read, that is the fault to report, and this one isn't reported.
    """

    def __init__(self, key: str, problem: str, *, unless_said_by: tuple[str, ...] = ()) -> None:
        super().__init__(problem)
        self.key = key
        self.unless_said_by = unless_said_by


def _readable(raw: Any) -> tuple[CriterionValues, frozenset[str]]:
    """Read the keys of a criterion; return the valid values by key, and the names of the keys with invalid values."""
    problems: Problems = []
    if not isinstance(raw, Mapping):
        return CRITERION.read({}, (), problems), frozenset({"all"})
    values = CRITERION.read(raw, (), problems)
    return values, frozenset(str(path[0]) for path, _ in problems)


def _words(values: CriterionValues) -> str:
    if values["description"] is not None and values["requirement"] is not None:
        raise _KeyedFault("requirement", "`requirement` and `description` are the same key; give one of them")
    if values["prefer"] is not None and (values["description"] or values["requirement"]) is not None:
        raise _KeyedFault("prefer", "`prefer` says in words what is judged of a pair; leave out the other")
    text: str | None = values["prefer"] or values["description"] or values["requirement"]
    if text is None:
        problem = "a criterion says in words what is judged: `description` (or `requirement`) is missing"
        raise _KeyedFault("name", problem, unless_said_by=("description", "requirement", "prefer"))
    return text


def _scale(values: CriterionValues) -> Scale:
    """Make the scale of a criterion from the keys that define one; refuse contradictory keys."""
    if values["prefer"] is not None:
        return _of_preference(values)
    ends = _ends(values)
    is_defined = {
        "scale": ends is not None,
        "binary": values["scale"] == "binary" or bool(values["binary"]),
        "options": values["options"] is not None,
        "levels": values["levels"] is not None,
    }
    keys = [key for key, is_said in is_defined.items() if is_said]
    if len(keys) > 1 and keys != ["scale", "levels"]:
        raise _KeyedFault(keys[-1], f"the scale is given more than once: {', '.join(keys)}; give one")
    ordered = values["scale_type"] != "nominal"
    try:
        if is_defined["options"]:
            return _from_options(values["options"], ordered=ordered)
        if is_defined["levels"]:
            return _anchored(values["levels"], ends, ordered=ordered)
    except RubricError as error:
        raise _KeyedFault(keys[-1], str(error)) from error
    if ends is not None:
        return replace(Scale.numbered(*ends), ordered=ordered)
    if values["binary"] is False and values["requirement"] is not None:
        problem = "a `requirement` is yes/no where nothing else is said; give `scale` or `levels`"
        raise _KeyedFault("binary", problem, unless_said_by=("scale", "scale_min", "scale_max", "levels", "options"))
    if is_defined["binary"] or values["check"] is not None or values["requirement"] is not None:
        return YES_NO
    return Scale.numbered(1, 5)


def _same_but_for_case(names: Sequence[str]) -> Iterator[tuple[int, str, str]]:
    """Yield index, earlier name and name for each name that equals an earlier one but for case or Unicode form."""
    first: dict[str, str] = {}
    for index, name in enumerate(names):
        earlier = first.setdefault(unicodedata.normalize("NFKC", name).casefold(), name)
        if earlier != name:
            yield index, earlier, name


def _of_preference(values: CriterionValues) -> Scale:
    """Make a preference scale (first, tie, second) with the descriptions that a criterion's `levels` give."""
    others = [key for key in ("scale", "scale_min", "scale_max", "binary", "options") if values[key] is not None]
    if others:
        raise _KeyedFault(others[0], f"`prefer` has the levels first, tie and second; leave out {others[0]}")
    _refuse_without_values(values["levels"] or ())
    words = {}
    names = {value: name for name, value in LEVEL_OF.items() if values["ties"] or name != "tie"}
    for level in values["levels"] or ():
        if level["value"] not in names or level["label"] not in (None, names[level["value"]]):
            listed = ", ".join(f"{value:g} ({name})" for value, name in names.items())
            raise _KeyedFault("levels", f"levels of a preference are {listed}; found {level['value']:g}")
        if level["description"] is not None:
            words[names[level["value"]]] = level["description"]
    return preference_scale(ties=values["ties"], words=words)


def _ends(values: CriterionValues) -> tuple[int, int] | None:
    low = values["scale_min"]
    high = values["scale_max"]
    key = "scale_min" if low is not None else "scale_max"
    if isinstance(values["scale"], Mapping):
        if low is not None or high is not None:
            raise _KeyedFault("scale", "the scale is given twice: as `scale` and as `scale_min`/`scale_max`")
        key = "scale"
        low = values["scale"]["min"]
        high = values["scale"]["max"]
    if low is None and high is None:
        return None
    low, high = 1 if low is None else low, 5 if high is None else high
    if low >= high:
        raise _KeyedFault(key, f"a scale runs from a lower to a higher number: found min {low}, max {high}")
    if high - low >= MAX_STEPS:
        raise _KeyedFault(key, f"a scale has at most {MAX_STEPS} levels, found {high - low + 1:,}")
    return low, high


def _anchored(entries: list[CriterionValues], ends: tuple[int, int] | None, *, ordered: bool) -> Scale:
    """Make a scale from listed levels; if its ends are given, add the other whole numbers from end to end.

    Args:
        entries: The values of each listed level.
        ends: Lowest and highest level of the scale; None if only the listed levels are on it.
        ordered: True if the levels have an order, False if they are categories.

    Raises:
        RubricError: A level is listed twice, or lies outside the ends.
    """
    coded = not ordered and ends is None and all(raw["value"] is None and raw["label"] for raw in entries)
    if coded:
        values = Scale.of_categories([raw["label"] for raw in entries]).values
        entries = [{**raw, "value": value} for raw, value in zip(entries, values, strict=True)]
    _refuse_without_values(entries)
    levels = [Level(raw["value"], raw["label"], raw["description"], raw["example"]) for raw in entries]
    if ends is None:
        return Scale(tuple(levels), ordered=ordered, by_label=coded, coded=coded)
    outside = [level.value for level in levels if not ends[0] <= level.value <= ends[1]]
    if outside:
        raise RubricError(f"level {outside[0]:g} is outside the scale {ends[0]} to {ends[1]}")
    anchored = {level.value: level for level in levels}
    if len(anchored) < len(levels):
        raise RubricError("a level is given twice")
    plain = {level.value: level for level in Scale.numbered(*ends).levels}
    return Scale(tuple((plain | anchored)[value] for value in sorted(plain | anchored)), ordered=ordered)


def _refuse_without_values(levels: Sequence[CriterionValues]) -> None:
    without = [str(position) for position, level in enumerate(levels, start=1) if level["value"] is None]
    if without:
        raise _KeyedFault("levels", f"`value` is missing in level {', '.join(without)}; only categories may have none")


def _from_options(entries: list[CriterionValues], *, ordered: bool) -> Scale:
    worth = [option for option in entries if not option["na"]]
    if not ordered and worth and all(option["value"] is None for option in worth):
        return Scale.of_categories([option["label"] for option in worth])
    if any(option["value"] is None for option in worth):
        raise RubricError("each option that applies has a value")
    levels = sorted((Level(option["value"], option["label"]) for option in worth), key=attrgetter("value"))
    return Scale(tuple(levels), ordered=ordered, by_label=all(0 <= level.value <= 1 for level in levels))


def _spelled(path: Place) -> str:
    """Write a path in data as a prefix for a message that can't name a line, such as "criteria[2].weight: "."""
    spelled = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).lstrip(".")
    return f"{spelled}: " if spelled else ""
