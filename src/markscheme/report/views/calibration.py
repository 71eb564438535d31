"""The report on a Calibration: what the judge may decide, how good it is, what is wrong, what to do next."""

import math
import shlex
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from markscheme.calibration.calibration import Calibration, Rater
from markscheme.calibration.changes import template_fingerprint
from markscheme.calibration.comparison import Comparison, CriterionComparison
from markscheme.calibration.decision import ASSUMED_AGREEMENT, Decision, Finding
from markscheme.calibration.findings.slices import Slice
from markscheme.fingerprint import fingerprint
from markscheme.judges.family import kinship
from markscheme.judges.judge import Usage
from markscheme.phrases import counted, number
from markscheme.ratings.splits import Openings
from markscheme.report import document as doc
from markscheme.report.document import reach, share_mark, shift_mark
from markscheme.report.figures import (
    NONE,
    coefficient,
    cut_short,
    is_approximate,
    share,
    share_with_ci,
    share_with_interval,
    why_no_interval,
    with_interval,
    with_signed_interval,
)
from markscheme.report.json import attributes
from markscheme.report.views import drift
from markscheme.report.views.examples import cell_tag, criterion_tag, examples_of, is_off, level_name, slice_tag
from markscheme.stats import Estimate
from markscheme.stats.coefficients import agreement
from markscheme.stats.people import Ceiling
from markscheme.stats.selection import held_out_needed, labels_needed
from markscheme.stats.severity import agreement_constant, confusion

LABELS = {
    "adjudicated": "adjudicated labels",
    "people": "labels of two or more annotators",
    "one-person": "one annotator per example",
    "constructed": "synthetic labels",
    "model": "labels by a model",
}
KINDS = {
    "human": ("annotator", "annotators"),
    "adjudicated": ("adjudicator", "adjudicators"),
    "constructed": ("source of synthetic labels", "sources of synthetic labels"),
    "model": ("labelling model", "labelling models"),
}
CAUSES = {
    "lenient": "too lenient",
    "severe": "too severe",
    "central-tendency": "avoids the ends of the scale",
    "halo": "one criterion colours the others",
    "noisy": "noisy",
    "ambiguous": "annotators disagree",
    "redundant": "two criteria measure the same",
    "dead": "does not distinguish responses",
    "unused-level": "levels nobody uses",
    "broken-slice": "worse on part of the examples",
    "no-skill": "no better than a constant",
    "length": "rewards length",
    "drift": "moved since the accepted run",
    "drift-gold": "agreement fell",
    "stale-labels": "labels for another wording",
    "too-few-labels": "too few labels",
    "unreadable": "unreadable replies",
    "stuck-judge": "stuck on one level",
    "unsteady-judge": "runs differ from each other",
    "invented-quotes": "quotes in nothing the judge saw",
}
"""Short descriptions of finding codes."""
OF_WORDS = ("lenient", "severe", "central-tendency", "halo", "redundant", "unused-level")
"""Findings whose likely cause is how a criterion is worded."""
LABELS_FIRST = ("ambiguous", "stale-labels", "drift", "drift-gold")
"""What to resolve before working on the judge."""
OF_A_MOVE = ("drift", "lenient", "severe", "noisy", "central-tendency", "stuck-judge", "no-skill")
"""Findings explained by a criterion's drift."""
NO_EDIT = (*LABELS_FIRST, "too-few-labels", "unreadable", "unsteady-judge")
"""Findings that no edit of the rubric fixes."""
BASELINE_NAMED = ("below-constant", "constant-open", "no-signal")
"""Reasons for a verdict that already compare the judge, or the annotators, with the baseline."""
ASKED_AGAIN = ("--samples 3", "--no-cache", "--replay")
"""Options that an advice may name."""
KNOWN_WITHOUT_SCORES = ("unreadable", "stuck-judge")
"""Findings that hold even if no example could be scored."""
TOO_FEW = "Not enough labels to tell whether it can gate."
NOT_BETTER = "Can't gate: not shown to beat the baseline."
TRENDS = "Use for trends, not for single decisions."
TREND = "A trend is an average over many examples."
EXPLORE = "For now, explore only: read its scores, but don't base decisions on them."
UNUSABLE = "Don't use it for trends either (averages over many examples)."
USABLE = ("gate", "trend")
POOL = "outputs.jsonl"
ADJUDICATE_FIRST = "First adjudicate the examples on which annotators differ, then sharpen the rubric's wording"
OUT_OF_POOL = ", drawn from a file of your outputs:"
NEARLY_ALONE = 1.05
"""Design effect up to which groups don't change how many labels are needed."""
MOST_REASONS = 3
ASKED = {
    "one_shot": "all criteria in one request (one_shot)",
    "per_criterion": "one request per criterion (per_criterion)",
    "double_pass": "all criteria twice, the second time in reverse order (double_pass)",
    "holistic": "one score for the whole response (holistic)",
}
"""Descriptions of the strategies."""
DRAWN_BY = {"random": "at random", "by-verdict": "by the judge's verdict", "chosen": "with known chances"}
UNREAD = (
    "The model answered, but not in the form it was asked for, so labels and API key aren't the cause. Don't use this "
    "judge: until its answers can be read, how good it is isn't known."
)
FAILED = "The judge failed; labels and rubric are fine. Don't use it: how good it is isn't known."
EXACT = 1e-6
"""A tolerance that includes no neighbouring level."""


