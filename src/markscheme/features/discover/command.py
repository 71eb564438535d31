"""`markscheme discover`: make a rubric from outputs by reading, noting, grouping and counting faults."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from markscheme.commands.families import flag, spelled
from markscheme.commands.options import AskFlags, existing_file
from markscheme.errors import UsageError
from markscheme.features.discover.options import NotesOptions, ReadingOptions
from markscheme.options.forms import BELOW_1, WRITTEN
from markscheme.options.settings import typed_options
from markscheme.options.table import DeclaredOption, options_of
from markscheme.pages.options import PageOptions
from markscheme.ratings.column_options import ColumnOptions

OF_RESPONSES = spelled(rater=None, kind=None, judge_names=None, metric=None, agreement_weights=None)
"""Spellings that leave out the options on raters and labels, for tables of which only the responses are read."""
UNSEEN = DeclaredOption("a mode in more than this share of outputs should not go unseen (0.05)", BELOW_1, "SHARE")
SURE_OF_UNSEEN = DeclaredOption("how sure of that (0.9)", BELOW_1, "P")


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
    share_seen: Annotated[float, flag("unseen", UNSEEN)] = 0.05,
    sure: Annotated[float, flag("sure", SURE_OF_UNSEEN)] = 0.9,
    details: bool = False,
    html: Annotated[str | None, Parameter(metavar="FILE"), WRITTEN] = None,
    markdown: Annotated[str | None, Parameter(metavar="FILE"), WRITTEN] = None,
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
        details: print the whole report: definitions, the curve, agreement
        html: write the report as a page to open, send or print
        markdown: write the report as Markdown; - for standard output

    Example:
        markscheme discover reply --pool outputs.jsonl

    Exit status:
        0 enough read, 2 invalid arguments, 3 no judge to ask, 4 read more, or confirm modes first.
    """
    from markscheme.features.discover import open_discovery, run

    reports = {"--report": report, "--html": html is not None, "--markdown": markdown is not None}
    _refuse_two_steps({"--suggest": suggest is not None, "--write": write}, reports, reading)
    here = Path.cwd()
    outputs = existing_file(pool) if pool is not None else None
    if taking.notes:
        run.take_in_notes(name, here, outputs, columns, rater, taking, page.seed, quiet=json)
        outputs = None
    elif outputs is not None and columns.stated and open_discovery.has_outputs_alone(outputs, columns):
        columns.refuse_of_ratings(str(outputs))
    opened = open_discovery.open_discovery(
        name, here, pool=outputs, columns=columns, seed=page.seed, reads_all=reading.read_all
    )
    if taking.assign is not None:
        run.assign_notes(opened, existing_file(taking.assign), rater, taking)
    if suggest is not None:
        return run.suggest_groups(opened, suggest, ask, plan=plan, json=json)
    if plan:
        raise UsageError("--plan shows what --suggest JUDGE would ask: name the judge")
    if write:
        return run.write_files(opened, here, force=force, json=json)
    is_page = reading != ReadingOptions() or page.untimed
    is_report = report or details or bool(html or markdown or taking.notes or taking.assign) or (json and not is_page)
    if is_report and not is_page:
        return run.print_figures(opened.discovery(share_seen, sure), html, markdown, details=details, json=json)
    from markscheme.features.discover.read_pages import read_outputs

    return read_outputs(opened, rater, reading, page, json=json)


def _refuse_two_steps(steps: Mapping[str, bool], reports: Mapping[str, bool], reading: ReadingOptions) -> None:
    """Refuse options that ask for two things at once, of which only one would be done.

    Args:
        steps: True for each option that is set and says what to do, by name.
        reports: True for each option that is set and asks for a report, by name.
        reading: Options for how outputs are read on the page.

    Raises:
        UsageError: Two of these things are asked for.
    """
    of_reading = typed_options(options_of(ReadingOptions), reading)
    of_page = next((f"--{key}" for key in of_reading), None)
    of_report = next((option for option, is_set in reports.items() if is_set), None)
    named = [*(option for option, is_set in steps.items() if is_set), *filter(None, (of_report, of_page))]
    if len(named) > 1:
        raise UsageError(f"{named[0]} and {named[1]} are two steps: run one after the other")
