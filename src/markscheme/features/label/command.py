"""`markscheme label`: annotators label responses, on a page that is served or on one that is mailed."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from importlib.util import find_spec
from json import dumps
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from markscheme.calibration.findings.commands import Commands
from markscheme.calibration.options import LIMITS_OF_WRONG, LabelOptions
from markscheme.commands.families import spelled
from markscheme.commands.options import (
    ALONE,
    AS_NEEDED,
    COUNT,
    COUNT_OR_NEEDED,
    AskFlags,
    JsonTarget,
    JudgeNames,
    RatingsFiles,
    RubricName,
    existing_file,
)
from markscheme.commands.output import put, show
from markscheme.commands.page_options import RaterName, listen, login_name, share_of
from markscheme.commands.progress import progress as watch
from markscheme.errors import RatingError, UsageError, suggestion
from markscheme.features.label.options import PlanOptions
from markscheme.pages.options import PageOptions
from markscheme.phrases import in_words, sent_with
from markscheme.ratings.column_options import ColumnOptions
from markscheme.readers.plain_tables import names_table
from markscheme.rubrics.search import calibration_folder, find_rubric

if TYPE_CHECKING:
    from markscheme.calibration.next_labels import NextLabels
    from markscheme.features.label.work import Work
    from markscheme.pages.order import Share

Pool = Annotated[Path | None, Parameter(metavar="FILE", help="what to label (default: the rubric's own examples)")]


def label(
    rubric: RubricName,
    /,
    *,
    pool: Pool = None,
    rater: RaterName = None,
    sheet: Annotated[Path | None, Parameter(metavar="FILE.html")] = None,
    next: Annotated[int | None, COUNT_OR_NEEDED] = None,
    share: Annotated[str | None, Parameter(metavar="A,B,C")] = None,
    each: Annotated[int, COUNT, Parameter(metavar="K")] = 2,
    overlap: Annotated[int | None, COUNT] = None,
    asked: Annotated[Path | None, Parameter(metavar="FILE.jsonl")] = None,
    same_meaning: Annotated[str | None, Parameter(metavar="CRITERION")] = None,
    audits: bool = False,
    progress: bool = False,
    page: PageOptions = PageOptions(),
    disputed: bool = False,
    plan: bool = False,
    to: Annotated[str | None, Parameter(metavar="FILE")] = None,
    pairs: bool = False,
    labelling: PlanOptions = PlanOptions(),
    judge: JudgeNames = (),
    ratings: RatingsFiles = (),
    labels: Annotated[LabelOptions, spelled(all_texts=None, **dict.fromkeys(LIMITS_OF_WRONG))] = LabelOptions(),
    ask: AskFlags = AskFlags(),
    columns: Annotated[ColumnOptions, spelled(judge=None, rater=None)] = ColumnOptions(),
    json: JsonTarget = None,
    quiet: bool = False,
) -> int:
    """Label responses on a web page: one at a time, by keyboard, blind to judges and to other annotators.

    RUBRIC may be Promptfoo's results: their metrics become the criteria of a rubric, their outputs its examples. The
    pool is a file of examples, a table, or Promptfoo's results. Labels are saved at once to
    calibration/RUBRIC/ratings/RATER.jsonl, labelled responses to calibration/RUBRIC/examples.jsonl. Stop and start
    again whenever you like. With --sheet the page is a file that works without network, also on a phone; `import`
    takes in what it saves. --plan and --to open no page and ask nobody.

    Args:
        sheet: write the page to a file to send, instead of serving it
        next: draw the N responses whose labels would say most (as many as the verdict needs); once they are labelled,
            N more
        share: annotators who share the pool; without --rater, everyone's page is served
        each: annotators who label each response of a shared pool (2)
        overlap: only the first N responses get that many, later ones get one (all)
        asked: only what `grade --json` wrote as "ask": what no judge decided
        same_meaning: note that the new words of CRITERION mean what its old ones meant, so that labels under those stay
            in trends; opens no page
        audits: label what `pass-rate --track` drew: the oldest week first
        progress: print who labelled how much, how often they agree, and how many labels the verdict needs; opens no
            page
        disputed: resolve the labels on which annotators disagree: the page shows the levels they gave, their notes and
            the passages they marked, not their names; what you decide counts as the gold label
        plan: print how many labels the verdict needs, and what the next run costs; of a table what `calibrate` asks for
        to: with --next, write what to label next to a file, as examples ready to append to a set; - for standard output
        pairs: with --to, write pairs of --pool's outputs to compare: responses of two systems to the same inputs
        json: print the page's address as JSON; with --plan or --to write the plan, to standard output without FILE
        quiet: print no plan

    Example:
        markscheme label code-quality --pool results.json --rater ann
    """
    if plan or pairs or to is not None:
        if not pairs:
            _refuse_half_a_draw(next, pool, to)
        elif to is None:
            raise UsageError("--pairs writes pairs to label to a file: add --to FILE (- for standard output)")
        from markscheme.features.label.command_plan import print_plan, print_plan_of_table, write_pairs
        from markscheme.features.label.run_plan import PlanRequest

        if names_table([rubric]) and pool is None:
            table = columns.of_table(judge)
            return print_plan_of_table(rubric, table, labels, labelling, json, quiet=quiet)
        request = PlanRequest(
            rubric=ask.rubric(rubric),
            examples=labels.examples,
            options=labels,
            judges=judge,
            ratings=ratings,
            pool=pool,
            draws=None if next == AS_NEEDED else next,
            seed=page.order_seed,
            labelling=labelling,
            ask=ask,
            columns=replace(columns, rater=rater),
            watch=watch,
        )
        if pairs and to:
            return write_pairs(request, to)
        return print_plan(request, to, json, quiet=quiet)
    if json not in (None, ALONE):
        raise UsageError(f"--json {json} writes a plan to a file: add --plan")
    as_json = json is not None
    if progress:
        return _print_progress(rubric, pool, json=as_json)
    if same_meaning is not None:
        return _note_same_meaning(rubric, same_meaning)
    if disputed:
        return _resolve(rubric, pool, rater, page, json=as_json)
    shared = share_of(share, each, overlap)
    if shared is not None and rater is not None and rater not in shared.raters:
        raise UsageError(f"{rater} isn't one of those who share the pool: {', '.join(shared.raters)}")
    if next == AS_NEEDED:
        next = _as_needed(rubric)
    raters = shared.raters if shared is not None and rater is None else (rater,)
    grades = None if asked is None else existing_file(asked)
    if audits and (pool is not None or next is not None or share is not None):
        raise UsageError("--audits is a pool and an order of its own; leave --pool, --next and --share out")
    with opened(
        rubric,
        pool,
        raters,
        next=next,
        labelling=labelling,
        share=shared,
        page=page,
        grades=grades,
        audits=audits,
        columns=columns,
    ) as works:
        say_what_is_left_out(works)
        if sheet is not None:
            return _write_sheets(works, sheet, timed=not page.untimed, json=as_json)
        return serve_pages(works, page, timed=not page.untimed, json=as_json)


def _refuse_half_a_draw(next: int | None, pool: Path | None, to: str | None) -> None:
    """Refuse a draw of which it isn't said how many, out of which file, and where they are written.

    Raises:
        UsageError: One of them is missing.
    """
    if (next is None) != (pool is None):
        raise UsageError("--next [N] is how many to label and --pool FILE out of what: give both")
    if next is None and to is not None:
        raise UsageError("--to FILE gets what to label next: add --next [N] --pool FILE")
    if next is not None and to is None:
        raise UsageError("--next writes what to label to a file: add --to FILE (- for standard output)")


def _resolve(rubric: str, pool: Path | None, rater: str | None, page: PageOptions, *, json: bool) -> int:
    """Serve the page on which one person resolves the labels on which annotators disagree."""
    from markscheme.features.label.adjudication import dispute_lines, nothing_to_decide

    with opened(rubric, pool, (rater,), adjudicate=True, page=page) as works:
        say_what_is_left_out(works)
        if not works[0].steps:
            print(nothing_to_decide(works[0], Commands.on(rubric)), file=sys.stderr)
            return 0
        status = serve_pages(works, page, timed=False, json=json)
        for line in dispute_lines(works[0]):
            print(line, file=sys.stderr)
        return status


@contextmanager
def opened(
    rubric: str,
    pool: Path | None,
    raters: Sequence[str | None],
    *,
    next: int | None = None,
    adjudicate: bool = False,
    labelling: PlanOptions = PlanOptions(),
    share: "Share | None" = None,
    grades: Path | None = None,
    audits: bool = False,
    columns: ColumnOptions = ColumnOptions(),
    page: PageOptions,
) -> Iterator[list["Work"]]:
    """Open the work of each rater; other processes may not write to their files until the end."""
    from markscheme.features.label.setup import open_work

    if find_spec("fcntl") is None:
        raise UsageError("the labelling page runs on Linux and macOS: it locks files in a way Windows can't")
    file, works = existing_file(pool) if pool else None, []
    try:
        for rater in raters:
            who = rater or login_name()
            works.append(
                open_work(
                    rubric,
                    Path.cwd(),
                    rater=who,
                    pool=file,
                    next=next,
                    adjudicate=adjudicate,
                    ask_whole=labelling.ask_whole,
                    all_criteria=labelling.all_criteria == "yes",
                    share=share,
                    grades=grades,
                    audits=audits,
                    columns=columns,
                    seed=page.order_seed,
                )
            )
        yield works
    finally:
        for work in works:
            work.file.close()


def say_what_is_left_out(works: Sequence["Work"]) -> None:
    """Say on standard error what of the set isn't asked, and why."""
    for note in dict.fromkeys(note for work in works for note in work.notes):
        print(note, file=sys.stderr)


