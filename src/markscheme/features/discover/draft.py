"""Draft of the first rubric, from modes, and of the first labels, from people's notes; no label is invented."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from markscheme.errors import UsageError
from markscheme.features.discover.added_criteria import add_criteria
from markscheme.features.discover.figures import ModeFigures, ReadOutputs, answered_again, was_listed
from markscheme.features.discover.modes import HOW_BAD, Mode
from markscheme.features.discover.reading import OutputReading
from markscheme.fingerprint import words_alone
from markscheme.json_text import safe_json
from markscheme.phrases import counted, in_words
from markscheme.prompts.material import Material
from markscheme.prompts.submission import RESPONSE
from markscheme.ratings.example_rows import DrawnBy, Example
from markscheme.ratings.rating import Rated, Rating, asked_under
from markscheme.rubrics.edit import FAILS_WITH, NONE_FAILS, Edit
from markscheme.rubrics.file import rubric_from_text
from markscheme.rubrics.rubric import DEFAULT_TOLERANCE, Criterion, Rubric

FEWEST_OUTPUTS = 2
"""Fewest outputs that must show a mode for it to become a criterion; for a mode that must never happen, one is
enough."""
WORST = 3
"""Severity of a mode that must never happen."""
PASS_MARK = 0.7
"""Pass mark of a drafted rubric, whose criteria are all faults."""
TIE = 1e-9
"""Largest difference at which half a level's effect on the score counts as equal to the tolerance."""
BELOW_TIE = 0.09
"""Tolerance of a draft in which half a level moves the score by exactly the usual tolerance."""
SHORTEST_ANCHOR = 15
"""Fewest characters of a marked passage that can become a mode's anchor without a person's choice."""
LONGEST_ANCHOR = 400
"""Largest number of characters of a passage that becomes an anchor; longer ones are whole responses."""
_CODE_WORDS = (
    ("json_valid", re.compile(r"\b(parses?|parseable|valid json|invalid json|not json|malformed json)\b", re.I)),
    ("exact_match", re.compile(r"\b(exact(ly)?|equals?|verbatim)\b", re.I)),
    ("", re.compile(r"\b(longer than|more than \d+ (words|characters|sentences)|word count|too long)\b", re.I)),
    ("", re.compile(r"\b(missing|no|lacks?|without) (a |an |the )?(field|key|link|url|id|heading|date)s?\b", re.I)),
    ("", re.compile(r"\b(wrong language|not in (english|german|french|spanish)|another language)\b", re.I)),
)
"""Patterns of words that point to something a program can decide, each with the shipped check for it; "" if none is
shipped."""


@dataclass(frozen=True)
class Draft:
    """Text of a new or extended rubric file whose criteria come from failure modes, with the modes that were used.

    Attributes:
        text: The whole text of the file.
        rubric: The rubric in that text.
        modes: The modes that became criteria, the most important first.
        left_out: Comments on the modes that didn't become criteria, each with the reason.
        lenders: Ids of the outputs from which an anchor quotes a passage; these outputs count in no figure of
            agreement.
        edit: The change to an existing rubric; None for a new one.
    """

    text: str
    rubric: Rubric
    modes: tuple[Mode, ...]
    left_out: tuple[tuple[Mode, str], ...]
    lenders: tuple[str, ...]
    edit: Edit | None = None


def confirmed_modes(outputs: ReadOutputs) -> tuple[ModeFigures, ...]:
    """Return figures of the modes (kinds of fault) that can become criteria: confirmed, defined, and with a note."""
    return tuple(
        figures
        for figures in outputs.mode_figures
        if figures.mode.definition and (figures.count or outputs.notes_in[figures.mode.name])
    )


def why_left_out(figures: ModeFigures) -> str:
    """Return why a confirmed failure mode doesn't become a criterion; "" if it does."""
    if figures.count >= FEWEST_OUTPUTS or figures.mode.severity == WORST:
        return ""
    return f"in {counted(figures.count, 'output')} so far"


def weight_of(mode: Mode) -> int:
    """Return the weight of a failure mode's criterion: minus its severity, or plus if it asks for the mode's absence.

    How common a fault is doesn't matter.
    """
    return mode.severity if mode.is_turned else -mode.severity


