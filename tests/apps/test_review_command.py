"""`regretless review`: hands beside the runs of a folder."""

from __future__ import annotations

import dataclasses
import json

import pytest
from command_line import command
from room_hands import SPOT, stars

import regretless as rg
from regretless.apps.reviewing import known_loss, loss_in_words
from regretless.poker.reviewing.review import Review, ReviewedDecision

pytest.importorskip("pokerkit")


def test_the_command(tmp_path) -> None:
    run = rg.solve(SPOT, rg.CFR_PLUS, iterations=5)
    run.save(tmp_path / "spot.run")
    file = tmp_path / "hands.txt"
    file.write_text("\n\n\n".join([stars(1), stars(2, "7s 7d"), stars(3, flop="Qs Jh 3h")]))
    told = command("review", tmp_path, file, "--csv", tmp_path / "out.csv")
    assert told.code == 0 and "3 read, 2 with decisions" in told.out and "1 × the hand has QsJh3h7c" in told.out
    assert "bet 7 " in told.out and "bet 70" not in told.out  # chips of the hand, like the losses
    refused = command("review", tmp_path, file, "--player", "Nobody").refused()
    assert "no hand has a player 'Nobody'" in refused and "Hero" in refused
    assert len((tmp_path / "out.csv").read_text().splitlines()) == 3
    answer = json.loads(command("review", tmp_path / "spot.run", file, "--json", "--player", "Hero").out)
    assert answer["hands"] == 3 and len(answer["decisions"]) == 2 and len(answer["misfits"]) == 1
    file.write_text(stars(1) + "\n\n\n" + stars(2).replace("Hero", "Anna").replace("$30 in", "x in"))
    told = command("review", tmp_path, file, "--player", "Anna")
    assert told.code == 0 and "no hand that was read has a player 'Anna'" in " ".join(told.out.split())
    assert "PokerKit cannot read it" in told.out
    (tmp_path / "empty").mkdir()
    assert "no run of hold'em" in command("review", tmp_path / "empty", file).refused()
    assert "cannot read" in command("review", tmp_path / "spot.run", tmp_path / "none.txt").refused()


def test_a_loss_that_is_not_known_is_not_0() -> None:
    valued = ReviewedDecision(
        "1", "Hero", "preflop", "AsKs", "", "", "call", 0.5, "call", 2.5, 0.25, 10.0, True, "a.run", ""
    )
    unknown = dataclasses.replace(valued, loss=None, share=None)
    for decisions, loss, told in (
        ((unknown, unknown), None, "not known: runs with buckets or networks store no values of actions"),
        ((valued, unknown), 2.5, "2.5 chips in all, without 1 whose value is not known"),
        ((valued,), 2.5, "2.5 chips in all"),
        ((), 0.0, "0 chips in all"),
    ):
        result = Review(decisions, 1, ())
        assert known_loss(result) == loss and loss_in_words(result) == told
