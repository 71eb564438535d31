"""How often test labels were looked at, in words."""

from markscheme.counts import counted
from markscheme.ratings.splits import Openings


def openings_line(openings: Openings) -> str:
    """How often test labels were looked at, in a sentence."""
    looks, of = len(openings.all), f"Test labels of {counted(openings.n, 'example')}"
    if not looks:
        return f"{of}: never opened."
    times = "once" if looks == 1 else f"{looks} times"
    same = "" if openings.of_these == looks else f", {openings.of_these} of them as they are now"
    span = openings.all[0].at if looks == 1 else f"{openings.all[0].at} to {openings.all[-1].at}"
    return f"{of}: opened {times}{same} ({span}). Each look that leads to an edit makes the next one flatter."
