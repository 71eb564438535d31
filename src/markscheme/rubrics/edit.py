"""Editing of numbers and wording in a rubric's file, while comments, order and quoting stay as they are."""

import json
import re
import textwrap
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from markscheme.errors import RubricError, RubricWarning, writing
from markscheme.files import write_whole
from markscheme.json_text import safe_json
from markscheme.plain_data import Form, Place, form_of, plain_data
from markscheme.rubrics.file import rubric_from_text
from markscheme.rubrics.gray_zone import GrayZone
from markscheme.rubrics.reading import places_of
from markscheme.rubrics.rubric import Rubric
from markscheme.rubrics.wording import Field, with_words, words_of

if TYPE_CHECKING:
    from ruamel.yaml.nodes import MappingNode, Node, ScalarNode

_NUMBER = re.compile(r"(?<![-+.\w])[-+.\w]+\Z")
_PLAIN = re.compile(r"[A-Za-z](?!.*(: |:$| #|\n))(?!(?:yes|no|on|off|true|false|null|y|n)$)", re.IGNORECASE)
"""Pattern of text that certainly needs no quotes in YAML."""
FITTED = re.compile(r"^# fitted to (.+?)\r?\n", re.MULTILINE)
"""Pattern of the comment in a rubric's file that names the judge that its numbers were fitted to."""
_MARK_KEYS = ("passingThreshold", "pass_mark")
FAILS_WITH, NONE_FAILS = "an output fails with", "faults of one kind alone don't fail an output"
"""Beginnings of comments next to a drafted rubric's pass mark that say which faults fail an output; new numbers
remove such comments."""
_DERIVED = re.compile(
    rf"^(?:{'|'.join(_MARK_KEYS)}):[^#\r\n]*(?<![ \t\r\n])([ \t]*# (?:{FAILS_WITH}|{NONE_FAILS})[^\r\n]*)", re.MULTILINE
)
_LINE = 80
"""Smallest width of a line of folded text."""
_WORD_KEYS = ("description", "requirement")
_BESIDE = {
    "passingThreshold": ("name", "description"),
    "ask_within": (*_MARK_KEYS, "name", "description"),
    "weight": ("name", "requirement", "description"),
    "threshold": ("weight", "name", "requirement", "description"),
}
"""Keys after which a missing number is inserted, in order of preference, by the number's key."""


@dataclass(frozen=True)
class Changes:
    """Changes to a rubric's numbers and wording; all that isn't listed stays.

    Attributes:
        weights: New weights, by criterion.
        pass_mark: New pass mark; None to keep it.
        ask_within: New half-width of the gray zone, or one for passes and one for fails; None to keep it.
        words: New wording, by field.
        fitted_to: Name of the judge whose levels the weights and pass mark were fitted to; None if they fit people's.
            The file records it in a comment, which JSON can't hold.
    """

    weights: Mapping[str, float] = field(default_factory=dict)
    pass_mark: float | None = None
    ask_within: float | GrayZone | None = None
    words: Mapping[Field, str] = field(default_factory=dict)
    fitted_to: str | None = None

    def __bool__(self) -> bool:
        return self != Changes()

    def applied_to(self, rubric: Rubric) -> Rubric:
        """Return the rubric with the new numbers and wording.

        Example:
            >>> from markscheme import Rubric
            >>> rubric = Rubric.from_dict([{"weight": 2.0, "requirement": "A"}, {"weight": 1.0, "requirement": "B"}])
            >>> changed = Changes(weights={"c1": 1.5}, pass_mark=0.6).applied_to(rubric)
            >>> changed.criteria[0].weight, changed.criteria[1].weight, changed.pass_mark
            (1.5, 1.0, 0.6)
        """
        criteria = tuple(
            replace(criterion, weight=self.weights.get(criterion.name, criterion.weight))
            for criterion in with_words(rubric, self.words).criteria
        )
        return replace(
            with_words(rubric, self.words),
            criteria=criteria,
            pass_mark=rubric.pass_mark if self.pass_mark is None else self.pass_mark,
            ask_within=rubric.ask_within if self.ask_within is None else self.ask_within,
        )


