"""One module for each file format: bytes in, blocks out."""
