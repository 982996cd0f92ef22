import re

import pytest

from unifilter.viz.exhibit import Cell, Table, Value
from unifilter.viz.exhibit_table import FEW, table_html, tally
from unifilter.viz.exhibit_text import difference
from viz.exhibits import EVIL, TABLE


def cells(html):
    return re.findall(r"<td.*?</td>", html)


def test_a_cell_is_coloured_by_whether_the_printed_figure_lies_in_the_interval():
    html = table_html(TABLE)
    classes = [re.search(r'class="(\w+)', cell).group(1) for cell in cells(html)[:3]]
    assert classes == ["agrees", "above", "below"]
    assert len(cells(html)) == 12


def test_a_cell_has_three_lines_and_a_missing_one_says_so():
    first, _, third, fourth, fifth, *_ = cells(table_html(TABLE))
    assert re.findall(r'<span class="(\w+)', first) == ["printed", "ours", "difference"]
    assert "<sup>1</sup>" in third
    assert re.findall(r'<span class="(\w+)', fourth) == ["printed", "none"]
    assert re.findall(r'<span class="(\w+)', fifth) == ["none"]


def test_the_best_of_a_column_is_marked():
    html = table_html(TABLE)
    assert 'class="ours best"><b>89.46' in html
    assert 'class="ours best"><b>70.00' not in html


def test_the_interval_of_a_difference_is_told_where_both_figures_have_one():
    both, ours = Cell(Value(71.0, 0.6, 10), 70.5, printed_half=0.8), Cell(Value(71.0, 0.6, 10), 70.5)
    assert difference(TABLE, both) == "✓ +0.50 ± 1.00"
    assert difference(TABLE, ours) == "✓ +0.50"
    assert difference(TABLE, Cell(Value(1.0))) == ""


def test_a_tally_counts_what_could_be_compared():
    assert "✓ 2" in tally(TABLE.verdicts())
    assert "▲ 1" in tally(TABLE.verdicts())
    assert tally(Table("t", "T", ["x"], {"a": {"x": Cell(Value(1.0))}}).verdicts()) == ""


def test_names_notes_and_captions_are_text():
    html = table_html(TABLE)
    assert EVIL not in html
    assert "50% &lt;b&gt;a|b&lt;/b&gt; &amp; $x_1$" in html
    assert "<li>half of the epochs</li>" in html


def test_the_figure_beside_ours_has_a_name():
    rows = {"a": {"x": Cell(Value(1.0), printed=2.0)}}
    assert 'data-peer="printed"' in table_html(Table("t", "T", ["x"], rows))
    assert 'data-peer="wanted"' in table_html(Table("t", "T", ["x"], rows, peer="wanted"))


def test_a_mark_stands_in_its_cell():
    marked = Table("t", "T", ["x"], {"a": {"x": Cell(Value(1.0, 0.5, 10), mark="p < 0.001 †")}})
    assert '1.00</b> <i>± 0.50</i></span><span class="mark">p &lt; 0.001 †</span>' in table_html(marked)
    assert 'class="mark"' not in table_html(TABLE)


@pytest.mark.parametrize("count", [FEW, FEW + 1])
def test_many_notes_are_folded(count):
    cells = {f"c{i}": Cell(Value(1.0), note=f"note {i}") for i in range(count)}
    text = table_html(Table("t", "T", list(cells), {"a": cells}))
    assert text.count("<li>") == count
    assert (f"<summary>{count} notes</summary><ol>" in text) == (count > FEW)
