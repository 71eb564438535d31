"""A finding: a diagnosed fault of judge, rubric or labels, with its evidence and what to do about it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from markscheme.calibration.findings.commands import Commands, TypedOptions
from markscheme.calibration.findings.kinds import FindingKind

if TYPE_CHECKING:
    from markscheme.calibration.comparison.repairs import Repair

Severity = Literal["high", "medium", "low"]
SEVERITIES: tuple[Severity, ...] = ("high", "medium", "low")


@dataclass(frozen=True, repr=False)
class Finding:
    """A diagnosed fault of judge, rubric or labels, with its evidence and what to do about it.

    Attributes:
        kind: The kind of finding: its name, what fixes it, and when work on it is due.
        criterion: Name of the criterion; None for the whole rubric.
        severity: Severity of the fault: "high", "medium" or "low".
        text: Sentence on the fault; a report adds the criterion's name if sentences of this kind don't contain it.
        evidence: The figures behind the finding, by name.
        examples: Ids of the examples that show the fault best.
        suggestion: What to edit or do first; None if the text says it.
        cost: How much lower the judge's mean error in score would be without the fault; findings are ranked by it.
        options: Options that the suggestion adds to the kind's command, such as "--replay", by the key that each sets.
        repair: The decisions and scores that would change if only this fault were fixed; None if they can't be counted.
    """

    kind: FindingKind
    criterion: str | None
    severity: Severity
    text: str
    evidence: Mapping[str, Any] = field(default_factory=dict)
    examples: tuple[str, ...] = ()
    suggestion: str | None = None
    cost: float = 0.0
    options: TypedOptions = field(default_factory=dict)
    repair: "Repair | None" = None

    @property
    def code(self) -> str:
        """Code of the kind of finding, as JSON output has it."""
        return self.kind.code

    def __str__(self) -> str:
        return self.message if self.suggestion is None else f"{self.message} {self.suggestion}"

    def __repr__(self) -> str:
        return f"<{self.severity}: {self}>"

    @property
    def message(self) -> str:
        """Text of the finding, with the criterion's name."""
        leads = self.criterion is not None and not self.kind.names_criterion
        return f"{self.criterion}: {self.text}" if leads else self.text

    def command(self, commands: Commands) -> str:
        """Return the command to run for the suggestion; "" if it is the command that was just run."""
        return self.kind.command(commands, self.options)

    def to_json(self) -> dict[str, Any]:
        """Return the finding as in the JSON of a calibration."""
        return {
            "code": self.code,
            "criterion": self.criterion,
            "severity": self.severity,
            "message": self.message,
            "evidence": self.evidence,
            "examples": self.examples,
            "suggestion": self.suggestion or "",
            "repairs": None if self.repair is None else self.repair.to_json(),
        }
