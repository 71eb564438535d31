"""Every kind of rubric, by every strategy and order, asked of judges that answer, refuse, and answer unreadably."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any, get_args

from markscheme import Criterion, Reply, Rubric, Scale, ScriptedJudge, Submission, Usage
from markscheme.errors import JudgeUnavailable
from markscheme.fingerprint import fingerprint
from markscheme.grading import Grade, grade_json
from markscheme.grading.receipt import ExceptedPart, Receipt
from markscheme.judges.scripted import Script
from markscheme.prompts.prompt import NOTHING_TO_QUOTE, Prompt
from markscheme.rubrics.preference import preference_scale
from markscheme.rubrics.rubric import Strategy

LABELS = Scale.of_categories(["refund", "question", "praise"])
RUBRICS: Mapping[str, Rubric] = {
    "yes and no": Rubric((Criterion(2.0, "It is right.", "right"), Criterion(-1.0, "It is rude.", "rude"))),
    "levels": Rubric(
        (
            Criterion(1.0, "It is clear.", "clear", Scale.numbered(1, 5)),
            Criterion(2.0, "It is right.", "right", not_applicable=True),
        ),
        ask_within=0.3,
    ),
    "categories": Rubric(
        (Criterion(1.0, "What it is about.", "kind", LABELS, passing=("praise",)), Criterion(1.0, "Kind.", "kindly"))
    ),
    "categories alone": Rubric((Criterion(1.0, "What it is about.", "kind", LABELS),)),
    "checked by code": Rubric(
        (Criterion(1.0, "It is JSON.", "form", check="json_valid"), Criterion(1.0, "It is right.", "right"))
    ),
    "some inputs": Rubric(
        (
            Criterion(1.0, "It answers the query.", "answers", sees=("query",)),
            Criterion(1.0, "It is right.", "right"),
            Criterion(1.0, "It is short.", "short", sees=("query",)),
        ),
        inputs=("query",),
        optional_inputs=("reference",),
    ),
    "pairs": Rubric(
        (
            Criterion(1.0, "The one that helps more.", "helps", preference_scale()),
            Criterion(3.0, "The one that is true.", "true", preference_scale()),
        ),
        compares="pairs",
    ),
}
RECEIPT = Receipt(
    *("gate", 0.9, 0.11, 84, "human", "2026-11-02", "rubric", "prompt", "judge"),
    excepted=(ExceptedPart("system", "X", frozenset({"Y"})),),
)
SUBMISSIONS: Mapping[str, Mapping[str, Any]] = {
    "whole": {"inputs": {"query": "Where?", "reference": "In Leeds.", "system": "Y"}},
    "of an excepted system": {"inputs": {"query": "Where?", "system": "X"}},
    "without an input": {},
    "without a response": {"fault": "the response is missing"},
    "of the other kind": {"inputs": {"query": "Where?", "system": "X"}, "is_other": True},
}
OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "plain": {},
    "raw": {"normalize": False, "renormalize": True},
    "gates": {"receipt": RECEIPT, "only_gates": True},
    "with the system as a fact": {"receipt": RECEIPT, "only_gates": True, "facts": {"system": "Y"}},
}


@dataclass(frozen=True)
class Composition:
    """One combination to test: a rubric with its settings, a submission, options, and a kind of judge's answers.

    Attributes:
        name: Description of the combination.
        rubric: With its strategy, samples and orders.
        submission: What is graded.
        options: Of grading.
        answers: The name of an entry of ANSWERS.
    """

    name: str
    rubric: Rubric
    submission: Submission
    options: Mapping[str, Any] = field(default_factory=dict)
    answers: str = "levels"

    @property
    def judge(self) -> ScriptedJudge:
        """A new scripted judge that answers in this way."""
        return ScriptedJudge(ANSWERS[self.answers](self.rubric))


def _digit(prompt: Prompt, sample: int, name: str) -> int:
    return hashlib.blake2b(f"{prompt.user} {sample} {name}".encode()).digest()[0]


def _levels(rubric: Rubric) -> Script:
    """Return a script of well-formed answers that depend on prompt and sample alone, with usage and a model's name."""

    def answer(prompt: Prompt, sample: int) -> Reply:
        usage = Usage(1, 100 + sample, 10, 0.1 + 0.01 * len(prompt.criteria))
        said = {"quote": NOTHING_TO_QUOTE, "reason": f"reason {sample}"}
        if not prompt.criteria:
            answers: Any = {**said, "score": _digit(prompt, sample, "") % 101}
        else:
            verdicts = {}
            for name in prompt.criteria:
                choices = rubric.criterion(name).scale.choices
                quotes = {"quote_1": "one", "quote_2": "two"} if rubric.is_of_pairs else {}
                level = choices[_digit(prompt, sample, name) % len(choices)]
                verdicts[name] = {**quotes, **said, "level": level}
            answers = {"verdicts": verdicts}
        return Reply(json.dumps(answers), model=f"model-{sample % 2}", usage=usage)

    return answer


