"""The rubric of a Promptfoo configuration: each model-graded text becomes a criterion, or several, one per point."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from shlex import quote
from typing import Any

import yaml

from markscheme.commands.project_sources import FoundProject
from markscheme.features.grader_texts.configuration import GradedText, ReadConfiguration, configuration_in
from markscheme.features.grader_texts.configuration import read_configuration as read
from markscheme.features.grader_texts.text_reading import TextReading, read_text
from markscheme.phrases import counted, in_words
from markscheme.readers.table_project import file_name
from markscheme.rubrics.rubric import Scale
from markscheme.text import cut_short

_PLACEHOLDER = re.compile(r"\{\{-? ?([A-Za-z_]\w{0,63})(?:\.\w{1,64}){0,9}(?: ?\| ?[\w ]{1,64})? ?-?\}\}")
_NOT_IN_NAMES = re.compile(r"\W+")
_NAMING_WORDS = 4
"""Largest number of words of a text that make up a criterion's name, so that the name fits into tables."""
_LONGEST_NAME = 40
"""Largest number of characters of a criterion's name, so that the name fits into tables."""
_SHOWN = 60
"""Largest number of characters of a text that are shown, enough for its author to recognize it."""
_GRADER = "file://graders/rubric_provider.mjs"
_RUN = "npx promptfoo eval -o results.json"
_EMBEDDING = "openai:embedding:text-embedding-3-small"
"""Provider of embeddings for assertions that compare texts by these, which the user may replace by another one."""


def project_of_configuration(folder: Path) -> FoundProject | None:
    """Make a rubric of a folder's Promptfoo configuration; None if the configuration has no model-graded texts.

    Raises:
        RatingError: The configuration can't be read.
    """
    path = configuration_in(folder)
    configuration = None if path is None else read(path)
    if configuration is None or not configuration.texts:
        return None
    return _Drafting(configuration).project()


class _Drafting:
    """Builder of a rubric's file from a Promptfoo configuration, with lines on how each text was read."""

    def __init__(self, configuration: ReadConfiguration) -> None:
        self.configuration = configuration
        self.name = file_name(configuration.path.resolve().parent.name.lower(), "the folder's name")
        self.criteria: list[dict[str, Any]] = []
        self.inputs: dict[str, None] = {}
        self.lines: list[str] = []

    def project(self) -> FoundProject:
        """Return the project: the rubric's file, lines on how it was made, and the next steps."""
        by_text: dict[str, list[GradedText]] = {}
        for text in self.configuration.texts:
            by_text.setdefault(text.text, []).append(text)
        for uses in by_text.values():
            self._add(uses[0])
            if len({(use.weight, use.threshold, use.is_negated) for use in uses}) > 1:
                self.lines.append("    its weight or threshold differs between tests: the first counts")
        self.lines += [
            f"  not read, {counted(count, 'time')}: {words}" for words, count in self.configuration.unread.items()
        ]
        rubric_file = Path("rubrics") / f"{self.name}.yaml"
        texts = counted(len(by_text), "model-graded text")
        head = f"{self.configuration.path.name}: {texts}, {counted(len(self.criteria), 'criterion', 'criteria')}"
        return FoundProject({rubric_file: self._yaml()}, (head, *self.lines), tuple(self._next()))

    def _add(self, text: GradedText) -> None:
        """Add the criteria that a model-graded text becomes, and a line on how they were made."""
        reading = read_text(text.text)
        in_every_test = self._is_in_every_test(text)
        if not reading.points or _may_miss_points(text, reading):
            name = self._free_name(text.metric or text.text)
            self.criteria.append(self._criterion(name, text, reading, in_every_test=in_every_test))
            words = f"counts how many of {len(reading.points)} points hold" if reading.points else reading.in_words
            self.lines.append(f"  {name}: {words}{_counts(text)}  {_short(text.text)}")
            return
        names = []
        for point in reading.points:
            names.append(self._free_name(_unlike(point, reading.points)))
            single = text._replace(text=point, weight=text.weight / len(reading.points))
            self.criteria.append(self._criterion(names[-1], single, TextReading(point), in_every_test=in_every_test))
        self.lines.append(
            f"  {', '.join(names)}: one each for {counted(len(names), 'point')}{_counts(text)}  {_short(text.text)}"
        )

    def _criterion(self, name: str, text: GradedText, reading: TextReading, *, in_every_test: bool) -> dict[str, Any]:
        """Return the criterion that one model-graded text becomes, as a dict with the keys of a rubric's file.

        Args:
            name: Name of the criterion.
            text: The text, with the assertion's weight and threshold.
            reading: The scale and the points that were read in the text.
            in_every_test: True if every test has the text; else the criterion may not apply.
        """
        weight = round(-text.weight if text.is_negated else text.weight, 4)
        whole_or_not = int(weight) if weight.is_integer() else weight  # as users write weights, without `.0`
        criterion: dict[str, Any] = {"name": name, "weight": whole_or_not, "requirement": self._filled(text.text)}
        if text.may_fail_alone:
            criterion["required"] = True
        threshold = _position(text.threshold, reading)
        if threshold is not None:
            criterion["threshold"] = threshold
        if not in_every_test:
            criterion["not_applicable"] = True
        if reading.points:
            criterion["levels"] = _numbers_of_points(len(reading.points))
        elif reading.asks_for_score:
            criterion |= _scale(reading.scale)
        return criterion

    def _is_in_every_test(self, text: GradedText) -> bool:
        """Return True if every test of the configuration has this model-graded text."""
        configuration = self.configuration
        return text.text in configuration.for_all or configuration.in_tests[text.text] >= max(configuration.tests, 1)

    def _filled(self, text: str) -> str:
        """Replace placeholders such as {{topic}} with <topic>, and note these variables as inputs of the rubric."""
        self.inputs |= dict.fromkeys(_PLACEHOLDER.findall(text))
        return _PLACEHOLDER.sub(lambda match: f"<{match[1]}>", text)

    def _free_name(self, words: str) -> str:
        """Return a name for a criterion from the first words of a text, with a number added if the name is taken."""
        plain = _NOT_IN_NAMES.sub(" ", words).strip().lower().split() or ["criterion"]
        name = "-".join(plain[:_NAMING_WORDS])[:_LONGEST_NAME].strip("-")
        taken = {criterion["name"] for criterion in self.criteria}
        return next(name for name in (name, *(f"{name}-{n}" for n in range(2, len(taken) + 3))) if name not in taken)

    def _yaml(self) -> str:
        optional = [name for name in self.inputs if name not in ("output", "query")]
        data = {"name": self.name, "optional_inputs": optional, "criteria": self.criteria}
        head = (
            f"# Made of {self.configuration.path.name}, which stays as it is: each criterion asks what a text asks.\n"
            f"# `markscheme lint {quote(self.name)}` says what a judge might misread.\n"
        )
        if not optional:
            del data["optional_inputs"]
        return head + yaml.safe_dump(data, allow_unicode=True, sort_keys=False, width=110)

    def _next(self) -> Iterator[str]:
        """Yield the lines that tell the user the next commands: run Promptfoo, label outputs, and calibrate a judge."""
        judge = 'a judge named in markscheme.toml (judge = "anthropic")'
        kinds = list(self.configuration.not_by_grader)
        if kinds:
            provider = f'"{_GRADER}"'
            if kinds != ["select-best"]:
                provider = f'{{text: {provider}, embedding: "{_EMBEDDING}"}}'
            file = self.configuration.path.name
            yield f"Since `--grader` fails on {in_words(kinds)}, name the grader under defaultTest in {file}:"
            yield f"  options: {{provider: {provider}}}"
            yield f"Next, with {judge}:"
            yield f"  {_RUN}"
        else:
            yield f"Next, with {judge} and the configuration as it is:"
            yield f"  {_RUN.replace('eval', f'eval --grader {_GRADER}')}"
        yield f"  markscheme label {quote(self.name)} --pool results.json"
        yield f"  markscheme calibrate {quote(self.name)}"
        yield "Without a key, `--judge function:stand_in_judge:judge` judges: a stand-in of a few rules, not a model."
        yield "Add it to `markscheme calibrate`; markscheme.toml names no code, so tell Promptfoo under defaultTest:"
        stand_in = f'{{id: "{_GRADER}", config: {{judge: "function:stand_in_judge:judge"}}}}'
        provider = (
            f'{{text: {stand_in}, embedding: "{_EMBEDDING}"}}' if kinds and kinds != ["select-best"] else stand_in
        )
        yield f"  options: {{provider: {provider}}}"


