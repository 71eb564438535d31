"""The report on the weights and the pass mark that decisions support."""

from collections.abc import Iterator
from typing import Any

from markscheme.features.improve.fitting.chances import chances_of, in_tenths, simulated_size
from markscheme.features.improve.fitting.evidence import LEAST, PER_WEIGHT, DecisionEvidence, WholeDecision
from markscheme.features.improve.fitting.numbers_fit import ALPHA_WEIGHTS
from markscheme.features.improve.fitting.proposal import ALPHA_MARK, share_right
from markscheme.features.improve.fitting.run import NumbersRun, ScoresRun
from markscheme.features.improve.least_labels import LEAST_OF_EACH
from markscheme.phrases import brief, counted, in_words, percent, signed
from markscheme.report import document as doc
from markscheme.report.figures import cut_short, share_with_interval, with_interval

RESPONSE_SHOWN = 60
"""Largest number of characters of a response that are shown."""


def plural(evidence: DecisionEvidence) -> str:
    """Return what the fit's evidence is called: "preferences" for pairs, else "decisions"."""
    return "preferences" if evidence.is_paired else "decisions"


def counted_evidence(evidence: DecisionEvidence) -> str:
    """Format the number of decisions or preferences, as in "60 pass/fail decisions on 40 tasks".

    The tasks are left out if each has only one decision.
    """
    decisions = counted(len(evidence.decisions), "preference" if evidence.is_paired else "pass/fail decision")
    return f"{decisions} on {counted(len(evidence.tasks), 'task')}" if has_repeated_tasks(evidence) else decisions


def has_repeated_tasks(evidence: DecisionEvidence) -> bool:
    """Return True if some task has several decisions; a fit counts tasks, not decisions."""
    return len(evidence.tasks) < len(evidence.decisions)


def sides_in_words(evidence: DecisionEvidence) -> str:
    """Format how many examples (or tasks) pass, fail, and are evenly split between passes and fails."""
    tasks = "tasks " if has_repeated_tasks(evidence) else ""
    split = len(evidence.tasks) - evidence.passes - evidence.fails
    return f"{evidence.passes} {tasks}pass, {evidence.fails} fail{f', {split} evenly split' if split else ''}"


def columns_in_words(evidence: DecisionEvidence) -> str:
    """Return why only a pass mark can be fitted and no weights: too few criteria that vary, or too few decisions."""
    k = len(evidence.tuned)
    if k < 2:
        return f"{k} of the criteria varies enough, two are needed"
    return f"{counted(k, 'weight')} need {PER_WEIGHT * k} {plural(evidence)}"


def lack_in_words(evidence: DecisionEvidence) -> str:
    """Return why neither weights nor a pass mark can be fitted; "" if one of them can."""
    decided = counted_evidence(evidence)
    settled = evidence.without_levels.get("required-failed", 0)
    levels = sum(evidence.without_levels.values()) - settled
    aside = f"; {counted(settled, 'other')} on responses that fail a required criterion" if settled else ""
    aside += f"; {counted(levels, 'other')} without levels that count" if levels else ""
    aside += f"; {evidence.not_blind} given next to a verdict" if evidence.not_blind else ""
    tasks = " tasks" if has_repeated_tasks(evidence) else ""
    match evidence.lack:
        case None:
            return ""
        case "pairs":
            return f"{evidence.rubric.name} compares pairs, which have no pass mark"
        case "categories":
            return f"{evidence.rubric.name} has categories alone, and no weights or pass mark"
        case "no-decisions" if evidence.pairs is not None:
            outputs = f"outputs of {evidence.rubric.name}"
            return (
                f"nobody said in {evidence.pairs.name} which of two {outputs} is better, blind and with levels "
                f"of both{aside}"
            )
        case "no-decisions":
            return f"nobody said whether a whole response passes, blind and with levels{aside}"
        case "not-blind":
            decided = counted(evidence.not_blind, "preference" if evidence.is_paired else "decision")
            return f"{decided} were given next to a verdict, and none blind"
        case "too-few":
            return f"{decided} by annotators with their own levels{aside}; {LEAST}{tasks} are needed"
        case "one-sided" if evidence.is_paired:
            clear = evidence.passes + evidence.fails
            return f"{decided}, {clear} of them for one side; {LEAST_OF_EACH} such are needed"
        case "one-sided":
            sides = f"{counted(evidence.passes, 'pass', 'passes')} and {counted(evidence.fails, 'fail')}"
            return f"{sides}{aside}; {LEAST_OF_EACH} of each are needed"
        case "one-column":
            return columns_in_words(evidence)


def numbers_view(run: NumbersRun, *, next_step: tuple[str, str] | None = None) -> doc.Document:
    """Render the result of fitting to decisions: weights and pass mark before and after, and the next step."""
    evidence = run.evidence
    tried = "weights" if evidence.is_paired else "weights and pass mark"
    title = f"{evidence.rubric.name} · {tried} · {counted_evidence(evidence)} by {in_words(evidence.raters)}"
    return doc.Document(title, "", tuple(_blocks(run)), tuple(_file(run)), onward=next_step)


