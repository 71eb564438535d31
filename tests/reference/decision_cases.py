"""Worked cases of probabilities, made by an independent program (numpy, scipy) from the formulas in the documentation.

Chance of passing: by hand, over all combinations of levels. Audit: logistic fits and an isotonic fit of that program.
"""

from typing import Any

CHANCES: list[dict[str, Any]] = [
    {
        "case": "two yes/no, both needed",
        "weights": [1, 1],
        "required": [],
        "pass_mark": 1.0,
        "probabilities": [[0.1, 0.9], [0.2, 0.8]],
        "expect": 0.72,
    },
    {
        "case": "two yes/no, one is enough",
        "weights": [1, 1],
        "required": [],
        "pass_mark": 0.5,
        "probabilities": [[0.1, 0.9], [0.2, 0.8]],
        "expect": 0.98,
    },
    {
        "case": "a required one decides",
        "weights": [3, 1],
        "required": [0],
        "pass_mark": 0.5,
        "probabilities": [[0.4, 0.6], [0.05, 0.95]],
        "expect": 0.6,
    },
    {
        "case": "a fault",
        "weights": [2, 1, -2],
        "required": [],
        "pass_mark": 0.6,
        "probabilities": [[0.1, 0.9], [0.3, 0.7], [0.8, 0.2]],
        "expect": 0.72,
    },
    {
        "case": "only faults",
        "weights": [-1, -3],
        "required": [],
        "pass_mark": 0.5,
        "probabilities": [[0.7, 0.3], [0.9, 0.1]],
        "expect": 0.9,
    },
    {
        "case": "one to five and yes/no",
        "weights": [2, 1],
        "required": [],
        "pass_mark": 0.7,
        "probabilities": [[0.05, 0.1, 0.2, 0.4, 0.25], [0.2, 0.8]],
        "expect": 0.52,
    },
    {
        "case": "exactly at the mark passes",
        "weights": [1, 1],
        "required": [],
        "pass_mark": 0.75,
        "probabilities": [[0, 0, 0, 0, 1], [0, 0, 1, 0, 0]],
        "expect": 1.0,
    },
    {
        "case": "a certain judge",
        "weights": [1],
        "required": [],
        "pass_mark": 0.5,
        "probabilities": [[0, 1]],
        "expect": 1.0,
    },
]
