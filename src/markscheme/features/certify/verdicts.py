"""What the core calls to grade by a certificate, gathered so that it loads together."""

from markscheme.features.certify.grader import certified_grader
from markscheme.features.certify.judges import open_certified
from markscheme.features.certify.labels import with_checked_labels

__all__ = ["certified_grader", "open_certified", "with_checked_labels"]
