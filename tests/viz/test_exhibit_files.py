import pytest

from unifilter.viz.exhibit import Words
from unifilter.viz.exhibit_files import write_everything
from viz.exhibits import PARTS, TABLE, WORDS

NAMES = {"reproduction.html", "tables/table2.md", "tables/table2.tex", "words/errata.md"}
IMAGES = {f"figures/{name}.{form}" for name in ("tau", "ranks", "spectrum") for form in ("png", "svg")}


def test_every_exhibit_has_its_files(tmp_path):
    files = write_everything(PARTS, tmp_path, "T", "t")
    there = {str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*") if p.is_file()}
    assert there == NAMES | IMAGES == {str(f.relative_to(tmp_path)) for f in files}
    assert "89.46" in (tmp_path / "tables/table2.md").read_text(encoding="utf-8")


def test_pictures_can_be_left_out(tmp_path):
    files = write_everything(PARTS, tmp_path, "T", "t", images=False)
    assert {str(f.relative_to(tmp_path)) for f in files} == NAMES


def test_the_same_exhibits_give_the_same_files(tmp_path):
    first, second = (
        {f.name: f.read_bytes() for f in write_everything(PARTS, tmp_path / name, "T", "t")} for name in "ab"
    )
    assert first == second


def test_two_exhibits_of_one_name_are_an_error_before_anything_is_written(tmp_path):
    with pytest.raises(ValueError, match="two exhibits are called 'table2'"):
        write_everything({"a": [TABLE], "b": [TABLE]}, tmp_path, "T", "t")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["../x", "a b", "", "a.b"])
def test_a_name_that_is_no_file_name_is_an_error(tmp_path, name):
    with pytest.raises(ValueError, match="letters, digits"):
        write_everything({"a": [Words(name, "W"), WORDS]}, tmp_path, "T", "t")
