"""Show what the labels allow to try, or what decisions say of weights and pass mark."""

import shlex
import sys
from pathlib import Path

from markscheme.commands.output import TOO_FEW, show
from markscheme.features.improve.fitting.evidence import DecisionEvidence
from markscheme.features.improve.fitting.overview import can_try, overview_json, overview_view
from markscheme.features.improve.fitting.run import open_decisions, with_file
from markscheme.features.improve.fitting.view import lack_in_words, numbers_json, numbers_view
from markscheme.features.improve.setting import ImprovableSet

YOURS_STAY = 1
"""Exit status where no other numbers are adopted."""


def show_overview(setting: ImprovableSet, *, json: bool) -> int:
    """Show the evidence, what can be tried, and with what chances; nothing is looked at."""
    decisions = DecisionEvidence.of(setting.rubric, setting.every)
    show(overview_view(setting, decisions), overview_json(setting, decisions), json=json)
    return 0 if any(can_try(setting, decisions).values()) else TOO_FEW


def show_numbers(setting: ImprovableSet, file: Path, *, write: bool, json: bool) -> int:
    """Look at what decisions say, write the numbers where that is asked for, and show both."""
    decisions = DecisionEvidence.of(setting.rubric, setting.every)
    if decisions.lack is not None:
        print(f"error: not enough decisions: {lack_in_words(decisions, decisions.lack)}", file=sys.stderr)
        return TOO_FEW
    looked = open_decisions(decisions, setting.every, day=setting.day)
    run = with_file(looked, file, setting.every, write=write, day=setting.day)
    name = shlex.quote(setting.rubric.name)
    next_step = ("Next, write them", f"markscheme improve {name} --numbers --write")
    can_write = run.proposal.adopted is not None and not run.written
    view = numbers_view(run, next_step=next_step if can_write else None)
    show(view, {**overview_json(setting, decisions), "numbers": numbers_json(run)}, json=json)
    return YOURS_STAY if run.proposal.adopted is None else 0
