"""The container image: where its Dockerfile puts caches."""

import re
from pathlib import PurePosixPath

from tests.commands.console import ROOT

DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
PROJECT = PurePosixPath(*re.findall(r"^WORKDIR (/project)$", DOCKERFILE, re.MULTILINE))
"""The working directory, where users mount a repository."""


def test_the_container_image_keeps_its_caches_outside_the_project() -> None:
    kept = re.findall(r"\b(HOME|MARKSCHEME_CACHE|XDG_\w+)=(\S+)", DOCKERFILE)
    assert dict(kept).keys() >= {"HOME", "MARKSCHEME_CACHE"}
    for name, folder in kept:
        assert not PurePosixPath(folder).is_relative_to(PROJECT), name
    cache = PurePosixPath(dict(kept)["MARKSCHEME_CACHE"])
    assert f"mkdir --mode 1777 {cache.parent}" in DOCKERFILE, "any user makes a folder there, and only they open it"
    assert f":{cache.parent}." in DOCKERFILE, "a comment says how to keep replies"
