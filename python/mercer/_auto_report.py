"""The report of AutoKernel: winner, how sure that is, cost, and the code to repeat it."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from mercer._auto_compare import Result, difference

# Within so many standard errors of the difference, two models count as equal.
_SURE = 2.0


def report_text(auto: Any) -> str:
    """Return the report of a fitted AutoKernel."""
    parts = [_winner(auto), _table(auto), _certainty(auto), _cost(auto), code_of(auto)]
    return "\n\n".join(filter(None, parts)) + "\n"


def _winner(auto: Any) -> str:
    score = f"{auto.best_score_:.4f} ± {auto.best_score_std_error_:.4f}"
    return (
        f"Best of {sum(row['status'] == 'done' for row in auto.leaderboard_)} models: "
        f"{auto.best_name_}, {auto.scoring_} {score}\n"
        f"(mean and standard error over {auto.n_splits_} folds; parameters are chosen within "
        "each)"
    )


def _table(auto: Any) -> str:
    width = max(len(row["model"]) for row in auto.leaderboard_)
    lines = [f"{'model':{width}}  {'score':>8}  {'error':>7}  {'seconds':>7}"]
    for row in auto.leaderboard_:
        mark = "  baseline" if row["baseline"] else ""
        if row["status"] != "done":
            lines.append(f"{row['model']:{width}}  {row['status']}{mark}")
            continue
        lines.append(
            f"{row['model']:{width}}  {row['score']:8.4f}  {row['std_error']:7.4f}  "
            f"{row['seconds']:7.1f}{mark}"
        )
    return "\n".join(lines)


def _certainty(auto: Any) -> str:
    best, *others = [result for result in auto._ranked if result.finished]
    close = [one for one in others if _undecided(best, one)]
    lines = []
    if close:
        names = ", ".join(one.name for one in close)
        lines.append(
            f"Not decided: {names} {'is' if len(close) == 1 else 'are'} within {_SURE:g} standard "
            "errors of the difference; another split of the data may rank them otherwise."
        )
    elif others:
        gap, error = difference(best, others[0])
        lines.append(
            f"The lead over the second, {others[0].name}, is {gap:.4f} ± {error:.4f}: more than "
            f"{_SURE:g} standard errors."
        )
    lines.append(_against_baselines(best, others))
    lines.append(
        "The best of several scores is slightly optimistic: measure the final model on new samples."
    )
    return "\n".join(filter(None, lines))


def _undecided(best: Result, other: Result) -> bool:
    gap, error = difference(best, other)
    return not gap > _SURE * error


def _against_baselines(best: Result, others: list[Result]) -> str:
    rivals = [one for one in others if one.baseline is not best.baseline]
    if not rivals:
        return "Only baselines were compared to the end." if best.baseline else ""
    gap, error = difference(best, rivals[0])
    word = "more than" if gap > _SURE * error else "not more than"
    kind = "kernel method" if best.baseline else "baseline"
    text = (
        f"The best {kind}, {rivals[0].name}, is {gap:.4f} ± {error:.4f} behind: {word} {_SURE:g} "
        "standard errors."
    )
    return f"No kernel method is better than the best baseline. {text}" if best.baseline else text


def _cost(auto: Any) -> str:
    lines = [
        f"Comparison: {auto.seconds_:.1f} s of a budget of {auto.time_budget:g} s; final fit: "
        f"{auto.refit_seconds_:.1f} s."
    ]
    if auto.n_compared_ < auto.n_samples_:
        lines.append(
            f"Compared on {auto.n_compared_} of {auto.n_samples_} samples, drawn at random; the "
            "final model is fitted on all."
        )
    left = [row["model"] for row in auto.leaderboard_ if row["status"] != "done"]
    if left:
        lines.append(f"Not compared to the end: {', '.join(left)}.")
    lines.extend(f"Note on the parameters of {auto.best_name_}: {note}." for note in auto.notes_)
    return "\n".join(lines)


def code_of(auto: Any) -> str:
    """Return the Python code that fits the best pipeline again."""
    steps = _steps(auto.best_estimator_)
    model = ", ".join(_call(step) for step in steps)
    imported: dict[str, set[str]] = {}
    for step in steps:
        imported.setdefault(_module_of(step), set()).add(type(step).__name__)
    if len(steps) > 1:
        imported["sklearn.pipeline"] = {"make_pipeline"}
        model = f"make_pipeline({model})"
    lines = [f"from {name} import {', '.join(sorted(imported[name]))}" for name in sorted(imported)]
    return "\n".join([*lines, "", f"model = {model}", "model.fit(X, y)"])


def _steps(model: Any) -> list:
    """The steps of a pipeline, with those of pipelines within it."""
    if not isinstance(model, Pipeline):
        return [model]
    return [inner for _, step in model.steps for inner in _steps(step)]


def _module_of(model: Any) -> str:
    """The public module that a class is imported from."""
    module = type(model).__module__
    if module.startswith("mercer."):
        return "mercer"
    package = ".".join(module.split(".")[:2])
    return package if hasattr(import_module(package), type(model).__name__) else module


def _call(model: Any) -> str:
    """An expression that makes the estimator: its parameters that are not the defaults."""
    usual = type(model)().get_params(deep=False)
    given = model.get_params(deep=False)
    changed = {
        name: value.item() if isinstance(value, np.generic) else value
        for name, value in given.items()
        if name != "n_jobs" and repr(value) != repr(usual[name])
    }
    arguments = ", ".join(f"{name}={value!r}" for name, value in changed.items())
    return f"{type(model).__name__}({arguments})"
