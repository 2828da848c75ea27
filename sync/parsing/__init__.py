"""One module for each file format: bytes in, blocks out."""

from sync.parsing.formats import SUPPORTED, parse_file
from sync.parsing.parsed import Hints, ParsedFile

__all__ = ["SUPPORTED", "Hints", "ParsedFile", "parse_file"]
