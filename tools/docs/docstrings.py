"""Our docstrings, brought to the letter of the style that their reader knows."""

import inspect
import re
from importlib import import_module
from typing import Any

from griffe import Docstring, Extension, Function, Object, Parameter, ParameterKind, Parameters

TOGETHER = re.compile(r"^    (\w+(?:, \w+)+): (.*(?:\n {8}.*)*)", re.MULTILINE)
"""Arguments that share one description, with the description."""
TAKES_FAMILIES = ".describe"
"""Ends the decorator that gives a function the options of its families, which sources don't show."""


class OurStyle(Extension):
    """Calls a section of examples by the name its reader knows, and tells arguments one by one."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Rewrite the docstring of each object."""
        if isinstance(obj, Function) and any(
            str(decorator.value).endswith(TAKES_FAMILIES) for decorator in obj.decorators
        ):
            _add_families(obj)
        if obj.docstring:
            text = obj.docstring.value.replace("\nExample:\n", "\nExamples:\n")
            obj.docstring.value = TOGETHER.sub(_one_by_one, text)


def _add_families(function: Function) -> None:
    """Give a function the parameters and the docstring that it has once it is imported."""
    imported = getattr(import_module(function.module.path), function.name)
    written = {parameter.name: parameter for parameter in function.parameters}
    function.parameters = Parameters(
        *(
            written.get(parameter.name) or _keyword_only(parameter)
            for parameter in inspect.signature(imported).parameters.values()
        )
    )
    function.docstring = Docstring(
        inspect.getdoc(imported) or "",
        lineno=None if function.docstring is None else function.docstring.lineno,
        parent=function,
    )


def _keyword_only(parameter: inspect.Parameter) -> Parameter:
    annotation = inspect.formatannotation(parameter.annotation)
    return Parameter(
        parameter.name, annotation=annotation, kind=ParameterKind.keyword_only, default=repr(parameter.default)
    )


def _one_by_one(shared: re.Match[str]) -> str:
    return "\n".join(f"    {name}: {shared[2]}" for name in shared[1].split(", "))
