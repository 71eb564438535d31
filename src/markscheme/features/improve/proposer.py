"""Proposals by a model: prompts with dev examples, and the edits in its replies."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import zip_longest
from string import ascii_uppercase

import numpy as np

from markscheme.calibration.findings.evidence import worst_places
from markscheme.calibration.findings.finding import Finding
from markscheme.features.improve.candidates import LONGEST, LabelledTexts, NotTried, Wording, from_edits
from markscheme.json_text import json_amid_prose
from markscheme.judges.judge import Reply
from markscheme.prompts.prompt import Prompt, about_material, fenced_material
from markscheme.ratings.gold import Gold
from markscheme.ratings.rating import Rated, Rating
from markscheme.ratings.table import Column
from markscheme.rubrics.rubric import Rubric
from markscheme.rubrics.wording import words_of

SHOWN_DIFFERENCES, SHOWN_AGREEMENTS = 8, 4
NARROW = 2
"""Number of proposals, the first ones of each round, that must change only one criterion."""
LONGEST_SHOWN = 6_000
"""Largest number of characters of an input or a response that the model is shown."""

_ABOUT_MATERIAL = about_material(
    "example-1-response", about="about how the judge and annotators rated", holds="instructions"
)
_INSTRUCTIONS = """\
You improve the words of a rubric by which an LLM judge rates responses, so that the judge's levels come closer to \
those of annotators on responses that nobody has shown you.

{material}

Rules:
- Change words only: a criterion's description, the description or label of a level, or the guidelines. Weights, \
scales, names, thresholds, examples and inputs stay.
- Describe what separates one level from the next, in general terms. Never copy a phrase, a name or a number from the \
examples: words that fit only these examples make the judge worse on others.
- The rubric may grow to {longest:g} times its length at most. Shorter and plainer is better.
- Each edit names the criterion ("" for the guidelines), the field as it is listed, `old`: the field's present words \
to the letter, `new`: the words that take their place, and `why`: in one sentence, what the judge got wrong.

The rubric: {name}. {description}
Its words, field by field:
{fields}

