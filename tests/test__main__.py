"""`python -m unifilter` is `unifilter`."""

from __future__ import annotations

import subprocess
import sys


def test_python_m_is_the_command():
    done = subprocess.run(
        [sys.executable, "-m", "unifilter", "models", "--help"], capture_output=True, text=True
    )
    assert done.returncode == 0
    assert "unifilter models [OPTIONS]" in done.stdout