def _unreadable_at_first(rubric: Rubric) -> Script:
    levels: Any = _levels(rubric)
    return lambda prompt, sample: levels(prompt, sample) if prompt.again else "I think it is fine."


def _never_readable(_: Rubric) -> Script:
    return lambda prompt, sample: f"No. {sample}"


def _silent_at_times(rubric: Rubric) -> Script:
    levels: Any = _levels(rubric)

    def answer(prompt: Prompt, sample: int) -> Any:
        is_silent = _digit(prompt, sample, "silent") % 2
        return JudgeUnavailable("asks to wait (429)") if is_silent else levels(prompt, sample)

    return answer


ANSWERS = {
    "levels": _levels,
    "unreadable at first": _unreadable_at_first,
    "never readable": _never_readable,
    "silent at times": _silent_at_times,
}


def _submission(rubric: Rubric, *, inputs: Any = None, fault: str | None = None, is_other: bool = False) -> Submission:
    second = "It arrives today." if rubric.is_of_pairs != is_other else None
    return Submission('{"town": "Leeds"}', dict(inputs or {}), "p", second=second, fault=fault)


def compositions() -> Iterator[Composition]:
    """Return the combinations of rubrics and strategies with kinds of answers, and of submissions and options."""
    for (kind, rubric), strategy, samples, orders in product(RUBRICS.items(), get_args(Strategy), (1, 3), (1, 2)):
        if rubric.is_of_pairs and strategy not in ("one_shot", "per_criterion"):
            continue  # a rubric of pairs refuses it
        if not rubric.is_of_pairs and orders == 1:
            continue  # orders are of pairs
        if strategy == "holistic" and kind not in ("yes and no", "levels"):
            continue  # one score says nothing of categories, of checks or of some inputs
        asked = replace(rubric, strategy=strategy, samples=samples, orders=orders)
        way = f"{kind}, {strategy}, {samples} samples, {orders} orders"
        whole = _submission(asked, **SUBMISSIONS["whole"])
        for answers in ANSWERS:
            yield Composition(f"{way}; whole, plain; {answers}", asked, whole, answers=answers)
        if samples > 1:
            continue
        for (what, about), (how, options) in product(SUBMISSIONS.items(), OPTIONS.items()):
            if (what, how) != ("whole", "plain"):
                yield Composition(f"{way}; {what}, {how}; levels", asked, _submission(asked, **about), options)


def recorded(grade: Grade, rubric: Rubric, *judges: ScriptedJudge) -> dict[str, Any]:
    """Return the decision and reason of a grade, with digests of the whole grade and of the prompts."""
    whole = {
        **grade_json(grade, rubric),
        "reason": grade.reason,
        "by_criterion": dict(grade.by_criterion),
        "without_words": dict(grade.without_words),
        "replies": dict(grade.replies),
        "spared": grade.spared_tokens,
        "models": list(grade.models),
    }
    return {
        "decision": grade.decision,
        "reason": grade.reason,
        "whole": fingerprint(json.dumps(whole, sort_keys=True)),
        "prompts": fingerprint(
            [[prompt.system, prompt.user, prompt.schema] for judge in judges for prompt in judge.prompts]
        ),
    }
