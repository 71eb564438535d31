"""A run of `discover`: notes taken in, groups suggested, pages of outputs served, a rubric and its figures written."""

import asyncio
import datetime
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from json import dumps
from pathlib import Path
from shlex import quote

from markscheme.commands.options import AskFlags, existing_file
from markscheme.commands.output import TOO_FEW, put, refuse_outputs, show, write_report
from markscheme.commands.page_options import listen, login_name, share_of
from markscheme.errors import UsageError
from markscheme.features.discover.intake import now, suggested, take_assignments, take_notes
from markscheme.features.discover.open_discovery import OpenedDiscovery
from markscheme.features.discover.options import NotesOptions, ReadingOptions
from markscheme.features.discover.read_notes import in_words, lost_in_words
from markscheme.features.discover.reading_server import reading_sheet, serve_reading
from markscheme.features.discover.reading_work import ReadingWork, also_ids, open_reading
from markscheme.features.discover.result import Discovery
from markscheme.features.discover.suggestions import planned_prompts
from markscheme.features.discover.view import json_of, view
from markscheme.features.discover.view_suggestions import json_of as suggestion_json
from markscheme.features.discover.view_suggestions import plan_json, plan_view
from markscheme.features.discover.view_suggestions import view as view_suggestion
from markscheme.features.discover.writing import NothingConfirmed, Written, write_rubric
from markscheme.judges.registry import open_judge
from markscheme.pages.options import PageOptions
from markscheme.pages.serving import new_token
from markscheme.phrases import few_of, sent_with
from markscheme.ratings.column_options import ColumnOptions
from markscheme.report.json import dumps as json_text


def read_outputs(
    opened: OpenedDiscovery, rater: str | None, reading: ReadingOptions, page: PageOptions, *, json: bool
) -> int:
    """Serve each reader's page until Ctrl-C, or write it to a file."""
    if find_spec("fcntl") is None:
        raise UsageError("the reading page runs on Linux and macOS: it locks files in a way Windows can't")
    shared = share_of(reading.share, reading.each, None)
    raters = [rater or login_name()] if shared is None or rater is not None else list(shared.raters)
    also = also_ids(reading.also, opened)
    works = []
    try:
        for name in raters:
            work = open_reading(opened, name, now, view=reading.view, is_second=reading.second, also=also, share=shared)
            works.append(work)
        if reading.sheet is not None:
            return _write_sheets(works, reading.sheet, timed=not page.untimed)
        return _serve(works, page, timed=not page.untimed, json=json)
    finally:
        for work in works:
            work.close()


def _write_sheets(works: Sequence[ReadingWork], target: Path, *, timed: bool) -> int:
    for work in works:
        path = target if len(works) == 1 else target.with_stem(f"{target.stem}-{work.rater}")
        sent_along: set[str] = set()
        put(reading_sheet(work, timed=timed, sent_along=sent_along), path)
        name = work.opened.folder.name
        print(f"{path}: outputs to read by {work.rater}. Send it{sent_with(sent_along)}; when the notes come back:")
        print(f"  markscheme discover {quote(name)} --notes {quote(f'{name}-{work.rater}.jsonl')}")
    return 0


def _serve(works: Sequence[ReadingWork], page: PageOptions, *, timed: bool, json: bool) -> int:
    listening, port = listen(page)
    by_token = {new_token(): work for work in works}
    for token, work in by_token.items():
        url = page.url(port, token)
        if json:
            print(
                dumps({"schema": 1, "url": url, "port": port, "rater": work.rater, "file": str(work.path)}), flush=True
            )
        else:
            print(f"{work.opened.folder.name}, read by {work.rater}; open\n  {url}", flush=True)
    if not json:
        opened = works[0].opened
        if opened.pool_name:
            print(opened.reading_plan, flush=True)
        print("Ctrl-C stops it; all that was noted stays.", flush=True)
    try:
        serve_reading(by_token, listening, page.hosts(port), timed=timed)
    except KeyboardInterrupt:
        pass
    finally:
        for step in works[0].opened.discovery().next_steps[:3]:
            print(f"next: {step.why}: {step.command}", file=sys.stderr)
    return 0


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
    """Take in notes from elsewhere, and say what was lost."""
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
    """Take in where notes belong: a person's word where they say so, else a suggestion."""
    if taking.kind == "human" and rater is None:
        raise UsageError("--kind human needs --rater NAME: whose word is it?")
    take_assignments(opened, path, rater or "", taking.kind)


def suggest_groups(opened: OpenedDiscovery, judge: str, ask: AskFlags, *, plan: bool, json: bool) -> int:
    """Ask a model for groups of the unsorted notes; they wait for a person."""
    outputs = opened.outputs()
    notes = {key: outputs.notes[key] for key in outputs.unsorted}
    if not notes:
        raise UsageError("there are no unsorted notes to group")

    known_modes = {mode.name: mode.definition for mode in outputs.codebook.listed}
    proposer = open_judge(judge, model=ask.model, asking=ask.asking())
    if plan:
        cost = ask.cost(proposer, planned_prompts(notes, known_modes), 1)
        show(plan_view(opened.folder.name, judge, len(notes), cost), plan_json(len(notes), cost), json=json)
        return 0
    suggestion = asyncio.run(suggested(opened, notes, known_modes, proposer))
    show(view_suggestion(opened.folder.name, suggestion), suggestion_json(opened.folder.name, suggestion), json=json)
    return 0


def write_files(opened: OpenedDiscovery, here: Path, *, force: bool, json: bool) -> int:
    """Write the rubric and the first labels; refuse while no person has confirmed a mode."""
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
"""Who must run each of the commands that follow."""


def _written_lines(written: Written, here: Path) -> list[str]:
    shown = written.path.relative_to(here) if written.path.is_relative_to(here) else written.path
    names = ", ".join(criterion.name for criterion in written.rubric.criteria)
    lines = [f"{'wrote' if written.is_new else 'updated'} {shown}: {names}"]
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
    """Print the figures; 0 where enough was read and people confirmed modes."""
    targets = {"html": html, "markdown": markdown}
    refuse_outputs(targets)
    write_report(view(discovery), lambda: json_of(discovery), targets, details=details, quiet=json)
    if json:
        print(json_text(json_of(discovery)))
    return 0 if discovery.is_enough else TOO_FEW
