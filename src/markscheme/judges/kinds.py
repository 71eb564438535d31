"""The kinds of judge: one row each in `JUDGE_KINDS`, used by help, `status`, error messages and `open_judge`.

Features add rows, which are loaded for a name that isn't of a kind of the core, and to list all kinds. An installed
package adds a kind with an entry point in the group `markscheme.judges`. The entry point has the kind's name and refers
to an object with `name` and `open`, plus any other attributes of JudgeKind that apply. Loading this module is cheap; an
adapter is imported when its kind is opened.
"""

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import lru_cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from markscheme.errors import FROM_OTHERS_CODE, UsageError, suggestion
from markscheme.judges.timeouts import REQUEST_TIMEOUT
from markscheme.rubrics.search import calibrations
from markscheme.seam import OpenTable
from markscheme.shipped import install_command
from markscheme.user_code import FUNCTION_JUDGE

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from markscheme.judges.judge import GradingJudge, Identity, Judge
    from markscheme.judges.judge_context import JudgeContext
    from markscheme.judges.price import Price

GROUP: Final = "markscheme.judges"
"""The entry point group by which installed packages add kinds."""
LISTED_LAST: Final = 1000
"""The rank of kinds that installed packages add."""


def _always() -> None:
    """Return None, which says that this kind of judge is always ready."""


def _unknown(_: "Identity") -> None:
    """Return None as the price of a judge's tokens, since it isn't known."""


def _nothing(_: str) -> None:
    """Return None for any name: the default of a kind of judge for the functions `sees` and `meant_by`."""


def _everything(_: str) -> bool:
    """Return True, since judges of this kind can be shown all kinds of parts."""
    return True


@dataclass(frozen=True, slots=True)
class JudgeKind:
    """A kind of judge, such as "openai": how it is named and opened, and what its judges can do.

    Attributes:
        name: Name of the kind, which is the part of a judge's name before the first colon.
        open: Function that opens a judge by the rest of its name, after the first colon; for a file that names several
            judges, it returns the group of these judges. It imports nothing heavy before the first reply.
        extra: Extra to install for the kind, as in `markscheme[openai]`; None if it needs none.
        environment: Names of environment variables that judges of the kind read, the most important first.
        ready: Function that returns what to do before the kind can be used in this environment, or None if it is ready.
        form: Form of the names of such judges, for help, in which `[…]` is optional; None means the kind's name, a
            colon and any text.
        needs: Noun for what the rest of the name must give, such as a model; None if the rest may be empty.
        about: A short description.
        uses: Function that describes, for the user, what judges of the kind would use in this environment; None to name
            the variable of `environment` that is set, or else to show `about`.
        deadline: Timeout of one request in seconds; infinite if requests wait for each other in this process.
        asks: False if replies are already available, so that such a judge is neither limited nor cached.
        price: Function that returns the list price of a judge's tokens by its identity, zero if it is free, None if
            unknown.
        batches: True if its judges have a method `batches()`, which returns the batch API of their provider.
        proposes: True if its models can propose new words for a rubric.
        sees: Function that returns True if its judges can pass parts of a kind, such as images, to the model; a judge's
            own `sees` takes precedence.
        probabilities: True if its judges give probabilities of levels, or of tokens if asked to.
        names_code: True if the rest of the name is that of code to import, which no configuration file may name.
        names_judges: True if the rest of the name is a file that names the judges to ask; such a file may not name
            another such file.
        file_of: Function that returns the file that the kind's name alone means, given a rubric's name and calibration
            folder, and raises UsageError if the rubric has none; None if the name alone means no file.
        stands_in: True if its judges can answer if none is named and the default kind can't be used.
        meant_by: Function that, given the name of a model or file alone, such as "gpt-5", returns the full name of the
            judge that it seems to mean; None if it means no judge of the kind.
        rank: Position in help, messages and `status`; core kinds have multiples of ten, so that there is room between
            them.
    """

    name: str
    open: "Callable[[str, JudgeContext], GradingJudge]"
    extra: str | None = None
    environment: tuple[str, ...] = ()
    ready: Callable[[], str | None] = _always
    form: str | None = None
    needs: str | None = None
    about: str | None = None
    uses: Callable[[], str] | None = None
    deadline: float = REQUEST_TIMEOUT
    asks: bool = True
    price: "Callable[[Identity], Price | None]" = _unknown
    batches: bool = False
    proposes: bool = False
    sees: Callable[[str], bool | None] = _nothing
    probabilities: bool = False
    names_code: bool = False
    names_judges: bool = False
    file_of: Callable[[str, Path | None], Path] | None = None
    stands_in: bool = False
    meant_by: Callable[[str], str | None] = _nothing
    rank: int = LISTED_LAST

    @property
    def spelling(self) -> str:
        """Form of the names of judges of this kind, for help and messages."""
        return self.form or f"{self.name}:…"


