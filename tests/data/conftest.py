"""Two CSV files from text."""

import pytest


@pytest.fixture
def files(tmp_path):
    """Writes two CSV files from text and returns their paths."""

    def write_text(edges: str | bytes, nodes: str | bytes = "id,x,label\n0,1,a\n1,2,b\n2,3,a\n"):
        paths = tmp_path / "edges.csv", tmp_path / "nodes.csv"
        for path, text in zip(paths, (edges, nodes), strict=True):
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return paths

    return write_text
