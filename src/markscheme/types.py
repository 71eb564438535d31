"""Import path for the types of the `rubric` package's autograders."""

from markscheme import public_names as _public_names

__getattr__, __dir__ = _public_names.functions_of(globals())
