"""`markscheme label`: people label responses on a local page."""

import argparse
import getpass
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from markscheme.commands.options import Parser, existing_file, whole_number
from markscheme.errors import UsageError

if TYPE_CHECKING:
    from markscheme.labelling.work import Work

SUMMARY = """Label responses on a local web page: one at a time, by keyboard, blind to judges and to other people.

The pool is a file of examples or Promptfoo's results; without --pool the rubric's own examples are labelled. Labels are
kept in calibration/RUBRIC/ratings/RATER.jsonl the moment they are given, labelled responses in calibration/RUBRIC's
examples.jsonl. End the command and start it again whenever you like: it goes on where you were. Several people may
label at once, each under a --rater of their own."""
FIRST_PORT = 8765


def parser() -> argparse.ArgumentParser:
    """What the command takes."""
    found = Parser("label", SUMMARY, "markscheme label code-quality --pool results.json --rater ann")
    found.add_argument("rubric", metavar="RUBRIC", help="the rubric's file or name")
    found.add_argument("--pool", metavar="FILE", help="what may be labelled (the rubric's own examples)")
    found.add_argument("--rater", metavar="NAME", help="who labels (your login name)")
    found.add_argument(
        "--next",
        type=whole_number,
        metavar="N",
        help="draw N responses of the pool whose labels would say most; once they are labelled, N more",
    )
    found.add_argument(
        "--adjudicate", action="store_true", help="settle what people disagree on; shows their levels, not their names"
    )
    found.add_argument("--seed", type=whole_number, default=1, metavar="N", help="another order of the responses (1)")
    found.add_argument(
        "--port", type=whole_number, default=FIRST_PORT, metavar="N", help=f"or the next free one ({FIRST_PORT})"
    )
    found.add_argument("--json", action="store_true", help="say where the page is as JSON")
    return found


def run(arguments: argparse.Namespace) -> int:
    """Open the work, say where the page is, and serve it until told to end."""
    try:
        from markscheme.labelling.server import free_socket, new_token, serve
    except ModuleNotFoundError as error:
        fault = _cannot_serve(error)
        if fault is None:
            raise
        raise fault from error
    work = _opened(arguments)
    if not work.steps:
        print("people disagree on nothing in the pool; there is nothing to settle", file=sys.stderr)
        work.file.close()
        return 0
    listening, token = free_socket(arguments.port), new_token()
    port = listening.getsockname()[1]
    if port != arguments.port:
        print(f"port {arguments.port} is in use; {port} is taken instead", file=sys.stderr)
    _say_where(work, f"http://127.0.0.1:{port}/{token}/", arguments)
    try:
        serve(work, listening, token)
    except KeyboardInterrupt:
        pass
    finally:
        print(f"{work.done} of {len(work.steps)} labelled, kept in {work.file.path}", file=sys.stderr)
        work.file.close()
    return 0


def _cannot_serve(error: ModuleNotFoundError) -> UsageError | None:
    """What to say of a missing module; None where the installation is broken."""
    if error.name != "fcntl":
        return None
    return UsageError("the labelling page runs on Linux and macOS: it locks files in a way Windows can't")


def _opened(arguments: argparse.Namespace) -> "Work":
    from markscheme.labelling.setup import Asked, open_work

    if arguments.port > 65_535:
        raise UsageError(f"--port is a number up to 65535, found {arguments.port}")
    if arguments.adjudicate and arguments.next is not None:
        raise UsageError("--next draws what is labelled first; --adjudicate settles what has been labelled: give one")
    asked = Asked(
        rubric=arguments.rubric,
        pool=existing_file(arguments.pool) if arguments.pool else None,
        rater=arguments.rater or _login(),
        next=arguments.next,
        adjudicate=arguments.adjudicate,
        seed=arguments.seed,
    )
    return open_work(asked, Path.cwd())


def _say_where(work: "Work", url: str, arguments: argparse.Namespace) -> None:
    rater, done, total = work.file.rater, work.done, len(work.steps)
    if arguments.json:
        place = {"url": url, "rater": rater, "file": str(work.file.path), "given": done, "total": total}
        print(json.dumps({"schema": 1, **place}), flush=True)
    else:
        twice = f" ({work.again} {'comes' if work.again == 1 else 'come'} twice)" if work.again else ""
        print(f"{done} of {total} labelled by {rater}{twice}; open\n  {url}", flush=True)
        print("Ctrl-C ends it; whatever you saved stays.", flush=True)


def _login() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError) as error:
        raise UsageError("who labels? name them with --rater") from error
