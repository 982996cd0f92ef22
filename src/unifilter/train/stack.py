"""The forward pass of many UniFilters of one shape, their parameters stacked along a first dimension."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch.nn.functional import pad

from unifilter.bases import heterophily, released
from unifilter.kernels import spmm as kernels
from unifilter.krylov.dropout import dropout
from unifilter.models._basis import Basis
from unifilter.models.unifilter import UniFilter, unit_rows

if TYPE_CHECKING:
    from unifilter.train.population import Member
    from unifilter.train.rows import Rows


class Stack:
    """What all members share, and what each has of its own that no step changes."""

    def __init__(self, inputs: Basis, members: Sequence[Member], d: int, classes: int, splits: int) -> None:
        self.inputs, self.members, self.d, self.classes = inputs, members, d, classes
        self.config = members[0].config
        device = inputs.norm.device
        self.dropout = torch.tensor([m.config.dropout for m in members], device=device)
        self.first = torch.tensor([m.config.dropout * m.config.drop_inputs for m in members], device=device)
        self.drops = [bool((rates > 0).any()) for rates in (self.first, self.dropout)]
        self.split = torch.tensor([m.split for m in members], device=device)
        self.size = inputs.norm if self.config.scale == "signal" else torch.ones_like(inputs.norm)
        self.splits = splits
        self._asked, self._start, self._rates = torch.empty(0), [0], [0.0]
        # Read from memory by every mask that is drawn, so that a recorded epoch draws others when replayed.
        drawn = torch.Generator().manual_seed(members[0].training.seed)
        count = self.config.layers + len(members)
        self.seeds = torch.randint(2**32, (count,), generator=drawn).to(device)
        self.rates: dict[str, list[Tensor]] = {}
        self.fixed: dict[str, Tensor] = {}
        self.released: Tensor | None = None

    def start(self) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
        """Parameters and running statistics, drawn for every member as it would draw them alone."""
        device = self.inputs.norm.device
        # Members that differ only in how they are trained begin alike: drawn once, copied where needed.
        keys = [self._origin(member) for member in self.members]
        origins = dict(zip(keys, self.members, strict=True))
        place = {key: i for i, key in enumerate(origins)}
        which = torch.tensor([place[key] for key in keys], device=device)
        parameters: dict[str, list[Tensor]] = {}
        running: dict[str, list[Tensor]] = {}
        fixed: dict[str, list[Tensor]] = {"tau": [], "h": []}
        for member in origins.values():
            with torch.random.fork_rng(devices=[]):
                torch.manual_seed(member.training.seed)
                net = UniFilter(member.config, self.d, self.classes, member.h)
            for name, value in net.named_parameters():
                parameters.setdefault(name, []).append(self.padded(name, value.detach()))
            for name, buffer in net.named_buffers():
                if "running" in name:
                    running.setdefault(name, []).append(buffer)
            fixed["tau"].append(net.tau.detach())
            fixed["h"].append(net.h.detach())
        group = {id(p): g for g, ps in net.groups().items() for p in ps}
        for name, value in net.named_parameters():
            settings = [m.training.group(group[id(value)]) for m in self.members]
            self.rates[name] = [
                torch.tensor([s[key] for s in settings], device=device) for key in ("lr", "weight_decay")
            ]
        self.fixed = _stacked(fixed, which)
        if self.config.basis == "released" and not {"_tau.logit", "_h.logit"} & set(parameters):
            pairs = list(zip(*(self.fixed[n].tolist() for n in ("tau", "h")), strict=True))
            T, norm = self.inputs.T, self.inputs.norm
            known = {(tau, h): released(T, norm, tau, h, self.config.K) for tau, h in set(pairs)}
            self.released = torch.stack([known[p] for p in pairs])
        return _stacked(parameters, which), _stacked(running, which)

    @staticmethod
    def _origin(member: Member) -> tuple[Any, ...]:
        """All that a member's first parameters depend on, shape aside."""
        c = member.config
        return member.training.seed, c.paper_init, c.start, c.tau, c.h, member.h

    def padded(self, name: str, value: Tensor) -> Tensor:
        """A parameter with a column a feature, as wide as the padded features; others as they are.

        With the features beside the filtered ones, there are two such blocks.
        """
        more = self.inputs.norm.shape[0] - self.d
        if not more or not self._has_features(name):
            return value
        return pad(value.reshape(*value.shape[:-1], -1, self.d), (0, more)).flatten(-2)

    def unpadded(self, name: str, value: Tensor) -> Tensor:
        """The parameter as the lone model has it."""
        if not self._has_features(name):
            return value
        return self.trimmed(value)

    def trimmed(self, value: Tensor) -> Tensor:
        """The columns of features, without those that pad them; of a signal, and of features beside it."""
        return value.reshape(*value.shape[:-1], -1, self.inputs.norm.shape[0])[..., : self.d].flatten(-2)

    def _has_features(self, name: str) -> bool:
        return name == "mlp.layers.0.weight" or (name == "w" and self.config.per_column)

    def shares(self, p: dict[str, Tensor], who: Tensor) -> tuple[Tensor, Tensor]:
        """Tau and h of every member, learned or given."""
        tau = torch.sigmoid(p["_tau.logit"]) if "_tau.logit" in p else self.fixed["tau"][who]
        h = torch.sigmoid(p["_h.logit"]) if "_h.logit" in p else self.fixed["h"][who]
        return tau, h

    def coefficients(self, p: dict[str, Tensor], who: Tensor) -> Tensor:
        """Coefficients in V of every member's filter, (M, K+1, d)."""
        K, w = self.config.K, p["w"]
        if self.config.basis == "orthonormal":
            return w * self.size
        if self.config.basis == "released":
            if self.config.per_column:
                return torch.einsum("mkd,mkjd->mjd", w, self._released(p, who))
            return torch.einsum("mk,mkjd->mjd", w[:, :, 0], self._released(p, who))
        tau, h = self.shares(p, who)
        L, powers = heterophily(K, h), self.inputs.powers[: K + 1, : K + 1]
        if self.config.per_column:
            smooth, angled = torch.einsum("mkd,kjd->mjd", w, powers), torch.einsum("mkd,kjm->mjd", w, L)
        else:
            smooth = (w[:, :, 0] @ powers.flatten(1)).reshape(w.shape[0], *powers.shape[1:])
            angled = torch.einsum("mk,kjm->mj", w[:, :, 0], L)[:, :, None]
        tau = tau[:, None, None]
        return tau * smooth + (1 - tau) * angled * self.size

    def _released(self, p: dict[str, Tensor], who: Tensor) -> Tensor:
        """What the released code computes, (M, K+1, K+1, d): once where tau and h are given."""
        if self.released is not None:
            return self.released[who]
        T, norm, K = self.inputs.T, self.inputs.norm, self.config.K
        return torch.stack([released(T, norm, *share, K) for share in zip(*self.shares(p, who), strict=True)])

    def bases(self, p: dict[str, Tensor], who: Tensor) -> Tensor:
        """The same before the sum over the basis: (M, K+1, K+1, d), weights included."""
        K, w = self.config.K, p["w"][:, :, None, :]
        if self.config.basis == "orthonormal":
            return w * torch.eye(K + 1, device=w.device)[:, :, None] * self.size
        if self.config.basis == "released":
            return w * self._released(p, who)
        tau, h = self.shares(p, who)
        angled = heterophily(K, h).permute(2, 0, 1)[..., None] * self.size
        tau = tau[:, None, None, None]
        return w * (tau * self.inputs.powers[: K + 1, : K + 1] + (1 - tau) * angled)

    def logits(
        self, p: dict[str, Tensor], running: dict[str, Tensor], rows: Rows, who: Tensor, training: bool
    ) -> Tensor:
        """(M, n, classes); in training, batch statistics are added to the running ones."""
        split, places = self.split[who], self._places(who)
        if training and self.config.basis_dropout:
            x = rows.mixed_dropped(
                self.bases(p, who), places, self._basis_rates(who), self.seeds[-len(who) :]
            )
        else:
            x = MixSplits.apply(self.coefficients(p, who), rows.V, places, rows.longest)  # type: ignore[no-untyped-call]
        if self.config.row_norm:
            x = unit_rows(x)
        if self.config.ego:
            x = torch.cat([x, rows.signal()[split].to(x.dtype)], dim=2)
        width = 2 * self.d if self.config.ego else self.d
        last = self.config.layers - 1
        for i in range(self.config.layers):
            if training:
                x = self._dropped(x, who, i)
            y = torch.bmm(x, p[f"mlp.layers.{i}.weight"].transpose(1, 2).to(x.dtype))
            if self.config.bias:
                y = y + p[f"mlp.layers.{i}.bias"][:, None]
            if self.config.batch_norm and i < last:
                y = self._normalised(y, p, running, f"mlp.norms.{i}", rows, split, training)
            if self.config.residual and (x.shape[2] if i else width) == y.shape[2]:
                y = y + (x if i else self.trimmed(x))
            x = torch.relu(y) if i < last else y
        return x

    def _places(self, who: Tensor) -> list[int]:
        """Where each split's members begin among ``who``, which is sorted by split."""
        if who is not self._asked:  # the same until somebody leaves
            counts = torch.bincount(self.split[who], minlength=self.splits).cpu()
            self._asked, self._start = who, [0, *counts.cumsum(0).tolist()]
            self._rates = [self.members[i].config.basis_dropout for i in who.tolist()]
        return self._start

    def _basis_rates(self, who: Tensor) -> list[float]:
        self._places(who)
        return self._rates

    def _dropped(self, x: Tensor, who: Tensor, layer: int) -> Tensor:
        rates = self.dropout if layer else self.first
        return dropout(x, rates[who], self.seeds[layer]) if self.drops[layer > 0] else x

    def _normalised(
        self,
        y: Tensor,
        p: dict[str, Tensor],
        running: dict[str, Tensor],
        name: str,
        rows: Rows,
        split: Tensor,
        training: bool,
    ) -> Tensor:
        """Batch norm over the valid rows of every member."""
        means, variances = running[f"{name}.running_mean"], running[f"{name}.running_var"]
        mean, variance = means, variances
        if training:
            valid, count = rows.valid[split][:, :, None], rows.count[split][:, None]
            mean = (y * valid).sum(dim=1) / count
            variance = ((y - mean[:, None]) ** 2 * valid).sum(dim=1) / count
            with torch.no_grad():
                means.lerp_(mean, 0.1)
                variances.lerp_(variance * count / (count - 1).clamp_min(1), 0.1)
        y = (y - mean[:, None]) * torch.rsqrt(variance + 1e-5)[:, None]
        return y * p[f"{name}.weight"][:, None] + p[f"{name}.bias"][:, None]