def draft_of(
    name: str, outputs: ReadOutputs, materials: Mapping[str, Material], inputs: tuple[Sequence[str], Sequence[str]]
) -> Draft:
    """Draft a rubric with a criterion for each confirmed failure mode.

    Args:
        name: Name of the rubric.
        outputs: The outputs that were read, with their notes.
        materials: The texts of the outputs, by id.
        inputs: Names of the inputs that every output has, and of those that some have.

    Raises:
        UsageError: No mode is both confirmed and defined, or none becomes a criterion.
        RubricError: The drafted text isn't a valid rubric.
    """
    confirmed = confirmed_modes(outputs)
    chosen = [figures for figures in confirmed if not why_left_out(figures)]
    if not chosen:
        raise UsageError("no mode has a definition and a note in two outputs yet: read on, or define the modes first")
    left_out = tuple((figures.mode, why) for figures in confirmed if (why := why_left_out(figures)))
    anchors = {figures.mode.name: anchor_of(figures.mode, outputs, materials) for figures in chosen}
    lenders = dict.fromkeys(id for anchor in anchors.values() if anchor is not None and (id := anchor[1]))
    text = "\n".join(_lines(name, outputs, chosen, left_out, anchors, inputs)) + "\n"
    rubric = replace(rubric_from_text(text, "yaml"), name=name)
    return Draft(text, rubric, tuple(figures.mode for figures in chosen), left_out, tuple(lenders))


def added_to(path: Path, rubric: Rubric, outputs: ReadOutputs, materials: Mapping[str, Material]) -> Draft:
    """Draft an existing rubric with a criterion for each failure mode that it lacks; everything else stays.

    Args:
        path: The rubric's file.
        rubric: The rubric in that file.
        outputs: The outputs that were read, with the modes.
        materials: Texts of the outputs by id, from which passages are quoted.

    Raises:
        UsageError: No mode that the rubric lacks becomes a criterion.
    """
    names = {criterion.name for criterion in rubric.criteria}
    confirmed = confirmed_modes(outputs)
    new = [figures for figures in confirmed if figures.mode.name not in names and not why_left_out(figures)]
    if not new:
        raise UsageError(f"{path.name} has all modes already: {', '.join(names)}")
    anchors = {figures.mode.name: anchor_of(figures.mode, outputs, materials) for figures in new}
    entries = [_entry(figures.mode, anchors[figures.mode.name]) for figures in new]
    change = add_criteria(path, entries)
    lenders = tuple(dict.fromkeys(anchor[1] for anchor in anchors.values() if anchor is not None and anchor[1]))
    changed = replace(rubric_from_text(change.after, "json" if path.suffix == ".json" else "yaml"), name=rubric.name)
    modes = tuple(figures.mode for figures in confirmed if figures.mode.name in {c.name for c in changed.criteria})
    return Draft(change.after, changed, modes, (), lenders, change)


def anchor_of(mode: Mode, outputs: ReadOutputs, materials: Mapping[str, Material]) -> tuple[str, str] | None:
    """Return a passage that shows a failure mode, with its output's id: a person's choice, else the shortest.

    A passage counts only if it occurs exactly in the response of an output with a note on the mode, and has at most
    `LONGEST_ANCHOR` characters; a marked one also has at least `SHORTEST_ANCHOR`. Return None if there is none.

    Args:
        mode: The mode.
        outputs: The outputs that were read, with their notes.
        materials: Texts of the outputs by id, in which passages are looked up.
    """
    notes = outputs.notes_in.get(mode.name, {})
    noted_ids = [outputs.readings_by_note[key].id for key in notes]
    quotes = filter(None, (note.quote for note in notes.values()))
    marked = sorted((quote for quote in quotes if len(quote) >= SHORTEST_ANCHOR), key=len)
    for quote in (*mode.quotes, *marked):
        if len(quote) > LONGEST_ANCHOR:
            continue
        for id in noted_ids:
            material = materials.get(id)
            if material is not None and material.find(quote) == RESPONSE:
                return quote, id
    return None


