"""Figures of a model show the numbers that they were given."""

import numpy as np
import pytest

from unifilter.analysis import Density
from unifilter.viz import outcome

HISTORY = [
    {"epoch": e, "train_loss": 3.0 - e, "val_loss": 3.5 - e, "val_accuracy": e / 4, "tau": 0.5}
    for e in range(3)
]
DENSITY = Density(np.array([[0.5, 1.5]]), np.array([[0.5, 0.5]]))


def traces(fig):
    return {trace.name: trace for trace in fig.data}


def test_learning_curves_show_every_epoch_and_mark_the_one_that_was_kept():
    fig = outcome.learning_curves(HISTORY, best_epoch=1)
    drawn = traces(fig)
    assert list(drawn["training loss"].y) == [3, 2, 1]
    assert list(drawn["validation accuracy"].y) == [0, 0.25, 0.5]
    assert drawn["validation accuracy"].yaxis == "y2"
    assert fig.layout.shapes[0].x0 == fig.layout.shapes[0].x1 == 1


def test_a_model_that_is_solved_and_not_trained_has_a_point_and_no_training_loss():
    fig = outcome.learning_curves([{"epoch": 0, "val_loss": 0.5, "val_accuracy": 0.8}], 0)
    assert "training loss" not in traces(fig)
    assert traces(fig)["validation loss"].mode == "lines+markers"


@pytest.mark.parametrize(
    ("accuracies", "wanted"),
    [
        ([1.0, 1.0], [0.95, 1.001]),
        ([0.985], [0.935, 1.0013]),
        ([0.0], [-0.001, 0.05]),
        ([0.3, 0.4], [0.25, 0.45]),
        ([float("nan")], [-0.02, 1.02]),
    ],
)
def test_the_axis_of_accuracies_shows_what_an_accuracy_can_be(accuracies, wanted):
    history = [{"epoch": e, "val_loss": 1.0, "val_accuracy": a} for e, a in enumerate(accuracies)]
    np.testing.assert_allclose(outcome.learning_curves(history, 0).layout.yaxis2.range, wanted)


def test_only_what_was_learned_is_watched():
    assert list(traces(outcome.learned_shares(HISTORY))) == ["τ"]


def test_negative_weights_have_another_colour():
    (bar,) = outcome.weights(np.array([0.5, -0.25])).data
    assert list(bar.y) == [0.5, -0.25]
    assert bar.marker.color[0] != bar.marker.color[1]


def test_the_response_lies_over_the_density_with_its_band():
    lam = np.linspace(0, 2, 5)
    fig = outcome.frequency_response(lam, 1 - lam, DENSITY, -lam, 2 - lam)
    density, band, line = fig.data
    assert (density.yaxis, line.yaxis) == (None, "y2")
    assert fig.layout.yaxis2.overlaying == "y"
    np.testing.assert_allclose(line.y, 1 - lam)
    assert len(band.x) == 10
    assert len(outcome.frequency_response(lam, 1 - lam, DENSITY).data) == 2


def test_the_response_is_scaled_to_the_frequencies_that_the_graph_has():
    """A polynomial that explodes where there is no eigenvalue does not hide what it does where there are."""
    lam = np.linspace(0, 2, 201)
    density = Density(np.linspace(0.5, 1.2, 50)[None], np.full((1, 50), 0.02))
    where, height = density.smooth()
    empty = np.interp(lam, where, height) <= 0.01 * height.max()
    assert empty.any()
    g = np.where(empty & (lam > 0.02), 1e6, 1 - lam)
    least, most = outcome.frequency_response(lam, g, density).layout.yaxis2.range
    assert most < 2
    assert least < min(0, g[~empty].min())


def test_the_spectrum_places_every_weight_at_its_frequency_inside_the_figure():
    f, w = np.array([0.45, 0.2, 0.3]), np.array([0.1, -0.3, 0.2])
    fig = outcome.basis_spectrum(f, w)
    dots = fig.data[1]
    assert (list(dots.x), list(dots.y), list(dots.text)) == (f.tolist(), w.tolist(), ["0", "1", "2"])
    low, high = fig.layout.xaxis.range
    assert low < 0.2
    assert high > 0.45


def test_confusion_is_coloured_by_the_share_of_the_row():
    (heat,) = outcome.confusion(np.array([[3, 1], [0, 0]]), ["a", "b"]).data
    np.testing.assert_allclose(heat.z, [[0.75, 0.25], [0, 0]])
    assert np.array_equal(heat.text, [[3, 1], [0, 0]])


def test_many_classes_leave_the_numbers_out():
    assert outcome.confusion(np.eye(40, dtype=int), [str(c) for c in range(40)]).data[0].texttemplate == ""


def test_scores_stand_at_their_class():
    scores = {"precision": [1.0, 0.5], "recall": [0.2, 0.3], "F1": [0.1, 0.9]}
    drawn = traces(outcome.class_scores(scores, ["a", "b"]))
    assert {name: list(trace.x) for name, trace in drawn.items()} == scores


def test_what_is_no_number_has_no_marker():
    scores = {"precision": [float("nan"), 0.5], "recall": [0.2, 0.3], "F1": [0.1, 0.9]}
    assert '"x":[null,0.5]' in outcome.class_scores(scores, ["a", "b"]).to_json()


def test_calibration_dots_have_areas_as_their_numbers_of_nodes():
    perfect, bins = outcome.calibration(np.array([0.3, 0.9]), np.array([0.2, 0.95]), np.array([25, 100])).data
    assert list(perfect.x) == list(perfect.y)
    small, large = np.asarray(bins.marker.size) - 6
    assert large / small == pytest.approx(2)
