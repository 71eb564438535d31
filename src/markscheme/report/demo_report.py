"""What `demo` shows, on a screen and as JSON: raw agreement before what it is worth, a round before what it hid."""

from collections.abc import Iterator, Sequence
from typing import IO, Any

from rich.text import Text

from markscheme.calibration.drift import LEVEL
from markscheme.demo.faults import FAULTS, JUDGE, NOTHING, PERSON
from markscheme.demo.naming import COMMAND, Diagnosis
from markscheme.demo.planting import CRITERIA, RUNS_KEPT, SYSTEMS, Round
from markscheme.demo.raters import OTHER_MARK, PROVENANCE, Held
from markscheme.receipt import ALLOWS as USES
from markscheme.report.figures import share, share_with_interval, with_interval
from markscheme.report.screen import Screen
from markscheme.stats.change import alarm_level
from markscheme.text import printable

MOST_FINDINGS = 3
FIRST = alarm_level(1, level=LEVEL)


class DemoPage:
    """Writes each part of the demonstration as soon as it is there.

    Args:
        file: Where to; colours only where it is a screen.
    """

    def __init__(self, file: IO[str]) -> None:
        self._file = file
        self._screen = Screen(file)

    def raters(self, held: Sequence[Held]) -> None:
        """Five raters: raw agreement side by side, then what each may decide."""
        first = held[0].calibration.comparison
        mark = first.rubric.pass_mark
        self._say("Five raters of one labelled set", "bold")
        self._say(f"{len(first.gold.ids)} answers of an imagined coding assistant, rubric {first.rubric.name}.")
        self._say(PROVENANCE)
        self._say("")
        for one in held:
            self._say(f"  {one.name:<16}  {one.does}")
        self._say("")
        self._say("Raw agreement, which is what is mostly told", "bold")
        self._screen.tabulate(("rater", *_raw_headings(mark)), [(one.name, *_raw_row(one)) for one in held])
        for line in _raw_lines(held):
            self._say(line)
        self._say("")
        self._say("What it is worth, and what each may decide", "bold")
        self._screen.tabulate(("rater", *_worth_headings(held[0])), [(one.name, *_worth_row(one)) for one in held])
        self._say(_constant_line(held[0]))
        for one in held:
            self._say(f"- {one.name}: {_decision_line(one)}")
        self._say(
            "On constructed labels nothing gets beyond `explore`: agreement with them is no evidence about people."
        )

    def rules(self, n: int) -> None:
        """What is made up for a round, and what may be planted."""
        self._say("A planted fault", "bold")
        for line in _rules(n):
            self._say(line)

    def seal(self, digest: str) -> None:
        """The hash of what is planted, before anything is looked at."""
        self._say("")
        self._say("Sealed. The sha256 of fault, place and nonce:", "bold")
        self._verbatim(digest)

    def planted(self, made: Round) -> None:
        """What is planted, where it is no secret."""
        self._say("")
        self._say(f"Planted: {made.planted} ({FAULTS[made.planted.fault]}). Seed {made.seed}.", "bold")

    def files(self, written: Sequence[str]) -> None:
        """What the other process is given and told to do."""
        self._say(f"A new process, started in a folder that holds {', '.join(written)}, runs")
        self._verbatim(f"markscheme {' '.join(COMMAND)}")

    def diagnosis(self, found: Diagnosis) -> None:
        """What the other process says."""
        self._say("")
        self._say(f"It names: {found.named}", "bold")
        if not found.findings:
            self._say("No issues found.")
        for finding in found.findings[:MOST_FINDINGS]:
            self._say(f"- {finding['message']}")
        if len(found.findings) > MOST_FINDINGS:
            self._say(f"- and {len(found.findings) - MOST_FINDINGS} more")

    def opened(self, made: Round, *, right: bool) -> None:
        """The secret of the seal, and how to check it."""
        self._say("")
        self._say(f"The seal is opened: {made.planted} ({FAULTS[made.planted.fault]}).", "bold")
        self._say(_outcome(made, right=right))
        self._say("To check the hash above, and to draw the same round again:")
        self._verbatim(f"printf %s '{made.secret}' | sha256sum")
        self._verbatim(f"markscheme demo --sealed --seed {made.seed} -n {len(made.examples)}")

    def told(self, made: Round, *, right: bool) -> None:
        """Whether it was named, where it was no secret."""
        self._say("")
        self._say(_outcome(made, right=right))

    def gap(self) -> None:
        """Between the parts."""
        self._say("")

    def _say(self, line: str, style: str = "") -> None:
        self._screen.say(line, style)
        self._file.flush()

    def _verbatim(self, line: str) -> None:
        """A line to be copied, which is never broken."""
        self._screen.print(Text(f"  {printable(line)}"), soft_wrap=True)
        self._file.flush()


# --- the raters in words --------------------------------------------------------------------------------------------


