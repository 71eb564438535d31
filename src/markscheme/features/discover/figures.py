"""Figures from what people read: how common each mode is, how much is unseen, and what to read again."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from markscheme.features.discover.modes import Codebook, Mode
from markscheme.features.discover.order import ReadingOrder
from markscheme.features.discover.reading import Note, OutputReading
from markscheme.features.discover.unseen import (
    LARGE_SHARE,
    NEW_MODE_CONFIDENCE,
    SURE,
    chance_missed,
    chao2,
    good_turing,
    listed_share,
    new_mode_bound,
    rarefaction,
    read_enough,
    read_enough_for_all,
)
from markscheme.stats import Estimate

ENOUGH = 0.15
"""Bound on the share of outputs with a mode not yet noted, at or below which reading may stop, often after 80 to 160
outputs."""
FEWEST_TASKS = 30
"""Fewest tasks for which the bound on modes of new tasks is shown; with fewer, it is near 1 whatever was read."""
GROUPS_TO_COUNT = 5
"""Fewest groups (tasks) with which the amount to read is stated in tasks instead of outputs."""


@dataclass(frozen=True)
class ModeFigures:
    """Figures of one mode (kind of fault): number and share of outputs that show it, and outputs to read again for it.

    Attributes:
        mode: The mode.
        count: Number of outputs that show it, also of those that weren't drawn at random.
        read_for: Number of outputs in which readers looked for it, of those drawn at random.
        share: Share of the outputs in `read_for` that show it; without a value if no outputs were drawn at random.
        again: Ids of outputs to read again for it, in reading order.
    """

    mode: Mode
    count: int
    read_for: int
    share: Estimate
    again: tuple[str, ...]

    @property
    def importance(self) -> float:
        """Importance for sorting failure modes: share times severity; 0 without a share."""
        value = self.share.value
        return (value if value is not None else 0.0) * self.mode.severity


@dataclass(frozen=True)
class NewModes:
    """Number of failure modes that nobody has noted yet, and share of outputs that show one: a bound and estimates.

    All figures are computed from the outputs that one reader read in random order.

    Attributes:
        bound: Upper bound on the share of outputs that show a mode that nobody has noted yet.
        confidence: Confidence with which the bound holds, however often one looks at it.
        last_new: Number of outputs read since the last one in which a new mode was noted; None if none was.
        named: Number of modes noted in the outputs read at random.
        read: Number of outputs read at random.
        tasks: The bound from only the first output read of each task; None without groups, or with few of them.
        good_turing: Good-Turing estimate, without a bound, of the share of outputs that show an unnoted mode.
        chao2: Chao2 estimate, without a bound, of the number of all modes, noted or not.
    """

    bound: float
    confidence: float
    last_new: int | None
    named: int
    read: int
    tasks: float | None
    good_turing: float | None
    chao2: float


@dataclass(frozen=True)
class ReadMore:
    """Number of outputs (or tasks) that people still have to read at random so that no common failure mode goes unseen.

    Attributes:
        share: Share of outputs above which a mode counts as common.
        sure: Confidence that no such mode goes unseen.
        more: Number still to read so that any one common mode is seen with confidence `sure`.
        all: Number still to read so that all common modes are seen with confidence `sure`.
        missed: Probability that a mode of share `share` has gone unseen so far.
        unit: The unit that is counted: "outputs" or "tasks".
    """

    share: float
    sure: float
    more: int
    all: int
    missed: float
    unit: str


@dataclass(frozen=True)
class ReadOutputs:
    """What people read, with the failure modes (the codebook), the reading order and the figures computed from them.

    Attributes:
        readings: Readings of all readers, those of one reader in the order of that reader's file.
        codebook: The modes and the notes in them.
        order: The order of all outputs.
        groups: Name of each output's group, such as its task, by the output's id; "" if it has none.
    """

    readings: tuple[OutputReading, ...]
    codebook: Codebook = Codebook()
    order: ReadingOrder = ReadingOrder(())
    groups: Mapping[str, str] = field(default_factory=dict)

    # --- readings and notes -------------------------------------------------------------------------------------------

    @cached_property
    def counted(self) -> tuple[OutputReading, ...]:
        """The readings that count in figures: those by people who finished reading the output and could judge it."""
        return tuple(reading for reading in self.readings if reading.counts)

    @cached_property
    def by_id(self) -> dict[str, list[OutputReading]]:
        """The readings that count in figures, by the output's id."""
        by_id: dict[str, list[OutputReading]] = {}
        for reading in self.counted:
            by_id.setdefault(reading.id, []).append(reading)
        return by_id

    @cached_property
    def readings_by_note(self) -> dict[str, OutputReading]:
        """The reading in which each note was written, by the note's key; only people's notes."""
        people = (reading for reading in self.readings if reading.kind != "model")
        return {reading.key_of(note): reading for reading in people for note in reading.notes}

    @cached_property
    def notes(self) -> dict[str, Note]:
        """All of people's notes, by their keys."""
        people = (reading for reading in self.readings if reading.kind != "model")
        return {reading.key_of(note): note for reading in people for note in reading.notes}

    @cached_property
    def unsorted(self) -> tuple[str, ...]:
        """Keys of the notes that are in no failure mode."""
        return tuple(key for key in self.notes if not self.codebook.modes_of(key))

    @cached_property
    def waiting(self) -> tuple[str, ...]:
        """Keys of the notes for which a model's suggestion waits for a person's decision."""
        return tuple(self.codebook.waiting(self.notes))

    @cached_property
    def notes_in(self) -> dict[str, dict[str, Note]]:
        """The notes in each listed failure mode: by the mode's name, then by the note's key."""
        by_mode: dict[str, dict[str, Note]] = {mode.name: {} for mode in self.codebook.listed}
        for key, note in self.notes.items():
            for name in self.codebook.modes_of(key):
                by_mode[name][key] = note
        return by_mode

    @cached_property
    def raters(self) -> tuple[str, ...]:
        """Names of the readers, from the one with the most readings to the one with the fewest."""
        counts = Counter(reading.rater for reading in self.readings if reading.is_finished)
        return tuple(rater for rater, _ in counts.most_common())

    @cached_property
    def random_ids(self) -> tuple[str, ...]:
        """Ids of the outputs that are part of the random draw and have a reading that counts, in reading order."""
        return tuple(id for id in self.order.random_part(self.readings) if id in self.by_id)

    @cached_property
    def chosen_ids(self) -> tuple[str, ...]:
        """Ids of the outputs that have a reading that counts, but aren't part of the random draw."""
        random_ids = set(self.random_ids)
        return tuple(id for id in self.by_id if id not in random_ids)

    @cached_property
    def unclear_ids(self) -> tuple[str, ...]:
        """Ids of the outputs that their readers couldn't judge."""
        finished = dict.fromkeys(reading.id for reading in self.readings if reading.is_finished)
        return tuple(id for id in finished if id not in self.by_id)

    # --- modes --------------------------------------------------------------------------------------------------------

    def shown_by(self, reading: OutputReading) -> frozenset[str]:
        """Return the failure modes that a reader noted on an output, or confirmed when reading the output again."""
        noted = {name for note in reading.notes for name in self.codebook.modes_of(reading.key_of(note))}
        return frozenset(
            noted | {mode.name for mode in self.codebook.listed if answered_again(reading, mode) == "there"}
        )

    @cached_property
    def modes_of(self) -> dict[str, frozenset[str]]:
        """The failure modes that at least one reader saw in each output, by the output's id."""
        return {
            id: frozenset().union(*(self.shown_by(reading) for reading in readings))
            for id, readings in self.by_id.items()
        }

    @cached_property
    def _first_notes(self) -> dict[tuple[str, str], tuple[int, str]]:
        """Line number and output's id of each reader's first note in each failure mode, by names of reader and mode."""
        first: dict[tuple[str, str], tuple[int, str]] = {}
        for key, reading in self.readings_by_note.items():
            assignment = self.codebook.assigned.get(key)
            line_and_output = (self.notes[key].line, reading.id)
            for name in assignment.modes if assignment is not None else ():
                noted = (reading.rater, self.codebook.mode(name).name)
                first[noted] = min(first.get(noted, line_and_output), line_and_output)
        return first

    def is_read_for(self, id: str, mode: Mode) -> bool:
        """Return True if any reader of an output looked for a mode (a kind of fault) in it.

        A reader looked for it if the page listed the mode, if the reader had noted the mode before, or if the page
        asked about it.
        """
        return any(self._reads_for(reading, mode) for reading in self.by_id.get(id, ()))

    def _reads_for(self, reading: OutputReading, mode: Mode) -> bool:
        if answered_again(reading, mode) in ("there", "not there") or was_listed(reading, mode):
            return True
        if mode.half_of and self._reads_for(reading, self.codebook.mode(mode.half_of)):
            return True
        parts = self.codebook.parts_of(mode)
        defined = [part_mode for part_mode in parts if part_mode.definition]
        if defined:
            return all(self._reads_for(reading, part_mode) for part_mode in defined)
        if any(name in reading.listed for name in mode.names) or (mode.reworded and reading.is_before(mode.reworded)):
            return False  # it was read under another meaning
        names = [mode.name, *(part_mode.name for part_mode in parts)]
        firsts = [first for name in names if (first := self._first_notes.get((reading.rater, name))) is not None]
        if not firsts:
            return False
        line, id = min(firsts)
        return reading.line > line and reading.id != id

    def figures_of(self, mode: Mode) -> ModeFigures:
        """Compute a failure mode's figures: its count, its share of outputs, and which outputs to read again for it."""
        shows = {id for id, names in self.modes_of.items() if mode.name in names}
        read_for = [id for id in self.random_ids if self.is_read_for(id, mode)]
        counted = set(read_for)
        again = tuple(id for id in self.random_ids if id not in counted and id not in shows)
        if not again:  # every output before it was named is settled, so all count
            read_for = list(self.random_ids)
        share = listed_share(
            [float(id in shows) for id in read_for], self._groups_of(read_for), of="outputs read for it"
        )
        return ModeFigures(mode, len(shows), len(read_for), share, again)

    def _groups_of(self, ids: Sequence[str]) -> list[str] | None:
        """Return the name of each output's group, a name of its own if it has no group; None if no output has one."""
        if not any(self.groups.get(id) for id in ids):
            return None
        return [self.groups.get(id) or f"\0{id}" for id in ids]

    @cached_property
    def mode_figures(self) -> tuple[ModeFigures, ...]:
        """Figures of the listed failure modes, sorted by severity times share of outputs, the highest first."""
        figures = [self.figures_of(mode) for mode in self.codebook.listed]
        return tuple(sorted(figures, key=lambda figure: (-figure.importance, -figure.mode.severity, -figure.count)))

    # --- what is unseen -----------------------------------------------------------------------------------------------

    @cached_property
    def _sequence(self) -> tuple[tuple[str, ...], tuple[frozenset[str], ...], tuple[bool, ...]]:
        """The outputs that one reader read in random order: their ids, the failure modes of each, and new-mode flags.

        An output's flag is True if the reader noted a mode on it for the first time. The reader is the one who read
        most outputs of the random draw. A note that isn't put into a mode yet counts as a mode of its own.
        """
        random_ids = set(self.random_ids)
        counts = Counter(reading.rater for reading in self.counted if reading.id in random_ids)
        if not counts:
            return (), (), ()
        ((rater, _),) = counts.most_common(1)
        ids: list[str] = []
        modes: list[frozenset[str]] = []
        is_new: list[bool] = []
        seen: set[str] = set()
        mine = sorted((reading for reading in self.counted if reading.rater == rater), key=lambda reading: reading.line)
        for reading in mine:
            named = self.shown_by(reading) | self._alone(reading)
            if reading.id in random_ids and not self._is_out_of_turn(reading):
                ids.append(reading.id)
                modes.append(named)
                is_new.append(not named <= seen)
            seen |= named
        return tuple(ids), tuple(modes), tuple(is_new)

    def _is_out_of_turn(self, reading: OutputReading) -> bool:
        return reading.is_chosen and reading.id not in self.order.ids[: self.order.n_drawn]

    def _alone(self, reading: OutputReading) -> frozenset[str]:
        keys = (reading.key_of(note) for note in reading.notes)
        return frozenset(f"\0{key}" for key in keys if not self.codebook.modes_of(key))

    @cached_property
    def new_modes(self) -> NewModes:
        """Estimated number of failure modes that nobody has noted yet, and a bound on the share of outputs with one."""
        ids, _, is_new = self._sequence
        table = self._incidence(self.random_ids)
        turing = good_turing(table)
        last = max((ordinal for ordinal, new in enumerate(is_new, start=1) if new), default=None)
        return NewModes(
            new_mode_bound(is_new),
            NEW_MODE_CONFIDENCE,
            None if last is None else len(ids) - last,
            len({name for id in self.random_ids for name in self.modes_of[id]}),
            len(ids),
            self._bound_over_tasks,
            None if math.isnan(turing) else turing,
            chao2(table),
        )

    @cached_property
    def _bound_over_tasks(self) -> float | None:
        marks = self.new_by_task
        return new_mode_bound(marks) if len(marks) >= FEWEST_TASKS else None

    @cached_property
    def new_by_task(self) -> tuple[bool, ...]:
        """For each task in reading order, True if its first output read showed a new failure mode; () without tasks."""
        ids, _, is_new = self._sequence
        if not any(self.groups.get(id) for id in ids):
            return ()
        tasks: dict[str, bool] = {}
        for id, new in zip(ids, is_new, strict=True):
            tasks.setdefault(self.groups.get(id) or f"\0{id}", new)
        return tuple(tasks.values())

    def read_more(self, share: float = LARGE_SHARE, sure: float = SURE) -> ReadMore:
        """Return how many more outputs, or tasks if outputs are grouped, to read at random to see all common failures.

        Args:
            share: Share of outputs above which a failure mode counts as common.
            sure: Confidence that no common mode goes unseen.
        """
        groups = self._groups_of(self.order.ids) if self.order.is_pool else None
        read = len(self.random_ids)
        pool = len(self.order.ids) if self.order.is_pool else None
        unit = "outputs"
        if groups is not None and len(set(groups)) >= GROUPS_TO_COUNT:
            read = len({self.groups.get(id) or f"\0{id}" for id in self.random_ids})
            pool = len(set(groups))
            unit = "tasks"
        unread = math.inf if pool is None else pool - read
        more = int(min(unread, max(0, read_enough(share, sure, pool=pool) - read)))
        more_for_all = int(min(unread, max(0, read_enough_for_all(share, sure) - read)))
        return ReadMore(share, sure, more, more_for_all, chance_missed(read, share, pool=pool), unit)

    @cached_property
    def modes_as_read(self) -> tuple[int, ...]:
        """Number of different failure modes noted up to each output, in the order in which people read the outputs."""
        _, modes, _ = self._sequence
        seen: set[str] = set()
        as_read = []
        for names in modes:
            seen |= {name for name in names if not name.startswith("\0")}
            as_read.append(len(seen))
        return tuple(as_read)

    @cached_property
    def modes_averaged(self) -> tuple[float, ...]:
        """Number of failure modes seen after 1, 2, … outputs, averaged over all orders of reading them."""
        return tuple(float(value) for value in rarefaction(self._incidence(self.random_ids)))

    def _incidence(self, ids: Sequence[str]) -> "np.typing.NDArray[np.float64]":
        names = [mode.name for mode in self.codebook.listed]
        rows = [[float(name in self.modes_of[id]) for name in names] for id in ids]
        return np.array(rows, dtype=np.float64).reshape(len(ids), len(names))


def was_listed(reading: OutputReading, mode: Mode) -> bool:
    """Return True if the page listed a failure mode during a reading, with a definition that means the same today."""
    return any(name in reading.listed and mode.means(reading.listed[name]) for name in mode.names)


def answered_again(reading: OutputReading, mode: Mode) -> str:
    """Return a reader's answer on rereading an output for a failure mode; "" if none, or if the meaning has changed."""
    answers = (reading.again[name] for name in mode.names if name in reading.again)
    return next((answer for answer, under in answers if mode.means(under)), "")


def sets_by_rater(outputs: ReadOutputs) -> dict[str, dict[str, frozenset[str]]]:
    """Map each output that several people have read to each reader's set of failure modes."""
    by_output: dict[str, dict[str, frozenset[str]]] = {}
    for id, readings in outputs.by_id.items():
        by_rater = {reading.rater: outputs.shown_by(reading) for reading in readings}
        if len(by_rater) > 1:
            by_output[id] = by_rater
    return by_output
