"""`markscheme grade`: grade responses with a rubric."""

import asyncio
import shlex
import sys
import warnings
from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from json import dumps
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from markscheme.calibration.findings.commands import Commands
from markscheme.commands.families import spelled
from markscheme.commands.options import AskFlags, JudgeName, RubricName, notify
from markscheme.commands.output import typed
from markscheme.commands.progress import progress
from markscheme.errors import BudgetError, RatingError, RatingWarning, UsageError, kind_of
from markscheme.grading import (
    Grade,
    Grading,
    as_of_today,
    grade_json,
    grade_many,
    lacking_inputs,
    questions,
    receipt_of,
    scorers_for,
)
from markscheme.grading.by_row import ROW_REFUSED, rubric_for
from markscheme.grading.graded_table import GradedCounts, GradedTable
from markscheme.grading.receipt import calibration_text, score_text
from markscheme.grading.score import NO_SCORE
from markscheme.grading.tables import AFTER_GRADING
from markscheme.grading.verdict import Holistic, NotApplicable, Verdict
from markscheme.judges.family import warn_of_kinship
from markscheme.judges.judge import JudgeGroup
from markscheme.judges.options import AskOptions
from markscheme.judges.sight import refuse_unseeing_of
from markscheme.options.forms import WRITTEN
from markscheme.phrases import counted, number
from markscheme.plain_data import LINES, read_text
from markscheme.prompts.prompt import Prompt
from markscheme.prompts.submission import RESPONSE_KEYS, Submission
from markscheme.ratings.column_options import ColumnOptions
from markscheme.readers.plain_tables import brings_rubrics
from markscheme.readers.submissions import (
    RESPONSE_COLUMNS,
    holds_several,
    holds_sheet,
    in_code,
    read_submissions,
    sheet_submissions,
)
from markscheme.readers.tabular.words import QUERY_ENDS, name_words
from markscheme.rubrics.keys import RowRule
from markscheme.rubrics.of_rows import ROWS_ALONE, RowRubric, notes_on_key, row_rubric_in, row_rule, rubric_key_in
from markscheme.rubrics.rubric import Criterion, Rubric
from markscheme.rubrics.search import RUBRIC_SUFFIXES, find_calibration
from markscheme.text import on_one_line

GradeForm = Literal["json", "reasons", "lines"]
"""Forms in which grades are printed: as JSON, each with its reasons, or each on one line."""
PASS, FAIL = "pass", "fail"
WITHOUT_GRADE = "not graded"
ASK = "ask a person"
FAILED = 1
"""Exit status where a response fails."""
UNGRADED = 5
"""Exit status where a response is not graded."""
JUDGE_BY_FIRST = 1000
"""Number of submissions of a large table, the first ones, by which the default judge is chosen."""
_OF_ROWS = (
    "what becomes of a rubric that a row brings: add it to RUBRIC, take it instead, ignore it, or refuse the row (add)"
)
_WITHOUT_LABELS = ("", "[]", "null")
"""Texts of a row's labels if it has none."""
SYSTEM = "system"
"""The key of a submission that says who wrote it."""


