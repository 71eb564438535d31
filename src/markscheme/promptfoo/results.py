"""Promptfoo's results: the verdicts of its graders, and the manual ratings from its viewer, read separately.

A rating given in the viewer overwrites a row's pass and score. The graders' verdict on the row is therefore recomputed
from the results of its assertions, by Promptfoo's own rule.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from markscheme.errors import RatingError
from markscheme.fingerprint import fingerprint
from markscheme.json_text import json_or, no_constant
from markscheme.judges.judge import Usage, total
from markscheme.numerals import finite
from markscheme.plain_data import json_lines, mapping, objects, plain_data, read_json, read_text, shown
from markscheme.promptfoo.keys import NOT_GRADED, SCORING_FUNCTION
from markscheme.prompts.parts import PartedText
from markscheme.prompts.submission import as_text, plain_metadata, text_in_file
from markscheme.ratings.row_form import form_of_rows
from markscheme.text import cut_short, folded_word

GRADED_TYPES = frozenset(
    {
        *("llm-rubric", "g-eval", "python", "factuality", "model-graded-closedqa", "model-graded-factuality"),
        *("answer-relevance", "context-faithfulness", "context-recall", "context-relevance", "conversation-relevance"),
        *("search-rubric", "agent-rubric", "pi"),
    }
)
"""Types of assertions whose verdict is a judgement; all others (contains, is-json, latency, …) check facts about the
output."""
COMPARING_TYPES = frozenset(["select-best", "max-score"])
"""Types of assertions that Promptfoo adds after scoring a row: they affect whether it passes, not its score."""
NEGATION = "not-"
"""Prefix of the types of negated assertions, such as `not-contains`, which pass if the condition isn't met."""
HUMAN, ASSERT_SET = "human", "assert-set"
MANUAL_REASON = "Manual result (overrides all other grading results)"
GRADER_BROKE = ("Python code execution failed", "Python execution failed", "Error running Python script")
PROVIDER_FAILED = 2
"""Promptfoo's `failureReason` of a row that failed by its provider instead of an assertion."""
SPLIT_OF_NAME: Mapping[str, Literal["dev", "test"]] = {"golden": "dev", "dev": "dev", "holdout": "test", "test": "test"}
EXPECTED_LABELS: Mapping[str, bool] = {"pass": True, "fail": False, "true": True, "false": False}
ID_KEYS = ("id", "example_id", "test_id")
_NOT_OF_CASE = frozenset((*ID_KEYS, "split", "expected_label"))
LONGEST_RESULT_NAME = 48
"""Largest number of characters of a name made from a text or a description."""
SAME_MEAN = 1e-6
"""Largest difference between a row's score and the mean of its assertions with which the score counts as computed,
not set by hand."""


@dataclass(frozen=True, slots=True)
class AssertionVerdict:
    """The verdict on an output by one assertion, or by one criterion of an assertion.

    Attributes:
        metric: Name of the verdict: the assertion's metric, else its type.
        kind: The assertion's type, without a leading "not-".
        passed: True if it passed; None if ungraded.
        score: The score; None if ungraded.
        reason: The grader's reason.
        ungraded: The reason why there is no verdict; None if there is a verdict.
        text: The requirement in words.
        is_part: True if the verdict is on a single criterion of an assertion; the verdict on that assertion as a whole
            comes before the verdicts on its criteria.
        usage: Tokens and cost of grading it.
        is_negated: True if the assertion's type begins with "not-", so that it passes if the requirement isn't met.
    """

    metric: str
    kind: str
    passed: bool | None
    score: float | None
    reason: str
    ungraded: str | None
    text: str
    is_part: bool
    usage: Usage
    is_negated: bool

    @property
    def is_graded(self) -> bool:
        """True if a judge gave the verdict; False if code did, as for an assertion such as `contains`."""
        return self.is_part or self.kind in GRADED_TYPES


