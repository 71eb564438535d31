"""Report on the check of a certificate, as a page and as JSON."""

from typing import Any, Final

from markscheme.calibration.results import Reporter
from markscheme.features.certify.check import CertificateCheck
from markscheme.phrases import counted
from markscheme.report.document import Callout, Document, Name, Notes, Table
from markscheme.report.json import attributes
from markscheme.report.results import DocumentReporter


def checked(check: CertificateCheck) -> Document:
    """Render a certificate's check: whether its decisions and files give the same thresholds, and every difference."""
    title = f"{check.file.path.resolve().parent.name}: {check.file.path.name}"
    not_checked = (Notes((f"Not checked: {'; '.join(check.unchecked)}.",)),) if check.unchecked else ()
    if check.holds:
        were = f"Its thresholds, counts and bound follow from {counted(check.labels, 'labelled decision')}."
        return Document(title, "", (Callout("good", "The certificate is right.", were), *not_checked))
    if not check.differences:
        return Document(title, "", (Callout("open", "The certificate was not checked."), *not_checked))
    rows = tuple((Name(difference.what), difference.stated or "", difference.now) for difference in check.differences)
    head = "The certificate is not right: its decisions or files say something else."
    table = Table(("What", "in the certificate", "today"), rows)
    return Document(title, "", (Callout("bad", head), table, *not_checked))


def checked_json(check: CertificateCheck) -> dict[str, Any]:
    """Return the JSON of a certificate's check."""
    return {
        "schema": 1,
        "certificate": str(check.file.path),
        **attributes(check, "holds recomputed labels"),
        "differences": [difference.to_json("certificate") for difference in check.differences],
        "not_checked": list(check.unchecked),
    }


CHECK_REPORTER: Final[Reporter] = DocumentReporter[CertificateCheck](checked_json, checked)
"""Reporter that displays a certificate's check in notebooks and as HTML."""
