"""The HTML of a page to work on: a template with style, script and data embedded, to be served or mailed."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from markscheme.pages.assets import BASE_STYLE, EXAMPLE_SCRIPT, digest, joined

_TEMPLATES = Path(__file__).parent / "templates"
_POLICY = "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'"


@cache
def environment(folder: Path = _TEMPLATES) -> Environment:
    """Return the Jinja environment of a folder's templates and the shared ones; all values in them are escaped."""
    return Environment(
        loader=FileSystemLoader((folder, _TEMPLATES)),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@dataclass(frozen=True)
class PageTemplate:
    """A page's template, and the files of its own style and script.

    Attributes:
        name: Name of the template.
        styles: Its style sheets, which come after the one that all pages share.
        scripts: Its scripts, which come after the one that all pages share.
        folder: Folder of these files; a file that isn't there is taken from the folder of files that all pages share.
    """

    name: str
    styles: tuple[str, ...]
    scripts: tuple[str, ...]
    folder: Path = _TEMPLATES

    @property
    def style(self) -> str:
        """The text of the page's style sheets."""
        return joined(BASE_STYLE, *map(self._path, self.styles))

    @property
    def script(self) -> str:
        """The text of the page's scripts."""
        return joined(EXAMPLE_SCRIPT, *map(self._path, self.scripts))

    @property
    def policy(self) -> str:
        """Content security policy: the page's own style and script, images inside the page, and nothing else."""
        return f"{_POLICY}; style-src '{digest(self.style)}'; script-src '{digest(self.script)}'"

    def _path(self, name: str) -> Path:
        """Return the path of a style sheet or a script."""
        path = self.folder / name
        return path if path.is_file() else _TEMPLATES / name

    def page(self, data: Mapping[str, Any], *, is_sheet: bool, **names: Any) -> str:
        """Render the page from its data, with its style and script inside.

        Args:
            data: Data for the page's script.
            is_sheet: True if the page is a file that needs no server.
            names: Further variables of the template.
        """
        return (
            environment(self.folder)
            .get_template(self.name)
            .render(
                is_sheet=is_sheet,
                policy=self.policy,
                style=Markup(self.style),  # noqa: S704 - files of this package
                script=Markup(self.script),  # noqa: S704 - files of this package
                data=Markup(json.dumps(data).replace("<", "\\u003c")),  # noqa: S704 - JSON without a tag
                **names,
            )
        )