def view(calibration: Calibration) -> doc.Document:
    """The whole report."""
    comparison, name = calibration.comparison, calibration.rubric.name
    return doc.Document(
        title=f"{name} · {calibration.rater.name} · {_labels_in_short(comparison)}",
        source=_source(calibration),
        blocks=(
            callout(calibration),
            agreement_bars(comparison, calibration.decision.target),
            tiles(comparison),
            doc.Notes(tuple(_warnings(calibration))),
            doc.Section("Fix first", (*_fixes(calibration), *_rewording(calibration)), "fix"),
        ),
        sections=tuple(_sections(calibration)),
        more=_run(calibration, "calibrate", " --html report.html"),
    )


def _sections(calibration: Calibration) -> Iterator[doc.Section]:
    comparison = calibration.comparison
    yield doc.Section("Criteria", tuple(_criteria(comparison, calibration.findings)), "criteria")
    examples = examples_of(comparison, calibration.slices)
    differ: list[doc.Block] = [doc.Paragraph((_how_many_differ(comparison),))] if examples.differing else []
    yield doc.Section("Examples to read first", (doc.OnPages((scatter(comparison),)), *differ, examples), "examples")
    yield _annotators(calibration)
    accept = _run(calibration, "calibrate", " --accept")
    yield drift.section(calibration.baseline, accept, is_usable=calibration.decision.use in USABLE)
    if calibration.slices:
        yield doc.Section("Slices", tuple(_slices(calibration.slices)), "slices")
    yield doc.Section("What was run", (doc.Facts(tuple(_facts(calibration))),), "run")


def _labels_in_short(comparison: Comparison) -> str:
    gold = comparison.gold
    kinds = ", ".join(
        counted(n, *KINDS.get(kind, (f"{kind} rater", f"{kind} raters"))) for kind, n in gold.kinds.items()
    )
    return f"{counted(len(gold.ids), 'example')}, {kinds}"


def _source(calibration: Calibration) -> str:
    """Where the judge's replies come from: the only line in which a recorded run differs from a live one."""
    rater = calibration.rater
    match rater.source:
        case "live":
            kept = counted(calibration.counts.from_cache, "reply", "replies")
            return f"Live: {counted(calibration.cost.calls, 'call')}, {kept} from the cache."
        case "recorded":
            return f"Recorded replies, no calls: {rater.provenance}."
        case _:
            return f"Ratings from a file, no calls: {rater.provenance}." if rater.provenance else "Ratings from a file."


# --- the first screen -----------------------------------------------------------------------------------------------


def callout(calibration: Calibration) -> doc.Callout:
    """The use in words, its evidence, and what to run next."""
    decision, baseline = calibration.decision, calibration.baseline
    decides = "gates" if decision.use == "gate" else "is used for trends"
    moved = drift.headline(baseline, decides) if baseline is not None else None
    if not calibration.counts.graded:
        return doc.Callout("bad", "Nothing could be graded.", _why_nothing(calibration))
    if decision.because_code == "drift" and moved is not None:
        return moved
    found = _by_use(calibration)
    if moved is None or moved.tone != "note":
        return found
    if decision.use not in USABLE:
        return replace(found, text=f"{found.text} {moved.head} {moved.text}")
    overall = f"By the labels for the old wording, {decision.because[0].lower()}{decision.because[1:]}"
    again = _run(calibration, "label", " --rater YOUR-NAME")
    then = f"Only new labels show whether that holds under the new wording{':' if again else '.'}"
    return replace(moved, text=f"{moved.text} {overall} {then}", command=again)


def _unseen(calibration: Calibration) -> Iterator[doc.Line]:
    """Criteria whose levels differ by less than agreement of the score can detect."""
    comparison, target = calibration.comparison, calibration.decision.target
    if (comparison.agreement.value or 0.0) < target:
        return
    whole = sum(criterion.weight for criterion in comparison.rubric.criteria if criterion.weight > 0)
    for criterion in comparison.rubric.criteria:
        exact = comparison.criteria[criterion.name].statistics["exact_agreement"].value
        if exact is None or exact >= target or not criterion.scale.ordered or whole <= 0:
            continue
        step = abs(criterion.weight) / whole / (len(criterion.scale.levels) - 1)
        if step < comparison.tolerance:
            yield (
                f"Agreement hides {criterion.name}: judge and gold give it the same level on only {share(exact)} of "
                f"examples, but one level of it moves the score by {number(step)}, and scores less than "
                f"{comparison.tolerance:g} apart agree."
            )


def _run(calibration: Calibration, command: str, options: str = "") -> str:
    """A command on the same rubric; "" if there is none."""
    if command == "calibrate":
        options = f"{calibration.rater.options}{options}"
    elif not calibration.rater.has_rubric:
        return ""
    return f"markscheme {command} {_named(calibration)}{options}"


def _named(calibration: Calibration) -> str:
    return calibration.rater.named or calibration.rubric.name


