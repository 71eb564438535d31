"""Names of options, by what they are about."""

from typing import Final

from markscheme.options.table import options_of
from markscheme.ratings.column_options import ColumnOptions
from markscheme.rubrics.shape_hints import ShapeOptions

TRAFFIC_SETTINGS: Final = (
    *("-o price", "-o cache", "-o batch_reasks", "-o concurrency"),
    *("-o requests_per_minute", "-o tokens_per_minute"),
)
"""Settings on calls of a judge that don't change what it is asked."""
CALL_SETTINGS: Final = (
    *TRAFFIC_SETTINGS,
    *("-o model", "-o temperature", "-o max_tokens", "-o expected", "-o probe"),
)
"""Settings on calls of a judge, without those that say how often and in which form it is asked."""
OF_CALLS: Final = ("--samples", "--budget", "--batch", *CALL_SETTINGS)
"""Options on how a judge is asked."""
OF_ANNOTATORS: Final = ("-o metric", "-o agreement_weights")
"""Settings on the agreement of annotators with each other."""
OF_SERVERS: Final = ("-o host", "-o port", "-o public_url")
"""Settings on a page that is served."""
OF_PAGES: Final = (*OF_SERVERS, "-o seed", "-o untimed", "-o ask_whole", "-o all_criteria")
"""Settings on labelling pages, on the order of what they show, and on what they ask."""
OF_SHARES: Final = ("--share", "--each", "--overlap")
"""Options on annotators who share what is to be labelled."""
OF_GOALS: Final = ("--width", "--error")
"""Options on goals of labelling other than a verdict."""
OF_PLANS: Final = (
    *("--judge", "--ratings", "--examples", "--split", "--only", "--target"),
    *(*OF_GOALS, "--details", *OF_CALLS),
)
"""Options of a plan of labels, and of a draw of what to label next, which no labelling page uses."""
OF_POOLS: Final = (
    *("--pool", "--next", "--to", "--pairs", "--audits"),
    *("--ratings", "--examples", "--split", "--only"),
)
"""Options of `label` on the file of the responses to label, or on labels and ratings of them in other files."""
OF_RUNS: Final = ("--of", "--runs-in-ci", "--examples")
"""Options on several runs over the same cases."""
OF_LOOKS: Final = ("--since", "--because", "--by", "--through", "--at", "--time", "--at-least", "--audits-per-week")
"""Options on a stream to which responses are added."""
OF_IMPORTS: Final = ("--rubric", "--examples", "--append", "--current-words", "--only", "--as", "--rater-column")
"""Options on ratings that are imported."""
_COLUMNS: Final = {
    key: row.name or f"--{key.replace('_', '-')}" for key, row in options_of(ColumnOptions).items() if row.is_named
}
OF_COLUMNS: Final = tuple(name for key, name in _COLUMNS.items() if key not in ("judge", "rater"))
"""Options on what the columns of a file mean."""
ON_FILES: Final = tuple(_COLUMNS.values())
"""Options on what a file means."""
OF_COLUMNS_BUT_MAP: Final = tuple(name for key, name in _COLUMNS.items() if key not in ("map", "scale"))
"""Options on columns, without those that a rubric of another tool takes too."""
OF_VALUES: Final = (
    *("--adjudicated", "--pass", "--pass-mark", "--levels", "--scale", "--same"),
    *("--kind", "--judge-names"),
)
"""Options on what ratings in a file mean, without the one that names their rater."""
ON_RATINGS: Final = (*OF_VALUES, "--rater")
"""Options on what ratings in a file mean."""
OF_EXPORTS: Final = ("--map", "--levels", "--scale", "--kind", "--rater", "--judge-names")
"""Options on what an export of another tool means."""
OF_TABLES: Final = tuple(name for name in OF_COLUMNS if name not in OF_EXPORTS)
"""Options on what a table means that has its own ratings."""
OF_SHAPES: Final = tuple(f"--{key}" for key, row in options_of(ShapeOptions).items() if row.is_typed)
"""Options on a rubric in another tool's shape."""
