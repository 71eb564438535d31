"""State shared by all gradings of one process: open judges, one limiter, one cache."""

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from markscheme.errors import UsageError
from markscheme.grading import questions
from markscheme.judges.asking import Asking
from markscheme.judges.function import is_own
from markscheme.judges.judge import Judge
from markscheme.judges.limited import Limiter
from markscheme.judges.price import Price
from markscheme.judges.registry import choose_judge, open_judge
from markscheme.judges.remembering import Memory
from markscheme.prompt import Prompt
from markscheme.rubrics.file import load_rubric
from markscheme.rubrics.rubric import Rubric
from markscheme.rubrics.search import find_calibration
from markscheme.submission import Submission

LIMITS: Mapping[str, tuple[str, type[int] | type[float]]] = {
    "concurrency": ("MARKSCHEME_CONCURRENCY", int),
    "requests_per_minute": ("MARKSCHEME_REQUESTS_PER_MINUTE", int),
    "tokens_per_minute": ("MARKSCHEME_TOKENS_PER_MINUTE", int),
    "budget": ("MARKSCHEME_BUDGET", float),
}
"""Limits on requests under Promptfoo, by environment variable; a session applies them over all of its processes."""
PRICE, NO_CACHE = "MARKSCHEME_PRICE", "MARKSCHEME_NO_CACHE"


@dataclass(eq=False)
class Engine:
    """Judges that are opened once and used for many outputs.

    Attributes:
        asking: The shared limiter and cache.
    """

    asking: Asking = field(default_factory=lambda: asking_from(os.environ))
    _judges: dict[tuple[str, str | None, bool], Judge] = field(default_factory=dict, init=False)
    _rubrics: dict[Path, tuple[object, Rubric]] = field(default_factory=dict, init=False)

    def rubric(self, file: Path) -> Rubric:
        """The rubric in a file, read again only when the file has changed."""
        stamp = file_stamp(file)
        known = self._rubrics.get(file)
        if known is None or known[0] != stamp:
            known = self._rubrics[file] = (stamp, load_rubric(file))
        return known[1]

    def named(self, name: str, model: str | None, *, kept: bool = True) -> Judge:
        """The judge of that name.

        Args:
            name: As a user types it.
            model: The model, if the name doesn't include it.
            kept: Whether its replies are read from and written to the cache.
        """
        kept = kept and self.asking.memory is not None
        asking = self.asking if kept else replace(self.asking, memory=None)
        if name.startswith("recorded:"):  # a file that may have grown since
            return open_judge(name, model=model, asking=asking)
        key = (name, model, kept)
        if key not in self._judges:
            self._judges[key] = open_judge(name, model=model, asking=asking)
        return self._judges[key]

    def at_hand(self, rubric: Rubric, prompts: Sequence[Prompt], replies: Path | None, *, kept: bool = True) -> Judge:
        """The judge for calls that don't name one."""
        return choose_judge(rubric, prompts, replies, lambda name, model: self.named(name, model, kept=kept))

    def judge_for(
        self,
        rubric: Rubric,
        submission: Submission,
        places: Sequence[Path],
        *,
        name: str | None = None,
        model: str | None = None,
        kept: bool = True,
    ) -> Judge:
        """The named judge, or without a name the available one, which may be recordings in `places`."""
        if name is not None:
            return self.named(name, model, kept=kept)
        folder = find_calibration(rubric.name, *places)
        return self.at_hand(rubric, questions(rubric, submission), folder / "replies" if folder else None, kept=kept)

    async def aclose(self) -> None:
        """Close all judges."""
        for judge in self._judges.values():
            await judge.aclose()
        self._judges.clear()
        if self.asking.memory is not None:
            self.asking.memory.close()


def make_importable(*folders: Path) -> None:
    """Append folders to the import path, so that a judge `function:module:name` can be next to the configuration, just
    as it can be in the working directory of a command."""
    known = {Path(place or ".").resolve() for place in sys.path}
    asked = dict.fromkeys(folder.resolve() for folder in folders)
    sys.path.extend(str(folder) for folder in asked if folder not in known)


def asking_from(environment: Mapping[str, str]) -> Asking:
    """The limiter, price and cache that the environment variables configure.

    Raises:
        UsageError: A variable holds an invalid limit.
    """
    limits: dict[str, Any] = {}
    for limit, (variable, kind) in LIMITS.items():
        if environment.get(variable):
            limits[limit] = _above_zero(environment[variable], variable, kind)
    price = Price.parse(environment[PRICE]) if environment.get(PRICE) else None
    is_kept = environment.get(NO_CACHE, "") in ("", "0")
    return Asking(limiter=Limiter(**limits), price=price, memory=Memory() if is_kept else None)


def _above_zero(text: str, variable: str, kind: type[int] | type[float]) -> int | float:
    try:
        value = kind(text)
    except ValueError:
        value = 0
    if not 0 < value < float("inf"):
        what = "a whole number from 1" if kind is int else "a number above 0"
        raise UsageError(f"{variable} is {what}, found {text!r}")
    return value


def file_stamp(file: Path) -> tuple[int, int, int]:
    """A stamp that changes when a file is rewritten."""
    about = file.stat()
    return about.st_ino, about.st_size, about.st_mtime_ns


def own_modules() -> set[Path]:
    """The files of the user's own modules that are loaded."""
    files = {getattr(module, "__file__", None) for module in list(sys.modules.values())}
    return {Path(file) for file in files if file and is_own(file) and Path(file).is_file()}
