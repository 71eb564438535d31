"""Modes (kinds of fault) that notes are sorted into, and the codebook: modes, assignments, and a model's suggestions.

A codebook is immutable: each change returns a new one, so that undoing a change means going back to the one before.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

from markscheme.errors import UsageError, suggestion
from markscheme.fingerprint import fingerprint, words_alone
from markscheme.ratings.kinds import PEOPLE, Kind

HOW_BAD: Mapping[int, str] = {1: "small", 2: "bad", 3: "must never happen"}
"""Severities of a mode, from 1, each with the word that readers see."""
DEFAULT_SEVERITY = 2
"""Severity of a mode for which nobody has stated one."""


_Entry = TypeVar("_Entry", "Mode", "Assignment")


@dataclass(frozen=True)
class Mode:
    """A kind of fault that outputs show, with its definition, severity and history.

    Attributes:
        name: The mode's name, in the form of a criterion's name.
        definition: One sentence that says when an output has the fault; "" if nobody has written it yet.
        severity: Severity of the fault: 1 small, 2 bad, 3 must never happen.
        quotes: Passages that a person chose as examples of the fault.
        fine: Passages that a person marked as fine, for contrast.
        by: Name of the person or model that named it; None if no file says it.
        kind: "model" for a mode that a model proposed and no person has accepted; else the kind of its author, mostly
            "human".
        named: Time at which it was named, as written; None if no file says it.
        was: Its earlier names.
        same: Fingerprints of earlier definitions that mean the same as the present one.
        reworded: Time at which the definition got another meaning; None if it never did. Readings before that time
            don't count for the mode.
        into: The mode that it was merged into; None for one that is listed.
        parts: The modes that were merged into it; a reading for only one of these isn't a reading for the merged mode.
        halves: The modes that it was split into; empty for one that is listed.
        half_of: The mode that was split into this mode and other modes, and whose readings count for this mode too;
            None if no mode was split into it.
        changed: The person who changed it last, with the time, as written; None if nobody did.
        is_turned: True if the author reversed it, so that its criterion asks for the absence of the fault.
    """

    name: str
    definition: str = ""
    severity: int = DEFAULT_SEVERITY
    quotes: tuple[str, ...] = ()
    fine: tuple[str, ...] = ()
    by: str | None = None
    kind: Kind = "human"
    named: str | None = None
    was: tuple[str, ...] = ()
    same: tuple[str, ...] = ()
    reworded: str | None = None
    into: str | None = None
    parts: tuple[str, ...] = ()
    halves: tuple[str, ...] = ()
    half_of: str | None = None
    is_turned: bool = False
    changed: str | None = None

    @property
    def fingerprint(self) -> str:
        """Digest of the definition's words; a reading stores it to show which definition the reader saw."""
        return fingerprint("mode", words_alone(self.definition), *self.parts)

    @property
    def is_listed(self) -> bool:
        """True if readers see the failure mode: a person confirmed it, and it wasn't merged into another or split."""
        return self.kind in PEOPLE and not self.into and not self.halves

    def means(self, under: str) -> bool:
        """Return True if an earlier definition of the failure mode means the same as the present one.

        If the mode had no definition then, this counts as the same meaning, unless other modes were merged into it.

        Args:
            under: Fingerprint of the earlier definition.
        """
        return under in (self.fingerprint, *self.same) or (under == UNDEFINED and not self.parts)

    @property
    def names(self) -> tuple[str, ...]:
        """The failure mode's present name and its earlier names."""
        return (self.name, *self.was)

    def to_json(self) -> dict[str, Any]:
        """Return the failure mode's entry in `modes.yaml`, without attributes that have their default."""
        optional = {
            "quotes": list(self.quotes),
            "fine": list(self.fine),
            "kind": self.kind if self.kind != "human" else "",
            "was": list(self.was),
            "same": list(self.same),
            "reworded": self.reworded,
            "into": self.into,
            "parts": list(self.parts),
            "halves": list(self.halves),
            "half_of": self.half_of,
            "turned": self.is_turned,
            "changed": self.changed,
        }
        data: dict[str, Any] = {"name": self.name, "definition": self.definition, "severity": self.severity}
        data |= {"by": self.by or "", "named": self.named or ""}
        return data | {key: value for key, value in optional.items() if value}


