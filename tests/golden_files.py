"""Reports that are compared whole with golden files, in `tests/golden/` or a feature's own folder.

`pytest --write-golden` writes these again.
"""

import difflib
from dataclasses import dataclass
from pathlib import Path

GOLDEN = Path(__file__).parent / "golden"


@dataclass(frozen=True)
class GoldenFiles:
    """The golden files that tests compare reports with, or write again with `--write-golden`."""

    write: bool

    def check(self, name: str, report: str, folder: Path = GOLDEN) -> None:
        """Compare a report with its golden file, and fail with the differences."""
        path = folder / name
        if self.write:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(report, encoding="utf-8")
        assert path.is_file(), f"there is no {name} in {folder.name}: `pytest --write-golden` writes it"
        golden = path.read_text(encoding="utf-8")
        changes = difflib.unified_diff(golden.splitlines(), report.splitlines(), path.name, "now", lineterm="")
        assert report == golden, "\n".join(changes)
