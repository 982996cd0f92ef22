"""The variants change tables that exist, one thing at a time, and the committed runs are theirs."""

from dataclasses import asdict
from pathlib import Path

import pytest
import why_baselines_differ as why

from unifilter.models._registry import configure
from unifilter.record import read

pytest.importorskip("tomllib")  # Python 3.11
ROOT = Path(__file__).parents[2] / "experiments"

every_variant = pytest.mark.parametrize(
    "variant", why.variants(), ids=lambda v: f"{v.model}-{v.dataset}-{v.says}"
)


@every_variant
def test_a_variant_is_a_setting_of_a_table(variant):
    configure(variant.model, variant.entry.options)
    assert variant.printed, "a figure to differ from"


def test_no_variant_stands_twice():
    entries = [(repr(v.entry), v.dataset, v.protocol) for v in why.variants()]
    assert len(entries) == len(set(entries))


@every_variant
def test_its_runs_are_committed(variant):
    known = read(ROOT / "results" / "why_baselines_differ.jsonl")
    wanted = asdict(configure(variant.model, variant.entry.options)), variant.entry.preprocess
    mine = [
        r
        for r in known
        if (r.model, r.dataset["name"]) == (variant.model, variant.dataset)
        and (r.config, r.dataset["preprocessing"]) == wanted
        and r.training["epochs"] == variant.entry.training.epochs
    ]
    assert len(mine) >= variant.splits
