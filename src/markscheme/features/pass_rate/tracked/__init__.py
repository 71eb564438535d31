"""Pass rates over time: whether people, the judge or the responses moved since the first weeks."""