class Edit(NamedTuple):
    """A planned edit of a rubric's file, with its text before and after.

    Attributes:
        path: The file.
        before: Text of the file.
        after: Text of the file with the changes.
    """

    path: Path
    before: str
    after: str

    @property
    def diff(self) -> str:
        """The lines of the rubric's file that change, as a unified diff; "" if none do."""
        lines = unified_diff(
            self.before.splitlines(keepends=True),
            self.after.splitlines(keepends=True),
            f"{self.path} (now)",
            f"{self.path} (proposed)",
        )
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)

    def write(self) -> None:
        """Write the edited text to the rubric's file, atomically.

        Raises:
            RubricError: The file changed in the meantime.
            UsageError: It cannot be written.
        """
        if text_to_edit(self.path) != self.before:
            raise RubricError("changed since it was read; run again", path=self.path)
        with writing(self.path):
            write_whole(self.path, self.after)


def edit(path: Path, changes: Changes) -> Edit:
    """Prepare an edit of numbers or wording in a rubric's file; nothing is written yet.

    Raises:
        RubricError: The file is faulty, has no place for a number, or shares a value between two places.
    """
    before = text_to_edit(path)
    return Edit(path, before, edited(before, form_of(path), changes, path=path))


def edited(text: str, form: Form, changes: Changes, *, path: Path | None = None) -> str:
    """Return a rubric's text with new numbers or wording, but unchanged comments, order, quoting and line ends.

    Args:
        text: The whole text of the rubric's file.
        form: Format of the text.
        changes: The new numbers and wording.
        path: The file that the text is from, for messages; None if it is from none.

    Raises:
        RubricError: The text is faulty, is a bare list that can't hold the pass mark or gray zone, or uses one value in
            two places by a YAML alias.

    Example:
        >>> text = "criteria:\\n- {requirement: polite, weight: 1.0}  # first\\n- {requirement: right, weight: 2}\\n"
        >>> print(edited(text, "yaml", Changes(weights={"c1": 1.5})), end="")
        criteria:
        - {requirement: polite, weight: 1.5}  # first
        - {requirement: right, weight: 2}
    """
    marker = "\ufeff" if text.startswith("\ufeff") else ""
    body = text.removeprefix(marker)
    rubric = rubric_to_edit(body, form)
    editing = _Editing(body, form, path)
    if changes.weights or changes.pass_mark is not None:
        editing.splices += [(*comment.span(1), "") for comment in _DERIVED.finditer(body)]
    names = [criterion.name for criterion in rubric.criteria]
    for name, weight in changes.weights.items():
        editing.set_weight(names.index(name), weight)
    for keys, number in ((_MARK_KEYS, changes.pass_mark), (("ask_within",), changes.ask_within)):
        if number is not None:
            editing.set_of_rubric(keys, number)
    for of_field, words in changes.words.items():
        editing.set_words(of_field, words_of(rubric)[of_field], words, rubric)
    after = editing.result()
    if form != "json" and (changes.weights or changes.pass_mark is not None):
        after = _with_judge(after, changes.fitted_to)
    if rubric_to_edit(after, form).fingerprint != changes.applied_to(rubric).fingerprint:
        raise RubricError(
            "a value is used in two places at once (an alias); write it out in each, then change it", path=path
        )
    return marker + after


def _with_judge(text: str, judge: str | None) -> str:
    """Return a rubric's text with its comment "fitted to JUDGE" added or replaced, or removed if JUDGE is None."""
    plain = FITTED.sub("", text)
    end_of_line = "\r\n" if "\r\n" in plain else "\n"
    return plain if judge is None else f"# fitted to {' '.join(judge.split())}{end_of_line}{plain}"


