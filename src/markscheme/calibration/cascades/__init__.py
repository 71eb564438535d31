"""Who decides what: decisions that judges may make alone, and what labels certify of them."""
