"""Report on the comparison of several judges: which one to use, each judge against gold, then pairs of judges."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from markscheme.calibration.comparison.comparison import Comparison, compare
from markscheme.calibration.comparison.measure import OF_SCORE
from markscheme.calibration.findings.commands import Commands
from markscheme.features.compare.choice import Choice, ContenderFigures, Differences, Flip
from markscheme.features.compare.examples import examples_of_choice
from markscheme.features.compare.section import flipped_texts
from markscheme.features.compare.statistics import LinkedScore
from markscheme.phrases import counted, in_words, number
from markscheme.report import document as doc
from markscheme.report.document import share_mark
from markscheme.report.figures import (
    NONE,
    chance,
    digits_of_pair,
    points,
    share,
    share_with_ci,
    share_with_interval,
    with_interval,
    with_signed_interval,
)
from markscheme.report.json import attributes
from markscheme.report.sections.criteria import criteria_blocks
from markscheme.report.sections.first_screen import agreement_bars, agreement_of
from markscheme.report.sections.labels import labels_in_words
from markscheme.report.sections.pictures import scatter
from markscheme.report.sections.run import cost_line
from markscheme.rubrics.rubric import Rubric
from markscheme.stats.estimate import Estimate

if TYPE_CHECKING:
    from markscheme.features.compare.contenders import Compared

_MOST_FLIPS = 8
"""Largest number of flipped decisions that are listed."""
_MOST_SAME = 8
"""Largest number of criteria, of all pairs of judges, that the first screen has without labels."""
_WHAT_IS_LEFT = (
    "What it left may be harder than the rest, and more labels don't change that: find out why it isn't graded, then "
    "compare again."
)
_PAIRS_NOTE = (
    "Intervals between two judges are 95% CIs. p: how often chance alone gives differences as one-sided as these "
    "(exact mid-p). Per criterion it is adjusted for the number of criteria (Holm). Examples of one "
    "task count together."
)
_SHARES: Mapping[str, str] = {"agreement": "agreement", "accuracy": "same pass/fail decision as gold"}
"""Name of each share among the figures of a pair of judges."""
_ERRORS: Mapping[str, tuple[str, Callable[[Estimate], doc.Line]]] = {
    "mae": ("MAE", with_interval),
    "signed_error": ("bias", with_signed_interval),
}
"""For each figure of errors of a pair of judges, its name, and the function that prints a judge's value."""


def view(choice: Choice, compared: "Compared | None" = None, *, parts: Sequence[doc.Document] = ()) -> doc.Document:
    """Build the report on a comparison of judges.

    Args:
        choice: The choice between judges.
        compared: The comparison that the choice is based on, if single examples are to be shown.
        parts: Each judge's own report, to show on this page.
    """
    names = [standing.name for standing in choice.standings]
    return doc.Document(
        title=f"{', '.join(names[:-1])} or {names[-1]}",
        source=_basis(choice),
        blocks=tuple(_lead(choice)),
        sections=(
            *(_flipped(compared) if compared is not None else ()),
            *_pairs(choice),
            *(_details(compared) if compared is not None else ()),
        ),
        parts=tuple(parts),
        onward=_onward(choice),
    )


def _flipped(compared: "Compared") -> Iterator[doc.Section]:
    """Yield a section, for HTML pages, with the texts on which judges' decisions differ, side by side."""
    texts = flipped_texts(compared)
    if texts is not None:
        yield doc.Section("Decisions that flip", (doc.OnPages((texts,)),), "flips")


def _basis(choice: Choice) -> str:
    if choice.reference is None:
        return f"{counted(choice.examples, 'example')} without labels."
    labels = labels_in_words(choice.reference, choice.labelled_twice)
    of = choice.paired
    measured = f"agreement within {of.tolerance:g}" if of.of == OF_SCORE else f"agreement on the same {of.noun}"
    return f"{counted(choice.examples, 'example')}, {labels}; {measured}."


