from unifilter.viz.exhibit import Plot, Series
from unifilter.viz.exhibit_labels import labels
from viz.exhibits import CROWD, PLOT, STEMS


def test_labels_with_room_are_all_shown_beyond_their_intervals():
    far = Series("a", [0, 1, 2], [3.0, -3.0, 1.0], [0.5, 0.5, None], labels=["a", "b", "c"])
    (found,) = labels(Plot("p", "P", "x", "y", [far]))
    assert [(label.text, label.y, label.side) for label in found] == [
        ("a", 3.5, "top"),
        ("b", -3.5, "bottom"),
        ("c", 1.0, "top"),
    ]


def test_a_stem_beside_a_point_sends_its_label_to_the_other_side():
    for at, side in ((1.02, "left"), (0.98, "right")):
        ours = Series("a", [0, 1, 2], [1, 1, 1], labels=["", "k", ""])
        other = Series("a", [at], [2], printed=True)
        found = labels(Plot("p", "P", "x", "y", [ours, other], kind="stems"))[0]
        assert [label.side for label in found if label.text == "k"] == [side]


def test_in_a_crowd_some_labels_are_left_out_and_the_first_stays():
    (found, none) = labels(CROWD)
    assert found[0].text == "0"
    assert 5 <= len(found) < 11
    assert none == []


def test_names_and_powers_of_ten_are_places_too():
    names = Series("a", ["x", "y"], [1, 2], labels=["1", "2"])
    assert len(labels(Plot("p", "P", "x", "y", [names]))[0]) == 2
    seconds = Series("a", [1, 10, 1000], [1, 1, 1], labels=["a", "b", "c"])
    assert len(labels(Plot("p", "P", "s", "y", [seconds]))[0]) == 3
    assert len(labels(Plot("p", "P", "s", "y", [seconds], log_x=True))[0]) == 3


def test_a_label_that_would_reach_over_the_edge_goes_to_the_other_side():
    long = "a long name"
    for at, side in ((0, "right"), (1, "left")):
        series = Series("a", [0, 1], [1, 1], labels=[long if at == i else "" for i in (0, 1)])
        found = labels(Plot("p", "P", "x", "y", [series]))[0]
        assert [label.side for label in found if label.text == long] == [side]


def test_without_labels_there_are_none():
    assert labels(PLOT) == [[], [], []]
    assert len(labels(STEMS)[0]) == 2
