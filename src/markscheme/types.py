"""Import path for the types of the `rubric` package's autograders."""

from markscheme import public_names as _public_names


def __getattr__(name: str) -> object:
    return _public_names.attribute(globals(), name)


def __dir__() -> list[str]:
    return _public_names.names(globals())