def _lead(choice: Choice) -> Iterator[doc.Block]:
    yield callout(choice)
    rated = [standing for standing in choice.standings if standing.agreement is not None]
    bars = tuple((standing.name, share_mark(standing.agreement)) for standing in rated)
    if bars:
        baseline = (("baseline", share_mark(choice.baseline, "baseline")),) if choice.baseline is not None else ()
        target = ("target", doc.Mark(share(choice.rubric.target), choice.rubric.target, role="target"))
        yield doc.Bars((*bars, *baseline, target), f"{agreement_of(choice.paired, 'a judge')}.")
    headings = ("Judge", "agreement", "points from the best (90% CI)", "false passes", "not graded", "$ per 1,000")
    if rated or any(standing.not_graded or standing.usd_per_1000 is not None for standing in choice.standings):
        yield doc.Table(headings, tuple(_standing(standing, choice) for standing in choice.standings))
    if choice.reference is None:
        yield from _with_each_other(shown_pairs(choice), choice.rubric)
    is_plain = choice.recommended == choice.best is not None
    why = () if is_plain or choice.ungraded else (f"Why: {choice.because}.",)
    yield doc.Notes((*choice.notes, *why, *_next_step(choice)))


def _with_each_other(pairs: Sequence[Differences], rubric: Rubric) -> Iterator[doc.Block]:
    """Yield how often judges give the same level, the lowest share first, and which decisions flip between them."""
    compared = [(pair, name, criterion) for pair in pairs for name, criterion in pair.criteria.items()]
    of_both = [row for row in compared if row[2].between.value is not None]
    of_both.sort(key=lambda row: row[2].between.value or 0.0)
    rows = tuple(
        (
            f"{pair.first} → {pair.second}",
            doc.Name(name),
            share_mark(criterion.between),
            with_signed_interval(criterion.shift),
        )
        for pair, name, criterion in of_both[:_MOST_SAME]
    )
    if rows:
        yield doc.Table(("Judges", "criterion", "same level (95% CI)", "shift, levels"), rows)
    lines: list[doc.Line] = []
    if len(of_both) > len(rows):
        lines.append(f"{len(of_both) - len(rows)} more, on which they give the same level more often: see --details.")
    for pair in pairs if rubric.decides else ():
        ids = tuple(flip.id for flip in pair.flips)
        begin = f"{pair.first} → {pair.second}: {flips_line(pair)}"
        lines.append((f"{begin} Largest first: ", doc.Ids(ids)) if ids else begin)
    if lines:
        yield doc.Paragraph(tuple(lines))


def _onward(choice: Choice) -> tuple[str, str] | None:
    """Return a next step: the word "Next", and the command to label the examples that the chosen judge's verdict needs.

    None if the verdict needs no further labels.
    """
    chosen = choice.recommended or choice.best
    if chosen is None or choice.reference is None:
        return None
    commands = Commands.on(choice.rubric)
    if choice.labels_needed and commands.label():
        return "Next", commands.label_next(choice.labels_needed)
    return None


def _next_step(choice: Choice) -> Iterator[str]:
    """Yield a sentence on the labels that the verdict on the recommended judge, or else the best one, still needs."""
    if choice.next_step:
        yield f"{choice.recommended or choice.best}: {choice.next_step}"


