"""The parts of `demo`: raw agreement before its chance-corrected value, a fault before it is named."""

from collections.abc import Sequence
from typing import Any

from markscheme.calibration.drift import LEVEL
from markscheme.demo.faults import FAULTS, JUDGE, NOTHING, PERSON
from markscheme.demo.naming import COMMAND, Diagnosis
from markscheme.demo.planting import CRITERIA, RUNS_KEPT, SYSTEMS, Round
from markscheme.demo.raters import OTHER_MARK, PROVENANCE, Held
from markscheme.report.document import Block, Document, Items, Line, Name, Paragraph, Section, Table, Verbatim
from markscheme.report.figures import coefficient, share, share_with_interval
from markscheme.report.json import attributes
from markscheme.report.views.calibration import callout
from markscheme.stats.change import alarm_level

MOST_FINDINGS = 3
FIRST = alarm_level(1, level=LEVEL)


def raters(held: Sequence[Held]) -> Document:
    """Five raters: their raw agreement compared, then what each may decide."""
    first = held[0].calibration.comparison
    mark = first.rubric.pass_mark
    whole = "same pass/fail decision as labelled"
    raw = Table(
        ("Rater", f"{whole}, pass mark {OTHER_MARK:g}", f"pass mark {mark:g}"),
        tuple((Name(one.name), *(share(found.overall["accuracy"].value) for found in _marks(one))) for one in held),
    )
    worth = Table(
        ("Rater", f"kappa, pass mark {OTHER_MARK:g}", f"pass mark {mark:g}", "agreement", "use"),
        tuple(_worth(one) for one in held),
    )
    decisions = Items(tuple((f"{one.name}: {_decision(one)}",) for one in held))
    synthetic = "On synthetic labels no judge gets beyond explore: agreement with them is no evidence about people."
    return Document(
        title="Five raters of one labelled set",
        source=f"{len(first.gold.ids)} answers of an imagined coding assistant, rubric {first.rubric.name}.",
        blocks=(Paragraph((PROVENANCE,)), Table(("Rater", ""), tuple((Name(one.name), one.does) for one in held))),
        sections=(
            Section("Raw agreement, the figure usually quoted", (raw, Paragraph((_raw(held),)))),
            Section(
                "What it is worth, and what each may decide",
                (worth, Paragraph((_constant(held[0]),)), decisions, Paragraph((synthetic,))),
            ),
        ),
    )


def _marks(one: Held) -> tuple[Any, Any]:
    return one.other, one.calibration.comparison


def _worth(one: Held) -> tuple[Line, ...]:
    comparison = one.calibration.comparison
    kappas = (coefficient(found.overall["pass_kappa"]) for found in _marks(one))
    return Name(one.name), *kappas, share_with_interval(comparison.agreement), one.calibration.decision.use


def _raw(held: Sequence[Held]) -> str:
    passing = _marks(next(one for one in held if one.name == "always-pass"))
    rates = [share(found.overall["prevalence_gold"].value) for found in passing]
    accuracy = [share(found.overall["accuracy"].value) for found in passing]
    low, high = (found.rubric.pass_mark for found in passing)
    return (
        f"By the labels {rates[0]} of the answers pass at {low:g} and {rates[1]} at {high:g}. So a rater that has read "
        f"nothing and passes everything agrees on {accuracy[0]}, or on {accuracy[1]}: the figure shows where the pass "
        "mark is, not whether anyone read."
    )


def _constant(one: Held) -> str:
    comparison, decision = one.calibration.comparison, one.calibration.decision
    return (
        f"Kappa is 0 for chance and 1 for full agreement; 95% CIs, ~ approximate. Always giving the best score "
        f"comes within {comparison.tolerance:g} of gold on {share(comparison.agreement_constant.value)}; the target is "
        f"{share(decision.target)}."
    )


def _decision(one: Held) -> str:
    found, codes = callout(one.calibration), dict.fromkeys(finding.code for finding in one.calibration.findings)
    because = one.calibration.decision.because
    return f"{found.head} {because}" + (f" Found: {', '.join(codes)}." if codes else "")


# --- a round --------------------------------------------------------------------------------------------------------


def rules(n: int) -> Document:
    """The invented data of a round, and which faults may be planted."""
    simulated = (
        f"Ratings are drawn at random; no person and no model takes part. {n} responses of {len(SYSTEMS)} systems on "
        f"{len(CRITERIA)} criteria of five levels; two simulated people miss the true level by {PERSON:g} (standard "
        f"deviation), the simulated judge by {JUDGE:g}, each time it is asked. A run of it was accepted earlier, "
        f"{RUNS_KEPT} times over; since then two criteria were reworded, whatever is planted."
    )
    planned = f"This is the first comparison with the accepted runs, so a shift counts with p ≤ {FIRST:.2g}."
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


def diagnosis(found: Diagnosis) -> Document:
    """The other process's diagnosis."""
    items = [str(finding["message"]) for finding in found.findings[:MOST_FINDINGS]]
    if len(found.findings) > MOST_FINDINGS:
        items.append(f"and {len(found.findings) - MOST_FINDINGS} more")
    block: Block = Items(tuple((item,) for item in items)) if items else Paragraph(("No issues found.",))
    return Document(f"It names: {found.named}", "", (block,))


def outcome(made: Round, *, right: bool, sealed: bool) -> Document:
    """Whether the diagnosis was right; in a sealed round also the secret, and how to check it."""
    nothing = made.planted.fault == NOTHING
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


def raters_json(held: Sequence[Held]) -> list[dict[str, Any]]:
    """The raters by the keys of its JSON."""
    figures = ("accuracy", "pass_kappa", "prevalence_gold")
    return [
        {
            **attributes(one, "name does"),
            "raw": [
                {"mark": found.rubric.pass_mark, **{name: found.overall[name] for name in figures}}
                for found in _marks(one)
            ],
            **attributes(one.calibration.comparison, "agreement agreement_constant reference=gold.reference"),
            **attributes(one.calibration.decision, "verdict use because"),
            "findings": one.calibration.findings,
        }
        for one in held
    ]


def round_json(made: Round, found: Diagnosis, *, sealed: bool) -> dict[str, Any]:
    """A round and its outcome by the keys of its JSON."""
    return {
        "n": len(made.examples),
        "sealed": sealed,
        **attributes(made, "seed seal secret planted"),
        **attributes(found, "named findings"),
        "right": found.named == made.planted,
    }