def _by_use(calibration: Calibration) -> doc.Callout:
    decision, because = calibration.decision, calibration.decision.because
    reference = calibration.comparison.gold.reference
    match decision.verdict, decision.use:
        case "ok", "gate":
            return doc.Callout("good", "Can gate.", f"{because}{_how_drawn(calibration)}")
        case "ok", "trend":
            why = "One annotator per example." if reference == "one-person" else "The labels are not blind."
            return doc.Callout("trend", TRENDS, f"{why} {because} {TREND}{_how_drawn(calibration)}")
        case "labels-disagree", "trend":
            return doc.Callout("trend", TRENDS, f"{because} {TREND}")
        case "adjust", _:
            return doc.Callout("bad", "Don't use this judge yet.", f"{because} {UNUSABLE}")
    if not calibration.comparison.gold.has_people:
        kind = "synthetic labels only" if reference == "constructed" else "labels by a model only"
        agreement = share(calibration.comparison.agreement.value)
        text = f"Agreement {agreement} shows that the pipeline works, not that people would agree. {EXPLORE}"
        return _with_plan(doc.Callout("open", f"Can't tell whether it can gate: {kind}.", text), calibration)
    if decision.verdict == "labels-disagree":
        head, command = "These labels don't show whether it can gate.", _run(calibration, "adjudicate")
        return doc.Callout("open", head, f"{because} {EXPLORE} {ADJUDICATE_FIRST}{':' if command else '.'}", command)
    head = NOT_BETTER if decision.because_code == "constant-open" else TOO_FEW
    return _with_plan(doc.Callout("open", head, f"{because} {EXPLORE}"), calibration)


def _how_drawn(calibration: Calibration) -> str:
    """What the figures can't show, where nobody recorded how the examples were drawn."""
    if all(example.drawn for example in calibration.comparison.gold.examples):
        return ""
    return " That holds for outputs like these. How they were drawn isn't recorded: check that they are typical."


def _with_plan(found: doc.Callout, calibration: Calibration) -> doc.Callout:
    """The callout, with the command that plans labels added if more labels would give an answer."""
    needed = calibration.decision.labels_needed
    if needed is None:
        return found
    text = f"Label at least {needed:,} by hand (enough if people agree with the judge on {ASSUMED_AGREEMENT:.0%})"
    if calibration.comparison.gold.has_people:
        grouped = calibration.comparison.figures.agreement.design_effect > NEARLY_ALONE
        text = f"Label about {needed:,} more (if the figures stay as they are)" + (
            ", fewer if they come from new groups" if grouped else ""
        )
    command = _run(calibration, "label", f" --next {needed} --pool {POOL}")
    return replace(found, text=f"{found.text} {text}{OUT_OF_POOL if command else '.'}", command=command)


def _why_nothing(calibration: Calibration) -> str:
    """How many examples are ungraded, why most of them are, and who can fix it."""
    counts, unread = calibration.counts, any(finding.code == "unreadable" for finding in calibration.findings)
    reasons = Counter(calibration.reasons_not_graded.values()).most_common(1)
    why = f" (“{cut_short(reasons[0][0])}”)" if reasons else ""
    ungraded = f"{counts.not_graded} of {counted(counts.examples, 'example')} got no score{why}."
    return f"{ungraded} {UNREAD if unread else FAILED}"


def agreement_bars(comparison: Comparison, target: float) -> doc.Bars:
    """Agreement of the judge, the baseline and the annotators, and the target, on one scale."""
    known = comparison
    if np.isnan(comparison.scores).all():
        known = replace(comparison, judge_name=comparison.gold_name)
    person = known.agreement_person
    between = "" if person is None else "Annotators: two of them, compared in the same way. "
    return doc.Bars(
        (
            ("judge", share_mark(comparison.agreement)),
            ("baseline", share_mark(known.agreement_constant, "baseline")),
            *([("annotators", share_mark(person, "annotators"))] if person is not None else []),
            ("target", doc.Mark(share(target), target, role="target")),
        ),
        f"Agreement (two-sided 95% CI): share of examples on which the judge's score is less than "
        f"{comparison.tolerance:g} from gold, the score of the labels (of several, their median). "
        f"Baseline: always giving the one score that agrees most often. {between}"
        f"Pass mark {comparison.rubric.pass_mark:g}.",
    )


def tiles(comparison: Comparison) -> doc.Tiles:
    """False passes and false fails: count, total, share with its 95% CI, and ids."""
    passes, fails = doc.Ids(tuple(comparison.false_passes)), doc.Ids(tuple(comparison.false_fails))
    return doc.Tiles(
        (
            ("False passes", _wrong(passes, comparison.false_pass_rate, "fail"), passes, "false-pass"),
            ("False fails", _wrong(fails, comparison.false_fail_rate, "pass", "passes"), fails, "false-fail"),
        )
    )


def _wrong(wrong: doc.Ids, rate: Estimate, *decision: str) -> str:
    """The number of wrong decisions, out of how many by gold, and their share."""
    if rate.value is None:
        return NONE
    return f"{len(wrong.ids)} of {counted(rate.n, *decision)}, {share_with_ci(rate)}"


def _warnings(calibration: Calibration) -> Iterator[doc.Line]:
    """Caveats that apply to every figure on the page."""
    counts, gold = calibration.counts, calibration.comparison.gold
    if not gold.has_people:
        yield f"Warning: {LABELS[gold.reference]}; agreement with them is no evidence about people."
    yield from _unseen(calibration)
    ties = calibration.comparison.ties
    if ties.count:
        yield _ties_line(calibration)
    if gold.not_blind:
        yield f"Warning: {counted(gold.not_blind, 'label')} not blind (given with the judge's verdict visible)."
    kin = kinship(calibration.rater.models, (example.system for example in gold.examples))
    if kin:
        yield f"Warning: {kin}."
    if counts.not_graded and counts.graded:
        reasons = Counter(calibration.reasons_not_graded.values()).most_common(MOST_REASONS)
        why = "; ".join(f"{n} × {cut_short(reason)}" for reason, n in reasons)
        yield f"{counts.not_graded} of {counted(counts.examples, 'example')} not graded, in no score: {why}."
    if counts.unread:
        yield f"{counted(counts.unread, 'verdict')} unreadable, even when asked again; excluded."
    if counts.abstained:
        yield f"{counted(counts.abstained, 'abstention')}; excluded."
    if counts.quotes_not_found:
        yield f"{counts.quotes_not_found} of {counted(counts.quotes, 'quote')} not found in what the judge saw."
    if counts.stale_labels:
        yield f"{counted(counts.stale_labels, 'label')} given for another wording (stale); they still count."
    if gold.set_aside:
        yield f"{counted(gold.set_aside, 'example')} without human labels excluded."
    uneven = sum(example.weight != 1 for example in gold.examples)
    if uneven:
        yield (
            f"{counted(uneven, 'example')} drawn with unequal chances: these figures describe the labelled examples; "
            "markscheme pass-rate weights them."
        )
    if calibration.openings is not None:
        yield openings_line(calibration.openings)


