"""Files to Dataset: named graphs, your own tables, splits."""
