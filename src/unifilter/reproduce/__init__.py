"""The paper's tables and figures, and some beyond it, run from the raw graphs.

A part is a module of this room with a constant ``PART``; :mod:`unifilter.reproduce.catalog` lists them.
"""
