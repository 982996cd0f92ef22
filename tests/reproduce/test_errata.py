from reproduce.measured import SMALL, measured, nothing
from unifilter.reproduce.errata import PART
from unifilter.reproduce.part import Scale
from unifilter.viz.exhibit import Words


def test_every_list_has_its_evidence(tmp_path):
    shown = PART.show(measured(PART, SMALL, tmp_path), SMALL)
    assert [w.name for w in shown] == [f"errata_{n}" for n in ("theorems", "tables", "protocol", "released")]
    for words in shown:
        assert isinstance(words, Words)
        assert all(claim and evidence for claim, evidence in words.items)
    assert sum(len(words.items) for words in shown) >= 15


def test_what_was_not_measured_is_not_told(tmp_path):
    shown = PART.show(nothing(SMALL, tmp_path), SMALL)
    claims = [claim for words in shown for claim, _ in words.items]
    assert "Table 8 swaps its two row labels." in claims
    assert not any(claim.startswith("Figure 2") for claim in claims)


def test_what_other_parts_measure_is_measured_once():
    names = [m.name for m in PART.measures(SMALL)]
    assert len(names) == len(set(names))


def test_every_contradiction_of_the_paper_is_on_the_page(tmp_path):
    claims = [claim for words in PART.show(nothing(Scale(), tmp_path), Scale()) for claim, _ in words.items]
    for start in (
        *("One setting has two figures", "Figure 4 and Table 8 have", "The text and Figure 4 have Cora's"),
        *("Figure 3: the advantage over HomFilter", "Table 3 underlines", "The paper gives the patience"),
        *("Theorem 2 needs", "Section 3: the weights", "The text varies tau", "Released settings are not"),
        "The text has most frequencies",
    ):
        assert any(claim.startswith(start) for claim in claims)
