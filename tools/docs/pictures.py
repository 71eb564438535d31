"""The pictures of README and documentation, made from the product: `python tools/docs/pictures.py` writes them again.

`tests/docs/test_pictures.py` fails if the terminal's text is no longer what the product prints.
"""

import html
import io
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "docs" / "assets" / "pictures"
TERMINAL, REPORT, LABELLING = (PICTURES / name for name in ("calibrate.svg", "report.png", "labelling.png"))
SOCIAL = PICTURES / "card.png"
"""What other sites show of a link to a page."""
SOCIAL_PAGE = """\
<!doctype html><meta charset="utf-8"><style>
body {{ margin: 0; width: 1200px; height: 630px; background: #00695c; color: #fff; font-family: sans-serif; }}
h1 {{ margin: 0; padding: 90px 90px 0; font-size: 96px; letter-spacing: -2px; }}
p {{ margin: 0; padding: 24px 90px 0; font-size: 42px; line-height: 1.35; max-width: 1000px; }}
pre {{ margin: 48px 90px 0; padding: 26px 34px; background: #003d36; border-radius: 12px; font-size: 30px; }}
</style><h1>markscheme</h1><p>{description}</p><pre>calibrate reply --judge anthropic</pre>
"""
COMMAND = ("calibrate", "rubrics/code-quality.yaml")
"""Needs no key: its replies are recorded."""
RUBRIC = "code-quality"
COLUMNS = 80
TEXT = re.compile(r'<text class="markscheme-r\d+" x="([\d.]+)" y="([\d.]+)" textLength="([\d.]+)"[^<>]*>([^<]*)<')
THEME = TerminalTheme(
    (24, 26, 32),
    (222, 224, 230),
    [(24, 26, 32), (240, 113, 120), (126, 200, 130), (230, 190, 100), (110, 170, 250), (200, 140, 240), (90, 200, 200),
     (222, 224, 230)],
)  # fmt: skip
SVG = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: {char_height}px; \
line-height: {line_height}px; font-variant-east-asian: full-width; }}
.{unique_id}-title {{ font-size: 18px; font-family: sans-serif; }}
{styles}
</style>
<defs><clipPath id="{unique_id}-clip-terminal"><rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>\
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""
"""Rich's own format loads a font from elsewhere."""
CHROMIUM = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--virtual-time-budget=3000")


def printed() -> str:
    """What `calibrate` prints on a terminal, with the escapes of its colours."""
    env = {**os.environ, "TERM": "xterm-256color", "COLUMNS": str(COLUMNS), "LINES": "50"}
    for name in ("NO_COLOR", "GITHUB_STEP_SUMMARY", "ANTHROPIC_API_KEY", "MARKSCHEME_JUDGE"):
        env.pop(name, None)
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "markscheme", *COMMAND]
    with subprocess.Popen(command, cwd=ROOT, env=env, stdout=theirs, stderr=subprocess.DEVNULL) as process:
        os.close(theirs)
        text = b"".join(_chunks(ours)).decode().replace("\r\n", "\n")
    os.close(ours)
    if process.returncode not in (0, 1, 4):
        raise SystemExit(f"{' '.join(COMMAND)} ended with {process.returncode}:\n{text}")
    return text.strip("\n")


def _chunks(descriptor: int) -> Iterator[bytes]:
    """All that is written to a terminal; Linux ends it with an error."""
    while True:
        try:
            chunk = os.read(descriptor, 65_536)
        except OSError:
            return
        if not chunk:
            return
        yield chunk


def terminal_svg(text: str) -> str:
    """The picture of a terminal that shows a text with escapes."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    console.print(Text(f"$ {' '.join(COMMAND)}", style="bold"))
    console.print(Text.from_ansi(text), soft_wrap=True)
    return console.export_svg(title=" ", theme=THEME, code_format=SVG, unique_id="markscheme")


def words_in(svg: str) -> list[str]:
    """The words that a picture of a terminal shows, in order; the picture leaves out parts that are blank."""
    parts = TEXT.findall(svg)
    placed = sorted((float(y), float(x), float(length), html.unescape(words)) for x, y, length, words in parts)
    text, line, end = "", -1.0, 0.0
    for y, x, length, words in placed:
        text += (" " if y != line or x > end + 1 else "") + words
        line = y
        end = x + length
    return text.split()


def plain_words(text: str) -> list[str]:
    """The words of a text with escapes, below the command."""
    return ["$", *COMMAND, *Text.from_ansi(text).plain.split()]


def photograph(address: str, path: Path, width: int, height: int) -> None:
    """A page as Chromium shows it, as a PNG file."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        raise SystemExit("there is no chromium to photograph pages with: apt-get install chromium")
    size = f"--window-size={width},{height}"
    subprocess.run([browser, *CHROMIUM, size, f"--screenshot={path}", address], check=True, capture_output=True)


def report_png(path: Path) -> None:
    """The top of the page that `calibrate --html` writes."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        command = [sys.executable, "-m", "markscheme", "calibrate", *COMMAND[1:], "--html", str(page), "--quiet"]
        subprocess.run(command, cwd=ROOT, check=False)
        photograph(page.as_uri(), path, 1280, 960)


def labelling_png(path: Path) -> None:
    """The page on which an annotator labels."""
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        for part in (f"rubrics/{RUBRIC}.yaml", f"calibration/{RUBRIC}/examples.jsonl"):
            (here / part).parent.mkdir(parents=True)
            shutil.copy(ROOT / part, here / part)
        command = [sys.executable, "-m", "markscheme", "label", RUBRIC, "--rater", "ana", "--json"]
        with subprocess.Popen(command, cwd=here, stdout=subprocess.PIPE, text=True) as process:
            try:
                assert process.stdout is not None
                address = re.search(r"http://[^\s\"]+", process.stdout.readline())
                assert address is not None
                photograph(address[0], path, 1280, 800)
            finally:
                process.terminate()


def social_png(path: Path) -> None:
    """The name, what the site says of it, and its main command."""
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    description = re.search(r"^site_description: (.*)$", settings, re.MULTILINE)
    assert description is not None
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "card.html"
        page.write_text(SOCIAL_PAGE.format(description=html.escape(description[1])), encoding="utf-8")
        photograph(page.as_uri(), path, 1200, 630)


def main() -> None:
    """Write every picture."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    TERMINAL.write_text(terminal_svg(printed()), encoding="utf-8")
    report_png(REPORT)
    labelling_png(LABELLING)
    social_png(SOCIAL)
    for path in (TERMINAL, REPORT, LABELLING, SOCIAL):
        print(f"{path.relative_to(ROOT)}  {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
