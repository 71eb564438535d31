"""Options of `calibrate` for counts files."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markscheme.options.forms import ValueForm, text_form
from markscheme.options.table import option


def _path_or_frame(written: Any) -> Any:
    return Path(written) if isinstance(written, str) else written


_FILE_OR_FRAME = ValueForm("a file, or a frame", _path_or_frame)


@dataclass(frozen=True, kw_only=True)
class CountsOptions:
    """Options for calibrations from a counts file instead of single examples."""

    counts: Any = option(
        None, "counts of distinct rows, in place of examples and a judge's ratings", _FILE_OR_FRAME, value="FILE"
    )
    earlier: str | None = option(
        None,
        "the column of --counts with an earlier judge's ratings: what moved since is reported",
        text_form("a column"),
        value="COLUMN",
    )
    labels: str | None = option(
        None, "the set of labels that was counted: tried settings are counted by it", text_form("a name"), value="NAME"
    )
