from unifilter.viz.exhibit import Plot, Series
from unifilter.viz.exhibit_look import COLOURS, behind, entries, halves, looks, number
from unifilter.viz.style import GREY


def plot(*series):
    return Plot("p", "P", "x", "y", series)


def test_the_papers_points_have_the_colour_of_ours():
    ours, other, theirs = looks(
        plot(Series("a", [0], [1]), Series("b", [0], [1]), Series("a", [0], [2], printed=True))
    )
    assert (ours.colour, ours.symbol) == (theirs.colour, theirs.symbol)
    assert other.colour != ours.colour
    assert theirs.name == "a, printed"


def test_a_reference_is_grey_and_takes_no_colour_from_the_others():
    reference, first = looks(plot(Series("theory", [0], [1], reference=True), Series("a", [0], [1])))
    assert reference.colour == GREY
    assert first.colour == COLOURS[0]


def test_muted_series_are_grey_share_an_entry_and_take_no_colour():
    muted = [Series(name, [0], [1], muted="others") for name in "bc"]
    shown = plot(*muted, Series("a", [0], [1]))
    b, c, a = looks(shown)
    assert (b.colour, c.colour, a.colour) == (GREY, GREY, COLOURS[0])
    assert (b.name, c.name, b.dashed) == ("b", "c", False)
    assert entries(shown) == ["others", "", "a"]
    assert [behind(shown, s) for s in shown.series] == [True, True, False]


def test_thirty_series_all_look_different():
    found = looks(plot(*(Series(str(i), [0], [1]) for i in range(30))))
    assert len({(look.colour, look.symbol, look.dashed) for look in found}) == 30


def test_a_missing_half_is_drawn_as_nothing():
    assert halves(Series("a", [0, 1, 2], [1, 2, 3], [0.5, None, float("nan")])) == [0.5, 0.0, 0.0]
    assert halves(Series("a", [0, 1], [1, 2])) == [0.0, 0.0]


def test_numbers_read_as_in_print():
    assert number(-1234.5, 1) == "−1,234.5"
    assert number(0.5, 2, signed=True) == "+0.50"
    assert number(-0.0, 2) == "0.00"
    assert number(float("nan"), 2) == "–"
