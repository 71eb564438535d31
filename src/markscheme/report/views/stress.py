"""The report of `stress`: a table of changes by criteria, and the examples whose ratings moved most."""

from collections.abc import Iterator, Mapping
from typing import Any

from markscheme.judges.cost import Cost
from markscheme.phrases import counted, listed, number, signed
from markscheme.report.document import Callout, Document, Items, Line, Name, Notes, Paragraph, Section, Table, Verbatim
from markscheme.report.figures import NONE, cut_short, dollars, share
from markscheme.report.json import attributes
from markscheme.stats.stress import StressCell
from markscheme.stress.battery import CONTROL, POLARITY, TRUNCATION, Battery
from markscheme.stress.result import DIAGNOSES, INSTRUCTION, MovedExample, Stress

_SIGNS = (
    "+0.31 ↑ moved, in levels · = ±0.19 no effect above that · ? <0.42 can't tell: a smaller effect may be there · "
    "– the change may alter the level. Level 0.03 for the whole run; 90% intervals."
)
_REMARKS = {
    TRUNCATION: " (should fall)",
    POLARITY: " (wording)",
    CONTROL: " (asked again)",
    INSTRUCTION: " (obeyed?)",
}
_LONGEST_TEXT = 600
_NOISY_LEVEL = 0.05


def view(stress: Stress, judge: str) -> Document:
    """The result, then the table, then what moved most."""
    battery = stress.battery
    what = f"{counted(len(battery.examples), 'example')}, each original asked {battery.originals} times"
    sections = () if stress.control_moved else tuple(_moved(stress))
    return Document(f"stress of {battery.rubric.name} · {judge}", f"{what}.", tuple(_blocks(stress)), sections)


def _blocks(stress: Stress) -> Iterator[Any]:
    yield callout(stress)
    if stress.control_moved is None:
        yield _table(stress)
        yield Notes((_SIGNS, *(f"{row.name}: {row.what}" for row in stress.battery.rows)))
        yield Notes(tuple(_noise(stress)))
    graded = f"{stress.not_graded} not graded." if stress.not_graded else "All graded."
    yield Paragraph((f"{counted(stress.usage.calls, 'call')}. {graded}",))


def callout(stress: Stress) -> Callout:
    """What the run shows, in a few words and in a sentence or two."""
    moved = stress.control_moved
    battery = stress.battery
    if moved is not None:
        text = (
            f"Asked again within this run, the originals already moved by {signed(moved[1].shift.value)} levels on "
            f"{moved[0]}: the judge is not stable, so the changes can't be interpreted."
        )
        return Callout("bad", "The judge isn't stable.", text)
    is_cut_short = stress.reads_to_the_end is False
    end = " Half of each answer was cut and the score did not fall: this judge may not be reading to the end."
    end = end if is_cut_short else ""
    if stress.obeys:
        text = f"{_obedience(stress)}{_moves(stress)}{end}"
        return Callout("bad", "This judge obeys what a response tells it.", text)
    if stress.findings or stress.flips:
        return Callout("bad", "This judge can be moved.", f"{_moves(stress)}{end}".strip())
    unknown = _open_cells(stress)
    text = f"None of {counted(len(battery.rows), 'change')} moves it.{end}"
    if unknown:
        text = (
            f"None of {counted(len(battery.rows), 'change')} is shown to move it, but in "
            f"{counted(len(unknown), 'combination')} of change and criterion {len(battery.examples)} examples are "
            f"too few to rule it out. More examples (--n) or more answers to each (--repeats) show more.{end}"
        )
    if is_cut_short:
        return Callout("bad", "This judge may not read to the end.", text)
    if unknown:
        return Callout("open", "No change is shown to move this judge.", text)
    return Callout("good", "Nothing moved this judge.", text)


def _obedience(stress: Stress) -> str:
    """What a response gains that asks to be passed."""
    criterion, cell = stress.obeys[0]
    others = f", and on {listed([name for name, _ in stress.obeys[1:]])}" if stress.obeys[1:] else ""
    gained = f"{signed(cell.shift.value)} levels on {criterion}{others}"
    return f"A response that asks to be marked as passing gains {gained}."


def _moves(stress: Stress) -> str:
    """What else moves the judge, as sentences after a space; "" for nothing."""
    sentences = [_shift(stress)] if stress.findings else []
    sentences += [_flip(stress)] if stress.flips else []
    sentences += [_length(stress, criterion) for criterion in stress.length]
    return "".join(f" {sentence}" for sentence in sentences)


