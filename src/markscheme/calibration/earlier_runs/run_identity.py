"""Accepted runs and their settings, and the differences of settings with the criteria whose levels they can affect."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from operator import attrgetter
from pathlib import Path
from typing import Any, Literal, get_args

from markscheme.fingerprint import fingerprint
from markscheme.grading import asking_fingerprint, blank_submission, questions
from markscheme.judges.judge import Identity
from markscheme.prompts.prompt import Prompt
from markscheme.ratings.example_rows import Example
from markscheme.ratings.rating import Rating
from markscheme.rubrics.rubric import Criterion, Rubric, Scale, Strategy
from markscheme.stats.estimate import Reason

Side = Literal["rubric", "template", "judge", "score", "labels", "examples"]
_LONGEST_VALUE = 60
"""Largest number of characters of a changed setting's value that are printed, so that both values fit on a line."""
MOST_RUNS = 5
"""Largest number of accepted runs, and the recommended one: enough to show how much runs of one judge differ."""

_PROBE = Rubric((Criterion(1.0, "is clear", "clear"), Criterion(-1.0, "is long", "long", Scale.numbered(1, 3))))


@dataclass(frozen=True)
class SettingChange:
    """A difference between today's setting and that of the accepted run, such as a reworded criterion.

    Attributes:
        key: Short name, such as "text:readability" or "judge:model".
        what: The difference in words, as the subject of a sentence.
        side: Part of the setting that changed: the rubric that is asked, the wording of the prompts around it, the
            judge, the computation of the score, the labels, or the examples.
        criteria: Criteria whose levels the change can have moved; empty if it moves no level on the same examples.
        then: The old value; None if it is long.
        now: The new value; None if it is long.
    """

    key: str
    what: str
    side: Side
    criteria: frozenset[str] = frozenset()
    then: str | None = None
    now: str | None = None

    @property
    def has_values(self) -> bool:
        """True if the old or the new value is stored, since it is short enough to be printed."""
        return bool(self.then or self.now)

    @property
    def sentence(self) -> str:
        """Words that describe the change, with the old and the new value if either is short enough."""
        return f"{self.what} ({self.then} → {self.now})" if self.has_values else self.what

    def to_json(self) -> dict[str, Any]:
        """Return a dict with the change, for JSON."""
        return asdict(self) | {"criteria": sorted(self.criteria), "then": self.then or None, "now": self.now or None}


@dataclass(frozen=True)
class RunIdentity:
    """Everything that determines a run's ratings: the rubric, the wording of prompts, and the judge.

    Attributes:
        rubric: The rubric by which the judge was asked.
        template: Digest of the wording of the prompts around a rubric.
        judge: The judge's name in reports.
        identity: What identifies the judge; None if only its ratings are known.
        answered_by: Models that answered, by the names in their replies.
    """

    rubric: Rubric
    template: str
    judge: str
    identity: Identity | None = None
    answered_by: tuple[str, ...] = ()


@dataclass(frozen=True)
class Accepted:
    """Accepted runs, one to five, all with the same rubric, prompt and judge, as read from their files.

    Attributes:
        path: Path of accepted.json.
        date: The day on which the latest run was accepted.
        version: The markscheme version that wrote accepted.json.
        setting: The setting of the runs.
        use: The use that the judge was allowed, such as "gate".
        agreement: Share of examples on which the judge agreed with gold in the first of the runs, as measured when that
            run was accepted; None if nothing was compared.
        split: The split that the runs were measured on; None if there were no splits.
        digest: Digest of the ratings, which identifies these runs.
        ratings: The judge's ratings, one per run and example, and for a pair one for each order in which it was shown;
            empty for a run that was kept as counts.
        submissions: Digest of each rated example's response and inputs, by id.
        labels: Digest of each rated example's labels, by id.
    """

    path: Path
    date: str
    version: str
    setting: RunIdentity
    use: str
    agreement: float | None
    split: str | None
    digest: str
    ratings: tuple[Rating, ...]
    submissions: Mapping[str, str]
    labels: Mapping[str, str]

    @property
    def runs(self) -> tuple[tuple[Rating, ...], ...]:
        """Ratings of each accepted run; `agreement` was measured on the first run."""
        by_number: dict[int, list[Rating]] = {}
        for rating in self.ratings:
            by_number.setdefault(rating.sample, []).append(rating)
        return tuple(tuple(by_number[run]) for run in sorted(by_number))

    def why_not_joined(
        self, current: RunIdentity, examples: Sequence[Example], *, is_asked: bool = True
    ) -> Reason | None:
        """Return why today's run can't be added to these runs; None if it can.

        Args:
            current: The setting of today's run.
            examples: The examples of today's run.
            is_asked: True if the judge has been asked; before that, its server is assumed to accept the parameters that
                it accepted in these runs.
        """
        if not is_asked and current.identity is not None and self.setting.identity is not None:
            current = replace(current, identity=replace(current.identity, without=self.setting.identity.without))
        if self.setting.rubric.name != current.rubric.name:
            return Reason("runs-of-other-rubric", {"rubric": self.setting.rubric.name})
        changes = changes_between(self.setting, current)
        if changes:
            return Reason("changed-settings", {"changes": "; ".join(change.sentence for change in changes)})
        if {example.id: submission_digest(example) for example in examples} != dict(self.submissions):
            return Reason("changed-examples")
        return None