def _raw_headings(mark: float) -> tuple[str, ...]:
    return f"pass or fail as labelled, mark {OTHER_MARK:g}", f"… mark {mark:g}"


def _raw_row(one: Held) -> tuple[str, ...]:
    return tuple(share(found.overall["accuracy"].value) for found in (one.other, one.calibration.comparison))


def _raw_lines(held: Sequence[Held]) -> Iterator[str]:
    passing = next(one for one in held if one.name == "always-pass")
    low, high = passing.other, passing.calibration.comparison
    rates = [share(found.overall["prevalence_gold"].value) for found in (low, high)]
    raw = [share(found.overall["accuracy"].value) for found in (low, high)]
    yield (
        f"By the labels {rates[0]} of the answers pass at {low.rubric.pass_mark:g} and {rates[1]} at "
        f"{high.rubric.pass_mark:g}. So a rater that has read nothing and passes everything agrees on {raw[0]}, or on "
        f"{raw[1]}: the figure tells where the mark is, not whether anybody read."
    )


def _worth_headings(one: Held) -> tuple[str, ...]:
    comparison = one.calibration.comparison
    return (
        f"beyond chance (kappa), mark {OTHER_MARK:g}",
        f"… mark {comparison.rubric.pass_mark:g}",
        f"score within {comparison.tolerance:g} of gold",
        "may decide",
    )


def _worth_row(one: Held) -> tuple[str, ...]:
    comparison = one.calibration.comparison
    return (
        with_interval(one.other.overall["pass_kappa"]),
        with_interval(comparison.overall["pass_kappa"]),
        share_with_interval(comparison.agreement),
        one.calibration.decision.use,
    )


def _constant_line(one: Held) -> str:
    comparison, decision = one.calibration.comparison, one.calibration.decision
    return (
        "Kappa is 0 for chance and 1 for full agreement. Intervals are 95%; ~ is a rough one, and there is none where "
        "too few answers carry it. Giving every answer the best constant score comes within "
        f"{comparison.tolerance:g} of gold on {share(comparison.agreement_constant.value)}; "
        f"{share(decision.target)} are asked for."
    )


def _decision_line(one: Held) -> str:
    decision = one.calibration.decision
    codes = ", ".join(dict.fromkeys(finding.code for finding in one.calibration.findings))
    found = f"; found: {codes}" if codes else ""
    return f"{USES[decision.use]}. Verdict {decision.verdict}: {decision.because}{found}"


# --- a round in words -----------------------------------------------------------------------------------------------


def _rules(n: int) -> Iterator[str]:
    yield (
        f"Ratings are drawn at random; no person and no model takes part. {n} responses of {len(SYSTEMS)} systems on "
        f"{len(CRITERIA)} criteria of five levels; two simulated people miss the true level by {PERSON:g} (standard "
        f"deviation), the simulated judge by {JUDGE:g}, anew whenever it is asked. A run of it was accepted earlier, "
        f"{RUNS_KEPT} askings; since then two criteria were reworded, whatever is planted."
    )
    for name, strength in FAULTS.items():
        yield f"  {name:<8} {strength}"
    yield f"This is the first comparison with the accepted runs, so a shift since then counts with p ≤ {FIRST:.2g}."


def _outcome(made: Round, *, right: bool) -> str:
    if right:
        return "Nothing was wrong and nothing was said." if made.planted.fault == NOTHING else "Fault and place named."
    return "Not named rightly."


# --- JSON -----------------------------------------------------------------------------------------------------------


def raters_json(held: Sequence[Held]) -> list[dict[str, Any]]:
    """The raters as plain data."""
    return [_rater_json(one) for one in held]


def _rater_json(one: Held) -> dict[str, Any]:
    comparison, decision = one.calibration.comparison, one.calibration.decision
    marks = (one.other, comparison)
    return {
        "name": one.name,
        "does": one.does,
        "raw": [
            {
                "mark": found.rubric.pass_mark,
                "accuracy": found.overall["accuracy"].to_json(),
                "pass_kappa": found.overall["pass_kappa"].to_json(),
                "prevalence_gold": found.overall["prevalence_gold"].to_json(),
            }
            for found in marks
        ],
        "agreement": comparison.agreement.to_json(),
        "agreement_constant": comparison.agreement_constant.to_json(),
        "reference": comparison.gold.reference,
        "verdict": decision.verdict,
        "use": decision.use,
        "because": decision.because,
        "findings": [finding.to_json() for finding in one.calibration.findings],
    }


def round_json(made: Round, found: Diagnosis, *, sealed: bool) -> dict[str, Any]:
    """A round and its outcome as plain data."""
    return {
        "n": len(made.examples),
        "seed": made.seed,
        "sealed": sealed,
        "seal": made.seal,
        "secret": made.secret,
        "planted": {"fault": made.planted.fault, "place": made.planted.place},
        "named": {"fault": found.named.fault, "place": found.named.place},
        "right": found.named == made.planted,
        "findings": list(found.findings),
    }