def _blocks(run: NumbersRun) -> Iterator[doc.Block]:
    evidence = run.evidence
    proposal = run.proposal
    if proposal.adopted is None:
        yield doc.Callout("open", "Yours stay.", _why_yours_stay(run))
        yield from _disagreements(run)
        return
    which = "Other weights fit" if proposal.adopted == "weights" else "Another pass mark fits"
    p = proposal.test.p if proposal.adopted == "weights" else proposal.mark_p
    gain, low, high = (signed(100 * share, 0) for share in proposal.gain.expected)
    points = "point" if gain in ("+1", "−1") else "points"
    yield doc.Callout(
        "good",
        f"{which}: the {plural(evidence)} speak against yours (p {brief(p or 0.0, 2)}).",
        f"Expect {gain} {points} ({low} to {high}) in {plural(evidence)} that agree with people's{_by_cost(run)}, "
        f"measured on {plural(evidence)} left out of the fit.{_settled_in_words(evidence)}",
    )
    yield _table(run)
    notes = [f"Opening {run.opening} of these {plural(evidence)}. Scores change: calibrate again."]
    if evidence.is_paired:
        notes.append("The pass mark stays, and other responses may reach it: decisions test it.")
    if run.evidence.judge is not None:
        notes.append(f"Fitted to the levels of {run.evidence.judge}: for another judge, fit again.")
    yield doc.Notes(tuple(notes))


def _settled_in_words(evidence: DecisionEvidence) -> str:
    """Return a sentence on the decisions that a failed required criterion settles; "" if there are none.

    The shares and gains that are shown leave them out, since no other weights or mark change them.
    """
    settled = evidence.without_levels.get("required-failed", 0)
    if not settled:
        return ""
    stay = "stays as it is and doesn't" if settled == 1 else "stay as they are and don't"
    others = counted(settled, "other preference" if evidence.is_paired else "other decision")
    return f" {others}, on responses that fail a required criterion, {stay} count in this."


def _by_cost(run: NumbersRun) -> str:
    """Return a phrase on how much more a false pass costs than a false fail; "" if both cost the same."""
    return "" if run.odds == 1 else f", where a false pass counts {run.odds:g} times a false fail"


def _why_yours_stay(run: NumbersRun) -> str:
    evidence = run.evidence
    proposal = run.proposal
    n = simulated_size(evidence)
    chances = " ".join(
        f"The chance to find a change worth {gain} is {in_tenths(chance)} with {n}."
        for gain, chance in chances_of(evidence, n).items()
    )
    decisions = plural(evidence)
    halved = 2 ** (run.opening - 1)
    if proposal.test.p <= ALPHA_WEIGHTS / halved:
        return f"Other weights would fit, but don't gain on {decisions} left out of the fit. {chances}"
    weights = f"The {decisions} don't speak against weights (p {brief(proposal.test.p, 2)})"
    if proposal.mark_p is None:
        return f"{weights}. {chances}"
    mark = f"mark (p {brief(proposal.mark_p, 2)})"
    if proposal.mark_p <= ALPHA_MARK / halved:
        left_out = f"{decisions} left out of the fit"
        return f"{weights}. They speak against the {mark}, but no other mark gains on {left_out}. {chances}"
    return f"{weights} or {mark}. {chances}"


def _disagreements(run: NumbersRun) -> Iterator[doc.Block]:
    """Yield a paragraph on how often rubric and annotators decide the same, with responses on which they differ.

    For pairs of responses, it only says how often they prefer the same response.
    """
    evidence = run.evidence
    if evidence.is_paired:
        right = share_right(evidence.rows, evidence.numbers)
        yield doc.Paragraph((f"The rubric prefers as people do in {percent(right)} of pairs.",))
        return
    passes = evidence.rows.graded(evidence.numbers) >= evidence.rubric.pass_mark - 1e-9
    fail: list[WholeDecision] = []
    accept: list[WholeDecision] = []
    for decision, by_rubric in zip(evidence.decisions, passes, strict=True):
        if bool(by_rubric) is not decision.passed:
            (accept if decision.passed else fail).append(decision)
    share = 1 - (len(fail) + len(accept)) / len(evidence.decisions)
    lines = [f"The rubric decides as people do on {percent(share)}.{_settled_in_words(evidence)}"]
    for words, differing in (("People fail, the rubric passes", fail), ("People pass, the rubric fails", accept)):
        if differing:
            responses = {d.example.id: cut_short(d.example.submission.response, RESPONSE_SHOWN) for d in differing}
            shown = ", ".join(f"{id} “{response}”" for id, response in [*responses.items()][:2])
            more = f" and {len(responses) - 2} more" if len(responses) > 2 else ""
            lines.append(f"{words}: {shown}{more}")
    yield doc.Paragraph(tuple(lines))


