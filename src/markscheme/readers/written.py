"""What a file of ratings says beyond them: what asking its judge cost, and the calibration that it reports."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from markscheme.judges.judge import Usage
from markscheme.ratings.example_rows import Example
from markscheme.ratings.rating import Rating
from markscheme.rubrics.rubric import Rubric


@dataclass(frozen=True, slots=True)
class JudgeCost:
    """What a judge whose ratings are in a file was asked.

    Attributes:
        usage: What its graders or calls cost.
        from_cache: Replies that came from the cache.
        submissions: How many submissions the paid and cached replies were for.
    """

    usage: Usage = Usage()
    from_cache: int = 0
    submissions: int = 0


@dataclass(frozen=True)
class WrittenCalibration:
    """A calibration as it is read from its JSON.

    Attributes:
        path: The file.
        judge: Name of the judge.
        rubric: Name and criteria with their scales; the JSON has no weights.
        fingerprint: Of the rubric.
        ratings: The judge's.
        gold: By example.
        reference: The kind of gold.
        kinds: How many raters of each kind labelled.
        responses: Digest of each example's response.
        examples: What is known of each example: its group, and how it was drawn.
        judge_cost: What the judge was asked, and what that cost.
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
