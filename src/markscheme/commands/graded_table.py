"""Grades of many rows as a table: a journal that a stopped run continues, and at the end the file."""

import json
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, Final

from markscheme.commands.progress import progress
from markscheme.errors import BudgetError, RatingError, UsageError, writing
from markscheme.files import append_lines, replacing, set_aside_damaged_end
from markscheme.grading import Grade, Grading, grade_many
from markscheme.plain_data import json_lines
from markscheme.receipt import receipt_json
from markscheme.submission import Submission
from markscheme.text import on_one_line

JOURNAL: Final = ".partial"
"""Ending of the file that holds what is graded so far."""
ROWS, SECONDS = 500, 2.0
"""How many rows, or for how long, grades wait before they are written."""
INSTALL: Final = "pip install 'markscheme[parquet]'"


@dataclass
class GradedTable:
    """The table that a run writes.

    Rows are in the order in which they were graded; those that could not be graded come last. A row that is in the
    journal is not graded again; one that could not be graded never stands there, so the next run tries it again.

    Attributes:
        grading: Rubric and judge.
        out: The file, of one of WRITERS.

    Raises:
        UsageError: Another format, a criterion named as one of the other columns, or a journal of another rubric, judge
            or prompt.
    """

    grading: Grading
    out: Path
    _waiting: list[dict[str, Any]] = field(default_factory=list, init=False, repr=False)
    _written: float = field(default_factory=time.monotonic, init=False, repr=False)

    def __post_init__(self) -> None:
        if self.out.suffix not in WRITERS:
            raise UsageError(f"`--out` must end in {', '.join(WRITERS)}, got {self.out}")
        if self.out.suffix == ".parquet":
            require_parquet(self.out)
        clash = sorted({criterion.name for criterion in self.grading.rubric.criteria} & {*OWN_COLUMNS})
        if clash:
            raise UsageError(f"a table has a column {clash[0]!r} of its own; rename the criterion, or use --json")
        if self.journal.is_file():
            header = next(self._journal_lines(), None)
            if header is not None and header != self._header:
                raise UsageError(
                    f"{self.journal} was begun with another rubric, prompt or judge; finish it with those, or delete it"
                )

    @property
    def journal(self) -> Path:
        """What is graded so far, as JSON lines; gone once the table is whole."""
        return self.out.with_name(self.out.name + JOURNAL)

    def done(self) -> set[str]:
        """The ids of the rows that an earlier run has graded."""
        with writing(self.journal):
            set_aside_damaged_end(self.journal)
            if not self.journal.is_file() or not self.journal.stat().st_size:
                append_lines(self.journal, [self._header])
        return {row["id"] for row in self._rows()}

    async def grade(self, submissions: Iterable[Submission], total: int, concurrency: int) -> int:
        """Grade what is not graded yet, then write the table; the exit status of `grade`.

        Args:
            submissions: All of them, one after the other.
            total: How many they are.
            concurrency: How many are graded at once.
        """
        done = self.done()
        if done:
            print(f"{self.journal}: {len(done):,} of {total:,} rows are graded already", file=sys.stderr)
        open_still = (submission for submission in submissions if submission.id not in done)
        with TemporaryFile("w+", encoding="utf-8") as failures:
            try:
                await self._grade(open_still, total - len(done), concurrency, failures)
            except BudgetError as error:
                graded = len(self.done())
                print(
                    f"warning: {error}; {graded:,} of {total:,} are graded. Run again with a higher budget to continue",
                    file=sys.stderr,
                )
                return 5
            failures.seek(0)
            return self._finish(failures)

    async def _grade(self, submissions: Iterable[Submission], total: int, concurrency: int, failures: IO[str]) -> None:
        try:
            with progress("grading", total) as shown:
                async for _, grade in grade_many(self.grading, submissions, concurrency=concurrency):
                    row = self._row(grade)
                    if grade.error is None:
                        self._waiting.append(row)
                        self._write(at_least=ROWS)
                    else:
                        failures.write(json.dumps(row) + "\n")
                    shown.step()
        finally:
            self._write(at_least=1)
            await self.grading.judge.aclose()

    def _row(self, grade: Grade) -> dict[str, Any]:
        levels = {name: verdict.level for name, verdict in grade.verdicts.items()}
        return {
            "id": grade.id,
            "score": grade.score,
            "pass": grade.passed,
            **{criterion.name: levels.get(criterion.name) for criterion in self.grading.rubric.criteria},
            "error": None if grade.error is None else on_one_line(grade.error),
            "receipt": receipt_json(grade.receipt, grade.score)["text"],
        }

    def _write(self, *, at_least: int) -> None:
        late = time.monotonic() > self._written + SECONDS
        if self._waiting and (late or len(self._waiting) >= at_least):
            with writing(self.journal):
                append_lines(self.journal, self._waiting)
            self._waiting.clear()
            self._written = time.monotonic()

    # the end

    def _finish(self, failures: Iterable[str]) -> int:
        failed = ungraded = 0

        def rows() -> Iterator[dict[str, Any]]:
            nonlocal failed, ungraded
            for row in self._rows():
                failed += row["pass"] is False
                yield row
            for line in failures:
                ungraded += 1
                yield json.loads(line)

        criteria = [criterion.name for criterion in self.grading.rubric.criteria]
        with writing(self.out), replacing(self.out) as file:
            WRITERS[self.out.suffix](file, rows(), criteria)
        self.journal.unlink(missing_ok=True)
        print(f"{self.out}: {failed:,} fail, {ungraded:,} not graded", file=sys.stderr)
        return 5 if ungraded else 1 if failed else 0

    @property
    def _header(self) -> dict[str, Any]:
        return {"fingerprints": asdict(self.grading.fingerprints)}

    def _rows(self) -> Iterator[dict[str, Any]]:
        return islice(self._journal_lines(), 1, None)

    def _journal_lines(self) -> Iterator[dict[str, Any]]:
        return (line for _, line in json_lines(self.journal, RatingError))