def kind_of(name: str) -> JudgeKind | None:
    """Return the kind of a judge, or of a panel's first member, by name; None if the judge or any member is unknown.

    Example:
        >>> [kind_of(name).name for name in ("openai:m", "anthropic", "anthropic+openai:m")]
        ['openai', 'anthropic', 'anthropic']
        >>> kind_of("anthropic+opnai:m") is None
        True
    """
    first, *others = name.partition(":")[0].split("+")
    is_unknown = any(_kind_named(member.strip()) is None for member in others)
    return None if is_unknown else _kind_named(first)


def _kind_named(kind_name: str) -> JudgeKind | None:
    shipped = next((kind for kind in JUDGE_KINDS if kind.name == kind_name), None)
    point = None if shipped else _installed(tuple(sys.path)).get(kind_name)
    return _loaded(point) if point else shipped


def known_kind(name: str) -> JudgeKind:
    """Return the kind of the judge with this name.

    Raises:
        UsageError: The kind is unknown.
    """
    kind = kind_of(name)
    if kind is None:
        names = [*(shipped.name for shipped in shipped_kinds()), *_installed(tuple(sys.path))]
        meant = _meant(name)
        nearest = f"; did you mean '{meant}'?" if meant else suggestion(name.partition(":")[0], names, mark="'")
        sentence = f"unknown judge {name!r}{nearest or f'; expected {judge_forms()}'}"
        raise UsageError(sentence).of_setting("judge", name)
    return kind


def means_file_of_rubric(name: str) -> bool:
    """Return True if a judge's name alone, such as "cascade", means a file in the rubric's folder.

    Example:
        >>> [means_file_of_rubric(name) for name in ("cascade", "cascade:here.json", "anthropic")]
        [True, False, False]
    """
    kind = kind_of(name)
    return kind is not None and kind.file_of is not None and name == kind.name


def in_full(name: str, rubric: str, folder: Path | None) -> str:
    """Return a judge's name; to a name such as "cascade", add the path of the file that the rubric has for it.

    Args:
        name: The name as a user writes it.
        rubric: The rubric's name.
        folder: The rubric's calibration folder; None if it wasn't looked for yet.

    Raises:
        UsageError: The rubric has no such file.

    Example:
        >>> in_full("anthropic", "truth", None), in_full("cascade:here.json", "truth", None)
        ('anthropic', 'cascade:here.json')
    """
    kind = kind_of(name) if means_file_of_rubric(name) else None
    return name if kind is None or kind.file_of is None else f"{name}:{kind.file_of(rubric, folder)}"


def panel_names(name: str) -> list[str]:
    """Split a panel's name at each `+` that a kind of judge follows; any other `+` is part of a name.

    Example:
        >>> panel_names("anthropic+recorded:a+b.jsonl+openai:m")
        ['anthropic', 'recorded:a+b.jsonl', 'openai:m']
    """
    first, *others = name.split("+")
    members = [first]
    for part in others:
        if kind_of(part.strip()) is None:
            members[-1] += f"+{part}"
        else:
            members.append(part.strip())
    return members


def names_code(name: str) -> bool:
    """Return True if the name of a judge, or of any member of a panel, is that of code to import.

    Example:
        >>> names_code("anthropic"), names_code("function:judges:good"), names_code("anthropic+function:judges:good")
        (False, True, True)
    """
    return any(kind is not None and kind.names_code for kind in map(kind_of, panel_names(name)))


def _meant(name: str) -> str | None:
    """Return the full name of the judge that a model's or file's name probably means; None if no kind recognizes it.

    >>> _meant("gpt-5"), _meant("judges.py:good"), _meant("claude-haiku-4-5"), _meant("someone")
    ('openai:gpt-5', 'function:judges:good', 'anthropic:claude-haiku-4-5', None)
    """
    return next(filter(None, (kind.meant_by(name) for kind in shipped_kinds())), None)


def shipped_kinds() -> list[JudgeKind]:
    """Return the kinds of judge in markscheme and its features, in the order in which they are listed."""
    return sorted(JUDGE_KINDS, key=lambda kind: kind.rank)


