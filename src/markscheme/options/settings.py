"""Defaults from `[tool.markscheme]` in pyproject.toml, or from markscheme.toml."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from markscheme.errors import UsageError, suggestion
from markscheme.judges.kinds import names_code
from markscheme.judges.options import ASK_OPTIONS
from markscheme.session.client import SETTINGS_FILES

_NUMBER: Final = (int, float)
_TABLE: Final = (dict,)
COMMAND_KEYS: Final[Mapping[str, tuple[type, ...]]] = {
    "target": _NUMBER,
    "tolerance": _NUMBER,
    "max_false_pass": _NUMBER,
    "max_false_fail": _NUMBER,
    "planned_runs": (int,),
    "drift_margin": _NUMBER,
    "annotators": (int,),
    "map": _TABLE,
}
"""What a file may set for commands alone, and of which type; each is the option of the same name."""
SETTING_KEYS: Final = (*(key for key, option in ASK_OPTIONS.items() if not option.names_code), *COMMAND_KEYS)
"""All that a file may set."""
_TYPES: Final[Mapping[tuple[type, ...], str]] = {
    (int,): "a whole number",
    (str,): "text",
    _NUMBER: "a number",
    _TABLE: "a table of names",
}


@dataclass(frozen=True)
class Settings:
    """Defaults for options.

    Attributes:
        path: The file they come from; None where there is none.
        values: By option, without dashes and with underscores.
    """

    path: Path | None = None
    values: Mapping[str, Any] = field(default_factory=dict)

    @property
    def asking(self) -> dict[str, Any]:
        """The values that say how a judge is asked."""
        return {key: value for key, value in self.values.items() if key in ASK_OPTIONS}

    def texts(self, key: str) -> list[str]:
        """What a user would type after the option: none, one, or one for each entry of a table."""
        value = self.values.get(key)
        if value is None:
            return []
        if isinstance(value, dict):
            return [f"{name}={text}" for name, text in value.items()]
        return [str(value).lower() if isinstance(value, bool) else str(value)]


def find_settings(start: Path) -> Settings:
    """The settings of the nearest folder that has any, from `start` upwards to the one with `.git`.

    Raises:
        UsageError: The file isn't TOML, sets an unknown key, or a key to what it cannot be.
    """
    for folder in (start, *start.parents):
        for name in SETTINGS_FILES:
            settings = _read(folder / name)
            if settings is not None:
                return settings
        if (folder / ".git").exists():
            break
    return Settings()


def _read(path: Path) -> Settings | None:
    if not path.is_file():
        return None
    is_shared = path.name != SETTINGS_FILES[0]
    try:
        raw = path.read_bytes()
        if is_shared and b"markscheme" not in raw:
            return None
        text = raw.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
        data = _parsed(text)
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from error
    if is_shared:
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


def _parsed(text: str) -> dict[str, Any]:
    import tomllib

    return tomllib.loads(text)


def _check(key: str, value: object, place: str) -> None:
    if key in COMMAND_KEYS:
        types = COMMAND_KEYS[key]
        if not isinstance(value, types) or isinstance(value, bool):
            raise UsageError(f"{place}: `{key}` must be {_TYPES[types]}, got {value!r}")
        return
    if key not in ASK_OPTIONS:
        instead = suggestion(key, SETTING_KEYS, mark="`") or f"; allowed: {', '.join(SETTING_KEYS)}"
        raise UsageError(f"{place}: unknown key `{key}`{instead}")
    if ASK_OPTIONS[key].names_code:
        raise UsageError(f"{place}: `{key}` must not name code here, got {value!r}; give it on the command line")
    option_value = ASK_OPTIONS[key].read(value, f"{place}: `{key}`")
    if key in ("judge", "model") and (names_code(option_value) or "://" in option_value):
        raise UsageError(
            f"{place}: `{key}` must not name code or an address here, got {value!r}; give it on the command line"
        )


def _line_of(key: str, text: str) -> int:
    match = re.search(rf"""^[^\S\n]*\[?(?:tool\.markscheme\.)?["']?{re.escape(key)}\b""", text, re.MULTILINE)
    return 1 if match is None else text.count("\n", 0, match.end()) + 1
