"""Report on a discovery: how common each mode is, how much is unseen, and what to do next."""

from collections.abc import Iterator
from typing import Any

from markscheme.features.discover.agreement import SetAgreement
from markscheme.features.discover.figures import ENOUGH, GROUPS_TO_COUNT, ModeFigures
from markscheme.features.discover.modes import HOW_BAD
from markscheme.features.discover.result import Discovery
from markscheme.phrases import counted, percent
from markscheme.report.document import (
    Block,
    Callout,
    Command,
    Curve,
    Document,
    Line,
    Name,
    Notes,
    Paragraph,
    Section,
    Table,
    Tone,
)
from markscheme.report.figures import NONE, coefficient, share_with_interval
from markscheme.report.figures import share as share_in_percent

FEWEST_FOR_CURVE = 10
"""Fewest outputs for which the curve of modes seen is drawn."""


def view(discovery: Discovery) -> Document:
    """Build the report on what readers found in a system's outputs: kinds of fault (modes), and how common each is."""
    outputs = discovery.outputs
    if not outputs.by_id:
        return Document(f"{discovery.name}: nothing read yet", "", (_next(discovery),))
    blocks: list[Block] = []
    if not discovery.is_grouped:
        head = "Group the notes first."
        text = f"{counted(len(outputs.notes), 'note')} are in no mode yet, so nothing can be counted."
        return Document(_title(discovery), "", (Callout("note", head, text), _next(discovery)))
    blocks.append(_answer(discovery))
    if outputs.mode_figures:
        blocks.append(_table(discovery))
        blocks.append(Notes(tuple(_notes(discovery))))
    blocks.append(Paragraph(tuple(_sentences(discovery))))
    blocks.append(_next(discovery))
    return Document(_title(discovery), "", tuple(blocks), tuple(_sections(discovery)))


def _title(discovery: Discovery) -> str:
    outputs = discovery.outputs
    pool = f" of {len(outputs.order.ids)}" if outputs.order.is_pool else ""
    read = f"{len(outputs.by_id)}{pool} outputs read"
    if outputs.random_ids or outputs.chosen_ids:
        read += f" ({len(outputs.random_ids)} at random, {len(outputs.chosen_ids)} chosen)"
    sorted_notes = len(outputs.notes) - len(outputs.unsorted)
    in_modes = f"{counted(len(outputs.notes), 'note')}, {sorted_notes} in {counted(len(outputs.mode_figures), 'mode')}"
    return f"{discovery.name} · {read}, {in_modes} · {', '.join(outputs.raters)}"


def _answer(discovery: Discovery) -> Callout:
    """Build the box at the report's top: how many outputs at most show an unknown fault, and if more must be read."""
    if not discovery.has_random_part:
        return Callout(
            "note",
            "Counts only: what was read isn't a random draw.",
            "Shares need outputs read in turn on the page, or `--random`: your word that a file is a random draw.",
        )
    unseen = discovery.outputs.new_modes
    sure = percent(unseen.confidence)
    head = f"At most {percent(unseen.bound)} of outputs show a mode you haven't noted yet ({sure} sure)."
    if unseen.last_new is None:
        ago = "No mode was noted so far."
    elif unseen.last_new == 0:
        ago = "The last output read named a new one."
    else:
        ago = f"The last new one came {counted(unseen.last_new, 'output')} ago."
    tone: Tone = "good" if unseen.bound <= ENOUGH else "open"
    verdict = "That is enough." if unseen.bound <= ENOUGH else f"Read on: {percent(ENOUGH)} is enough."
    return Callout(tone, head, f"{ago} {verdict}")


def _table(discovery: Discovery) -> Table:
    headings = ["Mode", "Outputs"]
    headings += ["Share (95% CI)", "Read for it"] if discovery.has_random_part else []
    headings += ["Severity"]
    finding = discovery.finding
    headings += ["Agreement"] if finding is not None else []
    return Table(
        tuple(headings), tuple(_row(figures, discovery, finding) for figures in discovery.outputs.mode_figures)
    )


def _row(figures: ModeFigures, discovery: Discovery, finding: SetAgreement | None) -> tuple[Line, ...]:
    mode = figures.mode
    row: list[Line] = [Name(mode.name), str(figures.count)]
    if discovery.has_random_part:
        row += [share_with_interval(figures.share), str(figures.read_for)]
    row.append(HOW_BAD[mode.severity])
    if finding is not None:
        row.append(coefficient(finding.kappa.get(mode.name)))
    return tuple(row)


def _notes(discovery: Discovery) -> Iterator[Line]:
    if discovery.has_random_part:
        yield (
            "A share counts outputs read at random after the mode had a name; those before count once they are read "
            "again."
        )
    if any(figures.share.hedge in ("withheld", "approximate") for figures in discovery.outputs.mode_figures):
        yield f"Outputs share tasks: with fewer than {GROUPS_TO_COUNT} of them a share has no interval."
    if discovery.finding is not None:
        yield "Agreement: kappa on finding the mode. Readers overlook some; agreement on grouping is usually higher."


