"""Worked cases in YAML, read by libyaml: the parser in Python takes seconds for the long ones, in each process."""

from pathlib import Path
from typing import Any

import pytest
import yaml


def cases_in(path: Path) -> Any:
    """Read the worked cases in a YAML file."""
    return yaml.load(path.read_text(encoding="utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def cases_under(path: Path, section: str) -> list[Any]:
    """Return the cases of a section of a file as test parameters; without the file, one skipped parameter."""
    return list(cases_in(path)[section]) if path.is_file() else [skipped_without(path)]


def skipped_without(path: Path) -> Any:
    """Return a skipped test parameter that says which missing file the test needs."""
    reason = f"runs where ../shared/{path.parent.name}/{path.name} is there"
    return pytest.param({}, id="no cases", marks=pytest.mark.skip(reason=reason))
