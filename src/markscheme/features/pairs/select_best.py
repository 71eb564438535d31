"""Promptfoo's `select-best`, answered by comparing pairs of outputs in both orders.

Promptfoo asks once for the index of the best output and keeps nothing else of the answer. A pair whose results in the
two orders contradict each other is a tie; the winner has most points, 1 for a win and ½ for a tie.
"""

import json
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

from markscheme.errors import RatingError, UsageError, writing
from markscheme.files import append_text, rewrite
from markscheme.fingerprint import fingerprint
from markscheme.grading import Grade, Grading
from markscheme.grading.verdict import Verdict
from markscheme.json_text import no_constant, parse_json
from markscheme.judges.all_calls import all_or_first_error
from markscheme.judges.judge import total
from markscheme.numerals import finite
from markscheme.phrases import counted
from markscheme.plain_data import json_lines, objects
from markscheme.promptfoo.assertion import Call, asking_options, call_by, grading_of, tokens_used
from markscheme.promptfoo.engine import Engine
from markscheme.promptfoo.keys import NOT_GRADED
from markscheme.promptfoo.provider import rubric_named
from markscheme.prompts.submission import Submission, as_text
from markscheme.report.after_run import RunReport
from markscheme.rubrics.preference import PREFERENCES, preference_scale
from markscheme.rubrics.rubric import Criterion, Rubric

SELECT_BEST = "select-best"
"""Label that Promptfoo gives to the prompt of this assertion."""
MOST_ALL_PLAY_ALL = 4
"""Largest number of outputs of which all pairs are compared, in both orders; more outputs play a knockout first."""
LEFT_IN_KNOCKOUT = 2
"""Number of outputs that are left after a knockout, which are then compared in both orders."""
TIE_RULES = ("first", "fail")
"""Results of a tie for the first place: the earlier output, or no grade."""
SELECT_KEYS: Mapping[str, str] = {"tie": "first or fail", "pairs": "the path of a file"}
"""Keys of the provider's configuration that only this assertion reads: the result of a tie for the first place, and
the file to which pairs are added with the judge's preferences."""


def check_select_keys(config: Mapping[str, Any]) -> None:
    """Raise an error for invalid values in a `select-best` assertion's configuration.

    Raises:
        UsageError: A key has a value that it may not have.
    """
    tie = config.get("tie", "first")
    if tie not in TIE_RULES:
        raise UsageError(f"config.tie must be {SELECT_KEYS['tie']}, got {tie!r}")
    file = config.get("pairs")
    if file is not None and not (isinstance(file, str) and file.strip()):
        raise UsageError(f"config.pairs must be {SELECT_KEYS['pairs']}, got {file!r}")


@dataclass(frozen=True, slots=True)
class Match:
    """Two outputs that the judge compared, as indices in the list of all outputs, and the grade of the pair."""

    first: int
    second: int
    grade: Grade

    @property
    def points(self) -> tuple[float, float]:
        """Points of the first and the second output: 1 for a win, ½ for a tie."""
        decision = self.grade.decision
        return {"first": (1.0, 0.0), "tie": (0.5, 0.5), "second": (0.0, 1.0)}[str(decision)]

    @property
    def is_flip(self) -> bool:
        """True if the judge's preference changed when the outputs were shown in the other order."""
        readings = [
            {name: outcome.level for name, outcome in outcomes.items() if isinstance(outcome, Verdict)}
            for outcomes in self.grade.by_order.values()
        ]
        return len(readings) > 1 and readings[0] != readings[1]


def rubric_of_criteria(value: Any, named: Rubric | None) -> Rubric:
    """Return the rubric of pairs for an assertion: the named rubric, or one whose only criterion is a given text.

    Args:
        value: The assertion's value.
        named: The rubric that the assertion names; None if it names none, so that `value` is the criterion's text.

    Raises:
        UsageError: The named rubric judges single responses, or the text is empty.
    """
    if named is not None:
        if not named.is_of_pairs:
            raise UsageError(f"{named.name} judges single responses; select-best needs a rubric with `compare: pairs`")
        return named
    text = str(value).strip()
    if not text:
        raise UsageError("the assertion's value is empty; it names a rubric of pairs, or says what is better")
    return Rubric((Criterion(1.0, text, "better", scale=preference_scale()),), name=SELECT_BEST, compares="pairs")


async def select_best(
    config: Mapping[str, Any], variables: Mapping[str, Any], near: Path, engine: Engine
) -> dict[str, Any]:
    """Return the answer to `select-best`: the index of the best output as text, or why there is none.

    Args:
        config: The provider's configuration, whose keys are checked.
        variables: The text on what to prefer, the outputs, and the inputs; an output that is JSON arrives parsed.
        near: The folder of the file that Promptfoo called, where rubrics are looked for too.
        engine: The state that all gradings of the process share.

    Raises:
        UsageError: There are fewer than two outputs, or the text on what to prefer names a rubric that isn't one of
            pairs.
    """
    outputs = variables["outputs"]
    if not isinstance(outputs, list) or len(outputs) < 2:
        raise UsageError("select-best compares two outputs or more")
    value = variables["criteria"]
    named = str(value).strip().removeprefix("rubric:").strip()
    file = rubric_named(named, near)
    rubric = rubric_of_criteria(value, None if file is None else engine.rubric(file))
    inputs = {name: value for name, value in variables.items() if name not in ("criteria", "outputs")}
    asking = {key: value for key, value in config.items() if key not in SELECT_KEYS}
    call = call_by(rubric, file, "", asking, inputs, asking_options(asking, engine))
    return await _best_output(grading_of(call, engine), call, outputs, config)