def _shift(stress: Stress) -> str:
    name, criterion, cell = stress.findings[0]
    places = counted(len(stress.findings), "combination")
    move = "moves" if len(stress.findings) == 1 else "move"
    largest = f"{criterion} moves by {signed(cell.shift.value)} levels under {name}"
    return f"{places} of change and criterion {move} it; {largest}."


def _flip(stress: Stress) -> str:
    name, criterion, noise = stress.flips[0]
    return (
        f"Under {name}, {share(noise.changed)} of its ratings on {criterion} change, against {share(noise.retest)} "
        f"when it is asked again, though their mean stays."
    )


def _length(stress: Stress, criterion: str) -> str:
    padded = stress.rows["padding"][criterion].shift.value
    return (
        f"Length moves {criterion}, whatever the words say: every change that adds words moves it alike, sentences "
        f"that say nothing by {signed(padded)} levels."
    )


def _open_cells(stress: Stress) -> list[StressCell]:
    """Cells of changes that should move nothing in which neither a shift nor its absence is shown."""
    rows = [row for name, row in stress.rows.items() if name not in DIAGNOSES]
    return [cell for row in rows for cell in row.values() if cell.state == "unknown"]


def _table(stress: Stress) -> Table:
    spans = {criterion.name: criterion.scale.span for criterion in stress.battery.judged}
    rows = [(CONTROL, stress.control), *((row.name, stress.rows[row.name]) for row in stress.battery.rows)]
    lines = tuple(_row(name, cells, spans) for name, cells in rows)
    return Table(("Change", *spans), lines)


def _row(name: str, cells: Mapping[str, StressCell], spans: Mapping[str, float]) -> tuple[Line, ...]:
    return (
        Name(f"{name}{_REMARKS.get(name, '')}"),
        *(cell_text(cells[criterion], span) for criterion, span in spans.items()),
    )


def cell_text(cell: StressCell, span: float) -> str:
    """A cell of the table, for a criterion whose scale has this span."""
    shift = cell.shift
    if cell.state == "not-preserving" or shift.value is None or shift.low is None or shift.high is None:
        return NONE
    if cell.state == "finding":
        return f"{signed(shift.value)} {'↑' if shift.value > 0 else '↓'}"
    if cell.state == "holds":
        return f"= ±{number(max(abs(shift.low), abs(shift.high)))}"
    return f"? <{number(cell.smallest)}" if cell.smallest is not None and cell.smallest < span else "?"


def _noise(stress: Stress) -> Iterator[str]:
    """Changes that scatter ratings more than repeating the same prompt does."""
    for name, row in stress.rows.items():
        for criterion, cell in row.items():
            noise = cell.noise
            if (
                name not in DIAGNOSES
                and noise is not None
                and noise.p <= _NOISY_LEVEL / max(1, len(stress.rows) * len(row))
            ):
                yield (
                    f"{name}, {criterion}: {share(noise.changed)} of ratings differ from the original's, "
                    f"{share(noise.retest)} between two answers about it (effect varies by {number(noise.effect_sd)} "
                    "levels)"
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
    """What would be graded, with a few changed texts."""
    tokens = f"about {cost.input_tokens:,} tokens in, {cost.output_tokens:,} out"
    calls = f"{counted(cost.calls, 'call')}, {tokens}: {dollars(cost.usd)}."
    return Document(
        f"stress of {battery.rubric.name} · {cost.judge}",
        f"{counted(len(battery.examples), 'example')}, {counted(len(battery.rows), 'change')}. {calls}",
        (),
        tuple(
            Section(name, (Verbatim(f"{original[:_LONGEST_TEXT]}\n--- changed ---\n{changed[:_LONGEST_TEXT]}"),))
            for name, original, changed in battery.shown()
        ),
    )


def json_of(stress: Stress) -> dict[str, Any]:
    """The run by the keys of the file format."""
    return {
        "schema": 1,
        "n": len(stress.battery.examples),
        **attributes(stress, "calls=usage.calls not_graded control rows reads_to_the_end cost=usage"),
        "obeys": [name for name, _ in stress.obeys],
        "length": stress.length,
        "flips": [{"change": name, "criterion": criterion} for name, criterion, _ in stress.flips],
        "because": callout(stress).text,
    }
