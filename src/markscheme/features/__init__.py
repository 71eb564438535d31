"""Features: extras for few users, each in a folder that can be deleted along with its import and row in this file."""

from markscheme.features.agents import AGENTS
from markscheme.features.batches import BATCHES
from markscheme.features.cards import CARDS
from markscheme.features.certify import CERTIFY
from markscheme.features.charts import CHARTS
from markscheme.features.compare import COMPARE
from markscheme.features.compatibility import COMPATIBILITY
from markscheme.features.counts import COUNTS
from markscheme.features.decision_models import DECISION_MODELS
from markscheme.features.demo import DEMO
from markscheme.features.discover import DISCOVER
from markscheme.features.doubts import DOUBTS
from markscheme.features.drift import DRIFT
from markscheme.features.experiment import EXPERIMENT
from markscheme.features.grader_texts import GRADER_TEXTS
from markscheme.features.improve import IMPROVE
from markscheme.features.init import INIT
from markscheme.features.json_replies import JSON_REPLIES
from markscheme.features.label import LABEL
from markscheme.features.lint import LINT
from markscheme.features.local_judge import LOCAL_JUDGE
from markscheme.features.media import MEDIA
from markscheme.features.mistaken_calls import MISTAKEN_CALLS
from markscheme.features.other_tools import OTHER_TOOLS
from markscheme.features.pairs import PAIRS
from markscheme.features.pass_rate import PASS_RATE
from markscheme.features.published import PUBLISHED
from markscheme.features.rows import ROWS
from markscheme.features.status import STATUS
from markscheme.features.stress import STRESS
from markscheme.seam import Feature

FEATURES: tuple[Feature, ...] = (
    AGENTS,
    BATCHES,
    CARDS,
    CERTIFY,
    CHARTS,
    COMPARE,
    COMPATIBILITY,
    COUNTS,
    DECISION_MODELS,
    DEMO,
    DISCOVER,
    DOUBTS,
    DRIFT,
    EXPERIMENT,
    GRADER_TEXTS,
    IMPROVE,
    INIT,
    JSON_REPLIES,
    LABEL,
    LINT,
    LOCAL_JUDGE,
    MEDIA,
    MISTAKEN_CALLS,
    OTHER_TOOLS,
    PAIRS,
    PASS_RATE,
    PUBLISHED,
    ROWS,
    STATUS,
    STRESS,
)
"""The features, in the order of their names."""
