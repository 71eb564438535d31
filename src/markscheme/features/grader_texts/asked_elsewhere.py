"""Model-graded assertions that another grader than markscheme answered, with the line that names that grader."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from markscheme.errors import RatingError
from markscheme.features.grader_texts.configuration import configuration_in
from markscheme.phrases import counted
from markscheme.plain_data import form_of, mapping, objects, plain_data
from markscheme.plain_data import read_text as text_of
from markscheme.promptfoo.results import COMPARING_TYPES, GRADED_TYPES
from markscheme.report.after_run import RunReport
from markscheme.text import cut_short

MODEL_GRADED = (GRADED_TYPES | COMPARING_TYPES) - {"python", "max-score"}
"""Assertion types that a grading provider answers."""
_OURS = re.compile(r"(?:^|[/\\\":])rubric_provider\.(?:mjs|py)\b")
_LONGEST = 60
"""Largest number of characters of a grader's name that are shown, enough for its author to recognize it."""
Lines = Mapping[tuple[Any, ...], int]


def report_on_asked(context: Mapping[str, Any]) -> RunReport:
    """Return a line about the model-graded assertions that markscheme didn't grade, or no line if it graded all.

    Args:
        context: The context that Promptfoo passes to its hook, with `results`.
    """
    elsewhere = list(asked_elsewhere(context))
    if not elsewhere:
        return RunReport(())
    configuration = _configuration()
    named = Counter((_where(grader, assertion, *configuration), grader) for grader, assertion in elsewhere)
    by_line = ", ".join(
        f"{where} ({count} by {cut_short(grader, _LONGEST) if grader else 'the model that Promptfoo takes by itself'})"
        for (where, grader), count in named.items()
    )
    why = "; a `provider` of an assertion or test wins over --grader" if any(grader for grader, _ in elsewhere) else ""
    verdicts = counted(len(elsewhere), "verdict")
    return RunReport([f"Not asked of markscheme: {verdicts} of model-graded assertions: {by_line}{why}."])


def asked_elsewhere(context: Mapping[str, Any]) -> Iterator[tuple[str | None, Mapping[str, Any]]]:
    """Yield each assertion that another grader than markscheme answered, with that grader's name.

    The name is None if no grader is named, so that Promptfoo uses its default model.
    """
    labels = _labelled(context)
    for row in context.get("results") or ():
        of_test = mapping(mapping(row.get("testCase")).get("options")).get("provider")
        for component in mapping(row.get("gradingResult")).get("componentResults") or ():
            assertion = mapping(mapping(component).get("assertion"))
            if str(assertion.get("type")).removeprefix("not-") not in MODEL_GRADED:
                continue
            of_assertion = assertion.get("provider")
            grader = _provider_name(of_test if of_assertion is None else of_assertion)
            if not _is_ours(labels.get(grader or "", grader)):
                yield grader, assertion


def _labelled(context: Mapping[str, Any]) -> dict[str, str]:
    """Map each label of a provider in the configuration to the provider's id."""
    named = objects(mapping(context.get("config")).get("providers"))
    return {provider["label"]: str(provider.get("id")) for provider in named if isinstance(provider.get("label"), str)}


def _provider_name(provider: Any) -> str | None:
    """Return the name of a Promptfoo provider, given as text or as a mapping; None if there is no provider.

    A mapping with a provider for each kind, such as text and embedding, has the name of its text provider. Any other
    has the first name under a key such as `id` or `label`; if there is none, its JSON is the name.
    """
    if isinstance(provider, Mapping):
        names = (provider.get(key) for key in ("text", "id", "providerId", "scriptPath", "modelName", "label"))
        name = next((_provider_name(name) for name in names if name), None)
        return json.dumps(provider, default=str) if name is None and provider else name
    return str(provider) if provider else None


def _is_ours(grader: str | None) -> bool:
    return grader is not None and _OURS.search(grader) is not None


# --- lines ----------------------------------------------------------------------------------------------------------


def _configuration() -> tuple[Path | None, Any, Lines]:
    """Return path, data and line numbers of the Promptfoo configuration in the working directory, if it can be read.

    Without such a configuration, path and data are None and the line numbers are empty.
    """
    path = configuration_in(Path())
    if path is None:
        return None, None, {}
    try:
        return path, *plain_data(text_of(path, RatingError), form_of(path), RatingError, path=path)
    except RatingError:
        return None, None, {}


def _where(grader: str | None, assertion: Mapping[str, Any], path: Path | None, data: Any, lines: Lines) -> str:
    """Return the file and lines that name an assertion's grader; the assertion's type if no line names it.

    Args:
        grader: Name of the grader; None if the assertion has none.
        assertion: The assertion.
        path: The Promptfoo configuration; None if there is none that can be read.
        data: The configuration's data.
        lines: The line of each value in the configuration, by its path of keys and indices.
    """
    kind = str(assertion.get("type"))
    if grader is None or path is None:
        return kind
    numbers = sorted({lines[place] for place in _places(data, grader, assertion, ()) if place in lines})
    return f"{path.name}:{','.join(map(str, numbers))}" if numbers else kind


def _places(data: Any, grader: str, assertion: Mapping[str, Any], place: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """Yield where in a configuration, as a path of keys and indices, a `provider` names the grader of an assertion.

    Args:
        data: A part of the configuration.
        grader: Name of the grader.
        assertion: The assertion.
        place: Path of this part in the configuration.
    """
    if isinstance(data, list):
        for index, item in enumerate(data):
            yield from _places(item, grader, assertion, (*place, index))
    elif isinstance(data, Mapping):
        if _provider_name(data.get("provider")) == grader and _names_grader_of(assertion, data, place):
            yield (*place, "provider")
        for key, value in data.items():
            yield from _places(value, grader, assertion, (*place, key))


def _names_grader_of(assertion: Mapping[str, Any], data: Mapping[str, Any], keys: tuple[Any, ...]) -> bool:
    """Return True if an assertion is graded by the grader that a mapping of a Promptfoo configuration names.

    Args:
        assertion: The assertion.
        data: A mapping that names a grader: an assertion, or the options of a test.
        keys: The keys that lead to the mapping in the configuration.
    """
    if assertion.get("provider") is None:
        return keys[-1:] == ("options",)
    return all(data.get(key) == assertion.get(key) for key in ("type", "metric"))
