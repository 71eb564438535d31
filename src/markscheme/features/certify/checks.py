"""What `verify` calls to check a certificate, gathered so that it loads together."""

from markscheme.features.certify.check import check_certificate_at
from markscheme.features.certify.view_check import CHECK_REPORTER

__all__ = ["CHECK_REPORTER", "check_certificate_at"]
