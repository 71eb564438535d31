"""Read an experiment from YAML or JSON, reporting all faults of the file at once, each with its line."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from markscheme.errors import Fault, FileError, RatingError, RubricError, UsageError, suggestion
from markscheme.features.experiment.cells import OF_CASE, OF_VARIANT, Cell, ExperimentCase, Model, Output, Variant
from markscheme.features.experiment.outputs import GivenOutput, case_of, read_outputs, records
from markscheme.judges.options import ASK_OPTIONS
from markscheme.judges.price import Price
from markscheme.numerals import finite
from markscheme.plain_data import Place, elements, form_of, line_at, plain_data, read_text, shown
from markscheme.rubrics.file import load_rubric
from markscheme.rubrics.rubric import Rubric
from markscheme.rubrics.search import find_rubric

_T = TypeVar("_T")
MAX_EXPERIMENT_BYTES = 1 << 20
"""Largest size of an experiment's file in bytes, far more than anyone writes by hand; outputs and cases may be in files
of their own."""
KEYS = ("name", "rubric", "model", "variants", "cases", "outputs")
VARIANT_KEYS = ("name", "system", "prompt", "outputs")
CASE_KEYS = ("id", "inputs", "expected")
MODEL_OPTIONS = {key: option for key, option in ASK_OPTIONS.items() if option.of_model}
"""Options on how the model that makes outputs is asked; limits on cost and rate are options of the whole run."""
MODEL_KEYS = ("name", *MODEL_OPTIONS)
FILE = "file://"


def read_experiment(path: Path, outputs: Path | None, build: Callable[..., _T]) -> _T:
    """Build an experiment from a file, its rubric and the outputs it takes from other files.

    Args:
        path: A .yaml or .json file; paths in it are relative to its folder.
        outputs: A file that replaces the outputs of every variant; None to take those that the experiment names.
        build: Function that returns an Experiment, given rubric, variants, cases, name, model, ready outputs and path.

    Raises:
        FileError: The file is invalid; the error lists all faults, each with its line.
        RatingError: The file `outputs` cannot be read.
    """
    text = read_text(path, FileError, most_bytes=MAX_EXPERIMENT_BYTES)
    data, lines = plain_data(text, form_of(path), FileError, path=path)
    if not isinstance(data, dict):
        begin = "rubric: NAME, then variants: and cases: (or outputs:)"
        problem = f"expected a mapping with {', '.join(KEYS)}, got {shown(data)}; begin with {begin}"
        raise FileError(problem, path=path, line=1)
    try:
        return _Reading(path, data, lines, outputs).experiment(build)
    except OSError as problem:  # the name of a file that there can't be
        raise FileError(f"names {shown(problem.filename)}: {problem.strerror}", path=path) from problem


@dataclass
class _Reading:
    """Reader of one experiment's file, which collects all faults and reports them together."""

    path: Path
    data: Mapping[str, Any]
    lines: Mapping[Place, int]
    outputs: Path | None
    faults: list[Fault] = field(default_factory=list)

    def experiment(self, build: Callable[..., _T]) -> _T:
        self._refuse_unknown(self.data, KEYS, ())
        rubric = self._rubric()
        model = self._model(self.data.get("model"))
        outputs = self._outputs()
        variants = self._variants(outputs)
        cases = self._cases(outputs)
        outputs_of_cells = self._outputs_of_cells(outputs, variants, cases)
        name = self._text(self.data, "name", ()) or self.path.name.partition(".")[0]
        if rubric is not None and variants and cases:
            try:
                plain = tuple(variant for variant, _ in variants)
                built = build(rubric, plain, tuple(cases), name, model, outputs_of_cells, self.path)
                if not self.faults:
                    return built
            except FileError as error:
                self.faults += [Fault(fault.problem, self._line_of(fault.about)) for fault in error.faults]
        raise FileError(sorted(self.faults, key=lambda fault: fault.line or 0), path=self.path)

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

    def _model(self, value: Any) -> Model | None:
        path: Place = ("model",)
        if value is None:
            return None
        if isinstance(value, str):
            return Model(value)
        if not isinstance(value, Mapping) or not isinstance(value.get("name"), str):
            self._fault(f"`model` is a name, or a mapping with name and {', '.join(MODEL_KEYS[1:])}", path)
            return None
        self._refuse_unknown(value, MODEL_KEYS, path)
        values: dict[str, Any] = {}
        for key, option in MODEL_OPTIONS.items():
            try:
                values[key] = option.read(value.get(key), key)
            except UsageError as error:
                self._fault(str(error), (*path, key))
        price = Price.parse(values.pop("price")) if values.get("price") else None
        return Model(value["name"], {key: value for key, value in values.items() if value is not None}, price)

    def _outputs(self) -> list[GivenOutput]:
        """Read the file of all variants' outputs that this run, or else the experiment, names; [] if none is named."""
        named = self._text(self.data, "outputs", ())
        if self.outputs is not None:
            return read_outputs(self.outputs)
        return self._read(read_outputs, self.path.parent / named, ("outputs",)) if named else []

    def _read(self, read: Callable[[Path], Iterable[_T]], path: Path, at: Place) -> list[_T]:
        """Read another file that the experiment's file names; record a fault in it with the experiment's own.

        Args:
            read: Function that yields the other file's content.
            path: The other file.
            at: Path of the key in the experiment's file that names the other file, to which a fault is attributed.
        """
        try:
            _refuse_pipe(path, RatingError)
            return list(read(path))
        except RatingError as error:
            self._fault(str(error), at)
            return []

    def _variants(self, outputs: list[GivenOutput]) -> list[tuple[Variant, Path | None]]:
        """Read the variants, each with its file of outputs.

        If the experiment lists no variants, make a variant for each name that `outputs` have.
        """
        entries = self._list("variants")
        if not entries and outputs:
            names = [name for name in dict.fromkeys(output.variant for output in outputs) if name]
            if not names:
                self._fault("`variants` is missing, and the file of outputs names none", ("outputs",))
            return [(Variant(name), None) for name in names]
        return [variant for index, raw in enumerate(entries) if (variant := self._variant(raw, ("variants", index)))]

    def _variant(self, raw: Any, path: Place) -> tuple[Variant, Path | None] | None:
        if not isinstance(raw, Mapping):
            self._fault(f"a variant is a mapping with {', '.join(VARIANT_KEYS)}; found {shown(raw)}", path)
            return None
        self._refuse_unknown(raw, VARIANT_KEYS, path)
        name, system, prompt, outputs = (self._text(raw, key, path) for key in VARIANT_KEYS)
        if not name:
            self._fault("a variant needs a `name`", path)
        if not (system or prompt or outputs or self.outputs or self.data.get("outputs")):
            self._fault("a variant has a `system` text, a `prompt` or a file of `outputs`", path)
        texts = {
            key: self._template(text, (*path, key)) for key, text in (("system", system), ("prompt", prompt)) if text
        }
        return Variant(name or f"variant {path[-1]}", **texts), self.path.parent / outputs if outputs else None

    def _template(self, text: str, path: Place) -> str:
        if not text.startswith(FILE):
            return text
        named = self.path.parent / text.removeprefix(FILE)
        try:
            _refuse_pipe(named, FileError)
            return read_text(named, FileError)
        except FileError as error:
            self._fault(str(error), path)
            return ""

    def _cases(self, outputs: list[GivenOutput]) -> list[ExperimentCase]:
        cases = self.data.get("cases")
        if cases is None and outputs:
            inputs: dict[str, ExperimentCase] = {}
            for output in outputs:
                inputs.setdefault(output.case, ExperimentCase(output.case, output.inputs))
            return list(inputs.values())
        if isinstance(cases, str):
            lines = self._read(records, self.path.parent / cases, ("cases",))
            return [case for line, raw in lines if (case := self._case(raw, ("cases",), f"{cases}:{line}"))]
        return [case for index, raw in enumerate(self._list("cases")) if (case := self._case(raw, ("cases", index)))]

    def _case(self, raw: Any, path: Place, elsewhere: str | None = None) -> ExperimentCase | None:
        """Build a case from its raw value; if it is invalid, record a fault and return None.

        Args:
            raw: The raw value.
            path: Path of the value in the experiment's file.
            elsewhere: Name and line of another file that the value is from; None for the experiment's file.
        """
        try:
            if elsewhere is None and isinstance(raw, Mapping):
                self._refuse_unknown(raw, CASE_KEYS, path)
            return case_of(raw, self.path.parent)
        except ValueError as error:
            self._fault(str(error) if elsewhere is None else f"{elsewhere}: {error}", path)
            return None

    def _outputs_of_cells(
        self, outputs: list[GivenOutput], variants: list[tuple[Variant, Path | None]], cases: list[ExperimentCase]
    ) -> dict[Cell, Output]:
        """Return the outputs that are in files, by variant and case; a missing output is replaced by the reason.

        Args:
            outputs: The outputs in the file that has those of all variants; empty if no such file is named.
            variants: The variants, each with its own file of outputs; None for a variant without one.
            cases: The cases.
        """
        cells: dict[Cell, Output] = {}
        for variant, named_file in variants:
            if named_file is None and not (self.outputs or self.data.get("outputs")):
                continue
            file = None if self.outputs else named_file
            available = self._read(read_outputs, file, ("variants",)) if file else outputs
            its = {output.case: output.output for output in available if output.variant in ("", variant.name)}
            if available and cases and not its.keys() & {case.id for case in cases}:
                others = ", ".join(sorted({output.variant for output in available} - {""})) or "other cases only"
                problem = f"there is no output of variant {variant.name!r}; there are {others}"
                self.faults.append(Fault(problem, self._line_of(((OF_VARIANT, variant.name),))))
            nothing = Output(None, "the file holds no output of this variant for this case")
            cells |= {(variant.name, case.id): its.get(case.id, nothing) for case in cases}
        return cells

    # values and places

    def _list(self, key: str) -> list[Any]:
        value = self.data.get(key)
        if isinstance(value, list) and value:
            return value
        if value is not None or not (self.outputs or self.data.get("outputs")):
            self._fault(f"`{key}` is a list of one or more", (key,))
        return []

    def _text(self, raw: Mapping[str, Any], key: str, path: Place) -> str | None:
        value = raw.get(key)
        if value is None or (isinstance(value, str) and value.strip()):
            return value
        self._fault(f"{key} is a text that is not empty, found {shown(value)}", (*path, key))
        return None

    def _number(self, raw: Mapping[str, Any], key: str, path: Place, *, least: float) -> float | None:
        value = raw.get(key)
        if value is None:
            return None
        converted = finite(value)
        if converted is None or converted < least:
            self._fault(f"{key} is a number from {least:g}, found {shown(value)}", (*path, key))
            return None
        return converted

    def _refuse_unknown(self, raw: Mapping[str, Any], keys: tuple[str, ...], path: Place) -> None:
        for key in (key for key in raw if key not in keys):
            instead = suggestion(str(key), keys, mark="'") or f"; known are {', '.join(keys)}"
            self._fault(f"unknown key {key!r}{instead}", (*path, key))

    def _fault(self, problem: str, path: Place) -> None:
        self.faults.append(Fault(problem, line_at(self.lines, path)))

    def _line_of(self, about: Sequence[tuple[str, str]]) -> int | None:
        """Return the line of the first case or variant that a fault is about, or None if no line is known.

        If none of them is in this file, it is the line of the cases (or outputs) for a fault about a case, and else the
        line of the rubric.

        Args:
            about: What the fault is about: pairs of a kind, `OF_CASE` or `OF_VARIANT`, and an id or a name.
        """
        keys = {OF_CASE: ("cases", "id"), OF_VARIANT: ("variants", "name")}
        for kind, name in about:
            key, name_key = keys[kind]
            for index, raw in reversed(list(enumerate(elements(self.data.get(key))))):
                if isinstance(raw, Mapping) and str(raw.get(name_key)) == name:
                    return line_at(self.lines, (key, index))
        is_of_cases = any(kind == OF_CASE for kind, _ in about)
        if is_of_cases:
            return line_at(self.lines, ("cases",)) or line_at(self.lines, ("outputs",))
        return line_at(self.lines, ("rubric",))


def _refuse_pipe(path: Path, error: type[FileError]) -> None:
    """Refuse a pipe that another file names, since there may never be anything to read from it.

    Raises:
        FileError: The file is a pipe; the error is of the class `error`.
    """
    if path.is_fifo():
        raise error("is a pipe, not a file", path=path)
