"""The parts of `demo`: raw agreement before its chance-corrected value, a fault before it is named."""

from collections.abc import Sequence
from typing import Any

from markscheme.calibration.comparison import Comparison
from markscheme.calibration.drift.shift import FALSE_ALARM
from markscheme.demo.faults import FAULTS, JUDGE_SD, NO_FAULT, PERSON_SD
from markscheme.demo.naming import COMMAND, Diagnosis
from markscheme.demo.planting import ACCEPTED_RUNS, CRITERIA, SYSTEMS, Round
from markscheme.demo.raters import OTHER_MARK, PROVENANCE, ComparedRater
from markscheme.phrases import brief
from markscheme.report.document import Block, Document, Items, Line, Name, Paragraph, Section, Table, Verbatim
from markscheme.report.figures import coefficient, share, share_with_interval
from markscheme.report.json import attributes
from markscheme.report.sections.first_screen import callout
from markscheme.stats.change import alarm_level

_MOST_FINDINGS = 3
_FIRST_LEVEL = alarm_level(1, level=FALSE_ALARM)


def raters(compared: Sequence[ComparedRater]) -> Document:
    """Five raters: their raw agreement compared, then what each may decide."""
    first = compared[0].calibration.comparison
    mark = first.rubric.pass_mark
    whole = "same pass/fail decision as labelled"
    raw = Table(
        ("Rater", f"{whole}, pass mark {OTHER_MARK:g}", f"pass mark {mark:g}"),
        tuple((Name(rater.name), *map(_accuracy, _at_both_marks(rater))) for rater in compared),
    )
    worth = Table(
        ("Rater", f"kappa, pass mark {OTHER_MARK:g}", f"pass mark {mark:g}", "agreement", "use"),
        tuple(_worth(rater) for rater in compared),
    )
    decisions = Items(tuple((f"{rater.name}: {_decision(rater)}",) for rater in compared))
    synthetic = "On synthetic labels no judge gets beyond explore: agreement with them is no evidence about people."
    return Document(
        title="Five raters of one labelled set",
        source=f"{len(first.gold.ids)} answers of an imagined coding assistant, rubric {first.rubric.name}.",
        blocks=(
            Paragraph((PROVENANCE,)),
            Table(("Rater", ""), tuple((Name(rater.name), rater.does) for rater in compared)),
        ),
        sections=(
            Section("Raw agreement, the figure usually quoted", (raw, Paragraph((_raw(compared),)))),
            Section(
                "What it is worth, and what each may decide",
                (worth, Paragraph((_constant(compared[0]),)), decisions, Paragraph((synthetic,))),
            ),
        ),
    )


def _at_both_marks(rater: ComparedRater) -> tuple[Comparison, Comparison]:
    return rater.at_other_mark, rater.calibration.comparison


def _accuracy(comparison: Comparison) -> str:
    return share(comparison.overall["accuracy"].value)


def _worth(rater: ComparedRater) -> tuple[Line, ...]:
    comparison = rater.calibration.comparison
    kappas = (coefficient(comparison.overall["pass_kappa"]) for comparison in _at_both_marks(rater))
    return Name(rater.name), *kappas, share_with_interval(comparison.agreement), rater.calibration.decision.use


def _raw(compared: Sequence[ComparedRater]) -> str:
    passing = _at_both_marks(next(rater for rater in compared if rater.name == "always-pass"))
    rates = [share(comparison.overall["prevalence_gold"].value) for comparison in passing]
    accuracy = list(map(_accuracy, passing))
    low, high = (comparison.rubric.pass_mark for comparison in passing)
    return (
        f"By the labels {rates[0]} of the answers pass at {low:g} and {rates[1]} at {high:g}. So a rater that has read "
        f"nothing and passes everything agrees on {accuracy[0]}, or on {accuracy[1]}: the figure shows where the pass "
        "mark is, not whether anyone read."
    )


def _constant(rater: ComparedRater) -> str:
    comparison = rater.calibration.comparison
    decision = rater.calibration.decision
    return (
        f"Kappa is 0 for chance and 1 for full agreement; 95% CIs, ~ approximate. Always giving the best score "
        f"comes within {comparison.tolerance:g} of gold on {share(comparison.agreement_constant.value)}; the target is "
        f"{share(decision.target)}."
    )