def callout(choice: Choice) -> doc.Callout:
    """Return a sentence on which judge to use, or that none is good enough."""
    by_name = {standing.name: standing for standing in choice.standings}
    if choice.ungraded:
        few = "Too many examples are not graded to choose a judge."
        return doc.Callout("bad", few, f"{' '.join(choice.ungraded)} {_WHAT_IS_LEFT}")
    if choice.best is None:
        moved = " ".join(pair.moved for pair in shown_pairs(choice))
        return doc.Callout(
            "open", "No judge can be preferred.", f"Label these examples to see which is better. {moved}"
        )
    agreement = share_with_ci(by_name[choice.best].agreement)
    if choice.baseline is not None and not choice.beats_baseline:
        of = counted(len(by_name), "judge")
        always = choice.baseline_in_words
        head = f"{choice.best} is the best of {of}, but none beats always answering {always}."
        return doc.Callout(
            "bad", head, f"Its agreement is {agreement}; the baseline reaches {share(choice.baseline.value)}."
        )
    chosen = by_name[choice.recommended or choice.best].agreement
    rated = (standing for standing in choice.standings if standing.agreement is not None)
    equal = [standing.name for standing in rated if standing.agreement == chosen]
    refused = f" {choice.why_refused}" if choice.why_refused and choice.recommended is None else ""
    if len(equal) > 1:
        text = f"Agreement {agreement} each; choose by cost and by what else you know of them.{refused}"
        return doc.Callout("open", f"{in_words(equal)} agree with the labels equally often.", text)
    if choice.recommended is None:
        text = f"{_leads(choice)}, {agreement}; which judge is cheapest is not known.{refused}"
        return doc.Callout("open", f"{choice.best} is the best.", text)
    why = _leads(choice) if choice.recommended == choice.best else f"It is cheaper and no worse than {choice.best}"
    target = choice.rubric.target
    is_below = chosen is None or chosen.value is None or chosen.value < target
    below = f", below the target of {share(target)}" if is_below else ""
    text = f"{why}: agreement {share_with_ci(chosen)}{below}."
    if choice.why_refused:
        head = f"{choice.recommended} is the best of {counted(len(by_name), 'judge')}, but it can't gate."
        return doc.Callout("bad", head, f"{text} {choice.why_refused}")
    unknown = [standing.name for standing in choice.standings if standing.name != choice.best and _is_unknown(standing)]
    if unknown and choice.recommended == choice.best:
        text = f"{text} Whether {in_words(unknown, 'or')} {'is' if len(unknown) == 1 else 'are'} worse isn't known."
    is_good = not is_below and not (unknown and choice.recommended == choice.best)
    return doc.Callout("good" if is_good else "note", f"Choose {choice.recommended}.", text)


def _is_unknown(standing: ContenderFigures) -> bool:
    """Return True if the labels show neither that a judge is worse than the best nor that it isn't."""
    return standing.behind_best is not None and not standing.not_worse and not standing.is_worse


def _leads(choice: Choice) -> str:
    """Say why the best judge comes first: it agrees most often, or it may be put to a use that others may not."""
    best = next(standing for standing in choice.standings if standing.name == choice.best)
    if choice.agrees_most:
        return "It agrees most often"
    return (
        "It is shown to stop and keep enough to gate" if best.gate == "shown" else "It is shown to be good for trends"
    )


def _standing(standing: ContenderFigures, choice: Choice) -> tuple[doc.Line, ...]:
    return (
        doc.Name(standing.name),
        share_mark(standing.agreement),
        _behind(standing, choice),
        f"{standing.false_passes} of {counted(standing.fails, 'fail')}"
        if choice.reference is not None and standing.fails is not None
        else NONE,
        str(standing.not_graded),
        NONE if standing.usd_per_1000 is None else number(standing.usd_per_1000),
    )


def _behind(standing: ContenderFigures, choice: Choice) -> str:
    if standing.agreement is None:
        return NONE
    if standing.behind_best is None:
        return "the best"
    if standing.not_worse:
        return f"{points(standing.behind_best)}: no worse"
    if standing.is_worse:
        return f"{points(standing.behind_best)}: worse"
    tells = standing.labels_needed is not None and not choice.ungraded
    needed = f"; telling them apart takes about {standing.labels_needed} more" if tells else ""
    return f"{points(standing.behind_best)}: not known{needed}"


# --- every two judges -----------------------------------------------------------------------------------------------


def shown_pairs(choice: Choice) -> list[Differences]:
    """Return the comparisons of one judge with every other judge.

    The one judge is the best or, without gold, the first that the user named.
    """
    centre = choice.best or choice.standings[0].name
    return [pair for pair in choice.pairs if centre in (pair.first, pair.second)]


def _pairs(choice: Choice) -> Iterator[doc.Section]:
    for pair in shown_pairs(choice):
        yield _pair(pair, choice.rubric)
    yield doc.Section("About these figures", (doc.Notes((_PAIRS_NOTE,)),))


