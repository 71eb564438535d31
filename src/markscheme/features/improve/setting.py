"""The set that `improve` works on: a rubric, its labels in two parts, and the records of tests and of adopted words."""

import json
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from markscheme.calibration.comparison.comparison import measure_of
from markscheme.calibration.findings.commands import ANNOTATOR, Commands
from markscheme.calibration.labelled_examples import labelled_examples
from markscheme.calibration.recorded_trials import (
    SETTINGS,
    RecordedTrial,
    example_digests,
    record_settings,
    settings_on,
    settings_on_record,
)
from markscheme.errors import RatingError, UsageError, writing
from markscheme.features.improve.candidates import Wording
from markscheme.features.improve.confirmation import FinalistsResult, Ledger
from markscheme.features.improve.drawn_parts import drawn_parts
from markscheme.features.improve.labelled_tasks import LEAST_DEV, LEAST_SEALED
from markscheme.features.improve.look_records import record_tuning
from markscheme.features.improve.trial import Asker, TrialPart
from markscheme.files import append_lines, exclusive, refuse_unwritable, write_whole
from markscheme.grading.receipt import accepted_run_data
from markscheme.plain_data import json_lines
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.first_splits import READ_FIRST, task_when_split
from markscheme.ratings.gold import gold_of
from markscheme.ratings.kinds import Kind
from markscheme.ratings.splits import (
    file_for_parts,
    labelling_digest,
    openings_of,
    warn_of_split_groups,
    write_parts,
)
from markscheme.rubrics.edit import Changes
from markscheme.rubrics.rubric import Rubric
from markscheme.shipped import shipped

MORE_LABELS = 50
"""Number of outputs to label next if all examples are labelled and are too few to try any change; a judgement."""
HISTORY = "history.jsonl"