def _table(run: NumbersRun) -> doc.Table:
    rubric = run.evidence.rubric
    proposal = run.proposal
    new = {c.name: float(w) for c, w in zip(run.evidence.tuned, proposal.weights, strict=True)}
    rows: list[tuple[doc.Line, ...]] = [
        (
            doc.Name(criterion.name),
            f"{criterion.weight:g}",
            f"{new.get(criterion.name, criterion.weight):g}",
            "required: not tuned" if criterion.required else "" if criterion.name in new else "not tuned",
        )
        for criterion in rubric.criteria
        if criterion.weight
    ]
    if proposal.mark is None:
        return doc.Table(("Criterion", "yours", "new", ""), tuple(rows))
    mark = proposal.mark
    same = "fits the decisions" if mark == rubric.pass_mark else ""
    rows.append(("Pass mark", f"{rubric.pass_mark:g}", f"{mark:g}", same))
    return doc.Table(("Criterion", "yours", "new", ""), tuple(rows))


def _file(run: NumbersRun | ScoresRun) -> Iterator[doc.Section]:
    if run.diff:
        head = "Written to the file:" if run.written else "What --write would change in the file:"
        yield doc.Section("The file", (doc.Paragraph((head,)), doc.Verbatim(run.diff)))


def evidence_json(evidence: DecisionEvidence) -> dict[str, Any]:
    """Return the decisions or preferences as a dict with the keys of the JSON output."""
    if evidence.pairs is not None:
        counts: dict[str, Any] = {
            "preferences": len(evidence.tasks),
            "ties": len(evidence.tasks) - evidence.passes - evidence.fails,
            "pairs": evidence.pairs.name,
        }
    else:
        counts = {"decisions": len(evidence.tasks), "passes": evidence.passes, "fails": evidence.fails}
    return {
        **counts,
        "raters": list(evidence.raters),
        "not_blind": evidence.not_blind,
        "left_out": dict(evidence.without_levels),
        "judge": evidence.judge,
    }


def numbers_json(run: NumbersRun) -> dict[str, Any]:
    """Return the fitted weights and pass mark as a dict with the keys of the JSON output."""
    rubric = run.evidence.rubric
    proposal = run.proposal
    value, low, high = proposal.gain.expected
    before = {criterion.name: criterion.weight for criterion in run.evidence.tuned}
    after = {name: float(weight) for name, weight in zip(before, proposal.weights, strict=True)}
    return {
        "from": plural(run.evidence),
        "adopted": proposal.adopted,
        "answer": proposal.answer,
        "p": proposal.test.p,
        "mark_p": proposal.mark_p,
        "weights": {"before": before, "after": after},
        "pass_mark": {
            "before": rubric.pass_mark,
            "after": rubric.pass_mark if proposal.mark is None else proposal.mark,
        },
        "gain": {"value": value, "low": low, "high": high},
        "changed": proposal.changed,
        "cost": run.odds,
        "opening": run.opening,
        "written": run.written,
    }


def scores_view(run: ScoresRun, *, next_step: tuple[str, str] | None = None) -> doc.Document:
    """Render the result of fitting weights to overall scores, and the next step."""
    scores = run.evidence
    counted_scores = counted(len(scores.ids), "overall score")
    title = f"{scores.rubric.name} · weights · {counted_scores} by {in_words(scores.raters)}"
    return doc.Document(title, "", tuple(_score_blocks(run)), tuple(_file(run)), onward=next_step)


def _score_blocks(run: ScoresRun) -> Iterator[doc.Block]:
    fitted = run.fitted
    if not run.is_adopted:
        yield doc.Callout("open", "Yours stay:", f"{fitted.reason}.")
        return
    gain = fitted.gain
    less = "" if gain.value is None else f" Expect {share_with_interval(gain)} less error, measured on scores left out."
    yield doc.Callout("good", "Other weights fit:", f"{fitted.reason}.{less}")
    rows = [
        (doc.Name(criterion.name), f"{before:g}", f"{after:g}", "" if ratio.value is None else with_interval(ratio))
        for criterion, before, after, ratio in zip(
            run.evidence.rubric.criteria, fitted.before, fitted.after, fitted.ratios, strict=True
        )
    ]
    yield doc.Table(("Criterion", "yours", "new", "fitted, times yours"), tuple(rows))
    notes = [
        f"{run.evidence.rubric.criteria[i].name} and {run.evidence.rubric.criteria[j].name} rise together: how their "
        "weight is split is arbitrary."
        for i, j, _ in fitted.alike
    ]
    yield doc.Notes((*notes, f"Opening {run.opening} of these scores. Scores change: calibrate again."))


def scores_json(run: ScoresRun) -> dict[str, Any]:
    """Return the fitted weights as a dict with the keys of the JSON output."""
    fitted = run.fitted
    names = [criterion.name for criterion in run.evidence.rubric.criteria]
    return {
        "from": "scores",
        "adopted": "weights" if fitted.supported else None,
        "answer": "supported" if fitted.supported else None,
        "p": fitted.p,
        "reason": fitted.reason,
        "scores": len(run.evidence.ids),
        "computed": run.evidence.computed,
        "weights": {
            "before": dict(zip(names, fitted.before, strict=True)),
            "after": dict(zip(names, fitted.after, strict=True)),
        },
        "gain": fitted.gain,
        "opening": run.opening,
        "written": run.written,
    }
