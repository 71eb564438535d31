"""Options of `improve` for the wordings to try."""

from dataclasses import dataclass
from pathlib import Path

from markscheme.options.forms import PATH, WHOLE, text_form
from markscheme.options.table import option


@dataclass(frozen=True, kw_only=True)
class WordingOptions:
    """Options for the wordings to try: where they come from, and how many are proposed."""

    candidates: tuple[Path, ...] = option(
        (), "wordings to try: rubric files, or JSON edits", PATH, value="FILE...", several=True
    )
    proposer: str | None = option(
        None, "model that writes new words: any judge name", text_form("a judge's name"), value="NAME"
    )
    rounds: int = option(3, "rounds of proposals (3)", WHOLE, value="N")
    batch: int = option(5, "proposals per round (5)", WHOLE, value="N")

    @property
    def are_any(self) -> bool:
        """True if the user gave candidate files or a proposer, so that there are wordings to try."""
        return bool(self.candidates or self.proposer)

    @property
    def n_proposed(self) -> int:
        """Maximum number of wordings that the proposer suggests in all rounds of a search."""
        return self.rounds * self.batch if self.proposer else 0
