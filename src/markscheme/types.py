"""Import path for the types of the `rubric` package's autograders."""

from markscheme.public_names import attribute as _attribute
from markscheme.public_names import names as _names


def __getattr__(name: str) -> object:
    return _attribute(globals(), name)


def __dir__() -> list[str]:
    return _names(globals())
