"""The Document that a view makes of a result, and the blocks that terminal, Markdown and HTML renderers draw.

Renderers know the blocks below but no results; a view knows its result but no format.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Literal, Self, TypeVar, overload

from markscheme.options.in_force import with_reading_options
from markscheme.report.figures import NONE, cut_short, with_signed_interval

if TYPE_CHECKING:
    from markscheme.stats import Estimate

Tone = Literal["good", "trend", "open", "bad", "note"]
TONE_SIGNS: Mapping[Tone, str] = {"good": "✓", "trend": "↗", "open": "?", "note": "!", "bad": "✗"}
_FIRST_WORDS = 60
"""Number of characters that are shown of a query or a response, enough to recognize it."""
_REACHES = (0.25, 0.5, 1.0, 2.0, 4.0, 10.0)
"""Half-lengths, in levels, that lines for shifts may have; only a few, so that most tables have the same."""
Role = Literal["judge", "baseline", "annotators", "target", "chance"]
_Made = TypeVar("_Made")


# --- pieces of a line -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Command:
    """A line of a report with a command for the reader to copy and run.

    It gets the options by which the run reads files, as far as the command takes them.
    """

    text: str

    def __post_init__(self) -> None:
        """Add to the command the options by which this run reads files, as far as the command takes them."""
        object.__setattr__(self, "text", with_reading_options(self.text))


@dataclass(frozen=True)
class Name:
    """A name that the user gave, such as a criterion's, which has to be escaped; on a page it may link to a section."""

    text: str
    target: str | None = None


@dataclass(frozen=True)
class Ids:
    """Ids of examples; a text report lists the first few of them, and on an HTML page they open the examples."""

    ids: tuple[str, ...]


@dataclass(frozen=True)
class Count:
    """A number of examples in a report, such as a matrix cell; on an HTML page, a click on it lists the examples.

    Attributes:
        n: The number.
        tag: The tag of these examples in the page's data; None if they can't be listed.
        apart: True if judge and gold differ on these examples.
        says: Caption of the list of these examples; None for none.
    """

    n: int
    tag: str | None = None
    apart: bool = False
    says: str | None = None


@dataclass(frozen=True)
class Mark:
    """An estimate in a report: in words, and as a mark on a line that runs from `lowest` to `highest`.

    Attributes:
        text: The figures in words.
        value: Position of the mark; None without a mark.
        low: Lower end of its interval; None without one.
        high: Upper end of its interval; None without one.
        lowest: Left end of the line.
        highest: Right end of the line.
        role: Whose figure it is, which decides how it is drawn.
        also: Further values that are marked like the first.
        least: The smallest value that meets the target, which a page draws across the line; None without a target.
    """

    text: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    lowest: float = 0.0
    highest: float = 1.0
    role: Role = "judge"
    also: tuple[float, ...] = ()
    least: float | None = None

    def place(self, value: float) -> float:
        """Return the position of a value on the line, from 0 at its left end to 1 at its right end."""
        return min(1.0, max(0.0, (value - self.lowest) / (self.highest - self.lowest)))


def share_mark(
    estimate: "Estimate | None", role: Role = "judge", *, digits: int = 0, least: float | None = None
) -> Mark:
    """Make the mark of a share on a line from 0 to 1, with its figures in per cent.

    Args:
        estimate: The share; None for a mark without figures.
        role: Whose figure it is, which decides how it is drawn.
        digits: Number of decimals of the figures.
        least: The smallest share that meets the target; None without a target.
    """
    if estimate is None:
        return Mark(NONE, role=role)
    return Mark(estimate.as_share(digits), estimate.value, estimate.low, estimate.high, role=role, least=least)


def shift_mark(shift: "Estimate", reach: float) -> Mark:
    """Make the mark of a shift, such as a bias, on a line from -reach to reach."""
    return Mark(with_signed_interval(shift), shift.value, shift.low, shift.high, -reach, reach)


