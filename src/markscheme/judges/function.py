"""A user's Python function as judge, which gets a system and a user prompt and returns an answer."""

import ast
import asyncio
import inspect
import json
import os
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import Any, Final

from markscheme.errors import (
    FROM_OTHERS_CODE,
    JudgeError,
    JudgeSilent,
    JudgeUnavailable,
    UnreadableReply,
    UsageError,
    suggestion,
)
from markscheme.fingerprint import fingerprint
from markscheme.judges.external_words import shown
from markscheme.judges.judge import GradingJudge, Identity, Reply, Usage, Wrapping
from markscheme.judges.threads import ThreadLoop, in_thread
from markscheme.judges.timeouts import REQUEST_TIMEOUT
from markscheme.prompts.prompt import Prompt
from markscheme.user_code import import_user_module, user_spec

ENVIRONMENT, READS = "environment", "reads"
DECLARED: Final = (ENVIRONMENT, READS)
"""Attributes by which a function declares what its replies depend on in addition to the prompt."""


@dataclass(frozen=True)
class FunctionJudge:
    """A judge that answers by calling `fn(system_prompt=…, user_prompt=…)`.

    Args:
        fn: The function, sync or async; a sync function runs in a thread. It returns a text, a mapping, a pydantic
            model or a Reply. A mapping `{"decisions": {CRITERION: {LEVEL: p, …}}}` gives probabilities instead of
            verdicts. If it has a parameter `schema`, it is passed the JSON Schema of the answer; if it has a parameter
            `parts`, the images and documents in whose place the prompt has marks.
        name: The judge's name. Functions with equal names are distinguished by their source, by the files of the
            modules that they import from the project, and by what they declare that they depend on. `fn.environment`
            lists names of environment variables; `fn.reads` lists files next to the module or in the working directory.
            If a function declares neither, its replies aren't cached for later processes.
        home: The module from which the function was loaded by name, which is part of the judge's identity; None if it
            was passed as an object.
        deadline: Seconds for one answer; a function that takes longer is no longer waited for.
        apart: True to run an async function in an event loop of its own, so that it may block.

    Raises:
        UsageError: The function cannot be called with `system_prompt` and `user_prompt`, or declares something other
            than names.

    Example:
        >>> from markscheme import Rubric, grade
        >>> async def strict(system_prompt, user_prompt):
        ...     return {"verdicts": {"c1": {"quote": "nothing to quote", "reason": "No.", "level": "UNMET"}}}
        >>> rubric = Rubric.from_dict([{"weight": 1, "requirement": "Mentions Paris"}])
        >>> asyncio.run(grade(rubric, "Rome.", FunctionJudge(strict, "function:strict"))).score
        0.0
    """

    fn: Callable[..., Any]
    name: str
    home: str | None = None
    deadline: float = REQUEST_TIMEOUT
    apart: bool = False
    _own_loop: ThreadLoop = field(default_factory=ThreadLoop, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self._wants_schema and not self._takes(system_prompt="", user_prompt="") and not self.sees:
            raise UsageError(
                f"{self.name} must take `system_prompt` and `user_prompt` as keywords; it may take `schema` and `parts`"
            )
        for attribute in DECLARED:
            self._declared(attribute)

    @classmethod
    def load(cls, name: str) -> "FunctionJudge":
        """Load the function `module:name` as a judge.

        Raises:
            UsageError: The module or function doesn't exist, or the function cannot be called as a judge.
        """
        module, _, function = name.partition(":")
        if not module or not function:
            raise UsageError(f"'function:{name}' doesn't name module and function; expected function:module:name")
        try:
            imported = getattr(import_user_module(module), function)
        except FROM_OTHERS_CODE as error:
            why = error if isinstance(error, ImportError | AttributeError) else f"{type(error).__name__}: {error}"
            names = vars(sys.modules[module]) if module in sys.modules else ()
            instead = suggestion(function, names)
            raise UsageError(f"cannot import function {function!r} of module {module!r}: {why}{instead}") from error
        return cls(imported, f"function:{name}", module, apart=True)

    @property
    def identity(self) -> Identity:
        """Identity with the judge's name, and digests of the function's source, its modules and what it declares.

        The declared variables and files are read each time, since a program may change them between two replies.
        """
        parameters = {"source": self._source}
        if variables := self._declared(ENVIRONMENT):
            parameters[ENVIRONMENT] = fingerprint({name: os.environ.get(name) for name in variables})
        if self._declared(READS):
            parameters[READS] = fingerprint([(file.name, _content(file)) for file in self.files_read])
        lasting = any(self._declared(attribute) is not None for attribute in DECLARED)
        return Identity(self.name, parameters=parameters, lasting=lasting)

    @cached_property
    def _source(self) -> str:
        """Digest of the function's code, as it was imported."""
        try:
            source = inspect.getsource(self._innermost)
        except (OSError, TypeError):
            source = ""
        own_files = project_modules(self._module, *([] if self.home is None else [self.home]))
        return fingerprint(source, {name: file.read_bytes().decode("latin-1") for name, file in own_files})

    @property
    def files_read(self) -> list[Path]:
        """Paths where the files that the function says it reads may be: next to its module, in the working directory.

        The files needn't exist.
        """
        module_file = getattr(sys.modules.get(self._module), "__file__", None)
        folders = [Path(module_file).parent, Path()] if module_file else [Path()]
        return [folder / name for name in self._declared(READS) or () for folder in folders]

    @property
    def _innermost(self) -> Any:
        """The user's function, taken out of wrappers and partials."""
        innermost: Any = inspect.unwrap(self.fn)
        while isinstance(innermost, partial):
            innermost = inspect.unwrap(innermost.func)
        return innermost

    @property
    def _module(self) -> str:
        innermost = self._innermost
        return getattr(innermost, "__module__", None) or type(innermost).__module__

    def _declared(self, attribute: str) -> list[str] | None:
        """Return the sorted names that the function declares under an attribute such as `reads`; None if it has none.

        Raises:
            UsageError: The declaration is something other than names.
        """
        names = getattr(self.fn, attribute, getattr(self._innermost, attribute, None))
        if names is None:
            return None
        if not isinstance(names, tuple | list | set | frozenset) or not all(isinstance(name, str) for name in names):
            raise UsageError(f'{self.name}: `{attribute}` must be names such as ("MODEL",), got {names!r}')
        return sorted(names)

    async def reply(self, prompt: Prompt, sample: int = 0) -> Reply:  # noqa: ARG002 - each call is a new sample
        """Call the function and return its answer.

        Args:
            prompt: The prompt.
            sample: Not used, since each call of the function is a new sample.

        Raises:
            JudgeSilent: The function didn't answer within the deadline.
            JudgeUnavailable: The function raised an exception.
            UnreadableReply: The function raised an error about a malformed answer, or returned something that isn't an
                answer.
        """
        try:
            async with asyncio.timeout(self.deadline) as limit:
                answer = await self._called(prompt)
        except TimeoutError as error:
            if limit.expired():
                raise JudgeSilent(f"{self.name} gave no answer within {self.deadline:g} s") from error
            raise self._fault(error) from error
        except JudgeError:
            raise
        except FROM_OTHERS_CODE as error:
            raise self._fault(error) from error
        return self._as_reply(answer)

    async def aclose(self) -> None:
        """Stop the event loop in which the function runs; calls that hang in it are left behind."""
        self._own_loop.stop()

    async def _called(self, prompt: Prompt) -> Any:
        arguments: dict[str, Any] = {"system_prompt": prompt.system, "user_prompt": prompt.user}
        if self._wants_schema:
            arguments["schema"] = _copied(prompt.schema)  # prompts share it, and the function is not ours
        if prompt.parts or self._names_parts:
            arguments["parts"] = prompt.parts
        if self._is_async:
            return await self._awaited(self.fn(**arguments))
        answer = await in_thread(partial(self.fn, **arguments))
        return await self._awaited(answer) if inspect.isawaitable(answer) else answer

    async def _awaited(self, answer: Awaitable[Any]) -> Any:
        return await (self._own_loop.result(answer) if self.apart else answer)

    @cached_property
    def _is_async(self) -> bool:
        return inspect.iscoroutinefunction(self.fn) or inspect.iscoroutinefunction(type(self.fn).__call__)

    @cached_property
    def _wants_schema(self) -> bool:
        return any(self._takes(system_prompt="", user_prompt="", schema={}, **more) for more in ({}, {"parts": ()}))

    @cached_property
    def sees(self) -> bool:
        """True if the function accepts the images and documents in a prompt."""
        wanted: dict[str, Any] = {"schema": {}} if self._wants_schema else {}
        return self._takes(system_prompt="", user_prompt="", parts=(), **wanted)

    @cached_property
    def _names_parts(self) -> bool:
        return self.sees and "parts" in inspect.signature(self.fn).parameters

    def _takes(self, **arguments: Any) -> bool:
        try:
            inspect.signature(self.fn).bind(**arguments)
        except ValueError:  # its signature can't be inspected
            return "schema" not in arguments
        except TypeError:
            return False
        return True

    def _fault(self, error: BaseException) -> JudgeError:
        words = f"{type(error).__name__}: {shown(str(error))}"
        if type(error).__name__ in ("ValidationError", "JSONDecodeError"):
            return UnreadableReply(f"{self.name} got no well-formed answer: {words}")
        return JudgeUnavailable(f"{self.name} failed: {words}")

    def _as_reply(self, answer: Any) -> Reply:
        match answer:
            case Reply():
                return answer
            case str():
                return Reply(answer, usage=Usage(1))
            case Mapping():
                return Reply(self._as_json(answer), usage=Usage(1), decided="decisions" in answer)
        if hasattr(answer, "model_dump_json"):
            return Reply(answer.model_dump_json(), usage=Usage(1))
        raise UnreadableReply(
            f"{self.name} gave {type(answer).__name__}; an answer is a text, a mapping or a pydantic model"
        )

    def _as_json(self, answer: Mapping[Any, Any]) -> str:
        try:
            return json.dumps(dict(answer), ensure_ascii=False)
        except (TypeError, ValueError, RecursionError) as error:
            raise UnreadableReply(f"{self.name} didn't return JSON data: {shown(str(error))}") from error


def files_read(judge: GradingJudge) -> list[Path]:
    """Return the files that a judge says it reads; [] unless the judge, without its wrappers, is a function."""
    while isinstance(judge, Wrapping):
        judge = judge.judge
    return judge.files_read if isinstance(judge, FunctionJudge) else []


def _content(file: Path) -> str | None:
    """Read a file's bytes as Latin-1 text; None if it can't be read."""
    try:
        return file.read_bytes().decode("latin-1")
    except OSError:
        return None


def project_modules(*names: str) -> Iterator[tuple[str, Path]]:
    """Yield name and file of the named modules and of all modules that they import, as far as they are the user's."""
    seen: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        file = None if name in seen else _file_of(name)
        seen.add(name)
        if file is not None and is_own(str(file)):
            yield name, file
            waiting += _imported_by(name, file)


def is_own(file: str) -> bool:
    """Return True if a module's file is the user's code: not part of Python, a package or markscheme.

    Example:
        >>> is_own("/home/me/project/judge.py"), is_own(os.__file__), is_own(asyncio.__file__)
        (True, False, False)
    """
    return not file.startswith(_FOREIGN) and not {"site-packages", "dist-packages"} & set(Path(file).parts)


_FOREIGN: Final = (os.path.join(os.path.dirname(os.__file__), ""), os.path.join(Path(__file__).parents[1], ""))


def _file_of(name: str) -> Path | None:
    """Return the path of a module's source; None if it isn't a Python file."""
    module = sys.modules.get(name)
    try:
        spec = None if module else _spec_of(name)
    except (ImportError, AttributeError, ValueError):
        return None
    file = getattr(module, "__file__", None) or (spec.origin if spec and spec.has_location else None)
    return Path(file) if file and file.endswith(".py") and os.path.isfile(file) else None


def _spec_of(name: str) -> ModuleSpec | None:
    """Find a module's import spec without importing its parent packages; None if there is no such module."""
    parent = name.rpartition(".")[0]
    if not parent:
        return user_spec(name)
    above = sys.modules.get(parent) or _spec_of(parent)
    folders = getattr(above, "__path__", None) or getattr(above, "submodule_search_locations", None)
    return PathFinder.find_spec(name, list(folders)) if folders else None


def _imported_by(name: str, file: Path) -> Iterator[str]:
    """List the modules that a file imports anywhere in its code; `from a import b` also lists a.b."""
    try:
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError):
        return
    package = name if file.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package.rsplit(".", node.level - 1)[0] if node.level else ""
            base = ".".join(part for part in (above, node.module) if part)
            names = [base, *(f"{base}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("import_module", "__import__")):
            names = [
                argument.value
                for argument in node.args[:1]
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
            ]
        else:
            continue
        for dotted in names:
            parts = dotted.split(".")
            yield from (".".join(parts[: end + 1]) for end in range(len(parts)))


def _copied(data: Any) -> Any:
    """Copy JSON data into new lists and objects, faster than deepcopy."""
    if isinstance(data, dict):
        return {name: value if isinstance(value, str) else _copied(value) for name, value in data.items()}
    if isinstance(data, list):
        return [value if isinstance(value, str) else _copied(value) for value in data]
    return data
