"""A rebuild is killed with SIGKILL at any moment; the old index or the new one is served, whole."""

from __future__ import annotations

import random
from pathlib import Path

from tests.crashing import DOCUMENTS, open_index, sync_round
from tests.crashing_rebuild import kill_after, look

KILLS = 3


def test_a_rebuild_that_is_killed_at_any_moment_leaves_the_old_index_or_the_new_one(tmp_path: Path) -> None:
    moments = random.Random(11)
    _, _, engine = open_index(tmp_path)
    sync_round(tmp_path, engine, 0)
    before = look(tmp_path)
    for _ in range(KILLS):
        kill_after(tmp_path, moments.uniform(0.1, 1.5))
        served = look(tmp_path)
        assert (served.torn, served.wrong_vectors) == ((), 0)
        assert served.documents == DOCUMENTS
        assert served.chunks == before.chunks
        assert served.lexical == before.lexical == before.chunks