def grade(
    rubric: RubricName,
    file: Annotated[str, Parameter(metavar="FILE", help="what to grade; - for standard input")] = "-",
    /,
    *,
    judge: JudgeName = None,
    input: Annotated[tuple[str, ...], Parameter(metavar="NAME=TEXT")] = (),
    out: Annotated[Path | None, Parameter(metavar="FILE"), WRITTEN] = None,
    rows: Annotated[RowRule | None, Parameter(help=_OF_ROWS)] = None,
    columns: Annotated[ColumnOptions, spelled(judge=None)] = ColumnOptions(),
    json: Annotated[bool, Parameter(help="print one JSON object per submission, in the order of the input")] = False,
    details: Annotated[bool, Parameter(help="print the reason for each level of many responses too")] = False,
    show_prompt: bool = False,
    missing: bool = False,
    ask: AskFlags = AskFlags(),
) -> int:
    """Grade responses with a rubric. A text file is one response; a .jsonl file contains many, one object per line:
    {"id": …, "response": …, "query": …, …}; a .csv, .tsv or .parquet file has such columns and one response per row.
    Promptfoo's results and the exports that `import` reads contain their responses.
    A stopped run continues where it was: replies are kept.

    A row may bring a rubric of its own under `rubric`: its criteria are added to those of RUBRIC. Where all rows bring
    one, name no RUBRIC: `markscheme grade rows.jsonl`.

    Args:
        input: an input of a single response; NAME=@FILE reads it; may be repeated
        out: write a table instead: .jsonl, .csv or .parquet; any number of rows in little memory
        show_prompt: print what a judge would be asked, one JSON object per line, and ask nothing: about FILE, or about
            the rubric's own examples; to record a reply, write it to calibration/RUBRIC/replies/JUDGE.jsonl under its
            prompt's fingerprint
        missing: with --show-prompt, only the prompts that no recording answers

    Example:
        markscheme grade code-quality answer.md --input query="Parse a date" --judge anthropic

    Exit status:
        0 all pass, 1 some fail, 2 invalid arguments, 3 no judge to ask, 5 some are not graded.
    """
    has_core = file != "-" or not _is_of_rows(rubric)
    if not has_core:
        file = rubric
    loaded = ask.rubric(rubric) if has_core else ask.of(ROWS_ALONE)
    inputs = _inputs(input)
    of_file = replace(columns, map=tuple(columns.stated.get("map", ())))  # the settings file's are metrics
    read = partial(_submissions, file, inputs, of_file, loaded.known_inputs)
    brought = _RowRubrics(loaded, rows, has_core=has_core)
    if show_prompt:
        from markscheme.commands.prompts import print_prompts

        prompts_by_row = None if file == "-" and not input else brought.prompts(read())
        row_words = (*(word for pair in input for word in ("--input", pair)), *columns.words)
        row_words += () if rows is None else ("--rows", rows)
        return print_prompts(loaded, prompts_by_row, ask, (file, *row_words), missing=missing, has_core=has_core)
    scorers = scorers_for(loaded, ask.scorers)
    at_most = JUDGE_BY_FIRST if out else None
    first, lacking, without_response, total = _looked_through(read(), loaded, brought, at_most=at_most)
    if not first:
        raise UsageError(f"{file} contains nothing to grade", path=file)
    if without_response == total:
        keys = RESPONSE_KEYS if file.casefold().endswith(LINES) else RESPONSE_COLUMNS
        raise RatingError(f"no row has a response, under {in_code(keys)}; --response NAME reads another", path=file)
    _warn_of_hidden(inputs, loaded)
    if not has_core:
        _say_what_is_unseen(first, loaded)
    _warn_of_lacking(lacking, total, in_lines=file != "-" and holds_several(Path(file)))
    folder = find_calibration(loaded.name, Path.cwd())
    shown = [] if judge else [submission for submission in first if not submission.fault]
    prompts = [prompt for submission in shown for prompt in questions(loaded, submission)] if has_core else []
    opened = as_of_today(ask.judge_for(loaded, prompts, folder, name=judge), loaded)
    refuse_unseeing_of(opened, first)
    receipt = receipt_of(loaded, opened, Path.cwd())
    if SYSTEM not in loaded.known_inputs:
        warn_of_kinship(opened.identity.model or opened.identity.name, (s.inputs.get(SYSTEM, "") for s in first))
    grading = Grading(loaded, opened, scorers=scorers, receipt=receipt, rows=rows, has_core=has_core)
    brought.say(total)
    if out is not None:
        every = first if len(first) == total else read(quiet=True)  # a pipe can be read only once
        table = GradedTable(grading, out, watch=progress, notify=notify, has_rows=bool(brought.n))
        counts = asyncio.run(table.grade(every, total, ask.at_once))
        _after_grading(grading, counts)
        return UNGRADED if counts.ungraded or not counts.is_whole else FAILED if counts.failed else 0
    shown_as: GradeForm = "json" if json else "reasons" if details or len(first) == 1 else "lines"
    to_trust = partial(_way_to_trust, brought, judge, ask, file, columns)
    return asyncio.run(_print_all(grading, first, ask, shown_as, to_trust))


def _is_of_rows(name: str) -> bool:
    """Return True if a file given in place of a rubric holds rows to grade, each with its own rubric."""
    is_rubric = name.casefold().endswith(RUBRIC_SUFFIXES)
    return brings_rubrics(Path(name)) or (holds_several(Path(name)) and not is_rubric and Path(name).is_file())


