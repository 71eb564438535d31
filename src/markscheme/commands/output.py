"""Where a command writes: a file, or standard output for "-"."""

import datetime
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from markscheme.errors import UsageError, writing
from markscheme.files import append_text, is_no_file, refuse_unwritable, write_whole

if TYPE_CHECKING:
    from markscheme.report.document import Document

TOO_FEW = 4
"""Exit status where examples or labels are too few."""


def refuse_outputs(targets: Mapping[str, str | None]) -> None:
    """Refuse outputs that can't all be written, before anything is asked.

    Args:
        targets: By option, the file or "-" for standard output; None where it isn't given.

    Raises:
        UsageError: A file can't be written, or two outputs go to standard output.
    """
    taken = [f"--{name}" for name, target in targets.items() if target == "-"]
    if len(taken) > 1:
        raise UsageError(f"{' and '.join(taken)} cannot share standard output; name a file for all but one of them")
    for target in targets.values():
        refuse_unwritable(target)


def put(text: str, target: str | Path) -> None:
    """Write a file whole or not at all, or to standard output.

    Raises:
        UsageError: It cannot be written.
    """
    if target == "-":
        sys.stdout.write(text)
        return
    with writing(target):
        write_whole(Path(target), text)


def add_lines(lines: Sequence[str], path: Path) -> None:
    """Add lines to a file, or make it. A link to a file isn't followed: a folder of ratings may be a stranger's.

    Raises:
        UsageError: It cannot be written.
    """
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        append_text(path, "".join(f"{line}\n" for line in lines), follow=is_no_file(path))


def show(document: "Document", data: Mapping[str, Any], *, json: bool) -> None:
    """Print a result for people, or as JSON."""
    from markscheme.report.json import dumps
    from markscheme.report.terminal import render_terminal

    if json:
        print(dumps(data))
    else:
        render_terminal(document, sys.stdout)


def rendered(document: "Document", form: Literal["markdown", "html"]) -> str:
    """A result as Markdown, or as a page to open, send or print."""
    if form == "markdown":
        from markscheme.report.markdown import render_markdown

        return render_markdown(document)
    from markscheme.report.html import render_html

    return render_html(document, when=datetime.datetime.now().astimezone().strftime("%Y-%m-%d %H:%M"))


def write_report(
    document: "Document",
    data: Callable[[], Mapping[str, Any]],
    targets: Mapping[str, str | None],
    *,
    quiet: bool = False,
    aside: bool = False,
    **others: Callable[[], str],
) -> None:
    """Print a report, and write it in the forms that were asked for.

    It goes to standard output, or to standard error where standard output is taken.

    Args:
        document: The report.
        data: Makes what its JSON says.
        targets: By form, the file or "-"; None where it wasn't asked for.
        quiet: Whether nothing is printed.
        aside: Whether standard output is taken by something else.
        others: What makes the text of a form that is neither JSON nor made of the document.
    """
    from markscheme.report.json import dumps
    from markscheme.report.terminal import render_terminal

    if not quiet:
        taken = aside or "-" in targets.values()
        render_terminal(document, sys.stderr if taken else sys.stdout)
    texts = {
        "json": lambda: dumps(data()) + "\n",
        "markdown": lambda: rendered(document, "markdown"),
        "html": lambda: rendered(document, "html"),
        **others,
    }
    for form, target in targets.items():
        if target:
            put(texts[form](), target)
