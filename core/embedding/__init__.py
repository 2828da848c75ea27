"""Texts into vectors: the packaged multilingual-e5-small, or any sentence-transformers model."""
