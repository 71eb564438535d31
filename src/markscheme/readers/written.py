"""What files hold besides ratings: the cost of the judge, and a report of its calibration."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from markscheme.judges.judge import Usage
from markscheme.ratings.example_rows import Example
from markscheme.ratings.rating import Rating
from markscheme.rubrics.rubric import Rubric


@dataclass(frozen=True, slots=True)
class JudgeCost:
    """What the ratings in a file cost: how often the judge was asked, and the tokens and dollars.

    Attributes:
        usage: Tokens and cost of its graders or calls.
        from_cache: Number of replies that came from the cache.
        submissions: Number of submissions that the paid and cached replies were about.
    """

    usage: Usage = Usage()
    from_cache: int = 0
    submissions: int = 0


@dataclass(frozen=True)
class WrittenCalibration:
    """A calibration as a JSON report has it: the judge's ratings, the gold, and the rubric.

    Attributes:
        path: The file.
        judge: Name of the judge.
        rubric: Name and criteria with their scales; the JSON has no weights.
        fingerprint: Fingerprint of the rubric.
        ratings: Ratings of the judge.
        gold: Gold of each example.
        reference: The kind of gold.
        kinds: Number of raters of each kind who labelled.
        responses: Digest of each example's response.
        examples: What is known of each example: its group, and how it was drawn.
        judge_cost: How often the judge was asked, and what that cost.
    """

    path: Path
    judge: str
    rubric: Rubric
    fingerprint: str
    ratings: tuple[Rating, ...]
    gold: Mapping[str, Rating]
    reference: str
    kinds: Mapping[str, int]
    responses: Mapping[str, str]
    examples: tuple[Example, ...]
    judge_cost: JudgeCost
