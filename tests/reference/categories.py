"""Agreement on categories: labels of judge and annotators, and the counts that follow; worked by hand."""

JUDGE = ["a", "a", "b", "b", "c", "c", "a", "b", "c", "a"]
ANNOTATORS = (["a", "a", "b", "b", "c", "c", "a", "b", "c", "b"], ["a", "b", "b", "b", "c", "c", "a", "a", "c", "b"])
GOLD = ("a", None, "b", "b", "c", "c", "a", None, "c", "b")
"""The most frequent label; none where the two annotators differ."""
AGREEMENT = (7, 8)
"""Hits of the judge, of the examples with gold."""
CONSTANT = ("b", 3, 8)
"""The best constant answer, which is the first of the scale of two equally frequent ones, its hits, and of how many."""
ANNOTATORS_AGREE = (8, 10)

MIXED = (
    (("a", 0.5), ("a", 0.55), True),
    (("b", 0.5), ("a", 0.5), False),
    (("a", 0.9), ("a", 0.6), False),
)
"""A category and a score of the judge, the same of gold, and whether they agree within 0.1."""
