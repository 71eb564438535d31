"""Options of `discover` that have no effect in some calls, with the reason and the way out."""

from collections.abc import Callable, Collection, Mapping
from typing import Any, Final, NamedTuple

from markscheme.errors import UsageError
from markscheme.features.discover.options import NotesOptions, ReadingOptions
from markscheme.judges.options import AskOptions
from markscheme.options.table import options_of

_OF_ASKING: Final = tuple(
    f"--{key}" if declared.is_named else f"-o {key}" for key, declared in options_of(AskOptions).items()
)
_OF_RATING: Final = ("--samples", "-o strategy", "-o criteria_per_call", "-o orders", "-o expected", "-o scorers")
_OF_SERVERS: Final = ("-o host", "-o port", "-o public_url")
_REPORTS: Final = ("report", "details", "html", "markdown", "json")


class _ReadingCall:
    """A call of `discover`.

    Attributes:
        arguments: The arguments of the command's function, without those that have their defaults.
        reading: Options for how outputs are read.
        taking: Options for importing notes.
    """

    def __init__(self, arguments: Mapping[str, Any]) -> None:
        """Store the arguments with which the command's function is called, by name."""
        self.arguments = arguments
        self.reading: ReadingOptions = arguments.get("reading") or ReadingOptions()
        self.taking: NotesOptions = arguments.get("taking") or NotesOptions()

    def has(self, *names: str) -> bool:
        """Return True if one of these arguments is set."""
        return any(self.arguments.get(name) not in (None, False) for name in names)

    @property
    def takes_notes(self) -> bool:
        """True if notes, or their failure modes, are imported from a file."""
        return bool(self.taking.notes) or self.taking.assign is not None

    @property
    def reports(self) -> bool:
        """True if the report is printed or written."""
        return not self.has("suggest", "write") and (self.takes_notes or self.has(*_REPORTS))


class _IdleOptions(NamedTuple):
    """Options that have no effect in some calls.

    Attributes:
        is_so: Function that returns True for a call in which the options have no effect.
        options: The options, as they are typed.
        reason: The reason, with the way out.
    """

    is_so: Callable[[_ReadingCall], bool]
    options: tuple[str, ...]
    reason: str


_RULES: Final = (
    _IdleOptions(
        lambda call: not call.has("suggest"),
        tuple(option for option in _OF_ASKING if option != "--judge"),
        "reading asks no model; add --suggest JUDGE, or leave it out",
    ),
    _IdleOptions(
        lambda call: not call.has("suggest", "pool") and not call.takes_notes,  # in a table it names columns
        ("--judge",),
        "reading asks no model; add --suggest JUDGE, or leave it out",
    ),
    _IdleOptions(
        lambda call: call.has("suggest"),
        _OF_RATING,
        "--suggest asks a model once to group notes, and rates nothing; leave it out",
    ),
    _IdleOptions(
        lambda call: call.has("suggest", "write") and not call.takes_notes,
        ("--rater", *_OF_SERVERS),
        "it is for reading, and nothing is read here; leave it out",
    ),
    _IdleOptions(
        lambda call: call.reading.sheet is not None,
        _OF_SERVERS,
        "it is about a page that is served, and a sheet is a file; leave it out",
    ),
    _IdleOptions(
        lambda call: call.reading.share is None,
        ("--each",),
        "it is for readers who share the outputs; add --share A,B,C",
    ),
    _IdleOptions(
        lambda call: not call.has("write"),
        ("--force",),
        "it is for --write, which is missing",
    ),
    _IdleOptions(
        lambda call: not call.takes_notes,
        ("--random", "--kind"),
        "it is about notes from elsewhere; add --notes FILE, or leave it out",
    ),
    _IdleOptions(
        lambda call: not call.reports,
        ("--unseen", "--sure"),
        "it is about the report; add --report, or leave it out",
    ),
)
"""The rules, in the order in which they are tried."""


def refuse_idle(typed: Collection[str], arguments: Mapping[str, Any]) -> None:
    """Raise an error if an option that was typed has no effect, with the reason and the way out.

    Args:
        typed: Names of the options that were typed, such as `--each` or `-o cache`.
        arguments: The arguments of the command's function.

    Raises:
        UsageError: An option has no effect.
    """
    call = _ReadingCall(arguments)
    for rule in _RULES:
        option = next((option for option in rule.options if option in typed), None)
        if option is not None and rule.is_so(call):
            raise UsageError(f"{option} has no effect here: {rule.reason}")
