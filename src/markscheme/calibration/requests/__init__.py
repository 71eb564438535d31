"""What is asked for, as a command or a program says it, and the result."""
