"""`markscheme label`: annotators label responses on a page, which is served or sent to them as a file."""

import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from markscheme.calibration.options import LIMITS_OF_WRONG, LabelOptions
from markscheme.commands.families import spelled
from markscheme.commands.options import (
    COUNT,
    AskFlags,
    JsonTarget,
    JudgeNames,
    RatingsFiles,
    RubricName,
    existing_file,
    whole_number,
)
from markscheme.commands.page_options import share_of
from markscheme.errors import UsageError
from markscheme.features.label.options import PlanOptions, order_seed
from markscheme.options.forms import WRITTEN
from markscheme.options.settings import typed_options
from markscheme.options.table import options_of
from markscheme.pages.options import PageOptions
from markscheme.ratings.column_options import ColumnOptions

RaterName = Annotated[str | None, Parameter(metavar="NAME", help="who labels (default: your login name)")]
Pool = Annotated[Path | None, Parameter(metavar="FILE", help="what to label (default: the rubric's own examples)")]

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cyclopts import Token

    from markscheme.pages.share import Share

ALONE = "-"
"""Value of an option with an optional value when it is typed without one."""
LABELLERS = 2
"""Number of annotators who label each response of a shared pool, unless `--each` sets another."""
_WITHOUT_PAGE = ("--plan", "--progress", "--same-meaning")
"""Options that ask for something else than a page."""
AS_NEEDED = 0
"""Value of `--next` without a number: draw as many outputs as the verdict needs."""


def _number_or_needed(kind: type, tokens: "Sequence[Token]") -> int:
    """Read a whole number of 1 or more; if the option has no value, return AS_NEEDED: as many as a verdict needs.

    Args:
        kind: The type that the option declares for its value.
        tokens: The words typed for the option.
    """
    return AS_NEEDED if tokens[0].value == ALONE else whole_number(kind, tokens)