class _RowRubrics:
    """Counter of rows that bring their own rubric, and of faults in these rubrics.

    Attributes:
        of_run: The rubric of the run, whose settings say how the judge is asked about all rows.
        core: The rubric of rows without a rubric of their own; None if all rows must bring one.
        n: Number of rows that bring a rubric.
        are_labelled: True if at least one row has labels.
    """

    def __init__(self, of_run: Rubric, rule: RowRule | None, *, has_core: bool) -> None:
        """Make the object before any row is read.

        Args:
            of_run: The rubric of the run, whose settings say how the judge is asked about all rows.
            rule: How a row's own rubric is combined with the rubric of the run; None for what that rubric says.
            has_core: True if rows without a rubric of their own are graded by `of_run`.
        """
        self.of_run = of_run
        self.core = of_run if has_core else None
        self.rule = row_rule(rule, self.core)
        self.n = 0
        self.are_labelled = False
        self._faulty_by_kind: dict[str, list[tuple[str, str]]] = {}
        self._ids_by_note: dict[str, list[str]] = {}

    def prompts(self, submissions: Iterable[Submission]) -> list[Prompt]:
        """Return the prompts that each row is asked about at first; tell the user which rows can't be graded.

        A row is asked about by its own rubric, if it has one.
        """
        brought = [(submission, self.add(submission)) for submission in submissions]
        self.say(len(brought))
        readable = (
            (row, self.of_run if row_rubric is None else row_rubric.rubric)
            for row, row_rubric in brought
            if not isinstance(row_rubric, str)
        )
        return [prompt for row, rubric in readable for prompt in questions(rubric, row)]

    def add(self, submission: Submission) -> RowRubric | str | None:
        """Take note of a row; return its own rubric, or the reason why it can't be graded, or None if it has no rubric.

        The object counts rows with rubrics of their own, and collects their faults and notes.
        """
        self.n += row_rubric_in(submission.inputs, self.core) is not None
        self.are_labelled |= submission.inputs.get("labels", "") not in _WITHOUT_LABELS
        row_rubric = rubric_for(submission.inputs, self.core, self.rule, self.of_run)
        if isinstance(row_rubric, str) and not submission.fault and row_rubric != ROW_REFUSED:
            self._faulty_by_kind.setdefault(kind_of(row_rubric), []).append((submission.id, row_rubric))
        of_key = notes_on_key(rubric_key_in(submission.inputs, self.core))
        for note in (*of_key, *row_rubric.notes) if isinstance(row_rubric, RowRubric) else ():
            self._ids_by_note.setdefault(note, []).append(submission.id)
        return row_rubric

    def say(self, total: int) -> None:
        """Tell the user how many rows have rubrics of their own, how these are used, and which of them are faulty.

        Args:
            total: Number of all rows.

        Raises:
            UsageError: Rows have their own rubrics, but the strategy judges all rows by one rubric alone.
        """
        if self.n and self.core is None and self.of_run.judges_by_one_rubric:
            strategy = f"-o strategy={self.of_run.strategy}"
            raise UsageError(f"{strategy} judges by one rubric alone, and each row brings its own: leave it out")
        if self.n and self.core is not None:
            becomes = {"ignore": "ignored, as asked", "refuse": "refused, as asked", "instead": "theirs count instead"}
            added = becomes.get(self.rule, f"their criteria are added to those of {self.core.name}")
            bring = f"{self.n} of {counted(total, 'row')} bring a rubric of their own"
            if self.core.judges_by_one_rubric and self.rule in ("add", "instead"):
                raise UsageError(f"{bring}, and {self.core.name} judges by one rubric alone: --rows ignore does that")
            notify(f"{bring}; {added}")
        for (first, fault), *others in self._faulty_by_kind.values():
            notify(f"{counted(len(others) + 1, 'row')} can't be graded (first {first}): {fault}")
        for note, ids in self._ids_by_note.items():
            notify(f"{note} ({counted(len(ids), 'row')}, first {ids[0]})")


