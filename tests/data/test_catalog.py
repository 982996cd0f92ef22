from unifilter.data import catalog, readers


def test_every_entry_says_where_it_comes_from_and_has_a_reader():
    assert len(catalog.CATALOG) == 30
    for entry in catalog.CATALOG.values():
        assert entry.family.source.startswith("https://")
        assert entry.family.licence
        assert entry.family.citation
        assert callable(getattr(readers, entry.reader))
        assert min(entry.nodes, entry.edges, entry.features, entry.classes) > 0


def test_aliases_lead_to_entries():
    assert set(catalog.ALIASES.values()) <= set(catalog.CATALOG)
    assert not set(catalog.ALIASES) & set(catalog.CATALOG)


def test_checksums_belong_to_folders_of_entries():
    folders = tuple(f for e in catalog.CATALOG.values() for f in e.folders)
    for path, digest in catalog.checksums().items():
        assert len(digest) == 64
        if path != "README.md":
            assert path.startswith(folders), path
