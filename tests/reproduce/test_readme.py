import pytest

from unifilter.reproduce.readme import rewrite
from unifilter.viz.exhibit import Cell, Plot, Table, Value

TABLE = Table("table2", "Filters", ["cora"], {"UniFilter": {"cora": Cell(Value(89.9, 0.5, 10), 89.49)}})
EXHIBITS = {"table2": TABLE, "curve": Plot("curve", "C", "x", "y", [])}


def place(name="table2", within="old\n"):
    return f"before\n<!-- reproduce:{name} -->\n{within}<!-- /reproduce -->\nafter\n"


def test_a_place_is_filled_and_the_rest_is_kept():
    text = rewrite(place(), EXHIBITS)
    assert text.startswith("before\n<!-- reproduce:table2 -->\n**Filters (%)**\n")
    assert text.endswith("<!-- /reproduce -->\nafter\n")
    assert "89.90 ± 0.50" in text
    assert "89.49" in text
    assert "old" not in text


def test_filling_twice_changes_nothing():
    once = rewrite(place() + place(), EXHIBITS)
    assert rewrite(once, EXHIBITS) == once
    assert once.count("89.90") == 2


def test_words_after_the_name_choose_the_lines():
    text = rewrite(place("table2 ours"), EXHIBITS)
    assert "89.90" in text
    assert "89.49" not in text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (place("table9"), "no table named 'table9': there are table2"),
        (place("curve"), "no table named 'curve'"),
        (place("table2 mine"), "printed, ours, difference, but 'mine'"),
        ("<!-- reproduce:table2 -->\n", "must close"),
    ],
)
def test_a_wrong_place_is_refused(text, said):
    with pytest.raises(ValueError, match=said):
        rewrite(text, EXHIBITS)


def test_a_text_without_places_stays_as_it_is():
    assert rewrite("nothing\n", EXHIBITS) == "nothing\n"
