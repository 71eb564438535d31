"""What people often type wrong, and the message that names the way out."""

from pathlib import Path

import pytest

from tests.commands.mistakes import make_project, names_the_way_out

EXPERIMENT_WITH_BRACES = "rubric: support-reply\nvariants: [{name: a, prompt: Answer, {{query}}}]\ncases: [{id: x}]\n"
EXPERIMENT_WITHOUT_INPUT = (
    "rubric: support-reply\nmodel: function:reply_judges:careful\n"
    "variants: [{name: warm, prompt: 'Be warm: {{qury}}'}]\ncases: [{id: x, inputs: {query: Where is it?}}]\n"
)
FILES = {
    "list.yaml": "- short\n- warm\n",
    "braces.yaml": EXPERIMENT_WITH_BRACES,
    "input.yaml": EXPERIMENT_WITHOUT_INPUT,
}
MISTAKES = [
    ("experiment list.yaml", "expected a mapping with name, rubric, model, variants, cases, outputs, got ['short', 'w"),
    ("experiment list.yml", "list.yml: there is no such file; did you mean list.yaml?"),
    ("experiment braces.yaml", "braces.yaml:2: a key must be a word; a text with {{…}} or a comma inside { } needs"),
    ("experiment input.yaml", "variant 'warm' asks for {{qury}}, but case 'x' has no such input; its inputs: query;"),
]


@pytest.mark.parametrize(("typed", "way_out"), MISTAKES, ids=[typed for typed, _ in MISTAKES])
def test_the_error_message_on_a_typical_mistake_says_what_to_do_and_is_no_traceback(
    tmp_path: Path, typed: str, way_out: str
) -> None:
    names_the_way_out(make_project(tmp_path, FILES), typed, way_out)
