"""Candidate wordings: from edits of a rubric's words or from whole rubric files, and reasons to reject one."""

import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from markscheme.errors import RubricError, RubricWarning, UsageError
from markscheme.plain_data import read_json, shown
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import anchors_in
from markscheme.rubrics.edit import Changes
from markscheme.rubrics.edit import edit as edited_file
from markscheme.rubrics.file import load_rubric
from markscheme.rubrics.rubric import Criterion, Rubric
from markscheme.rubrics.wording import Field, in_place_of, words_of

LONGEST = 1.5
"""Largest number of words of a candidate, as a multiple of the number in the user's rubric."""
SHORT = 60
"""Number of words that any candidate may have, so that a rubric of one sentence can get a second one."""
COPIED, NEARLY_COPIED = 8, 6
"""Lengths of a run of words shared with a labelled example from which on a candidate is rejected, and from which on the
run is only mentioned."""
MOST_HOLDERS = 2
"""Largest number of examples that share a name or number for which a candidate with it gives away these examples."""
MOST_SHOWN = 3
"""Largest number of copied quotations that are shown; the others are only counted."""
UNCHANGED = Changes()
"""Changes to weights and pass mark of a candidate that only changes words: none."""
_WORD = re.compile(r"\w+")
_TELLING = re.compile(r"\d|_|[a-z][A-Z]")
_FIELD = "description (or requirement), levels[N].description, levels[N].label or guidelines"


class NotTried(ValueError):  # noqa: N818 - an answer about a candidate, which the caller counts
    """Error that rejects a candidate wording before it is tried; its text is the reason."""


@dataclass(frozen=True)
class Wording:
    """A candidate: the user's rubric with other words, with other weights or pass mark, or with both.

    Attributes:
        name: The stem of its file's name, or the round and number of a proposal, such as "round-2/3".
        rubric: The user's rubric with the candidate's words and numbers.
        changes: The user's words and the words that replace them, by field, in the order of the rubric.
        warnings: Remarks on what a reader should check before adopting it.
        numbers: Its weights and pass mark, if they differ from the user's.
    """

    name: str
    rubric: Rubric
    changes: Mapping[Field, tuple[str, str]]
    warnings: tuple[str, ...] = ()
    numbers: Changes = field(default_factory=Changes)

    @property
    def words(self) -> dict[Field, str]:
        """The new words by the field that they change, as they are written into the rubric's file."""
        return {field: new for field, (_, new) in self.changes.items()}

    @property
    def criteria(self) -> set[str]:
        """Names of the criteria whose words change; "" means the guidelines."""
        return {field.criterion for field in self.changes}

    @property
    def in_file(self) -> Changes:
        """The changes to write into the rubric's file: new words, weights and pass mark."""
        return replace(self.numbers, words=self.words)


LabelledTexts = Sequence[Sequence[str]]
"""The texts of labelled examples, which a candidate may not copy, grouped by example."""


def labelled_texts(examples: Iterable[Example]) -> LabelledTexts:
    """Return, for each labelled example, all its texts: inputs, responses, and raters' reasons and comments."""
    return tuple(tuple(_texts(example)) for example in examples if example.labels)


def copied_runs(new: str, old: str, labelled: LabelledTexts, length: int) -> tuple[str, ...]:
    """Return the sequences of `length` words that a new text shares with a labelled example.

    Sequences that the old text has too are left out.

    Args:
        new: The new text.
        old: The text that it replaces.
        labelled: Texts of each labelled example.
        length: Number of words in a sequence.
    """
    runs = set(_runs(new, length)) - set(_runs(old, length))
    copyable = {run for texts in labelled for text in texts for run in _runs(text, length)} if runs else set()
    return tuple(sorted(runs & copyable))


