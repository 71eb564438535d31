"""Drop-in names for users of the `rubric` package and of scorers: graders, reports, rewards and scorer runs."""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Any

from markscheme.public_names import PUBLIC_NAMES
from markscheme.rubrics.autograders import AUTOGRADERS
from markscheme.seam import Feature


def _per_criterion_grader() -> Any:
    from markscheme.features.compatibility.autograders import PerCriterionGrader

    return PerCriterionGrader()


def _loads(module: str) -> Callable[[], ModuleType]:
    """Make a function without arguments that imports and returns a module of this folder."""
    return partial(import_module, f"{__name__}.{module}")


COMPATIBILITY = Feature(
    "compatibility",
    AUTOGRADERS(_per_criterion_grader),
    PUBLIC_NAMES(
        ("markscheme.autograders", _loads("autograders")),
        ("markscheme.rewards", _loads("rewards")),
        ("markscheme.scorers", _loads("scorers")),
        ("markscheme.types", _loads("report_types")),
    ),
)
