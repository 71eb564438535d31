"""Report on the groups that a model proposes for unsorted notes, and on the cost of asking for them."""

from collections.abc import Iterable
from shlex import quote
from typing import Any

from markscheme.features.discover.suggestions import MOST_NOTES, TIMES_ASKED, Suggestion
from markscheme.judges.cost import Cost
from markscheme.options.in_force import with_reading_options
from markscheme.phrases import counted, estimated, number
from markscheme.report.document import Callout, Command, Document, Name, Notes, Paragraph, Table
from markscheme.report.figures import dollars


def view(name: str, suggestion: Suggestion) -> Document:
    """Build the report on the failure modes that a model proposes, and on how far its two answers agree."""
    definitions = suggestion.proposal.definitions
    rows = tuple(
        (Name(mode), str(len(keys)), str(sum(key in suggestion.firm for key in keys)), definitions[mode])
        for mode, keys in suggestion.proposal.groups.items()
    )
    lines = [
        f"{counted(len(suggestion.left_out), 'note')} left out; they stay unsorted.",
        "Firm: put together with the same other note both times.",
        "Until a person accepts a suggestion, it counts nowhere.",
    ]
    if suggestion.proposal.unknown:
        lines.append(f"{counted(suggestion.proposal.unknown, 'number')} of notes that don't exist were refused.")
    agreement = number(suggestion.agreement)
    answers = f"Asked {TIMES_ASKED} times with the notes shuffled, its answers agree to {agreement} (adjusted Rand)."
    title = f"{name}: {counted(len(rows), 'mode')} proposed by {suggestion.judge}"
    accept = Callout(
        "note", "Accept or refuse them note by note, on the page:", command=f"markscheme discover {quote(name)}"
    )
    table = Table(("Mode", "notes", "firm", "definition"), rows)
    return Document(title, answers, (table, Notes(tuple(lines)), accept))


def json_of(name: str, suggestion: Suggestion) -> dict[str, Any]:
    """Return a model's suggestion of failure modes as a dict that JSON can hold."""
    return {
        "schema": 1,
        "name": name,
        "judge": suggestion.judge,
        "agreement": suggestion.agreement,
        "modes": [
            {
                "name": mode,
                "definition": suggestion.proposal.definitions[mode],
                "notes": list(keys),
                "firm": [key for key in keys if key in suggestion.firm],
            }
            for mode, keys in suggestion.proposal.groups.items()
        ],
        "left_out": list(suggestion.left_out),
        "refused": suggestion.proposal.unknown,
        "next": [{"command": with_reading_options(f"markscheme discover {quote(name)}"), "who": "person"}],
    }


def plan_view(name: str, judge: str, notes: int, cost: Cost, asking: Iterable[str]) -> Document:
    """Build the report on the cost of asking a judge to group notes into failure modes, with the command that asks.

    Args:
        name: The discovery's name.
        judge: The judge's name.
        notes: Number of notes to group.
        cost: Cost of asking.
        asking: Options on how the judge is asked, as typed in a shell.
    """
    calls = (
        f"{counted(notes, 'note')} at most {MOST_NOTES} a call, {TIMES_ASKED} times: {counted(cost.calls, 'call')}, "
        f"about {estimated(cost.input_tokens)} tokens read, {dollars(cost.usd)}"
    )
    run = ("Ask: ", Command(" ".join((f"markscheme discover {quote(name)} --suggest {quote(judge)}", *asking))))
    return Document(f"{name}: what {judge} would be asked", "", (Paragraph((calls, run)),))


def plan_json(notes: int, cost: Cost) -> dict[str, Any]:
    """Return the cost of asking a judge for groups of notes, as a dict that JSON can hold.

    Args:
        notes: Number of notes to group.
        cost: The cost.
    """
    return {
        "schema": 1,
        "notes": notes,
        "judge": cost.judge,
        "calls": cost.calls,
        "input_tokens": cost.input_tokens,
        "output_tokens": cost.output_tokens,
        "usd": cost.usd,
    }
