"""Three simulated judges with fixed counts, whose agreement misleads about how they treat passes and fails."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, repeat
from pathlib import Path
from typing import Any, TypeAlias

import yaml

from markscheme.calibration.calibration import Calibration, Rater, calibration_of
from markscheme.features.demo.naming import write_examples, write_lines
from markscheme.features.demo.planting import JUDGE_NAME, SIMULATED_PEOPLE, withheld
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.kinds import Kind
from markscheme.ratings.rating import Rated, Rating
from markscheme.rubrics.rubric import Rubric

MET, UNMET = 1.0, 0.0

Levels = tuple[float, ...]


AlikeExamples: TypeAlias = tuple[int, Levels, Levels]
"""A number of examples with equal levels: the number, the annotators' levels by criterion (1 is MET), and the
judge's."""


@dataclass(frozen=True)
class SimulatedJudge:
    """A simulated judge, with a rubric and labelled examples of its own.

    Attributes:
        name: The judge's name in the demonstration, and its rubric's name.
        does: Description of how it errs.
        criteria: The rubric's criteria, as the data of a rubric file.
        pass_mark: The lowest score that passes.
        examples: Its examples: the number for each combination of annotators' and judge's levels.
    """

    name: str
    does: str
    criteria: Sequence[Mapping[str, Any]]
    pass_mark: float
    examples: Sequence[AlikeExamples]

    @property
    def rubric_data(self) -> dict[str, Any]:
        """The judge's rubric as the data of a rubric's file."""
        return {
            "name": self.name,
            "description": "Replies of a support desk; made up for a demonstration",
            "passingThreshold": self.pass_mark,
            "criteria": [dict(criterion) for criterion in self.criteria],
        }

    def labelled(self) -> tuple[Example, ...]:
        """Return the examples, each with the labels of two simulated annotators."""
        return tuple(
            Example(withheld(id), tuple(self._rating(id, person, "human", people) for person in SIMULATED_PEOPLE))
            for id, people, _ in self._examples()
        )

    def ratings(self) -> tuple[Rating, ...]:
        """Return the judge's ratings of its examples."""
        return tuple(self._rating(id, JUDGE_NAME, "model", judge) for id, _, judge in self._examples())

    @cached_property
    def calibration(self) -> Calibration:
        """The comparison of the judge with its labels, as `calibrate` makes it."""
        rubric = Rubric.from_dict(self.rubric_data)
        return calibration_of(rubric, ExampleSet(self.labelled()), self.ratings(), Rater(JUDGE_NAME, "", "ratings"))

    def _examples(self) -> Iterator[tuple[str, Levels, Levels]]:
        every = chain.from_iterable(repeat(levels, n) for n, *levels in self.examples)
        return ((f"{self.name}-{ordinal}", people, judge) for ordinal, (people, judge) in enumerate(every, 1))

    def _rating(self, id: str, rater: str, kind: Kind, levels: Levels) -> Rating:
        names = [criterion["name"] for criterion in self.criteria]
        return Rating(id, rater, kind, {name: Rated(level) for name, level in zip(names, levels, strict=True)})


def _decisions(*, fails: int, stopped: int, passes: int, passed: int) -> tuple[AlikeExamples, ...]:
    """Return the decisions of people and judge for given numbers of fails, stopped fails, passes and kept passes."""
    return (
        (stopped, (UNMET,), (UNMET,)),
        (fails - stopped, (UNMET,), (MET,)),
        (passed, (MET,), (MET,)),
        (passes - passed, (MET,), (UNMET,)),
    )


_GOOD = {"name": "good", "requirement": "The reply can be sent as it is.", "weight": 1}
_REPLY = (
    {"name": "safe", "requirement": "The reply asks for no password or card number.", "weight": 2, "required": True},
    {"name": "answers", "requirement": "The reply answers the question that was asked.", "weight": 4},
    {"name": "steps", "requirement": "The reply says what the customer can do next.", "weight": 4},
)
THREE_JUDGES = (
    SimulatedJudge(
        "too-kind",
        "overlooks most unsafe replies",
        _REPLY,
        0.6,
        (
            (12, (UNMET, MET, UNMET), (UNMET, MET, UNMET)),
            (20, (UNMET, MET, MET), (MET, MET, MET)),
            (104, (MET, MET, MET), (MET, MET, MET)),
            (60, (MET, MET, UNMET), (MET, MET, UNMET)),
            (2, (MET, MET, UNMET), (MET, MET, MET)),
            (2, (MET, MET, UNMET), (MET, UNMET, UNMET)),
        ),
    ),
    SimulatedJudge(
        "too-strict",
        "fails nearly everything",
        (_GOOD,),
        0.5,
        _decisions(fails=760, stopped=745, passes=240, passed=84),
    ),
    SimulatedJudge(
        "careful",
        "is right on 96% of each side",
        (_GOOD,),
        0.5,
        _decisions(fails=46, stopped=44, passes=926, passed=890),
    ),
)
"""The three judges, given by counts, from which anyone can check each figure by hand."""


def calibrate_command(judge: SimulatedJudge) -> tuple[str, ...]:
    """Return the command that calibrates a simulated judge from the files that `write_judges` writes."""
    return ("calibrate", judge.name, "--ratings", f"ratings/{judge.name}.jsonl", "--require", "gate")


def write_judges(folder: Path) -> None:
    """Write rubrics, labelled examples and ratings of the demo's three judges, as a project has them."""
    for kind in ("rubrics", "ratings"):
        (folder / kind).mkdir()
    for judge in THREE_JUDGES:
        home = folder / "calibration" / judge.name
        home.mkdir(parents=True)
        rubric = folder / "rubrics" / f"{judge.name}.yaml"
        rubric.write_text(yaml.safe_dump(judge.rubric_data, sort_keys=False), encoding="utf-8")
        write_examples(home / "examples.jsonl", judge.labelled())
        write_lines(folder / "ratings" / f"{judge.name}.jsonl", [rating.to_json() for rating in judge.ratings()])