def _pair(pair: Differences, rubric: Rubric) -> doc.Section:
    blocks: list[doc.Block] = []
    if pair.figures:
        blocks.append(doc.Table(("", pair.first, pair.second, "difference"), tuple(_figures(pair))))
    blocks.append(doc.Table(*_criteria(pair)))
    blocks.append(doc.Paragraph(tuple(_lines(pair, rubric))))
    first = pair.flips[:_MOST_FLIPS]
    flips: list[tuple[doc.Line, ...]] = [((doc.Ids((flip.id,)), f": {_flip(flip)}"),) for flip in first]
    if len(pair.flips) > _MOST_FLIPS:
        flips.append((f"and {len(pair.flips) - _MOST_FLIPS} more",))
    if flips:
        blocks.append(doc.Items(tuple(flips)))
    if rubric.has_score:
        blocks.append(doc.Paragraph(tuple(_switch(pair))))
    return doc.Section(f"{pair.first} → {pair.second}, {counted(pair.n, 'example')} graded by both", tuple(blocks))


def _figures(pair: Differences) -> Iterator[tuple[doc.Line, ...]]:
    for name in (*_SHARES, *_ERRORS):
        figure = pair.figures.get(name)
        if figure is None or figure.first.value is figure.second.value is None:
            continue
        if name in _SHARES:
            digits = digits_of_pair(figure)
            shares = (share_mark(of_judge, digits=digits) for of_judge in (figure.first, figure.second))
            yield _SHARES[name], *shares, points(figure.difference, digits)
        else:
            words, cell = _ERRORS[name]
            yield words, cell(figure.first), cell(figure.second), with_signed_interval(figure.difference)


def _criteria(pair: Differences) -> tuple[tuple[str, ...], tuple[tuple[doc.Line, ...], ...]]:
    gold = any(criterion.exact is not None for criterion in pair.criteria.values())
    of_gold = ("agreement, first", "agreement, second", "difference") if gold else ()
    rows = []
    for name, criterion in pair.criteria.items():
        exact: tuple[doc.Line, ...] = ()
        same = criterion.exact
        if same is not None:
            digits = digits_of_pair(same)
            exact = (share(same.first.value, digits), share(same.second.value, digits), points(same.difference, digits))
        last = (share_with_interval(criterion.between), with_signed_interval(criterion.shift), chance(criterion.p))
        rows.append((doc.Name(name), *exact, *last))
    return ("Criterion", *of_gold, "same level", "shift, levels", "p (Holm)"), tuple(rows)


def _lines(pair: Differences, rubric: Rubric) -> Iterator[doc.Line]:
    if rubric.has_score:
        yield f"Score shift from first to second: {with_signed_interval(pair.shift)} (p {chance(pair.shift_p)})."
    if not rubric.decides:
        return
    if pair.figures:
        for name, ids in zip((pair.first, pair.second), pair.false_passes, strict=True):
            yield (f"False passes of {name}: {len(ids)}  ", doc.Ids(ids)) if ids else f"False passes of {name}: none"
    yield flips_line(pair)


def flips_line(pair: Differences) -> str:
    """Say how many decisions flip to pass and to fail, and how many flips became right and wrong.

    After each of these two pairs of numbers comes the p-value of the test that both are equal in the long run.
    """
    if not pair.flips:
        return "No decision flips."
    up = sum(flip.passes for flip in pair.flips)
    n = len(pair.flips)
    line = f"{counted(n, 'decision')} {'flips' if n == 1 else 'flip'}: {up} to pass, {n - up} to fail"
    line += f" (p {chance(pair.flips_p)})"
    if pair.became_p is not None:
        line += f"; {pair.became_right} became right, {pair.became_wrong} became wrong (p {chance(pair.became_p)})"
    return f"{line}."


def _flip(flip: Flip) -> str:
    turn = "fail → pass" if flip.passes else "pass → fail"
    scores = "" if any(map(math.isnan, flip.scores)) else f", {number(flip.scores[0])} → {number(flip.scores[1])}"
    gold = "" if flip.gold is None else f"; gold {'pass' if flip.gold else 'fail'}"
    return f"{turn}{scores}{gold}"


