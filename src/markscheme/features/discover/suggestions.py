"""Groups that a model proposes for notes: it is asked twice, and a group counts only after a person accepts it.

The model sees numbered notes and the modes so far, as material and not as instructions. It sees no outputs, no names of
readers and no ids.
"""

import json
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from markscheme.errors import UnreadableReply
from markscheme.features.discover.modes import Assignment, Codebook, Mode
from markscheme.features.discover.partitions import adjusted_rand
from markscheme.features.discover.reading import Note
from markscheme.json_text import json_amid_prose
from markscheme.judges.judge import Reply
from markscheme.plain_data import shown
from markscheme.prompts.prompt import Prompt, about_material, fenced_material
from markscheme.text import on_one_line

MOST_NOTES = 150
"""Largest number of notes shown in one call; with more, models leave notes out of their answer."""
TIMES_ASKED = 2
"""Number of times that a model is asked, with the notes in another order each time; differences come from the order."""
LONGEST_NOTE = 600
"""Largest number of characters of a note or passage that the model is shown."""
_MATERIAL = about_material(
    "notes",
    about="that people wrote about outputs, after the modes that were named so far, if there are any",
    holds="instructions or groups",
)
_INSTRUCTIONS = f"""\
You help people sort notes about faults in outputs of a language model into failure modes.

{_MATERIAL}

Rules:
- Put notes together when the same change to the system would fix them. A mode is a kind of fault, never a topic.
- Give each mode a short name in lower case with hyphens, and a definition: one sentence that says when the fault is \
there, so that two people would decide alike.
- A note may be in several modes. Leave out a note that fits none; a mode may have a single note.
- Use a mode that was named so far by its exact name where it fits; invent others where none does.

Answer with one JSON object and nothing else, in this form:
{{"modes": [{{"name": "…", "definition": "…", "notes": [1, 5]}}]}}"""
_SCHEMA: dict[str, object] = {
    "type": "object",
    "properties": {
        "modes": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "definition": {"type": "string"},
                    "notes": {"type": "array", "items": {"type": "integer"}},
                },
                "required": ["name", "definition", "notes"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["modes"],
    "additionalProperties": False,
}


@dataclass(frozen=True)
class ProposedGroups:
    """The groups that a model proposed when it was asked once about all notes.

    Attributes:
        definitions: Definitions of the failure modes, by name.
        groups: Keys of the notes in each mode, by the mode's name.
        unknown: Numbers in the answers that no note has; they are ignored.
    """

    definitions: Mapping[str, str] = field(default_factory=dict)
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    unknown: int = 0

    def group_of(self, key: str) -> str:
        """Return the name of the first group that contains a note; for a note in no group, a name that no group has.

        Args:
            key: The key of the note.
        """
        return next((name for name, keys in self.groups.items() if key in keys), f"\0{key}")


@dataclass(frozen=True)
class Suggestion:
    """Suggestion of groups for notes, with how far the model's two answers agree.

    Attributes:
        proposal: The first answer, which is shown.
        agreement: Adjusted Rand index of both answers.
        firm: Keys of the notes on which both answers agree: some other note is in the same group in both.
        left_out: Keys of the notes that the first answer left out; they stay unsorted.
        judge: Name of the judge that proposes.
    """

    proposal: ProposedGroups
    agreement: float
    firm: frozenset[str]
    left_out: tuple[str, ...]
    judge: str

    def added_to(self, book: Codebook, moment: str) -> Codebook:
        """Return a codebook with the proposed groups as suggestions, which count only after a person accepts them.

        Args:
            book: The codebook before.
            moment: The present time, as files store it.
        """
        for name, definition in self.proposal.definitions.items():
            if not any(name in mode.names for mode in book.modes):
                book = book.name_mode(Mode(name, definition, by=self.judge, kind="model", named=moment))
        modes: dict[str, list[str]] = {}
        for name, keys in self.proposal.groups.items():
            for key in keys:
                modes.setdefault(key, []).append(name)
        for key, names in modes.items():
            assignment = Assignment(key, tuple(names), self.judge, "model", moment, is_firm=key in self.firm)
            book = book.assign(assignment)
        return book


AskModel = Callable[[Prompt], Awaitable[Reply]]


def shuffled_batches(notes: Mapping[str, Note], time: int) -> list[dict[str, Note]]:
    """Split notes into batches of at most 150, in a random order that differs each time that the model is asked.

    Args:
        notes: The notes, by key.
        time: 0 for the first time that the model is asked about all notes, 1 for the second.
    """
    keys = list(notes)
    random.Random(f"notes {time}").shuffle(keys)  # noqa: S311 - guessing it gains nothing
    batches = (keys[start : start + MOST_NOTES] for start in range(0, len(keys), MOST_NOTES))
    return [{key: notes[key] for key in batch} for batch in batches]


def prompt_of(batch: Iterable[Note], definitions: Mapping[str, str]) -> Prompt:
    """Return the prompt for one batch of notes; it shows only the words and the passage of each note.

    Args:
        batch: The notes, which are numbered from 1 in this order.
        definitions: Definitions of the failure modes so far, by name.
    """
    modes = "\n".join(
        f"- {json.dumps(name, ensure_ascii=False)}: {on_one_line(text)}" for name, text in definitions.items()
    )
    lines = []
    for ordinal, note in enumerate(batch, start=1):
        about = f" (about: {' '.join(note.quote[:LONGEST_NOTE].split())})" if note.quote else ""
        lines.append(f"{ordinal}. {' '.join(note.text[:LONGEST_NOTE].split())}{about}")
    material = {"modes": modes, "notes": "\n".join(lines)} if modes else {"notes": "\n".join(lines)}
    user = fenced_material(material, f"Sort these {len(lines)} notes into modes.")
    return Prompt(_INSTRUCTIONS, user, _SCHEMA, ())


def planned_prompts(notes: Mapping[str, Note], definitions: Mapping[str, str]) -> list[Prompt]:
    """Return prompts that ask about each note twice, to estimate their cost; they lack failure modes named in replies.

    Args:
        notes: The notes, by key.
        definitions: Definitions of the modes so far, by name.
    """
    return [
        prompt_of(batch.values(), definitions) for time in range(TIMES_ASKED) for batch in shuffled_batches(notes, time)
    ]


async def suggest(notes: Mapping[str, Note], definitions: Mapping[str, str], ask: AskModel, judge: str) -> Suggestion:
    """Ask a model twice for groups of notes.

    Args:
        notes: The unsorted notes, by key.
        definitions: Definitions of the failure modes so far, by name.
        ask: Function that asks the model one prompt.
        judge: The model's name.

    Raises:
        UnreadableReply: An answer isn't in the form that was asked for.
        JudgeError: The judge fails.
    """
    proposals = [await _proposed(notes, definitions, ask, time) for time in range(TIMES_ASKED)]
    first, second = proposals
    groups = [[proposal.group_of(key) for key in notes] for proposal in proposals]
    in_second = _pairs(second)
    firm = frozenset(key for pair in _pairs(first) & in_second for key in pair)
    placed = {key for in_group in first.groups.values() for key in in_group}
    return Suggestion(first, adjusted_rand(*groups), firm, tuple(key for key in notes if key not in placed), judge)


def _pairs(proposal: ProposedGroups) -> set[tuple[str, str]]:
    return {pair for keys in proposal.groups.values() for pair in combinations(sorted(keys), 2)}


async def _proposed(notes: Mapping[str, Note], earlier: Mapping[str, str], ask: AskModel, time: int) -> ProposedGroups:
    """Ask a model once about each batch of notes; groups that it names in one batch may be used in later ones.

    Args:
        notes: The notes to group, by key.
        earlier: Definitions of the failure modes so far, by name, which the model may use, too.
        ask: Function that asks the model one prompt.
        time: 0 for the first asking about all notes, 1 for the second, which has other batches.
    """
    definitions: dict[str, str] = {}
    groups: dict[str, tuple[str, ...]] = {}
    unknown = 0
    for batch in shuffled_batches(notes, time):
        reply = await ask(prompt_of(batch.values(), {**earlier, **definitions}))
        if reply.error:
            raise UnreadableReply(f"no groups were proposed: {reply.error}")
        proposal = read_groups(reply.text, list(batch))
        definitions = {**proposal.definitions, **definitions}
        groups |= {name: (*groups.get(name, ()), *keys) for name, keys in proposal.groups.items()}
        unknown += proposal.unknown
    return ProposedGroups(definitions, groups, unknown)


def read_groups(text: str, batch: Sequence[str]) -> ProposedGroups:
    """Read the groups of notes in a model's reply; numbers that no note has are skipped and counted.

    Groups of few notes are kept, too.

    Args:
        text: The reply.
        batch: Keys of the notes, in the order in which they were numbered.

    Raises:
        UnreadableReply: The reply isn't in the form that was asked for.
    """
    try:
        data = json_amid_prose(text)
    except ValueError as error:
        raise UnreadableReply(f"expected one JSON object, got {shown(text)}") from error
    entries = data.get("modes") if isinstance(data, Mapping) else None
    if not isinstance(entries, list):
        raise UnreadableReply(f"expected {{modes: […]}}, got {shown(text)}")
    definitions: dict[str, str] = {}
    groups: dict[str, tuple[str, ...]] = {}
    refused = Counter[str]()
    for group in entries:
        if not isinstance(group, Mapping) or not isinstance(group.get("notes"), list):
            raise UnreadableReply(f"a mode has a name, a definition and notes; got {shown(group)}")
        name = " ".join(str(group.get("name") or "").split())[:LONGEST_NOTE]
        if not name:
            raise UnreadableReply(f"a mode has a name; got {shown(group)}")
        keys = []
        for n in group["notes"]:
            is_number = isinstance(n, int) and not isinstance(n, bool) and 1 <= n <= len(batch)
            if is_number:
                keys.append(batch[n - 1])
            else:
                refused["unknown"] += 1
        if keys:
            definitions[name] = " ".join(str(group.get("definition") or "").split())
            groups[name] = tuple(dict.fromkeys((*groups.get(name, ()), *keys)))
    return ProposedGroups(definitions, groups, refused["unknown"])
