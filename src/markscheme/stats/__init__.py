"""Arrays in, Estimates out: agreement, reliability, error, change and prevalence, each with its uncertainty."""
