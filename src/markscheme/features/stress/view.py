"""The report of `stress`: a table of changes by criteria, and the examples whose ratings moved most."""

import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from markscheme.calibration.findings.commands import Commands
from markscheme.calibration.findings.judge import ENOUGH_SAMPLES
from markscheme.features.stress.battery import CONTROL, POLARITY, TRUNCATION, Battery
from markscheme.features.stress.result import DIAGNOSES, INSTRUCTION, MovedExample, Stress
from markscheme.features.stress.statistics import State, StressCell
from markscheme.judges.cost import Cost
from markscheme.judges.options import AskOptions
from markscheme.phrases import counted, estimated, listed, number, percent, signed
from markscheme.report.document import (
    Bars,
    Callout,
    Document,
    Items,
    Line,
    Mark,
    Name,
    Notes,
    Section,
    Table,
    Verbatim,
)
from markscheme.report.figures import NONE, cut_short, dollars, share
from markscheme.report.json import attributes
from markscheme.stats.change import NO_SHIFT_MARGIN

_IN_WORDS: Mapping[State, str] = {
    "finding": "moves the judge",
    "holds": "no effect",
    "unknown": "too few examples",
    "not-preserving": NONE,
}
"""Words for the state of a result in the table, next to its interval."""
_OF_DIAGNOSES: Mapping[str, tuple[str, str]] = {
    TRUNCATION: ("falls, as it should", "should fall"),
    POLARITY: ("wording, see below", "no effect"),
}
"""Words in the table for changes that may rightly move ratings: if one does, and if it doesn't."""
_NAMES = {CONTROL: "asked again", TRUNCATION: "cut in half", POLARITY: "asked in reverse"}
_ABOUT_SHIFTS = "Shift: level of the changed responses minus that of the originals, on the criterion that moves most."
_ABOUT_STATES: Mapping[State, str] = {
    "holds": f"No effect: a shift of over {percent(NO_SHIFT_MARGIN)} of the scale is ruled out.",
    "unknown": "Too few examples: neither an effect nor its absence is shown.",
}
_REMARKS = {
    TRUNCATION: " (should fall)",
    POLARITY: " (wording)",
    CONTROL: " (asked again)",
    INSTRUCTION: " (obeyed?)",
}
_ABOUT_TABLE = (
    "Moves: shown to move the judge (p at most 0.03 for the whole run). Within: no effect beyond that (90% CI). "
    "Below …?: a smaller effect may be there. –: the change may alter the level that is deserved."
)
_REACHES = (0.5, 1.0, 2.0)
"""Lengths, in levels, to one of which the line that shows shifts extends on either side."""
_LONGEST_TEXT = 600
"""Largest number of characters of each version of a response that are printed."""
_NOISY_LEVEL = 0.05
"""Significance level, over all results together, of the test that a change makes single ratings flip."""


def view(stress: Stress, judge: str, *, asked_as: str | None = None, ask: AskOptions | None = None) -> Document:
    """Render the headline, the table of changes by criteria, and the examples whose ratings moved most.

    Args:
        stress: The result of the run.
        judge: Name of the judge, for the title.
        asked_as: The judge as the user named it; None if none was named.
        ask: How the judge was asked.
    """
    battery = stress.battery
    of_questions = f"{stress.not_graded} of {counted(len(stress.grades), 'question')} not graded"
    graded = of_questions if stress.not_graded else "all graded"
    what = f"{counted(len(battery.examples), 'example')}, {graded}"
    repeats = "once" if battery.options.repeats == 1 else f"{battery.options.repeats} times"
    how_often = f"each {battery.options.originals} times as it is, once more to see chance, and {repeats} per change"
    calls = counted(stress.usage.calls, "call")
    is_readable = stress.control_moved is None
    return Document(
        title=f"Stress test of {battery.rubric.name} · {judge}",
        source=f"{what}. {calls}: {how_often}.",
        blocks=(
            callout(stress),
            *(
                [
                    _shifts(stress),
                    Notes((*_about_parts(stress), *_about_found(stress), *_about_wording(stress), *_noise(stress))),
                ]
                if is_readable
                else []
            ),
        ),
        sections=tuple(_sections(stress)) if is_readable else (),
        onward=_onward(stress, asked_as, ask),
    )


