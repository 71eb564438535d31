"""Helper for laws that hold for a family of statistics: each drawn table is tried with all of them."""

import inspect
from collections.abc import Callable, Sequence
from functools import partial, wraps
from typing import Any

from hypothesis import reject
from hypothesis.errors import UnsatisfiedAssumption

Trial = Callable[..., None]


def tried_on(names: Sequence[str]) -> Callable[[Trial], Trial]:
    """Make a decorator that runs a test, whose first parameter is a statistic's name, for each name on every table.

    An `assume` in the test leaves out the current name alone; a failure names the statistic.
    """

    def on_each(test: Trial) -> Trial:
        @wraps(test)
        def tried(*drawn: Any, **named: Any) -> None:
            held = [name for name in names if _holds(partial(test, name, *drawn, **named), name)]
            if not held:
                reject()

        of_test = inspect.signature(test)
        tried.__signature__ = of_test.replace(parameters=list(of_test.parameters.values())[1:])  # type: ignore[attr-defined]
        return tried

    return on_each


def _holds(trial: Callable[[], None], name: str) -> bool:
    try:
        trial()
    except UnsatisfiedAssumption:
        return False
    except BaseException as fault:
        fault.add_note(f"the statistic is {name}")
        raise
    return True
