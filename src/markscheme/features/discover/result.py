"""Result of a discovery, which its report shows: figures of what was read, and the next steps."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from shlex import quote

from markscheme.features.discover.agreement import SetAgreement, finding_agreement, grouping_agreement
from markscheme.features.discover.draft import confirmed_modes
from markscheme.features.discover.figures import ENOUGH, ReadMore, ReadOutputs
from markscheme.features.discover.modes import Codebook
from markscheme.features.discover.nearest import most_like
from markscheme.features.discover.unseen import LARGE_SHARE, SURE
from markscheme.options.in_force import with_reading_options
from markscheme.phrases import counted


@dataclass(frozen=True)
class NextStep:
    """A step that the user should take next, with its command.

    Attributes:
        command: The command.
        who: "person" if only a person may take it, else "anyone".
        why: Purpose of the step.
    """

    command: str
    who: str
    why: str


@dataclass(frozen=True)
class Discovery:
    """Result of a discovery: what people read, and the figures computed from it.

    Attributes:
        name: Name of the rubric to be.
        outputs: The outputs that were read, with their notes.
        texts: The outputs' texts, by id; empty if only notes are known.
        large_share: Share of outputs above which a failure mode shouldn't go unseen.
        sure: Confidence that no such mode goes unseen, 0 to 1.
        pool: Name of the pool's file, as the user gave it; None if only notes are known.
        unread: Ids of the outputs that are kept unread, to prove the rubric on, in reading order.
    """

    name: str
    outputs: ReadOutputs
    texts: Mapping[str, str] = field(default_factory=dict)
    large_share: float = LARGE_SHARE
    sure: float = SURE
    pool: str | None = None
    unread: tuple[str, ...] = ()

    @property
    def codebook(self) -> Codebook:
        """The codebook: the failure modes, and which notes belong to them."""
        return self.outputs.codebook

    @property
    def has_random_part(self) -> bool:
        """True if some outputs read are a random draw, so that shares of failure modes can be shown."""
        return bool(self.outputs.random_ids)

    @property
    def is_grouped(self) -> bool:
        """True if any note is in a failure mode; until then there are no figures of modes."""
        return not self.outputs.notes or len(self.outputs.unsorted) < len(self.outputs.notes)

    @cached_property
    def read_more(self) -> ReadMore:
        """Number of outputs or tasks that people still have to read so that no common failure mode goes unseen."""
        return self.outputs.read_more(self.large_share, self.sure)

    @cached_property
    def finding(self) -> SetAgreement | None:
        """Agreement of readers on the failure modes that an output shows; None if no two people read the same one."""
        return finding_agreement(self.outputs)

    @cached_property
    def grouping(self) -> SetAgreement | None:
        """Agreement of people on the failure modes that a note belongs to; None if no note was sorted twice."""
        return grouping_agreement(self.outputs)

    @property
    def is_enough(self) -> bool:
        """True if people have read enough outputs and confirmed failure modes that can become criteria."""
        return self.outputs.new_modes.bound <= ENOUGH and bool(confirmed_modes(self.outputs))

    def again_for(self, name: str) -> tuple[str, ...]:
        """Return the outputs to read again for a failure mode, those most like the mode's notes first."""
        figures = next(figures for figures in self.outputs.mode_figures if figures.mode.name == name)
        texts = {id: self.texts.get(id, "") for id in figures.again}
        notes = [note.words for note in self.outputs.notes_in[name].values()]
        return most_like(notes, texts)

    @cached_property
    def next_steps(self) -> tuple[NextStep, ...]:
        """The steps to take next, the most urgent first."""
        name = self.name
        outputs = self.outputs
        pool = quote(self.pool) if self.pool else "FILE"
        steps: list[NextStep] = []
        page = with_reading_options(f"markscheme discover {quote(name)}")
        if not outputs.by_id:
            return (NextStep(f"{page} --pool {pool}", "person", "read outputs and note what is wrong"),)
        if outputs.waiting:
            steps.append(NextStep(page, "person", "accept or refuse the suggestions, note by note"))
        elif outputs.unsorted:
            steps.append(NextStep(page, "person", "put the notes into modes"))
            steps.append(NextStep(f"{page} --suggest JUDGE --plan", "anyone", "see what a model's proposal would cost"))
        undefined = [mode.name for mode in self.codebook.listed if not mode.definition]
        if undefined:
            steps.append(NextStep(page, "person", f"define {', '.join(undefined)}"))
        again = next((figures for figures in outputs.mode_figures if figures.again), None)
        if again is not None:
            why = f"read {counted(len(again.again), 'output')} again for {again.mode.name}"
            steps.append(NextStep(f"{page} --again", "person", why))
        is_left = len(outputs.by_id) + len(outputs.unclear_ids) < len(outputs.order.ids) - len(self.unread)
        if outputs.new_modes.bound > ENOUGH and self.pool and is_left:
            steps.append(NextStep(page, "person", "read more outputs"))
        if confirmed_modes(outputs):
            steps.append(NextStep(f"{page} --write", "anyone", "write the rubric and the first labels"))
        return tuple(steps)
