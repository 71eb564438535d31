"""Names that a counts file uses for slices, and the number of a field's values that get a slice of their own."""

from typing import Final

SLICE_PREFIX: Final = "slice:"
"""Prefix of the names of parts that count by a field's values; the field's name follows it."""
VALUE_COLUMN: Final = "value"
"""The column of a field's values."""
VALUES_COUNTED: Final = 20
"""Largest number of a field's values that are counted separately, the most common ones."""
OTHER_VALUES: Final = "other"
"""Value under which all less common values of a field are counted together."""