def _onward(stress: Stress, judge: str | None, ask: AskOptions | None) -> tuple[str, str] | None:
    """Return the next step as a sentence and a command: to label, to ask more samples, to reword or to calibrate.

    It is to label if the examples have no labels, to ask more samples if the judge is unstable, to try new wording if a
    change moves the judge, and else to calibrate.

    Args:
        stress: The result of the run.
        judge: The judge as the user named it; None if no judge was named.
        ask: How the judge was asked.
    """
    battery = stress.battery
    examples = battery.file if battery.is_labelled else None
    commands = replace(Commands.on(battery.rubric, judge), can_improve=battery.can_improve).after(examples, ask)
    if not battery.is_labelled:
        pool = None if battery.file is None else f"--pool {shlex.quote(str(battery.file))}"
        return "Next, label the examples, which shows whether the judge is right", commands.label(pool)
    if stress.control_moved is not None:
        samples = battery.rubric.samples
        often = ENOUGH_SAMPLES if samples < ENOUGH_SAMPLES else samples + 2
        return f"Next, ask each question {often} times", commands.calibrate(samples=f"--samples {often}")
    if stress.is_moved and commands.can_improve:
        return "Next, have the rubric reworded and the new words tested", commands.improve()
    return "Next", commands.calibrate()


def _sections(stress: Stress) -> Iterator[Section]:
    explained = tuple(f"{row.name}: {row.what}" for row in stress.battery.changes)
    yield Section("Every change and criterion", (_table(stress), Notes((_ABOUT_TABLE, *explained))))
    yield from _moved(stress)


def _shifts(stress: Stress) -> Bars:
    """Render, for each change, the shift on the criterion that it moves most, in levels."""
    spans = {criterion.name: criterion.scale.span for criterion in stress.battery.judged}
    rows = [(CONTROL, stress.control), *((row.name, stress.rows[row.name]) for row in stress.battery.changes)]
    furthest = [(name, *_furthest(cells)) for name, cells in rows if not _is_inapplicable(cells)]
    reached = [abs(end) for *_, cell in furthest for end in (cell.shift.low, cell.shift.high) if end is not None]
    half = next((half for half in _REACHES if max(reached, default=0.0) <= half), max(spans.values()))
    named = len(spans) > 1
    return Bars(
        tuple(
            (f"{_NAMES.get(name, name)}{f' · {criterion}' if named else ''}", _shift_mark(name, cell, half))
            for name, criterion, cell in furthest
        ),
        " ".join((_ABOUT_SHIFTS, *_about_states(cell for *_, cell in furthest))),
        "90% CI of the shift, in levels",
        axis=(-half, 0.0, half),
    )


def _about_states(cells: Iterable[StressCell]) -> Iterator[str]:
    """Explain the kinds of results other than findings that occur, such as "no effect" or "too few examples"."""
    states = {cell.state for cell in cells}
    yield from (about for state, about in _ABOUT_STATES.items() if state in states)


def _about_found(stress: Stress) -> Iterator[str]:
    """Yield a sentence for each change that moved the judge, on what it adds to a response or changes in it."""
    moving = {name for name, *_ in stress.findings}
    yield from (f"{row.name} adds or changes: {row.what}" for row in stress.battery.changes if row.name in moving)


def _about_parts(stress: Stress) -> Iterator[str]:
    """Yield sentences on how many ratings change when images or documents are replaced; many should change."""
    for change in stress.battery.part_changes:
        changed = stress.moved(change.name, change.name)
        if change.moves and changed:
            yield (
                f"{change.name} ({change.what}) changes the rating of {sum(changed)} of "
                f"{counted(len(changed), 'example')}; asking again, of {sum(stress.moved(change.name, CONTROL))}. "
                "It should change many."
            )


def _about_wording(stress: Stress) -> Iterator[str]:
    """Yield a note on the shift that asking for a criterion in reverse caused, if it caused a significant one."""
    if any(cell.state == "finding" for cell in stress.rows.get(POLARITY, {}).values()):
        yield (
            "Asked in reverse: the judge was asked whether the criterion is not met. A shift there is due to the "
            "criterion's words, and isn't counted as a fault of the judge."
        )


def _furthest(cells: Mapping[str, StressCell]) -> tuple[str, StressCell]:
    """Return the criterion whose ratings a change moves most, with the result.

    A shift that counts as a finding comes before any other shift. Next, a criterion whose right level stays comes
    before one whose right level the change may alter.

    Args:
        cells: The results of one change, by criterion.
    """

    def rank(cell: StressCell) -> tuple[bool, bool, float]:
        return cell.state == "finding", cell.state != "not-preserving", abs(cell.shift.value or 0.0)

    return max(cells.items(), key=lambda named: rank(named[1]))


def _is_inapplicable(cells: Mapping[str, StressCell]) -> bool:
    """Return True if a change may legitimately alter the level on every criterion, so that it tests nothing.

    Args:
        cells: The change's result on each criterion, by name.
    """
    return all(cell.state == "not-preserving" for cell in cells.values())