async def _best_output(
    grading: Grading, call: Call, outputs: Sequence[Any], config: Mapping[str, Any]
) -> dict[str, Any]:
    texts = [as_text(output, f"output {index}") for index, output in enumerate(outputs)]
    matches: list[Match] = []
    places = list(range(len(texts)))
    if len(texts) > MOST_ALL_PLAY_ALL:
        places = await _finalists(grading, call, texts, matches)
    if _why_ungraded(matches) is None:
        matches += await _played(grading, call, texts, list(combinations(sorted(places), 2)))
    usage = total(match.grade.usage for match in matches)
    answer: dict[str, Any] = {"tokenUsage": tokens_used(usage, sum(match.grade.spared_tokens for match in matches))}
    answer |= {} if usage.usd is None else {"cost": usage.usd}
    why = _why_ungraded(matches)
    if why is not None:
        return {**answer, "error": f"{NOT_GRADED}{why}"}
    if config.get("pairs"):
        _record(Path(config["pairs"]), call, texts, matches, str(grading.judge.identity))
    points = _points([match for match in matches if {match.first, match.second} <= set(places)], places)
    best = max(points.values())
    first_places = [place for place in places if points[place] == best]
    if len(first_places) > 1 and config.get("tie") == "fail":
        return {**answer, "error": f"{NOT_GRADED}tie between outputs {', '.join(map(str, sorted(first_places)))}"}
    facts = {"points": {str(place): points[place] for place in sorted(places)}, "tie": len(first_places) > 1}
    counts = {"pairs": len(matches), "ties": _ties(matches), "flips": sum(match.is_flip for match in matches)}
    return {**answer, "output": str(min(first_places)), "metadata": {**facts, **counts}}


def _why_ungraded(matches: Iterable[Match]) -> str | None:
    """Return the error of the first pair of outputs that has no grade; None if all pairs have one."""
    return next((match.grade.error for match in matches if match.grade.decision not in PREFERENCES), None)


def _ties(matches: Sequence[Match]) -> int:
    return sum(match.grade.decision == "tie" for match in matches)


def _points(matches: Sequence[Match], places: Sequence[int]) -> dict[int, float]:
    points = dict.fromkeys(places, 0.0)
    for match in matches:
        for index, earned in zip((match.first, match.second), match.points, strict=True):
            points[index] += earned
    return points


async def _played(grading: Grading, call: Call, texts: Sequence[str], pairs: Sequence[tuple[int, int]]) -> list[Match]:
    grades = await all_or_first_error(
        grading.grade(Submission(texts[first], call.submission.inputs, f"{first}~{second}", second=texts[second]))
        for first, second in pairs
    )
    return [Match(first, second, grade) for (first, second), grade in zip(pairs, grades, strict=True)]


