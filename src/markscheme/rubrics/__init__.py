"""What good is: rubrics, their files, and advice on them."""