UNDEFINED = Mode("").fingerprint
"""Fingerprint of a mode without a definition."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """Assignment of a note to failure modes, by a person or as a model's suggestion.

    Attributes:
        note: The note's key: reader, output and number.
        modes: Names of the modes; empty if the note was made unsorted again.
        by: Name of the person or model that assigned it.
        kind: "model" for a suggestion, else the kind of person.
        at: Time of the assignment, as written; None if no file says it.
        is_firm: True for a suggestion if the model was asked twice, and both times put the note into a group with
            one and the same other note.
        is_recode: True if a second person sorted the note without seeing the modes it has; this doesn't change its
            modes.
    """

    note: str
    modes: tuple[str, ...]
    by: str
    kind: Kind = "human"
    at: str | None = None
    is_recode: bool = False
    is_firm: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return the assignment as a dict with the keys of a line of `assigned.jsonl`."""
        line: dict[str, Any] = {"note": self.note, "modes": list(self.modes), "by": self.by, "kind": self.kind}
        line |= {"at": self.at or ""} | ({"recode": True} if self.is_recode else {})
        return line | ({"firm": True} if self.is_firm else {})


@dataclass(frozen=True)
class Codebook:
    """Codebook of a discovery: the failure modes, the notes assigned to them, and a model's suggestions.

    Attributes:
        modes: All modes, also those merged, split or only suggested, in the order in which they were named.
        assigned: The assignments by people, by the note's key.
        suggested: The assignments that a model suggests, by the note's key; they are never counted.
        recoded: Assignments of the same notes by further people, who didn't see those in `assigned`.
    """

    modes: tuple[Mode, ...] = ()
    assigned: Mapping[str, Assignment] = field(default_factory=dict)
    suggested: Mapping[str, Assignment] = field(default_factory=dict)
    recoded: tuple[Assignment, ...] = ()

    # --- what is in it ------------------------------------------------------------------------------------------------

    @cached_property
    def _by_name(self) -> dict[str, Mode]:
        earlier = {name: mode for mode in self.modes for name in mode.was}
        return earlier | {mode.name: mode for mode in self.modes}

    @property
    def listed(self) -> tuple[Mode, ...]:
        """The failure modes that readers see: confirmed by a person, and neither merged into another mode nor split."""
        return tuple(mode for mode in self.modes if mode.is_listed)

    def mode(self, name: str) -> Mode:
        """Find a failure mode by its name or an earlier name.

        Raises:
            UsageError: No mode has that name.
        """
        if name not in self._by_name:
            names = [mode.name for mode in self.modes]
            hint = suggestion(name, names, mark="`") or f"; there are {', '.join(names) or 'none yet'}"
            raise UsageError(f"there is no mode `{name}`{hint}")
        return self._by_name[name]

    def resolved(self, name: str) -> str | None:
        """Return the listed failure mode that a name leads to by renames and merges; None if there is none.

        >>> book = Codebook((Mode("too-long", was=("long",)), Mode("wordy", into="too-long")))
        >>> book.resolved("long"), book.resolved("wordy"), book.resolved("rude")
        ('too-long', 'too-long', None)
        """
        passed_by = set[str]()
        while name in self._by_name and name not in passed_by:
            passed_by.add(name)
            mode = self._by_name[name]
            if mode.is_listed:
                return mode.name
            if mode.into is None:
                return None
            name = mode.into
        return None

    def modes_of(self, note: str) -> tuple[str, ...]:
        """Return the listed failure modes that a note belongs to by a person's decision, each once."""
        assignment = self.assigned.get(note)
        if assignment is None:
            return ()
        return tuple(dict.fromkeys(name for mode in assignment.modes if (name := self.resolved(mode)) is not None))

    def waiting(self, notes: Iterable[str]) -> list[str]:
        """Return which of the given notes have a model's suggestion that waits for a person's decision."""
        return [note for note in notes if note in self.suggested and note not in self.assigned]

    def suggestion_of(self, note: str) -> tuple[str, ...]:
        """Return the failure modes that a model suggests for a note, by their present names; () if it is in a mode."""
        suggested = self.suggested.get(note)
        if suggested is None or note in self.assigned:
            return ()
        names = (self.resolved(mode) or mode for mode in suggested.modes if mode in self._by_name)
        return tuple(dict.fromkeys(names))

    def parts_of(self, mode: Mode) -> tuple[Mode, ...]:
        """Return the failure modes that were merged into a mode, directly or through other modes."""
        parts = tuple(half for half in self.modes if half.into == mode.name)
        return tuple(inner for half in parts for inner in (half, *self.parts_of(half)))

    def signed(self, before: "Codebook", by: str, moment: str) -> "Codebook":
        """Return the codebook with author and time recorded in each failure mode whose content has changed.

        A mode that the earlier codebook lacks is left as it is.

        Args:
            before: The earlier codebook.
            by: Name of the person who changed the modes.
            moment: Time of the change.
        """
        earlier = {mode.name: mode for mode in before.modes}
        modes = (
            mode
            if mode == earlier.get(mode.name) or mode.name not in earlier
            else replace(mode, changed=f"{by} {moment}")
            for mode in self.modes
        )
        return replace(self, modes=tuple(modes))

    # --- changes ------------------------------------------------------------------------------------------------------

    def _with(self, *changed: Mode) -> "Codebook":
        by_name = {mode.name: mode for mode in changed}
        listed = tuple(by_name.pop(mode.name, mode) for mode in self.modes)
        return replace(self, modes=(*listed, *by_name.values()))

    def _listed_mode(self, name: str) -> Mode:
        """Find a failure mode by its name; raise an error if it isn't listed, such as a proposal not accepted yet."""
        mode = self.mode(name)
        if mode.is_listed:
            return mode
        why = "a proposal: accept a note of it first" if mode.kind not in PEOPLE else "no longer listed"
        raise UsageError(f"`{mode.name}` is {why}")

    def _refuse_taken(self, name: str) -> None:
        if not name.strip():
            raise UsageError("a mode needs a name")
        if name in self._by_name:
            raise UsageError(f"there is a mode `{name}` already; names are unique")

    def name_mode(self, mode: Mode) -> "Codebook":
        """Return the codebook with a new failure mode added.

        Raises:
            UsageError: The name is taken, or empty.
        """
        self._refuse_taken(mode.name)
        return self._with(mode)

    def assign(self, assignment: Assignment) -> "Codebook":
        """Return the codebook with a note assigned to failure modes: by a person, or as a suggestion (never counted).

        A person who puts a note into a mode that a model proposed accepts that mode.

        Raises:
            UsageError: A mode with that name doesn't exist.
        """
        names = tuple(dict.fromkeys(self.mode(name).name for name in assignment.modes))
        assignment = replace(assignment, modes=names)
        if assignment.is_recode:
            return replace(self, recoded=(*self.recoded, assignment))
        if assignment.kind not in PEOPLE:
            return replace(self, suggested={**self.suggested, assignment.note: assignment})
        proposed = [self.mode(name) for name in names if self.mode(name).kind not in PEOPLE]
        accepted = self._with(
            *(replace(mode, kind="human", by=assignment.by, named=assignment.at) for mode in proposed)
        )
        return replace(accepted, assigned={**self.assigned, assignment.note: assignment})

    def accept(self, notes: Sequence[str], by: str, moment: str) -> "Codebook":
        """Return the codebook in which a person has accepted a model's suggestions for some notes.

        Args:
            notes: Keys of the notes.
            by: Name of the person.
            moment: The time that is recorded for the change.
        """
        book = self
        for note in self.waiting(notes):
            book = book.assign(Assignment(note, book.suggestion_of(note), by, "human", moment))
        return book

    def rename(self, name: str, new: str) -> "Codebook":
        """Return the codebook after renaming a failure mode; nothing else changes.

        Raises:
            UsageError: A mode with that name doesn't exist, or the new name is taken.
        """
        mode = self.mode(name)
        if new != mode.name and new not in mode.was:
            self._refuse_taken(new)
        earlier = tuple(before for before in mode.names if before != new)
        renamed = replace(mode, name=new, was=earlier)
        modes = tuple(
            _following(renamed if other_mode is mode else other_mode, mode.name, new) for other_mode in self.modes
        )
        return replace(self, modes=modes)

    def define(self, name: str, definition: str, moment: str, *, same_meaning: bool) -> "Codebook":
        """Return the codebook with a failure mode redefined; if its meaning changes, earlier readings are not counted.

        The first definition of a mode doesn't count as a change of meaning.

        Args:
            name: The mode's name.
            definition: The new definition.
            moment: Time of the change, as files store it.
            same_meaning: True if the new definition means the same as the old one.
        """
        mode = self.mode(name)
        if same_meaning or not mode.definition:
            same = tuple(dict.fromkeys((*mode.same, mode.fingerprint)))
            return self._with(replace(mode, definition=definition, same=same))
        return self._with(replace(mode, definition=definition, same=(), reworded=moment))

    def with_severity(self, name: str, severity: int) -> "Codebook":
        """Return the codebook after changing a failure mode's severity.

        Raises:
            UsageError: The severity is none of 1, 2 and 3.
        """
        if severity not in HOW_BAD:
            words = ", ".join(f"{level} {word}" for level, word in HOW_BAD.items())
            raise UsageError(f"severity is {words}; got {severity}")
        return self._with(replace(self.mode(name), severity=severity))

    def with_quotes(self, name: str, quotes: Sequence[str], fine: Sequence[str] | None = None) -> "Codebook":
        """Return the codebook with other passages stored for a failure mode.

        Args:
            name: The mode's name.
            quotes: Passages that show the mode.
            fine: Passages without the fault, for contrast; None to keep the stored ones.
        """
        mode = self.mode(name)
        return self._with(replace(mode, quotes=tuple(quotes), fine=mode.fine if fine is None else tuple(fine)))

    def turn(self, name: str) -> "Codebook":
        """Return the codebook with a failure mode reversed: its criterion asks for the fault's absence.

        A second call restores the mode.
        """
        mode = self.mode(name)
        return self._with(replace(mode, is_turned=not mode.is_turned))

    def merge(self, names: Sequence[str], into: Mode) -> "Codebook":
        """Return the codebook with several failure modes merged into a new mode, or into one of the several modes.

        Raises:
            UsageError: There are fewer than two modes, or the new name is that of another mode.
        """
        parts = [self._listed_mode(name) for name in dict.fromkeys(names)]
        if len({mode.name for mode in parts}) < 2:
            raise UsageError("merging takes two modes")
        first = next((mode for mode in parts if mode.name == into.name), None)
        retired = ""
        if first is not None:  # the target keeps a record of what it was, so that its readings count as before
            retired = self._free_name(f"{first.name}-before")
            book = self.rename(first.name, retired)
            book = book._with(replace(book.mode(retired), into=into.name))
            parts = [mode for mode in parts if mode is not first]
            book = replace(book, assigned=_moved(book.assigned, first.name, retired))
        else:
            self._refuse_taken(into.name)
            book = self
        names_of_parts = tuple(sorted([*(mode.name for mode in parts), *([retired] if retired else [])]))
        joined = replace(into, parts=names_of_parts, was=(), into=None, halves=(), half_of=None)
        return book._with(*(replace(book.mode(mode.name), into=into.name) for mode in parts), joined)

    def split(self, name: str, halves: Sequence[Mode]) -> "Codebook":
        """Return the codebook with a failure mode split into several; its notes become unsorted.

        Readings in which readers looked for the mode count as readings in which they looked for each of its halves.

        Raises:
            UsageError: There are fewer than two halves, or a name is taken.
        """
        if len({half.name for half in halves}) < 2:
            raise UsageError("splitting takes two names")
        for half in halves:
            self._refuse_taken(half.name)
        mode = self._listed_mode(name)
        names = tuple(half.name for half in halves)
        return self._with(replace(mode, halves=names), *(replace(half, half_of=mode.name) for half in halves))

    def _free_name(self, name: str) -> str:
        names = (name, *(f"{name}-{index}" for index in range(2, len(self.modes) + 3)))
        return next(candidate for candidate in names if candidate not in self._by_name)


