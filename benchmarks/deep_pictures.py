"""Pictures of what `benchmarks.deep` kept in `results/deep/`, beside the data and for the documentation.

python -m benchmarks.deep_pictures
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.deep import ABLATIONS, USUAL
from benchmarks.deep_model_free import METHODS as MODEL_FREE
from benchmarks.deep_model_free import PUBLISHED as DREAM_PUBLISHED
from benchmarks.deep_runs import CURVES, Kept, kept
from regretless.plots import COLOURS, save_figure

IMAGES = Path(__file__).parents[1] / "docs" / "images"
STYLES: list[Any] = ["-", "--", "-.", ":", (0, (5, 1, 1, 1)), (0, (1, 1))]

AS_USUAL = {
    "traversals": "3,000",
    "Adam steps of a refit": "50",
    "width": "64",
    "weight of iterations": "linear",
    "refit": "continued, 50 steps",
    "memory": "merged",
    "fallback": "highest",
    "network": "perceptron",
    "targets": "scaled",
}
"""What the usual settings are called in the panel of each knob."""

DRAWN = {
    "published": "10,000 deals, 4,000 steps (the paper's)",
    "boards-continued": "all boards, fits continue, 1,000 steps",
    "boards-recursive": "all boards, recursive fits, 1,000 steps",
    "boards-4000": "all boards, fresh fits, 4,000 steps",
    "boards-strength": "… merged memory, strength told, 3,000 steps",
    "boards-floor": "… merged memory, floor, 4,000 steps",
    "boards-strength-floor": "… merged memory, floor, strength told, 3,000 steps",
    "boards-strategies": "… merged memory, strength told, strategies, 1,000 steps",
}
"""Runs of flop hold'em that are drawn, and what they are called."""

KNOBS = {
    "Adam steps of a refit": {"boards-floor": "4,000", "steps-2000": "2,000", "steps-1000": "1,000"},
    "width": {"boards-floor": "64", "width-32": "32"},
    "weight of iterations": {"boards-floor": "linear", "not-linear": "even"},
    "fallback": {"boards-floor": "highest", "uniform-fallback": "uniform"},
    "refit": {"boards-floor": "fresh", "refits-continued": "continued"},
    "averaging": {"boards-floor": "value networks", "strategy-network": "a strategy network"},
    "floor": {"boards-floor": "3", "boards-merged": "none (an older run)"},
    "all settings": {"boards-floor": "ours", "published": "the paper's (10,000 deals)"},
}
"""Ablations on flop hold'em: what was set, and the run that did; the first of each is the same."""

PUBLISHED = {50: 154, 100: 70, 200: 51, 300: 40, 450: 38}
"""Deep CFR on flop hold'em as read off the paper's figure by others: mbb/g by iteration."""

EXACT = Path(__file__).parent / "results" / "holdem-curves-cuda.json"


def main() -> None:
    """Draw all that there is data for."""
    for name, section, draw in (
        ("kuhn", "kuhn", kuhn),
        ("leduc", "leduc", leduc),
        ("ablations", "ablations", ablations),
        ("fhp", "fhp", fhp),
        ("fhp-ablations", "fhp", fhp_ablations),
        ("model-free", "model-free", model_free),
        ("long", "long", long),
    ):
        if runs := kept(section):
            figure = draw(runs)
            for place in (CURVES / f"{name}.png", IMAGES / f"deep-{name}.png"):
                save_figure(figure, place)
            print(f"drew {name}")


def plain(panel: Axes) -> None:
    """What all panels have."""
    panel.grid(visible=True, which="major", color="#dddddd", linewidth=0.7)
    panel.set_axisbelow(True)
    panel.spines[["top", "right"]].set_visible(False)


def line(panel: Axes, run: Kept, column: str, **how: Any) -> None:
    """Exploitability against a column of a run's curve."""
    panel.loglog(run["curve"][column], run["curve"]["exploitability"], **how)


