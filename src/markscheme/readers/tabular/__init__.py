"""Tables that people have: any file or frame, its columns, and what their cells mean; never half guessed."""
