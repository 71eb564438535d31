"""The commands that may follow a calibration, as a user types them."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from markscheme.calibration.judge_at_hand import judge_to_name
from markscheme.calibration.options import OPTIONS_OF_COMPARING
from markscheme.judges.kinds import DEFAULT
from markscheme.judges.options import WAYS_OF_ASKING, AskOptions
from markscheme.options.in_force import with_reading_options
from markscheme.options.settings import typed_options
from markscheme.rubrics.search import POOL, typed_name

if TYPE_CHECKING:
    from markscheme.rubrics.rubric import Rubric

TypedOptions: TypeAlias = Mapping[str, str]
"""Options as typed in a shell, such as "--samples 3", by the key that each sets."""
ANNOTATOR = "--rater YOUR-NAME"
"""Option of `label` with which annotators type their names, since the labels of two must not get one name."""
SECOND_ANNOTATOR = "--rater annotator-2"
"""Option of `label` with which a second annotator labels what the first has labelled."""


@dataclass(frozen=True, slots=True)
class Commands:
    """Builder of the commands that a report suggests, with the same rubric and the same judge or ratings.

    Attributes:
        rubric: The rubric, or the files that were calibrated, as shell arguments.
        judge: Options that name the judge, the files with its ratings, or a table's columns, such as
            "--ratings judge.jsonl"; None for the judge that is asked by default.
        examples: The file of examples; None for the rubric's own.
        asking: Options on how the judge is asked, such as "--samples 3".
        comparing: Options of `calibrate` on what the judge is compared with, such as "--split dev".
        model: Name of a model that can be asked, as a shell argument.
        asks: True if `calibrate` would ask the judge again, instead of reading its ratings from a file.
        has_rubric: True if `rubric` is a rubric, which `label` and `improve` need; Promptfoo's results have none.
        asks_together: True if one request asks about several criteria.
        is_usable: True if the judge may decide without review, or its scores may be averaged.
        can_improve: True if enough is labelled for `improve` to try other words.
        has_unlabelled: True if some examples have no label, or a judge's alone; these are labelled before others.
    """

    rubric: str
    judge: str | None = None
    examples: Path | None = None
    asking: TypedOptions = field(default_factory=dict)
    comparing: TypedOptions = field(default_factory=dict)
    model: str = DEFAULT.name
    asks: bool = True
    has_rubric: bool = True
    asks_together: bool = True
    is_usable: bool = False
    can_improve: bool = False
    has_unlabelled: bool = False

    @classmethod
    def on(cls, rubric: "Rubric | str", judge: str | None = None) -> "Commands":
        """Make the Commands for a rubric and judge; None means the judge of the accepted run, else the default one."""
        typed = rubric if isinstance(rubric, str) else typed_name(rubric)
        named = judge or judge_to_name(typed)
        return cls(shlex.quote(typed), f"--judge {shlex.quote(named)}" if named else None)

    def after(self, examples: Path | None, ask: AskOptions | None = None, *families: Any) -> "Commands":
        """Return the builder of commands that repeat a run's options.

        Args:
            examples: The file of examples; None for the rubric's own.
            ask: How the judge is asked; None if its ratings were read.
            families: Options on what the judge is compared with.
        """
        asking = typed_options(WAYS_OF_ASKING, ask)
        return replace(self, examples=examples, asking=asking, comparing=typed_options(OPTIONS_OF_COMPARING, *families))

    def calibrate(self, **options: str) -> str:
        """Return the command that calibrates again with the same judge or ratings.

        Args:
            options: Options to add, as typed in a shell, by key; each replaces an earlier option of that key.
        """
        repeated = (text for key, text in {**self.asking, **self.comparing}.items() if key not in options)
        return _command("calibrate", self.rubric, self.judge, self.examples_option, *repeated, *options.values())

    def calibrate_by(self, **judge: str) -> str:
        """Return the command that calibrates another judge with the same options.

        Args:
            judge: Options that name the other judge, by key, as typed in a shell.
        """
        return replace(self, judge=None).calibrate(**{"model": "", **judge})

    def calibrate_one_at_a_time(self) -> str:
        """Return the command that asks the judge about one criterion at a time.

        If the judge's ratings were read from a file, so that it can't be asked, the command names `model` instead.
        """
        commands = self if self.asks else replace(self, judge=f"--judge {self.model}")
        return commands.calibrate(strategy="-o strategy=per_criterion")

    def label(self, options: str | None = None) -> str:
        """Return the command to label the examples on which the judge was calibrated; "" if there is no rubric.

        Args:
            options: Further options of the command; None for none.
        """
        return self.label_pool(None if self.examples is None else f"--pool {shlex.quote(str(self.examples))}", options)

    def label_pool(self, *options: str | None) -> str:
        """Return the command that labels responses of the file that an option names; "" if there is no rubric.

        Args:
            options: Options of `label`, one of which names the file of responses.
        """
        return self._on_rubric("label", *options)

    def label_next(self, n: int) -> str:
        """Return the command that labels the rest of the examples or, if there is none, `n` more outputs from a file.

        "" if there is no rubric.
        """
        return self.label(ANNOTATOR) if self.has_unlabelled else self.label_pool(f"--next {n} --pool {POOL}")

    def grade(self, *rows: str) -> str:
        """Return the command that grades a file of outputs with the same judge; "" if no judge can be asked.

        Args:
            rows: The file and the options on how it is read, as shell arguments; by default a file for the reader to
                name.
        """
        return self._on_rubric("grade", *(rows or (POOL,)), self.judge, *self.asking.values()) if self.asks else ""

    def certify(self) -> str:
        """Return the `certify` command, which finds the decisions that the same judge may make without review.

        Return "" without a rubric, and if no judge and no file of ratings is named, or more than one. For several files
        may be runs of one judge, and `certify` would count them as several judges.
        """
        words = shlex.split(self.judge or "")
        named = words.count("--judge") + words.count("--ratings")
        return self._on_rubric("certify", self.judge, *self._on_labels) if named == 1 else ""

    def init_from_table(self) -> str:
        """Return the command that makes a rubric, its examples and a file of ratings from the calibrated tables."""
        tables = (f"--from {shlex.quote(table)}" for table in shlex.split(self.rubric))
        return _command("init", *tables, self.judge)

    def adjudicate(self) -> str:
        """Return the command that resolves what annotators differ on; "" if there is no rubric."""
        return self.label("--disputed")

    def improve(self) -> str:
        """Return the command that rewrites the rubric's words and tests them with the same judge.

        "" if there is no rubric, or if its labels are too few to test other words. If the judge's ratings came from a
        file, the command names the judge as JUDGE, which the user has to replace.
        """
        judge = self.judge if self.asks else "--judge JUDGE"
        options = (f"--proposer {self.model}", judge, *self._on_labels)
        return self._on_rubric("improve", *options) if self.can_improve else ""

    @property
    def examples_option(self) -> str | None:
        """Option that names the file of examples; None for the rubric's own."""
        return None if self.examples is None else f"--examples {shlex.quote(str(self.examples))}"

    @property
    def _on_labels(self) -> tuple[str | None, ...]:
        """The run's options, on labels and on how the judge is asked, that `certify` and `improve` take too."""
        return self.examples_option, *self.asking.values(), self.comparing.get("gold")

    def _on_rubric(self, name: str, *options: str | None) -> str:
        return _command(name, self.rubric, *options) if self.has_rubric else ""


def _command(name: str, *words: str | None) -> str:
    """Return a markscheme command line, with the options that the user gave this run for reading files.

    Args:
        name: Name of the command.
        words: The command's subject and options, as typed in a shell; None and "" are left out.
    """
    return with_reading_options(" ".join(("markscheme", name, *filter(None, words))))
