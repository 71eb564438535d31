"""Rubrics as benchmarks publish them, written with what they should mean before any was read: none is misread."""

import warnings
from typing import Any

import pytest

from markscheme import Rubric
from markscheme.errors import RubricError, RubricWarning
from markscheme.rubrics.shape_hints import ShapeOptions
from tests.features.published.test_shapes import read

Criterion = tuple[float, str, list[float] | None]
"""The weight, how the words begin, and the levels; None for yes or no."""
READ: dict[str, tuple[Any, list[Criterion]]] = {
    "HealthBench": (
        {
            "prompt_id": "a1",
            "example_tags": ["theme:hedging"],
            "prompt": [{"role": "user", "content": "I feel dizzy"}],
            "rubrics": [
                {
                    "criterion": "Recommends emergency care for chest pain",
                    "points": 8,
                    "tags": ["level:example", "axis:completeness"],
                },
                {"criterion": "Gives a dose without asking age", "points": -6, "tags": ["axis:accuracy"]},
            ],
            "ideal_completions_data": None,
        },
        [(8, "Recommends emergency", None), (-6, "Gives a dose", None)],
    ),
    "PaperBench": (
        {
            "id": "root",
            "requirements": "The paper is replicated",
            "weight": 1,
            "sub_tasks": [
                {
                    "id": "x",
                    "requirements": "Section 3 is replicated",
                    "weight": 3,
                    "sub_tasks": [
                        {
                            "id": "x1",
                            "requirements": "The loss is implemented",
                            "weight": 1,
                            "sub_tasks": [],
                            "task_category": "Code Development",
                            "finegrained_task_category": "Method Implementation",
                        },
                        {
                            "id": "x2",
                            "requirements": "The run finishes",
                            "weight": 3,
                            "sub_tasks": [],
                            "task_category": "Code Execution",
                            "finegrained_task_category": None,
                        },
                    ],
                },
                {
                    "id": "y",
                    "requirements": "Figure 2 matches",
                    "weight": 1,
                    "sub_tasks": [],
                    "task_category": "Result Analysis",
                    "finegrained_task_category": None,
                },
            ],
        },
        [
            (0.1875, "Under: Section 3 is replicated", None),
            (0.5625, "Under: Section 3 is replicated", None),
            (0.25, "Figure 2", None),
        ],
    ),
    "PRBench": (
        {
            "task": "t1",
            "rubric": [
                {
                    "criterion": "States that the loss is deductible only against gains",
                    "weight": 10,
                    "weight_class": "critically important",
                    "category": "Legal Accuracy",
                },
                {
                    "criterion": "Claims that losses never expire in any country",
                    "weight": -8,
                    "weight_class": "critically detrimental",
                    "category": "Legal Accuracy",
                },
            ],
        },
        [(10, "States that", None), (-8, "Claims that", None)],
    ),
    "BiGGen": (
        {
            "id": "planning_1",
            "capability": "planning",
            "score_rubric": {
                "criteria": "Does the response make a plan that can be carried out?",
                "score1_description": "No plan is there.",
                "score2_description": "A plan with large gaps.",
                "score3_description": "A plan with some gaps.",
                "score4_description": "A good plan.",
                "score5_description": "A plan that can be carried out at once.",
            },
        },
        [(1, "Does the response make a plan", [1, 2, 3, 4, 5])],
    ),
    "FLASK": (
        {
            "skills": {
                "Logical Robustness": {
                    "definition": "Does the model ensure general applicability of its logic?",
                    "scoring": {
                        "1": "The logic is completely incoherent.",
                        "2": "There are major inconsistencies.",
                        "3": "Some errors are there.",
                        "4": "Only small errors are there.",
                        "5": "The logic is flawless.",
                    },
                },
                "Conciseness": {
                    "definition": "Is the response free of redundancy for readers?",
                    "scoring": {
                        "1": "Highly redundant text throughout.",
                        "2": "Rather redundant text.",
                        "3": "Somewhat redundant text.",
                        "4": "Nearly concise text.",
                        "5": "Optimally concise text.",
                    },
                },
            }
        },
        [(1, "Logical Robustness", [1, 2, 3, 4, 5]), (1, "Conciseness", [1, 2, 3, 4, 5])],
    ),
    "WildBench": (
        {
            "session_id": "w1",
            "conversation_input": [{"role": "user", "content": "Write a poem"}],
            "checklist": [
                "Does the poem have four stanzas as asked for?",
                "Does the poem avoid the word love entirely?",
                "Is the tone hopeful throughout the poem?",
            ],
        },
        [(1, "Does the poem have", None), (1, "Does the poem avoid", None), (1, "Is the tone", None)],
    ),
    "rubrics as rewards": (
        {
            "question": "Why is the sky blue?",
            "rubric": [
                {
                    "title": "Names scattering",
                    "description": "Essential Criteria: Explains Rayleigh scattering as the cause.",
                    "weight": 5,
                },
                {
                    "title": "Mentions wavelength",
                    "description": "Important Criteria: Says short wavelengths scatter more.",
                    "weight": 3,
                },
                {
                    "title": "Ocean pitfall",
                    "description": "Pitfall Criteria: Does not mention that the ocean reflects the sky.",
                    "weight": -2,
                },
            ],
        },
        [(5, "Explains Rayleigh", None), (3, "Says short", None), (-2, "Does not mention", None)],
    ),
    "GDPval": (
        {
            "task_id": "g1",
            "occupation": "Accountant",
            "rubric_json": [
                {
                    "rubric_item_id": "u1",
                    "score": 5,
                    "criterion": "The workbook has a tab that is named Summary",
                    "tags": ["structure"],
                    "required": None,
                },
                {
                    "rubric_item_id": "u2",
                    "score": 1,
                    "criterion": "All totals in the workbook are formulas",
                    "tags": ["true"],
                },
            ],
        },
        [(5, "The workbook has", None), (1, "All totals", None)],
    ),
    "WritingBench": (
        {
            "index": 1,
            "query": "Write an abstract of at most 200 words.",
            "checklist": [
                {
                    "name": "Length",
                    "criteria_description": "Checks that the abstract is one paragraph of at most 200 words.",
                    "1-2": "More than 300 words.",
                    "3-4": "251 to 300 words.",
                    "5-6": "201 to 250 words.",
                    "7-8": "At most 200 words, but in several paragraphs.",
                    "9-10": "One paragraph of at most 200 words.",
                },
                {
                    "name": "Findings",
                    "criteria_description": "Checks that the main finding is stated with a number.",
                    "1-2": "None.",
                    "3-4": "Vague.",
                    "5-6": "A finding without a number.",
                    "7-8": "A number without its unit.",
                    "9-10": "A finding with number and unit.",
                },
            ],
        },
        [
            (1, "Checks that the abstract", [1.5, 3.5, 5.5, 7.5, 9.5]),
            (1, "Checks that the main", [1.5, 3.5, 5.5, 7.5, 9.5]),
        ],
    ),
    "DeepEval": (
        {
            "metrics": [
                {
                    "name": "Faithfulness",
                    "criteria": "Determine whether the output says only what the ticket says.",
                    "evaluation_steps": ["List every claim of the output.", "Check each against the ticket."],
                    "rubric": [
                        {"score_range": [0, 2], "expected_outcome": "Most claims are invented."},
                        {"score_range": [3, 9], "expected_outcome": "Some claims are invented."},
                        {"score_range": [10, 10], "expected_outcome": "No claim is invented."},
                    ],
                    "threshold": 0.7,
                },
                {
                    "name": "Tone",
                    "criteria": "The output is friendly without flattery.",
                    "rubric": [
                        {"score_range": [0, 5], "expected_outcome": "It flatters."},
                        {"score_range": [6, 10], "expected_outcome": "It doesn't flatter."},
                    ],
                },
            ]
        },
        [(1, "Determine whether", [1, 6, 10]), (1, "The output is friendly", [2.5, 8])],
    ),
    "DeepEval, one metric": (
        {
            "name": "Tone",
            "criteria": "The output is friendly without flattery.",
            "rubric": [
                {"score_range": [0, 5], "expected_outcome": "It flatters the customer."},
                {"score_range": [6, 10], "expected_outcome": "It doesn't flatter anybody."},
            ],
        },
        [(1, "The output is friendly", [2.5, 8])],
    ),
    "DeepResearch Bench": (
        {
            "id": 51,
            "prompt": "Report on heat pumps in old flats.",
            "dimension_weight": {"insight": 0.6, "readability": 0.4},
            "criterions": {
                "insight": [
                    {"criterion": "Says when a heat pump doesn't pay", "explanation": "Limits.", "weight": 0.75},
                    {"criterion": "Compares it with district heating", "explanation": "Others.", "weight": 0.25},
                ],
                "readability": [{"criterion": "Has a summary of five lines", "explanation": "Skim.", "weight": 1.0}],
            },
        },
        [(0.45, "Says when", None), (0.15, "Compares it", None), (0.4, "Has a summary", None)],
    ),
}
REFUSED: dict[str, tuple[Any, str]] = {
    "PRBench in words": (
        {
            "task": "t1",
            "field": "Finance",
            "prompt": "Advise",
            "rubric": [
                {
                    "criterion": "States that the loss is deductible only against gains",
                    "weight": "critically important",
                    "category": "Legal Accuracy",
                },
                {"criterion": "Explains the wash-sale rule", "weight": "important", "category": "Legal Accuracy"},
                {"criterion": "Uses headings", "weight": "slightly important", "category": "Instruction Following"},
            ],
        },
        "weight 'critically important' isn't a number: --weights",
    ),
    "percent": (
        {
            "assignment": "Lab report",
            "total": 100,
            "criteria": [
                {
                    "name": "Method",
                    "description": "Describes the method so that it can be repeated",
                    "weight": "40%",
                    "levels": [
                        {"name": "Excellent", "points": 4, "description": "Every step is there"},
                        {"name": "Fair", "points": 2, "description": "Some steps are there"},
                        {"name": "Poor", "points": 0, "description": "No step is there"},
                    ],
                },
                {
                    "name": "Discussion",
                    "description": "Discusses errors and their sources",
                    "weight": "60%",
                    "levels": [
                        {"name": "Excellent", "points": 4, "description": "All sources are discussed"},
                        {"name": "Fair", "points": 2, "description": "Some are discussed"},
                        {"name": "Poor", "points": 0, "description": "None is discussed"},
                    ],
                },
            ],
        },
        "weight must be a number, found '40%'",
    ),
    "instruction and anchors": (
        {
            "name": "Helpfulness",
            "instruction": "Rate how helpful the reply is to the user.",
            "scale": {"min": 1, "max": 5},
            "anchors": {"1": "It doesn't help at all.", "3": "It helps in part.", "5": "It solves the problem."},
        },
        "no criteria found",
    ),
}


