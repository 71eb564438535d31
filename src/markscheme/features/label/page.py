"""The page on which responses are labelled: one HTML text with its style, script and data inside, served or mailed."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from shlex import quote
from typing import Any

from markupsafe import Markup

from markscheme.features.label.disputes import AGREEMENT_STEP
from markscheme.features.label.label_order import Step
from markscheme.features.label.label_session import (
    ANSWER_NOT_APPLICABLE,
    CANNOT_TELL,
    WHOLE_PASSES,
    LabelSession,
    Question,
    unit_of,
)
from markscheme.features.label.next_steps import onward_steps
from markscheme.features.label.pair_order import shown_order, turned_rated
from markscheme.features.label.whole_question import WHOLE_RESPONSE, WHOLE_UNDER
from markscheme.features.label.worded_criteria import current_words, recorded_words
from markscheme.options.in_force import with_reading_options
from markscheme.pages.example import Shortening, render_example, whole_texts
from markscheme.pages.template import PageTemplate, environment
from markscheme.pages.words import first_words
from markscheme.prompts.steps import steps_elsewhere
from markscheme.ratings.example_rows import Example
from markscheme.ratings.rating import asked_under
from markscheme.readers.sheet import VERSION, pool_of, responses_of, sheet_key, signed, wording_of
from markscheme.rubrics.inputs import STEPPED
from markscheme.rubrics.rubric import Criterion, Rubric
from markscheme.rubrics.search import typed_name

_TEMPLATES = Path(__file__).parent / "templates"
PAGE = PageTemplate(
    "page.html", ("page.css",), ("shell.js", "passages.js", "page.js", "sheet.js", "start.js"), _TEMPLATES
)


def shown_of(work: LabelSession, step: Step, shortening: Shortening | None = None) -> str:
    """Render, as HTML, the response to label, or the pair, with its inputs.

    Args:
        work: The rater's session.
        step: The step whose response is shown.
        shortening: Rule by which long texts are shortened; None to show them in full.
    """
    example = work.examples[step.id]
    submission = replace(example.submission, turned=work.is_turned(step))
    return render_example(submission, inputs_shown(example, work.rubric), shortening=shortening)


def inputs_shown(example: Example, rubric: Rubric) -> list[str]:
    """Return the names of the rubric's inputs that the page shows: those given, and those declared but missing."""
    inputs = example.submission.inputs
    missing = [name for name in rubric.inputs or () if name not in inputs and not steps_elsewhere(name, inputs)]
    return [name for name in rubric.known_inputs if name in inputs or name in missing]


def page_of(work: LabelSession, *, timed: bool) -> str:
    """Render the labelling page that is served; its script gets responses from the server and sends answers back.

    Args:
        work: The rater's session of labelling.
        timed: True to store the duration of each answer.
    """
    return _page(work, _data(work, timed=timed))


def sheet_of(work: LabelSession, *, timed: bool, sent_along: set[str] | None = None) -> str:
    """Render the page as a file that needs no server: it holds the responses, and saves answers for `import`.

    Args:
        work: The rater's session: the responses to label, and the answers so far.
        timed: True to store the duration of each answer.
        sent_along: A set to which the names of images and documents that are too large for the sheet are added.
    """
    rubric = work.rubric
    work = replace(work, inapplicable={})  # a sheet saves no answers but those that were given on it
    examples = work.examples
    responses = responses_of(examples[step.id] for step in work.steps)
    questions = work.all_questions
    rated = [{answer: _as_saved(question, answer) for answer in question.answers} for question in questions]
    turned = [
        {answer: _as_saved(question, answer, turned=True) for answer in question.answers} for question in questions
    ]
    data = _data(work, timed=timed)
    in_sheet = whole_texts(set() if sent_along is None else sent_along)
    data["units"] = {unit_of(step): shown_of(work, step, in_sheet) for step in work.steps}
    head = {
        "sheet": VERSION,
        "rubric": wording_of(rubric),
        "pool": pool_of(responses),
        "rater": work.file.rater,
        "kind": work.file.kind,
        "name": rubric.name,
        **({} if work.core is None else {"core": work.core}),
        "criteria": {criterion.name: criterion.wording for criterion in rubric.criteria},
        "under": asked_under(rubric),
        "responses": responses,
        "asks": {step.id: _criteria_asked(work, step) for step in reversed(work.steps)},
        "whole": [step.id for step in work.steps if step in work.whole_steps],
        "whole_under": WHOLE_UNDER,
        "steps": [[step.id, step.sample] for step in work.steps],
    }
    with work.home.locked():
        key = sheet_key(work.home.path.parent)
    typed = typed_name(rubric)
    file = f"{rubric.name}-{work.file.rater}.json"
    to = f"calibration/{rubric.name}/ratings/{work.file.rater}.jsonl"
    data["sheet"] = {
        "head": signed(head, key),
        "rated": rated,
        "turned": turned if rubric.is_of_pairs else None,
        "file": file,
        "taken_in_by": with_reading_options(
            f"markscheme import {quote(file)} --rubric {quote(typed)} --append --to {quote(to)}"
        ),
    }
    return _page(work, data, is_sheet=True)