def _ties_line(calibration: Calibration) -> str:
    """How many examples differ from gold by exactly the tolerance, and what counting them as agreement would change."""
    ties, decision = calibration.comparison.ties, calibration.decision
    both = (
        f"agreement {share(ties.agreement.value)} without them, {share(_with_ties(calibration.comparison).value)} with"
    )
    line = f"{counted(ties.count, 'example')} exactly at the tolerance count as misses: {both}"
    if decision.verdict_with_ties not in (None, decision.verdict):
        line += f"; counting them would make the verdict {decision.verdict_with_ties}"
    return f"Warning: {line}; markscheme lint says which tolerance avoids them." if ties.flagged else f"{line}."


def _with_ties(comparison: Comparison) -> Estimate:
    """Agreement if examples exactly at the tolerance counted."""
    return comparison.ties.agreement_with_ties.estimate(method="agreement within or at tolerance")


def openings_line(openings: Openings) -> str:
    """How often the test labels were looked at, in a sentence."""
    looks, of = len(openings.all), f"Test labels of {counted(openings.n, 'example')}"
    if not looks:
        return f"{of}: never opened."
    times = "once" if looks == 1 else f"{looks} times"
    same = "" if openings.of_these == looks else f", {openings.of_these} of them as they are now"
    span = openings.all[0].at if looks == 1 else f"{openings.all[0].at} to {openings.all[-1].at}"
    return f"{of}: opened {times}{same} ({span}). An edit made after a look makes the next result too optimistic."


# --- what to fix ----------------------------------------------------------------------------------------------------


def _rewording(calibration: Calibration) -> Iterator[doc.Block]:
    """The command to rewrite the words and test the new ones, if the words are the likely cause."""
    worded = [finding for finding in calibration.findings if finding.code in OF_WORDS]
    first = any(finding.code in LABELS_FIRST for finding in calibration.findings)
    if worded and not first and calibration.rater.has_rubric:
        table, needed = calibration.comparison.table, labels_needed(held_out_needed())
        tasks = len(set(table.groups or table.ids))
        names = ", ".join(dict.fromkeys(finding.criterion or "all criteria" for finding in worded))
        command = doc.Code(_run(calibration, "improve", f" --proposer {_model(calibration.rater)}"))
        of_gain = "finding a gain of 10 points in agreement with 80% probability"
        of = "tasks" if table.groups else "examples"
        enough = (
            f"{tasks} labelled {of} {'may be too few' if tasks < needed else 'are enough'}: {of_gain} takes {needed}"
        )
        yield doc.Notes(((f"To have the wording of {names} rewritten and tested: ", command, f" ({enough})."),))


def _model(rater: Rater) -> str:
    """A model for the command: the judge if its name is one that can be asked, else the default."""
    return shlex.quote(rater.name) if rater.name.startswith(("anthropic:", "openai:")) else "anthropic"


def by_cause(findings: Sequence[Finding]) -> list[list[Finding]]:
    """Findings grouped by cause, separately for criteria and the whole. Order: what makes all else unreadable, labels
    and drift, the largest effect, and last what more labels might show.

    A judge's error on a criterion that drifted is part of that drift, whose finding already includes its agreement.
    """
    moved = {finding.criterion for finding in findings if finding.code == "drift"}
    groups: dict[tuple[str, bool], list[Finding]] = defaultdict(list)
    for finding in findings:
        if finding.code == "drift-gold" and finding.criterion in moved:
            continue
        is_part = finding.criterion in moved and finding.code in OF_A_MOVE
        groups["drift" if is_part else finding.code, finding.criterion is None].append(finding)
    return sorted(groups.values(), key=lambda group: _rank(group[0]))


def _rank(finding: Finding) -> int:
    if finding.code == "unreadable" and finding.severity == "high":
        return 0
    return 1 if finding.code in LABELS_FIRST else 3 if finding.code == "too-few-labels" else 2


def _fixes(calibration: Calibration) -> Iterator[doc.Block]:
    """What to do, one card per cause, without repeating the callout."""
    shown = [finding for finding in calibration.findings if not _is_in_callout(finding, calibration.decision)]
    if not calibration.counts.graded:
        shown = [finding for finding in shown if finding.code in KNOWN_WITHOUT_SCORES] or shown
    if shown:
        places = {name: f"c{place}" for place, name in enumerate(calibration.comparison.criteria)}
        yield doc.Cards(tuple(_card(group, calibration, places) for group in by_cause(shown)))
    elif not calibration.findings:
        yield doc.Paragraph((_first_step(calibration),))
    needed = calibration.decision.labels_needed if calibration.comparison.gold.has_people else None
    every = "The pool should hold outputs of every quality, so that each level occurs."
    for one in calibration.findings:
        if one.code == "too-few-labels" and one not in shown:
            yield doc.Paragraph((f"{one.message} {one.suggestion if needed is None else every}",))
    is_file = calibration.rater.source == "ratings" and calibration.rater.has_rubric
    if is_file and any(finding.code not in NO_EDIT for finding in shown):
        then = "The ratings came from a file: after an edit, let the judge grade again, replace the file, then "
        yield doc.Paragraph(((then, doc.Code(_run(calibration, "calibrate"))),))


