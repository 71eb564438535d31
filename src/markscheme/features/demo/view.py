"""Documents that `demo` prints: raters with raw and chance-corrected agreement, a planted fault, its diagnosis."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from markscheme.calibration.comparison.comparison import Comparison
from markscheme.calibration.comparison.limits import GateSide
from markscheme.features.demo.faults import FAULTS, JUDGE_SD, NO_FAULT, PERSON_SD, RARE_FAILS
from markscheme.features.demo.naming import FindingJson, named_in
from markscheme.features.demo.planting import ACCEPTED_RUNS, CRITERIA, Round
from markscheme.features.demo.rare_fails import SimulatedJudge, calibrate_command
from markscheme.features.demo.raters import OTHER_MARK, PROVENANCE, ComparedRater
from markscheme.phrases import number
from markscheme.report.document import (
    Callout,
    Command,
    Document,
    Facts,
    Items,
    Line,
    Name,
    Notes,
    Paragraph,
    Section,
    Table,
    Verbatim,
)
from markscheme.report.figures import coefficient, share, share_with_interval
from markscheme.report.json import attributes
from markscheme.report.repairs import message_with_repair, repair_of_finding
from markscheme.report.sections.first_screen import callout

_MOST_SENTENCES = 2
"""Largest number of sentences of the first finding that are shown: what moved, and by how much."""


def raters(compared: Sequence[ComparedRater]) -> Document:
    """Return the demo's part on five raters: a table of their raw agreement, then what each may be used for."""
    first = compared[0].calibration.comparison
    mark = first.rubric.pass_mark
    table = Table(
        ("Rater", "what it does", f"agrees at {OTHER_MARK:g}", f"at {mark:g}", "kappa", "use"),
        tuple(_in_short(rater) for rater in compared),
    )
    decisions = Items(tuple((f"{rater.name}: {_decision(rater)}",) for rater in compared))
    worth = Table(
        ("Rater", f"kappa, pass mark {OTHER_MARK:g}", f"pass mark {mark:g}", "agreement", "use"),
        tuple(_worth(rater) for rater in compared),
    )
    return Document(
        title="Five raters compared with the same labels",
        source=f"{len(first.gold.ids)} answers of a coding assistant. {PROVENANCE}",
        blocks=(
            Callout(
                "note", "Raw agreement flatters a rater that passes everything unread; kappa doesn't.", _raw(compared)
            ),
            table,
            Notes((_about_columns(mark),)),
        ),
        sections=(Section("What each may decide", (worth, Paragraph((_constant(compared[0]),)), decisions)),),
    )


def _about_columns(mark: float) -> str:
    """Explain the columns of the table of raters.

    Args:
        mark: The pass mark.
    """
    return (
        "Agrees: same pass/fail decision as the labels, by the pass mark. "
        f"Kappa at {mark:g}: agreement beyond chance. Use: at most explore, without people's labels."
    )


