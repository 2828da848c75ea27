"""What knows about exports: sources, parsing, the engine and its schedule."""