def _is_in_callout(finding: Finding, decision: Decision) -> bool:
    """Whether the callout already says it: how many labels are missing, or that one constant score does better."""
    if finding.code == "too-few-labels":
        return decision.labels_needed is not None
    return finding.code == "no-skill" and "gain" in finding.evidence and decision.because_code in BASELINE_NAMED


def _card(group: Sequence[Finding], calibration: Calibration, places: dict[str, str]) -> doc.Card:
    first, cause = group[0], _cause(group[0])
    causes = [finding for finding in group if finding.code == first.code]
    if len(causes) > 1:
        where = f"{len(causes)} criteria" if first.criterion is not None else f"{len(causes)} findings"
        title: doc.Line = f"{where} · {cause}"
    elif first.criterion is not None:
        title = doc.Name(first.criterion, places.get(first.criterion, ""))
    else:
        title = cause[:1].upper() + cause[1:]
    return doc.Card(
        title=title,
        text=_said_once(first, calibration) if len(causes) == 1 else "",
        severity=first.severity,
        code=first.code,
        rows=tuple(_row(finding, places) for finding in causes if len(causes) > 1)
        + tuple(
            f"Probably part of this change: {_message(finding) if len(causes) == 1 else finding.message}"
            for finding in group
            if finding not in causes
        ),
        advice=tuple(dict.fromkeys(finding.suggestion for finding in causes if finding.suggestion)),
        command=_command(first, calibration),
        examples=doc.Ids(tuple(dict.fromkeys(unit for finding in group for unit in finding.examples))),
    )


def _said_once(finding: Finding, calibration: Calibration) -> str:
    """A finding's message; if the callout already has the message, its cause in a few words."""
    baseline = calibration.baseline
    in_callout = baseline is not None and finding.message in baseline.headline
    return CAUSES[finding.code] if in_callout else _message(finding)


def _row(finding: Finding, places: dict[str, str]) -> doc.Line:
    if finding.criterion is None:
        return finding.message
    return doc.Name(finding.criterion, places.get(finding.criterion, "")), f" · {_message(finding)}"


def _message(finding: Finding) -> str:
    """A finding's message without the leading name of the criterion, which is in the title."""
    return finding.message.removeprefix(f"{finding.criterion}: ")


def _command(finding: Finding, calibration: Calibration) -> str:
    """The command that follows the advice or checks whether it helped; "" if there is no single one."""
    is_asked = calibration.rater.source != "ratings"
    match finding.code:
        case "ambiguous":
            return _run(calibration, "adjudicate")
        case "stale-labels":
            return _run(calibration, "label")
        case "too-few-labels":
            return _run(calibration, "label", f" --next 30 --pool {POOL}")
        case "unreadable" if calibration.rater.has_rubric and calibration.rubric.strategy != "per_criterion":
            judge = calibration.rater.options if is_asked else f" --judge {_model(calibration.rater)}"
            return f"markscheme calibrate {_named(calibration)}{judge} --strategy per_criterion"
        case "noisy" if not finding.evidence.get("told_apart", True):
            return _run(calibration, "label", " --rater annotator-2")
        case "drift" | "drift-gold" | "unsteady-judge" | "noisy" if is_asked and not finding.evidence.get("own_edit"):
            option = next((f" {one}" for one in ASKED_AGAIN if one in finding.suggestion), "")
            return _run(calibration, "calibrate", option)
        case "drift" | "drift-gold":
            is_usable = finding.evidence.get("own_edit") and calibration.decision.use in USABLE
            return _run(calibration, "label", " --rater YOUR-NAME") if is_usable else ""
        case _:
            return _run(calibration, "calibrate") if is_asked else ""


def _first_step(calibration: Calibration) -> str:
    """What to do if there is no finding."""
    if not calibration.comparison.gold.has_people:
        return "No issues found, but only against labels that no annotator gave."
    match calibration.decision.verdict:
        case "ok":
            return "Nothing: no issues found."
        case "adjust":
            return "No single cause found: read the examples below."
        case _:
            return "No issues found, but too few labels to tell: label more examples."


# --- criteria -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CriterionFigure:
    """A statistic per criterion: a column of the criteria table, the same in every format.

    Attributes:
        heading: Heading of the column.
        estimate: The statistic of one criterion.
        cell: Formats it.
    """

    heading: str
    estimate: Callable[[CriterionComparison], Estimate]
    cell: Callable[[Estimate], doc.Line]


CRITERION_FIGURES = (
    CriterionFigure("same level", lambda found: found.statistics["exact_agreement"], share_mark),
    CriterionFigure("kappa", lambda found: found.headline, coefficient),
)
"""Columns of the criteria table before the bias, which is drawn on one scale for all criteria."""
FIGURES = (*(figure.heading for figure in CRITERION_FIGURES), "bias, levels")
"""Headings of the figures in `criterion_rows`."""


def _criteria(comparison: Comparison, findings: Sequence[Finding] = (), of: str = "") -> Iterator[doc.Block]:
    rows = tuple(criterion_rows(comparison, findings, of))
    yield doc.Table(("Criterion", *FIGURES, ""), rows)
    yield doc.Notes(tuple(_criteria_notes(comparison)))
    yield doc.Paragraph((overall_line(comparison),))
    yield doc.OnPages(tuple(_criterion(place, one, of) for place, one in enumerate(comparison.criteria.values())))


