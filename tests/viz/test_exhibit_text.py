import re
import shutil
import subprocess

import pytest

from unifilter.viz.exhibit import Cell, Table, Value
from unifilter.viz.exhibit_text import latex, markdown, words_markdown
from viz.exhibits import EVIL, TABLE, WORDS


def columns(line):
    """Cells of a pipe table's line, as a reader of Markdown splits it."""
    return re.split(r"(?<!\\)\|", line.strip())[1:-1]


def test_every_line_of_a_pipe_table_has_the_same_columns():
    lines = [line for line in markdown(TABLE).splitlines() if line.startswith("|")]
    assert len(lines) == 2 + len(TABLE.rows)
    assert {len(columns(line)) for line in lines} == {1 + len(TABLE.columns)}


def test_a_cell_has_the_printed_figure_ours_and_the_difference():
    text = markdown(TABLE)
    assert "*89.49*<br>**89.46** ± 1.20<br>✓ −0.03" in text
    assert "*91.44*<br>90.00 ± 0.40<sup>1</sup><br>▼ −1.44" in text
    assert "[1] half of the epochs" in text
    assert "✓ +0.50 ± 1.22" in text  # both figures have an interval
    assert "| *40.84* |" in text  # not run: what was printed stays to be seen


def test_a_readme_may_have_ours_alone():
    text = markdown(TABLE, lines=("ours",))
    assert "89.49" not in text
    assert "−0.03" not in text
    assert "| **89.46** ± 1.20 |" in text


def test_markup_in_names_is_text():
    assert r"50% \<b\>a\|b\</b\> & $x\_1$" in markdown(TABLE)
    assert words_markdown(WORDS).count("- **") == 2


def test_latex_escapes_what_latex_would_read():
    text = latex(TABLE)
    assert r"50\% $<$b$>$a$|$b$<$/b$>$ \& \$x\_1\$" in text
    assert r"\caption{Accuracy (\%). Ten splits \& more.}\label{tab:table2}" in text
    assert r"\textbf{89.46} {\scriptsize $\pm$ 1.20}" in text
    assert r"$\blacktriangledown$ $-$1.44" in text


def test_latex_lines_have_the_columns_that_are_declared():
    text = latex(TABLE)
    wanted = 2 + len(TABLE.columns)
    assert rf"{{ll{'r' * len(TABLE.columns)}}}" in text
    lines = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert {len(re.split(r"(?<!\\)&", line)) for line in lines} == {wanted}
    assert len(lines) == 1 + 3 + 3


def test_a_mark_follows_the_figure():
    table = Table("t", "T", ["x"], {"a": {"x": Cell(Value(1.0, 0.5, 10), mark="p < 0.001 †")}})
    assert r"| a | 1.00 ± 0.50, p \< 0.001 † |" in markdown(table)
    assert r"1.00 {\scriptsize $\pm$ 0.50, p $<$ 0.001 $\dagger$}" in latex(table)
    bare = Table("t", "T", ["x"], {"a": {"x": Cell(Value(1.0), mark="p 0.5")}})
    assert "| a | 1.00 p 0.5 |" in markdown(bare)


def test_lines_that_no_cell_has_are_left_out():
    text = latex(Table("t", "T", ["x"], {"a": {"x": Cell(Value(1.0))}}, unit=""))
    assert "printed" not in text
    assert "difference" not in text
    assert "addlinespace" not in text


def test_where_nothing_was_printed_no_column_says_ours():
    text = latex(Table("t", "T", ["x"], {"tau, the paper's": {"x": Cell(Value(1.0))}}, unit=""))
    assert "ours" not in text
    assert r"\begin{tabular}{lr}" in text
    assert r"tau, the paper's & 1.00 \\" in text


def test_more_lines_than_a_page_holds_are_a_longtable_whose_head_is_repeated():
    rows = {f"model {i}": {"x": Cell(Value(80.0, 1.0, 10), 81.0)} for i in range(20)}
    text = latex(Table("t", "T", ["x"], rows))
    assert text.startswith(r"\begin{longtable}{llr}")
    assert text.count(r"\caption") == text.count(r"\label") == 1
    assert text.count(r" &  & x \\") == 2
    assert text.index(r"\endfirsthead") < text.index(r"\endhead") < text.index("model 0")
    assert latex(Table("t", "T", ["x"], {r: rows[r] for r in list(rows)[:5]})).startswith(r"\begin{table}")


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="needs pdflatex")
def test_latex_compiles(tmp_path):
    packages = "".join(rf"\usepackage{{{p}}}" for p in ("booktabs", "amssymb", "longtable"))
    rows = {f"model {i}": {"x": Cell(Value(80.0, 1.0, 10), 81.0)} for i in range(40)}
    tables = latex(TABLE) + latex(Table("long", "Long", ["x"], rows))
    document = rf"\documentclass{{article}}{packages}\begin{{document}}{tables}\end{{document}}"
    (tmp_path / "t.tex").write_text(document)
    subprocess.run(["pdflatex", "-halt-on-error", "t.tex"], cwd=tmp_path, check=True, capture_output=True)


def test_the_evil_name_is_in_the_table():
    assert EVIL in TABLE.rows