@dataclass(frozen=True, slots=True)
class Manual:
    """A manual rating of an output in Promptfoo's viewer.

    Attributes:
        passed: True for a thumb up, False for a thumb down; None if only a score was given.
        score: The score as typed, 0 to 1; None if none was.
        comment: The annotator's comment; None without one.
    """

    passed: bool | None
    score: float | None
    comment: str | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One output in Promptfoo's results, with its verdicts and manual rating.

    Attributes:
        id: Id of the row, unique within its file.
        key: Digest of vars and output; rows of two files with equal keys hold the same example.
        inputs: The test's vars.
        response: The output; "" if there is none.
        system: The prompt and provider that produced it.
        task: Name of the test that it belongs to, if several rows share one; "" otherwise.
        split: The split of the example, from `metadata.split`; None without one.
        expected: Expected label of the output as a whole, from `metadata.expected_label`; None without one.
        expected_of: Expected decisions by metric, if the test's author labelled its metrics.
        manual: The manual rating; None without one.
        passed: True if the graders passed it, without the manual rating; None if ungraded.
        score: The graders' score, 0 to 1, without the manual rating; None if ungraded.
        ungraded: The reason why the row has no verdict; None if it has a verdict.
        verdicts: A verdict for each assertion, and one for each of its criteria.
        named: Named scores of the row, by name.
        test: Index of its test in the file.
        sample: Index of this grading among several of the same output, from 0.
        passed_anyway: True if Promptfoo counts it as passed although it is ungraded.
        metadata: Metadata of its test, except those that markscheme reads, such as the expected label.
        comment: The comment on it in the viewer, with a thumb or without one; None without a comment.
    """

    id: str
    key: str
    inputs: Mapping[str, Any]
    response: str
    system: str
    task: str
    split: Literal["dev", "test"] | None
    expected: bool | None
    manual: Manual | None
    passed: bool | None
    score: float | None
    ungraded: str | None
    verdicts: tuple[AssertionVerdict, ...]
    named: Mapping[str, float] = field(default_factory=dict)
    test: int = 0
    sample: int = 0
    passed_anyway: bool = False
    metadata: Mapping[str, str] = field(default_factory=dict)
    comment: str | None = None
    expected_of: Mapping[str, bool] = field(default_factory=dict)

    @property
    def is_labelled(self) -> bool:
        """True if the output has a manual rating or an expected label."""
        return self.manual is not None or self.expected is not None or bool(self.expected_of)

    @property
    def graded_metrics(self) -> set[str]:
        """Names of the metrics that a judge graded on the output."""
        return {verdict.metric for verdict in self.verdicts if verdict.is_graded}

    @property
    def usage(self) -> Usage:
        """Tokens and cost of all graders that graded the output."""
        return total(verdict.usage for verdict in self.verdicts)


@dataclass(frozen=True)
class Results:
    """One file of Promptfoo's results.

    Attributes:
        path: The file.
        rows: Its rows, in the order of the tests.
        threshold: The score that a row needs to pass, if it is equal for all tests; else None.
        at: The day of the evaluation, as written; None if the file doesn't say.
        aside: Counts of content that wasn't read as a rating, by its kind.
    """

    path: Path
    rows: tuple[Row, ...]
    threshold: float | None
    at: str | None
    aside: Mapping[str, int]

    @property
    def metrics(self) -> dict[str, AssertionVerdict]:
        """The metrics that a judge graded, by first occurrence, each with its first verdict."""
        metrics: dict[str, AssertionVerdict] = {}
        for row in self.rows:
            for verdict in row.verdicts:
                if verdict.is_graded:
                    metrics.setdefault(verdict.metric, verdict)
        return metrics


def read_results(path: Path, *, unjudged: bool = False) -> Results:
    """Read the rows of a file written by `promptfoo eval -o` or `promptfoo export`.

    Args:
        path: A .json, .jsonl or .yaml file.
        unjudged: True to keep outputs that no assertion judges, as ungraded rows.

    Raises:
        RatingError: The file cannot be read, or holds no rows of results.
    """
    at, rows = _raw(path)
    return results_of(rows, path, at=at, unjudged=unjudged)


def results_of(rows: Iterable[Any], path: Path, *, at: str | None = None, unjudged: bool = False) -> Results:
    """Read results from rows in the form in which Promptfoo writes them to a file or passes them to a hook.

    Args:
        rows: Parsed rows.
        path: The file that the rows are from, or a name for messages.
        at: The day of the evaluation; None if it isn't known.
        unjudged: True to keep outputs that no assertion judges, as ungraded rows.

    Raises:
        RatingError: No row was graded.
    """
    reading = _Reading(unjudged)
    mappings = [raw for raw in rows if isinstance(raw, Mapping)]  # in order of completion
    ordered = sorted(mappings, key=lambda raw: (finite(raw.get("testIdx")) or 0.0, finite(raw.get("promptIdx")) or 0.0))
    read_rows = [row for raw in ordered if (row := reading.row(raw)) is not None]
    if not read_rows:
        raise RatingError("holds no graded output", path=path)
    threshold = reading.thresholds.pop() if len(reading.thresholds) == 1 else None
    return Results(path, tuple(_with_ids(read_rows)), threshold, at, dict(reading.aside))


# --- the file -------------------------------------------------------------------------------------------------------


def _raw(path: Path) -> tuple[str | None, list[Any]]:
    """Read a results file: return the day of the evaluation, None if not stated, and the rows as plain data."""
    form = form_of_rows(path)
    if form == "lines":
        return None, [line for _, line in json_lines(path, RatingError)]
    if form == "yaml":
        data, _ = plain_data(read_text(path, RatingError), "yaml", RatingError, path=path)
    else:
        data = read_json(path, RatingError, parse_constant=no_constant)
    summary = data.get("results") if isinstance(data, Mapping) else data
    rows = summary.get("results") if isinstance(summary, Mapping) else summary
    if not isinstance(rows, list):
        raise RatingError("holds no results of Promptfoo; write them by `promptfoo eval -o results.json`", path=path)
    header = summary if isinstance(summary, Mapping) else mapping(data)
    return str(header.get("timestamp") or "")[:10] or None, rows


@dataclass
class _Reading:
    """Reader of one results file: counts of what was left out, thresholds, and the names given to rows so far."""

    unjudged: bool
    aside: Counter[str] = field(default_factory=Counter)
    thresholds: set[float | None] = field(default_factory=set)
    names: dict[tuple[str, str], str] = field(default_factory=dict)

    def _judged(self, value: Any) -> Any:
        """Return an output or var for a judge: unchanged, or with a mark in place of each image or document."""
        lost = Counter[str]()
        text = text_in_file(value, lose=lost.update)
        self.aside.update(lost)
        return text if lost or isinstance(text, PartedText) else value

    def row(self, raw: Mapping[str, Any]) -> Row | None:
        """Make the Row of one result; None for an output that no assertion judges, unless `unjudged` is True."""
        test = mapping(raw.get("testCase"))
        grading = mapping(raw.get("gradingResult"))
        failed = _failed(raw)
        verdicts = tuple(self._verdicts(_components(grading)))
        manual = _manual(raw, grading)
        is_unjudged = not verdicts and not grading.get("componentResults")
        if is_unjudged and not failed and not self.unjudged:
            self.aside["outputs that no assertion judges"] += 1
            return None
        threshold = finite(test.get("threshold"))
        self.thresholds.add(threshold)
        metadata = {**mapping(test.get("metadata")), **mapping(raw.get("metadata"))}
        ungraded = failed or next((f"{v.metric}: {v.ungraded}" for v in verdicts if v.ungraded and not v.is_part), None)
        if is_unjudged and ungraded is None:
            ungraded = "no assertion judges it"
        passed, score, why = (None, None, ungraded) if ungraded else _decided(raw, grading, manual, threshold, test)
        if score is not None and _share(score) is None:
            self.aside["scores of outputs that aren't from 0 to 1"] += 1
        label = metadata.get("expected_label")
        by_metric = _by_metric(label)
        output = mapping(raw.get("response")).get("output")
        response = "" if output is None else text_in_file(self._judged(output))
        inputs = mapping(raw.get("vars"))
        return Row(
            id=_given_name(inputs, metadata, test, raw),
            key=fingerprint(json.dumps(inputs, sort_keys=True, default=str), response),
            inputs={name: self._judged(value) for name, value in inputs.items()},
            response=response,
            system=_system(raw),
            metadata=_metadata_of(test),
            task="",
            split=self._split(metadata),
            expected=None if by_metric else self._expected(label),
            manual=manual,
            passed=passed,
            score=_share(score),
            ungraded=why,
            verdicts=verdicts,
            named={name: v for name, n in mapping(raw.get("namedScores")).items() if (v := finite(n)) is not None},
            test=int(finite(raw.get("testIdx")) or 0),
            passed_anyway=ungraded is not None and manual is None and raw.get("success") is True,
            comment=manual.comment if manual is not None and manual.comment else _comment(grading),
            expected_of=self._expected_of(by_metric, verdicts),
        )

    def _split(self, metadata: Mapping[str, Any]) -> Literal["dev", "test"] | None:
        split = metadata.get("split")
        if split is None or (isinstance(split, str) and split in SPLIT_OF_NAME):
            return None if split is None else SPLIT_OF_NAME[split]
        self.aside[f"metadata.split {shown(split)}, which isn't one of {', '.join(SPLIT_OF_NAME)}"] += 1
        return None

    def _expected_of(self, labels: Mapping[str, Any], verdicts: Sequence[AssertionVerdict]) -> dict[str, bool]:
        """Return the label that a test expects on each of its graded metrics, by the metric's name in this file.

        Args:
            labels: The expected labels, by the metric's name as the test writes it.
            verdicts: The verdicts on the test's output, whose metrics are named as in this file.
        """
        names = {folded_word(verdict.metric): verdict.metric for verdict in verdicts if verdict.is_graded}
        expected: dict[str, bool] = {}
        for metric, label in labels.items():
            name = names.get(folded_word(metric))
            if name is None:
                self.aside[f"metadata.expected_label for {metric!r}, which isn't a graded metric of the test"] += 1
            elif (passes := self._expected(label)) is not None:
                expected[name] = passes
        return expected

    def _expected(self, label: Any) -> bool | None:
        if label is None or isinstance(label, bool):
            return label
        expected = EXPECTED_LABELS.get(str(label).strip().casefold())
        if expected is None:
            self.aside[f"metadata.expected_label {shown(label)}, which is neither pass nor fail"] += 1
        return expected

    def _verdicts(self, components: Iterable["_Component"]) -> Iterator[AssertionVerdict]:
        for component in components:
            if component.kind in (ASSERT_SET, ""):
                continue
            verdict = _verdict(component, component.metric or self._unnamed(component.kind, component.text))
            if not verdict.is_graded:
                self.aside[f"assertions of type {verdict.kind}, which state a fact and no judgement"] += 1
            yield verdict

    def _unnamed(self, kind: str, text: str) -> str:
        """Return a name for an assertion without a metric: its type, with its text if several have the same type.

        Args:
            kind: The assertion's type.
            text: The assertion's text.
        """
        name = self.names.get((kind, text))
        if name is None:
            name = kind if kind not in self.names.values() else f"{kind}: {cut_short(text, LONGEST_RESULT_NAME)}"
            ordinal = 2
            while name in self.names.values():
                name = f"{kind}: {cut_short(text, LONGEST_RESULT_NAME)} #{ordinal}"
                ordinal += 1
            self.names[(kind, text)] = name
        return name


# --- one row --------------------------------------------------------------------------------------------------------


def _failed(raw: Mapping[str, Any]) -> str | None:
    """Return why a result has no output or no grade; None if it has both an output and a grade."""
    grading = raw.get("gradingResult")
    if raw.get("failureReason") == PROVIDER_FAILED or (grading is None and raw.get("error")):
        return _first_line(str(raw.get("error") or "")) or "the provider gave no output"
    return "it was not graded" if grading is None else None


@dataclass(frozen=True, slots=True)
class _Component:
    """The result of one assertion of a test, of an assert-set, or of a criterion within another assertion.

    Attributes:
        raw: The result as Promptfoo wrote it.
        stands: "alone" for an assertion of the test itself, "in a set" for one of an assert-set, "inside" for a
            criterion within another assertion.
    """

    raw: Mapping[str, Any]
    stands: Literal["alone", "in a set", "inside"]

    @property
    def assertion(self) -> Mapping[str, Any]:
        return mapping(self.raw.get("assertion"))

    @property
    def metadata(self) -> Mapping[str, Any]:
        return mapping(self.raw.get("metadata"))

    @property
    def is_negated(self) -> bool:
        return str(self.assertion.get("type") or "").startswith(NEGATION)

    @property
    def kind(self) -> str:
        is_set_of_0_118 = self.raw.get("assertion") is None and bool(objects(self.raw.get("componentResults")))
        if "assertionSet" in self.metadata or is_set_of_0_118:
            return ASSERT_SET
        return str(self.assertion.get("type") or "").removeprefix(NEGATION)

    @property
    def metric(self) -> str:
        return str(self.assertion.get("metric") or "")

    @property
    def text(self) -> str:
        value = self.assertion.get("value")
        is_list = isinstance(value, list) and all(isinstance(point, str) for point in value)
        return "" if value is None else "; ".join(value) if is_list else as_text(value)

    @property
    def weight(self) -> float:
        weight = finite((mapping(self.metadata.get("assertionSet")) or self.assertion).get("weight"))
        return 1.0 if weight is None else weight

    @property
    def score(self) -> float | None:
        return finite(self.raw.get("score"))


def _components(grading: Mapping[str, Any]) -> Iterator[_Component]:
    """Yield the result of each assertion in a grading result, without manual ratings.

    Promptfoo lists the components of an assertion twice: inside the assertion, and right after it. They are yielded
    once, and only if they belong to an assertion set or name a metric.
    """
    listed = objects(grading.get("componentResults"))
    index = 0
    while index < len(listed):
        component = _Component(listed[index], "alone")
        index += 1
        if component.kind == HUMAN:
            continue
        yield component
        inside = objects(component.raw.get("componentResults"))
        if [_digest(c) for c in listed[index : index + len(inside)]] == [_digest(c) for c in inside]:
            index += len(inside)
        is_set = component.kind == ASSERT_SET
        for inner in inside:
            if is_set or mapping(inner.get("assertion")).get("metric"):
                yield _Component(inner, "in a set" if is_set else "inside")


def _digest(component: Mapping[str, Any]) -> tuple[Any, Any, Any]:
    return component.get("pass"), component.get("score"), component.get("reason")


def _verdict(component: _Component, metric: str) -> AssertionVerdict:
    reason = str(component.raw.get("reason") or "")
    is_part = component.stands == "inside"
    ungraded = _ungraded(component, reason)
    passed, score = (component.raw["pass"], component.score) if ungraded is None else (None, None)
    if component.weight == 0 and score is not None:  # Promptfoo passes an assertion of weight 0, whatever its verdict
        threshold = finite(component.assertion.get("threshold"))
        passed = score >= (0.5 if threshold is None else threshold)
    return AssertionVerdict(
        metric=metric,
        kind=component.kind,
        passed=passed,
        score=score,
        reason=reason,
        ungraded=ungraded,
        text=component.text,
        is_part=is_part,
        usage=_usage(component),
        is_negated=component.is_negated,
    )


def _ungraded(component: _Component, reason: str) -> str | None:
    """Return why an assertion's result has no verdict, such as a failed grader; None if it has a verdict.

    Args:
        component: The assertion's result.
        reason: The reason that the result states.
    """
    if reason.startswith(NOT_GRADED):
        return reason.removeprefix(NOT_GRADED)
    metadata = component.metadata
    if metadata.get("notGraded") is True or metadata.get("graderError") is True or reason.startswith(GRADER_BROKE):
        return _first_line(reason) or "the grader failed"
    return None if isinstance(component.raw.get("pass"), bool) else "it neither passes nor fails"


def _comment(grading: Mapping[str, Any]) -> str | None:
    """Return the comment on an output from Promptfoo's viewer; None if there is none, or only a highlight mark."""
    return str(grading.get("comment") or "").removeprefix("!highlight").strip() or None


