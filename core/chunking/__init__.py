"""A version's text in passages: cut along its structure, with ids that outlive edits."""

from core.chunking.alignment import align_chunk_ids
from core.chunking.chunker import LONGEST_CHUNK, chunk_version

__all__ = ["LONGEST_CHUNK", "align_chunk_ids", "chunk_version"]