def reach(shifts: "Iterable[Estimate]") -> float:
    """Choose how far the lines for shifts, such as biases, extend to each side of 0, so that every shift fits.

    Equal figures are then equally far from the middle of every line.

    Example:
        >>> from markscheme.stats import Estimate
        >>> reach([Estimate(0.3, -0.1, 0.7), Estimate(-0.2)]), reach([])
        (1.0, 0.25)
    """
    ends = (end for shift in shifts for end in (shift.value, shift.low, shift.high))
    farthest = max((abs(end) for end in ends if end is not None), default=0.0)
    return next((half for half in _REACHES if farthest <= half), farthest)


@dataclass(frozen=True)
class ChangedWords:
    """A piece of text that only one of two compared texts has, marked as deleted or inserted."""

    text: str
    how: Literal["del", "ins"]


Piece = str | Command | Name | Ids | Count | Mark | ChangedWords
Line = Piece | tuple[Piece, ...]
"""A line of text or a cell of a table."""


# --- blocks ---------------------------------------------------------------------------------------------------------


class Block:
    """A block of a document, such as a paragraph or a table."""


@dataclass(frozen=True)
class Callout(Block):
    """The box at the top of a report: the result in a few words, the evidence, and the command to run next."""

    tone: Tone
    head: str
    text: str | None = None
    command: str | None = None


@dataclass(frozen=True)
class Paragraph(Block):
    """Consecutive lines of text, drawn as one block."""

    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Items(Block):
    """A list, each item of which has a line and may have further lines below it.

    Attributes:
        items: Items of the list, each a line with its further lines.
        are_examples: True if the items are the first examples of a list, of which text shows only a few.
    """

    items: tuple[tuple[Line, ...], ...]
    are_examples: bool = False


@dataclass(frozen=True)
class Notes(Block):
    """Small print, such as what a sign in the table above means."""

    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Verbatim(Block):
    """Text to be copied or compared letter by letter, such as a diff; its lines are never broken."""

    text: str


@dataclass(frozen=True)
class Table(Block):
    """Rows under headings; the first cell of a row names it.

    Attributes:
        headings: The headings of the columns.
        rows: The rows, each with a cell for each heading.
        caption: A sentence on the table; None for no caption.
        is_matrix: True if cells count examples by the levels of two raters: a row for each level of the first rater,
            and a column for each level of the second.
        is_sortable: True if the reader of a page may sort the rows by any column.
    """

    headings: tuple[str, ...]
    rows: tuple[tuple[Line, ...], ...]
    caption: str | None = None
    is_matrix: bool = False
    is_sortable: bool = False


@dataclass(frozen=True)
class Bars(Block):
    """Figures drawn as bars on one scale, mostly shares on a scale from 0 to 100%.

    Attributes:
        rows: Name and figure of each bar; all figures have the same lowest and highest value.
        caption: Text below the bars.
        interval: Kind of interval that the bars show.
        axis: Values to label on the scale; empty for shares.
    """

    rows: tuple[tuple[str, Mark], ...]
    caption: str
    interval: str = "95% CI"
    axis: tuple[float, ...] = ()


@dataclass(frozen=True)
class Tiles(Block):
    """Counts of examples, shown in boxes next to each other.

    Attributes:
        tiles: For each box its heading, the count in words, the ids of its examples, and the tag by which a page's list
            of examples shows only the examples of this box.
    """

    tiles: tuple[tuple[str, str, Ids, str], ...]


