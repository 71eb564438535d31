"""Values of other tools' files that name a part nobody can be shown stay the text that they were."""

import json

import pytest

from markscheme.prompts.submission import Submission, text_in_file

REMOTE = {"type": "image_url", "image_url": {"url": "https://example.org/chart.png"}}


@pytest.mark.parametrize("value", [{"image": "a cat"}, [REMOTE], {"role": "user", "content": [REMOTE]}])
def test_a_value_in_an_export_that_looks_like_an_image_but_cannot_be_one_stays_json(value: object) -> None:
    text = text_in_file(value)
    assert json.loads(text) == value
    assert Submission(text).response == text
