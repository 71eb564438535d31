"""Number of labels needed for an interval of a given width around a share."""

from markscheme.stats.change import least_n
from markscheme.stats.intervals import wilson


def labels_for_share(share: float, half_width: float) -> int:
    """Compute how many labels make the 95 % score interval of a share no wider than wanted.

    Args:
        share: Expected share, such as exact agreement, sensitivity or a pass rate.
        half_width: Half of the required width, 0 to 1.

    Returns:
        The number of labels among the examples in the share's denominator: for sensitivity, those that annotators pass.

    Raises:
        ValueError: The share is outside 0 to 1, or the width isn't positive.

    Source:
        Wilson (1927), Journal of the American Statistical Association 22(158), 209-212.
        doi:10.1080/01621459.1927.10502953

    Example:
        >>> labels_for_share(0.9, 0.05)
        141
    """
    if not 0 <= share <= 1 or not half_width > 0:
        raise ValueError(f"a share lies within 0 to 1 and a half-width above 0, not {share} and {half_width}")

    def narrow(n: int) -> bool:
        low, high = wilson(share * n, n)
        return high - low <= 2 * half_width

    return least_n(narrow)
