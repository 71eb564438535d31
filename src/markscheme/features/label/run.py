"""A run of `label` on pages, which are served or written as sheets."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from json import dumps
from pathlib import Path
from shlex import quote

from markscheme.commands.options import existing_file
from markscheme.commands.output import put
from markscheme.commands.page_options import listen, login_name
from markscheme.errors import UsageError
from markscheme.features.label.adjudication import dispute_lines, nothing_to_decide
from markscheme.features.label.label_session import LabelSession
from markscheme.features.label.next_steps import commands_on, onward_steps
from markscheme.features.label.options import PlanOptions, order_seed
from markscheme.features.label.page import sheet_of
from markscheme.features.label.server import serve
from markscheme.features.label.setup import carried_in, keep_examples, open_work
from markscheme.features.label.without_page import next_step
from markscheme.options.in_force import with_reading_options
from markscheme.pages.options import PageOptions
from markscheme.pages.serving import new_token
from markscheme.pages.share import Share
from markscheme.phrases import sent_with
from markscheme.ratings.column_options import ColumnOptions
from markscheme.rubrics.search import typed_name


def label_on_pages(
    rubric: str,
    pool: Path | None,
    raters: Sequence[str | None],
    *,
    sheet: Path | None,
    next: int | None,
    labelling: PlanOptions,
    share: Share | None,
    grades: Path | None,
    audits: bool,
    columns: ColumnOptions,
    page: PageOptions,
    json: bool,
    core: str | None = None,
) -> int:
    """Serve each rater's page until Ctrl-C, or write it as a sheet; return the exit status.

    Args:
        rubric: The rubric's name.
        pool: The file of responses to label; None for the rubric's own examples.
        raters: Names of those who label; None for the login name.
        sheet: The file of a sheet to write, one for each rater; None to serve pages.
        next: Number of the pool's responses to draw; None for all.
        labelling: Options on which questions are asked.
        share: How raters share the pool; None if they don't.
        grades: The file of `grade --json`, of which only responses left to people are labelled; None for all responses.
        audits: True to label the responses that `pass-rate --track` drew.
        columns: What the pool's columns and values mean.
        page: How the page is served.
        json: True to print JSON.
        core: Name of the rubric that rows share, if `rubric` is a file of rows; None without one.
    """
    with _opened(
        rubric,
        pool,
        raters,
        next=next,
        labelling=labelling,
        share=share,
        grades=grades,
        audits=audits,
        columns=columns,
        page=page,
        core=core,
    ) as works:
        _say_what_is_left_out(works)
        if sheet is not None:
            return _write_sheets(works, sheet, timed=not page.untimed, json=json)
        return _serve_pages(works, page, timed=not page.untimed, json=json)


def resolve(
    rubric: str,
    pool: Path | None,
    rater: str | None,
    page: PageOptions,
    columns: ColumnOptions,
    *,
    json: bool,
    core: str | None = None,
) -> int:
    """Serve the page on which one person resolves the labels on which annotators disagree; return the exit status.

    Args:
        rubric: Name of the rubric; or a file of rows with rubrics of their own.
        pool: The file of responses; None for the rubric's own examples.
        rater: Name of the person; None for the login name.
        page: How the page is served.
        columns: What the columns of the file mean.
        json: True to print the address as JSON.
        core: Name of the rubric that the rows share; None without one.
    """
    with _opened(rubric, pool, (rater,), adjudicate=True, columns=columns, page=page, core=core) as works:
        _say_what_is_left_out(works)
        if not works[0].steps:
            of_pool = f"--pool {quote(str(pool))}{columns.as_import}" if pool else ""
            print(nothing_to_decide(works[0], commands_on(works[0]), of_pool), file=sys.stderr)
            return 0
        status = _serve_pages(works, page, timed=False, json=json)
        for line in dispute_lines(works[0]):
            print(line, file=sys.stderr)
        return status


@contextmanager
def _opened(
    rubric: str,
    pool: Path | None,
    raters: Sequence[str | None],
    *,
    next: int | None = None,
    adjudicate: bool = False,
    labelling: PlanOptions = PlanOptions(),
    share: Share | None = None,
    grades: Path | None = None,
    audits: bool = False,
    columns: ColumnOptions = ColumnOptions(),
    page: PageOptions,
    core: str | None = None,
) -> Iterator[list[LabelSession]]:
    """Open a session for each rater, and keep other processes from writing to the raters' files meanwhile."""
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
                    seed=order_seed(page),
                    core=core,
                )
            )
        yield works
    finally:
        for work in works:
            work.file.close()


