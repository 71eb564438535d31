"""Number of labels needed to certify several judges, which `label --plan` shows."""

from dataclasses import replace
from datetime import date

from markscheme.calibration.decision import PILOT
from markscheme.calibration.label_needs import Need, RatingsByFile
from markscheme.errors import ComparisonError
from markscheme.features.certify.candidates import StageCandidate
from markscheme.features.certify.certificate import Certificate, certificate_for
from markscheme.features.certify.promise import Promise
from markscheme.features.certify.promises_asked import digest_of_decisions, recording_promise
from markscheme.features.certify.statistics import MOST_STAGES
from markscheme.phrases import percent
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.kinds import Kind
from markscheme.ratings.splits import used_to_tune
from markscheme.rubrics.rubric import Rubric


def labels_for_certificate(
    rubric: Rubric,
    examples: ExampleSet,
    by_file: RatingsByFile,
    error: float,
    kind: Kind | None,
) -> Need | None:
    """Estimate how many labels `certify` needs for the given judges; nothing is tested or recorded.

    None if the rubric is for pairs, a file doesn't have exactly one judge, there are no judges or too many, or labels
    are too few.

    Args:
        rubric: The rubric as it is today.
        examples: The labelled examples.
        by_file: The ratings of each judge with their file, in the order in which judges would be asked.
        error: The largest share of wrong automatic decisions.
        kind: The kind of labels that count; None for the strongest kind that the examples have.
    """
    raters = [{rating.rater for rating in ratings} for _, ratings in by_file]
    each_has_one = all(len(names) == 1 for names in raters)
    if rubric.is_of_pairs or not each_has_one or not 0 < len(raters) <= MOST_STAGES:
        return None
    candidates = [StageCandidate(ratings[0].rater, ratings) for _, ratings in by_file]
    first = Promise(error=error)
    judges = ",".join(str(path) for path, _ in by_file)
    decisions = digest_of_decisions(rubric, candidates, examples)
    with recording_promise(examples, first, judges, decisions, at=date.today().isoformat()) as turn:
        promise = replace(first, further=turn.further)
        later = replace(first, further=turn.on_record)
    try:
        certificate = certificate_for(
            rubric, examples, candidates, promise, with_more_labels=later, kind=kind, used=used_to_tune(examples)
        )
    except ComparisonError:  # nothing is labelled yet
        return None
    return _need(certificate) if certificate.n >= PILOT else None


def _need(certificate: Certificate) -> Need:
    """Return how many labels it takes to certify automatic decisions, as a row of a labelling plan.

    If the present labels are enough, it is their number.
    """
    promise = certificate.promise
    promised = (
        f"at most {percent(promise.error)} of automatic decisions wrong ({percent(promise.confidence)} confidence)"
    )
    judges = ", then ".join(candidate.name for candidate in certificate.candidates)
    if certificate.is_supported:
        alone = 1 - certificate.decided[-1] / certificate.n
        return Need(
            "promise", promised, certificate.n, certificate.n, f"{percent(alone)} already need no person, by {judges}"
        )
    reasons = "; ".join(str(of_side.automatic.undefined) for of_side in certificate.parts.values())
    return Need("promise", promised, certificate.needed, certificate.n, f"by {judges}: {reasons}")
