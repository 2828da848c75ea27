"""Join ranked lists.

Reciprocal rank fusion (Cormack, Clarke, Büttcher: *Reciprocal Rank Fusion outperforms Condorcet and individual rank
learning methods*, SIGIR 2009) is blind to how good each list is: with the question in one language and the documents
in another it drowns the dense half in lexical noise. So it only decides who is read; the order comes from scores on a
common scale (`rerank`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

K = 60


def reciprocal_rank_fusion(rankings: Iterable[Sequence[str]], k: int = K) -> list[tuple[str, float]]:
    """Fuse lists of keys, best first, into (key, score), best first; ties keep the order of first appearance."""
    scores: dict[str, float] = defaultdict(float)
    for ranking in rankings:
        for rank, key in enumerate(ranking, 1):
            scores[key] += 1.0 / (k + rank)
    return sorted(scores.items(), key=lambda item: -item[1])