def _looked_through(
    submissions: Iterator[Submission], rubric: Rubric, brought: _RowRubrics, *, at_most: int | None
) -> tuple[list[Submission], Counter[str], int, int]:
    """Read all submissions; return the first ones, how many lack an input or a response, and how many there are.

    Args:
        submissions: The submissions.
        rubric: The rubric, which declares inputs.
        brought: Counter of rows with a rubric of their own, to which all submissions are added.
        at_most: Largest number of submissions to return; None for all.

    Returns:
        The first submissions; how many lack each declared input; how many have no response; and the number of all.
    """
    first = list[Submission]()
    lacking = Counter[str]()
    without_response = 0
    total = 0
    for total, submission in enumerate(submissions, start=1):
        without_response += bool(submission.fault)
        brought.add(submission)
        lacking.update(() if submission.fault else lacking_inputs(rubric, submission))
        if at_most is None or total <= at_most:
            first.append(submission)
    return first, lacking, without_response, total


async def _print_all(
    grading: Grading, submissions: list[Submission], ask: AskOptions, shown_as: GradeForm, to_trust: Callable[[], str]
) -> int:
    rubric = grading.rubric
    counts = GradedCounts()
    decisions = Counter[str]()
    width = max(len(on_one_line(submission.id)) for submission in submissions)
    try:
        with progress("grading", len(submissions)) as count_step:
            async for grade in _in_order(grading, submissions, ask.at_once):
                print(_format_grade(grade, rubric, shown_as, width), flush=True)
                decisions[_decision(grade)] += 1
                counts.add(grade)
                count_step()
    finally:
        await grading.judge.aclose()
    if len(submissions) > 1 and shown_as != "json":
        print("\n".join(_summary(decisions, grading, shown_as, to_trust)))
    if counts.sentence:
        notify(counts.sentence)
    _after_grading(grading, counts)
    return UNGRADED if decisions[WITHOUT_GRADE] else FAILED if decisions[FAIL] or decisions[ASK] else 0


def _after_grading(grading: Grading, counts: GradedCounts) -> None:
    """Report mean scores; if a group of judges graded, let features warn, such as of a drift since certification.

    Args:
        grading: The grading, with its judge or judges.
        counts: What was graded.
    """
    if counts.means:
        notify(counts.means)
    if isinstance(grading.judge, JudgeGroup) and counts.sentence:
        for warn in AFTER_GRADING:
            warn(grading, counts)


def _decision(grade: Grade) -> str:
    """Return the outcome of a response in a word or two, such as "passes" or "ask a person"."""
    if grade.error is not None:
        return WITHOUT_GRADE
    return ASK if grade.decision == "ask" else grade.decision or NO_SCORE


def _summary(
    decisions: Counter[str], grading: Grading, shown_as: GradeForm, to_trust: Callable[[], str]
) -> Iterator[str]:
    """Yield the last lines on screen: how many pass, how far the judge can be trusted, and the next command.

    If nothing is graded, there is no next command: each line above says why.

    Args:
        decisions: Number of responses by decision.
        grading: The grading, with its rubric and receipt.
        shown_as: How grades are shown; if on one line each, the command that shows reasons is added.
        to_trust: Function that returns the next step, in words and as a command, if no accepted run holds.
    """
    total = sum(decisions.values())
    verb = "passes" if decisions[PASS] == 1 else "pass"
    others = [f"{n} {decision}" for decision, n in decisions.items() if decision not in (PASS, FAIL) and n]
    yield ""
    mark = f" (pass mark {grading.rubric.pass_mark:g})" if grading.rubric.has_score else ""
    are_pairs = grading.rubric.compares != "responses"
    first = counted(total, "pair") if are_pairs else f"{decisions[PASS]} of {total} {verb}{mark}"
    yield f"{'; '.join([first, *others])}. Judge: {calibration_text(grading.receipt)}."
    has_grades = decisions[WITHOUT_GRADE] < total
    if has_grades and (grading.receipt is None or (grading.has_core and not grading.receipt.holds)):
        yield to_trust()
    if has_grades and shown_as == "lines":
        yield f"Reasons:\n  {typed()} --details"