def _manual(raw: Mapping[str, Any], grading: Mapping[str, Any]) -> Manual | None:
    """Read the rating that a person gave in Promptfoo's viewer; its score is None if it was derived from a thumb.

    Args:
        raw: The result of the output.
        grading: The grading in that result.
    """
    listed = objects(grading.get("componentResults"))
    thumb = next((c for c in listed if mapping(c.get("assertion")).get("type") == HUMAN), None)
    row_score = finite(grading.get("score"))
    row_score = finite(raw.get("score")) if row_score is None else row_score
    comment = _comment(grading)
    if thumb is not None and isinstance(thumb.get("pass"), bool):
        filled_in = float(thumb["pass"])
        scores = (score for score in (row_score, finite(thumb.get("score"))) if score not in (None, filled_in))
        return Manual(thumb["pass"], _share(next(scores, None)), comment or str(thumb.get("comment") or "") or None)
    if grading.get("reason") == MANUAL_REASON:
        return Manual(None, _share(row_score), comment)
    return None


def _decided(
    raw: Mapping[str, Any],
    grading: Mapping[str, Any],
    manual: Manual | None,
    threshold: float | None,
    test: Mapping[str, Any],
) -> tuple[bool | None, float | None, str | None]:
    """Return the graders' decision and score for an output, leaving the manual rating aside.

    Args:
        raw: Promptfoo's record of the output.
        grading: The grading result in this record.
        manual: The manual rating; None if there is none.
        threshold: The lowest score that passes, by the test; None if all assertions must pass.
        test: The test in this record.

    Returns:
        True for a pass, False for a fail; the score; and the reason why both are None, or None if they are known.
    """
    passed = raw.get("success", grading.get("pass"))
    score = finite(raw.get("score", grading.get("score")))
    by_function = bool(test.get(SCORING_FUNCTION))
    rebuilt, mean = _rebuilt(grading, threshold)
    # without a manual rating: the score may still be that of a rating that was removed
    overwritten = threshold is not None or score is None or mean is None or abs(score - mean) > SAME_MEAN
    if manual is None and (by_function or rebuilt is None or not overwritten):
        return (passed, score, None) if isinstance(passed, bool) else (None, None, "it neither passes nor fails")
    for source in (grading, raw):
        original = mapping(mapping(mapping(source.get("metadata")).get("manualRating")).get("original"))
        first = original.get("pass", original.get("success"))
        if isinstance(first, bool):
            return first, finite(original.get("score")), None
    if by_function:
        return None, None, "a scoring function made the verdict, and the manual rating overwrote it"
    if rebuilt is None:
        return None, None, "nothing but the manual rating is left of it"
    passed_stands = manual is not None and manual.passed is None and isinstance(passed, bool)
    return (passed if passed_stands else rebuilt), mean, None


