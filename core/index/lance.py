"""LanceDB, imported in one place, quietly."""

import os

# Lance warns on standard error of things that are nobody's business (a new table, a deprecation of its own).
os.environ.setdefault("LANCE_LOG", "error")

import lancedb
from lancedb.expr import Expr, col, lit
from lancedb.index import Bitmap, BTree, IvfRq

__all__ = ["BTree", "Bitmap", "Expr", "IvfRq", "col", "lancedb", "lit"]
