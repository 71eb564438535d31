"""How counts name slices: a part for each field, and its values in a column."""

from typing import Final

SLICE_PREFIX: Final = "slice:"
"""What stands before a field in the name of the part on its values."""
VALUE_COLUMN: Final = "value"
"""The column of a field's values."""
VALUES_COUNTED: Final = 20
"""Values of a field that are counted by themselves, the most common first."""
OTHER_VALUES: Final = "other"
"""What all further values are counted as."""
