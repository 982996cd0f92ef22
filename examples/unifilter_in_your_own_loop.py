"""UniFilter as a plain nn.Module in a plain PyTorch loop; and UniConv as a layer on learned features."""

import torch
from torch import nn
from torch.nn.functional import cross_entropy, dropout, relu

from unifilter import UniConv, UniFilter, edge_homophily, load, propagation, splits
from unifilter.models.unifilter import Config

torch.manual_seed(0)
data = load("sbm:n=2000,h=0.05,classes=3,degree=20")
split = splits.stratified(data.y)
y, X = torch.from_numpy(data.y.copy()), data.features()
train, test = torch.from_numpy(split.train), torch.from_numpy(split.test)


def fit(model: nn.Module, forward, epochs: int) -> float:
    """Adam on the training nodes; the share of test nodes that are right."""
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
    for _ in range(epochs):
        model.train()
        optimizer.zero_grad()
        cross_entropy(forward()[train], y[train]).backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        return float((forward().argmax(dim=1) == y)[test].float().mean())


# UniFilter filters the features, which do not change: propagate once, then every step is small and dense.
config = Config(K=6, hidden=64, tau="learn", h="learn")
inputs = UniFilter.prepare(data.graph, X, config)
model = UniFilter(config, data.d, 3, h=edge_homophily(data.graph, data.y, split.train))
accuracy = fit(model, lambda: model(inputs), epochs=150)
print(f"UniFilter                 {accuracy:.1%}  tau {model.learned()['tau']:.2f}")


class Net(nn.Module):
    """As in PyTorch Geometric: layers with a convolution between; here its basis follows what H becomes."""

    def __init__(self, d: int, hidden: int, classes: int) -> None:
        super().__init__()
        self.first, self.conv, self.last = nn.Linear(d, hidden), UniConv(K=4), nn.Linear(hidden, classes)

    def forward(self, x: torch.Tensor, P) -> torch.Tensor:
        """Logits."""
        H = dropout(relu(self.first(x)), 0.5, self.training)
        return self.last(self.conv(H, P))  # an edge_index of shape (2, m) does as well as P


net, P = Net(data.d, 32, 3), propagation(data.graph)
print(f"linear, UniConv, linear   {fit(net, lambda: net(X, P), epochs=100):.1%}")