def _rebuilt(grading: Mapping[str, Any], threshold: float | None) -> tuple[bool | None, float | None]:
    """Recompute, from an output's assertions, if it passes and its mean score; None for both without assertions.

    Args:
        grading: Promptfoo's result for the output.
        threshold: The lowest score that passes, by the test; None if all assertions must pass.
    """
    components = [component for component in _components(grading) if component.stands == "alone"]
    if not components:
        return None, None
    scored = [component for component in components if component.kind not in COMPARING_TYPES]
    weight = sum(component.weight for component in scored)
    score = sum((c.score or 0.0) * c.weight for c in scored) / weight if weight > 0 else 0.0
    deciding = components if threshold is None else [c for c in components if c.kind in COMPARING_TYPES]
    passes = all(component.raw.get("pass") is True for component in deciding)
    return passes and (threshold is None or score >= threshold), score


def _usage(component: _Component) -> Usage:
    tokens = mapping(component.raw.get("tokensUsed"))
    calls = finite(tokens.get("numRequests"))
    if calls is None:
        calls = 1.0 if (finite(tokens.get("total")) or 0) > 0 else 0.0
    read = finite(tokens.get("prompt"))
    written = finite(tokens.get("completion"))
    return Usage(
        int(calls),
        None if read is None else int(read),
        None if written is None else int(written),
        finite(component.metadata.get("costUsd")),
    )


