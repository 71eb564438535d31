"""What a calibration calls to know what `improve` could do, gathered so that it loads together."""

from markscheme.features.improve.findings import FITTING_FINDINGS
from markscheme.features.improve.labelled_tasks import can_try_words

__all__ = ["FITTING_FINDINGS", "can_try_words"]
