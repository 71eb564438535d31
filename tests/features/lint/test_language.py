"""Whether a rubric is in English, the only language for whose wording there is advice."""

import pytest

from markscheme import Rubric
from markscheme.features.lint.language import is_in_english


@pytest.mark.parametrize(
    ("words", "is_english"),
    [
        ("The reply names a next step that the customer can take.", True),
        ("Is it kind?", True),
        ("Response mentions Paris. Response contains an invented fact. Response is at most 80 words long.", True),
        ("Die Antwort nennt in einem Satz den nächsten Schritt, den die Kundin selbst gehen kann.", False),
        ("La réponse indique une étape que le client peut suivre, et ne promet rien.", False),
        ("Het antwoord noemt in een zin de volgende stap die de klant kan zetten.", False),
        ("回答は顧客が取れる次の一歩を示している。", False),
        ("Ist es höflich?", False),
    ],
)
def test_a_rubric_that_is_not_written_in_english_is_recognized(words: str, is_english: bool) -> None:
    assert is_in_english(Rubric.from_dict({"criteria": [{"name": "step", "requirement": words}]})) is is_english