@dataclass(frozen=True)
class ImprovableSet:
    """A rubric and its labels, divided into a dev part and a held-out part.

    Attributes:
        rubric: The user's rubric.
        every: All examples, as they are in the file.
        parted: All examples, divided into parts at random if the file has no parts.
        dev: The dev examples, which may be looked at; with `outside`, all examples.
        sealed: The held-out examples; with `outside`, all examples.
        folder: The folder in which tests on held-out labels ("openings") and adopted words are recorded.
        outside: True if the candidates were written without these labels.
        day: Today's date.
    """

    rubric: Rubric
    every: ExampleSet
    parted: ExampleSet
    dev: TrialPart
    sealed: TrialPart
    folder: Path
    outside: bool
    day: str

    @classmethod
    def of(
        cls,
        rubric: Rubric,
        named: Path | None,
        *,
        gold: Kind | None,
        outside: bool,
        opens: bool,
        day: str,
    ) -> "ImprovableSet":
        """Divide a rubric's labels into a dev and a held-out part, as the file does or else at random; write nothing.

        Args:
            rubric: The rubric.
            named: A file of examples; None for the rubric's own.
            gold: The kind of labels that count; None for the strongest kind that the examples have.
            outside: True if the candidates were written without knowledge of the labels; then each of the two parts has
                all labels.
            opens: True if the command tests wordings on held-out labels.
            day: Today's date, in the form that records have.

        Raises:
            UsageError: The rubric compares pairs, there are no examples, or `outside` is true and `opens` isn't,
                although labels are held out.
            ComparisonError: No example is labelled.
        """
        if rubric.is_of_pairs:
            raise UsageError(
                f"{rubric.name} compares pairs, and wordings are tried on single responses; reword it by hand, and see "
                f"the effect: {Commands.on(rubric).calibrate()}"
            )
        every, folder = labelled_examples(rubric, named)
        warn_of_split_groups(every)
        parted = every if outside else drawn_parts(every)
        truth = gold_of(every, rubric, kind=gold)
        held_out = {example.id for example in parted.part("test").examples}
        if outside and held_out and not opens:
            raise UsageError("--outside tests on all labels, and some are held out; add --open, which is recorded")
        is_test = np.array([unit in held_out for unit in truth.ids])
        dev, sealed = (TrialPart.of(truth.rows(is_test == side)) for side in (False, True))
        if outside:
            dev = sealed = TrialPart.of(truth)
        record_folder = folder or (every.path.parent if every.path is not None else Path())
        return cls(rubric, every, parted, dev, sealed, record_folder, outside, day)

    def by_decisions(self) -> "ImprovableSet":
        """Return the set with only the examples that people pass or fail, to compare candidates by these decisions."""
        dev = self.dev.by_decisions()
        return replace(self, dev=dev, sealed=dev if self.outside else self.sealed.by_decisions())

    @property
    def lacks(self) -> str:
        """Sentence on the labels that are missing to try and test new wordings; "" if there are enough."""
        dev = self.dev.tasks
        sealed = self.sealed.tasks
        if self.dev.decided is not None and (dev < LEAST_DEV or sealed < LEAST_SEALED):
            return (
                f"a candidate changes numbers, which only people's own decisions can speak about; they were given on "
                f"{dev} dev and {sealed} held-out {self._units}, and {LEAST_DEV} and {LEAST_SEALED} are needed"
            )
        if dev >= LEAST_DEV and (self.outside or sealed >= LEAST_SEALED):
            return ""
        if self.outside:
            return f"{dev} labelled {self._units}, and a test on all labels needs {LEAST_DEV}"
        needed = f"{LEAST_DEV} and {LEAST_SEALED} are needed"
        return (
            f"{dev} dev and {sealed} held-out {self._units}, and {needed}{self._few_inputs}; wordings "
            "that were written without these labels can be tested on all of them (--outside)"
        )

    @property
    def _units(self) -> str:
        """Noun for the units that are counted to see if labels suffice: outputs or, if some are in groups, tasks."""
        is_grouped = any(part.tasks < part.n for part in (self.dev, self.sealed))
        return "tasks (the outputs of a group are one task)" if is_grouped else "outputs"

    @property
    def _few_inputs(self) -> str:
        """Words that say that no output is held out because few of them differ in their inputs; "" if that isn't so."""
        examples = self.every.examples
        tasks = len(set(map(task_when_split, examples)))
        if not self.every.has_splits or tasks > READ_FIRST or tasks == len(examples):
            return ""
        inputs = "groups or inputs" if any(example.group for example in examples) else "inputs"
        return (
            f" (outputs for the first {READ_FIRST} different {inputs} are dev, and these {len(examples)} outputs have "
            f"{tasks}: label responses to other inputs)"
        )

    @property
    def label_more(self) -> str:
        """Command to label the remaining examples or, if all are labelled, outputs of another file."""
        commands = Commands.on(self.rubric)
        are_left = self.every.by_people < len(self.every.examples)
        return commands.label(ANNOTATOR) if are_left else commands.label_next(MORE_LABELS)

    @property
    def next_opening(self) -> int:
        """Number of the next test on the held-out labels, counted from 1."""
        openings = openings_of(self.parted, whole=self.outside)
        return 1 if openings is None else openings.of_these + 1

    @property
    def is_drawn(self) -> bool:
        """True if this run draws the dev and held-out parts, because the file of examples doesn't name any."""
        return self.parted is not self.every

    def refuse_unkept_parts(self) -> None:
        """Raise an error, before a judge is asked, if newly drawn dev and held-out parts can't be stored.

        Raises:
            RatingError: The parts can't be stored.
        """
        if self.is_drawn:
            refuse_unwritable(file_for_parts(self.parted))

    def keep_parts(self) -> None:
        """Write each example's part, dev or held out, into the file of examples, so that later runs use the same parts.

        Raises:
            RatingError: The parts can't be stored in the file.
        """
        if self.is_drawn:
            write_parts(self.parted)

    def ledger(self, judge: str) -> Ledger:
        """Return the record of the tests on the held-out labels, for the judge with this fingerprint."""
        path = self.parted.path
        comes_with_the_package = path is not None and path.resolve().is_relative_to(shipped("calibration").resolve())
        settings = self.settings_on_held_out
        return Ledger(self.parted, self.day, judge, self.outside, settings, is_kept=not comes_with_the_package)

    @cached_property
    def settings_on_held_out(self) -> int:
        """Number of settings (a rubric with a judge) whose figures on the held-out labels were seen, but at least 1.

        Two kinds aren't counted: one setting of this rubric, which is taken to be the one in use; and wordings that
        `improve` tested on held-out labels, since their figures are withheld unless one is adopted.
        """
        if self.outside:
            return 1
        openings = openings_of(self.parted)
        tested = frozenset[str]() if openings is None else openings.wordings
        seen = settings_on(example_digests(self.sealed.gold.ids), settings_on_record(self.folder / SETTINGS))
        with_this_rubric = {tried.setting for tried in seen if tried.rubric == self.rubric.fingerprint}
        others = {tried.setting for tried in seen if tried.rubric not in tested} - with_this_rubric
        return max(1, len(others) + max(0, len(with_this_rubric) - 1))

    @property
    def next_alpha(self) -> float:
        """Significance level of the next test on the held-out labels; each earlier test has lowered it."""
        return self.ledger("").alpha(self.next_opening)

    def record_settings(self, asker: Asker) -> None:
        """Record which wordings the judge graded with, and on which part of the labels.

        Args:
            asker: The asker of the judge, which knows the wordings and the examples graded with each.
        """
        parts = {"dev": self.dev, "test": self.sealed} if not self.outside else {"all": self.dev}
        tried = []
        for name, part in parts.items():
            for rubric, ids_tried in asker.tried if part.gold.has_people else ():
                ids = [unit for unit in part.gold.ids if unit in ids_tried]
                if ids:
                    judge = asker.judge.identity
                    measure = measure_of(rubric)
                    tried.append(RecordedTrial.of(rubric, measure, judge, ids, at=self.day, split=name))
        record_settings(self.folder / SETTINGS, tried)

    # --- after adoption ---------------------------------------------------------------------------------------------

    def note_adoption(self, answer: FinalistsResult, wording: Wording, *, judge: str, proposer: str) -> None:
        """Record an adopted wording once, and note that the accepted run was graded with the old wording.

        Other processes that accept a run or adopt words in this folder wait meanwhile.

        Args:
            answer: The result of the test on held-out labels, with the gain.
            wording: The adopted wording.
            judge: Identity of the judge that the wording was tested with, as text.
            proposer: Name of the model that proposed wordings; "" if none did.

        Raises:
            UsageError: A file can't be written.
        """
        line = {
            "at": self.day,
            "by": "improve --write",
            "wording": wording.name,
            "from": self.rubric.fingerprint,
            "to": wording.rubric.fingerprint,
            "gain": None if answer.gain is None else answer.gain.to_json(),
            "agreement_gain": None if answer.agreement_gain is None else answer.agreement_gain.to_json(),
            "labels": labelling_digest(self.parted if self.outside else self.parted.part("test")),
            "n": answer.n,
            "opening": answer.opening,
            "alpha": answer.alpha,
            "judge": judge,
            "proposer": proposer or None,
            "changes": [{"place": str(field), "old": old, "new": new} for field, (old, new) in wording.changes.items()],
            **({"numbers": moved_numbers(wording.numbers)} if wording.numbers else {}),
        }
        if wording.numbers:
            ids = dict.fromkeys((*self.dev.gold.ids, *self.sealed.gold.ids))
            record_tuning(self.every, ids, moved_numbers(wording.numbers), at=self.day)
        path = self.folder / HISTORY
        with writing(path), exclusive(self.folder, is_folder=True, busy=lambda: None):
            recorded = [entry for _, entry in json_lines(path, RatingError)] if path.is_file() else []
            if not any(entry.get("to") == line["to"] and entry.get("from") == line["from"] for entry in recorded):
                append_lines(path, [line])
            self._mark_accepted(wording)

    def _mark_accepted(self, wording: Wording) -> None:
        path = self.folder / "accepted.json"
        if not path.is_file():
            return
        data: dict[str, Any] = accepted_run_data(path)
        data["old_wording"] = {"since": self.day, "by": "improve", "now": wording.rubric.fingerprint}
        with writing(path):
            write_whole(path, json.dumps(data, ensure_ascii=False, indent=2) + "\n", follow=False)


def moved_numbers(numbers: Changes) -> dict[str, Any]:
    """Return changed weights and pass mark as the dict that the record of adopted wordings stores."""
    return {"weights": dict(numbers.weights), "pass_mark": numbers.pass_mark}
