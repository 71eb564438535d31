"""Certificates that were computed again, as results of Python calls show themselves."""

from typing import Final

from markscheme.calibration.accepted.certificate_check import CertificateCheck
from markscheme.calibration.results import Reporter
from markscheme.report.results import DocumentReporter
from markscheme.report.views.cascade import checked, checked_json

CHECK_REPORTER: Final[Reporter] = DocumentReporter[CertificateCheck](checked_json, checked)
"""What describes them."""
