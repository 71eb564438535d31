"""The implementation of the pytest fixture `assert_grade`: grade an output, and explain in full why it fails."""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

from markscheme.errors import JudgeError, MarkschemeError, RatingWarning, UsageError
from markscheme.grading import (
    ASK_A_PERSON,
    Grade,
    Grading,
    lacking_inputs,
    questions,
    receipt_wanted,
    scorers_for,
    why_ask,
)
from markscheme.grading.grader import BackgroundLoop
from markscheme.grading.receipt import CALIBRATION, calibration_text, score_text
from markscheme.grading.verdict import Holistic
from markscheme.judges.external_words import hidden
from markscheme.judges.function import FunctionJudge
from markscheme.judges.judge import GradingJudge, Judge
from markscheme.judges.kinds import YOUR_JUDGE
from markscheme.judges.options import ASK_OPTIONS, AskOptions, refuse_opening
from markscheme.options.in_force import hold, reading_options, split_reading
from markscheme.options.table import OptionSource, unknown_option
from markscheme.phrases import brief, number
from markscheme.promptfoo.engine import Engine
from markscheme.prompts.submission import Submission
from markscheme.rubrics.rubric import Criterion, Rubric
from markscheme.rubrics.search import find_rubric
from markscheme.text import on_one_line

JudgeNamed: TypeAlias = str | Judge | Callable[..., Any] | None
LONGEST_LINE = 800
"""Largest number of characters shown of a reason or a quote."""


@dataclass
class Background:
    """The judges that all tests share, open in an event loop that runs in a separate thread."""

    engine: Engine = field(default_factory=Engine)
    loop: BackgroundLoop = field(default_factory=BackgroundLoop)

    def for_test(
        self, *defaults: tuple[str | None, Sequence[str], str], near: Path, record: Callable[[str, object], None]
    ) -> "AssertGrade":
        """Make the value of the fixture `assert_grade` for one test.

        Args:
            defaults: The judge, the options and the origin of each source of pytest's settings, the strongest first.
            near: The test's folder, in which rubrics are found too.
            record: Stores a name and a value with the test, for JUnit files and other plugins.
        """
        return AssertGrade(self, [pytest_source(*default) for default in defaults], near, record)

    def close(self) -> None:
        """Close the judges that tests opened by name."""
        self.loop.wait_for(self.engine.aclose())
        self.loop.close()


