"""Images and PDFs on pages: at a size that fits, to be opened, described, and without anything that runs or loads."""

import re
from pathlib import Path

from markscheme import Image, Pdf, Submission
from markscheme.pages.example import SERVED, Shortening, render_example
from markscheme.pages.serving import part_answer
from tests.features.media.files import PDF_FILE, PNG_FILE

SUBMISSION = Submission(
    ["Look: <b>here</b>", Image(PNG_FILE, alt='two "squares" <i>')],
    {"invoice": Pdf(PDF_FILE, alt="a bill")},
)


def test_a_page_shows_an_image_with_its_description_instead_of_the_image_s_placeholder() -> None:
    html = render_example(SUBMISSION, ["invoice"])
    (image,) = re.findall(r"<img [^>]*>", html)
    assert 'alt="two &quot;squares&quot; &lt;i&gt;"' in image
    assert 'src="data:image/png;base64,' in image
    assert "<i>" not in html
    assert re.search(r'<details class="media"><summary><img ', html)
    assert html.index("Look:") < html.index("<img")


def test_a_page_shows_a_pdf_as_a_link_that_saves_it_and_opens_nothing_by_itself() -> None:
    html = render_example(SUBMISSION, ["invoice"])
    assert re.search(r'<a href="data:application/pdf;base64,[^"]*" download="[0-9a-f]{32}\.pdf">PDF: a bill</a>', html)
    for tag in ("<iframe", "<embed", "<object", "<script", "style="):
        assert tag not in html


def test_a_pdf_on_a_served_page_opens_on_a_separate_page_on_which_nothing_in_the_pdf_may_run(tmp_path: Path) -> None:
    html = render_example(SUBMISSION, ["invoice"], shortening=SERVED)
    digest = Pdf(PDF_FILE).digest
    assert f'<a href="part/{digest}" target="_blank" rel="noopener">PDF: a bill</a>' in html
    answer = part_answer([Submission("x"), SUBMISSION], digest)
    assert (answer.body, answer.media_type) == (PDF_FILE, "application/pdf")
    assert answer.headers["content-security-policy"] == "default-src 'none'; sandbox; frame-ancestors 'none'"
    assert part_answer([SUBMISSION], "0" * 32).status_code == 404
    (tmp_path / "bill.pdf").write_bytes(PDF_FILE)
    of_file = Submission("x", {"invoice": Pdf(tmp_path / "bill.pdf")})
    (tmp_path / "bill.pdf").write_bytes(PDF_FILE + b" ")
    assert part_answer([of_file], digest).status_code == 409


def test_a_page_shows_an_image_inside_a_conversation_s_messages() -> None:
    url = Image(PNG_FILE).data_url
    turn = {
        "role": "user",
        "content": [{"type": "text", "text": "See"}, {"type": "image_url", "image_url": {"url": url}}],
    }
    html = render_example(Submission("ok", {"messages": [turn]}), ["messages"])
    assert html.count("<img ") == 1


def test_a_shortened_page_names_images_that_are_too_large_instead_of_showing_them() -> None:
    shortening = Shortening(lambda text: text[:50], 10)
    large = Submission(Image(PNG_FILE + bytes(0)))
    assert render_example(large, [], shortening=shortening).count("<img ") == 1
    padded = PNG_FILE[:-12] + _chunk(300_000) + PNG_FILE[-12:]
    html = render_example(Submission(Image(padded)), [], shortening=shortening)
    assert "Too large for this page" in html
    assert Image(padded).mark in html
    assert "<img " not in html


def _chunk(size: int) -> bytes:
    """Return a PNG chunk that viewers ignore."""
    return size.to_bytes(4, "big") + b"teXt" + bytes(size) + bytes(4)


def test_a_page_with_only_text_contains_no_markup_for_images() -> None:
    html = render_example(Submission("[image 0123456789abcdef0123456789abcdef]"), [])
    assert "<img" not in html
    assert "media" not in html