def kuhn(runs: dict[str, Kept]) -> Figure:
    """Three methods, three seeds each, and what is asked of them."""
    figure = Figure(figsize=(9.0, 3.6), layout="constrained")
    methods = list(dict.fromkeys(run["method"] for run in runs.values()))
    for panel, column, label in zip(
        figure.subplots(1, 2, sharey=True),
        ("seconds", "nodes"),
        ("processor seconds, one thread", "histories touched"),
        strict=True,
    ):
        for run in runs.values():
            number = methods.index(run["method"])
            name = run["method"] if run["seed"] == 1 else None
            line(panel, run, column, color=COLOURS[number], linestyle=STYLES[number], label=name, linewidth=1.1)
        for target in (0.02, 0.06):
            panel.axhline(target, color="black", linewidth=0.6)
        panel.set(xlabel=label, ylabel="exploitability (chips)" if column == "seconds" else "")
        plain(panel)
    figure.axes[0].legend(frameon=False, fontsize=8)
    figure.suptitle("Kuhn poker, default settings, three seeds each", fontsize=10)
    return figure


def leduc(runs: dict[str, Kept]) -> Figure:
    """Curves of the long runs, with OpenSpiel's Deep CFR and published figures."""
    figure = Figure(figsize=(9.6, 4.0), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    for (name, run), colour, style in zip(runs.items(), COLOURS, STYLES, strict=False):
        line(left, run, "seconds", color=colour, linestyle=style, label=name)
        line(right, run, "nodes", color=colour, linestyle=style, label=name)
    for name, run in kept("equal-time").items():
        line(left, run, "seconds", color="black", marker="s", linestyle="none", label=name)
    for panel, label in ((left, "processor seconds, one thread"), (right, "histories touched")):
        for height, name in ((0.080, "Deep CFR, published"), (0.059, "SD-CFR, published")):
            panel.axhline(height, color="#777777", linewidth=0.8, linestyle=":")
            if panel is right:
                panel.annotate(name, (0.01, height), xycoords=("axes fraction", "data"), va="bottom", fontsize=7)
        panel.set(xlabel=label)
        plain(panel)
    left.set(ylabel="exploitability (chips)")
    right.legend(*left.get_legend_handles_labels(), frameon=False, fontsize=8, loc="lower left")
    figure.suptitle("Leduc poker, default settings, one seed", fontsize=10)
    return figure


def model_free(runs: dict[str, Kept]) -> Figure:
    """A panel for each game: DREAM and ESCHER by decisions, SD-CFR by histories, and DREAM as published on Leduc."""
    games = list(dict.fromkeys(run["game"] for run in runs.values()))
    figure = Figure(figsize=(4.4 * len(games), 3.8), layout="constrained")
    for panel, game in zip(figure.subplots(1, len(games), squeeze=False).flat, games, strict=True):
        for key, run in sorted(runs.items()):
            if run["game"] == game:
                name = key.partition(",")[0]
                number = list(MODEL_FREE).index(name)
                column = "decisions" if "decisions" in run["curve"] else "nodes"
                shown = name if run["seed"] == 1 else None
                line(panel, run, column, color=COLOURS[number], linestyle=STYLES[number], label=shown, linewidth=1.1)
        if game == "leduc":
            panel.loglog(*zip(*DREAM_PUBLISHED.items(), strict=True), "ks", markersize=4, label="DREAM, published")
        panel.set(xlabel="decisions sampled (SD-CFR: histories touched)", title=game)
        panel.legend(frameon=False, fontsize=8)
        plain(panel)
    figure.axes[0].set(ylabel="exploitability (chips)")
    return figure


def long(runs: dict[str, Kept]) -> Figure:
    """SD-CFR with rates that fall and with rates that do not: exploitability, and infosets with few active units."""
    figure = Figure(figsize=(9.0, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    for (name, run), colour, style in zip(runs.items(), COLOURS, STYLES, strict=False):
        line(left, run, "iteration", color=colour, linestyle=style, label=f"{name} rates")
        right.plot(run["curve"]["iteration"], run["curve"]["few_units"], color=colour, linestyle=style)
    left.set(xlabel="iterations", ylabel="exploitability (chips)")
    right.set(xlabel="iterations", ylabel="infosets with at most two active units")
    left.legend(frameon=False, fontsize=8)
    for panel in (left, right):
        plain(panel)
    figure.suptitle("SD-CFR on Leduc poker, one seed", fontsize=10)
    return figure


def ablations(runs: dict[str, Kept]) -> Figure:
    """A panel for each knob: the usual setting in black, with the spread of three seeds, and what was changed."""
    figure = Figure(figsize=(13.0, 6.0), layout="constrained")
    seeds = [run for name, run in runs.items() if name.startswith(USUAL)]
    panels = figure.subplots(2, 5, sharex=True, sharey=True).flat
    for panel, (knob, changes) in zip(panels, ABLATIONS.items(), strict=True):
        for number, run in enumerate(seeds):
            name = AS_USUAL.get(knob, "as usual") if number == 0 else None
            line(panel, run, "iteration", color="black", linewidth=0.9, label=name)
        for (name, colour), style in zip(zip(changes, COLOURS, strict=False), STYLES, strict=False):
            if changed := runs.get(f"{knob}: {name}"):
                line(panel, changed, "iteration", color=colour, linestyle=style, label=name)
        panel.set(title=knob, xlim=(2, None))
    finish(figure, "exploitability (chips)")
    return figure


def finish(figure: Figure, unit: str) -> None:
    """What two rows of panels have, one for each knob."""
    for panel in figure.axes:
        panel.title.set_fontsize(9)
        panel.legend(frameon=False, fontsize=7, loc="lower left")
        plain(panel)
    columns = len(figure.axes) // 2
    for panel in figure.axes[::columns]:
        panel.set(ylabel=unit)
    for panel in figure.axes[columns:]:
        panel.set(xlabel="iterations")


def fhp(runs: dict[str, Kept]) -> Figure:
    """Exploitability by iterations and by seconds, beside exact linear CFR and what was published."""
    figure = Figure(figsize=(10.4, 4.4), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    named = [(runs[name], label) for name, label in DRAWN.items() if name in runs]
    styles = [(colour, style) for style in STYLES for colour in COLOURS]
    for (run, label), (colour, style) in zip(named, styles, strict=False):
        for panel, column in ((left, "iteration"), (right, "seconds")):
            curve = run["curve"]
            panel.loglog(curve[column], curve["mbb_total"], color=colour, linestyle=style, label=label, linewidth=1.2)
    draw_exact(left)
    left.loglog(PUBLISHED.keys(), PUBLISHED.values(), "ks", markersize=4, label="Deep CFR, published")
    for height, name in ((55.5, "best public code, 55.5"), (37, "the paper, 37")):
        for panel in (left, right):
            panel.axhline(height, color="#777777", linewidth=0.8, linestyle=":")
        right.annotate(name, (0.01, height), xycoords=("axes fraction", "data"), va="bottom", fontsize=7)
    left.set(xlabel="iterations", ylabel="exploitability (mbb/g, both players)")
    right.set(xlabel="seconds of an H200")
    for panel in (left, right):
        plain(panel)
    left.legend(frameon=False, fontsize=7, loc="lower left")
    figure.suptitle("SD-CFR on flop hold'em, one seed each, measured exactly", fontsize=10)
    return figure


def draw_exact(panel: Axes) -> None:
    """Linear CFR without networks."""
    panel.loglog(*exact_curve(), color="#777777", linewidth=0.8, label="exact linear CFR")


@cache
def exact_curve() -> tuple[list[float], list[float]]:
    """Iterations of linear CFR without networks, as far as the paper goes, and its exploitability."""
    exact = json.loads(EXACT.read_text())["curves"]["linear"]
    shown = [at for at, iteration in enumerate(exact["iteration"]) if iteration <= max(PUBLISHED)]
    return [exact["iteration"][at] for at in shown], [exact["mbb_total"][at] for at in shown]


def fhp_ablations(runs: dict[str, Kept]) -> Figure:
    """A panel for each knob, up to the last iteration that all runs have, beside CFR without networks."""
    figure = Figure(figsize=(11.0, 5.4), layout="constrained")
    panels = figure.subplots(2, 4, sharex=True, sharey=True).flat
    for panel, (knob, settings) in zip(panels, KNOBS.items(), strict=True):
        for (name, label), colour, style in zip(settings.items(), ("black", *COLOURS), STYLES, strict=False):
            curve = runs[name]["curve"]
            panel.loglog(curve["iteration"], curve["mbb_total"], color=colour, linestyle=style, label=label)
        draw_exact(panel)
        panel.set(title=knob, xlim=(4, 30), ylim=(45, 1_500), xticks=(5, 10, 20, 30), yticks=(50, 100, 200, 500, 1_000))
        panel.xaxis.set_major_formatter("{x:g}")
        panel.yaxis.set_major_formatter("{x:g}")
        panel.minorticks_off()
    finish(figure, "exploitability (mbb/g)")
    figure.suptitle("SD-CFR on flop hold'em, one seed each, one knob at a time", fontsize=10)
    return figure


if __name__ == "__main__":
    main()
