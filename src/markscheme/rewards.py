"""Import path for `reward`, which returns the raw scores of a batch of responses."""

from markscheme import public_names as _public_names

__getattr__, __dir__ = _public_names.functions_of(globals())