def _in_short(rater: ComparedRater) -> tuple[Line, ...]:
    comparison = rater.calibration.comparison
    accuracies = map(_accuracy, _at_both_marks(rater))
    kappa = number(comparison.overall["pass_kappa"].value)
    return Name(rater.name), rater.does, *accuracies, kappa, rater.calibration.decision.use


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
    low, high = (comparison.rubric.pass_mark for comparison in passing)
    kappa = passing[1].overall["pass_kappa"].value
    return (
        f"By the labels {rates[0]} of the answers pass at {low:g} and {rates[1]} at {high:g}, so passing "
        f"everything agrees on {rates[0]}, or on {rates[1]}. Its kappa is {number(kappa)}."
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
    """Return the demo's part that describes the simulated data, and lists the faults that the judge may have.

    Args:
        n: Number of simulated responses.
    """
    simulated = (
        f"Simulated: {n} responses on {len(CRITERIA)} criteria, two simulated annotators who miss the true level by "
        f"{PERSON_SD:g} levels (SD), a judge that misses it by {JUDGE_SD:g}, and {ACCEPTED_RUNS} runs accepted before "
        "two criteria were reworded. One fault is planted in the judge, or none:"
    )
    faults = Facts(tuple(FAULTS.items()))
    return Document("A planted fault", simulated, (faults,))


def planted(made: Round, *, sealed: bool) -> Document:
    """Return the demo's part that names the planted fault, or in a sealed round only its hash."""
    if sealed:
        return Document("Sealed: the SHA-256 of the fault, its place and a random code", made.seal, ())
    return Document(f"Planted: {_fault(made)}. Seed {made.seed}.", "", ())


def diagnosis(findings: Sequence[FindingJson]) -> Document:
    """Return the demo's part on the diagnosis: the fault that the first of the findings names, and its message."""
    sentences = str(findings[0]["message"]).split(". ")[:_MOST_SENTENCES] if findings else []
    message = ". ".join(sentences).rstrip(".")
    head = f"A new process sees rubric, ratings and accepted runs only. It names: {named_in(findings)}"
    return Document(head, f"{message or 'No issues found'}.", ())


def outcome(made: Round, *, right: bool, sealed: bool) -> Document:
    """Return the demo's part that says if the diagnosis, which was made from the ratings alone, was right.

    Args:
        made: The round, with the fault that was planted in the judge.
        right: True if the findings named the fault and its subject, or no fault where none was planted.
        sealed: True if the fault was kept secret and only its hash was shown; the part then reveals the fault.
    """
    nothing = made.planted.fault == NO_FAULT
    text = "Not named correctly."
    if right:
        text = "Nothing was wrong and nothing was reported." if nothing else "Fault and place were named."
    if not sealed:
        return Document(text, "", ())
    check = (
        f"printf %s '{made.secret}' | sha256sum\nmarkscheme demo --sealed -o seed={made.seed} -n {len(made.examples)}"
    )
    return Document(
        f"The seal is opened: {_fault(made)}.",
        f"{text} To check the seal, and to repeat this round:",
        (Verbatim(check),),
    )


def _fault(made: Round) -> str:
    return f"{made.planted} ({FAULTS[made.planted.fault]})"


# --- agreement and sides --------------------------------------------------------------------------------------------


def sides(judges: Sequence[SimulatedJudge], *, folder: Path | None = None) -> Document:
    """Return the demo's part on three judges: agreement, fails stopped, passes kept, and if each judge can gate.

    Args:
        judges: The judges, each compared with its labels.
        folder: The folder with their files; None if these weren't kept.
    """
    table = Table(
        ("Judge", "agreement", "baseline", "alone", "stops", "keeps", "gate"),
        tuple(_by_sides(judge) for judge in judges),
    )
    target = share(judges[0].calibration.decision.target)
    legend = (
        f"Agreement: score less than 0.1 from gold, 95% CI; target {target}. Baseline: the best constant score. Alone: "
        "what a rule says that asks for agreement above both. Stops: of what people fail, the share that the judge "
        "fails. Keeps: of what they pass, the share that it passes."
    )
    return Document(
        title="Agreement alone, and both sides",
        source="Three simulated judges and two annotators who agree; their counts are the same in every run.",
        blocks=(
            Callout(
                "note",
                "Agreement alone lets the first two decide, and refuses the third.",
                "Whether a judge can gate is asked of each side: of what people fail, and of what they pass.",
            ),
            table,
            Notes((legend,)),
            Items(tuple(_answer_in_words(judge) for judge in judges)),
            _to_run(judges, folder),
        ),
    )


def _by_sides(judge: SimulatedJudge) -> tuple[Line, ...]:
    calibration = judge.calibration
    comparison = calibration.comparison
    stops, keeps = (share_with_interval(side.estimate) for side in _sides_of(judge))
    alone = "yes" if calibration.decision.trend.state == "shown" else "no"
    gate = "yes" if calibration.decision.use == "gate" else "no"
    agreement = share_with_interval(comparison.agreement)
    return Name(judge.name), agreement, share(comparison.agreement_constant.value), alone, stops, keeps, gate


def _answer_in_words(judge: SimulatedJudge) -> tuple[Line, ...]:
    """Return `calibrate`'s verdict on a judge in words, and what to fix first if its first finding can be repaired."""
    of_use = callout(judge.calibration)
    answer = f"{judge.name} {judge.does}. {of_use.head} {judge.calibration.decision.because}"
    first = (finding for finding in judge.calibration.findings[:1] if repair_of_finding(finding))
    return (answer, *(f"Fix first: {message_with_repair(finding)}" for finding in first))


def _to_run(judges: Sequence[SimulatedJudge], folder: Path | None) -> Paragraph:
    if folder is None:
        command = f"markscheme demo --plant {RARE_FAILS} --keep three-judges"
        return Paragraph((("To calibrate them yourself: ", Command(command)),))
    lines: list[Line] = [Command(f"cd {shlex.quote(str(folder))}")]
    for judge in judges:
        status = judge.calibration.exit_status_for("gate")
        lines.append((Command(" ".join(calibrate_command(judge))), f"  (exit status {status})"))
    return Paragraph(tuple(lines))


# --- JSON -----------------------------------------------------------------------------------------------------------


def raters_json(compared: Sequence[ComparedRater]) -> list[dict[str, Any]]:
    """Return the figures of the five raters, each with the keys of the JSON output."""
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


def round_json(made: Round, findings: Sequence[FindingJson], *, sealed: bool) -> dict[str, Any]:
    """Return one round of the demonstration and its outcome with the keys of the JSON output.

    Args:
        made: The round: a judge with one planted fault or none, and examples that it rated.
        findings: The findings of the calibration on the round's judge, as JSON.
        sealed: True if the fault was drawn at random, and its hash was printed before the calibration.
    """
    return {
        "n": len(made.examples),
        "sealed": sealed,
        **attributes(made, "seed seal secret planted"),
        "named": named_in(findings),
        "findings": findings,
        "right": named_in(findings) == made.planted,
    }


def sides_json(judges: Sequence[SimulatedJudge]) -> list[dict[str, Any]]:
    """Return the figures of the demo's three judges, each judge as a dict with the keys of the JSON output."""
    return [
        {
            **attributes(judge, "name does"),
            **attributes(judge.calibration.comparison, "n=agreement.n agreement agreement_constant"),
            **{
                side.name: {**attributes(side.share, "right=hits of"), "state": side.state} for side in _sides_of(judge)
            },
            "agreement_alone": judge.calibration.decision.trend.state,
            **attributes(judge.calibration.decision, "gate=gate.state because=gate.because verdict use"),
            "exit_status": judge.calibration.exit_status_for("gate"),
            "command": list(calibrate_command(judge)),
        }
        for judge in judges
    ]


def _sides_of(judge: SimulatedJudge) -> Sequence[GateSide]:
    answer = judge.calibration.decision.gate_answer
    return () if answer is None else answer.sides
