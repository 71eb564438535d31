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
    return list(cases_in(path)[section]) if path.is_file() else [skipped_without(path)]


def skipped_without(path: Path) -> Any:
    """Return an argument for a test whose file of cases isn't there; the skip says which file it needs."""
    reason = f"runs where ../shared/{path.parent.name}/{path.name} is there"
    return pytest.param({}, id="no cases", marks=pytest.mark.skip(reason=reason))