def _say_what_is_left_out(works: Sequence[LabelSession]) -> None:
    """Print on standard error which responses no rater is asked to label, and why.

    Args:
        works: The session of labelling of each rater.
    """
    for note in dict.fromkeys(note for work in works for note in work.notes):
        print(note, file=sys.stderr)


def _serve_pages(works: Sequence[LabelSession], page: PageOptions, *, timed: bool, json: bool) -> int:
    """Print the address of each rater's page, serve the pages until Ctrl-C, and return the exit status.

    Args:
        works: The raters' sessions.
        page: Where and how pages are served.
        timed: True to record how long each response takes.
        json: True to print the addresses as JSON.
    """
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
            saved = f", saved in {work.file.path}" if work.file.path.exists() else ""
            print(f"{work.done} of {len(work.steps)} labelled{saved}", file=sys.stderr)
            _say_what_follows(work)
        _say_onward(works)
        labels_to_give = next_step(typed_name(works[0].rubric)) if works and not works[0].is_adjudication else None
        if labels_to_give:
            print(labels_to_give, file=sys.stderr)
    return 0


def _say_what_follows(work: LabelSession) -> None:
    """Print, after labels were given again, whether those given before a criterion was reworded still count.

    Args:
        work: The rater's session of labelling.
    """
    if not work.reworded:
        return

    carried = carried_in(work)
    if carried is not None:
        print(carried.sentence, file=sys.stderr)


def _say_onward(works: Sequence[LabelSession]) -> None:
    """Print the next steps once every rater has labelled all responses."""
    if works and all(work.current is None for work in works):
        for why, command in onward_steps(works[0]):
            print(f"{why} {command}", file=sys.stderr)


def _say_where(work: LabelSession, url: str, port: int, *, json: bool) -> None:
    rater = work.file.rater
    done = work.done
    total = len(work.steps)
    if json:
        facts = {"url": url, "port": port, "rater": rater, "file": str(work.file.path), "given": done, "total": total}
        print(dumps({"schema": 1, **facts}), flush=True)
    else:
        twice = f" ({work.again} {'comes' if work.again == 1 else 'come'} twice)" if work.again else ""
        print(f"{done} of {total} labelled by {rater}{twice}; open\n  {url}", flush=True)


def _write_sheets(works: Sequence[LabelSession], target: Path, *, timed: bool, json: bool) -> int:
    """Write a labelling sheet (a page that needs no server) for each rater, and return the exit status.

    The responses to label are added to the rubric's examples, so that `import` finds the examples of the answers.

    Args:
        works: Each rater's session.
        target: The file to write; with several raters, each file's name ends in the rater's name.
        timed: True to store the duration of each answer.
        json: True to print JSON.
    """
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
        left = len(work.steps) - work.done
        of_all = f" of {len(work.steps)}" if work.done else ""
        print(f"{path}: {left}{of_all} to label by {rater}. Send it{along}; when the answers come back:")
        name = typed_name(work.rubric)
        answers = quote(f"{work.rubric.name}-{rater}.json")
        ratings = quote(str(work.file.path))
        taken_in_by = f"markscheme import {answers} --rubric {quote(name)} --append --to {ratings}"
        print(f"  {with_reading_options(taken_in_by)}")
    return 0
