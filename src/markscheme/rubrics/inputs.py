"""Names of a submission's inputs, as a rubric declares them."""

import re
from typing import Final

INPUT_NAME: Final = re.compile(r"[\w.-]+")
"""Pattern of an input's name, which becomes a tag in prompts, a column, and a key in files."""
STEPPED: Final = ("messages", "tool_calls", "trace")
"""Names of inputs that are read as an agent's steps."""
