"""How many labels are needed, and which outputs to label next."""