def against_gold(comparison: Comparison, target: float, of: str) -> Iterator[doc.Block]:
    """A judge against gold without a decision, as one of several on a page; `of` distinguishes their tags."""
    yield agreement_bars(comparison, target)
    yield scatter(comparison)
    yield from _criteria(comparison, of=of)


def criterion_rows(
    comparison: Comparison, findings: Sequence[Finding] = (), of: str = ""
) -> Iterator[tuple[doc.Line, ...]]:
    """For each criterion: its name, its figures, bias in levels, and findings."""
    criteria = comparison.criteria.values()
    part = reach((found.statistics["signed_error"], found.criterion.scale.span) for found in criteria)
    for place, (name, found) in enumerate(comparison.criteria.items()):
        causes = dict.fromkeys(_cause(one) for one in findings if one.criterion == name)
        yield (
            doc.Name(name, f"{of}c{place}"),
            *(figure.cell(figure.estimate(found)) for figure in CRITERION_FIGURES),
            shift_mark(found.statistics["signed_error"], part * found.criterion.scale.span),
            ", ".join(causes),
        )


def _cause(finding: Finding) -> str:
    """A finding in a few words."""
    is_either = finding.code == "noisy" and not finding.evidence.get("told_apart", True)
    return "noisy judge or labels" if is_either else CAUSES.get(finding.code, finding.code)


def _criteria_notes(comparison: Comparison) -> Iterator[doc.Line]:
    shown = [
        (name, what, estimate)
        for name, found in comparison.criteria.items()
        for what, estimate in (
            *((figure.heading, figure.estimate(found)) for figure in CRITERION_FIGURES),
            ("bias", found.statistics["signed_error"]),
        )
    ]
    figures = [comparison.agreement, comparison.agreement_constant, *comparison.overall.values()]
    some = any(map(is_approximate, (*figures, *(estimate for *_, estimate in shown))))
    in_order = any(criterion.scale.ordered for criterion in comparison.rubric.criteria)
    weights = ", weighted by squared distance where levels have an order" if in_order else ""
    yield (
        f"Same level: as gold. Kappa: agreement beyond chance{weights}. Bias: judge minus gold. 95% CIs"
        + ("; ~ approximate." if some else ".")
    )
    silent = {name for name, found in comparison.criteria.items() if np.isnan(found.judge).all()}
    yield from (f"– {name}: the judge gave no level." for name in silent)
    yield from (
        f"– {name}, {what}: {one.undefined}." for name, what, one in shown if one.undefined and name not in silent
    )
    yield from (f"{name}, {what}: no interval, {why}." for name, what, one in shown if (why := why_no_interval(one)))


def overall_line(comparison: Comparison) -> str:
    """The whole score in figures."""
    o = comparison.overall
    if comparison.agreement.value is None:
        return "Whole score: no example has both a label and a judge's score."
    mae, bias = with_interval(o["mae"]), with_signed_interval(o["signed_error"])
    errors = f"mean absolute error (MAE) {mae}, bias {bias}; "
    in_order = any(criterion.scale.ordered for criterion in comparison.rubric.criteria)
    why = why_no_interval(o["pass_kappa"])
    kappa = f"kappa {coefficient(o['pass_kappa'])}{f' (no interval, {why})' if why else ''}"
    passing = o["prevalence_gold"].value or 0.0
    always = f"always {'passing' if passing >= 0.5 else 'failing'} would be right on {share(max(passing, 1 - passing))}"
    return (
        f"Whole score: {errors if in_order else ''}same pass/fail decision as gold "
        f"{share_with_interval(o['accuracy'])}, {kappa}; {always}. "
        f"Passes: gold {share(o['prevalence_gold'].value)}, judge {share(o['prevalence_judge'].value)}."
    )


def _criterion(place: int, found: CriterionComparison, of: str = "") -> doc.Section:
    """One criterion in detail: its confusion matrix, and agreement compared with annotators, baseline and chance."""
    criterion = found.criterion
    both = ~np.isnan(found.gold) & ~np.isnan(found.judge)
    apart = int((found.gold[both] != found.judge[both]).sum())
    between = " A level between two is the median of labels that differ." if _has_between(found) else ""
    differing = (
        "Another level than gold on ",
        doc.Count(apart, criterion_tag(place, of)),
        f" of {int(both.sum())} examples.",
    )
    return doc.Section(
        criterion.name,
        (
            doc.Paragraph((f"{criterion.requirement} (weight {criterion.weight:g})", differing)),
            _matrix(place, found, f"Confusion matrix: rows are gold, columns the judge.{between}", of),
            doc.Bars(tuple(_criterion_bars(found)), "Share of examples on the same level"),
        ),
        f"{of}c{place}",
    )


def _has_between(found: CriterionComparison) -> bool:
    return len(found.levels_given) > len(set(found.criterion.scale.values))


def _criterion_bars(found: CriterionComparison) -> Iterator[tuple[str, doc.Mark]]:
    both = ~np.isnan(found.gold) & ~np.isnan(found.judge)
    yield "judge", share_mark(found.statistics["exact_agreement"])
    if found.people.size and ((~np.isnan(found.people)).sum(axis=1) >= 2).any():
        people = agreement(found.people, "percent_agreement", levels=found.criterion.scale.values)
        yield "annotators", share_mark(people, "annotators")
    yield "baseline", share_mark(agreement_constant(found.gold[both], EXACT), "baseline")
    if both.any():
        by_chance = sum(
            float((found.gold[both] == level).mean() * (found.judge[both] == level).mean())
            for level in found.levels_given
        )
        yield "chance", doc.Mark(share(by_chance), by_chance, role="chance")


