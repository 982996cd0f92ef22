"""The large side: V and T, the factorisation that every polynomial of P is read from."""

from unifilter.krylov.frequency import complete, frequency, signal_frequency
from unifilter.krylov.lanczos import Krylov, lanczos
from unifilter.krylov.mix import mix, mix_dropped
from unifilter.krylov.tridiagonal import Tridiagonal

__all__ = [
    "Krylov",
    "Tridiagonal",
    "complete",
    "frequency",
    "lanczos",
    "mix",
    "mix_dropped",
    "signal_frequency",
]
