"""Export examples as a Promptfoo configuration, so that annotators can rate them in its viewer."""

from collections.abc import Mapping
from typing import Any

from markscheme.prompts.parts import as_written
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import ExampleSet
from markscheme.rubrics.rubric import Rubric

SPLIT_NAMES: Mapping[str | None, str] = {"dev": "golden", "test": "holdout"}
_READ_AS_ADDRESS = ("file://", "package:")


def promptfoo_config(examples: ExampleSet, rubric: Rubric, *, grader: str, config: Mapping[str, Any]) -> dict[str, Any]:
    """Make a Promptfoo configuration whose outputs are the examples' responses, graded by markscheme's assertion.

    Labels aren't exported, so annotators see only the judge's verdict in the viewer. Rows keep the examples' ids.

    Args:
        examples: The examples to rate.
        rubric: The rubric by which the judge grades.
        grader: Address of the assertion's file, in Promptfoo's form.
        config: The assertion's configuration.

    Returns:
        Plain data for a promptfooconfig file.
    """
    return {
        "description": f"Examples of {rubric.name}, to be rated in `promptfoo view`",
        "prompts": [{"raw": "{{response}}", "label": "as it was given"}],
        "providers": ["echo"],
        "defaultTest": {"assert": [{"type": "python", "value": grader, "config": dict(config)}]},
        "tests": [_test(example) for example in examples.examples],
    }


def _test(example: Example) -> dict[str, Any]:
    """Make a test with a fixed output from an example, so that Promptfoo fills in no template and reads no file."""
    metadata: dict[str, Any] = {"id": example.submission.id}
    if example.split is not None:
        metadata["split"] = SPLIT_NAMES[example.split]
    test = {
        "description": example.submission.id,
        "vars": {name: _variable_of(text) for name, text in example.submission.inputs.items()},
        "metadata": metadata,
    }
    # Promptfoo ignores an empty provider output and echoes the prompt instead, which is empty here
    response = as_written(example.submission.response, None)
    return {**test, "providerOutput": response} if response else test


def _variable_of(text: str) -> Any:
    """Return an input as a Promptfoo variable's value: a text, an image or document to load, or a list of these."""
    written = as_written(text, None)
    if isinstance(written, str):
        return as_variable(written)
    addresses = list(written.values()) if isinstance(written, dict) else []
    return addresses[0] if len(addresses) == 1 else written


def as_variable(text: str) -> str:
    """Return text that Promptfoo doesn't read as a file address, which it would replace with the file's content.

    >>> as_variable("file:///etc/passwd"), as_variable("Hello {{name}}")
    (' file:///etc/passwd', 'Hello {{name}}')
    """
    return f" {text}" if text.startswith(_READ_AS_ADDRESS) else text
