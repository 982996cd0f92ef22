"""The rows of the two tables: who is trained, with whose settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from unifilter.models import model_class
from unifilter.reproduce.part import SIX, Auto, Job, Published, Scale, Searched
from unifilter.reproduce.printed import printed
from unifilter.reproduce.protocols import parse
from unifilter.reproduce.settings import known_settings, own_setting, own_settings, published, released
from unifilter.train.entries import Entry

PRINTED, SEARCHED, EXTENDED = "published", "searched", "extended, searched"
STARTS = "extended, five starts"
LONG = "the setting that long searches found here"
MANY = 500  # settings of the finer grid, beside the search that every model has
SEARCHED_MORE = f"{MANY} searched"
FORMS = (
    "Published: the authors' settings for the graph, or a guess where they publish no choice. Searched: "
    "the best of {settings} settings by mean validation accuracy{where}, the same number for every model: "
    "what its authors published for these graphs, then draws from its ranges. UniFilter's are around the "
    "paper's: tau and h learned, u_k as long as the signal, 2 hops or 10, decays up to 0.02, torch's own "
    "initialisation or the paper's, batch normalisation or none, no dropout on the basis, on a coarse grid "
    "that validation nodes of these graphs thinned out; what was published has the paper's tau and 10 hops. "
    "{more}: so many from a finer grid without batch normalisation, which no other model was given. "
    "Extended: UniFilter that may have what the paper's lacks (a bias, inputs that dropout spares, rows of "
    "length 1, weights for every column, the features beside the filtered ones); of {settings} settings, "
    "some were found by hundreds of others on these graphs, which no other model was given either. Five "
    "starts: the one of these settings that was found on such splits of the graph, trained from five random "
    "starts that vote, as no other model's do. Auto: no tuning; five settings of a portfolio vote, which "
    "validation nodes of these graphs chose, and that five vote was decided with test accuracies in sight."
).replace("{more}", SEARCHED_MORE)
RELEASED, EXACT, AUTO = "released basis", "exact basis", "auto"
ORDER = (PRINTED, RELEASED, EXACT, SEARCHED, SEARCHED_MORE, EXTENDED, STARTS, AUTO)


def models(table: str) -> list[str]:
    """Registered names of the printed rows, UniFilter last.

    Examples
    --------
    >>> models("table3")[0], models("table2")[-1]
    ('gcn', 'unifilter')
    """
    return list(printed()[table])


def row(model: str, form: str) -> str:
    """What a reader sees.

    Examples
    --------
    >>> row("gprgnn", SEARCHED)
    'GPR-GNN, searched'
    """
    return f"{model_class(model).card.title}, {form}"


def in_order(some: Sequence[str]) -> list[str]:
    """Rows by model as they come, a model's by form, whichever graph had a form first.

    Examples
    --------
    >>> in_order(["SGC, searched", "UniFilter, auto", "SGC, published"])
    ['SGC, published', 'SGC, searched', 'UniFilter, auto']
    """
    titles = list(dict.fromkeys(r.partition(", ")[0] for r in some))

    def place(r: str) -> tuple[int, int]:
        title, _, form = r.partition(", ")
        return titles.index(title), ORDER.index(form) if form in ORDER else len(ORDER)

    return sorted(some, key=place)


def jobs(model: str, graph: str, protocol: str, scale: Scale) -> list[Job]:
    """A model on one graph: published settings where there are some, and searched ones.

    Examples
    --------
    >>> [job.row for job in jobs("unifilter", "cora", "quota:10", Scale())][2:5]
    ['UniFilter, searched', 'UniFilter, 500 searched', 'UniFilter, extended, searched']
    """
    searched = search_of(model, scale)
    if model == "unifilter":
        found = []
        for form, basis in ((RELEASED, "released"), (EXACT, "unibasis")):
            entry = released(graph, basis) or (
                Entry(model, options={"basis": basis}) if scale.quick else None
            )
            found += [Job(row(model, form), graph, protocol, Published(entry))] if entry else []
        found.append(Job(row(model, SEARCHED), graph, protocol, searched))
        if not scale.quick and graph in SIX and parse(protocol)[0] == "quota":
            found.append(Job(row(model, SEARCHED_MORE), graph, protocol, Searched(model, MANY, whole=True)))
        if not scale.quick:
            found.append(Job(row(model, EXTENDED), graph, protocol, extended(scale)))
            if own := own_setting(graph, protocol, scale.configs):
                starts = Auto(portfolio=(own,), whose=LONG)
                found.append(Job(row(model, STARTS), graph, protocol, starts))
        found.append(Job(row(model, AUTO), graph, protocol, Auto("2s" if scale.quick else None)))
        return found
    entry = published(model, graph, protocol, scale.configs) or (Entry(model) if scale.quick else None)
    found = [Job(row(model, PRINTED), graph, protocol, Published(entry))] if entry else []
    # A search a model would be too long for a quick run; UniFilter's shows that it works.
    return found if scale.quick else [*found, Job(row(model, SEARCHED), graph, protocol, searched)]


def search_of(model: str, scale: Scale) -> Searched:
    """The search of a model: what was published of it, and settings of its space."""
    first = () if scale.quick else known_settings(model, scale.configs)
    return Searched(model, scale.settings, first=first[: scale.settings])


def extended(scale: Scale) -> Searched:
    """UniFilter's search that begins with what long searches found here, too."""
    searched = search_of("unifilter", scale)
    first = searched.first + own_settings(scale.configs)
    return replace(searched, first=first[: scale.settings])


def table(name: str, kind: str, graphs: Sequence[str], scale: Scale) -> list[Job]:
    """All rows of a table on some graphs and one kind of split."""
    return [
        job
        for model in models(name)
        for graph in graphs
        for job in jobs(model, graph, f"{kind}:{scale.splits}", scale)
    ]