def undone(current: Codebook, before: Codebook, after: Codebook) -> Codebook:
    """Return the codebook without one earlier change; what others have changed since stays.

    Args:
        current: The present codebook.
        before, after: The codebooks before and after the change to undo.
    """
    return Codebook(
        _modes_undone(current.modes, before.modes, after.modes),
        _entries_undone(current.assigned, before.assigned, after.assigned),
        _entries_undone(current.suggested, before.suggested, after.suggested),
        current.recoded,
    )


def _modes_undone(current: Sequence[Mode], before: Sequence[Mode], after: Sequence[Mode]) -> tuple[Mode, ...]:
    if tuple(current) == tuple(after):
        return tuple(before)
    tables = ({mode.name: mode for mode in modes} for modes in (current, before, after))
    return tuple(_entries_undone(*tables).values())


def _entries_undone(
    current: Mapping[str, _Entry], before: Mapping[str, _Entry], after: Mapping[str, _Entry]
) -> dict[str, _Entry]:
    """Return the current entries with one earlier change undone, except in entries that were changed again since.

    Args:
        current: The present entries, by name.
        before: The entries before the change.
        after: The entries after the change.
    """
    undone_entries = dict(current)
    for name in dict.fromkeys((*before, *after)):
        if before.get(name) == after.get(name) or current.get(name) != after.get(name):
            continue
        if name in before:
            undone_entries[name] = before[name]
        else:
            undone_entries.pop(name, None)
    return undone_entries


def _following(mode: Mode, old: str, new: str) -> Mode:
    """Return a failure mode in whose references to other modes an old name is replaced by the new one."""
    halves = tuple(new if half == old else half for half in mode.halves)
    same = (*mode.same, mode.fingerprint) if old in mode.parts else mode.same
    return replace(
        mode,
        into=new if mode.into == old else mode.into,
        half_of=new if mode.half_of == old else mode.half_of,
        halves=halves,
        parts=tuple(new if name == old else name for name in mode.parts),
        same=same,
    )


def _moved(assigned: Mapping[str, Assignment], old: str, new: str) -> dict[str, Assignment]:
    return {
        note: replace(assignment, modes=tuple(new if name == old else name for name in assignment.modes))
        for note, assignment in assigned.items()
    }