def kinds() -> Iterator[JudgeKind]:
    """Yield all kinds of judge, those of installed packages last; a kind that can't be loaded counts as not ready."""
    yield from shipped_kinds()
    yield from map(_loaded, _installed(tuple(sys.path)).values())


def judge_forms() -> str:
    """List the form of each kind's names, such as `openai:MODEL`, for help; kinds of other packages aren't loaded."""
    forms = [*(kind.spelling for kind in shipped_kinds()), *(f"{name}:…" for name in _installed(tuple(sys.path)))]
    return f"{', '.join(forms[:-1])} or {forms[-1]}"


def names_that(can: Callable[[JudgeKind], bool]) -> str:
    """List the names of the built-in kinds of judge that meet a condition, for messages: "anthropic or openai"."""
    *others, last = [kind.name for kind in shipped_kinds() if can(kind)]
    return f"{', '.join(others)} or {last}" if others else last


IN_HELP: Final[Mapping[str, Callable[[], str]]] = {
    "{judges}": judge_forms,
    "{judges with batches}": lambda: names_that(lambda kind: kind.batches),
    "{judges with probabilities}": lambda: names_that(lambda kind: kind.probabilities),
}
"""Placeholders in options' help, each with the function that returns its words when help is shown, which loads
features."""


def in_words(help_text: str) -> str:
    """Replace marks in an option's help text, such as {judges with batches}, by the names of such judges.

    Example:
        >>> in_words("ask {judges with batches} in batches")
        'ask anthropic or openai in batches'
    """
    for mark, words in IN_HELP.items():
        if mark in help_text:
            help_text = help_text.replace(mark, words())
    return help_text


def ways_out(option: str) -> str:
    """Return the lines of advice on what to do if no judge is available, each after a line break.

    Args:
        option: The option that names a judge, such as "--judge".
    """
    others = [kind for kind in shipped_kinds() if kind is not DEFAULT]
    named = [next(kind for kind in others if kind.asks == asks) for asks in (True, False)]
    ways = (
        f"Set {DEFAULT.environment[0]}.",
        f"Name a judge with {option.rstrip(':')}: {' or '.join(f'{kind.spelling} ({kind.about})' for kind in named)}.",
        "See all judges, and what each needs: `markscheme status`.",
    )
    return "".join(f"\n  {way}" for way in ways)


# --- installed packages ---------------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def _installed(path: tuple[str, ...]) -> "dict[str, EntryPoint]":
    """Map the name of each kind of judge that a package on `path` adds to the kind's entry point."""
    if not any(map(_declares, path)):
        return {}
    from importlib.metadata import entry_points

    taken = {kind.name for kind in JUDGE_KINDS}
    return {point.name: point for point in entry_points(group=GROUP) if point.name not in taken}


def _declares(folder: str) -> bool:
    """Return True if importlib.metadata has to search `folder` for packages that add kinds of judge.

    It has to if a package in the folder declares one, or if `folder` is a zip archive, which isn't read here. To read
    the packages' files here first is ten times as fast as to let importlib.metadata search every folder.
    """
    if os.path.isfile(folder):  # a zip archive is left to importlib
        return True
    try:
        entries = [path.path for path in os.scandir(folder or ".") if path.name.endswith(("-info", ".egg-info"))]
    except OSError:
        return False
    return any(GROUP in _text(os.path.join(path, "entry_points.txt")) for path in entries)


def _text(file: str) -> str:
    try:
        with open(file, encoding="utf-8", errors="replace") as opened:
            return opened.read()
    except OSError:
        return ""


def _loaded(point: "EntryPoint") -> JudgeKind:
    """Load the kind of judge that an entry point names; on failure, return a kind that raises the reason when used."""
    package = point.dist.name if point.dist else point.value
    try:
        loaded: Any = point.load()
        if isinstance(loaded, JudgeKind):
            return loaded
        attributes = {
            field.name: getattr(loaded, field.name) for field in fields(JudgeKind) if hasattr(loaded, field.name)
        }
        return JudgeKind(**{"name": point.name, **attributes})
    except FROM_OTHERS_CODE as error:
        why = f"judge {point.name!r} of package {package} cannot be loaded: {type(error).__name__}: {error}"

    def refuse(rest: str, context: "JudgeContext") -> "Judge":  # noqa: ARG001 - as every opener
        raise UsageError(why)

    return JudgeKind(point.name, refuse, ready=lambda: why)


