"""Import path for `reward`, which returns the raw scores of a batch of responses."""

from markscheme.features.compatibility.rewards import reward as reward
