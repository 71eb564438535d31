"""Defaults from `[tool.markscheme]` in pyproject.toml, or from markscheme.toml."""

import re
import shlex
from collections.abc import Container, Mapping
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from markscheme.errors import UsageError, suggestion
from markscheme.options.forms import AUTO_OR_OFF
from markscheme.options.table import OptionSource, options_of, setting_named, settings_declared
from markscheme.session import SETTINGS_FILES


class SettingsFile(NamedTuple):
    """Defaults for options, from the settings file of a project.

    Attributes:
        path: The file that the defaults come from; None if there is none.
        values: The defaults, by the option's name without dashes at the start and with underscores.
    """

    path: Path | None = None
    values: Mapping[str, Any] = MappingProxyType({})

    def values_of(self, family: type) -> dict[str, Any]:
        """Return the values that the file sets for options of a family, by key."""
        return {key: value for key, value in self.values.items() if key in options_of(family)}

    def source_of(self, family: type) -> OptionSource:
        """Return the values of a family's options in the file, and a template by which errors name file and key."""
        path = str(self.path).replace("{", "{{").replace("}", "}}")
        return self.values_of(family), f"{path}: `{{}}`"

    def texts(self, key: str) -> list[str]:
        """Return an option's value as a user would type it, one text per entry of a table; () if it isn't set."""
        value = self.values.get(key)
        if value is None:
            return []
        if isinstance(value, dict):
            return [f"{name}={text}" for name, text in value.items()]
        return [_as_typed(value)]


def find_settings(start: Path) -> SettingsFile:
    """Find the nearest settings file, in `start` or a folder above it, up to the folder that contains `.git`.

    Raises:
        UsageError: The file isn't TOML, or sets an unknown key or a value that isn't allowed.
    """
    for folder in (start, *start.parents):
        for name in SETTINGS_FILES:
            settings = _read(folder / name)
            if settings is not None:
                return settings
        if (folder / ".git").exists():
            break
    return SettingsFile()


def file_that_sets(*keys: str) -> Path | None:
    """Return the path of the settings file if it sets any of these options; else None."""
    settings = find_settings(Path.cwd())
    return None if settings.values.keys().isdisjoint(keys) else settings.path


def typed_options(keys: Container[str], *families: Any) -> dict[str, str]:
    """Return, as typed in a shell, the options that differ from the defaults and from the settings file, by key.

    Args:
        keys: The options to write; any other is left out.
        families: Objects of families; a None among them is ignored.
    """
    in_file: Mapping[str, Any] = {}
    with suppress(UsageError):  # a faulty file sets nothing, and a command says so
        in_file = find_settings(Path.cwd()).values
    typed = dict[str, str]()
    for options in filter(None, families):
        defaults = {declared.name: declared.default for declared in fields(options)}
        for key, row in options_of(type(options)).items():
            value = getattr(options, key)
            set_anyway = row.read(in_file[key], key) if key in in_file else defaults[key]
            if key not in keys or value is None or value == set_anyway:
                continue
            name = f"--{key.replace('_', '-')}"
            if row.form is AUTO_OR_OFF:
                value = "auto" if value else "off"
            texts = map(_as_typed, value if row.several else (value,))
            words = (((name, text) if row.is_named else ("-o", f"{key}={text}")) for text in texts)
            typed[key] = " ".join(map(shlex.join, words))
    return typed


def _as_typed(value: object) -> str:
    text = str(value).removesuffix(".0") if isinstance(value, float) else str(value)
    return text.lower() if isinstance(value, bool) else text


def _read(path: Path) -> SettingsFile | None:
    if not path.is_file():
        return None
    is_shared = path.name != SETTINGS_FILES[0]
    try:
        raw = path.read_bytes()
        if is_shared and b"markscheme" not in raw:
            return None
        text = raw.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
        import tomllib  # most projects have no settings file

        data = tomllib.loads(text)
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
    return SettingsFile(path, data)


def _check(key: str, value: object, source: str) -> None:
    declared = setting_named(key)
    if declared is None:
        allowed = [name for name, row in settings_declared() if row.is_setting]
        instead = suggestion(key, allowed, mark="`") or f"; allowed: {', '.join(allowed)}"
        raise UsageError(f"{source}: unknown key `{key}`{instead}")
    declared.check_in_file(key, value, source)


def _line_of(key: str, text: str) -> int:
    match = re.search(rf"""^[^\S\n]*\[?(?:tool\.markscheme\.)?["']?{re.escape(key)}\b""", text, re.MULTILINE)
    return 1 if match is None else text.count("\n", 0, match.end()) + 1