def rubric_to_edit(text: str, form: Form) -> Rubric:
    """Read the rubric in a text, ignoring warnings, which the user has already seen.

    Args:
        text: The text of a rubric's file.
        form: Format of the text: "yaml" or "json".
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RubricWarning)
        return rubric_from_text(text, form)


class _Editing:
    """Changes to a rubric's file that are collected first and then applied together."""

    def __init__(self, text: str, form: Form, path: Path | None) -> None:
        from ruamel.yaml import YAML

        self.text, self.path = text, path
        self.form = form
        # JSON allows tabs as white space, YAML doesn't; a space keeps every position
        self.root: Node = YAML().compose(text.replace("\t", " ") if form == "json" else text)
        data, _ = plain_data(text, form, RubricError, path=path)
        self.top, self.criteria = places_of(data)
        self.splices: list[tuple[int, int, str]] = []

    def result(self) -> str:
        text = self.text
        for start, end, new in sorted(self.splices, reverse=True):
            text = text[:start] + new + text[end:]
        return text

    def set_weight(self, index: int, value: float) -> None:
        self._set([self._node(self.criteria[index])], ("weight",), value)

    def set_of_rubric(self, keys: tuple[str, ...], value: float | GrayZone) -> None:
        """Set a key of the rubric in the file, such as the pass mark.

        It is set in the innermost mapping around the criteria that has the key already, else in the innermost of all.

        Args:
            keys: Names that the key may have in the file; the first is used if the file has none of them.
            value: The new value.

        Raises:
            RubricError: The file is a bare list of criteria, which can't have the key.
        """
        places = [self.top[:depth] for depth in range(len(self.top), -1, -1)]
        mappings = [node for path in places if getattr(node := self._node(path), "id", "") == "mapping"]
        if not mappings:
            raise RubricError(
                f"is a bare list of criteria, which has no place for `{keys[0]}`; put it under `criteria:` first",
                path=self.path,
            )
        self._set(mappings, keys, value)

    def set_words(self, of_field: Field, old: str, new: str, rubric: Rubric) -> None:
        """Replace the wording of a field of the rubric, such as a criterion's description.

        Args:
            of_field: The field.
            old: The words that the field has in the file.
            new: The words that replace them.
            rubric: The rubric in the file.

        Raises:
            RubricError: The field's words aren't in the file.
        """
        names = [criterion.name for criterion in rubric.criteria]
        if not of_field.criterion:
            mappings = [self._node(self.top[:depth]) for depth in range(len(self.top), -1, -1)]
            keys: tuple[str, ...] = ("guidelines",)
        elif (level := of_field.level) is None:
            mappings, keys = [self._node(self.criteria[names.index(of_field.criterion)])], _WORD_KEYS
        else:
            criterion = self._node(self.criteria[names.index(of_field.criterion)])
            levels: list[Any] = next((value.value for key, value in criterion.value if key.value == "levels"), [])
            mappings, keys = levels, (level[1],)
        for node in mappings:
            for key, value in node.value if getattr(node, "id", "") == "mapping" else ():
                if key.value in keys and value.id == "scalar" and _unfolded(value.value) == _unfolded(old):
                    self._respell(value, new, in_flow=bool(node.flow_style), indent=int(key.start_mark.column))
                    return
        raise RubricError(f"{of_field}: its words can't be found in the file", path=self.path)

    def _respell(self, node: "ScalarNode", new: str, *, in_flow: bool, indent: int) -> None:
        """Replace a text by a new one in the YAML style of the old one: block, quoted or plain.

        Args:
            node: The old text in the file.
            new: The new text.
            in_flow: True if the text stands inside brackets or braces.
            indent: Column in which the text's key begins, from 0.
        """
        start = int(node.start_mark.index)
        end = int(node.end_mark.index)
        if node.style not in ("|", ">"):
            self.splices.append((start, end, _quoted(new, node.style or "", in_flow=in_flow)))
            return
        block = self.text[start:end]
        head, *body = block.splitlines()
        inside = [line for line in body if line.strip() and len(line) - len(line.lstrip()) > indent]
        deep = min((len(line) - len(line.lstrip()) for line in inside), default=indent + 2)
        width = max(_LINE, *map(len, inside), 0) - deep
        parts = new.strip().split("\n")
        lines = parts if node.style == "|" else [line for text in parts for line in _folded(text, width)][:-1]
        end = start + block.rfind(inside[-1]) + len(inside[-1]) if inside else start + len(block.rstrip())
        spelled = "\n".join([head, *(f"{' ' * deep}{line}" if line else "" for line in lines)])
        self.splices.append((start, end, spelled.replace("\n", "\r\n" if "\r\n" in self.text else "\n")))

    def _set(self, mappings: "list[MappingNode]", keys: tuple[str, ...], value: float | GrayZone) -> None:
        for mapping in mappings:
            for key_node, value_node in mapping.value:
                if key_node.value in keys:
                    self._replace(value_node, value)
                    return
        self._insert(mappings[0], keys[0], value)

    def _replace(self, node: Any, value: float | GrayZone) -> None:
        start = node.start_mark.index
        end = node.end_mark.index
        if isinstance(value, GrayZone) or node.id == "mapping":
            in_block = node.id == "mapping" and not node.flow_style
            end = node.value[-1][1].end_mark.index if in_block else end
            self.splices.append((start, end, _zone_spelled(value, self.form)))
            return
        old = _NUMBER.search(self.text[start:end])
        if old is None:
            raise RubricError("a number is written in a way that can't be edited", path=self.path)
        self.splices.append((start + old.start(), end, _spelled(value, like=old.group())))

    def _insert(self, mapping: "MappingNode", key: str, value: float | GrayZone) -> None:
        entries = {key_node.value: (key_node, value_node) for key_node, value_node in mapping.value}
        neighbour = next((entries[name] for name in _BESIDE[key] if name in entries), None)
        key_node, value_node = neighbour or mapping.value[0]
        quote = '"' if self.text[key_node.start_mark.index] == '"' else ""
        line = f"{quote}{key}{quote}: {_zone_spelled(value, self.form)}"
        if mapping.flow_style:
            index = value_node.end_mark.index
            self.splices.append((index, index, f", {line}"))
            return
        end_of_line = "\r\n" if "\r\n" in self.text else "\n"
        index = self._next_line(value_node)
        head = "" if index == 0 or self.text[index - 1] == "\n" else end_of_line
        self.splices.append((index, index, f"{head}{' ' * key_node.start_mark.column}{line}{end_of_line}"))

    def _next_line(self, node: "Node") -> int:
        """Return the offset in the text of the line that follows a YAML value."""
        end = int(node.end_mark.index)
        if end and self.text[end - 1] == "\n":
            return end
        after = self.text.find("\n", end)
        return len(self.text) if after < 0 else after + 1

    def _node(self, path: Place) -> Any:
        node = self.root
        for step in path:
            node = node.value[step] if isinstance(step, int) else next(v for key, v in node.value if key.value == step)
        return node


