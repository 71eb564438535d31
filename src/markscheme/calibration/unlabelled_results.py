"""The refusal to calibrate Promptfoo's results without labels, with the commands that work on them."""

import shlex
from collections import Counter
from collections.abc import Sequence
from operator import itemgetter
from pathlib import Path

from markscheme.calibration.results_uses import RESULTS_USES
from markscheme.errors import RatingError
from markscheme.phrases import counted, in_words
from markscheme.readers.rated import RatedFiles


def nothing_labelled(paths: Sequence[Path], rated: RatedFiles) -> RatingError:
    """Return the error that Promptfoo's results have no labels, with the commands that work on them anyway."""
    (first, *_) = rated.files
    cases = Counter(first.cases.get(rating.id, rating.id) for rating in first.judged)
    files = shlex.join(map(str, paths))
    name = shlex.quote(paths[0].stem)
    first_verdict = f"markscheme calibrate {name} --ratings {files} --json verdict.json"
    runs = max(cases.values(), default=0)
    uses = [
        (command.replace("FILES", files).replace("NAME", name), gives)
        for _, fewest_runs, command, gives in sorted(RESULTS_USES, key=itemgetter(0))
        if runs >= fewest_runs
    ]
    uses.insert(1, (first_verdict, "then: a verdict on each grader"))
    width = max((len(command) for command, _ in uses), default=0)
    metrics = in_words([criterion.name for criterion in rated.rubric.criteria])
    outputs = counted(len(rated.labelled.examples), "output")
    return RatingError(
        "\n".join(
            [
                f"no output in the results is labelled, so nothing says how far its graders can be trusted: {outputs}, "
                f"graded by {metrics}. Label them:",
                *(f"  {command:<{width}}  {gives}" for command, gives in uses),
                "  or rate some in `promptfoo view`, or give tests `metadata: {expected_label: pass|fail}`, by metric "
                "`{expected_label: {METRIC: pass|fail}}`",
            ]
        )
    )