def submission_digest(example: Example) -> str:
    """Return a digest of everything a judge may see of an example."""
    first, *second = example.submission.responses
    return fingerprint(first, dict(example.submission.inputs), *second)


def labels_digest(example: Example) -> str:
    """Return a digest of the levels, scores and decisions that annotators gave an example; other fields don't count."""
    labels = [
        [
            label.rater,
            label.kind,
            {name: [rated.level, rated.declined or ""] for name, rated in label.criteria.items()},
            label.overall,
            label.passed,
        ]
        for label in example.labels
    ]
    return fingerprint(sorted(labels, key=json.dumps))


def template_fingerprint() -> str:
    """Return a digest of the wording around the rubric in the prompts."""
    strategies: tuple[Strategy, ...] = get_args(Strategy)
    return fingerprint([asking_fingerprint(replace(_PROBE, strategy=strategy)) for strategy in strategies])


def changes_between(then: RunIdentity, current: RunIdentity) -> tuple[SettingChange, ...]:
    """Return all differences between two runs' settings, each with the criteria whose levels it can move."""
    reach = _Reach(then.rubric, current.rubric)
    judged = frozenset(criterion.name for criterion in current.rubric.criteria if criterion.check is None)
    changes = [*_of_criteria(then.rubric, current.rubric, reach), *_of_rubric(then.rubric, current.rubric, reach)]
    if then.template != current.template:
        changes.append(SettingChange("template", "the wording of the prompts around the rubric", "template", judged))
    return (*changes, *_of_judge(then, current, judged), *_of_score(then.rubric, current.rubric))


def need_replay(changes: Iterable[SettingChange]) -> bool:
    """Return True if both the rubric and the judge or its prompts changed.

    Then only grading by the old rubric with today's judge can tell the effects of the two changes apart.

    Args:
        changes: The changes since the accepted run.
    """
    sides = {change.side for change in changes if change.criteria}
    return "rubric" in sides and bool(sides & {"judge", "template"})


# --- the rubric -----------------------------------------------------------------------------------------------------


class _Reach:
    """Finder of the criteria whose levels may change because another criterion in the same request was reworded."""

    def __init__(self, then: Rubric, current: Rubric) -> None:
        self._groups = [frozenset(names) for rubric in (then, current) for names, _ in _questions(rubric)]
        before = _by_criterion(then)
        after = _by_criterion(current)
        self.differing = frozenset(name for name in after if before.get(name) != after[name])

    def of(self, name: str) -> frozenset[str]:
        """Return the criteria with a changed prompt that are asked in one request with a given criterion.

        A request of the accepted run counts as well as one of today's.
        """
        together = frozenset[str]().union(*(group for group in self._groups if name in group))
        return together & self.differing


def _questions(rubric: Rubric) -> list[tuple[tuple[str, ...], Prompt]]:
    """Return the rubric's prompts for an empty submission, each with the names of the criteria in the prompt."""
    every = tuple(criterion.name for criterion in rubric.criteria)
    return [(prompt.criteria or every, prompt) for prompt in questions(rubric, blank_submission(rubric))]


def _by_criterion(rubric: Rubric) -> dict[str, str]:
    """Map each judged criterion to a digest of the prompts that ask about it, without the submission."""
    questions_about: dict[str, list[Any]] = {}
    for names, prompt in _questions(rubric):
        for name in names:
            shown = rubric.shown_to(rubric.criterion(name)) if prompt.criteria else ()
            questions_about.setdefault(name, []).append((prompt.system, prompt.schema, shown))
    return {name: fingerprint(seen) for name, seen in questions_about.items()}


def _of_criteria(then: Rubric, current: Rubric, reach: _Reach) -> Iterator[SettingChange]:
    before = {criterion.name: criterion for criterion in then.criteria}
    after = {criterion.name: criterion for criterion in current.criteria}
    for name, criterion in after.items():
        if name in before:
            yield from _of_criterion(before[name], criterion, reach.of(name))
        else:
            yield SettingChange(f"added:{name}", f"criterion {name!r}, which is new", "rubric", reach.of(name))
    for name in before.keys() - after.keys():
        yield SettingChange(f"removed:{name}", f"criterion {name!r}, which is gone", "rubric", reach.of(name))
    in_both = [name for name in before if name in after]
    if in_both != [name for name in after if name in before]:
        yield SettingChange("order", "the order of the criteria", "rubric", reach.differing)


