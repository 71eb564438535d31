"""What `label` says of labels that were given before a criterion was reworded."""

from markscheme.calibration.carried_labels import CarriedLabels


def labels_to_give_again(carried: CarriedLabels | None) -> str | None:
    """Return the sentence on the labels to give again after a rewording; None if there are none to give again."""
    if carried is None or set(carried.old).isdisjoint(carried.to_relabel):
        return None
    return carried.sentence
