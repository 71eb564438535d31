"""Grade many rows into a table file, through a journal from which an interrupted run can be resumed."""

import json
import os
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, Final

from markscheme.errors import BudgetError, RatingError, RatingWarning, UsageError, writing
from markscheme.files import append_lines, end_of_link, exclusive, replacing, set_aside_damaged_end
from markscheme.fingerprint import fingerprint
from markscheme.grading.grades import GRADE_COLUMNS, Grade, row_verdicts
from markscheme.grading.grading import Grading, grade_many
from markscheme.grading.receipt import receipt_json
from markscheme.judges.judge import Usage
from markscheme.phrases import commonest, number, percent
from markscheme.plain_data import json_lines
from markscheme.progress import Watch, unwatched
from markscheme.prompts.submission import Submission
from markscheme.row_files import CellKind, CellKinds, WriteRows, row_writer
from markscheme.rubrics.of_rows import RowRubric
from markscheme.rubrics.rubric import Criterion
from markscheme.text import on_one_line

JOURNAL: Final = ".partial"
"""Ending of the journal, the file with the grades so far."""
_ROWS = 500
"""Largest number of grades that wait to be written together: a crash loses no more than these, whose replies are
cached."""
_SECONDS = 2.0
"""Longest time in seconds that a grade waits to be written, so that the progress of a slow run can be seen."""
SAME_SUM: Final = 1e-9
"""Difference below which two sums count as equal, since it comes from rounding."""


@dataclass
class GradedCounts:
    """Counts of responses by who decided on them (which judge, or a person), and sums of scores, printed after a run.

    Attributes:
        decided: Number of responses decided by each judge of a cascade, by name; those left to people are under "".
        why_ask: Number of responses that a cascade left to people, by the reason.
        usage: Tokens and cost of the responses that a cascade graded.
        passes: Number of responses that a judge of the cascade passed.
        fails: Number of responses that a judge of the cascade failed.
        rows: Number of responses that were scored by a rubric of their own.
        scores: Sum of the scores of these responses.
        unclipped: The sum that `scores` would be if no score were cut to 0 to 1.
        failed: Number of rows of the whole table that fail.
        ungraded: Number of rows of the whole table that could not be graded.
        is_whole: True if the whole table is written; False if the budget ended before that.
    """

    decided: Counter[str] = field(default_factory=Counter)
    why_ask: Counter[str] = field(default_factory=Counter)
    usage: Usage = field(default_factory=Usage)
    passes: int = 0
    fails: int = 0
    rows: int = 0
    scores: float = 0.0
    unclipped: float = 0.0
    failed: int = 0
    ungraded: int = 0
    is_whole: bool = True

    def add(self, grade: Grade) -> None:
        """Add a grade to the counts: its decision if a cascade made it, and its score if the row had its own rubric."""
        if grade.score is not None and grade.unclipped is not None:
            self.rows += 1
            self.scores += grade.score
            self.unclipped += grade.unclipped
        if grade.decided_by is not None:
            self.decided[grade.decided_by.decider or ""] += 1
            self.usage += grade.usage
            self.why_ask.update(filter(None, [grade.decided_by.why_ask]))
            if grade.decided_by.stage is not None:
                self.passes += grade.passed is True
                self.fails += grade.passed is False

    @property
    def means(self) -> str:
        """Sentence with the mean score clipped in two ways; "" if both means are equal.

        In the first, each row's score is clipped to 0 to 1, then averaged; in the second, the mean of the unclipped
        scores is clipped.

        >>> GradedCounts(rows=2, scores=0.5, unclipped=0.3).means
        'Mean score 0.25; 0.15 if the mean is cut to 0 to 1 rather than each row.'
        """
        if not self.rows or abs(self.scores - self.unclipped) < SAME_SUM:
            return ""
        of_rows = self.scores / self.rows
        of_all = min(1.0, max(0.0, self.unclipped / self.rows))
        return f"Mean score {number(of_rows)}; {number(of_all)} if the mean is cut to 0 to 1 rather than each row."

    @property
    def sentence(self) -> str:
        """The line printed after a run: "47% decided by systemone:jev-1.13.0, 22% to people · $0.63".

        It is "" without a cascade. If everything was left to people, a second line says why.
        """
        n = self.decided.total()
        if not n:
            return ""
        judges = sorted(filter(None, self.decided), key=lambda name: (-self.decided[name], name))
        parts = [
            f"{percent(self.decided[name] / n)} {'' if index else 'decided '}by {name}"
            for index, name in enumerate(judges)
        ]
        cost = f" · ${number(self.usage.usd, 2)}" if self.usage.usd is not None else ""
        people = f"{percent(self.decided[''] / n)} to people"
        why = "" if judges else f"\nA person decides: {commonest(self.why_ask.elements())}"
        return f"{', '.join([*parts, people])}{cost}{why}"