def _may_miss_points(text: GradedText, reading: TextReading) -> bool:
    """Return True if a response that misses some points that a text requires can still reach the text's threshold."""
    return text.threshold is not None and text.threshold * len(reading.points) <= len(reading.points) - 1


def _numbers_of_points(n: int) -> list[dict[str, Any]]:
    """Return the levels "none of the points holds" to "all n points hold", with the keys of a rubric's file."""
    between = (f"{k} of the {n} points {'holds' if k == 1 else 'hold'}" for k in range(1, n))
    words = ("none of the points holds", *between, f"all {n} points hold")
    return [_level(float(k), description) for k, description in enumerate(words)]


def _unlike(point: str, points: tuple[str, ...]) -> str:
    """Return a point of a list without the words with which all points of the list begin."""
    words = [some.split() for some in points]
    same = next((n for n, alike in enumerate(zip(*words, strict=False)) if len(set(alike)) > 1), 0)
    return " ".join(point.split()[same:])


def _counts(text: GradedText) -> str:
    """Describe a text's weight, threshold and negation where they differ from the defaults; "" if none does."""
    weight = "" if text.weight == 1 else f", weight {text.weight:g}"
    threshold = "" if text.threshold is None else f", threshold {text.threshold:g}"
    return f"{weight}{threshold}{', a fault: passes where it is absent' if text.is_negated else ''}"


def _short(text: str) -> str:
    return cut_short(" ".join(text.split()), _SHOWN)


def _position(threshold: float | None, reading: TextReading) -> float | None:
    """Return the position on the scale, 0 to 1, from which a criterion passes; None without a usable threshold.

    Args:
        threshold: The assertion's threshold, as a position or as a score of the text's scale; None for the one that the
            text states.
        reading: What was read from the text.
    """
    if threshold is None:
        return None if reading.pass_position is None else round(reading.pass_position, 4)
    low, high = sorted(reading.ends)
    if threshold > 1 and low <= threshold <= high:
        return round(reading.position(threshold), 4)
    return threshold if 0 <= threshold <= 1 else None


def _scale(scale: Scale) -> Mapping[str, Any]:
    """Return a scale as a dict with the key of a criterion in a rubric's file: `options`, `levels` or `scale`."""
    if scale.by_label:
        return {"options": [{"label": level.label, "value": round(level.value, 4)} for level in scale.levels]}
    if any(level.description for level in scale.levels) or scale.span <= 1:
        return {"levels": [_level(level.value, level.description) for level in scale.levels]}
    return {"scale": {"min": int(scale.ends[0]), "max": int(scale.ends[1])}}


def _level(value: float, description: str | None) -> dict[str, Any]:
    plain = int(value) if value.is_integer() else round(value, 4)
    return {"value": plain} if description is None else {"value": plain, "description": description}
