"""Import path for the graders of the `rubric` package; the code is in `features.compatibility.autograders`."""

from markscheme.public_names import attribute as _attribute
from markscheme.public_names import names as _names


def __getattr__(name: str) -> object:
    return _attribute(globals(), name)


def __dir__() -> list[str]:
    return _names(globals())
