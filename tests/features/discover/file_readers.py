"""The functions that read a file for `discover`, by the ending of what they read."""

from collections.abc import Callable, Mapping
from pathlib import Path

from markscheme.errors import RatingError
from markscheme.features.discover.pool import read_outputs
from markscheme.features.discover.read_notes import read_notes
from markscheme.features.discover.store import modes_in, readings_in
from markscheme.plain_data import read_text

_RATED: Mapping[str, Callable[[Path], object]] = {
    "notes": lambda path: read_notes([path], "ann", "human"),
    "outputs": read_outputs,
}
READERS: Mapping[str, Mapping[str, Callable[[Path], object]]] = {
    **dict.fromkeys((".json", ".csv", ".parquet", ".db", ".eval"), _RATED),
    ".jsonl": {**_RATED, "readings": readings_in},
    ".yaml": {"modes": lambda path: list(modes_in(read_text(path, RatingError), path))},
}
