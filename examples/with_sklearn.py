"""UniFilter where scikit-learn is at home: without a graph, in a search, and with some labels missing."""

import numpy as np
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler

from unifilter import GraphClassifier, Training, UniFilterClassifier, load

data = load("digits")
some = np.arange(0, data.n, 4)
X, y = data.X[some], data.y[some]

# Without a graph, every row is joined to its nearest neighbours: an estimator like any other.
model = make_pipeline(MaxAbsScaler(), UniFilterClassifier(budget="2s", K=4, neighbors=8))
print(f"two folds, no graph: {cross_val_score(model, X, y, cv=2).mean():.1%}")

training = Training(epochs=100)
search = GridSearchCV(GraphClassifier("sgc", training=training), {"options": [{"K": 1}, {"K": 3}]}, cv=2)
print(f"SGC likes {search.fit(X, y).best_params_['options']} of two settings")

# With a graph: all rows at once, -1 where the label is not known.
hidden = np.random.default_rng(0).random(data.n) < 0.95
model = UniFilterClassifier(budget="4s").fit(data.X, np.where(hidden, -1, data.y), graph=data.graph)
right = (model.transduction_[hidden] == data.y[hidden]).mean()
print(f"{(~hidden).sum()} labels known, of the {hidden.sum()} others {right:.1%} found")
