"""Worked cases in YAML, read by libyaml: the parser in Python takes seconds for the long ones, in each process."""

from pathlib import Path
from typing import Any

import pytest
import yaml


def cases_in(path: Path) -> Any:
    """Return what a YAML file of cases holds."""
    return yaml.load(path.read_text(encoding="utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def cases_under(path: Path, section: str) -> list[Any]:
    """Return the cases of a section, as arguments of a test; one that is skipped where the file isn't there."""
    if path.is_file():
        return list(cases_in(path)[section])
    file = f"../shared/{path.parent.name}/{path.name}"
    return [pytest.param({}, id="no cases", marks=pytest.mark.skip(reason=f"runs where {file} is there"))]
