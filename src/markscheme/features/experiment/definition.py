"""The definition of an experiment: prompt variants, the cases they answer, and the rubric that grades the answers."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from markscheme.errors import Fault, FileError, suggestion
from markscheme.features.experiment.cells import (
    OF_CASE,
    OF_VARIANT,
    PLACEHOLDER,
    Cell,
    ExperimentCase,
    Model,
    Output,
    Variant,
)
from markscheme.features.experiment.file import read_experiment
from markscheme.prompts.parts import parts_of
from markscheme.prompts.steps import steps_elsewhere
from markscheme.rubrics.rubric import Rubric

__all__ = ["FIGURES", "OVERALL", "PASS_RATE", "Cell", "Experiment", "ExperimentCase", "Model", "Output", "Variant"]

OVERALL, PASS_RATE = "overall", "pass_rate"
FIGURES = (OVERALL, PASS_RATE)
"""Names of figures in the table, which no criterion may have."""


@dataclass(frozen=True)
class Experiment:
    """An experiment: prompt variants, the cases they are run on, and the rubric that grades the outputs.

    Attributes:
        rubric: The rubric to grade by.
        variants: The variants, at least one, with unique names.
        cases: The cases, at least one, with unique ids.
        name: The experiment's name in reports.
        model: The model that answers; None if every output is given, or a model is named for the run.
        ready_outputs: Outputs from files, which need no request.
        source: The file that the experiment came from; None if there is none.

    Raises:
        FileError: Something is invalid, such as a duplicate name or a placeholder that a case cannot fill; the error
            lists all faults.

    Example:
        >>> from markscheme import Rubric
        >>> rubric = Rubric.from_dict([{"weight": 1, "requirement": "Names a city"}])
        >>> shy = Variant("shy", "Perhaps you know: {{query}}")
        >>> experiment = Experiment(rubric, (shy,), (ExperimentCase("capital", {"query": "Capital of France?"}),))
        >>> experiment.variants[0].ask(experiment.cases[0]).user
        'Perhaps you know: Capital of France?'
    """

    rubric: Rubric
    variants: tuple[Variant, ...]
    cases: tuple[ExperimentCase, ...]
    name: str = "experiment"
    model: Model | None = None
    ready_outputs: Mapping[Cell, Output] = field(default_factory=dict)
    source: Path | None = None

    def __post_init__(self) -> None:
        faults = tuple(self._faults())
        if faults:
            raise FileError(faults, path=self.source)

    @classmethod
    def from_file(cls, path: Path | str, *, outputs: Path | str | None = None) -> "Experiment":
        """Read the experiment in a .yaml or .json file.

        Args:
            path: The file.
            outputs: A file that replaces the outputs of every variant.

        Raises:
            FileError: The file is invalid; the error lists all faults, each with its line.
            RatingError: The file `outputs` cannot be read.
        """
        return read_experiment(Path(path), None if outputs is None else Path(outputs), build=cls)

    def asking(self, model: str) -> "Experiment":
        """Return this experiment with another model to ask, which keeps the parameters and the price that are set."""
        return replace(self, model=replace(self.model or Model(model), name=model, is_typed=True))

    @property
    def cells(self) -> list[Cell]:
        """All pairs of a variant and a case, ordered by case."""
        return [(variant.name, case.id) for case in self.cases for variant in self.variants]

    @property
    def to_ask(self) -> list[Cell]:
        """Pairs of a variant and a case for which no file gives an output, so that the model is asked for one."""
        return [cell for cell in self.cells if cell not in self.ready_outputs]

    @cached_property
    def by_name(self) -> Mapping[str, Variant]:
        """The experiment's variants, by name."""
        return {variant.name: variant for variant in self.variants}

    @cached_property
    def by_id(self) -> Mapping[str, ExperimentCase]:
        """The experiment's cases, by id."""
        return {case.id: case for case in self.cases}

    def _faults(self) -> Iterator[Fault]:
        for kind, names in ((OF_VARIANT, [v.name for v in self.variants]), (OF_CASE, [c.id for c in self.cases])):
            if not names:
                yield Fault(f"an experiment has at least one {kind}")
            for name in (name for name, count in Counter(names).items() if count > 1):
                yield Fault(f"{kind} {name!r} occurs twice here; names are unique", about=((kind, name),))
        for criterion in self.rubric.criteria:
            if criterion.name in FIGURES:
                yield Fault(f"criterion {criterion.name!r} needs another name: the table has a column of that name")
        variants_asked = dict.fromkeys(name for name, _ in self.to_ask)
        yield from (fault for v in self.variants if v.name in variants_asked for fault in self._unfilled(v))
        yield from self._lacking()

    def _unfilled(self, variant: Variant) -> Iterator[Fault]:
        unfilled = "".join(PLACEHOLDER.sub("", text) for text in variant.texts)
        if "{{" in unfilled or "{%" in unfilled:
            problem = f"variant {variant.name!r}: only {{{{name}}}} is filled in, without filters or blocks"
            yield Fault(problem, about=((OF_VARIANT, variant.name),))
        for name in sorted(variant.named):
            shown = [case for case in self.cases if parts_of([case.inputs.get(name, "")])]
            if shown:
                problem = f"variant {variant.name!r} fills in {{{{{name}}}}}, which is no text in {_named(shown)}"
                instead = "its model is asked in text alone; give the outputs, under `outputs`"
                yield Fault(f"{problem}: {instead}", about=((OF_CASE, shown[0].id), (OF_VARIANT, variant.name)))
            lacking = [case for case in self.cases if name not in case.inputs]
            if lacking:
                of = f"variant {variant.name!r} asks for {{{{{name}}}}}"
                about = ((OF_CASE, lacking[0].id), (OF_VARIANT, variant.name))
                if any(name in case.expected for case in lacking):
                    problem = f"{of}, which {_named(lacking)} has under `expected`: only the judge sees it"
                    yield Fault(problem, about=about)
                    continue
                inputs = ", ".join(lacking[0].inputs) or "none"
                near = suggestion(name, lacking[0].inputs, mark="'")
                problem = f"{of}, but {_named(lacking)} has no such input; its inputs: {inputs}{near}"
                yield Fault(problem, about=about)

    def _lacking(self) -> Iterator[Fault]:
        for name in self.rubric.inputs or ():
            filled = [(case, {*case.inputs, *case.expected}) for case in self.cases]
            lacking = [case for case, names in filled if name not in names and not steps_elsewhere(name, names)]
            if lacking:
                problem = f"{_named(lacking)} lacks {name!r}, which rubric {self.rubric.name!r} needs"
                yield Fault(problem, about=((OF_CASE, lacking[0].id),))
        for name in dict.fromkeys(name for case in self.cases for name in case.expected):
            if name not in self.rubric.known_inputs:
                shown = ", ".join(self.rubric.known_inputs) or "none"
                expecting = [case for case in self.cases if name in case.expected]
                problem = f"{_named(expecting)} expects {name!r}, which the rubric shows to no judge; it shows {shown}"
                yield Fault(problem, about=((OF_CASE, expecting[0].id),))


def _named(cases: Sequence[ExperimentCase]) -> str:
    more = f" (and {len(cases) - 1} more)" if len(cases) > 1 else ""
    return f"case {cases[0].id!r}{more}"
