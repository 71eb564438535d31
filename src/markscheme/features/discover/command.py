"""`markscheme discover`: from outputs and a feeling to a rubric: read, note, group, count, write."""

import asyncio
import datetime
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from json import dumps
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from markscheme.commands.families import OF_RESPONSES
from markscheme.commands.options import (
    BETWEEN_0_AND_1,
    AskFlags,
    existing_file,
)
from markscheme.commands.output import TOO_FEW, put, refuse_outputs, show, write_report
from markscheme.commands.page_options import listen, login_name, share_of
from markscheme.errors import UsageError
from markscheme.features.discover.options import NotesOptions, ReadingOptions
from markscheme.pages.options import PageOptions
from markscheme.phrases import few_of, sent_with
from markscheme.ratings.column_options import ColumnOptions

if TYPE_CHECKING:
    from markscheme.features.discover.open_discovery import OpenedDiscovery
    from markscheme.features.discover.reading_work import ReadingWork
    from markscheme.features.discover.result import Discovery
    from markscheme.features.discover.writing import Written


def discover(
    name: Annotated[str, Parameter(metavar="NAME", help="the rubric to be")],
    /,
    *,
    pool: Annotated[Path | None, Parameter(metavar="FILE", help="outputs to read (default: those from before)")] = None,
    rater: Annotated[str | None, Parameter(metavar="NAME", help="who reads (default: your login name)")] = None,
    reading: ReadingOptions = ReadingOptions(),
    taking: NotesOptions = NotesOptions(),
    suggest: Annotated[str | None, Parameter(metavar="JUDGE")] = None,
    plan: bool = False,
    report: bool = False,
    write: bool = False,
    force: bool = False,
    share_seen: Annotated[float, Parameter(name="--unseen", metavar="SHARE", validator=BETWEEN_0_AND_1)] = 0.05,
    sure: Annotated[float, Parameter(metavar="P", validator=BETWEEN_0_AND_1)] = 0.9,
    details: bool = False,
    html: Annotated[str | None, Parameter(metavar="FILE")] = None,
    markdown: Annotated[str | None, Parameter(metavar="FILE")] = None,
    json: Annotated[bool, Parameter(name="--json", help="print JSON, or the page's address")] = False,
    columns: Annotated[ColumnOptions, OF_RESPONSES] = ColumnOptions(),
    page: PageOptions = PageOptions(),
    ask: AskFlags = AskFlags(),
) -> int:
    """Read outputs, note what is wrong, group the notes into modes, and write a rubric from them.

    NAME is the rubric to be; everything is kept in calibration/NAME, where `label` and `calibrate` find it. Without a
    step to do, a page is served on which you read the outputs and group your notes, by keyboard.

    Args:
        suggest: a model proposes modes for unsorted notes: any judge name; a person accepts or refuses each
        plan: show what --suggest would ask, and its cost; make no calls
        report: print how common each mode is, how much is unseen, what to read again
        write: write rubrics/NAME.yaml and the first labels
        force: with --write, replace a rubric that exists, instead of adding modes to it
        share_seen: a mode in more than this share of outputs should not go unseen (0.05)
        sure: how sure of that (0.9)
        details: print the whole report: definitions, the curve, agreement
        html: write the report as a page to open, send or print
        markdown: write the report as Markdown; - for standard output

    Example:
        markscheme discover reply --pool outputs.jsonl

    Exit status:
        0 enough read, 2 invalid arguments, 3 no judge to ask, 4 read more, or confirm modes first.
    """
    from markscheme.features.discover.open_discovery import open_discovery

    here = Path.cwd()
    outputs = existing_file(pool) if pool is not None else None
    if taking.notes:
        _take_notes(name, here, outputs, columns, rater, taking, page.seed, quiet=json)
        outputs = None
    opened = open_discovery(name, here, pool=outputs, columns=columns, seed=page.seed, reads_all=reading.read_all)
    if taking.assign is not None:
        _assign(opened, existing_file(taking.assign), rater, taking)
    if suggest is not None:
        return _suggest(opened, suggest, ask, plan=plan, json=json)
    if plan:
        raise UsageError("--plan shows what --suggest JUDGE would ask: name the judge")
    if write:
        return _write(opened, here, force=force, json=json)
    is_page = reading != ReadingOptions() or page.untimed
    is_report = report or details or bool(html or markdown or taking.notes or taking.assign) or (json and not is_page)
    if is_report and not is_page:
        return _report(opened.discovery(share_seen, sure), html, markdown, details=details, json=json)
    return _read(opened, rater, reading, page, json=json)


