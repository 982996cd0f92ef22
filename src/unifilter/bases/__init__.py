"""The small side: bases as coefficients, K+1 rows instead of n.

A polynomial basis is written once, as ``basis(A, x, K)``, for anything with ``@``. With T and ||x|| e1 it
gives coefficients in V; with P and x the vectors themselves, for models that filter learned features; with
a diagonal of frequencies its response g(lambda). No basis can propagate by accident: nothing here knows P.
"""

from unifilter.bases.heterophily import heterophily
from unifilter.bases.orthonormal import orthonormal
from unifilter.bases.polynomial import bernstein, chebyshev, jacobi, legendre, monomial
from unifilter.bases.released import released
from unifilter.bases.response import Diagonal, response
from unifilter.bases.unibasis import unibasis

__all__ = [
    "Diagonal",
    "bernstein",
    "chebyshev",
    "heterophily",
    "jacobi",
    "legendre",
    "monomial",
    "orthonormal",
    "released",
    "response",
    "unibasis",
]
