"""Draw the figure of the_one_fact.md as SVG, with nothing but the standard library for the drawing.

python docs/draw_the_one_fact.py
"""

from pathlib import Path

import numpy as np
import torch

from unifilter import frequency, lanczos, propagation
from unifilter.bases import chebyshev, heterophily, monomial, unibasis
from unifilter.graph.synthetic import block_model
from unifilter.krylov import complete

K, H = 10, 0.22
WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 640, 340, 60, 20, 170, 50
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7"]


def spectra() -> dict[str, list[float]]:
    graph, X, _ = block_model(2000, H, degree=12, power=2.5, generator=np.random.default_rng(0))
    P = propagation(graph, dtype=torch.float64)
    krylov = lanczos(P, torch.from_numpy(X), K)
    T, norm = complete(P, krylov), krylov.norm
    L = heterophily(K, torch.tensor(H, dtype=torch.float64))
    bases = {
        "P^k x": monomial(T, norm * T.e1, K),
        "UniBasis, τ = 0.5": unibasis(T, norm, 0.5, H, scale="signal"),
        "heterophily u_k": L[:, :, None].expand(-1, -1, norm.shape[0]),
        "Chebyshev": chebyshev(T, norm * T.e1, K),
    }
    return {name: frequency(T, C).nanmean(dim=1).tolist() for name, C in bases.items()}


def main() -> None:
    def x(k: float) -> float:
        return LEFT + k * (WIDTH - LEFT - RIGHT) / K

    def y(f: float) -> float:
        return TOP + (1 - f / 0.6) * (HEIGHT - TOP - BOTTOM)

    grey = 'stroke="#999" stroke-width="1"'
    parts = [
        f'<line x1="{LEFT}" y1="{y(f)}" x2="{x(K)}" y2="{y(f)}" stroke="#ddd"/>' for f in (0.2, 0.4, 0.6)
    ]
    parts += [f'<path d="M{LEFT},{TOP} V{y(0)} H{x(K)}" fill="none" {grey}/>']
    parts += [f'<text x="{LEFT - 8}" y="{y(f) + 4}" text-anchor="end">{f}</text>' for f in (0, 0.2, 0.4, 0.6)]
    parts += [f'<text x="{x(k)}" y="{y(0) + 18}" text-anchor="middle">{k}</text>' for k in range(0, K + 1, 2)]
    parts += [
        f'<text x="{(LEFT + x(K)) / 2}" y="{HEIGHT - 8}" text-anchor="middle">basis vector k</text>',
        f'<text transform="translate(16,{(TOP + y(0)) / 2}) rotate(-90)" text-anchor="middle">'
        "frequency f</text>",
    ]
    for i, (name, values) in enumerate(spectra().items()):
        points = " ".join(f"{x(k):.1f},{y(f):.1f}" for k, f in enumerate(values))
        parts += [f'<polyline points="{points}" fill="none" stroke="{COLOURS[i]}" stroke-width="2"/>']
        parts += [
            f'<circle cx="{p.split(",")[0]}" cy="{p.split(",")[1]}" r="3" fill="{COLOURS[i]}"/>'
            for p in points.split()
        ]
        parts += [f'<text x="{x(K) + 14}" y="{TOP + 16 + 20 * i}" fill="{COLOURS[i]}">{name}</text>']
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
        f'font-size="13" fill="#333"><rect width="100%" height="100%" fill="white"/>{"".join(parts)}</svg>\n'
    )
    Path(__file__).with_name("the_one_fact.svg").write_text(svg)


if __name__ == "__main__":
    main()