def _way_to_trust(brought: _RowRubrics, judge: str | None, ask: AskOptions, file: str, columns: ColumnOptions) -> str:
    """Return the step that says how far a judge can be trusted: calibrate it or, without labels, label graded outputs.

    Args:
        brought: The graded rows, with the rubric of the run. Rows that bring criteria of their own are labelled in the
            file that they are in.
        judge: The judge as the user named it; None if none was named.
        ask: How the judge is asked.
        file: The file of the graded outputs.
        columns: What its columns and values mean.
    """
    from markscheme.ratings.examples_choice import has_labels  # reads labels, which grading doesn't

    commands = Commands.on(brought.of_run, judge).after(None, ask)
    shell_words = f"{shlex.quote(file)}{columns.as_shell}"
    are_rows = brought.core is None or brought.n > 0
    if are_rows:
        named = shell_words if brought.core is None else f"{commands.rubric} {shell_words}"
        commands = replace(commands, rubric=named, judge=judge and f"--judge {shlex.quote(judge)}")
    if brought.are_labelled or _has_stored_labels(Path(file)) if are_rows else has_labels(brought.of_run):
        return f"Next, see how far the judge can be trusted:\n  {commands.calibrate()}"
    label = commands.label() if are_rows else commands.label_pool(f"--pool {shell_words}")
    return f"Next, label some of them, which shows how far the judge can be trusted:\n  {label}"


def _has_stored_labels(rows: Path) -> bool:
    """Return True if the labelling page stored labels of a file of rows."""
    folder = find_calibration(rows.name, Path.cwd(), rows.resolve().parent)
    return folder is not None and any(folder.glob("ratings/*.jsonl"))


def _format_grade(grade: Grade, rubric: Rubric, shown_as: GradeForm, width: int) -> str:
    """Format a grade: as JSON, with its reasons, or on one line.

    Args:
        grade: The grade.
        rubric: The run's rubric; a row's own rubric counts instead.
        shown_as: "json", "reasons", or else one line.
        width: Width of the column of ids, if the grade is shown on one line.
    """
    rubric = grade.rubric or rubric
    if shown_as == "json":
        return dumps(grade_json(grade, rubric), ensure_ascii=False)
    if shown_as == "reasons":
        return "\n".join([on_one_line(_words(grade)), *(f"  {on_one_line(r)}" for r in _reasons(grade, rubric))])
    id = f"{on_one_line(grade.id):<{width}}"
    if grade.score is None and grade.error is not None:
        return f"{id}  {_decision(grade)}: {on_one_line(grade.error)}"
    score = "no score" if grade.score is None else f"{_decision(grade)}  {number(grade.score)}"
    return f"{id}  {score}  {' · '.join(_levels(grade, rubric))}".rstrip()


def _levels(grade: Grade, rubric: Rubric) -> Iterator[str]:
    """Yield the name and the level of each criterion in a grade."""
    for name, outcome in grade.outcomes.items():
        match outcome:
            case Verdict(level=level):
                yield f"{name} {_out_of(rubric.criterion(name), level)}"
            case NotApplicable():
                yield f"{name} does not apply"


def _out_of(criterion: Criterion, level: float) -> str:
    """Write a level's name; a number is followed by the highest level, as in "4 of 5"."""
    name = criterion.scale.level_name(level)
    is_number = criterion.scale.ordered and not criterion.scale.is_yes_no and name == f"{level:g}"
    return f"{name} of {criterion.scale.values[-1]:g}" if is_number else name


async def _in_order(grading: Grading, submissions: list[Submission], concurrency: int) -> AsyncIterator[Grade]:
    """Yield grades in the order of the submissions, each as soon as it and all earlier ones are ready.

    If the budget ends, the remaining submissions get grades without a score.

    Args:
        grading: The grading, with its rubric and judge.
        submissions: The submissions.
        concurrency: Number of submissions that are graded at once.
    """
    early: dict[int, Grade] = {}
    due = 0
    try:
        async for index, grade in grade_many(grading, submissions, concurrency=concurrency):
            early[index] = grade
            while due in early:
                yield early.pop(due)
                due += 1
    except BudgetError as error:
        graded = due + len(early)
        warnings.warn(f"{error}; {graded} of {len(submissions)} are graded", RatingWarning, stacklevel=2)
        for index in range(due, len(submissions)):
            yield early.get(index) or grading.ungraded(submissions[index], f"not asked: {error}")


