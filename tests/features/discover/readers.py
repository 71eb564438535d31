"""Readings as the worked cases write them: "- a - b ab" is five outputs in reading order, with their modes."""

from markscheme.features.discover.figures import ReadOutputs
from markscheme.features.discover.modes import Assignment, Codebook, Mode
from markscheme.features.discover.order import ReadingOrder
from markscheme.features.discover.reading import AgainAnswer, Note, OutputReading


def read_outputs(text: str, *, rater: str = "ann", again: dict[str, list[int]] | None = None) -> ReadOutputs:
    """One reader who names each mode at once, and reads some outputs again for a mode without finding it."""
    readings = []
    book = Codebook()
    for place, letters in enumerate(text.split(), start=1):
        modes = list(letters.replace("-", ""))
        notes = tuple(Note(n, f"shows {mode}", line=place) for n, mode in enumerate(modes, start=1))
        reading = OutputReading(f"o{place}", rater, notes=notes, line=place)
        readings.append(reading)
        for note, mode in zip(notes, modes, strict=True):
            if mode not in {listed.name for listed in book.modes}:
                book = book.name_mode(Mode(mode, f"It shows {mode}.", by=rater, named=f"2026-11-23T10:{place:02}:00Z"))
            book = book.assign(Assignment(reading.key_of(note), (mode,), rater))
    for mode, places in (again or {}).items():
        for place in places:
            answered: tuple[AgainAnswer, str] = ("not there", book.mode(mode).fingerprint)
            earlier = readings[place - 1]
            readings[place - 1] = OutputReading(
                earlier.id, rater, notes=earlier.notes, line=earlier.line, again={**earlier.again, mode: answered}
            )
    order = ReadingOrder.of([], [reading.id for reading in readings])
    return ReadOutputs(tuple(readings), book, order)