def _switch(pair: Differences) -> Iterator[str]:
    if pair.link.undefined is None:
        points_ = "; ".join(_linked(point) for point in pair.link.points)
        yield f"If you switch, old scores correspond to new ones: {points_}. Of new scores, 95% are in the brackets."
    else:
        yield f"If you switch, what an old score becomes isn't known: {pair.link.undefined}."
    yield (
        f"If you switch, {share_with_interval(pair.old_passes_that_pass)} of the old passes still pass, and "
        f"{share_with_interval(pair.old_fails_that_pass)} of the old fails pass."
    )


def _linked(point: LinkedScore) -> str:
    return f"{number(point.old)} → {number(point.mean.value)} ({number(point.low)}–{number(point.high)})"


def _details(compared: "Compared") -> Iterator[doc.Section]:
    """Yield the parts that only HTML pages have: each judge against gold, single examples, and the run's settings."""
    choice = compared.choice
    contenders = compared.contenders
    truth = compared.truth
    against = {
        f"k{index}-": compare(
            truth.judged(choice.rubric, contender.ratings), of=choice.measure.of, tolerance=choice.tolerance
        )
        for index, contender in enumerate(contenders)
        if truth is not None
    }
    for (prefix, comparison), contender in zip(against.items(), contenders, strict=False):
        blocks = tuple(_against_gold(comparison, choice.rubric.target, prefix))
        yield doc.Section(f"{contender.name} against gold", (doc.OnPages(blocks),), f"{prefix}whole")
    yield doc.Section("Examples", (doc.OnPages((examples_of_choice(compared, against),)),), "examples")
    rows = [("rubric", f"{choice.rubric.name} ({choice.rubric.fingerprint})")]
    rows += [(contender.name, cost_line(contender.cost)) for contender in contenders]
    yield doc.Section("What was run", (doc.OnPages((doc.Facts(tuple(rows)),)),), "run")


def _against_gold(comparison: Comparison, target: float, tag_prefix: str) -> Iterator[doc.Block]:
    """Yield the parts of the page that compare one judge with gold: bars, a scatter plot and the criteria.

    Args:
        comparison: The judge compared with gold.
        target: Share of examples on which the judge has to agree.
        tag_prefix: Prefix of the tags by which the page finds this judge's examples, among those of other judges.
    """
    yield agreement_bars(comparison, target)
    yield scatter(comparison)
    yield from criteria_blocks(comparison, tag_prefix=tag_prefix)


# --- JSON -----------------------------------------------------------------------------------------------------------


def json_of(choice: Choice) -> dict[str, Any]:
    """Return the comparison of judges as a dict with the keys of its JSON output."""
    return {
        "schema": 1,
        "rubric": attributes(choice.rubric, "name fingerprint"),
        "measure": choice.paired.name,
        **attributes(choice, "examples reference tolerance judges=standings best recommended because notes"),
        "pairs": [_pair_json(pair) for pair in choice.pairs],
    }


def _pair_json(pair: Differences) -> dict[str, Any]:
    link = pair.link
    (first, second) = pair.false_passes
    line = attributes(link, "intercept slope spread")
    return {
        **attributes(pair, "first second n flips_p became_right became_wrong became_p"),
        **pair.figures,
        "criteria": {
            name: {
                **attributes(criterion, "exact_agreement=exact between"),
                "shift": {**criterion.shift.to_json(), "p": criterion.p},
            }
            for name, criterion in pair.criteria.items()
        },
        "shift": {**pair.shift.to_json(), "p": pair.shift_p},
        "false_passes": {"first": first, "second": second},
        "flips": [attributes(flip, "id pass=passes scores gold") for flip in pair.flips],
        "switch": {
            **(line if link.undefined is None else dict.fromkeys(line)),
            "points": [
                {**attributes(point, "old new=mean"), "single": attributes(point, "low high")} for point in link.points
            ],
            **attributes(link, "n undefined"),
            **attributes(pair, "old_passes_that_pass old_fails_that_pass"),
        },
    }
