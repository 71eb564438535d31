"""For a sceptic: raters that read nothing beside one that does, and a fault planted by seed and found again."""