def _stacked(values: dict[str, list[Tensor]], which: Tensor) -> dict[str, Tensor]:
    return {name: torch.stack(value).to(which.device)[which] for name, value in values.items()}


class MixSplits(torch.autograd.Function):
    """Z (M, n, d) of all members, split by split: members [start[s], start[s+1]) mix the rows of split s."""

    @staticmethod
    def forward(ctx: Any, c: Tensor, Vs: list[Tensor], start: list[int], longest: int) -> Tensor:  # noqa: D102
        ctx.Vs, ctx.start, ctx.kind = Vs, start, c.dtype
        Z = Vs[0].new_zeros(c.shape[0], longest, c.shape[2])
        for s, V in enumerate(Vs):
            if start[s] < start[s + 1]:
                some = slice(start[s], start[s + 1])
                kernels.mix(V, c[some], out=Z[some, : V.shape[1]])
        return Z

    @staticmethod
    def backward(ctx: Any, G: Tensor) -> tuple[Tensor, None, None, None]:  # noqa: D102
        start = ctx.start
        parts = [
            kernels.correlate(G[start[s] : start[s + 1], : V.shape[1]], V).to(ctx.kind)
            for s, V in enumerate(ctx.Vs)
            if start[s] < start[s + 1]
        ]
        return torch.cat(parts), None, None, None
