"""CSR arrays times a dense block: the only code that knows how a product with P is computed.

``reference`` is slow and obvious, ``cpu`` and ``gpu`` are fast and tested against it, ``spmm`` picks one.
Raw arrays only: nothing here knows what a graph is.
"""
