"""Messages on the terminal before and after adjudication, in which one person resolves annotators' disagreements."""

from collections import Counter
from collections.abc import Iterator

from markscheme.calibration.findings.commands import Commands
from markscheme.features.label.label_session import LabelSession
from markscheme.phrases import counted
from markscheme.text import on_one_line


def dispute_lines(work: LabelSession) -> Iterator[str]:
    """Yield a line for each disputed question: its text, and the number of examples on which annotators differ.

    Args:
        work: The adjudicator's session of labelling.
    """
    for dispute in work.disputes():
        (lower, higher), _ = dispute.pairs[0]
        yield (
            f"{dispute.criterion.name}: annotators differ on {dispute.disputed} of {dispute.examples}, most often "
            f"{lower} and {higher}. Its words: {on_one_line(dispute.criterion.requirement)}"
        )


def nothing_to_decide(work: LabelSession, commands: Commands, of_pool: str) -> str:
    """Return a message on why there is nothing to adjudicate, with the next step.

    Args:
        work: The adjudicator's session of labelling.
        commands: The rubric's commands, of which one is the next step.
        of_pool: Options that name the file of responses, as shell text; "" for the rubric's own examples.
    """
    if work.disputes():
        return f"nothing left to adjudicate: every disagreement is decided\nNext: {commands.calibrate()}"
    raters = Counter(id for id, _ in {(rating.id, rating.rater) for rating in work.everyone if rating.kind == "human"})
    shared = sum(n > 1 for id, n in raters.items() if id in work.examples)
    if not shared:
        second = commands.label(f"{of_pool} --rater SECOND".strip())
        return f"nothing to adjudicate: no response has labels by two annotators yet\nNext: {second}"
    have = "has" if shared == 1 else "have"
    agree = f"{counted(shared, 'response')} {have} labels by two annotators or more,\nwho agree on each"
    return f"nothing to adjudicate: {agree}\nNext: {commands.calibrate()}"
