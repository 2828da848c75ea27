"""One module for each kind of export."""
