"""Arguments to calls, print, exit status. A command is a module of `markscheme.commands`, loaded when it is named."""

import os
import sys
import warnings
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from importlib import import_module

from markscheme.errors import MarkschemeError, NoJudge, NothingGraded
from markscheme.text import SafeStream

GROUPS = {
    "Start here": {
        "init": "put graders, a rubric, labelled examples and a configuration into a project",
        "calibrate": "hold a judge to people's labels: may it decide, and what should be edited?",
        "label": "label responses on a local page, blind to judges and other people",
        "demo": "for sceptics, offline: what agreement is worth, and a planted fault found",
    },
    "Work": {
        "grade": "grade responses with a rubric",
        "lint": "say what is wrong with a rubric, and what might be better",
        "tune": "say which weights, pass mark and thresholds people's labels support",
        "compare": "hold judges, runs or results beside each other, and say which to choose",
        "experiment": "run prompt variants on cases, grade the outputs, and say which differ",
        "import": "turn other tools' labels and verdicts into ratings, and say what was lost",
        "status": "every rubric here on a line: what its judge may decide, and until when",
    },
    "More": {
        "agreement": "measure how far raters agree, from a table of ratings",
        "passrate": "correct a pass rate for the judge's errors",
        "prompts": "print the prompts a judge would be asked",
        "session": "the warm process behind Promptfoo's assertions: start, stop, status",
    },
}
COMMANDS = [name for group in GROUPS.values() for name in group]
NO_MODULE_NAME = {"import": "import_ratings"}
"""Commands whose name cannot be a module's."""
FAULT, NO_JUDGE, UNGRADED, CRASHED, INTERRUPTED = 2, 3, 5, 70, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit status."""
    argv = list(sys.argv[1:] if arguments is None else arguments)
    with redirect_stdout(SafeStream(sys.stdout)), redirect_stderr(SafeStream(sys.stderr)):
        return _main(argv)


def _main(argv: list[str]) -> int:
    if not argv or argv[0] in ("-h", "--help", "help"):
        print(_overview())
        return 0
    if argv[0] == "--version":
        from importlib.metadata import version

        print(f"markscheme {version('markscheme')}")
        return 0
    if argv[0] not in COMMANDS:
        return _fault(f"{argv[0]!r} is no command; there are {', '.join(COMMANDS)}")
    return _run(argv[0], argv[1:])


def calibrate_main() -> int:
    """`calibrate …` is `markscheme calibrate …`."""
    return main(["calibrate", *sys.argv[1:]])


def module_of(command: str) -> str:
    """The module that holds a command."""
    return f"markscheme.commands.{NO_MODULE_NAME.get(command, command)}"


def _run(command: str, argv: list[str]) -> int:
    sys.path.append(os.getcwd())  # a console script knows no module that stands where its user does
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        try:
            module = import_module(module_of(command))
            status: int = module.run(module.parser().parse_intermixed_args(argv))
            sys.stdout.flush()
            return status
        except NoJudge as error:
            return _fault(str(error), NO_JUDGE)
        except NothingGraded as error:
            return _fault(str(error), UNGRADED)
        except MarkschemeError as error:
            return _fault(str(error))
        except KeyboardInterrupt:
            return _fault("interrupted; replies that had come are kept", INTERRUPTED)
        except BrokenPipeError:  # the reader of our output has gone
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return FAULT
        except Exception:  # Python's own status for it is 1, which of `calibrate` means that the rubric needs adjusting
            import traceback  # whoever meets no fault of ours pays nothing for it

            traceback.print_exc()
            return _fault("this is a fault of markscheme or of its installation, not of what was asked", CRASHED)


def _fault(message: str, status: int = FAULT) -> int:
    for line in message.splitlines():
        print(f"error: {line}", file=sys.stderr)
    return status


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    print(f"warning: {message}", file=sys.stderr)


def _overview() -> str:
    width = max(map(len, COMMANDS)) + 2
    lines = ["usage: markscheme COMMAND [options]", ""]
    lines.append("Grade model outputs with weighted rubrics, and prove how far the grades can be trusted.")
    for group, commands in GROUPS.items():
        lines += ["", f"{group}:", *(f"  {name:<{width}}{summary}" for name, summary in commands.items())]
    lines += ["", "`markscheme COMMAND --help` tells more, with an example."]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
