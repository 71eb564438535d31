"""Read an experiment from YAML or JSON, reporting all faults of the file at once, each with its line."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from markscheme.errors import ExperimentError, Fault, RatingError, RubricError, UsageError, suggestion
from markscheme.experiment.cells import Cell, ExperimentCase, Model, Output, Variant
from markscheme.experiment.outputs import Given, case_of, read_outputs, records
from markscheme.judges.price import Price
from markscheme.plain_data import Place, form_of, plain_data, read_text, shown
from markscheme.rubrics.file import load_rubric
from markscheme.rubrics.rubric import Rubric
from markscheme.rubrics.search import find_rubric

T = TypeVar("T")
MAX_BYTES = 1 << 20
KEYS = ("name", "rubric", "model", "variants", "cases", "outputs")
VARIANT_KEYS = ("name", "system", "prompt", "outputs")
CASE_KEYS = ("id", "inputs", "expected")
MODEL_KEYS = ("name", "temperature", "max_tokens", "price")
FILE = "file://"


def read_experiment(path: Path, outputs: Path | None, build: Callable[..., T]) -> T:
    """Build an experiment from a file, its rubric and the outputs it takes from other files.

    Args:
        path: A .yaml or .json file; paths in it are relative to its folder.
        outputs: A file that replaces the outputs of every variant.
        build: Called with rubric, variants, cases, name, model, given outputs and path; returns an Experiment.

    Raises:
        ExperimentError: All faults of the file, each with its line.
        RatingError: `outputs` cannot be read.
    """
    text = read_text(path, ExperimentError, most_bytes=MAX_BYTES)
    data, lines = plain_data(text, form_of(path), ExperimentError, path=path)
    if not isinstance(data, dict):
        raise ExperimentError(f"is a mapping with {', '.join(KEYS)}; found {shown(data)}", path=path, line=1)
    return _Reading(path, data, lines, outputs).experiment(build)


@dataclass
class _Reading:
    """One pass over a file; faults are collected and reported together."""

    path: Path
    data: Mapping[str, Any]
    lines: Mapping[Place, int]
    outputs: Path | None
    faults: list[Fault] = field(default_factory=list)

    def experiment(self, build: Callable[..., T]) -> T:
        self._known(self.data, KEYS, ())
        rubric = self._rubric()
        model = self._model(self.data.get("model"))
        found = self._outputs()
        variants = self._variants(found)
        cases = self._cases(found)
        given = self._given(found, variants, cases)
        name = self._text(self.data, "name", ()) or self.path.name.partition(".")[0]
        if rubric is not None and variants and cases:
            try:
                plain = tuple(variant for variant, _ in variants)
                built = build(rubric, plain, tuple(cases), name, model, given, self.path)
                if not self.faults:
                    return built
            except ExperimentError as error:
                self.faults += [Fault(fault.problem, self._line_of(fault.problem)) for fault in error.faults]
        raise ExperimentError(sorted(self.faults, key=lambda fault: fault.line or 0), path=self.path)

    # parts

    def _rubric(self) -> Rubric | None:
        named = self._text(self.data, "rubric", ())
        if named is None:
            self._fault("`rubric` is missing: the name or the file of what grades the outputs", ("rubric",))
            return None
        try:
            return load_rubric(find_rubric(named, self.path.parent))
        except (RubricError, UsageError) as error:
            self._fault(str(error), ("rubric",))
            return None

    def _model(self, said: Any) -> Model | None:
        at: Place = ("model",)
        if said is None:
            return None
        if isinstance(said, str):
            return Model(said)
        if not isinstance(said, Mapping) or not isinstance(said.get("name"), str):
            self._fault(f"`model` is a name, or a mapping with name and {', '.join(MODEL_KEYS[1:])}", at)
            return None
        self._known(said, MODEL_KEYS, at)
        price = None
        try:
            price = Price.parse(str(said["price"])) if "price" in said else None
        except UsageError as error:
            self._fault(str(error), (*at, "price"))
        tokens = self._number(said, "max_tokens", at, least=1)
        if tokens is not None and tokens != int(tokens):
            self._fault(f"max_tokens is a whole number, found {tokens}", (*at, "max_tokens"))
        temperature = self._number(said, "temperature", at, least=0)
        return Model(said["name"], temperature, None if tokens is None else int(tokens), price)

    def _outputs(self) -> list[Given]:
        """Outputs of all variants: from the file given for this run, else from the one the experiment names."""
        named = self._text(self.data, "outputs", ())
        if self.outputs is not None:
            return read_outputs(self.outputs)
        return self._read(read_outputs, self.path.parent / named, ("outputs",)) if named else []

    def _read(self, read: Callable[[Path], Iterable[T]], path: Path, at: Place) -> list[T]:
        """The content of another file; its faults are reported along with this one's."""
        try:
            return list(read(path))
        except RatingError as error:
            self._fault(str(error), at)
            return []

    def _variants(self, found: list[Given]) -> list[tuple[Variant, Path | None]]:
        """Variants, each with the file of its outputs; without variants, those found in the common outputs file."""
        entries = self._list("variants")
        if not entries and found:
            names = [name for name in dict.fromkeys(given.variant for given in found) if name]
            if not names:
                self._fault("`variants` is missing, and the file of outputs names none", ("outputs",))
            return [(Variant(name), None) for name in names]
        return [variant for place, raw in enumerate(entries) if (variant := self._variant(raw, ("variants", place)))]

    def _variant(self, raw: Any, at: Place) -> tuple[Variant, Path | None] | None:
        if not isinstance(raw, Mapping):
            self._fault(f"a variant is a mapping with {', '.join(VARIANT_KEYS)}; found {shown(raw)}", at)
            return None
        self._known(raw, VARIANT_KEYS, at)
        name, system, prompt, outputs = (self._text(raw, key, at) for key in VARIANT_KEYS)
        if not name:
            self._fault("a variant needs a `name`", at)
        if not (system or prompt or outputs or self.outputs or self.data.get("outputs")):
            self._fault("a variant has a `system` text, a `prompt` or a file of `outputs`", at)
        texts = {
            key: self._template(said, (*at, key)) for key, said in (("system", system), ("prompt", prompt)) if said
        }
        return Variant(name or f"variant {at[-1]}", **texts), self.path.parent / outputs if outputs else None

    def _template(self, said: str, at: Place) -> str:
        if not said.startswith(FILE):
            return said
        try:
            return read_text(self.path.parent / said.removeprefix(FILE), ExperimentError)
        except ExperimentError as error:
            self._fault(str(error), at)
            return ""

    def _cases(self, found: list[Given]) -> list[ExperimentCase]:
        said = self.data.get("cases")
        if said is None and found:
            inputs: dict[str, ExperimentCase] = {}
            for given in found:
                inputs.setdefault(given.case, ExperimentCase(given.case, given.inputs))
            return list(inputs.values())
        if isinstance(said, str):
            there = self._read(records, self.path.parent / said, ("cases",))
            return [case for line, raw in there if (case := self._case(raw, ("cases",), f"{said}:{line}: "))]
        return [case for place, raw in enumerate(self._list("cases")) if (case := self._case(raw, ("cases", place)))]

    def _case(self, raw: Any, at: Place, elsewhere: str = "") -> ExperimentCase | None:
        """A case written inline, or read from a line of another file, which then begins the message of a fault."""
        try:
            if not elsewhere and isinstance(raw, Mapping):
                self._known(raw, CASE_KEYS, at)
            return case_of(raw)
        except ValueError as error:
            self._fault(f"{elsewhere}{error}", at)
            return None

    def _given(
        self, found: list[Given], variants: list[tuple[Variant, Path | None]], cases: list[ExperimentCase]
    ) -> dict[Cell, Output]:
        """An output, or the reason for a missing one, for each cell of a variant whose outputs come from a file."""
        given: dict[Cell, Output] = {}
        for variant, own in variants:
            if own is None and not (self.outputs or self.data.get("outputs")):
                continue
            its_own = None if self.outputs else own
            there = self._read(read_outputs, its_own, ("variants",)) if its_own else found
            its = {one.case: one.output for one in there if one.variant in ("", variant.name)}
            if there and cases and not its.keys() & {case.id for case in cases}:
                held = ", ".join(sorted({one.variant for one in there} - {""})) or "other cases only"
                problem = f"there is no output of variant {variant.name!r}; there are {held}"
                self.faults.append(Fault(problem, self._line_of(problem)))
            nothing = Output(None, "the file holds no output of this variant for this case")
            given |= {(variant.name, case.id): its.get(case.id, nothing) for case in cases}
        return given

    # values and places

    def _list(self, key: str) -> list[Any]:
        said = self.data.get(key)
        if isinstance(said, list) and said:
            return said
        if said is not None or not (self.outputs or self.data.get("outputs")):
            self._fault(f"`{key}` is a list of one or more", (key,))
        return []

    def _text(self, raw: Mapping[str, Any], key: str, at: Place) -> str | None:
        said = raw.get(key)
        if said is None or (isinstance(said, str) and said.strip()):
            return said
        self._fault(f"{key} is a text that is not empty, found {shown(said)}", (*at, key))
        return None

    def _number(self, raw: Mapping[str, Any], key: str, at: Place, *, least: float) -> float | None:
        said = raw.get(key)
        if said is None:
            return None
        if isinstance(said, bool) or not isinstance(said, int | float) or not (math.isfinite(said) and said >= least):
            self._fault(f"{key} is a number from {least:g}, found {shown(said)}", (*at, key))
            return None
        return float(said)

    def _known(self, raw: Mapping[str, Any], keys: tuple[str, ...], at: Place) -> None:
        for key in (key for key in raw if key not in keys):
            instead = suggestion(str(key), keys, mark="'") or f"; known are {', '.join(keys)}"
            self._fault(f"unknown key {key!r}{instead}", (*at, key))

    def _fault(self, problem: str, at: Place) -> None:
        self.faults.append(Fault(problem, self._line(at)))

    def _line(self, at: Place) -> int | None:
        while at and at not in self.lines:
            at = at[:-1]
        return self.lines.get(at)

    def _line_of(self, problem: str) -> int | None:
        """The line of the case or variant that a fault of the whole experiment refers to."""
        for key, name in (("cases", "id"), ("variants", "name")):
            said = self.data.get(key)
            for place, raw in reversed(list(enumerate(said if isinstance(said, list) else ()))):
                if isinstance(raw, Mapping) and f"{key[:-1]} {str(raw.get(name))!r}" in problem:
                    return self._line((key, place))
        of_cases = problem.startswith("case ")
        return (self._line(("cases",)) or self._line(("outputs",))) if of_cases else self._line(("rubric",))