def _unfolded(words: str) -> str:
    """Return a text that YAML folds over lines as one line, without the bell characters that mark its folds."""
    return " ".join(words.replace("\a", "").split())


def _folded(paragraph: str, width: int) -> list[str]:
    """Split a paragraph into the lines of a folded YAML block, with a blank line at the end."""
    return [*textwrap.wrap(paragraph, width, break_long_words=False, break_on_hyphens=False), ""]


def _quoted(words: str, style: str, *, in_flow: bool) -> str:
    """Write a text on one YAML line, quoted as the text that it replaces; plain text gets quotes if YAML requires them.

    Args:
        words: The text.
        style: The quotation mark of the text that is replaced; "" if that text is plain.
        in_flow: True if the text stands inside brackets or braces, where fewer texts can be plain.

    Example:
        >>> [_quoted(words, "", in_flow=False) for words in ("Is it polite?", "Say: no")]
        ['Is it polite?', '"Say: no"']
    """
    if style == "'" and "\n" not in words:
        return "'" + words.replace("'", "''") + "'"
    if not style and _PLAIN.match(words) and not (in_flow and re.search(r"[][{},]", words)):
        return words
    return safe_json(words)


def _zone_spelled(value: float | GrayZone, form: Form) -> str:
    """Write a gray zone as a rubric's file does: one number, or one distance for passes and one for fails.

    >>> _zone_spelled(0.1, "yaml"), _zone_spelled(GrayZone(0.12, float("inf")), "yaml")
    ('0.1', '{passes: 0.12, fails: all}')

    Args:
        value: The gray zone, or one distance for passes and fails.
        form: Format of the file: "yaml" or "json".
    """
    in_file = value.in_file if isinstance(value, GrayZone) else value
    if isinstance(in_file, float | int):
        return _spelled(in_file)
    if form == "json":
        return json.dumps(in_file)
    sides = (f"{side}: {reach if isinstance(reach, str) else _spelled(reach)}" for side, reach in in_file.items())
    return f"{{{', '.join(sides)}}}"


def _spelled(value: float, *, like: str | None = None) -> str:
    """Write a number in its shortest form; with a decimal point if the number that it replaces has one.

    >>> _spelled(0.35), _spelled(2.0), _spelled(2.0, like="1.0"), _spelled(1 / 3)
    ('0.35', '2', '2.0', '0.3333333333')
    """
    text = f"{value:.10g}"
    return f"{text}.0" if like is not None and "." in like and text.lstrip("-").isdecimal() else text


def text_to_edit(path: Path) -> str:
    """Read a file's text unchanged, line ends included."""
    try:
        return path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RubricError(f"cannot be read: {error}", path=path) from error