def _lines(
    name: str,
    outputs: ReadOutputs,
    chosen: Sequence[ModeFigures],
    left_out: Sequence[tuple[Mode, str]],
    anchors: Mapping[str, tuple[str, str] | None],
    inputs: tuple[Sequence[str], Sequence[str]],
) -> Iterator[str]:
    always, sometimes = inputs
    n_notes = counted(len(outputs.notes), "note")
    yield f"# Drafted by `markscheme discover` from {n_notes} on {counted(len(outputs.by_id), 'output')}."
    yield "# Each criterion is a fault that readers noted: MET says that it is there, and costs its weight."
    yield f"name: {_quoted(name)}"
    if list(always) != ["query"]:
        yield f"inputs: {safe_json(list(always))}"
    if sometimes:
        yield f"optional_inputs: {safe_json(list(sometimes))}"
    yield f"passingThreshold: {PASS_MARK:g}  # {lets_through([figures.mode for figures in chosen])}"
    total = sum(abs(weight_of(figures.mode)) for figures in chosen)
    if any(abs(abs(weight_of(figures.mode)) / total / 2 - DEFAULT_TOLERANCE) < TIE for figures in chosen):
        yield f"tolerance: {BELOW_TIE:g}  # half a level moves the score by exactly the usual {DEFAULT_TOLERANCE:g}"
    yield "criteria:"
    for figures in chosen:
        mode = figures.mode
        yield from (f"  # {line}" for line in _remarks(figures, outputs))
        yield from _criterion_lines(mode, anchors[mode.name])
    if left_out:
        yield "# Noted, but not yet criteria; uncomment one to add it:"
        for mode, why in left_out:
            yield f"# {mode.name}: {why}"
            yield from (f"# {line}" for line in _criterion_lines(mode, None))


def _criterion_lines(mode: Mode, anchor: tuple[str, str] | None) -> Iterator[str]:
    for index, (key, value) in enumerate(_entry(mode, anchor).items()):
        written = f"{value:g}" if isinstance(value, float) else safe_json(value)
        yield f"  {'- ' if index == 0 else '  '}{key}: {written}"


def _entry(mode: Mode, anchor: tuple[str, str] | None) -> dict[str, object]:
    """Return the dict that describes a failure mode's criterion in the rubric's file.

    Args:
        mode: The mode.
        anchor: A passage that shows the fault, with the id of its output; None if there is none.
    """
    criterion: dict[str, object] = {"name": mode.name, "requirement": mode.definition, "weight": weight_of(mode)}
    criterion |= {"required": True} if mode.severity == WORST else {}
    fine = next(iter(mode.fine), "")
    examples = {"good": fine, "bad": anchor[0] if anchor is not None else ""}
    examples = {side: words for side, words in examples.items() if words}
    return criterion | ({"examples": examples} if examples else {})


def _remarks(figures: ModeFigures, outputs: ReadOutputs) -> Iterator[str]:
    """Yield comments on a criterion: how common its failure mode is, and a hint if a program could decide it."""
    share = figures.share
    where = f"{share.as_share()} of outputs read for it" if share.value is not None and figures.read_for else ""
    yield where or f"in {counted(figures.count, 'output')}"
    words = " ".join([figures.mode.definition, *(note.text for note in outputs.notes_in[figures.mode.name].values())])
    hint = code_hint(words)
    if hint:
        yield hint


def code_hint(words: str) -> str:
    """Return a hint that a program could decide a failure mode, if the mode's words suggest it; "" otherwise.

    >>> code_hint("The reply isn't valid JSON.")
    'Code may decide this: `check: json_valid`'
    >>> code_hint("The reply is rude.")
    ''
    """
    for check, pattern in _CODE_WORDS:
        if pattern.search(words):
            which = f"`check: {check}`" if check else "a test of your own, see docs/howto/when-code.md"
            return f"Code may decide this: {which}"
    return ""