@dataclass(frozen=True)
class Card:
    """A finding to act on: what is wrong, in which examples, what to edit, and the command to run."""

    title: Line
    text: str
    severity: str
    code: str
    rows: tuple[Line, ...] = ()
    advice: tuple[str, ...] = ()
    command: str | None = None
    examples: Ids = Ids(())

    def below(self, *, has_advice: bool = True, has_command: bool = True) -> tuple[Line, ...]:
        """Return the lines that a text report shows below a card's rows.

        These are the advice or, without advice, the ids of examples; then the command.

        Args:
            has_advice: False to leave the advice out.
            has_command: False to leave the command out.
        """
        advice = self.advice if has_advice else ()
        return (
            *([self.examples] if self.examples.ids and not advice else []),
            *advice,
            *([("→ ", Command(self.command))] if self.command and has_command else []),
        )


@dataclass(frozen=True)
class Cards(Block):
    """Findings to act on, the most important first."""

    cards: tuple[Card, ...]


@dataclass(frozen=True)
class Facts(Block):
    """A list of names with their values, such as a run's judge and cost."""

    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Curve(Block):
    """Curves of counts that grow from step to step; `counts` and `steps` are the names of the two axes.

    Each of the series has a name, and a value after 1, 2, … steps.
    """

    series: Mapping[str, tuple[float, ...]]
    counts: str
    steps: str
    caption: str

    @property
    def length(self) -> int:
        """Number of steps on the curve's lower axis: the number of values in its longest series."""
        return max(map(len, self.series.values()), default=0)

    @property
    def highest(self) -> float:
        """The largest value in the curve's series; 1 if it has none, or if all are 0."""
        return max((value for values in self.series.values() for value in values), default=1.0) or 1.0


@dataclass(frozen=True)
class RatingCell:
    """A rater's answer on a criterion, as a cell of a table.

    Attributes:
        level: The level in words, or why there is none.
        apart: True if the level isn't the one that the rating is compared with, mostly gold's.
        reason: The rater's reason.
        quote: The passage that the rating is based on.
        quote_found: True if the quote is in the material; None without a quote, and for one too short to check.
        quote_in: Name of the text that contains the quote.
    """

    level: str
    apart: bool = False
    reason: str | None = None
    quote: str | None = None
    quote_found: bool | None = None
    quote_in: str | None = None


@dataclass(frozen=True)
class Case:
    """An example in a list: one line with its scores and decisions, and what a page shows when a reader opens it.

    Attributes:
        id: Id of the example.
        head: Scores and decisions in a line.
        reason: The judge's reason, on the criterion `reason_on`; "" if none was given.
        values: Figures by which a page sorts, in the order of `Examples.columns`; None if missing.
        badges: Labels that are always visible, such as "false pass".
        tags: Tags by which the list is filtered.
        response: Text that was judged; None if not available.
        inputs: Name and text of each input, in the order in which people read them.
        differs: Sentences on the criteria on which raters differ, the largest effect on the score first.
        facts: Facts about the example, such as group and system.
        raters: Names of the raters, as headings of columns.
        rows: Rows of the table: a criterion, and the level that each rater gave.
        notes: Annotators' notes on their labels, with their names.
        reason_on: Name of the criterion with the largest difference; None if none differs.
    """

    id: str
    head: str
    reason: str
    values: tuple[float | None, ...]
    badges: tuple[str, ...]
    tags: tuple[str, ...]
    response: str | None
    inputs: tuple[tuple[str, str], ...]
    facts: tuple[str, ...]
    raters: tuple[str, ...]
    rows: tuple[tuple[str, tuple[RatingCell, ...]], ...]
    notes: tuple[tuple[str, str], ...] = ()
    reason_on: str | None = None
    differs: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """First words of the query and of the response, as a title; "" if neither is known."""
        inputs = dict(self.inputs)
        query = inputs.get("query") or next(iter(inputs.values()), "")
        texts = [cut_short(text, _FIRST_WORDS) for text in (query, self.response or "") if text.strip()]
        return " → ".join(f"“{text}”" for text in texts)


