import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.preprocessing import StandardScaler, normalize

from unifilter.data.preprocess import NAMES, preprocess


@pytest.fixture
def X(generator):
    X = generator.random((30, 6)).astype(np.float32) * (generator.random((30, 6)) < 0.5)
    X[4] = 0
    X[:, 2] = 0
    return X


@pytest.mark.parametrize("how", NAMES)
def test_sparse_and_dense_agree(how, X):
    sparse = preprocess(csr_array(X), how)
    assert (how == "standard") == isinstance(sparse, np.ndarray)
    np.testing.assert_allclose(
        sparse if how == "standard" else sparse.toarray(), preprocess(X, how), atol=1e-6
    )


def test_row_divides_by_the_sum_and_keeps_zero_rows(X):
    np.testing.assert_allclose(preprocess(X, "row"), normalize(X, "l1"), rtol=1e-6)
    assert not preprocess(X, "row")[4].any()


def test_standard_agrees_with_scikit_learn(X):
    np.testing.assert_allclose(preprocess(X, "standard"), StandardScaler().fit_transform(X), atol=1e-5)
    assert not preprocess(X, "standard")[:, 2].any()


def test_a_constant_column_far_from_zero_becomes_zero():
    X = np.full((10, 1), 1e6, np.float32)
    assert not preprocess(X, "standard").any()


def test_log1p_needs_its_range(X):
    np.testing.assert_allclose(preprocess(X, "log1p"), np.log1p(X))
    with pytest.raises(ValueError, match="above -1, but the smallest is -2"):
        preprocess(X - 2, "log1p")


def test_an_unknown_name_is_refused(X):
    with pytest.raises(ValueError, match="one of none, row, standard, log1p, but is 'l2'"):
        preprocess(X, "l2")