def _matrix(place: int, found: CriterionComparison, caption: str, of: str) -> doc.Table:
    levels = found.levels_given
    counts = confusion(found.gold, found.judge, levels)
    of_scale = np.isin(levels, found.criterion.scale.values)
    rows, columns = (np.flatnonzero(of_scale | (counts.sum(axis=axis) > 0)).tolist() for axis in (1, 0))
    names = [level_name(found.criterion, level) for level in levels]

    def cell(row: int, column: int) -> doc.Count:
        says = f"{found.criterion.name}, gold {names[row]}, judge {names[column]}"
        return doc.Count(int(counts[row, column]), cell_tag(place, row, column, of), row != column, says)

    body = tuple((names[row], *(cell(row, column) for column in columns)) for row in rows)
    return doc.Table(("gold ↓ judge →", *(names[column] for column in columns)), body, caption, is_matrix=True)


def scatter(comparison: Comparison) -> doc.Scatter:
    """The judge's scores against gold's."""
    together: dict[tuple[float, float, bool], list[str]] = defaultdict(list)
    for place, unit in enumerate(comparison.gold.ids):
        gold, judge = float(comparison.gold.scores[place]), float(comparison.scores[place])
        if not (math.isnan(gold) or math.isnan(judge)):
            together[round(gold, 3), round(judge, 3), is_off(comparison, place)].append(unit)
    dots = [
        doc.Dot(gold, judge, tuple(ids), off, f"gold {number(gold)}, judge {number(judge)}: {len(ids)}")
        for (gold, judge, off), ids in together.items()
    ]
    n, off = sum(len(dot.ids) for dot in dots), sum(len(dot.ids) for dot in dots if dot.off)
    return doc.Scatter(
        tuple(sorted(dots, key=lambda dot: (dot.off, -len(dot.ids)))),
        comparison.tolerance,
        comparison.rubric.pass_mark,
        f"Scores of {counted(n, 'example')}: {off} off gold by {comparison.tolerance:g} or more (hollow). "
        f"Larger points are more examples; dotted lines are the pass mark, {comparison.rubric.pass_mark:g}.",
    )


# --- annotators, slices, run ----------------------------------------------------------------------------------------


def _annotators(calibration: Calibration) -> doc.Section:
    gold, criteria = calibration.comparison.gold, calibration.comparison.criteria
    lines: list[doc.Line] = [f"{_labels_in_short(calibration.comparison)}. Gold comes from {LABELS[gold.reference]}."]
    ceilings = [(name, found.ceiling) for name, found in criteria.items() if found.ceiling is not None]
    if not ceilings:
        is_one = gold.reference == "one-person" or not gold.has_people
        lack = f"{'No example has' if is_one else 'Too few examples have'} labels from two annotators"
        lines.append(f"{lack}: how well annotators agree with each other is not known.")
        return doc.Section("Annotators", (doc.Paragraph(tuple(lines)),), "annotators")
    headings = ("Criterion", "alpha between annotators", "alpha of judge and annotator", "")
    rows = tuple(
        (doc.Name(name), coefficient(one.people), coefficient(one.judge), _as_good(one)) for name, one in ceilings
    )
    notes = ["Krippendorff's alpha with its 95% CI: 1 is full agreement, 0 what chance gives."]
    notes += dict.fromkeys(f"No alpha (–): {one.people.undefined}." for _, one in ceilings if one.people.undefined)
    return doc.Section(
        "Annotators", (doc.Paragraph(tuple(lines)), doc.Table(headings, rows), doc.Notes(tuple(notes))), "annotators"
    )


def _as_good(ceiling: Ceiling) -> str:
    """The judge compared with an annotator, if annotators agree with each other at all."""
    people, judge = ceiling.people, ceiling.judge
    if people.value is None or judge.value is None:
        return NONE
    if people.value == judge.value == 1:
        return "judge and annotators always agree"
    if people.value <= 0 or (people.low is not None and people.low <= 0):
        return "annotators agree no better than by chance"
    if ceiling.as_good is None:
        return "not known whether as good as an annotator"
    return "as good as an annotator" if ceiling.as_good else "not shown to be as good as an annotator"


def _how_many_differ(comparison: Comparison) -> str:
    """How many scores differ, and in which order they are shown."""
    differing = int((np.nan_to_num(comparison.misses) != 0).sum())
    wrong = "wrong decisions, then the " if comparison.false_passes or comparison.false_fails else ""
    return (
        f"Scores differ on {differing} of {counted(len(comparison.ids), 'example')}. First: {wrong}largest differences."
    )


def _slices(slices: Sequence[Slice]) -> Iterator[doc.Block]:
    """Slices on which the judge does worse than on the rest; on pages, all slices."""
    worse = sorted((place for place, one in enumerate(slices) if one.stands_out), key=lambda place: slices[place].p)
    if worse:
        yield _slice_table(slices, worse)
    else:
        yield doc.Paragraph((f"None of {len(slices)} slices does worse than the rest.",))
    rest = sorted(set(range(len(slices))) - set(worse), key=lambda place: slices[place].agreement.value or 0.0)
    if rest:
        yield doc.OnPages((doc.Paragraph(("The other slices:",)), _slice_table(slices, rest)))


