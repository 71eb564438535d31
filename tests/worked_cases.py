"""Worked cases in YAML, read by libyaml: the parser in Python takes seconds for the long ones, in each process."""

from pathlib import Path
from typing import Any

import yaml


def cases_in(path: Path) -> Any:
    """Return what a YAML file of cases holds."""
    return yaml.load(path.read_text(encoding="utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