OWN_COLUMNS: Final = ("id", "score", "pass", "error", "receipt")
"""Those of a table that are no criterion's."""


def require_parquet(path: Path) -> None:
    """See that Parquet files can be read and written.

    Raises:
        UsageError: pyarrow is missing.
    """
    if find_spec("pyarrow") is None:
        raise UsageError(f"{path}: Parquet needs the package pyarrow: {INSTALL}")


def parquet_rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The rows of a Parquet file, or of a folder of them, with their numbers from 1; a part of the file at a time.

    Raises:
        RatingError: It can't be read.
        UsageError: pyarrow is missing.
    """
    require_parquet(path)
    import pyarrow as pa
    from pyarrow import parquet

    number = 0
    try:
        for file in sorted(path.glob("*.parquet")) if path.is_dir() else [path]:
            with parquet.ParquetFile(file) as opened:
                for batch in opened.iter_batches(batch_size=1000):
                    for row in batch.to_pylist():
                        number += 1
                        yield number, row
    except (OSError, pa.ArrowException) as error:
        raise RatingError(f"cannot be read as Parquet: {error}", path=path) from error


# --- formats --------------------------------------------------------------------------------------------------------


def _write_jsonl(file: IO[bytes], rows: Iterator[dict[str, Any]], criteria: Sequence[str]) -> None:  # noqa: ARG001
    for row in rows:
        file.write((json.dumps(row, ensure_ascii=False) + "\n").encode())


def _write_csv(file: IO[bytes], rows: Iterator[dict[str, Any]], criteria: Sequence[str]) -> None:
    import csv
    import io

    text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    writer = csv.DictWriter(text, [*OWN_COLUMNS[:3], *criteria, *OWN_COLUMNS[3:]])
    writer.writeheader()
    for row in rows:
        writer.writerow({**row, "pass": None if row["pass"] is None else str(row["pass"]).lower()})
    text.detach()


def _write_parquet(file: IO[bytes], rows: Iterator[dict[str, Any]], criteria: Sequence[str]) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    kinds = {"id": pa.string(), "score": pa.float64(), "pass": pa.bool_()}
    kinds |= dict.fromkeys(criteria, pa.float64()) | {"error": pa.string(), "receipt": pa.string()}
    with parquet.ParquetWriter(file, pa.schema(kinds)) as writer:
        while some := list(islice(rows, 10_000)):
            writer.write_table(pa.Table.from_pylist(some, pa.schema(kinds)))


WRITERS: Final = {".csv": _write_csv, ".jsonl": _write_jsonl, ".parquet": _write_parquet}
"""What writes a table, by the ending of its file's name."""