{findings}{tried}
Answer with one JSON object and nothing else, in this form:
{{"edits": [{{"criterion": "…", "field": "…", "old": "…", "new": "…", "why": "…"}}]}}"""


def prompts_for(
    base: Rubric,
    gold: Gold,
    judge: Column,
    findings: Sequence[Finding],
    *,
    batch: int,
    round: int,
    failed: Sequence[tuple[Wording, str]],
    refused: Sequence[str],
) -> list[Prompt]:
    """Write the prompts of one round of proposals, one per candidate.

    Args:
        base: The rubric to start from.
        gold: Gold of the dev examples, which a proposer may see.
        judge: The judge's column over these examples, by the words to be improved.
        findings: The findings of a calibration on these examples.
        batch: Number of candidates to propose.
        round: Number of the round, from 1.
        failed: Earlier wordings that were not better on dev examples, each with its result.
        refused: Reasons why earlier proposals were rejected.
    """
    system = _INSTRUCTIONS.format(
        material=_ABOUT_MATERIAL,
        longest=LONGEST,
        name=base.name,
        description=" ".join(base.description.split()),
        fields="\n".join(_field_line(base)),
        findings=_findings(findings, gold),
        tried=_tried(failed, refused),
    )
    material = _material(base, gold, judge)
    return [
        Prompt(system, fenced_material(material, _task(index, batch, round)), _schema(base), ())
        for index in range(1, batch + 1)
    ]


def _task(number: int, batch: int, round: int) -> str:
    focus = "Change the words of one criterion only." if number <= NARROW else "Change whichever words matter most."
    return f"Write candidate {number} of {batch} in round {round}; make it unlike the obvious first idea. {focus}"


def _field_line(rubric: Rubric) -> list[str]:
    return [
        json.dumps({"criterion": place.criterion, "field": place.field, "old": text.strip()}, ensure_ascii=False)
        for place, text in words_of(rubric).items()
    ]


def _findings(findings: Sequence[Finding], gold: Gold) -> str:
    hide = _hiding(_hidden_names(gold), {})
    lines = [f"- {hide(' '.join(finding.message.split()))}" for finding in findings]
    return "What a comparison of the judge with the annotators found:\n" + "\n".join(lines) + "\n" if lines else ""


def _tried(failed: Sequence[tuple[Wording, str]], refused: Sequence[str]) -> str:
    lines = [
        f"- {what}: " + "; ".join(f"{field}: {' '.join(new.split())}" for field, new in wording.words.items())
        for wording, what in failed
    ]
    lines += [f"- refused, because it {why}" for why in dict.fromkeys(refused)]
    return "\nTried before, without success:\n" + "\n".join(lines) + "\n" if lines else ""


def _schema(rubric: Rubric) -> dict[str, object]:
    places = words_of(rubric)
    text = {"type": "string"}
    keys: dict[str, object] = {
        "criterion": {"type": "string", "enum": list(dict.fromkeys(place.criterion for place in places))},
        "field": {"type": "string", "enum": sorted({place.field for place in places})},
        **dict.fromkeys(("old", "new", "why"), text),
    }
    edit = {"type": "object", "properties": keys, "required": list(keys), "additionalProperties": False}
    edits = {"type": "array", "items": edit}
    return {"type": "object", "properties": {"edits": edits}, "required": ["edits"], "additionalProperties": False}


# --- the examples ---------------------------------------------------------------------------------------------------


def examples_shown(rubric: Rubric, gold: Gold, judge: Column) -> list[int]:
    """Choose the dev examples to show to a proposer: where judge and gold differ most, then some where they agree.

    The differences are spread over criteria and signs; agreements come from the whole range of gold scores.
    """
    buckets = _differences(rubric, gold, judge)
    in_turn = [index for in_rank in zip_longest(*buckets) for index in in_rank if index is not None]
    differing = list(dict.fromkeys(in_turn))[:SHOWN_DIFFERENCES]
    misses = np.abs(judge.scores - gold.scores)
    agreeing = [
        index
        for index in np.argsort(np.nan_to_num(misses, nan=np.inf), kind="stable").tolist()
        if np.isfinite(misses[index]) and index not in differing
    ]
    half = agreeing[: max(SHOWN_AGREEMENTS, len(agreeing) // 2)]
    by_score = sorted(half, key=lambda index: (gold.scores[index], index))
    step = max(1, len(by_score) // SHOWN_AGREEMENTS)
    return [*differing, *by_score[::step][:SHOWN_AGREEMENTS]]


def _differences(rubric: Rubric, gold: Gold, judge: Column) -> list[list[int]]:
    """List the examples on which judge and gold differ: two lists for each ordered criterion, then two for the score.

    The first list of two has the indices of the examples on which the judge is above gold, the second those on which it
    is below; the largest difference comes first.
    """
    columns = [
        (judge.levels[criterion.name] - gold.levels[criterion.name]) / criterion.scale.span
        for criterion in rubric.criteria
        if criterion.scale.ordered
    ]
    columns.append(judge.scores - gold.scores)
    return [worst_places(sign * column, most=len(column)) for column in columns for sign in (1, -1)]


def _material(rubric: Rubric, gold: Gold, judge: Column) -> dict[str, str]:
    hidden = _hidden_names(gold)
    texts: dict[str, str] = {}
    for ordinal, index in enumerate(examples_shown(rubric, gold, judge), start=1):
        example = gold.examples[index]
        for name, text in example.submission.inputs.items():
            if name in rubric.known_inputs:
                texts[f"example-{ordinal}-{name}"] = text[:LONGEST_SHOWN]
        texts[f"example-{ordinal}-response"] = example.submission.response[:LONGEST_SHOWN]
        named = dict.fromkeys(label.rater for label in example.labels)
        raters = {rater: f"annotator {ascii_uppercase[n % 26]}" for n, rater in enumerate(named)}
        hide = _hiding(hidden, {**raters, example.id: f"example {ordinal}"})
        lines = [
            line for label in example.labels for line in _ratings_in_words(raters.get(label.rater, "annotator"), label)
        ]
        lines += _ratings_in_words("judge", judge.rating(index))
        texts[f"example-{ordinal}-ratings"] = hide("\n".join(lines))
    return texts or {"examples": "none"}


def _ratings_in_words(who: str, rating: Rating | None) -> list[str]:
    """Format a rater's levels with their reasons, one line each.

    Args:
        who: The words to use in place of the rater's name.
        rating: The rating; None if there is none.
    """
    if rating is None:
        return [f"{who}: nothing"]
    lines = [f"{who}, {name}: {_level(rated)}" for name, rated in rating.criteria.items()]
    if rating.overall is not None and not rating.criteria:
        lines.append(f"{who}, overall: {rating.overall:g}")
    return [*lines, *([f"{who}, comment: {rating.note}"] if rating.note else [])] or [f"{who}: nothing"]


def _level(rated: Rated) -> str:
    level = "no level" if rated.level is None else f"{rated.level:g}"
    return f"{level} ({' '.join(rated.reason.split())})" if rated.reason else level


def _hidden_names(gold: Gold) -> frozenset[str]:
    """Return the names that a proposer must never see: of examples, raters and systems."""
    names = {name for example in gold.examples for name in (example.id, example.system)}
    return frozenset({*names, *(label.rater for example in gold.examples for label in example.labels)} - {""})


def _hiding(hidden: frozenset[str], names: Mapping[str, str]) -> Callable[[str], str]:
    """Return a function that hides the names of examples, raters and systems that a text contains.

    Args:
        hidden: Names that are replaced by "another", unless `names` says otherwise.
        names: Words that replace certain names, such as "annotator A", by name.
    """
    instead = {name: "another" for name in hidden if len(name) > 1} | dict(names)
    if not instead:
        return str
    longest_first = sorted(instead, key=len, reverse=True)
    pattern = re.compile(rf"(?<!\w)({'|'.join(map(re.escape, longest_first))})(?!\w)")
    return lambda text: pattern.sub(lambda match: instead[match[1]], text)


# --- the answer -----------------------------------------------------------------------------------------------------


def read_proposal(
    name: str, reply: Reply, *, base: Rubric, yours: Rubric, labelled: LabelledTexts, narrow: bool
) -> Wording:
    """Parse a proposer's reply into a candidate wording.

    Args:
        name: Name of the candidate.
        reply: The model's reply.
        base: The rubric whose words the proposer was asked to improve, which may itself be an earlier candidate.
        yours: The user's own rubric, with which the candidate's changes are compared.
        labelled: Texts of the labelled examples, which no candidate may copy.
        narrow: True if the proposer was asked to change only one criterion.

    Raises:
        NotTried: The reply is an error or has no JSON, or its edits aren't allowed.
    """
    if reply.error:
        raise NotTried(f"was not answered: {reply.error}")
    try:
        edits = json_amid_prose(reply.text)
    except ValueError:
        raise NotTried(f"answers no JSON: {' '.join(reply.text.split())[:80]!r}") from None
    wording = from_edits(name, edits, base=base, yours=yours, labelled=labelled)
    touched = {place for place, text in words_of(wording.rubric).items() if text != words_of(base)[place]}
    criteria = {place.criterion for place in touched}
    if narrow and len(criteria) > 1:
        raise NotTried(f"changes {len(criteria)} criteria where it was asked to change one")
    return wording