def _read(
    opened: "OpenedDiscovery", rater: str | None, reading: ReadingOptions, page: PageOptions, *, json: bool
) -> int:
    """Serve each reader's page until Ctrl-C, or write it to a file."""
    from markscheme.features.discover.intake import now
    from markscheme.features.discover.reading_work import also_ids, open_reading

    if find_spec("fcntl") is None:
        raise UsageError("the reading page runs on Linux and macOS: it locks files in a way Windows can't")
    view = reading.view
    shared = share_of(reading.share, reading.each, None)
    raters = [rater or login_name()] if shared is None or rater is not None else list(shared.raters)
    also = also_ids(reading.also, opened)
    works = []
    try:
        for name in raters:
            work = open_reading(opened, name, now, view=view, is_second=reading.second, also=also, share=shared)
            works.append(work)
        if reading.sheet is not None:
            return _write_sheets(works, reading.sheet, timed=not page.untimed)
        return _serve(works, page, timed=not page.untimed, json=json)
    finally:
        for work in works:
            work.close()


def _write_sheets(works: Sequence["ReadingWork"], target: Path, *, timed: bool) -> int:
    from markscheme.features.discover.reading_server import reading_sheet

    for work in works:
        path = target if len(works) == 1 else target.with_stem(f"{target.stem}-{work.rater}")
        sent_along: set[str] = set()
        put(reading_sheet(work, timed=timed, sent_along=sent_along), path)
        name = work.opened.folder.name
        print(f"{path}: outputs to read by {work.rater}. Send it{sent_with(sent_along)}; when the notes come back:")
        print(f"  markscheme discover {quote(name)} --notes {quote(f'{name}-{work.rater}.jsonl')}")
    return 0


def _serve(works: Sequence["ReadingWork"], page: PageOptions, *, timed: bool, json: bool) -> int:
    from markscheme.features.discover.reading_server import serve_reading
    from markscheme.pages.serving import new_token

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


def _take_notes(
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
    from markscheme.features.discover.intake import take_notes
    from markscheme.features.discover.read_notes import in_words, lost_in_words

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


def _assign(opened: "OpenedDiscovery", path: Path, rater: str | None, taking: NotesOptions) -> None:
    """Take in where notes belong: a person's word where they say so, else a suggestion."""
    from markscheme.features.discover.intake import take_assignments

    if taking.kind == "human" and rater is None:
        raise UsageError("--kind human needs --rater NAME: whose word is it?")
    take_assignments(opened, path, rater or "", taking.kind)


def _suggest(opened: "OpenedDiscovery", judge: str, ask: AskFlags, *, plan: bool, json: bool) -> int:
    """Ask a model for groups of the unsorted notes; they wait for a person."""
    from markscheme.features.discover.intake import suggested
    from markscheme.features.discover.suggestions import planned_prompts
    from markscheme.features.discover.view_suggestions import json_of, plan_json, plan_view, view
    from markscheme.judges.registry import open_judge

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
    show(view(opened.folder.name, suggestion), json_of(opened.folder.name, suggestion), json=json)
    return 0


def _write(opened: "OpenedDiscovery", here: Path, *, force: bool, json: bool) -> int:
    """Write the rubric and the first labels; refuse while no person has confirmed a mode."""
    from markscheme.features.discover.writing import NothingConfirmed, write_rubric

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


def _written_json(written: "Written") -> dict[str, object]:
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


def _written_lines(written: "Written", here: Path) -> list[str]:
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


def _report(discovery: "Discovery", html: str | None, markdown: str | None, *, details: bool, json: bool) -> int:
    """Print the figures; 0 where enough was read and people confirmed modes."""
    from markscheme.features.discover.view import json_of, view
    from markscheme.report.json import dumps as report_json

    targets = {"html": html, "markdown": markdown}
    refuse_outputs(targets)
    write_report(view(discovery), lambda: json_of(discovery), targets, details=details, quiet=json)
    if json:
        print(report_json(json_of(discovery)))
    return 0 if discovery.is_enough else TOO_FEW
