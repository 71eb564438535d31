"""Ask one judge for a single score of a response as a whole."""

from collections.abc import Iterator, Sequence

from markscheme.grading.by_criterion import OneJudge
from markscheme.grading.exchange import AS_A_WHOLE, JudgeQuestion, ask_judge
from markscheme.grading.grades import Grade
from markscheme.grading.score import weigh_holistic
from markscheme.grading.verdict import Holistic, Unread, read_holistic
from markscheme.prompts.prompt import Prompt, holistic_prompt
from markscheme.prompts.submission import Submission


class AsAWhole(OneJudge):
    """A grader that asks a judge for one score of the whole response, from 0 to 100."""

    def prompts(self, submission: Submission) -> list[Prompt]:
        """Return the single prompt that asks the judge about the whole response of a submission."""
        return [holistic_prompt(self.rubric, submission)]

    async def grade(self, submission: Submission) -> Grade:
        """Grade a submission by the one score that the judge gives to its whole response."""

        def questions(_: Sequence[str], again: bool) -> Iterator[JudgeQuestion[Holistic | Unread]]:
            prompt = holistic_prompt(self.rubric, submission, again=again)
            yield prompt, lambda reply: {AS_A_WHOLE: read_holistic(reply, prompt.material)}

        exchange = await ask_judge(self.asked_judge, questions, [AS_A_WHOLE])
        if exchange.error is not None:
            return self.ungraded(submission, str(exchange.error), exchange.replies)
        holistic = exchange.readings[AS_A_WHOLE]
        if isinstance(holistic, Unread):
            return self.made(submission, exchange.replies, holistic.why, holistic=holistic)
        score = weigh_holistic(holistic, self.rubric, normalize=self.options.normalize)
        return self.made(submission, exchange.replies, score, holistic=holistic)
