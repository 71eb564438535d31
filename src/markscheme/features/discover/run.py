"""Steps of `discover` that need no page: import notes, suggest groups, write the rubric, print figures."""

import asyncio
import datetime
import sys
from json import dumps
from pathlib import Path

from markscheme.commands.options import AskFlags, existing_file
from markscheme.commands.output import TOO_FEW, refuse_outputs, show, write_report
from markscheme.errors import UsageError
from markscheme.features.discover.intake import suggested, take_assignments, take_notes
from markscheme.features.discover.open_discovery import OpenedDiscovery
from markscheme.features.discover.options import NotesOptions
from markscheme.features.discover.read_notes import in_words, lost_in_words
from markscheme.features.discover.result import Discovery
from markscheme.features.discover.suggestions import planned_prompts
from markscheme.features.discover.view import json_of, view
from markscheme.features.discover.view_suggestions import json_of as suggestion_json
from markscheme.features.discover.view_suggestions import plan_json, plan_view
from markscheme.features.discover.view_suggestions import view as view_suggestion
from markscheme.features.discover.writing import NothingConfirmed, Written, write_rubric
from markscheme.judges.cost import cost_of_asking
from markscheme.judges.options import WAYS_OF_ASKING
from markscheme.judges.registry import open_judge
from markscheme.options.settings import typed_options
from markscheme.phrases import few_of
from markscheme.ratings.column_options import ColumnOptions
from markscheme.report.json import dumps as json_text


def take_in_notes(
    name: str,
    here: Path,
    pool: Path | None,
    columns: ColumnOptions,
    rater: str | None,
    taking: NotesOptions,
    seed: int | None,
    *,
    quiet: bool,
) -> None:
    """Import notes from files, and print what was imported and what was left out.

    Args:
        name: Name of the rubric to be.
        here: The working directory.
        pool: File of the outputs that the notes are on; None for the file that was named before.
        columns: What the columns and values of tables mean.
        rater: Name of the notes' author, for files that don't say it.
        taking: The files of notes, and options on how they are read.
        seed: Random seed of the reading order.
        quiet: True to print on standard error, and nothing on standard output.
    """
    paths = [existing_file(path) for path in taking.notes]
    content = take_notes(
        name,
        here,
        paths,
        rater=rater,
        kind=taking.kind,
        pool=pool,
        columns=columns,
        seed=seed,
        is_random=taking.random,
    )
    out = sys.stderr if quiet else sys.stdout
    print(f"took in {in_words(content)}", file=out)
    for remark in content.remarks:
        print(f"note: {remark}", file=out)
    for line in lost_in_words(content):
        print(f"left out: {line}", file=out)


def assign_notes(opened: OpenedDiscovery, path: Path, rater: str | None, taking: NotesOptions) -> None:
    """Import assignments of notes to failure modes from a file: as a person's with `--kind human`, else as suggestions.

    Args:
        opened: The discovery.
        path: The file.
        rater: Name of the person or model that assigned the notes; None if the lines say it.
        taking: The user's options, with the kind of that person or model.

    Raises:
        UsageError: The assignments are a person's, and no name is given.
    """
    if taking.kind == "human" and rater is None:
        raise UsageError("--kind human needs --rater NAME: whose word is it?")
    take_assignments(opened, path, rater or "", taking.kind)


def suggest_groups(opened: OpenedDiscovery, judge: str, ask: AskFlags, *, plan: bool, json: bool) -> int:
    """Ask a model to group the unsorted notes, or with `plan` print what that costs; return the exit status.

    The groups wait for a person to accept them.
    """
    outputs = opened.outputs()
    notes = {key: outputs.notes[key] for key in outputs.unsorted}
    if not notes:
        raise UsageError("there are no unsorted notes to group")

    known_modes = {mode.name: mode.definition for mode in outputs.codebook.listed}
    proposer = open_judge(judge, model=ask.model, context=ask.context())
    if plan:
        cost = cost_of_asking(proposer, planned_prompts(notes, known_modes), ask.context(), samples=1)
        asking = typed_options((*WAYS_OF_ASKING, "budget", "batch"), ask).values()
        show(plan_view(opened.folder.name, judge, len(notes), cost, asking), plan_json(len(notes), cost), json=json)
        return 0
    suggestion = asyncio.run(suggested(opened, notes, known_modes, proposer))
    show(view_suggestion(opened.folder.name, suggestion), suggestion_json(opened.folder.name, suggestion), json=json)
    return 0