def telling_names(new: str, old: str, labelled: LabelledTexts) -> tuple[str, ...]:
    """Return the identifiers and numbers in a new wording that occur in only one or two examples, which they give away.

    Args:
        new: The new wording.
        old: The wording that it replaces, whose identifiers and numbers are allowed.
        labelled: Texts of each labelled example.
    """
    names = {word for word in _WORD.findall(new) if _TELLING.search(word)} - set(_WORD.findall(old))
    counts: Counter[str] = Counter()
    for texts in labelled if names else ():
        counts.update(names & {word for text in texts for word in _WORD.findall(text)})
    return tuple(sorted(name for name in names if 0 < counts[name] <= MOST_HOLDERS))


def _texts(example: Example) -> Iterator[str]:
    yield example.submission.response
    yield from example.submission.inputs.values()
    for label in example.labels:
        yield label.note or ""
        yield from (rated.reason for rated in label.criteria.values())


def _runs(text: str, length: int) -> list[str]:
    words = _WORD.findall(text.casefold())
    return [" ".join(words[index : index + length]) for index in range(len(words) - length + 1)]


def _squeezed(text: str) -> str:
    return " ".join(text.split())


# --- what a candidate says ------------------------------------------------------------------------------------------


def from_edits(name: str, edits: Any, *, base: Rubric, yours: Rubric, labelled: LabelledTexts) -> Wording:
    """Build the candidate wording that results from JSON edits of the rubric `base`.

    Args:
        name: Name of the candidate.
        edits: A list of {criterion, field, old, new, why}, or a mapping with such a list under "edits".
        base: The rubric whose words `old` quotes.
        yours: The user's rubric, with which changes are compared.
        labelled: Texts of the labelled examples, which no candidate may copy.

    Raises:
        NotTried: The data aren't edits, or are edits that aren't allowed.
    """
    listed = edits.get("edits") if isinstance(edits, Mapping) else edits
    if not isinstance(listed, list) or not listed or not all(isinstance(edit, Mapping) for edit in listed):
        raise NotTried(f"no edits: expected a JSON list of {{criterion, field, old, new, why}}, got {shown(edits)}")
    now = words_of(base)
    words = dict(words_of(base))
    for edit in listed:
        place = _place(edit, base, now)
        words[place] = _edited(words[place], edit, place)
    return _wording(name, words, yours, labelled)


def _place(edit: Mapping[str, Any], base: Rubric, words: Mapping[Field, str]) -> Field:
    criterion = str(edit.get("criterion") or "")
    field = str(edit.get("field") or "")
    field = "description" if field == "requirement" else field  # one key in rubric files too
    criterion = "" if field == "guidelines" else criterion
    names = [criterion.name for criterion in base.criteria]
    if criterion and criterion not in names:
        raise NotTried(f"changes {criterion!r}, which isn't one of the criteria {', '.join(names)}")
    place = Field(criterion, field)
    if field != "guidelines" and field != "description" and place.level is None:
        raise NotTried(f"changes `{field}`{f' of {criterion}' if criterion else ''}; only words may change: {_FIELD}")
    if place not in words:
        raise NotTried(f"changes {place}, where your rubric has no words to change")
    return place


def _edited(words: str, edit: Mapping[str, Any], place: Field) -> str:
    old = edit.get("old")
    new = edit.get("new")
    if not isinstance(old, str) or not isinstance(new, str) or not new.strip():
        raise NotTried(f"`old` and `new` of {place} must be texts, got {shown(old)} and {shown(new)}")
    if _squeezed(old) == _squeezed(words):
        return in_place_of(words, new)
    if old.strip() and words.count(old.strip()) == 1:
        return in_place_of(words, words.replace(old.strip(), new.strip()))
    raise NotTried(f"`old` doesn't quote the words of {place}: {shown(old)}")


def from_rubric(name: str, candidate: Rubric, *, yours: Rubric, labelled: LabelledTexts) -> Wording:
    """Build a candidate wording from a whole rubric, which may differ from the user's in words, weights and pass mark.

    Args:
        name: Name of the candidate.
        candidate: The rubric.
        yours: The user's rubric, with which changes are compared.
        labelled: Texts of the labelled examples, which no candidate may copy.

    Raises:
        NotTried: The rubric differs from the user's in other keys, or has words that aren't allowed.
    """
    unlike = list(_other_changes(candidate, yours))
    if unlike:
        raise NotTried(f"changes {', '.join(unlike)}; only words, weights and pass mark may change: {_FIELD}")
    theirs = words_of(candidate)
    own_words = words_of(yours)
    if theirs.keys() != own_words.keys():
        places = ", ".join(sorted(map(str, theirs.keys() ^ own_words.keys())))
        raise NotTried(f"has words at other places than your rubric: {places}")
    return _wording(name, theirs, yours, labelled, _numbers_changed(candidate, yours))


