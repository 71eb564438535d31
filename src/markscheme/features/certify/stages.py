"""`markscheme tune --cascade`: which judges may decide one after the other."""

from dataclasses import replace
from pathlib import Path

from markscheme.calibration.certificates import StagesAsked
from markscheme.commands.output import TOO_FEW, show
from markscheme.features.certify.run import certify_stages, names_ratings
from markscheme.features.certify.view import json_of, view
from markscheme.judges.kinds import kind_of


def show_stages(request: StagesAsked, json: bool) -> int:
    """Print who decides what, as JSON where that is asked for, and return the exit status."""
    tuned, written = certify_stages(replace(request, judges=judges_named(",".join(request.judges))))
    show(view(request.rubric, tuned, written), json_of(request.rubric, tuned, written), json=json)
    return 0 if tuned.is_supported else TOO_FEW


def judges_named(text: str) -> list[str]:
    """Split the judges or files in the value of `--cascade`: names of judges may hold a comma, and so may paths.

    >>> judges_named("openai:a,b,anthropic+openai:m")
    ['openai:a,b', 'anthropic+openai:m']
    """
    first, *others = text.split(",")
    judges = [first.strip()]
    for part in others:
        whole = f"{judges[-1]},{part}"
        is_path = any(Path(path).is_file() for path in (whole, whole.partition(":")[2]))
        if is_path or (kind_of(part.strip()) is None and not names_ratings(part.strip())):
            judges[-1] = whole
        else:
            judges.append(part.strip())
    return judges