def _submissions(
    file: str, inputs: Mapping[str, str], columns: ColumnOptions, shown: Collection[str], *, quiet: bool = False
) -> Iterator[Submission]:
    fields = columns.column_fields
    if file != "-" and holds_sheet(Path(file), columns):
        yield from sheet_submissions(Path(file), columns)
        return
    if file != "-" and holds_several(Path(file)):
        if inputs:
            raise UsageError(f"--input is for a single response; {file} has inputs of its own for each")
        yield from read_submissions(Path(file), fields, shown, None if quiet else notify)
        return
    if fields:
        raise UsageError("--map is for files of several responses")
    if file == "-":
        try:
            response = sys.stdin.buffer.read().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise UsageError(f"standard input is not UTF-8 text: {error.reason} at byte {error.start}") from error
        if not response.strip():
            raise UsageError("standard input is empty; to grade an empty response, use an empty file")
        yield Submission(response, inputs, "-")
        return
    yield Submission(read_text(Path(file), RatingError), inputs, Path(file).name)


def _inputs(entries: Sequence[str]) -> dict[str, str]:
    inputs: dict[str, str] = {}
    for pair in entries:
        name, equals, text = pair.partition("=")
        if not name or not equals:
            raise UsageError(f"`--input` must be NAME=TEXT or NAME=@FILE, got {pair!r}")
        if name in inputs:
            raise UsageError(f"`--input` gives {name!r} twice")
        inputs[name] = read_text(Path(text[1:]), RatingError) if text.startswith("@") else text
    return inputs


def _say_what_is_unseen(submissions: Sequence[Submission], rubric: Rubric) -> None:
    """Tell the user if the judge is shown none of the rows' keys besides the response."""
    names = dict.fromkeys(name for submission in submissions for name in submission.inputs)
    of_rubric = {rubric_key_in(submission.inputs, None) for submission in submissions}
    unseen = [name for name in names if name not in of_rubric]
    if unseen and not set(unseen) & set(rubric.known_inputs):
        asks = next((name for name in unseen if not QUERY_ENDS.isdisjoint(name_words(name))), "COLUMN")
        notify(
            f"the judge sees the responses alone, not {', '.join(unseen)}; --map {shlex.quote(asks)}=query shows one"
        )


def _warn_of_hidden(inputs: Iterable[str], rubric: Rubric) -> None:
    for name in inputs:
        if name not in rubric.known_inputs:
            known_inputs = ", ".join(rubric.known_inputs) or "none"
            warnings.warn(f"the rubric shows no input {name!r}; it shows {known_inputs}", RatingWarning, stacklevel=2)


def _warn_of_lacking(lacking: Mapping[str, int], total: int, *, in_lines: bool) -> None:
    """Warn of inputs that the rubric declares and that are missing, and say how to give them.

    Args:
        lacking: Number of submissions without the input, by the input's name.
        total: Number of all submissions.
        in_lines: True if submissions are lines of a file, which have inputs next to the response; False for a single
            submission.
    """
    for name, count in lacking.items():
        problem = (
            f"{count} of {total} lines have no input {name!r}; give it next to the response"
            if in_lines
            else f"the rubric needs the input {name!r}; give it as --input {name}=TEXT or --input {name}=@FILE"
        )
        warnings.warn(problem, RatingWarning, stacklevel=2)


def _reasons(grade: Grade, rubric: Rubric) -> Iterator[str]:
    """Yield each criterion's level with the judge's reason for it."""
    for name, outcome in grade.outcomes.items():
        match outcome:
            case Verdict(reason=None | "", probabilities=(_, *_)):
                yield f"{name} {outcome.in_words(rubric.criterion(name).scale)}"
            case Verdict(level=level, reason=reason):
                yield f"{name} {_out_of(rubric.criterion(name), level)}: {reason or 'no reason given'}"
            case NotApplicable(reason=reason):
                yield f"{name} does not apply: {reason or ''}"
    if isinstance(grade.holistic, Holistic) and grade.holistic.reason:
        yield grade.holistic.reason


def _words(grade: Grade) -> str:
    if grade.score is None:
        return f"{grade.id}: {NO_SCORE}" if grade.error is None else f"{grade.id}: not graded: {grade.error}"
    word = ASK if grade.decision == "ask" else grade.decision
    by = f" (by {grade.decided_by.decider})" if grade.decided_by is not None and grade.decided_by.decider else ""
    return f"{grade.id}: {word}{by}, {score_text(grade.score, grade.receipt)}"