def serve_pages(works: Sequence["Work"], page: PageOptions, *, timed: bool, json: bool) -> int:
    """Print where each rater's page is, and serve them until Ctrl-C."""
    from markscheme.features.label.server import serve
    from markscheme.pages.serving import new_token

    listening, port = listen(page)
    by_token = {new_token(): work for work in works}
    for token, work in by_token.items():
        _say_where(work, page.url(port, token), port, json=json)
    if not json:
        print("Ctrl-C stops it; saved labels stay.", flush=True)
    try:
        serve(by_token, listening, page.hosts(port), timed=timed)
    except KeyboardInterrupt:
        pass
    finally:
        for work in works:
            print(f"{work.done} of {len(work.steps)} labelled, saved in {work.file.path}", file=sys.stderr)
            _say_what_follows(work)
        _say_onward(works)
        next_step = _next_step(works[0].rubric.name) if works and not works[0].is_adjudication else None
        if next_step:
            print(next_step, file=sys.stderr)
    return 0


def _say_what_follows(work: "Work") -> None:
    """Say what labels that were given again show about the old ones."""
    if not work.reworded:
        return
    from markscheme.features.label.setup import carried_in

    carried = carried_in(work)
    if carried is not None:
        print(carried.sentence, file=sys.stderr)


def _say_onward(works: Sequence["Work"]) -> None:
    """Say what to do next once every rater has labelled everything."""
    from markscheme.features.label.next_steps import onward_steps

    if works and all(work.current is None for work in works):
        for why, command in onward_steps(works[0]):
            print(f"{why} {command}", file=sys.stderr)


