"""`markscheme label`: annotators label responses on a local page."""

import getpass
import sys
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from markscheme.commands.options import PORT, RubricName, SkipDamaged, existing_file, whole_number
from markscheme.errors import UsageError

if TYPE_CHECKING:
    from markscheme.labelling.work import Work

FIRST_PORT = 8765


Pool = Annotated[Path | None, Parameter(metavar="FILE", help="what to label (default: the rubric's own examples)")]
RaterName = Annotated[str | None, Parameter(metavar="NAME", help="who labels (default: your login name)")]
Seed = Annotated[int, Parameter(metavar="K", help="random seed (1)", converter=whole_number)]
Port = Annotated[int, Parameter(metavar="N", help=f"port, or the next free one ({FIRST_PORT})", validator=PORT)]
PageFlag = Annotated[bool, Parameter(name="--json", help="print the page's address as JSON")]


def label(
    rubric: RubricName,
    /,
    *,
    pool: Pool = None,
    rater: RaterName = None,
    next: Annotated[int | None, Parameter(metavar="N", converter=whole_number)] = None,
    seed: Seed = 1,
    port: Port = FIRST_PORT,
    json: PageFlag = False,
    skip_damaged: SkipDamaged = False,  # noqa: ARG001 - `call` heeds it
) -> int:
    """Label responses on a local web page: one at a time, by keyboard, blind to judges and to other annotators.

    The pool is a file of examples or Promptfoo's results. Labels are saved at once to
    calibration/RUBRIC/ratings/RATER.jsonl, labelled responses to calibration/RUBRIC/examples.jsonl. Stop and start
    again whenever you like. Several annotators can label at the same time, each with their own --rater.

    Args:
        next: draw the N responses whose labels would say most; once they are labelled, N more

    Example:
        markscheme label code-quality --pool results.json --rater ann
    """
    return open_page(rubric, pool, rater, next=next, seed=seed, port=port, json=json)


def open_page(
    rubric: str,
    pool: Path | None,
    rater: str | None,
    *,
    next: int | None = None,
    adjudicate: bool = False,
    seed: int,
    port: int,
    json: bool,
) -> int:
    """Open the work, print where the page is, and serve it until Ctrl-C."""
    try:
        from markscheme.labelling.server import free_socket, new_token, serve
        from markscheme.labelling.setup import open_work
    except ModuleNotFoundError as error:
        fault = _cannot_serve(error)
        if fault is None:
            raise
        raise fault from error
    file = existing_file(pool) if pool else None
    who = rater or _login()
    work = open_work(rubric, Path.cwd(), rater=who, pool=file, next=next, adjudicate=adjudicate, seed=seed)
    if not work.steps:
        print("annotators disagree on nothing in the pool; there is nothing to adjudicate", file=sys.stderr)
        work.file.close()
        return 0
    listening, token = free_socket(port), new_token()
    free = listening.getsockname()[1]
    if free != port:
        print(f"port {port} is in use; using {free} instead", file=sys.stderr)
    _say_where(work, f"http://127.0.0.1:{free}/{token}/", json=json)
    try:
        serve(work, listening, token)
    except KeyboardInterrupt:
        pass
    finally:
        print(f"{work.done} of {len(work.steps)} labelled, saved in {work.file.path}", file=sys.stderr)
        work.file.close()
    return 0


def _cannot_serve(error: ModuleNotFoundError) -> UsageError | None:
    """What to say of a missing module; None where the installation is broken."""
    if error.name != "fcntl":
        return None
    return UsageError("the labelling page runs on Linux and macOS: it locks files in a way Windows can't")


def _say_where(work: "Work", url: str, *, json: bool) -> None:
    rater, done, total = work.file.rater, work.done, len(work.steps)
    if json:
        place = {"url": url, "rater": rater, "file": str(work.file.path), "given": done, "total": total}
        print(dumps({"schema": 1, **place}), flush=True)
    else:
        twice = f" ({work.again} {'comes' if work.again == 1 else 'come'} twice)" if work.again else ""
        print(f"{done} of {total} labelled by {rater}{twice}; open\n  {url}", flush=True)
        print("Ctrl-C stops it; saved labels stay.", flush=True)


def _login() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError) as error:
        raise UsageError("who labels? name them with --rater") from error
