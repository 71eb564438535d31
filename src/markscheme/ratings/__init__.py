"""Who rated what how: ratings, labelled examples, and tables of them."""
