import pytest

from unifilter.train import race
from unifilter.train.population import Score


class Fake:
    """A population that only counts."""

    def __init__(self, accuracies):
        self.epoch, self.accuracies, self.kept = 0, accuracies, None

    def scores(self):
        return [Score(a, 1.0, 0, self.epoch) for a in self.accuracies]

    def keep(self, members):
        self.kept = list(members)


def groups():
    made = [race.Group([0, 2, 4], None, Fake([0.1, 0.9, 0.5])), race.Group([1, 3], None, Fake([0.8, 0.2]))]
    for group in made:
        group.alive = list(range(len(group.numbers)))
    return made


def test_the_better_share_of_all_groups_goes_on():
    made = groups()
    race.halve(made, [0] * 5)
    assert [g.population.kept for g in made] == [[1], [0]]
    assert [g.alive for g in made] == [[1], [0]]


def test_those_that_left_do_not_come_back():
    made = groups()
    made[0].alive = [0]  # candidate 2, the best, is out
    race.halve(made, [0] * 5)
    assert made[0].alive == [] or made[0].alive == [0]
    assert 1 not in made[0].alive


def test_every_race_keeps_its_own_best():
    """The second race has candidates 0, 1 and 3, all worse than those of the first."""
    made = groups()
    race.halve(made, [1, 1, 0, 1, 0])
    assert [g.alive for g in made] == [[1, 2], [0, 1]]


def test_a_clock_gives_every_stage_its_share():
    clock = race.Clock(10.0, None)
    clock.start -= 4
    assert clock.over(0)
    assert not clock.over(1)
    assert not race.Clock(None, None).over(0)


def test_progress_is_told_of_the_best():
    seen = []
    race.Clock(None, seen.append).show(1, groups())
    assert seen[0].accuracy == 0.9
    assert seen[0].candidates == 5


def test_nothing_is_saved_without_a_folder():
    assert race.Saved(None).restore([], race.Clock(None, None)) == 0


@pytest.mark.parametrize("shares", [race.SHARES])
def test_shares_end_with_the_whole_budget(shares):
    assert list(shares) == sorted(shares)
    assert shares[-1] == 1.0


def test_a_race_that_is_continued_has_spent_what_it_spent(tmp_path):
    (tmp_path / "auto.json").write_text(
        '{"stage": 1, "files": [], "epochs": [], "alive": [], "elapsed": 30.0}'
    )
    clock = race.Clock(100.0, None)
    assert race.Saved(tmp_path).restore([], clock) == 1
    assert clock.elapsed >= 30
    assert not clock.over(0)
    clock.start -= 15
    assert clock.over(0)
