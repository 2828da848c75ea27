from __future__ import annotations

import pytest

from core.generation.prices import PRICES, Price, Usage, cost_usd

MILLION = 1_000_000


@pytest.mark.parametrize(
    ("model", "usage", "dollars"),
    [
        ("claude-sonnet-5-5", Usage(MILLION, 0), 2.0),
        ("claude-sonnet-5-5", Usage(0, MILLION), 10.0),
        ("claude-sonnet-5-5", Usage(cache_creation_tokens=MILLION), 2.5),
        ("claude-sonnet-5-5", Usage(cache_creation_tokens=MILLION, cache_creation_1h_tokens=MILLION), 4.0),
        ("claude-sonnet-5-5", Usage(cache_read_tokens=MILLION), 0.1),
        ("claude-opus-5-5", Usage(1000, 500, 2000, 3000), 0.0246),
        ("claude-haiku-5-5", Usage(100_000, 1000), 0.0105),
        ("claude-haiku-5-5", Usage(100_001, 1000), 0.0525005),
        ("claude-haiku-5-5", Usage(1, 0, 50_000, 50_000), 0.0337505),
        ("claude-haiku-5-5-20261007", Usage(100_000, 1000), 0.0105),
    ],
)
def test_a_request_costs_what_the_price_page_says(model: str, usage: Usage, dollars: float) -> None:
    assert cost_usd(model, usage) == pytest.approx(dollars)


def test_an_unknown_model_has_no_known_cost() -> None:
    assert cost_usd("claude-future-9", Usage(1, 1)) is None


def test_prices_may_come_from_settings() -> None:
    assert cost_usd("house-model", Usage(MILLION, 0), {"house-model": (Price(7, 1, 1, 1, 1),)}) == 7.0


@pytest.mark.parametrize("model", PRICES)
def test_cache_writes_cost_what_their_multiples_of_the_input_say(model: str) -> None:
    for price in PRICES[model]:
        assert price.cache_write_5m == pytest.approx(1.25 * price.input)
        assert price.cache_write_1h == pytest.approx(2 * price.input)
        assert price.cache_read < price.input < price.output


def test_usages_add_up() -> None:
    assert Usage(1, 2, 3, 4, 1) + Usage(10, 20, 30, 40, 2) == Usage(11, 22, 33, 44, 3)
    assert Usage(1, 2, 3, 4).prompt_tokens == 8
