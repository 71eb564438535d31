"""What a judge reads: a submission with its parts and steps, and the words of a prompt."""
