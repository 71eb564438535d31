"""Writes the outputs of commands to files or, for "-", to standard output."""

import datetime
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal

from markscheme.errors import UsageError, writing
from markscheme.files import refuse_unwritable, write_whole
from markscheme.report.json import dumps, pieces

if TYPE_CHECKING:
    from markscheme.report.document import Document

TOO_FEW = 4
"""Exit status where examples or labels are too few."""


def refuse_outputs(targets: Mapping[str, str | None]) -> None:
    """Raise an error, before a judge is asked, if any of the output files can't be written.

    Args:
        targets: The file, or "-" for standard output, by option; None if the option isn't given.

    Raises:
        UsageError: A file can't be written, or two outputs go to standard output.
    """
    taken = [f"--{name}" for name, target in targets.items() if target == "-"]
    if len(taken) > 1:
        raise UsageError(f"{' and '.join(taken)} cannot share standard output; name a file for all but one of them")
    for target in targets.values():
        refuse_unwritable(target)


def put(text: str | Iterator[str], target: str | Path) -> None:
    """Write a text, or its pieces, to standard output or atomically to a file.

    Args:
        text: The text, or an iterator of its pieces.
        target: Path of the file; "-" for standard output.

    Raises:
        UsageError: The file cannot be written.
    """
    if target == "-":
        sys.stdout.writelines([text] if isinstance(text, str) else text)
        return
    with writing(target):
        write_whole(Path(target), text)


LONGEST_COMMAND = 200
"""Largest number of characters of a command that is repeated to the person who typed it."""


def typed() -> str:
    """Return the running command as it was typed, or "the same command with" if it is too long to repeat."""
    command = shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]])
    return command if len(command) <= LONGEST_COMMAND and command.isprintable() else "the same command with"


def show(document: "Document", data: Mapping[str, Any], *, json: bool, details: bool | None = None) -> None:
    """Print a result as a report for people, or as JSON.

    Args:
        document: The result as a document for people, of which only the first screen is printed without details.
        data: The result as plain data, by the keys of its JSON.
        json: True to print JSON instead of the document.
        details: True to print the details too; None for a command without such an option, which prints everything.
    """
    if json:
        print(dumps(data))
        return
    put_on_screen(document if details is None else replace(document, more=document.more or typed()), details=details)


def put_on_screen(document: "Document", file: IO[str] | None = None, *, details: bool | None = None) -> None:
    """Write a document to the terminal, or to another open file.

    Args:
        document: The document to write.
        file: The open file; None for the terminal.
        details: True to write the details too, False to leave them out; None to write them only if the document can't
            name the command that shows them.
    """
    from markscheme.report.terminal import render_terminal  # rich comes with it, and `--help` answers without it

    render_terminal(document, file or sys.stdout, details=details)


def rendered(document: "Document", form: Literal["markdown", "html"]) -> str:
    """Render a result as Markdown, or as a page to open, send or print."""
    if form == "markdown":
        from markscheme.report.markdown import render_markdown

        return render_markdown(document)
    from markscheme.report.html import render_html

    return render_html(document, when=datetime.datetime.now().astimezone().strftime("%Y-%m-%d %H:%M"))


def write_report(
    document: "Callable[[], Document]",
    data: Callable[[], object],
    targets: Mapping[str, str | None],
    *,
    details: bool | None = None,
    quiet: bool = False,
    aside: bool = False,
    **others: Callable[[], str],
) -> None:
    """Print a report, and write it to files in the forms that options ask for.

    It is printed on standard output, or on standard error if standard output is taken.

    Args:
        document: Function that makes the document, called if the report is printed, or is written in a form that is
            made from the document.
        data: Function that makes the data of the report's JSON.
        targets: The file, or "-" for standard output, by form, such as "html"; None if the form isn't requested.
        details: True to print the details too; None for a command without such an option, which prints everything.
        quiet: True to print nothing.
        aside: True if standard output is already used for something else.
        others: Functions, by form, that make the text of a form that is neither JSON nor made from the document.
    """
    if not quiet:
        taken = aside or "-" in targets.values()
        page = targets.get("html") or ""
        shown = replace(document(), written="" if page == "-" else page)
        if details is not None:
            shown = replace(shown, more=shown.more or typed())
        put_on_screen(shown, sys.stderr if taken else sys.stdout, details=details)
    texts: dict[str, Callable[[], str | Iterator[str]]] = {
        "json": lambda: chain(pieces(data()), ["\n"]),
        "markdown": lambda: rendered(document(), "markdown"),
        "html": lambda: rendered(document(), "html"),
        **others,
    }
    for form, target in targets.items():
        if target:
            put(texts[form](), target)