@dataclass(frozen=True, repr=False)
class AssertGrade:
    """The value of the fixture `assert_grade`: a function that fails a test if a judge fails an output.

    Attributes:
        asking: Settings that all tests share.
        defaults: Options for calls that don't set them, the strongest first.
        near: The test's folder; rubrics are found there too.
        record: Stores a name and a value with the test, for JUnit files and other plugins.
    """

    asking: Background
    defaults: Sequence[OptionSource]
    near: Path
    record: Callable[[str, object], None]

    def __repr__(self) -> str:
        return "<assert_grade>"  # as pytest shows it above a failing test

    def __call__(
        self,
        output: Any,
        rubric: str | Path | Rubric,
        *,
        judge: JudgeNamed = None,
        threshold: float | None = None,
        inputs: Mapping[str, Any] | None = None,
        calibration: str = "warn",
        **options: Any,
    ) -> Grade:
        """Grade an output; return the grade if it passes, else fail the test.

        Args:
            output: The output to judge: text, a number, a boolean, a list, a mapping or a trace.
            rubric: Name or path of a rubric, or a Rubric.
            judge: Name of a judge as on the command line, a Judge, or a function of `system_prompt` and `user_prompt`.
                Replies of a judge given by name are cached on disk; any other judge is asked each time.
            threshold: Pass mark from 0 to 1; None for the rubric's.
            inputs: Inputs of the output by name: query, reference, …; None for none.
            calibration: "require" to accept only a judge whose accepted calibration can gate; "off" to ignore
                calibration; "warn" to accept any judge.
            options: How the judge is asked, as on the command line: `samples=3`, `budget=2`.

        Raises:
            AssertionError: The output fails; the message says by which criteria, and why.
            JudgeError: The output could not be graded, which is neither a pass nor a fail.
            UsageError: The rubric, judge or an option is unknown, an input is missing, the output can't be shown to a
                judge, or the calibration cannot gate.
            ValueError: `calibration` is another value.
        """
        __tracebackhide__ = True
        if calibration not in CALIBRATION:
            raise ValueError(f"calibration is one of {', '.join(CALIBRATION)}; found {calibration!r}")
        try:
            reading, [(options_of_asking, _), *defaults] = split_reading([(options, "{}"), *self.defaults], ASK_OPTIONS)
            asking = self._options(judge, options_of_asking, defaults)
            wanted, file = self._rubric(rubric, threshold, asking)
            with hold(reading):
                submission = _submission(output, inputs or {}, wanted)
                grade = self.asking.loop.wait_for(self._graded(wanted, file, submission, judge, asking, calibration))
        except MarkschemeError as error:
            raise error.with_traceback(None) from None  # the message is for the test's author, our frames are not
        self.record("markscheme_rubric", wanted.name)
        self.record("markscheme_score", "not graded" if grade.score is None else brief(grade.score, 4))
        self.record("markscheme_calibration", calibration_text(grade.receipt))
        why = grade.why_no_decision
        if why is not None:
            raise JudgeError(f"not graded by {wanted.name}, which is neither a pass nor a fail: {why}")
        if not grade.passed:
            raise AssertionError(failure_text(grade, wanted))
        return grade

    def _options(self, judge: JudgeNamed, options: Mapping[str, Any], defaults: Sequence[OptionSource]) -> AskOptions:
        by_name = {"judge": judge} if isinstance(judge, str) else {}
        if judge is not None and not by_name:
            refuse_opening(options)
        return self.asking.engine.options(({**options, **by_name}, "{}"), *defaults)

    def _rubric(
        self, named: str | Path | Rubric, threshold: float | None, options: AskOptions
    ) -> tuple[Rubric, Path | None]:
        if isinstance(named, Rubric):
            rubric = named
            file = named.source
        else:
            file = find_rubric(str(named), near=self.near)
            rubric = self.asking.engine.rubric(file)
        rubric = options.of(rubric)
        return rubric if threshold is None else replace(rubric, pass_mark=float(threshold)), file

    async def _graded(
        self,
        rubric: Rubric,
        file: Path | None,
        submission: Submission,
        named: JudgeNamed,
        options: AskOptions,
        calibration: str,
    ) -> Grade:
        places = (*((file.parent,) if file else ()), Path.cwd())
        judge = self._judge(named, rubric, submission, places, options)
        by_name = options.judge if named is None or isinstance(named, str) else YOUR_JUDGE
        receipt = receipt_wanted(calibration, "calibration", rubric, judge, *places, named=by_name)
        scorers = scorers_for(rubric, options.scorers)
        only_gates = calibration == "require"
        return await Grading(rubric, judge, receipt=receipt, scorers=scorers, only_gates=only_gates).grade(submission)

    def _judge(
        self,
        named: JudgeNamed,
        rubric: Rubric,
        submission: Submission,
        places: tuple[Path, ...],
        options: AskOptions,
    ) -> GradingJudge:
        if named is None or isinstance(named, str):
            prompts = [] if options.judge else questions(rubric, submission)
            return self.asking.engine.judge_for(rubric, prompts, places, options)
        if isinstance(named, Judge):
            return named
        return FunctionJudge(named, f"function:{getattr(named, '__qualname__', type(named).__name__)}", apart=True)


def pytest_source(judge: str | None, pairs: Sequence[str], origin: str) -> OptionSource:
    """Read the judge and the `KEY=VALUE` options that pytest's command line or configuration (`origin`) sets.

    Raises:
        UsageError: An option is unknown, or has a value that it can't have.
    """
    options: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = (text.strip() for text in pair.partition("="))
        if not equals:
            raise UsageError(f"{origin} must be KEY=VALUE, got {pair!r}")
        declared = ASK_OPTIONS.get(key) or reading_options().get(key)
        if declared is None:
            raise unknown_option(key, {**ASK_OPTIONS, **reading_options()})
        options[key] = declared.read_text(value, f"{origin} {key}")
    return ({**options, "judge": judge} if judge else options), f"{origin} {{}}"