def label(
    rubric: RubricName,
    rows: Annotated[
        str | None, Parameter(metavar="ROWS", help="rows whose own criteria are added to those of RUBRIC")
    ] = None,
    /,
    *,
    pool: Pool = None,
    rater: RaterName = None,
    sheet: Annotated[Path | None, Parameter(metavar="FILE.html"), WRITTEN] = None,
    next: Annotated[int | None, Parameter(metavar="[N]", converter=_number_or_needed)] = None,
    share: Annotated[str | None, Parameter(metavar="A,B,C")] = None,
    each: Annotated[int, COUNT, Parameter(metavar="K")] = LABELLERS,
    overlap: Annotated[int | None, COUNT] = None,
    asked: Annotated[Path | None, Parameter(metavar="FILE.jsonl")] = None,
    same_meaning: Annotated[str | None, Parameter(metavar="CRITERION")] = None,
    audits: bool = False,
    progress: bool = False,
    page: PageOptions = PageOptions(),
    disputed: bool = False,
    plan: bool = False,
    to: Annotated[str | None, Parameter(metavar="FILE"), WRITTEN] = None,
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
        overlap: only the first N responses get K annotators, later ones get one (all)
        asked: only what `grade --json` wrote as "ask": what no judge decided
        same_meaning: note that the new words of CRITERION mean what its old ones meant, so that labels under those stay
            in trends; opens no page
        audits: label what `pass-rate --track` drew: the oldest week first
        progress: print who labelled how much, how often they agree, and how many labels the verdict needs; opens no
            page
        disputed: resolve the labels on which annotators disagree: the page shows the levels they gave, their notes and
            the passages they marked, not their names; what you decide counts as the gold label
        plan: print how many labels the verdict needs, and what the next run costs; for a table, the labels that
            `calibrate` asks for
        to: with --next, write what to label next to a file, as examples ready to append to a set; - for standard output
        pairs: with --to, write pairs of --pool's outputs to compare: responses of two systems to the same inputs
        json: print the page's address as JSON; with --plan or --to write the plan, to standard output without FILE
        quiet: don't print the plan

    Example:
        markscheme label code-quality --pool results.json --rater ann
    """
    core, named = (None, rubric) if rows is None else (rubric, rows)
    steps = {"--plan": plan, "--progress": progress, "--same-meaning": same_meaning, "--disputed": disputed}
    _refuse_two_steps(steps | {"--audits": audits}, sheet)
    draws = None if next == AS_NEEDED else next
    by_rater = replace(columns, rater=rater)
    if plan or pairs or to is not None:
        from markscheme.features.label.print_plan import print_plan_of, write_pairs

        if pairs:
            return write_pairs(named, ask, pool, to, most=draws, seed=order_seed(page), columns=by_rater)
        _refuse_half_a_draw(next, pool, to)
        return print_plan_of(
            named,
            core,
            labels,
            labelling,
            ask,
            judges=judge,
            ratings=ratings,
            columns=by_rater,
            seed=order_seed(page),
            pool=pool,
            draws=draws,
            to=to,
            on_pages=_typed_for_pages(rater, _typed_share(share, each, overlap), labelling, page),
            names_rater=rater is not None or share is not None,
            json=json,
            quiet=quiet,
        )
    if json not in (None, ALONE):
        raise UsageError(f"--json {json} writes a plan to a file: add --plan")
    from markscheme.features.label import run, without_page

    if progress:
        return without_page.print_progress(named, pool, columns, json=json is not None, core=core)
    if same_meaning is not None:
        _refuse_meaning_in_rows(rubric, rows)
        return without_page.note_same_meaning(rubric, same_meaning)
    if disputed:
        return run.resolve(named, pool, rater, page, columns, json=json is not None, core=core)
    if audits:
        _refuse_pool_of_audits(pool, next, share)
    shared = share_of(share, each, overlap)
    return run.label_on_pages(
        named,
        pool,
        _raters_who_label(rater, shared),
        sheet=sheet,
        next=without_page.labels_needed(named) if next == AS_NEEDED else next,
        labelling=labelling,
        share=shared,
        grades=None if asked is None else existing_file(asked),
        audits=audits,
        columns=columns,
        page=page,
        json=json is not None,
        core=core,
    )


def _refuse_two_steps(steps: "Mapping[str, object]", sheet: Path | None) -> None:
    """Refuse options that ask for two things at once, of which only one would be done.

    Args:
        steps: The value of each option that says what to do instead of labelling the pool, by the option's name.
        sheet: The file of an offline page; None if none is to be written.

    Raises:
        UsageError: Two such options are set, or one that writes no offline page is set together with a file for it.
    """
    named = [option for option, value in steps.items() if value not in (None, False)]
    if len(named) > 1:
        raise UsageError(f"{named[0]} and {named[1]} are two steps: run one after the other")
    if sheet is not None and named and named[0] in _WITHOUT_PAGE:
        raise UsageError(f"{named[0]} opens no page and writes no sheet; leave --sheet {sheet} out")
    if sheet is not None and named == ["--disputed"]:
        raise UsageError(f"--disputed serves its page and writes no sheet; leave --sheet {sheet} out")


def _refuse_meaning_in_rows(rubric: str, rows: str | None) -> None:
    """Refuse to note a criterion's meaning both in a rubric and in rows that share it.

    Args:
        rubric: The rubric or the file of rows, as the user named it.
        rows: The file of rows that share the rubric; None without one.

    Raises:
        UsageError: Rows are named too.
    """
    if rows is not None:
        raise UsageError(f"--same-meaning is about one rubric or file: leave {rubric} or {rows} out")


def _refuse_pool_of_audits(pool: Path | None, next: int | None, share: str | None) -> None:
    """Refuse options on which responses are labelled, since audits are drawn and ordered already.

    Args:
        pool: The value of `--pool`; None if it isn't set.
        next: The value of `--next`; None if it isn't set.
        share: The value of `--share`; None if it isn't set.

    Raises:
        UsageError: One of them is set.
    """
    if pool is not None or next is not None or share is not None:
        raise UsageError("--audits is a pool and an order of its own; leave --pool, --next and --share out")


def _raters_who_label(rater: str | None, shared: "Share | None") -> "Sequence[str | None]":
    """Return the names of those whose pages are opened; None in them means the login name.

    Args:
        rater: The value of `--rater`; None if it isn't set.
        shared: How annotators share the pool; None if they don't.

    Raises:
        UsageError: The rater isn't one of those who share the pool.
    """
    if shared is None:
        return (rater,)
    if rater is None:
        return shared.raters
    if rater not in shared.raters:
        raise UsageError(f"{rater} isn't one of those who share the pool: {', '.join(shared.raters)}")
    return (rater,)


def _typed_share(share: str | None, each: int, overlap: int | None) -> tuple[str, ...]:
    """Return the options by which annotators share a pool, as words of a command; none if they don't.

    Args:
        share: The value of `--share`; None if it isn't set.
        each: Number of annotators who label each response.
        overlap: The value of `--overlap`; None if it isn't set.
    """
    if share is None:
        return ()
    by_each = () if each == LABELLERS else ("--each", str(each))
    return ("--share", share, *by_each, *(() if overlap is None else ("--overlap", str(overlap))))


def _typed_for_pages(rater: str | None, shared: "Sequence[str]", labelling: PlanOptions, page: PageOptions) -> str:
    """Return the options to open the labelling page later, as typed in a shell.

    Args:
        rater: The value of `--rater`; None if it isn't set.
        shared: Options by which annotators share the pool, as words of a command.
        labelling: Options on what is labelled, of which those that change the page's questions are used.
        page: Options on the page.
    """
    who = shlex.join([*shared, *(() if rater is None else ("--rater", rater))])
    settings = typed_options(("ask_whole", "all_criteria", *options_of(PageOptions)), labelling, page)
    return " ".join(filter(None, (who, *settings.values())))


def _refuse_half_a_draw(next: int | None, pool: Path | None, to: str | None) -> None:
    """Raise an error if options to draw outputs are incomplete: a number, a pool and a file to write belong together.

    Args:
        next: Number of outputs to draw; None without `--next`.
        pool: The file to draw them from; None without `--pool`.
        to: The file to write; None without `--to`.

    Raises:
        UsageError: One of the three is missing.
    """
    if (next is None) != (pool is None) and (next is not None or to is not None):
        raise UsageError("--next [N] is how many to label and --pool FILE out of what: give both")
    if next is None and to is not None:
        raise UsageError("--to FILE gets what to label next: add --next [N] --pool FILE")
    if next is not None and to is None:
        raise UsageError("--next writes what to label to a file: add --to FILE (- for standard output)")
