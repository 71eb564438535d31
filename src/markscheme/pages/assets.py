"""The style sheet and script that all pages share, and hashes for their Content-Security-Policy."""

import base64
import hashlib
from functools import cache
from pathlib import Path

TEMPLATES = Path(__file__).parent / "templates"
BASE_STYLE = TEMPLATES / "base.css"
EXAMPLE_SCRIPT = TEMPLATES / "example.js"


@cache
def joined(*files: Path) -> str:
    """Join the text of style sheets or scripts, one after the other."""
    return "\n".join(file.read_text(encoding="utf-8").strip() for file in files)


def digest(text: str) -> str:
    """Compute the hash by which a Content-Security-Policy allows one script or style."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
