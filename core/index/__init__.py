"""Documents, versions, chunks and rules in LanceDB (the truth), and BM25 in tantivy (derived from it)."""
