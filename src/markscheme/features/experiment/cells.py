"""The parts of an experiment: prompt variants, cases, the model that answers, and its outputs."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from markscheme.fingerprint import fingerprint
from markscheme.judges.price import Price
from markscheme.prompts.prompt import Prompt
from markscheme.prompts.submission import Submission

OF_VARIANT, OF_CASE = "variant", "case"
"""Names of the parts that a fault of an experiment may be about."""
PLACEHOLDER = re.compile(r"\{\{\s*([^{}|%\s]+(?:\s+[^{}|%\s]+)*)\s*\}\}")


@dataclass(frozen=True)
class Variant:
    """A prompt variant: a prompt and a system prompt, with placeholders for a case's inputs.

    Attributes:
        name: Its name in the table; the judge never sees it.
        prompt: The prompt, with {{name}} as a placeholder for an input of the case.
        system: The system prompt, with placeholders like those of `prompt`; None to send no system prompt.
    """

    name: str
    prompt: str = "{{query}}"
    system: str | None = None

    @property
    def texts(self) -> tuple[str, str]:
        """The system prompt ("" if there is none), then the prompt."""
        return self.system or "", self.prompt

    @property
    def named(self) -> set[str]:
        """Names of the inputs that have placeholders in the prompt or the system prompt."""
        return {name for text in self.texts for name in PLACEHOLDER.findall(text)}

    def ask(self, case: "ExperimentCase") -> Prompt:
        """Make the prompt for a case; inputs are inserted as text, and braces in them have no effect."""
        system, user = (PLACEHOLDER.sub(lambda match: case.inputs[match[1]], text) for text in self.texts)
        return Prompt(system, user, {}, ())


@dataclass(frozen=True)
class ExperimentCase:
    """A case of an experiment: the inputs that every variant is run on.

    Attributes:
        id: Its id in the table.
        inputs: Texts by name, for prompts and judge.
        expected: Texts by name that only the judge is shown.
    """

    id: str
    inputs: Mapping[str, str]
    expected: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def digest(self) -> str:
        """Digest of the case's inputs and expected texts."""
        return fingerprint(dict(self.inputs), dict(self.expected))

    def submission(self, response: str, id: str) -> Submission:
        """Make the submission that a judge grades: a response to this case, with the case's inputs.

        Args:
            response: The response.
            id: Id of the submission.
        """
        return Submission(response, {**self.inputs, **self.expected}, id)


@dataclass(frozen=True)
class Model:
    """The model that makes the outputs, named in the same form as a judge.

    Attributes:
        name: Name as on the command line.
        parameters: Its parameters that are set, such as `temperature`, by name.
        price: Price of its tokens; None if it isn't given.
        is_typed: True if the user named it for this run, so that it may be code; False if a file did.
    """

    name: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    price: Price | None = None
    is_typed: bool = False


@dataclass(frozen=True)
class Output:
    """A variant's output for a case, or the reason why there is none.

    Attributes:
        text: The output; None if there is none.
        why: The reason why there is no output; None if there is an output.
        under: Digest of the prompt and model that made it; None if the output came from a file.
        cut_off: True if it was cut off at the maximum length of an answer.
    """

    text: str | None
    why: str | None = None
    under: str | None = None
    cut_off: bool = False

    def __post_init__(self) -> None:
        if (self.text is None) != bool(self.why):
            raise ValueError("an output is a text, or there is a reason why it is none")


Cell = tuple[str, str]
"""A variant's name and a case's id."""
