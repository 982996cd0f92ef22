"""Rules of voting are compared without a look at test nodes."""

import how_many_vote
import numpy as np


def said(right: list[float], y, classes=3, seed=0):
    """Probabilities of candidates that are right so often, at random."""
    rng = np.random.default_rng(seed)
    p = rng.random((len(right), len(y), classes)) * 0.3
    for i, share in enumerate(right):
        hit = rng.random(len(y)) < share
        p[i, np.arange(len(y)), np.where(hit, y, (y + 1) % classes)] += 1
    return p / p.sum(axis=2, keepdims=True)


def test_voters_share_the_scaling_of_the_best():
    y = np.arange(300) % 3
    p = said([0.9, 0.6, 0.8, 0.7], y)
    found = how_many_vote.rules(p, y, ["row", "none", "none", "row"])
    assert found["the best"] == [0]
    assert found["everyone"] == [0, 3]
    assert sorted(found["10 of the least loss"]) == [0, 3]


def test_independent_candidates_do_better_together_and_test_nodes_change_no_choice():
    y = np.arange(900) % 3
    p, names = said([0.6] * 9, y), ["row"] * 9
    val, test = p[:, :600], p[:, 600:]
    rng = np.random.default_rng
    held, tested = how_many_vote.judge(val, test, names, y[:600], y[600:], rng(0))
    assert held["everyone"] > held["5 of the highest accuracy"] > held["the best"] + 0.05
    assert tested["everyone"] > tested["the best"]
    other, _ = how_many_vote.judge(val, test[::-1], names, y[:600], (y[600:] + 1) % 3, rng(0))
    assert other == held


def test_a_study_of_a_small_graph(monkeypatch):
    monkeypatch.setattr(how_many_vote, "PORTFOLIO", how_many_vote.PORTFOLIO[1:3])
    line = how_many_vote.study("sbm:n=150,h=0.9,d=6", "stratified:2", seeds=2, epochs=15, tell=lambda _: None)
    assert set(line["held_out"]) == set(line["test"])
    assert line["held_out"]["everyone"] > 50


def test_a_rule_is_judged_on_nodes_that_it_did_not_see():
    """Candidates that are right at random: the best on the seen half is no better on the other."""
    y = np.arange(120) % 3
    p = said([1 / 3] * 40, y, seed=4)
    held, _ = how_many_vote.judge(p, p, ["row"] * 40, y, y, np.random.default_rng(0))
    assert held["the best"] < 0.45  # on the half that it was chosen by, it is right more often
    assert max(how_many_vote.accuracy(q, y) for q in p) > held["the best"]