async def _finalists(grading: Grading, call: Call, texts: Sequence[str], matches: list[Match]) -> list[int]:
    """Return the indices of the outputs that are left after a knockout, in which each pair is shown in one order only.

    The order of pairs is random, with a seed from the texts.

    Args:
        grading: The grading, with the rubric of pairs and the judge.
        call: Promptfoo's call.
        texts: The outputs.
        matches: A list to which the knockout's matches are added.
    """
    once = replace(grading, rubric=replace(grading.rubric, orders=1))
    chance = random.Random(fingerprint(list(texts)))  # noqa: S311 - an order, not a secret
    waiting = list(range(len(texts)))
    chance.shuffle(waiting)
    while len(waiting) > LEFT_IN_KNOCKOUT:
        n_matches = min(len(waiting) // 2, len(waiting) - LEFT_IN_KNOCKOUT)
        pairs = [(waiting[2 * index], waiting[2 * index + 1]) for index in range(n_matches)]
        played = await _played(once, call, texts, pairs)
        matches += played
        if _why_ungraded(played) is not None:
            return waiting[:LEFT_IN_KNOCKOUT]  # nothing is answered where a pair has no grade
        winners = [match.second if match.grade.decision == "second" else match.first for match in played]
        waiting = [*winners, *waiting[2 * n_matches :]]
    return waiting


# --- the record -----------------------------------------------------------------------------------------------------


def _record(file: Path, call: Call, texts: Sequence[str], matches: Sequence[Match], judge: str) -> None:
    """Add the compared pairs to a file of pairs, with the judge's preference in each order shown.

    A pair that the file already has from an earlier evaluation keeps its line, and the preferences in that line.

    Args:
        file: The file of pairs.
        call: The call of the assertion.
        texts: Texts of all outputs.
        matches: The compared pairs, each with the judge's grade.
        judge: Name of the judge.

    Raises:
        UsageError: The file can't be written.
        RatingError: The file isn't text.
    """
    pairs = {pair["id"]: pair for pair in _lines(call, texts, matches, judge)}
    try:
        with writing(file):
            if not file.exists():
                append_text(file, "")
            rewrite(file, lambda text: _with_pairs(text, pairs, judge))
    except UnicodeDecodeError as error:
        raise RatingError("is not UTF-8 text", path=file) from error


def _with_pairs(text: str, pairs: Mapping[str, Mapping[str, Any]], judge: str) -> str:
    """Return a file's text with pairs added; the judge's new labels of a pair replace its earlier labels."""
    remaining = dict(pairs)
    lines = []
    for line in text.removesuffix("\n").split("\n") if text else ():
        earlier = _pair_in(line)
        new = remaining.pop(earlier["id"], None) if "id" in earlier else None
        if new is None:
            lines.append(line)
            continue
        others = [label for label in objects(earlier.get("labels")) if label.get("rater") != judge]
        lines.append(_as_line({**earlier, "labels": [*others, *new["labels"]]}))
    return "".join(f"{line}\n" for line in [*lines, *map(_as_line, remaining.values())])


def _pair_in(line: str) -> Mapping[str, Any]:
    """Parse a line of a file of pairs; return {} if it holds no pair."""
    try:
        pair = parse_json(line, parse_constant=no_constant)
    except ValueError:
        return {}
    return pair if isinstance(pair, Mapping) and isinstance(pair.get("id"), str) else {}


def _as_line(pair: Mapping[str, Any]) -> str:
    return json.dumps(pair, ensure_ascii=False, allow_nan=False)


def _lines(call: Call, texts: Sequence[str], matches: Sequence[Match], judge: str) -> Iterator[dict[str, Any]]:
    prompt = fingerprint(dict(call.submission.inputs))[:8]
    for match in matches:
        sides = {
            name: {
                "id": f"{index}-{fingerprint(texts[index])[:8]}",
                "system": f"output {index}",
                "response": texts[index],
            }
            for name, index in (("first", match.first), ("second", match.second))
        }
        yield {
            "id": f"{prompt}:{sides['first']['id']}~{sides['second']['id']}",
            "inputs": dict(call.submission.inputs),
            **sides,
            "drawn": "chosen",
            "labels": [
                {
                    "rater": judge,
                    "kind": "model",
                    "shown": shown,
                    "criteria": {
                        name: {"level": outcome.level, "reason": outcome.reason or ""}
                        for name, outcome in outcomes.items()
                        if isinstance(outcome, Verdict)
                    },
                }
                for shown, outcomes in match.grade.by_order.items()
            ],
        }


def report_recorded(context: Mapping[str, Any]) -> RunReport:
    """Return a report on the pairs that a Promptfoo run recorded, with a line for each file of pairs.

    Args:
        context: The context that Promptfoo passes to its hook, with the configuration of the evaluation.
    """
    return RunReport(tuple(recorded_lines(context.get("config"))))


def recorded_lines(config: Any) -> Iterator[str]:
    """Yield a sentence on each file of pairs named in a configuration: its numbers of pairs, ties and flips.

    Args:
        config: Promptfoo's configuration of the evaluation.
    """
    for file in dict.fromkeys(_files_named(config)):
        if not file.is_file():
            continue
        contents = [line for _, line in json_lines(file, RatingError) if isinstance(line, Mapping)]
        orders = [_levels_by_order(line) for line in contents]
        ties = sum(_is_tie(levels) for levels in orders)
        flips = sum(len(levels) > 1 and levels[0] != levels[1] for levels in orders)
        yield (
            f"select-best: {counted(len(contents), 'pair')} in {file}; {counted(ties, 'tie')}, and in "
            f"{flips} the judge prefers another output in the other order."
        )


def _files_named(config: Any) -> Iterator[Path]:
    """Yield the files that markscheme's providers name under `pairs`, at any depth of a configuration."""
    if isinstance(config, Mapping):
        options = config.get("config")
        if (
            "rubric_provider" in str(config.get("id"))
            and isinstance(options, Mapping)
            and isinstance(options.get("pairs"), str)
        ):
            yield Path(options["pairs"])
        for value in config.values():
            yield from _files_named(value)
    elif isinstance(config, list):
        for value in config:
            yield from _files_named(value)


def _levels_by_order(line: Mapping[str, Any]) -> list[dict[str, float]]:
    """Return a pair's levels by criterion, one dict for each order in which the pair was judged."""
    return [
        {
            name: level
            for name, rated in label["criteria"].items()
            if isinstance(rated, Mapping) and (level := finite(rated.get("level"))) is not None
        }
        for label in objects(line.get("labels"))
        if isinstance(label.get("criteria"), Mapping)
    ]


def _is_tie(levels: Sequence[Mapping[str, float]]) -> bool:
    """Return True if a pair is a tie: its levels, on all criteria and in both orders, sum to 0.

    Args:
        levels: For each order in which the pair was shown, the levels by criterion, below 0 if the first is better.
    """
    of_all = [level for of_order in levels for level in of_order.values()]
    return bool(of_all) and sum(of_all) == 0
