"""Text in its canonical form, its sentences and its language."""