def _of_criterion(then: Criterion, current: Criterion, reached: frozenset[str]) -> Iterator[SettingChange]:
    name = current.name
    if same_scale(then.scale, current.scale):
        if then.fingerprint != current.fingerprint:
            yield SettingChange(f"text:{name}", f"the text of criterion {name!r}", "rubric", reached)
    else:
        subject = f"the scale of criterion {name!r}"
        yield SettingChange(f"scale:{name}", subject, "rubric", reached, _levels(then.scale), _levels(current.scale))
    if (then.weight > 0) != (current.weight > 0):
        was, is_now = ("a merit", "a fault") if then.weight > 0 else ("a fault", "a merit")
        yield SettingChange(f"fault:{name}", f"what criterion {name!r} counts as", "rubric", reached, was, is_now)
    if then.sees != current.sees:
        yield SettingChange(f"sees:{name}", f"the inputs shown for criterion {name!r}", "rubric", reached)
    if then.check != current.check:
        by_code = frozenset([name])
        who = then.check or "a judge", current.check or "a judge"
        yield SettingChange(f"check:{name}", f"who decides criterion {name!r}", "rubric", by_code | reached, *who)


def _of_rubric(then: Rubric, current: Rubric, reach: _Reach) -> Iterator[SettingChange]:
    for key, subject in (("description", "the rubric's description"), ("guidelines", "the rubric's guidelines")):
        if getattr(then, key) != getattr(current, key):
            yield SettingChange(key, subject, "rubric", reach.differing)
    if then.known_inputs != current.known_inputs:
        shown = ", ".join(then.known_inputs), ", ".join(current.known_inputs)
        yield SettingChange("inputs", "the inputs that are shown", "rubric", reach.differing, *shown)
    if then.strategy != current.strategy:
        yield SettingChange(
            "strategy", "the strategy of asking", "rubric", reach.differing, then.strategy, current.strategy
        )
    if then.criteria_per_call != current.criteria_per_call:
        limits = [str(rubric.criteria_per_call or "all") for rubric in (then, current)]
        yield SettingChange("criteria_per_call", "the criteria in one question", "rubric", reach.differing, *limits)
    if then.samples != current.samples:
        judged = frozenset(criterion.name for criterion in current.criteria if criterion.check is None)
        yield SettingChange(
            "samples", "the samples per question", "rubric", judged, str(then.samples), str(current.samples)
        )


def same_scale(then: Scale, current: Scale) -> bool:
    """Return True if levels on two scales can be compared.

    That is, the scales have the same values and agree in `ordered`, `by_label` and `mirrored` (see `Scale`).
    """
    alike = attrgetter("values", "ordered", "by_label", "mirrored")
    return alike(then) == alike(current)


def _levels(scale: Scale) -> str:
    return "/".join(f"{value:g}" for value in scale.values)


# --- the judge ------------------------------------------------------------------------------------------------------


def _of_judge(then: RunIdentity, current: RunIdentity, judged: frozenset[str]) -> Iterator[SettingChange]:
    if then.identity is None or current.identity is None:
        if then.judge != current.judge:
            yield SettingChange("judge", "the judge", "judge", judged, then.judge, current.judge)
        return
    before = then.identity
    after = current.identity
    for key, subject in (("name", "the judge"), ("model", "the judge's model"), ("address", "the judge's address")):
        was = getattr(before, key)
        is_now = getattr(after, key)
        if was != is_now:
            yield SettingChange(f"judge:{key}", subject, "judge", judged, _value(was), _value(is_now))
    if before.without != after.without:
        yield SettingChange(
            "judge:without",
            "what the judge was asked without",
            "judge",
            judged,
            _value(", ".join(before.without)),
            _value(", ".join(after.without)),
        )
    for key in sorted(before.parameters.keys() | after.parameters.keys()):
        was = before.parameters.get(key)
        is_now = after.parameters.get(key)
        if fingerprint(was) != fingerprint(is_now):
            subject = f"the judge's parameter {key!r}"
            yield SettingChange(f"judge:parameter:{key}", subject, "judge", judged, _value(was), _value(is_now))
    if then.answered_by and current.answered_by and then.answered_by != current.answered_by:
        subject = "the model that answers, as it names itself"
        was = ", ".join(then.answered_by)
        is_now = ", ".join(current.answered_by)
        yield SettingChange("judge:answers", subject, "judge", judged, _value(was), _value(is_now))


def _value(value: Any) -> str:
    text = " ".join(str("nothing" if value in (None, "") else value).split())
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 1] + "…"


# --- what moves the score or the comparison, and no level -----------------------------------------------------------


def _of_score(then: Rubric, current: Rubric) -> Iterator[SettingChange]:
    before = {criterion.name: criterion for criterion in then.criteria}
    for criterion in current.criteria:
        was = before.get(criterion.name)
        if was is None:
            continue
        name = criterion.name
        if was.weight != criterion.weight:
            weights = f"{was.weight:g}", f"{criterion.weight:g}"
            yield SettingChange(f"weight:{name}", f"the weight of criterion {name!r}", "score", frozenset(), *weights)
        if (was.required, was.threshold) != (criterion.required, criterion.threshold):
            yield SettingChange(f"passing:{name}", f"when criterion {name!r} passes", "score")
    for key, subject in (("pass_mark", "the pass mark"), ("tolerance", "the tolerance")):
        if getattr(then, key) != getattr(current, key):
            marks = f"{getattr(then, key):g}", f"{getattr(current, key):g}"
            yield SettingChange(key, subject, "score", frozenset(), *marks)
