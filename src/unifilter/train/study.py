"""Optuna as the one who proposes settings, alone or with others on one study."""

from __future__ import annotations

import json
import os
import socket
from contextlib import suppress
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from unifilter.train.samplers import Numbered, Space
from unifilter.train.trial import Trial, plain


class Optuna:
    """Optuna's samplers; with a storage URL several processes or machines work on one study.

    What one of them finds counts for all, and a search that was killed goes on: settings that a process of
    this machine asked for and did not live to answer are proposed again at once (on Linux, which tells who
    lives), all others if they have no answer after ``stale`` seconds.

    Parameters
    ----------
    space : Space
    study : str
        Name of the study; one that exists is continued.
    storage : str, optional
        ``sqlite:///search.db``, ``postgresql://...`` (with a driver that SQLAlchemy knows); in memory if not
        given.
    sampler : optional
        An Optuna sampler; TPE if not given.
    stale : float
        Longer than a batch of settings is trained.
    """

    def __init__(
        self,
        space: Space,
        study: str = "unifilter",
        storage: str | None = None,
        seed: int = 0,
        sampler: Any = None,
        stale: float = 3600.0,
    ) -> None:
        try:
            import optuna
        except ImportError:
            raise ImportError(
                "this search needs Optuna: pip install 'unifilter[search]'. Random search needs nothing."
            ) from None
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        self.space, self.stale, self._asked = space, stale, dict[int, Any]()
        # Proposals of one batch should differ although none of them has been answered yet.
        sampler = sampler or optuna.samplers.TPESampler(seed=seed, constant_liar=True)
        self.study = optuna.create_study(
            storage=storage, sampler=sampler, study_name=study, direction="maximize", load_if_exists=True
        )

    def ask(self, count: int) -> list[Numbered]:
        """Propose, and first what others did not live to answer."""
        self._take_back()
        numbered = []
        for _ in range(count):
            trial = self.study.ask()
            trial.set_user_attr("process", [socket.gethostname(), os.getpid(), _birth(os.getpid())])
            setting = {n: trial.suggest_categorical(n, list(v)) for n, v in self.space.values.items()}
            self._asked[trial.number] = trial
            numbered.append((trial.number, setting))
        return numbered

    def tell(self, trial: Trial) -> None:
        """Answer a proposal, for all who share the study; settings that it did not propose are not its.

        Proposals of a process that has ended are answered too: its journal may know more than the study.
        """
        from optuna.exceptions import UpdateFinishedTrialError

        asked = self._asked.pop(trial.number, None) or self._unanswered(trial)
        if asked is not None:
            with suppress(UpdateFinishedTrialError):  # somebody took it back meanwhile
                asked.set_user_attr("trial", json.dumps(asdict(trial)))
                self.study.tell(asked, trial.accuracy, skip_if_finished=True)
        elif trial.number >= len(self.study.get_trials(deepcopy=False)):
            self._adopt(trial)

    def _adopt(self, trial: Trial) -> None:
        """Take over what a journal knows and a study in memory has forgotten, under the same number."""
        from optuna.distributions import CategoricalDistribution
        from optuna.trial import TrialState, create_trial

        choices = {name: list(values) for name, values in self.space.values.items()}
        params = {n: v for n, v in trial.setting.items() if n in choices and v in choices[n]}
        if len(params) < len(choices) or len(params) < len(trial.setting):
            return  # of another space
        for _ in range(trial.number - len(self.study.get_trials(deepcopy=False))):
            self.study.add_trial(create_trial(state=TrialState.FAIL))
        kinds: dict[str, Any] = {name: CategoricalDistribution(values) for name, values in choices.items()}
        said = {"trial": json.dumps(asdict(trial))}
        known = create_trial(params=params, distributions=kinds, value=trial.accuracy, user_attrs=said)
        self.study.add_trial(known)

    def found(self) -> list[Trial]:
        """What the study knows, of this process and of others."""
        said = (t.user_attrs.get("trial") for t in self.study.get_trials(deepcopy=False))
        return [Trial(**json.loads(text)) for text in said if text is not None]

    def underway(self) -> int:
        """Proposals of others that have no answer yet, and may still get one."""
        self._take_back()
        return sum(trial.number not in self._asked for trial in self._open())

    def _take_back(self) -> None:
        """Let what nobody will answer be proposed again."""
        from optuna.exceptions import UpdateFinishedTrialError
        from optuna.trial import TrialState

        for trial in self._lost():
            # Others look as well: whoever comes second finds it finished, in one of two ways.
            with suppress(UpdateFinishedTrialError, ValueError):
                if "trial" in trial.user_attrs:  # all but the last word was said
                    self.study.tell(trial.number, json.loads(trial.user_attrs["trial"])["accuracy"])
                    continue
                self.study.tell(trial.number, state=TrialState.FAIL)
                if len(trial.params) == len(self.space.values):
                    self.study.enqueue_trial(trial.params)

    def _unanswered(self, trial: Trial) -> Any:
        """The lost proposal of this number and setting, or None."""
        import optuna

        for lost in self._lost():
            if lost.number == trial.number and plain(lost.params) == plain(trial.setting):
                return optuna.trial.Trial(self.study, lost._trial_id)
        return None

    def _lost(self) -> list[Any]:
        """Proposals of others that are too old, or whose process has ended."""

        def lost(trial: Any) -> bool:
            host, pid, birth = trial.user_attrs.get("process", ("", 0, ""))
            if host == socket.gethostname() and _birth(pid) != birth:
                return True
            age: float = (datetime.now() - trial.datetime_start).total_seconds()
            return age >= self.stale

        return [trial for trial in self._open() if trial.number not in self._asked and lost(trial)]

    def _open(self) -> list[Any]:
        from optuna.trial import TrialState

        return self.study.get_trials(deepcopy=False, states=(TrialState.RUNNING,))


def _birth(pid: int) -> str:
    """When a process of this machine began, since its number may be given again; "" where nobody says.

    That is so for one that has ended, also if its parent has not noticed, and on systems other than Linux.
    """
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] in ("Z", "X") else fields[19]
