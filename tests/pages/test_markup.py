"""Responses laid out: what people read, and that none of it runs or loads."""

import json
import re
import time
from html import unescape
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from markscheme.pages.example import render, render_difference, render_example
from markscheme.pages.markup import LONGEST_LAID_OUT
from markscheme.prompts.submission import Submission

PIXEL = "data:image/png;base64,iVBORw0KGgo="


def text_of(html: str) -> str:
    return re.sub(r"<[^>]*>", "", html)


def test_markdown_with_code_and_tables_is_rendered_as_html() -> None:
    html = render("# Head\n\n*so*\n\n|a|b|\n|-|-|\n|1|2|\n\n```python\ndef f():\n    pass\n```")
    assert "<h1>Head</h1>" in html
    assert "<em>so</em>" in html
    assert '<div class="wide" tabindex="0"><table>' in html
    assert html.count('<span class="line">') == 2
    assert '<span class="k">def</span>' in html


def test_a_response_that_is_code_is_not_rendered_as_markdown() -> None:
    html = render("# a comment\nimport os\n\ndef __init__(self):\n    self.x = 1\n    return x * y * z")
    assert "<h1>" not in html
    assert "__init__" in text_of(html)
    assert "<p>" in render("A sentence.\n\nAnother one, with f(x) in it.")


def test_json_is_rendered_as_folded_text_and_a_list_of_messages_as_turns_of_a_conversation_with_steps() -> None:
    assert render('{"a": {"b": [1, 2, 3, 4, 5]}}').count("<details") == 1
    call = {"function": {"name": "find", "arguments": '{"q": "x"}'}}
    html = render(
        json.dumps(
            [
                {"role": "user", "content": [{"type": "text", "text": "*Find*"}]},
                {"role": "assistant", "content": None, "tool_calls": [call]},
                {"role": "assistant", "content": [{"type": "tool_use", "name": "open", "input": {"a": 1}}]},
                {"role": "tool", "content": "found"},
            ]
        )
    )
    assert html.count('<section class="turn">') == 1
    assert re.findall(r'<span class="name">([^<]*)</span>', html) == ["find", "open"]
    assert "<em>Find</em>" in html


def test_rendered_steps_of_an_agent_have_the_numbers_that_verdicts_cite() -> None:
    trace = [{"role": "user", "content": "Find *it*"}, {"name": "find", "arguments": {"q": "<b>x"}, "output": "[1]"}]
    html = render_example(Submission("Found.", {"trace": json.dumps(trace)}), ["trace"])
    assert re.findall(r'<span class="hidden">Step </span>([^<]*)<', html) == ["1", "2–3"]
    assert re.findall(r"Step \d: [a-z ]*", html) == ["Step 2: called with", "Step 3: result"]
    assert "<em>it</em>" in html
    assert "&lt;b&gt;x" in html


class Tags(HTMLParser):
    """The tags of a page with their attributes, as a browser reads them."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, list[tuple[str, str | None]]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, attrs))


def test_images_embedded_in_markdown_are_folded_and_remote_images_become_links() -> None:
    html = render(f"![a dot]({PIXEL}) and {PIXEL} and ![far](https://example.org/x.png)")
    assert html.count(f'<img src="{PIXEL}"') == html.count('<details class="image">') == 2
    assert 'href="https://example.org/x.png"' in html
    assert "example.org" not in re.findall(r"<img[^>]*>", html)


@pytest.mark.parametrize(
    "text",
    [
        "<script>x()</script><img src=x onerror=x()><style>*{}</style>",
        "[a](javascript:x()) ![b](javascript:x()) <javascript:x()> [c](data:text/html,x)",
        '{"<img src=x onerror=x()>": "<script>x()</script>"}',
        '[{"role": "<script>x()</script>", "content": "<iframe src=//x>"}]',
        "```<img/src=x/onerror=x()>\n</code></pre><script>x()</script>\n```",
        "import x\ny = '</span></pre><script>x()</script>'\nz = 1;",
        f'!["><script>x()</script>]({PIXEL})',
        '![x](https://example.org/"onmouseover="x())',
    ],
)
def test_hostile_text_is_rendered_as_text(text: str) -> None:
    page = Tags()
    page.feed(render(text))
    names = {name for name, _ in page.tags}
    attributes = [attribute for _, attributes in page.tags for attribute in attributes]
    assert not names & {"script", "style", "iframe", "form", "input"}
    assert not [name for name, _ in attributes if name.startswith("on")]
    assert not [
        value for name, value in attributes if name in ("src", "href") and (value or "").startswith("javascript")
    ]
    assert all(dict(attributes)["src"] == PIXEL for name, attributes in page.tags if name == "img")


def test_the_html_parser_of_these_tests_does_not_take_a_tag_inside_an_attribute_for_a_tag() -> None:
    page = Tags()
    page.feed('<img alt="&quot;><script>" src=x onerror=x()><script>')
    assert page.tags == [("img", [("alt", '"><script>'), ("src", "x"), ("onerror", "x()")]), ("script", [])]


@given(st.text(alphabet=st.sampled_from('ab \n#*_`>|-[](){}"<&1:,'), max_size=80))
def test_rendering_any_text_keeps_every_character_and_closes_every_div(text: str) -> None:
    html = render_example(Submission(text, id="x"), [])
    raw = re.search(r'<pre class="raw"[^>]*>\n(.*?)</pre>', html, re.S)
    if not text.strip():
        assert "there is no text" in html
        return
    assert raw is not None
    assert unescape(raw[1]) == text
    assert html.count("<div") == html.count("</div>")


def test_markdown_with_very_deep_quotes_or_very_long_texts_is_shown_as_plain_text() -> None:
    assert "secret" in render("> " * 40 + "secret")
    long = "word " * (LONGEST_LAID_OUT // 4)
    assert text_of(render(long)) == long


def test_a_page_shows_how_a_response_differs_from_a_given_reference_answer() -> None:
    assert render_difference("a cold day", "a warm day") == (
        '<pre class="plain" dir="auto" tabindex="0">a <del>cold</del><ins>warm</ins> day</pre>'
    )
    assert "<del>two\n</del>" in render_difference("one\ntwo\nthree\nfour\n", "one\nthree\nfour\n")
    assert render_difference("a " * 3000, "b " * 3000) == ""
    html = render_example(Submission("B", {"reference": "A"}, "x"), ["reference"])
    assert "Difference from the reference" in html


HOSTILE_CODE = {
    "blank lines": "x = f(1)\n" * 3 + "\n" * 99_000,
    "a line of spaces": "```c\nx" + " " * 99_000 + "x\n```",
    "short lines": "```csharp\n" + "a\n " * 30_000 + "```",
    "one long word": "```make\n" + "a" * 99_000 + "\n```",
    "many dots": "```typescript\n" + "a." * 49_000 + "\n```",
}


@pytest.mark.parametrize("name", HOSTILE_CODE)
@pytest.mark.proof
def test_highlighting_code_takes_time_in_proportion_to_its_length(name: str) -> None:
    """CPU seconds of this thread, and a tenfold margin: each took minutes when it cost the square of its length."""
    began = time.thread_time()
    html = render(HOSTILE_CODE[name])
    assert time.thread_time() - began < 20
    assert text_of(unescape(html)).replace("\n", "").strip() != ""
