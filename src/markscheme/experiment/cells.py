"""What an experiment is made of: variants of a prompt, cases, the model that answers, and its outputs."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from markscheme.fingerprint import fingerprint
from markscheme.judges.price import Price
from markscheme.prompt import Prompt
from markscheme.submission import Submission

PLACEHOLDER = re.compile(r"\{\{\s*([^{}|%]+?)\s*\}\}")


@dataclass(frozen=True)
class Variant:
    """One way to ask.

    Attributes:
        name: What the table calls it; the judge never sees it.
        prompt: The question, with {{name}} where an input of the case goes.
        system: Its system prompt, likewise; "" for nothing.
    """

    name: str
    prompt: str = "{{query}}"
    system: str = ""

    @property
    def named(self) -> set[str]:
        """Names of the inputs that it shows."""
        return set(PLACEHOLDER.findall(self.system)) | set(PLACEHOLDER.findall(self.prompt))

    def ask(self, case: "ExperimentCase") -> Prompt:
        """The question about a case; what a value holds is text, whatever braces it has."""
        system, user = (PLACEHOLDER.sub(lambda at: case.inputs[at[1]], text) for text in (self.system, self.prompt))
        return Prompt(system, user, {}, ())


@dataclass(frozen=True)
class ExperimentCase:
    """What every variant is asked.

    Attributes:
        id: What the table calls it.
        inputs: Texts by name, for prompts and judge.
        expected: Texts by name that the judge alone is shown.
    """

    id: str
    inputs: Mapping[str, str]
    expected: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def digest(self) -> str:
        """Digest of the case's content."""
        return fingerprint(dict(self.inputs), dict(self.expected))

    def submission(self, response: str, id: str) -> Submission:
        """A response to the case, as a judge grades it."""
        return Submission(response, {**self.inputs, **self.expected}, id)


@dataclass(frozen=True)
class Model:
    """The model that answers, named like a judge, and its settings; None for the adapter's default."""

    name: str
    temperature: float | None = None
    max_tokens: int | None = None
    price: Price | None = None


@dataclass(frozen=True)
class Output:
    """What a variant made of a case.

    Attributes:
        text: The output; None where there is none.
        why: Why there is none; "" where there is one.
        under: Digest of what was asked and who answered; "" where the output came from a file.
        cut_off: Whether the longest answer allowed cut it off.
    """

    text: str | None
    why: str = ""
    under: str = ""
    cut_off: bool = False

    def __post_init__(self) -> None:
        if (self.text is None) != bool(self.why):
            raise ValueError("an output is a text, or there is a reason why it is none")


Cell = tuple[str, str]
"""Name of a variant and id of a case."""
