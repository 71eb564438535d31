"""Import path for the graders of the `rubric` package; the code is in `features.compatibility.autograders`."""

from markscheme import public_names as _public_names

__getattr__, __dir__ = _public_names.functions_of(globals())
