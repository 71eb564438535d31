"""State that all gradings of one process share: open judges, their limits and one cache."""

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from markscheme.grading import as_of_today
from markscheme.judges.function import files_read, is_own
from markscheme.judges.judge import GradingJudge, Usage, total
from markscheme.judges.judge_context import JudgeContext
from markscheme.judges.kinds import known_kind, means_file_of_rubric
from markscheme.judges.limited import Limiter
from markscheme.judges.options import AskOptions
from markscheme.judges.registry import open_grading_judge
from markscheme.judges.remembering import Memory
from markscheme.options.settings import find_settings
from markscheme.options.table import OptionSource, options_in, read_options
from markscheme.prompts.prompt import Prompt
from markscheme.rubrics.file import load_rubric
from markscheme.rubrics.rubric import Rubric
from markscheme.rubrics.search import find_calibration


@dataclass(eq=False)
class Engine:
    """The judges that a process keeps open, each for many outputs, with their limits and their cache.

    Judges with equal limits, such as a budget, share one limiter, and all judges share one cache.

    Attributes:
        defaults: Sources of options for calls that don't set them, the strongest first: by default environment
            variables and the settings file.

    Raises:
        UsageError: A default is a value that the option can't have.
    """

    defaults: Sequence[OptionSource] = field(default_factory=lambda: environment_sources(Path.cwd()))
    _judges: dict[tuple[str, str | None, AskOptions], GradingJudge] = field(default_factory=dict, init=False)
    _limiters: dict[tuple[Any, ...], Limiter] = field(default_factory=dict, init=False)
    _rubrics: dict[Path, tuple[object, Rubric]] = field(default_factory=dict, init=False)
    _memory: Memory = field(default_factory=Memory, init=False)

    def __post_init__(self) -> None:
        read_options(AskOptions, *self.defaults)

    @property
    def usage(self) -> Usage:
        """Tokens and cost of all judges of this engine together."""
        return total(limiter.usage for limiter in self._limiters.values())

    def options(self, *sources: OptionSource) -> AskOptions:
        """Combine options of a call, from sources in order of precedence, with the engine's defaults.

        Raises:
            UsageError: An option is unknown, or has an invalid value.
        """
        return read_options(AskOptions, *sources, *self.defaults)

    def rubric(self, file: Path) -> Rubric:
        """Load the rubric in a file; read it again only when the file has changed."""
        stamp = file_stamp(file)
        loaded = self._rubrics.get(file)
        if loaded is None or loaded[0] != stamp:
            loaded = self._rubrics[file] = (stamp, load_rubric(file))
        return loaded[1]

    def judge_for(
        self, rubric: Rubric, prompts: Sequence[Prompt], folders: Sequence[Path], options: AskOptions
    ) -> GradingJudge:
        """Return the judge that the options name, else a judge that is available.

        Args:
            rubric: The rubric to grade by.
            prompts: The prompts that grading sends first; recorded replies are used if they answer all of these.
            folders: Folders in which the rubric's calibration folder is looked for.
            options: How the judge is asked.
        """
        needs_calibration = options.judge is None or means_file_of_rubric(options.judge)
        folder = find_calibration(rubric.name, *folders) if needs_calibration else None
        judge = options.judge_for(rubric, prompts, folder, opening=partial(self._opened, options=options))
        return as_of_today(judge, rubric)

    def _opened(self, name: str, model: str | None, options: AskOptions) -> GradingJudge:
        """Return the judge with this name, model and options; open it if it isn't open yet.

        A judge that only reads a file is opened each time, since the file may have grown.

        Args:
            name: Name of the judge.
            model: The model to ask; None if the judge's name says it.
            options: Options on how the judge is asked, of which samples, strategy and criteria per call don't
                make another judge.
        """
        of_judge = replace(options, samples=None, strategy=None, criteria_per_call=None)
        asked_alike = replace(of_judge, judge=None, model=None, scorers=())
        kind = known_kind(name)
        if kind.names_judges:  # they stay open as long as the file is the same
            stamp = stamp_if_any(Path(name.partition(":")[2]))
            key = (f"{name} {stamp}", model, asked_alike)
        elif not kind.asks:  # a file that may have grown since
            return open_grading_judge(name, model=model, context=self._asking(options))
        else:
            key = (name, model, asked_alike)
        if key not in self._judges:
            self._judges[key] = open_grading_judge(name, model=model, context=self._asking(options))
        return self._judges[key]

    def _asking(self, options: AskOptions) -> JudgeContext:
        limits = tuple(options.limits.values())
        limiter = self._limiters.setdefault(limits, Limiter(**options.limits))
        memory = self._memory if options.cache else None
        return replace(options.context(), limiter=limiter, memory=memory, brief=None, list_prices=False)

    def files_read(self) -> set[Path]:
        """Return the files that the open judges say they read."""
        return {file for judge in self._judges.values() for file in files_read(judge)}

    async def aclose(self) -> None:
        """Close all judges that this engine has opened."""
        for judge in self._judges.values():
            await judge.aclose()
        self._judges.clear()
        self._memory.close()


def environment_sources(folder: Path) -> list[OptionSource]:
    """Return two sources of options: environment variables, then the configuration file of a folder.

    Raises:
        UsageError: A variable or the file has an invalid value.
    """
    settings = find_settings(folder)
    return [(options_in(AskOptions, os.environ), "{}"), settings.source_of(AskOptions)]


def file_stamp(file: Path) -> tuple[int, int, int]:
    """Return inode, size and modification time of a file; one of them changes whenever the file is rewritten."""
    about = file.stat()
    return about.st_ino, about.st_size, about.st_mtime_ns


def stamp_if_any(file: Path) -> tuple[int, int, int] | None:
    """Return a stamp that changes when a file is rewritten, made or removed; None while there is no file."""
    return file_stamp(file) if file.is_file() else None


def own_modules() -> set[Path]:
    """Return the files of those loaded modules that belong to the user, not to Python or a package."""
    files = {getattr(module, "__file__", None) for module in list(sys.modules.values())}
    return {Path(file) for file in files if file and is_own(file) and Path(file).is_file()}
