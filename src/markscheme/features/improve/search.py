"""The search for better words on dev labels: rounds of proposals, each from the best wording so far."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from markscheme.calibration.calibration import Rater, calibration_of
from markscheme.calibration.findings.finding import Finding
from markscheme.errors import BudgetError, JudgeError, NoJudge
from markscheme.features.improve.candidates import LabelledTexts, NotTried, Wording, new_among
from markscheme.features.improve.proposer import NARROW, prompts_for, read_proposal
from markscheme.features.improve.selection import FINALISTS
from markscheme.features.improve.trial import Asker, TrialPart, WordingTrial, screen
from markscheme.judges.all_calls import all_or_first_error
from markscheme.judges.judge import Judge, Reply, Usage, total
from markscheme.prompts.prompt import Prompt
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.table import Column
from markscheme.rubrics.rubric import Rubric


@dataclass
class Search:
    """State of the search for better words on dev labels: the wordings tried, and those rejected with their reasons.

    Attributes:
        yours: The user's rubric.
        dev: The dev examples, which may be looked at.
        column: The judge's ratings of the dev examples by the user's words, as a column of a table.
        labelled: The texts of all labelled examples, which no candidate may copy.
        tried: Wordings that were screened, in order.
        refused: The reason why each refused candidate was rejected, by its name.
        rounds: Number of rounds of proposals so far.
        usage: Tokens and cost of proposals.
        stopped: The reason why the search ended before its last round; None if it didn't.
        begin: Function called before the first wording is tried; None for none.
        check: Function called with each wording, which raises NotTried if the wording can't be written into the
            rubric's file; None to check none.
    """

    yours: Rubric
    dev: TrialPart
    column: Column
    labelled: LabelledTexts
    tried: list[WordingTrial] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    rounds: int = 0
    usage: Usage = Usage()
    stopped: str | None = None
    begin: Callable[[], None] | None = None
    check: Callable[[Wording], None] | None = None

    @property
    def ranked(self) -> list[WordingTrial]:
        """Trials of the wordings that did better than the user's on all dev examples, the best first."""
        better = [tried for tried in self.tried if tried.outcome == "better"]
        return sorted(better, key=lambda tried: -(tried.gain or 0.0))

    @property
    def finalists(self) -> tuple[Wording, ...]:
        """The two wordings that did best on dev, or fewer if fewer did better than the user's."""
        return tuple(tried.wording for tried in self.ranked[:FINALISTS])

    async def run(
        self, asker: Asker, files: Sequence[Wording], proposer: Judge | None, *, rounds: int, batch: int
    ) -> None:
        """Try the wordings from files on dev, then those that each round proposes, until a round brings no improvement.

        Args:
            asker: Asks the judge by each wording.
            files: Wordings from files.
            proposer: The model that proposes new wordings; None for no rounds.
            rounds: Largest number of rounds.
            batch: Number of candidates per round.
        """
        try:
            await self._screen(asker, files, "dev: candidates")
            if proposer is not None:
                await self._rounds(asker, proposer, rounds, batch)
        except BudgetError as error:
            self.stopped = f"the budget ended: {error}"

    async def _screen(self, asker: Asker, wordings: Sequence[Wording], description: str) -> None:
        if not wordings:
            return
        if not self.tried and self.begin is not None:
            self.begin()
        self.tried += await screen(asker, self.dev, self.column, wordings, description)

    async def _rounds(self, asker: Asker, proposer: Judge, rounds: int, batch: int) -> None:
        for index in range(1, rounds + 1):
            leader = next(iter(self.ranked), None)
            wordings = await self._proposals(asker, proposer, leader, number=index, batch=batch)
            self.rounds = index
            await self._screen(asker, wordings, f"dev: round {index}")
            if wordings and next(iter(self.ranked), None) is leader:
                self.stopped = f"round {index} brought no better wording"
                return

    async def _proposals(
        self, asker: Asker, proposer: Judge, leader: WordingTrial | None, *, number: int, batch: int
    ) -> list[Wording]:
        """Ask the proposer for the wordings of a round; return those to try, and record why a wording is rejected.

        Args:
            asker: Asks the judge by a wording.
            proposer: The model that proposes wordings.
            leader: The best wording so far, on which the proposer is to improve; None for the user's own.
            number: Number of the round, from 1.
            batch: Number of wordings to ask for.
        """
        base = self.yours if leader is None else leader.wording.rubric
        column = self.column
        if leader is not None:
            column = await asker.column(base, self.dev, f"dev: {leader.wording.name}")
        prompts = prompts_for(
            base,
            self.dev.gold,
            column,
            _findings(base, self.dev, column),
            batch=batch,
            round=number,
            failed=[
                (tried.wording, tried.outcome)
                for tried in self.tried
                if tried is not leader and tried.outcome != "better"
            ],
            refused=list(self.refused.values()),
        )
        with asker.progress(f"round {number}: proposals", len(prompts)) as count_step:
            replies = await all_or_first_error(_reply_or_error(proposer, prompt, count_step) for prompt in prompts)
        wordings: list[Wording] = []
        for index, reply in enumerate(replies):
            name = f"round-{number}/{index + 1}"
            self.usage += total(part.usage for part in reply.single)
            try:
                wording = read_proposal(
                    name, reply, base=base, yours=self.yours, labelled=self.labelled, narrow=index < NARROW
                )
                if self.check is not None:
                    self.check(wording)
                wordings.append(new_among([*(tried.wording for tried in self.tried), *wordings], wording))
            except NotTried as why:
                self.refused[name] = str(why)
        return wordings


async def _reply_or_error(judge: Judge, prompt: Prompt, step: Callable[[], None]) -> Reply:
    """Ask the proposer for a wording; if that fails, return a reply without an answer that carries the error.

    Args:
        judge: The proposer.
        prompt: The prompt that asks for a wording.
        step: Function that counts the request as done, whether or not it fails.

    Raises:
        NoJudge: The proposer can't be asked at all.
        BudgetError: The budget doesn't cover the request.
    """
    try:
        return await judge.reply(prompt)
    except NoJudge:
        raise
    except JudgeError as error:
        return Reply.without_answer(error)
    finally:
        step()


def _findings(rubric: Rubric, dev: TrialPart, column: Column) -> tuple[Finding, ...]:
    return calibration_of(rubric, ExampleSet(dev.gold.examples), column.used, Rater("judge", "", "live")).findings
