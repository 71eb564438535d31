"""The kinds of judge: one entry each, read by help, `status`, error messages and `open_judge`.

An installed package adds a kind with an entry point in the group `markscheme.judges`. The entry point has the kind's
name and refers to an object with `name` and `open`, plus any other attributes of JudgeKind that apply. Loading this
module is cheap; an adapter is imported when its kind is opened.
"""

import math
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from markscheme.errors import FROM_OTHERS_CODE, UsageError, suggestion

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from markscheme.judges.asking import Asking
    from markscheme.judges.judge import Judge

GROUP: Final = "markscheme.judges"
"""The entry point group by which installed packages add kinds."""
DEADLINE: Final = 120.0
"""Timeout of one request in seconds."""


def _always() -> None:
    """None: always ready."""


@dataclass(frozen=True, slots=True)
class JudgeKind:
    """One kind of judge.

    Attributes:
        name: The part of a judge's name before the first colon.
        open: Opens the judge that the rest of a name means; imports nothing heavy before its first reply.
        extra: The extra to install for it, as in `markscheme[openai]`; "" if it needs none.
        environment: Environment variables that it reads, the decisive one first.
        ready: What to do before it can be used here; None if it is ready.
        form: How such a judge is named; `[…]` is optional.
        needs: What the rest of its name says, if it is required.
        about: A short description.
        found: What it would use here; else the variables that are set, else `about`.
        deadline: Timeout of one request in seconds; infinite if requests queue in this process.
        asks: False if replies are already available: such a judge is neither limited nor cached.
    """

    name: str
    open: "Callable[[str, Asking], Judge]"
    extra: str = ""
    environment: tuple[str, ...] = ()
    ready: Callable[[], str | None] = _always
    form: str = ""
    needs: str = ""
    about: str = ""
    found: Callable[[], str] | None = None
    deadline: float = DEADLINE
    asks: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "form", self.form or f"{self.name}:…")

    def shown(self) -> str:
        """What it would use here, for a reader; values of variables are never shown."""
        given = next((name for name in self.environment if os.environ.get(name)), None)
        return self.found() if self.found else f"{given} is set" if given else self.about


def kind_of(name: str) -> JudgeKind | None:
    """The kind that a judge's name begins with; None if there is no such kind."""
    asked = name.partition(":")[0]
    shipped = next((kind for kind in SHIPPED if kind.name == asked), None)
    point = None if shipped else _installed(tuple(sys.path)).get(asked)
    return _loaded(point) if point else shipped


def known_kind(name: str) -> JudgeKind:
    """The kind that a judge's name begins with.

    Raises:
        UsageError: There is no such kind.
    """
    kind = kind_of(name)
    if kind is None:
        known = [*(shipped.name for shipped in SHIPPED), *_installed(tuple(sys.path))]
        meant = suggestion(name.partition(":")[0], known, mark="'")
        raise UsageError(f"unknown judge {name!r}{meant}; expected {judge_forms()}")
    return kind


def kinds() -> Iterator[JudgeKind]:
    """All kinds, those of installed packages last; one that cannot be loaded is not ready and says why."""
    yield from SHIPPED
    yield from map(_loaded, _installed(tuple(sys.path)).values())


def judge_forms() -> str:
    """How judges are named, for help and messages; kinds of installed packages are listed without loading them."""
    forms = [*(kind.form for kind in SHIPPED), *(f"{name}:…" for name in _installed(tuple(sys.path)))]
    return f"{', '.join(forms[:-1])} or {forms[-1]}"


def ways_out() -> str:
    """What to do if no judge is available."""
    others = "; ".join(f"{kind.form} ({kind.about})" for kind in SHIPPED[1:])
    return f"set {SHIPPED[0].environment[0]}, or name a judge with --judge: {others}"


# --- installed packages ---------------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def _installed(path: tuple[str, ...]) -> "dict[str, EntryPoint]":
    """The entry points that packages on `path` declare, by name; they cannot replace a built-in kind."""
    if not any(map(_declares, path)):
        return {}
    from importlib.metadata import entry_points

    taken = {kind.name for kind in SHIPPED}
    return {point.name: point for point in entry_points(group=GROUP) if point.name not in taken}


def _declares(folder: str) -> bool:
    """Whether a package installed in `folder` adds a kind; ten times faster than importlib.metadata."""
    if os.path.isfile(folder):  # a zip archive is left to importlib
        return True
    try:
        entries = [entry.path for entry in os.scandir(folder or ".") if entry.name.endswith(("-info", ".egg-info"))]
    except OSError:
        return False
    return any(GROUP in _text(os.path.join(entry, "entry_points.txt")) for entry in entries)


