"""Refuses a release that nobody can have meant: python .ci/release.py TAG

The tag names the version of pyproject.toml, the changelog has that version with its day and no "unreleased", the
citation file and the plugin name the same version, and the repository has an address.
"""

import json
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
PLACEHOLDER = ".invalid/"
"""Part of an address that can't exist (RFC 2606)."""


def faults(tag: str, root: Path) -> list[str]:
    """What is wrong with releasing a clone under a tag; nothing where it may go out."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    version = project["version"]
    wrong = []
    if tag != f"v{version}":
        wrong.append(f"the tag is {tag}, and pyproject.toml says version {version}")
    headings = re.findall(r"^## (.+)$", (root / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    if not headings or not re.fullmatch(rf"{re.escape(version)} \(\d{{4}}-\d\d-\d\d\)", headings[0]):
        first = headings[0] if headings else "empty"
        wrong.append(f'CHANGELOG.md begins with "{first}", not with "{version} (YEAR-MONTH-DAY)"')
    wrong += [f"{name}'s address is a placeholder" for name, url in project["urls"].items() if PLACEHOLDER in f"{url}/"]
    if f"\nversion: {version}\n" not in (root / "CITATION.cff").read_text(encoding="utf-8"):
        wrong.append(f"CITATION.cff doesn't say version {version}")
    plugin = json.loads((root / ".claude-plugin" / "plugin.json").read_text(encoding="utf-8"))
    if plugin["version"] != version:
        wrong.append(f".claude-plugin/plugin.json says version {plugin['version']}")
    return wrong


if __name__ == "__main__":
    found = faults(sys.argv[1], ROOT)
    for fault in found:
        print(f"not released: {fault}", file=sys.stderr)
    sys.exit(1 if found else 0)