def _numbers_changed(candidate: Rubric, yours: Rubric) -> Changes:
    """Return the weights and the pass mark in which a candidate differs from the user's rubric."""
    weights = {
        theirs.name: theirs.weight
        for theirs, ours in zip(candidate.criteria, yours.criteria, strict=True)
        if theirs.weight != ours.weight
    }
    mark = candidate.pass_mark
    return Changes(weights=weights, pass_mark=None if mark == yours.pass_mark else mark)


def _other_changes(candidate: Rubric, yours: Rubric) -> Iterator[str]:
    """Yield what, other than words, weights and pass mark, differs between a candidate and the user's rubric."""
    if [c.name for c in candidate.criteria] != [c.name for c in yours.criteria]:
        yield "the names or the number of criteria"
        return
    for theirs, ours in zip(candidate.criteria, yours.criteria, strict=True):
        yield from (f"{what} of {ours.name}" for what in _criterion_changes(theirs, ours))
    in_files = {"description": "description of the rubric"}
    asking = "description inputs strategy samples"
    judging = "tolerance target max_false_pass max_false_fail ask_within"
    rest = f"{asking} {judging}"
    yield from (in_files.get(name, name) for name in _unequal(candidate, yours, rest))


def _unequal(candidate: object, yours: object, attributes: str) -> list[str]:
    """Return the names of the attributes in which two objects of the same class differ.

    Args:
        candidate: The first object.
        yours: The second object.
        attributes: Names of the attributes to compare, separated by spaces.
    """
    return [name for name in attributes.split() if getattr(candidate, name) != getattr(yours, name)]


def _criterion_changes(candidate: Criterion, yours: Criterion) -> Iterator[str]:
    if (candidate.weight > 0, candidate.weight < 0) != (yours.weight > 0, yours.weight < 0):
        yield "the sign of the weight"
    attributes = "threshold required sees not_applicable check passing preserves steps tags"
    yield from _unequal(candidate, yours, attributes)
    if (candidate.good, candidate.bad) != (yours.good, yours.bad):
        yield "examples"
    if len(candidate.scale.levels) != len(yours.scale.levels):
        yield "the number of levels"
    elif _unequal(candidate.scale, yours.scale, "values choices ordered"):
        yield "the scale"
    elif [level.example for level in candidate.scale.levels] != [level.example for level in yours.scale.levels]:
        yield "examples of levels"


# --- what every candidate must hold ---------------------------------------------------------------------------------


def _wording(
    name: str, words: Mapping[Field, str], yours: Rubric, labelled: LabelledTexts, numbers: Changes = UNCHANGED
) -> Wording:
    own_words = words_of(yours)
    changes = {
        field: (old, in_place_of(old, words[field]))
        for field, old in own_words.items()
        if _squeezed(words[field]) != _squeezed(old)
    }
    if not changes and not numbers:
        raise NotTried("has the same words as yours")
    old = "\n".join([yours.description, *own_words.values(), *anchors_in(yours)])
    new = "\n\n".join(now for _, now in changes.values())
    copied = copied_runs(new, old, labelled, COPIED)
    if copied:
        raise NotTried(f"copies {COPIED} words or more of a labelled example: {_quoted(copied)}")
    _refuse_long(words, own_words)
    try:
        rubric = replace(numbers, words={field: now for field, (_, now) in changes.items()}).applied_to(yours)
    except RubricError as error:
        raise NotTried(f"isn't a valid rubric: {error}") from error
    return Wording(name, rubric, changes, tuple(_warnings(new, old, labelled)), numbers)