@dataclass
class GradedTable:
    """The table file that a grading run writes, and the journal of rows graded so far.

    Rows are in the order of the submissions. A row in the journal is not graded again; a row that could not be graded
    isn't put there, so the next run tries it again. One process writes the table at a time.

    Attributes:
        grading: The grading, with its rubric and judge.
        out: The table file, in a format that `row_writer` writes.
        watch: Shows progress.
        notify: Called with a sentence for the user.
        has_rows: True if rows bring rubrics of their own; then the levels are written to one column, `verdicts`.

    Raises:
        UsageError: The file has another ending, a criterion has the name of another column, or the journal is of
            another rubric, judge or prompt.
    """

    grading: Grading
    out: Path
    watch: Watch = unwatched
    notify: Callable[[str], None] | None = None
    has_rows: bool = False
    _write_rows: WriteRows = field(init=False, repr=False)
    _waiting: list[dict[str, Any]] = field(default_factory=list, init=False, repr=False)
    _written: float = field(default_factory=time.monotonic, init=False, repr=False)
    _ids: list[str] = field(default_factory=list, init=False, repr=False)
    _digests: dict[str, str] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        self._write_rows = row_writer(self.out, "`--out`")
        taken = {*GRADE_COLUMNS, *([ROW_VERDICTS] if self.has_rows else [])}
        clash = sorted({criterion.name for criterion in self._criteria} & taken)
        if clash:
            raise UsageError(f"a table has a column {clash[0]!r} of its own; rename the criterion, or use --json")

    @property
    def _criteria(self) -> tuple[Criterion, ...]:
        """The criteria with a column in the table: those of the run's rubric; () if every row brings its own rubric."""
        return self.grading.rubric.criteria if self.grading.has_core else ()

    @property
    def _columns(self) -> CellKinds:
        """Kind of the cells in each column of the table file, such as "text" or "number", by column name in order."""
        criteria: CellKinds = {c.name: "text" if c.scale.coded else "number" for c in self._criteria}
        verdicts = {ROW_VERDICTS: VERDICT_CELLS} if self.has_rows else {}
        last: CellKinds = dict.fromkeys(GRADE_COLUMNS[3:], "text")
        return {"id": "text", "score": "number", "pass": "yes-no", **criteria, **verdicts, **last}

    def _refuse_other_settings(self) -> None:
        header = next(self._journal_lines(), None)
        if header is not None and header != self._header:
            raise UsageError(
                f"{self.journal} was begun with another rubric, prompt or judge; finish it with those, or delete it"
            )

    @property
    def journal(self) -> Path:
        """Path of the journal of rows graded so far, as JSON lines; removed once the table is complete."""
        out = end_of_link(self.out)
        return out.with_name(out.name + JOURNAL)

    @contextmanager
    def _reserved(self) -> Iterator[None]:
        """Lock the table's journal for this process until the block ends.

        Raises:
            UsageError: Another process is writing the table, or the journal is of another rubric, judge or prompt.
        """
        with ExitStack() as stack:
            with writing(self.journal):
                try:
                    stack.enter_context(exclusive(self.journal))
                except BlockingIOError:
                    holder = self._holder()
                    raise UsageError(f"{self.out} is being written by {holder}; wait, or name another file") from None
                set_aside_damaged_end(self.journal)
                self._refuse_other_settings()
                begins = [] if self.journal.stat().st_size else [self._header]
                now = datetime.now().astimezone().isoformat(timespec="seconds")
                append_lines(self.journal, [*begins, {"process": os.getpid(), "since": now}], follow=False)
            yield

    def _holder(self) -> str:
        """Describe the process that has locked the journal, the file with the grades so far.

        The journal's last entry in which a process names itself says which process that is.
        """
        runs = [line for line in self._journal_lines() if "process" in line]
        return f"process {runs[-1]['process']} (since {runs[-1]['since']})" if runs else "another process"

    def done(self) -> dict[str, str | None]:
        """Return the rows that an earlier run graded: the id of each, with a digest of its texts and own rubric."""
        return {line["id"]: line.get(ROW_DIGEST) for line in self._journal_lines() if "id" in line}

    async def grade(self, submissions: Iterable[Submission], total: int, concurrency: int) -> GradedCounts:
        """Grade the rows that aren't graded yet, then write the table; return the counts of what this run graded.

        Grades are first written to the journal, a file from which an interrupted run can be resumed.

        Args:
            submissions: All submissions, in the order of the table.
            total: Number of submissions.
            concurrency: Number of submissions that are graded at once.

        Raises:
            UsageError: Another process is writing the table, the journal is of another rubric, judge or prompt, or rows
                of the journal have disappeared.

        Warns:
            RatingWarning: The budget ended early; grades so far stay in the journal.
        """
        with self._reserved():
            return await self._grade_open(submissions, total, concurrency)

    async def _grade_open(self, submissions: Iterable[Submission], total: int, concurrency: int) -> GradedCounts:
        done = self.done()
        if done:
            self._say(f"{self.journal}: {len(done):,} rows are graded already")
        rows = self._open_rows(submissions, done)
        with TemporaryFile("w+b") as failures:
            try:
                counts = await self._grade(rows, max(0, total - len(done)), concurrency, failures)
            except BudgetError as error:
                graded = len(self.done())
                stopped = f"{error}; {graded:,} of {total:,} are graded. Run again with a higher budget to continue"
                warnings.warn(stopped, RatingWarning, stacklevel=2)
                return GradedCounts(is_whole=False)
            counts.failed, counts.ungraded = self._finish(failures, total)
            return counts

    def _open_rows(self, submissions: Iterable[Submission], done: Mapping[str, str | None]) -> Iterator[Submission]:
        """Yield the rows still to grade: those whose present texts and rubric no earlier run graded.

        The ids of all rows are stored, in order.

        Args:
            submissions: All rows.
            done: For each row that an earlier run graded, by id, the digest of its texts and own rubric at that time;
                None if no digest was stored.
        """
        for submission in submissions:
            self._ids.append(submission.id)
            by_row = self.grading.grader.rubric_for(submission)
            own_rubric = by_row.rubric.fingerprint if isinstance(by_row, RowRubric) else None
            digest = fingerprint(submission.texts, dict(submission.inputs), own_rubric)
            if done.get(submission.id, "") not in (digest, None):
                self._digests[submission.id] = digest
                yield submission

    async def _grade(
        self, submissions: Iterable[Submission], total: int, concurrency: int, failures: IO[bytes]
    ) -> GradedCounts:
        """Grade submissions, write the grades to the journal, and count how many each judge, or a person, decided.

        Args:
            submissions: The submissions that the journal, the file with the grades of an interrupted run, doesn't have
                yet.
            total: Number of these submissions.
            concurrency: Largest number of submissions graded at once.
            failures: A file to which the rows that can't be graded are written.
        """
        try:
            counts = GradedCounts()
            with self.watch("grading", total) as count_step:
                async for _, grade in grade_many(self.grading, submissions, concurrency=concurrency):
                    counts.add(grade)
                    row = self._row(grade)
                    if grade.error is None:
                        self._waiting.append(row)
                        self._write(at_least=_ROWS)
                    else:
                        failures.write(json.dumps(row).encode() + b"\n")
                    count_step()
            if counts.sentence:
                self._say(counts.sentence)
            return counts
        finally:
            self._write(at_least=1)
            await self.grading.judge.aclose()

    def _row(self, grade: Grade) -> dict[str, Any]:
        rubric = grade.rubric or self.grading.rubric
        levels = {name: rubric.criterion(name).scale.written(v.level) for name, v in grade.verdicts.items()}
        return {
            "id": grade.id,
            "score": grade.score,
            "pass": grade.passed,
            **{criterion.name: levels.get(criterion.name) for criterion in self._criteria},
            **({ROW_VERDICTS: row_verdicts(grade)} if self.has_rows else {}),
            ROW_DIGEST: self._digests.pop(grade.id, None),
            "error": None if grade.error is None else on_one_line(grade.error),
            "receipt": receipt_json(grade.receipt, grade.score)["text"],
        }

    def _write(self, *, at_least: int) -> None:
        late = time.monotonic() > self._written + _SECONDS
        if self._waiting and (late or len(self._waiting) >= at_least):
            with writing(self.journal):
                append_lines(self.journal, self._waiting, follow=False)
            self._waiting.clear()
            self._written = time.monotonic()

    # the end

    def _finish(self, failures: IO[bytes], total: int) -> tuple[int, int]:
        """Write the table; return how many responses fail by the rubric, and how many aren't graded.

        Args:
            failures: JSON lines of rows that could not be graded in this run.
            total: Number of rows that the table must have.
        """
        failed = 0
        reasons = Counter[str]()
        written = 0

        def counted(rows: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
            nonlocal failed, written
            for row in rows:
                failed += row["pass"] is False
                reasons.update([] if row["error"] is None else [row["error"]])
                written += 1
                row.pop(ROW_DIGEST, None)
                yield row

        with self.journal.open("rb") as journal, writing(self.out), replacing(self.out) as file:
            self._write_rows(file, counted(self._in_order(journal, failures)), self._columns)
            if written != total:
                raise UsageError(
                    f"{self.out} is not written: {written:,} of {total:,} rows are graded in {self.journal}, which "
                    "something else has changed; run again to grade the rest"
                )
        self.journal.unlink(missing_ok=True)
        why = f": {commonest(reasons.elements())}" if reasons else ""
        self._say(f"{self.out}: {failed:,} fail, {reasons.total():,} not graded{why}")
        return failed, reasons.total()

    def _say(self, sentence: str) -> None:
        if self.notify is not None:
            self.notify(sentence)

    def _in_order(self, *files: IO[bytes]) -> Iterator[dict[str, Any]]:
        """Yield graded rows from files of JSON lines in the order of the submissions."""
        offsets = {id: (file, offset) for file in files for id, offset in _offsets(file).items()}
        for file, offset in (offsets[id] for id in self._ids if id in offsets):
            file.seek(offset)
            yield json.loads(file.readline())

    @property
    def _header(self) -> dict[str, Any]:
        return {"fingerprints": self.grading.fingerprints.to_json()}

    def _journal_lines(self) -> Iterator[dict[str, Any]]:
        return (line for _, line in json_lines(self.journal, RatingError))


def _offsets(file: IO[bytes]) -> Mapping[str, int]:
    """Map each row's id to the byte offset of its line in a file of JSON lines."""
    offsets = {}
    offset = 0
    file.seek(0)
    for raw in file:
        line = json.loads(raw)
        if "id" in line:
            offsets[line["id"]] = offset
        offset += len(raw)
    return offsets


ROW_VERDICTS: Final = "verdicts"
"""Name of the column with the levels on rows' own criteria."""
VERDICT_CELLS: Final[CellKind] = {
    **dict.fromkeys(("name", "requirement", "level"), "text"),
    **dict.fromkeys(("weight", "position"), "number"),
}
"""Keys of a level in the column of levels on rows' own criteria, with the kind of their values."""
ROW_DIGEST: Final = "row_digest"
"""Key in the journal of the digest of a row's texts and own rubric, by which a row that has changed is graded again."""
