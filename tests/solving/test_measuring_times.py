"""At which iterations a run is measured."""

from __future__ import annotations

import pytest

import regretless as rg
from regretless.solving.measuring_times import expected_at, next_measurement


def rows(*pairs: tuple[int, float]) -> list[dict[str, float]]:
    return [{"iteration": iteration, "error": error} for iteration, error in pairs]


@pytest.mark.parametrize("power", [-0.6, -1.0, -1.5, -2.5])
def test_a_power_law_is_met_at_the_iteration_where_it_meets_the_target(power: float) -> None:
    law = lambda t: 3.0 * t**power  # noqa: E731
    assert expected_at(rows((50, law(50)), (100, law(100))), "error", law(140.5)) == 141


def test_expectations_stay_within_one_iteration_and_twice_the_count() -> None:
    assert expected_at(rows((100, 0.5)), "error", 1e-9) == 200
    assert expected_at(rows((50, 0.3), (100, 0.3)), "error", 1e-9) == 200  # no progress
    assert expected_at(rows((50, 0.1), (100, 0.3)), "error", 0.2999) == 101  # it grew
    assert expected_at(rows((100, 0.1)), "error", 0.2) == 101  # already there
    assert expected_at(rows((1, 0.0)), "error", 0.2) == 2
    assert expected_at(rows((100, 0.5)), "error", 1e-300) == 200


@pytest.mark.parametrize("growth", [1.05, 1.4])
def test_measurements_by_growth_do_not_depend_on_where_one_asks(growth: float) -> None:
    at = [next_measurement(iteration, growth) for iteration in range(200)]
    assert at == sorted(at) and all(there > here for here, there in enumerate(at))
    assert all(next_measurement(there - 1, growth) == there for there in at)


def test_a_spot_with_a_target_is_measured_rarely_and_stops_soon_after_it() -> None:
    spot = rg.poker.Spot("Qs Jh 2h 7c 3d", ("QQ+,AK,JTs,98s", "JJ-99,AQ,KQs,T9s:0.5"), pot=100, stack=200)
    run = rg.solve(spot, rg.DCFR, until=0.2)
    fine = rg.solve(spot, rg.DCFR, until=0.2, measure=1)
    assert run.stopped == fine.stopped == "until"
    assert fine.iterations <= run.iterations <= 1.5 * fine.iterations
    assert len(run.history["iteration"]) < 15 < len(fine.history["iteration"])
    again = rg.solve(spot, rg.DCFR, until=0.2)
    assert again.history["iteration"].tolist() == run.history["iteration"].tolist()