def write_files(opened: OpenedDiscovery, here: Path, *, force: bool, json: bool) -> int:
    """Write rubric and first labels; if no person has confirmed a failure mode, print an error.

    Return the exit status.

    Args:
        opened: The discovery.
        here: The working directory.
        force: True to replace a rubric that exists.
        json: True to print JSON.
    """
    day = datetime.date.today().isoformat()
    try:
        written = write_rubric(opened, here, day, replaces=force)
    except NothingConfirmed as refusal:
        print(f"error: {refusal}", file=sys.stderr)
        return TOO_FEW
    if json:
        print(dumps(_written_json(written), ensure_ascii=False))
    else:
        print("\n".join(_written_lines(written, here)))
    return 0


def _written_json(written: Written) -> dict[str, object]:
    return {
        "schema": 1,
        "rubric": written.rubric.name,
        "path": str(written.path),
        "criteria": [criterion.name for criterion in written.rubric.criteria],
        "left_out": [mode.name for mode, _ in written.draft.left_out] if written.draft is not None else [],
        "lenders": list(written.draft.lenders) if written.draft is not None else [],
        "examples": written.examples,
        "held_out": written.held_out,
        "labels": dict(written.labels),
        "advice": [{"code": a.code, "criterion": a.criterion, "message": a.message} for a in written.advice],
        "next": [{"command": command, "who": who} for command, who in zip(written.commands, _WHO, strict=True)],
    }


_WHO = ("anyone", "person", "anyone")
"""The one who has to run each command that is printed after the rubric is written: anyone, or a person."""


def _written_lines(written: Written, here: Path) -> list[str]:
    shown = written.path.relative_to(here) if written.path.is_relative_to(here) else written.path
    names = ", ".join(criterion.name for criterion in written.rubric.criteria)
    lines = [f"{'wrote' if written.is_new else 'updated'} {shown}: {names}"]
    if written.draft is None:
        lines = [f"{shown} has all modes already: {names}"]
    if written.draft is not None and written.draft.left_out:
        left_out = "; ".join(f"{mode.name} ({why})" for mode, why in written.draft.left_out)
        lines.append(f"not yet criteria: {left_out}")
    if written.draft is not None and written.draft.lenders:
        lenders = few_of(written.draft.lenders)
        lines.append(f"the rubric quotes {lenders}; an output with a long quote counts in no agreement")
    labels = ", ".join(f"{count} by {rater}" for rater, count in written.labels.items()) or "none"
    lines.append(f"labels of outputs that were read, for dev: {labels}")
    for advice in written.advice:
        about = f" {advice.criterion!r}" if advice.criterion else ""
        lines.append(f"advice: {advice.code}{about}: {advice.message}")
    if written.held_out:
        lines.append(f"The words come from these outputs; {written.held_out} that nobody has read are held out. Next:")
        return [*lines, *(f"  {command}" for command in written.commands)]
    outputs = f"about {written.advised_labels} outputs" if written.advised_labels else "outputs"
    lines.append(f"The words come from these outputs, so test labels come from {outputs} that nobody has read. Next:")
    return [*lines, *(f"  {command}" for command in written.commands)]


def print_figures(discovery: Discovery, html: str | None, markdown: str | None, *, details: bool, json: bool) -> int:
    """Print a discovery's figures; return 0 if people read enough and confirmed failure modes, else exit status 4."""
    targets = {"html": html, "markdown": markdown}
    refuse_outputs(targets)
    write_report(lambda: view(discovery), lambda: json_of(discovery), targets, details=details, quiet=json)
    if json:
        print(json_text(json_of(discovery)))
    return 0 if discovery.is_enough else TOO_FEW
