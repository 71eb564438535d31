"""Work of one reader: the next outputs, their notes, and the grouping of notes; each change is written at once."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from markscheme.errors import RatingError, UsageError, writing
from markscheme.features.discover.figures import ReadOutputs
from markscheme.features.discover.modes import Assignment, Codebook, Mode, undone
from markscheme.features.discover.nearest import in_likeness_order, least_like, nearest_modes
from markscheme.features.discover.open_discovery import OpenedDiscovery
from markscheme.features.discover.order import is_due_out_of_turn
from markscheme.features.discover.reading import (
    AGAIN_ANSWERS,
    READ_STATES,
    AgainAnswer,
    Note,
    OutputReading,
    ReadState,
    reading_of,
)
from markscheme.files import set_aside_damaged_end, sync_folder, writing_lock
from markscheme.fingerprint import fingerprint
from markscheme.pages.example import SERVED, Shortening, render_example
from markscheme.pages.serving import duration
from markscheme.pages.share import Share
from markscheme.pages.words import first_words
from markscheme.plain_data import append_readable, elements, read_text
from markscheme.ratings.example_rows import Example

RECODED = 30
"""Largest number of notes that a second person sorts without seeing their modes."""
LOW_SCORES, UNLIKE = "low-score", "unlike"
"""Values of `--also` other than a file of ids: outputs with low scores, and outputs unlike those that were read."""
Clock = Callable[[], str]


@dataclass
class ReadingWork:
    """Work of one reader in a session: which outputs to read, and the notes and groups to store.

    Attributes:
        opened: The discovery, as it was when the page was opened.
        rater: Name of the reader.
        path: The reader's file of notes.
        lock: The lock on that file, held as long as this process may write to it.
        clock: Function that returns the present time as the text that a reading stores.
        view: The view that the page opens with: "read", "group", "again" or "recode".
        is_second: True if the reader reads outputs that others have read, without seeing their notes.
        also: Ids of outputs to show out of turn, in order.
        mine: Ids of the outputs that this reader is to read; None if the reader is to read all.
        history: The changes of groups on this page: the codebook before and after each.
    """

    opened: OpenedDiscovery
    rater: str
    path: Path
    lock: ExitStack
    clock: Clock
    view: str = "read"
    is_second: bool = False
    also: tuple[str, ...] = ()
    mine: frozenset[str] | None = None
    history: list[tuple[Codebook, Codebook]] = field(default_factory=list)

    def close(self) -> None:
        """Release the lock, so that other processes may work as this reader."""
        self.lock.close()

    # --- what is read -------------------------------------------------------------------------------------------------

    def outputs(self) -> ReadOutputs:
        """Return the outputs that any reader has read so far, with the codebook and the reading order."""
        return self.opened.outputs()

    @cached_property
    def ids(self) -> dict[str, str]:
        """Ids of outputs by their names on the page, which hides ids because they might reveal an author."""
        return {unit_name(id): id for id in self.opened.pool.examples}

    def own_readings(self) -> dict[str, OutputReading]:
        """Return the reader's own readings, by the output's id."""
        return {reading.id: reading for reading in self.opened.folder.readings() if reading.rater == self.rater}

    @cached_property
    def steps(self) -> tuple[tuple[str, bool], ...]:
        """The outputs to read in this session, in order, each with True if `--also` shows it out of turn.

        Outputs that the reader has read come first. A second reader goes on with outputs that others have read; any
        other reader goes on with outputs that nobody else has read.
        """
        outputs = self.outputs()
        own_ids = {reading.id for reading in outputs.readings if reading.rater == self.rater}
        finished = [reading.id for reading in outputs.readings if reading.rater == self.rater and reading.is_finished]
        by_others = {reading.id for reading in outputs.readings if reading.is_finished and reading.rater != self.rater}
        known_ids = self.opened.pool.examples.keys() - set(self.opened.unread)
        order = [id for id in outputs.order.ids if id in known_ids and (self.mine is None or id in self.mine)]
        if self.is_second:
            in_turn = [id for id in order if id in by_others and id not in finished]
        else:
            in_turn = [id for id in order if id not in finished and (id not in by_others or id in own_ids)]
        chosen = [id for id in self.also if id in known_ids and id not in finished and id not in by_others]
        earlier = [(id, False) for id in finished if id in known_ids]
        return (*earlier, *_interleaved(in_turn, [] if self.is_second else chosen))

    def _id(self, unit: str) -> str:
        """Find the id of an output by its name on the page.

        Raises:
            UsageError: The page has no output with that name.
        """
        if unit not in self.ids:
            raise UsageError("there is no such output here; reload the page")
        return self.ids[unit]

    def shown(self, unit: str) -> str | None:
        """Return the HTML of an output and its inputs for the page; None if there is no such output.

        Args:
            unit: The output's name on the page.
        """
        example = self.opened.pool.examples.get(self.ids.get(unit, ""))
        return None if example is None else shown_output(example, SERVED)

    def read(self, unit: str, sent: Mapping[str, Any]) -> OutputReading:
        """Store a reading that the page sends; it is on disk when this returns.

        Args:
            unit: Id of the output.
            sent: The reading as the page sends it: how the output was read, notes, decision and duration.

        Raises:
            UsageError: The output doesn't exist; nothing is stored.
        """
        id = self._id(unit)
        earlier = self.own_readings().get(id)
        notes, modes = self._notes(id, sent.get("notes"))
        state: ReadState = sent["read"] if sent.get("read") in READ_STATES else "open"
        passed = sent.get("pass") if isinstance(sent.get("pass"), bool) else None
        reading = OutputReading(
            id,
            self.rater,
            read=state,
            notes=notes,
            listed=dict(earlier.listed) if earlier is not None else self._listed(sent.get("listed")),
            again=earlier.again if earlier is not None else {},
            passed=passed,
            at=self.clock(),
            seconds=duration(sent.get("seconds")),
            is_chosen=earlier.is_chosen if earlier is not None else dict(self.steps).get(id, False),
        )
        self._append(reading)
        self._put_into_modes(reading, modes, earlier)
        return reading

    def _notes(self, id: str, sent: Any) -> tuple[tuple[Note, ...], dict[int, tuple[str, ...]]]:
        """Read the notes that the page sends, and the failure modes that each note was put into.

        Args:
            id: Id of the output that the notes are on.
            sent: The list of notes, as the page sends it.

        Returns:
            The notes; and for each note, by its number `n`, the names of the modes that it was put into.
        """
        material = self.opened.pool.materials[id]
        notes: list[Note] = []
        modes: dict[int, tuple[str, ...]] = {}
        for raw in elements(sent):
            n = raw.get("n") if isinstance(raw, dict) else None
            if isinstance(n, bool) or not isinstance(n, int) or n < 1:
                continue
            quote = str(raw.get("quote") or "")
            where = material.find(quote) if quote else None
            notes.append(Note(n, str(raw.get("text") or "").strip(), quote or None, where))
            modes[n] = tuple(str(name) for name in elements(raw.get("modes")) if name)
        return tuple(notes), modes

    def _listed(self, sent: Any) -> dict[str, str]:
        """Return the failure modes that the page listed, without modes that have got another meaning since.

        Args:
            sent: What the page sent: for each mode's name, the fingerprint of the definition that the page listed.

        Returns:
            The fingerprints, by the mode's name.
        """
        today = {mode.name: mode for mode in self.opened.codebook().listed}
        pairs = sent.items() if isinstance(sent, dict) else ()
        return {str(name): str(under) for name, under in pairs if name in today and today[name].means(str(under))}

    def _append(self, reading: OutputReading) -> None:
        with writing(self.path):
            append_readable(self.path, [reading.to_json()], reading_of)

    def _put_into_modes(
        self, reading: OutputReading, modes: Mapping[int, tuple[str, ...]], earlier: OutputReading | None
    ) -> None:
        """Store the failure modes that the reader chose for each note; a new name makes a mode without a definition.

        Args:
            reading: The reading with its notes.
            modes: Names of the modes chosen for each note, by the note's number.
            earlier: The reader's earlier reading of this output. If it is None, nothing is stored for a note without a
                mode, since the note can't have had one before.
        """

        def changed(book: Codebook) -> Codebook:
            for note in reading.notes:
                key = reading.key_of(note)
                before = book.modes_of(key)
                wanted = modes.get(note.n, ())
                if wanted == before or (earlier is None and not wanted):
                    continue
                for name in wanted:
                    if not any(name in mode.names for mode in book.modes):
                        book = book.name_mode(Mode(name, by=self.rater, named=self.clock()))
                book = book.assign(Assignment(key, wanted, self.rater, "human", self.clock()))
            return book

        self.change(changed, keeps_history=False)

    def withdraw(self, unit: str) -> None:
        """Reopen an output that the reader had finished; its notes stay.

        Args:
            unit: The output's name on the page.

        Raises:
            UsageError: The output doesn't exist.
        """
        reading = self.own_readings().get(self._id(unit))
        if reading is not None:
            self._append(replace(reading, read="open", at=self.clock()))

    # --- reading again ------------------------------------------------------------------------------------------------

    def again_pairs(self) -> list[tuple[str, str]]:
        """Return pairs of a failure mode's name and an output's id: outputs to read again to see if they show the mode.

        The pairs are in the order of modes. Among a mode's outputs, those most like the mode's notes come first.
        """
        discovery = self.opened.discovery()
        pairs = []
        for figures in discovery.outputs.mode_figures:
            ids = [id for id in discovery.again_for(figures.mode.name) if id in self.opened.pool.examples]
            pairs += [(figures.mode.name, id) for id in ids]
        return pairs

    def answer_again(self, unit: str, name: str, answer: str | None) -> None:
        """Store the reader's answer on whether an output, read again, shows a failure mode; None withdraws the answer.

        Raises:
            UsageError: The output or the mode doesn't exist, or the answer is invalid; nothing is stored.
        """
        id = self._id(unit)
        if answer is not None and answer not in AGAIN_ANSWERS:
            raise UsageError(f"an answer is one of {', '.join(AGAIN_ANSWERS)}; got {answer!r}")
        mode = self.opened.codebook().mode(name)
        reading = self.own_readings().get(id) or OutputReading(id, self.rater, read="unclear", at=self.clock())
        if not reading.is_finished or reading.read == "unclear":  # others read it first; this reader looks for one mode
            reading = replace(reading, read="noted")
        others = {key: value for key, value in reading.again.items() if key not in mode.names}
        now = {} if answer is None else {mode.name: (cast(AgainAnswer, answer), mode.fingerprint)}
        again = {**others, **now}
        self._append(replace(reading, again=again, is_chosen=reading.is_chosen or not reading.line, at=self.clock()))

    # --- grouping -----------------------------------------------------------------------------------------------------

    def change(self, changed: Callable[[Codebook], Codebook], *, keeps_history: bool = True) -> None:
        """Apply a function that changes the codebook, and save the result; with `keeps_history` the page can undo it.

        Raises:
            UsageError: The change isn't possible; nothing is written.
        """
        with self.opened.folder.locked():
            before = self.opened.codebook()
            after = changed(before)
            if after == before:
                return
            self.opened.folder.save(before, after)
        if keeps_history:
            self.history.append((before, after))

    def undo(self) -> None:
        """Undo the last change made on this page; what others have changed since stays."""
        if self.history:
            before, after = self.history.pop()
            self.change(lambda book: undone(book, before, after), keeps_history=False)

    def group(self, sent: Mapping[str, Any]) -> None:
        """Carry out an action of the grouping view, such as a merge of failure modes, in the codebook.

        Args:
            sent: What the page sends: the action under `do`, and the action's arguments.

        Raises:
            UsageError: The action isn't possible.
        """
        action = str(sent.get("do"))
        if action == "undo":
            self.undo()
            return
        if note := sent.get("note"):
            self._refuse_unknown_note(str(note))
        moment = self.clock()
        self.change(lambda book: _grouped(book, action, sent, self.rater, moment).signed(book, self.rater, moment))

    def _refuse_unknown_note(self, note: str) -> None:
        if note not in self.outputs().notes:
            raise UsageError("there is no such note here; reload the page")

    def recode_notes(self) -> list[str]:
        """Return the keys of the notes that this person is to sort again without seeing how others sorted them.

        These are thirty of the notes that others sorted, without those that this person has sorted again already.
        """
        outputs = self.outputs()
        recoded = {recoding.note for recoding in outputs.codebook.recoded if recoding.by == self.rater}
        by_others = [
            key
            for key in outputs.notes
            if outputs.codebook.modes_of(key) and outputs.codebook.assigned[key].by != self.rater
        ]
        chosen = sorted(by_others, key=lambda key: fingerprint("recode", key))[:RECODED]
        return [key for key in chosen if key not in recoded]

    def recode(self, note: str, modes: Sequence[str]) -> None:
        """Store into which failure modes a second person puts a note; the codebook's assignments stay as they are.

        Raises:
            UsageError: The note or a mode doesn't exist; nothing is stored.
        """
        self._refuse_unknown_note(note)
        assignment = Assignment(note, tuple(modes), self.rater, "human", self.clock(), is_recode=True)
        self.change(lambda book: book.assign(assignment), keeps_history=False)


def unit_name(id: str) -> str:
    """Return the name that an output has on the page instead of its id."""
    return fingerprint("output", id)


def shown_output(example: Example, shortening: Shortening | None = None) -> str:
    """Render an output and its inputs as HTML, without verdicts and without other readers' notes.

    Args:
        example: The output with its inputs.
        shortening: Limits that keep the page small; None to show everything.
    """
    return render_example(example.submission, list(example.submission.inputs), shortening=shortening)


def named_by(example: Example) -> dict[str, str]:
    """Return a title for an output on the page: the first words of its query and of its response."""
    query = next(iter(example.submission.inputs.values()), "")
    return {"query": first_words(query), "response": first_words(example.submission.response) or "(empty)"}


def _interleaved(in_turn: Sequence[str], chosen: Sequence[str]) -> Iterable[tuple[str, bool]]:
    """Merge outputs to read in order with chosen ones; return ids, each with True if its output was chosen.

    Every fourth output is a chosen one, while any are left.

    Args:
        in_turn: Ids of the outputs in reading order.
        chosen: Ids of the outputs to show out of turn.
    """
    waiting = list(dict.fromkeys(chosen))
    shown: dict[str, bool] = {}
    for id in in_turn:
        while waiting and is_due_out_of_turn(len(shown)):
            early = waiting.pop(0)
            shown.setdefault(early, True)
        shown.setdefault(id, False)
    return tuple(shown.items())


def _grouped(book: Codebook, action: str, sent: Mapping[str, Any], rater: str, moment: str) -> Codebook:
    """Return the codebook after an action of the grouping view, such as a merge of failure modes.

    Args:
        book: The codebook before.
        action: Name of the action.
        sent: What the page sends with the action, such as the keys of notes and the names of modes.
        rater: Name of the reader.
        moment: The present time, as it is stored.
    """
    name = str(sent.get("mode") or "")
    note = str(sent.get("note") or "")
    texts = [" ".join(str(text).split()) for text in sent.get("names") or () if str(text).strip()]
    match action:
        case "assign":
            modes = tuple(str(mode) for mode in sent.get("modes") or ())
            return book.assign(Assignment(note, modes, rater, "human", moment))
        case "accept":
            return book.accept([str(key) for key in sent.get("notes") or ()], rater, moment)
        case "name":
            mode = Mode(" ".join(name.split()), by=rater, named=moment)
            named = book.name_mode(mode)
            if not note:
                return named
            return named.assign(Assignment(note, (*named.modes_of(note), mode.name), rater, "human", moment))
        case "rename":
            return book.rename(name, texts[0] if texts else "")
        case "define":
            words = " ".join(str(sent.get("definition") or "").split())
            return book.define(name, words, moment, same_meaning=sent.get("same") is True)
        case "severity":
            severity = sent.get("severity")
            return book.with_severity(name, severity if isinstance(severity, int) else 0)
        case "turn":
            return book.turn(name)
        case "anchor":
            quote = str(sent.get("quote") or "")
            mode = book.mode(name)
            key = "fine" if sent.get("fine") is True else "quotes"
            chosen = tuple(text for text in getattr(mode, key) if text != quote)
            added = chosen if quote in getattr(mode, key) else (*chosen, quote)
            if key == "fine":
                return book.with_quotes(name, mode.quotes, added)
            return book.with_quotes(name, added)
        case "merge":
            parts = [name, *texts]
            return book.merge(parts, replace(book.mode(parts[-1]), by=rater, named=moment))
        case "split":
            severity = book.mode(name).severity
            return book.split(name, [Mode(text, severity=severity, by=rater, named=moment) for text in texts])
    raise UsageError(f"unknown change {action!r}")


# --- what the page shows of modes and notes ---------------------------------------------------------------------------


def listed_modes(book: Codebook) -> list[dict[str, Any]]:
    """Return the listed failure modes as dicts for the reading view."""
    return [
        {"name": mode.name, "definition": mode.definition, "under": mode.fingerprint, "severity": mode.severity}
        for mode in book.listed
    ]


def grouping_state(work: ReadingWork) -> dict[str, Any]:
    """Return the data that the grouping view shows: notes by failure mode, and which notes and modes are similar."""
    outputs = work.outputs()
    book = outputs.codebook
    texts = {key: note.words for key, note in outputs.notes.items()}
    members = {name: list(notes) for name, notes in outputs.notes_in.items()}
    unsorted = {key: texts[key] for key in outputs.unsorted}
    suggested = {key: list(book.suggestion_of(key)) for key in outputs.waiting}
    return {
        "modes": [
            {
                "name": figures.mode.name,
                "definition": figures.mode.definition,
                "under": figures.mode.fingerprint,
                "severity": figures.mode.severity,
                "turned": figures.mode.is_turned,
                "quotes": list(figures.mode.quotes),
                "fine": list(figures.mode.fine),
                "count": figures.count,
                "share": figures.share.as_share() if figures.read_for else "",
                "notes": list(in_likeness_order({key: texts[key] for key in members[figures.mode.name]})),
            }
            for figures in outputs.mode_figures
        ],
        "proposed": [
            {"name": mode.name, "definition": mode.definition}
            for mode in book.modes
            if mode.kind == "model" and any(mode.name in names for names in suggested.values())
        ],
        "unsorted": list(in_likeness_order(unsorted)),
        "notes": {
            key: {"text": note.text, "quote": note.quote or "", "unit": unit_name(outputs.readings_by_note[key].id)}
            for key, note in outputs.notes.items()
        },
        "nearest": {key: list(names) for key, names in nearest_modes(texts, members).items()},
        "suggested": {
            key: {"modes": names, "firm": book.suggested[key].is_firm} for key, names in suggested.items() if names
        },
        "undo": len(work.history),
        "agreement": work.opened.folder.pool_record().agreement,
    }


def also_ids(wish: str | None, opened: OpenedDiscovery) -> tuple[str, ...]:
    """Return the ids of the outputs that `--also` shows out of turn, in the order of showing.

    Args:
        wish: The value of `--also`: `low-score` for those with low scores first, `unlike` for those least like the
            outputs read so far, or a file of ids; None shows no output out of turn.
        opened: The discovery.

    Raises:
        UsageError: The pool has no scores, or a file has no ids.
        RatingError: A file can't be read.
    """
    if wish is None:
        return ()
    pool = opened.pool
    if wish == LOW_SCORES:
        if not pool.scores:
            raise UsageError("--also low-score needs a pool with a judge's scores, such as Promptfoo's results")
        return tuple(sorted(pool.scores, key=lambda id: pool.scores[id]))
    if wish == UNLIKE:
        read = {reading.id for reading in opened.folder.readings() if reading.is_finished}
        return least_like([pool.texts[id] for id in read if id in pool.texts], _others(pool.texts, read))
    path = Path(wish)
    if not path.is_file():
        raise UsageError(f"--also is {LOW_SCORES}, {UNLIKE} or a file of ids; there is no file {wish}")
    ids = [line.strip() for line in read_text(path, RatingError).splitlines() if line.strip()]
    if not set(ids) & set(pool.examples):
        raise UsageError(f"{wish} names no output of the pool; it has one id a line")
    return tuple(ids)


def _others(texts: Mapping[str, str], ids: Collection[str]) -> dict[str, str]:
    return {id: text for id, text in texts.items() if id not in ids}


def open_reading(
    opened: OpenedDiscovery,
    rater: str,
    clock: Clock,
    *,
    view: str = "read",
    is_second: bool = False,
    also: tuple[str, ...] = (),
    share: Share | None = None,
) -> ReadingWork:
    """Open what a reader is to read, with the reader's earlier notes, under a lock.

    Args:
        opened: The discovery.
        rater: Name of the reader.
        clock: Function that returns the present time, as readings store it.
        view: The view that the page opens with: "read" to read outputs, "group" to group notes into failure modes,
            "again" to read outputs again for modes that were named later, or "recode" to group notes without seeing
            their modes.
        is_second: True if the reader reads outputs that others have read, without seeing their notes.
        also: Ids of outputs to show out of turn, in order.
        share: How readers share the outputs; None if the reader reads all of them.

    Raises:
        UsageError: There are no outputs, the reader's name can't be that of a file, or the reader is reading elsewhere.
    """
    if not opened.pool.examples:
        raise UsageError(f"there are no outputs of {opened.folder.name} yet: name them, --pool FILE")
    path = opened.folder.notes_file(rater)
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = writing_lock(path, rater)
    sync_folder(path.parent)
    try:
        with writing(path):
            set_aside_damaged_end(path)
        mine = None if share is None else _shared(opened, share, rater)
        return ReadingWork(opened, rater, path, lock, clock, view, is_second, also, mine)
    except BaseException:
        lock.close()
        raise


def _shared(opened: OpenedDiscovery, share: Share, rater: str) -> frozenset[str]:
    """Return the ids of the outputs that one reader is to read when several readers divide the outputs among them.

    Args:
        opened: The discovery; its outputs that are to stay unread go to no reader.
        share: The readers, and how many of them read each output.
        rater: The reader.
    """
    unread = set(opened.unread)
    ids = [id for id in opened.order.ids if id not in unread]
    finished: dict[str, set[str]] = {}
    for reading in opened.folder.readings():
        if reading.is_finished:
            finished.setdefault(reading.id, set()).add(reading.rater)
    assigned = share.assigned(ids, finished, seed=opened.seed)
    return frozenset(id for id, raters in zip(ids, assigned, strict=True) if rater in raters)
