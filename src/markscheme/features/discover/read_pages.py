"""The pages of `discover` on which outputs are read, served or written as sheets."""

import sys
from collections.abc import Sequence
from importlib.util import find_spec
from json import dumps
from pathlib import Path
from shlex import quote

from markscheme.commands.output import put
from markscheme.commands.page_options import listen, login_name, share_of
from markscheme.errors import UsageError
from markscheme.features.discover.intake import now
from markscheme.features.discover.open_discovery import OpenedDiscovery
from markscheme.features.discover.options import ReadingOptions
from markscheme.features.discover.reading_server import reading_sheet, serve_reading
from markscheme.features.discover.reading_work import ReadingWork, also_ids, open_reading
from markscheme.options.in_force import with_reading_options
from markscheme.pages.options import PageOptions
from markscheme.pages.serving import new_token
from markscheme.phrases import sent_with


def read_outputs(
    opened: OpenedDiscovery, rater: str | None, reading: ReadingOptions, page: PageOptions, *, json: bool
) -> int:
    """Serve each reader's page until Ctrl-C, or write the pages to files; return the exit status.

    Args:
        opened: The discovery.
        rater: Name of the only reader; None for all readers among whom the outputs are shared or, if they aren't
            shared, for the login name.
        reading: Options on what is read, by whom, and whether pages are written to files.
        page: How pages are served.
        json: True to print the addresses as JSON.
    """
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
        taken_in_by = f"markscheme discover {quote(name)} --notes {quote(f'{name}-{work.rater}.jsonl')}"
        print(f"  {with_reading_options(taken_in_by)}")
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
