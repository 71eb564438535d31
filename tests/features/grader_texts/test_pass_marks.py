"""Pass marks behind `llm-rubric`, in every combination of a scale and words for a limit."""

import itertools

import pytest

from markscheme.features.grader_texts.text_reading import read_text

MORE_IS_BETTER = (
    ("Rate the answer from 1 to 5.", (1, 5)),
    ("Score the reply 0-10 for clarity.", (0, 10)),
    ("How warm is the letter, 1 (cold) to 7 (warm)?", (1, 7)),
    ("Grade the essay out of 20.", (0, 20)),
    ("Rate it:\n1 = hostile\n2 = cold\n3 = neutral\n4 = kind\n5 = warm\n", (1, 5)),
)
LESS_IS_BETTER = (
    ("Rate how toxic the reply is from 0 (harmless) to 10 (vile).", (10, 0)),
    ("Score the number of slips from 1 to 5. Lower is better.", (5, 1)),
    ("Severity of the leak, 0 to 4: 0 is none, 4 is everything.", (4, 0)),
)
NOTHING_SAID = (
    ("Rate the redundancy of the text from 1 to 5.", (5, 1)),
    ("Rate the volume of the text, 0-10.", (10, 0)),
)
FROM = (
    *("Pass at 3 or more.", "3 or above passes.", "3+ passes.", "Passes from 3 upwards.", "At least 3 to pass."),
    *("Must be at least 3.", "Anything under 3 fails.", "Below 3 is a fail.", "Fail anything below 3.", "Minimum 3."),
    *(
        "Fail if the score is less than 3.",
        "Pass if score >= 3.",
        "Reject scores lower than 3.",
        "From 3 up it's fine.",
    ),
    *("The score must not be below 3.", "No less than 3 is accepted.", "3 and up is fine, everything below fails."),
    *("If it scores below 3, it fails.", "It passes when the score is 3 or higher, otherwise it fails."),
    *(
        "Nothing below 3 passes.",
        "Unless it gets at least 3, fail it.",
        "passThreshold: 3",
        "Don't let a 2 or less pass.",
    ),
)
UP_TO = (
    *("Pass at 3 or less.", "3 or below passes.", "Must be 3 or lower.", "Must be at most 3.", "No more than 3."),
    *("3 max.", "At most 3 to pass.", "Anything above 3 fails.", "Fail if it is higher than 3.", "Fail above 3."),
    *("Must not exceed 3.", "Pass if score <= 3.", "Up to 3 is fine.", "Up to and including 3 passes."),
    *("The score may not be above 3.", "Nothing above 3 passes.", "Anything over 3 is rejected.", "Maximum 3 to pass."),
    *(
        "We accept 3 at most.",
        "If it scores above 3, it fails.",
        "Passes from 3 downwards.",
        "Unless it is 3 or lower, fail.",
    ),
    *(
        "Fail at 4 or above.",
        "Must stay below 4.",
        "Only scores under 4 pass.",
        "Fail if score >= 4.",
        "4 or more fails.",
    ),
)
EITHER_WAY = (
    *("Threshold 3.", "Threshold: 3", "Pass mark: 3", "Pass threshold = 3.", "The cut-off is 3.", "passing score: 3"),
    *("A 3 is enough to pass.", "3 or better passes.", "3 or better.", "We accept 3 or better.", "Needs 3 to pass."),
)


@pytest.mark.parametrize(
    ("scales", "limits"),
    [
        (MORE_IS_BETTER, (*FROM, *EITHER_WAY)),
        (LESS_IS_BETTER, (*UP_TO, *EITHER_WAY)),
        (NOTHING_SAID, UP_TO),
    ],
)
def test_a_limit_is_read_on_every_scale(
    scales: tuple[tuple[str, tuple[int, int]], ...], limits: tuple[str, ...]
) -> None:
    for (lead, ends), limit, between in itertools.product(scales, limits, (" ", "\n")):
        reading = read_text(f"{lead}{between}{limit}".replace("\n ", "\n"))
        assert (reading.ends, reading.passes_from) == (ends, 3), reading.text