def _submission(output: Any, inputs: Mapping[str, Any], rubric: Rubric) -> Submission:
    for name in inputs:
        if name not in rubric.known_inputs:
            shown_inputs = ", ".join(rubric.known_inputs) or "none"
            warnings.warn(f"the rubric shows no input {name!r}; it shows {shown_inputs}", RatingWarning, stacklevel=3)
    submission = Submission(output, inputs)
    lacking = lacking_inputs(rubric, submission)
    if lacking:
        named = ", ".join(map(repr, lacking))
        raise UsageError(f"rubric {rubric.name!r} needs {named}: give inputs={{{lacking[0]!r}: …}}")
    return submission


# --- the message of a failing test ----------------------------------------------------------------------------------


def failure_text(grade: Grade, rubric: Rubric) -> str:
    """Explain why a graded output fails, over several lines: score and pass mark, largest losses first, the receipt.

    Example:
        >>> import asyncio
        >>> from markscheme import Rubric, ScriptedJudge, grade
        >>> rubric = Rubric.from_dict([{"weight": 3, "requirement": "Names a date"}, {"weight": 1, "requirement": "B"}])
        >>> found = asyncio.run(grade(rubric, "Soon.", ScriptedJudge([{"c1": "UNMET", "c2": "MET"}])))
        >>> print(failure_text(found, rubric))
        the output fails rubric: 0.25, pass mark 0.5
          c1 UNMET (weight 3): scripted
          full marks: c2
        calibration: 0.25, no accepted run
    """
    assert grade.scored is not None
    scored = grade.scored
    head = f"the output fails {rubric.name}: {number(scored.score)}, pass mark {rubric.pass_mark:g}"
    if scored.failed_required:
        head += f"; required and failed: {', '.join(scored.failed_required)}"
    asks = why_ask(grade, rubric)
    if asks is not None:
        head = f"{ASK_A_PERSON}{asks}; by the judge {number(scored.score)}, pass mark {rubric.pass_mark:g}"
    lines = [head, *_cost_lines(grade, rubric)]
    if grade.models:
        lines.append(f"judge: {_line(', '.join(grade.models))}")
    return "\n".join([*lines, f"calibration: {score_text(scored.score, grade.receipt)}"])


def _cost_lines(grade: Grade, rubric: Rubric) -> Iterator[str]:
    """Yield a line for each criterion that lowered the score, the largest loss first, then lines on all other criteria.

    These name the criteria with full marks, and those left out of the score.
    """
    if isinstance(grade.holistic, Holistic):
        yield f"  as a whole {grade.holistic.score:g} of 100: {_line(grade.holistic.reason or '')}"
    cost = {name: _cost(rubric.criterion(name), verdict.level) for name, verdict in grade.verdicts.items()}
    for name in sorted((name for name in cost if cost[name] > 0), key=lambda name: -cost[name]):
        verdict = grade.verdicts[name]
        criterion = rubric.criterion(name)
        words = f": {_line(verdict.reason)}" if verdict.reason else ""
        level = criterion.scale.called(verdict.level) if words else verdict.in_words(criterion.scale)
        yield f"  {name} {level} (weight {criterion.weight:g}){words}"
        if verdict.quote:
            material = "the material" if verdict.step is None else f"step {verdict.step}"
            missing = f" (which is not in {material})" if verdict.quote_found is False else ""
            yield f"    “{_line(verdict.quote)}”{missing}"
    if full := [name for name in cost if not cost[name]]:
        yield f"  full marks: {', '.join(full)}"
    if out := [name for name in grade.outcomes if name not in cost]:
        yield f"  left out of the score: {', '.join(out)}"


def _line(text: str) -> str:
    """Put a judge's words on one line, without control characters and API keys."""
    line = on_one_line(hidden(text, ()))
    return line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}…"


def _cost(criterion: Criterion, level: float) -> float:
    return abs(criterion.weight) * (1 - criterion.merit(criterion.scale.position(level)))