def message_page(title: str, text: str) -> str:
    """Render a page that says why there is nothing to label."""
    style = Markup(PAGE.style)  # noqa: S704 - a file of this package
    return environment(_TEMPLATES).get_template("message.html").render(title=title, text=text, style=style)


def progress_part(work: LabelSession) -> str:
    """Render the rater's progress: agreement with the own earlier answers and with other raters, disputed criteria."""
    template = environment(_TEMPLATES).get_template("progress.html")
    return template.render(work=work, step=AGREEMENT_STEP, onward=onward_steps(work))


def _page(work: LabelSession, data: Mapping[str, Any], *, is_sheet: bool = False) -> str:
    cards = [_card(work.rubric, question) for question in work.all_questions]
    return PAGE.page(data, is_sheet=is_sheet, work=work, cards=cards)


def _data(work: LabelSession, *, timed: bool) -> dict[str, Any]:
    """Return the data for the page's script; only an adjudicator's data contain other annotators' labels.

    Args:
        work: The rater's session of labelling.
        timed: True to store the duration of each answer.
    """
    names = [question.criterion.name for question in work.all_questions]
    old_words = recorded_words(work.home.path.parent) if work.reworded else {}
    places = {step: index for index, step in enumerate(work.steps)}
    return {
        "rubric": work.rubric.name,
        "noun": "Pair" if work.rubric.is_of_pairs else "Response",
        "rater": work.file.rater,
        "timed": timed,
        "criteria": names,
        "whole": WHOLE_RESPONSE.name if work.whole_steps else None,
        "steps": [
            {
                "unit": unit_of(step),
                **_first_words(work, step),
                "criteria": [names.index(question.criterion.name) for question in work.questions_at(step)],
                "given": [list(question.voices) for question in work.questions_at(step)],
                "before": list(_words_before(work, step, old_words)),
                "answer": None if (answered := work.answered(step)) is None else asdict(answered),
                "shown": shown_order(turned=work.is_turned(step)) if work.rubric.is_of_pairs else None,
            }
            for step in work.steps
        ],
        "order": [places[step] for step in work.file.labels if step in places and work.is_done(step)],
        "sheet": None,
    }


def _first_words(work: LabelSession, step: Step) -> dict[str, str]:
    """Return a response's title on the page, as a dict: the first words of the query and of the response.

    The response's id isn't used, since it might reveal the author.

    Args:
        work: The rater's session of labelling.
        step: The step that shows the response, the first time or again.
    """
    example = work.examples[step.id]
    names = [name for name in inputs_shown(example, work.rubric) if name not in STEPPED]
    query = next((example.submission.inputs[name] for name in names if name in example.submission.inputs), "")
    shown, *_ = replace(example.submission, turned=work.is_turned(step)).responses
    return {"query": first_words(query), "response": first_words(shown) or "(empty)"}


def _as_saved(question: Question, answer: str, *, turned: bool = False) -> dict[str, Any]:
    """Return the JSON that a sheet saves for an answer: a criterion's rating, or the decision on the whole response.

    Args:
        question: The question.
        answer: The answer, one of the question's answers.
        turned: True if the page shows a pair's second response first; what is saved is about the stored order.
    """
    if question.is_whole:
        return {**({} if answer == CANNOT_TELL else {"pass": answer == WHOLE_PASSES}), "whole_under": WHOLE_UNDER}
    rated = question.rated(answer)
    return (turned_rated(rated) if turned else rated).to_json()


