"""The pages of docs/: all of them can be found, and their links lead somewhere; `make docs` builds them."""

import re
from pathlib import Path
from pkgutil import resolve_name

import pytest

import unifilter

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.glob("*.md"))
BUILT = {"generated/commands.md", "generated/models.md"}  # by docs/conf.py


def test_every_public_name_is_in_the_api():
    listed = set(re.findall(r"^   ([\w.]+)$", (DOCS / "api.md").read_text(), flags=re.MULTILINE))
    rooms = {"bases", "splits"}  # whose names are listed one by one
    assert set(unifilter.__all__) - listed == rooms
    assert {f"bases.{name}" for name in unifilter.bases.__all__} <= listed


@pytest.mark.parametrize(
    "name", re.findall(r"^   ([\w.]+)$", (DOCS / "api.md").read_text(), flags=re.MULTILINE)
)
def test_every_name_of_the_api_is_there_and_says_what_it_is(name):
    assert resolve_name(f"unifilter.{name}").__doc__


def test_every_page_is_in_the_contents():
    index = (DOCS / "index.md").read_text()
    listed = set(
        re.findall(
            r"^([\w/]+)$", "".join(re.findall(r"```{toctree}(.*?)```", index, flags=re.DOTALL)), re.MULTILINE
        )
    )
    assert listed == {page.stem for page in PAGES} - {"index"} | {name.removesuffix(".md") for name in BUILT}


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text()):
        if not target.startswith("http"):
            assert target in BUILT or (page.parent / target).exists(), target