class OnDemand(Sequence[_Made]):
    """A sequence whose items, such as examples or sections, are made only when they are read."""

    def __init__(self, count: Callable[[], int], make: Callable[[int], _Made]) -> None:
        """Store the function that counts the items and the one that makes each of them.

        Args:
            count: Function that returns the number of items.
            make: Function that makes the item with an index, from 0.
        """
        self._count = cache(count)
        self._made = cache(make)

    @classmethod
    def together(cls, make: Callable[[], Iterable[_Made]]) -> Self:
        """Return a sequence that makes all its items at once when any of them is first read."""
        made = cache(lambda: tuple(make()))
        return cls(lambda: len(made()), lambda index: made()[index])

    def __len__(self) -> int:
        return self._count()

    @overload
    def __getitem__(self, index: int) -> _Made: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[_Made, ...]: ...
    def __getitem__(self, index: int | slice) -> _Made | tuple[_Made, ...]:
        count = len(self)
        if isinstance(index, slice):
            return tuple(self._made(each) for each in range(*index.indices(count)))
        if not -count <= index < count:
            raise IndexError(index)
        return self._made(index % count)

    def __eq__(self, others: object) -> bool:
        return isinstance(others, Sequence) and tuple(self) == tuple(others)

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True)
class Examples(Block):
    """A list of examples, the most important first, which a page shows in full and text in part.

    Attributes:
        cases: Examples in order.
        columns: Names of the figures by which a page sorts.
        filters: Name of each tag by which the list can be filtered.
        differing: Number of examples, all at the top of the list, on which judge and gold differ at all.
    """

    cases: Sequence[Case]
    columns: tuple[str, ...]
    filters: Mapping[str, str] = field(default_factory=dict)
    differing: int = 0


@dataclass(frozen=True)
class OnPages(Block):
    """Blocks that are shown on HTML pages only, since text has no room for them."""

    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Section(Block):
    """A heading with the blocks below it; links in the document lead to it by its `key`."""

    title: str
    blocks: tuple[Block, ...]
    key: str | None = None


def in_text(blocks: Iterable[Block]) -> list[Block]:
    """Return the blocks that a terminal or Markdown shows: neither empty ones nor those for HTML pages only."""
    return [block for block in blocks if not _is_left_out(block)]


def _is_left_out(block: Block) -> bool:
    match block:
        case OnPages():
            return True
        case Examples():
            return not block.differing
        case Paragraph() | Notes():
            return not block.lines
        case Tiles():
            return not block.tiles
        case Items(are_examples=True):
            return not block.items
        case Curve():
            return not block.length
        case Section():
            return not in_text(block.blocks)
    return False


@dataclass(frozen=True)
class Document:
    """A complete report on a result.

    Attributes:
        title: Title, which says in one line what was examined.
        source: Source of the figures, in one line.
        blocks: Blocks that a reader sees first: the answer as a Callout, and the figures behind it.
        brief: Blocks that the terminal prints after `blocks` in place of the details, unless --details asks for these.
        sections: Sections of the details, in order.
        parts: Further documents on the same page, such as each judge's after a comparison; they count as details.
        more: The command that was run, which shows the details with --details; None if it isn't known. Only the
            terminal prints it.
        has_page: True if --html writes the whole document as a page.
        written: Path of the page that was written; None if none was.
        onward: The next step, as words and a command; None if there is none. Only the terminal prints it.
    """

    title: str
    source: str
    blocks: tuple[Block, ...]
    sections: Sequence[Section] = ()
    brief: tuple[Block, ...] = ()
    parts: tuple["Document", ...] = ()
    more: str | None = None
    has_page: bool = False
    written: str | None = None
    onward: tuple[str, str] | None = None

    @property
    def answer(self) -> Callout | None:
        """The Callout with the document's answer; None if it has no Callout."""
        return next((block for block in self.blocks if isinstance(block, Callout)), None)

    @property
    def has_details(self) -> bool:
        """True if the document has any section or part that its first screen doesn't show."""
        return isinstance(self.sections, OnDemand) or bool(in_text(self.sections) or self.parts)