def _refuse_long(words: Mapping[Field, str], own_words: Mapping[Field, str]) -> None:
    now, then = (sum(len(text.split()) for text in texts.values()) for texts in (words, own_words))
    if now > max(SHORT, LONGEST * then):
        raise NotTried(f"has {now:,} words, over {LONGEST:g} times the {then:,} of yours")


def _warnings(new: str, old: str, labelled: LabelledTexts) -> Iterator[str]:
    nearly = copied_runs(new, old, labelled, NEARLY_COPIED)
    if nearly:
        yield f"shares {NEARLY_COPIED} words in a row with a labelled example: {_quoted(nearly)}"
    telling = telling_names(new, old, labelled)
    if telling:
        yield f"names what only {MOST_HOLDERS} examples or fewer hold: {', '.join(telling)}"


def _quoted(runs: Sequence[str]) -> str:
    more = f" and {len(runs) - MOST_SHOWN} more" if len(runs) > MOST_SHOWN else ""
    return "; ".join(f"“{run}”" for run in runs[:MOST_SHOWN]) + more


# --- from files -----------------------------------------------------------------------------------------------------


def refuse_unwritten(file: Path, wording: Wording) -> None:
    """Raise an error, before held-out labels are used, if a wording can't be written into the rubric's file.

    Raises:
        NotTried: The wording can't be written into the file.
    """
    try:
        edited_file(file, wording.in_file)
    except RubricError as error:
        raise NotTried(f"can't be written into {file.name}: {error}") from error


def read_candidates(
    paths: Sequence[Path], *, yours: Rubric, labelled: LabelledTexts, file: Path | None = None
) -> tuple[list[Wording], dict[str, str]]:
    """Read candidate wordings from files; return the valid ones, and the reason for each rejected one by name.

    Args:
        paths: Files of rubrics (.yaml, .yml, .json) or of JSON edits (.json).
        yours: The user's rubric.
        labelled: Texts of the labelled examples, which no candidate may copy.
        file: The rubric's file, into which it must be possible to write the words; None if nothing is to be written.

    Raises:
        UsageError: A file is missing or unreadable, or two file names have the same stem.
    """
    wordings: list[Wording] = []
    refused: dict[str, str] = {}
    for name, count in Counter(path.stem for path in paths).items():
        if count > 1:
            raise UsageError(f"{count} candidates are named {name!r}; a candidate is named by its file")
    for path in paths:
        try:
            wording = new_among(wordings, _read(path, yours, labelled))
            if file is not None:
                refuse_unwritten(file, wording)
            wordings.append(wording)
        except NotTried as why:
            refused[path.stem] = str(why)
    return wordings, refused


def new_among(others: Iterable[Wording], wording: Wording) -> Wording:
    """Check that a wording differs from all `others` in words, weights or pass mark, and return it.

    Raises:
        NotTried: Another wording has the same words, weights and pass mark.
    """
    for earlier in others:
        if earlier.in_file == wording.in_file:
            numbers = " and numbers" if wording.numbers else ""
            raise NotTried(f"has the same words{numbers} as {earlier.name}")
    return wording


def _json_in(path: Path) -> Any:
    """Read a JSON file; return None for a file that isn't JSON, unless its name ends in .json, which is an error."""
    try:
        return read_json(path, RubricError)
    except RubricError:
        if path.suffix == ".json":
            raise
        return None


def _read(path: Path, yours: Rubric, labelled: LabelledTexts) -> Wording:
    if not path.is_file():
        kinds = "a candidate is a rubric file, or a JSON file of edits"
        raise UsageError(f"there is no candidate {path}; {kinds}", path=path)
    data = _json_in(path)
    if isinstance(data, list) or (isinstance(data, Mapping) and "edits" in data):
        return from_edits(path.stem, data, base=yours, yours=yours, labelled=labelled)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RubricWarning)  # the file of a candidate needn't have the rubric's name
        candidate = load_rubric(path)
    return from_rubric(path.stem, candidate, yours=yours, labelled=labelled)