def _shift_mark(name: str, cell: StressCell, half: float) -> Mark:
    shift = cell.shift
    state_words = _IN_WORDS[cell.state]
    if name in _OF_DIAGNOSES and cell.state in ("finding", "holds"):
        falls = cell.state == "finding" and (shift.value or 0.0) < 0
        state_words = _OF_DIAGNOSES[name][0 if falls or (name == POLARITY and cell.state == "finding") else 1]
    text = state_words if shift.value is None else f"{signed(shift.value)} {state_words}"
    return Mark(text, shift.value, shift.low, shift.high, -half, half)


def callout(stress: Stress) -> Callout:
    """Render the headline of a stress run, with a sentence or two."""
    moved = stress.control_moved
    battery = stress.battery
    if moved is not None:
        text = (
            f"Asked again within this run, the originals already moved by {signed(moved[1].shift.value)} levels on "
            f"{moved[0]}: the judge is not stable, so the changes can't be interpreted."
        )
        return Callout("bad", "The judge isn't stable.", text)
    is_cut_short = stress.reads_to_the_end is False
    end = " Half of each answer was cut, and the score isn't shown to fall: this judge may not be reading to the end."
    end = end if is_cut_short else ""
    if stress.ignored_parts:
        return Callout("bad", "This judge doesn't look at the images.", f"{_ignored(stress)}{_moves(stress)}{end}")
    if stress.obeys:
        text = f"{_obedience(stress)}{_moves(stress)}{end}"
        return Callout("bad", "This judge obeys what a response tells it.", text)
    if stress.findings or stress.flips:
        return Callout("bad", "This judge can be moved.", f"{_moves(stress)}{end}".strip())
    unknown = _open_cells(stress)
    changes = counted(_expected_to_move_nothing(stress), "change")
    text = f"Each of the {changes} that should have no effect has none.{end}"
    if unknown:
        text = (
            f"None of the {changes} that should have no effect is shown to move it. In "
            f"{counted(len(unknown), 'combination')} of change and criterion {len(battery.examples)} examples are "
            f"too few to tell: take more examples (--n), or more answers to each (--repeats).{end}"
        )
    if is_cut_short:
        return Callout("bad", "This judge may not read to the end.", text)
    if unknown:
        return Callout("open", "No change is shown to move this judge.", text)
    return Callout("good", "Nothing moved this judge that shouldn't.", text)


def _expected_to_move_nothing(stress: Stress) -> int:
    """Count the tested changes that should leave ratings unchanged."""
    return sum(name not in DIAGNOSES and not _is_inapplicable(cells) for name, cells in stress.rows.items())


def _ignored(stress: Stress) -> str:
    """Return a sentence that lists changes of images and documents that should have moved the ratings but didn't."""
    changes = {change.name: change.what for change in stress.battery.part_changes}
    listed_changes = "; ".join(f"{name}: {changes[name]}" for name in stress.ignored_parts)
    return f"Its ratings change no more than when it is asked again, though they should ({listed_changes})."


def _obedience(stress: Stress) -> str:
    """Return a sentence on how many levels a response gains by asking to be passed."""
    criterion, cell = stress.obeys[0]
    others = f", and on {listed([name for name, _ in stress.obeys[1:]])}" if stress.obeys[1:] else ""
    gained = f"{signed(cell.shift.value)} levels on {criterion}{others}"
    return f"A response that asks to be marked as passing gains {gained}."


def _moves(stress: Stress) -> str:
    """Return sentences on what moves the judge: the largest finding, the first flip, and the effects of length.

    Each sentence begins with a space, so that it can follow another one.
    """
    sentences = [_shift(stress)] if stress.findings else []
    sentences += [_flip(stress)] if stress.flips else []
    sentences += [_length(stress, criterion) for criterion in stress.length]
    return "".join(f" {sentence}" for sentence in sentences)


def _shift(stress: Stress) -> str:
    name, criterion, cell = stress.findings[0]
    others = len(stress.findings) - 1
    move = "moves" if others == 1 else "move"
    further = f" {counted(others, 'other pair')} of change and criterion {move} it too." if others else ""
    return f"{name} moves {criterion} by {signed(cell.shift.value)} levels, though it should have no effect.{further}"


def _flip(stress: Stress) -> str:
    name, criterion, noise = stress.flips[0]
    is_steady = stress.rows[name][criterion].state == "holds"
    mean = ", though their mean stays" if is_steady else "; whether their mean moves isn't shown"
    return (
        f"Under {name}, {share(noise.changed)} of its ratings on {criterion} change, against {share(noise.retest)} "
        f"when it is asked again{mean}."
    )


