"""The files of a new project that come with markscheme: what grading under Promptfoo needs, and a skill for agents."""

from collections.abc import Mapping
from pathlib import Path

from markscheme.shipped import shipped

SKILLS = Path(".claude", "skills")
"""Folders in which coding agents look for a project's skills."""


def project_files() -> dict[Path, str]:
    """Return the files of a new project, as texts by path: graders, a rubric, labelled examples and a configuration.

    Example:
        >>> Path("rubrics", "support-reply.yaml") in project_files()
        True
    """
    project = shipped("project")
    sources = {
        file.relative_to(project): file
        for file in project.rglob("*")
        if file.is_file() and file.suffix != ".pyc"  # an installer compiles what it installs
    }
    graders = [file for file in shipped("graders").iterdir() if file.suffix in (".py", ".mjs")]
    return _texts(sources | {Path("graders", file.name): file for file in graders})


def skill_files() -> dict[Path, str]:
    """Return the files of the skill by which coding agents work with markscheme, as texts by their path in a project.

    Example:
        >>> Path(".claude", "skills", "markscheme", "SKILL.md") in skill_files()
        True
    """
    skills = shipped("skills")
    return _texts({SKILLS / file.relative_to(skills): file for file in skills.rglob("*.md")})


def _texts(sources: Mapping[Path, Path]) -> dict[Path, str]:
    """Return the texts of source files by their path in the project."""
    return {path: source.read_text(encoding="utf-8") for path, source in sources.items()}
