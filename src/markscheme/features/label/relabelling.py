"""Message of `label` on labels that were given before a criterion was reworded."""

from markscheme.calibration.carried_labels import CarriedLabels


def labels_to_give_again(carried: CarriedLabels | None) -> str | None:
    """Return a sentence on which labels to give again after a rewording; None if there are none."""
    if carried is None or set(carried.old).isdisjoint(carried.to_relabel):
        return None
    return carried.sentence
