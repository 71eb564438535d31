"""Further contents of files of ratings: the cost of the judge, and a report of its calibration."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from markscheme.judges.judge import Usage
from markscheme.ratings.example_rows import Example
from markscheme.ratings.rating import Rating
from markscheme.rubrics.rubric import Rubric


@dataclass(frozen=True, slots=True)
class JudgeCost:
    """Cost of the ratings in a file: number of questions to the judge, tokens and dollars.

    Attributes:
        usage: Tokens and cost of the judge's calls, or of Promptfoo's graders.
        from_cache: Number of replies that came from the cache.
        submissions: Number of submissions that the paid and cached replies were about.
    """

    usage: Usage = Usage()
    from_cache: int = 0
    submissions: int = 0


@dataclass(frozen=True)
class WrittenCalibration:
    """A calibration read from a JSON report: the judge's ratings, the gold labels, and the rubric.

    Attributes:
        path: The file.
        judge: Name of the judge.
        rubric: The rubric's name and criteria with their scales; the JSON has no weights.
        fingerprint: Fingerprint of the rubric.
        ratings: The judge's ratings of the examples.
        gold: Gold rating of each example, by id.
        reference: The kind of gold.
        kinds: Number of raters who labelled, by kind.
        labelled_twice: For each example, by id, True if two annotators labelled it or an adjudicator did; empty for
            reports of earlier versions.
        responses: Digest of the response, by example id.
        examples: The examples with what the report has of them: group, and how they were drawn.
        judge_cost: Number of questions to the judge, and their cost.
    """

    path: Path
    judge: str
    rubric: Rubric
    fingerprint: str
    ratings: tuple[Rating, ...]
    gold: Mapping[str, Rating]
    reference: str
    kinds: Mapping[str, int]
    labelled_twice: Mapping[str, bool]
    responses: Mapping[str, str]
    examples: tuple[Example, ...]
    judge_cost: JudgeCost