def _by_metric(label: Any) -> Mapping[str, Any]:
    """Return expected labels by metric, from a mapping or its JSON text; {} if the label is for the whole output."""
    if isinstance(label, str) and label.lstrip().startswith("{"):
        label = json_or(label, label)
    return {str(metric): passes for metric, passes in label.items()} if isinstance(label, Mapping) else {}


def _metadata_of(test: Mapping[str, Any]) -> dict[str, str]:
    """Return the metadata of a test, without the keys for its name, split and expected label."""
    about_case = {key: value for key, value in mapping(test.get("metadata")).items() if key not in _NOT_OF_CASE}
    return plain_metadata(about_case)


def _given_name(
    inputs: Mapping[str, Any], metadata: Mapping[str, Any], test: Mapping[str, Any], raw: Mapping[str, Any]
) -> str:
    """Return the name that a test's author gave the test, as an id or a description; "" without one.

    Args:
        inputs: The test's vars, which may have an id.
        metadata: The test's metadata, which may have an id; it comes before an id in a var.
        test: The test, whose description counts if there is no id.
        raw: The result, whose description counts if the test has none.
    """
    for source in (metadata, inputs):
        for key in ID_KEYS:
            if isinstance(source.get(key), str | int) and not isinstance(source[key], bool) and source[key] != "":
                return str(source[key])
    description = test.get("description") or raw.get("description")
    return cut_short(description, LONGEST_RESULT_NAME) if isinstance(description, str) else ""


