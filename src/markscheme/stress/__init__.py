"""What moves a judge that shouldn't: perturbed texts, asked next to the originals."""