READ_BY_KEY = {"FLASK": "skills", "BiGGen": "score_rubric"}
"""What is read, or read the same, once the key of its criteria is named."""


@pytest.mark.parametrize("name", sorted(READ.keys() - {"FLASK"}))
def test_rubrics_published_by_benchmarks_are_read_with_the_expected_criteria(name: str) -> None:
    data, expected = READ[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RubricWarning)  # what wasn't read is noted
        criteria = Rubric.from_dict(data).criteria
    levels = [None if c.scale.is_yes_no else [*c.scale.values] for c in criteria]
    assert [c.weight for c in criteria] == pytest.approx([weight for weight, _, _ in expected])
    assert levels == [listed for _, _, listed in expected]
    assert all(c.requirement.startswith(words) for c, (_, words, _) in zip(criteria, expected, strict=True))


@pytest.mark.parametrize("name", REFUSED)
def test_a_published_rubric_that_cannot_be_read_completely_is_refused_with_the_reason(name: str) -> None:
    data, problem = REFUSED[name]
    with pytest.raises(RubricError) as refused:
        Rubric.from_dict(data)
    assert problem in str(refused.value)


@pytest.mark.parametrize("name", READ_BY_KEY)
def test_a_caller_may_name_the_key_that_holds_a_published_rubric_s_criteria(name: str) -> None:
    data, expected = READ[name]
    published = read(data, ShapeOptions(criteria=READ_BY_KEY[name]))
    assert published is not None
    criteria = published.data["criteria"]
    assert [[level["value"] for level in criterion["levels"]] for criterion in criteria] == [
        levels for _, _, levels in expected
    ]
    assert all(c["requirement"].startswith(words) for c, (_, words, _) in zip(criteria, expected, strict=True))
