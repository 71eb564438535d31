"""Import path for the graders of the `rubric` package; the code is in `features.compatibility.autograders`."""

from markscheme import public_names as _public_names


def __getattr__(name: str) -> object:
    return _public_names.attribute(globals(), name)


def __dir__() -> list[str]:
    return _public_names.names(globals())