def _say_where(work: "Work", url: str, port: int, *, json: bool) -> None:
    rater = work.file.rater
    done = work.done
    total = len(work.steps)
    if json:
        facts = {"url": url, "port": port, "rater": rater, "file": str(work.file.path), "given": done, "total": total}
        print(dumps({"schema": 1, **facts}), flush=True)
    else:
        twice = f" ({work.again} {'comes' if work.again == 1 else 'come'} twice)" if work.again else ""
        print(f"{done} of {total} labelled by {rater}{twice}; open\n  {url}", flush=True)


def _write_sheets(works: Sequence["Work"], target: Path, *, timed: bool, json: bool) -> int:
    """Write each rater's sheet, and add its responses to the rubric's own, where `import` looks for them."""
    from markscheme.features.label.page import sheet_of
    from markscheme.features.label.setup import keep_examples

    for work in works:
        rater = work.file.rater
        path = target if len(works) == 1 else target.with_stem(f"{target.stem}-{rater}")
        keep_examples(work)
        sent_along: set[str] = set()
        put(sheet_of(work, timed=timed, sent_along=sent_along), path)
        if json:
            files = {"files": sorted(sent_along)} if sent_along else {}
            print(dumps({"schema": 1, "sheet": str(path), "rater": rater, "total": len(work.steps), **files}))
            continue
        along = sent_with(sent_along)
        print(f"{path}: {len(work.steps)} to label by {rater}. Send it{along}; when the answers come back:")
        name = work.rubric.name
        answers = quote(f"{name}-{rater}.json")
        ratings = quote(str(work.file.path))
        print(f"  markscheme import {answers} --rubric {quote(name)} --append --to {ratings}")
    return 0


def _as_needed(rubric: str) -> int:
    """Return as many as the verdict needs."""
    next_step = _next_labels(rubric)
    if next_step.labels is None or not next_step.labels.more:
        raise UsageError(next_step.why_no_number)
    return next_step.labels.more


def _next_step(rubric: str) -> str | None:
    """Return the labels that the verdict still needs; what can't be read is said by the next command."""
    try:
        return _next_labels(rubric).in_words
    except (RatingError, UsageError):
        return None


def _next_labels(rubric: str) -> "NextLabels":
    """Return the labels that the verdict of a rubric asks for next."""
    from markscheme.features.label.overview import next_labels_of

    return next_labels_of(rubric, Path.cwd())


def _note_same_meaning(rubric: str, name: str) -> int:
    from markscheme.ratings.wordings import record_same_meaning
    from markscheme.rubrics.file import load_rubric

    loaded = load_rubric(find_rubric(rubric, Path.cwd()))
    names = [criterion.name for criterion in loaded.criteria]
    if name not in names:
        raise UsageError(
            f"{loaded.name} has no criterion {name!r}{suggestion(name, names) or f'; it has {in_words(names)}'}"
        )
    folder = calibration_folder(loaded.name, Path.cwd())
    if not record_same_meaning(folder, loaded.criterion(name), date.today().isoformat()):
        raise UsageError(f"no labels were given to other words of {name}: there is nothing to note")
    print(
        f"Noted: the new words of {name} mean what the old ones meant. Labels under the old words stay in trends. For "
        f"a gate some must be given again: {Commands.on(loaded.name).label()}"
    )
    return 0


def _print_progress(rubric: str, pool: Path | None, *, json: bool) -> int:
    from markscheme.features.label.overview import json_of, overview_of, view

    overview = overview_of(rubric, Path.cwd(), existing_file(pool) if pool else None)
    show(view(overview), json_of(overview), json=json)
    return 0