def _criteria_asked(work: LabelSession, step: Step) -> list[str]:
    return [question.criterion.name for question in work.questions_at(step) if not question.is_whole]


def _words_before(
    work: LabelSession, step: Step, old_words: Mapping[str, Mapping[str, Any]]
) -> Iterator[Mapping[str, Any] | None]:
    """Yield, for each question, the wording under which the rater answered it; None if the wording is unchanged.

    `old_words` has the wordings on record, by digest. For a wording that isn't on record, the text is empty.
    """
    for question in work.questions_at(step):
        under = work.reworded.get(step, {}).get(question.criterion.name, "")
        yield old_words.get(under, {"text": "", "levels": ()}) if under else None


def _card(rubric: Rubric, question: Question) -> Mapping[str, Any]:
    """Return the data by which the page's template shows a question's criterion."""
    criterion = question.criterion
    seen = rubric.known_inputs if question.is_whole else rubric.shown_to(criterion)
    return {
        "criterion": criterion,
        "is_whole": question.is_whole,
        "choices": list(_choices(question)),
        "in_a_row": criterion.scale.is_yes_no or criterion.scale.mirrored,
        "anchors": list(_anchors(criterion)),
        "words": current_words(criterion),
        "is_fault": criterion.weight < 0,
        "by": None if seen == rubric.known_inputs else [*seen, "the response"],
    }


def _anchors(criterion: Criterion) -> Iterator[str]:
    """Yield a line for each level that the rubric names or describes: the answer, and the rubric's words for it."""
    for choice, level in zip(criterion.scale.choices, criterion.scale.levels, strict=True):
        words = " – ".join(word for word in (level.label, level.description) if word and word != choice)
        if words:
            yield f"{choice}: {words}"


def _choices(question: Question) -> Iterator[Mapping[str, Any]]:
    """Yield the answers to choose from: yes and no, the preferences on a pair, or the levels from the worst.

    "Does not apply" follows if the question allows it. "Can't tell" is always the last answer.
    """
    scale = question.criterion.scale
    if scale.is_yes_no:
        yield _choice("1", "y", "Yes")
        yield _choice("0", "n", "No")
    elif scale.mirrored:
        yield from _preferences(question.criterion)
    else:
        yield from _levels(question.criterion)
    if ANSWER_NOT_APPLICABLE in question.answers:
        yield _choice(ANSWER_NOT_APPLICABLE, "x", "Does not apply")
    yield _choice(CANNOT_TELL, "t", "Can’t tell")


def _preferences(criterion: Criterion) -> Iterator[Mapping[str, Any]]:
    """Yield a preference question's answers: press 1 for the response shown first, 2 for the second, 0 for a tie."""
    choices = criterion.scale.choices
    for choice in sorted(choices, key=lambda choice: choice == "tie"):
        key, name = _OF_PLACES[choice]
        yield _choice(str(choices.index(choice)), key, name)


_OF_PLACES = {"first": ("1", "Response 1"), "tie": ("0", "Neither"), "second": ("2", "Response 2")}
"""Key and label of each preference on the page, where responses are known only by their position."""


def _levels(criterion: Criterion) -> Iterator[Mapping[str, Any]]:
    scale = criterion.scale
    by_number = all(len(choice) == 1 and choice.isdecimal() for choice in scale.choices[:9]) and not scale.by_label
    for index, (choice, level) in enumerate(zip(scale.choices, scale.levels, strict=True)):
        key = choice if by_number else str(index + 1)
        words = {
            "label": level.label if level.label and level.label != choice else "",
            "description": level.description or "",
            "example": level.example or "",
        }
        yield {**_choice(str(index), key if len(key) == 1 else "", choice), **words}


def _choice(value: str, key: str, name: str) -> dict[str, Any]:
    words = dict.fromkeys(("label", "description", "example"), "")
    is_way_out = value in (CANNOT_TELL, ANSWER_NOT_APPLICABLE)
    return {"value": value, "key": key, "name": name, "is_way_out": is_way_out, **words}
