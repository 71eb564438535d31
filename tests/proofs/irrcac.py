"""Coefficients by irrCAC, which needs an old scipy, printed as JSON.

The file asked.json has the tables as `[ratings, levels]`, and the names of the weights and methods. For each table,
weights and method in turn there is the estimate, or null where irrCAC divides by zero.
"""

import json
import warnings
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd


def estimate(table: tuple[list[list[float]], int], weights: str, method: str) -> dict[str, Any] | None:
    """Return irrCAC's estimate with all its digits, where it would round to five."""
    ratings, levels = table
    categories = [float(level) for level in range(levels)]
    library = import_module("irrCAC.raw").CAC(pd.DataFrame(ratings), weights=weights, categories=categories, digits=15)
    try:
        found: dict[str, Any] = getattr(library, method)()["est"]
    except ZeroDivisionError:
        return None
    return {key: float(found[key]) for key in ("coefficient_value", "pa", "pe")}


def main() -> None:
    """Answer what the file asks."""
    warnings.simplefilter("ignore")
    asked = json.loads(Path("asked.json").read_text(encoding="utf-8"))
    each = product(asked["tables"], asked["weights"], asked["methods"])
    print(json.dumps([estimate(*one) for one in each]))


if __name__ == "__main__":
    main()