def lets_through(modes: Sequence[Mode]) -> str:
    """Return a sentence on which faults make an output fail at the drafted rubric's pass mark.

    >>> lets_through([Mode("a", severity=3), Mode("b", severity=2), Mode("c", severity=1)])
    'an output fails with a fault that must never happen or 1 bad fault'
    >>> lets_through([Mode(name, severity=1) for name in "abcd"])
    'an output fails with 2 small faults'
    """
    total = sum(abs(weight_of(mode)) for mode in modes)
    fails = []
    if any(mode.severity == WORST for mode in modes):
        fails.append("a fault that must never happen")
    for severity in (2, 1):
        most = sum(mode.severity == severity for mode in modes)
        enough = next((n for n in range(1, most + 1) if 1 - n * severity / total < PASS_MARK), None)
        if enough is not None:
            fails.append(f"{enough} {HOW_BAD[severity]} fault{'s' if enough > 1 else ''}")
    return f"{FAILS_WITH} {in_words(fails, 'or')}" if fails else NONE_FAILS


def _quoted(text: str) -> str:
    return text if re.fullmatch(r"[A-Za-z][\w-]*", text) else safe_json(text)


# --- labels ---------------------------------------------------------------------------------------------------------


def ratings_of(outputs: ReadOutputs, rubric: Rubric) -> list[Rating]:
    """Convert readings to labels: MET for a failure mode that a person noted, UNMET if a person confirmed its absence.

    A reader who noted nothing on a mode gives no label on it, even if the output is good as a whole. A criterion whose
    words are no longer the mode's definition gets no new labels; its earlier labels are stale and have to be given
    again.

    Args:
        outputs: The outputs that were read, with their notes; modes and criteria have equal names.
        rubric: The rubric for whose words the labels are given.
    """
    modes = {mode.name: mode for mode in outputs.codebook.listed}
    criteria = [c for c in rubric.criteria if c.name in modes and _has_words_of(c, modes[c.name])]
    ratings = []
    for reading in outputs.counted:
        rated = {
            criterion.name: label
            for criterion in criteria
            if (label := _label(reading, modes[criterion.name], outputs)) is not None
        }
        if not rated and reading.passed is None:
            continue
        levels = {name: replace(answer, under=rubric.criterion(name).wording) for name, answer in rated.items()}
        ratings.append(
            Rating(
                reading.id,
                reading.rater,
                "human",
                levels,
                passed=reading.passed,
                at=(reading.at or "")[: len("2026-11-23")],
                under=asked_under(rubric),
                seconds=reading.seconds,
            )
        )
    return ratings


def _has_words_of(criterion: Criterion, mode: Mode) -> bool:
    """Return True if a criterion has the same words as the failure mode's definition."""
    return words_alone(criterion.requirement) == words_alone(mode.definition)


def _label(reading: OutputReading, mode: Mode, outputs: ReadOutputs) -> Rated | None:
    """Return one reader's label for one failure mode on one output; None if the reader said nothing about the mode."""
    level_there, level_not_there = (0.0, 1.0) if mode.is_turned else (1.0, 0.0)
    for note in reading.notes:
        if mode.name in outputs.codebook.modes_of(reading.key_of(note)):
            return Rated(level_there, note.text, note.quote, True if note.quote_in else None, quote_in=note.quote_in)
    answer = answered_again(reading, mode)
    if answer == "there":
        return Rated(level_there, "there, on reading it again")
    if answer == "not there":
        return Rated(level_not_there, "not there, on reading it again")
    if reading.read == "in full" and was_listed(reading, mode):
        return Rated(level_not_there, "read in full")
    return None


def labelled_examples(
    outputs: ReadOutputs, examples: Mapping[str, Example], ratings: Sequence[Rating], rubric: Rubric
) -> list[Example]:
    """Return the labelled outputs for `examples.jsonl`, all as dev examples, since the rubric was written from them.

    Those of the random part count as drawn at random, but only if every output of that part is labelled on every
    criterion.
    """
    labelled: dict[str, set[str]] = {}
    for rating in ratings:
        labelled.setdefault(rating.id, set()).update(rating.criteria)
    names = {criterion.name for criterion in rubric.criteria}
    random_ids = set(outputs.random_ids)
    is_whole = bool(random_ids) and all(labelled.get(id, set()) >= names for id in random_ids)
    written = []
    for id in labelled:
        if id in examples:
            drawn: DrawnBy = "random" if is_whole and id in random_ids else "chosen"
            written.append(replace(examples[id], split="dev", drawn=drawn, labels=(), line=None))
    return written
