"""Default timeouts of judges."""

from typing import Final

REQUEST_TIMEOUT: Final = 120.0
"""Seconds for one reply: an answer that never ends is cut then and counts as a failure of the provider."""