def _slice_table(slices: Sequence[Slice], places: Sequence[int]) -> doc.Table:
    headings = ("Slice", "examples", "agreement", "elsewhere", "bias", "criteria")
    rows = tuple(
        (
            doc.Name(f"{one.part.by}: {one.part.name}"),
            doc.Count(one.n, slice_tag(place), says=f"{one.part.by} {one.part.name}"),
            share_mark(one.agreement),
            share(one.rest),
            with_signed_interval(one.signed_error),
            ", ".join(one.criteria),
        )
        for place, one in ((place, slices[place]) for place in places)
    )
    return doc.Table(headings, rows)


def _facts(calibration: Calibration) -> Iterator[tuple[str, str]]:
    rater, rubric, gold = calibration.rater, calibration.rubric, calibration.comparison.gold
    yield "rubric", f"{rubric.name} ({rubric.fingerprint})"
    if rater.source != "ratings":
        yield "prompt wording", template_fingerprint()
    yield "judge", f"{rater.name} ({rater.fingerprint or 'ratings only, no fingerprint'})"
    if rater.answered_by:
        yield "answered by", ", ".join(rater.answered_by)
    yield "labels", f"{counted(len(gold.ids), 'example')}, {LABELS[gold.reference]}"
    if rater.source != "ratings":
        samples = "" if rubric.samples == 1 else f", {rubric.samples} samples (median level)"
        yield "asked", f"{ASKED[rubric.strategy]}{samples}"
    drawn = Counter(DRAWN_BY.get(example.drawn or "", "not recorded") for example in gold.examples)
    yield "examples drawn", ", ".join(f"{what} ({n})" if len(drawn) > 1 else what for what, n in drawn.items())
    yield "graded", f"{calibration.counts.graded} of {counted(calibration.counts.examples, 'example')}"
    yield "cost", cost_line(calibration.cost)
    if calibration.baseline is not None:
        accepted = calibration.baseline.since.accepted
        yield "accepted run", f"{accepted.date}, {accepted.digest} ({accepted.path})"


def cost_line(cost: Usage) -> str:
    """Calls, tokens and dollars, as far as they are known."""
    if not cost.calls:
        return "none (no calls)"
    read, written = cost.input_tokens, cost.output_tokens
    tokens = "" if read is None or written is None else f", {read + written:,} tokens"
    usd = "price unknown" if cost.usd is None else f"${cost.usd:.4f}"
    batches = "" if cost.batched_usd is None else f", ${cost.batched_usd:.4f}"
    in_batches = f" ({cost.batched:,} in batches at half price{batches})" if cost.batched else ""
    return f"{counted(cost.calls, 'call')}{tokens}, {usd}{in_batches}"


# --- JSON -----------------------------------------------------------------------------------------------------------


def json_of(calibration: Calibration) -> dict[str, Any]:
    """The calibration by the keys of the file format."""
    comparison, decision = calibration.comparison, calibration.decision
    ties = comparison.ties
    return {
        "schema": 1,
        "rubric": attributes(calibration.rubric, "name fingerprint"),
        "judge": attributes(calibration.rater, "name fingerprint source provenance"),
        **attributes(calibration, "counts not_graded_because=reasons_not_graded"),
        **attributes(comparison, "agreement agreement_constant agreement_person agreement_with_person gain"),
        "ties": {
            **attributes(ties, "n=count flagged"),
            "inclusive": _with_ties(comparison),
            "verdict": decision.verdict_with_ties,
        },
        "tolerance": comparison.tolerance,
        "target": decision.target,
        "examples": comparison.gold.ids,
        "rated": _rated(comparison),
        "drift": comparison.misses,
        "needs_adjustment": decision.needs_adjustment,
        "overall": {**comparison.overall, "within_tolerance": comparison.agreement},
        "criteria": {n: {**one.statistics, "confusion": one.confusion} for n, one in comparison.criteria.items()},
        "raters": _raters(comparison),
        **attributes(comparison, "false_passes false_fails"),
        "baseline": drift.json_of(calibration.baseline),
        **attributes(calibration, "test_labels=openings findings slices"),
        **attributes(decision, "verdict because because_code use labels_needed"),
        "cost": calibration.cost.to_json(),
    }


def _rated(comparison: Comparison) -> dict[str, Any]:
    """Scores, decisions and levels of judge and gold, one per example in the order of `examples`; null if missing."""
    gold, criteria = comparison.gold, comparison.criteria
    return {
        "responses": [fingerprint(example.submission.response) for example in gold.examples],
        "groups": [example.group or None for example in gold.examples],
        "gold": _given(gold.scores, gold.decisions, {name: gold.levels[name] for name in criteria}),
        "judge": _given(comparison.scores, comparison.passes, {name: one.judge for name, one in criteria.items()}),
        "drawn": [example.drawn for example in gold.examples],
        "weight": [example.weight for example in gold.examples],
        "stratum": [example.stratum or None for example in gold.examples],
    }


def _given(scores: Any, passes: Any, levels: Any) -> dict[str, Any]:
    decisions = [None if math.isnan(value) else bool(value) for value in passes.tolist()]
    return {"overall": scores, "pass": decisions, "criteria": levels}


def _raters(comparison: Comparison) -> dict[str, Any]:
    ceilings = {name: one.ceiling for name, one in comparison.criteria.items() if one.ceiling is not None}
    known = "people judge gap as_good_as_a_person=as_good"
    return {
        **attributes(comparison.gold, "kinds reference not_blind"),
        "ceiling": {name: attributes(one, known) for name, one in ceilings.items()} or None,
    }
