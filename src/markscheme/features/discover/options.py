"""Options of `discover`: how outputs are read, and which notes are imported."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from markscheme.errors import UsageError
from markscheme.options.forms import FLAG, PATH, WHOLE, WRITTEN, one_of, text_form
from markscheme.options.table import option
from markscheme.ratings.kinds import KINDS, Kind

_flag = partial(option, False, form=FLAG)


@dataclass(frozen=True, kw_only=True)
class NotesOptions:
    """Options for importing notes that people or models wrote elsewhere, and the modes they put notes into."""

    notes: tuple[Path, ...] = option(
        (), "notes from elsewhere: a table, or an export of another tool", PATH, value="FILE", several=True
    )
    assign: Path | None = option(
        None, "notes put into modes, one a line; without --kind human they are suggestions", PATH, value="FILE.jsonl"
    )
    random: bool = _flag(about="the outputs in these files, noted or not, are a random draw")
    kind: Kind | None = option(
        None,
        "who wrote: human, or model for suggestions; required where a file doesn't say",
        one_of(*KINDS),
        value="KIND",
    )


@dataclass(frozen=True, kw_only=True)
class ReadingOptions:
    """Options for how outputs are read on the page."""

    again: bool = _flag(about="read again what was read before a mode had a name, one key an output")
    second: bool = _flag(about="read what others have read, their notes hidden, to see how far you agree")
    recode: bool = _flag(about="sort 30 notes of others into the modes, blind")
    also: str | None = option(
        None,
        "outputs shown out of turn, one in four: low-score, unlike, or a file of ids",
        text_form("low-score, unlike, or a file of ids"),
        value="WHAT",
    )
    sheet: Path | None = option(
        None, "write the reading page to a file to send, instead of serving it", WRITTEN, value="FILE.html"
    )
    share: str | None = option(
        None,
        "readers who share the outputs; without --rater, everyone's page is served",
        text_form("names, apart by commas"),
        value="A,B,C",
    )
    each: int = option(1, "readers per output of a shared pool (1)", WHOLE, value="K")
    read_all: bool = _flag(about="keep no output unread, though then none is left to prove the rubric on")

    @property
    def view(self) -> str:
        """Name of the view that the page opens with: reading, reading again, or sorting notes a second time.

        Raises:
            UsageError: The options ask for two views at once, or for a sheet of a view that needs the server.
        """
        wanted = [name for name in ("again", "second", "recode") if getattr(self, name)]
        if len(wanted) > 1:
            raise UsageError(f"--{wanted[0]} and --{wanted[1]} are two kinds of reading: one after the other")
        view = {"again": "again", "recode": "recode"}.get(wanted[0], "read") if wanted else "read"
        if self.sheet is not None and view != "read":
            raise UsageError(
                f"--sheet writes a page to read on, and --{view} needs the page that is served; leave one out"
            )
        return view
