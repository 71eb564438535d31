"""What an annotator said of six replies in other tools, in the files that the tools' own packages wrote."""

from dataclasses import dataclass
from pathlib import Path

from markscheme.features.discover.read_notes import NotedPassage, NotesIn, read_notes
from markscheme.ratings.kinds import PEOPLE, Kind


@dataclass(frozen=True)
class WrittenNotes:
    """The files of one tool, and what is in them.

    Attributes:
        files: Their names, which are read together.
        notes: The annotator's notes.
        rater: Who wrote what the files leave open.
        kind: The kind of who wrote it.
        annotator: The annotator's name in them.
        has_outputs: Whether they hold the replies.
    """

    files: tuple[str, ...]
    notes: frozenset[NotedPassage] = frozenset(NotedPassage(f"ann on p{number}") for number in range(1, 7))
    rater: str | None = None
    kind: Kind | None = None
    annotator: str = "ann"
    has_outputs: bool = True

    def read(self, folder: Path) -> NotesIn:
        """The notes in the files of a folder."""
        return read_notes([folder / name for name in self.files], self.rater, self.kind)

    def check(self, content: NotesIn) -> None:
        """Compare what was read with what was written; what a judge said isn't an annotator's."""
        by_people = {key: reading for key, reading in content.readings.items() if reading.kind in PEOPLE}
        assert {rater for rater, _ in by_people} == {self.annotator}
        assert {passage for key in by_people for passage in content.passages[key]} == self.notes
        outputs = {example.submission.response[: len("Reply p1.")] for example in content.examples.values()}
        assert outputs == ({f"Reply p{number}." for number in range(1, 7)} if self.has_outputs else set())


WRITTEN_NOTES = {
    "mlflow": WrittenNotes(("traces.json",)),
    "langsmith": WrittenNotes(("feedback.json", "runs.json"), rater="ann", kind="human"),
    "langfuse": WrittenNotes(
        ("scores.json", "comments.json"),
        WrittenNotes.notes | {NotedPassage("names no town"), NotedPassage("asks the customer to wait")},
        rater="judge-1",
        kind="model",
        has_outputs=False,
    ),
    "labelstudio": WrittenNotes(
        ("snapshot.json",),
        frozenset(NotedPassage(f"ann on p{number}", "Reply", ("no-town",)) for number in (3, 4)),
        annotator="ann@example.org",
    ),
}
