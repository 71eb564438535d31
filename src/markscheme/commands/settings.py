"""Defaults from `[tool.markscheme]` in pyproject.toml, or from markscheme.toml."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from markscheme.errors import UsageError, suggestion

OWN_FILE, SHARED_FILE = "markscheme.toml", "pyproject.toml"
NUMBER, TABLE = (int, float), (dict,)
KEYS: Mapping[str, tuple[type, ...]] = {
    "judge": (str,),
    "target": NUMBER,
    "tolerance": NUMBER,
    "concurrency": (int,),
    "planned_runs": (int,),
    "drift_margin": NUMBER,
    "annotators": (int,),
    "map": TABLE,
}
"""What a file may set, and of which type; each is the option of the same name."""
TYPES = {(str,): "text", (int,): "a whole number", NUMBER: "a number", TABLE: "a table of names"}


@dataclass(frozen=True)
class Settings:
    """Defaults for options.

    Attributes:
        path: The file they come from; None where there is none.
        values: By option, without dashes and with underscores.
    """

    path: Path | None = None
    values: Mapping[str, Any] = field(default_factory=dict)

    def texts(self, key: str) -> list[str]:
        """What somebody would type after the option: none, one, or one for each entry of a table."""
        value = self.values.get(key)
        if value is None:
            return []
        return [f"{name}={said}" for name, said in value.items()] if isinstance(value, dict) else [str(value)]


def find_settings(start: Path) -> Settings:
    """The settings of the nearest folder that has any, from `start` upwards to the one with `.git`.

    Raises:
        UsageError: The file is no TOML, sets an unknown key, or a key to what it cannot be.
    """
    for folder in (start, *start.parents):
        for name in (OWN_FILE, SHARED_FILE):
            found = _read(folder / name)
            if found is not None:
                return found
        if (folder / ".git").exists():
            break
    return Settings()


def _read(path: Path) -> Settings | None:
    if not path.is_file():
        return None
    raw = b""
    try:
        raw = path.read_bytes()
        text = raw.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
        data = tomllib.loads(text)
    except (OSError, ValueError) as error:
        if path.name == SHARED_FILE and b"markscheme" not in raw:
            return None
        raise UsageError(f"{path} cannot be read: {error}") from error
    if path.name == SHARED_FILE:
        tool = data.get("tool", {})
        ours = tool.get("markscheme") if isinstance(tool, dict) else None
        if ours is None:
            return None
        if not isinstance(ours, dict):
            raise UsageError(f"{path}: `tool.markscheme` must be a table of settings")
        data = ours
    for key, value in data.items():
        _check(key, value, f"{path}:{_line_of(key, text)}")
    return Settings(path, data)


def _check(key: str, value: object, place: str) -> None:
    if key not in KEYS:
        instead = suggestion(key, KEYS, mark="`") or f"; allowed: {', '.join(KEYS)}"
        raise UsageError(f"{place}: unknown key `{key}`{instead}")
    if not isinstance(value, KEYS[key]) or isinstance(value, bool):
        raise UsageError(f"{place}: `{key}` must be {TYPES[KEYS[key]]}, got {value!r}")
    if key == "judge" and isinstance(value, str) and (value.startswith("function:") or "://" in value):
        raise UsageError(
            f"{place}: `judge` must not name code or an address here, got {value!r}; give it on the command line"
        )


def _line_of(key: str, text: str) -> int:
    found = re.search(rf"""^\s*\[?(?:tool\.markscheme\.)?["']?{re.escape(key)}\b""", text, re.MULTILINE)
    return 1 if found is None else text.count("\n", 0, found.end()) + 1