def _sentences(discovery: Discovery) -> Iterator[Line]:
    outputs = discovery.outputs
    more = discovery.read_more
    if discovery.has_random_part:
        yield (
            f"A mode in over {percent(more.share)} of {more.unit} would have gone unseen with a chance of "
            f"{_chance(more.missed)}, if you note it when you see it."
        )
        if more.more:
            unit = more.unit.removesuffix("s") if more.more == 1 else more.unit
            any_mode = f"Read {more.more} more {unit} to be {percent(more.sure)} sure of any such mode"
            yield f"{any_mode}, {more.all} for all of them."
        elif more.all:
            yield f"To be {percent(more.sure)} sure of all such modes at once, read {more.all} more."
    if outputs.new_modes.tasks is not None:
        yield f"At most {percent(outputs.new_modes.tasks)} of new tasks show a mode you haven't noted yet."
    if outputs.unsorted:
        are = "is" if len(outputs.unsorted) == 1 else "are"
        alone = " The bound counts each as a mode of its own." if discovery.has_random_part else ""
        yield f"{counted(len(outputs.unsorted), 'note')} {are} unsorted.{alone}"
    if outputs.waiting:
        is_single = len(outputs.waiting) == 1
        verbs = ("waits", "counts") if is_single else ("wait", "count")
        yield f"{counted(len(outputs.waiting), 'suggestion')} {verbs[0]} for a person and {verbs[1]} nowhere."
    if outputs.unclear_ids:
        yield f"{counted(len(outputs.unclear_ids), 'output')} couldn't be judged and count nowhere."


def _chance(chance: float) -> str:
    return "under 1%" if chance < 0.01 else percent(chance)


def _next(discovery: Discovery) -> Block:
    lines: list[Line] = [
        (
            f"{step.why[0].upper()}{step.why[1:]}{' (for a person, not a model)' if step.who == 'person' else ''}: ",
            Command(step.command),
        )
        for step in discovery.next_steps
    ]
    return Paragraph(tuple(lines))


def _sections(discovery: Discovery) -> Iterator[Section]:
    outputs = discovery.outputs
    defined = [(Name(f.mode.name), f.mode.definition or NONE) for f in outputs.mode_figures]
    if defined:
        yield Section("Definitions", (Table(("Mode", "when it is there"), tuple(defined)),), "definitions")
    if len(outputs.modes_averaged) >= FEWEST_FOR_CURVE:
        series = {
            "as read": tuple(map(float, outputs.modes_as_read)),
            "averaged over orders": outputs.modes_averaged,
        }
        caption = "Coarse modes flatten sooner: the curve is about these modes, not about all that could be named."
        yield Section("Modes seen", (Curve(series, "modes seen", "outputs read", caption),), "curve")
    agreements = [
        ("Finding: who noted what", discovery.finding, "outputs"),
        ("Grouping: where notes belong", discovery.grouping, "notes"),
    ]
    blocks = [block for name, measured, of in agreements if measured for block in _agreement(name, measured, of)]
    if blocks:
        yield Section("Agreement", tuple(blocks), "agreement")


def _agreement(name: str, measured: SetAgreement, of: str) -> Iterator[Block]:
    alpha = coefficient(measured.alpha) if measured.alpha.value is not None else NONE
    lines: list[Line] = [f"{name}. Alpha (MASI) {alpha} over {measured.units} {of}."]
    if measured.alpha.undefined:
        lines.append(f"– {measured.alpha.undefined}.")
    if measured.exchanged is not None:
        first, second = measured.exchanged.modes
        note, other_note = measured.exchanged.notes
        lines.append(
            f"Most often exchanged, {counted(measured.exchanged.times, 'time')}: {first} (“{note}”) and {second} "
            f"(“{other_note}”)."
        )
    yield Paragraph(tuple(lines))
    rows = tuple(
        (Name(mode), coefficient(kappa), share_in_percent(measured.both.get(mode)))
        for mode, kappa in measured.kappa.items()
    )
    if rows:
        yield Table(("Mode", "kappa (95% CI)", "both, of those with it"), rows)


def json_of(discovery: Discovery) -> dict[str, Any]:
    """Return a discovery's figures and next steps as a dict that JSON can hold."""
    outputs = discovery.outputs
    unseen = outputs.new_modes
    more = discovery.read_more
    finding = discovery.finding
    return {
        "schema": 1,
        "name": discovery.name,
        "pool": len(outputs.order.ids) if outputs.order.is_pool else None,
        "read": {
            "random": len(outputs.random_ids),
            "chosen": len(outputs.chosen_ids),
            "unclear": len(outputs.unclear_ids),
        },
        "keep": {"n": len(discovery.unread), "ids": list(discovery.unread)},
        "raters": len(outputs.raters),
        "notes": len(outputs.notes),
        "modes": [
            {
                "name": figures.mode.name,
                "definition": figures.mode.definition,
                "severity": figures.mode.severity,
                "count": figures.count,
                "read_for": figures.read_for,
                "share": figures.share if discovery.has_random_part else None,
                "again": list(discovery.again_for(figures.mode.name)),
                "kappa": finding.kappa.get(figures.mode.name) if finding is not None else None,
            }
            for figures in outputs.mode_figures
        ],
        "new_mode": {
            "bound": unseen.bound if discovery.has_random_part else None,
            "confidence": unseen.confidence,
            "last_new": unseen.last_new,
            "tasks": unseen.tasks,
            "good_turing": unseen.good_turing,
            "chao2": unseen.chao2,
        },
        "read_more": {"share": more.share, "sure": more.sure, "more": more.more, "all": more.all, "unit": more.unit},
        "agreement": {
            kind: None
            if measured is None
            else {
                "alpha": measured.alpha,
                "units": measured.units,
                "kappa": measured.kappa,
                "both": measured.both,
                "exchanged": measured.exchanged,
            }
            for kind, measured in (("finding", finding), ("grouping", discovery.grouping))
        },
        "unsorted": len(outputs.unsorted),
        "unsorted_notes": [
            {"note": key, "text": outputs.notes[key].text, "quote": outputs.notes[key].quote or ""}
            for key in outputs.unsorted
        ],
        "suggestions": len(outputs.waiting),
        "next": [{"command": step.command, "who": step.who, "why": step.why} for step in discovery.next_steps],
    }