# --- built-in kinds -------------------------------------------------------------------------------------------------


def _list_price(provider: str, identity: "Identity") -> "Price | None":
    from markscheme.judges.price import list_price

    return list_price(identity, provider)


def _claude(name: str) -> str | None:
    return f"anthropic:{name}" if name.startswith("claude") and not _python_file(name) else None


def _gpt(name: str) -> str | None:
    is_gpt = re.match(r"(gpt|chatgpt|o\d)(-|$)", name) and not _python_file(name)
    return f"openai:{name}" if is_gpt else None


def _python_file(name: str) -> str | None:
    file, colon, function = name.partition(".py:")
    return f"{FUNCTION_JUDGE}:{file.replace('/', '.')}:{function}" if colon and function else None


def _anthropic(model: str, context: "JudgeContext") -> "Judge":
    from markscheme.judges.anthropic import DEFAULT_MODEL, AnthropicJudge

    return AnthropicJudge(model or DEFAULT_MODEL, **context.settings("max_tokens"))


def _openai(model: str, context: "JudgeContext") -> "Judge":
    from markscheme.judges.openai import OpenAIJudge

    return OpenAIJudge(model, expected=context.expected, **context.settings("temperature", "max_tokens"))


def _recorded(path: str, context: "JudgeContext") -> "Judge":  # noqa: ARG001 - as every opener
    from markscheme.judges.recorded import RecordedJudge

    return RecordedJudge.load(path)


def _function(function: str, context: "JudgeContext") -> "Judge":
    from markscheme.judges.function import FunctionJudge

    context.settings()
    return FunctionJudge.load(function)


def missing_extra(module: str, extra: str) -> str | None:
    """Return the command that installs an extra if its module is missing; None if it is installed."""
    return None if find_spec(module) else install_command(extra)


def _set(*names: str) -> bool:
    return any(os.environ.get(name) for name in names)


def _openai_ready() -> str | None:
    lacks_key = not _set("OPENAI_API_KEY", "OPENAI_BASE_URL")
    missing = missing_extra("openai", "openai")
    return missing or ("set OPENAI_API_KEY, or OPENAI_BASE_URL for another server" if lacks_key else None)


def _recordings() -> list[str]:
    """List the files of recorded replies in the project's calibration folders, as paths from the working directory.

    These are the folders `calibration/<name>` in the working directory or above it.
    """
    here = Path.cwd()
    folders = calibrations(here).values()
    return [os.path.relpath(file, here) for folder in folders for file in sorted((folder / "replies").glob("*.jsonl"))]


YOUR_JUDGE: Final = "JUDGE"
"""Placeholder in a printed command for the judge that the reader has to name."""
DEFAULT: Final = JudgeKind(
    "anthropic",
    _anthropic,
    environment=("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"),
    ready=lambda: None if _set("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN") else "set ANTHROPIC_API_KEY",
    form="anthropic[:MODEL]",
    about="Claude",
    price=partial(_list_price, "anthropic"),
    batches=True,
    proposes=True,
    sees=_everything,
    meant_by=_claude,
    rank=10,
)
"""The kind that is asked if no judge is named, provided that the environment variable with its key is set."""
JUDGE_KINDS: Final = OpenTable(
    DEFAULT,
    JudgeKind(
        "openai",
        _openai,
        extra="markscheme[openai]",
        environment=("OPENAI_API_KEY", "OPENAI_BASE_URL"),
        ready=_openai_ready,
        form="openai:MODEL",
        needs="the model",
        about="any OpenAI-compatible server, by OPENAI_BASE_URL",
        price=partial(_list_price, "openai"),
        batches=True,
        proposes=True,
        sees=_everything,
        probabilities=True,
        meant_by=_gpt,
        rank=20,
    ),
    JudgeKind(
        "recorded",
        _recorded,
        ready=lambda: None if _recordings() else "no replies are recorded in calibration/*/replies",
        form="recorded:PATH",
        needs="the file",
        about="replies recorded earlier",
        uses=lambda: ", ".join(_recordings()),
        asks=False,
        sees=_everything,
        stands_in=True,
        rank=60,
    ),
    JudgeKind(
        FUNCTION_JUDGE,
        _function,
        form="function:module:name",
        about="any function that answers a prompt",
        names_code=True,
        sees=_everything,
        meant_by=_python_file,
        rank=80,
    ),
)
"""The table of the kinds of judge, with the core's; features add theirs."""
