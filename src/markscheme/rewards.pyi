"""Raw scores of a batch of responses, by the path that programs know."""

from markscheme.features.compatibility.rewards import reward as reward
