"""What knows about documents and evidence. Imports neither `bot` nor `sync`."""
