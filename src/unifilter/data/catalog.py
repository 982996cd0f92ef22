"""The named graphs: what each is, where it comes from, and the figures it must show."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

_NOT_STATED = "not stated by the source"
_MIT = "MIT (the source's repository)"
_LEAK = "has duplicated nodes on both sides of its splits; see the filtered version"


@dataclass(frozen=True)
class Family:
    """Graphs that come from one source in one format, and where a mirror keeps their raw files."""

    source: str
    licence: str
    citation: str
    folders: tuple[str, ...]
    note: str = ""


_GEOM_GCN = "https://github.com/graphdml-uiuc-jlu/geom-gcn"
_PLATONOV = "https://github.com/yandex-research/heterophilous-graphs"
_LIM = "Lim et al.: Large Scale Learning on Non-Homophilous Graphs, NeurIPS 2021"
_LINKX = Family("https://github.com/CUAI/Non-Homophily-Large-Scale", _NOT_STATED, _LIM, ("LINKX/{}/raw",))
_PEI = "Pei, Wei, Chang, Lei, Yang: Geom-GCN: Geometric Graph Convolutional Networks, ICLR 2020"
_CRITICAL = "Platonov et al.: A Critical Look at the Evaluation of GNNs under Heterophily, ICLR 2023"
_SHCHUR = (
    "https://github.com/shchur/gnn-benchmark",
    _MIT,
    "Shchur, Mumme, Bojchevski, Günnemann: Pitfalls of Graph Neural Network Evaluation, 2018",
)

FAMILIES = {
    "planetoid": Family(
        "https://github.com/kimiyoung/planetoid",
        _MIT,
        "Yang, Cohen, Salakhutdinov: Revisiting Semi-Supervised Learning with Graph Embeddings, ICML 2016",
        ("Planetoid/{}/raw", "Planetoid/{}/geom-gcn/raw"),
    ),
    "actor": Family(_GEOM_GCN, _NOT_STATED, _PEI, ("Actor/raw",)),
    "webkb": Family(_GEOM_GCN, _NOT_STATED, _PEI, ("WebKB/{}/raw",)),
    "wikipedia": Family(
        _GEOM_GCN,
        _NOT_STATED,
        "Rozemberczki, Allen, Sarkar: Multi-scale Attributed Node Embedding, J. Complex Networks 2021",
        ("WikipediaNetwork/{}/geom_gcn/raw",),
        _LEAK,
    ),
    "filtered": Family(_PLATONOV, _MIT, _CRITICAL, ("heterophilous-graphs/data",), "no duplicated nodes"),
    "heterophilous": Family(_PLATONOV, _MIT, _CRITICAL, ("heterophilous-graphs/{}/raw",)),
    "linkx": _LINKX,
    "twitch": _LINKX,
    "matlab": _LINKX,
    "arxiv_year": _LINKX,
    "amazon": Family(*_SHCHUR, ("Amazon/{}/raw",)),
    "coauthor": Family(*_SHCHUR, ("Coauthor/{}/raw",)),
    "ogbn": Family(
        "https://ogb.stanford.edu/docs/nodeprop",
        "ODC-BY; ogbn-products: Amazon licence",
        "Hu et al.: Open Graph Benchmark: Datasets for Machine Learning on Graphs, NeurIPS 2020",
        ("ogb/ogbn_{}",),
    ),
}

# Undirected edges without loops, checked on loading. "~" marks a published figure that counts otherwise
# (arcs, loops) and is shown but not checked.
_TABLE = """
name                family         argument              nodes        edges  features classes
cora                planetoid      Cora                   2708         5278      1433       7
citeseer            planetoid      CiteSeer               3327         4552      3703       6
pubmed              planetoid      PubMed                19717        44324       500       3
actor               actor          film                   7600        26659       932       5
chameleon           wikipedia      chameleon              2277        31371      2325       5
squirrel            wikipedia      squirrel               5201       198353      2089       5
chameleon-filtered  filtered       chameleon_filtered      890         8854      2325       5
squirrel-filtered   filtered       squirrel_filtered      2223        46998      2089       5
texas               webkb          texas                   183         ~325      1703       5
wisconsin           webkb          wisconsin               251         ~515      1703       5
cornell             webkb          cornell                 183         ~298      1703       5
roman-empire        heterophilous  roman_empire          22662        32927       300      18
amazon-ratings      heterophilous  amazon_ratings        24492        93050       300       5
minesweeper         heterophilous  minesweeper           10000        39402         7       2
tolokers            heterophilous  tolokers              11758       519000        10       2
questions           heterophilous  questions             48921       153540       301       2
penn94              linkx          penn94                41554     ~1362229      4814       2
genius              linkx          genius               421961      ~984979        12       2
wiki                linkx          wiki                1925342   ~303434860       600       5
twitch-gamer        twitch         twitch-gamer         168114     ~6797557         7       2
pokec               matlab         pokec               1632803    ~30622564        65       2
snap-patents        matlab         snap_patents        2923922    ~13975788       269       5
arxiv-year          arxiv_year     arxiv-year           169343     ~1166243       128       5
ogbn-arxiv          ogbn           arxiv                169343     ~1166243       128      40
ogbn-products       ogbn           products            2449029    ~61859140       100      47
ogbn-papers100M     ogbn           papers100M        111059956  ~1615685872       128     172
amazon-photo        amazon         Photo                  7650       119081       745       8
amazon-computers    amazon         Computers             13752       245861       767      10
coauthor-cs         coauthor       CS                    18333        81894      6805      15
coauthor-physics    coauthor       Physics               34493       247962      8415       5
"""


@dataclass(frozen=True)
class Entry:
    """A name, its origin and its figures."""

    name: str
    reader: str
    argument: str
    nodes: int
    edges: int
    features: int
    classes: int
    counted: bool  # whether ``edges`` counts as we do, and is checked

    @property
    def family(self) -> Family:
        """Where it comes from."""
        return FAMILIES[self.reader]

    @property
    def folders(self) -> tuple[str, ...]:
        """Where a mirror keeps its raw files."""
        return tuple(folder.format(self.argument) for folder in self.family.folders)


def _entry(line: str) -> Entry:
    name, reader, argument, nodes, edges, features, classes = line.split()
    figures = int(nodes), int(edges.removeprefix("~")), int(features), int(classes)
    return Entry(name, reader, argument, *figures, not edges.startswith("~"))


CATALOG = {entry.name: entry for entry in map(_entry, _TABLE.strip().splitlines()[1:])}
ALIASES = {"film": "actor", "snap-patients": "snap-patents", "twitch-gamers": "twitch-gamer"}


@lru_cache
def checksums() -> dict[str, str]:
    """SHA-256 of the raw files that are known, by their path in a mirror."""
    lines = Path(__file__).with_name("SHA256SUMS").read_text().splitlines()
    return {path: digest for digest, path in (line.split(maxsplit=1) for line in lines)}
