import json

from unifilter.data.ingestion import Ingestion


def test_it_survives_json():
    summary = Ingestion(
        10, 4, unknown=2, first_unknown="data row 3: 1 -> 9", columns={"a": "number"}, features=1
    )
    assert Ingestion.from_json(json.loads(json.dumps(summary.to_json()))) == summary


def test_nothing_is_said_of_what_did_not_happen():
    assert str(Ingestion(1_000_000, 4)) == "nodes: 4 rows\nedges: 1,000,000 rows"


def test_columns_with_one_treatment_share_a_line():
    columns = {f"x{i}": "number" for i in range(500)} | {"town": "one-hot (3 categories)"}
    assert str(Ingestion(1, 4, columns=columns, features=503)).splitlines()[2:] == [
        "columns: 501, from which 503 features",
        "  x0, x1, x2, x3, x4 and 495 more: number",
        "  town: one-hot (3 categories)",
    ]


def test_recipes_and_names_of_columns_survive_json_and_are_not_printed():
    recipe = {"column": "x", "kind": "list", "width": 2, "fill": [0.1, 1 / 3], "missing": True}
    summary = Ingestion(1, 4, recipes=[recipe], arguments={"source": "src", "target": "dst"})
    assert Ingestion.from_json(json.loads(json.dumps(summary.to_json()))) == summary
    assert str(summary) == str(Ingestion(1, 4))


def test_columns_of_edges_are_named_unless_they_are_the_usual_ones():
    named = Ingestion(5, 4, self_loops=1, arguments={"source": "From", "target": "To"})
    assert str(named).splitlines()[1] == "edges: 5 rows from 'From' to 'To', 1 self-loops dropped"


def test_nodes_without_an_edge_and_columns_that_nobody_asked_for_are_said():
    said = str(Ingestion(5, 4, alone=2, unused=["Amount", "Date"])).splitlines()
    assert said == ["nodes: 4 rows, 2 without an edge", "edges: 5 rows, Amount, Date not used"]


def test_labels_of_minus_one_are_said():
    said = str(Ingestion(1, 9, unlabelled=5, minus_ones=2))
    assert said.startswith("nodes: 9 rows, 5 unlabelled (2 of them by a label of -1)")


def test_what_an_older_version_saved_is_read():
    values = {k: v for k, v in Ingestion(1, 4).to_json().items() if k not in ("recipes", "arguments")}
    assert Ingestion.from_json(values) == Ingestion(1, 4)


def test_of_several_tables_of_edges_each_is_counted():
    said = str(Ingestion(5, 4, edge_files=["a.csv 3", "b.csv 2"]))
    assert "edges: 5 rows (a.csv 3, b.csv 2)" in said
    assert "a.csv" not in str(Ingestion(5, 4, edge_files=["a.csv 5"]))


def test_a_tenth_of_the_edges_may_go_without_a_doubt():
    assert Ingestion(10, 4, unknown=1).doubts == []
    (said,) = Ingestion(10, 4, unknown=2, first_unknown="data row 3: 1 -> 9", cause="blanks").doubts
    assert said == (
        "20% of the edges were dropped for an end that is no node (first: data row 3: 1 -> 9). Most of these "
        "ends are nodes but for blanks: write ids alike in both tables."
    )