def _decision(rater: ComparedRater) -> str:
    of_use = callout(rater.calibration)
    codes = dict.fromkeys(finding.code for finding in rater.calibration.findings)
    because = rater.calibration.decision.because
    return f"{of_use.head} {because}" + (f" Found: {', '.join(codes)}." if codes else "")


# --- a round --------------------------------------------------------------------------------------------------------


def rules(n: int) -> Document:
    """The invented data of a round, and which faults may be planted."""
    simulated = (
        f"Ratings are drawn at random; no person and no model takes part. {n} responses of {len(SYSTEMS)} systems on "
        f"{len(CRITERIA)} criteria of five levels; two simulated people miss the true level by {PERSON_SD:g} (standard "
        f"deviation), the simulated judge by {JUDGE_SD:g}, each time it is asked. A run of it was accepted earlier, "
        f"{ACCEPTED_RUNS} times over; since then two criteria were reworded, whatever is planted."
    )
    planned = f"This is the first comparison with the accepted runs, so a shift counts with p ≤ {brief(_FIRST_LEVEL)}."
    faults = Table(("Fault", ""), tuple(FAULTS.items()))
    return Document("A planted fault", "", (Paragraph((simulated,)), faults, Paragraph((planned,))))


def planted(made: Round, *, sealed: bool) -> Document:
    """The hash of what is planted, or the fault itself if it isn't secret."""
    if sealed:
        return Document("Sealed. The sha256 of fault, place and nonce:", "", (Verbatim(made.seal),))
    return Document(f"Planted: {_fault(made)}. Seed {made.seed}.", "", ())


def started(written: Sequence[str]) -> Document:
    """What the other process receives and runs."""
    files = f"A new process, started in a folder that holds {', '.join(written)}, runs"
    return Document(files, "", (Verbatim(f"markscheme {' '.join(COMMAND)}"),))


def diagnosis(answer: Diagnosis) -> Document:
    """The other process's diagnosis."""
    items = [str(finding["message"]) for finding in answer.findings[:_MOST_FINDINGS]]
    if len(answer.findings) > _MOST_FINDINGS:
        items.append(f"and {len(answer.findings) - _MOST_FINDINGS} more")
    block: Block = Items(tuple((item,) for item in items)) if items else Paragraph(("No issues found.",))
    return Document(f"It names: {answer.named}", "", (block,))


def outcome(made: Round, *, right: bool, sealed: bool) -> Document:
    """Whether the diagnosis was right; in a sealed round also the secret, and how to check it."""
    nothing = made.planted.fault == NO_FAULT
    text = "Not named correctly."
    if right:
        text = "Nothing was wrong and nothing was reported." if nothing else "Fault and place were named."
    if not sealed:
        return Document(text, "", ())
    check = (
        f"printf %s '{made.secret}' | sha256sum\nmarkscheme demo --sealed --seed {made.seed} -n {len(made.examples)}"
    )
    return Document(
        f"The seal is opened: {_fault(made)}.",
        text,
        (Paragraph(("To check the hash above, and to draw the same round again:",)), Verbatim(check)),
    )


def _fault(made: Round) -> str:
    return f"{made.planted} ({FAULTS[made.planted.fault]})"


# --- JSON -----------------------------------------------------------------------------------------------------------


def raters_json(compared: Sequence[ComparedRater]) -> list[dict[str, Any]]:
    """The raters by the keys of its JSON."""
    figures = ("accuracy", "pass_kappa", "prevalence_gold")
    return [
        {
            **attributes(rater, "name does"),
            "raw": [
                {"mark": comparison.rubric.pass_mark, **{name: comparison.overall[name] for name in figures}}
                for comparison in _at_both_marks(rater)
            ],
            **attributes(rater.calibration.comparison, "agreement agreement_constant reference=gold.reference"),
            **attributes(rater.calibration.decision, "verdict use because"),
            "findings": rater.calibration.findings,
        }
        for rater in compared
    ]


def round_json(made: Round, diagnosis: Diagnosis, *, sealed: bool) -> dict[str, Any]:
    """A round and its outcome by the keys of its JSON."""
    return {
        "n": len(made.examples),
        "sealed": sealed,
        **attributes(made, "seed seal secret planted"),
        **attributes(diagnosis, "named findings"),
        "right": diagnosis.named == made.planted,
    }