def _with_ids(rows: Sequence[Row]) -> Iterator[Row]:
    """Give each row an id and a sample number.

    Rows with one id are gradings of one output by the same assertions; their samples are numbered from 0. Different
    outputs, or different assertions, get different ids.
    """
    names = [row.id or f"test-{row.test}" for row in rows]
    systems: dict[str, set[str]] = {}
    for row, name in zip(rows, names, strict=True):
        systems.setdefault(name, set()).add(row.system)
    tasks = [fingerprint(json.dumps(row.inputs, sort_keys=True, default=str)) if row.inputs else "" for row in rows]
    alike = Counter(tasks)
    unique_ids: dict[str, str] = {}
    taken: set[str] = set()
    numbers: Counter[str] = Counter()
    samples: Counter[str] = Counter()
    for row, name, task in zip(rows, names, tasks, strict=True):
        again = fingerprint(row.id, row.key, row.system, [[v.metric, v.text] for v in row.verdicts])
        if again not in unique_ids:
            proposed = f"{name} @ {row.system}" if len(systems[name]) > 1 else name
            unique_ids[again] = _untaken(proposed, taken, numbers)
        unique = unique_ids[again]
        yield replace(row, id=unique, task=task if alike[task] > 1 else "", sample=samples[unique])
        samples[unique] += 1


def _untaken(name: str, taken: set[str], again: Counter[str]) -> str:
    """Return a row's name; if another row has it, a number is added. Record the result as taken.

    Args:
        name: The name.
        taken: Names of earlier rows, to which the result is added.
        again: How often each name was met again, which is updated.
    """
    unique = name
    while unique in taken:
        again[name] += 1
        unique = f"{name} #{again[name] + 1}"
    taken.add(unique)
    return unique


def _system(raw: Mapping[str, Any]) -> str:
    """Return the prompt and provider of a result as one name, by their labels if they have any."""
    provider = raw.get("provider")
    prompt = mapping(raw.get("prompt"))
    of_provider = mapping(provider)
    name = str(of_provider.get("label") or of_provider.get("id") or (provider if isinstance(provider, str) else ""))
    return " / ".join(filter(None, (cut_short(str(prompt.get("label") or ""), LONGEST_RESULT_NAME), name)))


def _first_line(text: str) -> str:
    """Return the first line of an error message, without the stack trace."""
    return cut_short(text.strip().split("\n", 1)[0], 200)


def _share(score: float | None) -> float | None:
    return score if score is not None and 0 <= score <= 1 else None
