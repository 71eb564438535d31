"""Run a command and return its exit status. A command's module is imported when it is called."""

import atexit
import errno
import gc
import os
import sys
import warnings
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from functools import cache, partial
from pathlib import Path

from markscheme.commands.overview import overview, settings_help, typed_alone
from markscheme.errors import MarkschemeError, NoJudge, NothingGraded
from markscheme.shipped import installed_version
from markscheme.text import SafeStream, cut_short
from markscheme.user_code import search_for_code

RARELY = 200_000
"""Number of objects between two garbage collections: imported code stays in memory, and scanning it takes a tenth of
the time. `calibrate` of a table of 60 rows makes 136,000 objects in all."""
THREADS_OF_NUMPY = "OPENBLAS_NUM_THREADS"
"""Variable of the environment with the number of threads in which numpy multiplies matrices. The matrices here are
small: a second thread only waits for the next one, which costs a seventh of the CPU time of `calibrate` with a million
ratings."""
FAULT, NO_JUDGE, UNGRADED, CRASHED, INTERRUPTED = 2, 3, 5, 70, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status."""
    argv = list(sys.argv[1:] if arguments is None else arguments)
    gc.set_threshold(RARELY)
    os.environ.setdefault(THREADS_OF_NUMPY, "1")
    atexit.register(gc.freeze)  # or Python scans all objects three more times before it exits
    with redirect_stdout(SafeStream(sys.stdout)), redirect_stderr(SafeStream(sys.stderr)):
        return _exit_status(argv)


def _exit_status(argv: list[str]) -> int:
    """Run a command line, print any error that it raises, and return the exit status."""
    search_for_code(Path.cwd())
    with warnings.catch_warnings():
        say_once = cache(partial(_say, "warning"))  # a command may read a file several times
        warnings.showwarning = lambda message, *_, **__: say_once(str(message))
        try:
            status = _run(argv)
            sys.stdout.flush()
            return status
        except NoJudge as error:
            error.option = "--judge"
            return _fault(str(error), NO_JUDGE)
        except NothingGraded as error:
            return _fault(str(error), UNGRADED)
        except MarkschemeError as error:
            return _fault(str(error))
        except KeyboardInterrupt:
            return _fault("interrupted; replies in the cache are kept", INTERRUPTED)
        except BrokenPipeError:  # the reader of our output has exited
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return FAULT
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
                return _fault(f"{error.filename or 'what is printed'} cannot be written: {error.strerror}")
            if error.errno != errno.ENAMETOOLONG:
                return _crashed(error)
            return _fault(f"there is no file {cut_short(str(error.filename), 60)}: a file's name has at most 255 bytes")
        except SystemExit as error:
            return _fault(f"code that markscheme called ended the run: sys.exit({error.code!r})", CRASHED)
        except Exception as error:  # Python would exit with 1, which of `calibrate` means that the rubric needs work
            return _crashed(error)


def _crashed(error: Exception) -> int:
    """Print the traceback of an unexpected exception, and return the exit status for a bug."""
    sys.excepthook(type(error), error, error.__traceback__)
    return _fault("this is a bug in markscheme or a broken installation; the call itself is fine", CRASHED)


def calibrate_main() -> int:
    """Run the separate command `calibrate`, short for `markscheme calibrate`, and return its exit status."""
    return main(["calibrate", *sys.argv[1:]])


def _run(argv: list[str]) -> int:
    if argv[:1] == ["help"] and argv[1:] not in ([], ["settings"]):
        return _run([*argv[1:], "--help"])
    if not argv or argv[0] in ("-h", "--help", "--help-all", "help"):
        print(settings_help() if argv[1:] == ["settings"] else overview(everything="--help-all" in argv))
        return 0
    if argv[0] == "--version":
        print(f"markscheme {installed_version()}")
        return 0
    if (run_alone := typed_alone(argv)) is not None:
        return run_alone()
    from markscheme.commands.call import call, complete

    if argv[0] in ("--completion", "__complete"):
        return complete(argv)
    return call(argv)


def _fault(message: str, status: int = FAULT) -> int:
    _say("error", message)
    return status


def _say(severity: str, message: str) -> None:
    with suppress(OSError):  # a full disk must not change the exit status
        for line in message.splitlines():
            print(line if line.startswith("  ") else f"{severity}: {line}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
