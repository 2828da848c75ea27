from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from bot.home_lookups import GLANCE_SECONDS, glance_at_gaps
from core.gaps import Gap, Gaps
from core.settings import Settings

GAP = Gap("Why?", 2, 2, 2, 0, dt.date(2026, 11, 19))


def test_gaps_are_gathered_anew_only_after_a_while_and_for_each_tenant(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, dt.datetime]] = []

    def listed(_self: Gaps, tenant_id: str, since: dt.datetime, _audience: Any, _most: int) -> tuple[Gap, ...]:
        asked.append((tenant_id, since))
        return (GAP,) if tenant_id == "t" else ()

    monkeypatch.setattr(Gaps, "listed", listed)
    now = [1_796_000_000.0]
    gaps = Gaps(None, None, None)  # type: ignore[arg-type]  # what it would ask is not reached
    glance = glance_at_gaps(gaps, Settings(_env_file=None, question_days=30), lambda: now[0])
    assert glance("t") == (GAP,)
    assert glance("t") == (GAP,)
    assert glance("other") == ()
    assert [tenant for tenant, _ in asked] == ["t", "other"]
    assert asked[0][1] == dt.datetime.fromtimestamp(now[0], dt.UTC) - dt.timedelta(days=30)
    now[0] += GLANCE_SECONDS
    glance("t")
    assert [tenant for tenant, _ in asked] == ["t", "other", "t"]
