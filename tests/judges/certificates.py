"""A self-signed certificate, and TLS for a server with it."""

import ssl
import subprocess
from pathlib import Path


def company_certificate(folder: Path) -> tuple[Path, Path]:
    """Make a self-signed certificate for this machine, and its key."""
    made = (folder / "company.pem", folder / "key.pem")
    subprocess.run(
        [
            "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1",
            "-addext", "subjectAltName=IP:127.0.0.1", "-out", str(made[0]), "-keyout", str(made[1]),
        ],
        check=True,
        capture_output=True,
    )  # fmt: skip
    return made


def tls_with(certificate: tuple[Path, Path]) -> ssl.SSLContext:
    """Make the TLS context of a server from a certificate and its key."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    return context