def _length(stress: Stress, criterion: str) -> str:
    padded = stress.rows["padding"][criterion].shift.value
    return (
        f"Length moves {criterion}, whatever the words say: every change that adds words moves it the same "
        f"way. Sentences that say nothing move it by {signed(padded)} levels."
    )


def _open_cells(stress: Stress) -> list[StressCell]:
    """Return inconclusive results of changes that shouldn't move ratings: neither a shift nor none is shown."""
    rows = [row for name, row in stress.rows.items() if name not in DIAGNOSES]
    return [cell for row in rows for cell in row.values() if cell.state == "unknown"]


def _table(stress: Stress) -> Table:
    spans = {criterion.name: criterion.scale.span for criterion in stress.battery.judged}
    rows = [(CONTROL, stress.control), *((row.name, stress.rows[row.name]) for row in stress.battery.changes)]
    lines = tuple(_row(name, cells, spans) for name, cells in rows)
    return Table(("Change", *spans), lines, "Shift in levels")


def _row(name: str, cells: Mapping[str, StressCell], spans: Mapping[str, float]) -> tuple[Line, ...]:
    return (
        Name(f"{name}{_REMARKS.get(name, '')}"),
        *(cell_text(cells[criterion], span) for criterion, span in spans.items()),
    )


def cell_text(cell: StressCell, span: float) -> str:
    """Return the text of a table cell for a result, given the span of the criterion's scale."""
    shift = cell.shift
    if cell.state == "not-preserving" or shift.value is None or shift.low is None or shift.high is None:
        return NONE
    if cell.state == "finding":
        return f"{signed(shift.value)} moves"
    if cell.state == "holds":
        return f"within ±{number(max(abs(shift.low), abs(shift.high)))}"
    return f"below {number(cell.smallest)}?" if cell.smallest is not None and cell.smallest < span else "not known"


def _noise(stress: Stress) -> Iterator[str]:
    """Yield sentences on changes after which single ratings vary more than after asking the same prompt again."""
    for name, row in stress.rows.items():
        for criterion, cell in row.items():
            noise = cell.noise
            if (
                name not in DIAGNOSES
                and noise is not None
                and cell.state != "finding"
                and noise.p <= _NOISY_LEVEL / max(1, len(stress.rows) * len(row))
            ):
                yield (
                    f"{name}, {criterion}: {share(noise.changed)} of ratings differ from the original's, "
                    f"{share(noise.retest)} when the original is asked again; its effect differs from example to "
                    f"example by {number(noise.effect_sd)} levels (standard deviation)."
                )


def _moved(stress: Stress) -> Iterator[Section]:
    for (name, criterion), examples in stress.most.items():
        blocks = tuple(block for moved in examples for block in _example(moved))
        yield Section(f"{name} · {criterion}", blocks)


def _example(moved: MovedExample) -> Iterator[Any]:
    before, after = map(cut_short, moved.reasons)
    head = f"{moved.id}: {signed(moved.shift)} levels"
    yield Items(((head, f"original: “{before}”", f"changed: “{after}”"),))
    yield Verbatim(f"{moved.original[:_LONGEST_TEXT]}\n--- changed ---\n{moved.changed[:_LONGEST_TEXT]}")


def plan_view(battery: Battery, cost: Cost) -> Document:
    """Render the plan of a stress run: what would be asked, with a few of the changed texts."""
    tokens = f"about {estimated(cost.input_tokens)} tokens read, {estimated(cost.output_tokens)} written"
    calls = f"{counted(cost.calls, 'call')}, {tokens}: {dollars(cost.usd)}."
    changes = counted(len(battery.rows) + len(battery.part_changes), "change")
    return Document(
        f"stress of {battery.rubric.name} · {cost.judge}",
        f"{counted(len(battery.examples), 'example')}, {changes}. {calls}",
        (),
        tuple(
            Section(name, (Verbatim(f"{original[:_LONGEST_TEXT]}\n--- changed ---\n{changed[:_LONGEST_TEXT]}"),))
            for name, original, changed in battery.shown()
        ),
    )


def json_of(stress: Stress) -> dict[str, Any]:
    """Return a stress run as a dict with the keys of the JSON output."""
    return {
        "schema": 1,
        "n": len(stress.battery.examples),
        **attributes(stress, "calls=usage.calls not_graded control rows reads_to_the_end cost=usage"),
        "obeys": [name for name, _ in stress.obeys],
        "length": stress.length,
        "flips": [{"change": name, "criterion": criterion} for name, criterion, _ in stress.flips],
        "because": callout(stress).text,
        **({"ignored_parts": list(stress.ignored_parts)} if stress.battery.part_changes else {}),
    }
