"""Look at two graphs before training on them: one whose neighbours agree, one whose neighbours differ."""

from rich.console import Console
from rich.table import Table

from unifilter.analysis import analyze
from unifilter.data import load

console = Console(width=110)
for name in ("digits", "sbm:h=0.05,n=2000"):
    found = analyze(load(name))
    table = Table(title=f"{found.name}: {found.n:,} nodes, {found.m:,} edges", title_justify="left")
    for measure in found.homophily:
        table.add_column(measure, justify="right")
    table.add_row(*(f"{estimate.value:.3f}" for estimate in found.homophily.values()))
    console.print(table)

    # The eigenvalues of L = I - P from 0 to 2, from random probes and one factorisation.
    lam, density = found.density.smooth(points=9)
    for where, value in zip(lam, density, strict=True):
        console.print(f"  lambda = {where:.2f}  {'#' * round(20 * value)}", highlight=False)
    console.print(f"\n{found.regime}\n", markup=False, highlight=False)