def _text(file: str) -> str:
    try:
        with open(file, encoding="utf-8", errors="replace") as opened:
            return opened.read()
    except OSError:
        return ""


def _loaded(point: "EntryPoint") -> JudgeKind:
    """The kind behind an entry point; if it cannot be loaded, a kind that says why when it is used."""
    package = point.dist.name if point.dist else point.value
    try:
        found: Any = point.load()
        if isinstance(found, JudgeKind):
            return found
        given = {part.name: getattr(found, part.name) for part in fields(JudgeKind) if hasattr(found, part.name)}
        return JudgeKind(**{"name": point.name, **given})
    except FROM_OTHERS_CODE as error:
        why = f"judge {point.name!r} of package {package} cannot be loaded: {type(error).__name__}: {error}"

    def refuse(rest: str, asking: "Asking") -> "Judge":  # noqa: ARG001 - as every opener
        raise UsageError(why)

    return JudgeKind(point.name, refuse, ready=lambda: why)


# --- built-in kinds -------------------------------------------------------------------------------------------------


def _anthropic(rest: str, asking: "Asking") -> "Judge":
    from markscheme.judges.anthropic import DEFAULT_MODEL, AnthropicJudge

    return AnthropicJudge(rest or DEFAULT_MODEL, **asking.settings("max_tokens"))


def _openai(rest: str, asking: "Asking") -> "Judge":
    from markscheme.judges.openai import OpenAIJudge

    return OpenAIJudge(rest, expected=asking.expected, **asking.settings("temperature", "max_tokens"))


def _local(rest: str, asking: "Asking") -> "Judge":
    from markscheme.judges.local import LocalJudge

    return LocalJudge(Path(rest), expected=asking.expected, **asking.settings("temperature", "max_tokens"))


def _recorded(rest: str, asking: "Asking") -> "Judge":  # noqa: ARG001 - as every opener
    from markscheme.judges.recorded import RecordedJudge

    return RecordedJudge.load(rest)


def _function(rest: str, asking: "Asking") -> "Judge":
    from markscheme.judges.function import FunctionJudge

    asking.settings()
    return FunctionJudge.load(rest)


def _missing(module: str, extra: str) -> str | None:
    return None if find_spec(module) else f"pip install '{extra}'"


def _set(*names: str) -> bool:
    return any(os.environ.get(name) for name in names)


def _openai_ready() -> str | None:
    lacks_key = not _set("OPENAI_API_KEY", "OPENAI_BASE_URL")
    missing = _missing("openai", "markscheme[openai]")
    return missing or ("set OPENAI_API_KEY, or OPENAI_BASE_URL for another server" if lacks_key else None)


def _recordings() -> list[str]:
    """The files of recorded replies found from the working directory."""
    from markscheme.rubrics.search import calibrations

    here = Path.cwd()
    folders = calibrations(here).values()
    return [os.path.relpath(file, here) for folder in folders for file in sorted((folder / "replies").glob("*.jsonl"))]


SHIPPED: Final = (
    JudgeKind(
        "anthropic",
        _anthropic,
        environment=("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"),
        ready=lambda: None if _set("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN") else "set ANTHROPIC_API_KEY",
        form="anthropic[:MODEL]",
        about="Claude",
    ),
    JudgeKind(
        "openai",
        _openai,
        extra="markscheme[openai]",
        environment=("OPENAI_API_KEY", "OPENAI_BASE_URL"),
        ready=_openai_ready,
        form="openai:MODEL",
        needs="the model",
        about="any OpenAI-compatible server, by OPENAI_BASE_URL",
    ),
    JudgeKind(
        "local",
        _local,
        extra="markscheme[local]",
        ready=lambda: _missing("xllamacpp", "markscheme[local]"),
        form="local:PATH.gguf",
        needs="the file",
        about="a model file, run in this process",
        deadline=math.inf,  # requests queue in this process: waiting for a turn is not a timeout
    ),
    JudgeKind(
        "recorded",
        _recorded,
        ready=lambda: None if _recordings() else "no calibration/*/replies holds any",
        form="recorded:PATH",
        needs="the file",
        about="replies recorded earlier",
        found=lambda: ", ".join(_recordings()),
        asks=False,
    ),
    JudgeKind("function", _function, form="function:module:name", about="any function that answers a prompt"),
)
"""Anthropic first: it is the default when no judge is named."""
