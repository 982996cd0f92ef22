from pathlib import Path

import pytest

from unifilter import reproduce
from unifilter.reproduce.catalog import EMBEDDED, NAMES, full, names, part, parts, quick
from unifilter.reproduce.part import SIX


def test_every_module_with_a_part_is_listed():
    folder = Path(reproduce.__file__).parent
    defined = {f.stem for f in folder.glob("*.py") if "\nPART = " in f.read_text()}
    assert defined == set(names()) <= set(NAMES)


def test_parts_come_in_the_order_of_the_page_and_bear_the_names_of_their_modules():
    assert [p.name for p in parts(["all"])] == names()
    assert [p.name for p in parts([])] == names()
    assert [p.name for p in parts(["family", "table2"])] == ["table2", "family"]
    assert len({p.title for p in parts(["all"])}) == len(names())


def test_an_unknown_part_is_refused_with_those_that_there_are():
    with pytest.raises(ValueError, match=r"'table9': there are claims, table2"):
        part("table9")


def test_a_machine_without_graphs_has_a_quick_run(tmp_path, monkeypatch):
    monkeypatch.setenv("UNIFILTER_CACHE", str(tmp_path))
    monkeypatch.delenv("UNIFILTER_MIRROR", raising=False)
    assert quick().graphs == EMBEDDED
    (tmp_path / "mirror/Planetoid/Cora/raw").mkdir(parents=True)
    monkeypatch.setenv("UNIFILTER_MIRROR", str(tmp_path / "mirror"))
    assert (quick().graphs, quick().also) == (EMBEDDED, ("cora",))


def test_a_full_run_is_the_papers():
    assert (full().graphs, full().splits, full(settings=3).settings) == (SIX, 10, 3)
