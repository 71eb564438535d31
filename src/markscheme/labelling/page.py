"""The page on which responses are labelled: one HTML text with its style, script and data inside, served or mailed."""

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from markscheme.labelling.disputes import AGREEMENT_STEP
from markscheme.labelling.order import Step
from markscheme.labelling.rendering import render_example
from markscheme.labelling.work import ANSWER_NOT_APPLICABLE, CANNOT_TELL, Question, Work, unit_of
from markscheme.ratings.rating import asked_under
from markscheme.ratings.wordings import CriterionWords, words_in
from markscheme.readers.sheet import VERSION, pool_of, responses_of, sheet_key, signed, wording_of
from markscheme.rubrics.rubric import Criterion, Rubric

TEMPLATES = Path(__file__).parent / "templates"
POLICY = "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'"


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("markscheme.labelling"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@cache
def _inline(name: str) -> tuple[Markup, str]:
    """A style sheet or script inlined in the page, and the source by which a policy allows it alone."""
    text = (TEMPLATES / name).read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return Markup(text), f"'sha256-{digest}'"  # noqa: S704 - files of this package


def policy() -> str:
    """The page's content security policy: its own style and script, images inside the page, and nothing else."""
    return f"{POLICY}; style-src {_inline('page.css')[1]}; script-src {_inline('page.js')[1]}"


def page_of(work: Work, *, timed: bool) -> str:
    """The page as the server sends it; it asks the server for responses and gives it the answers."""
    return _page(work, _data(work, timed=timed))


def sheet_of(work: Work, *, timed: bool) -> str:
    """The page as a file that needs no server: it holds the responses, and saves the answers as a file for `import`."""
    rubric = work.rubric
    examples = work.examples
    responses = responses_of(examples[step.id] for step in work.steps)
    rated = [
        {answer: question.rated(answer).to_json() for answer in question.answers} for question in _questions(rubric)
    ]
    data = _data(work, timed=timed)
    data["units"] = {unit_of(step): render_example(examples[step.id], rubric) for step in work.steps}
    head = {
        "sheet": VERSION,
        "rubric": wording_of(rubric),
        "pool": pool_of(responses),
        "rater": work.file.rater,
        "kind": work.file.kind,
        "name": rubric.name,
        "criteria": {criterion.name: criterion.wording for criterion in rubric.criteria},
        "under": asked_under(rubric),
        "responses": responses,
        "asks": {step.id: [question.criterion.name for question in work.asked(step)] for step in reversed(work.steps)},
        "steps": [[step.id, step.sample] for step in work.steps],
    }
    with work.home.held():
        key = sheet_key(work.home.path.parent)
    data["sheet"] = {
        "head": signed(head, key),
        "rated": rated,
        "file": f"{rubric.name}-{work.file.rater}.json",
    }
    return _page(work, data, is_sheet=True)


def message_page(title: str, text: str) -> str:
    """A page that says why there is nothing to label."""
    return _environment().get_template("message.html").render(title=title, text=text, style=_inline("page.css")[0])


def progress_part(work: Work) -> str:
    """What the server adds to the overview: how steady the rater is, how often others agree, and what is disputed."""
    return _environment().get_template("progress.html").render(work=work, step=AGREEMENT_STEP)


def next_command(work: Work) -> str:
    """The command that follows when all is labelled."""
    name = work.rubric.name
    return f"markscheme calibrate {name}" if work.is_adjudication else f"markscheme adjudicate {name}"


def _page(work: Work, data: Mapping[str, Any], *, is_sheet: bool = False) -> str:
    return (
        _environment()
        .get_template("page.html")
        .render(
            work=work,
            cards=[_card(work.rubric, question) for question in _questions(work.rubric)],
            is_sheet=is_sheet,
            policy=policy(),
            style=_inline("page.css")[0],
            script=_inline("page.js")[0],
            data=Markup(json.dumps(data).replace("<", "\\u003c")),  # noqa: S704 - JSON without a tag
        )
    )


def _data(work: Work, *, timed: bool) -> dict[str, Any]:
    """What the script knows of the work; nothing here is anybody else's but what an adjudicator decides on."""
    names = [criterion.name for criterion in work.rubric.criteria]
    old_words = words_in(work.home.path.parent) if work.reworded else {}
    places = {step: place for place, step in enumerate(work.steps)}
    return {
        "rubric": work.rubric.name,
        "rater": work.file.rater,
        "timed": timed,
        "criteria": names,
        "steps": [
            {
                "unit": unit_of(step),
                "criteria": [names.index(question.criterion.name) for question in work.asked(step)],
                "given": [[asdict(voice) for voice in question.voices] for question in work.asked(step)],
                "before": list(_words_before(work, step, old_words)),
                "answer": None if (answered := work.answered(step)) is None else asdict(answered),
            }
            for step in work.steps
        ],
        "order": [places[step] for step in work.file.labels if step in places and work.is_done(step)],
        "next": next_command(work),
        "sheet": None,
    }


def _questions(rubric: Rubric) -> list[Question]:
    return [Question(criterion) for criterion in rubric.criteria]


def _words_before(
    work: Work, step: Step, old_words: Mapping[str, CriterionWords]
) -> Iterator[Mapping[str, Any] | None]:
    """For each question the words that the rater answered before; empty ones where they aren't recorded."""
    for question in work.asked(step):
        under = work.reworded.get(step, {}).get(question.criterion.name, "")
        yield asdict(old_words.get(under, CriterionWords("", ()))) if under else None


def _card(rubric: Rubric, question: Question) -> Mapping[str, Any]:
    """A criterion as the page shows it."""
    criterion = question.criterion
    seen = rubric.shown_to(criterion)
    return {
        "criterion": criterion,
        "choices": list(_choices(question)),
        "anchors": list(_anchors(criterion)),
        "words": CriterionWords.of(criterion),
        "is_fault": criterion.weight < 0,
        "by": None if seen == rubric.known_inputs else [*seen, "the response"],
    }


def _anchors(criterion: Criterion) -> Iterator[str]:
    """The rubric's words for each level that has any."""
    for choice, level in zip(criterion.scale.choices, criterion.scale.levels, strict=True):
        words = " – ".join(word for word in (level.label, level.description) if word and word != choice)
        if words:
            yield f"{choice}: {words}"


def _choices(question: Question) -> Iterator[Mapping[str, Any]]:
    scale = question.criterion.scale
    by_number = all(len(choice) == 1 and choice.isdecimal() for choice in scale.choices[:9]) and not scale.by_label
    for place, (choice, level) in enumerate(zip(scale.choices, scale.levels, strict=True)):
        key = choice if by_number else str(place + 1)
        name, label = choice, level.label if level.label and level.label != choice else ""
        if scale.is_yes_no:
            name, label = ("Yes", f"it is so ({choice})") if place else ("No", f"it is not so ({choice})")
        words = {"label": label, "description": level.description or "", "example": level.example or ""}
        yield {**_choice(str(place), key if len(key) == 1 else "", name), **words}
    if ANSWER_NOT_APPLICABLE in question.answers:
        yield _choice(ANSWER_NOT_APPLICABLE, "x", "Does not apply")
    yield _choice(CANNOT_TELL, "t", "Can’t tell")


def _choice(value: str, key: str, name: str) -> dict[str, Any]:
    words = dict.fromkeys(("label", "description", "example"), "")
    return {
        "value": value,
        "key": key,
        "name": name,
        "is_way_out": value in (CANNOT_TELL, ANSWER_NOT_APPLICABLE),
        **words,
    }
